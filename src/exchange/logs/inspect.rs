//! Logs of Inspect (`inspect_ai`, log version 2): a zip archive with a member for each sample, or one JSON object.
//!
//! Samples are read one after the other, without what makes them large and says nothing of the answer: messages, events and
//! attachments. A log whose evaluation was cut off has no header; its journal says what it is about. Of an archive that was cut
//! off itself, what is whole is read, and what is lost is one sample that cannot be.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Read};

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;

use super::super::records::{Fields, Record, at, kind};
use super::super::rows::Bounded;
use super::archive::{Archive, MEMBER_BYTES_MAX};
use super::salvage::Cut;
use crate::answers::text_of;
use crate::model::{agreeing, grouped};

/// The fields of a sample that are passed over.
const SKIPPED: [&str; 5] = ["messages", "events", "attachments", "store", "timelines"];

/// What a log says of all its samples.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LogHead {
    /// `success` where it came to its end; absent where it was cut off.
    pub status: Option<String>,
    pub eval: LogEval,
}

/// What was evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LogEval {
    pub task: Option<String>,
    pub model: Option<String>,
    dataset: Value,
    config: Value,
}

impl LogEval {
    /// Returns how many samples there should be, where it says that.
    fn n_samples(&self) -> Option<u64> {
        let n_samples = self.dataset.get("samples")?.as_u64()?;
        let n_epochs = self.config.get("epochs").and_then(Value::as_u64);
        n_samples.checked_mul(n_epochs.unwrap_or(1))
    }
}

impl LogHead {
    /// Returns whether the evaluation came to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.status.as_deref() == Some("success")
    }
}

/// What is handed over of a log: its head first, then samples.
#[derive(Debug)]
pub enum LogPart {
    Head(LogHead),
    /// Its line is the sample's number in the log, from 1.
    Sample(Record),
}

/// Hands the parts of an archive (`.eval`) to `each`; what is wrong with the archive is a sample that cannot be read.
///
/// # Errors
/// Those of `each`.
pub fn each_in_archive<E>(
    file: File,
    mut each: impl FnMut(LogPart) -> Result<(), E>,
) -> Result<(), E> {
    match Archive::open(file) {
        Ok(archive) => each_in(&archive, &mut each),
        Err(detail) => each(broken(1, detail)),
    }
}

fn broken(line: u32, detail: String) -> LogPart {
    let fields = Err(detail);
    LogPart::Sample(Record { line, fields })
}

fn each_in<E>(archive: &Archive, each: &mut dyn FnMut(LogPart) -> Result<(), E>) -> Result<(), E> {
    let head = ["header.json", "_journal/start.json"];
    let Some(member) = head.iter().find_map(|it| archive.member(it)) else {
        return each(broken(1, "an archive, but no log of Inspect".to_owned()));
    };
    let mut n_samples = None;
    match archive.read(member, |input| parsed::<LogHead>(input)) {
        Ok(head) => {
            n_samples = head.eval.n_samples();
            each(LogPart::Head(head))?;
        }
        Err(detail) => each(broken(1, detail))?,
    }
    let mut n_read = 0;
    let samples = archive.members.iter();
    let samples = samples.filter(|it| it.name.starts_with("samples/") && !it.name.ends_with('/'));
    for (member, line) in samples.zip(1..) {
        let fields = archive.read(member, |input| parsed::<Trimmed>(input).map(|it| it.0));
        n_read = line;
        each(LogPart::Sample(Record { line, fields }))?;
    }
    match &archive.cut {
        Some(cut) => each(broken(n_read + 1, lost(cut, n_read, n_samples))),
        None => Ok(()),
    }
}

/// Says what is lost of a log that was cut off.
fn lost(cut: &Cut, n_read: u32, n_samples: Option<u64>) -> String {
    let place = cut.name.as_ref();
    let place = place.map_or_else(String::new, |name| format!(" in `{name}`"));
    let n_lost = n_samples.map(|it| (it.saturating_sub(n_read.into()), it));
    let lost = match n_lost {
        Some((0, _)) => "no sample is lost".to_owned(),
        Some((n_lost, n_samples)) => format!(
            "{} of {} samples {} lost",
            grouped(n_lost),
            grouped(n_samples),
            agreeing(n_lost, "is", "are")
        ),
        None => "what came behind is lost".to_owned(),
    };
    format!("the archive is cut off{place}: {lost}; copy the log once more")
}

fn parsed<T: serde::de::DeserializeOwned>(input: &mut dyn Read) -> Result<T, String> {
    serde_json::from_reader(input).map_err(|error| said(&error))
}

/// Returns what is wrong with a log, in a few words.
fn said(error: &serde_json::Error) -> String {
    if error.is_eof() {
        "ends in the middle of an object".to_owned()
    } else if error.is_io() {
        // Where the reader stopped is no place in the file.
        let message = error.to_string();
        let what = message.split(" at line ").next();
        what.unwrap_or(&message).to_owned()
    } else {
        format!("not json: {error}")
    }
}

/// A sample without what is passed over.
struct Trimmed(Fields);

impl<'de> Deserialize<'de> for Trimmed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fielded;
        impl<'de> Visitor<'de> for Fielded {
            type Value = Trimmed;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a sample")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Trimmed, A::Error> {
                let mut fields = Fields::new();
                while let Some(name) = map.next_key::<String>()? {
                    if SKIPPED.contains(&name.as_str()) {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        fields.insert(name, map.next_value()?);
                    }
                }
                Ok(Trimmed(fields))
            }
        }
        deserializer.deserialize_map(Fielded)
    }
}

/// Hands the parts of a log that is one JSON object to `each`; where it breaks off, that is a sample that cannot be read.
///
/// # Errors
/// Those of `each`.
pub fn each_in_object<E>(
    input: &mut dyn Read,
    each: impl FnMut(LogPart) -> Result<(), E>,
) -> Result<(), E> {
    let n_left = Cell::new(MEMBER_BYTES_MAX);
    let metered = Metered {
        input,
        n_left: &n_left,
    };
    let mut reading = Reading {
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
        let line = reading.n_samples + 1;
        let fields = Err(said(&error));
        return (reading.each)(LogPart::Sample(Record { line, fields }));
    }
    Ok(())
}

/// Ends with an error where a sample is larger than there may be.
struct Metered<'i> {
    input: &'i mut dyn Read,
    n_left: &'i Cell<u64>,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bounded = Bounded {
            inner: &mut *self.input,
            n_left: self.n_left.get(),
        };
        let n_read = bounded.read(buffer)?;
        self.n_left.set(bounded.n_left);
        Ok(n_read)
    }
}

struct Reading<'r, F, E> {
    each: F,
    n_left: &'r Cell<u64>,
    head: LogHead,
    is_told: bool,
    n_samples: u32,
    /// Why `each` wants no more.
    stopped: Option<E>,
}

impl<F: FnMut(LogPart) -> Result<(), E>, E> Reading<'_, F, E> {
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

struct LogVisitor<'v, 'r, F, E>(&'v mut Reading<'r, F, E>);

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
                    map.next_value_seed(Samples(&mut *reading))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        reading.tell_head()
    }
}

struct Samples<'v, 'r, F, E>(&'v mut Reading<'r, F, E>);

impl<'de, F: FnMut(LogPart) -> Result<(), E>, E> DeserializeSeed<'de> for Samples<'_, '_, F, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, F: FnMut(LogPart) -> Result<(), E>, E> Visitor<'de> for Samples<'_, '_, F, E> {
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
            let Some(sample) = list.next_element::<Trimmed>()? else {
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

/// What a sample of a log asks, and what should be answered.
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
    /// What it lacks, as a lower-case fragment.
    pub fn of(fields: &Fields, id: Option<&str>) -> Result<Self, String> {
        let id = id.unwrap_or("id");
        let target = match fields.get("target") {
            // The first is as good as the others.
            Some(Value::Array(list)) => list.first(),
            target => target,
        };
        let target = target.and_then(Value::as_str).unwrap_or_default();
        if target.trim().is_empty() {
            return Err(
                "has no `target`, so there is nothing to compare an answer with".to_owned(),
            );
        }
        Ok(Self {
            id: id_at(fields, id)?,
            input: fields.get("input").map(question).unwrap_or_default(),
            target: target.to_owned(),
        })
    }
}

/// Returns the text or the number at a path.
pub(super) fn id_at(fields: &Fields, path: &str) -> Result<String, String> {
    match at(fields, path) {
        Some(Value::String(id)) if !id.is_empty() => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        Some(other) => Err(format!("`{path}` is {} where an id should be", kind(other))),
        None => Err(format!("no `{path}`")),
    }
}

/// Returns a question's text; of messages the texts, with an empty line between.
fn question(input: &Value) -> String {
    match input {
        Value::Array(messages) => {
            let texts = messages.iter().filter_map(|it| text_of(it.get("content")?));
            texts.collect::<Vec<_>>().join("\n\n")
        }
        input => text_of(input).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
