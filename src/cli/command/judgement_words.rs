//! People's judgements in words and as JSON: one place for all commands that print them.

use crate::exchange::review::WireVerdict;
use crate::model::{EventKind, JudgedSample, Judgement, Tags, Verdict};
use crate::review;

/// Describes a judgement as a person would.
pub fn judgement_words(judged: &JudgedSample) -> String {
    match judged.bulk {
        // Of verdicts given to near duplicates nothing is known but that.
        Some(bulk) if bulk.bound.error_max() >= 1.0 => {
            format!("{} (provisional)", plain_words(judged))
        }
        Some(bulk) => format!(
            "accept (provisional, ≤ {:.2} %)",
            bulk.bound.error_max() * 100.0
        ),
        None => plain_words(judged),
    }
}

fn plain_words(judged: &JudgedSample) -> String {
    match (&judged.judgement, &judged.focal) {
        (Judgement::Accept, Some(focal)) => format!("accept {focal}"),
        (Judgement::Accept, None) => "accept that there is no focal method".to_owned(),
        (Judgement::Pick(method), _) => format!("pick {method}"),
        (other, _) => other.as_str().replace('_', " "),
    }
}

/// Names tags as a person would.
pub fn tag_words(tags: Tags) -> String {
    if tags.is_empty() {
        "no tags".to_owned()
    } else {
        format!("tags {tags}")
    }
}

/// Describes an event as a person would.
pub fn event_words(kind: &EventKind) -> String {
    match kind {
        EventKind::Judged(judged) => match &judged.note {
            Some(note) => format!("{}, note: {note}", judgement_words(judged)),
            None => judgement_words(judged),
        },
        EventKind::Adjudicated { judged, reason } => ruling_words(judged, reason),
        EventKind::Noted { note, .. } => format!("note: {note}"),
        EventKind::Marked { .. } => "mark".to_owned(),
        EventKind::Unmarked { .. } => "unmark".to_owned(),
        EventKind::Undone { .. } => "undo".to_owned(),
        EventKind::Redone { .. } => "redo".to_owned(),
        EventKind::Drawn(draw) => format!("draw {}", draw.audit),
        EventKind::Batch(batch) if review::is_of_alike(batch) => format!(
            "give a verdict to {} provisionally ({})",
            batch.n_accepted, batch.audit
        ),
        EventKind::Batch(batch) => format!(
            "accept {} provisionally (≤ {:.2} %, {})",
            batch.n_accepted,
            batch.bound.error_max() * 100.0,
            batch.audit
        ),
        EventKind::Tagged(tagged) => format!("{} in {}", tag_words(tagged.tags), tagged.run),
        EventKind::Equivalent { mutant, .. } => format!("mark mutant {mutant} as equivalent"),
        EventKind::NotEquivalent { mutant, .. } => {
            format!("no longer mark mutant {mutant} as equivalent")
        }
    }
}

/// Describes an adjudication as a person would. Nothing is gold where nobody can tell: that is set aside, while an
/// annotator is unsure.
pub fn ruling_words(judged: &JudgedSample, reason: &str) -> String {
    let mut text = match judged.judgement {
        Judgement::Unsure => "set aside".to_owned(),
        Judgement::Accept
        | Judgement::NoneOfThese
        | Judgement::NoFocal
        | Judgement::Pick(_)
        | Judgement::Skip => format!("gold: {}", judgement_words(judged)),
    };
    if !reason.is_empty() {
        text += &format!(" ({reason})");
    }
    text
}

/// Tells how long the sample was shown before the verdict; empty where nobody measured.
pub fn took(judged: &JudgedSample) -> String {
    let seconds = judged
        .dwell_ms
        .map(|dwell_ms| f64::from(dwell_ms) / 1_000.0);
    seconds.map_or_else(String::new, |seconds| format!("{seconds:.1} s"))
}

/// Describes a verdict that holds as a person would.
pub fn verdict_words(verdict: &Verdict) -> String {
    match &verdict.reason {
        Some(reason) => ruling_words(&verdict.judged, reason),
        None => judgement_words(&verdict.judged),
    }
}

/// Writes a verdict as a line of JSON, without facts about its sample.
pub fn wire(verdict: &Verdict) -> WireVerdict<'_> {
    let judged = &verdict.judged;
    WireVerdict {
        key: judged.key.to_string(),
        annotator: &verdict.annotator,
        judgement: Some(judged.judgement.as_str()),
        picked: match &judged.judgement {
            Judgement::Pick(method) => Some(method),
            _ => None,
        },
        focal: judged.focal.as_deref(),
        at_ms: verdict.at_ms,
        dwell_ms: judged.dwell_ms,
        guideline: judged.guideline.as_deref(),
        queue: judged.queue.as_deref(),
        note: judged.note.as_deref(),
        reason: verdict.reason.as_deref(),
        provisional: judged.bulk.map(|bulk| bulk.bound.into()),
        ..WireVerdict::default()
    }
}
