//! What Repos asks.

use std::path::PathBuf;

use crate::browse;
use crate::model::{Problem, RepoKey};
use crate::question::shared::PROBLEMS_MAX;
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};

/// What was wrong with what was mined, each with the name of its repository.
#[derive(Debug)]
pub struct Problems;

impl Question for Problems {
    type Answer = Vec<(String, Problem)>;
    const SLOT: Slot = Slot("repos.problems");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let problems = browse::problems(source.store()?, PROBLEMS_MAX)?.into_iter();
        Ok(problems.map(|it| (it.repo, it.problem)).collect())
    }
}

/// How a repository was mined; nothing when the index does not have it any more.
#[derive(Debug)]
pub struct AskMined(pub RepoKey);

/// How a repository was mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    pub root: PathBuf,
    /// The options, as [`crate::mine::Options::fingerprint`] writes them.
    pub options: String,
}

impl Question for AskMined {
    type Answer = Option<Mined>;
    const SLOT: Slot = Slot("repos.mined");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let found = source.store()?.mined_from(&self.0)?;
        Ok(found.map(|(root, stamp)| Mined {
            root,
            options: stamp.options,
        }))
    }
}
