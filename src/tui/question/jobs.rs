//! Questions of Jobs, and their answers.

use std::path::PathBuf;

use crate::job::LogPart;
use crate::model::{JobId, JobRow};

/// What Jobs wants to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// All jobs, unless they are as they were at this version.
    Rows { known: Option<u64> },
    /// The end of a log.
    Tail(JobId),
    /// What has come to a log since.
    More { id: JobId, from: u64 },
    /// How the repository of this identity was mined.
    Mined(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Rows(JobList),
    /// Lines of a log; of its end where it does not follow on anything.
    Log {
        id: JobId,
        from: Option<u64>,
        part: LogPart,
    },
    /// Nothing when the index does not have the repository any more.
    Mined(Option<Mined>),
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

/// How a repository was mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    pub root: PathBuf,
    /// The options, as [`crate::mine::Options::fingerprint`] writes them.
    pub options: String,
}
