//! From a folder to a list of source files and the [`Repo`] they belong to.
//!
//! Decides which files are read and which are a [`Problem`]; does not look into the text. The same folder gives the
//! same tree, in the same order, with one thread or sixteen, on any machine and for any user: no global git
//! configuration, no ignore files or checkouts from above the folder, no environment.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::exchange::remote;
use crate::model::{BuildTool, Language, Problem, Reason, Repo};
use crate::syntax::dialect;
use crate::task::{Cancelled, Monitor, Phase};

mod checkout;
mod license;
pub mod list;
mod walk;

use checkout::Checkout;
pub use list::{Forks, ListedRepo, read_list, repositories_in};

/// Two mebibytes: the largest hand-written Java files are a fifth of that, and beyond it lie generated parsers and
/// tables, which hold no tests but would set the memory and the time of the whole run.
pub const SIZE_BYTES_MAX: u64 = 2 * 1024 * 1024;

/// The facts about a repository before it is read, and the limits of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceOptions {
    /// The user's name for it; names the project where no remote does.
    pub name: Option<String>,
    /// The line of `--list` that it came from.
    pub listed: Option<ListedRepo>,
    /// The language whose files are read.
    pub language: Language,
    /// Larger files are left out unread.
    pub size_bytes_max: u64,
}

impl Default for SourceOptions {
    fn default() -> Self {
        Self {
            name: None,
            listed: None,
            language: Language::Java,
            size_bytes_max: SIZE_BYTES_MAX,
        }
    }
}

/// One source file as it lies on disk. A byte order mark stays in the text, so that spans are offsets in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the root, `/` between folders.
    pub path: String,
    pub text: String,
}

/// A repository with all its source files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTree {
    pub repo: Repo,
    /// Sorted by path.
    pub files: Vec<SourceFile>,
    /// The files that say how the sources are built, sorted by path.
    pub configuration: Vec<SourceFile>,
    /// Sorted by path.
    pub problems: Vec<Problem>,
    /// A hash over paths, texts and problems: equal exactly when mining would see the same. [`Repo`] is not in it.
    pub content_hash: [u8; 32],
}

/// The reason why a folder or a list cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Reads every source file under `root`, and what the folder says about itself.
///
/// Files that cannot be used are problems. The result is an error only when `root` is not a readable folder or the work
/// is cancelled. Adds to `n_files_total` and `n_problems` of the monitor; `n_files` is left to the caller.
pub fn read_repo(
    root: &Path,
    options: &SourceOptions,
    monitor: &Monitor,
) -> Result<SourceTree, SourceError> {
    monitor.enter(Phase::Reading);
    let root = folder(root)?;
    let (checkout, mut problems) = Checkout::read(&root);
    // Comparing tracked files with the commit stats them all, and hashes those that are as young as git's index, which
    // in a fresh clone are most: half of the time, so it runs beside the reading.
    let (dirty, read) = rayon::join(
        || checkout.is_dirty(),
        || -> Result<_, Cancelled> {
            let found = walk::source_files(&root, options.language, &checkout.tracked, monitor)?;
            monitor
                .n_files_total
                .fetch_add(found.paths.len() as u64, Ordering::Relaxed);
            let read = |paths| read_files(&root, paths, options, monitor);
            let files = read(&found.paths)?;
            Ok((found.problems, files, read(&found.configuration)?))
        },
    );
    let (unwalkable, (files, unusable), (configuration, unreadable)) = read?;
    problems.extend(unwalkable);
    problems.extend(unusable);
    problems.extend(unreadable);
    let dirty = match dirty.transpose() {
        Ok(dirty) => dirty,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    if files.is_empty() {
        problems.push(Problem {
            path: ".".to_owned(),
            line: None,
            reason: Reason::Empty,
            detail: "no source files".to_owned(),
        });
    }
    problems.sort_by(|a, b| (&a.path, a.reason, a.line).cmp(&(&b.path, b.reason, b.line)));
    monitor
        .n_problems
        .fetch_add(problems.len() as u64, Ordering::Relaxed);
    Ok(SourceTree {
        repo: Repo {
            runners: runners(&configuration),
            ..describe(&root, checkout, dirty, options)
        },
        content_hash: content_hash([&files, &configuration], &problems),
        files,
        configuration,
        problems,
    })
}

/// Lists the languages that have at least one source file under `root`.
///
/// # Errors
/// When `root` is no readable folder, or somebody cancels.
pub fn languages_in(root: &Path, monitor: &Monitor) -> Result<Vec<Language>, SourceError> {
    let root = folder(root)?;
    Ok(walk::languages_in(&root, monitor)?)
}

/// Tells whether a source file of this language holds a text; files that cannot be read do not.
///
/// # Errors
/// When `root` is no readable folder, or somebody cancels.
pub fn holds(
    root: &Path,
    language: Language,
    text: &str,
    monitor: &Monitor,
) -> Result<bool, SourceError> {
    let root = folder(root)?;
    let (checkout, _) = Checkout::read(&root);
    let found = walk::source_files(&root, language, &checkout.tracked, monitor)?;
    let options = SourceOptions {
        language,
        ..SourceOptions::default()
    };
    for path in &found.paths {
        monitor.step()?;
        if read_file(&root, path, &options).is_ok_and(|source_file| source_file.text.contains(text))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Recognises the licence in a folder's files; nothing where none is recognised.
#[must_use]
pub fn license_of(root: &Path) -> Option<String> {
    license::of_folder(root)
}

/// Resolves a folder's canonical path: absolute, with links followed.
fn folder(path: &Path) -> Result<PathBuf, SourceError> {
    let canonical = path.canonicalize().map_err(|source| SourceError::Read {
        path: path.to_owned(),
        source,
    })?;
    if canonical.is_dir() {
        Ok(canonical)
    } else {
        Err(SourceError::NotAFolder {
            path: path.to_owned(),
        })
    }
}

fn read_files(
    root: &Path,
    paths: &[String],
    options: &SourceOptions,
    monitor: &Monitor,
) -> Result<(Vec<SourceFile>, Vec<Problem>), Cancelled> {
    let read: Vec<Result<SourceFile, Problem>> = paths
        .par_iter()
        .map(|path| {
            monitor.step()?;
            Ok(read_file(root, path, options))
        })
        .collect::<Result<_, Cancelled>>()?;
    let mut files = Vec::with_capacity(read.len());
    let mut problems = Vec::new();
    for result in read {
        match result {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    Ok((files, problems))
}

/// Reads one file; checks its size first, and never reads more than the limit, because files may grow meanwhile.
fn read_file(root: &Path, path: &str, options: &SourceOptions) -> Result<SourceFile, Problem> {
    let size_bytes_max = options.size_bytes_max;
    let problem = |reason, detail| Problem {
        path: path.to_owned(),
        line: None,
        reason,
        detail,
    };
    let unreadable = |error: &io::Error| problem(Reason::Unreadable, error.to_string());
    let file = File::open(root.join(path)).map_err(|error| unreadable(&error))?;
    let size_bytes = file.metadata().map_err(|error| unreadable(&error))?.len();
    let mut bytes = Vec::new();
    if size_bytes <= size_bytes_max {
        bytes.reserve(size_bytes as usize + 1);
        file.take(size_bytes_max + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(&error))?;
    }
    let size_bytes = size_bytes.max(bytes.len() as u64);
    if size_bytes > size_bytes_max {
        let detail = format!("{size_bytes} bytes, the limit is {size_bytes_max}");
        return Err(problem(Reason::TooLarge, detail));
    }
    if dialect(options.language).files.is_utf16_read
        && let Some(text) = utf16(&bytes)
    {
        return Ok(SourceFile {
            path: path.to_owned(),
            text,
        });
    }
    if bytes.contains(&0) {
        let offset = bytes.iter().take_while(|byte| **byte != 0).count();
        // The words are part of the repository's content hash.
        return Err(problem(Reason::Binary, format!("nul at byte {offset}")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile {
            path: path.to_owned(),
            text,
        }),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let byte = error.as_bytes().get(offset).copied().unwrap_or(0);
            let detail = format!("byte 0x{byte:02x} at offset {offset}");
            Err(problem(Reason::NotUtf8, detail))
        }
    }
}

/// Decodes UTF-16 with a byte order mark; nothing for other bytes, and where a character is cut in two.
fn utf16(bytes: &[u8]) -> Option<String> {
    let read: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = units[1..].iter().map(|unit| read(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

fn content_hash(lists: [&[SourceFile]; 2], problems: &[Problem]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    // Lengths and counts go in front: no two different trees write the same bytes.
    let field = |hasher: &mut blake3::Hasher, bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    // An empty list behind the first leaves no trace: hashes of languages without configuration stay what they are.
    let lists = lists.iter().enumerate();
    for (idx, files) in lists.filter(|(idx, files)| *idx == 0 || !files.is_empty()) {
        if idx > 0 {
            // No path begins with a NUL.
            field(&mut hasher, b"\0configuration");
        }
        let hashes: Vec<blake3::Hash> = files
            .par_iter()
            .map(|file| blake3::hash(file.text.as_bytes()))
            .collect();
        hasher.update(&(files.len() as u64).to_le_bytes());
        for (file, hash) in files.iter().zip(&hashes) {
            field(&mut hasher, file.path.as_bytes());
            hasher.update(hash.as_bytes());
        }
    }
    for problem in problems {
        field(&mut hasher, problem.path.as_bytes());
        field(&mut hasher, problem.reason.as_str().as_bytes());
        field(&mut hasher, problem.detail.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

/// Combines the facts from the checkout, the user, the list and the folder. The checkout decides the remote, the user
/// the name, and the folder the licence; where one of them gives nothing, the list does.
fn describe(root: &Path, checkout: Checkout, dirty: Option<bool>, options: &SourceOptions) -> Repo {
    let listed = options.listed.as_ref();
    let url = checkout
        .url
        .or_else(|| listed?.url.clone())
        .and_then(|url| remote::public_url(&url));
    let given = options
        .name
        .clone()
        .or_else(|| listed?.name.clone())
        .filter(|name| !name.trim().is_empty());
    let folder = root
        .file_name()
        .map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into());
    let identity = url
        .as_deref()
        .and_then(remote::of_url)
        .or_else(|| given.clone())
        .unwrap_or(folder);
    let name = given.unwrap_or_else(|| {
        let last = identity.rsplit('/').next();
        last.unwrap_or(&identity).to_owned()
    });
    Repo {
        name,
        url,
        commit: checkout.commit,
        dirty,
        license: license::of_folder(root).or_else(|| listed?.license.clone()),
        language: options.language,
        build_tool: build_tool(root, options.language),
        stars: listed.and_then(|listed_repo| listed_repo.stars),
        is_fork: listed.and_then(|listed_repo| listed_repo.is_fork),
        host_id: listed.and_then(|listed_repo| listed_repo.host_id.clone()),
        runners: Vec::new(),
        identity,
    }
}

/// Lists the folders of packages, sorted, with the runner that each depends on.
fn runners(configuration: &[SourceFile]) -> Vec<(String, String)> {
    let package = |file: &SourceFile| {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let runner = || crate::exchange::mera::runner_of_package(&file.text).unwrap_or_default();
        (name == "package.json").then(|| (folder.to_owned(), runner().to_owned()))
    };
    let mut runners: Vec<_> = configuration.iter().filter_map(package).collect();
    runners.sort_unstable();
    runners
}

fn build_tool(root: &Path, language: Language) -> Option<BuildTool> {
    let mut files = dialect(language).files.build.iter();
    files
        .find(|(file, _)| match file.strip_prefix('*') {
            Some(ending) => has_ending(root, ending),
            None => root.join(file).is_file(),
        })
        .map(|(_, build_tool)| *build_tool)
}

/// Tells whether a folder has a file of that ending; one that cannot be read has none.
fn has_ending(folder: &Path, ending: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(ending))
        .any(|entry| entry.path().is_file())
}

#[cfg(test)]
mod tests;
