//! The completions of equivalent variants of a function, compared with each other.
//!
//! ```text
//! ┏ small · 228 functions ━━━━━━━━━┓┌ similarity in % ─────────────────┐
//! ┃ function   answers … taken     ┃│             0   1   2 … far       │
//! ┃▌add             10     INI     ┃│▌ 1 REP_R   87   ·  34 …   9 ✗     │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────┘
//! ┌ INI ✓ taken − / REP_R ✗ outlier + ─────────────────────── 1 hunk ───┐
//! │  1 - return a + b                  │  1 + pass                      │
//! └─────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Below are two completions as a difference, or with `v` the function and its variant. Decides which function, variant,
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

use crate::consistency::completions::oracle;
use crate::consistency::judged::{JudgeOptions, Oracle};
use crate::consistency::outliers::DistanceRule;
use crate::desk::{Desk, QuestionScreen};
use crate::mutate::Pass;
use crate::paint;
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::consistency::questions::{
    ConsistencyFunction, ConsistencyFunctionQuestion, ConsistencyList, ConsistencyListQuestion,
};
use crate::screen::{AnswerState, Screen};
use crate::widget::difference::{DifferenceText, DifferenceView};

/// The content of the lower pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConsistencyView {
    #[default]
    Completions,
    Difference,
}

#[derive(Debug)]
pub struct Consistency {
    list: AnswerState<ConsistencyList>,
    run: Option<String>,
    options: JudgeOptions,
    cursor: usize,
    item: Option<Box<ConsistencyFunction>>,
    /// The index in the passes of the completions.
    variant: usize,
    view: ConsistencyView,
    /// The two texts below.
    difference: DifferenceView,
    unpainted: Vec<paint::PaintJob>,
    needle: String,
    areas: [Rect; 3],
}

impl Default for Consistency {
    fn default() -> Self {
        Self {
            list: AnswerState::Waiting,
            run: None,
            options: JudgeOptions {
                rule: DistanceRule::Algorithm,
                threshold: 9,
                oracle: Oracle::Seed,
            },
            cursor: 0,
            item: None,
            variant: 0,
            view: ConsistencyView::Completions,
            difference: DifferenceView::default(),
            unpainted: Vec::new(),
            needle: String::new(),
            areas: [Rect::default(); 3],
        }
    }
}

impl QuestionScreen for Consistency {
    const SCREEN: Screen = Screen::Consistency;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot != ConsistencyListQuestion::SLOT {
            desk.show_failure(failure);
            return;
        }
        self.list = failure.into();
    }
}

impl Consistency {
    fn ask(&self, desk: &mut Desk) {
        let question = ConsistencyListQuestion {
            run: self.run.clone(),
            options: self.options,
        };
        desk.ask(question, Self::take_list);
    }

    fn take_list(&mut self, list: ConsistencyList, desk: &mut Desk) {
        self.run = list.runs.get(list.at).map(|run| run.name.clone());
        self.cursor = self.cursor.min(list.seeds.len().saturating_sub(1));
        self.list = AnswerState::Ready(list);
        self.ask_item(desk);
    }

    fn ask_item(&mut self, desk: &mut Desk) {
        let seed = self
            .list
            .ready()
            .and_then(|consistency_list| consistency_list.seeds.get(self.cursor));
        let (Some(seed), Some(run)) = (
            seed.map(|function_outline| function_outline.id),
            self.run.clone(),
        ) else {
            self.item = None;
            self.show();
            return;
        };
        let options = self.options;
        desk.ask(
            ConsistencyFunctionQuestion { run, seed, options },
            Self::take_item,
        );
    }

    fn take_item(&mut self, item: Option<Box<ConsistencyFunction>>, _desk: &mut Desk) {
        let n = item.as_ref().map_or(0, |consistency_function| {
            consistency_function.judged.passes.len()
        });
        self.variant = self.variant.min(n.saturating_sub(1));
        self.item = item;
        self.show();
    }

    /// Shows the two texts that belong to the items under the cursors.
    fn show(&mut self) {
        let [old, new] = self
            .item
            .as_ref()
            .map_or_else(Default::default, |consistency_function| {
                compared(
                    consistency_function,
                    self.variant,
                    (self.view, self.options),
                )
            });
        self.difference.show(old, new);
        // The texts are short, and half of their meaning is in equal lines.
        self.difference.toggle_fold();
        self.unpainted = self.difference.jobs().collect();
    }

    fn n_seeds(&self) -> usize {
        self.list
            .ready()
            .map_or(0, |consistency_list| consistency_list.seeds.len())
    }

    fn go_to(&mut self, place: usize, desk: &mut Desk) {
        let place = place.min(self.n_seeds().saturating_sub(1));
        if place != self.cursor {
            self.cursor = place;
            self.ask_item(desk);
        }
    }

    /// Returns the index of the first visible function.
    fn list_top(&self) -> usize {
        let height = usize::from(self.areas[0].height.saturating_sub(3)).max(1);
        (self.cursor + 1).saturating_sub(height)
    }
}

/// Returns the short name of a variant.
fn word(pass: Option<Pass>) -> &'static str {
    pass.map_or("own", Pass::as_str)
}

/// Describes a variant in plain words.
const fn about(pass: Option<Pass>) -> &'static str {
    match pass {
        None => "the function as it is",
        Some(Pass::RepR) => "a parameter is called Param1",
        Some(Pass::RepC) => "a parameter has a name that says where it is",
        Some(Pass::RelR) => "a local is called LocalVar1",
        Some(Pass::RelC) => "a local variable has a descriptive name",
        Some(Pass::Irr) => "x += y is written x = x + y",
        Some(Pass::Rtf) => "a condition c is written c == (x == x)",
        Some(Pass::GraR) => "a branch that never runs is added",
        Some(Pass::GraC) => "such a branch in the function's own words",
        Some(Pass::Ini) => "a parameter is printed first",
    }
}

/// Chooses the completion to compare another one with: the taken one, and for the taken one the function's own. Nothing
/// for the own completion, which is compared with the truth.
fn other_of(item: &ConsistencyFunction, variant: usize) -> Option<usize> {
    match item.judged.repaired {
        Some(repaired_idx) if repaired_idx != variant => Some(repaired_idx),
        _ => item.judged.own().filter(|n| *n != variant),
    }
}

/// Chooses the two texts to compare: two completions, or the function and a variant of it.
fn compared(
    item: &ConsistencyFunction,
    variant: usize,
    (view, options): (ConsistencyView, JudgeOptions),
) -> [DifferenceText; 2] {
    let (seed, judged) = (&item.seed, &item.judged);
    let text = |title: String, text: &str, first_line: u32| DifferenceText {
        title,
        text: text.to_owned(),
        first_line,
        language: Some(seed.language),
    };
    let Some(pass) = judged.passes.get(variant).copied() else {
        return Default::default();
    };
    let name = word(pass);
    if view == ConsistencyView::Difference {
        let source = seed.variants.iter().find(|variant| variant.pass == name);
        let source = source.map_or(&seed.source, |mutation_variant| &mutation_variant.source);
        let old = text(
            format!("{}, the function", seed.function),
            &seed.source,
            seed.start_line,
        );
        return [
            old,
            text(format!("{name}, {}", about(pass)), source, seed.start_line),
        ];
    }
    let is_outlier = judged.outliers_at(options.rule, options.threshold);
    let completion = |idx: usize| {
        let mut title = word(judged.passes[idx]).to_owned();
        if judged.repaired == Some(idx) {
            title.push_str(" ✓ taken");
        }
        if is_outlier[idx] {
            title.push_str(" ✗ outlier");
        }
        text(title, &judged.texts[idx], 1)
    };
    let truth = || {
        let truth = oracle(seed, None).unwrap_or_default();
        text("the function's own second half".to_owned(), truth, 1)
    };
    let other = other_of(item, variant).map_or_else(truth, completion);
    [other, completion(variant)]
}
