//! Trees of files: copied for preparing, linked for running, and hashed.
//!
//! A build or a test could have written them, and might even do so now, so no link in them is followed.

use std::ffi::OsStr;
use std::fs::{File, FileTimes, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::sandbox::{EntryKind, Root};
use crate::task::Monitor;
use crate::{RunnerError, io_error};

/// Folders that can be made again, or that belong to the user's tools.
const NOT_COPIED: [&str; 12] = [
    ".venv",
    "venv",
    ".tox",
    ".nox",
    "node_modules",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".eggs",
    ".focalist",
    ".idea",
];
/// Folders of version control, which tests do not need.
const NOT_LINKED: [&str; 3] = [".git", ".hg", ".svn"];
/// The deepest nesting of folders: each folder on the way is open during a copy, in both trees.
const N_DEEP_MAX: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeCopyKind {
    /// All that a build may need, as separate files.
    Copy,
    /// All that tests may need, as hard links to the same files, which nothing may write to.
    Link,
    /// All that tests may need, as files of their own.
    CopyForTests,
}

fn is_left_out(folder: &Path, name: &OsStr, how: TreeCopyKind) -> bool {
    let name = name.to_str().unwrap_or_default();
    // The settings of a clone may hold the passwords of its remotes.
    if folder.ends_with(".git") && ["config", "hooks", "lfs", "credentials"].contains(&name) {
        return true;
    }
    match how {
        TreeCopyKind::Copy => NOT_COPIED.contains(&name),
        TreeCopyKind::Link | TreeCopyKind::CopyForTests => NOT_LINKED.contains(&name),
    }
}

/// Fills the empty folder `to` with the content of `from`, and keeps the times of files; links stay links with the same
/// target.
pub fn copy(
    from: &Root,
    to: &Root,
    how: TreeCopyKind,
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    copy_folder((from, to), how, 0, monitor)
}

fn copy_folder(
    (from, to): (&Root, &Root),
    how: TreeCopyKind,
    n_deep: usize,
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    monitor.step()?;
    let here = from.path();
    if n_deep > N_DEEP_MAX {
        return Err(io_error(here)(io::Error::other("it is nested too deeply")));
    }
    for (name, kind) in from.entries("").map_err(io_error(here))? {
        if is_left_out(here, &name, how) {
            continue;
        }
        let place = here.join(&name);
        let done = match kind {
            EntryKind::Link => from
                .read_link(&name)
                .and_then(|text| to.symlink(&text, &name)),
            EntryKind::Folder => {
                let inner = from.folder(&name).map_err(io_error(&place))?;
                let made = to.create_folder(&name).and_then(|()| to.folder(&name));
                let made = made.map_err(io_error(&place))?;
                copy_folder((&inner, &made), how, n_deep + 1, monitor)?;
                Ok(())
            }
            // Where linking fails, as across disks, the file is copied.
            EntryKind::File if how == TreeCopyKind::Link && from.link(&name, to, &name).is_ok() => {
                Ok(())
            }
            EntryKind::File => copy_file(from, to, &name),
            // Sockets and devices do not belong to a project.
            EntryKind::Other => Ok(()),
        };
        done.map_err(io_error(&place))?;
    }
    Ok(())
}

fn copy_file(from: &Root, to: &Root, name: &OsStr) -> io::Result<()> {
    let mut reader = from.open_file(name)?;
    let mut writer = to.create(name)?;
    io::copy(&mut reader, &mut writer)?;
    let metadata = reader.metadata()?;
    // Times are kept, so that generated files stay newer than their sources. Rights beyond the usual ones, such as
    // setuid, are not copied.
    let mode = metadata.permissions().mode() & 0o777 | 0o600;
    writer.set_permissions(Permissions::from_mode(mode))?;
    writer.set_times(FileTimes::new().set_modified(metadata.modified()?))
}

/// Calls `visit` for every file and link of a project, without its history, folder by folder in order of the names.
fn each(
    root: &Root,
    below: &Path,
    monitor: &Monitor,
    visit: &mut dyn FnMut(&Path, &Root, EntryKind) -> io::Result<()>,
) -> Result<(), RunnerError> {
    monitor.step()?;
    let here = root.path();
    if below.components().count() > N_DEEP_MAX {
        return Err(io_error(here)(io::Error::other("it is nested too deeply")));
    }
    for (name, kind) in root.entries("").map_err(io_error(here))? {
        let is_out = |how| is_left_out(here, &name, how);
        if is_out(TreeCopyKind::Copy) || is_out(TreeCopyKind::Link) {
            continue;
        }
        let place = here.join(&name);
        let path = below.join(&name);
        if kind == EntryKind::Folder {
            let inner = root.folder(&name).map_err(io_error(&place))?;
            each(&inner, &path, monitor, visit)?;
        } else {
            visit(&path, root, kind).map_err(io_error(&place))?;
        }
    }
    Ok(())
}

/// Hashes names, kinds and contents, without history.
pub fn hash(root: &Root, monitor: &Monitor) -> Result<blake3::Hash, RunnerError> {
    let mut hasher = blake3::Hasher::new();
    each(root, Path::new(""), monitor, &mut |path, folder, kind| {
        let name = path.file_name().unwrap_or_default();
        match kind {
            EntryKind::Link => {
                let text = folder.read_link(name)?;
                say(
                    &mut hasher,
                    (b'l', path),
                    text.as_os_str().as_encoded_bytes(),
                );
            }
            EntryKind::File => {
                let text = hash_of(&folder.open_file(name)?)?;
                say(&mut hasher, (b'f', path), text.as_bytes());
            }
            EntryKind::Folder | EntryKind::Other => {}
        }
        Ok(())
    })?;
    Ok(hasher.finalize())
}

fn hash_of(file: &File) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(hasher.finalize())
}

fn say(hasher: &mut blake3::Hasher, (kind, path): (u8, &Path), text: &[u8]) {
    let path = path.as_os_str().as_encoded_bytes();
    hasher.update(&[kind]);
    hasher.update(&(path.len() as u64).to_le_bytes());
    hasher.update(path);
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text);
}

/// Finds the newest time of a file in a tree, in seconds, where not all have the same.
pub fn newest(root: &Root, monitor: &Monitor) -> Result<Option<u64>, RunnerError> {
    let mut times: Vec<u64> = Vec::new();
    each(root, Path::new(""), monitor, &mut |path, folder, kind| {
        if kind == EntryKind::File {
            let file = folder.open_file(path.file_name().unwrap_or_default())?;
            let since = file.metadata()?.modified()?;
            // Times before 1970 are ignored.
            let since = since.duration_since(std::time::UNIX_EPOCH);
            times.extend(since.ok().map(|since| since.as_secs()));
        }
        Ok(())
    })?;
    let (newest, oldest) = (times.iter().max(), times.iter().min());
    Ok(newest.filter(|_| newest != oldest).copied())
}

/// Copies a folder into a new one, which is removed with the sandbox at the latest.
pub fn copy_to_scratch(
    site: &crate::Site,
    from: &Root,
    how: TreeCopyKind,
    monitor: &Monitor,
) -> Result<PathBuf, RunnerError> {
    let folder = site.sandbox.scratch()?;
    let to = Root::open(&folder).map_err(io_error(&folder))?;
    copy(from, &to, how, monitor)?;
    Ok(folder)
}
