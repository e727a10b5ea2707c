//! Distances between two sequences, 64 cells of the table to a machine word.
//!
//! Decides the length of the longest common subsequence and Levenshtein's distance, over bytes, code points or token
//! numbers; not what is made of them. Columns of the dynamic program are bit vectors over one sequence, the pattern,
//! which is cut into strips of up to 256 symbols; what a strip hands to the next is kept as bits per symbol of the text.

use crate::metric::ngram::Trie;

/// The largest product of two lengths, what they have in common at both ends left out, that is compared: two texts of
/// 370,000 symbols, or one of 5 million and one of 27,000; about two seconds.
pub const CELLS_MAX: u64 = 1 << 37;

/// Symbols below this find their bits in an array, others are numbered first.
const DIRECT_MAX: u32 = 1 << 16;

const WORD: usize = u64::BITS as usize;

/// What sequences are made of.
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
    handed: Handed,
    numbers: Trie,
    numbered: [Vec<u32>; 2],
}

/// One bit for each symbol of the text.
#[derive(Clone, Default)]
struct Handed {
    plus: Vec<u64>,
    minus: Vec<u64>,
}

#[derive(Clone, Copy)]
enum Count {
    Common,
    Edits,
}

impl Bits {
    /// Returns the length of the longest common subsequence; `None` beyond [`CELLS_MAX`].
    ///
    /// Crochemore, Iliopoulos, Pinzon and Reid 2001, in the form of Hyyrö 2004: `V' = (V + (V & M)) | (V & !M)`, and
    /// the zeros of the last V count.
    pub fn longest_common_subsequence<S: Symbol>(&mut self, a: &[S], b: &[S]) -> Option<usize> {
        let (n_trimmed, a, b) = trim(a, b);
        Some(n_trimmed + self.count(Count::Common, a, b)?)
    }

    /// Returns the fewest insertions, deletions and substitutions that make one of the other; `None` beyond
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
            let number = |it: &S| self.numbers.child_or_insert(0, it.code());
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
            it @ ..=2 => it,
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

/// Returns how many symbols both have at their ends, and what is left of each: for both counts that is exact.
fn trim<'s, S: Symbol>(a: &'s [S], b: &'s [S]) -> (usize, &'s [S], &'s [S]) {
    let n_front = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[n_front..], &b[n_front..]);
    let backwards = a.iter().rev().zip(b.iter().rev());
    let n_back = backwards.take_while(|(a, b)| a == b).count();
    (
        n_front + n_back,
        &a[..a.len() - n_back],
        &b[..b.len() - n_back],
    )
}

fn largest<S: Symbol>(symbols: &[S]) -> u32 {
    symbols.iter().map(|it| it.code()).max().unwrap_or(0)
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
    handed: &mut Handed,
    pattern: &[S],
    text: &[S],
) -> usize {
    let (masks, _) = masks.as_chunks_mut::<W>();
    let mut n_common = 0;
    handed.plus.clear();
    handed.plus.resize(text.len().div_ceil(WORD), 0);
    for strip in pattern.chunks(W * WORD) {
        mark(masks, strip, true);
        let mut column = [u64::MAX; W];
        for (symbols, handed) in text.chunks(WORD).zip(&mut handed.plus) {
            let (mut incoming, mut outgoing) = (*handed, 0);
            for (idx, symbol) in symbols.iter().enumerate() {
                let mask = &masks[symbol.code() as usize];
                let mut carry = incoming & 1 != 0;
                incoming >>= 1;
                for (column, mask) in column.iter_mut().zip(mask) {
                    let (sum, over) = column.overflowing_add(*column & mask);
                    let (sum, over_carry) = sum.overflowing_add(u64::from(carry));
                    carry = over | over_carry;
                    *column = sum | (*column & !mask);
                }
                outgoing |= u64::from(carry) << idx;
            }
            *handed = outgoing;
        }
        // Behind the end of the pattern no mask has a bit, so the column keeps its ones there.
        n_common += column
            .iter()
            .map(|it| it.count_zeros() as usize)
            .sum::<usize>();
        mark(masks, strip, false);
    }
    n_common
}

fn edits<S: Symbol, const W: usize>(
    masks: &mut [u64],
    handed: &mut Handed,
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
    let mut n_edits = pattern.len();
    let n_strips = pattern.len().div_ceil(W * WORD);
    for (idx, strip) in pattern.chunks(W * WORD).enumerate() {
        mark(masks, strip, true);
        // The last row of the strip: only there is the difference between columns handed on, or counted.
        let (last_word, last_bit) = ((strip.len() - 1) / WORD, (strip.len() - 1) % WORD);
        let (mut down, mut up) = ([u64::MAX; W], [0; W]);
        let (mut n_plus, mut n_minus) = (0, 0);
        let both = handed.plus.iter_mut().zip(&mut handed.minus);
        for (symbols, (plus, minus)) in text.chunks(WORD).zip(both) {
            let (mut incoming_plus, mut incoming_minus) = (*plus, *minus);
            (*plus, *minus) = (0, 0);
            for (idx, symbol) in symbols.iter().enumerate() {
                let mask = &masks[symbol.code() as usize];
                let (mut carry_plus, mut carry_minus) = (incoming_plus & 1, incoming_minus & 1);
                (incoming_plus, incoming_minus) = (incoming_plus >> 1, incoming_minus >> 1);
                for word in 0..W {
                    let vertical = mask[word] | up[word];
                    let mask = mask[word] | carry_minus;
                    let sum = (mask & down[word]).wrapping_add(down[word]);
                    let diagonal = (sum ^ down[word]) | mask;
                    let right_plus = up[word] | !(diagonal | down[word]);
                    let right_minus = down[word] & diagonal;
                    if word == last_word {
                        *plus |= (right_plus >> last_bit & 1) << idx;
                        *minus |= (right_minus >> last_bit & 1) << idx;
                    }
                    let shifted_plus = (right_plus << 1) | carry_plus;
                    let shifted_minus = (right_minus << 1) | carry_minus;
                    carry_plus = right_plus >> (WORD - 1);
                    carry_minus = right_minus >> (WORD - 1);
                    down[word] = shifted_minus | !(vertical | shifted_plus);
                    up[word] = shifted_plus & vertical;
                }
            }
            n_plus += plus.count_ones() as usize;
            n_minus += minus.count_ones() as usize;
        }
        if idx + 1 == n_strips {
            n_edits = n_edits + n_plus - n_minus;
        }
        mark(masks, strip, false);
    }
    n_edits
}
