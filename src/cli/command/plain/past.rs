//! The past of an annotator: marks and notes are added, events are undone, redone and listed, and the sample of one is
//! opened again.

use crate::failure::Stop;
use crate::model::{EventKind, SampleKey};
use crate::review::Session;

use super::PlainReview;

/// The latest events of an annotator that are listed.
const HISTORY_ROWS: usize = 10;

impl PlainReview<'_> {
    pub fn mark(&mut self) -> Result<(), Stop> {
        let now_ms = (self.now_ms)();
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let key = page.shown.key;
        let marks = self.verdicts.marks_of(&self.options.annotator)?;
        let kind = if marks.contains(&key) {
            EventKind::Unmarked { key }
        } else {
            EventKind::Marked { key }
        };
        self.append(now_ms, kind, None)?;
        self.catch_up(Session::refill)
    }

    pub fn note(&mut self, text: &str) -> Result<(), Stop> {
        let now_ms = (self.now_ms)();
        let Some(page) = self.subject()? else {
            return Ok(());
        };
        let key = page.shown.key;
        let note = text.to_owned();
        self.append(now_ms, EventKind::Noted { key, note }, None)?;
        self.catch_up(Session::refill)
    }

    pub fn undo(&mut self) -> Result<(), Stop> {
        let who = self.options.annotator.clone();
        let Some(event) = self.verdicts.undo(&who, (self.now_ms)())? else {
            return self.say("nothing to undo");
        };
        self.said.remove(&event.id());
        let line = format!("saved: undone: {}", self.done(event.kind()));
        self.say(&line)?;
        if let EventKind::Judged(judged) = event.kind() {
            self.session.reopened(judged.key);
            self.page = None;
        }
        self.catch_up(Session::refill)
    }

    pub fn redo(&mut self) -> Result<(), Stop> {
        let who = self.options.annotator.clone();
        let Some(event) = self.verdicts.redo(&who, (self.now_ms)())? else {
            return self.say("nothing to redo");
        };
        self.remember(&event);
        let line = format!("saved: redone: {}", self.done(event.kind()));
        self.say(&line)?;
        let take = if let EventKind::Judged(judged) = event.kind() {
            self.moved(judged);
            Session::retake
        } else {
            Session::refill
        };
        self.catch_up(take)
    }

    /// Describes the latest events of this annotator, each with the key of its sample.
    fn last_events(&self) -> Result<Vec<(String, Option<SampleKey>)>, Stop> {
        let past = self
            .verdicts
            .history(&self.options.annotator, HISTORY_ROWS)?;
        let line = |past: &crate::model::PastEvent| {
            let undone = if past.is_undone { " (undone)" } else { "" };
            let kind = past.event.kind();
            (format!("{}{undone}", self.done(kind)), kind.key())
        };
        Ok(past.iter().map(line).collect())
    }

    pub fn history(&mut self) -> Result<(), Stop> {
        let rows = self.last_events()?;
        if rows.is_empty() {
            return self.say("you have done nothing yet");
        }
        for (number, (line, key)) in (1..).zip(rows) {
            let keys: Vec<SampleKey> = key.into_iter().collect();
            let states = self.store.states(&keys)?;
            let test = states.into_iter().flatten().next().map(|state| state.test);
            let about = test.map_or_else(String::new, |test| format!(", on {test}"));
            self.say(&format!("  {number}. {line}{about}"))?;
        }
        Ok(())
    }

    /// Opens the sample of a row of the history, so that its verdict can be changed.
    pub fn back(&mut self, number: &str) -> Result<(), Stop> {
        let rows = self.last_events()?;
        let rank = number.parse::<usize>().ok();
        let row = rank.and_then(|rank| rows.get(rank.checked_sub(1)?));
        let Some((_, Some(key))) = row else {
            return self.say("`back N` takes a number of the list that `history` prints");
        };
        self.session.reopened(*key);
        self.page = None;
        Ok(())
    }
}
