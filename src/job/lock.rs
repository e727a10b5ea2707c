//! The sign that a job is alive: a file that it locks for its whole life.
//!
//! Only `flock` knows it on every way out, `kill -9` and a power cut included. The lock belongs to the open file, so a
//! process can hand it on to one that it starts: there is no moment in which a started job looks dead.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::held::Root;
use crate::model::{JobId, JobRow, JobState};
use crate::store::{JobTable, StoreError};

fn path(id: JobId) -> PathBuf {
    Path::new("logs").join(format!("job-{id}.lock"))
}

/// Takes the lock of a job that nobody else knows yet.
pub(super) fn take(folder: &Path, id: JobId) -> io::Result<File> {
    let root = Root::open(folder)?;
    root.create_folders("logs")?;
    let file = root.append(path(id))?;
    // A process that only looks holds it for a moment.
    file.lock()?;
    Ok(file)
}

/// Tells whether a process holds a job's lock. Where locks do not work, no job is called dead.
pub(super) fn is_held(folder: &Path, id: JobId) -> bool {
    match Root::open(folder).and_then(|root| root.open_file(path(id))) {
        // Shared: two processes that look at once do not take each other for the job.
        Ok(file) => file
            .try_lock_shared()
            .is_err_and(|error| matches!(error, TryLockError::WouldBlock | TryLockError::Error(_))),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Removes the file; its lock, if a process holds it, goes with the process.
pub(super) fn remove(folder: &Path, id: JobId) {
    // What stays is an empty file that nobody locks again.
    let _ = Root::open(folder).and_then(|root| root.remove_file(path(id)));
}

/// Returns a row as it is now: a job that has not ended and whose lock nobody holds has stopped.
pub(super) fn with_current_state(
    folder: &Path,
    table: &JobTable,
    row: JobRow,
) -> Result<JobRow, StoreError> {
    if !row.state.is_alive() || is_held(folder, row.id) {
        return Ok(row);
    }
    // It may have ended between the two looks.
    let mut row = table.row(row.id)?.unwrap_or(row);
    if row.state.is_alive() {
        row.state = JobState::Stopped;
    }
    Ok(row)
}
