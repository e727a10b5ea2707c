//! The difference of two texts as rows for people: which lines stay, are removed, added or changed, and what changes
//! inside a line.
//!
//! Decides which lines and words belong together; does not decide how rows look. A row holds both sides, so the same
//! rows are drawn side by side as they are, and one below the other through [`unified`].
//!
//! Nothing here has a clock, so what stops hostile texts is their size: see [`MIDDLE_LINES_MAX`], [`LINE_BYTES_MAX`] and
//! [`STEPS_MAX`]. Beyond these bounds lines are taken whole: the rows stay true, but show less.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

mod inline;
mod patch;

pub use inline::{WordRun, inline};
pub use patch::patch;

/// The most lines, of both texts together, between the common beginning and the common end that are compared one by
/// one; a longer middle is removed and added as a whole.
pub const MIDDLE_LINES_MAX: usize = 20_000;

/// Longer lines are compared as wholes, never word by word.
pub const LINE_BYTES_MAX: usize = 4_096;

/// The most comparisons of two words, over all lines; after them the remaining lines are compared as wholes.
pub const STEPS_MAX: u64 = 20_000_000;

/// The most pairs of an old and a new line that are tried in one stretch; their likenesses are kept in a table of this
/// size.
const PAIRS_MAX: usize = 250_000;

/// Lines are put beside each other when this share of their bytes (in words, without spaces) is in both; `similar` and
/// delta draw the line near there, too.
const ALIKE_MIN: f64 = 0.5;

/// Which white space counts, as the options of `git diff` have it. The end of a line is white space, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Space {
    /// All of it.
    #[default]
    Exact,
    /// `-b`: a run of white space equals any other run, and none counts at the end of a line.
    IgnoreChanges,
    /// `-w`: no white space counts.
    IgnoreAll,
}

impl Space {
    pub const ALL: &[Self] = &[Self::Exact, Self::IgnoreChanges, Self::IgnoreAll];

    /// Describes the setting for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Exact => "white space counts",
            Self::IgnoreChanges => "white space counts only where it separates",
            Self::IgnoreAll => "white space does not count",
        }
    }

    /// Takes the part of a line that is compared.
    fn key(self, line: &str) -> Cow<'_, str> {
        match self {
            Self::Exact => Cow::Borrowed(line),
            Self::IgnoreAll => line.split_whitespace().collect(),
            Self::IgnoreChanges => {
                let mut key = String::with_capacity(line.len());
                for char in line.trim_end().chars() {
                    if !char.is_whitespace() {
                        key.push(char);
                    } else if !key.ends_with(' ') {
                        key.push(' ');
                    }
                }
                Cow::Owned(key)
            }
        }
    }

    /// Lists the indices of the words that count.
    fn counted(self, words: &[&str]) -> Vec<usize> {
        let counts = |idx: &usize| self != Self::IgnoreAll || !is_blank(words[*idx]);
        (0..words.len()).filter(counts).collect()
    }

    /// Takes the part of a word that is compared: one space for any run of white space that does not count exactly.
    fn word(self, word: &str) -> &str {
        if self != Self::Exact && is_blank(word) {
            " "
        } else {
            word
        }
    }
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The same on both sides: byte by byte, but for the white space that does not count.
    Same,
    /// Only in the old text.
    Removed,
    /// Only in the new text.
    Added,
    /// A line of the old text that became one of the new text.
    Changed,
}

/// A line of the old text beside its line of the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRow {
    pub kind: RowKind,
    /// The line of the old text, counted from 0; absent for what was added.
    pub old: Option<u32>,
    /// The line of the new text; absent for what was removed.
    pub new: Option<u32>,
    /// Ranges of bytes inside the old line that the new one does not have, in order; only of changed lines. May reach
    /// into the line's end, which belongs to it: that is all that differs between `\n` and `\r\n`.
    pub old_emphasis: Vec<Range<u32>>,
    /// The same inside the new line.
    pub new_emphasis: Vec<Range<u32>>,
}

impl DiffRow {
    fn new(kind: RowKind, old: Option<usize>, new: Option<usize>) -> Self {
        Self {
            kind,
            old: old.map(|old| old as u32),
            new: new.map(|new| new as u32),
            old_emphasis: Vec::new(),
            new_emphasis: Vec::new(),
        }
    }
}

/// Splits a text into the lines that rows count: each with the `\n` that ends it, the last one perhaps without. An
/// empty text has none.
#[must_use]
pub fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Compares two texts line by line; every line of both is in exactly one row, in order.
///
/// Lines by Myers' algorithm with the bounds that git puts on its search (`similar` 3.2.1); then, inside every stretch
/// that was replaced, the pairing of lines in order that has the most in common.
#[must_use]
pub fn lines(old: &str, new: &str) -> Vec<DiffRow> {
    lines_under(old, new, Space::Exact)
}

/// Compares as [`lines`] does where not all white space counts.
#[must_use]
pub fn lines_under(old: &str, new: &str, space: Space) -> Vec<DiffRow> {
    let (old, new) = (split(old), split(new));
    let keys = [&old, &new].map(|lines| lines.iter().map(|line| space.key(line)).collect());
    let [old_keys, new_keys]: [Vec<Cow<'_, str>>; 2] = keys;
    let [old_keys, new_keys] =
        [&old_keys, &new_keys].map(|keys| keys.iter().map(AsRef::as_ref).collect());
    let (old_keys, new_keys): (Vec<&str>, Vec<&str>) = (old_keys, new_keys);
    let n_head = common(old_keys.iter().zip(&new_keys));
    let n_tail = common(
        old_keys[n_head..]
            .iter()
            .rev()
            .zip(new_keys[n_head..].iter().rev()),
    );
    let (old_end, new_end) = (old.len() - n_tail, new.len() - n_tail);
    let mut rows = Vec::with_capacity(old.len().max(new.len()));
    rows.extend((0..n_head).map(|idx| DiffRow::new(RowKind::Same, Some(idx), Some(idx))));
    if old_end + new_end - 2 * n_head > MIDDLE_LINES_MAX {
        whole(n_head..old_end, n_head..new_end, &mut rows);
    } else {
        let mut pairing = LinePairing {
            old: &old,
            new: &new,
            space,
            steps_left: STEPS_MAX,
        };
        let mut numbers = BTreeMap::new();
        let old_numbers = numbered(&old_keys[n_head..old_end], &mut numbers);
        let new_numbers = numbered(&new_keys[n_head..new_end], &mut numbers);
        for op in capture_diff_slices(Algorithm::Myers, &old_numbers, &new_numbers) {
            let (_, of_old, of_new) = op.as_tag_tuple();
            let of_old = of_old.start + n_head..of_old.end + n_head;
            let of_new = of_new.start + n_head..of_new.end + n_head;
            if matches!(op, DiffOp::Equal { .. }) {
                let pairs = of_old.zip(of_new);
                rows.extend(
                    pairs.map(|pair| DiffRow::new(RowKind::Same, Some(pair.0), Some(pair.1))),
                );
            } else {
                pairing.replaced(of_old, of_new, &mut rows);
            }
        }
    }
    let tail = (old_end..old.len()).zip(new_end..new.len());
    rows.extend(tail.map(|tail| DiffRow::new(RowKind::Same, Some(tail.0), Some(tail.1))));
    rows
}

/// Tells whether nothing differs.
#[must_use]
pub fn is_same(rows: &[DiffRow]) -> bool {
    rows.iter().all(|row| row.kind == RowKind::Same)
}

/// Finds the ranges of rows that show every difference with up to `context` unchanged rows around it; ranges neither
/// touch nor overlap. None when nothing differs.
#[must_use]
pub fn hunks(rows: &[DiffRow], context: usize) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (idx, row) in rows.iter().enumerate() {
        if row.kind == RowKind::Same {
            continue;
        }
        let start = idx.saturating_sub(context);
        let end = idx
            .saturating_add(context)
            .saturating_add(1)
            .min(rows.len());
        match hunks.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

/// Which text a line of the unified form comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiffSide {
    Both,
    Old,
    New,
}

impl DiffSide {
    /// Returns the sign that differences have had since `diff -u`: a space, `-` or `+`.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Both => ' ',
            Self::Old => '-',
            Self::New => '+',
        }
    }
}

/// Lists rows as lines below each other: the side that each line shows, and its index in `rows`. In a stretch of rows
/// that differ, old lines come before new ones.
#[must_use]
pub fn unified(rows: &[DiffRow]) -> Vec<(DiffSide, usize)> {
    let mut lines = Vec::with_capacity(rows.len());
    let mut added = Vec::new();
    for (idx, row) in rows.iter().enumerate() {
        if row.kind == RowKind::Same {
            lines.append(&mut added);
            lines.push((DiffSide::Both, idx));
            continue;
        }
        if row.old.is_some() {
            lines.push((DiffSide::Old, idx));
        }
        if row.new.is_some() {
            added.push((DiffSide::New, idx));
        }
    }
    lines.append(&mut added);
    lines
}

fn common<'t>(pairs: impl Iterator<Item = (&'t &'t str, &'t &'t str)>) -> usize {
    pairs.take_while(|(old, new)| old == new).count()
}

/// Gives each text a number; equal texts have equal numbers. The map is sorted, not hashed, so that no text can make it
/// slow.
fn numbered<'t>(texts: &[&'t str], numbers: &mut BTreeMap<&'t str, u32>) -> Vec<u32> {
    let mut numbered = Vec::with_capacity(texts.len());
    for text in texts {
        let next = numbers.len() as u32;
        numbered.push(*numbers.entry(text).or_insert(next));
    }
    numbered
}

/// Adds rows for unrelated lines: first all old ones as removed, then all new ones as added.
fn whole(old: Range<usize>, new: Range<usize>, rows: &mut Vec<DiffRow>) {
    rows.extend(old.map(|old| DiffRow::new(RowKind::Removed, Some(old), None)));
    rows.extend(new.map(|n| DiffRow::new(RowKind::Added, None, Some(n))));
}

/// Puts lines that were replaced beside those that replace them.
struct LinePairing<'t> {
    old: &'t [&'t str],
    new: &'t [&'t str],
    space: Space,
    steps_left: u64,
}

impl LinePairing<'_> {
    /// Spends `n_steps` if there are that many left; tells whether there were.
    fn spend(&mut self, n_steps: usize) -> bool {
        let n_steps = n_steps as u64;
        let is_enough = n_steps <= self.steps_left;
        if is_enough {
            self.steps_left -= n_steps;
        }
        is_enough
    }

    fn replaced(&mut self, old: Range<usize>, new: Range<usize>, rows: &mut Vec<DiffRow>) {
        let n_pairs = old.len() * new.len();
        if n_pairs == 0 || n_pairs > PAIRS_MAX {
            return whole(old, new, rows);
        }
        let mut words = BTreeMap::new();
        let old_lines = looked_into(&self.old[old.clone()], self.space, &mut words);
        let new_lines = looked_into(&self.new[new.clone()], self.space, &mut words);
        let n_words =
            |lines: &[LineWords<'_>]| lines.iter().map(|line| line.sorted.len() + 1).sum();
        let (n_old, n_new): (usize, usize) = (n_words(&old_lines), n_words(&new_lines));
        let n_steps = (n_old.saturating_mul(new.len())).saturating_add(n_new * old.len());
        if !self.spend(n_steps) {
            return whole(old, new, rows);
        }
        let (mut old_at, mut new_at) = (0, 0);
        for (old_idx, new_idx) in pairs(&old_lines, &new_lines) {
            let gap_old = old.start + old_at..old.start + old_idx;
            whole(gap_old, new.start + new_at..new.start + new_idx, rows);
            let (one, other) = (&old_lines[old_idx], &new_lines[new_idx]);
            let mut row = DiffRow::new(
                RowKind::Changed,
                Some(old.start + old_idx),
                Some(new.start + new_idx),
            );
            if self.spend(one.words.len().saturating_mul(other.words.len())) {
                (row.old_emphasis, row.new_emphasis) = emphasis(one, other, self.space);
            }
            rows.push(row);
            (old_at, new_at) = (old_idx + 1, new_idx + 1);
        }
        whole(
            old.start + old_at..old.end,
            new.start + new_at..new.end,
            rows,
        );
    }
}

/// A line cut into words.
struct LineWords<'t> {
    /// Every byte is in one word.
    words: Vec<&'t str>,
    /// The number of each word.
    numbers: Vec<u32>,
    /// Numbers and lengths of the words that are not space, sorted.
    sorted: Vec<(u32, u32)>,
    /// The summed length of the words in `sorted`.
    n_bytes: u32,
    /// The line is too long to be compared by words, and has none.
    is_whole: bool,
}

fn looked_into<'t>(
    lines: &[&'t str],
    space: Space,
    numbers: &mut BTreeMap<&'t str, u32>,
) -> Vec<LineWords<'t>> {
    lines
        .iter()
        .map(|line| {
            let is_whole = line.len() > LINE_BYTES_MAX;
            let words = if is_whole {
                Vec::new()
            } else {
                words(line, space)
            };
            let keys: Vec<&str> = words.iter().map(|word| space.word(word)).collect();
            let numbers = numbered(&keys, numbers);
            let mut sorted: Vec<(u32, u32)> = words
                .iter()
                .zip(&numbers)
                .filter(|(word, _)| !word.starts_with(char::is_whitespace))
                .map(|(word, number)| (*number, word.len() as u32))
                .collect();
            sorted.sort_unstable();
            LineWords {
                n_bytes: sorted.iter().map(|sorted| sorted.1).sum(),
                words,
                numbers,
                sorted,
                is_whole,
            }
        })
        .collect()
}

fn is_blank(word: &str) -> bool {
    word.chars().all(char::is_whitespace)
}

/// Cuts a text into names and numbers, runs of space, ends of lines, and single other characters. Where not all white
/// space counts, the end of a line is space like any other.
fn words(text: &str, space: Space) -> Vec<&str> {
    #[derive(PartialEq)]
    enum CharClass {
        Name,
        Space,
        End,
        Other,
    }
    let class = |c: char| match c {
        '\n' | '\r' if space == Space::Exact => CharClass::End,
        letter if letter.is_alphanumeric() || letter == '_' => CharClass::Name,
        blank if blank.is_whitespace() => CharClass::Space,
        _ => CharClass::Other,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        let joins = last.as_ref() == Some(&class) && class != CharClass::Other;
        if !joins && at > start {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

/// Computes how much two lines have in common, 0..=1; 1 for two lines of nothing but space.
fn likeness(old: &LineWords<'_>, new: &LineWords<'_>) -> f64 {
    let n_bytes = old.n_bytes + new.n_bytes;
    if old.is_whole || new.is_whole {
        return 0.0;
    }
    if n_bytes == 0 {
        return 1.0;
    }
    let (mut one, mut other) = (old.sorted.iter().peekable(), new.sorted.iter().peekable());
    let mut n_common = 0;
    while let (Some(a), Some(b)) = (one.peek(), other.peek()) {
        match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => drop(one.next()),
            std::cmp::Ordering::Greater => drop(other.next()),
            std::cmp::Ordering::Equal => {
                n_common += a.1;
                one.next();
                other.next();
            }
        }
    }
    f64::from(2 * n_common) / f64::from(n_bytes)
}

/// Pairs lines, in order on both sides, so that their likeness is greatest together; of equal ones the first.
fn pairs(old: &[LineWords<'_>], new: &[LineWords<'_>]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // The greatest sum of likenesses from line `i` and line `j` to the ends.
    let mut best = vec![0.0; (old.len() + 1) * width];
    let mut alike = vec![0.0; old.len() * new.len()];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let likeness = Some(likeness(one, other)).filter(|value| *value >= ALIKE_MIN);
            alike[i * new.len() + j] = likeness.unwrap_or(0.0);
            let skipping = f64::max(best[(i + 1) * width + j], best[i * width + j + 1]);
            let taking = likeness.map_or(0.0, |likeness| likeness + best[(i + 1) * width + j + 1]);
            best[i * width + j] = f64::max(skipping, taking);
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < old.len() && j < new.len() {
        let likeness = alike[i * new.len() + j];
        let here = best[i * width + j];
        if likeness > 0.0 && likeness + best[(i + 1) * width + j + 1] >= here {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= here {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// Finds the parts of each line that the other does not have, as ranges of bytes.
fn emphasis(
    old: &LineWords<'_>,
    new: &LineWords<'_>,
    space: Space,
) -> (Vec<Range<u32>>, Vec<Range<u32>>) {
    let mut old_ranges = Vec::new();
    let mut new_ranges = Vec::new();
    let [(old_kept, old_numbers), (new_kept, new_numbers)] = [old, new].map(|line| {
        let kept = space.counted(&line.words);
        let numbers: Vec<u32> = kept.iter().map(|kept| line.numbers[*kept]).collect();
        (kept, numbers)
    });
    for op in capture_diff_slices(Algorithm::Myers, &old_numbers, &new_numbers) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (_, of_old, of_new) = op.as_tag_tuple();
        push(&mut old_ranges, &old.words, &old_kept[of_old]);
        push(&mut new_ranges, &new.words, &new_kept[of_new]);
    }
    (old_ranges, new_ranges)
}

/// Adds the bytes of some words; joins them to the last range where only space is between.
fn push(ranges: &mut Vec<Range<u32>>, line: &[&str], words: &[usize]) {
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return;
    };
    let words = *first..*last + 1;
    let n_bytes = |words: &[&str]| words.iter().map(|word| word.len() as u32).sum::<u32>();
    let start = n_bytes(&line[..words.start]);
    let end = start + n_bytes(&line[words.clone()]);
    if let Some(last) = ranges.last_mut()
        && let Some(between) = line[..words.start].last()
        && between.starts_with(char::is_whitespace)
        && last.end + between.len() as u32 == start
    {
        last.end = end;
        return;
    }
    ranges.push(start..end);
}

#[cfg(test)]
mod tests;
