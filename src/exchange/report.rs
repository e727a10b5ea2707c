//! Data for the page of a report: its predictions, apart from the text of the page itself; and a leaderboard.
//!
//! A page asks for short names: there may be twenty thousand rows.

use serde::Serialize;

/// The facts that hold for all rows.
#[derive(Debug, Serialize)]
pub struct WireReportHead {
    pub runs: Vec<String>,
    /// In the order of each row's scores.
    pub metrics: Vec<WireReportMetric>,
    pub n_rows: usize,
    /// The number of rows in a piece, and of details.
    pub rows_a_piece: usize,
    pub details_a_piece: usize,
    /// Whether the pieces are files beside the page.
    pub is_folder: bool,
    pub has_sources: bool,
}

#[derive(Debug, Serialize)]
pub struct WireReportMetric {
    pub id: &'static str,
    pub title: String,
}

/// A prediction in the list.
#[derive(Debug, Serialize)]
pub struct WireReportRow {
    pub key: String,
    /// The place of its run in the head.
    pub run: usize,
    #[serde(skip_serializing_if = "is_zero")]
    pub attempt: u32,
    pub repo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<&'static str>,
    pub test: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focal: Option<String>,
    pub parse: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<&'static str>,
    pub tags: Vec<&'static str>,
    /// The tags that people gave in place of the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdict: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_tokens: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assertion: String,
    /// Rounded; null where it is not scored.
    pub scores: Vec<Option<f64>>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over references"
)]
const fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Details of neighbouring rows, each sample and each source once.
#[derive(Debug, Default, Serialize)]
pub struct WireReportPiece {
    pub samples: Vec<WireReportSample>,
    pub sources: Vec<WireReportSource>,
    /// In the order of the rows.
    pub details: Vec<WireReportDetail>,
}

/// The visible part of a sample.
#[derive(Debug, Default, Serialize)]
pub struct WireReportSample {
    pub repo: String,
    pub commit: Option<String>,
    pub license: Option<String>,
    pub facts: Vec<String>,
    /// Test, focal method and contexts: what each is to the sample, and its place in the piece.
    pub sources: Vec<(&'static str, usize)>,
    pub candidates: Vec<WireReportCandidate>,
    /// The judgements of people about it.
    pub people: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct WireReportSource {
    pub key: String,
    pub path: String,
    pub line: u32,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct WireReportCandidate {
    pub key: String,
    pub weight: f64,
    pub is_picked: bool,
}

/// The visible part of a prediction beside its row.
#[derive(Debug, Default, Serialize)]
pub struct WireReportDetail {
    /// Its sample's place; null where the index no longer has it.
    pub sample: Option<usize>,
    /// True text and prediction in one: pieces of both (0), of the true text only (1), of the prediction only (2). Null
    /// where no sources are shown.
    pub pieces: Option<Vec<(u8, String)>>,
    pub facts: Vec<String>,
    /// Why it has its tags.
    pub reasons: Vec<WireReportReason>,
    /// The answer as the model wrote it, where that is more than the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct WireReportReason {
    pub tag: &'static str,
    pub text: String,
}

#[derive(Debug, Serialize)]
pub struct WireLeaderboard {
    /// Ranks are by this.
    pub metric: &'static str,
    pub metric_version: u32,
    /// Samples that all runs answered.
    pub n_samples: u64,
    pub filter: String,
    pub resamples: u32,
    pub seed: u64,
    pub runs: Vec<WirePlace>,
    pub pairs: Vec<WirePairOfRuns>,
}

/// A run on a leaderboard.
#[derive(Clone, Debug, Serialize)]
pub struct WirePlace {
    /// One more than the runs that are better for certain.
    pub rank: usize,
    pub run: String,
    pub model: Option<String>,
    /// The metric over the samples that all runs answered.
    pub value: f64,
    /// The mean of the samples' values, and its 95 % interval.
    pub mean: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// Runs that share a letter cannot be told apart.
    pub groups: String,
    pub parses: Option<f64>,
    pub correct: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct WirePairOfRuns {
    pub first: String,
    pub second: String,
    /// Second minus first.
    pub difference: f64,
    pub interval: (f64, f64),
    pub p: f64,
    pub p_adjusted: f64,
}
