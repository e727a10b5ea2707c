//! The commands and the pointer of Runs; long work is a job.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::desk::overlay::{ConfirmedAction, InputPurpose, Overlay};
use crate::desk::{Desk, ScreenRequest};
use crate::filter::FilterFlaw;
use crate::keymap::{Command, Motion, PaneCommand};
use crate::layout::{above, beside};
use crate::metrics;
use crate::model::JobKind;
use crate::scene::Scene;
use crate::screen::DrawContext;
use crate::screen::runs::commands::RunsCommand;
use crate::screen::runs::{DETAIL_HEIGHT_MIN, RunDetailKey, Runs};
use crate::screen::sample::{WIDTH_THREE, WIDTH_TWO};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{counted, inside};
use crate::widget::overlay::Prompt;

impl Scene for Runs {
    fn arrange(&mut self, body: Rect, _desk: &mut Desk) {
        let n_rows = self.order.len().max(1) as u16;
        let wanted = n_rows.saturating_add(3).clamp(5, (body.height / 2).max(5));
        let has_detail = self.selected().is_some() && body.height >= wanted + DETAIL_HEIGHT_MIN;
        let (table, rest) = if self.is_zoomed {
            (Rect { height: 0, ..body }, body)
        } else if has_detail {
            let [table, rest] = above(body, wanted);
            (table, rest)
        } else {
            (body, Rect { height: 0, ..body })
        };
        self.table_area = table;
        self.detail_areas = if rest.height == 0 {
            Vec::new()
        } else if rest.width < WIDTH_TWO {
            vec![rest]
        } else if rest.width < WIDTH_THREE {
            beside(rest, rest.width * 45 / 100).to_vec()
        } else {
            let [facts, rest] = beside(rest, 60);
            let [metrics, problems] = beside(rest, 76);
            vec![facts, metrics, problems]
        };
        let height = self.n_visible().max(1);
        self.top = self
            .top
            .clamp((self.cursor + 1).saturating_sub(height), self.cursor);
        self.scroll_columns(usize::from(inside(table).width));
        let detail_of = RunDetailKey {
            run: self.selected().map(|run| run.id),
            baseline: self.baseline().map(|run| run.id),
            n_areas: self.detail_areas.len(),
            n_readings: self.n_readings,
        };
        if self.detail_of.as_ref() != Some(&detail_of) {
            self.detail = self.new_detail();
            self.detail_of = Some(detail_of);
        }
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if self.is_zoomed {
            self.scroll_detail(motion);
            return;
        }
        let last = self.order.len().saturating_sub(1);
        let page = self.n_visible().max(1);
        match motion {
            Motion::Left => self.column = self.column.saturating_sub(1),
            Motion::Right => {
                self.column = (self.column + 1).min(self.columns.len().saturating_sub(1));
            }
            _ => {}
        }
        let cursor = motion.moved(self.cursor, page).min(last);
        if cursor != self.cursor {
            self.cursor = cursor;
            self.detail_top = 0;
            self.ask_problems(desk);
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let inner = inside(self.table_area);
        if self.is_zoomed || !inner.contains(at) {
            return false;
        }
        if at.y == inner.y {
            let found = self
                .visible_columns(usize::from(inner.width))
                .into_iter()
                .find(|(_, x, width)| (*x..x + width).contains(&usize::from(at.x - inner.x)));
            if let Some((idx, _, _)) = found {
                self.column = idx;
            }
            return found.is_some();
        }
        let row = self.top + usize::from(at.y - inner.y - 1);
        if row < self.order.len() && row != self.cursor {
            self.cursor = row;
            self.detail_top = 0;
            self.ask_problems(desk);
        }
        row < self.order.len()
    }

    /// Gives the lower panes the whole screen, or brings the table back.
    fn open(&mut self, _desk: &mut Desk) {
        self.is_zoomed = !self.is_zoomed && self.selected().is_some();
        self.detail_top = 0;
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        if self.is_zoomed {
            self.is_zoomed = false;
            self.detail_top = 0;
            return true;
        }
        let had_baseline = self.baseline.take().is_some();
        self.rebuild();
        had_baseline
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Runs(command) => self.run_own(command, desk),
            Command::Pane(PaneCommand::Peek(step)) => self.scroll_detail(Motion::from(step)),
            _ => {}
        }
    }

    /// Another process may have imported runs.
    fn enter(&mut self, desk: &mut Desk) {
        desk.request(ScreenRequest::Runs);
    }

    /// Completes and checks the metrics as they are typed.
    fn check(&self, asked: InputPurpose, prompt: &mut Prompt, _desk: &mut Desk) {
        if asked == InputPurpose::Metrics {
            prompt.completions = metrics::complete(prompt.input.before_cursor());
            prompt.mark(metrics::parse(prompt.input.text()).err());
        }
    }

    /// Evaluates the run under the cursor with the typed metrics.
    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        if asked == InputPurpose::Metrics {
            let parsed = metrics::parse(text);
            let metrics = parsed.map_err(|(at, text)| FilterFlaw::new(at, text))?;
            match self.selected_name() {
                Some(run) => desk.evaluate(&[run], metrics),
                None => say_no_run(desk),
            }
        }
        Ok(())
    }

    fn leave(&self, session: &mut Session) {
        session.item = self.selected_name();
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        ("run", self.look_for(item, desk))
    }
}

impl Runs {
    fn run_own(&mut self, command: RunsCommand, desk: &mut Desk) {
        match command {
            RunsCommand::Sort(by) => {
                let text = self.sort(by, desk);
                desk.show_message(text, Role::Dim);
            }
            RunsCommand::Values => {
                let text = self.turn_values();
                desk.show_message(text, Role::Dim);
            }
            RunsCommand::Baseline => match self.turn_baseline() {
                Some(text) => desk.show_message(text, Role::Dim),
                None => say_no_run(desk),
            },
            RunsCommand::Import => desk.request(ScreenRequest::Form(JobKind::Import.into())),
            RunsCommand::Evaluate => match self.selected_name() {
                Some(run) => desk.evaluate(&[run], Vec::new()),
                None => say_no_run(desk),
            },
            RunsCommand::Execute => match self.selected_name() {
                Some(run) => desk.request(ScreenRequest::Execute(run)),
                None => desk.show_message("there is no run · i imports one", Role::Dim),
            },
            RunsCommand::EvaluateAll | RunsCommand::EvaluateWith if self.rows().is_empty() => {
                say_no_run(desk);
            }
            RunsCommand::EvaluateAll => desk.evaluate(&[], Vec::new()),
            RunsCommand::EvaluateWith => {
                desk.ask_checked(InputPurpose::Metrics, "metrics", "default ");
            }
            RunsCommand::Remove => self.ask_to_remove(desk),
            RunsCommand::Copy(what) => {
                let taken = self.copied(what);
                desk.copy_out(taken);
            }
        }
    }

    fn ask_to_remove(&self, desk: &mut Desk) {
        let Some(run) = self.selected() else {
            say_no_run(desk);
            return;
        };
        let name = run.setting.name.clone();
        let answers = counted(run.n_predictions, "answer");
        desk.overlay = Some(Overlay::Confirm {
            question: format!("remove {} with its {answers} and scores?", visible(&name)),
            confirmed: ConfirmedAction::Remove(name),
        });
    }
}

fn say_no_run(desk: &mut Desk) {
    desk.show_message("there is no run · i imports one", Role::Dim);
}
