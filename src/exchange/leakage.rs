//! The output of `leakage` with `--json`.

use serde::Serialize;

use super::scores::OrderedFields;

/// Near duplicates across splits.
#[derive(Debug, Serialize)]
pub struct WireLeakage<'a> {
    /// `random` or `project`.
    pub splits: &'static str,
    pub threshold: f64,
    pub shingle_tokens: usize,
    pub n_samples: u64,
    pub n_without_split: u64,
    /// The probability that a pair that just reaches the threshold is found.
    pub found_at_threshold: f64,
    /// With any, counts are lower bounds.
    pub n_left_out: u64,
    pub counts: Vec<WirePairCount>,
    pub leaked: Vec<WireLeaked>,
    pub pairs: Vec<WireNearPair<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WirePairCount {
    pub seen: &'static str,
    pub held_out: &'static str,
    pub n_by_test: u64,
    pub n_by_focal: u64,
    pub n_by_both: u64,
    pub n_pairs: u64,
}

/// How many samples of a split have a near duplicate in the training split.
#[derive(Debug, Serialize)]
pub struct WireLeaked {
    pub held_out: &'static str,
    pub n_samples: u64,
    pub n_by_test: u64,
    pub n_by_focal: u64,
    pub n_by_both: u64,
    pub n_by_any: u64,
    /// `n_by_any / n_samples`; null without any sample.
    pub share: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct WireNearPair<'a> {
    /// `both`, `test` or `focal`.
    pub near: &'static str,
    pub held_out: WireNearSample<'a>,
    pub seen: WireNearSample<'a>,
    /// `test` and, null when either has none, `focal`; 0 to 1.
    pub similarity: OrderedFields<Option<f64>>,
}

#[derive(Debug, Serialize)]
pub struct WireNearSample<'a> {
    pub key: String,
    pub repo: &'a str,
    pub test: &'a str,
    pub focal: Option<&'a str>,
    pub split: Option<&'static str>,
}

/// A line of `leakage --nearest KEY --json`.
#[derive(Debug, Serialize)]
pub struct WireNeighbour<'a> {
    /// The mean of both texts.
    pub mean: f64,
    pub similarity: OrderedFields<Option<f64>>,
    #[serde(flatten)]
    pub sample: WireNearSample<'a>,
}
