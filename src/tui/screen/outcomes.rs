//! The look of an execution's outcome: a letter, a word and a colour, the same on every screen.

use crate::model::{Execution, Outcome};
use crate::theme::Role;

/// Takes the place of the letter where there is no outcome.
pub const NONE: &str = "–";
/// Follows the letter of a prediction that was not run because an equal one was.
pub const TWIN: &str = "=";

#[must_use]
pub const fn role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Unparsable => Role::RanUnparsable,
        Outcome::NotCompilable => Role::RanNotCompilable,
        Outcome::NotExecuted => Role::RanNotExecuted,
        Outcome::Timeout => Role::RanTimeout,
        Outcome::Crash => Role::RanCrash,
        Outcome::Failing => Role::RanFailing,
        Outcome::Passing => Role::RanPassing,
        Outcome::Correct => Role::RanCorrect,
    }
}

/// Returns the letter of an execution, its word in filters, and its colour.
#[must_use]
pub fn signs(execution: &Execution) -> (String, &'static str, Role) {
    let twin = execution.duplicate_of.map_or("", |_| TWIN);
    match (execution.outcome, execution.blocked) {
        (Some(outcome), _) => {
            let letter = format!("{}{twin}", outcome.letter());
            (letter, outcome.as_str(), role(outcome))
        }
        (None, Some(blocked)) => (NONE.to_owned(), blocked.as_str(), Role::RanBlocked),
        (None, None) => (NONE.to_owned(), "", Role::Dim),
    }
}
