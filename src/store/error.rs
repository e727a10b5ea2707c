//! The errors of the index and the verdicts, each with the path of the file.
//!
//! The command line adds the advice on what to do about them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::task::Cancelled;

use super::origin::Origin;

/// Why an index, or a file of verdicts, could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}", missing(path, *is_empty))]
    Missing {
        path: PathBuf,
        /// The file exists and is empty.
        is_empty: bool,
    },
    #[error("`{path}` cannot be written")]
    ReadOnly { path: PathBuf },
    /// Not an SQLite file, or one of another program.
    #[error("`{path}` is not a database of focalist")]
    NotAnIndex { path: PathBuf },
    #[error("`{path}` has schema {found}, this version of focalist knows {known}")]
    Newer {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    /// Occurs only when the file is opened for reading: opening for writing migrates it.
    #[error("`{path}` has schema {found} and must be migrated to {known} first")]
    Older {
        path: PathBuf,
        found: u32,
        known: u32,
    },
    #[error("`{path}` is damaged: {detail}")]
    Damaged { path: PathBuf, detail: String },
    #[error("no space left for `{path}`")]
    Full { path: PathBuf },
    /// Another process is writing.
    #[error("`{path}` is being written by another process")]
    Locked { path: PathBuf },
    #[error("another process asks the model `{model}`")]
    Asked { model: String },
    /// The file system has no shared memory or no locks, as network file systems often do not; verdicts are never
    /// stored on one that is known to be shared.
    #[error("the file system of `{path}` does not support the database's journal")]
    NoJournal { path: PathBuf },
    /// A filter with a field or a value that the index does not know.
    #[error("`{field}` cannot be `{value}`")]
    Filter { field: String, value: String },
    /// A filter on single samples where only whole repositories are counted.
    #[error("`{field}` is about single samples, and only whole repositories are counted here")]
    NotOfRepos { field: String },
    /// A mined repository and one of a dataset never replace each other.
    #[error("`{identity}` is in the index from {holder} and is not replaced by {newcomer}")]
    Occupied {
        identity: String,
        holder: Origin,
        newcomer: Origin,
    },
    #[error("cannot use `{path}`: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot use `{path}`: {source}")]
    Sql {
        path: PathBuf,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

fn missing(path: &Path, is_empty: bool) -> String {
    let path = path.display();
    if is_empty {
        format!("`{path}` is empty")
    } else {
        format!("there is no `{path}`")
    }
}

/// A failure inside the store, before it knows its path.
#[derive(Debug)]
pub(super) enum StoreFailure {
    Sql(rusqlite::Error),
    Io(io::Error),
    Damaged(String),
    Filter {
        field: String,
        value: String,
    },
    NotOfRepos {
        field: String,
    },
    Occupied {
        identity: String,
        holder: Origin,
        newcomer: Origin,
    },
    Cancelled(Cancelled),
    /// A failure with another file, whose path it contains.
    Elsewhere(Box<StoreError>),
}

impl From<rusqlite::Error> for StoreFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for StoreFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Cancelled> for StoreFailure {
    fn from(cancelled: Cancelled) -> Self {
        Self::Cancelled(cancelled)
    }
}

impl StoreFailure {
    /// Adds the file's path, and turns SQLite's codes into errors that a person can act on.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Sql(error) => classify(error, path),
            Self::Io(source) if source.kind() == io::ErrorKind::StorageFull => {
                StoreError::Full { path }
            }
            Self::Io(source)
                if matches!(
                    source.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                StoreError::ReadOnly { path }
            }
            Self::Io(source) => StoreError::Io { path, source },
            Self::Damaged(detail) => StoreError::Damaged { path, detail },
            Self::Filter { field, value } => StoreError::Filter { field, value },
            Self::NotOfRepos { field } => StoreError::NotOfRepos { field },
            Self::Occupied {
                identity,
                holder,
                newcomer,
            } => StoreError::Occupied {
                identity,
                holder,
                newcomer,
            },
            Self::Cancelled(cancelled) => cancelled.into(),
            Self::Elsewhere(error) => *error,
        }
    }
}

/// Finds out why a file cannot be opened, by asking the system: SQLite does not report it.
fn unopened(error: rusqlite::Error, path: PathBuf) -> StoreError {
    match File::open(&path) {
        Err(source) => StoreError::Io { path, source },
        Ok(_) => StoreError::Sql {
            path,
            source: error.into(),
        },
    }
}

fn classify(error: rusqlite::Error, path: PathBuf) -> StoreError {
    /// Extended codes that mean "no shared memory here": SHMOPEN, SHMSIZE, SHMLOCK, SHMMAP (sqlite.org/rescode.html).
    const SHARED_MEMORY: [i32; 4] = [4618, 4874, 5130, 5386];
    match error.sqlite_error() {
        Some(failure) if SHARED_MEMORY.contains(&failure.extended_code) => {
            StoreError::NoJournal { path }
        }
        Some(failure) => match failure.code {
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly { path },
            ErrorCode::NotADatabase => StoreError::NotAnIndex { path },
            ErrorCode::DatabaseCorrupt => StoreError::Damaged {
                path,
                detail: error.to_string(),
            },
            ErrorCode::DiskFull => StoreError::Full { path },
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Locked { path },
            ErrorCode::FileLockingProtocolFailed => StoreError::NoJournal { path },
            ErrorCode::OperationInterrupted => Cancelled.into(),
            ErrorCode::CannotOpen => unopened(error, path),
            _ => StoreError::Sql {
                path,
                source: error.into(),
            },
        },
        // A value of a type that the column cannot hold: another program wrote into the file.
        None if matches!(
            error,
            rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
        ) =>
        {
            StoreError::Damaged {
                path,
                detail: error.to_string(),
            }
        }
        None => StoreError::Sql {
            path,
            source: error.into(),
        },
    }
}
