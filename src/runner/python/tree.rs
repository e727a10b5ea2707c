//! Trees of files: copied for preparing, linked for running, and hashed.

use std::fs::{self, File, FileTimes};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::task::Monitor;
use crate::{RunnerError, io_error};

/// Folders that are made again from the others, or that belong to somebody's tools.
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
/// Of the versions' history, what no build looks at.
const NOT_LINKED: [&str; 3] = [".git", ".hg", ".svn"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Everything that a build may need; its own files.
    Copy,
    /// What tests may need; the same files under other names, so that nobody may write to them.
    Link,
    /// What tests may need; their own files.
    CopyForTests,
}

/// Returns the entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, RunnerError> {
    let read = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut paths: Vec<PathBuf> = read
        .map_err(io_error(folder))?
        .iter()
        .map(fs::DirEntry::path)
        .collect();
    paths.sort();
    Ok(paths)
}

fn is_left_out(path: &Path, how: How) -> bool {
    let name = path
        .file_name()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let is_in_history = path.parent().is_some_and(|it| it.ends_with(".git"));
    // The settings of a clone may hold the passwords of its remotes.
    if is_in_history && ["config", "hooks", "lfs", "credentials"].contains(&name) {
        return true;
    }
    match how {
        How::Copy => NOT_COPIED.contains(&name),
        How::Link | How::CopyForTests => NOT_LINKED.contains(&name),
    }
}

/// Makes `to` the same as `from`, with the times of its files; links and special files that lead elsewhere stay links.
pub fn copy(from: &Path, to: &Path, how: How, monitor: &Monitor) -> Result<(), RunnerError> {
    monitor.step()?;
    fs::create_dir_all(to).map_err(io_error(to))?;
    for path in entries(from)? {
        if is_left_out(&path, how) {
            continue;
        }
        let target = to.join(path.file_name().unwrap_or_default());
        let metadata = fs::symlink_metadata(&path).map_err(io_error(&path))?;
        let done = if metadata.is_symlink() {
            fs::read_link(&path).and_then(|it| std::os::unix::fs::symlink(it, &target))
        } else if metadata.is_dir() {
            copy(&path, &target, how, monitor)?;
            Ok(())
        } else if metadata.is_file() {
            // Another disk has files of its own.
            if how == How::Link && fs::hard_link(&path, &target).is_ok() {
                continue;
            }
            fs::copy(&path, &target).and_then(|_| {
                let mode = metadata.permissions().mode() | 0o600;
                fs::set_permissions(&target, fs::Permissions::from_mode(mode))?;
                let times = FileTimes::new().set_modified(metadata.modified()?);
                File::options().write(true).open(&target)?.set_times(times)
            })
        } else {
            // Sockets and devices are nothing of a project.
            Ok(())
        };
        done.map_err(io_error(&target))?;
    }
    Ok(())
}

/// Returns a hash of names, kinds and contents, without history.
pub fn hash(root: &Path, monitor: &Monitor) -> Result<blake3::Hash, RunnerError> {
    let mut hasher = blake3::Hasher::new();
    hash_folder(root, Path::new(""), &mut hasher, monitor)?;
    Ok(hasher.finalize())
}

fn hash_folder(
    root: &Path,
    below: &Path,
    hasher: &mut blake3::Hasher,
    monitor: &Monitor,
) -> Result<(), RunnerError> {
    monitor.step()?;
    for path in entries(&root.join(below))? {
        if is_left_out(&path, How::Copy) || is_left_out(&path, How::Link) {
            continue;
        }
        let name = below.join(path.file_name().unwrap_or_default());
        let metadata = fs::symlink_metadata(&path).map_err(io_error(&path))?;
        let mut say = |kind: u8, bytes: &[u8]| {
            let path = name.as_os_str().as_encoded_bytes();
            hasher.update(&[kind]);
            hasher.update(&(path.len() as u64).to_le_bytes());
            hasher.update(path);
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        if metadata.is_symlink() {
            let target = fs::read_link(&path).map_err(io_error(&path))?;
            say(b'l', target.as_os_str().as_encoded_bytes());
        } else if metadata.is_dir() {
            hash_folder(root, &name, hasher, monitor)?;
        } else if metadata.is_file() {
            let mut bytes = Vec::new();
            let read = File::open(&path).and_then(|mut it| it.read_to_end(&mut bytes));
            read.map_err(io_error(&path))?;
            say(b'f', &bytes);
        }
    }
    Ok(())
}

/// Returns the newest time of a file in a tree, in seconds, where not all have the same.
pub fn newest(root: &Path) -> Option<u64> {
    let (mut newest, mut oldest) = (None, None);
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder).ok()? {
            let metadata = fs::symlink_metadata(&path).ok()?;
            if is_left_out(&path, How::Copy) || is_left_out(&path, How::Link) {
                continue;
            }
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_file() {
                let since = metadata
                    .modified()
                    .ok()?
                    .duration_since(std::time::UNIX_EPOCH)
                    .ok()?;
                let seconds = since.as_secs();
                newest = newest.max(Some(seconds));
                oldest = Some(oldest.map_or(seconds, |it: u64| it.min(seconds)));
            }
        }
    }
    newest.filter(|_| newest != oldest)
}
