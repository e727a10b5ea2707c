//! All of people's remarks on a sample, label by label, to stand below the other facts.

use crate::model::{PastEvent, utc};
use crate::review::SampleRemarks;
use crate::screen::annotate::aside;
use crate::text::visible;
use crate::wrap::wrap;

/// The width of a value; a longer one is wrapped.
const VALUE_WIDTH: u16 = 72;
/// The most rows of events that no longer hold.
const BEFORE_MAX: usize = 8;

/// Lists people's remarks with their labels: first those that hold, then earlier events.
#[must_use]
pub fn facts(remarks: &SampleRemarks) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |label: &str, text: &str| push_wrapped(&mut facts, label, text);
    if let Some(ruling) = &remarks.ruling {
        let reason = ruling.reason.as_deref().unwrap_or_default();
        let reason = if reason.is_empty() {
            String::new()
        } else {
            format!(" ({reason})")
        };
        let text = format!(
            "{}{reason}, by {}",
            aside::ruled(&ruling.judged),
            ruling.annotator
        );
        add("ruled", &text);
    }
    for verdict in &remarks.verdicts {
        add(
            "verdict",
            &format!(
                "{}: {}",
                verdict.annotator,
                aside::judgement_words(&verdict.judged)
            ),
        );
    }
    for note in &remarks.notes {
        add("note", &format!("{}: {}", note.annotator, note.text));
    }
    if !remarks.marked_by.is_empty() {
        add("marked by", &remarks.marked_by.join(", "));
    }
    for ruling in &remarks.tags {
        let tagged = &ruling.tagged;
        add(
            "tags",
            &format!(
                "{}: {} on a prediction of {}",
                ruling.annotator, tagged.tags, tagged.run
            ),
        );
    }
    let holding = remarks.holding();
    let before = remarks
        .past
        .iter()
        .filter(|past| !holding.contains(&past.event.id()));
    let n_before = before.clone().count();
    for PastEvent { event, is_undone } in before.take(BEFORE_MAX) {
        let undone = if *is_undone { " · undone" } else { "" };
        let text = format!(
            "{} {}: {}{undone}",
            utc(event.at_ms()),
            event.annotator(),
            aside::done(event.kind())
        );
        add("before", &text);
    }
    if n_before > BEFORE_MAX {
        let n_more = n_before - BEFORE_MAX;
        add(
            "",
            &format!("{n_more} more: `focalist verdicts history KEY`"),
        );
    }
    facts
}

fn push_wrapped(facts: &mut Vec<(String, String)>, label: &str, text: &str) {
    let text = visible(text);
    let mut rows = Vec::new();
    wrap(0, &text, VALUE_WIDTH, &mut rows);
    for (idx, row) in rows.iter().enumerate() {
        let part = &text[row.start as usize..row.end as usize];
        let label = if idx == 0 { label } else { "" };
        facts.push((label.to_owned(), part.trim_end().to_owned()));
    }
}
