//! The stored form of answers: their lines, and the facts in a prediction about its answer.

use serde::Serialize;
use serde_json::Value;

use crate::answers::ReadPrompt;

/// The stored facts about an answer beside its text.
#[derive(Clone, Debug, Serialize)]
pub struct WireAnswerMeta<'a> {
    pub statuses: &'a [u16],
    pub latency_ms: u64,
    /// How many answers the request was for.
    pub n_asked: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_in: Option<u64>,
    /// The tokens of all answers to the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_out: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repaired_utf8: bool,
}

impl WireAnswerMeta<'_> {
    /// Writes the stored form.
    ///
    /// # Panics
    /// Never: its fields are numbers.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("numbers are JSON")
    }
}

/// The facts about the answer that a prediction was taken from.
#[derive(Clone, Debug, Serialize)]
pub struct WirePredictionMeta<'a> {
    pub prompt: &'a str,
    pub parameters: Value,
    pub attempt: u32,
    pub finish_reason: Option<&'a str>,
    /// Keys of other samples that the same was asked about: their tests are references, too.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub also: &'a [String],
}

impl<'a> WirePredictionMeta<'a> {
    #[must_use]
    pub fn new(
        prompt: &'a ReadPrompt,
        parameters: &str,
        attempt: u32,
        finish_reason: Option<&'a str>,
    ) -> Self {
        Self {
            prompt: &prompt.id,
            parameters: parsed(parameters),
            attempt,
            finish_reason,
            also: &prompt.also,
        }
    }

    /// Writes the stored form.
    ///
    /// # Panics
    /// Never: texts and numbers are JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }
}

/// Tells whether an answer ended because its model could write no more; nothing where the facts beside a prediction
/// do not tell. Servers report it as `finish_reason`, our own model as `is_whole`.
#[must_use]
pub fn reached_limit(meta: &str) -> Option<bool> {
    let meta = parsed(meta);
    let finished = meta.get("finish_reason").and_then(Value::as_str);
    let is_whole = meta.get("is_whole").and_then(Value::as_bool);
    finished
        .map(|reason| matches!(reason, "length" | "max_tokens"))
        .or(is_whole.map(|is_whole| !is_whole))
}

/// A line of `export --format answers`.
#[derive(Clone, Debug, Serialize)]
pub struct WireAnswer {
    pub id: Value,
    pub sample: Value,
    pub kind: Value,
    pub meta: Value,
    pub model: String,
    pub parameters: Value,
    pub attempt: u32,
    /// Null where the prompt was too long for the model.
    pub text: Option<String>,
    pub finish_reason: Option<String>,
    pub answered: Value,
}

/// The stored texts that a line is made of.
#[derive(Clone, Copy, Debug)]
pub struct AnswerParts<'a> {
    pub prompt: &'a str,
    pub parameters: &'a str,
    pub meta: &'a str,
}

impl WireAnswer {
    #[must_use]
    pub fn new(
        parts: AnswerParts<'_>,
        model: String,
        attempt: u32,
        (text, finish_reason): (Option<String>, Option<String>),
    ) -> Self {
        let mut prompt = parsed(parts.prompt);
        let mut take = |name: &str| prompt.get_mut(name).map_or(Value::Null, Value::take);
        Self {
            id: take("id"),
            sample: take("sample"),
            kind: take("kind"),
            meta: take("meta"),
            model,
            parameters: parsed(parts.parameters),
            attempt,
            text,
            finish_reason,
            answered: parsed(parts.meta),
        }
    }
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or(Value::Null)
}

/// Describes the stored facts beside an answer for people.
#[must_use]
pub fn told_numbers(meta: &str) -> String {
    let meta = parsed(meta);
    let number = |name: &str| meta.get(name).and_then(Value::as_u64);
    let mut parts = Vec::new();
    for (name, what) in [
        ("tokens_in", "tokens in"),
        ("tokens_out", "tokens out"),
        ("latency_ms", "ms"),
    ] {
        parts.extend(number(name).map(|n| format!("{n} {what}")));
    }
    if let Some(n) = number("n_asked").filter(|n| *n > 1) {
        parts.push(format!("{n} answers to one request"));
    }
    let statuses = meta.get("statuses").and_then(Value::as_array);
    let statuses: Vec<String> = statuses
        .into_iter()
        .flatten()
        .map(|value| match value.as_u64() {
            Some(0) | None => "no answer".to_owned(),
            Some(status) => status.to_string(),
        })
        .collect();
    if statuses.len() > 1 {
        parts.push(format!("tries: {}", statuses.join(", ")));
    }
    parts.join(" · ")
}

/// Shows a stored prompt as the model sees it, for people.
#[must_use]
pub fn prompt_text(json: &str) -> String {
    let prompt = parsed(json);
    if let Some(text) = prompt.get("prompt").and_then(Value::as_str) {
        return text.to_owned();
    }
    let messages = prompt.get("messages").and_then(Value::as_array);
    let texts = messages.into_iter().flatten().map(|message| {
        let role = message
            .get("role")
            .and_then(Value::as_str)
            .unwrap_or_default();
        format!("{role}:\n{}", content(message))
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Reads a prompt's own id; nothing where it has none.
#[must_use]
pub fn prompt_id(json: &str) -> Option<String> {
    let prompt = parsed(json);
    prompt.get("id").and_then(Value::as_str).map(str::to_owned)
}

/// Reads the text of a message, also where it is a list of parts.
pub(super) fn content(message: &Value) -> String {
    text_of(message.get("content").unwrap_or(&Value::Null)).unwrap_or_default()
}

/// Reads a text, also where it is a list of parts; nothing where it is neither.
pub(crate) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // A model that thinks until its tokens are spent says nothing.
        Value::Null => Some(String::new()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|value| value.get("text")?.as_str());
            Some(texts.collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_whether_its_model_could_write_no_more() {
        for (meta, expected) in [
            (r#"{"finish_reason":"length","attempt":0}"#, Some(true)),
            (r#"{"finish_reason":"stop"}"#, Some(false)),
            (r#"{"finish_reason":null,"is_whole":false}"#, Some(true)),
            (r#"{"is_whole":true}"#, Some(false)),
            (r#"{"model":"m"}"#, None),
            ("no JSON", None),
        ] {
            assert_eq!(reached_limit(meta), expected, "{meta}");
        }
    }
}
