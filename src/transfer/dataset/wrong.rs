//! The flaw of a piece of a dataset, and the problem that it becomes at a place.

use std::{fmt, io};

use crate::exchange::ParquetError;
use crate::exchange::records::RecordError;
use crate::model::{Problem, Reason};

/// The flaw of a piece of a dataset, without its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetFault {
    pub reason: Reason,
    pub detail: String,
}

impl DatasetFault {
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { reason, detail }
    }

    /// Makes the flaw of a line that is not what its format requires.
    pub fn line(detail: impl Into<String>) -> Self {
        Self::new(Reason::BadLine, detail)
    }

    pub fn unreadable(error: &dyn fmt::Display) -> Self {
        Self::new(Reason::Unreadable, error.to_string())
    }

    pub fn too_large(bytes_max: u64) -> Self {
        let detail = format!("the limit is {bytes_max} bytes");
        Self::new(Reason::TooLarge, detail)
    }

    /// Makes the problem at a place; line 0 stands for the whole file.
    pub fn at(self, path: &str, line: u32) -> Problem {
        Problem {
            path: path.to_owned(),
            line: (line > 0).then_some(line),
            reason: self.reason,
            detail: self.detail,
        }
    }
}

impl From<io::Error> for DatasetFault {
    fn from(error: io::Error) -> Self {
        Self::unreadable(&error)
    }
}

impl From<ParquetError> for DatasetFault {
    fn from(error: ParquetError) -> Self {
        Self::unreadable(&error)
    }
}

impl From<RecordError> for DatasetFault {
    fn from(error: RecordError) -> Self {
        Self::line(error.to_string())
    }
}
