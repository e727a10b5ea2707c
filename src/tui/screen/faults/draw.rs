//! The drawing of Faults.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::execute::matrix::{MatrixColumn, MatrixRow, MutantMatrix};
use crate::model::FaultOutcome;
use crate::screen::docs::file_name;
use crate::screen::faults::Faults;
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, counted, cut, fit, inside, pieces};

/// The width of a cell of the matrix.
pub const CELL: u16 = 6;
/// The least width of the description of a mutant.
const MUTANT_MIN: u16 = 34;
/// The widths of a line's number and of an operator's name.
const NUMBER: usize = 5;
const OPERATOR: usize = 5;
/// The width of the sign of a mark with the names of those who made it.
const NAMES: usize = 14;

impl Faults {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let [upper, left, right] = self.areas;
        let (title, note) = self.title();
        pane(&title, &note, true).draw(upper, buffer, context.theme);
        self.draw_matrix(inside(upper), buffer, context);
        let Some(line) = self.line_shown() else {
            pane("mutant", "", false).draw(left, buffer, context.theme);
            pane("test", "", false).draw(right, buffer, context.theme);
            return;
        };
        let place = format!("{}:{}", file_name(&line.mutant.file), line.mutant.line);
        let note = marked(line).map_or_else(String::new, |(sign, by)| {
            cut(&format!("{sign} {}", visible(&by)), NAMES)
        });
        if self.is_difference() {
            let title = format!("{} − / mutant +", visible(&place));
            pane(&title, &note, false).draw(left, buffer, context.theme);
            self.difference.draw(buffer, context.theme, context.cache);
        } else {
            let title = format!(
                "{} · {}",
                visible(&place),
                visible(&line.mutant.description)
            );
            pane(&title, &note, false).draw(left, buffer, context.theme);
            self.source.draw(buffer, context.theme, context.cache);
        }
        let Some(column) = self.test_shown() else {
            return;
        };
        let met = line.met.get(self.test).and_then(Option::as_ref);
        let outcome = met.map_or_else(String::new, |matrix_cell| {
            let by = matrix_cell
                .by
                .as_deref()
                .map(|by| format!(" ({})", visible(by)));
            format!(": {}{}", words(matrix_cell.outcome), by.unwrap_or_default())
        });
        let title = format!("{}{outcome}", Self::name_of(column));
        let below = match self.code.n_rows_below() {
            0 => String::new(),
            n => format!("↓{n}"),
        };
        pane(&title, &below, false).draw(right, buffer, context.theme);
        self.code.draw(buffer, context.theme, context.cache);
    }

    /// Names a test by its run, and by the number of the attempt unless it is the first.
    pub(super) fn name_of(column: &MatrixColumn) -> String {
        let run = visible(&column.run);
        match column.attempt {
            0 => run,
            attempt => format!("{run} #{attempt}"),
        }
    }

    fn title(&self) -> (String, String) {
        let Some(matrix) = &self.matrix else {
            return ("mutants by tests".to_owned(), String::new());
        };
        let name = [&matrix.focal, &matrix.test];
        let name = name.into_iter().find(|text| !text.is_empty());
        let name = name.map_or_else(
            || "(no longer in the index)".to_owned(),
            |name| visible(name),
        );
        let n_listed = self.listed.len();
        let n = match matrix.lines.len() {
            all if all != n_listed => format!("{n_listed} of {}", counted(all as u64, "mutant")),
            all => counted(all as u64, "mutant"),
        };
        let n_tests = counted(matrix.columns.len() as u64, "test");
        let note = match &self.samples {
            AnswerState::Ready(samples) => {
                let at = samples.iter().position(|sample| Some(*sample) == self.key);
                at.map_or_else(String::new, |n| format!("{}/{}", n + 1, samples.len()))
            }
            _ => String::new(),
        };
        (format!("{name} · {n} × {n_tests}"), note)
    }

    /// Computes how many mutants fit on the screen.
    pub(super) fn n_rows(&self) -> usize {
        usize::from(inside(self.areas[0]).height.saturating_sub(1))
    }

    pub(super) fn list_top(&self) -> usize {
        (self.cursor + 1).saturating_sub(self.n_rows().max(1))
    }

    /// Computes the area of the tests' columns: as many as fit.
    pub(super) fn columns_area(&self) -> Rect {
        let area = inside(self.areas[0]);
        let n = self
            .matrix
            .as_ref()
            .map_or(0, |mutant_matrix| mutant_matrix.columns.len());
        let room = area.width.saturating_sub(MUTANT_MIN) / CELL;
        let n = room.min(u16::try_from(n).unwrap_or(u16::MAX));
        // The sign of a missed mutant stands behind the last column.
        let width = (n * CELL + 2).min(area.width);
        Rect {
            x: area.right() - width,
            width,
            ..area
        }
    }

    /// Returns the index of the first visible test; the one under the cursor is always visible.
    pub(super) fn first_column(&self) -> usize {
        let n = usize::from(self.columns_area().width.saturating_sub(2) / CELL);
        (self.test + 1).saturating_sub(n.max(1))
    }

    fn draw_matrix(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (text, role) = match (&self.samples, &self.matrix) {
            (_, Some(matrix)) if !self.listed.is_empty() => {
                self.draw_head(matrix, area, buffer, context);
                self.draw_lines(matrix, area, buffer, context);
                return;
            }
            (_, Some(matrix)) if matrix.lines.is_empty() => {
                ("this method has no mutants", Role::Dim)
            }
            (_, Some(_)) => (
                "the true test notices no more than this one · Esc",
                Role::Good,
            ),
            (AnswerState::Failed(text), None) => (text.as_str(), Role::Error),
            (AnswerState::NoIndex, None) => ("there is no index here yet", Role::Warning),
            (AnswerState::Ready(samples), None) if samples.is_empty() => (
                "no test was run against mutants yet: focalist execute --truth --faults",
                Role::Warning,
            ),
            (AnswerState::Ready(_), None) if self.is_without => (
                "no test of this sample was run against mutants · } goes to one that was",
                Role::Warning,
            ),
            (AnswerState::Waiting | AnswerState::Ready(_), None) => {
                ("reading the index …", Role::Dim)
            }
        };
        let row = Rect::new(area.x + 1, area.y, area.width.saturating_sub(1), 1);
        pieces(row, &[(text, role)], buffer, context.theme);
    }

    fn draw_head(
        &self,
        matrix: &MutantMatrix,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let columns = self.columns_area();
        let first = self.first_column();
        let names = Rect {
            width: area.width - columns.width,
            height: 1.min(area.height),
            ..area
        };
        let more = if first > 0 {
            format!("‹{first} ")
        } else {
            String::new()
        };
        let head = format!("  {:>NUMBER$} {} mutant", "line", fit("by", OPERATOR));
        pieces(names, &[(&head, Role::Dim)], buffer, context.theme);
        let x = names.right().saturating_sub(more.chars().count() as u16);
        buffer.set_string(x, names.y, &more, context.theme.style(Role::Dim));
        let shown = matrix.columns.iter().enumerate().skip(first);
        for ((place, column), x) in shown.zip((columns.x..columns.right() - 2).step_by(CELL.into()))
        {
            let name = if column.is_truth {
                "true".to_owned()
            } else {
                cut(&Self::name_of(column), usize::from(CELL) - 1)
            };
            let role = if place == self.test {
                Role::Strong
            } else {
                Role::Dim
            };
            let cell = Rect::new(x, area.y, CELL, 1.min(area.height));
            pieces(
                cell,
                &[(&fit(&name, CELL.into()), role)],
                buffer,
                context.theme,
            );
        }
    }

    fn draw_lines(
        &self,
        matrix: &MutantMatrix,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let columns = self.columns_area();
        let first = self.first_column();
        let shown = self.listed.iter().enumerate().skip(self.list_top());
        for ((idx, place), y) in shown.zip(area.y + 1..area.bottom()) {
            let line = &matrix.lines[*place];
            let row = Rect::new(area.x, y, area.width, 1);
            let room = usize::from(area.width - columns.width);
            let text = fit(&mutant_line(line), room.saturating_sub(1));
            let text_role = if line.is_equivalent() {
                Role::Dim
            } else {
                Role::Text
            };
            pieces(row, &[(&text, text_role)], buffer, context.theme);
            if let Some((sign, _)) = marked(line) {
                let place = Rect::new((row.x + 2).min(row.right()), y, 1.min(row.width), 1);
                pieces(place, &[(sign, Role::Warning)], buffer, context.theme);
            }
            if idx == self.cursor {
                buffer.set_style(row, context.theme.style(Role::Selected));
                buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
            }
            let cells = (first..matrix.columns.len())
                .zip((columns.x..columns.right() - 2).step_by(CELL.into()));
            for (column, x) in cells {
                let Some(outcome) = line.outcome(column) else {
                    continue;
                };
                let mark = if column == self.test { "[" } else { " " };
                let end = if column == self.test { "]" } else { " " };
                let letter = outcome.letter().to_string();
                let cell = Rect::new(x, y, CELL, 1);
                let parts = [
                    (mark, Role::Dim),
                    (letter.as_str(), role(outcome)),
                    (end, Role::Dim),
                ];
                pieces(cell, &parts, buffer, context.theme);
            }
            if matrix.is_missed(line, self.test) {
                let sign = Rect::new(columns.right() - 2, y, 2, 1);
                pieces(sign, &[("◂", Role::Warning)], buffer, context.theme);
            }
        }
    }
}

/// Chooses the sign of a mutant that is marked as equivalent, by whether a test refutes the mark; adds the names of
/// those who made it.
fn marked(line: &MatrixRow) -> Option<(&'static str, String)> {
    let equivalence = line.equivalence.as_ref()?;
    let sign = if equivalence.is_refuted { "≠" } else { "=" };
    Some((sign, equivalence.by.join(", ")))
}

/// Describes a mutant in one line: the line's number, the operator, and the change in words.
fn mutant_line(line: &MatrixRow) -> String {
    let mutant = &line.mutant;
    let operator = mutant.mutator.rsplit('.').next().unwrap_or_default();
    // PIT's operator names are as long as its descriptions and repeat them, so they are left out.
    let operator = match operator.len() {
        0..=OPERATOR => visible(operator),
        _ => String::new(),
    };
    format!(
        "  {:>NUMBER$} {} {}",
        mutant.line,
        fit(&operator, OPERATOR),
        visible(&mutant.description)
    )
}

/// Describes the outcome of a test on a mutant.
const fn words(outcome: FaultOutcome) -> &'static str {
    match outcome {
        FaultOutcome::KilledByAssertion => "noticed by an assertion",
        FaultOutcome::KilledByError => "noticed, something was thrown",
        FaultOutcome::Survived => "survives",
        FaultOutcome::TimedOut => "noticed, out of time",
        FaultOutcome::OutOfMemory => "noticed, out of memory",
        FaultOutcome::NotCovered => "not covered",
        FaultOutcome::NotViable => "not viable",
        FaultOutcome::Unstable => "unstable",
    }
}

const fn role(outcome: FaultOutcome) -> Role {
    match outcome {
        FaultOutcome::KilledByAssertion => Role::Good,
        FaultOutcome::KilledByError | FaultOutcome::TimedOut | FaultOutcome::OutOfMemory => {
            Role::Strong
        }
        FaultOutcome::Survived => Role::Error,
        FaultOutcome::NotCovered | FaultOutcome::Unstable => Role::Warning,
        FaultOutcome::NotViable => Role::Dim,
    }
}

const fn pane<'a>(title: &'a str, note: &'a str, has_focus: bool) -> Pane<'a> {
    Pane {
        title,
        note,
        has_focus,
    }
}
