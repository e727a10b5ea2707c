//! People's verdicts and remarks on one sample, as `show` prints them.

use std::io;

use crate::command::judgement_words::{event_words, took, wire};
use crate::exchange::people::{WireNote, WirePeople, WireTagging};
use crate::exchange::review::{WireEvent, WirePast, tag_words};
use crate::model::{PastEvent, utc};
use crate::review::SampleRemarks;
use crate::table::{Align, TextTable};

/// Writes everything that people said, the latest first, and marks what still holds; nothing where nobody said
/// anything.
pub fn text(spoken: &SampleRemarks) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if spoken.is_empty() {
        return Ok(text);
    }
    text.extend_from_slice(b"\njudgements by people\n");
    let holding = spoken.holding();
    let mut table = TextTable::new(&[
        ("when (UTC)", Align::Left),
        ("annotator", Align::Left),
        ("what", Align::Left),
        ("took", Align::Right),
        ("", Align::Left),
    ]);
    for PastEvent { event, is_undone } in &spoken.past {
        let state = if *is_undone {
            "undone"
        } else if holding.contains(&event.id()) {
            "holds"
        } else {
            ""
        };
        let kind = event.kind();
        table.row([
            utc(event.at_ms()),
            event.annotator().to_owned(),
            event_words(kind),
            kind.judged().map_or_else(String::new, took),
            state.to_owned(),
        ]);
    }
    table.write(&mut text)?;
    Ok(text)
}

/// Writes the same as JSON.
pub fn wire_people(spoken: &SampleRemarks) -> WirePeople<'_> {
    let notes = spoken.notes.iter().map(|note| WireNote {
        annotator: &note.annotator,
        at_ms: note.at_ms,
        note: &note.text,
    });
    let tags = spoken.tags.iter().map(|ruling| WireTagging {
        run: &ruling.tagged.run,
        attempt: ruling.tagged.attempt,
        annotator: &ruling.annotator,
        tags: tag_words(ruling.tagged.tags),
        note: ruling.tagged.note.as_deref(),
    });
    let history = spoken.past.iter().map(|past| WirePast {
        event: WireEvent::from(&past.event),
        undone: past.is_undone,
    });
    WirePeople {
        verdicts: spoken.verdicts.iter().map(wire).collect(),
        gold: spoken.ruling.as_ref().map(wire),
        notes: notes.collect(),
        marked_by: &spoken.marked_by,
        tags: tags.collect(),
        history: history.collect(),
    }
}
