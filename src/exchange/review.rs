//! Events of annotators as lines of JSON, in and out: what `verdicts export` writes and `verdicts merge` reads.
//!
//! A line holds everything in its event, in a fixed order of fields; its id must follow from the rest, so a line that
//! was changed on its way is found out. Snapshots of judged samples are lines of their own, with the kind `snapshot`.

use serde::{Deserialize, Serialize};

use crate::model::{
    Batch, Bulk, ContentHash, Draw, DrawnSample, ErrorBound, Event, EventId, EventKind,
    JudgedSample, Judgement, SampleKey, Snapshot, SnapshotMethod, TaggedPrediction, Tags,
};

use super::dataset::parse;
use super::records::RecordError;

/// Faults of an event or a snapshot, beside those of any record. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("`annotator` is not a valid name")]
    Annotator,
    #[error("no kind of event is called `{kind}`")]
    Kind { kind: String },
    #[error("`judgement` and `picked` have no known meaning")]
    Judgement,
    #[error("only `accept` can be provisional")]
    Provisional,
    #[error("`bound` has a share that is not in 0..=1")]
    Share,
    #[error("a `stratum` has control characters")]
    Stratum,
    #[error("`{field}` are not tags in their order")]
    Tags { field: &'static str },
    #[error("`id` is not the one of this {what}: something else was changed")]
    Changed { what: &'static str },
}

/// One event: a line of `verdicts export`. Which fields are there depends on the kind.
#[derive(Debug, Deserialize, Serialize)]
pub struct WireEvent {
    pub id: String,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    pub annotator: String,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// The key of the focal method that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<String>,
    /// The key of the method that was picked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picked: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dwell_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guideline: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The event that is undone or redone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Vec<WireDrawn>>,
    /// The event that a provisional verdict came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// How many verdicts came with a batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_accepted: Option<u32>,
    /// The bound of a batch and of its verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<WireBound>,
    /// The run whose prediction got tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// A hash of reference and prediction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<String>,
    /// The machine's tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Vec<String>>,
    /// The version of the definitions that the machine went by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The mutant that means the same as the original, or does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutant: Option<String>,
}

/// An upper bound on the share of errors in a population, from a random sample of it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct WireBound {
    /// How many were looked at.
    pub n: u32,
    pub errors: u32,
    /// 0..=1, in whole millionths.
    pub error_max: f64,
    pub confidence: f64,
}

impl From<ErrorBound> for WireBound {
    fn from(bound: ErrorBound) -> Self {
        Self {
            n: bound.n,
            errors: bound.n_errors,
            error_max: bound.error_max(),
            confidence: bound.confidence(),
        }
    }
}

impl WireBound {
    fn bound(self) -> Result<ErrorBound, RecordError> {
        let ppm = |share| ErrorBound::ppm(share).ok_or(EventError::Share);
        Ok(ErrorBound {
            n: self.n,
            n_errors: self.errors,
            error_max_ppm: ppm(self.error_max)?,
            confidence_ppm: ppm(self.confidence)?,
        })
    }
}

/// The judged code: a line of `verdicts export`.
#[derive(Debug, Deserialize, Serialize)]
pub struct WireSnapshot {
    pub id: String,
    /// `snapshot`.
    pub kind: String,
    pub key: String,
    pub content_hash: String,
    pub test: WireShown,
    pub focal: Option<WireShown>,
}

/// A method of a snapshot.
#[derive(Debug, Deserialize, Serialize)]
pub struct WireShown {
    pub method: String,
    pub file: String,
    pub source: String,
}

/// The kind of the lines that are snapshots.
const SNAPSHOT: &str = "snapshot";

impl From<&Snapshot> for WireSnapshot {
    fn from(snapshot: &Snapshot) -> Self {
        let shown = |method: &SnapshotMethod| WireShown {
            method: method.key.clone(),
            file: method.path.clone(),
            source: method.text.clone(),
        };
        Self {
            id: snapshot.id().to_string(),
            kind: SNAPSHOT.to_owned(),
            key: snapshot.key.to_string(),
            content_hash: snapshot.content_hash.to_string(),
            test: shown(&snapshot.test),
            focal: snapshot.focal.as_ref().map(shown),
        }
    }
}

impl WireSnapshot {
    fn snapshot(self) -> Result<Snapshot, RecordError> {
        let method = |shown: WireShown| SnapshotMethod {
            key: shown.method,
            path: shown.file,
            text: shown.source,
        };
        let snapshot = Snapshot {
            key: hex(SampleKey::parse(&self.key), "key")?,
            content_hash: hex(ContentHash::parse(&self.content_hash), "content_hash")?,
            test: method(self.test),
            focal: self.focal.map(method),
        };
        if snapshot.id().to_string() == self.id {
            Ok(snapshot)
        } else {
            Err(EventError::Changed { what: SNAPSHOT }.into())
        }
    }
}

/// Returns the value that was read from a field of hexadecimal digits, or its error.
fn hex<T>(parsed: Option<T>, field: &str) -> Result<T, RecordError> {
    parsed.ok_or_else(|| RecordError::not_hex(field))
}

/// Returns the value of a required field, or the error that it is missing.
fn need<T>(value: Option<T>, field: &str) -> Result<T, RecordError> {
    value.ok_or_else(|| RecordError::missing(field))
}

/// A sample of a draw.
#[derive(Debug, Deserialize, Serialize)]
pub struct WireDrawn {
    pub key: String,
    pub stratum: String,
}

impl From<&Event> for WireEvent {
    fn from(event: &Event) -> Self {
        let mut wire = Self {
            id: event.id().to_string(),
            at_ms: event.at_ms(),
            annotator: event.annotator().to_owned(),
            kind: event.kind().as_str().to_owned(),
            key: event.kind().key().map(|sample_key| sample_key.to_string()),
            content_hash: None,
            focal: None,
            judgement: None,
            picked: None,
            dwell_ms: None,
            guideline: None,
            note: None,
            queue: None,
            reason: None,
            event: None,
            audit: None,
            samples: None,
            batch: None,
            n_accepted: None,
            bound: None,
            run: None,
            attempt: None,
            texts: None,
            machine: None,
            version: None,
            tags: None,
            mutant: event
                .kind()
                .mutant()
                .map(|content_hash| content_hash.to_string()),
        };
        match event.kind() {
            EventKind::Judged(judged) => wire.judge(judged),
            EventKind::Adjudicated { judged, reason } => {
                wire.judge(judged);
                wire.reason = Some(reason.clone());
            }
            EventKind::Noted { note, .. } => wire.note = Some(note.clone()),
            EventKind::Marked { .. }
            | EventKind::Unmarked { .. }
            | EventKind::Equivalent { .. }
            | EventKind::NotEquivalent { .. } => {}
            EventKind::Undone { event } | EventKind::Redone { event } => {
                wire.event = Some(event.to_string());
            }
            EventKind::Drawn(draw) => {
                wire.audit = Some(draw.audit.clone());
                let samples = draw.samples.iter().map(|sample| WireDrawn {
                    key: sample.key.to_string(),
                    stratum: sample.stratum.clone(),
                });
                wire.samples = Some(samples.collect());
            }
            EventKind::Batch(batch) => {
                wire.audit = Some(batch.audit.clone());
                wire.n_accepted = Some(batch.n_accepted);
                wire.bound = Some(batch.bound.into());
            }
            EventKind::Tagged(tagged) => wire.tag(tagged),
        }
        wire
    }
}

impl WireEvent {
    fn judge(&mut self, judged: &JudgedSample) {
        self.content_hash = Some(judged.content_hash.to_string());
        self.focal.clone_from(&judged.focal);
        self.judgement = Some(judged.judgement.as_str().to_owned());
        if let Judgement::Pick(method) = &judged.judgement {
            self.picked = Some(method.clone());
        }
        self.dwell_ms = judged.dwell_ms;
        self.guideline.clone_from(&judged.guideline);
        self.note.clone_from(&judged.note);
        self.queue.clone_from(&judged.queue);
        if let Some(bulk) = judged.bulk {
            self.batch = Some(bulk.batch.to_string());
            self.bound = Some(bulk.bound.into());
        }
    }

    fn tag(&mut self, tagged: &TaggedPrediction) {
        self.run = Some(tagged.run.clone());
        self.attempt = Some(tagged.attempt);
        self.texts = Some(tagged.texts.to_string());
        self.machine = Some(tag_words(tagged.machine));
        self.version = Some(tagged.version);
        self.tags = Some(tag_words(tagged.tags));
        self.note.clone_from(&tagged.note);
    }

    fn tagged(self) -> Result<TaggedPrediction, RecordError> {
        let texts = need(self.texts.as_ref(), "texts")?;
        Ok(TaggedPrediction {
            key: self.sample()?,
            attempt: need(self.attempt, "attempt")?,
            texts: hex(ContentHash::parse(texts), "texts")?,
            machine: tags(self.machine.as_deref(), "machine")?,
            version: need(self.version, "version")?,
            tags: tags(self.tags.as_deref(), "tags")?,
            run: need(self.run, "run")?,
            note: self.note,
        })
    }

    fn sample(&self) -> Result<SampleKey, RecordError> {
        hex(SampleKey::parse(need(self.key.as_ref(), "key")?), "key")
    }

    fn mutant(&self) -> Result<ContentHash, RecordError> {
        let mutant = need(self.mutant.as_ref(), "mutant")?;
        hex(ContentHash::parse(mutant), "mutant")
    }

    fn target(&self) -> Result<EventId, RecordError> {
        let event = need(self.event.as_ref(), "event")?;
        hex(EventId::parse(event), "event")
    }

    fn judged(self) -> Result<JudgedSample, RecordError> {
        let hash = need(self.content_hash.as_ref(), "content_hash")?;
        let word = need(self.judgement.as_ref(), "judgement")?;
        let bulk = match &self.batch {
            Some(batch) => Some(Bulk {
                batch: hex(EventId::parse(batch), "batch")?,
                bound: need(self.bound, "bound")?.bound()?,
            }),
            None => None,
        };
        if bulk.is_some() && (word != Judgement::Accept.as_str() || self.kind != "judged") {
            return Err(EventError::Provisional.into());
        }
        Ok(JudgedSample {
            key: self.sample()?,
            content_hash: hex(ContentHash::parse(hash), "content_hash")?,
            focal: self.focal,
            judgement: Judgement::parse(word, self.picked).ok_or(EventError::Judgement)?,
            dwell_ms: self.dwell_ms,
            guideline: self.guideline,
            note: self.note,
            queue: self.queue,
            bulk,
        })
    }

    fn draw(self) -> Result<Draw, RecordError> {
        let samples = need(self.samples, "samples")?.into_iter().enumerate();
        let drawn = samples.map(|(idx, wire_drawn)| {
            if wire_drawn.stratum.chars().any(char::is_control) {
                return Err(EventError::Stratum.into());
            }
            Ok(DrawnSample {
                key: hex(
                    SampleKey::parse(&wire_drawn.key),
                    &format!("samples[{idx}].key"),
                )?,
                stratum: wire_drawn.stratum,
            })
        });
        Ok(Draw {
            samples: drawn.collect::<Result<_, RecordError>>()?,
            audit: need(self.audit, "audit")?,
        })
    }

    fn kind(mut self) -> Result<EventKind, RecordError> {
        Ok(match self.kind.as_str() {
            "judged" => EventKind::Judged(self.judged()?),
            "adjudicated" => {
                let reason = need(self.reason.take(), "reason")?;
                EventKind::Adjudicated {
                    judged: self.judged()?,
                    reason,
                }
            }
            "noted" => EventKind::Noted {
                key: self.sample()?,
                note: need(self.note.take(), "note")?,
            },
            "marked" => EventKind::Marked {
                key: self.sample()?,
            },
            "unmarked" => EventKind::Unmarked {
                key: self.sample()?,
            },
            "undone" => EventKind::Undone {
                event: self.target()?,
            },
            "redone" => EventKind::Redone {
                event: self.target()?,
            },
            "drawn" => EventKind::Drawn(self.draw()?),
            "batch" => EventKind::Batch(Batch {
                bound: need(self.bound, "bound")?.bound()?,
                n_accepted: need(self.n_accepted, "n_accepted")?,
                audit: need(self.audit, "audit")?,
            }),
            "tagged" => EventKind::Tagged(self.tagged()?),
            "equivalent" => EventKind::Equivalent {
                key: self.sample()?,
                mutant: self.mutant()?,
            },
            "not_equivalent" => EventKind::NotEquivalent {
                key: self.sample()?,
                mutant: self.mutant()?,
            },
            _ => return Err(EventError::Kind { kind: self.kind }.into()),
        })
    }
}

/// Writes tags as their words, in the order of definitions.
#[must_use]
pub fn tag_words(tags: Tags) -> Vec<String> {
    tags.iter().map(|tag| tag.as_str().to_owned()).collect()
}

fn tags(words: Option<&[String]>, field: &'static str) -> Result<Tags, RecordError> {
    let words = need(words, field)?;
    let parsed = Tags::parse(&words.join(" "));
    Ok(parsed.ok_or(EventError::Tags { field })?)
}

/// A line of `verdicts export`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictRecord {
    Event(Event),
    Snapshot(Snapshot),
}

/// Reads a line.
///
/// # Errors
/// What is wrong with it.
pub fn read(line: &[u8]) -> Result<VerdictRecord, RecordError> {
    #[derive(Deserialize)]
    struct KindField {
        kind: String,
    }
    match event(line) {
        Ok(event) => Ok(VerdictRecord::Event(event)),
        // Few lines are snapshots, so only lines that are no events are parsed again.
        Err(error) => match parse::<KindField>(line) {
            Ok(KindField { kind }) if kind == SNAPSHOT => parse::<WireSnapshot>(line)?
                .snapshot()
                .map(VerdictRecord::Snapshot),
            _ => Err(error),
        },
    }
}

fn event(line: &[u8]) -> Result<Event, RecordError> {
    let wire: WireEvent = parse(line)?;
    let (id, at_ms, annotator) = (wire.id.clone(), wire.at_ms, wire.annotator.clone());
    if !crate::model::is_annotator(&annotator) {
        return Err(EventError::Annotator.into());
    }
    let event = Event::new(annotator, at_ms, wire.kind()?);
    if event.id().to_string() != id {
        return Err(EventError::Changed { what: "event" }.into());
    }
    Ok(event)
}

/// The current verdict of one annotator on one sample: a line of `verdicts --json`.
#[derive(Debug, Default, Serialize)]
pub struct WireVerdict<'a> {
    pub key: String,
    /// Absent when the index does not have the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<&'a str>,
    pub annotator: &'a str,
    /// Null where the annotator has only marked, noted or tagged.
    pub judgement: Option<&'static str>,
    pub picked: Option<&'a str>,
    /// The focal method that was judged.
    pub focal: Option<&'a str>,
    /// `changed`, `other_focal` or `gone`; null while the sample is as it was judged.
    pub stale: Option<&'static str>,
    pub at_ms: i64,
    pub dwell_ms: Option<u32>,
    pub guideline: Option<&'a str>,
    pub queue: Option<&'a str>,
    pub note: Option<&'a str>,
    /// The reason of an adjudication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The bound of a provisional verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisional: Option<WireBound>,
    /// The annotator's notes on the sample, with the verdict's; absent when there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub notes: &'a [String],
    /// Whether the annotator has marked the sample; absent when not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub marked: bool,
    /// The annotator's tags on predictions for the sample, as `run: tag tag`; absent when there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub tags: &'a [String],
}

/// An event in a history, with whether it still stands.
#[derive(Debug, Serialize)]
pub struct WirePast {
    #[serde(flatten)]
    pub event: WireEvent,
    pub undone: bool,
}

/// A share with its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireShare {
    pub k: u64,
    pub n: u64,
    /// 0..=1; null of nothing.
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A sample of an audit: a line of `audit --json`.
#[derive(Debug, Serialize)]
pub struct WireAudited<'a> {
    pub key: String,
    /// Null when the index does not have the sample (any more).
    pub test: Option<&'a str>,
    pub focal: Option<&'a str>,
    pub stratum: &'a str,
    pub judged: bool,
}

/// The result of an audit: `audit --report --json`.
#[derive(Debug, Serialize)]
pub struct WireAudit<'a> {
    pub audit: &'a str,
    pub n_drawn: u64,
    pub n_judged: u64,
    pub strata: Vec<WireStratum<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireStratum<'a> {
    /// Null for all.
    pub stratum: Option<&'a str>,
    pub n_drawn: u64,
    pub n_judged: u64,
    pub precision: WireShare,
    pub coverage: WireShare,
}

/// A band of match weights: a line of `verdicts calibration --json`.
#[derive(Debug, Serialize)]
pub struct WireBand {
    pub from: f64,
    pub to: f64,
    pub accepted: WireShare,
}

/// How many verdicts an annotator gave: a line of `verdicts progress --json`.
#[derive(Debug, Serialize)]
pub struct WireProgress<'a> {
    pub annotator: &'a str,
    pub n_verdicts: u64,
    pub by_judgement: super::OrderedFields<u64>,
    pub dwell_median_ms: Option<u32>,
    pub last_at_ms: i64,
}

/// `agreement --json`.
#[derive(Debug, Serialize)]
pub struct WireAgreement<'a> {
    pub annotators: &'a [String],
    pub categories: &'a [String],
    pub n_samples: u64,
    pub n_overlapping: u64,
    pub n_conflicts: u64,
    pub seed: u64,
    pub resamples: u64,
    pub coefficients: Vec<WireCoefficient>,
    pub by_category: Vec<Option<f64>>,
    /// Rows are the first annotator's, columns the second's; null unless there are two.
    pub matrix: Option<Vec<Vec<u64>>>,
    pub warning: Option<String>,
}

/// A sample on which annotators differ: a line of `agreement --conflicts --json`.
#[derive(Debug, Serialize)]
pub struct WireConflict<'a> {
    pub key: String,
    /// Null when the index does not have the sample any more.
    pub test: Option<&'a str>,
    /// The machine's decision now.
    pub focal: Option<&'a str>,
    pub weight: Option<f64>,
    /// Shannon's entropy of the answers.
    pub bits: f64,
    pub opinions: Vec<WireVerdict<'a>>,
    /// The adjudication, if there is one.
    pub gold: Option<WireVerdict<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireCoefficient {
    pub name: &'static str,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}
