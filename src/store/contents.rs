//! The contents of one repository for the index.

use std::path::Path;

use crate::model::{ContentHash, Method, MinedFile, MinedTest, Problem, Repo};

/// The stamp of a repository: two equal stamps mean that it is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// A hash of all mined files and their paths.
    pub content: ContentHash,
    /// The options that change rows, in one canonical form.
    pub options: String,
    /// The version of the code that computed the rows.
    pub code: String,
}

/// Everything about one repository that is written into the index.
#[derive(Clone, Copy, Debug)]
pub struct RepoContents<'a> {
    pub repo: &'a Repo,
    /// The folder that was mined.
    pub root: &'a Path,
    pub stamp: &'a Stamp,
    /// `FileId(n)` is the n-th.
    pub files: &'a [MinedFile],
    /// `MethodId(n)` is the n-th.
    pub methods: &'a [Method],
    pub tests: &'a [MinedTest],
    pub problems: &'a [Problem],
}
