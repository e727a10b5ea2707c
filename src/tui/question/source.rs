//! What questions are answered from, and why there may be no answer.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::job::Jobs;
use crate::question::Failure;
use crate::store::{Store, StoreError, Verdicts};
use crate::text::with_causes;
use crate::{eval, execute, leakage, plot, review};

/// What a question is answered from: the workspace, and the index in it where there is one.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub folder: &'a Path,
    /// The table of jobs, which there may be without an index.
    pub jobs: &'a Tables,
    store: Option<&'a Store>,
}

impl<'a> Source<'a> {
    #[must_use]
    pub const fn new(folder: &'a Path, jobs: &'a Tables, store: Option<&'a Store>) -> Self {
        Self {
            folder,
            jobs,
            store,
        }
    }

    /// Opens the workspace whose index is open.
    #[must_use]
    pub fn of(store: &'a Store, jobs: &'a Tables) -> Self {
        let folder = store.path().parent().unwrap_or(Path::new("."));
        Self::new(folder, jobs, Some(store))
    }

    /// Returns the index, if there is one.
    ///
    /// # Errors
    /// When there is none.
    pub fn store(&self) -> Result<&'a Store, Unanswered> {
        self.store.ok_or(Unanswered::Failed(Failure::NoIndex))
    }

    /// Opens the verdicts beside the index; they are asked rarely and little, and a file may come to be meanwhile.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn verdicts(&self) -> Result<Verdicts, StoreError> {
        Verdicts::open_or_empty(self.folder)
    }
}

/// The table of jobs, open. All readers share it: what has changed is told from one look to the next.
#[derive(Default)]
pub struct Tables(Mutex<Option<Jobs>>);

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tables")
    }
}

impl Tables {
    /// Reads the table of jobs of a workspace.
    ///
    /// # Errors
    /// When it cannot be opened, and what `read` says.
    pub fn with<T>(
        &self,
        folder: &Path,
        read: impl FnOnce(&mut Jobs) -> Result<T, Unanswered>,
    ) -> Result<T, Unanswered> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = match jobs.as_mut() {
            Some(jobs) => jobs,
            None => jobs.insert(Jobs::open_or_empty(folder)?),
        };
        read(jobs)
    }
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// It was interrupted.
    Stopped,
    Failed(Failure),
}

impl Unanswered {
    /// Makes a failure with a text for people.
    #[must_use]
    pub fn because(text: impl Into<String>) -> Self {
        Self::Failed(Failure::Other(text.into()))
    }
}

impl From<Unanswered> for Failure {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Stopped => Self::Other("stopped".to_owned()),
            Unanswered::Failed(failure) => failure,
        }
    }
}

impl From<StoreError> for Unanswered {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled(_) => Self::Stopped,
            error => Self::Failed(failure(&error)),
        }
    }
}

impl From<review::Error> for Unanswered {
    fn from(error: review::Error) -> Self {
        match error {
            review::Error::Store(error) => error.into(),
            review::Error::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<plot::Error> for Unanswered {
    fn from(error: plot::Error) -> Self {
        match error {
            plot::Error::Store(error) => error.into(),
            plot::Error::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<eval::Error> for Unanswered {
    fn from(error: eval::Error) -> Self {
        match error {
            eval::Error::Store(error) => error.into(),
            eval::Error::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<execute::Error> for Unanswered {
    fn from(error: execute::Error) -> Self {
        match error {
            execute::Error::Store(error) => error.into(),
            execute::Error::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<leakage::Error> for Unanswered {
    fn from(error: leakage::Error) -> Self {
        match error {
            leakage::Error::Store(error) => error.into(),
            leakage::Error::Cancelled(_) => Self::Stopped,
            error @ leakage::Error::NoSuchSample { .. } => Self::because(with_causes(&error)),
        }
    }
}

/// Gives advice where the index or the verdicts cannot be written.
#[must_use]
pub fn advice(error: &StoreError) -> Option<&'static str> {
    Some(match error {
        StoreError::Locked { path } if !path.ends_with(Verdicts::FILE_NAME) => {
            "a job is writing the index: gj shows it; try again when it has ended"
        }
        StoreError::Missing { .. } => "gj, then A: a mine makes an index",
        StoreError::ReadOnly { .. } => {
            "nothing was changed; get write permission on the file, or copy the workspace"
        }
        StoreError::Full { .. } => "free some disk space; everything stored before is kept",
        StoreError::NoJournal { .. } => {
            "the folder is on a file system without locks: put the workspace on a local disk"
        }
        StoreError::Newer { .. } => "this file needs a newer focalist",
        _ => return None,
    })
}

/// Writes the failure for people: the error with what caused it.
#[must_use]
pub fn failure(error: &StoreError) -> Failure {
    if matches!(error, StoreError::Missing { .. }) {
        return Failure::NoIndex;
    }
    let hint = match error {
        StoreError::Older { .. } => " · `focalist eval` brings it up to date, after a backup",
        _ => "",
    };
    Failure::Other(with_causes(error) + hint)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn a_job_writes_the_index_and_never_the_verdicts() {
        let advice = |name: &str| {
            let path = PathBuf::from("w").join(name);
            advice(&StoreError::Locked { path })
        };
        assert!(advice("index.lock").is_some_and(|it| it.contains("a job is writing")));
        assert_eq!(advice(Verdicts::FILE_NAME), None);
    }
}
