//! Why a case is not run, or not run in place: the reasons, and their stored words.

use thiserror::Error;

/// Why a case's file cannot be where it belongs.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MisplacedFile {
    #[error("a file is there already")]
    Taken,
    #[error("the path leads out of the project")]
    Outside,
    /// With the message of the disk.
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
    /// It fails on the original code, with this message.
    #[error("{}", said.as_deref().unwrap_or("it does not pass"))]
    Fails { said: Option<String> },
    /// On the original code.
    #[error("it does not pass each time")]
    Unsteady,
    #[error("it starts processes")]
    StartsProcesses,
    #[error("it leaves something behind")]
    LeavesTraces,
    /// Its result may be due to other tests.
    #[error("other tests may have affected it")]
    Disturbed,
    #[error("its result was lost repeatedly")]
    Lost,
}
