//! The questions of Clover.

use crate::clover::{self, CloverError, Look, ProblemSuite, QuestionKind};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::text::with_causes;

/// The projects, and the problems of one of them: the named one, else the first.
#[derive(Debug)]
pub struct CloverSuiteQuestion(pub Option<String>);

impl Question for CloverSuiteQuestion {
    type Answer = ProblemSuite;
    const SLOT: Slot = Slot("clover.suite");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        clover::suite(source.store()?, self.0.as_deref()).map_err(unanswered)
    }
}

/// A problem as a question of this task presents it within a budget; nothing when the problem is gone.
#[derive(Debug)]
pub struct CloverLookQuestion {
    pub project: String,
    pub id: String,
    pub task: QuestionKind,
    pub budget: Option<usize>,
}

impl Question for CloverLookQuestion {
    type Answer = Option<Box<Look>>;
    const SLOT: Slot = Slot("clover.look");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let how = (self.task, self.budget);
        let found = clover::look(source.store()?, &self.project, &self.id, how);
        Ok(found.map_err(unanswered)?.map(Box::new))
    }
}

/// A file of the project; nothing when it is gone.
#[derive(Debug)]
pub struct CloverFileQuestion {
    pub project: String,
    pub path: String,
}

impl Question for CloverFileQuestion {
    type Answer = Option<String>;
    const SLOT: Slot = Slot("clover.text");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        clover::text(source.store()?, &self.project, &self.path).map_err(unanswered)
    }
}

fn unanswered(error: CloverError) -> MissingAnswer {
    match error {
        CloverError::Store(error) => error.into(),
        CloverError::Cancelled(_) => MissingAnswer::Stopped,
        other => MissingAnswer::because(with_causes(&other)),
    }
}
