//! What people have said of a sample, beside its code: in few words for a line, and all of it label by label.
//!
//! Does not decide who may see it: whoever shows it to a blind annotator leaves it out.

use crate::model::{Past, utc};
use crate::review::Spoken;
use crate::screen::annotate::aside;
use crate::store::Sign;
use crate::text::visible;
use crate::theme::Role;
use crate::wrap::wrap;

/// Columns of a value: longer ones go on below.
const VALUE_WIDTH: u16 = 72;
/// Rows that what no longer holds may take.
const BEFORE_MAX: usize = 8;

/// Returns what is known of a sample's people, label by label: what holds, then what was said before.
#[must_use]
pub fn facts(spoken: &Spoken) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |label: &str, text: &str| push_wrapped(&mut facts, label, text);
    if let Some(ruling) = &spoken.ruling {
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
    for verdict in &spoken.verdicts {
        add(
            "verdict",
            &format!("{}: {}", verdict.annotator, aside::said(&verdict.judged)),
        );
    }
    for note in &spoken.notes {
        add("note", &format!("{}: {}", note.annotator, note.text));
    }
    if !spoken.marked_by.is_empty() {
        add("marked by", &spoken.marked_by.join(", "));
    }
    for ruling in &spoken.tags {
        let tagged = &ruling.tagged;
        add(
            "tags",
            &format!(
                "{}: {} on a prediction of {}",
                ruling.annotator, tagged.tags, tagged.run
            ),
        );
    }
    let holding = spoken.holding();
    let before = spoken
        .past
        .iter()
        .filter(|past| !holding.contains(&past.event.id()));
    let n_before = before.clone().count();
    for Past { event, is_undone } in before.take(BEFORE_MAX) {
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

/// Returns the same in few words, without what the annotator `but` said: for a line that has more to say.
#[must_use]
pub fn brief(spoken: &Spoken, but: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(ruling) = &spoken.ruling {
        parts.push(format!("ruled: {}", aside::ruled(&ruling.judged)));
    }
    let verdicts = spoken
        .verdicts
        .iter()
        .filter(|verdict| verdict.annotator != but);
    parts.extend(verdicts.map(|verdict| {
        let word = verdict.judged.judgement.as_str().replace('_', " ");
        format!("{}: {word}", verdict.annotator)
    }));
    let marked_by: Vec<&str> = spoken.marked_by.iter().map(String::as_str).collect();
    let marked_by: Vec<&str> = marked_by.into_iter().filter(|name| *name != but).collect();
    if !marked_by.is_empty() {
        parts.push(format!("marked by {}", marked_by.join(", ")));
    }
    if !spoken.tags.is_empty() {
        parts.push("tagged".to_owned());
    }
    let notes = spoken.notes.iter().filter(|note| note.annotator != but);
    parts.extend(notes.map(|note| format!("{} notes: {}", note.annotator, note.text)));
    parts
}

/// Returns the glyph of a sign in a list.
#[must_use]
pub const fn glyph(sign: Sign) -> (&'static str, Role) {
    match sign {
        Sign::Judged => ("•", Role::Dim),
        Sign::Tagged => ("#", Role::Focal),
        Sign::Marked => ("!", Role::Warning),
        Sign::Noted => ("¶", Role::Focal),
        Sign::Ruled => ("★", Role::Good),
    }
}
