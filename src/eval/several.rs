//! Predictions that have several references: the test of their own sample, and the tests of other samples with the same
//! question.
//!
//! Only metrics that say so (`Metric::is_multi`) look at the others; what every other metric computes does not depend
//! on them.

use rayon::prelude::*;

use crate::metric::Metric;
use crate::metric::scorer::{PairScore, Scorer, Settings};
use crate::model::{Language, Prediction, RunRow, SampleKey};
use crate::store::{Store, StoreError};

/// Neighbouring predictions of a run.
pub struct PredictionStretch<'a> {
    pub run: &'a RunRow,
    /// The number of the first prediction.
    pub first: u32,
    pub predictions: &'a [Prediction],
}

/// A prediction with all its references, its own first; those that are gone are left out.
struct PredictionReferences<'a> {
    /// Its place in the stretch.
    idx: usize,
    prediction: &'a Prediction,
    language: Language,
    references: Vec<String>,
}

/// Scores predictions that have several references in all metrics of the settings that look at these; returns their
/// places in the stretch, ascending, each with what it scored in the order of [`multi`].
///
/// # Errors
/// The store's.
pub fn score_several(
    store: &Store,
    stretch: &PredictionStretch<'_>,
    settings: &Settings,
) -> Result<Vec<(usize, PairScore)>, StoreError> {
    let metrics = multi(settings);
    if metrics.is_empty() {
        return Ok(Vec::new());
    }
    let of_languages: Vec<Settings> = Language::ALL
        .iter()
        .map(|language| Settings {
            language: *language,
            metrics: metrics.clone(),
            ..settings.clone()
        })
        .collect();
    Ok(several(store, stretch)?
        .par_iter()
        .map_init(
            || -> [Option<Scorer<'_>>; Language::ALL.len()] { Default::default() },
            |scorers, several| {
                let language = several.language as usize;
                let scorer =
                    scorers[language].get_or_insert_with(|| Scorer::new(&of_languages[language]));
                let texts: Vec<&str> = several.references.iter().map(String::as_str).collect();
                (several.idx, scorer.score(&texts, several.prediction.text()))
            },
        )
        .collect())
}

/// Lists the metrics of the settings that look at several references.
pub fn multi(settings: &Settings) -> Vec<&'static Metric> {
    let metrics = settings.metrics.iter();
    metrics.filter(|metric| metric.is_multi).copied().collect()
}

/// Replaces the scores against the sample's own reference by scores against several references.
pub fn replace(pair: &mut PairScore, several: PairScore, metrics: &[&'static Metric]) {
    let multi = metrics.iter().zip(&mut pair.scores);
    let multi = multi.filter(|(metric, _)| metric.is_multi);
    for ((_, score), found) in multi.zip(several.scores) {
        *score = found;
    }
    let is_single = |id: &&str| {
        metrics
            .iter()
            .all(|metric| metric.id != *id || !metric.is_multi)
    };
    pair.too_costly.retain(is_single);
    pair.too_costly.extend(several.too_costly);
}

/// Finds the predictions of a stretch that have more references than their own, which must be there.
fn several<'a>(
    store: &Store,
    stretch: &PredictionStretch<'a>,
) -> Result<Vec<PredictionReferences<'a>>, StoreError> {
    let PredictionStretch {
        run,
        first,
        predictions,
    } = *stretch;
    let n_predictions = predictions.len() as u32;
    let samples = store.prediction_samples(run.id, first, n_predictions)?;
    let with_others = samples.iter().enumerate();
    let with_others: Vec<(usize, &Vec<SampleKey>)> =
        with_others.filter(|(_, keys)| keys.len() > 1).collect();
    let mut keys: Vec<SampleKey> = with_others
        .iter()
        .flat_map(|pair| pair.1)
        .copied()
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let setting = &run.setting;
    let references = store.references(&keys, setting.target, setting.matcher)?;
    let reference = |key: &SampleKey| {
        let found = references[keys.binary_search(key).ok()?].as_ref()?;
        Some((found.language, found.text.clone()?))
    };
    let found = with_others.into_iter().filter_map(|(idx, keys)| {
        let (language, own) = reference(&keys[0])?;
        let others = keys[1..].iter().filter_map(reference);
        let others = others
            .filter(|other| other.0 == language)
            .map(|other| other.1);
        Some(PredictionReferences {
            idx,
            prediction: predictions.get(idx)?,
            language,
            references: [own].into_iter().chain(others).collect(),
        })
    });
    Ok(found
        .filter(|prediction_references| prediction_references.references.len() > 1)
        .collect())
}
