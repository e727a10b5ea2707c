//! Matches of n-grams against one short reference, as sets of positions in machine words.
//!
//! Decides the same as the trie in [`super`], for references of up to 256 tokens, where it is about ten times as fast: no
//! key is hashed, and no branch depends on the texts. For the n-gram of length n that ends at a token of the
//! hypothesis, `E_n` is the set of positions where it ends in the reference (Shift-And, Baeza-Yates and Gonnet 1992):
//!
//! ```text
//! E_n(j) = (E_{n−1}(j − 1) << 1) & M[h_j]      M[t]: the positions of token t in the reference; E_1 = M
//! ```
//! A match takes one position of its set away from the later n-grams of its length; that is clipping.

use super::ORDER_MAX;

/// Longer references go to the trie.
pub(super) const REFERENCE_TOKENS_MAX: usize = 4 * WORD;

/// So do tokens from this number on: each has its set of positions in an array.
pub(super) const TOKEN_MAX: u32 = 1 << 16;

const WORD: usize = u64::BITS as usize;

/// The buffers of one counter.
#[derive(Clone, Default)]
pub(super) struct Positions {
    /// Per token its positions in the reference. Zero between pairs.
    masks: Vec<u64>,
}

/// The counts of a pair, by length from 1.
#[derive(Default)]
pub(super) struct MatchCounts {
    pub n_matches: [u64; ORDER_MAX],
    /// N-grams of the hypothesis that the exception names.
    pub n_excepted: [u64; ORDER_MAX],
}

impl Positions {
    /// Counts a pair; `None` if the reference is too long or a token's number too large.
    ///
    /// The exception returns, for a start in the hypothesis, which n-grams from there neither count as n-grams nor
    /// match: bit 0 for the 1-gram, and none that would end behind the hypothesis.
    pub(super) fn count(
        &mut self,
        hypothesis: &[u32],
        reference: &[u32],
        exception: &impl Fn(usize) -> u8,
    ) -> Option<MatchCounts> {
        if reference.len() > REFERENCE_TOKENS_MAX {
            return None;
        }
        let largest = |tokens: &[u32]| tokens.iter().copied().max().unwrap_or(0);
        let token_max = largest(hypothesis).max(largest(reference));
        if token_max >= TOKEN_MAX {
            return None;
        }
        let n_tokens = token_max as usize + 1;
        Some(match reference.len().div_ceil(WORD) {
            ..=1 => self.count_words::<1>(n_tokens, hypothesis, reference, exception),
            2 => self.count_words::<2>(n_tokens, hypothesis, reference, exception),
            _ => self.count_words::<4>(n_tokens, hypothesis, reference, exception),
        })
    }

    fn count_words<const W: usize>(
        &mut self,
        n_tokens: usize,
        hypothesis: &[u32],
        reference: &[u32],
        exception: &impl Fn(usize) -> u8,
    ) -> MatchCounts {
        if self.masks.len() < n_tokens * W {
            self.masks.resize(n_tokens * W, 0);
        }
        let (masks, _) = self.masks.as_chunks_mut::<W>();
        for (position, token) in reference.iter().enumerate() {
            masks[*token as usize][position / WORD] |= 1 << (position % WORD);
        }
        let mut counted = MatchCounts::default();
        let mut ends = [[0; W]; ORDER_MAX];
        let mut left = [[u64::MAX; W]; ORDER_MAX];
        // Byte n is the exception of the start n tokens ago: where the n-gram of order n + 1 begins that ends here.
        let mut excepted: u32 = 0;
        for (idx, token) in hypothesis.iter().enumerate() {
            let mask = &masks[*token as usize];
            for order in (1..ORDER_MAX).rev() {
                ends[order] = shift(&ends[order - 1]);
                for (end, mask) in ends[order].iter_mut().zip(mask) {
                    *end &= mask;
                }
            }
            ends[0] = *mask;
            excepted = (excepted << 8) | u32::from(exception(idx));
            for order in 0..ORDER_MAX {
                let is_excepted = u64::from((excepted >> (9 * order)) & 1);
                counted.n_excepted[order] += is_excepted;
                take_lowest(&mut left[order], &ends[order], is_excepted.wrapping_sub(1));
            }
        }
        for token in reference {
            masks[*token as usize] = [0; W];
        }
        for (n_matches, left) in counted.n_matches.iter_mut().zip(&left) {
            *n_matches = left.iter().map(|left| u64::from(left.count_zeros())).sum();
        }
        counted
    }
}

/// Moves every position forward by one.
#[inline]
fn shift<const W: usize>(positions: &[u64; W]) -> [u64; W] {
    let mut shifted = [0; W];
    let mut carry = 0;
    for (shifted, word) in shifted.iter_mut().zip(positions) {
        *shifted = (word << 1) | carry;
        carry = word >> (WORD - 1);
    }
    shifted
}

/// Removes from `left` the lowest of `positions` that is still in it; none if `keep` is 0 instead of all ones.
#[inline]
fn take_lowest<const W: usize>(left: &mut [u64; W], positions: &[u64; W], mut keep: u64) {
    for (left, word) in left.iter_mut().zip(positions) {
        let candidates = *left & word & keep;
        *left ^= candidates & candidates.wrapping_neg();
        keep &= u64::from(candidates != 0).wrapping_sub(1);
    }
}
