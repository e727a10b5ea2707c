//! The command `runs`.

mod compile_errors;
mod grades;
mod languages;
mod samples;
mod settings;
mod table;

use crate::Context;
use crate::args::{self, FactorName, TableName};
use crate::command::mining::describe;
use crate::command::{executed, hint, python, usage, workspace};
use crate::eval::evaluate::runs_named;
use crate::eval::executed::RunOutcomes;
use crate::exchange::{WireProblem, write_line};
use crate::execute::repair::Repairs;
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::Metric;
use crate::model::{RunKind, RunRow, counted};
use crate::store::Store;
use crate::table::NumberStyle;

pub use table::{RunTableLayout, RunTableRows, of_profile, write};

pub fn list(context: &mut Context<'_, '_>, arguments: &args::Runs) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let mut runs = runs_named(&store, &arguments.names)?;
    if arguments.names.is_empty() && (arguments.profile.is_some() || arguments.grades) {
        // Tables of papers about tests have no rows for other questions.
        runs.retain(|run| run.kind == RunKind::Samples);
    }
    if arguments.samples {
        return samples::list(context, &store, &runs, arguments);
    }
    let format = arguments.shown.format.name();
    if arguments.problems {
        return problems(context, &store, &runs, format);
    }
    if arguments.compile_errors {
        let mut runs = runs;
        if arguments.names.is_empty() {
            // Without names, only executed runs are listed; a named run that was never executed is an error.
            let mut executed = Vec::new();
            for run in runs {
                if store.execution_setting(run.id)?.is_some() {
                    executed.push(run);
                }
            }
            runs = executed;
        }
        return compile_errors::list(context, &store, &runs, format);
    }
    if arguments.grades {
        return grades::list(context, &store, &runs, format);
    }
    let shown = RunTableLayout::of(&runs, arguments)?;
    match arguments.by {
        Some(FactorName::Language) => {
            return languages::list(context, &store, (&runs, &shown.metrics), format);
        }
        Some(FactorName::Setting) => return settings::list(context, &store, &runs, arguments),
        None => {}
    }
    let spent = usage::of_runs(context, &store, &runs, arguments.prices)?;
    if runs.is_empty() {
        context.say(&format!("no runs yet; {}", hint::IMPORT_RUN));
    }
    let executed = executed::of_runs(&store, &runs)?;
    let parsed = executed::parsed_of_runs(&store, &runs)?;
    let languages = executed::languages_of_runs(&store, &runs)?;
    let parsers = python::parsers_of_runs(&store, &runs)?;
    let rows = RunTableRows {
        runs: &runs,
        executed: &executed,
        parsed: &parsed,
        languages: &languages,
        parsers: &parsers,
        spent: &spent,
        scope: arguments.shown.scope,
    };
    if arguments.cost && format != TableName::Json {
        let table = usage::table(&runs, &spent, NumberStyle::of(format));
        return Ok(table.write_as(format, context.streams.out)?);
    }
    write(context, rows, &shown, format)?;
    // Programs that take all columns see which values are missing.
    if NumberStyle::of(format) == NumberStyle::People || arguments.profile.is_some() {
        tell_lacking(context, &runs, &shown);
    }
    for (run, spent) in runs.iter().zip(&spent) {
        let n_settings = spent
            .as_ref()
            .map_or(0, |priced_usage| priced_usage.usage.n_settings);
        if n_settings > 1 {
            let name = &run.setting.name;
            context.say(&format!(
                "run {}: attempts are of {n_settings} settings; {} tells them apart",
                crate::table::visible(name),
                hint::command(&["runs", name, "--by", "setting"])
            ));
        }
    }
    for (run, executed) in runs.iter().zip(&executed) {
        tell_made_otherwise(context, run, executed.as_ref());
    }
    Ok(())
}

/// Writes a line for every record of a run's files that could not be used.
fn problems(
    context: &mut Context<'_, '_>,
    store: &Store,
    runs: &[RunRow],
    format: TableName,
) -> Result<(), Stop> {
    if !matches!(format, TableName::Table | TableName::Json) {
        let message = "`--problems` writes lines, not a table";
        return Err(no_table(
            message,
            "`--format json` writes them for programs",
        ));
    }
    for run in runs {
        for problem in store.run_problems(run.id, usize::MAX)? {
            if format == TableName::Json {
                write_line(context.streams.out, &WireProblem::new(None, &problem))?;
            } else {
                let line = crate::table::visible(&describe(&problem));
                writeln!(context.streams.out, "{line}")?;
            }
        }
    }
    Ok(())
}

/// Refuses a format for output that is no table.
fn no_table(message: &str, hint: &str) -> Stop {
    Failure::new(ExitCode::Usage, message)
        .with_hint(hint)
        .into()
}

/// Says which runs lack a value that is shown, and how to get it: an evaluation of former times had other metrics.
fn tell_lacking(context: &mut Context<'_, '_>, runs: &[RunRow], shown: &RunTableLayout) {
    for run in runs {
        let lacks = |metric: &&&Metric| {
            let evaluation = run.evaluation(metric.id);
            evaluation.is_none_or(|evaluation| evaluation.version != metric.version)
        };
        let lacking: Vec<&Metric> = shown.metrics.iter().filter(lacks).copied().collect();
        if lacking.is_empty() {
            continue;
        }
        let titles: Vec<String> = lacking.iter().map(|metric| metric.corpus_title()).collect();
        let ids: Vec<&str> = lacking.iter().map(|metric| metric.id).collect();
        let name = &run.setting.name;
        if run.evaluations.is_empty() {
            context.say(&hint::not_evaluated(name));
            continue;
        }
        context.say(&format!(
            "run {} has no {}; {} computes it",
            crate::table::visible(name),
            titles.join(", "),
            hint::command(&["eval", "--run", name, "--metrics", &ids.join(",")])
        ));
    }
    if shown.n_more > 0 {
        context.say(&format!(
            "{} not shown; `--metrics all` shows them",
            counted(shown.n_more as u64, "other metric")
        ));
    }
}

/// Says which outcomes were made by another repair than the default one.
fn tell_made_otherwise(
    context: &mut Context<'_, '_>,
    run: &RunRow,
    executed: Option<&RunOutcomes>,
) {
    let usual = Repairs::usual(run.setting.target).as_str();
    for (repair, n) in executed.map_or_else(Vec::new, RunOutcomes::repairs) {
        if !repair.is_empty() && repair != usual {
            context.say(&format!(
                "run {}: {} made with `--repair {repair}`, the default is `{usual}`; {} makes them again",
                crate::table::visible(&run.setting.name),
                counted(n, "outcome"),
                hint::command(&["execute", &run.setting.name, "--force"])
            ));
        }
    }
}
