//! Where the rows of a repository came from.

use std::fmt;
use std::path::PathBuf;

/// The origin of a repository's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Mined in this folder.
    Sources(PathBuf),
    /// Imported with the dataset of this name.
    Dataset(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sources(root) => write!(f, "the sources in `{}`", root.display()),
            Self::Dataset(name) => write!(f, "the dataset `{name}`"),
        }
    }
}
