//! Reads the metadata of stored answers and predictions: tokens, time, and the model's parameters.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{QuestionSetting, RunKind};

use super::outcomes::WireAtK;
use super::{OrderedFields, WireMean};

/// The tokens and the time of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReadUsage {
    /// The time of its request, from the last try to the answer.
    pub latency_ms: Option<u64>,
    /// How many answers the request was for.
    pub n_asked: Option<u64>,
    pub tokens_in: Option<u64>,
    /// The tokens of all answers to the request.
    pub tokens_out: Option<u64>,
}

impl ReadUsage {
    /// Reads it as [`super::answers::WireAnswerMeta`] was stored; anything else is read as empty.
    #[must_use]
    pub fn of(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// Reads the parameters in a prediction's metadata, as texts; nothing where there are none.
#[must_use]
pub fn parameters_of(meta: &str) -> Option<BTreeMap<String, String>> {
    let meta: Value = serde_json::from_str(meta).ok()?;
    let parameters = meta.get("parameters")?.as_object()?;
    let fields = parameters.iter();
    Some(
        fields
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
    )
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Reads the scores that a file of predictions, such as another harness's log, gives this one, as texts; parts of a
/// score behind a point. Nothing where it says none.
#[must_use]
pub fn scores_of(meta: &str) -> Option<BTreeMap<String, String>> {
    let meta: Value = serde_json::from_str(meta).ok()?;
    let mut scores = BTreeMap::new();
    for (name, value) in meta.get("scores")?.as_object()? {
        match value {
            Value::Null => {}
            Value::Object(parts) => {
                let parts = parts.iter().filter(|part| !part.1.is_null());
                scores.extend(parts.map(|(part, value)| (format!("{name}.{part}"), text(value))));
            }
            value => {
                scores.insert(name.clone(), text(value));
            }
        }
    }
    (!scores.is_empty()).then_some(scores)
}

/// Writes a score as JSON: a number where it is one.
fn scored(text: &str) -> Value {
    let number = serde_json::from_str(text).ok().filter(Value::is_number);
    number.unwrap_or_else(|| text.into())
}

/// Scores that a file gave, as they are written.
pub type WireMetaScores = BTreeMap<String, Value>;

/// Writes the scores of a prediction.
#[must_use]
pub fn written_scores(scores: &BTreeMap<String, String>) -> WireMetaScores {
    let fields = scores.iter();
    fields
        .map(|(name, text)| (name.clone(), scored(text)))
        .collect()
}

/// Writes the metadata of a prediction about its question: how that was asked is a setting as a temperature is one, and
/// what a judge makes of it is a score.
#[must_use]
pub fn asked_meta(kind: RunKind, asked: &QuestionSetting, scores: &[(&str, &str)]) -> String {
    let task = match kind {
        RunKind::Consistency => "pass",
        RunKind::Samples | RunKind::Clover => "task",
    };
    let mut parameters = serde_json::Map::new();
    parameters.insert(task.to_owned(), asked.task.as_str().into());
    if let Some(budget) = asked.budget {
        parameters.insert("budget".to_owned(), budget.into());
    }
    if let Some(form) = &asked.form {
        parameters.insert("answer".to_owned(), form.as_str().into());
    }
    let mut meta = serde_json::json!({ "parameters": parameters });
    if !scores.is_empty() {
        let scores = scores.iter().copied();
        let scores = scores.map(|(name, word)| (name.to_owned(), Value::from(word)));
        meta["scores"] = Value::Object(scores.collect());
    }
    meta.to_string()
}

/// The tokens, time and cost of a run's answers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireUsage {
    pub answers: u64,
    pub requests: u64,
    /// Requests whose answers do not say how many tokens they took; they are in no sum.
    pub requests_without_usage: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub latency_ms_median: Option<f64>,
    pub latency_ms_p95: Option<f64>,
    /// In the currency of the given prices; null without prices.
    pub cost: Option<f64>,
}

/// The numbers of answers: one of each sample, or the best of several.
#[derive(Debug, Serialize)]
pub struct WireSettingNumbers {
    pub n_samples: u64,
    pub parses: Option<WireMean>,
    /// Means of the samples' own scores.
    pub metrics: OrderedFields<Option<WireMean>>,
    pub correct: Option<WireMean>,
}

/// The answers of a run with one setting (`runs --by setting`).
#[derive(Debug, Serialize)]
pub struct WireSetting<'a> {
    pub run: &'a str,
    /// The values that differ between the settings of the run; empty for the only setting.
    pub setting: &'a str,
    pub parameters: &'a BTreeMap<String, String>,
    pub n_answers: u64,
    #[serde(flatten)]
    pub numbers: WireSettingNumbers,
    /// Attempts with this setting, taken together; absent where there is one each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_k: Vec<WireAtK>,
}

/// The best of several answers of each sample.
#[derive(Debug, Serialize)]
pub struct WireOracle<'a> {
    pub run: &'a str,
    /// The best of `settings` or of `attempts`.
    pub oracle: &'static str,
    pub k: u64,
    #[serde(flatten)]
    pub numbers: WireSettingNumbers,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_scored_is_read_with_the_parts_of_each_score() {
        let meta = r#"{"scores": {"match": "C", "pass": {"at_1": 0.5, "at_5": null}, "none": null, "n": 3}}"#;
        let scores = scores_of(meta).expect("it has some");
        let expected = [("match", "C"), ("n", "3"), ("pass.at_1", "0.5")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(scores, expected.into());
        let written = serde_json::to_string(&written_scores(&scores)).expect("it is JSON");
        assert_eq!(written, r#"{"match":"C","n":3,"pass.at_1":0.5}"#);
        for nothing in ["", "[]", r#"{"scores": 1}"#, r#"{"scores": {"a": null}}"#] {
            assert_eq!(scores_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_an_answer_took_is_read_as_far_as_it_says() {
        let all = ReadUsage::of(
            "{\"statuses\":[429,200],\"latency_ms\":812,\"n_asked\":4,\"tokens_in\":901,\"tokens_out\":388}",
        );
        assert_eq!((all.latency_ms, all.n_asked), (Some(812), Some(4)));
        assert_eq!((all.tokens_in, all.tokens_out), (Some(901), Some(388)));
        assert_eq!(ReadUsage::of("{}"), ReadUsage::default());
        assert_eq!(ReadUsage::of("no"), ReadUsage::default());
    }

    #[test]
    fn parameters_are_texts() {
        let found = parameters_of("{\"parameters\":{\"api\":\"chat\",\"temperature\":0.2}}");
        let found = found.expect("it says some");
        assert_eq!(found.get("api").map(String::as_str), Some("chat"));
        assert_eq!(found.get("temperature").map(String::as_str), Some("0.2"));
        assert_eq!(parameters_of("{\"loss\":1}"), None);
    }
}
