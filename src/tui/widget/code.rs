//! The code pane: line numbers, the gutter `S ▶ A`, syntax colours, soft wrap, search.
//!
//! ```text
//!  46 S     store.put(t);
//!  48 S▶    Verdict v = new Verifier(store, clock).verify(
//!     ↪         t.id());
//!  49 A     assertFalse(v.accepted());
//! ```
//!
//! Rows are laid out when the text or the width changes; drawing touches the visible ones only.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::keymap::{Motion, StepDirection};
use crate::paint::Cache;
use crate::text::{CallPart, Doc, DocLine, TestPart};
use crate::theme::{Role, Theme};
use crate::wrap::WrappedRow;

mod rows;
#[cfg(test)]
mod tests;

use rows::{GUTTER_WIDTH, layout, number_width};
pub use rows::{n_lines_visible, n_rows_up_to};

const SIDEWAYS: usize = 8;

/// A hit of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CodeHit {
    line_idx: usize,
    start: u32,
    end: u32,
}

/// A pane's text and its scroll position.
#[derive(Clone, Debug, Default)]
pub struct CodeView {
    doc: Arc<Doc>,
    number_width: u16,
    /// The calls that are marked in place of the focal calls, in the order of their lines.
    calls: Option<Vec<CallPart>>,
    rows: Vec<WrappedRow>,
    /// The width of the code, and whether lines wrap, as `rows` were laid out for.
    laid_out: Option<(u16, bool)>,
    area: Rect,
    top: usize,
    left: usize,
    needle: String,
    hits: Vec<CodeHit>,
    hit_idx: Option<usize>,
    /// The line of the last jump.
    jumped_to: Option<usize>,
}

impl CodeView {
    /// Shows another text from its beginning; the search stays.
    pub fn show(&mut self, doc: Arc<Doc>) {
        if Arc::ptr_eq(&self.doc, &doc) {
            return;
        }
        let is_same = self.doc == doc;
        self.number_width = number_width(&doc);
        self.doc = doc;
        if !is_same {
            (self.top, self.left) = (0, 0);
            self.jumped_to = None;
        }
        self.laid_out = None;
        let needle = std::mem::take(&mut self.needle);
        self.find(&needle);
    }

    #[must_use]
    pub fn doc(&self) -> &Doc {
        &self.doc
    }

    /// Marks these calls in place of the focal calls; nothing marks the focal calls again.
    pub fn mark_calls(&mut self, calls: Option<Vec<CallPart>>) {
        self.calls = calls;
    }

    /// Returns the line of the first call that is marked in place of the focal calls.
    #[must_use]
    pub fn first_call(&self) -> Option<usize> {
        Some(self.calls.as_deref()?.first()?.line_idx)
    }

    /// Returns the parts in a line of the calls that are marked in place of the focal calls.
    fn calls_of(&self, line_idx: usize) -> &[CallPart] {
        let calls = self.calls.as_deref().unwrap_or_default();
        let first = calls.partition_point(|call| call.line_idx < line_idx);
        let n_calls = calls[first..].partition_point(|call| call.line_idx == line_idx);
        &calls[first..first + n_calls]
    }

    fn begins_call(&self, line_idx: usize) -> bool {
        self.calls_of(line_idx)
            .iter()
            .any(|call_part| call_part.is_first)
    }

    /// Lays the text out for an area (without border).
    pub fn arrange(&mut self, area: Rect, wraps: bool) {
        self.area = area;
        let width = area.width.saturating_sub(self.prefix_width());
        if self.laid_out != Some((width, wraps)) {
            let first_line = self.rows.get(self.top).map(|row| row.line_idx);
            self.rows = layout(&self.doc, width, wraps);
            self.laid_out = Some((width, wraps));
            if wraps {
                self.left = 0;
            }
            if let Some(line_idx) = first_line.filter(|_| self.top > 0) {
                self.top = self.row_of(line_idx as usize);
            }
        }
        self.top = self.top.min(self.top_max());
    }

    /// Computes the columns of numbers and gutter.
    #[must_use]
    pub fn prefix_width(&self) -> u16 {
        self.number_width + GUTTER_WIDTH
    }

    pub fn scroll(&mut self, motion: Motion) {
        match motion {
            Motion::Left => self.left = self.left.saturating_sub(SIDEWAYS),
            Motion::Right => {
                let wraps = self.laid_out.is_none_or(|(_, wraps)| wraps);
                if !wraps {
                    self.left = (self.left + SIDEWAYS).min(self.left_max());
                }
            }
            _ => {}
        }
        self.top = scrolled(self.top, motion, self.area.height).min(self.top_max());
    }

    /// Searches for `needle` (lower-case letters find capitals, too) and returns the number of hits; none is current
    /// until [`CodeView::step_match`].
    pub fn find(&mut self, needle: &str) -> usize {
        needle.clone_into(&mut self.needle);
        self.hits = find(&self.doc, needle);
        self.hit_idx = None;
        self.hits.len()
    }

    #[must_use]
    pub fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next or previous hit, around the ends; returns its number, from 1, and the number of hits.
    pub fn step_match(&mut self, step: StepDirection) -> Option<(usize, usize)> {
        let n_hits = self.hits.len();
        let top_line = self
            .rows
            .get(self.top)
            .map_or(0, |row| row.line_idx as usize);
        let after_top = self.hits.partition_point(|hit| hit.line_idx < top_line);
        let idx = stepped(self.hit_idx, step, after_top, n_hits)?;
        self.hit_idx = Some(idx);
        let hit = *self.hits.get(idx)?;
        self.jump_to(hit.line_idx);
        Some((idx + 1, n_hits))
    }

    /// Goes to the next or previous line with a focal call, a marked call or an assertion call; tells whether there is
    /// one.
    pub fn step_mark(&mut self, step: StepDirection) -> bool {
        let is_mark = |(idx, line): &(usize, &DocLine)| {
            let asserts = || line.spans.iter().any(|span| span.2 == Role::AssertionCall);
            line.is_focal_call || self.begins_call(*idx) || asserts()
        };
        let lines = self.doc.lines.iter().enumerate();
        let marks: Vec<usize> = lines.filter(is_mark).map(|(idx, _)| idx).collect();
        let from = self.jumped_to;
        let found = match step {
            StepDirection::Next => marks
                .iter()
                .find(|idx| from.is_none_or(|from| **idx > from)),
            StepDirection::Previous => marks
                .iter()
                .rev()
                .find(|idx| from.is_some_and(|from| **idx < from)),
        };
        let Some(line_idx) = found.copied() else {
            return false;
        };
        self.jump_to(line_idx);
        true
    }

    /// Clears search and jump; tells whether there was anything to clear.
    pub fn clear(&mut self) -> bool {
        let had_any = !self.needle.is_empty() || self.jumped_to.is_some();
        self.find("");
        self.jumped_to = None;
        had_any
    }

    /// Returns path and line for an editor: the line of the last jump, else the line of the first visible method's
    /// name.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32)> {
        let top_line = self
            .rows
            .get(self.top)
            .map_or(0, |row| row.line_idx as usize);
        let line_idx = self.jumped_to.unwrap_or(top_line);
        let block = self.doc.block_at(line_idx).map(|(block, _)| block);
        let block = block.or(self.doc.blocks.first())?;
        let number = self
            .jumped_to
            .and_then(|idx| self.doc.lines.get(idx)?.number);
        Some((&block.path, number.unwrap_or(block.name_line)))
    }

    /// Counts the rows below the visible ones.
    #[must_use]
    pub fn n_rows_below(&self) -> usize {
        self.top_max() - self.top
    }

    /// Tells whether two lines and all between them fit into the area.
    #[must_use]
    pub fn can_show(&self, lines: (usize, usize)) -> bool {
        let (first, end) = self.rows_of(lines);
        end - first <= usize::from(self.area.height)
    }

    /// Computes the rows that two lines and all between them take.
    #[must_use]
    pub fn height_of(&self, lines: (usize, usize)) -> u16 {
        let (first, end) = self.rows_of(lines);
        u16::try_from(end - first).unwrap_or(u16::MAX)
    }

    /// Tells whether a line is on the screen from its first row to its last, and not folded.
    #[must_use]
    pub fn shows(&self, line_idx: usize) -> bool {
        let (first, end) = self.rows_of((line_idx, line_idx));
        let is_folded = first == end || self.rows.get(first).is_none_or(|row| row.n_folded > 0);
        !is_folded && first >= self.top && end <= self.top + usize::from(self.area.height)
    }

    /// Tells whether a line would be visible without scrolling.
    #[must_use]
    pub fn shows_from_the_top(&self, line_idx: usize) -> bool {
        self.rows_of((line_idx, line_idx)).1 <= usize::from(self.area.height)
    }

    /// Scrolls just so far that two lines are visible, with lines before them where there is room.
    pub fn bring_in(&mut self, lines: (usize, usize)) {
        let (first, end) = self.rows_of(lines);
        let top = end.saturating_sub(usize::from(self.area.height)).min(first);
        self.top = top.min(self.top_max());
    }

    /// Finds the first row of the first line, and the row after the last line.
    fn rows_of(&self, (first, last): (usize, usize)) -> (usize, usize) {
        (self.row_of(first), self.row_of(last + 1))
    }

    /// Scrolls so that the line with this number is visible, with more lines before than after it.
    pub fn reveal(&mut self, number: u32) {
        let lines = &self.doc.lines;
        let line_idx = lines.iter().position(|line| line.number == Some(number));
        if let Some(line_idx) = line_idx {
            let before = usize::from(self.area.height) * 2 / 3;
            let top = self.row_of(line_idx).saturating_sub(before);
            self.top = top.min(self.top_max());
        }
    }

    fn jump_to(&mut self, line_idx: usize) {
        self.jumped_to = Some(line_idx);
        let row_idx = self.row_of(line_idx).min(self.rows.len().saturating_sub(1));
        let height = usize::from(self.area.height);
        if row_idx < self.top || row_idx >= self.top + height {
            self.top = row_idx.saturating_sub(height / 3).min(self.top_max());
        }
    }

    fn row_of(&self, line_idx: usize) -> usize {
        self.rows
            .partition_point(|row| (row.line_idx as usize) < line_idx)
    }

    fn top_max(&self) -> usize {
        self.rows
            .len()
            .saturating_sub(usize::from(self.area.height))
    }

    fn left_max(&self) -> usize {
        let widths = self.doc.lines.iter().map(|line| line.text.width());
        widths.max().unwrap_or(0).saturating_sub(SIDEWAYS)
    }

    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, cache: &Cache) {
        let visible = self.rows.iter().skip(self.top);
        for (row, y) in visible.zip(self.area.y..self.area.bottom()) {
            let area = Rect::new(self.area.x, y, self.area.width, 1);
            self.draw_row(*row, area, buffer, (theme, cache));
        }
    }

    fn draw_row(
        &self,
        row: WrappedRow,
        area: Rect,
        buffer: &mut Buffer,
        (theme, cache): (&Theme, &Cache),
    ) {
        let line_idx = row.line_idx as usize;
        let Some(line) = self.doc.lines.get(line_idx) else {
            return;
        };
        if self.jumped_to == Some(line_idx) {
            buffer.set_style(area, theme.style(Role::Marked));
        }
        let x = area.x + self.draw_prefix((row, line), area, buffer, theme);
        if row.n_folded > 0 {
            let text = format!("⋯ {} lines", row.n_folded);
            let room = usize::from(area.right().saturating_sub(x));
            buffer.set_stringn(x, area.y, text, room, theme.style(Role::Dim));
            return;
        }
        let width = usize::from(area.right().saturating_sub(x));
        let (start, end) = if self.left > 0 {
            (column_offset(&line.text, self.left), line.text.len())
        } else {
            (row.start as usize, row.end as usize)
        };
        let plain = line.role.map_or_else(Style::new, |role| theme.style(role));
        let mut x = x + row.indent;
        for (from, to, style) in self.runs(line_idx, (start, end), plain, (theme, cache)) {
            let room = usize::from(area.right().saturating_sub(x));
            (x, _) = buffer.set_stringn(x, area.y, &line.text[from..to], room, style);
        }
        let is_cut = line.text[start..end].trim_end_matches(' ').width() > width;
        if is_cut && area.width > 0 {
            buffer.set_string(area.right() - 1, area.y, "›", theme.style(Role::Dim));
        }
    }

    /// Draws number and gutter; returns their width, 0 for a note or in a narrow area.
    fn draw_prefix(
        &self,
        (row, line): (WrappedRow, &DocLine),
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) -> u16 {
        if !line.has_gutter() {
            return 0;
        }
        let width = self.prefix_width();
        let digits = usize::from(self.number_width);
        let gutter_x = area.x + self.number_width + 1;
        if area.width <= width {
            return 0;
        }
        if row.is_continuation {
            buffer.set_string(gutter_x, area.y, "↪", theme.style(Role::Dim));
            return width;
        }
        let number = line
            .number
            .map_or_else(String::new, |number| number.to_string());
        let number = format!("{number:>digits$}");
        buffer.set_string(area.x, area.y, number, theme.style(Role::LineNumber));
        let (glyph, role) = match line.part {
            Some(TestPart::Setup) => ("S", Role::Setup),
            Some(TestPart::Assertion) => ("A", Role::Assertion),
            None => (" ", Role::Dim),
        };
        buffer.set_string(gutter_x, area.y, glyph, theme.style(role));
        if let Some((sign, role)) = line.sign {
            buffer.set_string(gutter_x + 1, area.y, sign, theme.style(role));
        }
        if line.is_focal_call {
            buffer.set_string(gutter_x + 1, area.y, "▶", theme.style(Role::Focal));
        } else if self.begins_call(row.line_idx as usize) {
            buffer.set_string(gutter_x + 1, area.y, "▷", theme.style(Role::Focal));
        }
        width
    }

    /// Cuts the visible part of a line into runs of equal style: syntax below, marks over it, hits on top.
    fn runs(
        &self,
        line_idx: usize,
        (start, end): (usize, usize),
        plain: Style,
        (theme, cache): (&Theme, &Cache),
    ) -> Vec<(usize, usize, Style)> {
        let painted = self.doc.block_at(line_idx).and_then(|(block, idx)| {
            let painted = cache.get(block.id)?;
            painted.get(idx).map(Vec::as_slice)
        });
        let syntax = painted.unwrap_or(&[]).iter().copied();
        let line = self.doc.lines.get(line_idx);
        let marks = line.map_or(&[][..], |line| &line.spans).iter().copied();
        // Only the calls of one method are marked: of the one under the cursor.
        let are_others = self.calls.is_some();
        let marks = marks.filter(move |span| !are_others || span.2 != Role::FocalCall);
        let calls = self.calls_of(line_idx).iter();
        let calls = calls.map(|call| (call.start, call.end, Role::FocalCall));
        let first_hit = self.hits.partition_point(|hit| hit.line_idx < line_idx);
        let hits = self.hits.iter().enumerate().skip(first_hit);
        let hits = hits
            .take_while(|(_, hit)| hit.line_idx == line_idx)
            .map(|(idx, hit)| {
                let is_current = self.hit_idx == Some(idx);
                let role = if is_current {
                    Role::MatchCurrent
                } else {
                    Role::Match
                };
                (hit.start, hit.end, role)
            });
        let layers: Vec<(usize, usize, Role)> = syntax
            .chain(marks)
            .chain(calls)
            .chain(hits)
            .map(|(from, to, role)| (from as usize, to as usize, role))
            .filter(|(from, to, _)| *from < end && *to > start)
            .collect();
        layered((start, end), &layers, plain, theme)
    }
}

/// Computes the top row after a motion in a view of this height; the caller bounds it by the end of the text.
pub fn scrolled(top: usize, motion: Motion, height: u16) -> usize {
    let height = usize::from(height).max(1);
    let page = match motion {
        // One line of the page before stays in sight.
        Motion::PageUp | Motion::PageDown => height - 1,
        _ => height,
    };
    motion.moved(top, page)
}

/// Steps to the next or previous of `n_places`, around the ends: from `at`, else from the first place after the top.
/// Nothing without places.
pub fn stepped(
    at: Option<usize>,
    step: StepDirection,
    after_top: usize,
    n_places: usize,
) -> Option<usize> {
    let idx = match (at, step) {
        (Some(idx), StepDirection::Next) => idx + 1,
        (Some(idx), StepDirection::Previous) => idx + n_places.saturating_sub(1),
        (None, StepDirection::Next) => after_top,
        (None, StepDirection::Previous) => after_top + n_places.saturating_sub(1),
    };
    idx.checked_rem(n_places)
}

/// Cuts a range of bytes into runs of equal style; of overlapping layers, the later one lies on top.
pub fn layered(
    (start, end): (usize, usize),
    layers: &[(usize, usize, Role)],
    plain: Style,
    theme: &Theme,
) -> Vec<(usize, usize, Style)> {
    let mut edges: Vec<usize> = layers.iter().flat_map(|layer| [layer.0, layer.1]).collect();
    edges.extend([start, end]);
    edges.retain(|edge| (start..=end).contains(edge));
    edges.sort_unstable();
    edges.dedup();
    let runs = edges.windows(2).map(|edge| {
        let covering = layers
            .iter()
            .filter(|layer| layer.0 <= edge[0] && layer.1 >= edge[1]);
        let style = covering.fold(plain, |style, entry| style.patch(theme.style(entry.2)));
        (edge[0], edge[1], style)
    });
    runs.collect()
}

/// Finds the byte offset of the first character at or after a column.
pub fn column_offset(text: &str, column: usize) -> usize {
    let mut n_columns = 0;
    for (offset, grapheme) in text.grapheme_indices(true) {
        if n_columns >= column {
            return offset;
        }
        n_columns += grapheme.width();
    }
    text.len()
}

fn find(doc: &Doc, needle: &str) -> Vec<CodeHit> {
    let lines = doc.lines.iter().enumerate();
    let hits = lines.flat_map(|(line_idx, line)| {
        let found = occurrences(&line.text, needle);
        found.map(move |(start, end)| CodeHit {
            line_idx,
            start,
            end,
        })
    });
    hits.collect()
}

/// Iterates over the byte ranges of `needle` in a line; a needle without capitals finds them, too. An empty one is
/// nowhere.
pub fn occurrences(text: &str, needle: &str) -> impl Iterator<Item = (u32, u32)> {
    let is_exact = needle.chars().any(char::is_uppercase);
    let is_equal = move |candidate: &[u8]| {
        if is_exact {
            candidate == needle.as_bytes()
        } else {
            candidate.eq_ignore_ascii_case(needle.as_bytes())
        }
    };
    let mut start = 0;
    std::iter::from_fn(move || {
        if needle.is_empty() {
            return None;
        }
        while let Some(candidate) = text.as_bytes().get(start..start + needle.len()) {
            let from = start;
            if is_equal(candidate) {
                start += needle.len();
                return Some((from as u32, start as u32));
            }
            start += 1;
        }
        None
    })
}
