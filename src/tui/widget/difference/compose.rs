//! The contents of a difference before it is broken into rows: the lines in each mode, and which of them stand side by
//! side.
//!
//! Decides which words are emphasised and which lines belong to which change; knows no width.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::DifferenceText;
use crate::diff::{self, DiffRow, DiffSide, RowKind, Space, WordRun};
use crate::model::Language;
use crate::paint;
use crate::text::{VisibleLine, sanitize};
use crate::theme::Role;

/// Longer texts stay plain: no screen shows so much at once, and the painter has other things to do.
const PAINTED_BYTES_MAX: usize = 256 * 1024;

/// The lines of a text that are shown. A longer text is no test, and every line takes memory.
pub const LINES_MAX: usize = 100_000;

/// A change is shown word by word when the two sides have at least this share of their bytes in common (without
/// blanks).
const ALIKE_MIN: f64 = 0.5;

/// The same for a change in which some lines have partners: it is then the same text, broken into lines in another way.
const BROKEN_MIN: f64 = 0.85;

/// A line of one of the two texts, fit for a screen.
#[derive(Clone, Debug)]
struct DifferenceSourceLine {
    clean: VisibleLine,
    /// The byte in the text where the line starts, and the number of its bytes without its end.
    start: usize,
    n_bytes: usize,
    /// The sign for a difference in the line's end itself.
    end: &'static str,
}

/// One of the two texts.
#[derive(Clone, Debug, Default)]
pub struct DifferenceSide {
    pub title: String,
    language: Option<Language>,
    pub first_line: u32,
    /// The text as it was given; cut after [`LINES_MAX`] lines.
    pub raw: String,
    pub is_cut: bool,
    pub job: Option<paint::PaintJob>,
    lines: Vec<DifferenceSourceLine>,
    /// Blanks that every line of both texts begins with.
    margin: usize,
    /// The cost of each line that has one, and the dearest parts of lines (line, start, end); both sorted.
    pub line_costs: Vec<(u32, f64)>,
    pub dearest_parts: Vec<(u32, u32, u32)>,
}

/// Takes both texts, and the margin that all their lines share.
pub fn halves(old: DifferenceText, new: DifferenceText) -> [DifferenceSide; 2] {
    let mut halves = [old, new].map(DifferenceSide::new);
    let margins = halves
        .iter()
        .flat_map(|half| &half.lines)
        .filter_map(|source_line| {
            let text = source_line.clean.text.trim_start_matches(' ');
            (!text.is_empty()).then(|| source_line.clean.text.len() - text.len())
        });
    let margin = margins.min().unwrap_or(0);
    for half in &mut halves {
        half.margin = margin;
        half.job = half.painted();
    }
    halves
}

impl DifferenceSide {
    fn new(text: DifferenceText) -> Self {
        let mut raw = text.text;
        let ends = raw.match_indices('\n').map(|(at, _)| at + 1);
        let n_bytes = ends.take(LINES_MAX).last().unwrap_or(0);
        let is_cut = raw.len() > n_bytes && raw[..n_bytes].matches('\n').count() == LINES_MAX;
        if is_cut {
            raw.truncate(n_bytes);
        }
        let mut start = 0;
        let lines = diff::split(&raw).into_iter().map(|line| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            let source = DifferenceSourceLine {
                clean: sanitize(bare),
                start,
                n_bytes: bare.len(),
                end: match &line[bare.len()..] {
                    "\n" => "⏎",
                    "\r\n" => "␍⏎",
                    "\r" => "␍",
                    _ => "",
                },
            };
            start += line.len();
            source
        });
        Self {
            title: text.title,
            language: text.language,
            first_line: text.first_line,
            lines: lines.collect(),
            raw,
            is_cut,
            ..Self::default()
        }
    }

    fn painted(&self) -> Option<paint::PaintJob> {
        if self.raw.is_empty() || self.raw.len() > PAINTED_BYTES_MAX {
            return None;
        }
        let texts: Vec<&str> = (0..self.lines.len()).map(|n| self.text(n)).collect();
        let text = texts.join("\n");
        let mut hasher = rustc_hash::FxHasher::default();
        text.hash(&mut hasher);
        Some(paint::PaintJob {
            id: hasher.finish(),
            language: self.language,
            text,
        })
    }

    pub fn n_lines(&self) -> usize {
        self.lines.len()
    }

    /// Returns a line as it is shown, without the margin.
    fn text(&self, line_idx: usize) -> &str {
        let text = self.lines.get(line_idx).map_or("", |line| &line.clean.text);
        &text[self.margin.min(text.len())..]
    }

    /// Maps a byte of a line to its byte in the shown line.
    pub fn shown(&self, line_idx: usize, offset: u32) -> u32 {
        let Some(line) = self.lines.get(line_idx) else {
            return 0;
        };
        // A byte inside a character counts as the character's start.
        let mut offset = (offset as usize).min(line.n_bytes);
        while !self.raw.is_char_boundary(line.start + offset) {
            offset -= 1;
        }
        let shown = line.clean.map(offset as u32);
        shown.saturating_sub(self.margin as u32)
    }

    /// Finds the line that holds a byte of the text; the last one for a byte behind the end.
    pub fn line_at(&self, offset: usize) -> usize {
        let next = self.lines.partition_point(|line| line.start <= offset);
        next.saturating_sub(1)
    }

    /// Computes the bytes of the text that some lines take, with their ends.
    fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let at = |idx: usize| {
            self.lines
                .get(idx)
                .map_or(self.raw.len(), |line| line.start)
        };
        at(lines.start)..at(lines.end)
    }

    /// Returns the cost of a line.
    pub fn toll(&self, line_idx: u32) -> f64 {
        let found = self
            .line_costs
            .binary_search_by_key(&line_idx, |toll| toll.0);
        found.map_or(0.0, |idx| self.line_costs[idx].1)
    }

    /// Takes the costs of ranges of bytes: the whole cost of a range counts for the line where it starts. Ranges that
    /// cost at least `dear_min` are marked, in all their lines.
    pub fn set_costs(&mut self, costs: &[(Range<usize>, f64)], dear_min: f64) {
        self.line_costs.clear();
        self.dearest_parts.clear();
        if self.lines.is_empty() {
            return;
        }
        let mut line_costs = std::collections::BTreeMap::<u32, f64>::new();
        for (range, cost) in costs {
            let first = self.line_at(range.start);
            *line_costs.entry(first as u32).or_default() += cost;
            if *cost < dear_min {
                continue;
            }
            let last = self.line_at(range.end.saturating_sub(1)).max(first);
            for line_idx in first..=last {
                let start = self.lines[line_idx].start;
                let at = |byte: usize| self.shown(line_idx, byte.saturating_sub(start) as u32);
                let (from, to) = (at(range.start), at(range.end));
                if from < to {
                    self.dearest_parts.push((line_idx as u32, from, to));
                }
            }
        }
        self.line_costs.extend(line_costs);
        self.dearest_parts.sort_unstable();
        self.dearest_parts.dedup_by(|next, last| {
            let overlaps = next.0 == last.0 && next.1 < last.2;
            if overlaps {
                last.2 = last.2.max(next.2);
            }
            overlaps
        });
    }
}

/// What a shown line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceLineKind {
    Same,
    Removed,
    Added,
    /// It holds words of different kinds: of both texts, of the old one only, or of the new one only.
    Mixed,
}

impl DifferenceLineKind {
    /// Returns the sign that shows it without colours, and its role.
    pub const fn sign(self) -> (&'static str, Role) {
        match self {
            Self::Same => (" ", Role::Dim),
            Self::Removed => ("-", Role::Error),
            Self::Added => ("+", Role::Good),
            Self::Mixed => ("~", Role::Warning),
        }
    }

    /// Returns the background of the whole line; changed words on a mixed line have their own.
    pub const fn ground(self) -> Option<Role> {
        match self {
            Self::Removed => Some(Role::Removed),
            Self::Added => Some(Role::Added),
            Self::Same | Self::Mixed => None,
        }
    }
}

/// A part of a shown line that comes from one of the texts, and takes its colours from there.
#[derive(Clone, Copy, Debug)]
pub struct SegmentOrigin {
    pub at: u32,
    pub half: usize,
    pub line_idx: u32,
    pub start: u32,
    pub end: u32,
}

/// Ranges of bytes with their roles, sorted and without overlaps.
pub type Spans = Vec<(u32, u32, Role)>;

/// A line that is shown.
#[derive(Clone, Debug)]
pub struct DifferenceLine {
    /// The line of the old and of the new text that is here, or begins here, counted from 0.
    pub numbers: [Option<u32>; 2],
    pub kind: DifferenceLineKind,
    pub text: String,
    pub origins: Vec<SegmentOrigin>,
    /// Layers over syntax and ground, the later over the earlier: words that differ, the dearest tokens, pictures.
    pub layers: [Spans; 3],
}

const WORDS: usize = 0;
pub const COSTS: usize = 1;
const PICTURES: usize = 2;

impl DifferenceLine {
    fn new(kind: DifferenceLineKind) -> Self {
        Self {
            numbers: [None; 2],
            kind,
            text: String::new(),
            origins: Vec::new(),
            layers: Default::default(),
        }
    }

    fn push(&mut self, text: &str, layer: usize, role: Role) {
        let at = self.text.len() as u32;
        self.text.push_str(text);
        self.layers[layer].push((at, at + text.len() as u32, role));
    }
}

/// Lines side by side: one of each text; where only one stands there, or lines stand one below the other, a single one.
#[derive(Clone, Copy, Debug)]
pub struct DifferenceEntry {
    pub cells: [Option<u32>; 2],
    /// The number of the change that it belongs to, from 0.
    pub hunk: Option<u32>,
}

/// A difference in one way to look at it.
#[derive(Clone, Debug, Default)]
pub struct ComposedDifference {
    pub lines: Vec<DifferenceLine>,
    pub entries: Vec<DifferenceEntry>,
    /// At least the columns of the widest line: its bytes.
    pub width_max: usize,
}

/// The arrangement of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceLayout {
    Beside,
    Below,
    Within,
}

/// Turns the rows of a difference into shown lines.
pub fn compose(
    halves: &[DifferenceSide; 2],
    rows: &[DiffRow],
    form: DifferenceLayout,
    space: Space,
) -> ComposedDifference {
    let mut composer = Composer {
        halves,
        space,
        steps_left: diff::STEPS_MAX,
        last_numbers: [None; 2],
        composed: ComposedDifference::default(),
    };
    let mut n_hunks = 0;
    let mut start = 0;
    while start < rows.len() {
        let is_same = rows[start].kind == RowKind::Same;
        let stretch = rows[start..].iter();
        let n_rows = stretch.take_while(|diff_row| (diff_row.kind == RowKind::Same) == is_same);
        let end = start + n_rows.count();
        let hunk = (!is_same).then_some(n_hunks);
        n_hunks += u32::from(!is_same);
        let stretch = &rows[start..end];
        match form {
            DifferenceLayout::Beside => composer.beside(stretch, hunk),
            DifferenceLayout::Below => composer.below(stretch, hunk),
            DifferenceLayout::Within if is_same => composer.below(stretch, hunk),
            DifferenceLayout::Within => composer.within(stretch, hunk),
        }
        start = end;
    }
    let mut composed = composer.composed;
    let widths = composed.lines.iter().map(|line| line.text.len());
    composed.width_max = widths.max().unwrap_or(0);
    composed
}

struct Composer<'t> {
    halves: &'t [DifferenceSide; 2],
    space: Space,
    steps_left: u64,
    /// The last line of each text whose number was shown.
    last_numbers: [Option<u32>; 2],
    composed: ComposedDifference,
}

/// A part of a line of one of the texts, to be copied into a shown line.
#[derive(Clone, Copy, Debug)]
struct Segment {
    side: DiffSide,
    half: usize,
    line_idx: usize,
    /// The bytes in that line as it is shown.
    start: u32,
    end: u32,
    has_end: bool,
}

impl Composer<'_> {
    fn beside(&mut self, rows: &[DiffRow], hunk: Option<u32>) {
        for row in rows {
            let same = row.kind == RowKind::Same;
            let kinds = if same {
                [DifferenceLineKind::Same; 2]
            } else {
                [DifferenceLineKind::Removed, DifferenceLineKind::Added]
            };
            let old = row.old.map(|_| self.whole(row, 0, kinds[0]));
            let new = row.new.map(|_| self.whole(row, 1, kinds[1]));
            let cells =
                [old, new].map(|difference_line| difference_line.map(|line| self.add(line)));
            self.composed.entries.push(DifferenceEntry { cells, hunk });
        }
    }

    fn below(&mut self, rows: &[DiffRow], hunk: Option<u32>) {
        for (side, idx) in diff::unified(rows) {
            let row = &rows[idx];
            let line = match side {
                DiffSide::Old => self.whole(row, 0, DifferenceLineKind::Removed),
                DiffSide::New => self.whole(row, 1, DifferenceLineKind::Added),
                DiffSide::Both => {
                    let line = self.whole(row, 1, DifferenceLineKind::Same);
                    let numbers = [row.old, row.new];
                    DifferenceLine { numbers, ..line }
                }
            };
            self.add_alone(line, hunk);
        }
    }

    /// Shows a change word by word: as one text where it was only broken into lines in another way; else line by line
    /// where lines have partners, and the others as removed and added lines.
    fn within(&mut self, rows: &[DiffRow], hunk: Option<u32>) {
        let span = |side: fn(&DiffRow) -> Option<u32>| {
            let first = rows.iter().find_map(side).unwrap_or(0) as usize;
            first..first + rows.iter().filter_map(side).count()
        };
        let (old, new) = (span(|diff_row| diff_row.old), span(|diff_row| diff_row.new));
        // Where lines have partners, they are easier to read one by one, unless nearly all the text is the same.
        let has_pair = rows.iter().any(|row| row.kind == RowKind::Changed);
        let has_lone = rows.iter().any(|row| row.kind != RowKind::Changed);
        let alike_min = if has_pair { BROKEN_MIN } else { ALIKE_MIN };
        if has_lone && !old.is_empty() && !new.is_empty() {
            let pieces = self.pieces(old, new);
            if self.likeness(&pieces) >= alike_min {
                return self.mixed(&pieces, hunk);
            }
        }
        for row in rows {
            match (row.old, row.new) {
                (Some(old), Some(new)) => {
                    let (old, new) = (old as usize, new as usize);
                    let pieces = self.pieces(old..old + 1, new..new + 1);
                    self.mixed(&pieces, hunk);
                }
                (Some(_), None) => {
                    let line = self.whole(row, 0, DifferenceLineKind::Removed);
                    self.add_alone(line, hunk);
                }
                (None, Some(_)) => {
                    let line = self.whole(row, 1, DifferenceLineKind::Added);
                    self.add_alone(line, hunk);
                }
                (None, None) => {}
            }
        }
    }

    /// Compares some lines word by word; the ranges of the pieces count from the start of each text.
    fn pieces(&mut self, old: Range<usize>, new: Range<usize>) -> Vec<WordRun> {
        let [of_old, of_new] = self.halves;
        let (old, new) = (of_old.bytes(old), of_new.bytes(new));
        let mut pieces = diff::inline(
            &of_old.raw[old.clone()],
            &of_new.raw[new.clone()],
            self.space,
            &mut self.steps_left,
        );
        for piece in &mut pieces {
            piece.old = piece.old.start + old.start..piece.old.end + old.start;
            piece.new = piece.new.start + new.start..piece.new.end + new.start;
        }
        pieces
    }

    /// Computes the share of bytes, without blanks, that both sides have.
    fn likeness(&self, pieces: &[WordRun]) -> f64 {
        let n_bytes = |text: &str| text.split_whitespace().map(str::len).sum::<usize>() as f64;
        let (mut n_both, mut n_all) = (0.0, 0.0);
        for piece in pieces {
            let n_old = n_bytes(&self.halves[0].raw[piece.old.clone()]);
            let n_new = n_bytes(&self.halves[1].raw[piece.new.clone()]);
            n_all += n_old + n_new;
            if piece.side == DiffSide::Both {
                n_both += n_old + n_new;
            }
        }
        if n_all > 0.0 { n_both / n_all } else { 1.0 }
    }

    /// Adds lines that mix the words of both texts.
    fn mixed(&mut self, pieces: &[WordRun], hunk: Option<u32>) {
        let mut segments = Vec::new();
        let mut numbers = [None; 2];
        let mut pieces = pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            let half = usize::from(piece.side != DiffSide::Old);
            let range = if half == 0 { &piece.old } else { &piece.new };
            let side = piece.side;
            // An old line end that only gives way to another one does not break the line a second time.
            let is_end = |half: &DifferenceSide, range: &Range<usize>| {
                matches!(&half.raw[range.clone()], "\n" | "\r\n")
            };
            let next_is_end = pieces.peek().is_some_and(|next| {
                next.side == DiffSide::New && is_end(&self.halves[1], &next.new)
            });
            let stays = side == DiffSide::Old && is_end(&self.halves[0], range) && next_is_end;
            // The line of the old text that a word of both stands in.
            let is_alike = piece.old.len() == piece.new.len();
            let mut at = range.start;
            while at < range.end {
                let line_idx = self.halves[half].line_at(at);
                let line = self.halves[half].bytes(line_idx..line_idx + 1);
                let to = line.end.min(range.end);
                let source = &self.halves[half].lines[line_idx];
                let shown =
                    |byte: usize| self.halves[half].shown(line_idx, (byte - line.start) as u32);
                segments.push(Segment {
                    side,
                    half,
                    line_idx,
                    start: shown(at),
                    end: shown(to),
                    has_end: to > source.start + source.n_bytes,
                });
                numbers[half].get_or_insert(line_idx as u32);
                if piece.side == DiffSide::Both && (is_alike || at == range.start) {
                    let old_at = piece.old.start + (at - range.start);
                    let old_idx = self.halves[0].line_at(old_at) as u32;
                    numbers[0].get_or_insert(old_idx);
                }
                let breaks = self.halves[half].raw[at..to].ends_with('\n') && !stays;
                if breaks {
                    self.flush(&mut segments, &mut numbers, hunk);
                }
                at = to;
            }
        }
        if !segments.is_empty() {
            self.flush(&mut segments, &mut numbers, hunk);
        }
    }

    /// Makes a line of the gathered segments. Inside a line, deletions stand in `[-…-]` and insertions in `{+…+}`, as
    /// in `git diff --word-diff`, so that nobody has to tell colours apart.
    fn flush(
        &mut self,
        segments: &mut Vec<Segment>,
        numbers: &mut [Option<u32>; 2],
        hunk: Option<u32>,
    ) {
        let all = |side: DiffSide| segments.iter().all(|segment| segment.side == side);
        let kind = if all(DiffSide::Both) {
            DifferenceLineKind::Same
        } else if all(DiffSide::Old) {
            DifferenceLineKind::Removed
        } else if all(DiffSide::New) {
            DifferenceLineKind::Added
        } else {
            DifferenceLineKind::Mixed
        };
        let mut line = DifferenceLine::new(kind);
        for (number, (last, line_number)) in numbers
            .iter_mut()
            .zip(self.last_numbers.iter_mut().zip(&mut line.numbers))
        {
            // A source line that goes on here has shown its number already.
            *line_number = number.take().filter(|number| Some(*number) > *last);
            *last = (*last).max(*line_number);
        }
        for run in segments.chunk_by(|a, b| a.side == b.side) {
            let (open, close, role) = match run[0].side {
                _ if kind != DifferenceLineKind::Mixed => ("", "", None),
                DiffSide::Both => ("", "", None),
                DiffSide::Old => ("[-", "-]", Some(Role::RemovedWord)),
                DiffSide::New => ("{+", "+}", Some(Role::AddedWord)),
            };
            let at = line.text.len() as u32;
            line.text.push_str(open);
            for segment in run {
                self.copy(&mut line, segment);
                if segment.has_end && role.is_some() {
                    let end = self.halves[segment.half].lines[segment.line_idx].end;
                    line.push(end, PICTURES, Role::Picture);
                }
            }
            line.text.push_str(close);
            if let Some(role) = role {
                line.layers[WORDS].push((at, line.text.len() as u32, role));
            }
        }
        segments.clear();
        self.add_alone(line, hunk);
    }

    /// Makes a whole line of one text, with its differences emphasised.
    fn whole(&mut self, row: &DiffRow, half: usize, kind: DifferenceLineKind) -> DifferenceLine {
        let (idx, emphasis, role) = match half {
            0 => (row.old, &row.old_emphasis, Role::RemovedWord),
            _ => (row.new, &row.new_emphasis, Role::AddedWord),
        };
        let mut line = DifferenceLine::new(kind);
        let Some(idx) = idx else { return line };
        let line_idx = idx as usize;
        line.numbers[half] = Some(idx);
        self.last_numbers[half] = Some(idx);
        if kind == DifferenceLineKind::Same {
            self.last_numbers = [row.old, row.new];
        }
        let of = &self.halves[half];
        let segment = Segment {
            side: DiffSide::Both,
            half,
            line_idx,
            start: 0,
            end: of.text(line_idx).len() as u32,
            has_end: true,
        };
        self.copy(&mut line, &segment);
        let words = emphasis.iter().filter_map(|range| {
            let (start, end) = (
                of.shown(line_idx, range.start),
                of.shown(line_idx, range.end),
            );
            (start < end).then_some((start, end, role))
        });
        line.layers[WORDS].extend(words);
        let source = &of.lines[line_idx];
        let ends = emphasis
            .last()
            .is_some_and(|range| range.end as usize > source.n_bytes);
        if ends {
            line.push(source.end, PICTURES, Role::Picture);
        }
        line
    }

    /// Copies a part of a line of one text to the end of a shown line, with its signs and dear parts.
    fn copy(&self, line: &mut DifferenceLine, segment: &Segment) {
        let half = &self.halves[segment.half];
        let (start, end) = (segment.start, segment.end);
        let text = &half.text(segment.line_idx)[start as usize..end as usize];
        let at = line.text.len() as u32;
        line.text.push_str(text);
        line.origins.push(SegmentOrigin {
            at,
            half: segment.half,
            line_idx: segment.line_idx as u32,
            start,
            end,
        });
        let margin = half.margin as u32;
        let source = &half.lines[segment.line_idx];
        let pictures = source.clean.pictures.iter().filter_map(|(from, to)| {
            let from = from.saturating_sub(margin).max(start);
            let to = to.saturating_sub(margin).min(end);
            (from < to).then(|| (at + from - start, at + to - start, Role::Picture))
        });
        line.layers[PICTURES].extend(pictures);
        let line_idx = segment.line_idx as u32;
        let first = half.dearest_parts.partition_point(|dear| dear.0 < line_idx);
        let dearest_parts = half.dearest_parts[first..].iter();
        let dear = dearest_parts
            .take_while(|entry| entry.0 == line_idx)
            .filter_map(|entry| {
                let (from, to) = (entry.1.max(start), entry.2.min(end));
                (from < to).then(|| (at + from - start, at + to - start, Role::Cost))
            });
        line.layers[COSTS].extend(dear);
    }

    fn add(&mut self, line: DifferenceLine) -> u32 {
        self.composed.lines.push(line);
        self.composed.lines.len() as u32 - 1
    }

    fn add_alone(&mut self, line: DifferenceLine, hunk: Option<u32>) {
        let cells = [Some(self.add(line)), None];
        self.composed.entries.push(DifferenceEntry { cells, hunk });
    }
}
