//! A problem out of a Python project's suite: the files that a prompt about it may hold, and the lines of each file
//! that it covers.
//!
//! ```text
//! ┏ click · 358 problems ━━━━━━━━━━┓┌ files ────────── 12.1k of 15.8k ─┐
//! ┃▌test_basic.py::test_basic    P ┃│▌peer   src/click/core.py 24.1k  ✗ │
//! ┃ test_basic.py::test_repr     P ┃│ rest   src/click/types.py 8.0k  ✓ │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────┘
//! ┌ src/click/core.py · 12 lines of its own ──────────────── 6 wanted ▷ ─┐
//! │  120  ▷     def invoke(self, ctx):                                  │
//! └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Below is the file under the cursor, or with `v` the problem's own. It opens where the gap is: at the wanted lines,
//! at those that an answer has missed, or at the blank. Decides which problem, file, task, budget and answer are shown;
//! asks, and runs nothing.

mod act;
pub mod commands;
mod draw;
#[cfg(test)]
pub mod fixture;
mod gap;
pub mod keys;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::clover::{AnswerLook, FileLook, Look, ProblemOutline, ProblemSuite, QuestionKind};
use crate::desk::{Desk, QuestionScreen};
use crate::model::Outcome;
use crate::paint;
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::clover::questions::{
    CloverFileQuestion, CloverLookQuestion, CloverSuiteQuestion,
};
use crate::screen::{AnswerState, Screen};
use crate::widget::code::CodeView;

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

/// The content of the lower pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CloverView {
    /// The file of the project under the cursor.
    #[default]
    Source,
    /// The problem's own file.
    Problem,
}

#[derive(Debug)]
pub struct Clover {
    suite: AnswerState<ProblemSuite>,
    project: Option<String>,
    /// The words that every problem in the list has.
    words: String,
    /// The problems of the list, by their places in the suite.
    listed: Vec<usize>,
    /// The place among the problems of the list.
    cursor: usize,
    look: Option<Box<Look>>,
    /// The place among the files of the project.
    file: usize,
    text: Option<String>,
    task: QuestionKind,
    /// The place in [`BUDGETS`].
    budget: usize,
    /// The place among the answers; absent for the coverage of the problem itself.
    answer: Option<usize>,
    view: CloverView,
    /// The text in the lower pane.
    code: CodeView,
    /// The number of the line that comes into sight as soon as it is laid out.
    sought: Option<u32>,
    /// The block that the cursor last went to in this text.
    block: Option<usize>,
    /// Whether the search runs in the text below, not in the list.
    is_in_text: bool,
    unpainted: Vec<paint::PaintJob>,
    needle: String,
    areas: [Rect; 3],
}

impl Default for Clover {
    fn default() -> Self {
        Self {
            suite: AnswerState::Waiting,
            project: None,
            words: String::new(),
            listed: Vec::new(),
            cursor: 0,
            look: None,
            file: 0,
            text: None,
            task: QuestionKind::Block,
            budget: 5,
            answer: None,
            view: CloverView::Source,
            code: CodeView::default(),
            sought: None,
            block: None,
            is_in_text: false,
            unpainted: Vec::new(),
            needle: String::new(),
            areas: [Rect::default(); 3],
        }
    }
}

impl QuestionScreen for Clover {
    const SCREEN: Screen = Screen::Clover;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot != CloverSuiteQuestion::SLOT {
            desk.show_failure(failure);
            return;
        }
        self.suite = failure.into();
    }
}

impl Clover {
    fn ask(&self, desk: &mut Desk) {
        desk.ask(CloverSuiteQuestion(self.project.clone()), Self::take_suite);
    }

    fn take_suite(&mut self, suite: ProblemSuite, desk: &mut Desk) {
        self.project = suite.projects.get(suite.at).cloned();
        self.suite = AnswerState::Ready(suite);
        self.narrow();
        self.ask_look(desk);
    }

    /// Keeps the problems that have all words; the cursor stays on its problem, where that is kept.
    fn narrow(&mut self) {
        let Some(suite) = self.suite.ready() else {
            return;
        };
        let at = self.listed.get(self.cursor).copied();
        let words: Vec<String> = self
            .words
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let has_words = |problem_outline: &ProblemOutline| {
            let outcome = problem_outline.outcome.map_or("", Outcome::as_str);
            let reason = problem_outline.reason.as_deref().unwrap_or_default();
            let text = format!("{} {outcome} {reason}", problem_outline.id).to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let problems = suite.problems.iter().enumerate();
        let kept = problems
            .filter(|problem| has_words(problem.1))
            .map(|problem| problem.0);
        self.listed = kept.collect();
        let place = self.listed.iter().position(|n| Some(*n) == at);
        let last = self.listed.len().saturating_sub(1);
        self.cursor = place.unwrap_or_else(|| self.cursor.min(last));
    }

    /// Iterates over the problems of the list.
    fn problems(&self) -> impl Iterator<Item = &ProblemOutline> {
        let problems = self
            .suite
            .ready()
            .map_or(&[][..], |problem_suite| &problem_suite.problems);
        self.listed.iter().filter_map(|n| problems.get(*n))
    }

    fn ask_look(&mut self, desk: &mut Desk) {
        let id = self
            .problems()
            .nth(self.cursor)
            .map(|problem| problem.id.clone());
        let (Some(id), Some(project)) = (id, self.project.clone()) else {
            self.look = None;
            self.text = None;
            self.show();
            return;
        };
        let question = CloverLookQuestion {
            project,
            id,
            task: self.task,
            budget: BUDGETS[self.budget],
        };
        desk.ask(question, Self::take_look);
    }

    fn take_look(&mut self, look: Option<Box<Look>>, desk: &mut Desk) {
        let n_files = look.as_ref().map_or(0, |look| look.files.len());
        let n_answers = look.as_ref().map_or(0, |look| look.answers.len());
        let asked = |look: &Look| (look.id.clone(), look.question.clone());
        let is_same = self.look.as_deref().map(asked) == look.as_deref().map(asked);
        self.answer = self.answer.filter(|answer| *answer < n_answers);
        self.file = self.file.min(n_files.saturating_sub(1));
        self.look = look;
        if !is_same {
            self.go_to_gap();
        }
        self.ask_text(desk);
    }

    fn ask_text(&mut self, desk: &mut Desk) {
        self.text = None;
        if let (Some(file), Some(project)) = (self.shown_file(), self.project.clone()) {
            let path = file.path.clone();
            desk.ask(CloverFileQuestion { project, path }, Self::take_text);
        }
        self.show();
    }

    fn take_text(&mut self, text: Option<String>, _desk: &mut Desk) {
        self.text = text;
        // The first block comes into sight by itself.
        self.block = Some(0);
        self.show();
        self.seek();
    }

    fn shown_file(&self) -> Option<&FileLook> {
        self.look.as_ref()?.files.get(self.file)
    }

    fn shown_answer(&self) -> Option<&AnswerLook> {
        self.look.as_ref()?.answers.get(self.answer?)
    }

    fn n_problems(&self) -> usize {
        self.listed.len()
    }

    fn go_to(&mut self, place: usize, desk: &mut Desk) {
        let place = place.min(self.n_problems().saturating_sub(1));
        if place != self.cursor {
            self.cursor = place;
            self.ask_look(desk);
        }
    }

    fn go_to_file(&mut self, place: usize, desk: &mut Desk) {
        let n = self.look.as_ref().map_or(0, |look| look.files.len());
        let place = place.min(n.saturating_sub(1));
        if place != self.file {
            self.file = place;
            self.view = CloverView::Source;
            self.ask_text(desk);
        }
    }
}
