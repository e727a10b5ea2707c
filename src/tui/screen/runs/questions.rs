//! What Runs asks.

use crate::model::Problem;
use crate::question::shared::PROBLEMS_MAX;
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};

/// The run's number in the index.
pub type RunId = i64;

/// What could not be used of the file of a run.
#[derive(Debug)]
pub struct RunProblems(pub RunId);

impl Question for RunProblems {
    type Answer = (RunId, Vec<Problem>);
    const SLOT: Slot = Slot("runs.problems");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let problems = source.store()?.run_problems(self.0, PROBLEMS_MAX)?;
        Ok((self.0, problems))
    }
}
