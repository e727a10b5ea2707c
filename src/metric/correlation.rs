//! How far two numbers of the same things go together, with intervals.
//!
//! [`pearson`] is the product-moment coefficient; where one of the two is 0 or 1 it is the point-biserial one. [`spearman`]
//! is the same over ranks, equal values sharing the mean of theirs. Intervals are percentiles over resamples of the pairs
//! (Efron 1979); for ranks the pairs keep the ranks that they have among all.

use super::paired::interval;

/// A coefficient, -1..=1, and the bounds of its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlation {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

/// Computes the product-moment correlation; nothing where one side does not vary, or the two are not of one length.
#[must_use]
pub fn pearson(xs: &[f64], ys: &[f64]) -> Option<f64> {
    if xs.len() != ys.len() {
        return None;
    }
    of_pairs(xs, ys, 0..xs.len())
}

fn of_pairs(xs: &[f64], ys: &[f64], pairs: impl Iterator<Item = usize> + Clone) -> Option<f64> {
    let (mut n, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    for idx in pairs.clone() {
        n += 1.0;
        sum_x += xs[idx];
        sum_y += ys[idx];
    }
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for idx in pairs {
        let (x, y) = (xs[idx] - mean_x, ys[idx] - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    // Rounding errors of a constant are no variation.
    let least = 1e-12 * n;
    (xx > least && yy > least).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Ranks each value from 1; equal ones share their mean rank.
#[must_use]
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let first = values[order[start]];
        let n_same = order[start..]
            .iter()
            .take_while(|n| values[**n].total_cmp(&first).is_eq())
            .count();
        let rank = (2 * start + n_same + 1) as f64 / 2.0;
        for idx in &order[start..start + n_same] {
            ranks[*idx] = rank;
        }
        start += n_same;
    }
    ranks
}

/// Computes the rank correlation; nothing where one side does not vary, or the two are not of one length.
#[must_use]
pub fn spearman(xs: &[f64], ys: &[f64]) -> Option<f64> {
    pearson(&ranks(xs), &ranks(ys))
}

/// Computes the correlation of pairs with its interval over `n_resamples` resamples.
#[must_use]
pub fn correlation(xs: &[f64], ys: &[f64], n_resamples: u64, seed: u64) -> Option<Correlation> {
    let value = pearson(xs, ys)?;
    let mut values = Vec::with_capacity(n_resamples as usize);
    let mut drawn = vec![0; xs.len()];
    let mut state = seed;
    for _ in 0..n_resamples {
        for n in &mut drawn {
            *n = below(&mut state, xs.len());
        }
        // A resample in which nothing varies says nothing.
        values.extend(of_pairs(xs, ys, drawn.iter().copied()));
    }
    Some(Correlation {
        value,
        interval: interval(values, 0.95),
    })
}

/// Draws the next number below `n` (splitmix64, Steele et al. 2014).
fn below(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    ((u128::from(bits) * n as u128) >> 64) as usize
}

/// Estimates the probability that one of `k` attempts is right, when `n_right` of `n` were: 1 - C(n-c, k) / C(n, k)
/// (Chen et al. 2021, equation 1). Nothing for fewer attempts than `k`.
#[must_use]
pub fn at_k(n: u64, n_right: u64, k: u64) -> Option<f64> {
    if k == 0 || k > n || n_right > n {
        return None;
    }
    if n - n_right < k {
        return Some(1.0);
    }
    let none = (n - n_right + 1..=n).map(|n| 1.0 - k as f64 / n as f64);
    Some(1.0 - none.product::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: Option<f64>, expected: Option<f64>) {
        let is_near = match (found, expected) {
            (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
            (found, expected) => found == expected,
        };
        assert!(is_near, "{found:?} {expected:?}");
    }

    #[test]
    fn what_goes_together_correlates() {
        check(pearson(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0]), Some(1.0));
        check(pearson(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), Some(-1.0));
        check(pearson(&[1.0, 1.0, 1.0], &[3.0, 2.0, 1.0]), None);
        check(pearson(&[], &[]), None);
        // Anscombe 1973, the first of his four.
        let xs = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let ys = [
            8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68,
        ];
        let found = pearson(&xs, &ys).expect("they vary");
        assert!((found - 0.816_420_516).abs() < 1e-8);
    }

    #[test]
    fn ranks_of_equal_values_are_shared() {
        assert_eq!(ranks(&[5.0, 1.0, 5.0, 7.0]), [2.5, 1.0, 2.5, 4.0]);
        check(spearman(&[1.0, 2.0, 9.0], &[1.0, 10.0, 11.0]), Some(1.0));
    }

    #[test]
    fn an_interval_holds_its_value_and_comes_again() {
        let xs: Vec<f64> = (0..200).map(f64::from).collect();
        let ys: Vec<f64> = xs
            .iter()
            .map(|value| value + 40.0 * (value * 1.7).sin())
            .collect();
        let first = correlation(&xs, &ys, 300, 1).expect("they vary");
        let (low, high) = first.interval.expect("there are resamples");
        assert!(low < first.value && first.value < high && low > 0.5);
        assert_eq!(correlation(&xs, &ys, 300, 1), Some(first));
    }

    #[test]
    fn attempts_are_drawn_without_putting_them_back() {
        check(at_k(10, 0, 5), Some(0.0));
        check(at_k(10, 10, 1), Some(1.0));
        check(at_k(10, 3, 1), Some(0.3));
        // 1 - C(7, 2) / C(10, 2)
        check(at_k(10, 3, 2), Some(1.0 - 21.0 / 45.0));
        check(at_k(10, 9, 2), Some(1.0));
        check(at_k(3, 1, 4), None);
    }
}
