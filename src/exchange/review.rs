//! Events of annotators as lines of JSON, in and out: what `verdicts export` writes and `verdicts merge` reads.
//!
//! A line says everything that its event says, in a fixed order of fields; its id must be the one that follows from the
//! rest, so a line that was changed on its way is found out.

use serde::{Deserialize, Serialize};

use crate::model::{
    ContentHash, Draw, Drawn, Event, EventId, EventKind, Judged, Judgement, SampleKey,
};

use super::dataset::parse;

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
            key: event.kind().key().map(|it| it.to_string()),
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
        };
        match event.kind() {
            EventKind::Judged(judged) => wire.judge(judged),
            EventKind::Adjudicated { judged, reason } => {
                wire.judge(judged);
                wire.reason = Some(reason.clone());
            }
            EventKind::Noted { note, .. } => wire.note = Some(note.clone()),
            EventKind::Marked { .. } | EventKind::Unmarked { .. } => {}
            EventKind::Undone { event } | EventKind::Redone { event } => {
                wire.event = Some(event.to_string());
            }
            EventKind::Drawn(draw) => {
                wire.audit = Some(draw.audit.clone());
                let samples = draw.samples.iter().map(|it| WireDrawn {
                    key: it.key.to_string(),
                    stratum: it.stratum.clone(),
                });
                wire.samples = Some(samples.collect());
            }
        }
        wire
    }
}

impl WireEvent {
    fn judge(&mut self, judged: &Judged) {
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
    }

    fn sample(&self) -> Result<SampleKey, String> {
        let key = need(self.key.as_ref(), "key")?;
        SampleKey::parse(key).ok_or_else(|| "`key` is not 32 hexadecimal digits".to_owned())
    }

    fn target(&self) -> Result<EventId, String> {
        let event = need(self.event.as_ref(), "event")?;
        EventId::parse(event).ok_or_else(|| "`event` is not 32 hexadecimal digits".to_owned())
    }

    fn judged(self) -> Result<Judged, String> {
        let hash = need(self.content_hash.as_ref(), "content_hash")?;
        let word = need(self.judgement.as_ref(), "judgement")?;
        Ok(Judged {
            key: self.sample()?,
            content_hash: ContentHash::parse(hash)
                .ok_or("`content_hash` is not 32 hexadecimal digits")?,
            focal: self.focal,
            judgement: Judgement::parse(word, self.picked)
                .ok_or("`judgement` and `picked` say nothing that is known")?,
            dwell_ms: self.dwell_ms,
            guideline: self.guideline,
            note: self.note,
            queue: self.queue,
        })
    }

    fn draw(self) -> Result<Draw, String> {
        let samples = self.samples.ok_or("no field `samples`")?;
        let drawn = samples.into_iter().map(|it| {
            if it.stratum.chars().any(char::is_control) {
                return Err("a `stratum` has control characters");
            }
            Ok(Drawn {
                key: SampleKey::parse(&it.key).ok_or("a `key` is not 32 hexadecimal digits")?,
                stratum: it.stratum,
            })
        });
        Ok(Draw {
            samples: drawn.collect::<Result<_, _>>()?,
            audit: self.audit.ok_or("no field `audit`")?,
        })
    }

    fn kind(mut self) -> Result<EventKind, String> {
        Ok(match self.kind.as_str() {
            "judged" => EventKind::Judged(self.judged()?),
            "adjudicated" => {
                let reason = self.reason.take().ok_or("no field `reason`")?;
                EventKind::Adjudicated {
                    judged: self.judged()?,
                    reason,
                }
            }
            "noted" => EventKind::Noted {
                key: self.sample()?,
                note: self.note.take().ok_or("no field `note`")?,
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
            other => return Err(format!("no kind of event is called `{other}`")),
        })
    }
}

fn need<'f>(field: Option<&'f String>, name: &str) -> Result<&'f str, String> {
    field
        .map(String::as_str)
        .ok_or_else(|| format!("no field `{name}`"))
}

/// Reads an event.
///
/// # Errors
/// What is wrong with the line, as a lower-case fragment.
pub fn event(line: &[u8]) -> Result<Event, String> {
    let wire: WireEvent = parse(line)?;
    let (id, at_ms, annotator) = (wire.id.clone(), wire.at_ms, wire.annotator.clone());
    if !crate::model::is_annotator(&annotator) {
        return Err("`annotator` is no name".to_owned());
    }
    let event = Event::new(annotator, at_ms, wire.kind()?);
    if event.id().to_string() != id {
        return Err("`id` is not the one of this event: something else was changed".to_owned());
    }
    Ok(event)
}

/// What holds for one annotator and one sample: a line of `verdicts --json`.
#[derive(Debug, Serialize)]
pub struct WireVerdict<'a> {
    pub key: String,
    /// Absent when the index does not have the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<&'a str>,
    pub annotator: &'a str,
    pub judgement: &'static str,
    pub picked: Option<&'a str>,
    /// The focal method that was judged.
    pub focal: Option<&'a str>,
    /// `changed`, `other_focal` or `gone`; null when it is what was judged.
    pub stale: Option<&'static str>,
    pub at_ms: i64,
    pub dwell_ms: Option<u32>,
    pub guideline: Option<&'a str>,
    pub queue: Option<&'a str>,
    pub note: Option<&'a str>,
    /// Of an adjudication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
}

/// An event in a list of what happened, with whether it still stands.
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

/// What an audit says: `audit --report --json`.
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
    pub by_judgement: super::Ordered<u64>,
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

#[derive(Debug, Serialize)]
pub struct WireCoefficient {
    pub name: &'static str,
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}
