//! The selected predictions: the same tags for all of them, and actions on their samples.

use std::sync::Arc;

use crate::desk::{Desk, ExportContent};
use crate::eval::TAGS_VERSION;
use crate::eval::explained::explained;
use crate::eval::results;
use crate::eval::results::{ResultList, ResultsView};
use crate::model::{EventKind, SampleKey, TaggedPrediction, Tags};
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::review;
use crate::screen::AnswerState;
use crate::screen::results::Results;
use crate::screen::samples::selection::{SelectionPurpose, use_keys};
use crate::scribe::AnnotatorAction;
use crate::select::BEGUN;
use crate::theme::Role;

/// The texts of predictions that get the same tags; they are stored with the tags.
#[derive(Debug)]
struct TaggedPredictionsQuestion {
    view: Arc<ResultsView>,
    ordinals: Vec<u32>,
    tags: Tags,
}

impl Question for TaggedPredictionsQuestion {
    type Answer = Vec<TaggedPrediction>;
    const SLOT: Slot = Slot("results.tagged");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let (store, run) = (source.store()?, &self.view.run.setting.name);
        let mut tagged = Vec::new();
        for ordinal in &self.ordinals {
            let found = explained(store, &self.view, *ordinal)?;
            // Without a ground truth, a prediction has nothing to differ from.
            tagged.extend(found.and_then(|found| {
                review::tagged(run, &found.detail, TAGS_VERSION, self.tags, None)
            }));
        }
        Ok(tagged)
    }
}

/// The keys of the predictions in some rows.
#[derive(Debug)]
struct ResultKeysQuestion {
    list: Arc<ResultList>,
    rows: [usize; 2],
}

impl Question for ResultKeysQuestion {
    type Answer = Vec<SampleKey>;
    const SLOT: Slot = Slot("results.keys");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let [first, n] = self.rows;
        let ordinals = self.list.ordinals.get(first..first + n).unwrap_or_default();
        let rows = results::rows(source.store()?, &self.list.view, ordinals)?;
        Ok(rows.into_iter().map(|row| row.key).collect())
    }
}

impl Results {
    /// Begins to select rows at the cursor, or ends the selection.
    pub(super) fn turn_selection(&mut self, desk: &mut Desk) {
        if self.pages.is_empty() {
            desk.show_message("there is nothing to select", Role::Dim);
        } else if self.selection.toggle(self.pages.cursor() as u64) {
            desk.show_message(
                format!("{BEGUN} · t tags · M marks · r runs again · c compares · E writes · Esc"),
                Role::Dim,
            );
        }
    }

    /// Returns the first selected row, from 0, and the number of selected rows.
    pub(super) fn chosen_rows(&self) -> Option<[usize; 2]> {
        let rows = self.selection.rows(Some(self.pages.cursor() as u64))?;
        let [first, last] = [*rows.start(), *rows.end()].map(|row| usize::try_from(row).ok());
        Some([first?, last? + 1 - first?])
    }

    /// Chooses the rows to write: the selected predictions, else all that are listed.
    pub(super) fn to_write(&self) -> ExportContent {
        let options = Box::new(self.options.clone());
        match self.chosen_rows() {
            Some(rows) => ExportContent::SomeResults(options, rows),
            None => ExportContent::Results(options),
        }
    }

    /// Gives the selected predictions these tags; tells whether there is a selection.
    pub(super) fn tag_chosen(&mut self, tags: Tags, desk: &mut Desk) -> bool {
        let (Some([first, n]), AnswerState::Ready(list), Some(view)) =
            (self.chosen_rows(), &self.list, &self.view)
        else {
            return false;
        };
        let question = TaggedPredictionsQuestion {
            view: Arc::clone(view),
            ordinals: list
                .ordinals
                .get(first..first + n)
                .unwrap_or_default()
                .to_vec(),
            tags,
        };
        desk.ask(question, |screen: &mut Self, tagged, desk| {
            if tagged.is_empty() {
                desk.show_message("there is no ground truth to compare with", Role::Warning);
                return;
            }
            screen.selection.clear();
            let kinds = tagged.into_iter().map(EventKind::Tagged).collect();
            let snapshot = None;
            screen
                .tagging
                .pen
                .say(AnnotatorAction::Events { kinds, snapshot }, desk);
        });
        true
    }

    /// Uses the samples of the selected predictions for this purpose; tells whether there is a selection.
    pub(super) fn use_chosen(&self, purpose: SelectionPurpose, desk: &mut Desk) -> bool {
        let (Some(rows), AnswerState::Ready(list)) = (self.chosen_rows(), &self.list) else {
            return false;
        };
        let list = Arc::clone(list);
        desk.ask(
            ResultKeysQuestion { list, rows },
            move |screen: &mut Self, keys, desk| {
                use_keys(purpose, &keys, screen.options.run.as_deref(), desk);
            },
        );
        true
    }

    /// Uses the samples of the selected predictions for this purpose, else the one under the cursor.
    pub(super) fn use_chosen_or_shown(&self, purpose: SelectionPurpose, desk: &mut Desk) {
        if !self.use_chosen(purpose, desk) {
            let key = self
                .shown()
                .map(|explained_prediction| explained_prediction.detail.row.key);
            let run = self.options.run.as_deref();
            use_keys(purpose, &key.into_iter().collect::<Vec<_>>(), run, desk);
        }
    }
}
