//! The shape of `manifest`: from what and how an index was made, so that a paper can cite it.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct WireManifest {
    pub focalist: &'static str,
    pub matchers: Vec<WireMatcher>,
    /// The seed of the splits; null as long as none were assigned.
    pub seed: Option<u64>,
    /// How an export differs from the contents of the index; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub export: Option<WireExport>,
    pub n_repositories: u64,
    pub n_files: u64,
    pub n_tests: u64,
    /// A hash over the content of all repositories, in order of identity.
    pub content: String,
    pub repositories: Vec<WireMinedRepo>,
    /// Runs whose answers a real Python parsed, each with its version; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parsers: Vec<WireParser>,
}

/// The parser that decided what parses in a run.
#[derive(Debug, Serialize)]
pub struct WireParser {
    pub run: String,
    /// Name and version, such as `Python 3.11.7`.
    pub parser: String,
}

/// The settings of an export.
#[derive(Debug, Serialize)]
pub struct WireExport {
    /// `project`, `random`, or `own`.
    pub splits: &'static str,
    /// Nearer samples of held-out splits were left out.
    pub max_similarity: Option<f64>,
    pub n_near: u64,
    /// The reasons for which samples with unstable tests were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_unstable: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct WireMatcher {
    pub name: &'static str,
    pub version: u32,
}

#[derive(Debug, Serialize)]
pub struct WireMinedRepo {
    pub name: String,
    pub identity: String,
    pub url: Option<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
    pub license: Option<String>,
    pub language: &'static str,
    pub n_files: u64,
    pub n_tests: u64,
    /// A hash of all files that were mined, and of their paths.
    pub content: String,
    pub options: String,
    pub code: String,
}
