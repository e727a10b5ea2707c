//! Several attempts at one thing: how good the best of them is, and how sure a mean over things is.

use super::paired::{PairedScores, Scratch, interval, quantile_of_sorted};

/// The number of resamples behind an interval.
pub const N_RESAMPLES: u64 = 1_000;

/// Returns the mean, over all choices of `k` of these values, of the greatest of them: `Σ v_i C(i − 1, k − 1) / C(n, k)`
/// with v in ascending order. With `k` = n that is the greatest; of values that are 0 or 1 it is pass@k. Nothing for fewer
/// values than `k`.
#[must_use]
pub fn best_of(values: &[f64], k: u64) -> Option<f64> {
    let n = values.len() as u64;
    if k == 0 || k > n {
        return None;
    }
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    // The probability that the greatest is the last one, the one before, and so on: each from the one before it.
    let mut probability = k as f64 / n as f64;
    let mut sum = 0.0;
    for (place, value) in values.iter().enumerate().rev() {
        sum += probability * value;
        let n_below = place as f64;
        if place as u64 >= k {
            probability *= (n_below - k as f64 + 1.0) / n_below;
        } else {
            break;
        }
    }
    Some(sum)
}

/// Returns the 95 % interval of the mean of samples' values: percentiles over [`N_RESAMPLES`] resamples of the samples, the
/// same each time. Nothing for a single sample.
#[must_use]
pub fn mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < 2 {
        return None;
    }
    let against_nothing =
        PairedScores::of_values(values.iter().map(|value| [0.0, *value]).collect());
    let mut scratch = Scratch::default();
    let means = (0..N_RESAMPLES).map(|number| against_nothing.resampled(0, number, &mut scratch));
    interval(means.collect(), 0.95)
}

/// Interpolates the value below which this share of the values is (as `numpy.quantile`).
#[must_use]
pub fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    quantile_of_sorted(values, share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlation::at_k;

    /// Every choice of `k` of the values, one after the other.
    fn enumerated(values: &[f64], k: u32) -> f64 {
        let choices = (0_u32..1 << values.len()).filter(|n| n.count_ones() == k);
        let bests: Vec<f64> = choices
            .map(|choice| {
                let chosen = values.iter().enumerate();
                let chosen = chosen.filter(|(idx, _)| choice >> idx & 1 == 1);
                chosen.map(|chosen| *chosen.1).fold(f64::MIN, f64::max)
            })
            .collect();
        bests.iter().sum::<f64>() / bests.len() as f64
    }

    #[test]
    fn the_best_of_k_is_a_mean_over_all_choices() {
        let values = [0.3, 0.9, 0.1, 0.9, 0.55, 0.0, 1.0];
        for k in 1..=values.len() as u32 {
            let found = best_of(&values, k.into()).expect("there are so many");
            assert!((found - enumerated(&values, k)).abs() < 1e-12, "{k}");
        }
        assert_eq!(best_of(&values, 8), None);
        assert_eq!(best_of(&[], 0), None);
    }

    #[test]
    fn of_what_is_right_or_wrong_the_best_is_pass_at_k() {
        for n_right in 0..=6 {
            let values: Vec<f64> = (0..6).map(|n| f64::from(u8::from(n < n_right))).collect();
            for k in 1..=6 {
                let (found, expected) = (best_of(&values, k), at_k(6, n_right, k));
                let (found, expected) = found.zip(expected).expect("there are so many");
                assert!((found - expected).abs() < 1e-12, "{n_right} {k}");
            }
        }
    }

    #[test]
    fn an_interval_is_about_as_wide_as_the_normal_one() {
        let values: Vec<f64> = (0..400).map(|n| f64::from(u8::from(n % 4 == 0))).collect();
        let (low, high) = mean_interval(&values).expect("there are several");
        let half = 1.96 * (0.25_f64 * 0.75 / 400.0).sqrt();
        assert!((low - (0.25 - half)).abs() < 0.01, "{low}");
        assert!((high - (0.25 + half)).abs() < 0.01, "{high}");
        assert_eq!(mean_interval(&values), Some((low, high)));
        assert_eq!(mean_interval(&[0.5; 3]), Some((0.5, 0.5)));
        assert_eq!(mean_interval(&[0.5]), None);
    }

    #[test]
    fn quantiles_lie_between_values() {
        let check = |share: f64, expected: f64| {
            let found = quantile(&mut [4.0, 1.0, 3.0, 2.0], share).expect("there are values");
            assert!((found - expected).abs() < 1e-12, "{found}");
        };
        check(0.5, 2.5);
        check(0.95, 3.85);
        check(1.0, 4.0);
        assert_eq!(quantile(&mut [], 0.5), None);
    }
}
