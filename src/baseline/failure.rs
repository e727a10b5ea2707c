//! Why a command ends early: one sentence, and an exit code for the kind of the reason.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Exit codes are those of focalist.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is nothing to work on, or the work led nowhere.
    #[error("{0}")]
    Nothing(String),
    #[error("{0}")]
    Usage(String),
    /// A file is missing, cut off, or not of the expected kind.
    #[error("`{}`: {message}", path.display())]
    Input { path: PathBuf, message: String },
    #[error("cannot write `{}`: {source}", path.display())]
    Output { path: PathBuf, source: io::Error },
    /// Another process works there.
    #[error("{0}")]
    Busy(String),
}

impl Failure {
    /// Returns a failure to read a file.
    pub fn input(path: &Path, message: impl Display) -> Self {
        Self::Input {
            path: path.to_owned(),
            message: message.to_string(),
        }
    }

    /// Returns a function that makes a failure to write `path` of an error.
    pub fn output(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |source| Self::Output { path, source }
    }

    /// Returns the exit code.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Nothing(_) => 1,
            Self::Usage(_) => 2,
            Self::Input { .. } | Self::Output { .. } => 3,
            Self::Busy(_) => 75,
        }
    }
}

/// The result of every command.
pub type Result<T> = std::result::Result<T, Failure>;
