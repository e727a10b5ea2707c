//! The rows of `runs --by language`: a run's samples of one language each.

use crate::Context;
use crate::args::TableName;
use crate::command::executed::{LANGUAGE_COUNTS, language_counts, languages_of_runs};
use crate::eval::languages::{RunInLanguage, values_by_language};
use crate::exchange::{OrderedFields, WireRunInLanguage, write_lines};
use crate::failure::Stop;
use crate::metric::Metric;
use crate::model::{LanguageFunnel, RunRow};
use crate::store::Store;
use crate::table::{NumberStyle, TextTable};
use crate::task::Monitor;

/// Writes a row for each language of each run. A run that answers one language has one.
pub fn list(
    context: &mut Context<'_, '_>,
    store: &Store,
    (runs, metrics): (&[RunRow], &[&'static Metric]),
    format: TableName,
) -> Result<(), Stop> {
    let monitor = Monitor::default();
    let mut found = Vec::new();
    for (run, funnels) in runs.iter().zip(languages_of_runs(store, runs)?) {
        let values = values_by_language(store, &monitor, run, metrics)?;
        found.extend(funnels.into_iter().map(|of| {
            let values = values
                .iter()
                .find(|in_language| Some(in_language.language) == of.language);
            (run, of, values.cloned())
        }));
    }
    Ok(context.print(
        format,
        |out| write_lines(out, found.iter().map(|found| wire(found, metrics))),
        |numbers| [table(&found, metrics, numbers)],
    )?)
}

/// A run in one language: how far its answers came, and what they score.
type RunLanguageRow<'r> = (&'r RunRow, LanguageFunnel, Option<RunInLanguage>);

fn table(
    rows: &[RunLanguageRow<'_>],
    metrics: &[&'static Metric],
    numbers: NumberStyle,
) -> TextTable {
    let mut heads = LANGUAGE_COUNTS.map(str::to_owned).to_vec();
    heads.push(numbers.head("correct of unique"));
    heads.extend(
        metrics
            .iter()
            .map(|metric| numbers.head(&metric.corpus_title())),
    );
    let mut table = TextTable::of(&["run", "language", "engine"], &heads);
    for (run, of, values) in rows {
        let mut cells = vec![
            run.setting.name.clone(),
            of.word().to_owned(),
            of.engine.clone(),
        ];
        cells.extend(language_counts(of).map(|n| n.to_string()));
        cells.push(numbers.share(of.funnel.share(of.funnel.n_correct)));
        let value = |idx: usize| {
            values
                .as_ref()
                .and_then(|in_language| in_language.values[idx])
        };
        cells.extend((0..metrics.len()).map(|idx| numbers.share(value(idx))));
        table.row(cells);
    }
    table
}

fn wire<'a>(
    (run, of, values): &'a RunLanguageRow<'_>,
    metrics: &[&'static Metric],
) -> WireRunInLanguage<'a> {
    let scores = metrics.iter().enumerate().filter_map(|(idx, metric)| {
        let value = values
            .as_ref()
            .and_then(|in_language| in_language.values[idx])?;
        Some((metric.id, value))
    });
    WireRunInLanguage {
        name: &run.setting.name,
        language: of.word(),
        scores: scores.collect::<OrderedFields<f64>>(),
        of: of.into(),
    }
}
