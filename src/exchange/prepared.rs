//! The output of `prepare` with `--json`.

use std::collections::BTreeMap;

use serde::Serialize;

/// A project that is ready, as far as it could be built.
#[derive(Debug, Serialize)]
pub struct WirePrepared {
    pub project: String,
    pub language: &'static str,
    /// The key of the build.
    pub build: String,
    /// The copy that was built.
    pub folder: String,
    /// Names and versions of the tools that it was built with.
    pub tools: BTreeMap<&'static str, String>,
    /// `bwrap` or `none`.
    pub sandbox: &'static str,
    #[serde(rename = "cached")]
    pub is_from_cache: bool,
    /// Folders of modules whose tests can be run; the root is empty.
    pub modules: Vec<String>,
    pub unbuilt: Vec<WireUnbuilt>,
    /// The changes that make the build work.
    pub notes: Vec<String>,
    /// The file with all output of the build.
    pub log: String,
}

/// A module that could not be built.
#[derive(Debug, Serialize)]
pub struct WireUnbuilt {
    pub module: String,
    pub reason: String,
}

/// Whether a project of a list can be used, or why not.
#[derive(Debug, Serialize)]
pub struct WireYield {
    pub project: String,
    pub language: &'static str,
    pub prepared: bool,
    /// Where it was left out: `start`, `build`, or a step of the environment.
    pub step: Option<String>,
    pub reason: Option<String>,
}

/// A Python project with its environment, or why it has none.
#[derive(Debug, Serialize)]
pub struct WireEnvironment {
    pub project: String,
    pub language: &'static str,
    /// The key of the environment.
    pub build: String,
    /// The copy that tests run in.
    pub folder: String,
    /// Names and versions of the tools that it was made with.
    pub tools: BTreeMap<&'static str, String>,
    /// Everything was resolved as of this day.
    pub as_of: Option<String>,
    /// `bwrap` or `none`.
    pub sandbox: String,
    #[serde(rename = "cached")]
    pub is_from_cache: bool,
    #[serde(rename = "accepted")]
    pub is_accepted: bool,
    pub refused: Option<WireRefused>,
    pub suite: WireSuite,
    pub steps: Vec<WirePrepareStep>,
    /// Folders and modules of the project's own code.
    pub sources: Vec<String>,
    /// `name==version`
    pub installed: Vec<String>,
    pub notes: Vec<String>,
}

/// Why a project is not used.
#[derive(Debug, Serialize)]
pub struct WireRefused {
    pub step: String,
    pub message: String,
    /// Packages that `--add` may be tried with.
    pub add: Vec<String>,
}

/// How a project's own tests went.
#[derive(Debug, Serialize)]
pub struct WireSuite {
    pub collected: usize,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Tests that pass only where they may write to the project.
    pub writing: Vec<String>,
    /// The most frequent errors, and how often each came.
    pub errors: Vec<(String, usize)>,
}

/// One command of preparing.
#[derive(Debug, Serialize)]
pub struct WirePrepareStep {
    pub step: String,
    pub command: String,
    pub code: Option<u8>,
    pub seconds: f64,
    pub last: Vec<String>,
}
