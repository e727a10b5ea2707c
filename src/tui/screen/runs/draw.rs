//! The drawing of Runs: the table with its head, and the panes below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::screen::runs::detail::RunDetailLine;
use crate::screen::runs::table::{CellNote, RunCell, RunColumn, is_beside, percent};
use crate::screen::runs::{Runs, arrow};
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, counted, cut, fit, inside, pieces};

impl Runs {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        if !self.is_zoomed {
            let n = self.rows.ready().map_or_else(String::new, |rows| {
                let shown = self.visible_columns(usize::from(inside(self.table_area).width));
                let n_hidden = self.columns.len() - shown.len().min(self.columns.len());
                match n_hidden {
                    0 => count(rows.len() as u64),
                    n => {
                        let more = counted(n as u64, "more column");
                        format!("{} · h l: {more}", count(rows.len() as u64))
                    }
                }
            });
            let pane = Pane {
                title: "runs",
                note: &n,
                has_focus: true,
            };
            pane.draw(self.table_area, buffer, context.theme);
            self.draw_table(inside(self.table_area), buffer, context);
        }
        for ((title, lines), area) in self.detail.iter().zip(&self.detail_areas) {
            let height = usize::from(inside(*area).height);
            // A short pane stays at its end while a longer one scrolls on.
            let top = self.detail_top.min(lines.len().saturating_sub(height));
            let note = match lines.len().saturating_sub(top + height) {
                0 => String::new(),
                n => format!("↓{n} more"),
            };
            let pane = Pane {
                title,
                note: &note,
                has_focus: self.is_zoomed,
            };
            pane.draw(*area, buffer, context.theme);
            draw_lines(&lines[top..], inside(*area), buffer, context);
        }
        if !self.is_zoomed {
            self.draw_bars(buffer, context);
        }
    }

    /// Draws bars of the runs that can be compared with the one under the cursor, below the lines of the last pane.
    ///
    /// ```text
    ///  BLEU of each run of 1 000 samples, target assertion
    ///  carbon-ft  41.87 ████████████████░░░░░░░░░░░░░░░░░░░░░░░
    ///  carbon     34.42 █████████████░░░░░░░░░░░░░░░░░░░░░░░░░░
    /// ```
    fn draw_bars(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (Some((_, lines)), Some(area)) = (self.detail.last(), self.detail_areas.last()) else {
            return;
        };
        let sorted = self.sort.as_ref().map(|sort| &sort.0);
        let is_metric = |run_column: &&RunColumn| matches!(run_column, RunColumn::Metric(_));
        let column = sorted
            .filter(is_metric)
            .or_else(|| self.columns.iter().find(is_metric));
        let (Some(column), Some(selected)) = (column, self.selected()) else {
            return;
        };
        let order = self.order.iter().map(|place| &self.rows()[*place]);
        let runs: Vec<(&str, f64)> = order
            .filter(|run| is_beside(run, selected))
            .filter_map(|run| {
                Some((
                    run.setting.name.as_str(),
                    column.share(run, (self.values, &self.executions))?,
                ))
            })
            .collect();
        let inner = inside(*area);
        let n_free = usize::from(inner.height).saturating_sub(lines.len() + 2);
        if runs.len() < 2 || n_free < runs.len().min(BARS_MIN) {
            return;
        }
        let mut y = inner.y + lines.len() as u16 + 1;
        let title = format!(
            " {} of each run of {}, target {}",
            column.title(),
            counted(selected.n_samples, "sample"),
            selected.answers_to()
        );
        let row = |y| Rect::new(inner.x, y, inner.width, 1);
        let title = cut(&title, usize::from(inner.width));
        pieces(row(y), &[(&title, Role::Dim)], buffer, context.theme);
        let names = runs.iter().map(|run| visible(run.0).width());
        let name_width = names.max().unwrap_or(0).min(BAR_NAME_WIDTH_MAX);
        for (name, share) in runs.iter().take(n_free) {
            y += 1;
            let name = format!(" {} ", fit(&visible(name), name_width));
            let value = format!("{:>6} ", percent(*share));
            let room = usize::from(inner.width).saturating_sub(name.width() + value.width() + 1);
            let filled = (0..room)
                .filter(|n| ((*n as f64) + 0.5) < share * room as f64)
                .count();
            let parts = [
                (name.as_str(), Role::Text),
                (value.as_str(), Role::Strong),
                (&"█".repeat(filled), Role::Gauge),
                (&"░".repeat(room - filled), Role::GaugeRest),
            ];
            pieces(row(y), &parts, buffer, context.theme);
        }
    }

    fn draw_table(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if area.is_empty() {
            return;
        }
        if self.order.is_empty() {
            self.draw_nothing(area, buffer, context);
            return;
        }
        let columns = self.visible_columns(usize::from(area.width));
        for (idx, x, width) in &columns {
            let column = &self.columns[*idx];
            let sorted = self.sort.as_ref().filter(|(by, _)| by == column);
            let arrow = sorted.map_or("", |(_, direction)| arrow(*direction));
            let title = format!("{}{arrow}", column.title());
            let text = if column.is_number() && !arrow.is_empty() {
                // The arrow takes the column of the signs, so that the head does not move.
                format!("{}{title}", " ".repeat(width.saturating_sub(title.width())))
            } else {
                aligned(&title, *width, column.is_number())
            };
            let place = Rect::new(area.x + *x as u16, area.y, *width as u16, 1);
            pieces(place, &[(&text, Role::Dim)], buffer, context.theme);
            if *idx == self.column {
                buffer.set_style(place, context.theme.style(Role::Marked));
            }
        }
        let rows = self.order.iter().enumerate().skip(self.top);
        for ((row_idx, place), y) in rows.zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x, y, area.width, 1);
            for (idx, x, width) in &columns {
                let cell = &self.cells[*place][*idx];
                let is_number = self.columns[*idx].is_number();
                draw_cell(
                    (cell, is_number),
                    Rect::new(area.x + *x as u16, y, *width as u16, 1),
                    buffer,
                    context,
                );
            }
            if row_idx == self.cursor {
                buffer.set_style(row, context.theme.style(Role::Selected));
            }
            let cursor = if row_idx == self.cursor { "▌" } else { " " };
            let is_baseline = self.baseline.as_ref() == Some(&self.rows()[*place].setting.name);
            let mark = if is_baseline { "◆" } else { " " };
            buffer.set_string(row.x, y, cursor, context.theme.style(Role::Focus));
            buffer.set_string(row.x + 1, y, mark, context.theme.style(Role::Key));
        }
    }

    fn draw_nothing(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let lines: Vec<(&str, Role)> = match &self.rows {
            AnswerState::Waiting => vec![("reading the index …", Role::Dim)],
            AnswerState::Failed(text) => vec![(text.as_str(), Role::Error)],
            AnswerState::NoIndex => vec![(
                "nothing has been mined here yet · gh says how",
                Role::Warning,
            )],
            AnswerState::Ready(_) => EMPTY.to_vec(),
        };
        for ((text, role), y) in lines.into_iter().zip(area.y..area.bottom()) {
            let row = Rect::new(area.x + 1, y, area.width.saturating_sub(1), 1);
            let text = cut(text, usize::from(row.width));
            pieces(row, &[(&text, role)], buffer, context.theme);
        }
    }
}

/// The fewest bars that are worth drawing.
const BARS_MIN: usize = 3;
const BAR_NAME_WIDTH_MAX: usize = 20;

const EMPTY: &[(&str, Role)] = &[
    ("No run has been imported yet.", Role::Strong),
    ("", Role::Text),
    (
        "i                         imports predictions from a file",
        Role::Text,
    ),
    ("focalist import --run NAME predictions.jsonl", Role::Text),
    ("                          the same in the shell", Role::Dim),
    ("", Role::Text),
    (
        "A record is {\"sample\": KEY, \"prediction\": CODE}, one a line.",
        Role::Text,
    ),
    (
        "`focalist export --format jsonl` writes the samples with their keys.",
        Role::Dim,
    ),
];

/// Aligns numbers to the right, one column before the end, where the sign of a note stands; texts to the left.
fn aligned(text: &str, width: usize, is_number: bool) -> String {
    if is_number {
        let text = cut(text, width.saturating_sub(1));
        let missing = width.saturating_sub(1 + text.width());
        format!("{}{text} ", " ".repeat(missing))
    } else {
        fit(text, width)
    }
}

fn draw_cell(
    (cell, is_number): (&RunCell, bool),
    place: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    let role = match cell.note {
        CellNote::Plain => Role::Text,
        CellNote::Best => Role::Strong,
        CellNote::Outdated | CellNote::Bad => Role::Warning,
        CellNote::Absent => Role::Dim,
    };
    let text = aligned(&cell.text, usize::from(place.width), is_number);
    pieces(place, &[(&text, role)], buffer, context.theme);
    if is_number && place.width > 0 {
        let sign = Rect::new(place.right() - 1, place.y, 1, 1);
        pieces(sign, &[(cell.note.sign(), role)], buffer, context.theme);
    }
}

fn draw_lines(lines: &[RunDetailLine], area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let row = Rect::new(area.x, y, area.width, 1);
        let n_columns: usize = line.iter().map(|(text, _)| text.width()).sum();
        let parts: Vec<(&str, Role)> = line
            .iter()
            .map(|(text, role)| (text.as_str(), *role))
            .collect();
        pieces(row, &parts, buffer, context.theme);
        if n_columns > usize::from(area.width) && area.width > 0 {
            buffer.set_string(area.right() - 1, y, "…", context.theme.style(Role::Dim));
        }
    }
}
