//! The output of `tags` with `--json`.

use serde::Serialize;

use super::review::WireShare;
use super::scores::OrderedFields;

/// The tags of a run's first answers.
#[derive(Debug, Serialize)]
pub struct WireTags<'a> {
    pub run: &'a str,
    /// The version of the taxonomy.
    pub version: u32,
    /// First answers with something to be compared with.
    pub n: u64,
    /// The tags that some answer has, by name.
    pub tags: OrderedFields<WireTagCount>,
}

#[derive(Debug, Serialize)]
pub struct WireTagCount {
    pub n: u64,
    /// The share of all, 0..=1.
    pub share: f64,
}

/// How far the machine's tags are people's: `tags --agreement --json`.
#[derive(Debug, Serialize)]
pub struct WireTagAgreement<'a> {
    /// The version of the taxonomy.
    pub version: u32,
    /// Rulings that count.
    pub n: u64,
    /// Rulings on a prediction or a reference that has changed since.
    pub n_stale: u64,
    /// Both sets are the same.
    pub exact: WireShare,
    /// The precision of all tags together; `recall` likewise.
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
    /// The interval of kappa.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// How many first answers of a run check the same as their references.
#[derive(Debug, Serialize)]
pub struct WireCorrected<'a> {
    pub run: &'a str,
    pub by_machine: WireShare,
    pub with_people: WireShare,
    /// The share of those that people have given tags.
    pub of_ruled: WireShare,
}
