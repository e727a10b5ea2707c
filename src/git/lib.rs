//! Reads the state of a git repository on disk: remote, commit, tracked paths, and whether their files were changed.
//!
//! It is read without git, and only read. A repository is foreign data: damaged files are values and never a panic,
//! sizes have limits, no link is followed below its folders, and no program that it names (a filter, a hook, a
//! file-system monitor) is ever started. Neither the settings of the user or the machine count, nor files that its own
//! settings include.
//!
//! It reads loose and packed references, objects (packs with both kinds of table, objects borrowed from other
//! repositories), the index in versions 2 to 4, split or sparse, linked worktrees, submodules, SHA-1 and SHA-256. It
//! does not read references in tables (`reftable`): such a repository cannot be opened.

#![cfg_attr(
    any(test, feature = "testing"),
    expect(
        clippy::disallowed_methods,
        reason = "tests make the files that they look at, and nobody else writes there"
    )
)]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use focalist_held as held;

use held::Root;

use config::GitConfig;
pub use hash::{HashKind, Id};
pub use index::GitIndex;
use objects::Objects;
use refs::Refs;
use status::{Trees, Worktree};

mod attributes;
mod bytes;
mod config;
mod convert;
mod hash;
mod index;
mod objects;
mod refs;
mod status;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

/// A `.git` file holds one path; a larger file is not such a file.
const GIT_FILE_BYTES_MAX: u64 = 64 * 1024;
const CONFIG_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Extensions of a repository's format that do not change how we read it, or that are read here.
const EXTENSIONS: [&str; 8] = [
    "compatobjectformat",
    "noop",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];
/// Submodules in submodules; one that holds itself through links of its `.git` file would have no end.
const DEPTH_MAX: usize = 16;

/// Something is not there, cannot be read, or is not what git writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DamagedRepository;

impl From<io::Error> for DamagedRepository {
    fn from(_: io::Error) -> Self {
        // The error's text is dropped: it names absolute paths, which differ from machine to machine.
        Self
    }
}

/// Which part of a repository could not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    #[error("cannot be opened")]
    Repository,
    #[error("its files are elsewhere")]
    Elsewhere,
    #[error("has no head")]
    Head,
    #[error("has no readable index")]
    Index,
    #[error("cannot be compared")]
    Comparison,
}

/// A repository whose files are in the folder that has its `.git`.
#[derive(Debug)]
pub struct Repository {
    worktree: Root,
    /// The folder of this worktree alone: `HEAD` and the index.
    own: Root,
    /// The folder that all worktrees share: objects, references, settings.
    common: Root,
    config: GitConfig,
    hash: HashKind,
    depth: usize,
}

impl Repository {
    /// Opens the repository of a folder; nothing where it has no `.git` of its own.
    ///
    /// # Errors
    /// Where it is not a repository that focalist can read, or its settings place the files in another folder.
    pub fn open(worktree: &Path) -> Result<Option<Self>, GitError> {
        Self::open_below(worktree, 0)
    }

    pub(crate) fn open_below(worktree: &Path, depth: usize) -> Result<Option<Self>, GitError> {
        let worktree = Root::open(worktree).map_err(|_| GitError::Repository)?;
        match worktree.metadata(".git") {
            Ok(None) => return Ok(None),
            Ok(Some(_)) if depth <= DEPTH_MAX => {}
            _ => return Err(GitError::Repository),
        }
        let repository =
            Self::read(worktree, depth).map_err(|DamagedRepository| GitError::Repository)?;
        if repository.is_here() {
            Ok(Some(repository))
        } else {
            Err(GitError::Elsewhere)
        }
    }

    fn read(worktree: Root, depth: usize) -> Result<Self, DamagedRepository> {
        let own = Root::open(&git_folder(&worktree)?)?;
        let common = match pointer(&own, "commondir", b"")? {
            Some(path) => Root::open(&own.path().join(path))?,
            None => own.clone(),
        };
        let mut config = settings(&common, "config")?;
        if config.is_set("extensions", "worktreeconfig") == Some(true) {
            config.extend(settings(&own, "config.worktree")?);
        }
        let hash = format(&config)?;
        let repository = Self {
            worktree,
            own,
            common,
            config,
            hash,
            depth,
        };
        // Git, too, asks for these before it takes a folder for a repository.
        repository.common.folder("refs")?;
        repository.objects_folder()?;
        repository.refs().head()?;
        Ok(repository)
    }

    /// Tells whether, by the settings, the files are in the folder of `.git`. In a linked worktree they always do: the
    /// settings that it shares are about the main one.
    fn is_here(&self) -> bool {
        if self.own.path() != self.common.path() {
            return true;
        }
        if let Some(path) = self.config.text("core", "worktree") {
            let path = self.own.path().join(Path::new(OsStr::from_bytes(path)));
            return fs::canonicalize(path).is_ok_and(|path| path == self.worktree.path());
        }
        self.config.is_set("core", "bare") != Some(true)
    }

    /// Finds the URL of `origin`, else of the first remote by name, as it is written, credentials included.
    pub fn remote_url(&self) -> Option<String> {
        let names: BTreeSet<&[u8]> = self.config.subsections("remote").collect();
        let origin = names.iter().find(|name| **name == b"origin");
        let name = origin.or_else(|| names.first())?;
        let url = self.config.text_in("remote", name, "url")?;
        // The URL becomes part of an identity, which must be valid text.
        String::from_utf8(url.to_owned()).ok()
    }

    /// Finds the commit that is checked out; nothing before the first one.
    ///
    /// # Errors
    /// Where no chain of references ends at one.
    pub fn head(&self) -> Result<Option<Id>, GitError> {
        self.refs()
            .head()
            .map_err(|DamagedRepository| GitError::Head)
    }

    /// Reads the index; an empty one where there is none yet.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn index(&self) -> Result<GitIndex, GitError> {
        GitIndex::read(&self.own, self.hash).map_err(|DamagedRepository| GitError::Index)
    }

    /// Tells whether a tracked file differs from the commit; files that git does not know do not count.
    ///
    /// # Errors
    /// Where the commit cannot be read, or a file cannot, and no other file differs.
    pub fn is_dirty(&self, index: &GitIndex) -> Result<bool, GitError> {
        self.compare(index)
            .map_err(|DamagedRepository| GitError::Comparison)
    }

    fn compare(&self, index: &GitIndex) -> Result<bool, DamagedRepository> {
        match self.refs().head()? {
            Some(commit) => {
                let objects = Objects::open(self.objects_folder()?, self.hash)?;
                let tree = objects.tree_of(commit)?;
                let is_same = index.tree == Some(tree)
                    || Trees::new(&objects, self.hash, &index.entries).are_equal(tree)?;
                if !is_same {
                    return Ok(true);
                }
            }
            None if index.entries.is_empty() => {}
            None => return Ok(true),
        }
        let info = self.common.folder("info").ok();
        Worktree::new(self, index, info.as_ref()).differs(&index.entries)
    }

    fn refs(&self) -> Refs<'_> {
        Refs {
            own: &self.own,
            common: &self.common,
            hash: self.hash,
        }
    }

    /// Opens the folder of objects, which some tools make a link to another repository's.
    fn objects_folder(&self) -> io::Result<Root> {
        Root::open(&self.common.path().join("objects"))
    }
}

/// Returns the folder that `.git` is, or that the file `.git` names.
fn git_folder(worktree: &Root) -> Result<PathBuf, DamagedRepository> {
    let path = worktree.path().join(".git");
    if fs::metadata(&path)?.is_dir() {
        return Ok(path);
    }
    let target = pointer(worktree, ".git", b"gitdir:")?.ok_or(DamagedRepository)?;
    Ok(worktree.path().join(target))
}

/// Reads a file that holds a path behind `mark`; nothing where there is no such file.
fn pointer(folder: &Root, name: &str, mark: &[u8]) -> Result<Option<PathBuf>, DamagedRepository> {
    if folder.kind(name)?.is_none() {
        return Ok(None);
    }
    let bytes = folder.read(name, GIT_FILE_BYTES_MAX)?;
    let path = bytes.strip_prefix(mark).ok_or(DamagedRepository)?;
    let path = Path::new(OsStr::from_bytes(path.trim_ascii()));
    if path.as_os_str().is_empty() {
        return Err(DamagedRepository);
    }
    Ok(Some(path.to_owned()))
}

fn settings(folder: &Root, name: &str) -> Result<GitConfig, DamagedRepository> {
    if folder.kind(name)?.is_none() {
        return Ok(GitConfig::default());
    }
    GitConfig::parse(&folder.read(name, CONFIG_BYTES_MAX)?)
}

/// Reads which hash the repository uses; fails where its format has a version or an extension that we do not know.
fn format(config: &GitConfig) -> Result<HashKind, DamagedRepository> {
    let version = config.text("core", "repositoryformatversion");
    let has_extensions = match version.unwrap_or(b"0") {
        b"0" => false,
        b"1" => true,
        _ => return Err(DamagedRepository),
    };
    if !has_extensions {
        return Ok(HashKind::Sha1);
    }
    let mut names = config.names("extensions");
    let has_files = config.text("extensions", "refstorage").unwrap_or(b"files") == b"files";
    if !has_files || !names.all(|name| EXTENSIONS.contains(&name)) {
        return Err(DamagedRepository);
    }
    match config.text("extensions", "objectformat") {
        None | Some(b"sha1") => Ok(HashKind::Sha1),
        Some(b"sha256") => Ok(HashKind::Sha256),
        Some(_) => Err(DamagedRepository),
    }
}
