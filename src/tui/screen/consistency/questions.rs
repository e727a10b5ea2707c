//! What Consistency asks.

use crate::consistency::Error;
use crate::consistency::judged::{Judge, Judged, Options};
use crate::consistency::run::{self, Outline};
use crate::question::source::{Source, Unanswered};
use crate::question::{Failure, Question, Slot};
use crate::store::{ConsistencyRun, MutationSeed};

/// The runs, and the functions of one: of the first, where none is named or it is gone.
#[derive(Debug)]
pub struct AskList {
    pub run: Option<String>,
    pub options: Options,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    pub runs: Vec<ConsistencyRun>,
    /// The place of the run whose functions these are.
    pub at: usize,
    pub seeds: Vec<Outline>,
}

impl Question for AskList {
    type Answer = List;
    const SLOT: Slot = Slot("consistency.list");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let store = source.store()?;
        let runs = store.consistency_runs()?;
        let named = runs
            .iter()
            .position(|it| Some(&it.name) == self.run.as_ref());
        let at = named.unwrap_or(0);
        let seeds = match runs.get(at) {
            Some(it) => run::outlines(store, &it.name, self.options).map_err(unanswered)?,
            None => Vec::new(),
        };
        Ok(List { runs, at, seeds })
    }
}

fn unanswered(error: Error) -> Unanswered {
    match error {
        Error::Store(error) => error.into(),
        other => Unanswered::Failed(Failure::Other(other.to_string())),
    }
}

/// A function with its variants and completions; nothing when it is gone.
#[derive(Debug)]
pub struct AskSeed {
    pub run: String,
    pub seed: i64,
    pub options: Options,
}

/// The facts about one function.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub seed: MutationSeed,
    pub judged: Judged,
}

impl Question for AskSeed {
    type Answer = Option<Box<Item>>;
    const SLOT: Slot = Slot("consistency.seed");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let found = source.store()?.consistency(&self.run, self.seed)?;
        Ok(found.map(|it| {
            let judged = run::judged(&mut Judge::new(self.options), &it);
            Box::new(Item {
                seed: it.seed,
                judged,
            })
        }))
    }
}
