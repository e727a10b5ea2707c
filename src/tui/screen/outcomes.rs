//! How it looks what became of a prediction that was run: a letter, a word and a colour, wherever it stands.

use crate::model::{Blocked, Confirmation, Execution, Outcome};
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

/// Returns the letter of an execution, its word as filters have it, and its colour.
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

/// Returns what an outcome means, for people.
#[must_use]
pub const fn about(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unparsable => "it is not one method of its language",
        Outcome::NotCompilable => "the compiler refuses it",
        Outcome::NotExecuted => "no test ran",
        Outcome::Timeout => "it did not end in time",
        Outcome::Crash => "the process ended without an answer",
        Outcome::Failing => "something was thrown",
        Outcome::Passing => "it passes, but never calls the focal method or cannot fail",
        Outcome::Correct => "it passes, enters the focal method, and can fail",
    }
}

/// Returns what a second look found, for people.
#[must_use]
pub const fn about_confirmed(word: Confirmation) -> &'static str {
    match word {
        Confirmation::Yes => "it passes again, and fails where it has to",
        Confirmation::LeftEarly => "it was left before an assertion was reached",
        Confirmation::Forged => "it passes also where it has to fail",
        Confirmation::Unstable => "a process of its own says less",
        Confirmation::Undecided => "the second run gave no result",
    }
}

/// Returns why there is no outcome, for people.
#[must_use]
pub const fn about_blocked(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::NoBuild => "the project, or its module, was not built",
        Blocked::NoScaffold => "the file of the true test does not compile without its tests",
        Blocked::NoFocal => "the sample has no focal method",
        Blocked::NoEngine => "no engine can run this framework",
        Blocked::Cancelled => "it was cancelled",
    }
}
