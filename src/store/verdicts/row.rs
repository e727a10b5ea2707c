//! Events as rows.

use rusqlite::{Connection, Row, params};

use crate::model::{
    ContentHash, Draw, Drawn, Event, EventId, EventKind, Judged, Judgement, SampleKey, Verdict,
};

use super::super::error::Failure;

/// What an event is read from, of the table or view `e`.
pub(super) const COLUMNS: &str =
    "e.id, e.annotator, e.at_ms, e.kind, e.key, e.content_hash, e.focal, e.judgement, e.picked,
    e.dwell_ms, e.guideline, e.note, e.queue, e.reason, e.target, e.audit, e.samples";

/// How many those are.
pub(super) const N_COLUMNS: usize = 17;

/// Adds an event unless it is there, and returns how many were added.
pub(super) fn insert(conn: &Connection, event: &Event) -> Result<u64, Failure> {
    let judged = match event.kind() {
        EventKind::Judged(judged) | EventKind::Adjudicated { judged, .. } => Some(judged),
        _ => None,
    };
    let (note, reason, target, draw) = match event.kind() {
        EventKind::Judged(judged) => (judged.note.as_ref(), None, None, None),
        EventKind::Adjudicated { judged, reason } => {
            (judged.note.as_ref(), Some(reason), None, None)
        }
        EventKind::Noted { note, .. } => (Some(note), None, None, None),
        EventKind::Undone { event } | EventKind::Redone { event } => {
            (None, None, Some(event.0), None)
        }
        EventKind::Drawn(draw) => (None, None, None, Some(draw)),
        EventKind::Marked { .. } | EventKind::Unmarked { .. } => (None, None, None, None),
    };
    let mut statement = conn.prepare(
        "INSERT INTO events (id, annotator, at_ms, kind, key, content_hash, focal, judgement, picked, dwell_ms, guideline,
            note, queue, reason, target, audit, samples)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
         ON CONFLICT (id) DO NOTHING",
    )?;
    let n_new = statement.execute(params![
        event.id().0,
        event.annotator(),
        event.at_ms(),
        event.kind().as_str(),
        event.kind().key().map(|it| it.0),
        judged.map(|it| it.content_hash.0),
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
        draw.map(|it| &it.audit),
        draw.map(samples),
    ])?;
    Ok(n_new as u64)
}

/// Reads an event, and checks that it is the one that its id stands for.
pub(super) fn event(row: &Row<'_>) -> Result<Event, Failure> {
    let id = EventId(row.get(0)?);
    let word: String = row.get(3)?;
    let damaged = || Failure::Damaged(format!("event {id} does not say what its id stands for"));
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

fn judged(row: &Row<'_>) -> Result<Option<Judged>, Failure> {
    let word: String = row.get(7)?;
    let Some(judgement) = Judgement::parse(&word, row.get(8)?) else {
        return Ok(None);
    };
    Ok(Some(Judged {
        key: SampleKey(row.get(4)?),
        content_hash: ContentHash(row.get(5)?),
        focal: row.get(6)?,
        judgement,
        dwell_ms: row.get(9)?,
        guideline: row.get(10)?,
        note: row.get(11)?,
        queue: row.get(12)?,
    }))
}

/// Returns what holds because of a judgement or an adjudication.
pub(super) fn verdict(event: &Event) -> Result<Verdict, Failure> {
    let (judged, reason) = match event.kind() {
        EventKind::Judged(judged) => (judged.clone(), None),
        EventKind::Adjudicated { judged, reason } => (judged.clone(), Some(reason.clone())),
        _ => {
            return Err(Failure::Damaged(format!(
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

/// Writes the samples of a draw, a line each; strata are names without control characters.
fn samples(draw: &Draw) -> String {
    let mut text = String::new();
    for drawn in &draw.samples {
        text += &format!("{} {}\n", drawn.key, drawn.stratum);
    }
    text
}

fn drawn(text: &str) -> Option<Vec<Drawn>> {
    text.split_terminator('\n')
        .map(|line| {
            let (key, stratum) = line.split_once(' ')?;
            Some(Drawn {
                key: SampleKey::parse(key)?,
                stratum: stratum.to_owned(),
            })
        })
        .collect()
}
