//! What helps, where several commands say it.

use std::fmt::Display;

use crate::model::JobId;

pub const IMPORT_RUN: &str = "`focalist import FILE --run NAME` loads predictions";
pub const LIST_SAMPLES: &str = "`focalist samples` lists the keys";
pub const MAKE_WORKSPACE: &str =
    "`focalist mine PATH` makes one, `focalist demo` shows one with sample data";
pub const ASK_SYSTEM: &str = "see what the system reports about the file";

pub fn resume(id: JobId) -> String {
    format!("`focalist jobs resume {id}` resumes it")
}

/// Returns what to say under a list that is cut short.
pub fn cut_short(n_shown: impl Display, n_all: impl Display) -> String {
    format!("{n_shown} of {n_all}; `--limit 0` lists all")
}
