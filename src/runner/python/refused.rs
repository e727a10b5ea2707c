//! Why a case is not run, or not run in place: one list of the reasons, and the words that are kept of them.

use thiserror::Error;

/// Why a case's file cannot be where it is to be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MisplacedFile {
    #[error("a file is there already")]
    Taken,
    #[error("the path leads out of the project")]
    Outside,
    /// In the words of the disk.
    #[error("no file can be there: {said}")]
    Impossible { said: String },
}

/// Why a test cannot run on changed code in the server that has collected it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnfitReason {
    #[error("the folder has no server")]
    NoServer,
    #[error("it is not collected")]
    NotCollected,
    #[error(transparent)]
    Misplaced(#[from] MisplacedFile),
    /// On the code as it is; with what it said.
    #[error("{}", said.as_deref().unwrap_or("it does not pass"))]
    Fails { said: Option<String> },
    /// On the code as it is.
    #[error("it does not pass each time")]
    Unsteady,
    #[error("it starts processes")]
    StartsProcesses,
    #[error("it leaves something behind")]
    LeavesTraces,
    /// What came of it may be due to what ran beside it.
    #[error("others may have had a hand in it")]
    Disturbed,
    #[error("it is lost time and again")]
    Lost,
}
