//! What is read again of what stored answers and predictions say besides their texts: tokens, time, and with which
//! parameters a model was asked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Asked, RunKind};

use super::outcomes::WireAtK;
use super::{Ordered, WireMean};

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReadUsage {
    /// Of its request, from the last try to the answer.
    pub latency_ms: Option<u64>,
    /// How many answers the request was for.
    pub n_asked: Option<u64>,
    pub tokens_in: Option<u64>,
    /// Of all answers to the request.
    pub tokens_out: Option<u64>,
}

impl ReadUsage {
    /// Reads it as [`super::answers::WireAnswerMeta`] was stored; what is no such thing says nothing.
    #[must_use]
    pub fn of(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }
}

/// Returns the parameters that a prediction says it was asked with, as texts; nothing where it says none.
#[must_use]
pub fn parameters_of(meta: &str) -> Option<BTreeMap<String, String>> {
    let meta: Value = serde_json::from_str(meta).ok()?;
    let parameters = meta.get("parameters")?.as_object()?;
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let fields = parameters.iter();
    Some(
        fields
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
    )
}

/// Returns what a prediction says of the question that it answers: how that was asked is a setting as a temperature is one.
#[must_use]
pub fn asked_meta(kind: RunKind, asked: &Asked) -> String {
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
    serde_json::json!({ "parameters": parameters }).to_string()
}

/// What the answers of a run took.
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
    /// In the money of the prices that somebody gave; null where nobody did.
    pub cost: Option<f64>,
}

/// What answers come to: of each sample one, or the best of several.
#[derive(Debug, Serialize)]
pub struct WireSettingNumbers {
    pub n_samples: u64,
    pub parses: Option<WireMean>,
    /// Means of the samples' own scores.
    pub metrics: Ordered<Option<WireMean>>,
    pub correct: Option<WireMean>,
}

/// The answers of a run with one setting (`runs --by setting`).
#[derive(Debug, Serialize)]
pub struct WireSetting<'a> {
    pub run: &'a str,
    /// What differs between the settings of the run; empty for the only one.
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
    /// Of what: `settings` or `attempts`.
    pub oracle: &'static str,
    pub k: u64,
    #[serde(flatten)]
    pub numbers: WireSettingNumbers,
}

#[cfg(test)]
mod tests {
    use super::*;

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
