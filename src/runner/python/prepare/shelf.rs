//! Downloaded packages for all projects: each file is stored under the SHA-256 of its content.
//!
//! Only the host writes here, and only files of download steps that ran no code of a project. A file is hashed whenever
//! a project gets it; one whose hash is not its folder's name is removed. A project sees read-only hard links to its
//! own files, and not the shelf, so the versions of other projects have no influence.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::RunnerError;
use crate::io_error;
use crate::sandbox::{EntryKind, Root};

/// The shelf's folder beside the projects.
const FOLDER: &str = "packages";
/// Bytes that are read at a time.
const N_BYTES: usize = 64 << 10;

#[derive(Clone, Debug)]
pub struct Shelf {
    root: Root,
}

impl Shelf {
    /// Opens it in the folder of Python in the cache.
    pub fn open(home: &Root) -> Result<Self, RunnerError> {
        let root = home
            .create_folders(FOLDER)
            .and_then(|()| home.folder(FOLDER));
        let root = root.map_err(io_error(home.path()))?;
        Ok(Self { root })
    }

    /// Stores the packages of a folder that `is_new` accepts; where hashes are given, only those with one of them.
    pub fn take(
        &self,
        folder: &Root,
        hashes: Option<&BTreeSet<String>>,
        is_new: impl Fn(&str) -> bool,
    ) -> Result<(), RunnerError> {
        let entries = folder.entries("").map_err(io_error(folder.path()))?;
        for (name, kind) in entries {
            let name = name
                .to_str()
                .filter(|name| is_package(name) && is_new(name));
            let Some(name) = name.filter(|_| kind == EntryKind::File) else {
                continue;
            };
            let kept = self.keep(folder, name, hashes);
            kept.map_err(io_error(folder.path()))?;
        }
        Ok(())
    }

    fn keep(&self, folder: &Root, name: &str, hashes: Option<&BTreeSet<String>>) -> io::Result<()> {
        let hash = sha256(folder.open_file(name)?)?;
        if hashes.is_some_and(|known| !known.contains(&hash)) {
            return Ok(());
        }
        self.root.create_folders(&hash)?;
        let place = self.root.folder(&hash)?;
        match link_or_copy(folder, &place, name) {
            // The process that was faster has put the same file there.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    /// Puts the packages with these hashes into a folder, as far as the shelf has them.
    pub fn give(&self, hashes: &[String], folder: &Root) -> Result<(), RunnerError> {
        for hash in hashes {
            let is_hash = hash.len() == 64 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
            if is_hash {
                self.give_one(hash, folder)
                    .map_err(io_error(self.root.path()))?;
            }
        }
        Ok(())
    }

    fn give_one(&self, hash: &str, folder: &Root) -> io::Result<()> {
        let Ok(place) = self.root.folder(hash) else {
            return Ok(());
        };
        for (name, kind) in place.entries("")? {
            let name = name.to_str().filter(|name| is_package(name));
            let Some(name) = name.filter(|_| kind == EntryKind::File) else {
                continue;
            };
            if sha256(place.open_file(name)?)? != hash {
                place.remove_file(name)?;
            } else if folder.kind(name)?.is_none() {
                link_or_copy(&place, folder, name)?;
            }
        }
        Ok(())
    }

    /// Lists the hashes of the packages that `is_wanted` takes by their names.
    pub fn hashes(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, RunnerError> {
        let entries = self.root.entries("").map_err(io_error(self.root.path()))?;
        let hashes = entries.iter().filter_map(|entry| entry.0.to_str());
        let has = |hash: &&str| {
            let names = self.root.entries(hash).unwrap_or_default();
            names
                .iter()
                .any(|entry| entry.0.to_str().is_some_and(&is_wanted))
        };
        Ok(hashes.filter(has).map(str::to_owned).collect())
    }
}

/// Tells whether a file is named like a package.
fn is_package(name: &str) -> bool {
    [".whl", ".tar.gz", ".zip"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn link_or_copy(from: &Root, to: &Root, name: &str) -> io::Result<()> {
    match from.link(name, to, name) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            io::copy(&mut from.open_file(name)?, &mut to.create(name)?).map(|_| ())
        }
        other => other,
    }
}

fn sha256(mut file: File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut bytes = vec![0; N_BYTES];
    loop {
        let n = file.read(&mut bytes)?;
        if n == 0 {
            break;
        }
        hasher.update(&bytes[..n]);
    }
    let digits = hasher.finalize();
    let halves = digits.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digit = |half: u8| char::from_digit(u32::from(half), 16).expect("half a byte is a digit");
    Ok(halves.map(digit).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_package_comes_back_by_its_hash_and_one_that_was_changed_does_not() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let home = Root::open(folder.path()).expect("it is opened");
        let shelf = Shelf::open(&home).expect("it is opened");
        for name in ["one", "two"] {
            home.create_folder(name).expect("it is made");
        }
        let one = home.folder("one").expect("it is opened");
        one.write("a-1.whl", "abc").expect("it is written");
        one.write("lock.txt", "no package").expect("it is written");
        shelf.take(&one, None, |_| true).expect("it is taken");
        shelf
            .take(&one, None, |_| true)
            .expect("it is there already");
        // SHA-256 of `abc`, FIPS 180-2, appendix B.1.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
        let found = shelf
            .hashes(|name| name.starts_with("a-"))
            .expect("they are read");
        assert_eq!(found, [hash.as_str()]);
        let two = home.folder("two").expect("it is opened");
        let wrong = ["../..".to_owned(), "0".repeat(64)];
        shelf.give(&wrong, &two).expect("there is nothing");
        shelf
            .give(std::slice::from_ref(&hash), &two)
            .expect("it is given");
        assert_eq!(two.read("a-1.whl", 9).expect("it is read"), b"abc");
        two.remove("a-1.whl").expect("it is removed");
        let kept = folder.path().join(FOLDER).join(&hash).join("a-1.whl");
        fs::write(&kept, "abd").expect("it is written");
        shelf.give(&[hash], &two).expect("nothing is given");
        assert_eq!(two.kind("a-1.whl").expect("it is seen"), None);
        assert!(!kept.exists(), "it is of no use");
    }
}
