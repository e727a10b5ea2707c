//! Draws a difference.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{DifferenceLayout, DifferenceLineKind, DifferenceRow, DifferenceView, RowContent};
use crate::paint::Cache;
use crate::text::visible;
use crate::theme::{Role, Theme};
use crate::widget::code::{column_offset, layered};
use crate::widget::frame::{counted, cut, fill};
use crate::wrap;

/// The columns of a cost, with the blank behind it.
const COST_WIDTH: u16 = 6;
/// The sign and the blank behind it.
const SIGN_WIDTH: u16 = 2;
/// With fewer rows, the texts take all of them.
const HEADED_HEIGHT_MIN: u16 = 4;

impl DifferenceView {
    /// Draws what [`DifferenceView::arrange`] laid out.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, cache: &Cache) {
        let body = self.body();
        if body.y > self.area.y {
            self.draw_titles(buffer, theme);
        }
        let rows = self.shown.iter().enumerate().skip(self.top);
        for ((row_idx, row), y) in rows.zip(body.y..body.bottom()) {
            let area = Rect::new(body.x, y, body.width, 1);
            match &row.content {
                RowContent::Fold(n_lines) => {
                    let text = format!("⋯ {}", counted(*n_lines as u64, "line"));
                    let x = area.x + self.prefix_width(0);
                    put(area, x, &text, theme.style(Role::Dim), buffer);
                }
                RowContent::Note { cell, indent, text } => {
                    let area = self.cell_area(*cell, area);
                    let x = area.x + self.prefix_width(*cell) + indent;
                    put(area, x, text, theme.style(Role::Error), buffer);
                }
                RowContent::Lines(cells) => {
                    let is_first = row_idx == 0 || {
                        let before = &self.shown[row_idx - 1];
                        before.entry_idx != row.entry_idx
                    };
                    for (cell, part) in cells.iter().enumerate().take(self.n_cells()) {
                        let area = self.cell_area(cell, area);
                        match part {
                            Some(part) => {
                                self.draw_part(*part, (cell, area), buffer, (theme, cache));
                            }
                            None if is_first => {
                                let x = area.x + self.prefix_width(cell);
                                let x = x.saturating_sub(SIGN_WIDTH);
                                put(area, x, "·", theme.style(Role::Dim), buffer);
                            }
                            None => {}
                        }
                    }
                    self.draw_hunk_mark(row, area, buffer, theme);
                }
            }
        }
        if self.form == DifferenceLayout::Beside {
            let x = self.cell_area(0, self.area).right();
            for y in self.area.y..self.area.bottom() {
                let area = Rect { y, ..self.area };
                put(area, x, "│", theme.style(Role::Border), buffer);
            }
        }
    }

    fn draw_titles(&self, buffer: &mut Buffer, theme: &Theme) {
        let head = Rect {
            height: 1,
            ..self.area
        };
        fill(head, Role::Bar, buffer, theme);
        let kinds = [DifferenceLineKind::Removed, DifferenceLineKind::Added];
        for (cell, (half, kind)) in self.halves.iter().zip(kinds).enumerate() {
            let area = self.cell_area(cell, head);
            let (sign, role) = kind.sign();
            put(area, area.x + 1, sign, theme.style(role), buffer);
            let title = visible(&half.title);
            let title = cut(&title, usize::from(area.width.saturating_sub(4)));
            put(
                area,
                area.x + 3,
                &title,
                theme.style(Role::BarActive),
                buffer,
            );
        }
    }

    /// Draws the bar along the current change.
    fn draw_hunk_mark(&self, row: &DifferenceRow, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let hunk = self.composed.entries[row.entry_idx].hunk;
        if hunk.is_none() || hunk.map(|hunk| hunk as usize) != self.hunk_idx {
            return;
        }
        let cells = self.composed.entries[row.entry_idx].cells;
        for (cell, line_idx) in cells.into_iter().enumerate().take(self.n_cells()) {
            let is_stop = line_idx.is_some_and(|line_idx| self.has_stop(line_idx as usize));
            if !is_stop {
                let area = self.cell_area(cell, area);
                put(area, area.x, "▌", theme.style(Role::Focus), buffer);
            }
        }
    }

    /// Draws the part of a line that a row shows.
    fn draw_part(
        &self,
        part: wrap::WrappedRow,
        (cell, area): (usize, Rect),
        buffer: &mut Buffer,
        (theme, cache): (&Theme, &Cache),
    ) {
        let line_idx = part.line_idx as usize;
        let line = &self.composed.lines[line_idx];
        if let Some(ground) = line.kind.ground() {
            buffer.set_style(area, theme.style(ground));
        }
        self.draw_prefix(part, (cell, area), buffer, theme);
        let x = area.x + self.prefix_width(cell);
        let room = usize::from(area.right().saturating_sub(x));
        let (start, end) = if self.wraps {
            (part.start as usize, part.end as usize)
        } else {
            let start = column_offset(&line.text, self.left);
            (start, start + column_offset(&line.text[start..], room))
        };
        let mut x = x + part.indent;
        for (from, to, style) in self.runs(line_idx, (start, end), (theme, cache)) {
            x = put(area, x, &line.text[from..to], style, buffer);
        }
        if !self.wraps && end < line.text.len() && room > 0 {
            put(area, area.right() - 1, "›", theme.style(Role::Dim), buffer);
        }
    }

    /// Draws numbers, costs and the sign; in the further rows of a wrapped line, only the sign of the wrap.
    fn draw_prefix(
        &self,
        part: wrap::WrappedRow,
        (cell, area): (usize, Rect),
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        let line = &self.composed.lines[part.line_idx as usize];
        let sign_x = area.x + self.prefix_width(cell) - SIGN_WIDTH;
        if part.is_continuation {
            put(area, sign_x, "↪", theme.style(Role::Dim), buffer);
            return;
        }
        let has_stop = self.has_stop(part.line_idx as usize);
        if has_stop {
            put(area, area.x, "!", theme.style(Role::Error), buffer);
        }
        let mut x = area.x + 1;
        let mut cost = 0.0;
        for half in self.numbered(cell) {
            let digits = usize::from(self.digits(half));
            if let Some(idx) = line.numbers[half] {
                let number = u64::from(self.halves[half].first_line) + u64::from(idx);
                let role = if has_stop {
                    Role::Error
                } else {
                    Role::LineNumber
                };
                put(
                    area,
                    x,
                    &format!("{number:>digits$}"),
                    theme.style(role),
                    buffer,
                );
                cost += self.halves[half].toll(idx);
            }
            x += digits as u16 + 1;
        }
        if self.has_cost_column() {
            let width = usize::from(COST_WIDTH) - 1;
            let role = if cost > 0.0 {
                Role::Warning
            } else {
                Role::Good
            };
            put(
                area,
                x,
                &format!("{:>width$}", price(cost)),
                theme.style(role),
                buffer,
            );
        }
        let (sign, role) = line.kind.sign();
        put(area, sign_x, sign, theme.style(role), buffer);
    }

    /// Cuts a part of a line where its style changes: syntax at the bottom, then the background of the line, its
    /// changed words, costs, pictures, and hits on top.
    fn runs(
        &self,
        line_idx: usize,
        (start, end): (usize, usize),
        (theme, cache): (&Theme, &Cache),
    ) -> Vec<(usize, usize, Style)> {
        let line = &self.composed.lines[line_idx];
        let mut layers: Vec<(usize, usize, Role)> = Vec::new();
        let is_seen = |from: usize, to: usize| from < end && to > start;
        for origin in &line.origins {
            let at = origin.at as usize;
            let (first, last) = (origin.start as usize, origin.end as usize);
            if !is_seen(at, at + last - first) {
                continue;
            }
            let job = self.halves[origin.half].job.as_ref();
            let painted = job.and_then(|paint_job| cache.get(paint_job.id));
            let painted = painted.and_then(|painted| painted.get(origin.line_idx as usize));
            for (from, to, role) in painted.into_iter().flatten() {
                let from = (*from as usize).clamp(first, last) - first + at;
                let to = (*to as usize).clamp(first, last) - first + at;
                if from < to && is_seen(from, to) {
                    layers.push((from, to, *role));
                }
            }
        }
        layers.extend(line.kind.ground().map(|role| (start, end, role)));
        for (nth, spans) in line.layers.iter().enumerate() {
            if nth == super::compose::COSTS && !self.has_cost_column() {
                continue;
            }
            let first = spans.partition_point(|span| span.1 as usize <= start);
            let seen = spans[first..].iter();
            let seen = seen.take_while(|entry| (entry.0 as usize) < end);
            layers.extend(seen.map(|seen| (seen.0 as usize, seen.1 as usize, seen.2)));
        }
        let place = (line_idx as u32, start as u32);
        let first = self
            .hits
            .partition_point(|hit| (hit.line_idx, hit.end) <= place);
        let hits = self.hits.iter().enumerate().skip(first);
        let hits = hits.take_while(|(_, difference_hit)| {
            (difference_hit.line_idx, difference_hit.start) < (place.0, end as u32)
        });
        layers.extend(hits.map(|(idx, difference_hit)| {
            let is_current = self.hit_idx == Some(idx);
            let role = if is_current {
                Role::MatchCurrent
            } else {
                Role::Match
            };
            (
                difference_hit.start as usize,
                difference_hit.end as usize,
                role,
            )
        }));
        layered((start, end), &layers, Style::new(), theme)
    }

    fn has_stop(&self, line_idx: usize) -> bool {
        let numbers = self.composed.lines[line_idx].numbers;
        let mut stops = self.stops.iter();
        stops.any(|stop| numbers[stop.half] == Some(stop.line_idx))
    }

    /// Computes the area under the titles; all of it where there are none.
    pub(super) fn body(&self) -> Rect {
        let area = self.area;
        if self.form == DifferenceLayout::Beside && area.height >= HEADED_HEIGHT_MIN {
            Rect::new(area.x, area.y + 1, area.width, area.height - 1)
        } else {
            area
        }
    }

    /// Computes the number of columns for text in each cell.
    pub(super) fn widths(&self) -> [u16; 2] {
        [0, 1].map(|cell| {
            let width = self.cell_area(cell, self.area).width;
            width.saturating_sub(self.prefix_width(cell))
        })
    }

    fn n_cells(&self) -> usize {
        if self.form == DifferenceLayout::Beside {
            2
        } else {
            1
        }
    }

    /// Computes a cell's part of an area; the column between two cells belongs to neither.
    fn cell_area(&self, cell: usize, area: Rect) -> Rect {
        if self.form != DifferenceLayout::Beside {
            return area;
        }
        let left = area.width.saturating_sub(1) / 2;
        match cell {
            0 => Rect {
                width: left,
                ..area
            },
            _ => Rect {
                x: area.x + left + 1,
                width: area.width.saturating_sub(left + 1),
                ..area
            },
        }
    }

    /// Returns the indices of the texts whose line numbers a cell shows.
    fn numbered(&self, cell: usize) -> std::ops::Range<usize> {
        if self.form == DifferenceLayout::Beside {
            cell..cell + 1
        } else {
            0..2
        }
    }

    fn digits(&self, half: usize) -> u16 {
        let half = &self.halves[half];
        let last = u64::from(half.first_line) + half.n_lines() as u64;
        (last.saturating_sub(1).checked_ilog10().unwrap_or(0) as u16 + 1).max(2)
    }

    fn has_cost_column(&self) -> bool {
        self.has_costs && self.shows_costs
    }

    /// Computes the number of columns before the text of a cell.
    pub(super) fn prefix_width(&self, cell: usize) -> u16 {
        let numbers = self.numbered(cell).map(|half| self.digits(half) + 1);
        let cost = if self.has_cost_column() {
            COST_WIDTH
        } else {
            0
        };
        1 + numbers.sum::<u16>() + cost + SIGN_WIDTH
    }
}

/// Writes as much of a text as fits; returns the column after it.
fn put(area: Rect, x: u16, text: &str, style: Style, buffer: &mut Buffer) -> u16 {
    let room = usize::from(area.right().saturating_sub(x));
    if room == 0 || x < area.x {
        return x;
    }
    buffer.set_stringn(x, area.y, text, room, style).0
}

/// Writes a cost as its effect on the score: `−.04`, `+.01`; a dot below half a hundredth, nothing for 0.
fn price(cost: f64) -> String {
    let hundredths = (cost.abs() * 100.0).round();
    if cost == 0.0 {
        return String::new();
    }
    if hundredths < 1.0 {
        return "·".to_owned();
    }
    let sign = if cost > 0.0 { '−' } else { '+' };
    let text = format!("{:.2}", hundredths / 100.0);
    let text = text.strip_prefix('0').unwrap_or(&text);
    format!("{sign}{text}")
}
