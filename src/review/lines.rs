//! Events out of and into files: one line each, to be put together in any order.

use std::io::{BufRead, Write};

use crate::exchange::records::LineReader;
use crate::exchange::review::{VerdictRecord, WireEvent, WireSnapshot, read};
use crate::exchange::write_line;
use crate::model::{Event, Problem, Snapshot};
use crate::store::Verdicts;

use super::ReviewError;

/// Events that one transaction adds, so few that no other annotator waits long.
const EVENTS_AT_ONCE: usize = 500;

/// The counts and problems of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Events that were not there before.
    pub n_new: u64,
    /// Events that were there already.
    pub n_known: u64,
    /// Snapshots of judged samples that were not there before.
    pub n_snapshots: u64,
    /// Lines that are neither.
    pub problems: Vec<Problem>,
}

/// The counts of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictExport {
    pub n_events: u64,
    pub n_snapshots: u64,
}

/// Writes every event as a line, in the order of time, then every snapshot of a judged sample; the same events give the
/// same bytes.
pub fn export(verdicts: &Verdicts, out: &mut dyn Write) -> Result<VerdictExport, ReviewError> {
    let mut exported = VerdictExport::default();
    verdicts.each_event(|event| {
        write_line(out, &WireEvent::from(&event))?;
        exported.n_events += 1;
        Ok::<_, ReviewError>(())
    })?;
    verdicts.each_snapshot(|snapshot| {
        write_line(out, &WireSnapshot::from(&snapshot))?;
        exported.n_snapshots += 1;
        Ok::<_, ReviewError>(())
    })?;
    out.flush()?;
    Ok(exported)
}

/// Adds the events and snapshots of a file that are not there yet. `path` names it in problems; empty lines are none.
///
/// With `is_strict`, nothing is added when any line is a problem.
pub fn merge(
    verdicts: &mut Verdicts,
    path: &str,
    input: &mut dyn BufRead,
    is_strict: bool,
) -> Result<MergeReport, ReviewError> {
    let mut report = MergeReport::default();
    let mut events: Vec<Event> = Vec::new();
    let mut snapshots: Vec<Snapshot> = Vec::new();
    let mut lines = LineReader::new(input);
    while let Some((number, line)) = lines.next()? {
        let read = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => read(line.as_bytes()),
            Err(error) => Err(error),
        };
        match read {
            Ok(VerdictRecord::Event(event)) => events.push(event),
            Ok(VerdictRecord::Snapshot(snapshot)) => snapshots.push(snapshot),
            Err(error) => (report.problems).push(Problem::bad_line(path, number, &error)),
        }
    }
    if is_strict && !report.problems.is_empty() {
        return Ok(report);
    }
    for chunk in events.chunks(EVENTS_AT_ONCE) {
        let n_new = verdicts.merge(chunk)?;
        report.n_new += n_new;
        report.n_known += chunk.len() as u64 - n_new;
    }
    for chunk in snapshots.chunks(EVENTS_AT_ONCE) {
        report.n_snapshots += verdicts.merge_snapshots(chunk)?;
    }
    Ok(report)
}
