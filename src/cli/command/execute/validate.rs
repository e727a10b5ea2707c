//! `execute --validate`: is the pipeline itself right? Both settings of Tests4J's section 3.4.7, whose outcome is
//! known, and the reasons for other outcomes.

use std::collections::BTreeMap;

use super::{ExecuteOptions, ExecuteReport};
use crate::Context;
use crate::args::{self, TableName};
use crate::command::workspace;
use crate::exchange::outcomes::{WireUnexpected, WireValidated};
use crate::exchange::write_line;
use crate::failure::Stop;
use crate::model::Outcome;
use crate::table::{Align, NumberStyle, TextTable, visible};

/// The characters of a reason that are shown.
const REASON_CHARS: usize = 100;

/// The counts after both settings.
#[derive(Default)]
struct ValidationCounts {
    n_files: u64,
    n_sound: u64,
    n_tests: u64,
    n_executable: u64,
    /// Executable, and the focal method is called.
    n_called: u64,
    /// Counts by what happened and why, with one example.
    unexpected: BTreeMap<(String, String), (u64, String)>,
}

pub fn run(
    context: &mut Context<'_, '_>,
    arguments: &args::Execute,
    [dry, truth]: [ExecuteOptions; 2],
) -> Result<(), Stop> {
    let without = super::executed(context, arguments, &dry)?;
    let with = super::executed(context, arguments, &truth)?;
    let mut found = ValidationCounts {
        n_files: without.n_files,
        n_sound: without.n_files - without.faults.len() as u64,
        ..ValidationCounts::default()
    };
    for fault in &without.faults {
        let example = format!("{} {}", fault.project, fault.path);
        found.add("without tests".to_owned(), &fault.fault, example);
    }
    for unbuilt in without.unbuilt.iter().chain(&with.unbuilt) {
        found.add(
            "not built".to_owned(),
            &unbuilt.reason,
            unbuilt.project.clone(),
        );
    }
    gather(context, &with, &mut found)?;
    context.print(
        TableName::of(arguments.json),
        |out| write_line(out, &found.wire()),
        |numbers| found.tables(numbers),
    )?;
    let n_unexpected = found.unexpected.values().map(|value| value.0).sum::<u64>();
    context.end(usize::try_from(n_unexpected).unwrap_or(usize::MAX))
}

/// Adds the outcomes of the tests themselves.
fn gather(
    context: &Context<'_, '_>,
    with: &ExecuteReport,
    found: &mut ValidationCounts,
) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    for run in &with.runs {
        found.n_tests += run.funnel.n_unique;
        found.n_executable += run.funnel.n_executable;
        found.n_called += run.funnel.n_correct_tests4j;
        let Some(row) = store.run(&run.run)? else {
            continue;
        };
        store.each_execution(row.id, &run.engine, |stored_execution| {
            if stored_execution.execution.duplicate_of.is_some() {
                return Ok::<_, Stop>(());
            }
            let execution = &stored_execution.execution;
            let (what, why) = match (execution.counted(), execution.blocked) {
                (Some(Outcome::Correct), _) | (None, None) => return Ok(()),
                (Some(Outcome::Passing), _) if execution.is_called == Some(true) => return Ok(()),
                (Some(Outcome::Passing), _) => ("passing", "does not call the focal method"),
                (Some(outcome), _) => (outcome.as_str(), stored_execution.words.as_str()),
                (None, Some(blocked)) => (blocked.as_str(), stored_execution.words.as_str()),
            };
            found.add(
                what.to_owned(),
                why,
                stored_execution.prediction.key.to_string(),
            );
            Ok(())
        })?;
    }
    Ok(())
}

/// What and why, how many, and one of them.
type UnexpectedOutcome<'f> = (&'f (String, String), &'f (u64, String));

impl ValidationCounts {
    /// Counts an unexpected outcome, under the first line of its reason.
    fn add(&mut self, what: String, why: &str, example: String) {
        let line = why.lines().find(|line| !line.trim().is_empty());
        let line: String = line
            .unwrap_or_default()
            .trim()
            .chars()
            .take(REASON_CHARS)
            .collect();
        let kept = self.unexpected.entry((what, line)).or_insert((0, example));
        kept.0 += 1;
    }

    fn rows(&self) -> Vec<UnexpectedOutcome<'_>> {
        let mut rows: Vec<_> = self.unexpected.iter().collect();
        rows.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(b.0)));
        rows
    }

    fn wire(&self) -> WireValidated {
        let unexpected =
            self.rows()
                .into_iter()
                .map(|((what, why), (n, example))| WireUnexpected {
                    what: what.clone(),
                    why: why.clone(),
                    n: *n,
                    example: example.clone(),
                });
        WireValidated {
            files: self.n_files,
            sound: self.n_sound,
            tests: self.n_tests,
            executable: self.n_executable,
            focal_called: self.n_called,
            unexpected: unexpected.collect(),
        }
    }

    fn tables(&self, numbers: NumberStyle) -> Vec<TextTable> {
        let mut tests = TextTable::of(&[""], &["n", "of", "%"]);
        for (name, n, all) in [
            (
                "files without tests: compile, none runs",
                self.n_sound,
                self.n_files,
            ),
            (
                "tests themselves: executable",
                self.n_executable,
                self.n_tests,
            ),
            (
                "of these: call the focal method",
                self.n_called,
                self.n_executable,
            ),
        ] {
            let share = (all > 0).then(|| n as f64 / all as f64);
            tests.row([
                name.to_owned(),
                n.to_string(),
                all.to_string(),
                numbers.share(share),
            ]);
        }
        if self.unexpected.is_empty() {
            return vec![tests];
        }
        let mut unexpected = TextTable::new(&[
            ("what", Align::Left),
            ("n", Align::Right),
            ("why", Align::Left),
            ("example", Align::Left),
        ]);
        for ((what, why), (n, example)) in self.rows() {
            unexpected.row([visible(what), n.to_string(), visible(why), visible(example)]);
        }
        vec![tests, unexpected]
    }
}
