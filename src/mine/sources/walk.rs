//! Finds the source files of a folder (MINING.md rule 2a).
//!
//! The folder's own `.gitignore` files decide, nested ones too, with `.git` or without; files that git tracks are
//! always included.
//! `.git/info/exclude`, the user's global ignore file and everything above the root belong to a machine, not to the
//! repository. Hidden files and folders are left out unless tracked; folders that a language's tools fill, always.
//!
//! Links are never followed: a file inside the root is read under its own name, one outside is not the repository's.
//! A link to a folder that contains it is reported, so that users know why files are missing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use ignore::WalkBuilder;

use crate::model::{Language, Problem, Reason};
use crate::syntax::dialect;
use crate::syntax::dialect::Files;
use crate::task::{Cancelled, Monitor};

pub struct SourcePaths {
    /// Relative to the root, `/` between folders, sorted.
    pub paths: Vec<String>,
    /// In the same form: files that say how the sources are built.
    pub configuration: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Returns the sources of a language under `root`, which must be canonical, and the files that tell how they are built.
pub fn source_files(
    root: &Path,
    language: Language,
    tracked: &[String],
    monitor: &Monitor,
) -> Result<SourcePaths, Cancelled> {
    let files = &dialect(language).files;
    let mut paths = Vec::new();
    let mut problems = Vec::new();
    for entry in walker(root, |folder| files.is_skipped(folder)) {
        monitor.step()?;
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(unreadable(root, &error));
                continue;
            }
        };
        let Some(file_type) = entry.file_type() else {
            continue;
        };
        if file_type.is_symlink() {
            problems.extend(link_loop(root, entry.path()));
        }
        if !file_type.is_file() || !is_read(entry.path(), files) {
            continue;
        }
        match relative(root, entry.path()) {
            Ok(path) => paths.push(path),
            Err(problem) => problems.push(problem),
        }
    }
    paths.sort_unstable();
    let also: Vec<String> = tracked
        .iter()
        .filter(|path| is_read(Path::new(path), files))
        .filter(|path| !is_below_skipped(path, files))
        .filter(|path| paths.binary_search(path).is_err())
        .filter(|path| is_inside(root, path))
        .cloned()
        .collect();
    paths.extend(also);
    paths.sort_unstable();
    paths.dedup();
    let is_configuration = |path: &mut String| files.is_configuration(name_of(path));
    let configuration = paths.extract_if(.., is_configuration).collect();
    Ok(SourcePaths {
        paths,
        configuration,
        problems,
    })
}

/// Lists the languages that have at least one source under `root`, which must be canonical, in their order.
pub fn languages_in(root: &Path, monitor: &Monitor) -> Result<Vec<Language>, Cancelled> {
    let mut left = Language::ALL.to_vec();
    let mut found = Vec::new();
    for entry in walker(root, |_| false) {
        if left.is_empty() {
            break;
        }
        monitor.step()?;
        let Ok(entry) = entry else { continue };
        if !entry
            .file_type()
            .is_some_and(|file_type| file_type.is_file())
        {
            continue;
        }
        let name = entry.file_name().to_string_lossy();
        let path = relative(root, entry.path()).unwrap_or_default();
        let here = left.extract_if(.., |language| {
            let files = &dialect(*language).files;
            files.is_source(&name) && !is_below_skipped(&path, files)
        });
        found.extend(here);
    }
    found.sort_unstable();
    Ok(found)
}

fn walker(root: &Path, is_skipped: impl Fn(&str) -> bool + Send + Sync + 'static) -> ignore::Walk {
    WalkBuilder::new(root)
        .filter_entry(move |entry| {
            let is_folder = entry
                .file_type()
                .is_some_and(|file_type| file_type.is_dir());
            entry.depth() == 0 || !is_folder || !is_skipped(&entry.file_name().to_string_lossy())
        })
        .standard_filters(false)
        .hidden(true)
        .git_ignore(true)
        .require_git(false)
        .follow_links(false)
        .build()
}

/// Tells whether a file is a source or says how sources are built.
fn is_read(path: &Path, files: &Files) -> bool {
    // A name that is not Unicode is a problem, if it is one of a source.
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| files.is_source(&name) || files.is_configuration(&name))
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Tells whether a path from the root goes through a folder that is never read.
fn is_below_skipped(path: &str, files: &Files) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    folders.any(|folder| files.is_skipped(folder))
}

/// Writes the path from the root with `/`; a name that is not Unicode cannot be written down, so it is a problem.
fn relative(root: &Path, path: &Path) -> Result<String, Problem> {
    let path = path.strip_prefix(root).unwrap_or(path);
    let names: Option<Vec<&str>> = path
        .components()
        .map(|component| component.as_os_str().to_str())
        .collect();
    names.map(|names| names.join("/")).ok_or_else(|| Problem {
        path: path.to_string_lossy().into(),
        line: None,
        reason: Reason::NotUtf8,
        // The words are part of the repository's content hash.
        detail: "the file's name".to_owned(),
    })
}

/// Tells whether a path from git's index is a plain file below the root. The index is untrusted: `..`, `.git` or a
/// folder that has become a link since must not lead out of the root.
fn is_inside(root: &Path, path: &str) -> bool {
    let mut full = root.to_owned();
    let mut components = Path::new(path).components().peekable();
    while let Some(component) = components.next() {
        let Component::Normal(name) = component else {
            return false;
        };
        if name.eq_ignore_ascii_case(".git") {
            return false;
        }
        full.push(name);
        let Ok(metadata) = fs::symlink_metadata(&full) else {
            return false;
        };
        let fits = if components.peek().is_some() {
            metadata.is_dir()
        } else {
            metadata.is_file()
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Errors of a link that leads nowhere.
const DANGLING: [ErrorKind; 3] = [
    ErrorKind::NotFound,
    ErrorKind::NotADirectory,
    ErrorKind::PermissionDenied,
];

/// Reports a problem when the link leads to itself or to a folder that it lies in.
fn link_loop(root: &Path, link: &Path) -> Option<Problem> {
    let detail = match link.canonicalize() {
        Ok(target) if link.starts_with(&target) => {
            let target = relative(root, &target).unwrap_or_default();
            format!(
                "leads back to `{}`",
                if target.is_empty() { "." } else { &target }
            )
        }
        // The kind for "too many links" has no stable name yet; every other kind that a link can fail with has one.
        Err(error) if !DANGLING.contains(&error.kind()) => "leads to itself".to_owned(),
        _ => return None,
    };
    Some(Problem {
        path: relative(root, link).ok()?,
        line: None,
        reason: Reason::LinkLoop,
        detail,
    })
}

fn unreadable(root: &Path, error: &ignore::Error) -> Problem {
    let (path, error) = blamed(error);
    let path = path.and_then(|path| relative(root, path).ok());
    Problem {
        path: path.unwrap_or_else(|| ".".to_owned()),
        line: None,
        reason: Reason::Unreadable,
        // The crate's own text repeats the absolute path, which differs between machines.
        detail: error
            .io_error()
            .map_or_else(|| "the folder's listing".to_owned(), ToString::to_string),
    }
}

fn blamed(error: &ignore::Error) -> (Option<&Path>, &ignore::Error) {
    match error {
        ignore::Error::WithPath { path, err } => (Some(path), err),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            blamed(err)
        }
        _ => (None, error),
    }
}
