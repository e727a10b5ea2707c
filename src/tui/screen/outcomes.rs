//! How it looks what became of a prediction that was run: a letter, a word and a colour, wherever it stands.

use crate::model::{Execution, Outcome};
use crate::theme::Role;

/// Stands in the place of a letter where there is no outcome.
pub const NONE: &str = "–";
/// Behind the letter of one that says the same as another one, which ran in its place.
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

/// Chooses the letter of an execution, its word in filters, and its colour.
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
