//! The rows of `runs --by language`: a run's samples of one language each.

use crate::Context;
use crate::args::TableName;
use crate::command::executed::{LANGUAGE_COUNTS, language_counts, languages_of_runs};
use crate::eval::languages::{InLanguage, values_by_language};
use crate::exchange::{Ordered, WireRunInLanguage, write_line};
use crate::failure::Stop;
use crate::metric::Metric;
use crate::model::{LanguageFunnel, RunRow};
use crate::store::Store;
use crate::table::{Align, Numbers, Table};
use crate::task::Monitor;

use super::write_as;

/// Writes a row for each language of each run. A run that answers one language has one.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    (runs, metrics): (&[RunRow], &[&'static Metric]),
    format: TableName,
) -> Result<(), Stop> {
    let monitor = Monitor::default();
    let numbers = Numbers::of(format);
    let mut columns: Vec<(String, Align)> = ["run", "language", "engine"]
        .map(|it| (it.to_owned(), Align::Left))
        .to_vec();
    columns.extend(LANGUAGE_COUNTS.map(|it| (it.to_owned(), Align::Right)));
    columns.push((numbers.head("correct of unique"), Align::Right));
    let titles = metrics.iter().map(|it| numbers.head(&it.corpus_title()));
    columns.extend(titles.map(|it| (it, Align::Right)));
    let mut table = Table::new(&columns);
    for (run, funnels) in runs.iter().zip(languages_of_runs(store, runs)?) {
        let values = values_by_language(store, &monitor, run, metrics)?;
        for of in &funnels {
            let values = values.iter().find(|it| Some(it.language) == of.language);
            if format == TableName::Json {
                write_line(context.streams.out, &wire(run, of, (metrics, values)))?;
                continue;
            }
            let mut cells = vec![
                run.setting.name.clone(),
                of.word().to_owned(),
                of.engine.clone(),
            ];
            cells.extend(language_counts(of).map(|n| n.to_string()));
            cells.push(numbers.share(of.funnel.share(of.funnel.n_correct)));
            let value = |idx: usize| values.and_then(|it| it.values[idx]);
            cells.extend((0..metrics.len()).map(|idx| numbers.share(value(idx))));
            table.row(cells);
        }
    }
    if format != TableName::Json {
        write_as(&table, format, context.streams.out)?;
    }
    Ok(())
}

fn wire<'a>(
    run: &'a RunRow,
    of: &LanguageFunnel,
    (metrics, values): (&[&'static Metric], Option<&InLanguage>),
) -> WireRunInLanguage<'a> {
    let scores = metrics.iter().enumerate().filter_map(|(idx, metric)| {
        let value = values.and_then(|it| it.values[idx])?;
        Some((metric.id, value))
    });
    WireRunInLanguage {
        name: &run.setting.name,
        language: of.word(),
        scores: scores.collect::<Ordered<f64>>(),
        of: of.into(),
    }
}
