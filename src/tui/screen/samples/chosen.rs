//! The selected samples: their keys are read, and something is done with them.

use crate::browse;
use crate::deeds::lines_of;
use crate::desk::{Desk, ToWrite, Wish};
use crate::model::{Filter, SampleKey};
use crate::question::source::{Source, Unanswered};
use crate::question::{Question, Slot};
use crate::screen::samples::Samples;
use crate::select::BEGUN;
use crate::store::Anchor;
use crate::theme::Role;

/// What the tokens of marks are above of.
pub const TOKENS: u64 = 3 << 32;

/// What is done with the selected samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Mark,
    Write,
    Copy,
    /// Ends the UI with them.
    Pick,
}

/// The keys of some rows of the list, counted from 0.
#[derive(Debug)]
struct AskKeys {
    filter: Filter,
    first: u64,
    n: usize,
}

impl Question for AskKeys {
    type Answer = Vec<SampleKey>;
    const SLOT: Slot = Slot("samples.keys");

    fn read(&self, source: &Source<'_>) -> Result<Self::Answer, Unanswered> {
        let anchor = if self.first == 0 {
            Anchor::First
        } else {
            Anchor::AtRank(self.first)
        };
        let rows = browse::page(source.store()?, &self.filter, anchor, self.n)?;
        Ok(rows.into_iter().map(|row| row.key).collect())
    }
}

impl Samples {
    /// Begins to select rows at the cursor, or ends that.
    pub(super) fn turn_selection(&mut self, desk: &mut Desk) {
        let Some(rank) = self.window.rank().filter(|_| !self.window.is_empty()) else {
            desk.say("there is nothing to select", Role::Dim);
            return;
        };
        if self.selection.toggle(rank) {
            desk.say(
                format!("{BEGUN} · m marks · E writes keys · yi copies keys · Esc"),
                Role::Dim,
            );
        }
    }

    /// Returns whether more than the row under the cursor is meant.
    pub fn has_selection(&self) -> bool {
        self.selection.rows(self.window.rank()).is_some()
    }

    /// Does something with the selected samples, else with the one under the cursor.
    pub fn use_selection(&mut self, purpose: Purpose, desk: &mut Desk) {
        let Some(rows) = self.selection.rows(self.window.rank()) else {
            let keys = self.window.selected().map(|row| row.key);
            Self::use_keys(purpose, keys.into_iter().collect(), desk);
            return;
        };
        let (first, last) = rows.into_inner();
        let keys = AskKeys {
            filter: self.filter.clone(),
            first,
            n: usize::try_from(last - first + 1).unwrap_or(usize::MAX),
        };
        desk.ask(keys, move |_: &mut Self, keys, desk| {
            Self::use_keys(purpose, keys, desk);
        });
    }

    fn use_keys(purpose: Purpose, keys: Vec<SampleKey>, desk: &mut Desk) {
        if keys.is_empty() {
            desk.say("there is no sample under the cursor", Role::Dim);
            return;
        }
        let text = || lines_of(&keys);
        match purpose {
            Purpose::Mark => desk.wish(Wish::Mark(keys)),
            Purpose::Write => desk.wish(Wish::Write(ToWrite::Keys(text()), "keys.txt".to_owned())),
            Purpose::Copy => desk.copy_out(Some((text(), "the samples' keys"))),
            Purpose::Pick => desk.wish(Wish::Pick(keys)),
        }
    }
}
