//! Acceptance sampling: bounds the errors in the whole by those in a random sample.
//!
//! Decides nothing about what an error is. The bound is exact for draws from an endless population, and on the safe side
//! for draws without replacement from a finite one: no correction is made for the size of the population.

/// Computes the greatest share of errors that `n_errors` in a random sample of `n` leave possible: with probability
/// `confidence` the true share is not above it. 0..=1; 1 when nothing was looked at or all of it was wrong.
///
/// The one-sided exact bound of Clopper and Pearson (1934): the `p` at which `P(X ≤ n_errors) = 1 − confidence` for
/// `X ~ Binomial(n, p)`, which is the quantile `confidence` of `Beta(n_errors + 1, n − n_errors)` (scipy 1.17
/// `beta.ppf`; upper end of statsmodels 0.15 `proportion_confint(method="beta", alpha=2 (1 − confidence))`). Without
/// errors it is `1 − (1 − confidence)^(1/n)`. Found by bisection up to the last bit, and rounded up.
#[must_use]
pub fn error_bound(n_errors: u64, n: u64, confidence: f64) -> f64 {
    if n_errors >= n || confidence.is_nan() || confidence >= 1.0 {
        return 1.0;
    }
    let alpha = 1.0 - confidence.max(0.0);
    if n_errors == 0 {
        // `1 - alpha^(1/n)` without losing the digits of a small bound.
        return -(alpha.ln() / n as f64).exp_m1();
    }
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    loop {
        let middle = low.midpoint(high);
        if middle <= low || middle >= high {
            return high;
        }
        if at_most(n_errors, n, middle) > alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Computes how large a random sample must be for `n_errors` in it to bound the share of errors by `error_max`; nothing
/// when no sample of a billion is large enough.
#[must_use]
pub fn n_needed(n_errors: u64, error_max: f64, confidence: f64) -> Option<u64> {
    let is_enough = |n: u64| error_bound(n_errors, n, confidence) <= error_max;
    let (mut low, mut high) = (0, 1_000_000_000);
    if !is_enough(high) {
        return None;
    }
    // The bound falls as the sample grows.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

/// Computes `P(X ≤ k)` for `X ~ Binomial(n, p)`, `k < n`. Sums away from the mode, so terms fall from the first one on.
fn at_most(k: u64, n: u64, p: f64) -> f64 {
    let (count, odds) = (n as f64, p / (1.0 - p));
    if k as f64 <= count * p {
        let mut term = density(k, n, p);
        let mut sum = term;
        for i in (1..=k).rev() {
            let i = i as f64;
            term *= i / ((count - i + 1.0) * odds);
            sum += term;
            if term <= sum * 1e-18 {
                break;
            }
        }
        return sum.min(1.0);
    }
    let mut term = density(k + 1, n, p);
    let mut sum = term;
    for i in k + 1..n {
        let i = i as f64;
        term *= (count - i) / (i + 1.0) * odds;
        sum += term;
        if term <= sum * 1e-18 {
            break;
        }
    }
    (1.0 - sum).max(0.0)
}

/// Computes `P(X = k)`, by the saddle-point expansion of Loader (2000, "Fast and accurate computation of binomial
/// probabilities"), whose relative error does not grow with `n`.
fn density(k: u64, n: u64, p: f64) -> f64 {
    let (hits, count) = (k as f64, n as f64);
    if k == 0 {
        return (count * (-p).ln_1p()).exp();
    }
    if k == n {
        return (count * p.ln()).exp();
    }
    let misses = count - hits;
    let exponent = stirling_error(n)
        - stirling_error(k)
        - stirling_error(n - k)
        - deviance(hits, count * p)
        - deviance(misses, count * (1.0 - p));
    exponent.exp() * (count / (std::f64::consts::TAU * hits * misses)).sqrt()
}

/// Computes `ln n! − ln(√(2πn) (n/e)^n)`, for `n ≥ 1`.
fn stirling_error(n: u64) -> f64 {
    let x = n as f64;
    if n <= 15 {
        let factorial: f64 = (1..=n).map(|n| n as f64).product();
        return factorial.ln() - (x + 0.5) * x.ln() + x - 0.5 * std::f64::consts::TAU.ln();
    }
    let x2 = x * x;
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / x2) / x2) / x2) / x2)
        / x
}

/// Computes `x ln(x/m) + m − x`, also where the two are close and the sum would lose its digits.
fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() - difference;
    }
    let v = difference / (x + m);
    let mut sum = difference * v;
    let mut power = 2.0 * x * v;
    for n in 1..1000 {
        power *= v * v;
        let next = sum + power / f64::from(2 * n + 1);
        if next.to_bits() == sum.to_bits() {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::{below, random};

    fn check(n_errors: u64, n: u64, confidence: f64, expected: f64) {
        let bound = error_bound(n_errors, n, confidence);
        let error = (bound - expected).abs() / expected;
        assert!(error < 1e-12, "{n_errors} of {n}: {bound} for {expected}");
    }

    /// Each from scipy 1.17.1 `beta.ppf(confidence, e + 1, n - e)`, the same in statsmodels 0.15.0
    /// `proportion_confint(e, n, alpha=2 * (1 - confidence), method="beta")[1]`.
    #[test]
    fn the_bound_is_the_exact_beta_quantile() {
        check(0, 59, 0.95, 0.049_507_609_888_226_93);
        check(0, 59, 0.99, 0.075_085_272_278_266_67);
        check(0, 1, 0.95, 0.95);
        check(1, 59, 0.95, 0.077_897_921_518_818_3);
        check(1, 93, 0.95, 0.049_993_978_387_988_317);
        check(2, 59, 0.95, 0.102_889_162_709_954);
        check(5, 100, 0.95, 0.102_253_377_643_274_5);
        check(0, 299, 0.95, 0.009_969_146_792_899_269);
        check(3, 300, 0.99, 0.033_092_742_206_910_324);
        check(9, 10, 0.95, 0.994_883_803_108_176_3);
        check(50, 100, 0.9, 0.568_583_174_406_219_2);
        check(123, 4567, 0.95, 0.031_214_064_454_916_54);
        check(0, 1_000_000, 0.95, 2.995_727_786_352_543_3e-6);
        check(999, 1000, 0.95, 0.999_948_708_021_091);
        check(400, 1_000_000, 0.999, 0.000_465_726_346_004_247_5);
        check(7, 8, 0.5, 0.917_004_043_204_671_2);
    }

    #[test]
    fn nothing_looked_at_bounds_nothing() {
        for (n_errors, n) in [(0, 0), (3, 0), (10, 10), (11, 10)] {
            assert_eq!(error_bound(n_errors, n, 0.95).to_bits(), 1.0_f64.to_bits());
        }
        for confidence in [1.0, 2.0, f64::NAN] {
            assert!(error_bound(1, 10, confidence) >= 1.0);
        }
        assert!(error_bound(1, 10, -1.0) < 0.1);
    }

    #[test]
    fn a_sample_is_as_large_as_the_bound_needs() {
        assert_eq!(n_needed(0, 0.05, 0.95), Some(59));
        assert_eq!(n_needed(1, 0.05, 0.95), Some(93));
        assert_eq!(n_needed(0, 0.01, 0.95), Some(299));
        assert_eq!(n_needed(0, 0.0, 0.95), None);
        assert_eq!(n_needed(5, 1.0, 0.95), Some(1));
    }

    /// Populations with a number of errors, samples drawn without putting back: the bound may be wrong in one of
    /// twenty.
    #[test]
    fn the_bound_holds_as_often_as_it_says() {
        const N_RUNS: u64 = 3000;
        for (population, n_errors, n) in [
            (3412_u64, 170_u64, 59_u64),
            (3412, 160, 59),
            (400, 10, 59),
            (100_000, 900, 299),
            (2000, 700, 40),
            (500, 26, 93),
        ] {
            let mut n_held = 0;
            for run in 0..N_RUNS {
                let mut random = random(population + n_errors, run, 1);
                // Among those that are left, the errors come first.
                let (mut left, mut errors_left, mut found) = (population, n_errors, 0);
                for _ in 0..n {
                    let is_error = below(&mut random, left) < errors_left;
                    errors_left -= u64::from(is_error);
                    found += u64::from(is_error);
                    left -= 1;
                }
                let truth = n_errors as f64 / population as f64;
                n_held += u64::from(truth <= error_bound(found, n, 0.95));
            }
            let share = n_held as f64 / N_RUNS as f64;
            assert!(share >= 0.95, "{n_errors} of {population}: held in {share}");
        }
    }
}
