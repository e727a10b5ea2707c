//! Records of other harnesses as predictions: Inspect's samples, predictions of SWE-bench, samples of `EvalPlus`, generations
//! of bigcode's harness, and the output of `OpenAI`'s batches.
//!
//! A shape is known by its fields. Any other record is ours, or one whose fields the user names by paths.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::super::pairs::{self, FieldNames, WirePrediction};
use super::super::records::{
    Fields, GENERATIONS, NeededValue, Record, RecordError, at, count_at, id_at, text_at,
};
use super::error::LogError;
use super::patch::tests_of;
use crate::answers::{read_answer, text_of};
use crate::model::Join;

/// The characters that are shown of a foreign error, so that a message stays readable.
const SAID_CHARS_MAX: usize = 160;

/// Reads records as predictions, one file after the other.
#[derive(Debug)]
pub struct ForeignAnswers {
    names: FieldNames,
    join: Join,
    is_aligned: bool,
    /// How many answers each id has had, for harnesses that write the answers to a question in order, without a number.
    n_of_id: HashMap<String, u32>,
    model: Option<String>,
}

/// The facts in a record of another harness.
#[derive(Default)]
struct ForeignRecord {
    id: Option<String>,
    /// The number of the first attempt; absent where only the order tells it.
    attempt: Option<u32>,
    /// At least one: the attempts.
    texts: Vec<String>,
    meta: Map<String, Value>,
    model: Option<String>,
}

impl ForeignAnswers {
    #[must_use]
    pub fn new(names: FieldNames, join: Join, is_aligned: bool) -> Self {
        Self {
            names,
            join,
            is_aligned,
            n_of_id: HashMap::new(),
            model: None,
        }
    }

    /// Finds the model in a log's head, or in the first record that names one.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Sets the model where none is known.
    pub fn told_model(&mut self, model: Option<String>) {
        self.model = self.model.take().or(model);
    }

    /// Reads the predictions of a record, several where it has several attempts, or the problem with it.
    pub fn of(&mut self, record: Record) -> Vec<Result<WirePrediction, RecordError>> {
        let Ok(fields) = &record.fields else {
            return vec![pairs::prediction(record, &self.names, self.is_aligned)];
        };
        let found = match shape(fields, &self.names) {
            Some(read) => read(fields),
            None if self.join == Join::default() => {
                return vec![pairs::prediction(record, &self.names, self.is_aligned)];
            }
            None => Ok(ForeignRecord::default()),
        };
        match found.and_then(|found| self.joined(fields, found)) {
            Ok(found) => self.predictions(record.line, found),
            Err(error) => vec![Err(error)],
        }
    }

    /// Replaces the fields of the shape by those that the user named.
    fn joined(
        &self,
        fields: &Fields,
        mut found: ForeignRecord,
    ) -> Result<ForeignRecord, RecordError> {
        if let Some(path) = &self.join.id {
            found.id = Some(id_at(fields, path)?);
        }
        if found.id.is_none() && !self.is_aligned {
            found.id = Some(id_at(fields, &self.names.id)?);
        }
        let path = match &self.join.answer {
            Some(path) => path,
            None if found.texts.is_empty() => &self.names.prediction,
            None => return Ok(found),
        };
        let value = at(fields, path).ok_or_else(|| RecordError::missing_in(fields, path))?;
        let text = Some(value)
            .filter(|value| !value.is_null())
            .and_then(text_of);
        found.texts = vec![text.ok_or_else(|| RecordError::other(path, value, NeededValue::Text))?];
        Ok(found)
    }

    fn predictions(
        &mut self,
        line: u32,
        found: ForeignRecord,
    ) -> Vec<Result<WirePrediction, RecordError>> {
        self.told_model(found.model);
        let first = found.attempt.unwrap_or_else(|| match &found.id {
            Some(id) => {
                let n_known = self.n_of_id.entry(id.clone()).or_default();
                let first = *n_known;
                *n_known += found.texts.len() as u32;
                first
            }
            None => 0,
        });
        let meta = (!found.meta.is_empty()).then(|| Value::Object(found.meta).to_string());
        let texts = found.texts.into_iter().zip(first..);
        let prediction = |(text, attempt)| {
            Ok(WirePrediction {
                line,
                sample: found.id.clone().filter(|_| !self.is_aligned),
                record: None,
                prediction: text,
                attempt,
                meta: meta.clone(),
                code: None,
            })
        };
        texts.map(prediction).collect()
    }
}

type ForeignParser = fn(&Fields) -> Result<ForeignRecord, RecordError>;

/// Chooses the reader for records of that shape; nothing for one that is ours or names its fields as the user does.
fn shape(fields: &Fields, names: &FieldNames) -> Option<ForeignParser> {
    let has = |name: &str| fields.contains_key(name);
    if has(&names.prediction) && has(&names.id) {
        None
    } else if has("instance_id") && has("model_patch") {
        Some(swe_bench)
    } else if has("custom_id") && (has("response") || has("error")) {
        Some(batch)
    } else if has("task_id") && (has("solution") || has("completion")) {
        Some(eval_plus)
    } else if has("epoch") && has("output") {
        Some(inspect)
    } else if has(GENERATIONS) {
        Some(generations)
    } else {
        None
    }
}

fn model_at(fields: &Fields, path: &str) -> Option<String> {
    let model = at(fields, path)?.as_str()?;
    (!model.trim().is_empty()).then(|| model.to_owned())
}

/// Reads a sample of Inspect: epochs are attempts.
fn inspect(fields: &Fields) -> Result<ForeignRecord, RecordError> {
    let said = at(fields, "output.completion").and_then(Value::as_str);
    let chosen = || {
        let first = at(fields, "output.choices")?.as_array()?.first()?;
        text_of(first.get("message")?.get("content")?)
    };
    let text = said.map(str::to_owned).or_else(chosen).unwrap_or_default();
    if text.is_empty()
        && let Some(error) = at(fields, "error").filter(|value| !value.is_null())
    {
        let message = error.get("message").and_then(Value::as_str);
        let message = message.or(error.as_str()).unwrap_or_default();
        let said = short(message);
        return Err(LogError::EvaluationFailed { said }.into());
    }
    Ok(ForeignRecord {
        id: id_at(fields, "id").ok(),
        attempt: Some(count_at(fields, "epoch")?.saturating_sub(1)),
        texts: vec![text],
        meta: inspect_meta(fields),
        model: model_at(fields, "output.model"),
    })
}

/// Reads the costs and the scores of a sample in Inspect's log.
fn inspect_meta(fields: &Fields) -> Map<String, Value> {
    let mut meta = Map::new();
    let used = |name: &str| -> Option<u64> {
        let all = fields.get("model_usage").and_then(Value::as_object);
        let all = all.filter(|map| !map.is_empty());
        match all {
            Some(models) => models.values().map(|value| value.get(name)?.as_u64()).sum(),
            None => at(fields, "output.usage")?.get(name)?.as_u64(),
        }
    };
    put(&mut meta, "tokens_in", used("input_tokens"));
    put(&mut meta, "tokens_out", used("output_tokens"));
    let seconds = at(fields, "output.time").and_then(Value::as_f64);
    let took = seconds.and_then(|second| Duration::try_from_secs_f64(second).ok());
    let latency_ms = took.map(|duration| duration.as_millis() as u64);
    put(&mut meta, "latency_ms", latency_ms);
    let first = at(fields, "output.choices").and_then(|value| value.get(0)?.get("stop_reason"));
    let reason = first.and_then(Value::as_str);
    // The word that servers have for it.
    let reason = reason.map(|reason| {
        if reason == "max_tokens" {
            "length"
        } else {
            reason
        }
    });
    put(&mut meta, "finish_reason", reason);
    if let Some(scores) = fields.get("scores").and_then(Value::as_object) {
        let values = scores.iter();
        let values: Map<String, Value> = values
            .filter_map(|(name, score)| Some((name.clone(), score.get("value")?.clone())))
            .collect();
        put(
            &mut meta,
            "scores",
            Some(values).filter(|map| !map.is_empty()),
        );
    }
    meta
}

fn put(meta: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        meta.insert(name.to_owned(), value.into());
    }
}

/// Reads a prediction of SWE-bench: the first test that its patch adds.
fn swe_bench(fields: &Fields) -> Result<ForeignRecord, RecordError> {
    let tests = tests_of(text_at(fields, "model_patch")?);
    let n_tests = tests.len();
    let first = tests.into_iter().next();
    let mut meta = Map::new();
    put(
        &mut meta,
        "tests_in_patch",
        (n_tests > 1).then_some(n_tests),
    );
    Ok(ForeignRecord {
        id: Some(id_at(fields, "instance_id")?),
        attempt: Some(0),
        texts: vec![first.ok_or(LogError::NoTestInPatch)?],
        meta,
        model: model_at(fields, "model_name_or_path"),
    })
}

/// Reads a sample of `EvalPlus`: a whole program, or the text behind the prompt. The n-th of a task is its n-th
/// attempt.
fn eval_plus(fields: &Fields) -> Result<ForeignRecord, RecordError> {
    let name = if fields.contains_key("solution") {
        "solution"
    } else {
        "completion"
    };
    Ok(ForeignRecord {
        id: Some(id_at(fields, "task_id")?),
        texts: vec![text_at(fields, name)?.to_owned()],
        ..ForeignRecord::default()
    })
}

/// Reads the texts that bigcode's harness writes for a task. Only its place names the task.
fn generations(fields: &Fields) -> Result<ForeignRecord, RecordError> {
    let value = &fields[GENERATIONS];
    let texts: Option<Vec<String>> = value.as_array().and_then(|list| {
        let texts = list.iter().map(|value| value.as_str().map(str::to_owned));
        texts.collect()
    });
    let texts = texts.filter(|text| !text.is_empty());
    Ok(ForeignRecord {
        texts: texts.ok_or_else(|| RecordError::other(GENERATIONS, value, NeededValue::Texts))?,
        attempt: Some(0),
        id: id_at(fields, "task_id").ok(),
        ..ForeignRecord::default()
    })
}

/// Reads a line of a batch's output: the answers of one request.
fn batch(fields: &Fields) -> Result<ForeignRecord, RecordError> {
    let id = id_at(fields, "custom_id")?;
    let failed = |status, error: &Value| LogError::RequestFailed {
        status,
        said: short(&words(error)),
    };
    if let Some(error) = fields.get("error").filter(|field| !field.is_null()) {
        return Err(failed(None, error).into());
    }
    let status = at(fields, "response.status_code").and_then(Value::as_u64);
    let body = at(fields, "response.body");
    let body = body.ok_or_else(|| RecordError::missing_in(fields, "response.body"))?;
    if status.is_some_and(|status| status != 200) {
        let said_nothing = Value::String(String::new());
        return Err(failed(status, body.get("error").unwrap_or(&said_nothing)).into());
    }
    let model = model_at(fields, "response.body.model");
    let mut meta = Map::new();
    let texts = if let Some(output) = body.get("output").and_then(Value::as_array) {
        let used = |name: &str| {
            body.get("usage")
                .and_then(|value| value.get(name)?.as_u64())
        };
        put(&mut meta, "tokens_in", used("input_tokens"));
        put(&mut meta, "tokens_out", used("output_tokens"));
        vec![response(output)?]
    } else {
        let answer = read_answer(body.to_string().as_bytes())?;
        put(&mut meta, "n_asked", Some(answer.choices.len()));
        put(&mut meta, "tokens_in", answer.n_tokens_in);
        put(&mut meta, "tokens_out", answer.n_tokens_out);
        if let [only] = answer.choices.as_slice() {
            put(&mut meta, "finish_reason", only.finish_reason.clone());
        }
        answer
            .choices
            .into_iter()
            .map(|choice| choice.text)
            .collect()
    };
    Ok(ForeignRecord {
        id: Some(id),
        attempt: Some(0),
        texts,
        meta,
        model,
    })
}

/// Reads the text of an answer of the endpoint `responses`.
fn response(output: &[Value]) -> Result<String, LogError> {
    let messages = output
        .iter()
        .filter(|value| value.get("type") == Some(&json!("message")));
    let texts: Vec<String> = messages
        .filter_map(|message| text_of(message.get("content")?))
        .collect();
    if texts.is_empty() {
        return Err(LogError::NoMessage);
    }
    Ok(texts.concat())
}

/// Reads the message in an error.
fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str);
    match message.or(error.as_str()) {
        Some(message) => message.to_owned(),
        None => error.to_string(),
    }
}

/// Cuts a text down to its first line, and to a readable length.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(SAID_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
