//! Counts of n-grams up to length 4, over token numbers.
//!
//! Decides how many n-grams of a hypothesis its references share; not what a score makes of it ([`super::bleu`],
//! [`super::rouge`]). N-grams are paths in a trie: a node is an n-gram, its key the node of the n-gram without its last
//! token, and that token. So a key has 64 bits for any vocabulary and any length, and an n-gram of the hypothesis whose
//! beginning is not in the references is given up at once. One short reference, which is nearly every pair, takes the
//! faster way of [`positions`].

mod positions;

use self::positions::Positions;

/// The longest n-grams that any metric here counts.
pub const ORDER_MAX: usize = 4;

/// The root of every trie: the n-gram of no tokens. No key leads to it.
const ROOT: u32 = 0;

/// More slots than this are given back before the next small input.
const KEPT_SLOTS_MAX: usize = 1 << 18;

/// A table starts with no more slots than this, and doubles when half of them are taken.
const FIRST_SLOTS_MAX: usize = 1 << 12;

#[derive(Clone, Copy, Default)]
struct Slot {
    parent: u32,
    token: u32,
    /// [`ROOT`] in an empty slot.
    node: u32,
}

/// N-grams as numbers from 1, in the order of their first appearance.
///
/// Open addressing with linear probing. About 24 bytes for each n-gram.
#[derive(Clone, Default)]
pub(super) struct Trie {
    slots: Vec<Slot>,
    /// Slots in use, a power of two: those behind it are left from a larger input.
    n_slots: usize,
    n_nodes: u32,
}

impl Trie {
    /// Forgets everything; the caller expects about `n_expected` n-grams.
    pub(super) fn reset(&mut self, n_expected: usize) {
        if self.slots.len() > KEPT_SLOTS_MAX {
            self.slots = Vec::new();
        }
        self.n_slots = (2 * n_expected.max(8))
            .min(FIRST_SLOTS_MAX)
            .next_power_of_two();
        if self.slots.len() < self.n_slots {
            self.slots = vec![Slot::default(); self.n_slots];
        } else {
            self.slots[..self.n_slots].fill(Slot::default());
        }
        self.n_nodes = 0;
    }

    /// Returns how many n-grams there are; their numbers are 1 to this.
    pub(super) fn n_nodes(&self) -> u32 {
        self.n_nodes
    }

    /// Finds the n-gram that follows `parent` with `token`; `None` where there is none.
    #[inline]
    pub(super) fn child(&self, parent: u32, token: u32) -> Option<u32> {
        if self.n_nodes == 0 {
            return None;
        }
        let slot = &self.slots[self.find(parent, token)];
        (slot.node != ROOT).then_some(slot.node)
    }

    /// Finds or adds the n-gram that follows `parent` with `token`, which is new if its number is the new
    /// [`Trie::n_nodes`].
    #[inline]
    pub(super) fn child_or_insert(&mut self, parent: u32, token: u32) -> u32 {
        if 2 * (self.n_nodes as usize + 1) > self.n_slots {
            self.grow();
        }
        let idx = self.find(parent, token);
        let slot = &mut self.slots[idx];
        if slot.node == ROOT {
            self.n_nodes += 1;
            *slot = Slot {
                parent,
                token,
                node: self.n_nodes,
            };
        }
        slot.node
    }

    /// Finds the slot of a key, or the empty one where it belongs. Half of the slots are empty, so there is one.
    #[inline]
    fn find(&self, parent: u32, token: u32) -> usize {
        let mask = self.n_slots - 1;
        let slots = &self.slots[..=mask];
        let mut idx = mix(parent, token) as usize & mask;
        loop {
            let slot = &slots[idx];
            if slot.node == ROOT || (slot.parent == parent && slot.token == token) {
                return idx;
            }
            idx = (idx + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let n_slots = (2 * self.n_slots).max(16);
        let empty = vec![Slot::default(); n_slots];
        let old = std::mem::replace(&mut self.slots, empty);
        let n_old = std::mem::replace(&mut self.n_slots, n_slots);
        for slot in &old[..n_old] {
            if slot.node != ROOT {
                let idx = self.find(slot.parent, slot.token);
                self.slots[idx] = *slot;
            }
        }
    }
}

/// Mixes a key so that its low bits depend on all of it: keys are small consecutive numbers, and linear probing would
/// turn their regularity into long runs.
#[inline]
fn mix(parent: u32, token: u32) -> u64 {
    let key = (u64::from(parent) << 32) | u64::from(token);
    let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let key = (key ^ (key >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    key >> 32
}

/// A set of n-grams of mixed lengths.
#[derive(Clone, Default)]
pub(super) struct NgramSet {
    trie: Trie,
    /// Per node, 1 for a member; the beginning of a member need not be one.
    is_member: Vec<u8>,
}

impl NgramSet {
    /// Makes the set of these n-grams; empty ones are left out.
    pub(super) fn new<'n>(ngrams: impl Iterator<Item = &'n [u32]>) -> Self {
        let mut set = Self::default();
        for ngram in ngrams.filter(|ngram| !ngram.is_empty()) {
            let mut node = ROOT;
            for &token in ngram {
                node = set.trie.child_or_insert(node, token);
            }
            set.is_member.resize(set.trie.n_nodes() as usize + 1, 0);
            set.is_member[node as usize] = 1;
        }
        set
    }

    /// Finds the node of an n-gram that is a member; for the n-gram of no tokens the root, 0.
    pub(super) fn find(&self, ngram: &[u32]) -> Option<u32> {
        let mut node = ROOT;
        for &token in ngram {
            node = self.trie.child(node, token)?;
        }
        (node == ROOT || self.is_member[node as usize] == 1).then_some(node)
    }

    /// Tells which n-grams at the start of the tokens are members: bit 0 for the 1-gram.
    #[inline]
    fn members(&self, tokens: &[u32]) -> u8 {
        let (mut node, mut members) = (ROOT, 0);
        for (idx, &token) in tokens.iter().enumerate() {
            let Some(child) = self.trie.child(node, token) else {
                break;
            };
            node = child;
            members |= self.is_member[node as usize] << idx;
        }
        members
    }
}

/// How many n-grams of a hypothesis are in its references, by length from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Per n-gram the smaller of its count in the hypothesis and its largest count in a reference, summed.
    pub n_matches: [u64; ORDER_MAX],
    /// The n-grams of the hypothesis.
    pub n_totals: [u64; ORDER_MAX],
}

/// The n-grams from one start that match, and those that do not count; bit 0 for the 1-gram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Matches {
    pub matched: u8,
    pub excepted: u8,
}

/// Counts n-grams; keeps its buffers from pair to pair.
///
/// Time is linear in the lengths, memory about 50 bytes for each distinct n-gram of the references.
#[derive(Clone, Default)]
pub struct Counter {
    positions: Positions,
    trie: Trie,
    /// Per n-gram of the references: how many of the hypothesis may still match.
    n_left: Vec<u32>,
    /// Per n-gram: how many the reference at hand has. Zero between references.
    n_here: Vec<u32>,
    /// The n-grams of the reference at hand.
    seen: Vec<u32>,
}

impl Counter {
    /// Counts the n-grams that the hypothesis shares with the references. Several references clip by the maximum of
    /// their counts (Papineni et al. 2002, 2.1.1).
    pub fn overlap(&mut self, hypothesis: &[u32], references: &[impl AsRef<[u32]>]) -> Overlap {
        self.overlap_unless(hypothesis, references, |_| 0)
    }

    /// Counts the same as if no n-gram of `except` was in the hypothesis or in a reference.
    pub(super) fn overlap_except(
        &mut self,
        hypothesis: &[u32],
        references: &[impl AsRef<[u32]>],
        except: &NgramSet,
    ) -> Overlap {
        let exception = |start| except.members(window(hypothesis, start));
        self.overlap_unless(hypothesis, references, exception)
    }

    /// Finds for each start in the hypothesis which n-grams from there match: as many as [`Counter::overlap_except`]
    /// counts against that reference. Where not all of several equal n-grams can match, those do that `preferred` names
    /// for their start (bit 0 for the 1-gram), then the first.
    pub(super) fn matches(
        &mut self,
        hypothesis: &[u32],
        reference: &[u32],
        preferred: &[u8],
        except: &NgramSet,
    ) -> Vec<Matches> {
        self.count(&[reference]);
        let mut matches: Vec<Matches> = (0..hypothesis.len())
            .map(|start| Matches {
                matched: 0,
                excepted: except.members(window(hypothesis, start)),
            })
            .collect();
        for others in [0, u8::MAX] {
            for (start, window_matches) in matches.iter_mut().enumerate() {
                let asked = (preferred.get(start).copied().unwrap_or(0) ^ others)
                    & !window_matches.excepted;
                let mut node = ROOT;
                for (idx, &token) in window(hypothesis, start).iter().enumerate() {
                    let Some(child) = self.trie.child(node, token) else {
                        break;
                    };
                    node = child;
                    if (asked >> idx) & 1 == 1 && self.take(node) == 1 {
                        window_matches.matched |= 1 << idx;
                    }
                }
            }
        }
        matches
    }

    /// Counts the overlap. `exception` tells for a start in the hypothesis which n-grams from there do not count: bit 0
    /// for the 1-gram.
    #[inline]
    fn overlap_unless(
        &mut self,
        hypothesis: &[u32],
        references: &[impl AsRef<[u32]>],
        exception: impl Fn(usize) -> u8,
    ) -> Overlap {
        let mut overlap = Overlap::default();
        for order in 1..=ORDER_MAX {
            overlap.n_totals[order - 1] = (hypothesis.len() + 1).saturating_sub(order) as u64;
        }
        if let [reference] = references
            && let Some(counted) = self
                .positions
                .count(hypothesis, reference.as_ref(), &exception)
        {
            overlap.n_matches = counted.n_matches;
            for (n_total, n_excepted) in overlap.n_totals.iter_mut().zip(counted.n_excepted) {
                *n_total -= n_excepted;
            }
            return overlap;
        }
        self.count(references);
        for start in 0..hypothesis.len() {
            let excepted = exception(start);
            let mut node = Some(ROOT);
            for (idx, &token) in window(hypothesis, start).iter().enumerate() {
                node = node.and_then(|node| self.trie.child(node, token));
                if (excepted >> idx) & 1 == 1 {
                    overlap.n_totals[idx] -= 1;
                } else if let Some(node) = node {
                    overlap.n_matches[idx] += self.take(node);
                }
            }
        }
        overlap
    }

    /// Counts the n-grams of the references into `n_left`.
    fn count(&mut self, references: &[impl AsRef<[u32]>]) {
        let n_tokens: usize = references
            .iter()
            .map(|reference| reference.as_ref().len())
            .sum();
        self.trie.reset(ORDER_MAX.saturating_mul(n_tokens));
        if self.n_left.len() > KEPT_SLOTS_MAX {
            (self.n_left, self.n_here, self.seen) = Default::default();
        }
        self.n_left.clear();
        self.n_left.push(0);
        for reference in references {
            let reference = reference.as_ref();
            for start in 0..reference.len() {
                let mut node = ROOT;
                for &token in window(reference, start) {
                    node = self.trie.child_or_insert(node, token);
                    self.seen.push(node);
                }
            }
            let n_nodes = self.trie.n_nodes() as usize + 1;
            self.n_left.resize(n_nodes, 0);
            self.n_here.resize(n_nodes.max(self.n_here.len()), 0);
            for &node in &self.seen {
                let node = node as usize;
                self.n_here[node] += 1;
                self.n_left[node] = self.n_left[node].max(self.n_here[node]);
            }
            for &node in &self.seen {
                self.n_here[node as usize] = 0;
            }
            self.seen.clear();
        }
    }

    /// Matches one n-gram of the hypothesis, if one is left.
    #[inline]
    fn take(&mut self, node: u32) -> u64 {
        let n_left = &mut self.n_left[node as usize];
        let matches = u32::from(*n_left > 0);
        *n_left -= matches;
        u64::from(matches)
    }
}

/// Returns the tokens of the longest n-gram that starts at a position.
#[inline]
fn window(tokens: &[u32], start: usize) -> &[u32] {
    &tokens[start..tokens.len().min(start + ORDER_MAX)]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn counts(tokens: &[u32], order: usize) -> BTreeMap<&[u32], u64> {
        let mut counts = BTreeMap::new();
        for ngram in tokens.windows(order) {
            *counts.entry(ngram).or_default() += 1;
        }
        counts
    }

    /// Counts as the definition says it.
    fn expected(hypothesis: &[u32], references: &[Vec<u32>], except: &[Vec<u32>]) -> Overlap {
        let mut overlap = Overlap::default();
        for order in 1..=ORDER_MAX {
            let references: Vec<_> = references
                .iter()
                .map(|reference| counts(reference, order))
                .collect();
            for (ngram, n_times) in counts(hypothesis, order) {
                if except.iter().any(|items| items == ngram) {
                    continue;
                }
                let wanted = references
                    .iter()
                    .filter_map(|reference| reference.get(ngram))
                    .max();
                overlap.n_matches[order - 1] += n_times.min(wanted.copied().unwrap_or(0));
                overlap.n_totals[order - 1] += n_times;
            }
        }
        overlap
    }

    fn check(
        counter: &mut Counter,
        hypothesis: &[u32],
        references: &[Vec<u32>],
        except: &[Vec<u32>],
    ) {
        let set = NgramSet::new(except.iter().map(Vec::as_slice));
        let wanted = expected(hypothesis, references, except);
        assert_eq!(counter.overlap_except(hypothesis, references, &set), wanted);
        let wanted = expected(hypothesis, references, &[]);
        assert_eq!(counter.overlap(hypothesis, references), wanted);
        if let [reference] = references {
            let wanted = expected(hypothesis, references, except).n_matches;
            let preferred: Vec<u8> = (0..hypothesis.len()).map(|n| n as u8).collect();
            for preferred in [&[], preferred.as_slice()] {
                let matches = counter.matches(hypothesis, reference, preferred, &set);
                let n_matches: [u64; ORDER_MAX] = std::array::from_fn(|idx| {
                    let bits = matches
                        .iter()
                        .map(|matches| u64::from((matches.matched >> idx) & 1));
                    bits.sum()
                });
                assert_eq!(n_matches, wanted);
            }
        }
    }

    fn tokens(n_max: usize) -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            prop::collection::vec(0..3_u32, 0..n_max),
            prop::collection::vec(0..40_u32, 0..n_max),
            // Too large for an array of positions.
            prop::collection::vec((1_u32 << 16) - 2..(1 << 16) + 2, 0..n_max),
        ]
    }

    #[test]
    fn of_several_references_the_largest_count_clips() {
        let overlap = Counter::default().overlap(&[1, 1, 1, 2], &[vec![1, 1], vec![1, 2, 2]]);
        assert_eq!(overlap.n_matches, [3, 2, 0, 0]);
        assert_eq!(overlap.n_totals, [4, 3, 2, 1]);
    }

    #[test]
    fn a_beginning_of_a_member_is_no_member() {
        let set = NgramSet::new([&[1, 2][..], &[]].into_iter());
        assert_eq!(set.find(&[1]), None);
        assert!(set.find(&[1, 2]).is_some());
        let overlap = Counter::default().overlap_except(&[1, 2], &[vec![1, 2]], &set);
        assert_eq!(overlap.n_matches, [2, 0, 0, 0]);
        assert_eq!(overlap.n_totals, [2, 0, 0, 0]);
    }

    #[test]
    fn nothing_overlaps_with_nothing() {
        let mut counter = Counter::default();
        for references in [vec![], vec![vec![]], vec![vec![], vec![]]] {
            check(&mut counter, &[], &references, &[]);
            check(&mut counter, &[7, 7], &references, &[vec![7]]);
        }
    }

    #[test]
    fn words_end_between_positions_unnoticed() {
        let mut counter = Counter::default();
        for n_tokens in [63, 64, 65, 127, 128, 129, 192, 255, 256, 257, 300] {
            let reference: Vec<u32> = (0..n_tokens).map(|n| n * n % 7).collect();
            check(
                &mut counter,
                &reference[1..],
                std::slice::from_ref(&reference),
                &[],
            );
            check(
                &mut counter,
                &reference,
                &[reference[2..].to_vec()],
                &[vec![1, 4]],
            );
        }
    }

    #[test]
    fn a_million_tokens_are_counted_and_forgotten() {
        let mut counter = Counter::default();
        let long: Vec<u32> = (0..1_000_000_u32).map(|n| n.wrapping_mul(n) >> 7).collect();
        let overlap = counter.overlap(&long, std::slice::from_ref(&long));
        assert_eq!(overlap.n_matches, overlap.n_totals);
        check(&mut counter, &[1, 2, 3], &[vec![1, 2], vec![3]], &[]);
        assert!(counter.trie.slots.len() <= KEPT_SLOTS_MAX);
        assert!(counter.n_left.capacity() <= KEPT_SLOTS_MAX);
    }

    proptest! {
        #[test]
        fn overlaps_are_what_their_definition_says(
            first in (tokens(80), tokens(80)),
            second in (tokens(400), prop::collection::vec(tokens(300), 1..4)),
            except in prop::collection::vec(prop::collection::vec(0..3_u32, 1..5), 0..12),
        ) {
            let mut counter = Counter::default();
            check(&mut counter, &first.0, &[first.1], &except);
            check(&mut counter, &second.0, &second.1, &except);
            check(&mut counter, &first.0, &second.1[..1], &except);
        }
    }
}
