//! Two systems on the same pairs: difference, interval and p-value, for values of any distribution.
//!
//! Interval: percentile bootstrap over pairs (Efron and Tibshirani 1993, chapter 13; for BLEU: Koehn 2004). P-value:
//! paired permutation, also called approximate randomisation (Noreen 1989; for BLEU: Riezler and Maxwell 2005), with
//! one added to both counts so that it is never 0; exact where there are few pairs. Both redo the corpus value each
//! time, so they hold for corpus BLEU as well as for means.
//!
//! No threads and no clock: one draw is a function of (seed, number), so that callers may share them out.

use std::sync::Arc;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::model::BaselineStanding;

use super::total::Total;

mod column;
mod normal;

pub use column::PairColumn;
pub use normal::{normal_p, normal_quantile};

/// Up to this number of pairs every assignment is looked at, instead of random ones.
pub const EXACT_PAIRS_MAX: usize = 12;

/// Scores of two systems in one metric, pair by pair.
#[derive(Clone, Debug)]
pub struct PairedScores(PairNumbers);

#[derive(Clone, Debug)]
enum PairNumbers {
    /// The value of the first system, then of the second; their means are compared.
    Values(Vec<[f64; 2]>),
    Sums(Sums),
}

/// The sums that corpus values are computed from.
#[derive(Clone, Debug)]
struct Sums {
    corpus: fn(&Total) -> f64,
    n_pairs: usize,
    /// The columns of each system. Where both have the very same one, such as counts of references, it is summed once.
    columns: [Vec<Arc<PairColumn>>; 2],
    totals: [Vec<f64>; 2],
}

/// How pairs compare, one by one ([`BaselineStanding::of`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The second system has the higher value.
    pub n_better: u64,
    pub n_same: u64,
    pub n_worse: u64,
}

impl Tally {
    /// Counts differences (second minus first).
    #[must_use]
    pub fn of(deltas: impl IntoIterator<Item = f64>) -> Self {
        let mut tally = Self::default();
        for delta in deltas {
            *match BaselineStanding::of(delta) {
                BaselineStanding::Better => &mut tally.n_better,
                BaselineStanding::Same => &mut tally.n_same,
                BaselineStanding::Worse => &mut tally.n_worse,
            } += 1;
        }
        tally
    }
}

/// Memory that draws use one after the other.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// How often each pair is taken.
    times: Vec<i16>,
}

impl PairedScores {
    /// Makes pairs whose values are to be averaged: of the first system, then of the second.
    #[must_use]
    pub fn of_values(values: Vec<[f64; 2]>) -> Self {
        Self(PairNumbers::Values(values))
    }

    /// Makes pairs whose parts are to be summed; `corpus` makes a corpus value of sums and their number, and asks for
    /// no values. Both systems have as many columns, all as long.
    #[must_use]
    pub fn of_parts(corpus: fn(&Total) -> f64, columns: [Vec<Arc<PairColumn>>; 2]) -> Self {
        let totals = columns.each_ref().map(|pair_columns| {
            pair_columns
                .iter()
                .map(|pair_column| pair_column.sum())
                .collect()
        });
        Self(PairNumbers::Sums(Sums {
            corpus,
            n_pairs: columns[0]
                .first()
                .map_or(0, |pair_column| pair_column.n_pairs()),
            columns,
            totals,
        }))
    }

    #[must_use]
    pub fn n_pairs(&self) -> usize {
        match &self.0 {
            PairNumbers::Values(values) => values.len(),
            PairNumbers::Sums(sums) => sums.n_pairs,
        }
    }

    /// Computes the corpus values of both systems.
    #[must_use]
    pub fn values(&self) -> (f64, f64) {
        match &self.0 {
            PairNumbers::Values(values) => {
                let sum = |system: usize| values.iter().map(|value| value[system]).sum();
                (mean(sum(0), values.len()), mean(sum(1), values.len()))
            }
            PairNumbers::Sums(sums) => {
                let [first, second] = &sums.totals;
                (sums.value(first.clone()), sums.value(second.clone()))
            }
        }
    }

    /// Computes the difference (second minus first) in the `number`-th bootstrap sample of the pairs.
    #[must_use]
    pub fn resampled(&self, seed: u64, number: u64, scratch: &mut Scratch) -> f64 {
        let mut random = random(seed, number, 0);
        match &self.0 {
            PairNumbers::Values(values) => {
                let (mut first, mut second) = (0.0, 0.0);
                for _ in 0..values.len() {
                    let pair = values[below(&mut random, values.len() as u64) as usize];
                    first += pair[0];
                    second += pair[1];
                }
                mean(second, values.len()) - mean(first, values.len())
            }
            // Counts are summed exactly, so that it does not matter in which order: pairs are counted, then gone through
            // once.
            PairNumbers::Sums(sums) => {
                scratch.times.clear();
                scratch.times.resize(sums.n_pairs, 0);
                for _ in 0..sums.n_pairs {
                    let pair = below(&mut random, sums.n_pairs as u64) as usize;
                    // Drawing one pair more than 32,767 times is too improbable to happen.
                    scratch.times[pair] = scratch.times[pair].wrapping_add(1);
                }
                sums.resampled(&scratch.times)
            }
        }
    }

    /// Computes the difference with the systems' names swapped in a random half of the pairs.
    #[must_use]
    pub fn permuted(&self, seed: u64, number: u64, scratch: &mut Scratch) -> f64 {
        let mut random = random(seed, number, 1);
        self.swapped(scratch, || random.next_u64())
    }

    /// Computes the differences of all assignments of names, when there are at most [`EXACT_PAIRS_MAX`] pairs.
    #[must_use]
    pub fn all_permuted(&self) -> Option<Vec<f64>> {
        let scratch = &mut Scratch::default();
        let n_pairs = self.n_pairs();
        (n_pairs <= EXACT_PAIRS_MAX).then(|| {
            (0_u64..1 << n_pairs)
                .map(|bits| self.swapped(scratch, || bits))
                .collect()
        })
    }

    /// Computes the standard error of the difference: of means, their own (Efron and Tibshirani 1993, 5.12); of corpus
    /// values by the jackknife (11.5), which leaves out one of at most [`JACKKNIFE_GROUPS`] groups of neighbours at a
    /// time. Infinite below two pairs.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        if self.n_pairs() < 2 {
            return f64::INFINITY;
        }
        match &self.0 {
            PairNumbers::Values(values) => {
                let deltas = || values.iter().map(|value| value[1] - value[0]);
                let n_pairs = values.len() as f64;
                let mean = deltas().sum::<f64>() / n_pairs;
                let squares: f64 = deltas().map(|delta| (delta - mean).powi(2)).sum();
                (squares / (n_pairs - 1.0) / n_pairs).sqrt()
            }
            PairNumbers::Sums(sums) => sums.jackknifed(),
        }
    }

    /// Swaps the names in the pairs whose bits are set, 64 pairs a word.
    fn swapped(&self, scratch: &mut Scratch, mut bits: impl FnMut() -> u64) -> f64 {
        match &self.0 {
            PairNumbers::Values(values) => {
                let (mut first, mut second) = (0.0, 0.0);
                for pairs in values.chunks(64) {
                    let mut bits = bits();
                    for pair in pairs {
                        // An index, as a branch would be guessed wrong every other time.
                        let swap = (bits & 1) as usize;
                        first += pair[swap];
                        second += pair[1 - swap];
                        bits >>= 1;
                    }
                }
                mean(second, values.len()) - mean(first, values.len())
            }
            PairNumbers::Sums(sums) => {
                scratch.times.clear();
                scratch.times.resize(sums.n_pairs, 0);
                let mut n_swapped = 0;
                for times in scratch.times.chunks_mut(64) {
                    let bits = bits();
                    for (idx, times) in times.iter_mut().enumerate() {
                        *times = ((bits >> idx) & 1) as i16;
                        n_swapped += i64::from(*times);
                    }
                }
                sums.swapped(&scratch.times, n_swapped as f64)
            }
        }
    }
}

/// How many groups are left out one after the other, at most.
pub const JACKKNIFE_GROUPS: usize = 1_000;

impl Sums {
    fn value(&self, parts: Vec<f64>) -> f64 {
        self.value_of(self.n_pairs as f64, parts)
    }

    fn value_of(&self, n_pairs: f64, parts: Vec<f64>) -> f64 {
        (self.corpus)(&Total {
            n_pairs,
            value: 0.0,
            parts,
        })
    }

    /// Computes the difference with each pair taken `times` times.
    fn resampled(&self, times: &[i16]) -> f64 {
        let n_times = self.n_pairs as f64;
        let first: Vec<f64> = self.columns[0]
            .iter()
            .map(|pair_column| pair_column.sum_times(times, n_times))
            .collect();
        let columns = self.columns[0].iter().zip(&self.columns[1]).zip(&first);
        let second = columns.map(|((first, second), sum)| {
            if Arc::ptr_eq(first, second) {
                *sum
            } else {
                second.sum_times(times, n_times)
            }
        });
        let second = second.collect();
        self.value(second) - self.value(first)
    }

    /// Computes the difference with the names swapped where `is_swapped` is 1.
    fn swapped(&self, is_swapped: &[i16], n_swapped: f64) -> f64 {
        let [mut first, mut second] = self.totals.clone();
        for (idx, (of_first, of_second)) in self.columns[0].iter().zip(&self.columns[1]).enumerate()
        {
            if Arc::ptr_eq(of_first, of_second) {
                continue;
            }
            let moved = of_second.sum_times(is_swapped, n_swapped)
                - of_first.sum_times(is_swapped, n_swapped);
            first[idx] += moved;
            second[idx] -= moved;
        }
        self.value(second) - self.value(first)
    }

    fn jackknifed(&self) -> f64 {
        let size = self.n_pairs.div_ceil(JACKKNIFE_GROUPS);
        let groups: Vec<u32> = (0..self.n_pairs as u32).collect();
        let rest = |system: usize, group: &[u32]| {
            let columns = self.columns[system].iter().zip(&self.totals[system]);
            let parts = columns.map(|(column, total)| total - column.of(group).sum());
            self.value_of((self.n_pairs - group.len()) as f64, parts.collect())
        };
        let without: Vec<f64> = groups
            .chunks(size)
            .map(|group| rest(1, group) - rest(0, group))
            .collect();
        let n_groups = without.len() as f64;
        let mean = without.iter().sum::<f64>() / n_groups;
        let squares: f64 = without.iter().map(|without| (without - mean).powi(2)).sum();
        (squares * (n_groups - 1.0) / n_groups).sqrt()
    }
}

/// Computes a mean; 0 without values.
fn mean(sum: f64, n: usize) -> f64 {
    if n == 0 { 0.0 } else { sum / n as f64 }
}

/// Computes the bounds that leave (1 − `level`) / 2 of the values out on either side, interpolated between neighbours
/// (Hyndman and Fan's type 7, numpy's default); nothing without values.
#[must_use]
pub fn interval(mut values: Vec<f64>, level: f64) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Some((
        quantile_of_sorted(&values, tail)?,
        quantile_of_sorted(&values, 1.0 - tail)?,
    ))
}

/// Interpolates the value below which a share of ascending values is, as [`interval`] does; nothing without values.
#[must_use]
pub fn quantile_of_sorted(values: &[f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let at = share * last as f64;
    let below = at.floor();
    #[expect(clippy::cast_sign_loss, reason = "shares are not negative")]
    let idx = below as usize;
    let next = values[(idx + 1).min(last)];
    Some(values[idx] + (next - values[idx]) * (at - below))
}

/// Computes how probable a difference as large as `observed` is, of either sign, when names mean nothing.
#[must_use]
pub fn p_value(observed: f64, permuted: &[f64], is_exact: bool) -> f64 {
    // Sums in another order differ in their last digits; those are not larger.
    let bound = observed.abs() - 1e-12;
    let n_extreme = permuted
        .iter()
        .filter(|permuted| permuted.abs() >= bound)
        .count() as f64;
    let n = permuted.len() as f64;
    if is_exact {
        n_extreme / n
    } else {
        (n_extreme + 1.0) / (n + 1.0)
    }
}

/// Returns p-values adjusted for their number, in the same order: of those at most 0.05, at most a twentieth stand for
/// no difference, on average (the false discovery rate; Benjamini and Hochberg 1995). A p-value from draws is at least
/// 1 / (draws + 1) before, and may be their number times that after.
#[must_use]
pub fn adjusted(ps: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ps.len()).collect();
    order.sort_by(|a, b| ps[*b].total_cmp(&ps[*a]));
    let mut adjusted = vec![1.0; ps.len()];
    let mut least = 1.0_f64;
    for (n_above, idx) in order.into_iter().enumerate() {
        let rank = ps.len() - n_above;
        least = least.min(ps[idx] * ps.len() as f64 / rank as f64);
        adjusted[idx] = least;
    }
    adjusted
}

/// Opens the stream of numbers for one draw; `purpose` keeps draws of different kinds apart.
pub(super) fn random(seed: u64, number: u64, purpose: u8) -> Pcg64Mcg {
    let mut state = [0; 16];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(&[purpose]);
    hasher.finalize_xof().fill(&mut state);
    Pcg64Mcg::from_seed(state)
}

/// Draws a number below `n` (Lemire 2019, without the rejection: its bias is below n / 2^64).
pub(super) fn below(random: &mut Pcg64Mcg, n: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(n)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paired(pairs: &[(f64, f64)]) -> PairedScores {
        PairedScores::of_values(
            pairs
                .iter()
                .map(|(first, second)| [*first, *second])
                .collect(),
        )
    }

    #[test]
    fn the_same_seed_draws_the_same_pairs() {
        let paired = paired(&[(0.1, 0.4), (0.5, 0.2), (0.9, 1.0), (0.3, 0.3)]);
        let draws = |seed| -> Vec<u64> {
            let draws = (0..20).map(|number| {
                paired
                    .resampled(seed, number, &mut Scratch::default())
                    .to_bits()
            });
            draws.collect()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
    }

    #[test]
    fn equal_systems_have_an_interval_of_nothing_and_a_p_of_one() {
        let paired = paired(&[(0.5, 0.5), (0.25, 0.25), (1.0, 1.0)]);
        let draws = (0..100)
            .map(|n| paired.resampled(1, n, &mut Scratch::default()))
            .collect();
        assert_eq!(interval(draws, 0.95), Some((0.0, 0.0)));
        let all = paired.all_permuted().expect("three pairs are few");
        assert!((p_value(0.0, &all, true) - 1.0).abs() < 1e-12);
        assert_eq!(
            Tally::of([0.0, 1e-12, -1e-12]),
            Tally {
                n_better: 0,
                n_same: 3,
                n_worse: 0
            }
        );
    }

    #[test]
    fn a_system_that_is_always_better_is_as_improbable_as_two_assignments() {
        let pairs: Vec<(f64, f64)> = (1..=10).map(|n| (0.0, f64::from(n) / 10.0)).collect();
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
        let drawn: Vec<f64> = (0..4_000)
            .map(|n| paired.permuted(3, n, &mut Scratch::default()))
            .collect();
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
