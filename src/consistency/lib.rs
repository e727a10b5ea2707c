//! The verbs `mutate` and `consistency`: functions in other words, and whether a model completes them alike (`CCTest`).
//!
//! Decides where functions come from, in which order their variants are written, and what completions of them say about
//! each other. [`crate::mutate`] decides how a function is changed, [`crate::metric`] how alike two texts are.

use focalist_chart as chart;
use focalist_exchange as exchange;
use focalist_metric as metric;
use focalist_model as model;
use focalist_mutate as mutate;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

pub mod completions;
mod cutting;
mod fault;
pub mod figures;
pub mod judged;
pub mod outliers;
pub mod read;
pub mod run;
pub mod seeds;
pub mod stored_run;
pub mod tables;
pub mod variants;

pub use cutting::completed;

use crate::store::StoreError;
use crate::task::Cancelled;

#[derive(Debug, thiserror::Error)]
pub enum ConsistencyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    #[error("cannot read `{path}`: {error}")]
    Unreadable { path: String, error: std::io::Error },
    #[error("there is no run of completions `{name}`")]
    NoSuchRun { name: String, known: Vec<String> },
    #[error("`{path}` is not a source file of a known language")]
    UnknownLanguage { path: String },
}
