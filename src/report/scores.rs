//! Runs side by side: every number, with its 95 % interval where it has one.

use std::collections::BTreeSet;

use crate::eval::executed::parsed;
use crate::eval::interval::{CORRECT, PARSES, correct, mean, parsable};
use crate::metric::{METRICS, Metric};
use crate::model::{RunRow, grouped};

use super::html::{HtmlCell, HtmlColumnKind, HtmlSection, HtmlTable, folded, paragraph};
use super::{ReportError, ReportGround};

/// Lists the metrics that some run has.
pub(super) fn stored(runs: &[RunRow]) -> Vec<&'static Metric> {
    let is_known = |metric: &Metric| runs.iter().any(|run| value(run, metric).is_some());
    METRICS.iter().filter(|metric| is_known(metric)).collect()
}

fn value(run: &RunRow, metric: &Metric) -> Option<f64> {
    let evaluation = run.evaluation(metric.id)?;
    (evaluation.version == metric.version).then_some(evaluation.value)?
}

/// Begins a table with a column for each run.
pub(super) fn by_run(caption: &str, runs: &[RunRow]) -> HtmlTable {
    let table = HtmlTable::new(caption).words(&["number"]);
    runs.iter().fold(table, |table, run| {
        table.column(run.setting.name.clone(), HtmlColumnKind::Number)
    })
}

/// A count of a run, where it has one.
type Count = fn(&RunRow) -> Option<u64>;

/// Writes the part with every number of every run.
pub(super) fn section(ground: ReportGround<'_>) -> Result<HtmlSection, ReportError> {
    let ReportGround {
        store,
        monitor,
        runs,
        ..
    } = ground;
    let metrics = stored(runs);
    let mut table = by_run("What runs scored, in percent", runs);
    let counts: [(&str, Count); 4] = [
        ("answers", |run_row| Some(run_row.n_predictions)),
        ("samples", |run_row| Some(run_row.n_samples)),
        ("scored samples", |run_row| {
            run_row.n_unparsable.map(|_| run_row.n_scored)
        }),
        ("samples that have changed", |run_row| {
            (run_row.n_changed > 0).then_some(run_row.n_changed)
        }),
    ];
    for (name, count) in counts {
        let counts: Vec<Option<u64>> = runs.iter().map(count).collect();
        if counts.iter().any(Option::is_some) {
            let cells = counts.into_iter();
            let cells = cells.map(|n| n.map_or_else(HtmlCell::none, |n| grouped(n).into()));
            table.row(std::iter::once(HtmlCell::text(name)).chain(cells));
        }
    }
    let mut cells = vec![HtmlCell::text(PARSES)];
    cells.extend(runs.iter().map(|run| HtmlCell::mean(parsable(run))));
    table.row(cells);
    let mut found = Vec::new();
    for run in runs {
        found.push(correct(store, monitor, run)?);
    }
    if found.iter().any(Option::is_some) {
        let cells = found.into_iter().map(HtmlCell::mean);
        table.row(std::iter::once(HtmlCell::text(CORRECT)).chain(cells));
    }
    for metric in &metrics {
        let mut means = vec![HtmlCell::text(&metric.sentence_title())];
        for run in runs {
            means.push(HtmlCell::mean(mean(store, monitor, run, metric.id)?));
        }
        if !metric.is_mean {
            let cells = runs.iter().map(|run| HtmlCell::share(value(run, metric)));
            table.row(std::iter::once(HtmlCell::text(&metric.corpus_title())).chain(cells));
        }
        table.row(means);
    }
    attempts(ground, &mut table)?;
    let mut body = table.html();
    body.push_str(&paragraph(
        "In brackets: the 95 % interval over samples. A corpus value is one of all texts together and has none here; how \
         far it differs between runs has one, below.",
    ));
    body.push_str(&folded(
        "Over the predictions that parse, and adjusted for those that do not",
        &variants(runs, &metrics).html(),
    ));
    Ok(HtmlSection {
        id: "runs",
        title: "Runs",
        body,
    })
}

/// Adds `parse@k` for each number of attempts that some run has.
fn attempts(ground: ReportGround<'_>, table: &mut HtmlTable) -> Result<(), ReportError> {
    let mut found = Vec::new();
    for run in ground.runs {
        found.push(parsed(ground.store, ground.monitor, run)?);
    }
    let ks: BTreeSet<u64> = found.iter().flatten().map(|at| at.k).collect();
    for k in ks {
        let mut cells = vec![format!("parse@{k}").into()];
        cells.extend(found.iter().map(|of_run| {
            let at = of_run.iter().find(|at_k| at_k.k == k);
            at.map_or_else(HtmlCell::none, |at_k| {
                HtmlCell::bounded(at_k.parse, at_k.parse_interval())
            })
        }));
        table.row(cells);
    }
    Ok(())
}

/// Every metric over the predictions that parse, and adjusted by the share of those that do not.
fn variants(runs: &[RunRow], metrics: &[&'static Metric]) -> HtmlTable {
    let mut table = by_run("Of predictions that parse, and adjusted, in percent", runs);
    for metric in metrics {
        let name = metric.corpus_title();
        let parsable = runs.iter().map(|run| {
            let evaluation = run.evaluation(metric.id);
            HtmlCell::share(evaluation.and_then(|evaluation| evaluation.value_parsable))
        });
        let title = HtmlCell::from(format!("{name}, parsable"));
        table.row(std::iter::once(title).chain(parsable));
        let adjusted = runs
            .iter()
            .map(|run| HtmlCell::share(run.adjusted(metric.id)));
        let title = HtmlCell::from(format!("{name}, adjusted"));
        table.row(std::iter::once(title).chain(adjusted));
    }
    table
}
