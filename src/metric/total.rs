//! From values of pairs to values of corpora: sums, from which every corpus value follows.

use crate::model::Score;

/// The sums of the scores of many pairs in one metric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Total {
    pub n_pairs: f64,
    pub value: f64,
    pub parts: Vec<f64>,
}

impl Total {
    /// Adds a pair. Sums of counts are exact; sums of other numbers depend on the order in their last digits, so pairs
    /// are added in the order of the corpus.
    pub fn add(&mut self, score: &Score) {
        self.add_times(score.value, &score.parts, 1.0);
    }

    /// Adds a pair as if it were there `times` times; a number below zero takes it out.
    pub fn add_times(&mut self, value: f64, parts: &[f64], times: f64) {
        if self.parts.len() < parts.len() {
            self.parts.resize(parts.len(), 0.0);
        }
        self.n_pairs += times;
        self.value += value * times;
        for (sum, part) in self.parts.iter_mut().zip(parts) {
            *sum += part * times;
        }
    }

    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.n_pairs = 0.0;
        self.value = 0.0;
        self.parts.fill(0.0);
    }

    /// Computes the mean of the values, 0 without pairs.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.n_pairs > 0.0 {
            self.value / self.n_pairs
        } else {
            0.0
        }
    }
}
