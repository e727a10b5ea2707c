//! The judgements of people about one sample: `people` of `show --json`.

use serde::Serialize;

use crate::review::{WirePast, WireVerdict};

/// Everything that people have said of a sample.
#[derive(Debug, Serialize)]
pub struct WirePeople<'a> {
    /// The verdicts that hold, by annotator.
    pub verdicts: Vec<WireVerdict<'a>>,
    /// The adjudication, if there is one.
    pub gold: Option<WireVerdict<'a>>,
    /// The notes that hold, by annotator, with those that came with a verdict.
    pub notes: Vec<WireNote<'a>>,
    pub marked_by: &'a [String],
    /// On predictions for the sample.
    pub tags: Vec<WireTagging<'a>>,
    /// Everything that was ever said of it, the latest first.
    pub history: Vec<WirePast>,
}

#[derive(Debug, Serialize)]
pub struct WireNote<'a> {
    pub annotator: &'a str,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    pub note: &'a str,
}

/// The tags of one annotator on one prediction.
#[derive(Debug, Serialize)]
pub struct WireTagging<'a> {
    pub run: &'a str,
    pub attempt: u32,
    pub annotator: &'a str,
    pub tags: Vec<String>,
    pub note: Option<&'a str>,
}
