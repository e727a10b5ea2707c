//! The output of `generate` with `--json`.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// The result of asking.
#[derive(Debug, Serialize)]
pub struct WireGenerated<'a> {
    pub run: &'a str,
    pub model: &'a str,
    /// `complete`, `paused`, `refused`.
    pub end: &'static str,
    pub prompts: u64,
    pub wanted: u64,
    pub kept: u64,
    pub answers: u64,
    pub requests: u64,
    pub too_long: u64,
    pub missing: u64,
    pub no_result: u64,
    pub cut_off: u64,
    pub given_up: u64,
    pub duplicates: u64,
    pub one_by_one: bool,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub without_usage: u64,
    pub cost: Option<f64>,
    /// Tries that failed, by what happened.
    pub failures: &'a BTreeMap<String, u64>,
    pub new_predictions: u64,
    pub predictions: u64,
    pub without_sample: u64,
    pub problems: u64,
    pub elapsed_ms: u64,
}

/// The requests that would be made.
#[derive(Debug, Serialize)]
pub struct WireGenerateDry<'a> {
    pub prompts: u64,
    pub settings: u64,
    pub wanted: u64,
    pub kept: u64,
    pub requests: u64,
    pub tokens_in: u64,
    pub tokens_out_max: Option<u64>,
    pub cost_max: Option<f64>,
    pub endpoint: &'a str,
    pub first: Value,
    pub problems: u64,
}

/// Parses a request's body as JSON; null where there is none.
#[must_use]
pub fn request(body: Option<&str>) -> Value {
    body.and_then(|body| serde_json::from_str(body).ok())
        .unwrap_or(Value::Null)
}
