//! The selected samples: reads their keys, and uses them.

use crate::browse;
use crate::command_log::lines_of;
use crate::desk::{Desk, ExportContent, ScreenRequest};
use crate::model::{Filter, SampleKey};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::screen::samples::Samples;
use crate::select::{BEGUN, NAMED_MAX, filter_of};
use crate::store::Anchor;
use crate::theme::Role;
use crate::widget::frame::count;

/// The tokens of marks are above this.
pub const TOKENS: u64 = 3 << 32;

/// What the selected samples are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionPurpose {
    Mark,
    Write,
    Copy,
    /// Ends the UI with them.
    Pick,
    /// Executes predictions for them again, in their projects.
    RunAgain,
    /// Compares runs on them.
    Compare,
}

/// The keys of some rows of the list, counted from 0.
#[derive(Debug)]
struct SampleKeysQuestion {
    filter: Filter,
    first: u64,
    n: usize,
}

impl Question for SampleKeysQuestion {
    type Answer = Vec<SampleKey>;
    const SLOT: Slot = Slot("samples.keys");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
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
    /// Begins to select rows at the cursor, or ends the selection.
    pub(super) fn turn_selection(&mut self, desk: &mut Desk) {
        let Some(rank) = self.window.rank().filter(|_| !self.window.is_empty()) else {
            desk.show_message("there is nothing to select", Role::Dim);
            return;
        };
        if self.selection.toggle(rank) {
            desk.show_message(
                format!("{BEGUN} · m marks · r runs again · c compares · E yi keys · Esc"),
                Role::Dim,
            );
        }
    }

    /// Tells whether rows are selected, not only the one under the cursor.
    pub fn has_selection(&self) -> bool {
        self.selection.rows(self.window.rank()).is_some()
    }

    /// Uses the selected samples for this purpose, else the one under the cursor.
    pub fn use_selection(&mut self, purpose: SelectionPurpose, desk: &mut Desk) {
        let Some(rows) = self.selection.rows(self.window.rank()) else {
            let keys = self.window.selected().map(|row| row.key);
            use_keys(purpose, &keys.into_iter().collect::<Vec<_>>(), None, desk);
            return;
        };
        let (first, last) = rows.into_inner();
        let keys = SampleKeysQuestion {
            filter: self.filter.clone(),
            first,
            n: usize::try_from(last - first + 1).unwrap_or(usize::MAX),
        };
        desk.ask(keys, move |_: &mut Self, keys, desk| {
            use_keys(purpose, &keys, None, desk);
        });
    }
}

/// Uses samples for this purpose; executes predictions of this run again, or of all runs without one.
pub fn use_keys(purpose: SelectionPurpose, keys: &[SampleKey], run: Option<&str>, desk: &mut Desk) {
    if keys.is_empty() {
        desk.show_message("there is no sample under the cursor", Role::Dim);
        return;
    }
    match purpose {
        SelectionPurpose::Mark => desk.request(ScreenRequest::Mark(keys.to_vec())),
        SelectionPurpose::Write => {
            let name = "keys.txt".to_owned();
            desk.request(ScreenRequest::Write(
                ExportContent::Keys(lines_of(keys)),
                name,
            ));
        }
        SelectionPurpose::Copy => desk.copy_out(Some((lines_of(keys), "the samples' keys"))),
        SelectionPurpose::Pick => desk.request(ScreenRequest::Pick(keys.to_vec())),
        SelectionPurpose::RunAgain | SelectionPurpose::Compare => {
            let Some(filter) = filter_of(keys) else {
                let most = count(NAMED_MAX as u64);
                let text = format!("select {most} samples at most · f filters the list instead");
                desk.show_message(text, Role::Warning);
                return;
            };
            desk.request(match purpose {
                SelectionPurpose::Compare => ScreenRequest::Compare(filter),
                _ => ScreenRequest::ExecuteAgain {
                    run: run.map(str::to_owned),
                    filter,
                },
            });
        }
    }
}
