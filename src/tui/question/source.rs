//! The sources of answers, and the reasons why there may be none.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::job::Jobs;
use crate::question::QuestionFailure;
use crate::store::{Store, StoreError, Verdicts};
use crate::text::with_causes;
use crate::{eval, execute, leakage, plot, review};

/// The source of answers: the workspace, and its index where there is one.
#[derive(Clone, Copy)]
pub struct AnswerSource<'a> {
    pub folder: &'a Path,
    /// The table of jobs, which can exist without an index.
    pub jobs: &'a SharedJobTable,
    store: Option<&'a Store>,
}

impl<'a> AnswerSource<'a> {
    #[must_use]
    pub const fn new(folder: &'a Path, jobs: &'a SharedJobTable, store: Option<&'a Store>) -> Self {
        Self {
            folder,
            jobs,
            store,
        }
    }

    /// Makes the source of the workspace whose index is open.
    #[must_use]
    pub fn of(store: &'a Store, jobs: &'a SharedJobTable) -> Self {
        let folder = store.path().parent().unwrap_or(Path::new("."));
        Self::new(folder, jobs, Some(store))
    }

    /// Returns the index, if there is one.
    ///
    /// # Errors
    /// When there is none.
    pub fn store(&self) -> Result<&'a Store, MissingAnswer> {
        self.store
            .ok_or(MissingAnswer::Failed(QuestionFailure::NoIndex))
    }

    /// Opens the verdicts beside the index, anew each time: they are read rarely, and the file may be created
    /// meanwhile.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn verdicts(&self) -> Result<Verdicts, StoreError> {
        Verdicts::open_or_empty(self.folder)
    }
}

/// The open table of jobs. All readers share it, because it reports changes from one look to the next.
#[derive(Default)]
pub struct SharedJobTable(Mutex<Option<Jobs>>);

impl std::fmt::Debug for SharedJobTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tables")
    }
}

impl SharedJobTable {
    /// Reads the table of jobs of a workspace.
    ///
    /// # Errors
    /// When it cannot be opened, and the errors of `read`.
    pub fn with<T>(
        &self,
        folder: &Path,
        read: impl FnOnce(&mut Jobs) -> Result<T, MissingAnswer>,
    ) -> Result<T, MissingAnswer> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = match jobs.as_mut() {
            Some(jobs) => jobs,
            None => jobs.insert(Jobs::open_or_empty(folder)?),
        };
        read(jobs)
    }
}

/// The reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingAnswer {
    /// It was interrupted.
    Stopped,
    Failed(QuestionFailure),
}

impl MissingAnswer {
    /// Makes a failure with a text for people.
    #[must_use]
    pub fn because(text: impl Into<String>) -> Self {
        Self::Failed(QuestionFailure::Other(text.into()))
    }
}

impl From<MissingAnswer> for QuestionFailure {
    fn from(unanswered: MissingAnswer) -> Self {
        match unanswered {
            MissingAnswer::Stopped => Self::Other("stopped".to_owned()),
            MissingAnswer::Failed(failure) => failure,
        }
    }
}

impl From<StoreError> for MissingAnswer {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled(_) => Self::Stopped,
            error => Self::Failed(failure(&error)),
        }
    }
}

impl From<review::ReviewError> for MissingAnswer {
    fn from(error: review::ReviewError) -> Self {
        match error {
            review::ReviewError::Store(error) => error.into(),
            review::ReviewError::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<plot::PlotError> for MissingAnswer {
    fn from(error: plot::PlotError) -> Self {
        match error {
            plot::PlotError::Store(error) => error.into(),
            plot::PlotError::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<eval::EvalError> for MissingAnswer {
    fn from(error: eval::EvalError) -> Self {
        match error {
            eval::EvalError::Store(error) => error.into(),
            eval::EvalError::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<execute::ExecuteError> for MissingAnswer {
    fn from(error: execute::ExecuteError) -> Self {
        match error {
            execute::ExecuteError::Store(error) => error.into(),
            execute::ExecuteError::Cancelled(_) => Self::Stopped,
            error => Self::because(with_causes(&error)),
        }
    }
}

impl From<leakage::LeakageError> for MissingAnswer {
    fn from(error: leakage::LeakageError) -> Self {
        match error {
            leakage::LeakageError::Store(error) => error.into(),
            leakage::LeakageError::Cancelled(_) => Self::Stopped,
            error @ leakage::LeakageError::NoSuchSample { .. } => {
                Self::because(with_causes(&error))
            }
        }
    }
}

/// Advises what to do where the index or the verdicts cannot be written; nothing where there is no advice.
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

/// Describes the failure for people: the error with its causes, and a hint where the index is too old.
#[must_use]
pub fn failure(error: &StoreError) -> QuestionFailure {
    if matches!(error, StoreError::Missing { .. }) {
        return QuestionFailure::NoIndex;
    }
    let hint = match error {
        StoreError::Older { .. } => " · `focalist eval` brings it up to date, after a backup",
        _ => "",
    };
    QuestionFailure::Other(with_causes(error) + hint)
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
        assert!(advice("index.lock").is_some_and(|text| text.contains("a job is writing")));
        assert_eq!(advice(Verdicts::FILE_NAME), None);
    }
}
