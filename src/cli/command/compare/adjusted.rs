//! ConTest's Table 3: runs in pairs, over the samples for which both predictions parse, and adjusted (equation 2).
//!
//! The share of answers that do not parse, and the share that reached the maximal length, cover all answers of a run,
//! so they are the same in every pair. The paper adjusts all scores and gives no p-values.

use crate::args;
use crate::command::workspace;
use crate::eval::compare::{BaselineComparison, CompareOptions};
use crate::eval::evaluate::runs_named;
use crate::exchange::{WireApart, write_pretty};
use crate::failure::Stop;
use crate::metric::{METRICS, Metric};
use crate::model::RunRow;
use crate::table::{NumberStyle, TextTable};
use crate::{Context, args::TableName};

use super::tables::name_in;

/// One run over some samples.
struct AdjustedRow<'r> {
    name: String,
    run: &'r RunRow,
    n_samples: u64,
    /// Of each metric, adjusted.
    values: Vec<Option<f64>>,
}

/// Multiplies a value over parsable answers by the share of all answers of the run that parse.
pub fn adjusted(value: f64, run: &RunRow) -> Option<f64> {
    run.unparsable_rate().map(|rate| value * (1.0 - rate))
}

/// Builds two rows for each slice of a comparison over samples for which both predictions parse.
pub fn of_pairs(comparison: &BaselineComparison, numbers: NumberStyle) -> TextTable {
    let mut rows = Vec::new();
    for slice in &comparison.slices {
        for (run, is_first) in [(&comparison.first, true), (&comparison.second, false)] {
            let values = slice.metrics.iter().map(|compared| {
                let value = if is_first {
                    compared.first
                } else {
                    compared.second
                };
                adjusted(value, run)
            });
            rows.push(AdjustedRow {
                name: name_in(slice, run),
                run,
                n_samples: slice.n_samples,
                values: values.collect(),
            });
        }
    }
    let metrics = comparison.slices.first().map(|slice| &slice.metrics);
    let titles = metrics.into_iter().flatten();
    table(
        &titles
            .map(|compared| compared.of.corpus_title())
            .collect::<Vec<_>>(),
        &rows,
        numbers,
    )
}

fn table(titles: &[String], rows: &[AdjustedRow<'_>], numbers: NumberStyle) -> TextTable {
    let adjusted = titles.iter().map(|title| format!("{title} adjusted"));
    let has_limit = rows.iter().any(|row| row.run.over_length_rate().is_some());
    let mut heads = vec!["Samples".to_owned()];
    heads.extend(adjusted.map(|title| numbers.head(&title)));
    heads.push(numbers.head("Unparsable"));
    heads.extend(has_limit.then(|| numbers.head("Max length exceeded")));
    let mut table = TextTable::of(&["Run"], &heads);
    for row in rows {
        let mut cells = vec![row.name.clone(), row.n_samples.to_string()];
        cells.extend(row.values.iter().map(|value| numbers.share(*value)));
        cells.push(numbers.share(row.run.unparsable_rate()));
        if has_limit {
            cells.push(numbers.share(row.run.over_length_rate()));
        }
        table.row(cells);
    }
    table
}

/// Writes runs over samples that they do not share, each adjusted over its own.
pub fn apart(
    context: &mut Context<'_, '_>,
    arguments: &args::Compare,
    options: &CompareOptions,
) -> Result<(), Stop> {
    let names = [
        &[arguments.first.clone(), arguments.second.clone()],
        arguments.others.as_slice(),
    ]
    .concat();
    let store = workspace::open(context)?;
    let runs = runs_named(&store, &names)?;
    let is_known = |metric: &&Metric| {
        let has_it = |run: &RunRow| run.evaluation(metric.id).is_some();
        runs.iter().all(has_it) && metric.ceiling_of.is_none()
    };
    let metrics: Vec<&Metric> = if options.metrics.is_empty() {
        METRICS.iter().filter(is_known).collect()
    } else {
        options.metrics.clone()
    };
    let n_parsable = |run: &RunRow| run.n_scored.saturating_sub(run.n_unparsable.unwrap_or(0));
    let values = |run: &RunRow| -> Vec<Option<f64>> {
        let metrics = metrics.iter();
        metrics.map(|metric| run.adjusted(metric.id)).collect()
    };
    let format = arguments.shown.format.name();
    context.print(
        format,
        |out| {
            let wires = runs.iter().map(|run| WireApart {
                run: &run.setting.name,
                n: n_parsable(run),
                adjusted: metrics
                    .iter()
                    .map(|metric| metric.id)
                    .zip(values(run))
                    .collect(),
                unparsable_rate: run.unparsable_rate(),
                over_length_rate: run.over_length_rate(),
                comparable: false,
            });
            write_pretty(out, &wires.collect::<Vec<_>>())
        },
        |numbers| {
            let titles: Vec<String> = metrics.iter().map(|metric| metric.corpus_title()).collect();
            let rows = runs.iter().map(|run| AdjustedRow {
                name: format!("{} (own samples)", run.setting.name),
                run,
                n_samples: n_parsable(run),
                values: values(run),
            });
            [table(&titles, &rows.collect::<Vec<_>>(), numbers)]
        },
    )?;
    if format != TableName::Json {
        context.say(
            "each run is over its own samples: its values are not directly comparable with the others'",
        );
    }
    Ok(())
}
