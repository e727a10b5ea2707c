//! The commands and the pointer of Compare.

use std::path::PathBuf;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::browse::FieldScope;
use crate::config::Session;
use crate::desk::overlay::{ChoicePurpose, InputPurpose};
use crate::desk::{Desk, ScreenRequest};
use crate::eval::by::GroupBy;
use crate::event::Effect;
use crate::filter::FilterFlaw;
use crate::keymap::{Command, CopyContent, Motion, PaneCommand, SampleCommand, StepDirection};
use crate::metric::METRICS;
use crate::model::Filter;
use crate::paint;
use crate::question::shared::TYPED;
use crate::question::{Question, QuestionMonitor};
use crate::scene::Scene;
use crate::screen::compare::arrange::CompareAreas;
use crate::screen::compare::commands::{CompareCommand, ComparedCopy};
use crate::screen::compare::questions::{
    ComparedSearchQuestion, FIND, SelectionQuestion, SliceRanking, SlicesQuestion,
};
use crate::screen::compare::{Compare, CompareFocus, RefinementState};
use crate::screen::{AnswerState, DrawContext, difference, session};
use crate::theme::Role;
use crate::widget::chooser::ChooserItem;
use crate::widget::code::CodeView;
use crate::widget::frame::inside;

impl Scene for Compare {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.areas = CompareAreas::of(body, self.upper, self.pair, self.is_zoomed);
        // One row is the head of the table.
        let n_rows = usize::from(inside(self.areas.samples).height.saturating_sub(1));
        self.pages.resize(n_rows);
        self.arrange_differences(desk.wraps);
        let n_rows = self.n_rows_of_differences();
        let rest = self.around.arrange(self.areas.lower, n_rows, desk.wraps);
        self.areas.put_differences(rest, self.pair, self.is_zoomed);
        self.arrange_differences(desk.wraps);
        // After a difference at full size, the focus returns to the pane where it was before.
        let is_left = !self.is_zoomed || self.focus == CompareFocus::Around;
        if is_left && !self.stops().contains(&self.focus) {
            self.focus = CompareFocus::Samples;
        }
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if self.has_difference() {
            self.difference().scroll(motion);
            return;
        }
        match self.focus {
            CompareFocus::Around => self.around.code().scroll(motion),
            CompareFocus::Samples | CompareFocus::Difference => self.step(motion, desk),
            CompareFocus::Summary => {
                let last = self.metrics().len().saturating_sub(1);
                let idx = motion.moved(self.metric_idx().unwrap_or(0), 4).min(last);
                if let Some(id) = self.metrics().get(idx).copied() {
                    self.look_at(id, desk);
                }
            }
            CompareFocus::Slices => {
                let n = self.ready_slices().map_or(0, SliceRanking::len);
                let page = usize::from(inside(self.areas.slices).height).max(1);
                let idx = motion.moved(self.slice_cursor, page);
                self.slice_cursor = idx.min(n.saturating_sub(1));
            }
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let areas = self.areas;
        for (pair, area) in areas.differences {
            if area.contains(at) {
                (self.focus, self.pair) = (CompareFocus::Difference, pair);
                return true;
            }
        }
        if self.around.area().contains(at) {
            self.focus = CompareFocus::Around;
            return true;
        }
        // Rows start below the border and the head.
        let row = |area: Rect| at.y.checked_sub(area.y + 2).map(usize::from);
        if areas.samples.contains(at) {
            self.focus = CompareFocus::Samples;
            if row(areas.samples).is_some_and(|n| self.pages.select_visible(n)) {
                self.ask_rows(desk);
            }
        } else if areas.slices.contains(at) {
            self.focus = CompareFocus::Slices;
        } else if areas.summary.contains(at) {
            self.focus = CompareFocus::Summary;
        }
        areas.all().any(|rect| rect.contains(at))
    }

    fn open(&mut self, desk: &mut Desk) {
        match self.focus {
            CompareFocus::Slices if !self.is_zoomed => self.enter_slice(desk),
            CompareFocus::Summary if !self.is_zoomed => self.focus = CompareFocus::Samples,
            _ => self.is_zoomed = !self.is_zoomed,
        }
    }

    fn close(&mut self, desk: &mut Desk) -> bool {
        let is_drawing = self.refinings.is_some() && self.drawing == RefinementState::Open;
        let is_asked = |slot| self.open_questions.contains(&slot);
        let is_seeking = is_asked(SlicesQuestion::SLOT) || is_asked(FIND);
        if self.is_waiting() || is_drawing || is_seeking {
            let was_waiting = self.is_waiting();
            self.stop(desk);
            self.drawing = RefinementState::Stopped;
            if matches!(self.slices, Some(AnswerState::Waiting)) || self.slices.is_none() {
                self.slices = Some(AnswerState::Failed("stopped · F asks again".to_owned()));
            }
            if was_waiting {
                "stopped · ^l reads again".clone_into(&mut self.problem);
                if matches!(self.pairing, AnswerState::Waiting) {
                    self.pairing = AnswerState::Failed(self.problem.clone());
                }
            }
            return true;
        }
        if self.difference().clear() || self.around.code().clear() {
            return true;
        }
        if self.is_zoomed {
            self.is_zoomed = false;
            return true;
        }
        if self.focus != CompareFocus::Samples {
            self.focus = CompareFocus::Samples;
            return true;
        }
        !std::mem::take(&mut self.needle).is_empty()
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Compare(command) => self.run_own(command, desk),
            Command::Pane(command) => self.run_pane(command, desk),
            Command::Sample(command) => self.run_sample(command, desk),
            _ => {}
        }
    }

    /// Shows the earlier data until they have been read again.
    fn enter(&mut self, desk: &mut Desk) {
        self.begin(desk);
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    fn code(&mut self) -> Option<&mut CodeView> {
        (self.focus == CompareFocus::Around).then(|| self.around.code())
    }

    fn search(&mut self, needle: &str, desk: &mut Desk) {
        if self.has_difference() {
            self.difference().find(needle);
            self.step_found(StepDirection::Next, desk);
        } else if let Some(code) = self.code() {
            code.find(needle);
            if !needle.is_empty() {
                self.step_match(StepDirection::Next, desk);
            }
        } else if !needle.is_empty() {
            self.find(needle, StepDirection::Next, desk);
        }
    }

    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        needle.clone_into(&mut self.needle);
        let (AnswerState::Ready((pairing, _)), Some(ordered)) = (&self.pairing, &self.ordered)
        else {
            return;
        };
        let n = ordered.order.len();
        if n == 0 {
            return;
        }
        let from = step.around(self.pages.cursor(), n);
        let find = ComparedSearchQuestion {
            pairing: pairing.clone(),
            order: Arc::clone(&ordered.order),
            needle: needle.to_owned(),
            from,
            step,
            watched: self.watched.clone(),
        };
        self.ask(find, Self::take_found, desk);
    }

    fn scope(&self) -> FieldScope {
        FieldScope::Run
    }

    fn filter_text(&self) -> Option<&str> {
        Some(&self.filter_text)
    }

    fn filter_label(&self) -> &'static str {
        "filter (fields of a run: B's)"
    }

    fn filter(&mut self, text: &str, desk: &mut Desk) -> Result<(), FilterFlaw> {
        let is_other = self.aim_at(text)?;
        (self.wanted, self.located) = (None, None);
        if is_other || self.pairing.ready().is_none() {
            self.load(desk);
        } else {
            self.ask_selection(desk);
        }
        Ok(())
    }

    fn count_typed(&mut self, filter: Filter, desk: &mut Desk) {
        if let (AnswerState::Ready((pairing, _)), Some(aim)) = (&self.pairing, self.aim()) {
            let select = SelectionQuestion {
                pairing: pairing.clone(),
                filter,
                aim,
                watched: QuestionMonitor::default(),
            };
            desk.ask_in(TYPED, select, |_: &mut Self, (_, ordered), desk| {
                desk.take_typed(ordered.order.len() as u64);
            });
        }
    }

    /// Writes the listed samples to the typed file.
    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        if asked != InputPurpose::Export {
            return Ok(());
        }
        let path = text.trim();
        if path.is_empty() {
            let text = "which file?".to_owned();
            return Err(FilterFlaw::new(0, text));
        }
        self.export(PathBuf::from(path), desk);
        desk.show_message("writing …", Role::Dim);
        Ok(())
    }

    fn choose(&mut self, choosing: ChoicePurpose, name: &str, desk: &mut Desk) {
        match choosing {
            ChoicePurpose::Run => self.set_run(name, desk),
            ChoicePurpose::AnotherRun => self.add_run(name, desk),
            ChoicePurpose::Baseline => self.set_baseline(name, desk),
            ChoicePurpose::Metric => {
                if let Some(metric) = METRICS.iter().find(|metric| metric.id == name) {
                    self.set_metric(metric, desk);
                }
            }
            ChoicePurpose::Group => {
                if let Some(by) = GroupBy::OF_RESULTS
                    .iter()
                    .find(|group_by| group_by.as_str() == name)
                {
                    self.slice(*by, desk);
                }
            }
            _ => {}
        }
    }

    fn leave(&self, session: &mut Session) {
        session::keep_at(session, self.left_at());
    }

    fn keep(&self, session: &mut Session) {
        self.note_session(session);
    }
}

impl Compare {
    fn run_own(&mut self, command: CompareCommand, desk: &mut Desk) {
        match command {
            CompareCommand::Run => self.choose_run(ChoicePurpose::Run, desk),
            CompareCommand::Baseline => self.choose_run(ChoicePurpose::Baseline, desk),
            CompareCommand::Add => self.choose_run(ChoicePurpose::AnotherRun, desk),
            CompareCommand::Swap => self.swap(desk),
            CompareCommand::Drop => {
                if !self.drop_run(desk) {
                    desk.show_message("it takes two runs to compare · R another run", Role::Dim);
                }
            }
            CompareCommand::Other => {
                if !self.turn_other(desk) {
                    desk.show_message("there are two runs · + adds one", Role::Dim);
                }
            }
            CompareCommand::Metric => {
                let ids = self.metrics().to_vec();
                let current = self.metric().unwrap_or_default();
                desk.choose_metric(&ids, current);
            }
            CompareCommand::Slice => choose_slices(desk),
            CompareCommand::Upper => self.turn_upper(),
            CompareCommand::Turn => {
                let text = self.turn(desk);
                desk.show_message(text, Role::Dim);
            }
            CompareCommand::Pair => self.turn_pair(),
            CompareCommand::Difference(command) => {
                difference::turn(self.difference(), command, desk);
            }
            CompareCommand::Sample => self.open_sample(desk),
            CompareCommand::Evaluate => match self.names().to_vec().as_slice() {
                [] => desk.show_message("there is no run · gR imports one", Role::Dim),
                names => desk.evaluate(names, Vec::new()),
            },
            CompareCommand::SaveFilter => match self.filter_to_save() {
                Some(text) => desk.request(ScreenRequest::SaveFilter(text)),
                None => desk.show_message("nothing is compared", Role::Dim),
            },
            CompareCommand::Export => match self.file_name() {
                Some(name) => desk.ask_line(InputPurpose::Export, "write to", &name),
                None => desk.show_message("there is nothing to write", Role::Dim),
            },
            CompareCommand::Copy(what) => {
                let taken = self.copied(what);
                desk.copy_out(taken);
            }
        }
    }

    fn choose_run(&self, choosing: ChoicePurpose, desk: &mut Desk) {
        let mut choices = desk.run_choices();
        if choosing == ChoicePurpose::AnotherRun {
            let compared = self.names();
            choices.retain(|choice| !compared.contains(&choice.name));
            if choices.is_empty() {
                desk.show_message("there is no other run · gR imports one", Role::Dim);
                return;
            }
        }
        let (title, current) = match choosing {
            ChoicePurpose::Baseline => ("baseline A", self.names().first()),
            ChoicePurpose::AnotherRun => ("one more run", None),
            _ => ("run B", self.other_name()),
        };
        let current = current.cloned().unwrap_or_default();
        if choices.is_empty() {
            desk.show_message("there is no run · gR imports one", Role::Dim);
            return;
        }
        desk.choose(choosing, title, choices, &current);
    }

    fn open_sample(&self, desk: &mut Desk) {
        match (self.shown_key(), self.matcher()) {
            (Some(key), matcher) => desk.request(ScreenRequest::Sample(key, matcher)),
            (None, _) => desk.show_message("there is no sample under the cursor", Role::Dim),
        }
    }

    /// Carries out a command of the pane with the focus.
    fn run_pane(&mut self, command: PaneCommand, desk: &mut Desk) {
        match command {
            PaneCommand::Focus(step) => self.turn_focus(step),
            PaneCommand::Peek(step) => self.peek(step, desk),
            PaneCommand::Search => desk.ask_search(),
            PaneCommand::Match(step) if self.code().is_some() => self.step_match(step, desk),
            PaneCommand::Match(step) => self.step_found(step, desk),
            PaneCommand::Wrap => desk.turn_wrap(),
            PaneCommand::Mark(_) => {}
        }
    }

    /// Goes to the next match in the difference, else to the next row of that name, else, without a search, to the next
    /// regression.
    fn step_found(&mut self, step: StepDirection, desk: &mut Desk) {
        let needle = self.needle.clone();
        if self.has_difference() && !self.difference().needle().is_empty() {
            difference::step_match(self.difference(), step, desk);
        } else if !needle.is_empty() {
            self.find(&needle, step, desk);
        } else {
            let text = self.step_regression(step, desk);
            desk.show_message(text, Role::Dim);
        }
    }

    /// Carries out a command of the sample under the cursor.
    fn run_sample(&mut self, command: SampleCommand, desk: &mut Desk) {
        match command {
            SampleCommand::Sibling(step) => {
                let motion = Motion::from(step);
                self.step(motion, desk);
            }
            SampleCommand::Copy(CopyContent::Code) => {
                let taken = self.copied(ComparedCopy::Difference);
                desk.copy_out(taken);
            }
            SampleCommand::Copy(CopyContent::Key) => {
                let key = self.shown_key();
                desk.copy_out(key.map(|sample_key| (sample_key.to_string(), "the sample's key")));
            }
            SampleCommand::Edit => match self.place() {
                Some((path, line)) => desk.push(Effect::Edit { path, line }),
                None => desk.show_message("the mined folder is gone", Role::Warning),
            },
            SampleCommand::Copy(CopyContent::Path) | SampleCommand::Why | SampleCommand::Facts => {}
        }
    }
}

/// Offers the groupings of slices, and the tags.
fn choose_slices(desk: &mut Desk) {
    let note = |by: GroupBy| match by {
        GroupBy::Parse => "which of the two answers parse: slices by outcome",
        GroupBy::Tag => "no slices: how often each tag occurs in A and B",
        _ => "",
    };
    let choices = GroupBy::ALL.iter().chain([&GroupBy::Tag]);
    let choices = choices.map(|choice| ChooserItem::new(choice.as_str(), note(*choice), ""));
    desk.choose(ChoicePurpose::Group, "slices by", choices.collect(), "");
}
