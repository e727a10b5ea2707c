//! Distances between two sequences, 64 cells of the table to a machine word.
//!
//! Decides the length of the longest common subsequence and Levenshtein's distance, over bytes, code points or token
//! numbers; not the use of them. Columns of the dynamic program are bit vectors over one sequence, the pattern, which
//! is cut into strips of up to 256 symbols; the carries from one strip to the next are kept as bits per symbol of the
//! text.

use crate::ngram::Trie;

/// The largest product of two lengths, without the common beginning and end, that is compared: two texts of 262,000
/// symbols, or one of 5 million and one of 13,700. About a second, a few with many distinct symbols.
pub const CELLS_MAX: u64 = 1 << 36;

/// Symbols below this find their bits in an array, others are numbered first.
const DIRECT_MAX: u32 = 1 << 16;

const WORD: usize = u64::BITS as usize;

/// An element of a sequence.
pub trait Symbol: Copy + Eq {
    fn code(self) -> u32;
}

impl Symbol for u8 {
    #[inline]
    fn code(self) -> u32 {
        u32::from(self)
    }
}

impl Symbol for u32 {
    #[inline]
    fn code(self) -> u32 {
        self
    }
}

/// Compares sequences; keeps its buffers from pair to pair.
#[derive(Clone, Default)]
pub struct Bits {
    /// Per symbol the positions where a strip of the pattern has it, one bit each. Zero between strips.
    masks: Vec<u64>,
    /// Per symbol of the text, what the strip before hands over.
    handed: CarryBits,
    numbers: Trie,
    numbered: [Vec<u32>; 2],
}

/// One bit for each symbol of the text.
#[derive(Clone, Default)]
struct CarryBits {
    plus: Vec<u64>,
    minus: Vec<u64>,
}

#[derive(Clone, Copy)]
enum Count {
    Common,
    Edits,
}

impl Bits {
    /// Finds the length of the longest common subsequence; `None` beyond [`CELLS_MAX`].
    ///
    /// Crochemore, Iliopoulos, Pinzon and Reid 2001, in the form of Hyyrö 2004: `V' = (V + (V & M)) | (V & !M)`, and
    /// the zeros of the last V count.
    pub fn longest_common_subsequence<S: Symbol>(&mut self, a: &[S], b: &[S]) -> Option<usize> {
        let n_all = a.len();
        let (_, a, b) = trim(a, b);
        Some(n_all - a.len() + self.count(Count::Common, a, b)?)
    }

    /// Finds the fewest insertions, deletions and substitutions that make one of the other; `None` beyond
    /// [`CELLS_MAX`].
    ///
    /// Myers 1999 with the strips of Hyyrö 2003.
    pub fn levenshtein<S: Symbol>(&mut self, a: &[S], b: &[S]) -> Option<usize> {
        let (_, a, b) = trim(a, b);
        self.count(Count::Edits, a, b)
    }

    fn count<S: Symbol>(&mut self, what: Count, a: &[S], b: &[S]) -> Option<usize> {
        let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        if pattern.is_empty() {
            return Some(match what {
                Count::Common => 0,
                Count::Edits => text.len(),
            });
        }
        if (pattern.len() as u64).saturating_mul(text.len() as u64) > CELLS_MAX {
            return None;
        }
        let code_max = largest(pattern).max(largest(text));
        if code_max < DIRECT_MAX {
            return Some(self.count_direct(what, pattern, text, code_max));
        }
        self.numbers.reset(pattern.len());
        let mut numbered = std::mem::take(&mut self.numbered);
        for (symbols, numbers) in [pattern, text].iter().zip(&mut numbered) {
            numbers.clear();
            let number = |item: &S| self.numbers.child_or_insert(0, item.code());
            numbers.extend(symbols.iter().map(number));
        }
        let [pattern, text] = &numbered;
        let n_counted = self.count_direct(what, pattern, text, self.numbers.n_nodes());
        if self.masks.len() > 4 * DIRECT_MAX as usize {
            self.masks = Vec::new();
        } else {
            self.numbered = numbered;
        }
        Some(n_counted)
    }

    fn count_direct<S: Symbol>(
        &mut self,
        what: Count,
        pattern: &[S],
        text: &[S],
        code_max: u32,
    ) -> usize {
        let n_words = match pattern.len().div_ceil(WORD) {
            n @ ..=2 => n,
            _ => 4,
        };
        let n_masks = (code_max as usize + 1) * n_words;
        if self.masks.len() < n_masks {
            self.masks.resize(n_masks, 0);
        }
        let masks = &mut self.masks[..n_masks];
        let handed = &mut self.handed;
        match (what, n_words) {
            (Count::Common, 1) => common::<S, 1>(masks, handed, pattern, text),
            (Count::Common, 2) => common::<S, 2>(masks, handed, pattern, text),
            (Count::Common, _) => common::<S, 4>(masks, handed, pattern, text),
            (Count::Edits, 1) => edits::<S, 1>(masks, handed, pattern, text),
            (Count::Edits, 2) => edits::<S, 2>(masks, handed, pattern, text),
            (Count::Edits, _) => edits::<S, 4>(masks, handed, pattern, text),
        }
    }
}

/// Cuts off the symbols that both begin and end with, and counts the former: for both counts this is exact.
pub(crate) fn trim<'s, S: Symbol>(a: &'s [S], b: &'s [S]) -> (usize, &'s [S], &'s [S]) {
    let n_front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[n_front..], &b[n_front..]);
    let backwards = a.iter().rev().zip(b.iter().rev());
    let n_back = backwards.take_while(|(a, b)| a == b).count();
    (n_front, &a[..a.len() - n_back], &b[..b.len() - n_back])
}

fn largest<S: Symbol>(symbols: &[S]) -> u32 {
    symbols
        .iter()
        .map(|symbol| symbol.code())
        .max()
        .unwrap_or(0)
}

/// Sets, or clears, the bits of a strip.
fn mark<S: Symbol, const W: usize>(masks: &mut [[u64; W]], strip: &[S], is_set: bool) {
    for (idx, symbol) in strip.iter().enumerate() {
        let mask = &mut masks[symbol.code() as usize];
        if is_set {
            mask[idx / WORD] |= 1 << (idx % WORD);
        } else {
            *mask = [0; W];
        }
    }
}

fn common<S: Symbol, const W: usize>(
    masks: &mut [u64],
    handed: &mut CarryBits,
    pattern: &[S],
    text: &[S],
) -> usize {
    let (masks, _) = masks.as_chunks_mut::<W>();
    let n_strips = pattern.len().div_ceil(W * WORD);
    if n_strips > 1 {
        handed.plus.clear();
        handed.plus.resize(text.len().div_ceil(WORD), 0);
    }
    let mut n_common = 0;
    for strip in pattern.chunks(W * WORD) {
        mark(masks, strip, true);
        let mut column = [u64::MAX; W];
        if n_strips == 1 {
            for symbol in text {
                common_step(&mut column, &masks[symbol.code() as usize], false);
            }
        } else {
            for (symbols, handed) in text.chunks(WORD).zip(&mut handed.plus) {
                let mut outgoing = 0;
                for (idx, symbol) in symbols.iter().enumerate() {
                    let incoming = (*handed >> idx) & 1 == 1;
                    let mask = &masks[symbol.code() as usize];
                    outgoing |= u64::from(common_step(&mut column, mask, incoming)) << idx;
                }
                *handed = outgoing;
            }
        }
        // Behind the end of the pattern no mask has a bit, so the column keeps its ones there.
        n_common += column
            .iter()
            .map(|column| column.count_zeros() as usize)
            .sum::<usize>();
        mark(masks, strip, false);
    }
    n_common
}

/// Advances by one symbol of the text; takes and returns the carry of the addition.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "otherwise the column is in memory at every step"
)]
fn common_step<const W: usize>(column: &mut [u64; W], mask: &[u64; W], mut carry: bool) -> bool {
    for (column, mask) in column.iter_mut().zip(mask) {
        let (sum, over) = column.overflowing_add(*column & mask);
        let (sum, over_carry) = sum.overflowing_add(u64::from(carry));
        carry = over | over_carry;
        *column = sum | (*column & !mask);
    }
    carry
}

fn edits<S: Symbol, const W: usize>(
    masks: &mut [u64],
    handed: &mut CarryBits,
    pattern: &[S],
    text: &[S],
) -> usize {
    let (masks, _) = masks.as_chunks_mut::<W>();
    let n_handed = text.len().div_ceil(WORD);
    // Above the first strip is the row of the empty pattern: every symbol of the text costs one.
    handed.plus.clear();
    handed.plus.resize(n_handed, u64::MAX);
    handed.minus.clear();
    handed.minus.resize(n_handed, 0);
    let (mut n_plus, mut n_minus) = (0, 0);
    for strip in pattern.chunks(W * WORD) {
        mark(masks, strip, true);
        // Only in the last row of the strip is the difference between columns handed on, or counted.
        let (last_word, last_bit) = ((strip.len() - 1) / WORD, (strip.len() - 1) % WORD);
        let (mut down, mut up) = ([u64::MAX; W], [0; W]);
        (n_plus, n_minus) = (0, 0);
        let both = handed.plus.iter_mut().zip(&mut handed.minus);
        for (symbols, (plus, minus)) in text.chunks(WORD).zip(both) {
            let (mut outgoing_plus, mut outgoing_minus) = (0, 0);
            for (idx, symbol) in symbols.iter().enumerate() {
                let mask = &masks[symbol.code() as usize];
                let incoming = ((*plus >> idx) & 1, (*minus >> idx) & 1);
                let right = edits_step(&mut down, &mut up, mask, last_word, incoming);
                outgoing_plus |= ((right.0 >> last_bit) & 1) << idx;
                outgoing_minus |= ((right.1 >> last_bit) & 1) << idx;
            }
            (*plus, *minus) = (outgoing_plus, outgoing_minus);
            n_plus += plus.count_ones() as usize;
            n_minus += minus.count_ones() as usize;
        }
        mark(masks, strip, false);
    }
    pattern.len() + n_plus - n_minus
}

/// Advances by one symbol of the text; takes the difference above the strip and returns where, in the rows of the
/// strip's last word, the column costs one more than the one before, and where one less.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "otherwise the column is in memory at every step"
)]
fn edits_step<const W: usize>(
    down: &mut [u64; W],
    up: &mut [u64; W],
    mask: &[u64; W],
    last_word: usize,
    (mut plus, mut minus): (u64, u64),
) -> (u64, u64) {
    let mut last = (0, 0);
    for word in 0..W {
        let vertical = mask[word] | up[word];
        let mask = mask[word] | minus;
        let sum = (mask & down[word]).wrapping_add(down[word]);
        let diagonal = (sum ^ down[word]) | mask;
        let right_plus = up[word] | !(diagonal | down[word]);
        let right_minus = down[word] & diagonal;
        if word == last_word {
            last = (right_plus, right_minus);
        }
        let shifted_plus = (right_plus << 1) | plus;
        let shifted_minus = (right_minus << 1) | minus;
        (plus, minus) = (right_plus >> (WORD - 1), right_minus >> (WORD - 1));
        down[word] = shifted_minus | !(vertical | shifted_plus);
        up[word] = shifted_plus & vertical;
    }
    last
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The two dynamic programs as textbooks have them.
    fn expected(a: &[u32], b: &[u32]) -> (usize, usize) {
        let mut common = vec![0; b.len() + 1];
        let mut edits: Vec<usize> = (0..=b.len()).collect();
        for (row, a) in a.iter().enumerate() {
            let (mut common_before, mut edits_before) = (0, row);
            edits[0] = row + 1;
            for (column, b) in b.iter().enumerate() {
                let (common_above, edits_above) = (common[column + 1], edits[column + 1]);
                common[column + 1] = if a == b {
                    common_before + 1
                } else {
                    common_above.max(common[column])
                };
                edits[column + 1] = (edits_before + usize::from(a != b))
                    .min(edits_above + 1)
                    .min(edits[column] + 1);
                (common_before, edits_before) = (common_above, edits_above);
            }
        }
        (common[b.len()], edits[b.len()])
    }

    fn check(bits: &mut Bits, a: &[u32], b: &[u32]) {
        let (n_common, n_edits) = expected(a, b);
        assert_eq!(
            bits.longest_common_subsequence(a, b),
            Some(n_common),
            "{a:?} {b:?}"
        );
        assert_eq!(bits.levenshtein(a, b), Some(n_edits), "{a:?} {b:?}");
    }

    #[test]
    fn words_and_strips_end_unnoticed() {
        let mut bits = Bits::default();
        let lengths = [
            1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257, 320, 512, 513, 600,
        ];
        for n_pattern in lengths {
            for n_text in lengths {
                let pattern: Vec<u32> = (0..n_pattern).map(|n| n * n % 5).collect();
                let text: Vec<u32> = (0..n_text).map(|n| n * 3 % 7).collect();
                check(&mut bits, &pattern, &text);
            }
        }
    }

    #[test]
    fn large_symbols_are_numbered_and_forgotten() {
        let mut bits = Bits::default();
        let a: Vec<u32> = (0..70_000).map(|n| u32::MAX - n).collect();
        assert_eq!(bits.longest_common_subsequence(&a, &a[1..]), Some(69_999));
        let reversed: Vec<u32> = a.iter().rev().copied().take(1000).collect();
        assert_eq!(bits.longest_common_subsequence(&a, &reversed), Some(1));
        assert!(bits.masks.len() <= 4 * DIRECT_MAX as usize);
        check(&mut bits, &[u32::MAX, 3, 3], &[3, u32::MAX, 3]);
    }

    #[test]
    fn the_limit_is_on_what_differs() {
        let mut bits = Bits::default();
        let (a, b) = (vec![1_u8; 400_000], vec![2_u8; 400_000]);
        assert_eq!(bits.longest_common_subsequence(&a, &b), None);
        assert_eq!(bits.levenshtein(&a, &b), None);
        assert_eq!(bits.levenshtein(&a, &a), Some(0));
        assert_eq!(bits.levenshtein(&a, &[]), Some(400_000));
        assert_eq!(bits.levenshtein(&a, &b[..70]), Some(400_000));
    }

    fn symbols() -> impl Strategy<Value = Vec<u32>> {
        prop_oneof![
            prop::collection::vec(0..4_u32, 0..400),
            prop::collection::vec(0..100_u32, 0..150),
            prop::collection::vec((1_u32 << 16) - 2..(1 << 16) + 3, 0..150),
        ]
    }

    proptest! {
        #[test]
        fn distances_are_those_of_the_dynamic_program(a in symbols(), b in symbols(), c in symbols()) {
            let mut bits = Bits::default();
            check(&mut bits, &a, &b);
            check(&mut bits, &b, &c);
            check(&mut bits, &[&a[..], &c].concat(), &[&a[..], &b, &c].concat());
        }
    }
}
