//! Projects built, and candidates run in them: what a test that a model wrote does when it meets the real code.
//!
//! Decides how a project is built, how candidates get into it, and the outcome of each. The verbs choose the
//! predictions, change their texts before, and decide what is kept; [`sandbox`] makes sure that no code does harm.
//!
//! A language has a folder: how its projects are prepared ([`PreparedBuild`](java::PreparedBuild) is kept in the cache,
//! so it is done once), and its engines. The common parts are here: [`Candidate`] in, [`CandidateExecution`] out, one
//! trait [`Engine`].

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make the files that they look at, and nobody else writes there"
    )
)]

use focalist_model as model;
use focalist_mutate as mutate;
use focalist_sandbox as sandbox;
use focalist_syntax as syntax;
use focalist_task as task;

use std::io;
use std::path::{Path, PathBuf};

use crate::model::FocalCoverage;
use crate::sandbox::{Sandbox, SandboxError};
use crate::task::{Cancelled, Monitor};

mod candidate;
pub mod faults;
pub mod java;
#[cfg(test)]
mod overhead;
mod password;
pub mod python;
pub mod shakes;
mod toolchain;
mod tree;
pub mod variants;

pub use candidate::{
    Candidate, CandidateExecution, CoverageQuestion, Fate, Focal, HostFile, MethodName,
};
pub use toolchain::Toolchain;

/// The sandbox and the cache, and whether downloads are allowed.
#[derive(Debug)]
pub struct Site {
    pub sandbox: Sandbox,
    /// Prepared projects, and downloads for them; may be emptied at any time when nothing runs.
    pub cache: PathBuf,
    /// Nothing is downloaded, so a project that needs more than the cache has fails.
    pub is_offline: bool,
}

/// Why nothing, or nothing more, could be run. A project that does not build and a test that fails are not errors.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    #[error(transparent)]
    Sandbox(SandboxError),
    /// A program that is needed is not on this machine.
    #[error("`{program}` is not installed")]
    Missing { program: &'static str, hint: String },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// One of focalist's programs in the sandbox broke its protocol.
    #[error("the {what} does not answer as it should: {said}")]
    Worker { what: &'static str, said: String },
    /// No JDK of this machine is new enough for the project.
    #[error("the project asks for Java {asked}, and the newest JDK here is {newest}")]
    TooOld { asked: u32, newest: String },
    /// The folder has no project that we can build.
    #[error("`{}` has no `{wants}`", root.display())]
    NoProject { root: PathBuf, wants: &'static str },
    /// A file that defines the project is a link that leads out of it.
    #[error("`{}` is a link that leads out of the project, and is not followed", path.display())]
    Outside { path: PathBuf },
    /// It is built by a tool that is not supported.
    #[error("`{}` has no `pom.xml`: it is built by {what}, which is not supported yet, so none of its tests are run", root.display())]
    Unsupported { root: PathBuf, what: &'static str },
    /// A program or file that is needed besides the project cannot be had.
    #[error("cannot get `{what}`: {said}")]
    Unavailable { what: String, said: String },
    /// A step of preparing could not write what it has made.
    #[error("no space left for `{what}`: {said}")]
    Full { what: String, said: String },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl RunnerError {
    /// Tells whether the project itself may be the reason, so that other projects can go on: it may have replaced a
    /// folder or a program, or disturbed one of focalist's processes. A fault of the machine concerns all projects.
    #[must_use]
    pub fn is_of_project(&self) -> bool {
        match self {
            Self::Sandbox(error) => matches!(
                error,
                SandboxError::NoProgram { .. }
                    | SandboxError::Plan { .. }
                    | SandboxError::NotStarted { .. }
            ),
            Self::Io { source, .. } => source.kind() != io::ErrorKind::StorageFull,
            Self::Missing { .. } | Self::Full { .. } | Self::Cancelled(_) => false,
            Self::Worker { .. }
            | Self::TooOld { .. }
            | Self::NoProject { .. }
            | Self::Outside { .. }
            | Self::Unsupported { .. }
            | Self::Unavailable { .. } => true,
        }
    }
}

impl From<SandboxError> for RunnerError {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Sandbox(other),
        }
    }
}

/// Returns a function that adds the file or folder to an error of the disk.
fn io_error(path: &Path) -> impl Fn(io::Error) -> RunnerError + '_ {
    |source| RunnerError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Tells whether a program reports that the disk is full, which may be different the next time, so that the result is
/// not kept.
fn is_full(said: &str) -> bool {
    said.contains("No space left on device") || said.contains("Disk quota exceeded")
}

/// Takes the result of each candidate.
pub type CandidateSink<'s> = dyn FnMut(CandidateExecution) -> Result<(), Cancelled> + 's;

/// Runs candidates of one prepared project.
pub trait Engine {
    /// Runs candidates and passes on the result of each as soon as it is known, in any order, each exactly once. It
    /// ends when the sink returns `Cancelled`.
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError>;

    /// Computes how much the sets in each question cover together: a list for each question, in the order of its
    /// methods. `None` for a method without code, and for all methods where the engine cannot add up sets. Without sets
    /// the answer has only what there is to cover.
    ///
    /// # Errors
    /// Where nothing more can be run.
    fn measure(
        &mut self,
        questions: &[CoverageQuestion],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        let _ = monitor;
        Ok(questions
            .iter()
            .map(|question| vec![None; question.focals.len()])
            .collect())
    }

    /// Returns the maker of mutants, which also runs tests on them, where there is one.
    fn faults(&mut self) -> Option<&mut dyn faults::FaultEngine> {
        None
    }

    /// Returns the maker of code that keeps the contract, which also runs tests on it, where there is one.
    fn varying(&mut self) -> Option<&mut dyn variants::VariantEngine> {
        None
    }

    /// Returns the part that runs tests of the project with something changed around them, where there is one.
    fn shaking(&mut self) -> Option<&mut dyn shakes::ShakeEngine> {
        None
    }
}
