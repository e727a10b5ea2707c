//! The changes in test and focal method since a verdict, as two texts for their panes.

use std::sync::Arc;

use crate::desk::Message;
use crate::diff::{self, DiffRow, DiffSide};
use crate::review::Difference;
use crate::screen::annotate::Annotate;
use crate::screen::docs::hidden;
use crate::screen::pen::Refusal;
use crate::text::{Doc, DocLine, sanitize};
use crate::theme::Role;

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

impl Annotate {
    pub(super) fn changes(&self, difference: &Difference) -> [Option<Arc<Doc>>; 2] {
        if self.reviewing.is_blind {
            blind(difference)
        } else {
            docs(difference)
        }
    }

    /// Shows the changes since the verdict, or the code again.
    pub(super) fn turn_difference(&mut self) -> Result<Option<Message>, Refusal> {
        let item = self.item.as_deref();
        let item = item.ok_or(Refusal::Missing { what: "sample" })?;
        let Some(difference) = &item.difference else {
            return Err(match (&item.mine, item.stale) {
                (None, _) => Refusal::NotJudged,
                (Some(_), None) => Refusal::Unchanged,
                (Some(_), Some(_)) => Refusal::Unknown,
            });
        };
        let is_shown = self.panes.is_replaced();
        let changes = (!is_shown).then(|| self.changes(difference));
        self.panes.replace(changes);
        let text = if is_shown {
            "the code as it is now"
        } else if difference.is_elsewhere() {
            "test and focal method are the same: a fixture or a context has changed"
        } else {
            "changes since your verdict"
        };
        Ok(Some((text.to_owned(), Role::Dim)))
    }
}

/// Shows the differences of test and focal method; nothing for an unchanged one, so that its code is shown.
pub fn docs(difference: &Difference) -> [Option<Arc<Doc>>; 2] {
    let (then, now) = difference.test_texts();
    let test = doc(then, now, &difference.test);
    let (then, now) = difference.focal_texts();
    let mut focal = doc(then, now, &difference.focal);
    let key = |snapshot: Option<&crate::model::Snapshot>| {
        let focal = snapshot.and_then(|snapshot| snapshot.focal.as_ref());
        focal.map_or_else(
            || "no focal method".to_owned(),
            |snapshot_method| snapshot_method.key.clone(),
        )
    };
    let (then, now) = (key(Some(&difference.then)), key(difference.now.as_ref()));
    if then != now {
        focal.push_note(Role::Dim, "");
        focal.push_note(Role::Error, &format!("- {then}"));
        focal.push_note(Role::Good, &format!("+ {now}"));
    }
    [test, focal].map(|doc| (!doc.lines.is_empty()).then(|| Arc::new(doc)))
}

/// Shows the same to an annotator who must not know the focal method.
pub fn blind(difference: &Difference) -> [Option<Arc<Doc>>; 2] {
    let [test, _] = docs(difference);
    [test, Some(Arc::new(hidden()))]
}

fn doc(then: &str, now: &str, rows: &[DiffRow]) -> Doc {
    let mut doc = Doc::default();
    push(&mut doc, (then, now), rows, CONTEXT);
    doc
}

/// Adds the differences between two texts, with `context` lines around a change; nothing where they are equal.
pub fn push(doc: &mut Doc, (then, now): (&str, &str), rows: &[DiffRow], context: usize) {
    if diff::is_same(rows) {
        return;
    }
    let (then, now) = (diff::split(then), diff::split(now));
    for (nth, hunk) in diff::hunks(rows, context).into_iter().enumerate() {
        if nth > 0 && context > 0 {
            doc.push_note(Role::Dim, "  ⋯");
        }
        let rows = &rows[hunk];
        for (side, idx) in diff::unified(rows) {
            doc.lines.push(line(&rows[idx], side, &then, &now));
        }
    }
}

/// Makes a line of one side, with its differences emphasised.
fn line(row: &DiffRow, side: DiffSide, then: &[&str], now: &[&str]) -> DocLine {
    let (sign, role, texts, idx, emphasis) = match side {
        DiffSide::Old => ("- ", Role::Error, then, row.old, &row.old_emphasis),
        DiffSide::New => ("+ ", Role::Good, now, row.new, &row.new_emphasis),
        DiffSide::Both => ("  ", Role::Text, now, row.new, &row.new_emphasis),
    };
    let raw = idx
        .and_then(|idx| texts.get(idx as usize))
        .copied()
        .unwrap_or_default();
    let raw = raw.strip_suffix('\n').unwrap_or(raw);
    let clean = sanitize(raw.strip_suffix('\r').unwrap_or(raw));
    let from = sign.len() as u32;
    let spans = emphasis.iter().map(|range| {
        let (start, end) = (clean.map(range.start), clean.map(range.end));
        (from + start, from + end, Role::Match)
    });
    DocLine {
        spans: spans.collect(),
        text: format!("{sign}{}", clean.text),
        role: Some(role),
        ..DocLine::default()
    }
}
