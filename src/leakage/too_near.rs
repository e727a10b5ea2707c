//! How near tests are to the nearest other test: of any sample, or of the training split.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{SampleKey, Split};
use crate::store::Store;
use crate::task::{Monitor, Phase};

use super::index::{DocumentId, LeakageIndex, NONE, Sets, each};
use super::pairs::{NearDocuments, PendingPairs};
use super::{LeakageError, THRESHOLD_MIN};

/// What [`LeakageIndex::too_near`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooNearSamples {
    pub keys: BTreeSet<SampleKey>,
    /// Pairs that were not looked at, because too many texts are alike: with any, more may be too near.
    pub n_left_out: u64,
}

impl LeakageIndex {
    /// Finds the samples of held-out splits whose tests are more similar than `max_similarity` to a test of training.
    ///
    /// Focal methods do not count: under the random split, tests of one method are on both sides.
    pub fn too_near(
        &self,
        store: &Store,
        monitor: &Monitor,
        max_similarity: f64,
    ) -> Result<TooNearSamples, LeakageError> {
        let documents = &self.tests;
        let (near, n_left_out) = self.near_tests(store, monitor, max_similarity)?;
        let is_seen = |document: DocumentId| documents.n_of(document, Split::Train) > 0;
        let is_near = |document: DocumentId| {
            let mut others = near.of(document).iter();
            (max_similarity < 1.0 && is_seen(document))
                || others
                    .any(|(_, other, similarity)| *similarity > max_similarity && is_seen(*other))
        };
        let held_out = self
            .samples
            .iter()
            .filter(|sample| sample.split != Split::Train);
        let keys = held_out
            .filter(|indexed_sample| indexed_sample.test != NONE && is_near(indexed_sample.test))
            .map(|indexed_sample| indexed_sample.key)
            .collect();
        Ok(TooNearSamples { keys, n_left_out })
    }

    /// Computes how similar the test of each sample is to the nearest test of another, where that is at least
    /// `at_least`; the index is one of [`LeakageIndex::build_whole`]. Also counts the pairs that were not looked at.
    pub fn nearest_others(
        &self,
        store: &Store,
        monitor: &Monitor,
        at_least: f64,
    ) -> Result<(BTreeMap<SampleKey, f64>, u64), LeakageError> {
        let (near, n_left_out) = self.near_tests(store, monitor, at_least)?;
        let n_samples = |document: DocumentId| -> u64 {
            let counts = Split::ALL
                .iter()
                .map(|split| self.tests.n_of(document, *split));
            counts.sum()
        };
        let nearest = |document: DocumentId| {
            if n_samples(document) > 1 {
                return Some(1.0);
            }
            let others = near.of(document).iter().map(|entry| entry.2);
            others.max_by(f64::total_cmp)
        };
        let known = self.samples.iter().filter(|sample| sample.test != NONE);
        let similarities = known
            .filter_map(|indexed_sample| Some((indexed_sample.key, nearest(indexed_sample.test)?)));
        Ok((similarities.collect(), n_left_out))
    }

    /// Finds the tests that are near each other, and the number of pairs that were not looked at.
    fn near_tests(
        &self,
        store: &Store,
        monitor: &Monitor,
        threshold: f64,
    ) -> Result<(NearDocuments, u64), LeakageError> {
        monitor.enter(Phase::Comparing);
        let documents = &self.tests;
        let mut tests =
            PendingPairs::find(documents, threshold.clamp(THRESHOLD_MIN, 1.0), monitor)?;
        if !tests.is_empty() {
            let mut sets = Sets::default();
            each(store, monitor, &self.filter, Phase::Comparing, |sample| {
                let test = sets.of_test(sample);
                if let Some(document) = documents.find(&test) {
                    tests.take(document, test);
                }
            })?;
        }
        let n_left_out = tests.n_left_out;
        Ok((tests.finish(), n_left_out))
    }
}
