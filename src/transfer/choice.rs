//! The samples that an export leaves out besides its filter: those of other splits, where the user has splits of their
//! own, those that are too near to training, and those with unstable tests.
//!
//! The caller decides how near samples are.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{SampleKey, Shakes};
use crate::store::StoredSample;

/// Splits that the user made, in place of ours, by names of their own. A sample's split goes before its project's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnSplits {
    /// By the project's identity.
    pub by_project: BTreeMap<String, String>,
    pub by_sample: BTreeMap<SampleKey, String>,
}

impl OwnSplits {
    /// Returns the split that the user gave a sample, if any.
    #[must_use]
    pub fn of(&self, sample: &StoredSample) -> Option<&str> {
        let own = self.by_sample.get(&sample.row.key);
        own.or_else(|| self.by_project.get(&sample.repo.identity))
            .map(String::as_str)
    }

    /// Returns every name, once.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        let names = self.by_project.values().chain(self.by_sample.values());
        names.map(String::as_str).collect()
    }
}

/// Samples of a held-out split that are too near to one of training.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NearSamples {
    /// Nearer samples than this are left out, 0..=1.
    pub max_similarity: f64,
    pub keys: BTreeSet<SampleKey>,
}

/// Samples whose true tests are unstable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnstableSamples {
    /// The reasons for which they are left out.
    pub shakes: Shakes,
    pub keys: BTreeSet<SampleKey>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportChoice {
    /// Where there are such, samples without one are not written.
    pub splits: Option<OwnSplits>,
    /// The one of these that is written, where only one is.
    pub only: Option<String>,
    pub near: Option<NearSamples>,
    pub unstable: Option<UnstableSamples>,
}

/// Why a sample is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// It is in none of the splits that are asked for.
    Split,
    Near,
    Unstable,
}

/// How many samples were left out, by the reasons that are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutCounts {
    /// Because they are too near to training.
    pub n_near: u64,
    /// Because their true tests are unstable.
    pub n_unstable: u64,
}

impl LeftOutCounts {
    pub(super) fn count(&mut self, why: LeftOutReason) {
        self.n_near += u64::from(why == LeftOutReason::Near);
        self.n_unstable += u64::from(why == LeftOutReason::Unstable);
    }
}

impl ExportChoice {
    /// Tells why a sample is left out, if it is.
    pub(super) fn leaves_out(&self, sample: &StoredSample) -> Option<LeftOutReason> {
        if let Some(own) = &self.splits {
            let split = own.of(sample);
            let only = self.only.as_deref();
            if split.is_none() || only.is_some_and(|only| split != Some(only)) {
                return Some(LeftOutReason::Split);
            }
        }
        let unstable = self.unstable.as_ref();
        if unstable.is_some_and(|unstable_samples| unstable_samples.keys.contains(&sample.row.key))
        {
            return Some(LeftOutReason::Unstable);
        }
        let near = self.near.as_ref();
        near.is_some_and(|near_samples| near_samples.keys.contains(&sample.row.key))
            .then_some(LeftOutReason::Near)
    }
}
