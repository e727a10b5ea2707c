//! What `tags` prints with `--json`.

use serde::Serialize;

use super::review::WireShare;
use super::scores::OrderedFields;

/// The tags of a run's first answers.
#[derive(Debug, Serialize)]
pub struct WireTags<'a> {
    pub run: &'a str,
    /// Of the taxonomy.
    pub version: u32,
    /// First answers with something to be compared with.
    pub n: u64,
    /// Those that some answer has, by name.
    pub tags: OrderedFields<WireTagCount>,
}

#[derive(Debug, Serialize)]
pub struct WireTagCount {
    pub n: u64,
    /// Of all, 0..=1.
    pub share: f64,
}

/// How far the machine's tags are people's: `tags --agreement --json`.
#[derive(Debug, Serialize)]
pub struct WireTagAgreement<'a> {
    /// Of the taxonomy.
    pub version: u32,
    /// Rulings that count.
    pub n: u64,
    /// Rulings on a prediction or a reference that has changed since.
    pub n_stale: u64,
    /// Both sets are the same.
    pub exact: WireShare,
    /// Of all tags together, and so is recall.
    pub precision: WireShare,
    pub recall: WireShare,
    pub tags: OrderedFields<WireTagAccord>,
    pub runs: Vec<WireCorrected<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireTagAccord {
    pub both: u64,
    pub machine_only: u64,
    pub people_only: u64,
    pub precision: Option<f64>,
    pub recall: Option<f64>,
    pub f1: Option<f64>,
    /// Cohen's.
    pub kappa: Option<f64>,
    /// Of kappa.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// How many first answers of a run check the same as their references.
#[derive(Debug, Serialize)]
pub struct WireCorrected<'a> {
    pub run: &'a str,
    pub by_machine: WireShare,
    pub with_people: WireShare,
    /// Of those that people have given tags only.
    pub of_ruled: WireShare,
}
