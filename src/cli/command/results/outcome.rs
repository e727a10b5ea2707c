//! The outcome of a prediction, below the facts about its text.

use crate::execute::detail::{ExecutionDetail, OUTSIDE, place_of};
use crate::model::{BlockedReason, Outcome, ResultRow};
use crate::table::{visible, visible_source};

/// Writes the outcome of a prediction and, in short, the reason, also of an unstable test: `failing: ValueError`,
/// `correct · unstable: zone`.
pub fn in_a_list(row: &ResultRow, reason: Option<&str>) -> String {
    let word = row.execution.and_then(|execution| {
        let outcome = execution.outcome.map(Outcome::as_str);
        outcome.or(execution.blocked.map(BlockedReason::as_str))
    });
    // A package says little, and takes the room of the tags.
    let short = reason.map(|reason| reason.rsplit(['.', '$']).next().unwrap_or(reason));
    let mut words = match (word, short) {
        (Some(word), Some(reason)) => format!("{word}: {}", visible(reason)),
        (word, _) => word.unwrap_or("–").to_owned(),
    };
    let stability = row.execution.and_then(|execution| execution.stability);
    if let Some(shake) = stability.and_then(|stability| stability.reason()) {
        words.push_str(" · unstable: ");
        words.push_str(shake.as_str());
    }
    words
}

/// Writes the lines on the outcome, its reason, and how far the focal method was reached.
pub fn outcome_lines(detail: &ExecutionDetail) -> String {
    let execution = &detail.execution;
    let word = execution
        .outcome
        .map(Outcome::as_str)
        .or(execution.blocked.map(BlockedReason::as_str));
    let word = word.unwrap_or("unknown");
    let mut lines = vec![format!("ran: {word} · {}", detail.meaning())];
    let mut line = |text: &str| lines.push(format!("  {}", visible(text)));
    for remark in detail.remarks() {
        line(&remark.text);
    }
    if execution.outcome.is_some() {
        line(&format!("focal method {}", detail.reach()));
    }
    line(&detail.how());
    if detail.is_outside_suite {
        line(OUTSIDE);
    }
    if let Some(why) = &detail.why {
        line(&place_of(why));
        for part in std::iter::once(&why.message).chain(&why.trace) {
            let text = visible_source(part);
            lines.extend(text.lines().map(|row| format!("    {row}")));
        }
    }
    lines.join("\n")
}
