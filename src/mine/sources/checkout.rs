//! What git knows about a folder: remote, commit, tracked files, and whether they were changed.
//!
//! Only a `.git` at the very root counts, never one of an enclosing folder. The repository is foreign data: its
//! configuration is read but not trusted, so no program it names (a filter, a file-system monitor) is ever started,
//! and nothing of the user's or the machine's configuration plays in. A `.git` that cannot be read is a [`Problem`],
//! and the folder is then mined as if it had none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gix::bstr::{BStr, ByteSlice};
use gix::sec::Trust;
use gix::status::Submodule;
use gix::submodule::config::Ignore;

use crate::model::{Problem, Reason};

/// What a checkout says about itself; all absent for a plain folder.
#[derive(Debug, Default)]
pub struct Checkout {
    /// As configured, with credentials if they are in there.
    pub url: Option<String>,
    /// Absent before the first commit.
    pub commit: Option<String>,
    /// Every path of git's index in UTF-8, as it is written there.
    pub tracked: Vec<String>,
}

impl Checkout {
    /// Reads what can be read; `root` must be canonical.
    pub fn read(root: &Path) -> (Self, Vec<Problem>) {
        let mut checkout = Self::default();
        let mut problems = Vec::new();
        if fs::symlink_metadata(root.join(".git")).is_err() {
            return (checkout, problems);
        }
        let repository = match open(root) {
            Ok(repository) => repository,
            Err(problem) => return (checkout, vec![problem]),
        };
        checkout.url = remote_url(&repository);
        match commit(&repository) {
            Ok(commit) => checkout.commit = commit,
            Err(problem) => problems.push(problem),
        }
        match tracked(&repository) {
            Ok(tracked) => checkout.tracked = tracked,
            Err(problem) => problems.push(problem),
        }
        (checkout, problems)
    }
}

/// Returns whether a tracked file differs from the commit; files that git does not know do not count.
pub fn is_dirty(root: &Path) -> Result<bool, Problem> {
    // Opened again, as a repository handle stays on its thread; that is a matter of microseconds.
    let repository = open(root)?;
    compare(&repository).map_err(|_| broken("cannot be compared"))
}

fn compare(repository: &gix::Repository) -> gix::Result<bool> {
    let mut changes = repository
        .status(gix::progress::Discard)?
        .untracked_files(gix::status::UntrackedFiles::None)
        .index_worktree_rewrites(None)
        .tree_index_track_renames(gix::status::tree_index::TrackRenames::Disabled)
        .index_worktree_submodules(Submodule::Given {
            ignore: Ignore::Untracked,
            check_dirty: true,
        })
        .index_worktree_options_mut(|options| options.dirwalk_options = None)
        .into_iter(None)?;
    Ok(changes.next().transpose()?.is_some())
}

fn open(root: &Path) -> Result<gix::Repository, Problem> {
    let options = gix::open::Options::isolated().with(Trust::Reduced);
    let repository = gix::open_opts(root, options).map_err(|_| broken("cannot be opened"))?;
    // `core.worktree` may point anywhere; tracked paths would then be those of another folder.
    let is_here = repository
        .workdir()
        .and_then(|workdir| workdir.canonicalize().ok())
        .is_some_and(|workdir| workdir == root);
    if is_here {
        Ok(repository)
    } else {
        Err(Problem {
            path: ".git".to_owned(),
            line: None,
            reason: Reason::Unreadable,
            detail: "its files are elsewhere".to_owned(),
        })
    }
}

/// Returns the URL of `origin`, else of the first remote by name.
///
/// Asked of the configuration itself: the library's own list of remotes leaves out untrusted sections, and that is
/// all there is here. A URL is only text to us.
fn remote_url(repository: &gix::Repository) -> Option<String> {
    let config = repository.config_snapshot();
    let names: BTreeSet<&BStr> = config
        .plumbing()
        .sections_by_name("remote")?
        .filter_map(|section| section.header().subsection_name())
        .collect();
    let origin = names.iter().find(|name| **name == "origin");
    let name = origin.or_else(|| names.first())?.to_str().ok()?;
    let url = config.string(format!("remote.{name}.url").as_str())?;
    // An identity must be text that everybody can write.
    url.to_str().ok().map(str::to_owned)
}

fn commit(repository: &gix::Repository) -> Result<Option<String>, Problem> {
    let head = repository.head().map_err(|_| broken("has no head"))?;
    Ok(head.id().map(|id| id.to_string()))
}

fn tracked(repository: &gix::Repository) -> Result<Vec<String>, Problem> {
    let index = repository
        .index_or_empty()
        .map_err(|_| broken("has no readable index"))?;
    // A path that is not UTF-8 is left out here, and reported by the walk when it is a source.
    Ok(index
        .entries()
        .iter()
        .filter_map(|entry| entry.path(&index).to_str().ok())
        .map(str::to_owned)
        .collect())
}

fn broken(what: &str) -> Problem {
    Problem {
        path: ".git".to_owned(),
        line: None,
        reason: Reason::Unreadable,
        // The library's text names absolute paths, which are not the same on two machines.
        detail: what.to_owned(),
    }
}
