//! Compares values that only some samples have, over the samples that have them on both sides.

use crate::metric::paired::{PairedScores, Tally};
use crate::task::Monitor;

use super::{EvalError, PairedComparison, RefiningComparison, Selection};

/// A number of two runs, as a mean over the samples that have it on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedNumber<Of> {
    pub n_samples: u64,
    pub compared: PairedComparison<Of>,
}

impl<Of: Copy> ComparedNumber<Of> {
    /// Compares the numbers that `values` returns for selected places, the baseline's first; nothing where it knows of
    /// none. `draws` are resamples and their seed.
    ///
    /// # Errors
    /// Cancelling.
    pub(super) fn new(
        of: Of,
        selection: &Selection,
        values: impl Fn(usize) -> Option<[f64; 2]>,
        (n_resamples, seed): (u32, u64),
        monitor: &Monitor,
    ) -> Result<Option<Self>, EvalError> {
        let places = selection.places().iter().map(|place| *place as usize);
        let known: Vec<[f64; 2]> = places.filter_map(values).collect();
        if known.is_empty() {
            return Ok(None);
        }
        let n_samples = known.len() as u64;
        let tally = Tally::of(known.iter().map(|[first, second]| second - first));
        let refining = RefiningComparison::new(of, PairedScores::of_values(known), tally, seed);
        Ok(Some(Self {
            n_samples,
            compared: refining.finish(monitor, n_resamples)?,
        }))
    }
}
