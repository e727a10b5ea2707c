//! Results: the samples of a run, and how its predictions differ from the ground truth.
//!
//! ```text
//! < 180 columns                            from 180
//! ┏ carbon ━━━━━━━━━━━━━━━━━━━━ 3/812 ┓    ┏ carbon ━━━━ 3/812 ┓┌ ground truth − / prediction + ┐
//! ┃ test        BLEU    Δ  tags       ┃    ┃ test        BLEU  ┃│                               │
//! ┠ ground truth ───┬ prediction ─────┨    ┃                   ┃│                               │
//! ┃                 │                 ┃    ┃                   ┃├ how the value is computed ────┤
//! ┗━━━━━━━━━━━━━━━━━┷━━━━━━━━━━━━━━━━━┛    ┗━━━━━━━━━━━━━━━━━━━┛└───────────────────────────────┘
//! ```
//!
//! Where a short difference leaves room in its pane, it shows the test around the prediction.
//!
//! Instead of the list, the upper pane can show how the value is computed (on narrow screens), groups with counts, or
//! the nearest training samples.

mod act;
#[cfg(test)]
mod answers;
pub mod commands;
mod draw;
mod execution;
#[cfg(test)]
pub mod fixture;
pub mod keys;
pub mod questions;
mod selection;
mod session;
mod table;
mod tagging;
#[cfg(test)]
pub mod tests;
mod upper;

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::browse::write_filter;
use crate::desk::{Desk, QuestionScreen, ScreenRequest};
use crate::diff::DiffSide;
use crate::eval::by::GroupBy;
use crate::eval::explained::ExplainedPrediction;
use crate::eval::results::{ResultList, ResultsOptions, ResultsView};
use crate::event::Effect;
use crate::leakage::Nearest;
use crate::metric::{Metric, explain};
use crate::mine::language_of;
use crate::model::{
    Direction, ExecutionSetting, Filter, PredictionSort, ResultGroup, ResultRow, RunKind,
    SampleKey, SampleSort, SortField, SortKey,
};
use crate::paint;
use crate::question::{Question, QuestionFailure, QuestionMonitor, Slot};
use crate::screen::around::SurroundingCode;
use crate::screen::results::commands::ResultSort;
use crate::screen::results::execution::ExecutionView;
use crate::screen::results::questions::{
    NearestQuestion, ResultDetailQuestion, ResultGroupsQuestion, ResultListQuestion, ResultListing,
    ResultPlaceQuestion, ResultRowsQuestion, WholePrediction,
};
use crate::screen::{AnswerState, Screen, cells};
use crate::select::Selection;
use crate::store::TRUTH_SOURCE;
use crate::task::Monitor;
use crate::theme::Role;
use crate::widget::difference::{DifferenceText, DifferenceView};
use crate::widget::frame::count;
use crate::widget::pages::Pages;

pub use table::{ResultColumn, words as column_words};
use tagging::Tagging;
pub use tagging::{SAVE, TOKENS};

/// The metric overlooks a correct answer if it gives less than this.
const UNSEEN_MAX: f64 = 0.3;
/// A run without scores.
const NOT_EVALUATED: &str = "the run is not evaluated · r evaluates it";
const NOT_EXECUTED: &str = "the run was not executed · gR, then x executes it";

/// The interval at which the progress of a question is shown.
const LOOK_MS: u64 = 100;

/// The content of the upper pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultsUpperPane {
    #[default]
    List,
    Breakdown,
    Groups(GroupBy),
    Nearest,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ResultsFocus {
    #[default]
    Upper,
    Difference,
    Around,
}

#[derive(Debug, Default)]
pub struct Results {
    pub is_open: bool,
    options: ResultsOptions,
    filter_text: String,
    list: AnswerState<Arc<ResultList>>,
    view: Option<Arc<ResultsView>>,
    /// The setting of the run's last execution.
    setting: Option<Arc<ExecutionSetting>>,
    pages: Pages<ResultRow>,
    /// The rows that the next command acts on.
    selection: Selection,
    columns: Vec<ResultColumn>,
    /// The monitor of the running question.
    watched: Option<QuestionMonitor>,
    upper: ResultsUpperPane,
    /// The first visible line of a view that replaces the list.
    upper_top: usize,
    groups: AnswerState<Vec<ResultGroup>>,
    group_cursor: usize,
    nearest: AnswerState<Nearest>,
    nearest_cursor: usize,
    focus: ResultsFocus,
    is_zoomed: bool,
    shown: Option<Box<ExplainedPrediction>>,
    /// The prediction that was asked for last.
    requested: Option<u32>,
    /// The sample to go to as soon as the list is there.
    wanted: Option<SampleKey>,
    /// The columns of the last session, until the list is there.
    restored_columns: Vec<ResultColumn>,
    /// The sample that was under the cursor in the last session, with its row, until it is found.
    located: Option<(SampleKey, u64)>,
    difference: DifferenceView,
    around: SurroundingCode,
    /// The outcome of the prediction, which can replace the difference.
    execution: ExecutionView,
    shows_execution: bool,
    needle: String,
    unpainted: Vec<paint::PaintJob>,
    tagging: Tagging,
    upper_area: Rect,
    difference_area: Rect,
    /// The area for the computation of the value beside the list; without room for it, its height is 0.
    arithmetic_area: Rect,
}

impl QuestionScreen for Results {
    const SCREEN: Screen = Screen::Results;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, _desk: &mut Desk) {
        if slot != ResultDetailQuestion::SLOT {
            self.watched = None;
        }
        self.pages.forget();
        match (slot, failure) {
            (_, QuestionFailure::NoIndex) => self.list = AnswerState::NoIndex,
            (ResultListQuestion::SLOT | ResultRowsQuestion::SLOT, QuestionFailure::Other(text)) => {
                self.list = AnswerState::Failed(text.clone());
            }
            (ResultGroupsQuestion::SLOT, QuestionFailure::Other(text)) => {
                self.groups = AnswerState::Failed(text.clone());
            }
            (NearestQuestion::SLOT, QuestionFailure::Other(text)) => {
                self.nearest = AnswerState::Failed(text.clone());
            }
            _ => self.shown = None,
        }
    }
}

impl Results {
    /// Opens a run, unless it is open already.
    pub fn begin(&mut self, run: Option<&str>, desk: &mut Desk) {
        let is_other = run.is_some() && self.options.run.as_deref() != run;
        if self.is_open && !is_other {
            return;
        }
        if is_other {
            self.options.run = run.map(str::to_owned);
            self.options.metric = None;
        }
        self.is_open = true;
        self.reload(desk);
    }

    /// Reads everything again; the cursor stays on its sample.
    pub fn reload(&mut self, desk: &mut Desk) {
        self.wanted = self.pages.selected().map(|row| row.key);
        self.requested = None;
        self.ask_list(desk);
    }

    fn ask_list(&mut self, desk: &mut Desk) {
        let watched = self.watch(desk);
        // In another list, rows have other numbers.
        self.selection.clear();
        self.list = AnswerState::Waiting;
        desk.ask(
            ResultListQuestion(self.options.clone(), watched),
            Self::take_list,
        );
        if let ResultsUpperPane::Groups(by) = self.upper {
            self.ask_groups(by, desk);
        }
    }

    /// Cancels the watched question, and watches another one.
    fn watch(&mut self, desk: &mut Desk) -> QuestionMonitor {
        self.stop_watched();
        let watched = QuestionMonitor(Arc::new(Monitor::default()));
        self.watched = Some(watched.clone());
        desk.push(Effect::Tick { after_ms: LOOK_MS });
        watched
    }

    fn stop_watched(&mut self) -> bool {
        match self.watched.take() {
            Some(watched) => {
                watched.0.cancel();
                true
            }
            None => false,
        }
    }

    /// Renews the progress of the watched question; tells whether there is one.
    pub fn tick(&mut self, desk: &mut Desk) -> bool {
        let is_watching = self.watched.is_some();
        if is_watching {
            desk.push(Effect::Tick { after_ms: LOOK_MS });
        }
        is_watching
    }

    fn take_list(&mut self, ResultListing { list, setting }: ResultListing, desk: &mut Desk) {
        self.watched = None;
        let view = Arc::new(list.view.clone());
        if self.columns.is_empty()
            || self
                .view
                .as_ref()
                .is_none_or(|results_view| results_view.metrics != view.metrics)
        {
            self.columns = table::columns(&view);
        }
        // The columns about executions were not offered before the first one.
        let is_new = self.setting.is_none() && setting.is_some();
        self.setting = setting;
        let restored = std::mem::take(&mut self.restored_columns);
        if !restored.is_empty() {
            self.columns = restored;
        }
        if is_new {
            table::add_ran(&mut self.columns);
        }
        self.options.run = Some(view.run.setting.name.clone());
        let wanted = self.wanted.take();
        let cursor = match &self.list {
            _ if wanted.is_none() => 0,
            _ => self.pages.cursor(),
        };
        self.pages.reset(list.ordinals.len(), cursor);
        self.view = Some(view);
        if let Some((key, _)) = self.located {
            let list = Arc::clone(&list);
            desk.ask(ResultPlaceQuestion { list, key }, Self::take_located);
        }
        self.list = AnswerState::Ready(list);
        self.requested = None;
        self.ask_rows(desk);
    }

    fn ask_rows(&mut self, desk: &mut Desk) {
        if let AnswerState::Ready(list) = &self.list
            && let Some(range) = self.pages.missing()
        {
            let list = Arc::clone(list);
            desk.ask(ResultRowsQuestion { list, range }, Self::take_rows);
        }
        self.ask_detail(desk);
    }

    fn take_rows(&mut self, (start, rows): (usize, Vec<ResultRow>), desk: &mut Desk) {
        self.pages.take(start, rows);
        self.ask_rows(desk);
    }

    /// Asks for the prediction under the cursor, unless it was the last one asked for.
    fn ask_detail(&mut self, desk: &mut Desk) {
        let AnswerState::Ready(list) = &self.list else {
            return;
        };
        let ordinal = list.ordinals.get(self.pages.cursor()).copied();
        if ordinal.is_some() && ordinal == self.requested {
            return;
        }
        self.requested = ordinal;
        match (ordinal, &self.view) {
            (Some(ordinal), Some(view)) => {
                let view = Arc::clone(view);
                desk.ask(ResultDetailQuestion { view, ordinal }, Self::take_detail);
            }
            _ => self.shown = None,
        }
    }

    /// Shows a prediction beside the list.
    fn take_detail(&mut self, whole: WholePrediction, _desk: &mut Desk) {
        let around = whole.around.as_ref();
        if let Some(shown) = &whole.explained {
            let detail = &shown.detail;
            let reference = detail.reference.as_ref();
            let language = reference.and_then(|reference| language_of(&reference.path));
            let truth = DifferenceText {
                language,
                title: "ground truth".to_owned(),
                text: reference.map_or_else(String::new, |reference| reference.text.clone()),
                first_line: reference.map_or(1, |reference| reference.first_line),
            };
            let answer = DifferenceText {
                language,
                title: self.answer_title().to_owned(),
                text: detail.answered.prediction.clone(),
                first_line: 1,
            };
            self.difference.show(truth, answer);
            if let Some(explanation) = &shown.explanation {
                let costs = explanation.costs.iter();
                let costs: Vec<_> = costs
                    .map(|cost| (side_of(cost.side), cost.range.clone(), cost.cost))
                    .collect();
                self.difference.set_costs(&costs);
            }
            let reading = detail.answered.reading.as_ref();
            if let Some((line, column)) =
                reading.and_then(|prediction_reading| prediction_reading.syntax_error)
            {
                let text = "the parser stops here";
                let (line, column) = (line.saturating_sub(1), column.saturating_sub(1));
                self.difference.set_error(DiffSide::New, line, column, text);
            }
            if let Some((line, text)) = whole
                .execution
                .as_ref()
                .and_then(|executed_prediction| execution::fault(&executed_prediction.detail))
            {
                let line = line.saturating_sub(1);
                self.difference.set_error(DiffSide::New, line, 0, &text);
            }
            self.unpainted.extend(self.difference.jobs());
            let target = self
                .view
                .as_ref()
                .map(|results_view| results_view.run.setting.target);
            let first_line = reference.map(|reference| reference.first_line);
            if detail.row.asked.is_some() {
                self.around.show_asked(around);
            } else {
                self.around
                    .show(around, target.unwrap_or_default(), first_line);
            }
            self.unpainted.extend(self.around.jobs());
        }
        self.execution.show(whole.execution, whole.prompted);
        self.unpainted.extend(self.execution.jobs());
        self.shown = whole.explained;
        self.upper_top = 0;
    }

    fn take_groups(&mut self, groups: Vec<ResultGroup>, _desk: &mut Desk) {
        self.watched = None;
        self.group_cursor = self.group_cursor.min(groups.len().saturating_sub(1));
        self.groups = AnswerState::Ready(groups);
    }

    fn take_nearest(&mut self, nearest: Nearest, _desk: &mut Desk) {
        self.watched = None;
        self.nearest_cursor = 0;
        self.nearest = AnswerState::Ready(nearest);
    }

    /// Goes to the last session's sample, or to its former row if it is gone.
    fn take_located(&mut self, place: Option<usize>, desk: &mut Desk) {
        let Some((_, row)) = self.located.take() else {
            return;
        };
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        self.pages.go_to(place.unwrap_or(row));
        self.ask_rows(desk);
        if place.is_none() {
            desk.request(ScreenRequest::MissSample);
        }
    }

    /// Goes to the row that a search found, or reports that there is none.
    fn take_found(&mut self, found: Option<usize>, desk: &mut Desk) {
        if let Some(place) = found {
            self.pages.go_to(place);
            self.ask_rows(desk);
        } else {
            let text = format!("{}: no test or focal method of that name", self.needle);
            desk.show_message(text, Role::Warning);
        }
    }

    #[must_use]
    pub fn shown(&self) -> Option<&ExplainedPrediction> {
        self.shown.as_deref()
    }

    #[must_use]
    pub fn view(&self) -> Option<&ResultsView> {
        self.view.as_deref()
    }

    /// Explains why there is no outcome.
    fn not_executed(&self) -> &'static str {
        match self.run_kind() {
            RunKind::Samples | RunKind::Clover => NOT_EXECUTED,
            RunKind::Consistency => "completions of halves are not executed",
        }
    }

    /// Returns the kind of question that the run answers.
    #[must_use]
    pub fn run_kind(&self) -> RunKind {
        self.view()
            .map_or(RunKind::Samples, |results_view| results_view.run.kind)
    }

    /// Returns the title of the text that is compared with the ground truth: in a run of true tests it is no
    /// prediction.
    fn answer_title(&self) -> &'static str {
        let source = self
            .view()
            .map(|results_view| results_view.run.setting.source.as_str());
        if source == Some(TRUTH_SOURCE) {
            "true test"
        } else {
            "prediction"
        }
    }

    #[must_use]
    pub fn options(&self) -> &ResultsOptions {
        &self.options
    }

    fn set_filter(&mut self, filter: Filter, desk: &mut Desk) {
        self.filter_text = write_filter(&filter);
        self.options.filter = filter;
        self.located = None;
        self.ask_list(desk);
    }

    /// Shows another run under the same filter.
    pub fn set_run(&mut self, run: &str, desk: &mut Desk) {
        self.options.run = Some(run.to_owned());
        if self.options.baseline.as_deref() == Some(run) {
            self.options.baseline = None;
        }
        self.reload(desk);
    }

    /// Returns the names of the run and its baseline; nothing without a baseline.
    #[must_use]
    pub fn compared(&self) -> Option<[&str; 2]> {
        // Taken from the view, because a filter may name other runs than the chosen ones.
        let view = self.view()?;
        let runs = [&view.run, view.baseline.as_ref()?];
        Some(runs.map(|run| run.setting.name.as_str()))
    }

    /// Compares the run with another one, or with none.
    pub fn set_baseline(&mut self, baseline: Option<&str>, desk: &mut Desk) {
        self.options.baseline = baseline.map(str::to_owned);
        self.reload(desk);
    }

    pub fn set_metric(&mut self, metric: &'static Metric, desk: &mut Desk) {
        self.options.metric = Some(metric);
        self.reload(desk);
    }

    /// Shows groups in place of the list.
    pub fn group(&mut self, by: GroupBy, desk: &mut Desk) {
        self.upper = ResultsUpperPane::Groups(by);
        self.focus = ResultsFocus::Upper;
        self.group_cursor = 0;
        self.ask_groups(by, desk);
    }

    fn ask_groups(&mut self, by: GroupBy, desk: &mut Desk) {
        self.groups = AnswerState::Waiting;
        let watched = self.watch(desk);
        let groups = ResultGroupsQuestion(self.options.clone(), by, watched);
        desk.ask(groups, Self::take_groups);
    }

    /// Shows in the upper pane how the value is computed, or the list again.
    pub fn toggle_breakdown(&mut self) {
        self.focus = ResultsFocus::Upper;
        self.upper = match self.upper {
            ResultsUpperPane::Breakdown => ResultsUpperPane::List,
            _ => ResultsUpperPane::Breakdown,
        };
        self.upper_top = 0;
    }

    /// Shows the nearest training samples in the upper pane, or the list again.
    pub fn toggle_nearest(&mut self, desk: &mut Desk) {
        if self.upper == ResultsUpperPane::Nearest {
            self.upper = ResultsUpperPane::List;
            return;
        }
        let Some(key) = self
            .shown
            .as_ref()
            .map(|explained_prediction| explained_prediction.detail.row.key)
        else {
            return;
        };
        if self.run_kind() != RunKind::Samples {
            desk.show_message("only samples have training samples near them", Role::Dim);
            return;
        }
        self.upper = ResultsUpperPane::Nearest;
        self.focus = ResultsFocus::Upper;
        self.nearest = AnswerState::Waiting;
        let watched = self.watch(desk);
        desk.ask(NearestQuestion(key, watched), Self::take_nearest);
    }

    /// Lists the correct answers that the metric overlooks, or everything again.
    ///
    /// # Errors
    /// The reason why there is no such list.
    fn list_unseen(&mut self, desk: &mut Desk) -> Result<(), String> {
        if self.setting.is_none() {
            return Err(self.not_executed().to_owned());
        }
        let metric = self
            .view
            .as_ref()
            .and_then(|results_view| results_view.metric);
        let metric = metric.ok_or(NOT_EVALUATED)?;
        let text = format!("ran:correct {metric}<{UNSEEN_MAX}");
        let text = if self.filter_text == text {
            String::new()
        } else {
            text
        };
        self.read_filter(&text)
            .map_err(|filter_flaw| filter_flaw.text)?;
        (self.wanted, self.located) = (None, None);
        self.upper = ResultsUpperPane::List;
        self.ask_list(desk);
        Ok(())
    }

    /// Sorts the list; sorting by the same again reverses the order.
    pub fn sort(&mut self, by: ResultSort, desk: &mut Desk) -> Result<(), &'static str> {
        let metric = self
            .view
            .as_ref()
            .and_then(|results_view| results_view.metric);
        let (field, first) = match by {
            ResultSort::Index => {
                let mut filter = self.options.filter.clone();
                filter.sort.clear();
                self.set_filter(filter, desk);
                return Ok(());
            }
            ResultSort::Value => {
                let metric = metric.ok_or(NOT_EVALUATED)?;
                (SortField::Score(metric), Direction::Ascending)
            }
            ResultSort::Delta if self.options.baseline.is_none() => {
                return Err("there is no baseline · b chooses one");
            }
            ResultSort::Delta => (SortField::Delta(None), Direction::Ascending),
            ResultSort::Repo => (SortField::Sample(SampleSort::Repo), Direction::Ascending),
            ResultSort::Test => (SortField::Sample(SampleSort::Test), Direction::Ascending),
            ResultSort::Length => (
                SortField::Prediction(PredictionSort::ReferenceTokens),
                Direction::Descending,
            ),
            ResultSort::Ran if self.setting.is_none() => return Err(self.not_executed()),
            ResultSort::Ran => (
                SortField::Prediction(PredictionSort::Ran),
                Direction::Ascending,
            ),
        };
        let mut filter = self.options.filter.clone();
        let key = SortKey {
            field,
            direction: first,
        };
        let is_again = filter.sort == [key];
        filter.sort = vec![SortKey {
            field,
            direction: match (is_again, first) {
                (true, Direction::Ascending) => Direction::Descending,
                (true, Direction::Descending) => Direction::Ascending,
                (false, first) => first,
            },
        }];
        self.set_filter(filter, desk);
        Ok(())
    }

    /// Writes the line above the screen.
    fn line(&self) -> String {
        let filter = if self.filter_text.is_empty() {
            "every prediction · f filters"
        } else {
            &self.filter_text
        };
        let run = self.options.run.as_deref().unwrap_or("no run");
        let baseline = self.options.baseline.as_deref();
        let against = baseline.map_or_else(String::new, |baseline| format!(" against {baseline}"));
        let n = match (&self.watched, &self.list) {
            (Some(watched), _) => cells::progress(&watched.0),
            (None, AnswerState::Ready(list)) if list.ordinals.len() as u64 == list.n_all => {
                count(list.n_all)
            }
            (None, AnswerState::Ready(list)) => {
                format!(
                    "{} of {}",
                    count(list.ordinals.len() as u64),
                    count(list.n_all)
                )
            }
            _ => "…".to_owned(),
        };
        // An execution without a sandbox is mentioned wherever it is shown.
        let setting = self.setting.as_ref();
        let unheld = setting.filter(|execution_setting| execution_setting.sandbox == "none");
        let unheld = unheld.map_or("", |_| " · ran without a sandbox");
        let selected = self.selection.note(Some(self.pages.cursor() as u64));
        format!("{run}{against} · {filter} · {n}{selected}{unheld}")
    }
}

const fn side_of(side: explain::TextSide) -> DiffSide {
    match side {
        explain::TextSide::Reference => DiffSide::Old,
        explain::TextSide::Prediction => DiffSide::New,
    }
}
