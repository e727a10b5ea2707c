//! Difference, interval and p-value of a selection: at once from a formula, then from more and more draws.
//!
//! A draw is a function of (seed, number), so that draws in steps equal draws in one go.

use rayon::prelude::*;

use crate::metric::Metric;
use crate::metric::paired::{
    PairedScores, Scratch, Tally, interval, normal_p, normal_quantile, p_value,
};
use crate::store::Store;
use crate::task::{Cancelled, Monitor};

use super::{EvalError, Look, RunPairing, Selection};

/// The default number of draws: p is then exact to some 0.002 where it is 0.05.
pub const N_RESAMPLES: u32 = 10_000;

/// The seed of the draws where nobody names another one.
pub const SEED: u64 = 0;

/// The numbers of draws that are worth showing, one after the other.
pub const STAGES: [u32; 2] = [1_000, N_RESAMPLES];

/// With fewer draws than this, the standard error is the better estimate.
const DRAWS_MIN: u32 = 100;

/// The pairs that are drawn in a step, at least one draw: some ten milliseconds on one thread.
const PAIRS_A_STEP: usize = 2_500_000;

/// The baseline and another run in one metric, or in something else that has a value for every sample.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedComparison<Of = &'static Metric> {
    pub of: Of,
    /// Over the selected samples, 0..=1: the corpus value, which is the mean for all metrics except those of BLEU's
    /// kind.
    pub first: f64,
    pub second: f64,
    /// Second minus first.
    pub difference: f64,
    /// The 95 % interval of the difference.
    pub interval: (f64, f64),
    /// Two-sided, above 0 and at most 1.
    pub p: f64,
    /// The standard deviation of the difference if names meant nothing.
    pub chance: f64,
    /// The second run, sample by sample.
    pub tally: Tally,
    /// Bootstrap samples behind the interval, and permutations behind p; 0 while there are too few, and both come from
    /// the standard error, as if differences were normal.
    pub n_resamples: u32,
}

/// A comparison that becomes more exact by the step. Holds a copy of the numbers it needs, no pairing and no store.
#[derive(Debug)]
pub struct RefiningComparison<Of = &'static Metric> {
    of: Of,
    paired: PairedScores,
    seed: u64,
    values: (f64, f64),
    tally: Tally,
    resampled: Vec<f64>,
    permuted: Vec<f64>,
    is_exact: bool,
}

impl<Of: Copy> RefiningComparison<Of> {
    pub(super) fn new(of: Of, paired: PairedScores, tally: Tally, seed: u64) -> Self {
        let exact = paired.all_permuted();
        Self {
            of,
            values: paired.values(),
            tally,
            seed,
            resampled: Vec::new(),
            is_exact: exact.is_some(),
            permuted: exact.unwrap_or_default(),
            paired,
        }
    }

    #[must_use]
    pub fn n_resamples(&self) -> u32 {
        self.resampled.len() as u32
    }

    /// Draws some more, at most up to `n_resamples` in all, and returns whether that many are there. A step takes some
    /// ten milliseconds, or one draw where that takes longer.
    ///
    /// # Errors
    /// [`Cancelled`]; what was drawn before is kept.
    pub fn step(&mut self, monitor: &Monitor, n_resamples: u32) -> Result<bool, Cancelled> {
        monitor.step()?;
        let n_done = self.n_resamples();
        let n_step = (PAIRS_A_STEP / self.paired.n_pairs().max(1)).max(1) as u32;
        let end = n_resamples.min(n_done.saturating_add(n_step));
        let draws = |draw: fn(&PairedScores, u64, u64, &mut Scratch) -> f64| {
            let numbers = (u64::from(n_done)..u64::from(end)).into_par_iter();
            numbers
                .map_init(Scratch::default, |scratch, number| {
                    monitor.step()?;
                    Ok(draw(&self.paired, self.seed, number, scratch))
                })
                .collect::<Result<Vec<f64>, Cancelled>>()
        };
        let resampled = draws(PairedScores::resampled)?;
        if !self.is_exact {
            let permuted = draws(PairedScores::permuted)?;
            self.permuted.extend(permuted);
        }
        self.resampled.extend(resampled);
        Ok(self.n_resamples() >= n_resamples)
    }

    /// Draws all of them, and returns the final comparison.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn finish(
        mut self,
        monitor: &Monitor,
        n_resamples: u32,
    ) -> Result<PairedComparison<Of>, Cancelled> {
        while !self.step(monitor, n_resamples)? {}
        Ok(self.compared())
    }

    /// Sums up the draws so far.
    #[must_use]
    pub fn compared(&self) -> PairedComparison<Of> {
        let (first, second) = self.values;
        let difference = second - first;
        let n_resamples = Some(self.n_resamples()).filter(|n| *n >= DRAWS_MIN);
        let error = match n_resamples {
            Some(_) => 0.0,
            None => self.paired.standard_error(),
        };
        let drawn = n_resamples.and_then(|_| interval(self.resampled.clone(), 0.95));
        let is_drawn = self.is_exact || n_resamples.is_some();
        PairedComparison {
            of: self.of,
            first,
            second,
            difference,
            interval: drawn.unwrap_or_else(|| {
                // Values are in 0..=1, so nothing differs by more than 1.
                let reach = (error * normal_quantile(0.05)).min(2.0);
                (
                    (difference - reach).max(-1.0),
                    (difference + reach).min(1.0),
                )
            }),
            p: if is_drawn {
                p_value(difference, &self.permuted, self.is_exact)
            } else {
                normal_p(difference / error)
            },
            chance: if is_drawn {
                let squares: f64 = self
                    .permuted
                    .iter()
                    .map(|permuted| permuted * permuted)
                    .sum();
                (squares / self.permuted.len() as f64).sqrt()
            } else {
                error
            },
            tally: self.tally,
            n_resamples: n_resamples.unwrap_or(0),
        }
    }
}

impl RunPairing {
    /// Opens a comparison that can be shown at once and refined in steps. Reads the parts of a corpus value, unless it
    /// is a mean or was looked at before.
    pub fn refining(
        &mut self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        look: Look,
        seed: u64,
    ) -> Result<RefiningComparison, EvalError> {
        let paired = self.paired(store, monitor, selection, look)?;
        let tally = self.tally(selection, look);
        Ok(RefiningComparison::new(look.metric, paired, tally, seed))
    }

    /// Compares with `n_resamples` draws.
    pub fn summary(
        &mut self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        look: Look,
        (n_resamples, seed): (u32, u64),
    ) -> Result<PairedComparison, EvalError> {
        let refining = self.refining((store, monitor), selection, look, seed)?;
        Ok(refining.finish(monitor, n_resamples)?)
    }
}
