//! The commands and the pointer of Clover.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::clover::QuestionKind;
use crate::config::Session;
use crate::desk::overlay::InputPurpose;
use crate::desk::{Desk, ScreenRequest};
use crate::filter::FilterFlaw;
use crate::keymap::{Command, Motion, PaneCommand, StepDirection};
use crate::layout::{above, beside};
use crate::paint;
use crate::scene::Scene;
use crate::screen::clover::commands::CloverCommand;
use crate::screen::clover::{BUDGETS, Clover, CloverView};
use crate::screen::{DrawContext, Screen};
use crate::theme::Role;
use crate::widget::code::{CodeView, occurrences};
use crate::widget::frame::{cut_parts, first_fitting, inside};

/// The least number of rows that the lower pane keeps.
const TEXT_MIN: u16 = 8;

impl Scene for Clover {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        let height = (body.height * 2 / 5)
            .min(body.height.saturating_sub(TEXT_MIN))
            .max(4);
        let [upper, lower] = above(body, height);
        let [list, files] = beside(upper, upper.width / 2);
        self.areas = [list, files, lower];
        self.code.arrange(inside(lower), desk.wraps);
        if let Some(number) = self.sought.take() {
            self.bring_in(number);
        }
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, body, buffer, context);
    }

    fn line(&self) -> String {
        self.line_in(usize::MAX)
    }

    fn line_in(&self, room: usize) -> String {
        let budget = BUDGETS[self.budget].map_or_else(
            || "the problem alone".to_owned(),
            |n| format!("budget {}k", n / 1_000),
        );
        let words = if self.words.is_empty() {
            String::new()
        } else {
            format!("filter {} · ", self.words)
        };
        let what = format!("{words}{} · {budget}", self.task.as_str());
        let signs = "● its own  ✓ covered  · as an empty test  ~ unstable";
        let forms = vec![
            format!("{what} · {signs}  i legend"),
            format!("{what} · {signs}"),
            format!("{what} · i legend"),
        ];
        cut_parts(&first_fitting(forms, room), room)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        match motion {
            Motion::Left => self.step_file(StepDirection::Previous, desk),
            Motion::Right => self.step_file(StepDirection::Next, desk),
            _ => {
                let page = usize::from(inside(self.areas[0]).height).max(1);
                self.go_to(motion.moved(self.cursor, page), desk);
            }
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        self.is_in_text = self.areas[2].contains(at);
        let rows = inside(self.areas[0]);
        let place = self.list_top() + usize::from(at.y.saturating_sub(rows.y));
        if rows.contains(at) && place < self.n_problems() {
            self.go_to(place, desk);
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

    fn close(&mut self, desk: &mut Desk) -> bool {
        if self.code.clear() {
            return true;
        }
        if !self.words.is_empty() {
            self.words.clear();
            self.renew(desk);
            return true;
        }
        let was_problem = self.view == CloverView::Problem;
        if was_problem {
            self.turn_view();
        }
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
                let at = QuestionKind::ALL
                    .iter()
                    .position(|question_kind| *question_kind == self.task);
                self.task = QuestionKind::ALL
                    [StepDirection::Next.around(at.unwrap_or(0), QuestionKind::ALL.len())];
                self.answer = None;
                self.ask_look(desk);
            }
            Command::Clover(CloverCommand::Answer) => {
                let n = self.look.as_ref().map_or(0, |look| look.answers.len());
                let next = self.answer.map_or(0, |answer| answer + 1);
                self.answer = (next < n).then_some(next);
                self.show();
                self.seek();
            }
            Command::Clover(CloverCommand::View) => self.turn_view(),
            Command::Clover(CloverCommand::Narrow) => {
                desk.ask_line(InputPurpose::Words, "words of problems", &self.words);
            }
            Command::Clover(CloverCommand::Legend) => desk.turn_legend(LEGEND),
            Command::Pane(PaneCommand::Search) => desk.ask_search(),
            Command::Pane(PaneCommand::Match(step)) => self.step_match(step, desk),
            Command::Pane(PaneCommand::Peek(step)) => {
                self.is_in_text = true;
                self.code.scroll(step.into());
            }
            _ => {}
        }
    }

    fn enter(&mut self, desk: &mut Desk) {
        self.ask(desk);
    }

    fn leave(&self, session: &mut Session) {
        session.item = self
            .problems()
            .nth(self.cursor)
            .map(|problem| problem.id.clone());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let place = self.problems().position(|problem| problem.id == item);
        if let Some(place) = place {
            self.go_to(place, desk);
        }
        ("problem", place.is_some())
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next problem with `needle` in its name.
    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let Some(suite) = self.suite.ready() else {
            desk.request(ScreenRequest::Go(Screen::Clover));
            return;
        };
        let is_it = |place: usize| {
            let problem = suite.problems.get(self.listed[place]);
            problem.is_some_and(|problem_outline| {
                occurrences(&problem_outline.id, needle).next().is_some()
            })
        };
        match step.search(self.cursor, self.listed.len(), is_it) {
            Some(place) => self.go_to(place, desk),
            None => desk.show_message(
                format!("no problem has `{needle}` in its name"),
                Role::Warning,
            ),
        }
    }

    /// Returns the text in the lower pane, if the user last scrolled in it, went to a block or clicked on it.
    fn code(&mut self) -> Option<&mut CodeView> {
        self.is_in_text.then_some(&mut self.code)
    }

    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        if asked == InputPurpose::Words {
            text.trim().clone_into(&mut self.words);
            self.renew(desk);
        }
        Ok(())
    }
}

/// The meaning of signs and words.
const LEGEND: &[(&str, &str)] = &[
    (
        "●",
        "a line that this test covers and no other of its file does",
    ),
    ("✓", "covered, by others too"),
    (
        "·",
        "an empty test covers it, too: loading the project runs it",
    ),
    ("~", "unstable: covered in one run and not in another"),
    (
        "▷",
        "wanted: an answer has to cover it; the blank of a cloze",
    ),
    ("■", "wanted, and the answer that is shown covers it"),
    ("□", "wanted, and the answer that is shown misses it"),
    ("needed", "a file that the question depends on"),
    ("peer", "a file with lines that only this test covers"),
    ("rest", "a file that the test covers, but no line alone"),
    ("repo", "any other file of the project"),
    (
        "✓ ✗ of a file",
        "it is in the prompt within the budget, or not",
    ),
    ("cloze", "fill a blank in an assertion"),
    ("target", "write a test that calls something"),
    ("block", "write a test that covers lines"),
    ("none", "no problem could be cut out of this test"),
];

impl Clover {
    fn turn_view(&mut self) {
        self.view = match self.view {
            CloverView::Source => CloverView::Problem,
            CloverView::Problem => CloverView::Source,
        };
        self.show();
        self.seek();
    }

    /// Shows the list anew after its words have changed.
    fn renew(&mut self, desk: &mut Desk) {
        self.narrow();
        if self.listed.is_empty() {
            let text = format!("no problem has `{}`", self.words);
            desk.show_message(text, Role::Warning);
        }
        self.ask_look(desk);
    }

    fn step_file(&mut self, step: StepDirection, desk: &mut Desk) {
        let n = self.look.as_ref().map_or(0, |look| look.files.len());
        self.go_to_file(step.around(self.file, n), desk);
    }

    fn step_block(&mut self, step: StepDirection) {
        if self.view == CloverView::Problem {
            self.turn_view();
        }
        self.is_in_text = true;
        let blocks = self.blocks();
        self.block = step.around_from(self.block, blocks.len()).into();
        self.sought = self
            .block
            .and_then(|block| blocks.get(block))
            .map(|pair| pair.0);
    }

    fn step_project(&mut self, step: StepDirection, desk: &mut Desk) {
        let Some(suite) = self.suite.ready() else {
            return;
        };
        if suite.projects.len() > 1 {
            let next = step.around(suite.at, suite.projects.len());
            self.project = Some(suite.projects[next].clone());
            self.cursor = 0;
            self.listed.clear();
            self.ask(desk);
        }
    }
}
