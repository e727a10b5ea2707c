//! What `execute --shake` has found, as it is printed.

use std::io::Write;

use crate::Context;
use crate::exchange::outcomes::WireShaken;
use crate::execute::StabilityReport;
use crate::model::{SampleDetail, counted, grouped};

use super::again;

/// Writes how many tests of a run are unstable, and why.
pub fn write(out: &mut dyn Write, report: &StabilityReport) -> std::io::Result<()> {
    let n_unstable: u64 = report.by_reason.values().sum();
    let reasons = report.by_reason.iter();
    let reasons: Vec<String> = reasons
        .map(|(reason, n)| format!("{} {}", grouped(*n), reason.as_str()))
        .collect();
    let why = if reasons.is_empty() {
        String::new()
    } else {
        format!(": {}", reasons.join(", "))
    };
    let tests = counted(report.n_known, "test");
    writeln!(out, "stability: {n_unstable} of {tests} unstable{why}")
}

/// Names the shakes that make the true test of a sample unstable, for people; nothing of a test that is not known to
/// be.
pub fn unstable(detail: &SampleDetail) -> Option<String> {
    let stability = detail
        .stability
        .filter(|stability| stability.reason().is_some())?;
    Some(format!("unstable: {}", stability.label()))
}

/// Reports the tests that were not done, and the next step.
pub fn tell(context: &mut Context<'_, '_>, run: &str, report: &StabilityReport) {
    again::warn(context, &report.notes);
    let unknown = [
        (
            report.n_unsettled,
            "stand in a class that does not finish, so their outcome is unknown",
        ),
        (report.n_left, "are left: the same command continues"),
    ];
    let done = [(report.n_now, "shaken"), (report.n_kept, "were before")];
    again::tell(context, run, &unknown, done);
}

pub fn wire(report: &StabilityReport) -> WireShaken {
    let reasons = report.by_reason.iter();
    WireShaken {
        tests: report.n_tests,
        known: report.n_known,
        now: report.n_now,
        kept: report.n_kept,
        unsettled: report.n_unsettled,
        left: report.n_left,
        unstable: reasons.map(|(reason, n)| (reason.as_str(), *n)).collect(),
        notes: report.notes.iter().cloned().collect(),
    }
}
