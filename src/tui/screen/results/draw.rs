//! The drawing of Results.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::eval::by::GroupBy;
use crate::model::{Direction, ResultRow, RunKind};
use crate::screen::results::table::{ColumnLayout, MARK, OptionalColumns};
use crate::screen::results::{Results, ResultsFocus, ResultsUpperPane};
use crate::screen::runs::table::pair_title;
use crate::screen::{AnswerState, DrawContext, cells};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{Pane, count, cut, fit, inside, pieces};

impl Results {
    pub fn draw(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        if self.upper_area.height > 0 {
            self.draw_upper(buffer, context);
        }
        if self.arithmetic_area.height > 0 && self.upper != ResultsUpperPane::Breakdown {
            let pane = Pane {
                title: "how the value is computed",
                note: "i larger",
                has_focus: false,
            };
            pane.draw(self.arithmetic_area, buffer, context.theme);
            self.draw_breakdown(inside(self.arithmetic_area), 0, buffer, context);
        }
        if self.shows_execution {
            self.execution.draw(self.has_ran(), buffer, context);
            return;
        }
        let area = self.difference_area;
        let has_any = self.shown.is_some();
        let (title, note) = if has_any {
            (self.difference.title(), self.difference.note())
        } else {
            ("difference".to_owned(), String::new())
        };
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus: self.has_difference(),
        };
        pane.draw(area, buffer, context.theme);
        match self
            .shown
            .as_ref()
            .map(|explained_prediction| explained_prediction.detail.reference.is_some())
        {
            Some(true) => self.difference.draw(buffer, context.theme, context.cache),
            Some(false) => {
                // Without a ground truth, all of the prediction is new.
                self.difference.draw(buffer, context.theme, context.cache);
                let row = Rect::new(
                    area.x + 2,
                    area.bottom().saturating_sub(2),
                    area.width.saturating_sub(4),
                    1,
                );
                let text = match self.run_kind() {
                    RunKind::Samples => "no ground truth: the sample is gone, or has no such part",
                    RunKind::Clover => "no ground truth: the problem's own test is not known",
                    RunKind::Consistency => "no ground truth: only the function's name is known",
                };
                if area.height > 4 {
                    pieces(row, &[(text, Role::Warning)], buffer, context.theme);
                }
            }
            None => {}
        }
        if has_any {
            let has_focus = self.focus == ResultsFocus::Around;
            self.around.draw(has_focus, buffer, context);
        }
    }

    fn draw_upper(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let (title, note) = self.upper_title();
        let pane = Pane {
            title: &title,
            note: &note,
            has_focus: self.focus == ResultsFocus::Upper,
        };
        pane.draw(self.upper_area, buffer, context.theme);
        let area = inside(self.upper_area);
        match self.upper {
            ResultsUpperPane::List => self.draw_list(area, buffer, context),
            ResultsUpperPane::Breakdown => {
                self.draw_breakdown(area, self.upper_top, buffer, context);
            }
            ResultsUpperPane::Groups(_) => self.draw_groups(area, buffer, context),
            ResultsUpperPane::Nearest => self.draw_nearest(area, buffer, context),
        }
    }

    fn upper_title(&self) -> (String, String) {
        let run = self.options.run.as_deref().unwrap_or("results");
        match self.upper {
            ResultsUpperPane::List => (visible(run), self.position()),
            ResultsUpperPane::Breakdown => {
                let metric = self
                    .view
                    .as_ref()
                    .and_then(|results_view| results_view.metric);
                let metric = metric.map(pair_title);
                let test = self
                    .shown
                    .as_ref()
                    .map(|explained_prediction| visible(&explained_prediction.detail.row.test));
                // A run without scores has no metric.
                let title: Vec<String> = metric.into_iter().chain(test).collect();
                (title.join(" · "), "i the list".to_owned())
            }
            ResultsUpperPane::Groups(by) => {
                let n = self.groups.ready().map_or(0, Vec::len) as u64;
                let whose = if by == GroupBy::Tag {
                    ", the machine's"
                } else {
                    ""
                };
                let title = format!("{} by {}{whose}", visible(run), by.as_str());
                (title, count(n))
            }
            ResultsUpperPane::Nearest => {
                let test = self
                    .shown
                    .as_ref()
                    .map(|explained_prediction| visible(&explained_prediction.detail.row.test));
                let title = format!("training samples nearest to {}", test.unwrap_or_default());
                (title, "Enter the sample".to_owned())
            }
        }
    }

    /// Writes row and number of rows: `3/812`, or `–/0` for an empty list.
    fn position(&self) -> String {
        let rank = if self.pages.is_empty() {
            "–".to_owned()
        } else {
            count(self.pages.cursor() as u64 + 1)
        };
        format!("{rank}/{}", count(self.pages.len() as u64))
    }

    fn draw_list(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        // Rows of the former list would hide the message why there is no other one.
        let has_rows = !self.pages.is_empty() && !matches!(self.list, AnswerState::Failed(_));
        let Some(view) = self.view.as_ref().filter(|_| has_rows) else {
            self.draw_nothing(area, buffer, context);
            return;
        };
        let rows: Vec<&ResultRow> = self.pages.visible().filter_map(|pair| pair.1).collect();
        let layout = ColumnLayout::fitted(
            &self.columns,
            OptionalColumns {
                baseline: view.baseline.is_some(),
                executions: self.setting.is_some(),
                faults: view.has_faults,
            },
            usize::from(area.width),
            (&rows, view),
        );
        let sorted = self.options.filter.sort.first().map(|sort_key| {
            let arrow = match sort_key.direction {
                Direction::Ascending => "▲",
                Direction::Descending => "▼",
            };
            (sort_key.field.to_string(), arrow)
        });
        let head = Rect {
            height: 1.min(area.height),
            ..area
        };
        pieces(
            head,
            &[(&layout.head(sorted.as_ref()), Role::Dim)],
            buffer,
            context.theme,
        );
        let (chosen, top) = (self.chosen_rows(), self.pages.top());
        for ((is_selected, row), y) in self.pages.visible().zip(area.y + 1..area.bottom()) {
            let place = Rect::new(area.x, y, area.width, 1);
            let cells = match row {
                Some(row) => layout.cells(row, view),
                None => vec![("…".to_owned(), Role::Dim)],
            };
            let rank = top + usize::from(y - area.y - 1);
            let is_chosen = chosen.is_some_and(|[first, n]| (first..first + n).contains(&rank));
            let cursor = match (is_selected, is_chosen) {
                (true, _) => "▌",
                (false, true) => "┃",
                (false, false) => " ",
            };
            let mark = fit(cursor, MARK);
            let parts: Vec<(&str, Role)> = std::iter::once((mark.as_str(), Role::Focus))
                .chain(cells.iter().map(|(text, role)| (text.as_str(), *role)))
                .collect();
            pieces(place, &parts, buffer, context.theme);
            if is_chosen {
                buffer.set_style(place, context.theme.style(Role::Marked));
            }
            if is_selected {
                let role = if self.focus == ResultsFocus::Upper {
                    Role::Selected
                } else {
                    Role::Marked
                };
                buffer.set_style(place, context.theme.style(role));
            }
        }
    }

    fn draw_nothing(&self, area: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        let waiting;
        let lines: Vec<(&str, Role)> = match &self.list {
            AnswerState::Waiting => {
                waiting = self
                    .watched
                    .as_ref()
                    .map_or_else(String::new, |question_monitor| {
                        cells::progress(&question_monitor.0)
                    });
                vec![(waiting.as_str(), Role::Dim)]
            }
            AnswerState::Failed(text) => vec![(text.as_str(), Role::Error)],
            AnswerState::NoIndex => vec![(
                "nothing has been mined here yet · gh says how",
                Role::Warning,
            )],
            AnswerState::Ready(_) if self.filter_text.is_empty() => {
                vec![(
                    "the run has no predictions · gR imports and evaluates",
                    Role::Warning,
                )]
            }
            AnswerState::Ready(_) => vec![(
                "no prediction passes the filter · f changes it",
                Role::Warning,
            )],
        };
        for ((text, role), y) in lines.into_iter().zip(area.y + 1..area.bottom()) {
            let row = Rect::new(area.x + 1, y, area.width.saturating_sub(1), 1);
            let text = cut(text, usize::from(row.width));
            pieces(row, &[(&text, role)], buffer, context.theme);
        }
    }
}
