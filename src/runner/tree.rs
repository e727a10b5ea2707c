//! The files of a repository: which of them belong to its content, their hash, and a copy of them that a build may
//! write to.
//!
//! Git's own folder is left out: it may hold the passwords of remotes, and history is not part of the tree. So are
//! outputs of earlier builds, and links that lead out of the repository; the latter are counted. Builds may have
//! written to it, and may still do so: no link is followed.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sandbox::{EntryKind, Root};
use crate::task::Monitor;
use crate::{RunnerError, io_error};

/// Folders that never belong to a repository's content.
const NEVER: [&str; 5] = [".git", ".focalist", ".hg", ".svn", ".jj"];

#[derive(Clone, Debug, PartialEq, Eq)]
enum TreeEntryKind {
    Folder,
    File { is_program: bool },
    Link { to: PathBuf },
}

/// The content of a repository, in order of the paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    root: PathBuf,
    entries: Vec<(PathBuf, TreeEntryKind)>,
    /// Links that lead out of it, or nowhere.
    pub n_links_left_out: usize,
}

impl Tree {
    /// Lists the content of a repository; `is_output` tells whether a folder is the output of a build.
    ///
    /// # Errors
    /// The disk's.
    pub fn read(
        root: &Path,
        is_output: impl Fn(&Path) -> bool,
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let held = Root::open(root).map_err(io_error(root))?;
        let mut tree = Self {
            root: held.path().to_owned(),
            ..Self::default()
        };
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            monitor.step()?;
            let place = tree.root.join(&folder);
            let entries = held.entries(&folder).map_err(io_error(&place))?;
            for (name, kind) in entries {
                let path = folder.join(&name);
                match kind {
                    EntryKind::Folder => {
                        let is_known = NEVER.iter().any(|text| name == *text);
                        if !is_known && !is_output(&place.join(&name)) {
                            open.push(path.clone());
                            tree.entries.push((path, TreeEntryKind::Folder));
                        }
                    }
                    EntryKind::Link => tree.link(&held, path),
                    EntryKind::File => {
                        let file = held.open_file(&path).map_err(io_error(&place))?;
                        let metadata = file.metadata().map_err(io_error(&place))?;
                        let is_program = metadata.permissions().mode() & 0o100 != 0;
                        tree.entries
                            .push((path, TreeEntryKind::File { is_program }));
                    }
                    // Pipes and devices are not content.
                    EntryKind::Other => {}
                }
            }
        }
        tree.entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(tree)
    }

    fn link(&mut self, held: &Root, path: PathBuf) {
        let place = self.root.join(&path);
        // The final target counts, not the text of the link, which may lead through other links.
        let is_inside = fs::canonicalize(&place).is_ok_and(|path| path.starts_with(&self.root));
        match held.read_link(&path) {
            Ok(to) if is_inside && to.is_relative() => {
                self.entries.push((path, TreeEntryKind::Link { to }));
            }
            _ => self.n_links_left_out += 1,
        }
    }

    /// Hashes names, texts, links, and executable flags.
    ///
    /// # Errors
    /// The disk's.
    pub fn hash(&self, monitor: &Monitor) -> Result<blake3::Hash, RunnerError> {
        let held = Root::open(&self.root).map_err(io_error(&self.root))?;
        let mut hasher = blake3::Hasher::new();
        let mut say = |word: &[u8]| {
            hasher.update(&(word.len() as u64).to_le_bytes());
            hasher.update(word);
        };
        for (path, kind) in &self.entries {
            monitor.step()?;
            say(path.as_os_str().as_bytes());
            match kind {
                TreeEntryKind::Folder => say(b"folder"),
                TreeEntryKind::File { is_program } => {
                    say(if *is_program { b"program" } else { b"file" });
                    let place = self.root.join(path);
                    let mut text = blake3::Hasher::new();
                    let file = held.open_file(path).map_err(io_error(&place))?;
                    text.update_reader(file).map_err(io_error(&place))?;
                    say(text.finalize().as_bytes());
                }
                TreeEntryKind::Link { to } => {
                    say(b"link");
                    say(to.as_os_str().as_bytes());
                }
            }
        }
        Ok(hasher.finalize())
    }

    /// Copies all of it into a new folder.
    ///
    /// # Errors
    /// The disk's.
    pub fn copy(&self, to: &Path, monitor: &Monitor) -> Result<(), RunnerError> {
        let held = Root::open(&self.root).map_err(io_error(&self.root))?;
        let made = Root::make(to).map_err(io_error(to))?;
        for (path, kind) in &self.entries {
            monitor.step()?;
            match kind {
                TreeEntryKind::Folder => made.create_folder(path),
                TreeEntryKind::File { is_program } => copy_file((&held, &made), path, *is_program),
                TreeEntryKind::Link { to } => made.symlink(to, path),
            }
            .map_err(io_error(&to.join(path)))?;
        }
        Ok(())
    }
}

fn copy_file((from, to): (&Root, &Root), path: &Path, is_program: bool) -> io::Result<()> {
    let mut reader = from.open_file(path)?;
    let mut writer = to.create(path)?;
    io::copy(&mut reader, &mut writer)?;
    // Times are kept, so that generated files stay newer than their sources.
    if let Ok(modified) = reader.metadata().and_then(|metadata| metadata.modified()) {
        writer.set_modified(modified)?;
    }
    if is_program {
        writer.set_permissions(fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn read(root: &Path) -> Tree {
        Tree::read(root, |path| path.ends_with("target"), &Monitor::default()).expect("it is read")
    }

    fn hash(root: &Path) -> blake3::Hash {
        read(root).hash(&Monitor::default()).expect("it is hashed")
    }

    /// A repository with a file, a program, a folder and links in and out.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let root = folder.path();
        for text in ["a/b", ".git", "target"] {
            fs::create_dir_all(root.join(text)).expect("it is made");
        }
        for (name, text) in [
            ("a/b/c", "one"),
            (".git/config", "secret"),
            ("target/x", "old"),
            ("run", "#!"),
        ] {
            fs::write(root.join(name), text).expect("it is written");
        }
        fs::set_permissions(root.join("run"), fs::Permissions::from_mode(0o4755)).expect("it is");
        for (to, name) in [
            ("a/b/c", "in"),
            ("/etc/passwd", "out"),
            ("../../etc", "up"),
            ("nothing", "broken"),
        ] {
            symlink(to, root.join(name)).expect("it is linked");
        }
        folder
    }

    #[test]
    fn a_copy_has_what_makes_the_repository_and_nothing_else() {
        let (from, to) = (repository(), tempfile::tempdir().expect("it is made"));
        let tree = read(from.path());
        assert_eq!(tree.n_links_left_out, 3);
        let to = to.path().join("x");
        tree.copy(&to, &Monitor::default()).expect("it is copied");
        let mut names: Vec<String> = fs::read_dir(&to)
            .expect("it is there")
            .map(|result| {
                result
                    .expect("it is read")
                    .file_name()
                    .into_string()
                    .expect("it is text")
            })
            .collect();
        names.sort();
        assert_eq!(names, ["a", "in", "run"]);
        assert_eq!(
            fs::read_to_string(to.join("in")).expect("it leads there"),
            "one"
        );
        let mode = fs::metadata(to.join("run"))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, 0o755);
        assert_eq!(hash(&to), hash(from.path()));
    }

    #[test]
    fn the_hash_is_of_names_texts_and_what_may_be_executed() {
        let folder = repository();
        let root = folder.path();
        let before = hash(root);
        fs::write(root.join(".git/config"), "other").expect("it is written");
        fs::write(root.join("target/y"), "more").expect("it is written");
        assert_eq!(hash(root), before);
        fs::write(root.join("a/b/c"), "two").expect("it is written");
        let changed = hash(root);
        assert_ne!(changed, before);
        fs::set_permissions(root.join("run"), fs::Permissions::from_mode(0o644)).expect("it is");
        assert_ne!(hash(root), changed);
    }
}
