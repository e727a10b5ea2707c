//! What `export` writes of a whole run for places that know no tests: values for the Hub, and SARIF.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::args::{self, FormatName};
use crate::command::{output, workspace};
use crate::eval;
use crate::eval::evaluate::runs_named;
use crate::eval::measures::{Measure, measures, ranked};
use crate::eval::sarif::write_sarif;
use crate::exchange::hub_results::{HubResult, HubResults, task_of};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{RunRow, counted, utc};
use crate::store::Store;
use crate::task::Monitor;
use crate::{Context, progress};

/// The length of the date in `2026-01-31T…`.
const N_DIGITS_OF_DAY: usize = 10;

/// The folder with a model's results, on the Hub.
const RESULTS_FOLDER: &str = ".eval_results";

/// Finds the one run to export, or refuses several.
pub fn run_of(store: &Store, arguments: &args::Export) -> Result<RunRow, Stop> {
    let mut runs = match &arguments.run {
        Some(name) => runs_named(store, std::slice::from_ref(name))?,
        None => runs_named(store, &[])?,
    };
    match (runs.pop(), runs.is_empty()) {
        (Some(run), true) => Ok(run),
        (None, _) => Err(eval::EvalError::NoRuns.into()),
        (Some(last), false) => {
            let all = runs.iter().chain([&last]);
            let known = all.map(|run_row| run_row.setting.name.clone()).collect();
            Err(eval::EvalError::WhichRun { known }.into())
        }
    }
}

/// Writes the values of a run for a model's repository.
pub fn results(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<(), Stop> {
    let is_index = arguments.format == FormatName::ModelIndex;
    let Some(dataset) = &arguments.hub.hub_dataset else {
        let message =
            "the Hub lists results by the dataset that the run answers, and none is named";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--hub-dataset OWNER/NAME` names it")
            .into());
    };
    let store = workspace::open(context)?;
    let run = run_of(&store, arguments)?;
    let mut found = progress::run(context, |_, monitor| Ok(measures(&store, monitor, &run)?))?;
    if !is_index {
        let tasks = ranked();
        found.retain(|measure| tasks.contains(&measure.id));
    }
    let name = &run.setting.name;
    if found.is_empty() {
        let message = format!("the run `{name}` has no value yet");
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(crate::command::hint::not_evaluated(name))
            .into());
    }
    let executed = store
        .execution_setting(run.id)?
        .map(|execution_setting| execution_setting.executed_at);
    let seconds = executed.unwrap_or(run.setting.imported_at);
    let date: String = utc(seconds * 1_000).chars().take(N_DIGITS_OF_DAY).collect();
    let all: Vec<HubResult> = found.iter().map(|measure| result(&run, measure)).collect();
    let results = HubResults {
        dataset,
        revision: arguments.hub.hub_revision.as_deref(),
        date: &date,
        source: arguments
            .hub
            .source_url
            .as_deref()
            .map(|url| (url, arguments.hub.source_name.as_deref())),
        results: &all,
    };
    let text = if is_index {
        results.model_index(run.setting.model.as_deref().unwrap_or(name))
    } else {
        results.yaml()
    };
    match &arguments.output {
        Some(path) => {
            make_results_folder(path)?;
            let mut file = output::create(path, arguments.force)?;
            file.write_all(text.as_bytes())?;
            file.finish()?;
        }
        None => context.streams.out.write_all(text.as_bytes())?,
    }
    context.say(&format!("{} written", counted(all.len() as u64, "result")));
    Ok(())
}

fn result(run: &RunRow, measure: &Measure) -> HubResult {
    let mean = &measure.mean;
    let of = if measure.id == "mutation" {
        counted(mean.n, "pair of a test and a mutant")
    } else {
        format!("{}, first answers", counted(mean.n, "sample"))
    };
    let interval = mean.interval.map_or_else(String::new, |(low, high)| {
        format!("; 95 % interval {low:.4} to {high:.4}")
    });
    HubResult {
        task: task_of(measure.id),
        title: measure.title.clone(),
        value: mean.value,
        notes: format!(
            "run {}: {of}{interval}; focalist {}",
            run.setting.name,
            env!("CARGO_PKG_VERSION")
        ),
    }
}

/// Makes the folder that a model's results lie in, where it is not there yet. No other folder is made.
fn make_results_folder(path: &Path) -> Result<(), Stop> {
    let folder = path.parent();
    let folder = folder.filter(|folder| {
        folder
            .file_name()
            .is_some_and(|name| name == RESULTS_FOLDER)
    });
    if let Some(folder) = folder {
        fs::create_dir_all(folder)?;
    }
    Ok(())
}

/// Writes how a run's predictions differ, as SARIF.
pub fn sarif(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let run = run_of(&store, arguments)?;
    let write = |monitor: &Monitor, out: &mut dyn Write| -> Result<u64, Stop> {
        Ok(write_sarif(&store, monitor, &run, out)?)
    };
    let n_results = match &arguments.output {
        Some(path) => progress::run(context, |_, monitor| {
            let mut file = output::create(path, arguments.force)?;
            let n_results = write(monitor, &mut file)?;
            file.finish()?;
            Ok(n_results)
        }),
        None => progress::run(context, |context, monitor| {
            write(monitor, &mut *context.streams.out)
        }),
    }?;
    context.say(&format!("{} written", counted(n_results, "result")));
    Ok(())
}
