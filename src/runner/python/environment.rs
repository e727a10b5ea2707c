//! A prepared Python project: the hand-over from preparing to running, kept in the cache as JSON.
//!
//! Only the host writes to a project's folder. Programs inside may write to folders in it that are separate mount
//! points, so that they can neither change this file nor put a link in place of one of those folders. The paths of
//! these folders follow from the path of this file, and are never read out of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::sandbox::Root;
use crate::{RunnerError, io_error};

use super::interpreter;

/// The version of the manifest's shape. Any build could write beside a manifest of format 1, so that is not read any
/// more.
pub const FORMAT: u32 = 2;
/// The folder of Python in the cache.
pub const FOLDER: &str = "python";
/// The copy of a project, in its folder.
pub const CHECKOUT: &str = "checkout";
/// The folder of its installed packages.
pub const ENV: &str = "env";
/// The largest manifest that is read, in bytes.
const N_BYTES_MAX: u64 = 256 << 20;
/// The file that is written last.
const MANIFEST: &str = "environment.json";

/// A project with the environment that its tests run in; all paths are absolute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub format: u32,
    /// A hash of the tree, of the request, and of the version of the preparing code.
    pub key: String,
    /// A hash of the tree alone.
    #[serde(default)]
    pub tree: String,
    pub name: String,
    /// The folder that the sources were copied from.
    pub origin: PathBuf,
    /// The project's folder, which holds all of the following.
    #[serde(skip)]
    pub root: PathBuf,
    /// The copy of the project that tests run in.
    #[serde(skip)]
    pub checkout: PathBuf,
    pub python: Interpreter,
    /// All packages were resolved as of this day, such as `2024-09-01`; `None` where the day is not known.
    pub as_of: Option<String>,
    /// The day that packages should have been resolved as of, where no tool here could: the newest ones were taken
    /// instead.
    #[serde(default)]
    pub missed_day: Option<String>,
    /// `uv 0.9.2` or `pip`.
    pub installer: String,
    pub sandbox: String,
    pub steps: Vec<PreparationStep>,
    /// Folders and single modules of the project's own code, relative to the checkout.
    pub sources: Vec<String>,
    /// Files below them that hold tests.
    pub test_files: Vec<String>,
    /// The project's own options of pytest as one text, without those that measure, distribute or stop early.
    pub addopts: String,
    /// `name==version`, sorted.
    pub installed: Vec<String>,
    pub suite: ProjectSuite,
    /// Why it was not accepted.
    pub refused: Option<RefusedProject>,
    /// Notes for people.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interpreter {
    /// The interpreter of the environment.
    #[serde(skip)]
    pub program: PathBuf,
    /// The installation that the environment is made from.
    pub base: PathBuf,
    pub version: String,
}

/// One command of preparing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PreparationStep {
    pub what: String,
    pub command: String,
    /// The exit code; `None` where it was ended.
    pub code: Option<u8>,
    pub seconds: f64,
    /// The last lines of its output.
    pub last: Vec<String>,
}

/// How the project's own tests went.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectSuite {
    pub n_collected: usize,
    pub n_passed: usize,
    pub n_failed: usize,
    pub n_skipped: usize,
    /// The results of tests that did not pass, by pytest's node ids.
    pub others: BTreeMap<String, String>,
    /// Files with a test that passed, and how many.
    pub passed: BTreeMap<String, usize>,
    /// The result of each function, such as `tests/x.py::Class::test`, over all its parameters.
    pub functions: BTreeMap<String, String>,
    /// Tests that pass where they may write to the checkout, and only there.
    pub writing: Vec<String>,
    /// The most frequent errors, with their counts.
    pub errors: Vec<(String, usize)>,
}

/// Why a project is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedProject {
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

    /// Sets the paths that follow from the project's folder.
    pub(super) fn settle(&mut self, root: &Path) {
        root.clone_into(&mut self.root);
        self.checkout = root.join(CHECKOUT);
        self.python.program = self.env().join("bin/python");
    }

    /// Returns the folder of its installed packages.
    #[must_use]
    pub fn env(&self) -> PathBuf {
        self.root.join(ENV)
    }

    /// Opens the project's folder, in which only the host writes.
    ///
    /// # Errors
    /// The disk's.
    pub(super) fn folder(&self) -> Result<Root, RunnerError> {
        Root::open(&self.root).map_err(io_error(&self.root))
    }

    /// Opens the copy of the project, in which builds have written.
    ///
    /// # Errors
    /// The disk's.
    pub(super) fn open_checkout(&self) -> Result<Root, RunnerError> {
        let folder = self.folder()?;
        folder.folder(CHECKOUT).map_err(io_error(&self.checkout))
    }

    /// Lists the caveats in every report of the project.
    #[must_use]
    pub fn caveats(&self) -> Vec<String> {
        let day = self.missed_day.iter().map(|day| {
            format!(
                "packages of `{}` are the newest ones, not those of {day}",
                self.name
            )
        });
        day.collect()
    }

    /// Writes the manifest; a folder without one was never finished.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&self) -> Result<(), RunnerError> {
        let path = self.root.join(MANIFEST);
        let written = serde_json::to_vec_pretty(self)
            .map_err(std::io::Error::from)
            .and_then(|text| Root::open(&self.root)?.write(MANIFEST, text));
        written.map_err(io_error(&path))
    }

    /// Reads the manifest of a key; nothing where there is none, or one of another version or of an interpreter that
    /// this machine no longer has.
    pub(super) fn read(home: &Root, key: &str) -> Option<Self> {
        let folder = home.folder(key).ok()?;
        let text = folder.read(MANIFEST, N_BYTES_MAX).ok()?;
        let mut environment: Self = serde_json::from_slice(&text).ok()?;
        environment.settle(folder.path());
        let python = &environment.python;
        let is_ours = environment.format == FORMAT && environment.key == key;
        // A project that was refused early has no interpreter yet.
        let is_python = python.base.as_os_str().is_empty() && !environment.is_accepted()
            || interpreter::is_installation(&python.base, &python.version);
        (is_ours && is_python).then_some(environment)
    }

    /// Reads all environments in a cache, by name, the newest of a name last.
    #[must_use]
    pub fn all(cache: &Path) -> Vec<Self> {
        let Ok(home) = Root::open(&cache.join(FOLDER)) else {
            return Vec::new();
        };
        let entries = home.entries("").unwrap_or_default();
        let mut found: Vec<_> = entries
            .iter()
            .filter_map(|(name, _)| {
                let key = name.to_str()?;
                let manifest = home.open_file(Path::new(key).join(MANIFEST)).ok()?;
                let moment = manifest.metadata().ok()?.modified().ok()?;
                Some((moment, Self::read(&home, key)?))
            })
            .collect();
        found.sort_by(|a, b| (&a.1.name, a.0, &a.1.key).cmp(&(&b.1.name, b.0, &b.1.key)));
        found.into_iter().map(|found| found.1).collect()
    }

    /// Finds the newest environment of a name, or of the folder that it was made from.
    #[must_use]
    pub fn find(cache: &Path, asked: &str) -> Option<Self> {
        let path = fs::canonicalize(asked).ok();
        let is_it = |other: &Self| other.name == asked || path.as_ref() == Some(&other.origin);
        Self::all(cache).into_iter().rev().find(is_it)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::{Value, json};

    use super::*;

    /// Makes a manifest as a build could forge it.
    fn forged(key: &str, base: &Path) -> Value {
        json!({
            "format": FORMAT, "key": key, "name": "x", "origin": "/x", "root": "/", "checkout": "/home",
            "python": {"program": "/home/x", "base": base, "version": "3.11.7"}, "as_of": null,
            "installer": "", "sandbox": "bwrap", "steps": [], "sources": [], "test_files": [], "addopts": "",
            "installed": [], "suite": ProjectSuite::default(), "refused": null, "notes": [],
        })
    }

    #[test]
    fn where_things_lie_is_never_read_out_of_a_manifest() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let home = Root::open(folder.path()).expect("it is opened");
        let python = folder.path().join("python");
        for text in ["key", "python/bin", "user/bin"] {
            home.create_folders(text).expect("it is made");
        }
        home.write("python/bin/python3.11", b"\x7fELF")
            .expect("it is written");
        home.write("user/bin/python3.11", "#!/bin/sh")
            .expect("it is written");
        let read = |manifest: Value| {
            let text = manifest.to_string();
            home.write("key/environment.json", text)
                .expect("it is written");
            Environment::read(&home, "key")
        };
        let environment = read(forged("key", &python)).expect("it fits");
        let root = home.path().join("key");
        assert_eq!(environment.root, root);
        assert_eq!(environment.checkout, root.join("checkout"));
        assert_eq!(environment.python.program, root.join("env/bin/python"));
        assert_eq!(read(forged("another", &python)), None);
        for base in ["user", "", "python/bin"] {
            assert_eq!(
                read(forged("key", &folder.path().join(base))),
                None,
                "{base}"
            );
        }
        assert_eq!(read(forged("key", Path::new("/"))), None);
        let mut older = forged("key", &python);
        older["format"] = json!(1);
        assert_eq!(read(older), None);
        home.rename("key", "elsewhere").expect("it is renamed");
        symlink("elsewhere", folder.path().join("key")).expect("it is linked");
        assert_eq!(
            Environment::read(&home, "key"),
            None,
            "a link is followed nowhere"
        );
    }
}
