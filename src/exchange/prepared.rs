//! What `prepare` prints with `--json`.

use std::collections::BTreeMap;

use serde::Serialize;

/// A project that is ready, as far as it could be built.
#[derive(Debug, Serialize)]
pub struct WirePrepared {
    pub project: String,
    pub language: &'static str,
    /// What the build is known by.
    pub build: String,
    /// The copy that was built.
    pub folder: String,
    /// Names and versions of what it was built with.
    pub tools: BTreeMap<&'static str, String>,
    /// `bwrap` or `none`.
    pub sandbox: &'static str,
    #[serde(rename = "cached")]
    pub is_from_cache: bool,
    /// Folders of modules whose tests can be run; the root is empty.
    pub modules: Vec<String>,
    pub unbuilt: Vec<WireUnbuilt>,
    /// What was done to the build so that it works.
    pub notes: Vec<String>,
    /// The file with all that the build said.
    pub log: String,
}

/// A module that could not be built.
#[derive(Debug, Serialize)]
pub struct WireUnbuilt {
    pub module: String,
    pub reason: String,
}
