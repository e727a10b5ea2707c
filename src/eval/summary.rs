//! From pairs to the numbers of a table: over all of them, over those that parse, and adjusted.

use crate::metric::Metric;
use crate::metric::total::Total;
use crate::model::Score;

/// The totals over the pairs of a corpus, metric by metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// In the order of the metrics.
    all: Vec<Total>,
    parsable: Vec<Total>,
    pub n_pairs: u64,
    pub n_unparsable: u64,
    /// Predictions as long as the model could write.
    pub n_over_length: u64,
}

impl Summary {
    #[must_use]
    pub fn new(n_metrics: usize) -> Self {
        Self {
            all: vec![Total::default(); n_metrics],
            parsable: vec![Total::default(); n_metrics],
            n_pairs: 0,
            n_unparsable: 0,
            n_over_length: 0,
        }
    }

    /// Adds a pair; in the order of the corpus, see [`Total::add`].
    pub fn add(&mut self, scores: &[Score], is_parsable: bool, is_over_length: bool) {
        self.n_pairs += 1;
        self.n_unparsable += u64::from(!is_parsable);
        self.n_over_length += u64::from(is_over_length);
        for (total, score) in self.all.iter_mut().zip(scores) {
            total.add(score);
        }
        if is_parsable {
            for (total, score) in self.parsable.iter_mut().zip(scores) {
                total.add(score);
            }
        }
    }

    /// Computes the share of predictions that do not parse (ConTest's `r_up`), 0..=1; nothing without pairs.
    #[must_use]
    pub fn unparsable_rate(&self) -> Option<f64> {
        (self.n_pairs > 0).then(|| self.n_unparsable as f64 / self.n_pairs as f64)
    }

    /// Computes the share of predictions that are as long as the model could write, 0..=1.
    #[must_use]
    pub fn over_length_rate(&self) -> Option<f64> {
        (self.n_pairs > 0).then(|| self.n_over_length as f64 / self.n_pairs as f64)
    }

    /// Computes the `idx`-th metric over all pairs, 0..=1.
    #[must_use]
    pub fn value(&self, metric: &Metric, idx: usize) -> Option<f64> {
        (self.n_pairs > 0).then(|| (metric.corpus)(&self.all[idx]))
    }

    /// Computes the `idx`-th metric over the pairs whose prediction parses, 0..=1.
    #[must_use]
    pub fn value_parsable(&self, metric: &Metric, idx: usize) -> Option<f64> {
        (self.n_pairs > self.n_unparsable).then(|| (metric.corpus)(&self.parsable[idx]))
    }

    /// Computes adj(s) = s · (1 − `r_up`) with s over the parsable predictions (ConTest 3.6, equation 2), 0..=1; 0
    /// where none parses.
    #[must_use]
    pub fn adjusted(&self, metric: &Metric, idx: usize) -> Option<f64> {
        let rate = self.unparsable_rate()?;
        Some(self.value_parsable(metric, idx).unwrap_or(0.0) * (1.0 - rate))
    }

    /// Iterates over the named parts of the `idx`-th metric with their means.
    pub fn parts(
        &self,
        metric: &'static Metric,
        idx: usize,
    ) -> impl Iterator<Item = (&'static str, f64)> {
        let total = &self.all[idx];
        let n_pairs = total.n_pairs.max(1.0);
        let sums = total.parts.iter().map(move |sum| sum / n_pairs);
        metric.parts.iter().copied().zip(sums)
    }
}
