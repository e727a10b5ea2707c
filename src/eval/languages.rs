//! The scores of a run in each language, where its samples are in several.

use std::collections::BTreeMap;

use crate::metric::Metric;
use crate::model::{Language, RunRow};
use crate::store::Store;
use crate::task::Monitor;

use super::{EvalError, Summary};

/// A run's values in one language.
#[derive(Clone, Debug, PartialEq)]
pub struct RunInLanguage {
    pub language: Language,
    pub n_pairs: u64,
    /// In the order of the metrics that were asked for; absent where one is not computed.
    pub values: Vec<Option<f64>>,
}

/// Groups the values of first answers by language; nothing where all samples are in one.
///
/// # Errors
/// The index's, and cancelling.
pub fn by_language(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    metrics: &[&'static Metric],
) -> Result<Vec<RunInLanguage>, EvalError> {
    if store.run_languages(run.id)?.len() < 2 {
        return Ok(Vec::new());
    }
    values_by_language(store, monitor, run, metrics)
}

/// Groups the values of first answers by language, also where all samples are in one.
///
/// # Errors
/// The index's, and cancelling.
pub fn values_by_language(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    metrics: &[&'static Metric],
) -> Result<Vec<RunInLanguage>, EvalError> {
    let languages = languages_of(store, run)?;
    let ids: Vec<&str> = metrics.iter().map(|metric| metric.id).collect();
    let evaluations = store.evaluations(run.id, &ids)?;
    let known: Vec<i64> = evaluations.iter().copied().flatten().collect();
    let mut summaries: BTreeMap<Language, Summary> = BTreeMap::new();
    store.each_score(run.id, &known, |scored| {
        monitor.step()?;
        let language = languages.get(scored.ordinal as usize).copied().flatten();
        if let Some(language) = language.filter(|_| scored.reading.has_reference)
            && scored.attempt == 0
        {
            let summary = summaries
                .entry(language)
                .or_insert_with(|| Summary::new(known.len()));
            let is_parsable = scored.reading.syntax_error.is_none();
            summary.add(&scored.scores, is_parsable, scored.reading.is_over_length);
        }
        Ok::<_, EvalError>(())
    })?;
    let of_language = |(language, summary): (Language, Summary)| {
        let mut idx = 0;
        let values = metrics.iter().zip(&evaluations).map(|(metric, known)| {
            known.as_ref()?;
            idx += 1;
            summary.value(metric, idx - 1)
        });
        RunInLanguage {
            language,
            values: values.collect(),
            n_pairs: summary.n_pairs,
        }
    };
    Ok(summaries.into_iter().map(of_language).collect())
}

/// Reads the language of each prediction's sample, by ordinal; nothing for one that is gone.
fn languages_of(store: &Store, run: &RunRow) -> Result<Vec<Option<Language>>, EvalError> {
    let mut languages = Vec::new();
    store.each_prediction_keys(run.id, |_, keys| {
        let facts = store.sample_facts(keys, run.setting.matcher)?;
        languages.extend(facts.into_iter().map(|facts| Some(facts?.language)));
        Ok::<_, EvalError>(())
    })?;
    Ok(languages)
}
