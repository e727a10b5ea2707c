//! Reads what git knows about a folder: remote, commit, tracked files, and whether they were changed.
//!
//! Only a `.git` at the very root counts, never one of an enclosing folder. A `.git` that cannot be read is a
//! [`Problem`], and the folder is then mined as if it had none.

use std::path::Path;

use crate::git::{GitError, GitIndex, Repository};
use crate::model::{Problem, Reason};

/// The facts of a checkout; all absent for a plain folder.
#[derive(Debug, Default)]
pub struct Checkout {
    /// As configured, including any credentials.
    pub url: Option<String>,
    /// Absent before the first commit.
    pub commit: Option<String>,
    /// Every path of git's index in UTF-8, as it is written there.
    pub tracked: Vec<String>,
    /// Kept for the comparison.
    repository: Option<(Repository, Option<GitIndex>)>,
}

impl Checkout {
    /// Reads what can be read; `root` must be canonical.
    pub fn read(root: &Path) -> (Self, Vec<Problem>) {
        let mut checkout = Self::default();
        let mut problems = Vec::new();
        let repository = match Repository::open(root) {
            Ok(Some(repository)) => repository,
            Ok(None) => return (checkout, problems),
            Err(error) => return (checkout, vec![problem(error)]),
        };
        checkout.url = repository.remote_url();
        match repository.head() {
            Ok(commit) => checkout.commit = commit.map(|id| id.to_string()),
            Err(error) => problems.push(problem(error)),
        }
        let index = repository.index();
        match &index {
            Ok(index) => checkout.tracked = tracked(index),
            Err(error) => problems.push(problem(*error)),
        }
        checkout.repository = Some((repository, index.ok()));
        (checkout, problems)
    }

    /// Tells whether a tracked file differs from the commit; files that git does not know do not count. Nothing where
    /// there is no commit.
    pub fn is_dirty(&self) -> Option<Result<bool, Problem>> {
        self.commit.as_ref()?;
        let (repository, index) = self.repository.as_ref()?;
        let dirty = index
            .as_ref()
            .ok_or(GitError::Comparison)
            .and_then(|index| repository.is_dirty(index));
        Some(dirty.map_err(problem))
    }
}

/// Lists the paths that are UTF-8. Others are left out here, and reported by the walk when they are sources.
fn tracked(index: &GitIndex) -> Vec<String> {
    let paths = index
        .entries
        .iter()
        .map(|entry| std::str::from_utf8(&entry.path));
    paths
        .filter_map(|path| path.ok().map(str::to_owned))
        .collect()
}

fn problem(error: GitError) -> Problem {
    Problem {
        path: ".git".to_owned(),
        line: None,
        reason: Reason::Unreadable,
        detail: error.to_string(),
    }
}
