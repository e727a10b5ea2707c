//! Finds the symbols of one sequence that stay in another, one by one.
//!
//! Decides a longest common subsequence and the fewest edits, as [`crate::edit::bits`] counts them; there only the
//! numbers are kept, here the whole table is, one bit or two for each pair of positions, to walk back through it. Rows
//! and the way back follow Hyyrö 2004 and 2003; of equally good answers the one whose symbols stay furthest left.

use rustc_hash::FxHashMap;

use crate::edit::bits::trim;

/// The largest table, in words of 64 pairs of positions, for which there are costs: two sequences of 16,384 symbols,
/// without their common beginning and end. 32 MiB, or 64 for edits, and some milliseconds.
pub const WORDS_MAX: usize = 1 << 22;

const WORD: usize = u64::BITS as usize;

/// For each position the position of the same symbol on the other side, if it stays. Both ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partners {
    pub of_reference: Vec<Option<u32>>,
    pub of_prediction: Vec<Option<u32>>,
}

impl Partners {
    /// Builds the partners out of pairs of positions in the reference and the prediction.
    pub fn new(
        (n_reference, n_prediction): (usize, usize),
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Self {
        let mut partners = Self {
            of_reference: vec![None; n_reference],
            of_prediction: vec![None; n_prediction],
        };
        for (reference, prediction) in pairs {
            partners.of_reference[reference] = Some(prediction as u32);
            partners.of_prediction[prediction] = Some(reference as u32);
        }
        partners
    }
}

/// Finds the symbols of a longest common subsequence; `None` beyond [`WORDS_MAX`].
pub fn common(reference: &[u32], prediction: &[u32]) -> Option<Partners> {
    partners(reference, prediction, |pattern, text| {
        let table = BitTable::common(pattern, text)?;
        Some(table.common_pairs(pattern.len(), text.len()))
    })
}

/// Finds the symbols that stay when as few as possible are inserted, deleted or replaced; `None` beyond [`WORDS_MAX`].
pub fn edits(reference: &[u32], prediction: &[u32]) -> Option<Partners> {
    partners(reference, prediction, |pattern, text| {
        let table = BitTable::edits(pattern, text)?;
        Some(table.edit_pairs(pattern, text))
    })
}

/// Pairs the common beginnings and ends of both sides, and the pairs found in between, where the shorter side is the
/// pattern.
fn partners(
    reference: &[u32],
    prediction: &[u32],
    find: impl FnOnce(&[u32], &[u32]) -> Option<Vec<(usize, usize)>>,
) -> Option<Partners> {
    let (n_front, of_reference, of_prediction) = trim(reference, prediction);
    let is_swapped = of_reference.len() > of_prediction.len();
    let (pattern, text) = if is_swapped {
        (of_prediction, of_reference)
    } else {
        (of_reference, of_prediction)
    };
    let between = if pattern.is_empty() {
        Vec::new()
    } else {
        find(pattern, text)?
    };
    let between = between.into_iter().map(|(pattern, text)| {
        let (of_reference, of_prediction) = if is_swapped {
            (text, pattern)
        } else {
            (pattern, text)
        };
        (n_front + of_reference, n_front + of_prediction)
    });
    let sizes = (reference.len(), prediction.len());
    let n_back = reference.len() - n_front - of_reference.len();
    let ends = (0..n_front)
        .map(|n| (n, n))
        .chain((1..=n_back).map(|n| (sizes.0 - n, sizes.1 - n)));
    Some(Partners::new(sizes, between.chain(ends)))
}

/// Bits by symbol of the text, then by symbol of the pattern.
struct BitTable {
    n_words: usize,
    /// For a common subsequence: 0 where the pattern's symbol makes it longer. For edits: where it takes one more.
    first: Vec<u64>,
    /// For edits: where the pattern's symbol takes one less.
    second: Vec<u64>,
}

/// By symbol, where the pattern has it.
struct Masks {
    numbers: FxHashMap<u32, usize>,
    n_words: usize,
    /// The first are the rows of all symbols that the pattern lacks.
    rows: Vec<u64>,
}

impl Masks {
    fn new(pattern: &[u32]) -> Self {
        let n_words = pattern.len().div_ceil(WORD);
        let mut masks = Self {
            numbers: FxHashMap::default(),
            n_words,
            rows: vec![0; n_words],
        };
        for (idx, symbol) in pattern.iter().enumerate() {
            let next = masks.numbers.len() + 1;
            let number = *masks.numbers.entry(*symbol).or_insert(next);
            if number == next {
                masks.rows.resize((number + 1) * n_words, 0);
            }
            masks.rows[number * n_words + idx / WORD] |= 1 << (idx % WORD);
        }
        masks
    }

    fn of(&self, symbol: u32) -> &[u64] {
        let number = self.numbers.get(&symbol).copied().unwrap_or(0);
        &self.rows[number * self.n_words..(number + 1) * self.n_words]
    }
}

impl BitTable {
    fn new(pattern: &[u32], text: &[u32]) -> Option<Self> {
        let n_words = pattern.len().div_ceil(WORD);
        (n_words.saturating_mul(text.len()) <= WORDS_MAX).then(|| Self {
            n_words,
            first: Vec::with_capacity(n_words * text.len()),
            second: Vec::new(),
        })
    }

    /// `V' = (V + (V & M)) | (V & !M)`, over words.
    fn common(pattern: &[u32], text: &[u32]) -> Option<Self> {
        let mut table = Self::new(pattern, text)?;
        let masks = Masks::new(pattern);
        let mut row = vec![u64::MAX; table.n_words];
        for symbol in text {
            let mut carry = false;
            for (word, mask) in row.iter_mut().zip(masks.of(*symbol)) {
                let (sum, is_over) = word.overflowing_add(*word & mask);
                let (sum, is_over_again) = sum.overflowing_add(u64::from(carry));
                carry = is_over || is_over_again;
                *word = sum | (*word & !mask);
            }
            table.first.extend_from_slice(&row);
        }
        Some(table)
    }

    /// Myers' rows of vertical differences, plus ones first.
    fn edits(pattern: &[u32], text: &[u32]) -> Option<Self> {
        let mut table = Self::new(pattern, text)?;
        table.second.reserve_exact(table.first.capacity());
        let masks = Masks::new(pattern);
        let mut plus = vec![u64::MAX; table.n_words];
        let mut minus = vec![0; table.n_words];
        for symbol in text {
            let (mut plus_in, mut minus_in) = (1, 0);
            let words = plus.iter_mut().zip(&mut minus);
            for ((plus, minus), mask) in words.zip(masks.of(*symbol)) {
                let matches = mask | minus_in;
                let diagonal = ((matches & *plus).wrapping_add(*plus) ^ *plus) | matches | *minus;
                let across_plus = *minus | !(diagonal | *plus);
                let across_minus = diagonal & *plus;
                let shifted_plus = (across_plus << 1) | plus_in;
                let shifted_minus = (across_minus << 1) | minus_in;
                (plus_in, minus_in) = (across_plus >> (WORD - 1), across_minus >> (WORD - 1));
                *plus = shifted_minus | !(diagonal | shifted_plus);
                *minus = shifted_plus & diagonal;
            }
            table.first.extend_from_slice(&plus);
            table.second.extend_from_slice(&minus);
        }
        Some(table)
    }

    fn bit(&self, words: &[u64], row: usize, column: usize) -> bool {
        (words[row * self.n_words + column / WORD] >> (column % WORD)) & 1 == 1
    }

    fn common_pairs(&self, mut column: usize, mut row: usize) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        while row > 0 && column > 0 {
            if self.bit(&self.first, row - 1, column - 1) {
                column -= 1;
                continue;
            }
            row -= 1;
            // Where the row before was as long already, the text's symbol is not needed.
            if row == 0 || self.bit(&self.first, row - 1, column - 1) {
                column -= 1;
                pairs.push((column, row));
            }
        }
        pairs
    }

    fn edit_pairs(&self, pattern: &[u32], text: &[u32]) -> Vec<(usize, usize)> {
        let (mut column, mut row) = (pattern.len(), text.len());
        let mut pairs = Vec::new();
        while row > 0 && column > 0 {
            if self.bit(&self.first, row - 1, column - 1) {
                column -= 1;
                continue;
            }
            row -= 1;
            // Where the row before took one less for the pattern's symbol, the text's symbol is an insertion.
            if row == 0 || !self.bit(&self.second, row - 1, column - 1) {
                column -= 1;
                if pattern[column] == text[row] {
                    pairs.push((column, row));
                }
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::edit::bits::Bits;

    fn n_kept(partners: &Partners, reference: &[u32], prediction: &[u32]) -> usize {
        let mut last = None;
        for (idx, partner) in partners.of_reference.iter().enumerate() {
            if let Some(partner) = *partner {
                assert!(last.is_none_or(|last| last < partner), "partners ascend");
                last = Some(partner);
                assert_eq!(reference[idx], prediction[partner as usize]);
                assert_eq!(partners.of_prediction[partner as usize], Some(idx as u32));
            }
        }
        let n_kept = partners.of_reference.iter().flatten().count();
        assert_eq!(n_kept, partners.of_prediction.iter().flatten().count());
        n_kept
    }

    /// Counts the edits that are needed between the symbols that stay.
    fn n_edits(partners: &Partners) -> usize {
        let n_prediction = partners.of_prediction.len();
        let mut n = 0;
        let mut next = (0, 0);
        let kept = partners.of_reference.iter().enumerate();
        let kept = kept.filter_map(|(idx, n)| n.map(|n| (idx, n as usize)));
        for (of_reference, of_prediction) in
            kept.chain([(partners.of_reference.len(), n_prediction)])
        {
            n += usize::max(of_reference - next.0, of_prediction - next.1);
            next = (of_reference + 1, of_prediction + 1);
        }
        n
    }

    #[test]
    fn beyond_its_bound_nothing_is_aligned() {
        let reference: Vec<u32> = (0..16_400).collect();
        let prediction: Vec<u32> = reference.iter().rev().copied().collect();
        assert_eq!(common(&reference, &prediction), None);
        assert_eq!(edits(&reference, &prediction), None);
        assert!(common(&reference, &reference).is_some());
        assert!(common(&reference[..9], &[1].repeat(4_000_000)).is_some());
    }

    proptest! {
        #[test]
        fn what_stays_is_as_much_as_is_counted(
            reference in prop::collection::vec(0..6_u32, 0..200),
            prediction in prop::collection::vec(0..6_u32, 0..200),
        ) {
            let mut bits = Bits::default();
            let partners = common(&reference, &prediction).expect("these are short");
            prop_assert_eq!(
                Some(n_kept(&partners, &reference, &prediction)),
                bits.longest_common_subsequence(&reference, &prediction)
            );
            let partners = edits(&reference, &prediction).expect("these are short");
            n_kept(&partners, &reference, &prediction);
            prop_assert_eq!(
                Some(n_edits(&partners)),
                bits.levenshtein(&reference, &prediction)
            );
        }
    }
}
