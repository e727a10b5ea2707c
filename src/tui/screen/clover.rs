//! A problem out of a Python project's suite: what a prompt about it may hold, and what of each file it covers.
//!
//! ```text
//! ┏ click · 358 problems ━━━━━━━━━━┓┌ files ────────── 12.1k of 15.8k ─┐
//! ┃▌test_basic.py::test_basic    P ┃│▌peer   src/click/core.py 24.1k  ✗ │
//! ┃ test_basic.py::test_repr     P ┃│ rest   src/click/types.py 8.0k  ✓ │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────┘
//! ┌ src/click/core.py · 12 lines of its own ──────────── block 1 of 2 ─┐
//! │ ●✓  120     def invoke(self, ctx):                                  │
//! └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Below is the file under the cursor, or with `v` the problem's own. Decides which problem, file, task, budget and answer are
//! shown; asks, and runs nothing.

mod act;
pub mod commands;
mod draw;
#[cfg(test)]
pub mod fixture;
pub mod keys;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::clover::{AnswerLook, FileLook, LineSet, Look, Suite, Task};
use crate::desk::{Asker, Desk};
use crate::question::{Failure, Question, Slot};
use crate::screen::clover::questions::{AskLook, AskSuite, AskText};
use crate::screen::{Remote, Screen};

/// Budgets of a prompt with its answer, in tokens; none for the problem alone.
const BUDGETS: [Option<usize>; 7] = [
    None,
    Some(4_000),
    Some(8_000),
    Some(16_000),
    Some(32_000),
    Some(64_000),
    Some(128_000),
];

/// What is shown below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// The file of the project under the cursor.
    #[default]
    Source,
    /// The problem's own file.
    Problem,
}

#[derive(Debug)]
pub struct Clover {
    suite: Remote<Suite>,
    project: Option<String>,
    cursor: usize,
    look: Option<Box<Look>>,
    /// Among the files of the project.
    file: usize,
    text: Option<String>,
    task: Task,
    /// Among [`BUDGETS`].
    budget: usize,
    /// Among the answers; none for what the problem itself covers.
    answer: Option<usize>,
    view: View,
    /// The first line of the text below.
    top: usize,
    needle: String,
    areas: [Rect; 3],
}

impl Default for Clover {
    fn default() -> Self {
        Self {
            suite: Remote::Waiting,
            project: None,
            cursor: 0,
            look: None,
            file: 0,
            text: None,
            task: Task::Block,
            budget: 5,
            answer: None,
            view: View::Source,
            top: 0,
            needle: String::new(),
            areas: [Rect::default(); 3],
        }
    }
}

impl Asker for Clover {
    const SCREEN: Screen = Screen::Clover;

    fn fail(&mut self, slot: Slot, failure: &Failure, desk: &mut Desk) {
        if slot != AskSuite::SLOT {
            desk.say_failure(failure);
            return;
        }
        self.suite = match failure {
            Failure::NoIndex => Remote::NoIndex,
            Failure::Other(text) => Remote::Failed(text.clone()),
        };
    }
}

impl Clover {
    fn ask(&self, desk: &mut Desk) {
        desk.ask(AskSuite(self.project.clone()), Self::take_suite);
    }

    fn take_suite(&mut self, suite: Suite, desk: &mut Desk) {
        self.project = suite.projects.get(suite.at).cloned();
        self.cursor = self.cursor.min(suite.problems.len().saturating_sub(1));
        self.suite = Remote::Ready(suite);
        self.ask_look(desk);
    }

    fn ask_look(&mut self, desk: &mut Desk) {
        let problems = self.suite.ready().map(|it| &it.problems);
        let id = problems
            .and_then(|it| it.get(self.cursor))
            .map(|it| it.id.clone());
        let (Some(id), Some(project)) = (id, self.project.clone()) else {
            self.look = None;
            self.text = None;
            return;
        };
        let question = AskLook {
            project,
            id,
            task: self.task,
            budget: BUDGETS[self.budget],
        };
        desk.ask(question, Self::take_look);
    }

    fn take_look(&mut self, look: Option<Box<Look>>, desk: &mut Desk) {
        let n_files = look.as_ref().map_or(0, |it| it.files.len());
        let n_answers = look.as_ref().map_or(0, |it| it.answers.len());
        let is_same = |it: &Look| look.as_ref().is_some_and(|new| new.id == it.id);
        if !self.look.as_deref().is_some_and(is_same) {
            self.file = 0;
        }
        self.answer = self.answer.filter(|it| *it < n_answers);
        self.file = self.file.min(n_files.saturating_sub(1));
        self.look = look;
        self.ask_text(desk);
    }

    fn ask_text(&mut self, desk: &mut Desk) {
        self.text = None;
        if let (Some(file), Some(project)) = (self.shown_file(), self.project.clone()) {
            let path = file.path.clone();
            desk.ask(AskText { project, path }, Self::take_text);
        }
    }

    fn take_text(&mut self, text: Option<String>, _desk: &mut Desk) {
        self.text = text;
        // What is the problem's own comes first into sight.
        self.top = self.blocks().first().map_or(0, |it| it.0 as usize);
        self.top = self.top.saturating_sub(3);
    }

    fn shown_file(&self) -> Option<&FileLook> {
        self.look.as_ref()?.files.get(self.file)
    }

    fn shown_answer(&self) -> Option<&AnswerLook> {
        self.look.as_ref()?.answers.get(self.answer?)
    }

    /// Returns first and last lines of what an answer has to cover, or of the problem's own lines where nothing is wanted.
    fn blocks(&self) -> Vec<(u32, u32)> {
        let Some(file) = self.shown_file() else {
            return Vec::new();
        };
        let lines = if file.wanted.is_empty() {
            &file.own
        } else {
            &file.wanted
        };
        runs(lines)
    }

    fn n_problems(&self) -> usize {
        self.suite.ready().map_or(0, |it| it.problems.len())
    }

    fn go_to(&mut self, place: usize, desk: &mut Desk) {
        let place = place.min(self.n_problems().saturating_sub(1));
        if place != self.cursor {
            self.cursor = place;
            self.top = 0;
            self.ask_look(desk);
        }
    }

    fn go_to_file(&mut self, place: usize, desk: &mut Desk) {
        let n = self.look.as_ref().map_or(0, |it| it.files.len());
        let place = place.min(n.saturating_sub(1));
        if place != self.file {
            self.file = place;
            self.view = View::Source;
            self.ask_text(desk);
        }
    }
}

/// Returns runs of lines with gaps of at most two: statements have more lines than one, and comments between them.
fn runs(lines: &LineSet) -> Vec<(u32, u32)> {
    const GAP: u32 = 3;
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + GAP >= line => *last = line,
            _ => runs.push((line, line)),
        }
    }
    runs
}
