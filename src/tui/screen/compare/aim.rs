//! The aim of Compare: runs, metric, filter, order; and the questions to ask again when one of them changes.

use std::sync::Arc;

use crate::browse::{FieldScope, write_filter};
use crate::desk::Desk;
use crate::eval::pairing::{RunPairing, USUAL};
use crate::filter::{self, FilterFlaw};
use crate::metric::Metric;
use crate::model::{
    Aim as Listed, Condition, Direction, Filter, OfPrediction, RunRow, SortField, SortKey, Term,
};
use crate::question::Question;
use crate::screen::AnswerState;
use crate::screen::compare::questions::{
    ComparisonAim, DifferenceOrderQuestion, Handle, PairingQuestion, PairingSummary,
    SelectionQuestion, SlicesQuestion,
};
use crate::screen::compare::{Compare, CompareFocus, CompareUpperPane};

impl Compare {
    /// Returns the names of the runs, the baseline first.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    #[must_use]
    pub fn other_name(&self) -> Option<&String> {
        self.names.get(self.other)
    }

    pub(super) fn name(&self, run: usize) -> &str {
        self.names.get(run).map_or("", String::as_str)
    }

    /// Returns the letter of a run: A is the baseline, B the run in view, the others follow.
    pub(super) fn letter(&self, run: usize) -> char {
        let place = match run {
            0 => 0,
            run if run == self.other => 1,
            run if run < self.other => run + 1,
            run => run,
        };
        char::from(b'A' + (place % 26) as u8)
    }

    /// Returns the metrics that all runs have, by their ids.
    #[must_use]
    pub fn metrics(&self) -> &[&'static str] {
        self.pairing
            .ready()
            .map_or(&[], |pair| pair.1.metrics.as_slice())
    }

    /// Returns the metric in view.
    #[must_use]
    pub fn metric(&self) -> Option<&'static str> {
        let known = self.metrics();
        let wanted = self.metric.into_iter().chain(USUAL);
        let mut wanted = wanted.filter(|wanted| known.contains(wanted));
        wanted.next().or_else(|| known.first().copied())
    }

    pub(super) fn metric_idx(&self) -> Option<usize> {
        let metric = self.metric()?;
        self.metrics().iter().position(|text| *text == metric)
    }

    pub(super) fn aim(&self) -> Option<ComparisonAim> {
        Some(ComparisonAim {
            metric: self.metric()?,
            other: self.other,
            direction: if self.is_best_first {
                Direction::Descending
            } else {
                Direction::Ascending
            },
        })
    }

    /// Reads the shared samples of the runs; without two runs, shows the reason.
    pub(super) fn load(&mut self, desk: &mut Desk) {
        self.stop(desk);
        (self.selection, self.ordered, self.refinings) = (None, None, None);
        self.summary.clear();
        self.slices = None;
        self.pages.reset(0, 0);
        if !self.has_runs {
            // The reason why the runs are unknown stays on the screen.
            if matches!(self.pairing, AnswerState::Ready(_)) {
                self.pairing = AnswerState::Waiting;
            }
            return;
        }
        let is_known = |name: &String| {
            self.known
                .iter()
                .any(|run_row| run_row.setting.name == *name)
        };
        if self.names.len() < 2 || !self.names.iter().all(is_known) {
            match two_newest(&self.known) {
                Ok(names) => {
                    self.names = names.into();
                    self.other = 1;
                }
                Err(text) => {
                    self.names.clear();
                    self.shown = None;
                    self.pairing = AnswerState::Failed(text);
                    return;
                }
            }
        }
        self.pairing = AnswerState::Waiting;
        let load = PairingQuestion(self.names.clone(), self.watched.clone());
        self.ask(load, Self::take_pairing, desk);
    }

    fn take_pairing(
        &mut self,
        (pairing, shared): (Handle<RunPairing>, Arc<PairingSummary>),
        desk: &mut Desk,
    ) {
        self.other = self.other.clamp(1, self.names.len().max(2) - 1);
        if shared.metrics.is_empty() {
            let text = "no metric is computed for all of them in the same way";
            self.pairing = AnswerState::Failed(text.to_owned());
            return;
        }
        self.pairing = AnswerState::Ready((pairing, shared));
        self.ask_selection(desk);
    }

    pub(super) fn ask_selection(&mut self, desk: &mut Desk) {
        self.stop(desk);
        self.refinings = None;
        let Some(aim) = self.aim() else {
            return;
        };
        if let AnswerState::Ready((pairing, _)) = &self.pairing {
            let select = SelectionQuestion {
                pairing: pairing.clone(),
                filter: self.filter.clone(),
                aim,
                watched: self.watched.clone(),
            };
            self.is_selecting = true;
            self.ask(select, Self::take_selection, desk);
        }
    }

    /// Asks for another order of the selection. Where the filter is about the metric, or the selection is still on its
    /// way, asks for another selection.
    fn ask_order(&mut self, desk: &mut Desk) {
        let is_about_metric = |condition: &Condition| {
            matches!(
                condition,
                Condition::Prediction(OfPrediction::Delta(_) | OfPrediction::Outcome(_))
            )
        };
        if self.pairing.ready().is_none() {
            return;
        }
        if self.is_selecting || self.filter.conditions().into_iter().any(is_about_metric) {
            self.ask_selection(desk);
            return;
        }
        let (AnswerState::Ready((pairing, _)), Some(selection), Some(aim)) =
            (&self.pairing, &self.selection, self.aim())
        else {
            return;
        };
        let order = DifferenceOrderQuestion {
            pairing: pairing.clone(),
            selection: selection.clone(),
            aim,
        };
        // Slices on their way belong to the former aim.
        if self.open_questions.contains(&SlicesQuestion::SLOT) {
            desk.stop(SlicesQuestion::SLOT);
            self.answered(SlicesQuestion::SLOT);
        }
        self.ask(order, Self::take_order, desk);
    }

    pub fn set_metric(&mut self, metric: &'static Metric, desk: &mut Desk) {
        self.look_at(metric.id, desk);
    }

    pub(super) fn look_at(&mut self, id: &'static str, desk: &mut Desk) {
        if self.metric() != Some(id) {
            self.metric = Some(id);
            self.ask_order(desk);
        }
    }

    /// Reverses the order; returns the message.
    pub fn turn(&mut self, desk: &mut Desk) -> &'static str {
        self.is_best_first = !self.is_best_first;
        self.ask_order(desk);
        if self.is_best_first {
            "the greatest gain first"
        } else {
            "the greatest loss first"
        }
    }

    /// Swaps A and B.
    pub fn swap(&mut self, desk: &mut Desk) {
        if self.other < self.names.len() {
            self.names.swap(0, self.other);
            self.reload(desk);
        }
    }

    /// Compares this run with the baseline, in place of the run in view; if it is compared already, brings it into
    /// view.
    pub fn set_run(&mut self, name: &str, desk: &mut Desk) {
        match self.names.iter().position(|text| text == name) {
            Some(0) => self.swap(desk),
            Some(other) => {
                self.other = other;
                self.ask_selection(desk);
            }
            None if self.names.is_empty() => self.begin_with(name, desk),
            None => {
                name.clone_into(&mut self.names[self.other]);
                self.reload(desk);
            }
        }
    }

    pub fn set_baseline(&mut self, name: &str, desk: &mut Desk) {
        match self.names.iter().position(|text| text == name) {
            Some(0) => {}
            Some(run) => {
                self.names.swap(0, run);
                self.reload(desk);
            }
            None if self.names.is_empty() => self.begin_with(name, desk),
            None => {
                name.clone_into(&mut self.names[0]);
                self.reload(desk);
            }
        }
    }

    /// Compares a run with a baseline; the other runs stay only where both are compared already.
    pub fn hold(&mut self, run: &str, baseline: &str, desk: &mut Desk) {
        if run == baseline || (self.name(0), self.name(self.other)) == (baseline, run) {
            return;
        }
        if self.name(0) == baseline && self.names.iter().any(|name| name == run) {
            self.set_run(run, desk);
            return;
        }
        self.names = vec![baseline.to_owned(), run.to_owned()];
        self.other = 1;
        self.reload(desk);
    }

    /// Starts comparing with this run as B and the newest other run as A; a bad pair is refused later, with the reason.
    fn begin_with(&mut self, name: &str, desk: &mut Desk) {
        let others = self.known.iter().rev().map(|run_row| &run_row.setting.name);
        if let Some(other) = others.into_iter().find(|other| *other != name) {
            self.names = vec![other.clone(), name.to_owned()];
            self.other = 1;
            self.reload(desk);
        }
    }

    /// Compares one more run, and brings it into view.
    pub fn add_run(&mut self, name: &str, desk: &mut Desk) {
        if self.names.len() < 2 || self.names.iter().any(|text| text == name) {
            self.set_run(name, desk);
            return;
        }
        self.names.push(name.to_owned());
        self.other = self.names.len() - 1;
        self.reload(desk);
    }

    /// Leaves out the run in view, unless only two are compared; tells whether it was left out.
    pub fn drop_run(&mut self, desk: &mut Desk) -> bool {
        if self.names.len() < 3 {
            return false;
        }
        self.names.remove(self.other);
        self.other = self.other.min(self.names.len() - 1);
        self.reload(desk);
        true
    }

    /// Brings the next of several runs into view; tells whether there are several.
    pub fn turn_other(&mut self, desk: &mut Desk) -> bool {
        if self.names.len() < 3 {
            return false;
        }
        self.other = self.other % (self.names.len() - 1) + 1;
        self.ask_selection(desk);
        true
    }

    /// Adds to the filter, and shows the remaining samples.
    pub(super) fn narrow(&mut self, terms: Vec<Term>, desk: &mut Desk) {
        let mut filter = self.filter.clone();
        for term in terms {
            filter.narrow(term);
        }
        self.filter_text = write_filter(&filter);
        self.filter = filter;
        self.focus = CompareFocus::Samples;
        self.upper = CompareUpperPane::Summary;
        self.ask_selection(desk);
    }

    /// Takes the runs, metric, order and conditions of a filter; tells whether other runs are compared now.
    pub(super) fn aim_at(&mut self, text: &str) -> Result<bool, FilterFlaw> {
        let parsed = filter::parse_in(text, FieldScope::Run)?;
        let flaw = |text: String| FilterFlaw::new(0, text);
        let known =
            |name: &Option<String>| name.as_deref().map(|name| self.known_run(name)).transpose();
        let names = [known(&parsed.aim.baseline)?, known(&parsed.aim.run)?];
        match parsed.sort.as_slice() {
            [] => {}
            [
                SortKey {
                    field: SortField::Delta(None),
                    direction,
                },
            ] => {
                self.is_best_first = *direction == Direction::Descending;
            }
            _ => {
                return Err(flaw(
                    "samples are sorted by their difference: sort:delta".to_owned(),
                ));
            }
        }
        let mut filter = Filter::of(parsed.terms);
        filter.aim.matcher = parsed.aim.matcher;
        self.filter_text = write_filter(&filter);
        self.filter = filter;
        self.metric = parsed.aim.metric.or(self.metric);
        Ok(self.set_names(&names))
    }

    fn known_run(&self, name: &str) -> Result<String, FilterFlaw> {
        let is_known = self
            .known
            .iter()
            .any(|run_row| run_row.setting.name == name);
        is_known
            .then(|| name.to_owned())
            .ok_or_else(|| FilterFlaw::new(0, format!("no run `{}`", crate::text::visible(name))))
    }

    /// Compares these runs as A and B; absent ones stay. Tells whether that changes anything.
    fn set_names(&mut self, names: &[Option<String>]) -> bool {
        let before = (self.name(0).to_owned(), self.name(self.other).to_owned());
        let [first, second] = names else {
            return false;
        };
        let first = first.clone().unwrap_or_else(|| before.0.clone());
        let second = second.clone().unwrap_or_else(|| before.1.clone());
        if (&first, &second) == (&before.0, &before.1) || first == second {
            return false;
        }
        self.names = vec![first, second];
        self.other = 1;
        true
    }

    /// Writes a filter that describes the whole list: runs, metric, conditions, order. Nothing while nothing is
    /// compared.
    #[must_use]
    pub fn filter_to_save(&self) -> Option<String> {
        let aim = self.aim()?;
        let listed = Listed {
            run: Some(self.name(self.other).to_owned()),
            baseline: Some(self.name(0).to_owned()),
            metric: Some(aim.metric),
            ..self.filter.aim.clone()
        };
        Some(write_filter(&Filter {
            terms: self.filter.terms.clone(),
            aim: listed,
            sort: vec![SortKey {
                field: SortField::Delta(None),
                direction: aim.direction,
            }],
        }))
    }
}

/// Finds the two newest runs that were evaluated and answer the same question, the older one first.
///
/// # Errors
/// The reason why there are no two, with advice.
fn two_newest(known: &[RunRow]) -> Result<[String; 2], String> {
    let is_evaluated = |run: &&RunRow| {
        run.evaluations
            .iter()
            .any(|evaluation| evaluation.value.is_some())
    };
    let evaluated: Vec<&RunRow> = known.iter().rev().filter(is_evaluated).collect();
    let [newest, older @ ..] = evaluated.as_slice() else {
        return Err(if known.is_empty() {
            "there is no run to compare · gR imports two and evaluates them".to_owned()
        } else {
            "no run is evaluated · gR e evaluates them".to_owned()
        });
    };
    let question = |run_row: &RunRow| (run_row.answers_to(), run_row.setting.language);
    let same = older
        .iter()
        .find(|run_row| question(run_row) == question(newest));
    // A pair of different questions is refused later, with the reason.
    match same.or(older.first()) {
        Some(older_run) => Ok([older_run.setting.name.clone(), newest.setting.name.clone()]),
        None if known.len() > 1 => Err(format!(
            "only `{}` is evaluated · gR E evaluates all runs",
            crate::text::visible(&newest.setting.name)
        )),
        None => Err("there is one run only · gR imports another to compare it with".to_owned()),
    }
}
