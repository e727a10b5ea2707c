//! Faults of a harness's log, beside those of any record.

use crate::model::{agreeing, grouped};

/// Why something of a log cannot be used. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// In the words of the library that unpacks it.
    #[error("not a complete zip archive ({what}): copy the log once more")]
    BrokenArchive { what: String },
    #[error("members of the archive overlap")]
    Overlap,
    #[error("the archive is cut off{}: {}; copy the log once more", within(place.as_deref()), lost(*n_read, *n_samples))]
    CutOff {
        /// The member that is not whole; absent where the cut is between two.
        place: Option<String>,
        n_read: u32,
        /// How many there should be, where the log says that.
        n_samples: Option<u64>,
    },
    /// A number of the zip format.
    #[error("packed by method {method}")]
    Method { method: u16 },
    #[error("an archive, but no log of Inspect")]
    Foreign,
    #[error("has no `target`, so there is nothing to compare an answer with")]
    NoTarget,
    #[error("its evaluation failed: {said}")]
    EvaluationFailed { said: String },
    #[error("its request failed: {}{said}", status.map_or_else(String::new, |it| format!("{it} ")))]
    RequestFailed { status: Option<u64>, said: String },
    #[error("no test is added in `model_patch`")]
    NoTestInPatch,
    #[error("`response.body.output` has no message")]
    NoMessage,
}

fn within(place: Option<&str>) -> String {
    place.map_or_else(String::new, |name| format!(" in `{name}`"))
}

/// Describes the lost part of a log that was cut off.
fn lost(n_read: u32, n_samples: Option<u64>) -> String {
    let Some(n_samples) = n_samples else {
        return "the rest is lost".to_owned();
    };
    match n_samples.saturating_sub(n_read.into()) {
        0 => "no sample is lost".to_owned(),
        n_lost => format!(
            "{} of {} samples {} lost",
            grouped(n_lost),
            grouped(n_samples),
            agreeing(n_lost, "is", "are")
        ),
    }
}
