//! Answers to questions of Jobs: from the table of jobs and their logs, which need no index.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::job::{self, Jobs};
use crate::pool::{Unanswered, failure};
use crate::question::Failure;
use crate::question::jobs::{Answer, JobList, Mined, Query};
use crate::store::{Store, StoreError};

/// A log's end is so many bytes: more lines than anybody scrolls through, read in a blink.
const TAIL_BYTES: u64 = 512 << 10;
/// So much is added at once; the rest is asked for next.
const PART_BYTES: u64 = 256 << 10;

/// The table of jobs, open. All readers share it: what has changed is told from one look to the next.
#[derive(Default)]
pub struct JobsReader(Mutex<Option<Jobs>>);

impl std::fmt::Debug for JobsReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JobsReader")
    }
}

impl JobsReader {
    /// Answers a question for which no index is needed; nothing for another.
    pub fn answer(&self, folder: &Path, query: &Query) -> Option<Result<Answer, Failure>> {
        let answered = match query {
            Query::Rows { known } => self.with(folder, |jobs| rows(jobs, *known)),
            Query::Tail(id) => self.with(folder, |jobs| {
                Ok(jobs.log_tail(*id, TAIL_BYTES).map(|part| Answer::Log {
                    id: *id,
                    from: None,
                    part,
                }))
            }),
            Query::More { id, from } => self.with(folder, |jobs| {
                let part = jobs.log_from(*id, *from, PART_BYTES);
                Ok(part.map(|part| Answer::Log {
                    id: *id,
                    from: Some(*from),
                    part,
                }))
            }),
            Query::Mined(_) => return None,
        };
        Some(answered)
    }

    fn with(
        &self,
        folder: &Path,
        read: impl FnOnce(&mut Jobs) -> Result<std::io::Result<Answer>, StoreError>,
    ) -> Result<Answer, Failure> {
        let mut jobs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs = match jobs.as_mut() {
            Some(jobs) => jobs,
            None => jobs.insert(Jobs::open_or_empty(folder).map_err(|it| failure(&it))?),
        };
        match read(jobs) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(Failure::Other(format!("cannot read the log: {error}"))),
            Err(error) => Err(failure(&error)),
        }
    }
}

fn rows(jobs: &mut Jobs, known: Option<u64>) -> Result<std::io::Result<Answer>, StoreError> {
    // Before the rows: what is written between the two is read again, never missed.
    let version = jobs.version()?;
    let rows = if known == Some(version) {
        None
    } else {
        Some(jobs.rows()?)
    };
    Ok(Ok(Answer::Rows(JobList {
        rows,
        version,
        now_ms: job::now_ms(),
    })))
}

/// Answers one question.
///
/// # Errors
/// What the index, the table of jobs or the disk says.
pub fn answer(store: &Store, query: &Query) -> Result<Answer, Unanswered> {
    if let Query::Mined(identity) = query {
        let found = store.mined_from(identity)?;
        return Ok(Answer::Mined(found.map(|(root, stamp)| Mined {
            root,
            options: stamp.options,
        })));
    }
    let folder = store.path().parent().unwrap_or(Path::new("."));
    let answered = JobsReader::default().answer(folder, query);
    answered
        .unwrap_or_else(|| Err(Failure::Other("no question of jobs".to_owned())))
        .map_err(Unanswered::Failed)
}
