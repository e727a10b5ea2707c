//! The verb `eval`: predictions in, scores out, and runs against each other.
//!
//! Decides which pairs are scored, which pairs a corpus value covers, and which values are computed again. `metric`
//! computes the metrics, `exchange` reads and writes files, `store` keeps the rows.

use focalist_encode as encode;
use focalist_exchange as exchange;
use focalist_failure as failure;
use focalist_metric as metric;
use focalist_model as model;
use focalist_store as store;
use focalist_syntax as syntax;
use focalist_task as task;

use std::borrow::Cow;
use std::io;

pub use crate::failure::VERSION as TAGS_VERSION;
use crate::metric::extract;
use crate::model::{Extraction, Language, Problem, RunKind, counted};
use crate::store::{BadRunName, NoSuchRun, StoreError};
use crate::task::Cancelled;

mod asserting;
pub mod ast;
pub mod best;
pub mod by;
pub mod compare;
pub mod compile_errors;
pub mod copies;
pub mod crystal;
pub mod evaluate;
pub mod executed;
pub mod explained;
pub mod import;
pub mod interval;
pub mod languages;
pub mod measures;
pub mod numbers;
pub mod pairing;
pub mod prompted;
mod question;
pub mod results;
pub mod sarif;
pub mod score;
pub mod settings;
mod several;
pub mod usage;

mod form;
mod summary;
mod unanswered;

pub use summary::Summary;

#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The disk failed, or the reader of the output is gone.
    #[error("cannot read or write predictions: {0}")]
    Io(#[from] io::Error),
    /// A run is judged by `ast.parse`, and nobody can be asked.
    #[error("only a Python can tell what parses, and none is available")]
    NoAst,
    /// A Python that was asked does not answer.
    #[error("{said}")]
    Ast { said: String },
    /// Several could be meant.
    #[error("there are several runs, and none is named")]
    WhichRun { known: Vec<String> },
    #[error("no run was imported")]
    NoRuns,
    #[error(transparent)]
    NoSuchRun(#[from] NoSuchRun),
    #[error("there is a run `{name}` already")]
    RunExists { name: String },
    #[error(transparent)]
    BadName(#[from] BadRunName),
    /// With `--strict`: nothing was stored.
    #[error("{}, and nothing was imported{}", counted(*n_problems as u64, "problem"), reason(first))]
    Problems {
        n_problems: usize,
        /// The first problems, in the order of the file.
        first: Vec<Problem>,
    },
    /// Not one prediction could be used.
    #[error("{}", match n_records {
        0 => "there is no prediction to import: nothing is in it".to_owned(),
        1 => format!("no prediction could be used{}", reason(first)),
        _ => format!("no prediction of {n_records} could be used{}", reason(first)),
    })]
    NothingUsable {
        n_records: u64,
        n_problems: usize,
        /// The first problems, in the order of the file.
        first: Vec<Problem>,
    },
    /// A filter asks what became of its predictions.
    #[error("run `{run}` was not executed")]
    NotExecuted { run: String },
    #[error("`{metric}` is not computed for run `{run}`")]
    NotEvaluated { run: String, metric: String },
    /// Its answers are scored, but by a version that gave no tags.
    #[error("run `{run}` has no tags yet")]
    NotTagged { run: String },
    /// A filter asks for what only a comparison has.
    #[error("`{field}` needs a run to compare with")]
    NoBaseline { field: String },
    /// Other weights, another corpus: their difference would say nothing of the models.
    #[error("`{metric}` is computed with other options for run `{first}` than for run `{second}`")]
    OtherOptions {
        metric: String,
        first: String,
        second: String,
    },
    /// Outcomes depend on the options that they were made with.
    #[error(
        "run `{first}` was executed with {first_options}, run `{second}` with {second_options}"
    )]
    ExecutedOtherwise {
        first: String,
        first_options: String,
        second: String,
        second_options: String,
    },
    /// A filter asks for what only samples have, and the run answers other questions.
    #[error("`{field}` applies to samples, but run `{run}` answers questions of {kind}", kind = kind.as_str())]
    OfSamples {
        field: String,
        run: String,
        kind: RunKind,
    },
    #[error("it takes two runs to compare")]
    OneRun,
    /// One answers with assertions, the other with tests; or they are in different languages.
    #[error("runs `{first}` and `{second}` do not answer the same question")]
    OtherQuestion { first: String, second: String },
    /// Since it was evaluated, samples were mined anew and are no longer what they were.
    #[error("the references of run `{run}` are not those that it was evaluated with")]
    Outdated { run: String },
    #[error("runs `{first}` and `{second}` have no scored sample in common{}", if *.is_filtered { " under this filter" } else { "" })]
    NothingInCommon {
        first: String,
        second: String,
        is_filtered: bool,
    },
}

/// Describes the first problem with its place, to follow the outcome.
fn reason(problems: &[Problem]) -> String {
    problems.first().map_or_else(String::new, |problem| {
        let line = problem
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        format!(": {}{line}: {}", problem.path, problem.detail)
    })
}

/// Extracts the code of an answer.
fn code_of(extraction: Extraction, language: Language, answer: &str) -> Cow<'_, str> {
    extract::extract(extraction, language, answer).code
}
