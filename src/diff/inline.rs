//! Two texts as one, word by word: what both have, what goes, what comes.
//!
//! Decides the pieces and their order; how a deletion inside a line looks is for others to say.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{DiffSide, Space, numbered, words};

/// Texts that are longer than this, both together, are deleted and inserted as wholes.
const BYTES_MAX: usize = 256 * 1024;

/// A run of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordRun {
    /// Which of the texts has these words.
    pub side: DiffSide,
    /// Their bytes in the old text; empty, and where they would be, for [`DiffSide::New`].
    pub old: Range<usize>,
    /// Their bytes in the new text; empty for [`DiffSide::Old`].
    pub new: Range<usize>,
}

/// Returns two texts as one sequence of pieces; each side's pieces make up its text. None is empty on both sides.
///
/// Myers' algorithm over words (`similar` 3.2.1). A comparison of `n` with `m` words takes `n × m` of `steps_left`; when
/// there are not enough left, the texts are two pieces. Pieces of both sides may differ in white space that does not
/// count; where none counts, one side of such a piece may be empty.
#[must_use]
pub fn inline(old: &str, new: &str, space: Space, steps_left: &mut u64) -> Vec<WordRun> {
    let whole = || {
        let pieces = [
            piece(DiffSide::Old, 0..old.len(), 0..0),
            piece(DiffSide::New, old.len()..old.len(), 0..new.len()),
        ];
        let pieces = pieces.into_iter();
        pieces
            .filter(|piece| !(piece.old.is_empty() && piece.new.is_empty()))
            .collect()
    };
    if old.len() + new.len() > BYTES_MAX {
        return whole();
    }
    let [old_words, new_words] = [old, new].map(|text| words(text, space));
    let n_steps = old_words.len() as u64 * new_words.len() as u64;
    if n_steps > *steps_left {
        return whole();
    }
    *steps_left -= n_steps;
    let mut numbers = BTreeMap::new();
    let [(old_numbers, old_kept), (new_numbers, new_kept)] =
        [&old_words, &new_words].map(|words| {
            let kept = space.counted(words);
            let keys: Vec<&str> = kept.iter().map(|kept| space.word(words[*kept])).collect();
            (numbered(&keys, &mut numbers), kept)
        });
    let (mut old, mut new) = (WordCursor::of(&old_words), WordCursor::of(&new_words));
    let mut pieces = Vec::new();
    let first = |kept: &[usize]| kept.first().copied().unwrap_or(usize::MAX);
    let leading = piece(
        DiffSide::Both,
        old.to(first(&old_kept)),
        new.to(first(&new_kept)),
    );
    pieces.push(leading);
    for op in capture_diff_slices(Algorithm::Myers, &old_numbers, &new_numbers) {
        let (_, of_old, of_new) = op.as_tag_tuple();
        let end = |kept: &[usize], of: &Range<usize>| match of.end.checked_sub(1) {
            Some(last) if !of.is_empty() => Some((kept[last] + 1, kept.get(of.end).copied())),
            _ => None,
        };
        let (old_end, new_end) = (end(&old_kept, &of_old), end(&new_kept, &of_new));
        let old_range = old_end.map_or(old.at..old.at, |old_end| old.to(old_end.0));
        let new_at = new.at;
        let new_range = new_end.map_or(new.at..new.at, |new_end| new.to(new_end.0));
        if matches!(op, DiffOp::Equal { .. }) {
            pieces.push(piece(DiffSide::Both, old_range, new_range));
        } else {
            let old_at = old.at;
            pieces.push(piece(DiffSide::Old, old_range, new_at..new_at));
            pieces.push(piece(DiffSide::New, old_at..old_at, new_range));
        }
        // White space that follows and does not count belongs to neither side alone.
        let old_range = old_end.map_or(old.at..old.at, |old_end| {
            old.to(old_end.1.unwrap_or(usize::MAX))
        });
        let new_range = new_end.map_or(new.at..new.at, |new_end| {
            new.to(new_end.1.unwrap_or(usize::MAX))
        });
        pieces.push(piece(DiffSide::Both, old_range, new_range));
    }
    pieces.retain(|piece| !(piece.old.is_empty() && piece.new.is_empty()));
    pieces
}

/// A way through the words of a text.
struct WordCursor<'t> {
    words: &'t [&'t str],
    word_idx: usize,
    /// The byte where that word starts.
    at: usize,
}

impl<'t> WordCursor<'t> {
    const fn of(words: &'t [&'t str]) -> Self {
        Self {
            words,
            word_idx: 0,
            at: 0,
        }
    }

    /// Goes to the start of a word, or to the end; returns the bytes on the way.
    fn to(&mut self, word_idx: usize) -> Range<usize> {
        let word_idx = word_idx.min(self.words.len());
        let words = &self.words[self.word_idx..word_idx];
        let start = self.at;
        self.at += words.iter().map(|word| word.len()).sum::<usize>();
        self.word_idx = word_idx;
        start..self.at
    }
}

fn piece(side: DiffSide, old: Range<usize>, new: Range<usize>) -> WordRun {
    WordRun { side, old, new }
}
