//! Two systems on the same pairs: difference, interval and p-value that do not ask how values are distributed.
//!
//! Interval: percentile bootstrap over pairs (Efron and Tibshirani 1993, chapter 13; for BLEU: Koehn 2004). P-value:
//! paired permutation, also called approximate randomisation (Noreen 1989; for BLEU: Riezler and Maxwell 2005), with
//! one added to both counts so that it is never 0; exact where there are few pairs. Both redo the corpus value each
//! time, so they hold for corpus BLEU as well as for means.
//!
//! No threads and no clock: one draw is a function of (seed, number), so that callers may share them out.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::model::Score;

use super::total::Total;

/// Up to so many pairs every assignment is looked at, instead of random ones.
pub const EXACT_PAIRS_MAX: usize = 12;

/// Values of a pair that differ by no more are the same: what adding in another order changes is far below, and no
/// metric has steps this small.
pub const SAME_MAX: f64 = 1e-12;

/// Scores of two systems in one metric, pair by pair.
#[derive(Clone, Debug)]
pub struct Paired {
    /// Value and parts of the first system, then of the second, for each pair.
    numbers: Vec<f64>,
    n_parts: usize,
    n_pairs: usize,
    corpus: fn(&Total) -> f64,
}

/// How pairs compare, one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The second system has the higher value.
    pub n_better: u64,
    pub n_same: u64,
    pub n_worse: u64,
}

impl Paired {
    /// Returns nothing yet; `corpus` makes a corpus value of a total.
    #[must_use]
    pub fn new(corpus: fn(&Total) -> f64, n_parts: usize) -> Self {
        Self {
            numbers: Vec::new(),
            n_parts,
            n_pairs: 0,
            corpus,
        }
    }

    pub fn push(&mut self, first: &Score, second: &Score) {
        for score in [first, second] {
            self.numbers.push(score.value);
            let parts = score.parts.iter().copied().chain(std::iter::repeat(0.0));
            self.numbers.extend(parts.take(self.n_parts));
        }
        self.n_pairs += 1;
    }

    #[must_use]
    pub fn n_pairs(&self) -> usize {
        self.n_pairs
    }

    /// Returns the corpus values of both systems.
    #[must_use]
    pub fn values(&self) -> (f64, f64) {
        let mut totals = [Total::default(), Total::default()];
        for pair in 0..self.n_pairs {
            self.add(&mut totals, pair, 1.0, false);
        }
        self.both(&totals)
    }

    /// Counts which system has the higher value, pair by pair; values that differ by rounding alone are the same.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for pair in 0..self.n_pairs {
            let (first, second) = (self.score(pair, 0)[0], self.score(pair, 1)[0]);
            if (first - second).abs() <= SAME_MAX {
                tally.n_same += 1;
            } else if second > first {
                tally.n_better += 1;
            } else {
                tally.n_worse += 1;
            }
        }
        tally
    }

    /// Returns the difference (second minus first) in the `number`-th bootstrap sample of the pairs.
    #[must_use]
    pub fn resampled(&self, seed: u64, number: u64) -> f64 {
        let mut random = random(seed, number, 0);
        let mut totals = [Total::default(), Total::default()];
        for _ in 0..self.n_pairs {
            let pair = below(&mut random, self.n_pairs as u64);
            self.add(&mut totals, pair as usize, 1.0, false);
        }
        let (first, second) = self.both(&totals);
        second - first
    }

    /// Returns the difference with the systems' names swapped in a random half of the pairs.
    #[must_use]
    pub fn permuted(&self, seed: u64, number: u64) -> f64 {
        let mut random = random(seed, number, 1);
        let mut bits = 0;
        self.swapped(|pair| {
            if pair % 64 == 0 {
                bits = random.next_u64();
            }
            (bits >> (pair % 64)) & 1 == 1
        })
    }

    /// Returns the differences of all assignments of names, when there are at most [`EXACT_PAIRS_MAX`] pairs.
    #[must_use]
    pub fn all_permuted(&self) -> Option<Vec<f64>> {
        (self.n_pairs <= EXACT_PAIRS_MAX).then(|| {
            (0_u32..1 << self.n_pairs)
                .map(|bits| self.swapped(|pair| (bits >> pair) & 1 == 1))
                .collect()
        })
    }

    fn swapped(&self, mut is_swapped: impl FnMut(usize) -> bool) -> f64 {
        let mut totals = [Total::default(), Total::default()];
        for pair in 0..self.n_pairs {
            let is_swapped = is_swapped(pair);
            self.add(&mut totals, pair, 1.0, is_swapped);
        }
        let (first, second) = self.both(&totals);
        second - first
    }

    fn add(&self, totals: &mut [Total; 2], pair: usize, times: f64, is_swapped: bool) {
        for (system, total) in totals.iter_mut().enumerate() {
            let score = self.score(pair, system ^ usize::from(is_swapped));
            total.add_times(score[0], &score[1..], times);
        }
    }

    fn score(&self, pair: usize, system: usize) -> &[f64] {
        let width = self.n_parts + 1;
        let start = (pair * 2 + system) * width;
        &self.numbers[start..start + width]
    }

    fn both(&self, totals: &[Total; 2]) -> (f64, f64) {
        let [first, second] = totals;
        ((self.corpus)(first), (self.corpus)(second))
    }
}

/// Returns the bounds that leave (1 − `level`) / 2 of the values out on either side, interpolated between neighbours
/// (Hyndman and Fan's type 7, numpy's default); nothing without values.
#[must_use]
pub fn interval(mut values: Vec<f64>, level: f64) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let quantile = |share: f64| {
        let at = share * last as f64;
        let below = at.floor();
        #[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
        let idx = below as usize;
        let next = values[(idx + 1).min(last)];
        values[idx] + (next - values[idx]) * (at - below)
    };
    let tail = (1.0 - level) / 2.0;
    Some((quantile(tail), quantile(1.0 - tail)))
}

/// Returns how probable a difference as large as `observed` is, of either sign, when names mean nothing.
#[must_use]
pub fn p_value(observed: f64, permuted: &[f64], is_exact: bool) -> f64 {
    // Sums in another order differ in their last digits; those are not larger.
    let bound = observed.abs() - 1e-12;
    let n_extreme = permuted.iter().filter(|it| it.abs() >= bound).count() as f64;
    let n = permuted.len() as f64;
    if is_exact {
        n_extreme / n
    } else {
        (n_extreme + 1.0) / (n + 1.0)
    }
}

/// Returns the stream of numbers for one draw; `purpose` keeps draws of different kinds apart.
pub(super) fn random(seed: u64, number: u64, purpose: u8) -> Pcg64Mcg {
    let mut state = [0; 16];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(&[purpose]);
    hasher.finalize_xof().fill(&mut state);
    Pcg64Mcg::from_seed(state)
}

/// Returns a number below `n` (Lemire 2019, without the rejection: its bias is below n / 2^64).
pub(super) fn below(random: &mut Pcg64Mcg, n: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(pairs: &[(f64, f64)]) -> Paired {
        let mut paired = Paired::new(Total::mean, 0);
        for (first, second) in pairs {
            let score = |value: f64| Score {
                value,
                parts: Vec::new(),
            };
            paired.push(&score(*first), &score(*second));
        }
        paired
    }

    #[test]
    fn the_same_seed_draws_the_same_pairs() {
        let paired = paired(&[(0.1, 0.4), (0.5, 0.2), (0.9, 1.0), (0.3, 0.3)]);
        let draws = |seed| -> Vec<u64> {
            let draws = (0..20).map(|number| paired.resampled(seed, number).to_bits());
            draws.collect()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
    }

    #[test]
    fn equal_systems_have_an_interval_of_nothing_and_a_p_of_one() {
        let paired = paired(&[(0.5, 0.5), (0.25, 0.25), (1.0, 1.0)]);
        let draws = (0..100).map(|it| paired.resampled(1, it)).collect();
        assert_eq!(interval(draws, 0.95), Some((0.0, 0.0)));
        let all = paired.all_permuted().expect("three pairs are few");
        assert!((p_value(0.0, &all, true) - 1.0).abs() < 1e-12);
        assert_eq!(
            paired.tally(),
            Tally {
                n_better: 0,
                n_same: 3,
                n_worse: 0
            }
        );
    }

    #[test]
    fn a_system_that_is_always_better_is_as_improbable_as_two_assignments() {
        let pairs: Vec<(f64, f64)> = (1..=10).map(|it| (0.0, f64::from(it) / 10.0)).collect();
        let paired = paired(&pairs);
        let all = paired.all_permuted().expect("ten pairs are few");
        assert_eq!(all.len(), 1024);
        let (first, second) = paired.values();
        assert!((p_value(second - first, &all, true) - 2.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn random_assignments_come_near_the_exact_probability() {
        let paired = paired(&[
            (0.1, 0.4),
            (0.5, 0.45),
            (0.2, 0.6),
            (0.3, 0.35),
            (0.7, 0.6),
            (0.1, 0.3),
            (0.4, 0.5),
            (0.2, 0.1),
        ]);
        let (first, second) = paired.values();
        let exact = p_value(
            second - first,
            &paired.all_permuted().expect("eight pairs are few"),
            true,
        );
        let drawn: Vec<f64> = (0..4_000).map(|it| paired.permuted(3, it)).collect();
        assert!((p_value(second - first, &drawn, false) - exact).abs() < 0.03);
    }

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        let values = vec![4.0, 1.0, 3.0, 2.0, 5.0];
        assert_eq!(interval(values, 0.5), Some((2.0, 4.0)));
        assert_eq!(interval(Vec::new(), 0.95), None);
        assert_eq!(interval(vec![0.5], 0.95), Some((0.5, 0.5)));
    }
}
