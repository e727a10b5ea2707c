//! What a prepared Python project is: the hand-over from preparing to running, kept in the cache as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::RunnerError;

/// Of the manifest's shape.
pub const FORMAT: u32 = 1;
/// The folder of Python in the cache.
pub const FOLDER: &str = "python";
/// The file that is written last.
const MANIFEST: &str = "environment.json";

/// A project with the environment that its tests run in; all paths are absolute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub format: u32,
    /// A hash of the tree, of what was asked, and of the version of what prepares.
    pub key: String,
    /// A hash of the tree alone.
    #[serde(default)]
    pub tree: String,
    pub name: String,
    /// Where the sources are that were copied.
    pub origin: PathBuf,
    /// Holds all that follows.
    pub root: PathBuf,
    /// The copy of the project that tests run in.
    pub checkout: PathBuf,
    pub python: Interpreter,
    /// Everything was resolved as of this day, `2024-09-01`; none where that is not known.
    pub as_of: Option<String>,
    /// `uv 0.9.2` or `pip`.
    pub installer: String,
    pub sandbox: String,
    pub steps: Vec<Step>,
    /// Folders and single modules of the project's own code, relative to the checkout.
    pub sources: Vec<String>,
    /// Files below them that hold tests.
    pub test_files: Vec<String>,
    /// pytest's own options of the project, as one text, without what measures, spreads or stops early.
    pub addopts: String,
    /// `name==version`, sorted.
    pub installed: Vec<String>,
    pub suite: Suite,
    /// Why it was not accepted.
    pub refused: Option<Refused>,
    /// What was done or found, for people.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    /// Of the environment.
    pub program: PathBuf,
    /// The installation that the environment is made from.
    pub base: PathBuf,
    pub version: String,
}

/// One command of preparing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub what: String,
    pub command: String,
    /// None where it was ended.
    pub code: Option<u8>,
    pub seconds: f64,
    /// The last lines that it said.
    pub last: Vec<String>,
}

/// How the project's own tests went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    pub n_collected: usize,
    pub n_passed: usize,
    pub n_failed: usize,
    pub n_skipped: usize,
    /// By node id, as pytest has it, without those that passed.
    pub others: BTreeMap<String, String>,
    /// Files with a test that passed, and how many.
    pub passed: BTreeMap<String, usize>,
    /// By function, as `tests/x.py::Class::test`, what became of all its parameters together.
    pub functions: BTreeMap<String, String>,
    /// Tests that pass where they may write to the checkout, and only there.
    pub writing: Vec<String>,
    /// What went wrong most often, and how often.
    pub errors: Vec<(String, usize)>,
}

/// Why a project is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The step that failed.
    pub step: String,
    pub message: String,
    /// Packages that may help.
    pub add: Vec<String>,
}

impl Environment {
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.refused.is_none()
    }

    /// Writes the manifest; a folder without one was never finished.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&self) -> Result<(), RunnerError> {
        let path = self.root.join(MANIFEST);
        let new = path.with_extension("new");
        let written = serde_json::to_vec_pretty(self)
            .map_err(std::io::Error::from)
            .and_then(|text| fs::write(&new, text))
            .and_then(|()| fs::rename(&new, &path));
        written.map_err(|source| RunnerError::Io { path, source })
    }

    /// Reads the manifest of a folder, if there is one that this version has written.
    #[must_use]
    pub fn read(root: &Path) -> Option<Self> {
        let text = fs::read(root.join(MANIFEST)).ok()?;
        let environment: Self = serde_json::from_slice(&text).ok()?;
        (environment.format == FORMAT && environment.root == root).then_some(environment)
    }

    /// Returns all that are prepared in a cache, by name, the newest of a name last.
    #[must_use]
    pub fn all(cache: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(cache.join(FOLDER)) else {
            return Vec::new();
        };
        let mut found: Vec<_> = entries
            .filter_map(|it| {
                let root = it.ok()?.path();
                let moment = fs::metadata(root.join(MANIFEST)).ok()?.modified().ok()?;
                Some((moment, Self::read(&root)?))
            })
            .collect();
        found.sort_by(|a, b| (&a.1.name, a.0, &a.1.key).cmp(&(&b.1.name, b.0, &b.1.key)));
        found.into_iter().map(|it| it.1).collect()
    }

    /// Returns the newest environment of a name, or of the folder that it was made from.
    #[must_use]
    pub fn find(cache: &Path, asked: &str) -> Option<Self> {
        let path = fs::canonicalize(asked).ok();
        let is_it = |it: &Self| it.name == asked || path.as_ref() == Some(&it.origin);
        Self::all(cache).into_iter().rev().find(is_it)
    }
}
