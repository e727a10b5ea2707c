//! The shapes of `export --format jsonl` and `export --format tests` (the contract of DESIGN.md section 5).

use serde::Serialize;

/// One sample with all its sources: a line of `--format jsonl`.
#[derive(Debug, Serialize)]
pub struct WireSample<'a> {
    pub key: String,
    pub language: &'static str,
    pub repo: WireRepo<'a>,
    pub split: WireSplit,
    pub test: WireTest<'a>,
    pub fixtures: Vec<WireMethod<'a>>,
    /// The source of the part; null when it is empty.
    pub setup: Option<&'a str>,
    pub assertion: Option<&'a str>,
    pub focal: Option<WireMethod<'a>>,
    #[serde(rename = "match")]
    pub matched: WireMatch<'a>,
    pub setup_context: Vec<WireMethod<'a>>,
    pub focal_context: Vec<WireMethod<'a>>,
    pub flags: Vec<&'static str>,
    /// The verdict of people on the sample; absent while there is none, they differ, or judged other code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<WireGold<'a>>,
}

/// The verdict of people on a sample.
#[derive(Debug, Serialize)]
pub struct WireGold<'a> {
    /// Whether `focal` is the true focal method.
    pub right: bool,
    pub judgement: &'static str,
    /// The key of the method that was picked.
    pub picked: Option<&'a str>,
    /// How many annotators agree on it; 0 for an adjudication and for a provisional verdict.
    pub annotators: usize,
    /// Why so, of an adjudication.
    pub reason: Option<&'a str>,
    /// Only for verdicts that were accepted with others: at most this share of them is wrong, at 95 % confidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisional: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct WireRepo<'a> {
    pub name: &'a str,
    pub url: Option<&'a str>,
    pub commit: Option<&'a str>,
    pub license: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub struct WireSplit {
    pub random: Option<&'static str>,
    pub project: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct WireTest<'a> {
    pub file: &'a str,
    pub class: &'a str,
    pub method: &'a str,
    pub signature: &'a str,
    pub framework: &'static str,
    pub start_line: u32,
    pub end_line: u32,
    pub source: &'a str,
}

/// A focal, context or fixture method.
#[derive(Debug, Serialize)]
pub struct WireMethod<'a> {
    pub file: &'a str,
    pub class: &'a str,
    pub method: &'a str,
    pub signature: &'a str,
    /// Erased, fully qualified types.
    pub parameters: Vec<&'a str>,
    pub start_line: u32,
    pub end_line: u32,
    pub source: &'a str,
}

#[derive(Debug, Serialize)]
pub struct WireMatch<'a> {
    pub matcher: &'static str,
    pub stage: Option<&'static str>,
    pub weight: Option<f64>,
    pub candidates: Vec<WireCandidate<'a>>,
}

/// A candidate with the score of the stage that ranked it.
#[derive(Debug, Serialize)]
pub struct WireCandidate<'a> {
    pub name: &'a str,
    pub key: String,
    pub score: f64,
    /// Kinds of evidence (matcher `evidence`). None is an empty list, as it is in columns.
    pub evidence: Vec<&'static str>,
}

/// One test, mapped or not, without sources: a line of `--format tests`.
#[derive(Debug, Serialize)]
pub struct WireTestLine<'a> {
    /// The key of the sample, as predictions name it and `--format jsonl` has it.
    pub key: String,
    pub test: WireTestPlace<'a>,
    pub status: &'static str,
    pub matcher: &'static str,
    pub stage: Option<&'static str>,
    pub weight: Option<f64>,
    pub focal: Option<WirePlace<'a>>,
    pub candidates: Vec<WireCandidate<'a>>,
    /// Byte offsets in the test's file; null for an empty part.
    pub setup_range: Option<[u32; 2]>,
    pub assertion_range: Option<[u32; 2]>,
    pub setup_context: Vec<WireContextKey>,
    pub focal_context: Vec<WireContextKey>,
    pub flags: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
pub struct WireTestPlace<'a> {
    pub key: String,
    pub language: &'static str,
    pub class: &'a str,
    /// The simple name, or the title.
    pub name: &'a str,
    pub file: &'a str,
    /// The line of the name; in JavaScript of `it`.
    pub line: u32,
    pub start_line: u32,
    pub end_line: u32,
    pub kind: &'static str,
    pub framework: &'static str,
}

#[derive(Debug, Serialize)]
pub struct WirePlace<'a> {
    pub key: String,
    pub file: &'a str,
    pub line: u32,
}

#[derive(Debug, Serialize)]
pub struct WireContextKey {
    pub key: String,
}
