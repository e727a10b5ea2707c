//! What keys and pointer do on Clover.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::clover::Task;
use crate::config::Session;
use crate::desk::{Desk, Wish};
use crate::keymap::{Command, Motion, PaneCommand, Step};
use crate::layout::{above, beside};
use crate::scene::Scene;
use crate::screen::clover::commands::CloverCommand;
use crate::screen::clover::{BUDGETS, Clover, View};
use crate::screen::{Look, Screen};
use crate::widget::frame::inside;

/// Rows of the text below.
const TEXT_MIN: u16 = 8;

impl Scene for Clover {
    fn arrange(&mut self, body: Rect, _desk: &mut Desk) {
        let height = (body.height * 2 / 5)
            .min(body.height.saturating_sub(TEXT_MIN))
            .max(4);
        let [upper, lower] = above(body, height);
        let [list, files] = beside(upper, upper.width / 2);
        self.areas = [list, files, lower];
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, look: Look<'_>) {
        Self::draw(self, buffer, look);
    }

    fn line(&self) -> String {
        let budget = BUDGETS[self.budget].map_or_else(
            || "the problem alone".to_owned(),
            |it| format!("budget {}k", it / 1_000),
        );
        format!(
            "{} · {budget} · ● its own  ✓ covered  · as an empty test  ~ unstable",
            self.task.as_str()
        )
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        match motion {
            Motion::Left => self.step_file(Step::Previous, desk),
            Motion::Right => self.step_file(Step::Next, desk),
            _ => {
                let page = usize::from(inside(self.areas[0]).height).max(1);
                self.go_to(motion.moved(self.cursor, page), desk);
            }
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let rows = inside(self.areas[0]);
        if rows.contains(at) {
            self.go_to(self.list_top() + usize::from(at.y - rows.y), desk);
            return true;
        }
        let rows = inside(self.areas[1]);
        if rows.contains(at) && at.y > rows.y {
            self.go_to_file(self.files_top() + usize::from(at.y - rows.y - 1), desk);
            return true;
        }
        false
    }

    fn open(&mut self, _desk: &mut Desk) {
        self.turn_view();
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        let was_problem = self.view == View::Problem;
        self.view = View::Source;
        was_problem
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Clover(CloverCommand::Project(step)) => self.step_project(step, desk),
            Command::Clover(CloverCommand::File(step)) => self.step_file(step, desk),
            Command::Clover(CloverCommand::Block(step)) => self.step_block(step),
            Command::Clover(CloverCommand::Budget(step)) => {
                self.budget = step.around(self.budget, BUDGETS.len());
                self.ask_look(desk);
            }
            Command::Clover(CloverCommand::Task) => {
                let at = Task::ALL.iter().position(|it| *it == self.task);
                self.task = Task::ALL[Step::Next.around(at.unwrap_or(0), Task::ALL.len())];
                self.answer = None;
                self.ask_look(desk);
            }
            Command::Clover(CloverCommand::Answer) => {
                let n = self.look.as_ref().map_or(0, |it| it.answers.len());
                let next = self.answer.map_or(0, |it| it + 1);
                self.answer = (next < n).then_some(next);
            }
            Command::Clover(CloverCommand::View) => self.turn_view(),
            Command::Pane(PaneCommand::Peek(step)) => {
                let most = self.n_lines().saturating_sub(1);
                self.top = match step {
                    Step::Next => (self.top + 1).min(most),
                    Step::Previous => self.top.saturating_sub(1),
                };
            }
            _ => {}
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn leave(&self, session: &mut Session) {
        let problem = self
            .suite
            .ready()
            .and_then(|it| it.problems.get(self.cursor));
        session.item = problem.map(|it| it.id.clone());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let mut problems = self.suite.ready().into_iter().flat_map(|it| &it.problems);
        let place = problems.position(|it| it.id == item);
        if let Some(place) = place {
            self.go_to(place, desk);
        }
        ("problem", place.is_some())
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next problem that holds `needle` in its name.
    fn find(&mut self, needle: &str, step: Step, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Some(suite) = self.suite.ready() else {
            desk.wish(Wish::Go(Screen::Clover));
            return;
        };
        let is_it = |place: usize| suite.problems[place].id.contains(needle);
        if let Some(place) = step.search(self.cursor, suite.problems.len(), is_it) {
            self.go_to(place, desk);
        }
    }
}

impl Clover {
    fn turn_view(&mut self) {
        self.top = 0;
        self.view = match self.view {
            View::Source => View::Problem,
            View::Problem => View::Source,
        };
    }

    fn step_file(&mut self, step: Step, desk: &mut Desk) {
        let n = self.look.as_ref().map_or(0, |it| it.files.len());
        self.go_to_file(step.around(self.file, n), desk);
    }

    fn step_block(&mut self, step: Step) {
        self.view = View::Source;
        let starts = self.blocks();
        let starts = starts.iter().map(|it| (it.0 as usize).saturating_sub(3));
        let next = match step {
            Step::Next => starts.into_iter().find(|it| *it > self.top),
            Step::Previous => starts.into_iter().rfind(|it| *it < self.top),
        };
        self.top = next.unwrap_or(self.top);
    }

    fn step_project(&mut self, step: Step, desk: &mut Desk) {
        let Some(suite) = self.suite.ready() else {
            return;
        };
        if suite.projects.len() > 1 {
            let next = step.around(suite.at, suite.projects.len());
            self.project = Some(suite.projects[next].clone());
            self.cursor = 0;
            self.ask(desk);
        }
    }
}
