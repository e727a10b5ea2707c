//! Near duplicates across the splits of the whole index.

use crate::metric::minhash::Shingles;
use crate::model::SampleKey;
use crate::store::{Store, StoredSample};
use crate::task::{Monitor, Phase};

use super::count::{PairTotals, count};
use super::index::{LeakageIndex, Sets, each};
use super::pairs::{PendingPairs, bands};
use super::{
    LeakageError, LeakageReport, NearPair, PairSide, ReportOptions, Similarity, THRESHOLD_MIN,
};

impl LeakageIndex {
    /// Finds the pairs of samples of different splits whose tests or focal methods are near.
    ///
    /// Reads the samples a second time, to compare the texts that may be near; texts that have changed in the index
    /// since the first time are near nothing.
    pub fn report(
        &self,
        store: &Store,
        monitor: &Monitor,
        options: ReportOptions,
    ) -> Result<LeakageReport, LeakageError> {
        let threshold = options.threshold.clamp(THRESHOLD_MIN, 1.0);
        monitor.enter(Phase::Comparing);
        let mut tests = PendingPairs::find(&self.tests, threshold, monitor)?;
        let mut focals = PendingPairs::find(&self.focals, threshold, monitor)?;
        if !(tests.is_empty() && focals.is_empty()) {
            let mut sets = Sets::default();
            each(store, monitor, &self.filter, Phase::Comparing, |sample| {
                let test = sets.of_test(sample);
                if let Some(document) = self.tests.find(&test) {
                    tests.take(document, test);
                }
                let focal = sets.of_focal(sample).unwrap_or_default();
                if let Some(document) = self.focals.find(&focal) {
                    focals.take(document, focal);
                }
            })?;
        }
        let n_left_out = tests.n_left_out + focals.n_left_out;
        let (tests, focals) = (tests.finish(), focals.finish());
        let counted = count(self, &tests, &focals, options.limit, monitor)?;
        Ok(LeakageReport {
            splits: self.splits,
            threshold,
            n_samples: self.samples.len() as u64,
            n_without_split: self.n_without_split,
            found_at_threshold: bands(threshold).probability(threshold),
            n_left_out: n_left_out + counted.n_left_out,
            pairs: self.pairs(store, monitor, &counted)?,
            counts: counted.counts,
            leaked: counted.leaked,
        })
    }

    /// Reads the samples of the strongest pairs.
    fn pairs(
        &self,
        store: &Store,
        monitor: &Monitor,
        counted: &PairTotals,
    ) -> Result<Vec<NearPair>, LeakageError> {
        let mut sets = Sets::default();
        let mut pairs = Vec::with_capacity(counted.strongest.len());
        for ranked in &counted.strongest {
            monitor.step()?;
            let read = |at| self.read(store, &self.sample(at).key);
            let (Some(held_out), Some(seen)) = (read(ranked.held_out)?, read(ranked.seen)?) else {
                continue;
            };
            let [first, second] = [&held_out, &seen]
                .map(|stored_sample| SampleShingles::of(&mut sets, stored_sample));
            pairs.push(NearPair {
                near: ranked.near,
                held_out: PairSide::new(&held_out, self.splits),
                seen: PairSide::new(&seen, self.splits),
                similarity: first.similarity(&second),
            });
        }
        Ok(pairs)
    }

    /// Reads the sample as the matcher of these decisions decided on it.
    pub(super) fn read(
        &self,
        store: &Store,
        key: &SampleKey,
    ) -> Result<Option<StoredSample>, LeakageError> {
        Ok(store.sample(key, self.matcher)?)
    }
}

/// Both texts of a sample, as sets of shingles.
pub(super) struct SampleShingles {
    pub test: Shingles,
    pub focal: Option<Shingles>,
}

impl SampleShingles {
    pub(super) fn of(sets: &mut Sets, sample: &StoredSample) -> Self {
        Self {
            test: sets.of_test(sample),
            focal: sets.of_focal(sample),
        }
    }

    pub(super) fn similarity(&self, other: &Self) -> Similarity {
        let focals = self.focal.as_ref().zip(other.focal.as_ref());
        Similarity {
            test: self.test.jaccard(&other.test),
            focal: focals.map(|(a, b)| a.jaccard(b)),
        }
    }
}
