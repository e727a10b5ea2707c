//! The verb `clover`: self-contained problems are cut out of the suite of a prepared Python project and measured, and
//! questions about them are made and answers to them judged.
//!
//! Decides what a problem is (EXTRACT: a test function with what it needs of its file, verified), which lines are its
//! own, and in which class each file of the project is. `runner` runs files and counts their lines; `store` keeps the
//! rows.

use focalist_exchange as exchange;
use focalist_metric as metric;
use focalist_model as model;
use focalist_prompts as prompts;
use focalist_runner as runner;
use focalist_store as store;
use focalist_task as task;

use std::time::Duration;

use crate::prompts::PromptError;
use crate::runner::RunnerError;
use crate::store::StoreError;
use crate::task::Cancelled;

mod answer_difference;
mod answers;
mod classes;
mod cloze;
mod draw;
mod extract;
mod gap;
mod gibberish;
mod lines;
mod look;
mod measure;
mod question;
mod report;
mod sources;
mod stored_run;
mod tasks;

pub use answer_difference::AnswerDifference;
pub use answers::{AnswerEvaluation, AnsweredTask, evaluate};
pub use classes::{Classes, StatementBlock, classes};
pub use draw::draw;
pub use extract::{CloverProblem, extract};
pub use gap::{form_differences, gaps, gibberish_shares};
pub use gibberish::{Gibberish, gibberish};
pub use lines::LineSet;
pub use look::{AnswerLook, FileLook, Look, ProblemOutline, ProblemSuite, look, suite, text};
pub use measure::{MeasuredCase, measure, measure_cases};
pub use question::QuestionKind;
pub use report::{Draws, EvaluatedAnswer, differences, report};
pub use stored_run::{ExecutedAnswer, KeptRun, keep};
pub use tasks::{stored, tasks};

/// Why a verb ended early.
#[derive(Debug, thiserror::Error)]
pub enum CloverError {
    #[error(transparent)]
    Runner(RunnerError),
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Prompt(PromptError),
    #[error(transparent)]
    Cancelled(Cancelled),
}

impl From<RunnerError> for CloverError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Runner(other),
        }
    }
}

impl From<StoreError> for CloverError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Store(other),
        }
    }
}

impl From<PromptError> for CloverError {
    fn from(error: PromptError) -> Self {
        Self::Prompt(error)
    }
}

impl From<Cancelled> for CloverError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

/// How problems are run.
#[derive(Clone, Debug)]
pub struct CloverOptions {
    /// Only test files with these paths; all of them where the list is empty.
    pub tests: Vec<String>,
    pub limit: Duration,
    pub n_jobs: usize,
    pub n_repeats: usize,
    pub how: runner::python::ProcessKind,
}

impl CloverOptions {
    fn running(&self, has_lines: bool) -> runner::python::CaseRunner {
        runner::python::CaseRunner {
            how: self.how,
            limit: self.limit,
            n_jobs: self.n_jobs,
            has_lines,
            is_checked: true,
            is_believed: false,
            around: runner::shakes::ProcessSurroundings::default(),
        }
    }

    /// Tells whether a node's file was requested.
    fn asks(&self, node: &str) -> bool {
        let file = file_of(node);
        self.tests.is_empty()
            || self
                .tests
                .iter()
                .any(|test| test.trim_start_matches("./") == file)
    }
}

/// Returns the test file of a node such as `tests/x.py::Class::test`.
fn file_of(node: &str) -> &str {
    node.split("::").next().unwrap_or(node)
}

/// Returns the folder of a path without a slash at its end; empty for a path without one.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |pair| pair.0)
}
