//! The files beside shards: how many there are, the result of each repository of one, and the progress of one that is
//! not done.
//!
//! Decides how these files look. A shard itself is a list of repositories: see [`repo_list`](super::repo_list).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `plan.json`, beside the shards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WirePlan {
    /// The version that planned.
    pub focalist: String,
    /// How repositories are fetched; `{url}` and `{dir}` are put in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetch: Option<String>,
    pub n_repositories: u64,
    /// Repositories of unknown size count as much as the middle one of those that are known.
    pub n_unknown_size: u64,
    pub size_bytes: u64,
    /// Lines that could not be used.
    pub n_problems: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub funnel: Vec<WireFilterStep>,
    /// Shards of a run instead of a list of repositories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<WirePlannedRun>,
    pub shards: Vec<WirePlannedShard>,
}

/// The planned work on a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WirePlannedRun {
    pub name: String,
    /// The workspace that results come back to.
    pub workspace: String,
    /// The file of prompts; without one the shards hold predictions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<String>,
    /// Predictions, or prompts.
    pub n_lines: u64,
    /// The stamp of the samples that the shards were cut from.
    pub stamp: String,
}

/// A line of a shard of a run: a prediction, which lies with its sample in the index beside the shard.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WirePlannedPrediction {
    /// Absent where the sample is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub sample: String,
    pub attempt: u32,
    /// Its number in the run, from 0.
    pub prediction: u32,
}

/// `shard.json` in the folder of a shard of a run that is done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WirePart {
    pub focalist: String,
    /// A hash of the shard, the work on it, and the version.
    pub stamp: String,
    pub shard: String,
    /// `eval`, `execute` or `generate`.
    pub verb: String,
    pub wall_ms: u64,
}

/// The output of `merge --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireMerged {
    pub n_inputs: u64,
    pub n_repositories: u64,
    pub n_known: u64,
    pub n_tests: u64,
    pub n_verdict_events: u64,
    /// By reason, over all inputs.
    pub skipped: BTreeMap<String, u64>,
    /// The repositories that were skipped and that no user left out.
    pub repositories: Vec<WireSkipped>,
    /// Projects that inputs hold in several versions.
    pub several: Vec<String>,
    pub left_out: Vec<WireLeftOut>,
}

/// The output of `merge --run --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireMergedRun {
    pub run: String,
    pub n_inputs: u64,
    pub n_predictions: u64,
    pub n_scores: u64,
    pub n_outcomes: u64,
    pub n_answers: u64,
    pub left_out: Vec<WireLeftOut>,
}

/// A repository that is in no index, and why.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireSkipped {
    /// The folder of the shard.
    pub shard: String,
    pub line: u32,
    pub repository: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireLeftOut {
    pub path: String,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WirePlannedShard {
    pub file: String,
    pub n_repositories: u64,
    pub size_bytes: u64,
}

/// How many repositories a step of a filter let through.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireFilterStep {
    pub step: String,
    pub n_passed: u64,
    /// How many of those that passed may be wrong, as too little is known of them.
    pub n_unknown: u64,
}

/// `shard.json` in the folder of a shard that is done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireShard {
    pub focalist: String,
    /// A hash of the list, the options and the version: work is repeated only when it changes.
    pub stamp: String,
    pub shard: String,
    pub n_repositories: u64,
    pub n_mined: u64,
    /// By reason.
    pub skipped: BTreeMap<String, u64>,
    pub n_files: u64,
    pub n_tests: u64,
    pub n_samples: u64,
    pub n_problems: u64,
    /// The size of `index.db` when the shard was done.
    pub index_bytes: u64,
    pub index_hash: String,
    pub wall_ms: u64,
    /// The most bytes that fetched repositories took at a time.
    pub fetched_bytes_max: u64,
    pub repositories: Vec<WireShardRepo>,
}

/// The result of one repository of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireShardRepo {
    /// Its line in the shard, from 1.
    pub line: u32,
    pub repository: String,
    /// Its content in the index, one part for each language.
    #[serde(default)]
    pub mined: Vec<WireMinedPart>,
    /// Why it is not in the index: `timeout`, `memory`, `crash`, `fetch`, `unreadable`, `bad_line`, `filter` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    #[serde(default)]
    pub wall_ms: u64,
    #[serde(default)]
    pub fetched_bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireMinedPart {
    pub project: String,
    pub language: String,
    pub n_files: u64,
    pub n_tests: u64,
    pub n_mapped: u64,
    pub n_samples: u64,
    pub n_problems: u64,
}

/// The output of a worker on stdout about the one repository that it was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct WireWorked {
    pub mined: Vec<WireMinedPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A line of the journal of a shard that is not done.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WireStep {
    /// The first line: the stamp of the work.
    Stamp(String),
    /// Work on the repository of this line begins.
    Begun(u32),
    /// The repository was left alone, for no fault of its own.
    Left(u32),
    /// It failed, and may succeed the next time.
    Failed(u32, String),
    Done(Box<WireShardRepo>),
}

/// Writes a value as one line of JSON.
///
/// # Panics
/// Never: these hold nothing that JSON has no words for.
#[must_use]
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("names and numbers are JSON")
}
