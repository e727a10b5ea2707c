//! The difference of two texts: side by side, one below the other, or word by word.
//!
//! ```text
//! - ground truth                         │ + prediction
//!   7   Verdict v = verify(t);           │  7   Verdict v = verify(t);
//!   8 - assertFalse(v.accepted());       │  8 + assertFalse(v.isValid());
//!   9 - assertEquals(0, store.size());   │    ·
//!  10   }                                │  9   }
//!  ⋯ 12 lines
//! ```
//!
//! Decides which parts of two texts are shown and how they scroll; [`crate::diff`] decides which lines and words belong
//! together. Lines are made when texts, mode or white space change, rows when the width does; drawing touches the
//! visible ones only. No colour carries meaning alone: lines have their signs, words inside a line are bold or in
//! `[-…-]` and `{+…+}`.
//!
//! Of a longer text, only the first 100 000 lines are shown, and the note says so.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::diff::{self, DiffSide, Space};
use crate::keymap::{Motion, StepDirection};
use crate::model::Language;
use crate::paint;
use crate::text::visible;
use crate::widget::code::{occurrences, scrolled, stepped};
use crate::widget::frame::counted;

mod compose;
mod draw;
mod layout;
#[cfg(test)]
mod tests;

use compose::{ComposedDifference, DifferenceLayout, DifferenceLineKind, DifferenceSide};
use layout::{DifferenceRow, ParserStop, RowContent};

/// The columns that two texts need to stand side by side; with fewer, they stand one below the other.
pub const SIDE_WIDTH_MIN: u16 = 100;

/// The initial number of lines around a change that are not folded.
const CONTEXT: usize = 3;

const SIDEWAYS: usize = 8;
/// The farthest column that can be scrolled to; longer lines must be wrapped to be read.
const LEFT_MAX: usize = 10_000;

/// A way to look at a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Both texts side by side.
    #[default]
    Side,
    /// Removed lines above added ones.
    Unified,
    /// One text with deletions and insertions inside its lines.
    Word,
}

impl Mode {
    pub const ALL: &[Self] = &[Self::Side, Self::Unified, Self::Word];

    /// Returns its name, as notes have it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Side => "side",
            Self::Unified => "unified",
            Self::Word => "word",
        }
    }
}

/// One of two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DifferenceText {
    /// The name of the text: `ground truth`, `prediction`.
    pub title: String,
    pub text: String,
    /// The number of its first line, from 1.
    pub first_line: u32,
    /// Without a language, nothing is coloured.
    pub language: Option<Language>,
}

/// A hit of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DifferenceHit {
    line_idx: u32,
    start: u32,
    end: u32,
}

/// Two texts, the way they are shown, and the scroll position.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own that a key turns"
)]
pub struct DifferenceView {
    halves: [DifferenceSide; 2],
    rows: Vec<diff::DiffRow>,
    /// Nothing but white space differs.
    is_space_only: bool,
    mode: Mode,
    space: Space,
    context: usize,
    is_folded: bool,
    has_costs: bool,
    shows_costs: bool,
    stops: Vec<ParserStop>,
    form: DifferenceLayout,
    composed: ComposedDifference,
    /// The first entry of each change.
    hunks: Vec<usize>,
    hunk_idx: Option<usize>,
    kept: Vec<bool>,
    shown: Vec<DifferenceRow>,
    /// The widths of the cells, and whether lines wrap, as `shown` was laid out for.
    laid_out: Option<([u16; 2], bool)>,
    area: Rect,
    wraps: bool,
    top: usize,
    left: usize,
    needle: String,
    hits: Vec<DifferenceHit>,
    hit_idx: Option<usize>,
}

impl Default for DifferenceView {
    fn default() -> Self {
        Self {
            halves: Default::default(),
            rows: Vec::new(),
            is_space_only: false,
            mode: Mode::default(),
            space: Space::default(),
            context: CONTEXT,
            is_folded: true,
            has_costs: false,
            shows_costs: true,
            stops: Vec::new(),
            form: DifferenceLayout::Below,
            composed: ComposedDifference::default(),
            hunks: Vec::new(),
            hunk_idx: None,
            kept: Vec::new(),
            shown: Vec::new(),
            laid_out: None,
            area: Rect::ZERO,
            wraps: true,
            top: 0,
            left: 0,
            needle: String::new(),
            hits: Vec::new(),
            hit_idx: None,
        }
    }
}

impl DifferenceView {
    /// Shows two other texts from their beginning, folded; mode, white space and search stay, costs and error marks go.
    pub fn show(&mut self, old: DifferenceText, new: DifferenceText) {
        self.halves = compose::halves(old, new);
        self.has_costs = false;
        self.stops.clear();
        (self.context, self.is_folded) = (CONTEXT, true);
        (self.top, self.left) = (0, 0);
        self.compare();
        (self.top, self.hunk_idx) = (0, None);
    }

    /// Sets the costs of tokens: ranges of bytes of either text, in points of 0..=1; ranges of [`DiffSide::Both`] are
    /// ignored. Each line shows its sum; tokens that cost at least half as much as the dearest one are marked. Without
    /// costs, the column disappears.
    pub fn set_costs(&mut self, costs: &[(DiffSide, Range<usize>, f64)]) {
        self.has_costs = !costs.is_empty();
        let dear_min = costs.iter().map(|cost| cost.2).fold(0.0, f64::max) / 2.0;
        for (half, side) in self.halves.iter_mut().zip([DiffSide::Old, DiffSide::New]) {
            let own = costs.iter().filter(|cost| cost.0 == side);
            let own: Vec<_> = own.map(|own| (own.1.clone(), own.2)).collect();
            half.set_costs(&own, dear_min.max(f64::MIN_POSITIVE));
        }
        self.recompose();
    }

    /// Shows or hides costs; tells whether they are shown.
    pub fn toggle_costs(&mut self) -> bool {
        self.shows_costs = !self.shows_costs;
        self.lay_out();
        self.shows_costs
    }

    /// Marks where the parser stopped, with a message under the line. Line and column count from 0, the column in
    /// bytes; a place behind the end is the end. Each text has at most one mark, the last one set.
    pub fn set_error(&mut self, side: DiffSide, line: u32, column: u32, text: &str) {
        let half = usize::from(side != DiffSide::Old);
        self.stops.retain(|stop| stop.half != half);
        let Some(last) = self.halves[half].n_lines().checked_sub(1) else {
            return;
        };
        let is_inside = line as usize <= last;
        self.stops.push(ParserStop {
            half,
            line_idx: line.min(last as u32),
            column: if is_inside { column } else { u32::MAX },
            text: visible(text),
        });
        self.fold();
        self.lay_out();
    }

    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
        self.form = self.form_of(self.area.width);
        self.recompose();
    }

    /// Turns to the next mode.
    pub fn turn_mode(&mut self) -> Mode {
        self.set_mode(next(Mode::ALL, self.mode));
        self.mode
    }

    pub fn set_space(&mut self, space: Space) {
        self.space = space;
        self.compare();
    }

    /// Turns to the next kind of white space that counts.
    pub fn turn_space(&mut self) -> Space {
        self.set_space(next(Space::ALL, self.space));
        self.space
    }

    /// Folds equal lines, or shows all; tells whether they are folded.
    pub fn toggle_fold(&mut self) -> bool {
        self.is_folded = !self.is_folded;
        self.fold();
        self.lay_out();
        self.is_folded
    }

    /// Doubles or halves the number of lines around each change; returns it.
    pub fn step_context(&mut self, step: StepDirection) -> usize {
        // Doubling is visible as more, whatever the number was before.
        self.context = match step {
            StepDirection::Next => (self.context * 2).clamp(1, compose::LINES_MAX),
            StepDirection::Previous => self.context / 2,
        };
        self.is_folded = true;
        self.fold();
        self.lay_out();
        self.context
    }

    /// Lays the texts out for an area (without border).
    pub fn arrange(&mut self, area: Rect, wraps: bool) {
        self.area = area;
        self.wraps = wraps;
        if wraps {
            self.left = 0;
        }
        let form = self.form_of(area.width);
        if form != self.form {
            self.form = form;
            self.recompose();
        }
        if self.laid_out != Some((self.widths(), wraps)) {
            self.lay_out();
        }
        self.top = self.top.min(self.top_max());
    }

    /// Counts the rows of the whole layout.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        usize::from(self.area.height - self.body().height) + self.shown.len()
    }

    pub fn scroll(&mut self, motion: Motion) {
        match motion {
            Motion::Left => self.left = self.left.saturating_sub(SIDEWAYS),
            Motion::Right if !self.wraps => {
                let widest = self.composed.width_max.min(LEFT_MAX);
                self.left = (self.left + SIDEWAYS).min(widest.saturating_sub(SIDEWAYS));
            }
            _ => {}
        }
        self.top = scrolled(self.top, motion, self.body().height).min(self.top_max());
    }

    /// Goes to the next or previous change, around the ends; returns its number, from 1, and the number of changes.
    pub fn step_hunk(&mut self, step: StepDirection) -> Option<(usize, usize)> {
        let top = self
            .shown
            .get(self.top)
            .map_or(0, |difference_row| difference_row.entry_idx);
        let after_top = self.hunks.partition_point(|hunk| *hunk < top);
        let idx = stepped(self.hunk_idx, step, after_top, self.hunks.len())?;
        self.hunk_idx = Some(idx);
        self.jump_to(self.hunks[idx]);
        Some((idx + 1, self.hunks.len()))
    }

    /// Searches for `needle` (lower-case letters find capitals, too) and returns the number of hits; none is current
    /// until [`DifferenceView::step_match`]. Side by side, text that both have is found in both.
    pub fn find(&mut self, needle: &str) -> usize {
        needle.clone_into(&mut self.needle);
        let lines = self.composed.lines.iter().enumerate();
        let hits = lines.flat_map(|(line_idx, line)| {
            let line_idx = line_idx as u32;
            let found = occurrences(&line.text, needle);
            found.map(move |(start, end)| DifferenceHit {
                line_idx,
                start,
                end,
            })
        });
        self.hits = hits.collect();
        self.hit_idx = None;
        self.hits.len()
    }

    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next or previous hit, around the ends; returns its number, from 1, and the number of hits. A fold
    /// that hides it opens.
    pub fn step_match(&mut self, step: StepDirection) -> Option<(usize, usize)> {
        let top = self
            .shown
            .get(self.top)
            .map_or(0, |difference_row| difference_row.entry_idx);
        let entries = self.composed.entries.get(top..).unwrap_or_default();
        let first = entries
            .iter()
            .find_map(|entry| entry.cells[0].or(entry.cells[1]));
        let after_top = self
            .hits
            .partition_point(|hit| first.is_some_and(|first| hit.line_idx < first));
        let idx = stepped(self.hit_idx, step, after_top, self.hits.len())?;
        self.hit_idx = Some(idx);
        let line_idx = self.hits[idx].line_idx;
        let first_line = |entry: &compose::DifferenceEntry| {
            let cells = entry.cells.into_iter().flatten();
            cells.min().unwrap_or(0)
        };
        let entries = &self.composed.entries;
        let after = entries.partition_point(|entry| first_line(entry) <= line_idx);
        let entry_idx = after.saturating_sub(1);
        if self.kept.get(entry_idx) == Some(&false) {
            self.toggle_fold();
        }
        self.jump_to(entry_idx);
        Some((idx + 1, self.hits.len()))
    }

    /// Clears search and current change; tells whether there was anything to clear.
    pub fn clear(&mut self) -> bool {
        let had_any = !self.needle.is_empty() || self.hunk_idx.is_some();
        self.find("");
        self.hunk_idx = None;
        had_any
    }

    /// Iterates over the painter's jobs for the texts; a text that is too long for the painter stays plain.
    pub fn jobs(&self) -> impl Iterator<Item = paint::PaintJob> {
        self.halves.iter().filter_map(|half| half.job.clone())
    }

    /// Returns the difference as `diff -u` writes it; empty when nothing differs. Applied to the old text, it gives the
    /// new one, except for white space that does not count.
    #[must_use]
    pub fn copied(&self) -> String {
        let [old, new] = &self.halves;
        let title = |difference_side: &DifferenceSide, other: &str| {
            let own = (!difference_side.title.is_empty()).then(|| difference_side.title.clone());
            own.unwrap_or_else(|| other.to_owned())
        };
        let (old_title, new_title) = (title(old, "old"), title(new, "new"));
        diff::patch(
            (&old.raw, &new.raw),
            (&old_title, &new_title),
            &self.rows,
            self.context,
        )
    }

    /// Writes the title where the two have one pane: `ground truth − / prediction +`.
    #[must_use]
    pub fn title(&self) -> String {
        let [old, new] = &self.halves;
        format!("{} − / {} +", visible(&old.title), visible(&new.title))
    }

    /// Writes the note of the pane: mode, white space, number of changes.
    #[must_use]
    pub fn note(&self) -> String {
        let mut parts = Vec::new();
        if self.halves[0].raw == self.halves[1].raw {
            parts.push("identical".to_owned());
        } else if diff::is_same(&self.rows) {
            parts.push("equal up to whitespace".to_owned());
        } else {
            let is_narrow = self.mode == Mode::Side && self.form != DifferenceLayout::Beside;
            parts.push(if is_narrow {
                "unified, too narrow for side".to_owned()
            } else {
                self.mode.as_str().to_owned()
            });
            match self.space {
                Space::Exact if self.is_space_only => parts.push("whitespace only".to_owned()),
                Space::Exact => {}
                Space::IgnoreChanges => parts.push("-b".to_owned()),
                Space::IgnoreAll => parts.push("-w".to_owned()),
            }
            parts.push(counted(self.hunks.len() as u64, "hunk"));
            if let Some(idx) = self.hunk_idx {
                parts.push(format!("{}/{}", idx + 1, self.hunks.len()));
            }
        }
        if self.halves.iter().any(|half| half.is_cut) {
            parts.push(format!("first {} lines", compose::LINES_MAX));
        }
        if let n @ 1.. = self.n_rows_below() {
            parts.push(format!("↓{n}"));
        }
        parts.join(" · ")
    }

    /// Counts the rows below the visible ones.
    fn n_rows_below(&self) -> usize {
        self.top_max().saturating_sub(self.top)
    }

    fn form_of(&self, width: u16) -> DifferenceLayout {
        match self.mode {
            Mode::Side if width >= SIDE_WIDTH_MIN => DifferenceLayout::Beside,
            Mode::Side | Mode::Unified => DifferenceLayout::Below,
            Mode::Word => DifferenceLayout::Within,
        }
    }

    fn compare(&mut self) {
        let [old, new] = &self.halves;
        self.rows = diff::lines_under(&old.raw, &new.raw, self.space);
        let bare = |half: &DifferenceSide| half.raw.split_whitespace().collect::<String>();
        self.is_space_only = bare(old) == bare(new);
        self.recompose();
    }

    fn recompose(&mut self) {
        // The same lines stay at the top.
        let numbers = self.shown.get(self.top).map(|row| {
            let entry = self.composed.entries[row.entry_idx];
            let cells = entry.cells.into_iter().flatten();
            let lines = cells.map(|cell| self.composed.lines[cell as usize].numbers);
            lines.fold([None; 2], |all: [Option<u32>; 2], line| {
                [all[0].or(line[0]), all[1].or(line[1])]
            })
        });
        let numbers = numbers.filter(|_| self.top > 0);
        self.composed = compose::compose(&self.halves, &self.rows, self.form, self.space);
        let entries = self.composed.entries.iter().enumerate();
        self.hunks.clear();
        for (idx, entry) in entries {
            if entry.hunk == Some(self.hunks.len() as u32) {
                self.hunks.push(idx);
            }
        }
        self.hunk_idx = self
            .hunk_idx
            .filter(|hunk_idx| *hunk_idx < self.hunks.len());
        let needle = std::mem::take(&mut self.needle);
        self.find(&needle);
        self.shown.clear();
        self.fold();
        self.lay_out();
        if let Some(numbers) = numbers {
            let reaches = |line: &compose::DifferenceLine| {
                let pairs = line.numbers.iter().zip(&numbers);
                pairs
                    .into_iter()
                    .any(|(n, number)| number.is_some() && n >= number)
            };
            let mut entries = self.composed.entries.iter();
            let entry_idx = entries.position(|entry| {
                let mut cells = entry.cells.into_iter().flatten();
                cells.any(|cell| reaches(&self.composed.lines[cell as usize]))
            });
            self.top = self.row_of(entry_idx.unwrap_or(0)).min(self.top_max());
        }
    }

    fn fold(&mut self) {
        let context = self.is_folded.then_some(self.context);
        self.kept = layout::unfolded(&self.composed, &self.stops, context);
    }

    fn lay_out(&mut self) {
        let entry_idx = self
            .shown
            .get(self.top)
            .map(|difference_row| difference_row.entry_idx);
        let widths = self.widths();
        self.shown = layout::layout(
            &self.composed,
            &self.kept,
            (&self.halves, &self.stops),
            widths,
            self.wraps,
        );
        self.laid_out = Some((widths, self.wraps));
        if let Some(entry_idx) = entry_idx.filter(|_| self.top > 0) {
            self.top = self.row_of(entry_idx);
        }
        self.top = self.top.min(self.top_max());
    }

    fn jump_to(&mut self, entry_idx: usize) {
        let row_idx = self.row_of(entry_idx);
        let height = usize::from(self.body().height);
        if row_idx < self.top || row_idx >= self.top + height {
            self.top = row_idx.saturating_sub(height / 3).min(self.top_max());
        }
    }

    /// Finds the row where an entry begins, or the fold that hides it.
    fn row_of(&self, entry_idx: usize) -> usize {
        let before = |at: usize| {
            self.shown
                .partition_point(|difference_row| difference_row.entry_idx < at)
        };
        let idx = before(entry_idx);
        let is_there = self
            .shown
            .get(idx)
            .is_some_and(|difference_row| difference_row.entry_idx == entry_idx);
        if is_there { idx } else { idx.saturating_sub(1) }
    }

    fn top_max(&self) -> usize {
        let height = usize::from(self.body().height);
        self.shown.len().saturating_sub(height)
    }
}

fn next<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let idx = all.iter().position(|other| *other == current).unwrap_or(0);
    all[(idx + 1) % all.len()]
}
