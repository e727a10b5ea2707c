//! A real index and a real file of verdicts behind the UI, for tests of verdicts.

use std::path::Path;

use tempfile::TempDir;

use super::{start, text};
use crate::fixture::AnswerResult;
use crate::model::Event;
use crate::question::source::{AnswerSource, SharedJobTable};
use crate::question::{AnyQuestion, QuestionFailure};
use crate::review::ReviewOptions;
use crate::scribe::Scribe;
use crate::stage::UiStage;
use crate::store::{Store, StoreAccess, StoreError, Verdicts};
use crate::theme::Depth;

/// A user in front of the UI on an index.
pub struct Bench {
    pub folder: TempDir,
    pub stage: UiStage<Answers>,
}

pub type Answers = Box<dyn Fn(&dyn AnyQuestion) -> AnswerResult>;

impl Bench {
    /// Opens the index in `folder` at 120 by 40 and presses keys.
    pub fn open(folder: TempDir, store: Store, reviewing: ReviewOptions, keys: &str) -> Self {
        let stage = window(store, reviewing, keys);
        Self { folder, stage }
    }

    /// Opens another window on the same index.
    pub fn another(&self, reviewing: ReviewOptions, keys: &str) -> UiStage<Answers> {
        let store = Store::open(self.folder.path(), StoreAccess::Read).expect("the index opens");
        window(store, reviewing, keys)
    }

    pub fn press(&mut self, keys: &str) {
        self.stage.press(keys).expect("the script is well-formed");
    }

    pub fn verdicts(&self) -> Verdicts {
        Verdicts::open_or_empty(self.folder.path()).expect("the file opens")
    }

    /// Returns the events of all users, in order.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.verdicts()
            .each_event(|event| {
                events.push(event);
                Ok::<(), StoreError>(())
            })
            .expect("the events can be read");
        events
    }

    pub fn text(&self) -> String {
        text(&self.stage.frame())
    }

    pub fn check_shows(&self, expected: &str) {
        let text = self.text();
        assert!(text.contains(expected), "`{expected}` is missing:\n{text}");
    }
}

fn window(store: Store, reviewing: ReviewOptions, keys: &str) -> UiStage<Answers> {
    let mut start = start(120, 40, "ansi16", Depth::Mono);
    start.reviewing = reviewing;
    let folder = store.path().parent().map(Path::to_owned);
    let folder = folder.expect("an index is in a folder");
    let jobs = SharedJobTable::default();
    let answers: Answers = Box::new(move |asked| {
        asked
            .find(&AnswerSource::of(&store, &jobs))
            .map_err(QuestionFailure::from)
    });
    let mut stage = UiStage::new(start, answers);
    stage.scribe = Some(Scribe::new(&folder));
    stage.press(keys).expect("the script is well-formed");
    stage
}
