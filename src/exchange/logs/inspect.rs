//! Logs of Inspect (`inspect_ai`, log version 2): a zip archive with a member for each sample, or one JSON object.
//!
//! Samples are read one after the other, without their large parts, which tell nothing about the answer: messages,
//! events and attachments. A log whose evaluation was cut off has no header; its journal has the facts instead. The
//! whole members of an archive that was cut off are read, and its lost part counts as one unreadable sample.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;

use super::super::dataset::parse_from;
use super::super::records::{Fields, Record, RecordError, id_at};
use super::super::rows::BoundedReader;
use super::archive::{Archive, MEMBER_BYTES_MAX};
use super::error::LogError;
use crate::answers::text_of;

/// The fields of a sample that are passed over.
const SKIPPED: [&str; 5] = ["messages", "events", "attachments", "store", "timelines"];

/// The facts in a log about all its samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LogHead {
    /// `success` where it came to its end; absent where it was cut off.
    pub status: Option<String>,
    pub eval: LogEval,
}

/// The facts about the evaluation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LogEval {
    pub task: Option<String>,
    pub model: Option<String>,
    dataset: Value,
    config: Value,
}

impl LogEval {
    /// Reads the planned number of samples, where there is one.
    fn n_samples(&self) -> Option<u64> {
        let n_samples = self.dataset.get("samples")?.as_u64()?;
        let n_epochs = self.config.get("epochs").and_then(Value::as_u64);
        n_samples.checked_mul(n_epochs.unwrap_or(1))
    }
}

impl LogHead {
    /// Tells whether the evaluation ran to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.status.as_deref() == Some("success")
    }
}

/// A part of a log: its head first, then samples.
#[derive(Debug)]
pub enum LogPart {
    Head(LogHead),
    /// Its line is the sample's number in the log, from 1.
    Sample(Record),
}

/// Hands the parts of an archive (`.eval`) to `each`; a problem with the archive is a sample that cannot be read.
///
/// # Errors
/// The errors of `each`.
pub fn each_in_archive<E>(
    file: File,
    mut each: impl FnMut(LogPart) -> Result<(), E>,
) -> Result<(), E> {
    match Archive::open(file) {
        Ok(archive) => each_in(&archive, &mut each),
        Err(error) => each(broken(1, error)),
    }
}

fn broken(line: u32, error: impl Into<RecordError>) -> LogPart {
    let fields = Err(error.into());
    LogPart::Sample(Record { line, fields })
}

fn each_in<E>(archive: &Archive, each: &mut dyn FnMut(LogPart) -> Result<(), E>) -> Result<(), E> {
    let head = ["header.json", "_journal/start.json"];
    let Some(member) = head.iter().find_map(|text| archive.member(text)) else {
        return each(broken(1, LogError::Foreign));
    };
    let mut n_samples = None;
    match archive.read(member, |input| parse_from::<LogHead>(input)) {
        Ok(head) => {
            n_samples = head.eval.n_samples();
            each(LogPart::Head(head))?;
        }
        Err(error) => each(broken(1, error))?,
    }
    let mut n_read = 0;
    let samples = archive.members.iter();
    let samples =
        samples.filter(|sample| sample.name.starts_with("samples/") && !sample.name.ends_with('/'));
    for (member, line) in samples.zip(1..) {
        let fields = archive.read(member, |input| Ok(parse_from::<TrimmedSample>(input)?.0));
        n_read = line;
        each(LogPart::Sample(Record { line, fields }))?;
    }
    let Some(cut) = &archive.cut else {
        return Ok(());
    };
    let cut_off = LogError::CutOff {
        place: cut.name.clone(),
        n_read,
        n_samples,
    };
    each(broken(n_read + 1, cut_off))
}

/// A sample without the parts that are passed over.
struct TrimmedSample(Fields);

impl<'de> Deserialize<'de> for TrimmedSample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = TrimmedSample;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a sample")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TrimmedSample, A::Error> {
                let mut fields = Fields::new();
                while let Some(name) = map.next_key::<String>()? {
                    if SKIPPED.contains(&name.as_str()) {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        fields.insert(name, map.next_value()?);
                    }
                }
                Ok(TrimmedSample(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
}

/// Hands the parts of a log that is one JSON object to `each`; where it breaks off, that is a sample that cannot be read.
///
/// # Errors
/// The errors of `each`.
pub fn each_in_object<E>(
    input: &mut dyn Read,
    each: impl FnMut(LogPart) -> Result<(), E>,
) -> Result<(), E> {
    let n_left = Cell::new(MEMBER_BYTES_MAX);
    let metered = MeteredReader {
        input,
        n_left: &n_left,
    };
    let mut reading = InspectReader {
        each,
        n_left: &n_left,
        head: LogHead::default(),
        is_told: false,
        n_samples: 0,
        stopped: None,
    };
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(metered));
    let read = json
        .deserialize_map(LogVisitor(&mut reading))
        .and_then(|()| json.end());
    if let Some(error) = reading.stopped {
        return Err(error);
    }
    if let Err(error) = read {
        return (reading.each)(broken(reading.n_samples + 1, error));
    }
    Ok(())
}

/// Ends with an error where a sample is larger than the limit.
struct MeteredReader<'i> {
    input: &'i mut dyn Read,
    n_left: &'i Cell<u64>,
}

impl Read for MeteredReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bounded = BoundedReader {
            inner: &mut *self.input,
            n_left: self.n_left.get(),
        };
        let n_read = bounded.read(buffer)?;
        self.n_left.set(bounded.n_left);
        Ok(n_read)
    }
}

struct InspectReader<'r, F, E> {
    each: F,
    n_left: &'r Cell<u64>,
    head: LogHead,
    is_told: bool,
    n_samples: u32,
    /// The error of `each`, with which reading stops.
    stopped: Option<E>,
}

impl<F: FnMut(LogPart) -> Result<(), E>, E> InspectReader<'_, F, E> {
    fn tell<J: serde::de::Error>(&mut self, part: LogPart) -> Result<(), J> {
        (self.each)(part).map_err(|error| {
            self.stopped = Some(error);
            J::custom("stopped")
        })
    }

    fn tell_head<J: serde::de::Error>(&mut self) -> Result<(), J> {
        if std::mem::replace(&mut self.is_told, true) {
            return Ok(());
        }
        let head = std::mem::take(&mut self.head);
        self.tell(LogPart::Head(head))
    }
}

struct LogVisitor<'v, 'r, F, E>(&'v mut InspectReader<'r, F, E>);

impl<'de, F: FnMut(LogPart) -> Result<(), E>, E> Visitor<'de> for LogVisitor<'_, '_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a log of Inspect")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "status" => reading.head.status = map.next_value()?,
                "eval" => reading.head.eval = map.next_value()?,
                "samples" => {
                    reading.tell_head()?;
                    map.next_value_seed(SamplesVisitor(&mut *reading))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        reading.tell_head()
    }
}

struct SamplesVisitor<'v, 'r, F, E>(&'v mut InspectReader<'r, F, E>);

impl<'de, F: FnMut(LogPart) -> Result<(), E>, E> DeserializeSeed<'de>
    for SamplesVisitor<'_, '_, F, E>
{
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(LogPart) -> Result<(), E>, E> Visitor<'de> for SamplesVisitor<'_, '_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of samples")
    }

    /// A log of the head alone.
    fn visit_unit<J: serde::de::Error>(self) -> Result<(), J> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let reading = self.0;
        loop {
            reading.n_left.set(MEMBER_BYTES_MAX);
            let Some(sample) = list.next_element::<TrimmedSample>()? else {
                return Ok(());
            };
            reading.n_samples = (reading.n_samples.checked_add(1))
                .ok_or_else(|| A::Error::custom("too many samples"))?;
            reading.tell(LogPart::Sample(Record {
                line: reading.n_samples,
                fields: Ok(sample.0),
            }))?;
        }
    }
}

/// A sample of a log: its question, and the right answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedSample {
    pub id: String,
    pub input: String,
    pub target: String,
}

impl LoggedSample {
    /// Reads it, with the id at a path where one is named.
    ///
    /// # Errors
    /// What it lacks.
    pub fn of(fields: &Fields, id: Option<&str>) -> Result<Self, RecordError> {
        let id = id.unwrap_or("id");
        let target = match fields.get("target") {
            // The first is as good as the others.
            Some(Value::Array(list)) => list.first(),
            target => target,
        };
        let target = target.and_then(Value::as_str).unwrap_or_default();
        if target.trim().is_empty() {
            return Err(LogError::NoTarget.into());
        }
        Ok(Self {
            id: id_at(fields, id)?,
            input: fields.get("input").map(question).unwrap_or_default(),
            target: target.to_owned(),
        })
    }
}

/// Returns a question's text; of messages the texts, with an empty line between.
fn question(input: &Value) -> String {
    match input {
        Value::Array(messages) => {
            let texts = messages
                .iter()
                .filter_map(|message| text_of(message.get("content")?));
            texts.collect::<Vec<_>>().join("\n\n")
        }
        input => text_of(input).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
