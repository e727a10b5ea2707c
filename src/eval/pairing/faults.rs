//! How many mutants the tests of two runs notice, compared sample by sample.
//!
//! The value of a sample is the ratio of its answer's test. Only samples count whose answers were both held against the
//! mutants of the focal method and have the ratio: a method without mutants says nothing of a test.

use crate::model::FaultCounts;
use crate::store::Store;
use crate::task::Monitor;

use super::{ComparedNumber, EvalError, RunPairing, Selection};

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

    /// Computes the ratio of a test; nothing where no mutant counts.
    #[must_use]
    pub fn of(self, counts: FaultCounts) -> Option<f64> {
        match self {
            Self::Mutation => counts.score(),
            Self::Strength => counts.strength(),
        }
    }
}

impl RunPairing {
    /// Compares both ratios of the baseline's selected answers with those of another run; one that no sample has on
    /// both sides is left out.
    ///
    /// # Errors
    /// The store's, and cancelling.
    pub fn faults(
        &self,
        (store, monitor): (&Store, &Monitor),
        selection: &Selection,
        other: usize,
        draws: (u32, u64),
    ) -> Result<Vec<ComparedNumber<FaultRatio>>, EvalError> {
        let first = self.fault_counts(store, 0)?;
        let second = self.fault_counts(store, other)?;
        let mut all = Vec::new();
        for ratio in FaultRatio::ALL {
            let of = |counts: Option<FaultCounts>| ratio.of(counts?);
            let values = |place: usize| Some([of(first[place])?, of(second[place])?]);
            all.extend(ComparedNumber::new(
                *ratio, selection, values, draws, monitor,
            )?);
        }
        Ok(all)
    }

    /// Reads the counts of a run's answers, by place.
    fn fault_counts(
        &self,
        store: &Store,
        run: usize,
    ) -> Result<Vec<Option<FaultCounts>>, EvalError> {
        let row = &self.runs[run];
        let counts = match store.execution_setting(row.id)? {
            Some(setting) => store.fault_counts(row.id, &setting.engine)?,
            None => std::collections::BTreeMap::new(),
        };
        let of_place = |ordinal: &u32| counts.get(ordinal).copied();
        Ok(self.ordinals[run].iter().map(of_place).collect())
    }
}
