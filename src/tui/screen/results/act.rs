//! The commands and the pointer of Results.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::browse::FieldScope;
use crate::config::Session;
use crate::desk::overlay::{ChoicePurpose, InputPurpose, Overlay};
use crate::desk::{Desk, ScreenRequest};
use crate::eval::by::GroupBy;
use crate::eval::results::ResultsOptions;
use crate::event::Effect;
use crate::filter::FilterFlaw;
use crate::keymap::{Command, CopyContent, Motion, PaneCommand, SampleCommand, StepDirection};
use crate::layout::{above, beside};
use crate::metric::METRICS;
use crate::model::{Filter, RunKind, SampleKey};
use crate::paint;
use crate::question::shared::TYPED;
use crate::question::{Question, QuestionMonitor};
use crate::scene::Scene;
use crate::screen::pen::warn;
use crate::screen::results::commands::{ResultCopy, ResultsCommand};
use crate::screen::results::execution::ResultsLowerPane;
use crate::screen::results::questions::{
    NearestQuestion, ResultGroupsQuestion, ResultListQuestion, ResultSearchQuestion,
};
use crate::screen::results::{
    ResultColumn, Results, ResultsFocus, ResultsUpperPane, SAVE, column_words,
};
use crate::screen::sample::WIDTH_THREE;
use crate::screen::samples::selection::SelectionPurpose;
use crate::screen::{AnswerState, DrawContext, difference, session};
use crate::scribe::{AnnotatorAction, ScribeReply};
use crate::theme::Role;
use crate::widget::chooser::{Chooser, ChooserItem};
use crate::widget::code::CodeView;
use crate::widget::difference::DifferenceView;
use crate::widget::frame::inside;
use crate::widget::overlay::Prompt;
use crate::words;

/// The choice of no baseline.
const NOTHING: &str = "(none)";

impl Scene for Results {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        let none = Rect { height: 0, ..body };
        let [upper, difference, arithmetic] = if self.is_zoomed {
            [none, body, none]
        } else if body.width >= WIDTH_THREE {
            let [list, rest] = beside(body, body.width * 46 / 100);
            let [difference, arithmetic] = above(rest, rest.height * 11 / 20);
            [list, difference, arithmetic]
        } else {
            let [list, rest] = above(body, (body.height * 9 / 20).max(6));
            [list, rest, none]
        };
        self.upper_area = upper;
        self.arithmetic_area = arithmetic;
        // One row is the head of the table.
        let n_rows = usize::from(inside(upper).height.saturating_sub(1));
        self.pages.resize(n_rows);
        self.difference.arrange(inside(difference), desk.wraps);
        // The outcome needs the whole pane; there is no room for the code around the prediction.
        let n_rows = if self.shows_execution {
            usize::MAX
        } else {
            self.difference.n_rows()
        };
        self.difference_area = self.around.arrange(difference, n_rows, desk.wraps);
        self.execution.arrange(self.difference_area, desk.wraps);
        self.difference
            .arrange(inside(self.difference_area), desk.wraps);
        if self.focus == ResultsFocus::Around && self.around.area().is_empty() {
            self.focus = ResultsFocus::Difference;
        }
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if self.focus == ResultsFocus::Around {
            self.around.code().scroll(motion);
            return;
        }
        if self.has_difference() {
            self.difference.scroll(motion);
            return;
        }
        if self.has_ran() {
            self.execution.code().scroll(motion);
            return;
        }
        let page = usize::from(inside(self.upper_area).height).max(1);
        match self.upper {
            ResultsUpperPane::List => self.step(motion, desk),
            ResultsUpperPane::Breakdown => {
                let most = self.breakdown_len().saturating_sub(page);
                self.upper_top = motion.moved(self.upper_top, page).min(most);
            }
            ResultsUpperPane::Groups(_) => {
                let last = self.groups.ready().map_or(0, Vec::len).saturating_sub(1);
                self.group_cursor = motion.moved(self.group_cursor, page).min(last);
            }
            ResultsUpperPane::Nearest => {
                let nearest = self.nearest.ready();
                let n = nearest.map_or(0, |nearest| nearest.neighbours.len());
                let last = n.saturating_sub(1);
                self.nearest_cursor = motion.moved(self.nearest_cursor, page).min(last);
            }
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let lower = [
            (ResultsFocus::Difference, self.difference_area),
            (ResultsFocus::Around, self.around.area()),
        ];
        if let Some((focus, _)) = lower.iter().find(|pair| pair.1.contains(at)) {
            self.focus = *focus;
            return true;
        }
        if !self.upper_area.contains(at) {
            return false;
        }
        self.focus = ResultsFocus::Upper;
        let first_row = self.upper_area.y + 2;
        if at.y >= first_row {
            let row = usize::from(at.y - first_row);
            match self.upper {
                ResultsUpperPane::List => {
                    if self.pages.select_visible(row) {
                        self.ask_rows(desk);
                    }
                }
                ResultsUpperPane::Groups(_)
                | ResultsUpperPane::Nearest
                | ResultsUpperPane::Breakdown => {}
            }
        }
        true
    }

    fn open(&mut self, desk: &mut Desk) {
        if let Some(key) = self.open_upper(desk) {
            desk.request(ScreenRequest::Sample(key, None));
        }
    }

    fn close(&mut self, desk: &mut Desk) -> bool {
        if self.selection.clear() {
            return true;
        }
        if self.stop_watched() {
            desk.stop(ResultListQuestion::SLOT);
            desk.stop(ResultGroupsQuestion::SLOT);
            desk.stop(NearestQuestion::SLOT);
            if matches!(self.list, AnswerState::Waiting) {
                self.list = AnswerState::Failed("stopped · ^l reads again".to_owned());
            }
            if matches!(self.nearest, AnswerState::Waiting)
                && self.upper == ResultsUpperPane::Nearest
            {
                self.upper = ResultsUpperPane::List;
            }
            return true;
        }
        if self.difference.clear() || self.around.code().clear() || self.execution.code().clear() {
            return true;
        }
        if self.is_zoomed {
            self.is_zoomed = false;
            return true;
        }
        if self.upper != ResultsUpperPane::List {
            self.upper = ResultsUpperPane::List;
            return true;
        }
        if self.focus != ResultsFocus::Upper {
            self.focus = ResultsFocus::Upper;
            return true;
        }
        !std::mem::take(&mut self.needle).is_empty()
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Results(command) => self.run_own(command, desk),
            Command::Pane(command) => self.run_pane(command, desk),
            Command::Sample(command) => self.run_sample(command, desk),
            _ => {}
        }
    }

    fn painted(&mut self, _at_ms: i64) {
        self.tagging.painted = self
            .shown
            .as_ref()
            .map(|explained| explained.detail.row.ordinal);
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        std::mem::take(&mut self.unpainted)
    }

    fn code(&mut self) -> Option<&mut CodeView> {
        if self.has_ran() {
            return Some(self.execution.code());
        }
        (self.focus == ResultsFocus::Around).then(|| self.around.code())
    }

    fn search(&mut self, needle: &str, desk: &mut Desk) {
        if self.has_difference() {
            self.difference.find(needle);
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
        let AnswerState::Ready(list) = &self.list else {
            return;
        };
        let n = list.ordinals.len();
        if n == 0 {
            return;
        }
        let from = step.around(self.pages.cursor(), n);
        let find = ResultSearchQuestion {
            list: Arc::clone(list),
            needle: needle.to_owned(),
            from,
            step,
        };
        desk.ask(find, Self::take_found);
    }

    fn scope(&self) -> FieldScope {
        FieldScope::Run
    }

    fn filter_text(&self) -> Option<&str> {
        Some(&self.filter_text)
    }

    fn filter(&mut self, text: &str, desk: &mut Desk) -> Result<(), FilterFlaw> {
        self.read_filter(text)?;
        (self.wanted, self.located) = (None, None);
        self.upper = ResultsUpperPane::List;
        self.ask_list(desk);
        Ok(())
    }

    fn count_typed(&mut self, filter: Filter, desk: &mut Desk) {
        let options = ResultsOptions {
            filter,
            ..self.options.clone()
        };
        let list = ResultListQuestion(options, QuestionMonitor::default());
        desk.ask_in(TYPED, list, |_: &mut Self, listing, desk| {
            desk.take_typed(listing.list.ordinals.len() as u64);
        });
    }

    /// Completes and checks the columns as they are typed.
    fn check(&self, asked: InputPurpose, prompt: &mut Prompt, _desk: &mut Desk) {
        if asked == InputPurpose::Columns {
            let words = self.view().map_or_else(Vec::new, column_words);
            prompt.completions = words::complete(prompt.input.before_cursor(), words);
            prompt.mark(ResultColumn::parse_all(prompt.input.text()).err());
        }
    }

    /// Shows the typed columns.
    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        _desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        if asked == InputPurpose::Columns {
            let parsed = ResultColumn::parse_all(text);
            self.columns = parsed.map_err(|(at, text)| FilterFlaw::new(at, text))?;
        }
        Ok(())
    }

    fn choose(&mut self, choosing: ChoicePurpose, name: &str, desk: &mut Desk) {
        match choosing {
            ChoicePurpose::Run => self.set_run(name, desk),
            ChoicePurpose::Baseline => {
                self.set_baseline((name != NOTHING).then_some(name), desk);
            }
            ChoicePurpose::Metric => {
                if let Some(metric) = METRICS.iter().find(|metric| metric.id == name) {
                    self.set_metric(metric, desk);
                }
            }
            ChoicePurpose::Group => {
                let mut all = GroupBy::OF_RESULTS.iter();
                if let Some(by) = all.find(|by| by.as_str() == name) {
                    self.group(*by, desk);
                }
            }
            _ => {}
        }
    }

    /// Checks or unchecks a tag; on the last line, writes the checked tags.
    fn choose_many(&mut self, mut chooser: Chooser, desk: &mut Desk) {
        let is_save = chooser.chosen().is_some_and(|pair| pair.1 == SAVE);
        if let Some(checked) = chooser.checked().filter(|_| is_save) {
            let said = self.tag(checked, desk);
            warn(said, desk);
        } else {
            chooser.toggle();
            desk.overlay = Some(Overlay::Choose(ChoicePurpose::Tags, Box::new(chooser)));
        }
    }

    fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) {
        let message = Self::take_written(self, written, desk);
        desk.show_if_some(message);
    }

    fn leave(&self, session: &mut Session) {
        session::keep_at(session, self.left_at());
    }

    fn keep(&self, session: &mut Session) {
        self.note_session(session);
    }
}

impl Results {
    fn run_own(&mut self, command: ResultsCommand, desk: &mut Desk) {
        match command {
            ResultsCommand::Run => self.choose_run(desk),
            ResultsCommand::Baseline => self.choose_baseline(desk),
            ResultsCommand::Metric => {
                let view = self.view();
                let ids = view.map_or_else(Vec::new, |view| view.metrics.clone());
                let current = view.and_then(|view| view.metric).unwrap_or_default();
                desk.choose_metric(&ids, current);
            }
            ResultsCommand::Group => {
                let kind = self.view().map_or(RunKind::Samples, |view| view.run.kind);
                let all = GroupBy::OF_RESULTS.iter().copied();
                desk.choose_group(&all.filter(|by| by.is_of(kind)).collect::<Vec<_>>());
            }
            ResultsCommand::Columns => {
                let words: Vec<&str> = self.columns.iter().map(|column| column.word()).collect();
                desk.ask_checked(InputPurpose::Columns, "columns", &(words.join(" ") + " "));
            }
            ResultsCommand::Sort(by) => {
                if let Err(text) = self.sort(by, desk) {
                    desk.show_message(text, Role::Dim);
                }
            }
            ResultsCommand::Difference(command) => {
                self.shows_execution = false;
                difference::turn(&mut self.difference, command, desk);
            }
            ResultsCommand::Costs => {
                let text = if self.difference().toggle_costs() {
                    "the gutter shows the cost of each line"
                } else {
                    "costs are hidden"
                };
                desk.show_message(text, Role::Dim);
            }
            ResultsCommand::Breakdown => self.toggle_breakdown(),
            ResultsCommand::Nearest => self.toggle_nearest(desk),
            ResultsCommand::Ran if self.setting.is_none() && !self.shows_execution => {
                desk.show_message(self.not_executed(), Role::Dim);
            }
            ResultsCommand::Ran => self.toggle_lower(ResultsLowerPane::Ran),
            ResultsCommand::Prompt if !self.execution.has_prompt() => {
                let text = match self.run_kind() {
                    RunKind::Samples => "no model was asked: the run was imported",
                    _ => "the prompt is not kept with the answer · the question stands below",
                };
                desk.show_message(text, Role::Dim);
            }
            ResultsCommand::Prompt => self.toggle_lower(ResultsLowerPane::Prompt),
            ResultsCommand::Trace => self.toggle_trace(desk),
            ResultsCommand::Unseen => {
                let said = self.list_unseen(desk);
                warn(said, desk);
            }
            ResultsCommand::Sample => self.open_sample(desk),
            ResultsCommand::Again if self.use_chosen(SelectionPurpose::RunAgain, desk) => {}
            ResultsCommand::Again => match self.options().run.clone() {
                Some(run) => desk.evaluate(&[run], Vec::new()),
                None => desk.show_message("there is no run · gR imports one", Role::Dim),
            },
            ResultsCommand::Copy(what) => {
                let taken = self.copied(what);
                desk.copy_out(taken);
            }
            ResultsCommand::Select => self.turn_selection(desk),
            ResultsCommand::Mark => self.use_chosen_or_shown(SelectionPurpose::Mark, desk),
            ResultsCommand::Compare => self.use_chosen_or_shown(SelectionPurpose::Compare, desk),
            ResultsCommand::Tag => match self.check_tags() {
                Ok(chooser) => {
                    desk.overlay = Some(Overlay::Choose(ChoicePurpose::Tags, Box::new(chooser)));
                }
                Err(refusal) => desk.show_message(refusal, Role::Warning),
            },
            ResultsCommand::Equal | ResultsCommand::Undo | ResultsCommand::Redo => {
                let said = match command {
                    ResultsCommand::Equal => self.call_equal(desk),
                    ResultsCommand::Undo => self.turn_back(AnnotatorAction::Undo, desk),
                    _ => self.turn_back(AnnotatorAction::Redo, desk),
                };
                warn(said, desk);
            }
            ResultsCommand::Export => self.ask_to_export(desk),
        }
    }

    /// Shows the outcome or the prompt in place of the difference, or the difference again.
    fn toggle_lower(&mut self, lower: ResultsLowerPane) {
        self.shows_execution = !self.shows_execution || self.execution.lower() != lower;
        self.execution.turn_to(lower);
        self.unpainted.extend(self.execution.jobs());
    }

    /// Shows the trace, or folds it.
    fn toggle_trace(&mut self, desk: &mut Desk) {
        let told = self
            .execution
            .seen()
            .and_then(|executed| executed.detail.why.as_ref());
        if told.is_none_or(|reason| reason.trace.is_none()) {
            desk.show_message("nothing was thrown: there is no trace", Role::Dim);
            return;
        }
        self.shows_execution = true;
        self.execution.turn_to(ResultsLowerPane::Ran);
        let text = if self.execution.toggle_trace() {
            "the trace is shown"
        } else {
            "the trace is folded"
        };
        self.unpainted.extend(self.execution.jobs());
        desk.show_message(text, Role::Dim);
    }

    /// Offers the runs, the newest first.
    fn choose_run(&self, desk: &mut Desk) {
        let choices = desk.run_choices();
        if choices.is_empty() {
            desk.show_message("there is no run · gR imports one", Role::Dim);
            return;
        }
        let current = self.options().run.clone().unwrap_or_default();
        desk.choose(ChoicePurpose::Run, "run", choices, &current);
    }

    fn choose_baseline(&self, desk: &mut Desk) {
        let mut choices = desk.run_choices();
        let run = self.options().run.clone();
        choices.retain(|choice| Some(&choice.name) != run.as_ref());
        if choices.is_empty() {
            desk.show_message("there is no other run to compare it with", Role::Dim);
            return;
        }
        choices.insert(0, ChooserItem::new(NOTHING, "values as they are", ""));
        let current = self.options().baseline.clone();
        let current = current.unwrap_or_else(|| choices[1].name.clone());
        desk.choose(ChoicePurpose::Baseline, "baseline", choices, &current);
    }

    /// Asks for the file that the listed predictions are written to.
    fn ask_to_export(&self, desk: &mut Desk) {
        let Some(run) = self.options().run.clone() else {
            desk.show_message("there is no run · gR imports one", Role::Dim);
            return;
        };
        let name: String = run
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        desk.request(ScreenRequest::Write(
            self.to_write(),
            format!("{name}.jsonl"),
        ));
    }

    fn open_sample(&self, desk: &mut Desk) {
        let Some(key) = self.shown().map(|explained| explained.detail.row.key) else {
            desk.show_message("there is no sample under the cursor", Role::Dim);
            return;
        };
        if let Some(text) = self.no_sample() {
            desk.show_message(text, Role::Dim);
            return;
        }
        let matcher = self.view().map(|view| view.run.setting.matcher);
        desk.request(ScreenRequest::Sample(key, matcher));
    }

    /// Tells where to look at the question, if it is no sample.
    fn no_sample(&self) -> Option<&'static str> {
        match self.run_kind() {
            RunKind::Samples => None,
            RunKind::Clover => {
                Some("no sample: it answers a question of clover · gq shows the problems")
            }
            RunKind::Consistency => Some("no sample: it completes a half · gk shows the functions"),
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

    /// Goes to the next match in the difference, else to the next row of that name.
    fn step_found(&mut self, step: StepDirection, desk: &mut Desk) {
        if self.has_difference() {
            difference::step_match(&mut self.difference, step, desk);
            return;
        }
        let needle = self.needle.clone();
        if needle.is_empty() {
            desk.say_no_search();
        } else {
            self.find(&needle, step, desk);
        }
    }

    /// Carries out a command of the sample under the cursor.
    fn run_sample(&mut self, command: SampleCommand, desk: &mut Desk) {
        match command {
            SampleCommand::Sibling(step) => {
                let motion = Motion::from(step);
                self.step(motion, desk);
            }
            SampleCommand::Copy(CopyContent::Key)
                if self.use_chosen(SelectionPurpose::Copy, desk) => {}
            SampleCommand::Copy(what) => {
                let taken = match what {
                    CopyContent::Code => self.copied(ResultCopy::Difference),
                    CopyContent::Key => {
                        let shown = self.shown();
                        shown.map(|explained| {
                            (explained.detail.row.key.to_string(), "the sample's key")
                        })
                    }
                    CopyContent::Path => None,
                };
                desk.copy_out(taken);
            }
            SampleCommand::Edit => self.edit(desk),
            SampleCommand::Why | SampleCommand::Facts => {}
        }
    }

    /// Opens the test in the editor, at the ground truth.
    fn edit(&self, desk: &mut Desk) {
        let place = self.shown().and_then(|explained| {
            let reference = explained.detail.reference.as_ref()?;
            let root = explained.root.as_ref()?;
            Some((root.join(&reference.path), reference.first_line))
        });
        match place {
            Some((path, line)) => desk.push(Effect::Edit { path, line }),
            None => desk.show_message("the mined folder is gone", Role::Warning),
        }
    }

    fn open_upper(&mut self, desk: &mut Desk) -> Option<SampleKey> {
        match self.upper {
            ResultsUpperPane::Groups(_) if self.focus == ResultsFocus::Upper => {
                let groups = self.groups.ready();
                let group = groups.and_then(|groups| groups.get(self.group_cursor));
                let group = group?;
                let mut filter = self.options.filter.clone();
                for term in &group.terms {
                    filter.narrow(term.clone());
                }
                self.upper = ResultsUpperPane::List;
                self.wanted = None;
                self.set_filter(filter, desk);
                None
            }
            ResultsUpperPane::Nearest if self.focus == ResultsFocus::Upper => {
                let nearest = self.nearest.ready()?;
                let neighbour = nearest.neighbours.get(self.nearest_cursor)?;
                Some(neighbour.side.key)
            }
            _ => {
                self.is_zoomed = !self.is_zoomed;
                None
            }
        }
    }

    /// Moves the cursor of the list, with the focus on any pane.
    pub fn step(&mut self, motion: Motion, desk: &mut Desk) {
        self.pages.step(motion);
        self.ask_rows(desk);
    }

    pub fn peek(&mut self, step: StepDirection, desk: &mut Desk) {
        let motion = Motion::from(step);
        match self.focus {
            ResultsFocus::Upper if self.shows_execution => self.execution.code().scroll(motion),
            ResultsFocus::Upper => self.difference.scroll(motion),
            ResultsFocus::Difference | ResultsFocus::Around => self.step(motion, desk),
        }
    }

    pub fn turn_focus(&mut self, step: StepDirection) {
        let has_around = !self.around.area().is_empty();
        let focus = match self.focus {
            ResultsFocus::Upper if self.is_zoomed => ResultsFocus::Difference,
            focus => focus,
        };
        self.focus = match (focus, step) {
            (ResultsFocus::Upper, StepDirection::Previous)
            | (ResultsFocus::Difference, StepDirection::Next)
                if has_around =>
            {
                ResultsFocus::Around
            }
            (ResultsFocus::Upper, _) | (ResultsFocus::Around, StepDirection::Previous) => {
                ResultsFocus::Difference
            }
            (ResultsFocus::Difference, _) | (ResultsFocus::Around, StepDirection::Next) => {
                ResultsFocus::Upper
            }
        };
    }

    /// Tells whether keys go to the difference.
    pub fn has_difference(&self) -> bool {
        self.has_lower() && !self.shows_execution
    }

    /// Tells whether keys go to the outcome of the prediction.
    pub(super) fn has_ran(&self) -> bool {
        self.has_lower() && self.shows_execution
    }

    fn has_lower(&self) -> bool {
        self.focus == ResultsFocus::Difference
            || (self.is_zoomed && self.focus != ResultsFocus::Around)
    }

    pub fn difference(&mut self) -> &mut DifferenceView {
        &mut self.difference
    }

    /// Returns a text for the clipboard, and its name.
    #[must_use]
    pub fn copied(&self, what: ResultCopy) -> Option<(String, &'static str)> {
        let detail = &self.shown.as_ref()?.detail;
        Some(match what {
            ResultCopy::Prediction => (detail.answered.prediction.clone(), "the prediction"),
            ResultCopy::Truth => (detail.reference.as_ref()?.text.clone(), "the ground truth"),
            ResultCopy::Difference => (self.difference.copied(), "the difference"),
            ResultCopy::Reason => (self.execution.copied()?, "why it went wrong"),
        })
    }
}
