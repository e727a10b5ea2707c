//! How many mutants the tests of two runs notice, compared sample by sample.
//!
//! The value of a sample is the ratio of its answer's test. Only samples count of which both answers were held against the
//! mutants of the focal method and have the ratio: a method without mutants says nothing of a test.

use crate::metric::paired::{Paired, Tally};
use crate::model::FaultCounts;
use crate::store::Store;
use crate::task::Monitor;

use super::{Compared, Error, Pairing, Refining, Selection};

/// A ratio of tests on mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultRatio {
    /// Detected of viable mutants.
    Mutation,
    /// Detected of covered ones.
    Strength,
}

impl FaultRatio {
    pub const ALL: &[Self] = &[Self::Mutation, Self::Strength];

    /// Returns the word used in tables, files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mutation => "mutation",
            Self::Strength => "strength",
        }
    }

    /// Returns the ratio of a test; nothing where there is nothing to be a part of.
    #[must_use]
    pub fn of(self, counts: FaultCounts) -> Option<f64> {
        match self {
            Self::Mutation => counts.score(),
            Self::Strength => counts.strength(),
        }
    }
}

/// A ratio of two runs, as a mean over samples.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedFaults {
    /// Selected samples of which both answers have the ratio.
    pub n_samples: u64,
    pub compared: Compared<FaultRatio>,
}

impl Pairing {
    /// Compares both ratios of the baseline's selected answers with those of another run; one that no sample has on both
    /// sides is left out.
    ///
    /// # Errors
    /// The store's, and cancelling.
    pub fn faults(
        &self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        other: usize,
        (n_resamples, seed): (u32, u64),
    ) -> Result<Vec<ComparedFaults>, Error> {
        let first = self.fault_counts(store, 0)?;
        let second = self.fault_counts(store, other)?;
        let mut all = Vec::new();
        for ratio in FaultRatio::ALL {
            let of = |counts: Option<FaultCounts>| ratio.of(counts?);
            let places = selection.places().iter().map(|it| *it as usize);
            let values: Vec<[f64; 2]> = places
                .filter_map(|place| Some([of(first[place])?, of(second[place])?]))
                .collect();
            if values.is_empty() {
                continue;
            }
            let tally = Tally::of(values.iter().map(|[first, second]| second - first));
            let n_samples = values.len() as u64;
            let refining = Refining::new(*ratio, Paired::of_values(values), tally, seed);
            all.push(ComparedFaults {
                n_samples,
                compared: refining.finish(monitor, n_resamples)?,
            });
        }
        Ok(all)
    }

    /// Returns the counts of a run's answers, by place.
    fn fault_counts(&self, store: &Store, run: usize) -> Result<Vec<Option<FaultCounts>>, Error> {
        let row = &self.runs[run];
        let counts = match store.execution_setting(row.id)? {
            Some(setting) => store.fault_counts(row.id, &setting.engine)?,
            None => std::collections::BTreeMap::new(),
        };
        let of_place = |ordinal: &u32| counts.get(ordinal).copied();
        Ok(self.ordinals[run].iter().map(of_place).collect())
    }
}
