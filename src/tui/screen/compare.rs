//! Compare: runs on the samples they share.
//!
//! ```text
//! < 100 columns         from 100                     from 180
//! ┌ summary ───────┐    ┌ summary ───┐┌ slices ─┐    ┌ summary ──────────┐┌ truth − / A + ──┐
//! ├ samples ───────┤    ├ samples ──────┬ histo ┤    ├ slices ─┬ histo  ─┤│                 │
//! ├ difference ────┤    ├ difference ───┴───────┤    ├ samples ┴─────────┤├ truth − / B + ──┤
//! └────────────────┘    └───────────────────────┘    └───────────────────┘└─────────────────┘
//! ```
//!
//! Where short differences leave room in their pane, it shows the test around the answers.
//!
//! Decides which runs, metric and samples are compared, and the order of questions: rows and texts first, then numbers
//! from formulas, then a thousand draws, the slices, the other draws, and those of the slices. Each is a question of
//! its own, so that the user's actions come between.

mod act;
mod aim;
mod arrange;
pub mod commands;
mod draw;
pub mod keys;
mod numbers;
pub mod questions;
mod session;
mod sliced;
#[cfg(test)]
pub mod tests;
mod texts;

use std::sync::Arc;

use crate::desk::{Desk, QuestionScreen};
use crate::eval::by::GroupBy;
use crate::eval::pairing::{PairedComparison, RefiningComparison, RunPairing, Selection};
use crate::event::Effect;
use crate::keymap::{Motion, StepDirection};
use crate::model::{Filter, RunRow, SampleKey, Target};
use crate::paint;
use crate::question::{Question, QuestionFailure, QuestionMonitor, Slot};
use crate::screen::around::SurroundingCode;
use crate::screen::compare::questions::{
    ComparedExportQuestion, ComparedRow, ComparedRowsQuestion, ComparedSample,
    ComparedSampleQuestion, DifferenceOrder, FIND, Handle, MetricSummaryQuestion, PairingQuestion,
    PairingSummary, RefinementStep, SELECTION, SUMMARY, SliceRanking, SlicesQuestion,
};
use crate::screen::{AnswerState, Screen};
use crate::task::Monitor;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::difference::{DifferenceText, DifferenceView};
use crate::widget::frame::count;
use crate::widget::pages::Pages;

use arrange::CompareAreas;

/// The interval at which the progress of a question is shown.
const LOOK_MS: u64 = 100;

/// The slots that a change of runs, metric or samples makes stale.
const SLOTS: &[Slot] = &[
    PairingQuestion::SLOT,
    SELECTION,
    SUMMARY,
    SlicesQuestion::SLOT,
    ComparedRowsQuestion::SLOT,
    FIND,
];

/// The pane above the samples, where there is room for only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CompareUpperPane {
    #[default]
    Summary,
    Slices,
    Histogram,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CompareFocus {
    #[default]
    Samples,
    Difference,
    Around,
    Summary,
    Slices,
}

/// Whether further draws are still to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RefinementState {
    #[default]
    Open,
    /// All draws are made.
    Done,
    /// The user has stopped them.
    Stopped,
}

/// The two of the three texts that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TextPair {
    TruthFirst,
    #[default]
    TruthSecond,
    FirstSecond,
}

impl TextPair {
    const ALL: [Self; 3] = [Self::TruthFirst, Self::TruthSecond, Self::FirstSecond];
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own; no two exclude each other"
)]
pub struct Compare {
    pub is_open: bool,
    /// All runs, the newest last.
    known: Vec<RunRow>,
    has_runs: bool,
    /// The names of the compared runs, the baseline first.
    names: Vec<String>,
    /// The index of the run in view; 0 is the baseline.
    other: usize,
    metric: Option<&'static str>,
    is_best_first: bool,
    filter: Filter,
    filter_text: String,
    pairing: AnswerState<(Handle<RunPairing>, Arc<PairingSummary>)>,
    selection: Option<Selection>,
    /// Another selection is on its way.
    is_selecting: bool,
    ordered: Option<DifferenceOrder>,
    /// The reason why there is no list.
    problem: String,
    pages: Pages<ComparedRow>,
    summary: Vec<PairedComparison>,
    refinings: Option<Handle<Vec<RefiningComparison>>>,
    drawing: RefinementState,
    by: GroupBy,
    slices: Option<AnswerState<SliceRanking>>,
    slice_cursor: usize,
    watched: QuestionMonitor,
    /// The slots of questions without an answer so far.
    open_questions: Vec<Slot>,
    focus: CompareFocus,
    upper: CompareUpperPane,
    is_zoomed: bool,
    shown: Option<Box<ComparedSample>>,
    /// The place in the pairing of the last sample that was asked for.
    asked_place: Option<u32>,
    /// The sample to go to as soon as the list is there again, if it is known, and its former row.
    wanted: Option<(Option<SampleKey>, usize)>,
    /// The sample that was under the cursor in the last session, with its row, until it is found.
    located: Option<(SampleKey, u64)>,
    /// In the order of [`TextPair::ALL`].
    views: [DifferenceView; 3],
    pair: TextPair,
    around: SurroundingCode,
    needle: String,
    unpainted: Vec<paint::PaintJob>,
    areas: CompareAreas,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            is_open: false,
            known: Vec::new(),
            has_runs: false,
            names: Vec::new(),
            other: 1,
            metric: None,
            is_best_first: false,
            filter: Filter::default(),
            filter_text: String::new(),
            pairing: AnswerState::Waiting,
            selection: None,
            is_selecting: false,
            ordered: None,
            problem: String::new(),
            pages: Pages::default(),
            summary: Vec::new(),
            refinings: None,
            drawing: RefinementState::default(),
            by: GroupBy::Repo,
            slices: None,
            slice_cursor: 0,
            watched: QuestionMonitor::default(),
            open_questions: Vec::new(),
            focus: CompareFocus::default(),
            upper: CompareUpperPane::default(),
            is_zoomed: false,
            shown: None,
            asked_place: None,
            wanted: None,
            located: None,
            views: Default::default(),
            pair: TextPair::default(),
            around: SurroundingCode::default(),
            needle: String::new(),
            unpainted: Vec::new(),
            areas: CompareAreas::default(),
        }
    }
}

impl QuestionScreen for Compare {
    const SCREEN: Screen = Screen::Compare;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        if slot == ComparedExportQuestion::SLOT {
            desk.show_failure(failure);
            return;
        }
        self.answered(slot);
        self.pages.forget();
        let text = match failure {
            QuestionFailure::NoIndex => {
                self.pairing = AnswerState::NoIndex;
                return;
            }
            QuestionFailure::Other(text) => text.clone(),
        };
        match slot {
            PairingQuestion::SLOT => self.pairing = AnswerState::Failed(text),
            SELECTION => {
                self.is_selecting = false;
                self.problem = text;
            }
            SlicesQuestion::SLOT => self.slices = Some(AnswerState::Failed(text)),
            SUMMARY => self.drawing = RefinementState::Stopped,
            ComparedSampleQuestion::SLOT => self.shown = None,
            _ => {}
        }
    }
}

impl Compare {
    /// Reads the shared samples of the runs, unless that has been done.
    pub fn begin(&mut self, desk: &mut Desk) {
        if self.is_open {
            return;
        }
        self.is_open = true;
        self.reload(desk);
    }

    /// Reads everything again; the cursor stays on its sample.
    pub fn reload(&mut self, desk: &mut Desk) {
        if !self.is_open {
            return;
        }
        let key = self.left_at().map(|(key, _)| key);
        let earlier = self.wanted.and_then(|(key, _)| key);
        self.wanted = Some((key.or(earlier), self.pages.cursor()));
        self.load(desk);
    }

    /// Takes the runs; reads everything again if one of the compared runs has changed, such as by an evaluation.
    pub fn take_runs(&mut self, runs: &[RunRow], desk: &mut Desk) {
        let of = |known: &[RunRow], names: &[String]| -> Vec<Option<RunRow>> {
            let find = |name: &String| {
                known
                    .iter()
                    .find(|run_row| run_row.setting.name == *name)
                    .cloned()
            };
            names.iter().map(find).collect()
        };
        let is_same = self.has_runs
            && !self.names.is_empty()
            && of(&self.known, &self.names) == of(runs, &self.names);
        self.known = runs.to_vec();
        self.has_runs = true;
        if !is_same {
            self.reload(desk);
        }
    }

    /// Hears why the runs are unknown.
    pub fn miss(&mut self, failure: &QuestionFailure) {
        self.has_runs = false;
        self.pairing = failure.into();
    }

    fn take_selection(&mut self, found: (Selection, DifferenceOrder), desk: &mut Desk) {
        let (selection, ordered) = found;
        self.is_selecting = false;
        self.selection = Some(selection.clone());
        self.take_order(ordered, desk);
        self.ask_summary(selection, desk);
    }

    fn take_summary(
        &mut self,
        (refinings, compared): (Handle<Vec<RefiningComparison>>, Vec<PairedComparison>),
        _desk: &mut Desk,
    ) {
        if compared.is_empty() {
            self.drawing = RefinementState::Done;
        }
        self.summary = compared;
        self.refinings = Some(refinings);
    }

    fn take_refined(&mut self, refined: RefinementStep, _desk: &mut Desk) {
        if let Some(paired_comparison) = self.summary.get_mut(refined.idx) {
            *paired_comparison = refined.compared;
        }
        if refined.is_done {
            self.drawing = RefinementState::Done;
        }
    }

    fn take_rows(&mut self, (start, rows): (usize, Vec<ComparedRow>), desk: &mut Desk) {
        self.pages.take(start, rows);
        self.ask_rows(desk);
    }

    fn take_found(&mut self, found: Option<usize>, desk: &mut Desk) {
        if let Some(place) = found {
            self.pages.go_to(place);
            self.ask_rows(desk);
        } else {
            let needle = visible(&self.needle);
            let text = format!("{needle}: no test or focal method of that name");
            desk.show_message(text, Role::Warning);
        }
    }

    fn take_order(&mut self, ordered: DifferenceOrder, desk: &mut Desk) {
        let n = ordered.order.len();
        // After a reload, the sample under the cursor stays there; else the first of the order is.
        let wanted = self.wanted.take();
        let row = wanted.map_or(0, |(_, row)| row);
        let cursor = match (wanted.and_then(|(key, _)| key), &self.shown) {
            (Some(key), Some(shown)) if shown.key == key => {
                let found = ordered.order.iter().position(|n| *n == shown.place);
                found.unwrap_or(0)
            }
            (Some(key), _) => {
                // Its row must be asked for. An earlier question of this kind keeps its sample.
                self.located = self.located.or(Some((key, row as u64)));
                row
            }
            (None, _) => row,
        };
        let order = Arc::clone(&ordered.order);
        self.ordered = Some(ordered);
        self.problem.clear();
        self.pages.reset(n, cursor.min(n.saturating_sub(1)));
        self.asked_place = None;
        self.slices = None;
        self.ask_rows(desk);
        self.locate(order, desk);
    }

    fn ask_summary(&mut self, selection: Selection, desk: &mut Desk) {
        self.summary.clear();
        self.refinings = None;
        self.drawing = RefinementState::Open;
        if let AnswerState::Ready((pairing, _)) = &self.pairing {
            let summary = MetricSummaryQuestion {
                pairing: pairing.clone(),
                selection,
                other: self.other,
                watched: self.watched.clone(),
            };
            self.ask(summary, Self::take_summary, desk);
        }
    }

    fn ask_rows(&mut self, desk: &mut Desk) {
        if let (AnswerState::Ready((pairing, _)), Some(ordered)) = (&self.pairing, &self.ordered)
            && let Some(range) = self.pages.missing()
        {
            let rows = ComparedRowsQuestion {
                pairing: pairing.clone(),
                order: Arc::clone(&ordered.order),
                range,
                metric: ordered.aim.metric,
            };
            self.ask(rows, Self::take_rows, desk);
        }
        self.ask_detail(desk);
    }

    /// Asks for the sample under the cursor, unless it was the last one asked for.
    fn ask_detail(&mut self, desk: &mut Desk) {
        let (AnswerState::Ready((pairing, _)), Some(ordered)) = (&self.pairing, &self.ordered)
        else {
            return;
        };
        let place = ordered.order.get(self.pages.cursor()).copied();
        if place == self.asked_place && place.is_some() {
            return;
        }
        self.asked_place = place;
        match place {
            Some(place) => {
                let detail = ComparedSampleQuestion(pairing.clone(), place);
                self.ask(detail, Self::take_detail, desk);
            }
            None => self.shown = None,
        }
    }

    fn take_detail(&mut self, shown: Box<ComparedSample>, _desk: &mut Desk) {
        let language = Some(shown.language);
        let text = |title: String, text: &str, first_line: u32| DifferenceText {
            title,
            language,
            text: text.to_owned(),
            first_line,
        };
        let reference = shown.texts.reference.as_deref().unwrap_or_default();
        let truth = || text("ground truth".to_owned(), reference, shown.first_line);
        let answer = |run: usize| {
            let prediction = shown.texts.predictions.get(run);
            let title = format!("{} {}", self.letter(run), self.name(run));
            text(title, prediction.map_or("", String::as_str), 1)
        };
        let (first, second) = (answer(0), answer(self.other));
        let [one, two, three] = &mut self.views;
        one.show(truth(), first.clone());
        two.show(truth(), second.clone());
        three.show(first, second);
        for view in &self.views {
            self.unpainted.extend(view.jobs());
        }
        let runs = self.pairing.ready().map(|pair| pair.1.runs.as_slice());
        let baseline = runs.and_then(<[RunRow]>::first);
        let target = baseline.map_or_else(Target::default, |run_row| run_row.setting.target);
        let first_line = shown.texts.reference.as_ref().map(|_| shown.first_line);
        self.around.show(shown.around.as_ref(), target, first_line);
        self.unpainted.extend(self.around.jobs());
        self.shown = Some(shown);
    }

    /// Asks a question; after its answer, the next question is asked.
    fn ask<Q: Question>(
        &mut self,
        question: Q,
        take: fn(&mut Self, Q::Answer, &mut Desk),
        desk: &mut Desk,
    ) {
        if self.open_questions.is_empty() {
            desk.push(Effect::Tick { after_ms: LOOK_MS });
        }
        if !self.open_questions.contains(&Q::SLOT) {
            self.open_questions.push(Q::SLOT);
        }
        desk.ask(question, move |screen: &mut Self, answer, desk| {
            screen.answered(Q::SLOT);
            take(screen, answer, desk);
            screen.go_on(desk);
        });
    }

    fn answered(&mut self, slot: Slot) {
        self.open_questions.retain(|other| *other != slot);
    }

    /// Stops all questions about the former runs, metric or samples.
    fn stop(&mut self, desk: &mut Desk) {
        self.watched.0.cancel();
        self.watched = QuestionMonitor(Arc::new(Monitor::default()));
        for slot in SLOTS {
            if self.open_questions.contains(slot) {
                desk.stop(*slot);
            }
        }
        self.open_questions.retain(|slot| !SLOTS.contains(slot));
        self.is_selecting = false;
        self.pages.forget();
    }

    /// Renews the progress of the question; tells whether the user waits for it.
    pub fn tick(&mut self, desk: &mut Desk) -> bool {
        let is_waiting = self.is_open && self.is_waiting();
        if is_waiting {
            desk.push(Effect::Tick { after_ms: LOOK_MS });
        }
        is_waiting
    }

    /// Tells whether there is no list until an answer comes.
    fn is_waiting(&self) -> bool {
        let is_asked = |slot| self.open_questions.contains(&slot);
        is_asked(PairingQuestion::SLOT) || is_asked(SELECTION)
    }

    /// Moves the cursor of the samples, with the focus on any pane.
    pub fn step(&mut self, motion: Motion, desk: &mut Desk) {
        self.pages.step(motion);
        self.ask_rows(desk);
    }

    pub fn peek(&mut self, step: StepDirection, desk: &mut Desk) {
        let motion = Motion::from(step);
        match self.focus {
            CompareFocus::Difference | CompareFocus::Around => self.step(motion, desk),
            _ => self.difference().scroll(motion),
        }
    }

    /// Goes to the next sample that lost, around the ends; returns the message.
    pub fn step_regression(&mut self, step: StepDirection, desk: &mut Desk) -> String {
        let Some(ordered) = &self.ordered else {
            return "nothing is compared".to_owned();
        };
        let n_worse = ordered.histogram.tally().n_worse as usize;
        if n_worse == 0 {
            return "no sample is worse".to_owned();
        }
        // Such samples are together at one end of the list.
        let first = if self.is_best_first {
            self.pages.len().saturating_sub(n_worse)
        } else {
            0
        };
        let cursor = self.pages.cursor();
        let at = cursor.checked_sub(first).filter(|n| *n < n_worse);
        let next = step.around_from(at, n_worse);
        self.pages.go_to(first + next);
        self.ask_rows(desk);
        let all = count(n_worse as u64);
        format!("regression {} of {all}", count(next as u64 + 1))
    }

    /// Tells whether keys go to the difference.
    #[must_use]
    pub fn has_difference(&self) -> bool {
        self.focus == CompareFocus::Difference
            || (self.is_zoomed && self.focus != CompareFocus::Around)
    }

    pub fn difference(&mut self) -> &mut DifferenceView {
        &mut self.views[self.pair as usize]
    }

    pub fn turn_pair(&mut self) {
        let next = (self.pair as usize + 1) % TextPair::ALL.len();
        self.pair = TextPair::ALL[next];
    }
}
