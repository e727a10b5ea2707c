//! All that is known of one prediction: what it says, what it scored and how that comes about, and why it has its tags.

use std::path::PathBuf;

use crate::failure::{self, Evidence, PredictionPair, Tagger};
use crate::metric::explain::{Explanation, explain};
use crate::metric::metric as metric_of;
use crate::metric::scorer::Settings;
use crate::model::{PredictionReading, ResultDetail, ResultRow};
use crate::store::Store;

use super::EvalError;
use super::results::{ResultsView, detail_of, rows};

/// One prediction with the reasons for its values.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedPrediction {
    pub detail: ResultDetail,
    /// Of the list's metric, with the default weights; absent without a reference or a metric, and where several
    /// references decide.
    pub explanation: Option<Explanation>,
    /// Why it has its tags; none without a reference.
    pub evidence: Vec<Evidence>,
    /// The folder that was mined, to open files in an editor; absent when it is gone.
    pub root: Option<PathBuf>,
}

impl ExplainedPrediction {
    /// Computes by how much the explained value misses the stored one: more than nothing where the run was scored with
    /// other weights, or with a corpus of n-grams that nobody has any more.
    #[must_use]
    pub fn drift(&self) -> Option<f64> {
        let explanation = self.explanation.as_ref()?;
        let scores = self.detail.answered.scores.iter();
        let stored = scores
            .into_iter()
            .find(|(id, _)| *id == explanation.metric.id);
        Some((stored?.1.value - explanation.value).abs())
    }
}

/// Explains a prediction; nothing when the run has no such number.
///
/// # Errors
/// What the index says.
pub fn explained(
    store: &Store,
    view: &ResultsView,
    ordinal: u32,
) -> Result<Option<ExplainedPrediction>, EvalError> {
    match rows(store, view, &[ordinal])?.pop() {
        Some(row) => explained_row(store, view, row),
        None => Ok(None),
    }
}

/// Explains the prediction of a row; for many, their rows are read at once.
///
/// # Errors
/// What the index says.
pub fn explained_row(
    store: &Store,
    view: &ResultsView,
    row: ResultRow,
) -> Result<Option<ExplainedPrediction>, EvalError> {
    let ordinal = row.ordinal;
    let Some(detail) = detail_of(store, view, row)? else {
        return Ok(None);
    };
    let setting = &view.run.setting;
    let reference = detail.reference.as_ref();
    let stored = store
        .references(&[detail.row.key], setting.target, setting.matcher)?
        .pop()
        .flatten();
    let language = stored
        .as_ref()
        .map_or(setting.language, |stored_reference| {
            stored_reference.language
        });
    let found = reference.map(|reference| {
        let reading = detail.answered.reading.as_ref();
        let pair = PredictionPair {
            language,
            is_parsable: reading
                .map(|prediction_reading| prediction_reading.syntax_error.is_none()),
            framework: stored
                .as_ref()
                .map(|stored_reference| stored_reference.framework),
            file: stored
                .as_ref()
                .and_then(|stored_reference| stored_reference.file.as_deref()),
            is_over_length: reading
                .is_some_and(|prediction_reading| prediction_reading.is_over_length),
            ..PredictionPair::new(&reference.text, &detail.answered.prediction)
        };
        (pair, Tagger::new().compare(pair))
    });
    let evidence = match found {
        Some((pair, mut found)) => {
            let files = store.sample_files(&[detail.row.key], setting.matcher)?;
            let texts: Vec<&str> = files.iter().flatten().map(|file| &**file).collect();
            found.settle(pair.prediction, |name| {
                failure::occurs(texts.iter().copied(), name)
            });
            found.evidence
        }
        None => Vec::new(),
    };
    let samples = store.prediction_samples(view.run.id, ordinal, 1)?;
    let has_others = samples.first().is_some_and(|keys| keys.len() > 1);
    // The arithmetic can be shown for one reference only.
    let metric = view.metric.and_then(metric_of);
    let metric = metric.filter(|metric| !(metric.is_multi && has_others));
    let explanation = metric.zip(reference).map(|(metric, reference)| {
        let settings = Settings::new(language, vec![metric]);
        let prediction = &detail.answered.prediction;
        explain(metric, &settings, &reference.text, prediction)
    });
    let sample = store.sample(&detail.row.key, setting.matcher)?;
    Ok(Some(ExplainedPrediction {
        root: sample
            .map(|stored_sample| stored_sample.root)
            .filter(|path| path.is_dir()),
        detail,
        explanation,
        evidence,
    }))
}

/// Describes the reading of a prediction in words.
#[must_use]
pub fn reading_lines(reading: &PredictionReading) -> Vec<String> {
    let parses = match reading.syntax_error {
        None => "parses".to_owned(),
        Some((line, column)) => format!("does not parse at {line}:{column}"),
    };
    let tokens = format!(
        "{} tokens, the true text {}",
        reading.n_tokens, reading.n_reference_tokens
    );
    let more = [
        (reading.is_over_length, "as long as the model could write"),
        (
            reading.is_changed,
            "the sample has changed since the answer was imported",
        ),
        (
            !reading.has_reference,
            "no reference to compare with, so it counts in no score",
        ),
    ];
    let more = more.into_iter().filter(|more| more.0);
    [parses, tokens]
        .into_iter()
        .chain(more.map(|more| more.1.to_owned()))
        .collect()
}
