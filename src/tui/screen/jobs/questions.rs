//! What Jobs asks: from the table of jobs and their logs, which need no index.

use crate::job::{self, LogPart};
use crate::model::{JobId, JobRow};
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};

/// A log's end is so many bytes: more lines than anybody scrolls through, read in a blink.
const TAIL_BYTES: u64 = 512 << 10;
/// So much is added at once; the rest is asked for next.
const PART_BYTES: u64 = 256 << 10;

/// All jobs, unless they are as they were at this version.
#[derive(Debug)]
pub struct Rows {
    pub known: Option<u64>,
}

/// The jobs as they were at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct JobList {
    /// The latest first; nothing when they are as they were.
    pub rows: Option<Vec<JobRow>>,
    pub version: u64,
    /// Milliseconds since 1970.
    pub now_ms: i64,
}

impl Question for Rows {
    type Answer = JobList;
    const SLOT: Slot = Slot("jobs.rows");
    const NEEDS_INDEX: bool = false;

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        source.jobs.with(source.folder, |jobs| {
            // Before the rows: what is written between the two is read again, never missed.
            let version = jobs.version()?;
            let rows = (self.known != Some(version)).then(|| jobs.rows());
            Ok(JobList {
                rows: rows.transpose()?,
                version,
                now_ms: job::now_ms(),
            })
        })
    }
}

/// Lines of a log: its end, or what has come since.
#[derive(Debug)]
pub struct Log {
    pub id: JobId,
    pub from: Option<u64>,
}

/// Lines of a log; of its end where they do not follow on anything.
#[derive(Clone, Debug)]
pub struct LogLines {
    pub id: JobId,
    pub from: Option<u64>,
    pub part: LogPart,
}

impl Question for Log {
    type Answer = LogLines;
    const SLOT: Slot = Slot("jobs.log");
    const NEEDS_INDEX: bool = false;

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let (id, from) = (self.id, self.from);
        let part = source.jobs.with(source.folder, |jobs| {
            Ok(match from {
                Some(from) => jobs.log_from(id, from, PART_BYTES),
                None => jobs.log_tail(id, TAIL_BYTES),
            })
        })?;
        let part =
            part.map_err(|error| Unanswered::because(format!("cannot read the log: {error}")))?;
        Ok(LogLines { id, from, part })
    }
}
