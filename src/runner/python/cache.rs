//! Facts that earlier runs have found out about a prepared project, stored beside it; they are found out again where
//! they cannot be stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::sandbox::Root;

use super::server::version;

/// The largest file that is read; ours are smaller.
const N_BYTES_MAX: u64 = 256 << 20;

/// The folder of a prepared project, with the facts that this version has stored there.
#[derive(Clone, Debug)]
pub struct PreparedFolder(PathBuf);

impl PreparedFolder {
    #[must_use]
    pub fn of(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// Reads which folders can be trusted to a server.
    #[must_use]
    pub fn checked(&self) -> BTreeMap<PathBuf, bool> {
        self.read("checked").unwrap_or_default()
    }

    pub fn keep_checked(&self, checked: &BTreeMap<PathBuf, bool>) {
        self.keep("checked", checked);
    }

    /// Reads which lines of the project's files belong to one statement; they stay valid, because the checkout never
    /// changes.
    #[must_use]
    pub fn lines(&self) -> Option<Value> {
        self.read("lines")
    }

    pub fn keep_lines(&self, maps: &Value) {
        self.keep("lines", maps);
    }

    /// Reads the installed modules that the project's own tests import, by folder.
    #[must_use]
    pub fn imports(&self) -> BTreeMap<PathBuf, Vec<String>> {
        self.read("imports").unwrap_or_default()
    }

    pub fn keep_imports(&self, imports: &BTreeMap<PathBuf, Vec<String>>) {
        self.keep("imports", imports);
    }

    fn read<T: DeserializeOwned>(&self, what: &str) -> Option<T> {
        let root = Root::open(&self.0).ok()?;
        let text = root.read(name(what), N_BYTES_MAX).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn keep(&self, what: &str, value: &impl Serialize) {
        let text = serde_json::to_vec(value).expect("paths and names of projects are text");
        // It is written whole or not at all: another worker may write it, too.
        let _ = Root::open(&self.0).and_then(|root| root.write(name(what), text));
    }
}

fn name(what: &str) -> String {
    format!("{what}-{}.json", version())
}
