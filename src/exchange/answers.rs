//! Requests to servers of models and their responses, in the form that most servers understand (`chat/completions`,
//! `completions`), and lines of prompts.
//!
//! Only requested fields are sent: many servers refuse unknown ones. Responses are read leniently, and one that is no
//! answer is reported in a word.

mod stored;

use serde_json::{Map, Value, json};

use crate::records::{self, Fields, NeededValue, RecordError, id_at};

use stored::content;
pub(crate) use stored::text_of;
pub use stored::{
    AnswerParts, WireAnswer, WireAnswerMeta, WirePredictionMeta, prompt_id, prompt_text,
    reached_limit, told_numbers,
};

/// A longer part of a server's message is cut, so that ours stays readable.
const WORDS_CHARS_MAX: usize = 300;

/// One of the two ways to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Api {
    #[default]
    Chat,
    Completions,
}

impl Api {
    pub const ALL: &[Self] = &[Self::Chat, Self::Completions];

    /// Returns the word used on the command line and in stored parameters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Completions => "completions",
        }
    }

    /// Returns the path below the endpoint.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Completions => "completions",
        }
    }
}

/// How a model is asked, besides the prompt; only parameters that are set are sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    pub api: Api,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    /// In place of the prompt's own.
    pub max_tokens: Option<u32>,
    /// In place of the prompt's own; none where empty.
    pub stop: Vec<String>,
    pub seed: Option<u64>,
    /// A system message, in place of the prompt's own.
    pub system: Option<String>,
    pub extra: Extra,
}

/// Fields of a request that we have no word for, such as `{"reasoning_effort":"low"}`: they are sent as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra(Map<String, Value>);

/// Fields that have options of their own, or that decide the question and the form of the answer.
const OWN_FIELDS: &[&str] = &[
    "api",
    "max_tokens",
    "messages",
    "model",
    "n",
    "prompt",
    "seed",
    "stop",
    "stream",
    "suffix",
    "system",
    "temperature",
    "top_k",
    "top_p",
];

/// Why a text is no [`Extra`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtraError {
    #[error("no object of JSON, such as `{{\"reasoning_effort\":\"low\"}}`")]
    NotAnObject,
    #[error("`{name}` is not for `extra` to set")]
    Own { name: String },
}

impl std::str::FromStr for Extra {
    type Err = ExtraError;

    fn from_str(text: &str) -> Result<Self, ExtraError> {
        let fields: Fields = serde_json::from_str(text).map_err(|_| ExtraError::NotAnObject)?;
        let mut names = fields.keys();
        match names.find(|name| OWN_FIELDS.contains(&name.as_str())) {
            Some(name) => Err(ExtraError::Own { name: name.clone() }),
            None => Ok(Self(fields)),
        }
    }
}

impl Parameters {
    /// Writes them as JSON with keys in order: equal texts are equal parameters.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut fields = self.fields();
        fields.insert("api".to_owned(), json!(self.api.as_str()));
        if let Some(system) = &self.system {
            fields.insert("system".to_owned(), json!(system));
        }
        Value::Object(fields).to_string()
    }

    /// A map of this kind is ordered by its keys.
    fn fields(&self) -> Map<String, Value> {
        let mut fields = self.extra.0.clone();
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                fields.insert(name.to_owned(), value);
            }
        };
        add(
            "temperature",
            self.temperature.map(|temperature| json!(temperature)),
        );
        add("top_p", self.top_p.map(|top_p| json!(top_p)));
        add("top_k", self.top_k.map(|top_k| json!(top_k)));
        add(
            "max_tokens",
            self.max_tokens.map(|max_token| json!(max_token)),
        );
        add("stop", (!self.stop.is_empty()).then(|| json!(self.stop)));
        add("seed", self.seed.map(|seed| json!(seed)));
        fields
    }
}

/// A line of a file of prompts.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPrompt {
    /// The id as the line has it.
    pub id: String,
    pub sample: Option<String>,
    pub kind: String,
    messages: Option<Value>,
    prompt: Option<String>,
    suffix: Option<String>,
    pub max_tokens: Option<u32>,
    stop: Vec<String>,
    /// The tokens of the prompt, where the file gives them.
    pub n_tokens: Option<u64>,
    /// `assertion`, `test`.
    pub target: Option<String>,
    pub language: Option<String>,
    /// The sample's content hash when the prompt was built.
    pub content: Option<String>,
    /// Keys of other samples that the same is asked about.
    pub also: Vec<String>,
    /// The whole of it.
    pub json: String,
}

/// Reads a line of a file of prompts.
///
/// # Errors
/// What is wrong with it.
pub fn read_prompt(text: &str) -> Result<ReadPrompt, RecordError> {
    let fields = records::object(text.as_bytes())?;
    let word = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(RecordError::other(name, other, NeededValue::Text)),
    };
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    let messages = match fields.get("messages") {
        None | Some(Value::Null) => None,
        Some(Value::Array(list)) if list.iter().all(is_message) && !list.is_empty() => {
            Some(Value::Array(list.clone()))
        }
        Some(other) => return Err(RecordError::other("messages", other, NeededValue::Messages)),
    };
    let meta = |name: &str| {
        let value = fields.get("meta").and_then(|field| field.get(name));
        value.and_then(Value::as_str).map(str::to_owned)
    };
    let id = id_at(&fields, "id")?;
    let prompt = word("prompt")?;
    if messages.is_none() && prompt.is_none() {
        return Err(RecordError::Neither("messages", "prompt"));
    }
    let stop = match fields.get("stop") {
        Some(Value::Array(list)) => {
            let words = list.iter().filter_map(Value::as_str);
            words.map(str::to_owned).collect()
        }
        Some(Value::String(one)) => vec![one.clone()],
        _ => Vec::new(),
    };
    Ok(ReadPrompt {
        id,
        sample: word("sample")?,
        kind: word("kind")?.unwrap_or_default(),
        messages,
        prompt,
        suffix: word("suffix")?,
        max_tokens: number("max_tokens").and_then(|n| u32::try_from(n).ok()),
        stop,
        n_tokens: number("tokens"),
        target: word("target")?,
        language: meta("language"),
        content: meta("content"),
        also: also(&fields),
        json: text.trim().to_owned(),
    })
}

/// Reads the texts of a list `meta.also`; other values there are no keys.
fn also(fields: &Map<String, Value>) -> Vec<String> {
    let keys = fields.get("meta").and_then(|meta| meta.get("also"));
    let keys = keys.and_then(Value::as_array).into_iter().flatten();
    keys.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is_message(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string) && value.get("content").is_some()
}

impl ReadPrompt {
    /// Describes the prompt as the model sees it, in pieces: all of it together with [`Self::id`] shapes the answer.
    #[must_use]
    pub fn shape(&self) -> String {
        let all = json!([
            self.id,
            self.messages,
            self.prompt,
            self.suffix,
            self.max_tokens,
            self.stop
        ]);
        all.to_string()
    }

    /// Returns about how many tokens it has: the number in the file, else one for each 3.6 bytes.
    #[must_use]
    pub fn n_tokens_about(&self) -> u64 {
        self.n_tokens.unwrap_or_else(|| {
            let messages = self.messages.as_ref().and_then(Value::as_array);
            let contents = messages.into_iter().flatten().map(content);
            let n_bytes = contents.map(|content| content.len()).sum::<usize>()
                + self.prompt.as_ref().map_or(0, String::len);
            (n_bytes as u64 * 10).div_ceil(36)
        })
    }

    /// Builds the conversation of the prompt; a system message that is given replaces those of the prompt.
    fn messages_after(&self, system: Option<&str>) -> Vec<Value> {
        let own = match &self.messages {
            Some(messages) => messages.as_array().cloned().unwrap_or_default(),
            None => vec![json!({"role": "user", "content": self.prompt})],
        };
        let Some(system) = system else { return own };
        let is_replaced =
            |value: &Value| value.get("role").and_then(Value::as_str) == Some("system");
        let first = json!({"role": "system", "content": system});
        let others = own.into_iter().filter(|value| !is_replaced(value));
        [first].into_iter().chain(others).collect()
    }

    /// Builds the body of a request.
    #[must_use]
    pub fn body(&self, model: &str, parameters: &Parameters, n: u32, seed: Option<u64>) -> Vec<u8> {
        let mut fields = parameters.fields();
        let mut add = |name: &str, value: Value| {
            fields.insert(name.to_owned(), value);
        };
        add("model", json!(model));
        let messages = self.messages_after(parameters.system.as_deref());
        match (parameters.api, &self.messages, &self.prompt) {
            (Api::Chat, ..) => add("messages", Value::Array(messages)),
            (Api::Completions, None, Some(prompt)) if parameters.system.is_none() => {
                add("prompt", json!(prompt));
            }
            (Api::Completions, ..) => {
                let contents: Vec<String> = messages.iter().map(content).collect();
                add("prompt", json!(contents.join("\n\n")));
            }
        }
        if let (Api::Completions, Some(suffix)) = (parameters.api, &self.suffix) {
            add("suffix", json!(suffix));
        }
        if let (None, Some(max_tokens)) = (parameters.max_tokens, self.max_tokens) {
            add("max_tokens", json!(max_tokens));
        }
        if parameters.stop.is_empty() && !self.stop.is_empty() {
            add("stop", json!(self.stop));
        }
        if n > 1 {
            add("n", json!(n));
        }
        if let Some(seed) = seed {
            add("seed", json!(seed));
        }
        Value::Object(fields).to_string().into_bytes()
    }
}

/// One of the answers to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadChoice {
    pub text: String,
    pub finish_reason: Option<String>,
}

/// The answer of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAnswer {
    /// At least one.
    pub choices: Vec<ReadChoice>,
    pub n_tokens_in: Option<u64>,
    pub n_tokens_out: Option<u64>,
    /// Some bytes were no UTF-8 and were replaced.
    pub is_repaired: bool,
}

/// Why a response is no answer, in words that do not contain its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("an empty answer")]
    Empty,
    #[error("HTML instead of JSON")]
    Html,
    #[error("not JSON")]
    NotJson,
    #[error("an error that says success")]
    Failed,
    #[error("no `choices`")]
    NoChoices,
    #[error("an empty list of choices")]
    EmptyChoices,
    #[error("a choice without a text")]
    NoText,
}

/// Reads the response of a server.
///
/// # Errors
/// Why it is no answer.
pub fn read_answer(bytes: &[u8]) -> Result<ReadAnswer, AnswerError> {
    let text = String::from_utf8_lossy(bytes);
    let value: Value = serde_json::from_str(&text).map_err(|_| match text.trim_start() {
        "" => AnswerError::Empty,
        markup if markup.starts_with('<') => AnswerError::Html,
        _ => AnswerError::NotJson,
    })?;
    if value.get("error").is_some_and(|value| !value.is_null()) {
        return Err(AnswerError::Failed);
    }
    let list = value.get("choices").and_then(Value::as_array);
    let list = list.ok_or(AnswerError::NoChoices)?;
    if list.is_empty() {
        return Err(AnswerError::EmptyChoices);
    }
    let mut choices = Vec::with_capacity(list.len());
    for choice in list {
        let said = choice
            .get("text")
            .or_else(|| choice.get("message")?.get("content"));
        // A message that calls tools may lack the field.
        let is_message = choice.get("message").is_some_and(Value::is_object);
        let text = match said {
            Some(value) => text_of(value),
            None => is_message.then(String::new),
        };
        let finish_reason = choice.get("finish_reason").and_then(Value::as_str);
        let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        choices.push((
            index,
            ReadChoice {
                text: text.ok_or(AnswerError::NoText)?,
                finish_reason: finish_reason.map(str::to_owned),
            },
        ));
    }
    choices.sort_by_key(|choice| choice.0);
    let usage = |name: &str| {
        value
            .get("usage")
            .and_then(|value| value.get(name)?.as_u64())
    };
    Ok(ReadAnswer {
        choices: choices.into_iter().map(|choice| choice.1).collect(),
        n_tokens_in: usage("prompt_tokens"),
        n_tokens_out: usage("completion_tokens"),
        is_repaired: matches!(text, std::borrow::Cow::Owned(_)),
    })
}

/// Reads the server's message about a request that it did not answer: short, on one line, without control characters.
#[must_use]
pub fn server_words(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let found = serde_json::from_str::<Value>(&text).ok().and_then(|value| {
        let error = value.get("error");
        let places = [
            error.and_then(|value| value.get("message")),
            error,
            value.get("message"),
            value.get("detail"),
        ];
        let mut found = places.into_iter().flatten();
        found.find_map(|value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        })
    });
    let words = found.unwrap_or_else(|| match text.trim_start() {
        markup if markup.starts_with('<') => "HTML".to_owned(),
        other => other.to_owned(),
    });
    let cleaned: String = words
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(WORDS_CHARS_MAX)
        .collect();
    cleaned.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tells whether a server rejects a prompt as longer than its model takes.
#[must_use]
pub fn is_too_long(bytes: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "context_length",
        "context length",
        "context window",
        "context size",
        "maximum context",
        "exceed_context",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "string_above_max_length",
        "inputs tokens + max_new_tokens",
        "`inputs` tokens + `max_new_tokens`",
        "reduce the length",
    ];
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(more: &str) -> ReadPrompt {
        read_prompt(&format!(r#"{{"id":"a"{more}}}"#)).expect("it is a prompt")
    }

    #[test]
    fn only_what_was_asked_for_is_sent() {
        let check = |prompt: &ReadPrompt, parameters: &Parameters, n, expected: &str| {
            let body = prompt.body("m", parameters, n, None);
            assert_eq!(String::from_utf8(body).as_deref(), Ok(expected));
        };
        let text = prompt(r#","prompt":"x""#);
        check(
            &text,
            &Parameters::default(),
            1,
            r#"{"messages":[{"content":"x","role":"user"}],"model":"m"}"#,
        );
        let completions = Parameters {
            api: Api::Completions,
            temperature: Some(0.15),
            top_k: Some(5),
            ..Parameters::default()
        };
        check(
            &text,
            &completions,
            4,
            r#"{"model":"m","n":4,"prompt":"x","temperature":0.15,"top_k":5}"#,
        );
        assert_eq!(
            completions.canonical(),
            r#"{"api":"completions","temperature":0.15,"top_k":5}"#
        );
    }

    #[test]
    fn a_system_prompt_comes_first_and_extra_fields_are_sent_as_they_are() {
        let check = |more: &str, parameters: &Parameters, expected: &str| {
            let body = prompt(more).body("m", parameters, 1, None);
            assert_eq!(String::from_utf8(body).as_deref(), Ok(expected));
        };
        let own =
            r#","messages":[{"role":"system","content":"own"},{"role":"user","content":"x"}]"#;
        let parameters = Parameters {
            system: Some("be brief".to_owned()),
            extra: r#"{"reasoning_effort":"low"}"#.parse().expect("an object"),
            ..Parameters::default()
        };
        let sent = r#"{"messages":[{"content":"be brief","role":"system"},{"content":"x","role":"user"}],"model":"m","reasoning_effort":"low"}"#;
        check(r#","prompt":"x""#, &parameters, sent);
        check(own, &parameters, sent);
        let completions = Parameters {
            api: Api::Completions,
            ..parameters.clone()
        };
        let sent = r#"{"model":"m","prompt":"be brief\n\nx","reasoning_effort":"low"}"#;
        check(r#","prompt":"x""#, &completions, sent);
        // Another system prompt, another answer.
        assert_eq!(
            parameters.canonical(),
            r#"{"api":"chat","reasoning_effort":"low","system":"be brief"}"#
        );
    }

    #[test]
    fn extra_fields_take_the_place_of_nothing() {
        for text in ["[1]", "x", r#"{"messages":[]}"#, r#"{"temperature":1}"#] {
            assert!(text.parse::<Extra>().is_err(), "{text}");
        }
    }

    #[test]
    fn answers_of_both_kinds_are_read_in_the_order_of_their_numbers() {
        let check = |json: &str, expected: Result<&[&str], &str>| {
            let found = read_answer(json.as_bytes());
            let found = found.map(|read_answer| {
                read_answer
                    .choices
                    .into_iter()
                    .map(|choice| choice.text)
                    .collect()
            });
            let found = found.map_err(|error| error.to_string());
            let expected: Result<Vec<String>, String> = expected
                .map(|expected| expected.iter().map(|text| (*text).to_owned()).collect())
                .map_err(str::to_owned);
            assert_eq!(found, expected, "{json}");
        };
        check(
            r#"{"choices":[{"index":1,"text":"b"},{"index":0,"text":"a"}]}"#,
            Ok(&["a", "b"]),
        );
        check(r#"{"choices":[{"message":{"content":null}}]}"#, Ok(&[""]));
        check(r#"{"choices":[]}"#, Err("an empty list of choices"));
        check(r#"{"candidates":[]}"#, Err("no `choices`"));
        check("<html>", Err("HTML instead of JSON"));
        check(
            r#"{"choices":[{"delta":{}}]}"#,
            Err("a choice without a text"),
        );
    }

    #[test]
    fn what_a_server_says_has_no_control_characters() {
        assert_eq!(
            server_words(b"{\"error\":{\"message\":\"bad\\u001b[31m \\n key\"}}"),
            "bad [31m key"
        );
        assert_eq!(server_words(b"<html><body>"), "HTML");
        assert_eq!(server_words(b"{\"detail\":[1]}"), "[1]");
    }
}
