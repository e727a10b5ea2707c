//! Repeated measurements, and their quantiles.

use std::time::Duration;

/// Values in any unit.
#[derive(Clone, Debug, Default)]
pub struct Series(pub Vec<f64>);

impl Series {
    pub fn add_ms(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1_000.0);
    }

    /// Computes a percentile.
    pub fn quantile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place.min(last)).copied().unwrap_or(f64::NAN)
    }
}
