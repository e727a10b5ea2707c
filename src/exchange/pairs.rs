//! Predictions and pairs as files hold them: the meaning of fields, and the problems of records.

use serde_json::Value;

use super::records::{Fields, NeededValue, Record, RecordError, count_at};

/// The names of the fields in a file of predictions or pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldNames {
    /// The id of a pair, or the key of a sample.
    pub id: String,
    pub prediction: String,
    pub reference: String,
}

impl FieldNames {
    /// Returns the names in files of predictions (the contract of DESIGN.md section 5).
    #[must_use]
    pub fn of_predictions() -> Self {
        Self {
            id: "sample".to_owned(),
            prediction: "prediction".to_owned(),
            reference: String::new(),
        }
    }
}

/// The id of a pair as it was given: any JSON; null when there is none.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct PairId(Value);

impl PairId {
    /// Makes the id of the pair on a line of a file without ids.
    #[must_use]
    pub fn of_line(line: u32) -> Self {
        Self(Value::from(line))
    }

    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_null()
    }
}

impl std::fmt::Display for PairId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A pair to score.
#[derive(Clone, Debug, PartialEq)]
pub struct WirePair {
    pub line: u32,
    pub id: PairId,
    /// At least one; the best counts.
    pub references: Vec<String>,
    pub prediction: String,
}

/// An answer to a sample of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct WirePrediction {
    pub line: u32,
    /// Absent where records follow the order of samples, or have a number instead.
    pub sample: Option<String>,
    /// The number of a record of MERA.
    pub record: Option<u32>,
    pub prediction: String,
    pub attempt: u32,
    /// The record's metadata as JSON; absent without any.
    pub meta: Option<String>,
    /// The decoded code, where decoding was asked for and worked.
    pub code: Option<String>,
}

/// Reads a record as a pair.
///
/// # Errors
/// What is wrong with it.
pub fn pair(record: Record, names: &FieldNames) -> Result<WirePair, RecordError> {
    let mut fields = record.fields?;
    let references = match take(&mut fields, &names.reference)? {
        Value::Array(list) if !list.is_empty() => list
            .into_iter()
            .map(|value| text(value, &names.reference))
            .collect::<Result<_, _>>()?,
        one => vec![text(one, &names.reference)?],
    };
    Ok(WirePair {
        line: record.line,
        prediction: text(take(&mut fields, &names.prediction)?, &names.prediction)?,
        id: PairId(fields.remove(&names.id).unwrap_or(Value::Null)),
        references,
    })
}

/// Reads a record as a prediction; its sample is named unless `is_aligned`.
///
/// # Errors
/// What is wrong with it.
pub fn prediction(
    record: Record,
    names: &FieldNames,
    is_aligned: bool,
) -> Result<WirePrediction, RecordError> {
    let mut fields = record.fields?;
    if !fields.contains_key(&names.prediction) && fields.contains_key(RESPONSES) {
        return logged(record.line, &fields);
    }
    let is_needed = !is_aligned && !fields.contains_key(&names.id);
    let is_numbered = is_needed && fields.contains_key(&names.prediction);
    let number = is_numbered.then(|| count_at(&fields, "id").ok()).flatten();
    let sample = if is_aligned || number.is_some() {
        None
    } else {
        Some(text(take(&mut fields, &names.id)?, &names.id)?)
    };
    let attempt = match fields.get("attempt") {
        None | Some(Value::Null) => 0,
        // CSV has no other way to say nothing.
        Some(Value::String(digits)) if digits.is_empty() => 0,
        Some(_) => count_at(&fields, "attempt")?,
    };
    Ok(WirePrediction {
        line: record.line,
        sample,
        record: number,
        prediction: text(take(&mut fields, &names.prediction)?, &names.prediction)?,
        attempt,
        meta: match fields.remove("meta") {
            None | Some(Value::Null) => None,
            Some(meta) => Some(meta.to_string()),
        },
        code: None,
    })
}

/// Reads a record whose prediction is a list of tokens; the prediction is then the tokens apart by spaces.
///
/// # Errors
/// What is wrong with it.
pub fn sequence(
    record: Record,
    names: &FieldNames,
    is_aligned: bool,
) -> Result<(WirePrediction, Vec<String>), RecordError> {
    let mut fields = record.fields?;
    let tokens = match take(&mut fields, &names.prediction)? {
        Value::Array(list) => list
            .into_iter()
            .map(|value| text(value, &names.prediction))
            .collect::<Result<Vec<_>, _>>()?,
        other => {
            let name = &names.prediction;
            return Err(RecordError::other(name, &other, NeededValue::Tokens));
        }
    };
    fields.insert(names.prediction.clone(), Value::String(tokens.join(" ")));
    let record = Record {
        line: record.line,
        fields: Ok(fields),
    };
    Ok((prediction(record, names, is_aligned)?, tokens))
}

/// The field with the answers of a model in logs of the harness `lm-evaluation-harness`.
const RESPONSES: &str = "resps";

/// Reads an object of such a log: a list of answers, or of lists of them, and the record that was asked about.
fn logged(line: u32, fields: &Fields) -> Result<WirePrediction, RecordError> {
    let record = count_at(fields, "doc.meta.id")?;
    let mut answer = &fields[RESPONSES];
    // The first one counts.
    while let Some(first) = answer.as_array().and_then(|values| values.first()) {
        answer = first;
    }
    Ok(WirePrediction {
        line,
        sample: None,
        record: Some(record),
        prediction: text(answer.clone(), RESPONSES)?,
        attempt: 0,
        meta: None,
        code: None,
    })
}

fn take(fields: &mut Fields, name: &str) -> Result<Value, RecordError> {
    let found = fields.remove(name);
    found.ok_or_else(|| RecordError::missing_in(fields, name))
}

fn text(value: Value, name: &str) -> Result<String, RecordError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(RecordError::other(name, &other, NeededValue::Text)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> FieldNames {
        FieldNames {
            id: "id".to_owned(),
            prediction: "prediction".to_owned(),
            reference: "reference".to_owned(),
        }
    }

    fn record(value: Value) -> Record {
        let Value::Object(fields) = value else {
            panic!("records are objects");
        };
        Record {
            line: 3,
            fields: Ok(fields),
        }
    }

    fn check_pair(value: Value, expected: Result<(Value, &[&str]), &str>) {
        let pair = pair(record(value), &names()).map_err(|error| error.to_string());
        let found = pair.map(|wire_pair| (wire_pair.id.0, wire_pair.references));
        let expected = expected
            .map(|(id, references)| {
                (
                    id,
                    references
                        .iter()
                        .map(|reference| (*reference).to_owned())
                        .collect(),
                )
            })
            .map_err(str::to_owned);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_pair_has_one_reference_or_several() {
        check_pair(
            json!({"id": 7, "reference": "a", "prediction": ""}),
            Ok((json!(7), &["a"])),
        );
        check_pair(
            json!({"reference": ["a", "b"], "prediction": "c"}),
            Ok((Value::Null, &["a", "b"])),
        );
    }

    #[test]
    fn what_a_pair_lacks_is_named() {
        check_pair(json!({"reference": "a"}), Err("no field `prediction`"));
        check_pair(
            json!({"reference": "a", "output": "b", "id": 1}),
            Err("no field `prediction` beside `id` `output`"),
        );
        check_pair(
            json!({"reference": [], "prediction": "c"}),
            Err("`reference` is empty"),
        );
        check_pair(
            json!({"reference": ["a", null], "prediction": "c"}),
            Err("`reference` is null where text should be"),
        );
        check_pair(
            json!({"reference": "a", "prediction": 7}),
            Err("`prediction` is a number where text should be"),
        );
    }

    fn check_prediction(value: Value, is_aligned: bool, expected: Result<(u32, bool), &str>) {
        let names = FieldNames {
            id: "sample".to_owned(),
            ..names()
        };
        let found = prediction(record(value), &names, is_aligned);
        let found =
            found.map(|wire_prediction| (wire_prediction.attempt, wire_prediction.meta.is_some()));
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn a_record_may_be_named_by_its_number() {
        let check = |value: Value, expected: Result<(Option<u32>, &str), &str>| {
            let names = FieldNames::of_predictions();
            let found = prediction(record(value), &names, false);
            let found =
                found.map(|wire_prediction| (wire_prediction.record, wire_prediction.prediction));
            let found = found.map_err(|error| error.to_string());
            let expected = expected.map(|(record, text)| (record, text.to_owned()));
            assert_eq!(found, expected.map_err(str::to_owned));
        };
        check(json!({"id": 7, "prediction": "a"}), Ok((Some(7), "a")));
        check(json!({"id": "7", "prediction": "a"}), Ok((Some(7), "a")));
        check(
            json!({"id": 7, "sample": "00", "prediction": "a"}),
            Ok((None, "a")),
        );
        check(
            json!({"id": -1, "prediction": "a"}),
            Err("no field `sample` beside `id` `prediction`"),
        );
        let doc = json!({"meta": {"id": 7}});
        check(
            json!({"doc_id": 0, "doc": doc, "resps": [["a", "b"]]}),
            Ok((Some(7), "a")),
        );
        check(json!({"doc": doc, "resps": ["a"]}), Ok((Some(7), "a")));
        check(json!({"doc": doc, "resps": []}), Err("`resps` is empty"));
        check(
            json!({"doc": {}, "resps": ["a"]}),
            Err("no field `doc.meta.id` beside `doc` `resps`"),
        );
    }

    #[test]
    fn a_prediction_may_have_an_attempt_and_say_more() {
        let plain = json!({"sample": "00", "prediction": "a"});
        check_prediction(plain, false, Ok((0, false)));
        let full = json!({"sample": "00", "prediction": "a", "attempt": 2, "meta": {"t": 0.2}});
        check_prediction(full, false, Ok((2, true)));
        let of_csv = json!({"prediction": "a", "attempt": "3"});
        check_prediction(of_csv, true, Ok((3, false)));
    }

    #[test]
    fn what_a_prediction_lacks_is_named() {
        check_prediction(
            json!({"prediction": "a"}),
            false,
            Err("no field `sample` beside `prediction`"),
        );
        let negative = json!({"sample": "00", "prediction": "a", "attempt": -1});
        check_prediction(
            negative,
            false,
            Err("`attempt` is a number where a count should be"),
        );
    }
}
