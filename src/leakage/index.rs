//! Signatures of all samples, in memory: what the report and the search for neighbours are made from.
//!
//! Equal sets of shingles are one document, however many samples have them. About a kilobyte a sample where none are
//! equal: two signatures, two fingerprints, a key. No text is kept.

use std::collections::hash_map::Entry;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

use crate::metric::cut::Cutter;
use crate::metric::minhash::{Shingles, Signatures};
use crate::model::{Filter, Language, Matcher, SampleKey, Split};
use crate::store::{Extent, Store, StoredSample};
use crate::task::{Monitor, Phase};

use super::{LeakageError, LeakageOptions, N_PLACES, SHINGLE_TOKENS, Splits};

/// The number of a document; [`NONE`] for a text that is absent or has no tokens.
pub(super) type DocumentId = u32;

pub(super) const NONE: DocumentId = u32::MAX;

/// The samples of an index that a filter lets through, as far as they have a split.
pub struct LeakageIndex {
    pub(super) splits: Splits,
    pub(super) filter: Filter,
    /// The matcher of the decisions that were read; absent without any sample.
    pub(super) matcher: Option<Matcher>,
    pub(super) samples: Vec<IndexedSample>,
    pub(super) n_without_split: u64,
    pub(super) tests: Documents,
    pub(super) focals: Documents,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct IndexedSample {
    pub key: SampleKey,
    pub split: Split,
    pub test: DocumentId,
    pub focal: DocumentId,
}

impl LeakageIndex {
    /// Reads every sample that the filter lets through, once.
    pub fn build(
        store: &Store,
        monitor: &Monitor,
        options: &LeakageOptions,
    ) -> Result<Self, LeakageError> {
        let splits = options.splits;
        Self::build_by(store, monitor, options, &|sample| splits.of(sample))
    }

    /// Reads every sample that the filter lets through, once, to compare each with all others, in all splits.
    pub fn build_whole(
        store: &Store,
        monitor: &Monitor,
        options: &LeakageOptions,
    ) -> Result<Self, LeakageError> {
        let mut index = Self::build_by(store, monitor, options, &|_| Some(Split::Train))?;
        index.tests.is_whole = true;
        index.focals.is_whole = true;
        Ok(index)
    }

    /// Reads every sample that the filter lets through, once; the splits are these instead of the options'.
    pub fn build_by(
        store: &Store,
        monitor: &Monitor,
        options: &LeakageOptions,
        split_of: &dyn Fn(&StoredSample) -> Option<Split>,
    ) -> Result<Self, LeakageError> {
        let mut index = Self {
            splits: options.splits,
            filter: options.filter.clone().within(options.scope),
            matcher: None,
            samples: Vec::new(),
            n_without_split: 0,
            tests: Documents::new(),
            focals: Documents::new(),
        };
        let mut sets = Sets::default();
        each(
            store,
            monitor,
            &index.filter.clone(),
            Phase::Reading,
            |sample| {
                index.matcher = Some(sample.matcher);
                let Some(split) = split_of(sample) else {
                    index.n_without_split += 1;
                    return;
                };
                let test = index.tests.add(&sets.of_test(sample), split);
                let focal = sets.of_focal(sample);
                let focal = focal.map_or(NONE, |focal| index.focals.add(&focal, split));
                index.samples.push(IndexedSample {
                    key: sample.row.key,
                    split,
                    test,
                    focal,
                });
            },
        )?;
        Ok(index)
    }

    /// Counts the compared samples.
    #[must_use]
    pub const fn n_samples(&self) -> usize {
        self.samples.len()
    }
}

/// Hands every sample to `work`, with progress.
pub(super) fn each(
    store: &Store,
    monitor: &Monitor,
    filter: &Filter,
    phase: Phase,
    mut work: impl FnMut(&StoredSample),
) -> Result<(), LeakageError> {
    let n_samples = store.count(filter)?;
    monitor.enter(phase);
    monitor.n_samples.store(0, Ordering::Relaxed);
    monitor.n_samples_total.store(n_samples, Ordering::Relaxed);
    store.each_sample(filter, Extent::Sample, |sample| {
        monitor.step()?;
        work(&sample);
        monitor.n_samples.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

/// Cuts the texts of samples into shingles.
#[derive(Default)]
pub(super) struct Sets {
    /// One for each language, made when it is first needed.
    cutters: Vec<(Language, Cutter)>,
}

impl Sets {
    pub(super) fn of_test(&mut self, sample: &StoredSample) -> Shingles {
        self.of(sample.repo.language, sample.test.source())
    }

    pub(super) fn of_focal(&mut self, sample: &StoredSample) -> Option<Shingles> {
        let focal = sample.focal.as_ref()?;
        Some(self.of(sample.repo.language, focal.source()))
    }

    pub(super) fn of(&mut self, language: Language, text: &str) -> Shingles {
        let known = self.cutters.iter().position(|cutter| cutter.0 == language);
        let at = known.unwrap_or_else(|| {
            self.cutters.push((language, Cutter::new(language)));
            self.cutters.len() - 1
        });
        let tokens = self.cutters[at].1.tokens(text);
        Shingles::of(SHINGLE_TOKENS, tokens.iter())
    }
}

/// Different texts of one kind, numbered in the order in which they came.
pub(super) struct Documents {
    pub signatures: Signatures,
    by_fingerprint: FxHashMap<[u8; 16], DocumentId>,
    /// How many samples of each split have it.
    n_by_split: Vec<[u32; 3]>,
    /// Whether documents of one split are compared, too.
    is_whole: bool,
}

impl Documents {
    fn new() -> Self {
        Self {
            signatures: Signatures::new(N_PLACES),
            by_fingerprint: FxHashMap::default(),
            n_by_split: Vec::new(),
            is_whole: false,
        }
    }

    fn add(&mut self, shingles: &Shingles, split: Split) -> DocumentId {
        if shingles.is_empty() {
            return NONE;
        }
        let next = self.n_by_split.len() as DocumentId;
        let document = match self.by_fingerprint.entry(shingles.fingerprint()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.signatures.push(shingles);
                self.n_by_split.push([0; 3]);
                *new.insert(next)
            }
        };
        self.n_by_split[document as usize][split as usize] += 1;
        document
    }

    /// Finds the document with exactly these shingles.
    pub(super) fn find(&self, shingles: &Shingles) -> Option<DocumentId> {
        self.by_fingerprint.get(&shingles.fingerprint()).copied()
    }

    pub(super) const fn len(&self) -> usize {
        self.n_by_split.len()
    }

    /// Counts the samples of a split that have it.
    pub(super) fn n_of(&self, document: DocumentId, split: Split) -> u64 {
        let counts = self.n_by_split.get(document as usize);
        counts.map_or(0, |counts| u64::from(counts[split as usize]))
    }

    /// Estimates how similar two documents are by their signatures; 0 where either is no text.
    pub(super) fn estimate(&self, a: DocumentId, b: DocumentId) -> f64 {
        if a == NONE || b == NONE {
            return 0.0;
        }
        self.signatures.estimate(a as usize, b as usize).value
    }

    /// Tells whether the two are compared: whether samples of two different splits have them, or all are.
    pub(super) fn crosses(&self, a: DocumentId, b: DocumentId) -> bool {
        if self.is_whole {
            return true;
        }
        Split::ALL.iter().any(|first| {
            self.n_of(a, *first) > 0
                && Split::ALL
                    .iter()
                    .any(|second| first != second && self.n_of(b, *second) > 0)
        })
    }
}
