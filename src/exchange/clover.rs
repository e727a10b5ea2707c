//! The output of `clover` with `--json`.

use serde::{Deserialize, Serialize};

mod answer;
mod task;

pub use answer::{
    AnswerId, WireAnswer, WireBudgetTokens, WireEvaluated, WireFormDifference, WireGap,
    WireGibberish, WireInterval, WireModelDifference, WireShares, WireTaskReport, WireTaskTokens,
};
pub use task::{BLANK, WireCloze, WireTarget, WireTask, WireTaskBlock};

/// A test function as a file of its own, or why it is none.
#[derive(Debug, Serialize)]
pub struct WireExtracted {
    /// `tests/x.py::Class::test`
    pub id: String,
    pub path: Option<String>,
    pub code: Option<String>,
    pub outcome: Option<&'static str>,
    /// Why it is no problem.
    pub reason: Option<String>,
    pub verified: bool,
}

/// The files of the project that matter to a test.
#[derive(Debug, Serialize)]
pub struct WireClasses {
    pub id: String,
    pub peer: Vec<String>,
    pub rest: Vec<String>,
    pub repo: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<WireBlock>>,
}

/// Statements that only one test covers; both lines are first lines of statements.
#[derive(Debug, Serialize)]
pub struct WireBlock {
    pub file: String,
    pub first: u32,
    pub last: u32,
    pub statements: usize,
}

/// The result of running a test to count its lines, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WireRan {
    pub outcome: String,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub items: Vec<(String, String)>,
    pub seconds: f64,
    pub engine: String,
}
