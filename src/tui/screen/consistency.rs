//! What completions of functions in other words say about each other.
//!
//! ```text
//! ┏ small · 228 functions ━━━━━━━━━┓┌ similarity in % ─────────────────┐
//! ┃ function     k  out spread take┃│        own RRG RCX …             │
//! ┃▌add         10    2   31 % INI ┃│▌REP_R   87   ·  34 …    outlier  │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────┘
//! ┌ taken · INI ───────────────────┐┌ REP_R · outlier ─────────────────┐
//! │     return a + b               ││     pass                         │
//! └────────────────────────────────┘└──────────────────────────────────┘
//! ```
//!
//! Below are two completions, or with `v` the function and its variant as a difference. Decides which function, variant,
//! run, threshold and rule are shown; asks, and writes nothing.

mod act;
pub mod commands;
mod draw;
#[cfg(test)]
pub mod fixture;
pub mod keys;
pub mod questions;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;

use crate::consistency::judged::{Options, Oracle};
use crate::consistency::outliers::Rule;
use crate::desk::{Asker, Desk};
use crate::mutate::Pass;
use crate::question::{Failure, Question, Slot};
use crate::screen::consistency::questions::{AskList, AskSeed, Item, List};
use crate::screen::{Remote, Screen};

/// What is shown below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Completions,
    Difference,
}

#[derive(Debug)]
pub struct Consistency {
    list: Remote<List>,
    run: Option<String>,
    options: Options,
    cursor: usize,
    item: Option<Box<Item>>,
    /// Among the passes of the completions.
    variant: usize,
    view: View,
    /// The first line of the texts below.
    top: usize,
    needle: String,
    areas: [Rect; 4],
}

impl Default for Consistency {
    fn default() -> Self {
        Self {
            list: Remote::Waiting,
            run: None,
            options: Options {
                rule: Rule::Algorithm,
                threshold: 9,
                oracle: Oracle::Seed,
            },
            cursor: 0,
            item: None,
            variant: 0,
            view: View::Completions,
            top: 0,
            needle: String::new(),
            areas: [Rect::default(); 4],
        }
    }
}

impl Asker for Consistency {
    const SCREEN: Screen = Screen::Consistency;

    fn fail(&mut self, slot: Slot, failure: &Failure, desk: &mut Desk) {
        if slot != AskList::SLOT {
            desk.say_failure(failure);
            return;
        }
        self.list = match failure {
            Failure::NoIndex => Remote::NoIndex,
            Failure::Other(text) => Remote::Failed(text.clone()),
        };
    }
}

impl Consistency {
    fn ask(&self, desk: &mut Desk) {
        let question = AskList {
            run: self.run.clone(),
            options: self.options,
        };
        desk.ask(question, Self::take_list);
    }

    fn take_list(&mut self, list: List, desk: &mut Desk) {
        self.run = list.runs.get(list.at).map(|it| it.name.clone());
        self.cursor = self.cursor.min(list.seeds.len().saturating_sub(1));
        self.list = Remote::Ready(list);
        self.ask_item(desk);
    }

    fn ask_item(&mut self, desk: &mut Desk) {
        let seed = self.list.ready().and_then(|it| it.seeds.get(self.cursor));
        let (Some(seed), Some(run)) = (seed.map(|it| it.id), self.run.clone()) else {
            self.item = None;
            return;
        };
        let options = self.options;
        desk.ask(AskSeed { run, seed, options }, Self::take_item);
    }

    fn take_item(&mut self, item: Option<Box<Item>>, _desk: &mut Desk) {
        let n = item.as_ref().map_or(0, |it| it.judged.passes.len());
        self.variant = self.variant.min(n.saturating_sub(1));
        self.item = item;
    }

    fn n_seeds(&self) -> usize {
        self.list.ready().map_or(0, |it| it.seeds.len())
    }

    fn go_to(&mut self, place: usize, desk: &mut Desk) {
        let place = place.min(self.n_seeds().saturating_sub(1));
        if place != self.cursor {
            self.cursor = place;
            self.top = 0;
            self.ask_item(desk);
        }
    }

    /// Returns the first function that is shown.
    fn list_top(&self) -> usize {
        let height = usize::from(self.areas[0].height.saturating_sub(3)).max(1);
        (self.cursor + 1).saturating_sub(height)
    }
}

/// Returns what a completion's variant is called.
fn word(pass: Option<Pass>) -> &'static str {
    pass.map_or("own", Pass::as_str)
}
