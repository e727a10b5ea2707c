//! What `execute --brittle` has found, as it is printed, and the variants of one method.

use std::io::Write;

use crate::Context;
use crate::diff;
use crate::exchange::brittle::{VariantLineParts, WireBrittleRun, WireVariant};
use crate::execute::BrittleReport;
use crate::model::counted;
use crate::mutate::variant;
use crate::store::StoredVariant;
use crate::table::{Align, TextTable, visible};

use super::{again, unified};

/// Writes how many tests of a run object to each kind of variant.
pub fn write(out: &mut dyn Write, report: &BrittleReport) -> std::io::Result<()> {
    let counts = &report.counts;
    writeln!(
        out,
        "brittle: {} of {} object to code that keeps the contract",
        counts.n_brittle,
        counted(counts.n_tests, "test")
    )?;
    let mut table = TextTable::new(&[
        ("variant", Align::Left),
        ("object", Align::Right),
        ("of", Align::Right),
        ("", Align::Left),
    ]);
    for (kind, of_kind) in &counts.by_kind {
        table.row([
            kind.as_str().to_owned(),
            of_kind.n_objecting.to_string(),
            of_kind.n_held.to_string(),
            kind.describe().to_owned(),
        ]);
    }
    table.write(out)
}

/// Reports the tests that were not done, and the next step.
pub fn tell(context: &mut Context<'_, '_>, run: &str, report: &BrittleReport) {
    again::warn(context, &report.notes);
    for unsound in &report.unsound {
        context.say(&format!("run {run}: {}", visible(unsound)));
    }
    let unknown = [
        (
            report.n_unsettled,
            "do not pass on the unchanged code, and are not counted",
        ),
        (
            report.n_failed,
            "had no outcome, and are run again another time",
        ),
        (report.n_left, "are left: the same command continues"),
    ];
    let done = [
        (report.n_now, "run against variants"),
        (report.n_kept, "were before"),
    ];
    again::tell(context, run, &unknown, done);
}

pub fn wire(report: &BrittleReport) -> WireBrittleRun {
    WireBrittleRun {
        tests: report.n_tests,
        now: report.n_now,
        kept: report.n_kept,
        unsettled: report.n_unsettled,
        failed: report.n_failed,
        left: report.n_left,
        counts: (&report.counts).into(),
        unsound: report.unsound.iter().cloned().collect(),
        notes: report.notes.iter().cloned().collect(),
    }
}

/// Groups pairs by their variant; they come in that order.
pub fn by_variant(found: &[StoredVariant]) -> impl Iterator<Item = &[StoredVariant]> {
    found.chunk_by(|a, b| a.pair.variant.id == b.pair.variant.id)
}

/// Writes a variant as a difference, and what each test made of it.
pub fn write_variant(
    out: &mut dyn Write,
    tests: &[StoredVariant],
    text: Option<&str>,
) -> std::io::Result<()> {
    let variant = &tests[0].pair.variant;
    let kind = variant.kind;
    let head = format!("{} {}: {}", variant.file, kind.as_str(), kind.describe());
    writeln!(out, "{}", visible(&head))?;
    // Sources that were mined anew may be different.
    let text = text.filter(|text| variant::is_of(text, variant) && !variant.edits.is_empty());
    if let Some(text) = text
        && let Some(changed) = variant::applied(text, variant)
    {
        unified::write(out, "  ", (text, &changed), &diff::lines(text, &changed))?;
    }
    for test in tests {
        let by = test.pair.by.as_ref();
        let by = by.map_or_else(String::new, |by| format!(" ({by})"));
        let word = if test.pair.objects {
            "objects"
        } else {
            "passes"
        };
        let sound = if test.pair.is_sound {
            ""
        } else {
            ", unsound here"
        };
        let line = format!("  {} attempt {}: {word}{by}{sound}", test.run, test.attempt);
        writeln!(out, "{}", visible(&line))?;
    }
    Ok(())
}

pub fn wire_variant(stored: &StoredVariant) -> WireVariant<'_> {
    WireVariant::new(&VariantLineParts {
        run: &stored.run,
        sample: stored.sample,
        attempt: stored.attempt,
        variant: &stored.pair.variant,
        objects: stored.pair.objects,
        is_sound: stored.pair.is_sound,
        by: stored.pair.by.as_deref(),
    })
}
