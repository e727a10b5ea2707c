//! Jobs: pipelines as processes of their own, which outlive the process that started them.
//!
//! Decides how a job is started, queued, cancelled and told from a dead one, and which of its traces are kept. The
//! verbs do its work; the faces show it.
//!
//! A job is a row in `jobs.db`, a log file, and a lock file that its process holds to its end:
//! `.focalist/logs/job-ID.{log,lock}`, neither of them reached through a link. The kernel gives the lock back with the
//! process, however that ends, so a row that has not ended and whose lock nobody holds is a job that stopped. Neither a
//! process number, which the next process may get, nor a time without a heartbeat decides that: a suspended job is
//! silent and alive.
//!
//! A table comes with a copy of the folder it lies in, so a row alone does not prove that the user wanted the job: [the
//! module `resume`](mod@resume) looks whether it is sealed with a secret of the user's, and whether its arguments lower
//! what protects them.
//!
//! [`Job`] is the job that this process does; [`start`], [`resume()`], [`cancel`] and [`clear`] are for others, and
//! [`Jobs`] reads.

use focalist_held as held;
use focalist_model as model;
use focalist_store as store;
use focalist_task as task;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::{JobId, JobRow, JobState};
use crate::store::{JobTable, StoreAccess, StoreError};

mod launch;
mod lock;
mod log;
mod resume;
mod seal;
mod verb;
mod worker;

#[cfg(test)]
mod tests;

pub use launch::{CancelStep, cancel, start};
pub use log::{LogPart, LogWriter};
pub use resume::{Consent, Lowering, lowered, protected, resume};
pub use verb::{JobStart, Refusal, Verb, VerbArgument, Verbs};
pub use worker::{Job, TurnHolder};

use seal::Sealer;
use worker::BEAT_MS;

/// Ended jobs that are kept; the oldest go with their logs when a new one is added.
const N_ENDED_MAX: i64 = 1_000;

/// Why something could not be done with a job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot use `{path}`: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("there is no job {id}")]
    NoSuch { id: JobId },
    /// Another process works on it, or its end was noted already.
    #[error("job {id} is not waiting for a process")]
    NotWaiting { id: JobId },
    #[error("job {id} is {}", state.as_str())]
    Alive { id: JobId, state: JobState },
    #[error("job {id} is {}", state.as_str())]
    NotAlive { id: JobId, state: JobState },
    #[error("cannot start `{program}` in `{folder}`: {source}")]
    Start {
        program: PathBuf,
        folder: PathBuf,
        source: io::Error,
    },
    /// An argument that nobody should run again without typing it.
    #[error("job {id} is not started again: `{option}` {}", why.as_str())]
    Lowered {
        id: JobId,
        option: String,
        why: Lowering,
    },
    /// Nothing says that this user asked for it, in this place.
    #[error("job {id} was not started by you in this workspace")]
    Foreign { id: JobId },
    /// The process ended before it took the job up; `said` is the end of its log.
    #[error("job {id} ended before it began: {said}")]
    Died { id: JobId, said: String },
}

/// Returns the milliseconds since 1970; a clock before that is no reason not to work.
#[must_use]
pub fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |duration| {
        i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
    })
}

/// Joins arguments to one line that a shell would take apart again.
#[must_use]
pub fn command_line(arguments: &[OsString]) -> String {
    let word = |word: &OsString| quoted(&without_secrets(&word.to_string_lossy()));
    arguments.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell, only where it would read something else.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+,./:@%^".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Strips the secrets of an address from a word: name, password and query.
fn without_secrets(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let rest = &rest[..end];
    let slash = rest.find('/').unwrap_or(rest.len());
    let host = rest[..slash].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host..])
}

/// Returns the arguments of a job's verb, without the verb's name and the words before it.
#[must_use]
pub fn own_arguments(row: &JobRow) -> &[OsString] {
    let own = row.kind.as_str();
    let name = row.arguments.iter().position(|argument| argument == own);
    &row.arguments[name.map_or(0, |idx| idx + 1)..]
}

/// Iterates over the jobs that stopped before their end and that nobody has resumed or finished since.
pub fn unfinished(rows: &[JobRow]) -> impl Iterator<Item = &JobRow> {
    let is_resumed = |id| rows.iter().any(|row| row.retry_of == Some(id));
    let stopped = rows.iter().filter(|row| row.state == JobState::Stopped);
    stopped.filter(move |job_row| !is_resumed(job_row.id) && finished_by(rows, job_row).is_none())
}

/// Finds the later job that finished the work of a stopped one: resumed from it, or called with the same words in the
/// same place.
#[must_use]
pub fn finished_by(rows: &[JobRow], stopped: &JobRow) -> Option<JobId> {
    let is_same = |row: &JobRow| {
        row.retry_of == Some(stopped.id)
            || row.kind == stopped.kind
                && row.folder == stopped.folder
                && asked_words(row).eq(asked_words(stopped))
    };
    let mut rows = rows.iter();
    rows.find(|row| row.id > stopped.id && row.state == JobState::Done && is_same(row))
        .map(|row| row.id)
        .filter(|_| stopped.state == JobState::Stopped)
}

/// Iterates over the arguments of a job's verb without `--background`: the same work may run in the terminal or not.
fn asked_words(row: &JobRow) -> impl Iterator<Item = &OsString> {
    let words = own_arguments(row).iter();
    words.filter(|word| *word != "--background")
}

/// Marks stopped jobs as done where another job has finished the same work, and names that job. [`may_have_written`]
/// needs the rows as they were before.
pub fn show_finished(rows: &mut [JobRow]) {
    let finished: Vec<Option<JobId>> = rows.iter().map(|row| finished_by(rows, row)).collect();
    for (row, by) in rows.iter_mut().zip(finished) {
        if let Some(by) = by {
            row.state = JobState::Done;
            row.message = format!("finished by job {by}");
        }
    }
}

/// Tells whether a job that stopped may have written a file at this time, in milliseconds since 1970: it lived from its
/// start until its last heartbeat, or at most two beats longer.
#[must_use]
pub fn may_have_written(row: &JobRow, at_ms: i64) -> bool {
    let last_ms = row.heartbeat_ms + 2 * BEAT_MS;
    let lived = |started_ms| (started_ms..=last_ms).contains(&at_ms);
    row.state == JobState::Stopped && row.started_ms.is_some_and(lived)
}

/// The jobs of a workspace, for reading. Writes nothing and waits for nobody.
pub struct Jobs {
    folder: PathBuf,
    /// None while there is no file.
    table: Option<JobTable>,
    snapshot: JobsSnapshot,
}

/// The state by which [`Jobs::version`] notices a change.
#[derive(Default)]
struct JobsSnapshot {
    data: i64,
    alive: Vec<JobId>,
    version: u64,
}

impl Jobs {
    /// Opens the table in the folder `.focalist`; where there is none yet, this stands for one without rows, and looks
    /// again whenever it is asked.
    ///
    /// # Errors
    /// Says what is wrong with the file: see [`StoreError`].
    pub fn open_or_empty(folder: &Path) -> Result<Self, StoreError> {
        let mut jobs = Self {
            folder: folder.to_owned(),
            table: None,
            snapshot: JobsSnapshot::default(),
        };
        jobs.open()?;
        Ok(jobs)
    }

    fn open(&mut self) -> Result<Option<&JobTable>, StoreError> {
        if self.table.is_none() {
            self.table = match JobTable::open(&self.folder, StoreAccess::Read) {
                Ok(table) => Some(table),
                Err(StoreError::Missing { .. }) => None,
                // Nothing in it is precious, and the next job that is added would bring it up to date all the same.
                Err(StoreError::Older { .. }) => {
                    Some(JobTable::open(&self.folder, StoreAccess::Write)?)
                }
                Err(error) => return Err(error),
            };
        }
        Ok(self.table.as_ref())
    }

    /// Reads every job, the latest first; a job that has not ended and is not alive is [`JobState::Stopped`].
    ///
    /// # Errors
    /// The database's.
    pub fn rows(&mut self) -> Result<Vec<JobRow>, StoreError> {
        let folder = self.folder.clone();
        let Some(table) = self.open()? else {
            return Ok(Vec::new());
        };
        let rows = table.rows()?.into_iter();
        let rows = rows.map(|row| lock::with_current_state(&folder, table, row));
        let mut rows: Vec<JobRow> = rows.collect::<Result<_, _>>()?;
        mark_ours(&folder, table, &mut rows)?;
        Ok(rows)
    }

    /// Reads one job, as [`Jobs::rows`] does.
    ///
    /// # Errors
    /// The database's, and where there is no such job.
    pub fn row(&mut self, id: JobId) -> Result<JobRow, JobError> {
        let folder = self.folder.clone();
        let row = match self.open()? {
            Some(table) => match table.row(id)? {
                Some(row) => {
                    let mut rows = [lock::with_current_state(&folder, table, row)?];
                    mark_ours(&folder, table, &mut rows)?;
                    let [row] = rows;
                    Some(row)
                }
                None => None,
            },
            None => None,
        };
        row.ok_or(JobError::NoSuch { id })
    }

    /// Returns a number that changes when [`Jobs::rows`] may differ: the table was written, or a job has died. Some ten
    /// microseconds, and as much for each living job; nothing changes while none lives and nobody adds one.
    ///
    /// # Errors
    /// The database's.
    pub fn version(&mut self) -> Result<u64, StoreError> {
        self.open()?;
        let (folder, seen) = (&self.folder, &mut self.snapshot);
        let Some(table) = &self.table else {
            return Ok(seen.version);
        };
        let data = table.version()?;
        let n_alive = seen.alive.len();
        if data != seen.data {
            seen.alive = table
                .open_rows()?
                .into_iter()
                .map(|open_row| open_row.id)
                .collect();
        }
        seen.alive.retain(|id| lock::is_held(folder, *id));
        if data != seen.data || seen.alive.len() < n_alive {
            seen.data = data;
            seen.version += 1;
        }
        Ok(seen.version)
    }

    /// Returns the path of a job's log, also where there is no log yet.
    #[must_use]
    pub fn log_path(&self, id: JobId) -> PathBuf {
        log::path(&self.folder, id)
    }

    /// Reads the end of a job's log, at most `max_bytes` of it, from the beginning of a line on; nothing where there is
    /// no log.
    ///
    /// # Errors
    /// The disk's.
    pub fn log_tail(&self, id: JobId, max_bytes: u64) -> io::Result<LogPart> {
        log::tail((&self.folder, id), max_bytes)
    }

    /// Reads whole lines of a job's log from a place on, at most `max_bytes`, with the place to go on from. A log that
    /// was cut since begins anew.
    ///
    /// # Errors
    /// The disk's.
    pub fn log_from(&self, id: JobId, offset: u64, max_bytes: u64) -> io::Result<LogPart> {
        log::from((&self.folder, id), offset, max_bytes)
    }
}

/// Sets in each row whether this user asked for it, in this place; nobody did where the user can have no secret.
fn mark_ours(folder: &Path, table: &JobTable, rows: &mut [JobRow]) -> Result<(), StoreError> {
    let Some(sealer) = Sealer::of(folder) else {
        return Ok(());
    };
    let seals = table.seals()?;
    for row in rows {
        row.is_ours = seals
            .get(&row.id)
            .is_some_and(|seal| sealer.fits(row, seal));
    }
    Ok(())
}

/// Forgets the jobs that ended, or stopped, before a time in milliseconds since 1970, with their logs; returns how
/// many.
///
/// # Errors
/// The database's. A log that cannot be removed stays.
pub fn clear(folder: &Path, before_ms: i64) -> Result<usize, JobError> {
    let rows = Jobs::open_or_empty(folder)?.rows()?;
    let old: Vec<JobId> = rows
        .iter()
        .filter(|row| !row.state.is_alive() && row.ended_ms.unwrap_or(row.heartbeat_ms) < before_ms)
        .map(|row| row.id)
        .collect();
    if !old.is_empty() {
        forget(folder, &JobTable::open(folder, StoreAccess::Write)?, &old)?;
    }
    Ok(old.len())
}

fn forget(folder: &Path, table: &JobTable, ids: &[JobId]) -> Result<(), StoreError> {
    table.remove(ids)?;
    for id in ids {
        log::remove(folder, *id);
        lock::remove(folder, *id);
    }
    Ok(())
}
