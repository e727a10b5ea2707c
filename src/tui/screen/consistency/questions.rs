//! The questions of Consistency.

use crate::consistency::ConsistencyError;
use crate::consistency::judged::{ConsistencyJudge, JudgeOptions, JudgedFunction};
use crate::consistency::run::{self, FunctionOutline};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, QuestionFailure, Slot};
use crate::store::{ConsistencyRun, MutationSeed};

/// The runs, and the functions of one of them: the named one, else the first.
#[derive(Debug)]
pub struct ConsistencyListQuestion {
    pub run: Option<String>,
    pub options: JudgeOptions,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsistencyList {
    pub runs: Vec<ConsistencyRun>,
    /// The index of the run that the functions belong to.
    pub at: usize,
    pub seeds: Vec<FunctionOutline>,
}

impl Question for ConsistencyListQuestion {
    type Answer = ConsistencyList;
    const SLOT: Slot = Slot("consistency.list");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let store = source.store()?;
        let runs = store.consistency_runs()?;
        let named = runs
            .iter()
            .position(|run| Some(&run.name) == self.run.as_ref());
        let at = named.unwrap_or(0);
        let seeds = match runs.get(at) {
            Some(consistency_run) => {
                run::outlines(store, &consistency_run.name, self.options).map_err(unanswered)?
            }
            None => Vec::new(),
        };
        Ok(ConsistencyList { runs, at, seeds })
    }
}

fn unanswered(error: ConsistencyError) -> MissingAnswer {
    match error {
        ConsistencyError::Store(error) => error.into(),
        other => MissingAnswer::Failed(QuestionFailure::Other(other.to_string())),
    }
}

/// A function with its variants and completions; nothing when it is gone.
#[derive(Debug)]
pub struct ConsistencyFunctionQuestion {
    pub run: String,
    pub seed: i64,
    pub options: JudgeOptions,
}

/// A function with its variants, and the verdicts on its completions.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsistencyFunction {
    pub seed: MutationSeed,
    pub judged: JudgedFunction,
}

impl Question for ConsistencyFunctionQuestion {
    type Answer = Option<Box<ConsistencyFunction>>;
    const SLOT: Slot = Slot("consistency.seed");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let found = source.store()?.consistency(&self.run, self.seed)?;
        Ok(found.map(|stored_consistency| {
            let judged = run::judged(
                &mut ConsistencyJudge::new(self.options),
                &stored_consistency,
            );
            Box::new(ConsistencyFunction {
                seed: stored_consistency.seed,
                judged,
            })
        }))
    }
}
