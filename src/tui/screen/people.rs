//! People's verdicts, marks, tags and notes on a sample in few words: for a line, and as one sign in a list.
//!
//! Does not decide who may see it: the screens leave it out for a blind annotator.

use crate::model::Verdict;
use crate::review::SampleRemarks;
use crate::store::Sign;
use crate::theme::Role;

/// Describes them in few words for a crowded line, without those of the annotator `but`.
#[must_use]
pub fn brief(remarks: &SampleRemarks, but: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(ruling) = &remarks.ruling {
        parts.push(format!("ruled: {}", word(ruling)));
    }
    let verdicts = remarks
        .verdicts
        .iter()
        .filter(|verdict| verdict.annotator != but);
    parts.extend(verdicts.map(|verdict| format!("{}: {}", verdict.annotator, word(verdict))));
    let marked_by: Vec<&str> = remarks.marked_by.iter().map(String::as_str).collect();
    let marked_by: Vec<&str> = marked_by.into_iter().filter(|name| *name != but).collect();
    if !marked_by.is_empty() {
        parts.push(format!("marked by {}", marked_by.join(", ")));
    }
    if !remarks.tags.is_empty() {
        parts.push("tagged".to_owned());
    }
    let notes = remarks.notes.iter().filter(|note| note.annotator != but);
    parts.extend(notes.map(|note| format!("{} notes: {}", note.annotator, note.text)));
    parts
}

fn word(verdict: &Verdict) -> String {
    verdict.judged.judgement.as_str().replace('_', " ")
}

/// Returns the glyph of a sign in a list, and its role.
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
