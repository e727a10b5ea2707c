//! Projects built, and candidates run in them: what a test that a model wrote does when it meets the real code.
//!
//! Decides how a project is built, how candidates get into it, and what became of each. Which predictions are run, what is
//! done to their text before, and what is kept is for the verbs; that nothing of it does harm is [`sandbox`]'s.
//!
//! A language has a folder: how its projects are prepared ([`Prepared`] is kept in the cache, so it is done once), and its
//! engines. What is the same for all is here: [`Candidate`] in, [`Ran`] out, one trait [`Engine`].

use focalist_lang as lang;
use focalist_model as model;
use focalist_sandbox as sandbox;
use focalist_task as task;

use std::io;
use std::path::PathBuf;

use crate::sandbox::{Sandbox, SandboxError};
use crate::task::{Cancelled, Monitor};

mod candidate;
pub mod java;
pub mod python;

pub use candidate::{Candidate, Fate, Focal, HostFile, Ran};

/// Where things are on this machine, and what may be used.
#[derive(Debug)]
pub struct Site {
    pub sandbox: Sandbox,
    /// What is prepared, and what is downloaded for it; may be emptied at any time when nothing runs.
    pub cache: PathBuf,
    /// Nothing is downloaded, and what is not in the cache fails.
    pub is_offline: bool,
}

/// Why nothing, or nothing more, could be run. A project that does not build and a test that fails are no errors.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    #[error(transparent)]
    Sandbox(SandboxError),
    /// A program that is needed is not on this machine.
    #[error("`{program}` is not installed")]
    Missing { program: &'static str, hint: String },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// A program of ours, inside, did not do as it should.
    #[error("the {what} does not answer as it should: {said}")]
    Worker { what: &'static str, said: String },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<SandboxError> for RunnerError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Cancelled(it) => Self::Cancelled(it),
            other => Self::Sandbox(other),
        }
    }
}

/// What runs candidates of one prepared project.
pub trait Engine {
    /// Runs candidates and hands over what became of each as soon as that is known, in any order, each exactly once.
    /// What the sink returns as cancelled ends it.
    ///
    /// # Errors
    /// Where nothing more can be run; what was handed over holds.
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut dyn FnMut(Ran) -> Result<(), Cancelled>,
    ) -> Result<(), RunnerError>;
}
