//! Events as rows.

use rusqlite::{CachedStatement, Connection, Row, params};

use crate::model::{
    Batch, Bulk, ContentHash, Draw, DrawnSample, ErrorBound, Event, EventId, EventKind,
    JudgedSample, Judgement, SampleKey, TagRuling, TaggedPrediction, Tags, Verdict,
};

use super::super::error::StoreFailure;

/// The columns of the table or view `e` that an event is read from.
pub(super) const COLUMNS: &str =
    "e.id, e.annotator, e.at_ms, e.kind, e.key, e.content_hash, e.focal, e.judgement, e.picked,
    e.dwell_ms, e.guideline, e.note, e.queue, e.reason, e.target, e.audit, e.samples, e.batch, e.n_accepted,
    e.sample_n, e.sample_errors, e.error_max_ppm, e.confidence_ppm, e.run, e.attempt, e.machine, e.version, e.tags,
    e.mutant";

/// The number of columns in [`COLUMNS`].
pub(super) const N_COLUMNS: usize = 29;

/// Adds an event unless it exists, and returns how many were added.
pub(super) fn insert(conn: &Connection, event: &Event) -> Result<u64, StoreFailure> {
    Insert::prepare(conn)?.add(event)
}

/// Adds events; the statement is compiled once for many.
pub(super) struct Insert<'c>(CachedStatement<'c>);

impl<'c> Insert<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self(conn.prepare_cached(
            "INSERT OR ABORT INTO events (id, annotator, at_ms, kind, key, content_hash, focal, judgement, picked, dwell_ms,
                guideline, note, queue, reason, target, audit, samples, batch, n_accepted, sample_n, sample_errors,
                error_max_ppm, confidence_ppm, run, attempt, machine, version, tags, mutant)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23, ?24, ?25, ?26, ?27, ?28, ?29)
             ON CONFLICT (id) DO NOTHING",
        )?))
    }

    /// Adds an event unless it exists, and returns how many were added.
    pub(super) fn add(&mut self, event: &Event) -> Result<u64, StoreFailure> {
        let judged = event.kind().judged();
        let (note, reason, target, audit, samples, batch) = match event.kind() {
            EventKind::Judged(judged) => (judged.note.as_ref(), None, None, None, None, None),
            EventKind::Adjudicated { judged, reason } => {
                (judged.note.as_ref(), Some(reason), None, None, None, None)
            }
            EventKind::Noted { note, .. } => (Some(note), None, None, None, None, None),
            EventKind::Undone { event } | EventKind::Redone { event } => {
                (None, None, Some(event.0), None, None, None)
            }
            EventKind::Drawn(draw) => {
                let samples = Some(samples(draw));
                (None, None, None, Some(&draw.audit), samples, None)
            }
            EventKind::Batch(batch) => (None, None, None, Some(&batch.audit), None, Some(batch)),
            EventKind::Tagged(tagged) => (tagged.note.as_ref(), None, None, None, None, None),
            EventKind::Marked { .. }
            | EventKind::Unmarked { .. }
            | EventKind::Equivalent { .. }
            | EventKind::NotEquivalent { .. } => (None, None, None, None, None, None),
        };
        let tagged = event.kind().tagged();
        let content_hash = judged.map(|judged_sample| judged_sample.content_hash);
        let bulk = event.kind().bulk();
        let bound = bulk
            .map(|bulk| bulk.bound)
            .or(batch.map(|batch| batch.bound));
        let n_new = self.0.execute(params![
            event.id().0,
            event.annotator(),
            event.at_ms(),
            event.kind().as_str(),
            event.kind().key().map(|it| it.0),
            content_hash.or(tagged.map(|it| it.texts)).map(|it| it.0),
            judged.and_then(|it| it.focal.as_ref()),
            judged.map(|it| it.judgement.as_str()),
            judged.and_then(|it| match &it.judgement {
                Judgement::Pick(method) => Some(method),
                _ => None,
            }),
            judged.and_then(|it| it.dwell_ms),
            judged.and_then(|it| it.guideline.as_ref()),
            note,
            judged.and_then(|it| it.queue.as_ref()),
            reason,
            target,
            audit,
            samples,
            bulk.map(|it| it.batch.0),
            batch.map(|it| it.n_accepted),
            bound.map(|it| it.n),
            bound.map(|it| it.n_errors),
            bound.map(|it| it.error_max_ppm),
            bound.map(|it| it.confidence_ppm),
            tagged.map(|it| it.run.as_str()),
            tagged.map(|it| it.attempt),
            tagged.map(|it| it.machine.words()),
            tagged.map(|it| it.version),
            tagged.map(|it| it.tags.words()),
            event.kind().mutant().map(|it| it.0),
        ])?;
        Ok(n_new as u64)
    }
}

/// Reads an event, and checks that its id is the hash of its content.
pub(super) fn event(row: &Row<'_>) -> Result<Event, StoreFailure> {
    let id = EventId(row.get(0)?);
    let word: String = row.get(3)?;
    let damaged =
        || StoreFailure::Damaged(format!("the id of event {id} does not match its content"));
    let kind = match word.as_str() {
        "judged" => judged(row)?.map(EventKind::Judged),
        "adjudicated" => match judged(row)? {
            Some(judged) => Some(EventKind::Adjudicated {
                judged,
                reason: row.get(13)?,
            }),
            None => None,
        },
        "noted" => Some(EventKind::Noted {
            key: SampleKey(row.get(4)?),
            note: row.get(11)?,
        }),
        "marked" => Some(EventKind::Marked {
            key: SampleKey(row.get(4)?),
        }),
        "unmarked" => Some(EventKind::Unmarked {
            key: SampleKey(row.get(4)?),
        }),
        "undone" => Some(EventKind::Undone {
            event: EventId(row.get(14)?),
        }),
        "redone" => Some(EventKind::Redone {
            event: EventId(row.get(14)?),
        }),
        "drawn" => drawn(&row.get::<_, String>(16)?).map_or(Ok(None), |samples| {
            row.get(15)
                .map(|audit| Some(EventKind::Drawn(Draw { audit, samples })))
        })?,
        "tagged" => tagged(row)?.map(EventKind::Tagged),
        "equivalent" => Some(EventKind::Equivalent {
            key: SampleKey(row.get(4)?),
            mutant: ContentHash(row.get(28)?),
        }),
        "not_equivalent" => Some(EventKind::NotEquivalent {
            key: SampleKey(row.get(4)?),
            mutant: ContentHash(row.get(28)?),
        }),
        "batch" => Some(EventKind::Batch(Batch {
            audit: row.get(15)?,
            n_accepted: row.get(18)?,
            bound: bound(row)?,
        })),
        _ => None,
    };
    let annotator: String = row.get(1)?;
    let event = Event::new(annotator, row.get(2)?, kind.ok_or_else(damaged)?);
    if event.id() == id {
        Ok(event)
    } else {
        Err(damaged())
    }
}

fn judged(row: &Row<'_>) -> Result<Option<JudgedSample>, StoreFailure> {
    let word: String = row.get(7)?;
    let Some(judgement) = Judgement::parse(&word, row.get(8)?) else {
        return Ok(None);
    };
    Ok(Some(JudgedSample {
        key: SampleKey(row.get(4)?),
        content_hash: ContentHash(row.get(5)?),
        focal: row.get(6)?,
        judgement,
        dwell_ms: row.get(9)?,
        guideline: row.get(10)?,
        note: row.get(11)?,
        queue: row.get(12)?,
        bulk: match row.get(17)? {
            Some(batch) => Some(Bulk {
                batch: EventId(batch),
                bound: bound(row)?,
            }),
            None => None,
        },
    }))
}

fn tagged(row: &Row<'_>) -> Result<Option<TaggedPrediction>, StoreFailure> {
    let tags = |idx| -> Result<Option<Tags>, StoreFailure> {
        let words: String = row.get(idx)?;
        Ok(Tags::parse(&words))
    };
    let (Some(machine), Some(tags)) = (tags(25)?, tags(27)?) else {
        return Ok(None);
    };
    Ok(Some(TaggedPrediction {
        key: SampleKey(row.get(4)?),
        run: row.get(23)?,
        attempt: row.get(24)?,
        texts: ContentHash(row.get(5)?),
        machine,
        version: row.get(26)?,
        tags,
        note: row.get(11)?,
    }))
}

fn bound(row: &Row<'_>) -> Result<ErrorBound, StoreFailure> {
    Ok(ErrorBound {
        n: row.get(19)?,
        n_errors: row.get(20)?,
        error_max_ppm: row.get(21)?,
        confidence_ppm: row.get(22)?,
    })
}

/// Turns a judgement or an adjudication into a verdict.
pub(super) fn verdict(event: &Event) -> Result<Verdict, StoreFailure> {
    let (judged, reason) = match event.kind() {
        EventKind::Judged(judged) => (judged.clone(), None),
        EventKind::Adjudicated { judged, reason } => (judged.clone(), Some(reason.clone())),
        EventKind::Noted { .. }
        | EventKind::Marked { .. }
        | EventKind::Unmarked { .. }
        | EventKind::Undone { .. }
        | EventKind::Redone { .. }
        | EventKind::Drawn(_)
        | EventKind::Batch(_)
        | EventKind::Tagged(_)
        | EventKind::Equivalent { .. }
        | EventKind::NotEquivalent { .. } => {
            return Err(StoreFailure::Damaged(format!(
                "event {} judges nothing",
                event.id()
            )));
        }
    };
    Ok(Verdict {
        event: event.id(),
        annotator: event.annotator().to_owned(),
        at_ms: event.at_ms(),
        judged,
        reason,
    })
}

/// Turns a tagging event into the tags that it gives.
pub(super) fn ruling(event: &Event) -> Result<TagRuling, StoreFailure> {
    let tagged = event.kind().tagged();
    let none = || StoreFailure::Damaged(format!("event {} gives no tags", event.id()));
    Ok(TagRuling {
        event: event.id(),
        annotator: event.annotator().to_owned(),
        at_ms: event.at_ms(),
        tagged: tagged.cloned().ok_or_else(none)?,
    })
}

/// Writes the samples of a draw, one per line; strata are names without control characters.
fn samples(draw: &Draw) -> String {
    let mut text = String::new();
    for drawn in &draw.samples {
        text += &format!("{} {}\n", drawn.key, drawn.stratum);
    }
    text
}

fn drawn(text: &str) -> Option<Vec<DrawnSample>> {
    text.split_terminator('\n')
        .map(|line| {
            let (key, stratum) = line.split_once(' ')?;
            Some(DrawnSample {
                key: SampleKey::parse(key)?,
                stratum: stratum.to_owned(),
            })
        })
        .collect()
}
