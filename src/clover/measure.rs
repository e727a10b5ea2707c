//! Which lines of the project each problem covers, in all repeats or only in some.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use crate::exchange::{WireRan, outcomes::to_json, parse};
use crate::model::Outcome;
use crate::runner::Site;
use crate::runner::python::{CaseExecution, Environment, ItemExecution, PythonCase, run_cases};
use crate::store::{CloverCase, CloverLines, Store};
use crate::task::{Cancelled, Monitor};

use super::extract::{CloverProblem, extract};
use super::{CloverError, CloverOptions, LineSet, file_of, folder_of};

/// A test that does nothing: it covers what a folder's conftests and pytest itself run of the project.
const EMPTY: &str = "def test():\n    assert True\n";

/// The lines that a case covers in all its repeats together.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredCase {
    pub id: String,
    /// The outcome of the first repeat.
    pub ran: CaseExecution,
    /// Lines that all repeats cover, by file.
    pub lines: BTreeMap<String, LineSet>,
    /// Lines that only some repeats cover, by file.
    pub unstable: BTreeMap<String, LineSet>,
    /// It was measured before, and read.
    pub is_known: bool,
}

/// Returns the node under which the empty test of a folder is stored; no problem has such a node.
pub(crate) fn empty_node(folder: &str) -> String {
    format!("{folder}/::")
}

/// Measures all verified problems that are not measured yet, and an empty test of each of their folders; returns the
/// problems that were asked for.
///
/// # Errors
/// Where nothing more can be run or written.
pub fn measure(
    store: &mut Store,
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    monitor: &Monitor,
) -> Result<Vec<MeasuredCase>, CloverError> {
    let problems: Vec<CloverProblem> = extract(store, site, environment, options, monitor)?;
    let problems: Vec<CloverProblem> = problems
        .into_iter()
        .filter(CloverProblem::is_verified)
        .collect();
    let folders: BTreeSet<&str> = problems
        .iter()
        .map(|problem| folder_of(file_of(&problem.id)))
        .collect();
    let version = environment.version();
    let rows: BTreeMap<String, CloverCase> = store
        .clover_cases(&environment.name)?
        .into_iter()
        .filter(|clover_case| clover_case.version == version)
        .map(|clover_case| (clover_case.node.clone(), clover_case))
        .collect();
    let mut known: BTreeMap<String, Vec<CloverLines>> = BTreeMap::new();
    for (node, lines) in store.clover_lines(&environment.name)? {
        known.entry(node).or_default().push(lines);
    }
    let mut cases: Vec<(String, PythonCase)> = Vec::new();
    for folder in folders {
        let slash = if folder.is_empty() { "" } else { "/" };
        let path = format!("{folder}{slash}tmp_focalist_empty.py");
        let case = PythonCase {
            path,
            code: Some(EMPTY.to_owned()),
            ..PythonCase::default()
        };
        cases.push((empty_node(folder), case));
    }
    for problem in &problems {
        let case = PythonCase {
            path: problem.path.clone().unwrap_or_default(),
            code: problem.code.clone(),
            ..PythonCase::default()
        };
        cases.push((problem.id.clone(), case));
    }
    let is_known = |node: &str| rows.get(node).is_some_and(|row| row.ran.is_some());
    cases.retain(|case| !is_known(&case.0));
    let mut new: BTreeMap<String, MeasuredCase> = BTreeMap::new();
    let mut waiting: Vec<(CloverCase, Vec<CloverLines>)> = Vec::new();
    let mut failed = None;
    let ran = measure_cases(
        site,
        environment,
        options,
        &cases,
        monitor,
        &mut |measured| {
            let case = cases.iter().find(|case| case.0 == measured.id);
            waiting.push((
                row(&measured, case.map(|case| &case.1), &version),
                stored(&measured),
            ));
            new.insert(measured.id.clone(), measured);
            if waiting.len() >= 16 {
                let written = store.write_clover(&environment.name, &waiting, monitor);
                waiting.clear();
                if let Err(error) = written {
                    failed = Some(error);
                    return Err(Cancelled);
                }
            }
            Ok(())
        },
    );
    // Finished measurements are written even after a cancel.
    store.write_clover(&environment.name, &waiting, &Monitor::default())?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    ran?;
    let mut all = Vec::new();
    for problem in &problems {
        if let Some(measured) = new.remove(&problem.id) {
            all.push(measured);
        } else if let Some(ran) = rows.get(&problem.id).and_then(|row| row.ran.as_deref()) {
            all.push(read(
                problem,
                ran,
                known.remove(&problem.id).unwrap_or_default(),
            ));
        }
    }
    Ok(all)
}

/// Runs each case `n_repeats` times, and hands it to the sink once all its repeats are there.
///
/// # Errors
/// Where nothing more can be run, and those of the sink.
#[expect(
    clippy::too_many_arguments,
    reason = "each is of its own: what is there, what is asked, and who watches"
)]
pub fn measure_cases(
    site: &Site,
    environment: &Environment,
    options: &CloverOptions,
    cases: &[(String, PythonCase)],
    monitor: &Monitor,
    sink: &mut dyn FnMut(MeasuredCase) -> Result<(), Cancelled>,
) -> Result<(), CloverError> {
    let n_repeats = options.n_repeats.max(1);
    // The repeats of a case follow each other, so that it is complete soon.
    let repeated: Vec<PythonCase> = cases
        .iter()
        .flat_map(|case| std::iter::repeat_n(case.1.clone(), n_repeats))
        .collect();
    monitor
        .n_predictions_total
        .fetch_add(repeated.len() as u64, Ordering::Relaxed);
    let mut open: BTreeMap<usize, Vec<(usize, CaseExecution)>> = BTreeMap::new();
    run_cases(
        site,
        environment,
        &repeated,
        &options.running(true),
        monitor,
        &mut |idx, ran| {
            monitor.n_predictions.fetch_add(1, Ordering::Relaxed);
            let case_idx = idx / n_repeats;
            let repeats = open.entry(case_idx).or_default();
            repeats.push((idx, ran));
            if repeats.len() == n_repeats {
                let mut repeats = open.remove(&case_idx).unwrap_or_default();
                repeats.sort_by_key(|repeat| repeat.0);
                sink(joined(
                    &cases[case_idx].0,
                    repeats.into_iter().map(|repeat| repeat.1).collect(),
                ))?;
            }
            Ok(())
        },
    )?;
    Ok(())
}

/// Joins the repeats of a case.
fn joined(id: &str, repeats: Vec<CaseExecution>) -> MeasuredCase {
    let sets: Vec<BTreeMap<String, LineSet>> = repeats
        .iter()
        .map(|repeat| {
            let lines = repeat.lines.iter().flatten();
            lines
                .map(|(file, ranges)| (file.clone(), LineSet::of_ranges(ranges)))
                .collect()
        })
        .collect();
    let files: BTreeSet<&String> = sets.iter().flat_map(BTreeMap::keys).collect();
    let (mut lines, mut unstable) = (BTreeMap::new(), BTreeMap::new());
    let none = LineSet::default();
    for file in files {
        let mut some = LineSet::default();
        let mut all: Option<LineSet> = None;
        for set in &sets {
            let of_file = set.get(file).unwrap_or(&none);
            some.add(of_file);
            all.get_or_insert_with(|| of_file.clone()).keep(of_file);
        }
        let all = all.unwrap_or_default();
        some.remove(&all);
        if !all.is_empty() {
            lines.insert(file.clone(), all);
        }
        if !some.is_empty() {
            unstable.insert(file.clone(), some);
        }
    }
    let ran = repeats
        .into_iter()
        .next()
        .unwrap_or_else(|| CaseExecution::new(Outcome::Crash, "none", ""));
    MeasuredCase {
        id: id.to_owned(),
        ran,
        lines,
        unstable,
        is_known: false,
    }
}

fn row(measured: &MeasuredCase, case: Option<&PythonCase>, version: &str) -> CloverCase {
    CloverCase {
        node: measured.id.clone(),
        version: version.to_owned(),
        path: case.map(|case| case.path.clone()),
        code: case.and_then(|case| case.code.clone()),
        outcome: Some(measured.ran.outcome),
        reason: None,
        ran: Some(wire(&measured.ran)),
    }
}

/// Writes the facts about an execution besides its lines as JSON.
fn wire(ran: &CaseExecution) -> String {
    let kept = WireRan {
        outcome: ran.outcome.as_str().to_owned(),
        reason: ran.reason.clone(),
        message: ran.message.clone(),
        items: ran
            .items
            .iter()
            .map(|item_execution| (item_execution.id.clone(), item_execution.outcome.clone()))
            .collect(),
        seconds: ran.seconds,
        engine: ran.engine.to_owned(),
    };
    to_json(&kept)
}

fn stored(measured: &MeasuredCase) -> Vec<CloverLines> {
    let files: BTreeSet<&String> = measured
        .lines
        .keys()
        .chain(measured.unstable.keys())
        .collect();
    let bits = |line_set: &LineSet| line_set.bits().to_vec();
    let made = files.into_iter().map(|file| CloverLines {
        file: file.clone(),
        covered: measured.lines.get(file).map(bits).unwrap_or_default(),
        unstable: measured.unstable.get(file).map(bits),
    });
    made.collect()
}

/// Restores an earlier measurement from its rows.
fn read(problem: &CloverProblem, ran: &str, stored: Vec<CloverLines>) -> MeasuredCase {
    // A text that cannot be read is one that was never kept.
    let kept: WireRan = parse(ran.as_bytes()).unwrap_or_default();
    let mut ran = CaseExecution::new(problem.outcome.unwrap_or(Outcome::Passing), "", "");
    ran.reason = kept.reason;
    ran.message = kept.message;
    ran.seconds = kept.seconds;
    ran.engine = if kept.engine == "fresh" {
        "fresh"
    } else {
        "fork"
    };
    ran.items = kept
        .items
        .into_iter()
        .map(|(id, outcome)| ItemExecution { id, outcome })
        .collect();
    let measured = MeasuredCase::of_lines(&problem.id, ran, stored);
    MeasuredCase {
        is_known: true,
        ..measured
    }
}

impl MeasuredCase {
    /// Restores a test from its stored lines.
    pub(crate) fn of_lines(id: &str, ran: CaseExecution, stored: Vec<CloverLines>) -> Self {
        let (mut lines, mut unstable) = (BTreeMap::new(), BTreeMap::new());
        for clover_lines in stored {
            let covered = LineSet::of_bits(clover_lines.covered);
            if !covered.is_empty() {
                lines.insert(clover_lines.file.clone(), covered);
            }
            if let Some(bits) = clover_lines.unstable {
                unstable.insert(clover_lines.file, LineSet::of_bits(bits));
            }
        }
        Self {
            id: id.to_owned(),
            ran,
            lines,
            unstable,
            is_known: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_not_all_repeats_cover_is_unstable() {
        let repeat = |ranges: &str| {
            let mut ran = CaseExecution::new(Outcome::Passing, "", "");
            ran.lines = Some([("p.py".to_owned(), ranges.to_owned())].into());
            ran
        };
        let measured = joined("t", vec![repeat("1-5"), repeat("1-3,7")]);
        assert_eq!(measured.lines["p.py"].ranges(), "1-3");
        assert_eq!(measured.unstable["p.py"].ranges(), "4-5,7");
    }
}
