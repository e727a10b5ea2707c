//! The samples of held-out splits whose tests are too near to one of training.

use std::collections::BTreeSet;

use crate::model::{SampleKey, Split};
use crate::store::Store;
use crate::task::{Monitor, Phase};

use super::index::{Document, Index, NONE, Sets, each};
use super::pairs::Pending;
use super::{Error, THRESHOLD_MIN};

/// What [`Index::too_near`] finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooNear {
    pub keys: BTreeSet<SampleKey>,
    /// Pairs that were not looked at, because too many texts are alike: with any, more may be too near.
    pub n_left_out: u64,
}

impl Index {
    /// Finds the samples of held-out splits whose tests are more similar than that to one of training.
    ///
    /// Focal methods do not count: under the random split, tests of one method are on both sides.
    pub fn too_near(
        &self,
        store: &Store,
        monitor: &Monitor,
        max_similarity: f64,
    ) -> Result<TooNear, Error> {
        monitor.enter(Phase::Comparing);
        let documents = &self.tests;
        let mut tests =
            Pending::find(documents, max_similarity.clamp(THRESHOLD_MIN, 1.0), monitor)?;
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
        let near = tests.finish();
        let is_seen = |document: Document| documents.n_of(document, Split::Train) > 0;
        let is_near = |document: Document| {
            let mut others = near.of(document).iter();
            (max_similarity < 1.0 && is_seen(document))
                || others
                    .any(|(_, other, similarity)| *similarity > max_similarity && is_seen(*other))
        };
        let held_out = self.samples.iter().filter(|it| it.split != Split::Train);
        let keys = held_out
            .filter(|it| it.test != NONE && is_near(it.test))
            .map(|it| it.key)
            .collect();
        Ok(TooNear { keys, n_left_out })
    }
}
