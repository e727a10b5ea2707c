//! Finds documents that are near each other: candidates by their signatures, then by the sets themselves.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::metric::minhash::{Bands, Shingles, standard_error};
use crate::task::{Cancelled, Monitor};

use super::N_PLACES;
use super::index::{DocumentId, Documents, NONE};

/// The greatest probability that the bands miss a pair that just reaches the threshold.
const MISS_MAX: f64 = 1e-3;

/// Candidates whose estimate lies five standard errors and this below the threshold are not looked at: fewer than one near
/// pair in 100,000 is lost by that, also close to 1, where errors have a longer tail than the normal one.
const SLACK: f64 = 0.02;

/// The most documents of a bucket that each is compared with; more are copies of one template.
const N_NEIGHBOURS_MAX: usize = 256;

/// The most pairs of documents that are looked at: 128 MB.
const N_PAIRS_MAX: usize = 16 << 20;

/// Chooses the bands that find pairs at a threshold.
pub(super) fn bands(threshold: f64) -> Bands {
    Bands::for_threshold(N_PLACES, threshold, MISS_MAX)
}

/// Pairs of documents that may be near, until their texts are read again.
pub(super) struct PendingPairs {
    threshold: f64,
    /// Both directions, sorted.
    pairs: Vec<(DocumentId, DocumentId)>,
    /// Sets that wait for partners, with the number of these.
    held: FxHashMap<DocumentId, (Shingles, usize)>,
    is_seen: Vec<bool>,
    near: Vec<(DocumentId, DocumentId, f64)>,
    pub n_left_out: u64,
}

impl PendingPairs {
    /// Finds the candidates among documents that different splits have.
    pub(super) fn find(
        documents: &Documents,
        threshold: f64,
        monitor: &Monitor,
    ) -> Result<Self, Cancelled> {
        let bands = bands(threshold);
        let enough = threshold - 5.0 * standard_error(threshold, N_PLACES) - SLACK;
        let signatures = &documents.signatures;
        let mut pairs = Vec::new();
        let mut n_left_out = 0;
        for band in 0..bands.n_bands {
            monitor.step()?;
            n_left_out += bands.candidates(band, signatures, N_NEIGHBOURS_MAX, |a, b| {
                if !documents.crosses(a, b) || documents.estimate(a, b) < enough {
                    return;
                }
                if pairs.len() < N_PAIRS_MAX {
                    pairs.extend([(a, b), (b, a)]);
                } else {
                    n_left_out += 1;
                }
            });
        }
        pairs.sort_unstable();
        Ok(Self {
            threshold,
            pairs,
            held: FxHashMap::default(),
            is_seen: vec![false; documents.len()],
            near: Vec::new(),
            n_left_out,
        })
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn partners(&self, document: DocumentId) -> Range<usize> {
        range_of(&self.pairs, document, |pair| pair.0)
    }

    /// Compares the set of a document with those of its partners that came before, and holds it until the last of its
    /// partners has come.
    pub(super) fn take(&mut self, document: DocumentId, shingles: Shingles) {
        let partners = self.partners(document);
        if partners.is_empty() || self.is_seen[document as usize] {
            return;
        }
        self.is_seen[document as usize] = true;
        let mut n_waiting = partners.len();
        for at in partners {
            let partner = self.pairs[at].1;
            let Some((other, n_left)) = self.held.get_mut(&partner) else {
                continue;
            };
            let similarity = shingles.jaccard(other);
            if similarity >= self.threshold {
                self.near.push((document, partner, similarity));
                self.near.push((partner, document, similarity));
            }
            n_waiting -= 1;
            *n_left -= 1;
            if *n_left == 0 {
                self.held.remove(&partner);
            }
        }
        if n_waiting > 0 {
            self.held.insert(document, (shingles, n_waiting));
        }
    }

    /// Collects the near pairs; a document whose text is gone by now is near nothing.
    pub(super) fn finish(mut self) -> NearDocuments {
        self.near.sort_unstable_by_key(|entry| (entry.0, entry.1));
        NearDocuments { pairs: self.near }
    }
}

/// Documents that are near each other.
pub(super) struct NearDocuments {
    /// Both directions, sorted.
    pairs: Vec<(DocumentId, DocumentId, f64)>,
}

impl NearDocuments {
    /// Lists the documents that are near this one, with their similarities, without itself.
    pub(super) fn of(&self, document: DocumentId) -> &[(DocumentId, DocumentId, f64)] {
        &self.pairs[range_of(&self.pairs, document, |entry| entry.0)]
    }

    /// Iterates over every pair once.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (DocumentId, DocumentId, f64)> {
        self.pairs.iter().copied().filter(|(a, b, _)| a < b)
    }

    /// Looks up the similarity of two documents that are near, or the same.
    pub(super) fn similarity(&self, a: DocumentId, b: DocumentId) -> Option<f64> {
        if a == NONE || b == NONE {
            return None;
        }
        if a == b {
            return Some(1.0);
        }
        let found = self
            .pairs
            .binary_search_by_key(&(a, b), |(a, b, _)| (*a, *b));
        found.ok().map(|at| self.pairs[at].2)
    }
}

/// Finds this key in a sorted list.
pub(super) fn range_of<T>(
    sorted: &[T],
    key: DocumentId,
    key_of: impl Fn(&T) -> DocumentId,
) -> Range<usize> {
    let first = sorted.partition_point(|sorted| key_of(sorted) < key);
    let n = sorted[first..].partition_point(|sorted| key_of(sorted) == key);
    first..first + n
}
