//! What `experiment show` prints: the models of the file, with intervals.

use std::io::{self, Write};

use crate::Context;
use crate::args::TableName;
use crate::command::{executed, workspace};
use crate::eval::interval::{CORRECT, Mean, PARSES, correct, mean, parsable};
use crate::eval::settings::RunSettings;
use crate::exchange::{OrderedFields, WireModelRow, write_line};
use crate::failure::Stop;
use crate::model::ExecutionFunnel;
use crate::store::Store;
use crate::table::{Align, NumberStyle, TextTable};
use crate::task::Monitor;

use super::{ExperimentFile, ExperimentRun, funnel, step_shown, steps};

/// Prints the numbers of each model, or runs the command that shows answers to other questions than samples.
pub fn write(
    context: &mut Context<'_, '_>,
    read: &ExperimentFile,
    format: TableName,
) -> Result<(), Stop> {
    if let Some(step) = steps::shown(read, format) {
        return step_shown(context, &step);
    }
    let store = workspace::open(context)?;
    let runs = read.runs.iter();
    let rows = runs.map(|run| Ok((run, row(&store, read, &run.name)?)));
    let rows: Vec<(&ExperimentRun, ExperimentRow)> = rows.collect::<Result<_, Stop>>()?;
    context.print(
        format,
        |out| {
            rows.iter()
                .try_for_each(|(run, row)| write_row(out, run, row))
        },
        |numbers| [table(read, &rows, numbers)],
    )?;
    if format != TableName::Json {
        context.say(
            "means of first answers with 95 % intervals over samples; n is the number of samples that a mean is over; \
             `sentence` is the mean of the samples' own scores, where `runs` has the corpus's",
        );
    }
    Ok(())
}

/// Lists the columns to show. Files for programs have a column for each number.
fn columns(read: &ExperimentFile, numbers: NumberStyle) -> Vec<(String, Align)> {
    let mut columns = vec![("model".to_owned(), Align::Left)];
    let conditions = read.runs.first().map(|run| run.condition.values.as_slice());
    let names = conditions
        .unwrap_or_default()
        .iter()
        .map(|condition| condition.0);
    columns.extend(names.map(|name| (name.to_owned(), Align::Left)));
    columns.push(("run".to_owned(), Align::Left));
    let mut counts = vec!["samples".to_owned()];
    let mut titles = vec![PARSES.to_owned()];
    titles.extend(read.metrics.iter().map(|metric| metric.sentence_title()));
    if read.experiment.execute {
        titles.push(CORRECT.to_owned());
    }
    for title in titles {
        counts.extend(numbers.bounded_heads(&title));
        counts.push(match numbers {
            NumberStyle::People => "n".to_owned(),
            NumberStyle::Machine => format!("{title} n"),
        });
    }
    if read.experiment.execute {
        counts.extend(["blocked", "not run", "confirmed"].map(str::to_owned));
    }
    columns.extend(counts.into_iter().map(|name| (name, Align::Right)));
    columns.push(("settings".to_owned(), Align::Left));
    columns
}

fn write_row(out: &mut dyn Write, run: &ExperimentRun, row: &ExperimentRow) -> io::Result<()> {
    let metrics = row.metrics.iter();
    let metrics = metrics.map(|(id, mean)| (*id, mean.map(executed::wire_mean)));
    let conditions = run.condition.values.iter();
    let funnel = row.funnel.as_ref();
    let line = WireModelRow {
        model: &run.model_name(),
        run: &run.name,
        conditions: conditions
            .map(|(text, value)| (*text, value.as_str()))
            .collect(),
        settings: row.settings.values(),
        samples: row.n_samples,
        parses: row.parses.map(executed::wire_mean),
        metrics: OrderedFields(metrics.collect()),
        correct: row.correct.map(executed::wire_mean),
        blocked: funnel.map(ExecutionFunnel::n_blocked),
        not_run: funnel.map(|execution_funnel| execution_funnel.n_not_run(row.n_predictions)),
        confirmed: funnel.map(Into::into),
    };
    write_line(out, &line)
}

fn table(
    read: &ExperimentFile,
    rows: &[(&ExperimentRun, ExperimentRow)],
    numbers: NumberStyle,
) -> TextTable {
    let mut table = TextTable::new(&columns(read, numbers));
    for (run, row) in rows {
        let mut cells = vec![run.model_name()];
        cells.extend(run.condition.values.iter().map(|(_, value)| value.clone()));
        cells.extend([run.name.clone(), row.n_samples.to_string()]);
        let means = row.metrics.iter().map(|(_, mean)| *mean);
        let correct = read.experiment.execute.then_some(row.correct);
        let means = std::iter::once(row.parses).chain(means).chain(correct);
        cells.extend(means.flat_map(|mean| cells_of(mean, numbers)));
        if read.experiment.execute {
            cells.extend(match &row.funnel {
                None => std::array::from_fn(|_| numbers.none().to_owned()),
                Some(funnel) => [
                    funnel.n_blocked().to_string(),
                    funnel.n_not_run(row.n_predictions).to_string(),
                    format!("{} of {}", funnel.n_confirmed(), funnel.n_drawn()),
                ],
            });
        }
        cells.push(written(&row.settings));
        table.row(cells);
    }
    table
}

/// The numbers of a model.
#[derive(Default)]
struct ExperimentRow {
    n_samples: u64,
    n_predictions: u64,
    parses: Option<Mean>,
    metrics: Vec<(&'static str, Option<Mean>)>,
    correct: Option<Mean>,
    /// The settings that it was asked with.
    settings: RunSettings,
    /// Absent where it was never executed.
    funnel: Option<ExecutionFunnel>,
}

fn row(store: &Store, read: &ExperimentFile, run: &str) -> Result<ExperimentRow, Stop> {
    let monitor = Monitor::default();
    let Some(run) = store.run(run)? else {
        let metrics = read
            .metrics
            .iter()
            .map(|metric| (metric.id, None))
            .collect();
        return Ok(ExperimentRow {
            metrics,
            ..ExperimentRow::default()
        });
    };
    let mut metrics = Vec::new();
    for metric in &read.metrics {
        metrics.push((metric.id, mean(store, &monitor, &run, metric.id)?));
    }
    Ok(ExperimentRow {
        n_samples: run.n_samples,
        n_predictions: run.n_predictions,
        parses: parsable(&run),
        metrics,
        correct: correct(store, &monitor, &run)?,
        settings: RunSettings::load(store, &monitor, &run)?,
        funnel: funnel(store, &run)?,
    })
}

/// Writes settings, each parameter with all of its values: `temperature=0.1,0.8`.
fn written(settings: &RunSettings) -> String {
    let values = settings.values().into_iter();
    let values = values.map(|(name, values)| format!("{name}={}", values.join(",")));
    values.collect::<Vec<_>>().join(" ")
}

/// Writes the cells of a mean, as [`columns`] names them.
fn cells_of(mean: Option<Mean>, numbers: NumberStyle) -> Vec<String> {
    let n = mean.map_or_else(|| numbers.none().to_owned(), |mean| mean.n.to_string());
    let interval = mean.and_then(|mean| mean.interval);
    if numbers == NumberStyle::Machine {
        let mut cells = numbers.bounded(mean.map(|mean| mean.value), interval);
        cells.push(n);
        return cells;
    }
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let value = match (mean, interval) {
        (None, _) => numbers.none().to_owned(),
        (Some(mean), None) => percent(mean.value),
        (Some(mean), Some((low, high))) => format!(
            "{} [{}, {}]",
            percent(mean.value),
            percent(low),
            percent(high)
        ),
    };
    vec![value, n]
}
