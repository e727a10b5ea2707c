//! What Clover asks.

use crate::clover::{self, Error, Look, Suite, Task};
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};
use crate::text::with_causes;

/// The projects, and the problems of one: of the first, where none is named or it is gone.
#[derive(Debug)]
pub struct AskSuite(pub Option<String>);

impl Question for AskSuite {
    type Answer = Suite;
    const SLOT: Slot = Slot("clover.suite");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        clover::suite(source.store()?, self.0.as_deref()).map_err(unanswered)
    }
}

/// A problem, as a question of a task sees it within a budget; nothing when it is gone.
#[derive(Debug)]
pub struct AskLook {
    pub project: String,
    pub id: String,
    pub task: Task,
    pub budget: Option<usize>,
}

impl Question for AskLook {
    type Answer = Option<Box<Look>>;
    const SLOT: Slot = Slot("clover.look");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let how = (self.task, self.budget);
        let found = clover::look(source.store()?, &self.project, &self.id, how);
        Ok(found.map_err(unanswered)?.map(Box::new))
    }
}

/// A file of the project; nothing when it is gone.
#[derive(Debug)]
pub struct AskText {
    pub project: String,
    pub path: String,
}

impl Question for AskText {
    type Answer = Option<String>;
    const SLOT: Slot = Slot("clover.text");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        clover::text(source.store()?, &self.project, &self.path).map_err(unanswered)
    }
}

fn unanswered(error: Error) -> Unanswered {
    match error {
        Error::Store(error) => error.into(),
        Error::Cancelled(_) => Unanswered::Stopped,
        other => Unanswered::because(with_causes(&other)),
    }
}
