//! Numbers of runs of completions: tables of one data set, and charts.

use crate::chart::Figure;
use crate::command::workspace;
use crate::consistency::figures::{Chart, figure};
use crate::consistency::judged::JudgeOptions;
use crate::consistency::outliers::THRESHOLD;
use crate::consistency::run;
use crate::consistency::tables::RunTables;
use crate::failure::{ExitCode, Failure, Stop};
use crate::table::visible;
use crate::{Context, progress};

/// Keeps the numbers of one data set alone.
pub fn narrow(numbers: &mut RunTables, run: &str, dataset: Option<&str>) -> Result<(), Stop> {
    let Some(name) = dataset else {
        return Ok(());
    };
    let Some(of_set) = numbers.set(name) else {
        let message = format!("`{}` has no data set `{}`", visible(run), visible(name));
        let known = numbers.sets.keys().filter(|key| !key.is_empty());
        let known: Vec<String> = known.map(|known| visible(known)).collect();
        let hint = if known.is_empty() {
            "`focalist mutate --dataset NAME` says which it is".to_owned()
        } else {
            format!("there are: {}", known.join(" "))
        };
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint(&hint)
            .into());
    };
    *numbers = RunTables {
        all: of_set.clone(),
        ..RunTables::default()
    };
    Ok(())
}

/// Charts some runs of the index, or all, over one data set or all.
pub fn chart_of(
    context: &mut Context<'_, '_>,
    chart: Chart,
    runs: &[String],
    dataset: Option<&str>,
) -> Result<Figure, Stop> {
    let store = workspace::open(context)?;
    let options = JudgeOptions {
        threshold: THRESHOLD,
        ..JudgeOptions::default()
    };
    let runs: Vec<String> = if runs.is_empty() {
        let all = store.consistency_runs()?.into_iter();
        all.map(|consistency_run| consistency_run.name).collect()
    } else {
        runs.to_vec()
    };
    let mut shown = Vec::new();
    for name in runs {
        run::check(&store, &name)?;
        let mut numbers = progress::run(context, |_, monitor| {
            run::numbers(&store, monitor, &name, options, |_, _| Ok::<_, Stop>(()))
        })?;
        narrow(&mut numbers, &name, dataset)?;
        shown.push((name, numbers.all));
    }
    Ok(figure(chart, &shown))
}
