//! A real index and a real file of verdicts behind the UI, for tests of people's verdicts.

use std::path::Path;

use tempfile::TempDir;

use super::{start, text};
use crate::fixture::Answered;
use crate::model::Event;
use crate::question::source::{Source, Tables};
use crate::question::{AnyQuestion, Failure};
use crate::review::Reviewing;
use crate::scribe::Scribe;
use crate::stage::Stage;
use crate::store::{Access, Store, StoreError, Verdicts};
use crate::theme::Depth;

/// Somebody before the UI on an index.
pub struct Bench {
    pub folder: TempDir,
    pub stage: Stage<Answers>,
}

pub type Answers = Box<dyn Fn(&dyn AnyQuestion) -> Answered>;

impl Bench {
    /// Opens the index in `folder` at 120 by 40 and presses keys.
    pub fn open(folder: TempDir, store: Store, reviewing: Reviewing, keys: &str) -> Self {
        let stage = window(store, reviewing, keys);
        Self { folder, stage }
    }

    /// Opens another window on the same index.
    pub fn another(&self, reviewing: Reviewing, keys: &str) -> Stage<Answers> {
        let store = Store::open(self.folder.path(), Access::Read).expect("the index opens");
        window(store, reviewing, keys)
    }

    pub fn press(&mut self, keys: &str) {
        self.stage.press(keys).expect("the script is well-formed");
    }

    pub fn verdicts(&self) -> Verdicts {
        Verdicts::open_or_empty(self.folder.path()).expect("the file opens")
    }

    /// What everybody did, in order.
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

fn window(store: Store, reviewing: Reviewing, keys: &str) -> Stage<Answers> {
    let mut start = start(120, 40, "ansi16", Depth::Mono);
    start.reviewing = reviewing;
    let folder = store.path().parent().map(Path::to_owned);
    let folder = folder.expect("an index is in a folder");
    let jobs = Tables::default();
    let answers: Answers = Box::new(move |asked| {
        asked
            .find(&Source::of(&store, &jobs))
            .map_err(Failure::from)
    });
    let mut stage = Stage::new(start, answers);
    stage.scribe = Some(Scribe::new(&folder));
    stage.press(keys).expect("the script is well-formed");
    stage
}
