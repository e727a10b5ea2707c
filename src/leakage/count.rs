//! From near documents to near samples: how many there are, and which are the strongest.

use crate::model::Split;
use crate::task::{Cancelled, Monitor};

use super::index::{DocumentId, Documents, IndexedSample, LeakageIndex};
use super::pairs::{NearDocuments, range_of};
use super::{LeakedCount, NearTexts, PairCount};

/// The most pairs of samples that are looked at one by one, for tests and for focal methods each.
const N_EXPANDED_MAX: u64 = 20_000_000;

/// The most pairs that are listed when all are asked for.
const N_LISTED_MAX: usize = 1_000_000;

/// The number of pairs between two checks whether the work is cancelled.
const STEP: u64 = 4_096;

/// The pairs of splits: the one that is seen, and the one that is held out from it.
const PAIRS: [(Split, Split); 3] = [
    (Split::Train, Split::Test),
    (Split::Train, Split::Validation),
    (Split::Validation, Split::Test),
];

/// Two samples, by their place in the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RankedPair {
    pub near: NearTexts,
    strength: f64,
    /// Roughly how similar the other texts are, where only one is near.
    others: f64,
    pub held_out: u32,
    pub seen: u32,
}

pub(super) struct PairTotals {
    pub counts: Vec<PairCount>,
    pub leaked: Vec<LeakedCount>,
    pub strongest: Vec<RankedPair>,
    pub n_left_out: u64,
}

/// Counts and ranks.
pub(super) fn count(
    index: &LeakageIndex,
    tests: &NearDocuments,
    focals: &NearDocuments,
    limit: usize,
    monitor: &Monitor,
) -> Result<PairTotals, Cancelled> {
    let by_test = documents_by_pair(&index.tests, tests);
    let by_focal = documents_by_pair(&index.focals, focals);
    let mut counts = PAIRS.map(|(seen, held_out)| PairCount {
        seen,
        held_out,
        n_by_test: by_test(seen, held_out),
        n_by_focal: by_focal(seen, held_out),
        n_by_both: 0,
    });
    let mut strongest = Strongest::new(index, limit);
    let mut has_both = vec![false; index.samples.len()];
    let n_left_out = PairExpansion::new(index, &index.tests, |indexed_sample| indexed_sample.test)
        .each(tests, monitor, |seen, held_out, similarity| {
            let (a, b) = (index.sample(seen), index.sample(held_out));
            let focal = focals.similarity(a.focal, b.focal);
            let near = if focal.is_some() {
                NearTexts::Both
            } else {
                NearTexts::Test
            };
            strongest.push(RankedPair {
                near,
                strength: similarity + focal.unwrap_or(0.0),
                others: index.focals.estimate(a.focal, b.focal),
                held_out,
                seen,
            });
            if near == NearTexts::Both {
                let at = PAIRS.iter().position(|pair| *pair == (a.split, b.split));
                if let Some(at) = at {
                    counts[at].n_by_both += 1;
                }
                has_both[held_out as usize] |= a.split == Split::Train;
            }
        })?;
    // Counts are complete without these pairs one by one; they are looked at for the list alone.
    if !strongest.is_full() {
        PairExpansion::new(index, &index.focals, |indexed_sample| indexed_sample.focal).each(
            focals,
            monitor,
            |seen, held_out, similarity| {
                let (a, b) = (index.sample(seen), index.sample(held_out));
                if tests.similarity(a.test, b.test).is_none() {
                    strongest.push(RankedPair {
                        near: NearTexts::Focal,
                        strength: similarity,
                        others: index.tests.estimate(a.test, b.test),
                        held_out,
                        seen,
                    });
                }
            },
        )?;
    }
    Ok(PairTotals {
        counts: counts.to_vec(),
        leaked: leaked(index, tests, focals, &has_both),
        strongest: strongest.finish(),
        n_left_out,
    })
}

/// Returns a function that counts the pairs of samples of two splits with near documents.
fn documents_by_pair<'d>(
    documents: &'d Documents,
    near: &'d NearDocuments,
) -> impl Fn(Split, Split) -> u64 + 'd {
    move |seen, held_out| {
        let n = |a, b| documents.n_of(a, seen) * documents.n_of(b, held_out);
        let same: u64 = (0..documents.len() as DocumentId)
            .map(|document| n(document, document))
            .sum();
        let other: u64 = near.pairs().map(|(a, b, _)| n(a, b) + n(b, a)).sum();
        same + other
    }
}

fn leaked(
    index: &LeakageIndex,
    tests: &NearDocuments,
    focals: &NearDocuments,
    has_both: &[bool],
) -> Vec<LeakedCount> {
    let in_training = |documents: &Documents, near: &NearDocuments| -> Vec<bool> {
        let is_there = |n| documents.n_of(n, Split::Train) > 0;
        (0..documents.len() as DocumentId)
            .map(|n| is_there(n) || near.of(n).iter().any(|near| is_there(near.1)))
            .collect()
    };
    let (by_test, by_focal) = (
        in_training(&index.tests, tests),
        in_training(&index.focals, focals),
    );
    let is_there = |known: &[bool], document: DocumentId| {
        known.get(document as usize).copied().unwrap_or_default()
    };
    [Split::Validation, Split::Test]
        .into_iter()
        .map(|held_out| {
            let mut leaked = LeakedCount {
                held_out,
                n_samples: 0,
                n_by_test: 0,
                n_by_focal: 0,
                n_by_both: 0,
                n_by_any: 0,
            };
            for (sample, has_both) in index.samples.iter().zip(has_both) {
                if sample.split != held_out {
                    continue;
                }
                let test = is_there(&by_test, sample.test);
                let focal = is_there(&by_focal, sample.focal);
                leaked.n_samples += 1;
                leaked.n_by_test += u64::from(test);
                leaked.n_by_focal += u64::from(focal);
                leaked.n_by_both += u64::from(*has_both);
                leaked.n_by_any += u64::from(test || focal);
            }
            leaked
        })
        .collect()
}

impl LeakageIndex {
    pub(super) fn sample(&self, at: u32) -> &IndexedSample {
        &self.samples[at as usize]
    }
}

/// Expands pairs of documents to pairs of samples.
struct PairExpansion<'i, F> {
    index: &'i LeakageIndex,
    documents: &'i Documents,
    document_of: F,
    /// Places of samples by document.
    order: Vec<u32>,
}

impl<'i, F: Fn(&IndexedSample) -> DocumentId> PairExpansion<'i, F> {
    fn new(index: &'i LeakageIndex, documents: &'i Documents, document_of: F) -> Self {
        let mut order: Vec<u32> = (0..index.samples.len() as u32).collect();
        order.sort_by_key(|at| document_of(index.sample(*at)));
        Self {
            index,
            documents,
            document_of,
            order,
        }
    }

    fn samples(&self, document: DocumentId) -> &[u32] {
        let range = range_of(&self.order, document, |at| {
            (self.document_of)(self.index.sample(*at))
        });
        &self.order[range]
    }

    /// Hands every pair of samples of different splits with near documents to `each`, the nearest first: the seen one,
    /// the one held out, and the similarity. Returns how many pairs were left out.
    fn each(
        &self,
        near: &NearDocuments,
        monitor: &Monitor,
        mut each: impl FnMut(u32, u32, f64),
    ) -> Result<u64, Cancelled> {
        let same = (0..self.documents.len() as DocumentId).map(|n| (n, n, 1.0));
        let mut pairs: Vec<(DocumentId, DocumentId, f64)> = same
            .filter(|(n, _, _)| self.documents.crosses(*n, *n))
            .chain(near.pairs())
            .collect();
        pairs.sort_by(|a, b| b.2.total_cmp(&a.2));
        let (mut n_done, mut n_left_out) = (0, 0);
        for (a, b, similarity) in pairs {
            let (firsts, seconds) = (self.samples(a), self.samples(b));
            for (at, first) in firsts.iter().enumerate() {
                // A document with itself: every two samples once.
                let seconds = if a == b { &firsts[at + 1..] } else { seconds };
                if n_done >= N_EXPANDED_MAX {
                    n_left_out += seconds.len() as u64;
                    continue;
                }
                for second in seconds {
                    n_done += 1;
                    if n_done % STEP == 0 {
                        monitor.step()?;
                    }
                    let splits = (
                        self.index.sample(*first).split as u8,
                        self.index.sample(*second).split as u8,
                    );
                    match splits.0.cmp(&splits.1) {
                        std::cmp::Ordering::Less => each(*first, *second, similarity),
                        std::cmp::Ordering::Greater => each(*second, *first, similarity),
                        std::cmp::Ordering::Equal => {}
                    }
                }
            }
        }
        Ok(n_left_out)
    }
}

/// The best pairs of many.
struct Strongest<'i> {
    index: &'i LeakageIndex,
    limit: usize,
    ranked: Vec<RankedPair>,
}

impl<'i> Strongest<'i> {
    fn new(index: &'i LeakageIndex, limit: usize) -> Self {
        Self {
            index,
            limit: if limit == 0 {
                N_LISTED_MAX
            } else {
                limit.min(N_LISTED_MAX)
            },
            ranked: Vec::new(),
        }
    }

    fn push(&mut self, ranked: RankedPair) {
        self.ranked.push(ranked);
        if self.ranked.len() >= 2 * self.limit + 1_024 {
            self.shorten();
        }
    }

    const fn is_full(&self) -> bool {
        self.ranked.len() >= self.limit
    }

    fn shorten(&mut self) {
        let index = self.index;
        let keys = |ranked_pair: &RankedPair| {
            (
                index.sample(ranked_pair.held_out).key,
                index.sample(ranked_pair.seen).key,
            )
        };
        self.ranked.sort_unstable_by(|a, b| {
            (b.near.cmp(&a.near))
                .then(b.strength.total_cmp(&a.strength))
                .then(b.others.total_cmp(&a.others))
                .then_with(|| keys(a).cmp(&keys(b)))
        });
        self.ranked.truncate(self.limit);
    }

    fn finish(mut self) -> Vec<RankedPair> {
        self.shorten();
        self.ranked
    }
}
