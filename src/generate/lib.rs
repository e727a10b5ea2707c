//! The verb `generate`: models are asked over HTTP, their answers are kept, and predictions are taken from them.
//!
//! Decides the order of requests, the retries, and the end of the work. The file defines the prompts; `exchange` writes
//! requests as JSON; `metric` extracts code from answers.
//!
//! An answer is stored before it counts: killed at any moment and started again, nothing is asked whose answer was stored.
//! Transactions follow each other as fast as the disk takes them, so only answers that arrived while the last one was
//! being written can be lost: some milliseconds, and never more than [`verb::ANSWERS_AT_ONCE`] requests.

use focalist_encode as encode;
use focalist_exchange as exchange;
use focalist_metric as metric;
use focalist_model as model;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use std::io;

use crate::store::{BadRunName, StoreError};
use crate::task::Cancelled;

mod ask;
mod client;
mod endpoint;
mod export;
mod options;
mod pace;
mod predict;
mod report;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod verb;

pub use endpoint::{Endpoint, EndpointError};
pub use export::export;
pub use options::{ApiKey, GenerateOptions, Grid, GridError, Prices, settings};
pub use report::{GenerateDryRun, GenerateEnd, GenerateReport};
pub use verb::{PromptSource, ask, dry, take};

#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("cannot read or write: {0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    BadName(#[from] BadRunName),
    /// The run of this name was imported.
    #[error("there is a run `{name}` already, and it was not generated")]
    RunExists { name: String },
    #[error("run `{name}` has answers of the model `{model}`")]
    OtherModel { name: String, model: String },
    #[error("there is no prompt{}", first.as_ref().map_or_else(String::new, |it| format!(": {it}")))]
    NoPrompts { first: Option<String> },
    #[error("no answers were generated for `{name}`")]
    NoAnswers { name: String },
    #[error("cannot ask: {0}")]
    Client(String),
}
