//! Which files of others the user trusts: each by its real path and its content, in the user's own data folder.
//!
//! A settings file comes with a clone, and what it says of endpoints, keys and programs counts only once the user has
//! seen it. A file that changes is another one and is asked for again, as `direnv` does it. What a file asks for, and
//! how it is asked, is for others.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The trusted files: an entry is a file, named by the hash of path and content, that holds the path.
#[derive(Clone, Debug)]
pub struct Trust {
    folder: PathBuf,
}

impl Trust {
    /// Opens the user's trusted files: `trust` in `$XDG_DATA_HOME/focalist`, or what stands for it on other systems;
    /// nothing without a home.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let folders = directories::ProjectDirs::from("", "", "focalist")?;
        Some(Self::at(folders.data_local_dir().join("trust")))
    }

    /// Opens the trusted files by the entries in a folder, which need not be there.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Tells whether a file is trusted with this content. An entry that cannot be read is none.
    #[must_use]
    pub fn holds(&self, path: &Path, content: &[u8]) -> bool {
        fs::read(self.entry(path, content)).is_ok_and(|bytes| bytes == path.as_os_str().as_bytes())
    }

    /// Trusts a file with this content, and with no other any more.
    ///
    /// # Errors
    /// The disk's.
    pub fn give(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700).create(&self.folder)?;
        self.revoke(path)?;
        fs::write(self.entry(path, content), path.as_os_str().as_bytes())
    }

    /// Trusts a file no more, and returns whether it was trusted with any content.
    ///
    /// # Errors
    /// The disk's.
    pub fn revoke(&self, path: &Path) -> io::Result<bool> {
        let mut is_revoked = false;
        for (entry, trusted) in self.entries()? {
            if trusted == path {
                fs::remove_file(entry)?;
                is_revoked = true;
            }
        }
        Ok(is_revoked)
    }

    /// Lists the paths of all trusted files, sorted.
    ///
    /// # Errors
    /// The disk's.
    pub fn list(&self) -> io::Result<Vec<PathBuf>> {
        let entries = self.entries()?.into_iter();
        let mut paths: Vec<PathBuf> = entries.map(|(_, path)| path).collect();
        paths.sort();
        Ok(paths)
    }

    /// Lists the entries, each with the path that it is about.
    fn entries(&self) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let folder = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut entries = Vec::new();
        for entry in folder {
            let entry = entry?.path();
            let path = OsString::from_vec(fs::read(&entry)?);
            entries.push((entry, path.into()));
        }
        Ok(entries)
    }

    fn entry(&self, path: &Path, content: &[u8]) -> PathBuf {
        let path = path.as_os_str().as_bytes();
        let mut hasher = blake3::Hasher::new();
        // With its length in front, no path runs into the content.
        hasher.update(&(path.len() as u64).to_le_bytes());
        hasher.update(path);
        hasher.update(content);
        self.folder.join(hasher.finalize().to_hex().as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_trusted_in_its_place_as_long_as_it_does_not_change() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let trust = Trust::at(folder.path().join("data/trust"));
        let here = Path::new("/a/.focalist/config.toml");
        let there = Path::new("/b/.focalist/config.toml");
        assert!(!trust.holds(here, b"x"));
        assert!(!trust.revoke(here).expect("nothing is there"));
        trust.give(here, b"x").expect("it is kept");
        assert!(trust.holds(here, b"x"));
        assert!(!trust.holds(here, b"y") && !trust.holds(there, b"x"));
        trust.give(here, b"y").expect("it is kept");
        // A change back is a change.
        assert!(trust.holds(here, b"y") && !trust.holds(here, b"x"));
        trust.give(there, b"x").expect("it is kept");
        assert_eq!(trust.list().expect("it lists"), [here, there]);
        assert!(trust.revoke(here).expect("it goes"));
        assert!(!trust.holds(here, b"y") && trust.holds(there, b"x"));
    }

    #[test]
    fn a_path_does_not_run_into_the_content() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let trust = Trust::at(folder.path().join("trust"));
        trust.give(Path::new("/a"), b"bc").expect("it is kept");
        assert!(!trust.holds(Path::new("/ab"), b"c"));
    }
}
