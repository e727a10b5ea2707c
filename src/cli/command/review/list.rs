//! `verdicts`: what holds, with what the same people have noted, marked and tagged beside it.
//!
//! A row holds the verdict of one annotator on one sample; an annotator who has only noted, marked or tagged it has a
//! row without a verdict.

use std::collections::BTreeMap;

use super::open;
use crate::Context;
use crate::args;
use crate::command::judgement_words::{took, verdict_words, wire};
use crate::command::review::difference;
use crate::command::{inspect, workspace};
use crate::exchange::review::WireVerdict;
use crate::exchange::write_lines;
use crate::failure::Stop;
use crate::model::{Filter, SampleKey, Verdict, utc};
use crate::review::{self, StandingVerdict};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::table::{Align, NumberStyle, TextTable};

pub fn write(context: &mut Context<'_, '_>, arguments: &args::Verdicts) -> Result<(), Stop> {
    let filter = inspect::filter(context, &arguments.filter)?;
    let store = workspace::open(context)?;
    let verdicts = open(context, StoreAccess::Read)?;
    let mut standings = if arguments.stale {
        review::stale(&store, &verdicts)?
    } else if arguments.gold {
        let gold = review::gold(&verdicts)?.into_values();
        review::standings(&store, gold.map(|gold| gold.verdict).collect())?
    } else {
        let mut all = review::current(&verdicts)?;
        all.extend(verdicts.provisional()?);
        all.sort_by(|a, b| (a.judged.key, &a.annotator).cmp(&(b.judged.key, &b.annotator)));
        review::standings(&store, all)?
    };
    if let Some(name) = &arguments.annotator {
        standings.retain(|standing| standing.verdict.annotator == *name);
    }
    let keys = if filter == Filter::default() {
        None
    } else {
        Some(review::keys(&store, &filter)?)
    };
    let is_asked = |key: &SampleKey| keys.as_ref().is_none_or(|keys| keys.contains(key));
    standings.retain(|standing| is_asked(&standing.verdict.judged.key));
    if arguments.diff {
        return difference::list(context, &store, &verdicts, &standings);
    }
    let mut remarks = remarks(&verdicts)?;
    remarks.retain(|(key, annotator), _| {
        is_asked(key)
            && arguments
                .annotator
                .as_ref()
                .is_none_or(|name| name == annotator)
    });
    let mut rows: Vec<VerdictRow> = standings
        .into_iter()
        .map(|standing| {
            let verdict = &standing.verdict;
            let place = (verdict.judged.key, verdict.annotator.clone());
            VerdictRow {
                remarks: remarks.remove(&place).unwrap_or_default(),
                place,
                test: standing.state.as_ref().map(|state| state.test.clone()),
                standing: Some(standing),
            }
        })
        .collect();
    // These two ask for verdicts of a kind.
    if !arguments.stale && !arguments.gold {
        rows.extend(without_verdict(&store, remarks)?);
        rows.sort_by(|a, b| a.place.cmp(&b.place));
    }
    Ok(context.print(
        arguments.format.name(),
        |out| write_lines(out, rows.iter().map(VerdictRow::wire)),
        |numbers| match numbers {
            NumberStyle::People => [table(&rows)],
            NumberStyle::Machine => [machine_table(&rows)],
        },
    )?)
}

/// The verdict and remarks of one annotator on one sample.
struct VerdictRow {
    place: (SampleKey, String),
    /// Absent when the index does not have the sample.
    test: Option<String>,
    standing: Option<StandingVerdict>,
    remarks: Remarks,
}

/// The remarks of an annotator beside a verdict.
#[derive(Default)]
struct Remarks {
    /// The latest last; the verdict's own is among them.
    notes: Vec<String>,
    is_marked: bool,
    /// `run: tag tag`.
    tags: Vec<String>,
    at_ms: i64,
}

fn remarks(verdicts: &Verdicts) -> Result<BTreeMap<(SampleKey, String), Remarks>, Stop> {
    let mut all: BTreeMap<(SampleKey, String), Remarks> = BTreeMap::new();
    let mut at = |key: SampleKey, annotator: String, at_ms: i64, add: &dyn Fn(&mut Remarks)| {
        let remarks = all.entry((key, annotator)).or_default();
        remarks.at_ms = remarks.at_ms.max(at_ms);
        add(remarks);
    };
    for note in verdicts.notes()? {
        at(note.key, note.annotator, note.at_ms, &|remarks| {
            if !remarks.notes.contains(&note.text) {
                remarks.notes.push(note.text.clone());
            }
        });
    }
    for mark in verdicts.marks()? {
        at(mark.key, mark.annotator, mark.at_ms, &|remarks| {
            remarks.is_marked = true;
        });
    }
    let mut rulings = verdicts.all_rulings()?;
    rulings.retain(|ruling| !ruling.tagged.tags.is_empty());
    rulings.sort_by(|a, b| (&a.tagged.run, a.at_ms).cmp(&(&b.tagged.run, b.at_ms)));
    for ruling in rulings {
        let text = format!("{}: {}", ruling.tagged.run, ruling.tagged.tags.words());
        at(
            ruling.tagged.key,
            ruling.annotator,
            ruling.at_ms,
            &|remarks| {
                remarks.tags.push(text.clone());
            },
        );
    }
    Ok(all)
}

/// Builds rows for annotators who remarked on a sample without judging it.
fn without_verdict(
    store: &Store,
    remarks: BTreeMap<(SampleKey, String), Remarks>,
) -> Result<Vec<VerdictRow>, Stop> {
    let keys: Vec<SampleKey> = remarks.keys().map(|(key, _)| *key).collect();
    let states = store.states(&keys)?;
    let rows = remarks.into_iter().zip(states);
    Ok(rows
        .map(|((place, remarks), state)| VerdictRow {
            place,
            test: state.map(|state| state.test),
            standing: None,
            remarks,
        })
        .collect())
}

impl VerdictRow {
    fn verdict(&self) -> Option<&Verdict> {
        self.standing.as_ref().map(|standing| &standing.verdict)
    }

    /// Returns the time of the verdict, else of the latest remark.
    fn at_ms(&self) -> i64 {
        self.verdict()
            .map_or(self.remarks.at_ms, |verdict| verdict.at_ms)
    }

    fn stale(&self) -> String {
        self.standing.as_ref().map_or_else(String::new, stale)
    }

    fn marked(&self) -> String {
        if self.remarks.is_marked { "marked" } else { "" }.to_owned()
    }

    fn wire(&self) -> WireVerdict<'_> {
        let Remarks {
            notes,
            is_marked,
            tags,
            ..
        } = &self.remarks;
        let said = match self.verdict() {
            Some(verdict) => wire(verdict),
            None => WireVerdict {
                key: self.place.0.to_string(),
                annotator: &self.place.1,
                ..WireVerdict::default()
            },
        };
        let stale = self.standing.as_ref().and_then(|standing| standing.stale);
        WireVerdict {
            test: self.test.as_deref(),
            stale: stale.map(review::Staleness::as_str),
            at_ms: self.at_ms(),
            notes,
            marked: *is_marked,
            tags,
            ..said
        }
    }
}

/// Writes the rows for people.
fn table(rows: &[VerdictRow]) -> TextTable {
    let mut table = TextTable::new(&[
        ("key", Align::Left),
        ("test", Align::Left),
        ("annotator", Align::Left),
        ("verdict", Align::Left),
        ("when (UTC)", Align::Left),
        ("took", Align::Right),
        ("stale", Align::Left),
        ("mark", Align::Left),
        ("tags", Align::Left),
        ("note", Align::Left),
    ]);
    for row in rows {
        let verdict = row.verdict();
        table.row([
            row.place.0.to_string()[..12].to_owned(),
            row.test.clone().unwrap_or_default(),
            row.place.1.clone(),
            verdict.map_or_else(String::new, verdict_words),
            utc(row.at_ms()),
            verdict.map_or_else(String::new, |verdict| took(&verdict.judged)),
            row.stale(),
            row.marked(),
            row.remarks.tags.join("; "),
            row.remarks.notes.join("; "),
        ]);
    }
    table
}

/// Writes the rows for programs: whole keys, words of files, times in milliseconds.
fn machine_table(rows: &[VerdictRow]) -> TextTable {
    let columns = [
        "key",
        "test",
        "annotator",
        "judgement",
        "picked",
        "focal",
        "stale",
        "at_ms",
        "dwell_ms",
        "reason",
        "marked",
        "tags",
        "notes",
    ];
    let mut table = TextTable::of_texts(&columns);
    for row in rows {
        let wire = row.wire();
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        table.row([
            wire.key.clone(),
            text(wire.test),
            wire.annotator.to_owned(),
            text(wire.judgement),
            text(wire.picked),
            text(wire.focal),
            text(wire.stale),
            wire.at_ms.to_string(),
            wire.dwell_ms
                .map_or_else(String::new, |dwell_ms| dwell_ms.to_string()),
            text(wire.reason),
            wire.marked.to_string(),
            wire.tags.join("; "),
            wire.notes.join("; "),
        ]);
    }
    table
}

/// Tells why a verdict is stale; an empty text when it is not.
pub(super) fn stale(standing: &StandingVerdict) -> String {
    let word = standing.stale.map_or("", review::Staleness::as_str);
    word.replace('_', " ")
}
