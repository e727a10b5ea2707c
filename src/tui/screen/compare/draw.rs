//! The drawing of Compare: the samples, the differences, and the message when there is nothing to compare.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::Direction;
use crate::screen::cells::{StyledLine, aligned, difference, draw_lines, progress, share, short};
use crate::screen::compare::questions::ComparedRow;
use crate::screen::compare::{Compare, CompareFocus, TextPair};
use crate::screen::runs::table::pair_title;
use crate::screen::{AnswerState, DrawContext};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, fit, inside};

/// From this number of columns on, the repository has a column.
const REPO_WIDTH_MIN: usize = 66;
const REPO: usize = 14;
const NUMBER: usize = 7;
/// The most runs with a column.
const VALUES_MAX: usize = 6;

impl Compare {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let lines = self.nothing();
        if !lines.is_empty() {
            let pane = Pane {
                title: "compare",
                note: "",
                has_focus: true,
            };
            pane.draw(self.areas.body, buffer, context.theme);
            draw_lines(lines.iter(), inside(self.areas.body), buffer, context);
            return;
        }
        if !self.areas.summary.is_empty() {
            self.draw_summary(buffer, context);
        }
        if !self.areas.slices.is_empty() {
            self.draw_slices(buffer, context);
        }
        if !self.areas.histogram.is_empty() {
            self.draw_histogram(buffer, context);
        }
        if !self.areas.samples.is_empty() {
            self.draw_samples(buffer, context);
        }
        for (pair, area) in self.areas.visible_differences() {
            self.draw_difference(pair, area, buffer, context);
        }
        let has_focus = self.focus == CompareFocus::Around;
        self.around.draw(has_focus, buffer, context);
    }

    /// Explains why nothing is compared, with advice; empty when something is.
    fn nothing(&self) -> Vec<StyledLine> {
        let hint = |text: &str| vec![(format!(" {text}"), Role::Dim)];
        match &self.pairing {
            AnswerState::Ready(_) => Vec::new(),
            AnswerState::Waiting if !self.has_runs => {
                vec![StyledLine::new(), hint("reading the runs …")]
            }
            AnswerState::Waiting => vec![StyledLine::new(), hint(&progress(&self.watched.0))],
            AnswerState::NoIndex => {
                let text = " nothing has been mined here yet · gh says how".to_owned();
                vec![StyledLine::new(), vec![(text, Role::Warning)]]
            }
            AnswerState::Failed(text) => {
                let mut lines = vec![
                    StyledLine::new(),
                    vec![(format!(" {}", visible(text)), Role::Warning)],
                ];
                if !self.names.is_empty() {
                    lines.push(StyledLine::new());
                    for (idx, name) in self.names.iter().enumerate() {
                        lines.push(hint(&format!("{} {}", self.letter(idx), visible(name))));
                    }
                    lines.push(StyledLine::new());
                    lines.push(hint("R another run · B another baseline"));
                    lines.push(hint("r evaluates them again on the current index"));
                }
                lines
            }
        }
    }

    fn draw_samples(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        // The aim of the listed rows, not the requested one: for a moment, the rows of another order are still on their
        // way.
        let aim = self
            .ordered
            .as_ref()
            .map(|difference_order| difference_order.aim)
            .or(self.aim());
        let metric = aim.map_or_else(String::new, |comparison_aim| {
            pair_title(comparison_aim.metric)
        });
        let order = match aim.map(|comparison_aim| comparison_aim.direction) {
            Some(Direction::Descending) => "best first",
            Some(Direction::Ascending) | None => "worst first",
        };
        let title = format!("samples, {order} in {metric}");
        let rank = if self.pages.is_empty() {
            "–".to_owned()
        } else {
            count(self.pages.cursor() as u64 + 1)
        };
        let note = format!("{rank}/{}", count(self.pages.len() as u64));
        let has_focus = self.focus == CompareFocus::Samples;
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus,
        };
        pane.draw(self.areas.samples, buffer, context.theme);
        let area = inside(self.areas.samples);
        if self.pages.is_empty() {
            let text = if !self.problem.is_empty() {
                (format!(" {}", visible(&self.problem)), Role::Error)
            } else if self.is_waiting() {
                (format!(" {}", progress(&self.watched.0)), Role::Dim)
            } else {
                let text = " no sample passes the filter · f changes it";
                (text.to_owned(), Role::Warning)
            };
            draw_lines(std::iter::once(&vec![text]), area, buffer, context);
            return;
        }
        let columns = ComparedColumns::of(usize::from(area.width), self.names.len());
        let mut lines = vec![self.head(&columns)];
        let mut selected = None;
        for (is_selected, row) in self.pages.visible() {
            if is_selected {
                selected = Some(lines.len() as u16);
            }
            lines.push(self.row(&columns, row, is_selected));
        }
        draw_lines(lines.iter(), area, buffer, context);
        if let Some(y) = selected
            .map(|selected| area.y + selected)
            .filter(|y| *y < area.bottom())
        {
            let role = if has_focus {
                Role::Selected
            } else {
                Role::Marked
            };
            let row = Rect::new(area.x, y, area.width, 1);
            buffer.set_style(row, context.theme.style(role));
        }
    }

    /// Iterates over the runs in the order of their columns: A, B, then the others.
    fn order_of_runs(&self) -> impl Iterator<Item = usize> {
        let others = (1..self.names.len()).filter(|n| *n != self.other);
        [0, self.other].into_iter().chain(others)
    }

    fn head(&self, columns: &ComparedColumns) -> StyledLine {
        let mut head = format!("  {} ", fit("test", columns.test));
        for run in self.order_of_runs().take(columns.n_values) {
            let letter = self.letter(run).to_string();
            head.push_str(&aligned(&letter, NUMBER - 1, true));
            head.push(' ');
        }
        let arrow = if self.is_best_first { "▼" } else { "▲" };
        head.push_str(&aligned(&format!("Δ{arrow}"), NUMBER, true));
        if columns.has_repo {
            head.push_str("  repo");
        }
        vec![(head, Role::Dim)]
    }

    fn row(
        &self,
        columns: &ComparedColumns,
        row: Option<&ComparedRow>,
        is_selected: bool,
    ) -> StyledLine {
        let cursor = if is_selected { "▌ " } else { "  " };
        let mut line = vec![(cursor.to_owned(), Role::Focus)];
        let Some(ComparedRow { row, values }) = row else {
            line.push(("…".to_owned(), Role::Dim));
            return line;
        };
        let (test, role) = match row.test() {
            Some(test) => (short(&test, columns.test), Role::Text),
            None => ("(no longer in the index)".to_owned(), Role::Dim),
        };
        line.push((fit(&test, columns.test) + " ", role));
        let value = |run: usize| values.get(run).copied().unwrap_or_default();
        for run in self.order_of_runs().take(columns.n_values) {
            let text = aligned(&share(value(run)), NUMBER - 1, true);
            line.push((text + " ", Role::Text));
        }
        let (delta, role) = difference(value(self.other) - value(0));
        line.push((aligned(&delta, NUMBER, true), role));
        if columns.has_repo {
            let repo = row
                .sample
                .as_ref()
                .map_or("", |sample_row| sample_row.repo.as_str());
            line.push((format!("  {}", fit(&visible(repo), REPO)), Role::Dim));
        }
        line
    }

    fn draw_difference(
        &self,
        pair: TextPair,
        area: Rect,
        buffer: &mut Buffer,
        context: DrawContext<'_>,
    ) {
        let view = &self.views[pair as usize];
        let has_any = self.has_any();
        let (title, note) = if has_any {
            (view.title(), view.note())
        } else {
            ("difference".to_owned(), String::new())
        };
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus: self.has_difference() && pair == self.pair,
        };
        pane.draw(area, buffer, context.theme);
        if !has_any {
            return;
        }
        view.draw(buffer, context.theme, context.cache);
        let is_gone = self
            .shown
            .as_ref()
            .is_some_and(|compared_sample| compared_sample.texts.reference.is_none());
        if is_gone && pair != TextPair::FirstSecond && area.height > 4 {
            let row = Rect::new(
                area.x + 2,
                area.bottom() - 2,
                area.width.saturating_sub(4),
                1,
            );
            let text = "no ground truth: the sample is gone, or has no such part".to_owned();
            draw_lines(
                std::iter::once(&vec![(text, Role::Warning)]),
                row,
                buffer,
                context,
            );
        }
    }
}

/// The widths of a row's columns, and which of them fit.
struct ComparedColumns {
    test: usize,
    n_values: usize,
    has_repo: bool,
}

impl ComparedColumns {
    fn of(width: usize, n_runs: usize) -> Self {
        let n_values = n_runs.clamp(2, VALUES_MAX);
        let has_repo = width >= REPO_WIDTH_MIN;
        let repo = if has_repo { REPO + 2 } else { 0 };
        let used = 2 + 1 + n_values * NUMBER + NUMBER + repo;
        Self {
            test: width.saturating_sub(used).max(12),
            n_values,
            has_repo,
        }
    }
}
