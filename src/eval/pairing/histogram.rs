//! The spread of the differences of single samples.

use crate::metric::paired::Tally;
use crate::model::BaselineStanding;

use super::{Look, RunPairing, Selection};

/// Counts of differences in bins of equal width, symmetric around 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The greatest difference of either sign, above 0 unless all are the same.
    pub bound: f64,
    /// Where the other run is worse: the n-th bin holds differences from −(n + 1) to −n times the width, nearest to 0
    /// first.
    pub worse: Vec<u64>,
    /// Differences that are nothing but rounding ([`BaselineStanding::of`]); no bin holds them.
    pub n_same: u64,
    pub better: Vec<u64>,
}

impl Histogram {
    /// Computes the width of a bin.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.bound / self.better.len() as f64
    }

    #[must_use]
    pub fn tally(&self) -> Tally {
        Tally {
            n_better: self.better.iter().sum(),
            n_same: self.n_same,
            n_worse: self.worse.iter().sum(),
        }
    }
}

impl RunPairing {
    /// Counts in how many selected samples the other run is better, the same and worse.
    #[must_use]
    pub fn tally(&self, selection: &Selection, look: Look) -> Tally {
        Tally::of(
            selection
                .places()
                .iter()
                .map(|place| self.delta(look, *place)),
        )
    }

    /// Counts differences in `n_bins` bins (at least one) to each side of 0.
    #[must_use]
    pub fn histogram(&self, selection: &Selection, look: Look, n_bins: usize) -> Histogram {
        let n_bins = n_bins.max(1);
        let deltas = || {
            selection
                .places()
                .iter()
                .map(|place| self.delta(look, *place))
        };
        let bound = deltas().map(f64::abs).fold(0.0, f64::max);
        let mut histogram = Histogram {
            bound,
            worse: vec![0; n_bins],
            n_same: 0,
            better: vec![0; n_bins],
        };
        for delta in deltas() {
            let side = match BaselineStanding::of(delta) {
                BaselineStanding::Same => {
                    histogram.n_same += 1;
                    continue;
                }
                BaselineStanding::Worse => &mut histogram.worse,
                BaselineStanding::Better => &mut histogram.better,
            };
            #[expect(clippy::cast_sign_loss, reason = "sizes are not negative")]
            let bin = (delta.abs() / bound * n_bins as f64) as usize;
            side[bin.min(n_bins - 1)] += 1;
        }
        histogram
    }
}
