//! Numbers of many pairs, as narrow as they fit.

/// One number of every pair.
#[derive(Clone, Debug, PartialEq)]
pub enum PairColumn {
    /// The same for all: counts that are always 0, weights.
    Constant { value: f64, n_pairs: usize },
    /// Counts up to 32,767. Their sums are exact.
    Counts(Vec<i16>),
    /// Anything else.
    Wide(Vec<f64>),
}

/// Products are summed in 32 bits over this number of pairs: with counts up to 32,767 that holds as long as no pair is
/// drawn 32 times as often as others.
const BLOCK: usize = 2_048;

impl PairColumn {
    /// Makes a column of zeros, one for each pair.
    #[must_use]
    pub fn zeros(n_pairs: usize) -> Self {
        Self::Counts(vec![0; n_pairs])
    }

    /// Sets the number of a pair, and becomes wider where it does not fit.
    pub fn set(&mut self, pair: usize, value: f64) {
        if let Self::Constant { value, n_pairs } = self {
            *self = Self::Wide(vec![*value; *n_pairs]);
        }
        if let Self::Counts(counts) = self {
            if let Some(count) = count(value) {
                counts[pair] = count;
                return;
            }
            *self = Self::Wide(counts.iter().map(|count| f64::from(*count)).collect());
        }
        if let Self::Wide(values) = self {
            values[pair] = value;
        }
    }

    /// Packs the same numbers into the least memory.
    #[must_use]
    pub fn packed(self) -> Self {
        let constant = match &self {
            Self::Constant { .. } => None,
            Self::Counts(counts) => same(counts).map(f64::from),
            Self::Wide(values) => same(values),
        };
        match constant {
            Some(value) => Self::Constant {
                value,
                n_pairs: self.n_pairs(),
            },
            None => self,
        }
    }

    #[must_use]
    pub fn n_pairs(&self) -> usize {
        match self {
            Self::Constant { n_pairs, .. } => *n_pairs,
            Self::Counts(counts) => counts.len(),
            Self::Wide(values) => values.len(),
        }
    }

    /// Selects the numbers of some pairs, in this order.
    #[must_use]
    pub fn of(&self, pairs: &[u32]) -> Self {
        match self {
            Self::Constant { value, .. } => Self::Constant {
                value: *value,
                n_pairs: pairs.len(),
            },
            Self::Counts(counts) => {
                Self::Counts(pairs.iter().map(|pair| counts[*pair as usize]).collect())
            }
            Self::Wide(values) => {
                Self::Wide(pairs.iter().map(|pair| values[*pair as usize]).collect())
            }
        }
    }

    #[must_use]
    pub fn sum(&self) -> f64 {
        match self {
            Self::Constant { value, n_pairs } => value * *n_pairs as f64,
            Self::Counts(counts) => {
                counts.iter().map(|count| i64::from(*count)).sum::<i64>() as f64
            }
            Self::Wide(values) => values.iter().sum(),
        }
    }

    /// Sums the numbers with each pair taken `times` times, `n_times` in all. Sums of counts are exact.
    pub(super) fn sum_times(&self, times: &[i16], n_times: f64) -> f64 {
        match self {
            Self::Constant { value, .. } => value * n_times,
            Self::Counts(counts) => {
                let blocks = counts.chunks(BLOCK).zip(times.chunks(BLOCK));
                let sums = blocks.map(|(counts, times)| i64::from(sum_block(counts, times)));
                sums.sum::<i64>() as f64
            }
            Self::Wide(values) => sum_wide(values, times),
        }
    }
}

fn count(value: f64) -> Option<i16> {
    let is_count = value.fract() == 0.0 && (0.0..=f64::from(i16::MAX)).contains(&value);
    is_count.then_some(value as i16)
}

fn same<T: Copy + PartialEq>(values: &[T]) -> Option<T> {
    let (first, rest) = values.split_first()?;
    rest.iter().all(|item| item == first).then_some(*first)
}

/// Sums products: eight products and four sums in one instruction, where the processor has it.
fn sum_block(counts: &[i16], times: &[i16]) -> i32 {
    let products = counts.iter().zip(times);
    products.fold(0, |sum: i32, (count, times)| {
        sum.wrapping_add(i32::from(*count) * i32::from(*times))
    })
}

/// Sums products in four sums side by side, because a single one would wait for its last addition.
fn sum_wide(values: &[f64], times: &[i16]) -> f64 {
    let mut sums = [0.0; 4];
    let (values, rest) = values.as_chunks::<4>();
    let (times, rest_times) = times.as_chunks::<4>();
    for (values, times) in values.iter().zip(times) {
        for idx in 0..4 {
            sums[idx] += values[idx] * f64::from(times[idx]);
        }
    }
    let rest = rest.iter().zip(rest_times);
    let rest: f64 = rest.map(|(value, times)| value * f64::from(*times)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_narrow_as_its_numbers() {
        let check = |values: &[f64], expected: &PairColumn| {
            let mut column = PairColumn::zeros(values.len());
            for (pair, value) in values.iter().enumerate() {
                column.set(pair, *value);
            }
            let packed = column.packed();
            assert_eq!(&packed, expected);
            assert!((packed.sum() - values.iter().sum::<f64>()).abs() < 1e-9);
        };
        check(&[1.0, 32_767.0], &PairColumn::Counts(vec![1, 32_767]));
        check(&[1.0, 32_768.0], &PairColumn::Wide(vec![1.0, 32_768.0]));
        check(&[2.0, 0.5, 2.0], &PairColumn::Wide(vec![2.0, 0.5, 2.0]));
        check(&[-1.0, 0.0], &PairColumn::Wide(vec![-1.0, 0.0]));
        let constant = |value, n_pairs| PairColumn::Constant { value, n_pairs };
        check(&[0.25, 0.25], &constant(0.25, 2));
        check(&[0.0, 0.0, 0.0], &constant(0.0, 3));
        check(&[], &PairColumn::Counts(Vec::new()));
    }

    #[test]
    fn sums_are_those_of_the_pairs_as_often_as_they_are_taken() {
        let n_pairs = 3 * BLOCK + 7;
        let counts: Vec<i16> = (0..n_pairs)
            .map(|n| i16::try_from(n * 37 % 32_768).expect("it fits"))
            .collect();
        let times: Vec<i16> = (0..n_pairs)
            .map(|n| i16::try_from(n * n % 5).expect("it fits"))
            .collect();
        let n_times = times.iter().map(|time| f64::from(*time)).sum();
        let pairs = counts.iter().zip(&times);
        let expected: i64 = pairs.map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        let wide = PairColumn::Wide(counts.iter().map(|count| f64::from(*count)).collect());
        for column in [PairColumn::Counts(counts), wide] {
            assert!((column.sum_times(&times, n_times) - expected as f64).abs() < 1e-6);
        }
        let constant = PairColumn::Constant {
            value: 0.5,
            n_pairs,
        };
        assert!((constant.sum_times(&times, n_times) - n_times / 2.0).abs() < 1e-9);
    }
}
