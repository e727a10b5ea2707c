//! What became of a prediction when it ran, below what is known of its text.

use std::fmt::Write;

use crate::execute::detail::{ExecutionDetail, OUTSIDE, place_of};
use crate::model::{Blocked, Outcome, ResultRow};
use crate::table::{visible, visible_source};

/// Returns the outcome of a prediction and, in short, the reason: `failing: ValueError`.
pub fn in_a_list(row: &ResultRow, reason: Option<&str>) -> String {
    let word = row.execution.and_then(|it| {
        let outcome = it.outcome.map(Outcome::as_str);
        outcome.or(it.blocked.map(Blocked::as_str))
    });
    // A package says little, and takes the room of the tags.
    let short = reason.map(|it| it.rsplit(['.', '$']).next().unwrap_or(it));
    match (word, short) {
        (Some(word), Some(reason)) => format!("{word}: {}", visible(reason)),
        (word, _) => word.unwrap_or("–").to_owned(),
    }
}

/// Returns the lines that say the outcome, why it is that one, and how far the focal method was reached; the last is empty.
pub fn told(detail: &ExecutionDetail) -> String {
    let execution = &detail.execution;
    let word = execution
        .outcome
        .map(Outcome::as_str)
        .or(execution.blocked.map(Blocked::as_str));
    let mut text = format!(
        "ran: {} · {}\n",
        word.unwrap_or("unknown"),
        detail.meaning()
    );
    let mut line = |it: &str| {
        let _ = writeln!(text, "  {}", visible(it));
    };
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
        for part in [Some(&why.message), why.trace.as_ref()]
            .into_iter()
            .flatten()
        {
            for row in visible_source(part).lines() {
                let _ = writeln!(text, "    {row}");
            }
        }
    }
    text.push('\n');
    text
}
