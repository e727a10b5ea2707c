//! The command `results`: the predictions of a run as a list, in groups, and one with all that is known of it.

mod groups;
mod more;
mod outcome;
mod show;

use std::collections::BTreeMap;

use crate::args::{self, TableName};
use crate::browse::{self, FieldScope};
use crate::command::{hint, inspect, metrics, workspace};
use crate::eval::executed::{Yield, YieldAgreement, correlations};
use crate::eval::results::{self, ResultList, ResultsOptions, ResultsView};
use crate::exchange::outcomes::WireCorrelation;
use crate::exchange::{WireResult, write_line, write_lines};
use crate::execute::detail::reasons;
use crate::failure::Stop;
use crate::metric::correlation::Correlation;
use crate::metric::{self, Metric, MetricLevel, metric};
use crate::model::{FaultCounts, ResultRow, RunKind, RunRow, counted, grouped};
use crate::store::Store;
use crate::table::{Align, TextTable};
use crate::{Context, progress};

use more::ExtraColumns;

/// Rows read at a time, so that a listing of any length needs little memory.
const PAGE: usize = 500;

/// Columns beside the list's own metric, as far as the run has them; `--json` has them all.
const COLUMNS: &[&str] = &["bleu", "rougeL", "codebleu:k4black", "codebleu", "em"];

/// The same for answers to questions.
const COLUMNS_OF_QUESTIONS: &[&str] = &["em", "edit", "edit:fuzzywuzzy", "bleu"];

/// The number of resamples behind each interval.
pub(super) const N_RESAMPLES: u64 = 1_000;

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Results) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let options = options(context, &store, arguments)?;
    if let Some(digits) = &arguments.show {
        return show::write(context, &store, &options, (digits, arguments.json));
    }
    if arguments.correlate {
        return correlate(context, &store, &options, arguments);
    }
    if let Some(by) = arguments.group {
        return groups::write(context, &store, (&options, by), arguments);
    }
    let list = progress::run(context, |_, monitor| {
        Ok(results::list(&store, monitor, &options)?)
    })?;
    let more = ExtraColumns::read(context, (&store, &list), &arguments.columns)?;
    write_list(context, (&store, &more), &list, arguments)
}

/// Writes how well metrics agree with the outcomes of execution.
fn correlate(
    context: &mut Context<'_, '_>,
    store: &Store,
    options: &ResultsOptions,
    arguments: &args::Results,
) -> Result<(), Stop> {
    let found = progress::run(context, |_, monitor| {
        let run = results::view(store, options)?.run;
        let draws = (N_RESAMPLES, 0);
        Ok(correlations(store, monitor, &run, Yield::ALL, draws)?)
    })?;
    Ok(context.print(
        TableName::of(arguments.json),
        |out| write_lines(out, found.iter().map(wire)),
        |_| [correlations_table(&found)],
    )?)
}

fn correlations_table(found: &[YieldAgreement]) -> TextTable {
    let mut table = TextTable::of(
        &["measure", "with"],
        &["predictions", "Pearson", "95 %", "Spearman", "95 %"],
    );
    for yield_agreement in found {
        let value = |of: Option<Correlation>| signed(of.map(|correlation| correlation.value));
        let bounds = |of: Option<Correlation>| {
            let bounds = of.and_then(|correlation| correlation.interval);
            bounds.map_or_else(
                || "–".to_owned(),
                |(low, high)| format!("{} to {}", signed(Some(low)), signed(Some(high))),
            )
        };
        table.row([
            title(&yield_agreement.measure),
            yield_agreement.with.as_str().to_owned(),
            yield_agreement.n.to_string(),
            value(yield_agreement.pearson),
            bounds(yield_agreement.pearson),
            value(yield_agreement.spearman),
            bounds(yield_agreement.spearman),
        ]);
    }
    table
}

pub(super) fn wire(yield_agreement: &YieldAgreement) -> WireCorrelation<'_> {
    WireCorrelation {
        measure: &yield_agreement.measure,
        with: yield_agreement.with.as_str(),
        n: yield_agreement.n,
        pearson: yield_agreement.pearson.map(|correlation| correlation.value),
        pearson_interval: yield_agreement
            .pearson
            .and_then(|correlation| correlation.interval),
        spearman: yield_agreement
            .spearman
            .map(|correlation| correlation.value),
        spearman_interval: yield_agreement
            .spearman
            .and_then(|correlation| correlation.interval),
        resamples: N_RESAMPLES,
        seed: 0,
    }
}

/// Reads the options. The first word is the run where there is one of that name, or where it cannot be a part of a
/// filter.
fn options(
    context: &mut Context<'_, '_>,
    store: &Store,
    arguments: &args::Results,
) -> Result<ResultsOptions, Stop> {
    let mut words = arguments.filter.clone();
    let mut run = arguments.run.clone();
    if let Some(word) = &arguments.run
        && (word.contains([':', '<', '>', '=']) || word.starts_with('@'))
        && store.run(word)?.is_none()
    {
        words.insert(0, word.clone());
        run = None;
    }
    let filter = inspect::filter_in(context, &words, FieldScope::Run)?;
    let metric = match &arguments.metric {
        Some(name) => one_metric(name)?,
        None => None,
    };
    Ok(ResultsOptions {
        run,
        baseline: arguments.baseline.clone(),
        metric,
        filter,
        ..ResultsOptions::default()
    })
}

fn one_metric(name: &str) -> Result<Option<&'static Metric>, Stop> {
    match browse::field(name).and_then(|filter_field| metric(filter_field.name)) {
        Some(metric) => Ok(Some(metric)),
        None => Ok(metrics::named(&[name.to_owned()])?.first().copied()),
    }
}

fn write_list(
    context: &mut Context<'_, '_>,
    (store, more): (&Store, &ExtraColumns),
    list: &ResultList,
    arguments: &args::Results,
) -> Result<(), Stop> {
    let view = &list.view;
    let n_all = list.ordinals.len();
    let n_shown = match arguments.limit {
        0 => n_all,
        limit => limit.min(n_all),
    };
    let columns = columns(view, more);
    let mut table = table(view, &columns, more);
    let name = &view.run.setting.name;
    for ordinals in list.ordinals[..n_shown].chunks(PAGE) {
        if arguments.json && arguments.texts {
            results::write_texts(store, view, ordinals, context.streams.out)?;
            continue;
        }
        let rows = results::rows(store, view, ordinals)?;
        let mut reasons = match &view.engine {
            Some(engine) => reasons(store, (view.run.id, engine), &rows)?,
            None => BTreeMap::new(),
        };
        for row in rows {
            let reason = reasons.remove(&row.ordinal);
            if arguments.json {
                let mut line = WireResult::new(name, &view.metrics, &row, None);
                line.meta_scores = more.written(row.ordinal);
                if let Some(ran) = &mut line.ran {
                    ran.reason = reason;
                }
                write_line(context.streams.out, &line)?;
            } else {
                let cells = cells(view, &columns, &row, reason.as_deref()).into_iter();
                table.row(cells.chain(more.cells(row.ordinal)));
            }
        }
    }
    tell_not_evaluated(context, &view.run);
    if arguments.json {
        return Ok(());
    }
    table.write(context.streams.out)?;
    if n_shown < n_all {
        context.say(&hint::cut_short(n_shown, n_all));
    } else if n_all < list.n_all as usize {
        let n_all = grouped(n_all as u64);
        context.say(&format!("{n_all} of {}", counted(list.n_all, "prediction")));
    }
    Ok(())
}

/// Chooses the metrics for columns, the list's own first, and last the requested ones.
fn columns(view: &ResultsView, more: &ExtraColumns) -> Vec<usize> {
    let place = |id: &str| view.metrics.iter().position(|metric| *metric == id);
    let mut columns: Vec<usize> = view.metric_idx().into_iter().collect();
    let usual = match view.run.kind {
        RunKind::Samples => COLUMNS,
        RunKind::Clover | RunKind::Consistency => COLUMNS_OF_QUESTIONS,
    };
    let usual = usual.iter().filter_map(|text| place(text));
    for place in usual.chain(more.metrics.iter().copied()) {
        if !columns.contains(&place) {
            columns.push(place);
        }
    }
    columns
}

fn table(view: &ResultsView, metrics: &[usize], more: &ExtraColumns) -> TextTable {
    let mut columns = vec![("key".to_owned(), Align::Left)];
    let heads = match view.run.kind {
        RunKind::Samples => ["repository", "test", "focal method"],
        RunKind::Clover => ["project", "question", "asked"],
        RunKind::Consistency => ["data set", "function", "completed"],
    };
    let heads = heads.into_iter().chain(["parses"]);
    columns.extend(heads.map(|head| (head.to_owned(), Align::Left)));
    for (rank, place) in metrics.iter().enumerate() {
        columns.push((title(view.metrics[*place]), Align::Right));
        if rank == 0 && view.baseline.is_some() {
            columns.push(("Δ".to_owned(), Align::Right));
        }
    }
    if view.engine.is_some() {
        columns.push(("ran".to_owned(), Align::Left));
    }
    if view.has_faults {
        columns.push(("mutation".to_owned(), Align::Right));
        columns.push(("strength".to_owned(), Align::Right));
    }
    if view.has_brittle {
        columns.push(("brittle".to_owned(), Align::Left));
    }
    columns.push(("tags".to_owned(), Align::Left));
    columns.extend(more.heads().map(|head| (head, Align::Right)));
    TextTable::new(&columns)
}

/// Names a value of an answer, or a mean of such values.
pub(super) fn title(metric: &str) -> String {
    metric::title(metric, MetricLevel::Sentence)
}

fn cells(
    view: &ResultsView,
    metrics: &[usize],
    row: &ResultRow,
    reason: Option<&str>,
) -> Vec<String> {
    let key = row.key.to_string();
    let attempt = match row.attempt {
        0 => String::new(),
        attempt => format!(" #{attempt}"),
    };
    let mut cells = vec![
        format!("{}{attempt}", &key[..12]),
        row.repo.clone(),
        if row.test.is_empty() {
            "(no longer in the index)".to_owned()
        } else {
            row.test.clone()
        },
        match &row.asked {
            Some(setting) => setting.label(),
            None => row.focal.clone().unwrap_or_default(),
        },
        match row
            .reading
            .as_ref()
            .map(|prediction_reading| prediction_reading.syntax_error)
        {
            None => "–".to_owned(),
            Some(None) => "yes".to_owned(),
            Some(Some((line, column))) => format!("not at {line}:{column}"),
        },
    ];
    for (rank, place) in metrics.iter().enumerate() {
        cells.push(value(row.values[*place]));
        if rank == 0 && view.baseline.is_some() {
            cells.push(signed(row.delta(*place)));
        }
    }
    if view.engine.is_some() {
        cells.push(outcome::in_a_list(row, reason));
    }
    if view.has_faults {
        let told = |of: fn(FaultCounts) -> String| row.faults.map_or_else(|| "–".to_owned(), of);
        cells.push(told(FaultCounts::score_label));
        cells.push(told(FaultCounts::strength_label));
    }
    if view.has_brittle {
        let told = row.execution.and_then(|execution| execution.brittleness);
        cells.push(told.map_or_else(|| "–".to_owned(), |brittleness| brittleness.label()));
    }
    cells.push(tags(row));
    cells
}

/// Names the differences of an answer: as people say, with the sign that the terminal UI has for it, else as the
/// machine does.
fn tags(row: &ResultRow) -> String {
    match row.people {
        Some(people) if people.is_empty() => "✎ none".to_owned(),
        Some(people) => format!("✎ {people}"),
        None => row.tags.to_string(),
    }
}

/// Writes a value as filters take it.
fn value(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

pub(super) fn signed(delta: Option<f64>) -> String {
    delta.map_or_else(|| "–".to_owned(), |delta| crate::model::signed(delta, 3))
}

/// Gives the hint to evaluate a run that was never evaluated.
fn tell_not_evaluated(context: &mut Context<'_, '_>, run: &RunRow) {
    if run.evaluations.is_empty() {
        context.say(&hint::not_evaluated(&run.setting.name));
    }
}
