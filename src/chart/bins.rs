//! Points that are too many to be drawn one by one: how many there are in each field of a grid.

/// The most points that are drawn one by one.
pub const POINTS_MAX: usize = 2_000;

/// How many points fall into each field of a grid.
#[derive(Debug)]
pub(super) struct Bins {
    pub n_columns: usize,
    counts: Vec<u32>,
}

impl Bins {
    /// Counts points by their places, 0..=1 in both directions.
    pub(super) fn count(
        (n_columns, n_rows): (usize, usize),
        places: impl Iterator<Item = (f64, f64)>,
    ) -> Self {
        let (n_columns, n_rows) = (n_columns.max(1), n_rows.max(1));
        let mut counts = vec![0_u32; n_columns * n_rows];
        for (x, y) in places {
            let field = field(y, n_rows) * n_columns + field(x, n_columns);
            counts[field] = counts[field].saturating_add(1);
        }
        Self { n_columns, counts }
    }

    /// Iterates over column, row and count of every field that is not empty, row by row.
    pub(super) fn filled(&self) -> impl Iterator<Item = (usize, usize, u32)> {
        let n_columns = self.n_columns;
        let fields = self.counts.iter().enumerate();
        fields
            .filter(|(_, count)| **count > 0)
            .map(move |(idx, count)| (idx % n_columns, idx / n_columns, *count))
    }

    pub(super) fn greatest(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// Finds the field, out of `n`, that holds a place from 0 to 1.
pub(super) fn field(place: f64, n: usize) -> usize {
    whole(place * n as f64).min(n.saturating_sub(1))
}

/// Takes the whole part of a number, at most 1e9; 0 for negative numbers and NaN.
#[expect(clippy::cast_sign_loss, reason = "it is not negative")]
pub(super) fn whole(value: f64) -> usize {
    value.clamp(0.0, 1e9) as usize
}

/// Computes how full a field is among `n` levels, from 0, on a logarithmic scale: most fields of a real scatter hold
/// few points and a few hold most.
pub(super) fn level(count: u32, greatest: u32, n: usize) -> usize {
    if greatest <= 1 {
        return 0;
    }
    field(
        f64::from(count.max(1)).ln() / f64::from(greatest).ln(),
        n.max(1),
    )
}
