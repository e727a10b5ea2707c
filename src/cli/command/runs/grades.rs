//! The tables of `runs --grades`: what the tests of each run are worth, and how far text metrics say the same.

use crate::args::TableName;
use crate::command::executed::wire_mean;
use crate::command::hint;
use crate::command::results::{N_RESAMPLES, signed, title, wire};
use crate::eval::executed::{Yield, YieldAgreement, correlations};
use crate::eval::interval::Mean;
use crate::eval::results::{Grades, ResultsOptions, grades_of, list as list_of};
use crate::exchange::outcomes::{WireGrades, WireRunGrades};
use crate::exchange::write_lines;
use crate::failure::Stop;
use crate::model::RunRow;
use crate::print::PrintSection;
use crate::store::Store;
use crate::table::{NumberStyle, TextTable};
use crate::task::Monitor;
use crate::{Context, progress};

/// The head over the number of answers, where that is another than before; the name; the mean.
type GradeColumn = (
    Option<&'static str>,
    &'static str,
    fn(&Grades) -> Option<Mean>,
);

/// The columns of each run.
const COLUMNS: [GradeColumn; 6] = [
    (Some("ran"), "passing", |grades| grades.passing),
    (None, "correct", |grades| grades.correct),
    (Some("measured"), "lines covered", |grades| grades.lines),
    (Some("on faults"), "mutation", |grades| grades.mutation),
    (Some("on variants"), "brittle", |grades| grades.brittle),
    (Some("shaken"), "unstable", |grades| grades.unstable),
];

/// The grades of one run.
struct RunGrades {
    grades: Vec<Grades>,
    correlations: Vec<YieldAgreement>,
}

/// Writes the grades of each run, and the rank correlation of its metrics with the mutation score.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    format: TableName,
) -> Result<(), Stop> {
    let found = progress::run(context, |_, monitor| {
        let of_run = |run: &RunRow| graded(store, monitor, run);
        runs.iter().map(of_run).collect::<Result<Vec<_>, Stop>>()
    })?;
    let has_ranks = found
        .iter()
        .any(|run_grades| !run_grades.correlations.is_empty());
    context.print(
        format,
        |out| {
            write_lines(
                out,
                runs.iter()
                    .zip(&found)
                    .map(|(run, run_grades)| line(run, run_grades)),
            )
        },
        |numbers| {
            let remark = "rank correlation (Spearman) with the mutation score";
            let ranks = || PrintSection::remarked(remark.to_owned(), ranks(runs, &found, numbers));
            let grades = PrintSection::from(table(runs, &found, numbers));
            std::iter::once(grades).chain(has_ranks.then(ranks))
        },
    )?;
    if format != TableName::Json {
        for (run, found) in runs.iter().zip(&found) {
            tell_lacking(context, run, &found.grades);
        }
    }
    Ok(())
}

fn graded(store: &Store, monitor: &Monitor, run: &RunRow) -> Result<RunGrades, Stop> {
    let options = ResultsOptions {
        run: Some(run.setting.name.clone()),
        ..ResultsOptions::default()
    };
    let list = list_of(store, monitor, &options)?;
    let grades = grades_of(store, monitor, &list)?;
    let has_faults = grades.iter().any(|grade| grade.mutation.is_some());
    let correlations = if has_faults {
        correlations(store, monitor, run, &[Yield::Mutation], (N_RESAMPLES, 0))?
    } else {
        Vec::new()
    };
    Ok(RunGrades {
        grades,
        correlations,
    })
}

fn table(runs: &[RunRow], found: &[RunGrades], numbers: NumberStyle) -> TextTable {
    let mut heads = vec!["samples".to_owned()];
    for (over, name, _) in COLUMNS {
        heads.extend(over.map(str::to_owned));
        heads.extend(numbers.bounded_heads(name));
    }
    let mut table = TextTable::of(&["run", "repository"], &heads);
    for (run, found) in runs.iter().zip(found) {
        for grades in &found.grades {
            let mut cells = vec![
                run.setting.name.clone(),
                grades.repo.clone().unwrap_or_else(|| "all".to_owned()),
                grades.n_samples.to_string(),
            ];
            for (over, _, of) in COLUMNS {
                let mean = of(grades);
                let n = mean.map_or(0, |mean| mean.n);
                cells.extend(over.map(|_| n.to_string()));
                let (value, bounds) = (
                    mean.map(|mean| mean.value),
                    mean.and_then(|mean| mean.interval),
                );
                cells.extend(numbers.bounded(value, bounds));
            }
            table.row(cells);
        }
    }
    table
}

/// A row for each metric of each run.
fn ranks(runs: &[RunRow], found: &[RunGrades], numbers: NumberStyle) -> TextTable {
    let heads: &[&str] = match numbers {
        NumberStyle::People => &["answers", "Spearman", "95 % interval"],
        NumberStyle::Machine => &["answers", "spearman", "low", "high"],
    };
    let mut table = TextTable::of(&["run", "metric"], heads);
    for (run, found) in runs.iter().zip(found) {
        for correlation in &found.correlations {
            let value = correlation.spearman.map(|correlation| correlation.value);
            let bounds = correlation
                .spearman
                .and_then(|correlation| correlation.interval);
            let ends = [bounds.map(|bound| bound.0), bounds.map(|bound| bound.1)];
            let mut cells = vec![run.setting.name.clone()];
            match numbers {
                NumberStyle::People => {
                    let interval = bounds.map_or_else(
                        || numbers.none().to_owned(),
                        |_| ends.map(signed).join(" to "),
                    );
                    cells.extend([title(&correlation.measure), correlation.n.to_string()]);
                    cells.extend([signed(value), interval]);
                }
                NumberStyle::Machine => {
                    let plain = |value: Option<f64>| {
                        value.map_or_else(String::new, |value| value.to_string())
                    };
                    cells.extend([
                        correlation.measure.clone(),
                        correlation.n.to_string(),
                        plain(value),
                    ]);
                    cells.extend(ends.map(plain));
                }
            }
            table.row(cells);
        }
    }
    table
}

/// Says which commands complete the grades of a run.
fn tell_lacking(context: &mut Context<'_, '_>, run: &RunRow, grades: &[Grades]) {
    let Some(all) = grades.first() else {
        return;
    };
    let name = run.setting.name.as_str();
    let ways = [
        (all.passing, vec!["execute", name]),
        (all.mutation, vec!["execute", name, "--faults"]),
        (all.brittle, vec!["execute", name, "--brittle"]),
        (all.unstable, vec!["execute", name, "--shake", "all"]),
    ];
    let lacking = ways.iter().filter(|way| way.0.is_none());
    let commands: Vec<String> = lacking.map(|lacking| hint::command(&lacking.1)).collect();
    if !commands.is_empty() {
        context.say(&format!(
            "to complete the grades of run {}: {}",
            crate::table::visible(name),
            commands.join(", ")
        ));
    }
}

fn line<'a>(run: &'a RunRow, found: &'a RunGrades) -> WireRunGrades<'a> {
    let grades = found.grades.iter().map(|grade| WireGrades {
        repo: grade.repo.as_deref(),
        samples: grade.n_samples,
        passing: grade.passing.map(wire_mean),
        correct: grade.correct.map(wire_mean),
        lines: grade.lines.map(wire_mean),
        mutation: grade.mutation.map(wire_mean),
        brittle: grade.brittle.map(wire_mean),
        unstable: grade.unstable.map(wire_mean),
    });
    WireRunGrades {
        run: &run.setting.name,
        grades: grades.collect(),
        correlations: found.correlations.iter().map(wire).collect(),
    }
}
