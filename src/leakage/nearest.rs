//! The samples of a split that are nearest to one: first by signatures, then by the texts themselves.

use crate::metric::minhash::{Shingles, n_equal};
use crate::model::SampleKey;
use crate::store::Store;
use crate::task::Monitor;

use super::index::{Documents, LeakageIndex, Sets};
use super::report::SampleShingles;
use super::{LeakageError, Nearest, NearestOptions, Neighbour, PairSide, Similarity};

/// This many times the requested samples are compared by their texts, as estimates order them only roughly.
const N_TIMES: usize = 4;

/// This number of samples is compared in addition.
const N_MORE: usize = 28;

/// The number of samples between two checks whether the work is cancelled.
const STEP: usize = 65_536;

impl LeakageIndex {
    /// Finds the samples of a split that are most similar to one, which is never among them. Among equals, those with
    /// the smaller keys.
    ///
    /// Signatures choose four times as many samples and 28 more, whose texts are compared.
    pub fn nearest(
        &self,
        store: &Store,
        monitor: &Monitor,
        asked: NearestOptions,
    ) -> Result<Nearest, LeakageError> {
        let NearestOptions { key, n, .. } = asked;
        let sample = self
            .read(store, &key)?
            .ok_or(LeakageError::NoSuchSample { key })?;
        let mut sets = Sets::default();
        let texts = SampleShingles::of(&mut sets, &sample);
        let mut neighbours = Vec::new();
        for candidate in self.likely(monitor, asked, &texts, n_read(n))? {
            monitor.step()?;
            let Some(other) = self.read(store, &candidate)? else {
                continue;
            };
            let similarity = texts.similarity(&SampleShingles::of(&mut sets, &other));
            neighbours.push(Neighbour {
                side: PairSide::new(&other, self.splits),
                similarity,
                mean: mean(similarity, texts.focal.is_some()),
            });
        }
        sort(&mut neighbours, n);
        Ok(Nearest {
            of: PairSide::new(&sample, self.splits),
            neighbours,
        })
    }

    /// Finds the samples whose signatures agree most with these texts'.
    fn likely(
        &self,
        monitor: &Monitor,
        asked: NearestOptions,
        texts: &SampleShingles,
        n: usize,
    ) -> Result<Vec<SampleKey>, LeakageError> {
        let tests = agreements(&self.tests, &texts.test);
        let focals = texts.focal.as_ref();
        let focals = focals.map_or_else(Vec::new, |focal| agreements(&self.focals, focal));
        let of = |agreements: &[u8], document: u32| {
            agreements
                .get(document as usize)
                .map_or(0, |agreement| u16::from(*agreement))
        };
        let mut ranked: Vec<(u16, SampleKey)> = Vec::new();
        for samples in self.samples.chunks(STEP) {
            monitor.step()?;
            for sample in samples {
                if sample.split == asked.split && sample.key != asked.key {
                    let n_equal = of(&tests, sample.test) + of(&focals, sample.focal);
                    ranked.push((n_equal, sample.key));
                }
            }
            let order = |a: &(u16, SampleKey), b: &(u16, SampleKey)| (b.0, a.1).cmp(&(a.0, b.1));
            if ranked.len() > n {
                ranked.select_nth_unstable_by(n, order);
                ranked.truncate(n);
            }
        }
        Ok(ranked.into_iter().map(|(_, key)| key).collect())
    }
}

/// Counts the places at which each document's signature agrees with a text's; empty for an empty text.
fn agreements(documents: &Documents, text: &Shingles) -> Vec<u8> {
    if text.is_empty() {
        return Vec::new();
    }
    let signatures = &documents.signatures;
    let signature = signatures.sign(text);
    (0..signatures.len())
        .map(|idx| n_equal(signatures.get(idx), &signature) as u8)
        .collect()
}

/// Computes how many samples' texts are compared for `n` requested ones.
pub(super) const fn n_read(n: usize) -> usize {
    n.saturating_mul(N_TIMES).saturating_add(N_MORE)
}

/// Keeps the `n` nearest, the nearest first.
pub(super) fn sort(neighbours: &mut Vec<Neighbour>, n: usize) {
    neighbours
        .sort_by(|a, b| (b.mean.total_cmp(&a.mean)).then_with(|| a.side.key.cmp(&b.side.key)));
    neighbours.truncate(n);
}

pub(super) fn mean(similarity: Similarity, has_focal: bool) -> f64 {
    if has_focal {
        f64::midpoint(similarity.test, similarity.focal.unwrap_or_default())
    } else {
        similarity.test
    }
}
