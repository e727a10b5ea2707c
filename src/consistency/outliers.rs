//! Which completions of one function are unlike the others, and which is taken in the end (`CCTest`, Algorithm 1).
//!
//! Decides similarity, outliers and repair as MUTATIONS.md says: similarity is fuzzywuzzy's ratio in whole percents.
//! The listing in the paper fills half of the matrix; here it is symmetric, and its diagonal takes no part.

use crate::metric::edit::Scratch;

/// The thresholds of the paper's Table V.
pub const THRESHOLDS: [usize; 5] = [1, 3, 5, 7, 9];

/// The one that the paper recommends.
pub const THRESHOLD: usize = 9;

/// When two completions count as far from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DistanceRule {
    /// Their similarity is below the median of the matrix, as the listing has it.
    #[default]
    Algorithm,
    /// Their distance is above the mean distance, as the text has it.
    Prose,
}

impl DistanceRule {
    pub const ALL: &[Self] = &[Self::Algorithm, Self::Prose];

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Prose => "prose",
        }
    }
}

/// The similarities of some completions, in whole percents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarityMatrix {
    n: usize,
    /// Row by row.
    cells: Vec<u8>,
}

impl SimilarityMatrix {
    /// Compares all pairs. Texts that would cost too much to compare count as unlike.
    pub fn new(texts: &[&str], scratch: &mut Scratch) -> Self {
        let n = texts.len();
        let mut cells = vec![100; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let ratio = scratch.fuzzywuzzy(texts[i], texts[j]).unwrap_or(0.0);
                #[expect(
                    clippy::cast_sign_loss,
                    clippy::cast_possible_truncation,
                    reason = "a share in percents"
                )]
                let percents = (ratio * 100.0).round() as u8;
                cells[i * n + j] = percents;
                cells[j * n + i] = percents;
            }
        }
        Self { n, cells }
    }

    /// Builds the matrix of these similarities; nothing where they are not as many as `n` texts have.
    #[must_use]
    pub fn of_cells(n: usize, cells: &[u8]) -> Option<Self> {
        (cells.len() == n * n).then(|| Self {
            n,
            cells: cells.to_vec(),
        })
    }

    /// Computes the mean distance of two of the texts, in 0..=1; nothing for fewer than two.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        let all = self.pairs();
        let sum: u64 = all.iter().map(|byte| u64::from(100 - byte)).sum();
        (!all.is_empty()).then(|| sum as f64 / (100 * all.len()) as f64)
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.n
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    #[must_use]
    pub fn at(&self, i: usize, j: usize) -> u8 {
        self.cells[i * self.n + j]
    }

    /// Returns the similarities in percents, row by row, with the diagonal.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    fn pairs(&self) -> Vec<u8> {
        (0..self.n)
            .flat_map(|i| (i + 1..self.n).map(move |j| (i, j)))
            .map(|(i, j)| self.at(i, j))
            .collect()
    }

    /// Computes the median of all similarities, in percents; nothing for fewer than two texts.
    #[must_use]
    pub fn median(&self) -> Option<f64> {
        let mut all = self.pairs();
        all.sort_unstable();
        let middle = all.len() / 2;
        match all.len() {
            0 => None,
            n if n % 2 == 1 => Some(f64::from(all[middle])),
            _ => Some(f64::midpoint(
                f64::from(all[middle - 1]),
                f64::from(all[middle]),
            )),
        }
    }

    /// Counts for every completion how many others are far from it.
    #[must_use]
    pub fn counts(&self, rule: DistanceRule) -> Vec<usize> {
        let all = self.pairs();
        let n_pairs = all.len() as u64;
        let sum: u64 = all.iter().map(|byte| u64::from(100 - byte)).sum();
        let median = self.median().unwrap_or(0.0);
        let is_far = |similarity: u8| match rule {
            DistanceRule::Algorithm => f64::from(similarity) < median,
            // Exact: the mean is a quotient of whole numbers.
            DistanceRule::Prose => u64::from(100 - similarity) * n_pairs > sum,
        };
        (0..self.n)
            .map(|i| {
                (0..self.n)
                    .filter(|j| *j != i && is_far(self.at(i, *j)))
                    .count()
            })
            .collect()
    }

    /// Tells for every completion whether it is an outlier: at least `threshold` others are far from it.
    #[must_use]
    pub fn outliers(&self, rule: DistanceRule, threshold: usize) -> Vec<bool> {
        let counts = self.counts(rule);
        counts.into_iter().map(|count| count >= threshold).collect()
    }

    /// Finds the completion whose mean distance to the others is nearest to the mean distance of all, among those that
    /// are no outliers; the first of several. Nothing where fewer than two are left.
    #[must_use]
    pub fn repaired(&self, is_outlier: &[bool]) -> Option<usize> {
        let rest: Vec<usize> = (0..self.n).filter(|n| !is_outlier[*n]).collect();
        if rest.len() < 2 {
            return None;
        }
        let sums: Vec<u64> = rest
            .iter()
            .map(|i| {
                let others = rest.iter().filter(|j| *j != i);
                others.map(|j| u64::from(100 - self.at(*i, *j))).sum()
            })
            .collect();
        let total: u64 = sums.iter().sum();
        // Compares n times each sum of n − 1 distances with the total of the sums, so nothing is divided.
        let n = rest.len() as u64;
        let nearest = (0..rest.len()).min_by_key(|at| (sums[*at] * n).abs_diff(total));
        nearest.map(|at| rest[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(texts: &[&str]) -> SimilarityMatrix {
        SimilarityMatrix::new(texts, &mut Scratch::default())
    }

    #[test]
    fn one_text_unlike_the_others_is_far_from_all() {
        let similarity_matrix = matrix(&["return a", "return a", "return b", "while True: pass"]);
        assert_eq!(similarity_matrix.counts(DistanceRule::Prose), [1, 1, 1, 3]);
        assert_eq!(
            similarity_matrix.outliers(DistanceRule::Prose, 3),
            [false, false, false, true]
        );
    }

    #[test]
    fn equal_texts_have_no_outliers_and_the_first_is_taken() {
        let similarity_matrix = matrix(&["a", "a", "a"]);
        assert_eq!(similarity_matrix.counts(DistanceRule::Algorithm), [0, 0, 0]);
        assert_eq!(similarity_matrix.repaired(&[false; 3]), Some(0));
    }

    #[test]
    fn fewer_than_two_left_are_not_repaired() {
        assert_eq!(matrix(&["a", "b"]).repaired(&[true, false]), None);
        assert_eq!(matrix(&[]).median(), None);
    }
}
