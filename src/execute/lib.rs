//! The verb `execute`: runs predictions, and stores their outcomes.
//!
//! Decides which predictions are candidates, how their texts are repaired, which of them are equal, and what is stored.
//! `runner` builds projects and runs candidates.
//!
//! Projects come one after the other, in order of their identity. The stored rows do not depend on the order in which
//! an engine answers, nor on how many of its workers there are; only times do.

use focalist_exchange as exchange;
use focalist_lang as lang;
use focalist_model as model;
use focalist_runner as runner;
use focalist_sandbox as sandbox;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use crate::model::RunKind;
use crate::runner::RunnerError;
use crate::store::{NoSuchRun, StoreError};
use crate::task::Cancelled;

mod aims;
mod asserting;
mod brittle;
pub mod candidates;
mod choose;
mod confirm;
mod covered;
pub mod detail;
mod dry;
mod due;
mod engines;
mod executing;
mod faults;
mod first_kill;
mod generated;
mod java_changed;
mod java_faults;
mod java_order;
mod java_variants;
mod keep;
pub mod matrix;
mod measure;
pub mod options;
pub mod outcomes;
mod pace;
pub mod pool;
mod project;
pub mod repair;
mod repeats;
mod report;
pub mod reports;
mod stability;
#[cfg(test)]
mod tests;
mod verb;

pub use crate::model::EngineName;
pub use choose::GENERATED;
pub use engines::{OpenReply, OpenRequest, Processes, Tools};
pub use executing::ProjectOpener;
pub use options::{
    BrittleOptions, ConfirmationLimit, Drawing, ExecuteOptions, FaultOptions, FaultScope,
    ShakeOptions, TestSource,
};
pub use report::{
    BrittleReport, DryFile, ExecuteReport, FaultReport, NotRun, ProjectReport, RefutedCandidate,
    RunReport, StabilityReport, Unbuilt,
};
pub use verb::{execute, execute_with};

/// The version of the executing code; rows of another one are run again.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "+execute4");

#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Runner(RunnerError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("no run was imported")]
    NoRuns,
    #[error(transparent)]
    NoSuchRun(#[from] NoSuchRun),
    #[error("no repository `{name}`")]
    NoSuchRepo { name: String, known: Vec<String> },
    /// The index has no sample, or the filter lets none through.
    #[error("there is nothing to run{}", if *.is_filtered { " under this filter" } else { "" })]
    Nothing { is_filtered: bool },
    /// The engine runs no tests of this language.
    #[error("engine `{engine}` does not run {language}")]
    OtherLanguage {
        engine: &'static str,
        language: &'static str,
    },
    /// The runs are stored as ones that nothing runs.
    #[error("{}", not_run_report(not_run))]
    NoEngine { not_run: Vec<NotRun> },
    /// Not one project could be prepared.
    #[error("no project could be prepared{}", first.as_ref().map_or_else(String::new, |it| format!(": {}: {}", it.project, it.reason)))]
    NothingBuilt { first: Option<Unbuilt> },
    /// The name belongs to an imported run, so it cannot become the run of true tests.
    #[error("run `{name}` was imported")]
    NotTruth { name: String },
    #[error("run `{name}` was not executed")]
    NotExecuted { name: String },
    #[error("run `{name}` has answers to {kind}, not to samples", kind = kind.as_str())]
    OfQuestions { name: String, kind: RunKind },
}

/// Reports predictions that are not run because of their language.
fn not_run_report(not_run: &[NotRun]) -> String {
    let said: Vec<String> = not_run.iter().map(ToString::to_string).collect();
    said.join("; ")
}

impl From<RunnerError> for ExecuteError {
    fn from(error: RunnerError) -> Self {
        match error {
            RunnerError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            other => Self::Runner(other),
        }
    }
}
