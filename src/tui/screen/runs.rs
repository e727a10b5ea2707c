//! The runs: a table of their scores, and below it all facts about the one under the cursor.
//!
//! ```text
//! ┌ runs ─────────────────────────────────────────────────────┐
//! │  name        model    target     samples  …  BLEU▼  BLEU-1 │   the name stays, the rest scrolls sideways
//! ├ carbon ───────────────┬ metrics ──────────┬ problems ─────┤
//! │ setting and counts    │ all versions      │               │   one, two or three panes, by the width
//! └───────────────────────┴───────────────────┴───────────────┘
//! ```
//!
//! Enter gives the lower panes the whole screen.

mod act;
pub mod commands;
pub mod detail;
mod draw;
mod execution_lines;
#[cfg(test)]
pub mod fixture;
pub mod keys;
pub mod questions;
pub mod table;
#[cfg(test)]
pub mod tests;

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::desk::{Desk, QuestionScreen};
use crate::keymap::Motion;
use crate::model::{Direction, Problem, RunRow};
use crate::question::QuestionFailure;
use crate::screen::runs::commands::{RunCopy, RunSort};
use crate::screen::runs::detail::RunDetailLine;
use crate::screen::runs::questions::{
    Executions, ExecutionsQuestion, Languages, RunId, RunLanguagesQuestion, RunProblemsQuestion,
};
use crate::screen::runs::table::{CellNote, MetricBasis, RunCell, RunColumn};
use crate::screen::{AnswerState, Screen};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::{count, inside};

#[derive(Debug, Default)]
pub struct Runs {
    /// The runs in the order of import.
    rows: AnswerState<Vec<RunRow>>,
    /// The executions of runs, with their outcomes.
    executions: Executions,
    languages: Languages,
    columns: Vec<RunColumn>,
    /// The rows of the table, as indices in `rows`.
    order: Vec<usize>,
    /// The cells of each of `rows`.
    cells: Vec<Vec<RunCell>>,
    /// The wanted width of each column.
    widths: Vec<usize>,
    sort: Option<(RunColumn, Direction)>,
    values: MetricBasis,
    baseline: Option<String>,
    /// The row of the cursor in the table.
    cursor: usize,
    /// The first visible row of the table.
    top: usize,
    /// The index of the column with the cursor, and that of the first visible column after the name.
    column: usize,
    left: usize,
    /// The run to go to as soon as it is listed.
    wanted: Option<String>,
    problems: Option<(RunId, Vec<Problem>)>,
    asked_problems: Option<RunId>,
    is_zoomed: bool,
    detail_top: usize,
    /// Titles and lines of the lower panes, with the data that they were made from.
    detail: Vec<(String, Vec<RunDetailLine>)>,
    detail_of: Option<RunDetailKey>,
    /// The number of times that the runs have been read.
    n_readings: u64,
    table_area: Rect,
    detail_areas: Vec<Rect>,
}

/// The data that decide the lines of the lower panes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RunDetailKey {
    run: Option<RunId>,
    baseline: Option<RunId>,
    n_areas: usize,
    n_readings: u64,
}

/// With less height below it, the table stands alone.
const DETAIL_HEIGHT_MIN: u16 = 7;
const NAME_WIDTH_MAX: usize = 24;
const TEXT_WIDTH_MAX: usize = 16;
/// The width of the cursor and of the baseline's mark.
const MARKS: usize = 3;

impl QuestionScreen for Runs {
    const SCREEN: Screen = Screen::Runs;
}

impl Runs {
    pub fn take_runs(&mut self, runs: Vec<RunRow>, desk: &mut Desk) {
        let selected = self.wanted.take().or_else(|| self.selected_name());
        let ids: Vec<RunId> = runs.iter().map(|run| run.id).collect();
        if !ids.is_empty() {
            desk.ask(ExecutionsQuestion(ids.clone()), Self::take_executions);
            desk.ask(RunLanguagesQuestion(ids), Self::take_languages);
        }
        self.columns = table::columns(&runs, &self.executions);
        self.rows = AnswerState::Ready(runs);
        self.n_readings += 1;
        self.column = self.column.min(self.columns.len().saturating_sub(1));
        // Evaluating or replacing a run may have changed its problems.
        self.problems = None;
        self.asked_problems = None;
        if let Some(baseline) = &self.baseline
            && self.place(baseline).is_none()
        {
            self.baseline = None;
        }
        self.rebuild();
        if let Some(name) = selected {
            self.go_to(&name);
        }
        self.cursor = self.cursor.min(self.order.len().saturating_sub(1));
        self.ask_problems(desk);
    }

    fn take_languages(&mut self, languages: Languages, _desk: &mut Desk) {
        self.languages = languages;
        self.rebuild();
    }

    fn take_executions(&mut self, executions: Executions, _desk: &mut Desk) {
        self.executions = executions;
        let under = self.columns.get(self.column).cloned();
        self.columns = table::columns(self.rows(), &self.executions);
        let place = self
            .columns
            .iter()
            .position(|column| Some(column) == under.as_ref());
        self.column = place.unwrap_or(0);
        let selected = self.selected_name();
        self.rebuild();
        if let Some(name) = selected {
            self.go_to(&name);
        }
        self.detail_of = None;
    }

    fn take_problems(&mut self, problems: (RunId, Vec<Problem>), _desk: &mut Desk) {
        self.problems = Some(problems);
        self.detail_of = None;
    }

    pub fn miss(&mut self, failure: &QuestionFailure) {
        self.rows = failure.into();
        self.order = Vec::new();
        self.cells = Vec::new();
    }

    /// Tells whether the runs have been read, or could not be.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !matches!(self.rows, AnswerState::Waiting)
    }

    /// Returns the runs in the order of import.
    #[must_use]
    pub fn rows(&self) -> &[RunRow] {
        self.rows.ready().map_or(&[], Vec::as_slice)
    }

    #[must_use]
    pub fn selected(&self) -> Option<&RunRow> {
        self.rows().get(*self.order.get(self.cursor)?)
    }

    fn selected_name(&self) -> Option<String> {
        self.selected().map(|run| run.setting.name.clone())
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.rows().iter().position(|row| row.setting.name == name)
    }

    /// Goes to a run, at once or when it is listed.
    pub fn want(&mut self, name: &str, desk: &mut Desk) {
        if !self.look_for(name, desk) {
            self.wanted = Some(name.to_owned());
        }
    }

    /// Goes to a run; tells whether it is listed.
    pub fn look_for(&mut self, name: &str, desk: &mut Desk) -> bool {
        let is_there = self.place(name).is_some();
        if is_there {
            self.go_to(name);
            self.ask_problems(desk);
        }
        is_there
    }

    fn go_to(&mut self, name: &str) {
        let place = self.place(name);
        let row = self.order.iter().position(|idx| Some(*idx) == place);
        self.cursor = row.unwrap_or(self.cursor);
        self.detail_top = 0;
    }

    fn baseline(&self) -> Option<&RunRow> {
        let place = self.place(self.baseline.as_deref()?)?;
        self.rows().get(place)
    }

    /// Makes order, cells and widths anew, after a change of what decides them.
    fn rebuild(&mut self) {
        let order = table::order(
            self.rows(),
            self.sort.as_ref(),
            (self.values, &self.executions),
        );
        let cells = table::cells(
            self.rows(),
            &self.columns,
            (self.values, &self.executions),
            self.baseline(),
        );
        self.order = order;
        self.cells = cells;
        self.widths = (0..self.columns.len())
            .map(|idx| self.wanted_width(idx))
            .collect();
    }

    fn ask_problems(&mut self, desk: &mut Desk) {
        let Some((run, has_problems)) = self
            .selected()
            .map(|run_row| (run_row.id, run_row.n_problems > 0))
        else {
            return;
        };
        if has_problems && self.asked_problems != Some(run) {
            self.asked_problems = Some(run);
            desk.ask(RunProblemsQuestion(run), Self::take_problems);
        }
    }

    fn scroll_detail(&mut self, motion: Motion) {
        let page = self.detail_height().max(1);
        let longest = self.detail.iter().map(|(_, lines)| lines.len()).max();
        let most = longest.unwrap_or(0).saturating_sub(page);
        self.detail_top = motion.moved(self.detail_top, page).min(most);
    }

    /// Sorts the table; sorting by the same again reverses the order. Returns the message.
    pub fn sort(&mut self, by: RunSort, desk: &mut Desk) -> String {
        let column = match by {
            RunSort::Index => None,
            RunSort::Column => self.columns.get(self.column).cloned(),
            RunSort::Name => Some(RunColumn::Name),
            RunSort::Model => Some(RunColumn::Model),
            RunSort::Target => Some(RunColumn::Target),
            RunSort::Samples => Some(RunColumn::Samples),
            RunSort::Problems => Some(RunColumn::Problems),
            RunSort::Unparsable => Some(RunColumn::Unparsable),
            RunSort::OverLength => Some(RunColumn::OverLength),
            RunSort::Correct => Some(RunColumn::Correct),
            RunSort::Metric(id) => Some(RunColumn::Metric(id.to_owned())),
        };
        let text = match &column {
            Some(column) if !self.columns.contains(column) => {
                return format!("nothing to sort: all are alike in {}", column.title());
            }
            Some(column) => {
                let first = column.first_direction();
                let is_again = self.sort == Some((column.clone(), first));
                let direction = match (first, is_again) {
                    (Direction::Ascending, false) | (Direction::Descending, true) => {
                        Direction::Ascending
                    }
                    _ => Direction::Descending,
                };
                let arrow = arrow(direction);
                let text = format!("sorted by {} {arrow}", column.title());
                self.sort = Some((column.clone(), direction));
                text
            }
            None => {
                self.sort = None;
                "in the order of import".to_owned()
            }
        };
        if let Some(place) =
            column.and_then(|run_column| self.columns.iter().position(|c| *c == run_column))
        {
            self.column = place;
        }
        self.rebuild();
        // The user sorts to see the first rows.
        self.cursor = 0;
        self.top = 0;
        self.detail_top = 0;
        self.ask_problems(desk);
        text
    }

    /// Shows the next kind of values; returns the message.
    pub fn turn_values(&mut self) -> &'static str {
        self.values = self.values.next();
        let selected = self.selected_name();
        self.rebuild();
        if let Some(name) = selected {
            self.go_to(&name);
        }
        self.values.text()
    }

    /// Compares the other runs with the one under the cursor, or stops that; returns the message, or nothing without a
    /// run.
    pub fn turn_baseline(&mut self) -> Option<String> {
        let run = self.selected()?;
        let name = run.setting.name.clone();
        if run
            .evaluations
            .iter()
            .all(|evaluation| evaluation.value.is_none())
        {
            let name = visible(&name);
            return Some(format!("{name} is not evaluated: nothing to compare with"));
        }
        let text = if self.baseline.as_ref() == Some(&name) {
            self.baseline = None;
            "values as they are".to_owned()
        } else {
            let text = format!("differences to {} in points", visible(&name));
            self.baseline = Some(name);
            text
        };
        self.rebuild();
        Some(text)
    }

    /// Returns a text for the clipboard, and its name.
    #[must_use]
    pub fn copied(&self, what: RunCopy) -> Option<(String, &'static str)> {
        let place = *self.order.get(self.cursor)?;
        let all = || self.order.iter().filter_map(|idx| self.cells.get(*idx));
        Some(match what {
            RunCopy::Row => {
                let row = self.cells.get(place)?;
                (table::tsv(&self.columns, &[row]), "the run")
            }
            RunCopy::TableTsv => {
                let rows: Vec<_> = all().collect();
                (table::tsv(&self.columns, &rows), "the table")
            }
            RunCopy::TableMarkdown => {
                let rows: Vec<_> = all().collect();
                (
                    table::markdown(&self.columns, &rows),
                    "the table as Markdown",
                )
            }
        })
    }

    fn n_visible(&self) -> usize {
        usize::from(inside(self.table_area).height.saturating_sub(1))
    }

    fn detail_height(&self) -> usize {
        let area = self.detail_areas.first().copied().unwrap_or_default();
        usize::from(inside(area).height)
    }

    /// Computes the wanted width of a column, with the sign after its values but without the gap before it.
    fn wanted_width(&self, idx: usize) -> usize {
        let column = &self.columns[idx];
        let cells = self.cells.iter().filter_map(|row| row.get(idx));
        let widest = cells.map(|cell| cell.text.width()).max().unwrap_or(0);
        // The arrow of the order follows the head, the sign of a note follows the number.
        let head = column.title().width() + 1;
        match column {
            RunColumn::Name => widest.max(head),
            RunColumn::Model | RunColumn::Target => widest.max(head).min(TEXT_WIDTH_MAX),
            _ => head.max(widest + 1),
        }
    }

    /// Computes the width of a column. The name gets its wanted width only if all columns fit, else it leaves room for
    /// others.
    fn width(&self, idx: usize) -> usize {
        let wanted = self.widths.get(idx).copied().unwrap_or(0);
        if idx > 0 {
            return wanted;
        }
        let others: usize = self.widths.iter().skip(1).map(|width| width + 1).sum();
        let room = usize::from(inside(self.table_area).width);
        let spare = room.saturating_sub(MARKS + others);
        wanted.min(spare.max(NAME_WIDTH_MAX))
    }

    /// Scrolls so that the column with the cursor is visible as a whole, if the width allows.
    fn scroll_columns(&mut self, width: usize) {
        let last = self.columns.len().saturating_sub(1);
        self.left = self.left.clamp(1, last.max(1));
        if self.column <= self.left {
            self.left = self.column.max(1);
        }
        while self.left < self.column && !self.is_whole(self.column, width) {
            self.left += 1;
        }
        // Scrolls back as far as the last column stays visible as a whole.
        while self.left > 1 && {
            self.left -= 1;
            let is_better = self.is_whole(last, width);
            self.left += usize::from(!is_better);
            is_better
        } {}
    }

    fn is_whole(&self, column: usize, width: usize) -> bool {
        let found = self.visible_columns(width);
        found.iter().any(|(idx, _, _)| *idx == column)
    }

    /// Lists the visible columns that fit as a whole: index, place and width.
    fn visible_columns(&self, width: usize) -> Vec<(usize, usize, usize)> {
        let mut x = MARKS;
        let mut shown = Vec::new();
        for idx in std::iter::once(0).chain(self.left.max(1)..self.columns.len()) {
            let column_width = self.width(idx);
            if x + column_width > width && idx > 0 {
                break;
            }
            shown.push((idx, x, column_width.min(width.saturating_sub(x))));
            x += column_width + 1;
        }
        shown
    }

    /// Describes the values in the table, for the line above it.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(run) = self.selected() else {
            return "models' answers and their scores".to_owned();
        };
        let mut parts = vec![format!(
            "{}/{}",
            count(self.cursor as u64 + 1),
            count(self.order.len() as u64)
        )];
        match self.baseline() {
            Some(base) if base.id != run.id || self.order.len() > 1 => parts.push(format!(
                "points to {} {}",
                visible(&base.setting.name),
                self.values.text()
            )),
            _ => parts.push(format!("percent {}", self.values.text())),
        }
        let notes = self.cells.iter().flatten().map(|cell| cell.note);
        let has = |note: CellNote| notes.clone().any(|cell_note| cell_note == note);
        if has(CellNote::Best) {
            parts.push("* best of as many samples".to_owned());
        }
        if has(CellNote::Outdated) {
            parts.push("† outdated".to_owned());
        }
        parts.join(" · ")
    }

    /// Makes titles and lines of the lower panes, one for each area.
    fn new_detail(&self) -> Vec<(String, Vec<RunDetailLine>)> {
        let Some(run) = self.selected() else {
            return Vec::new();
        };
        let name = visible(&run.setting.name);
        let read = self.problems.as_ref().filter(|(id, _)| *id == run.id);
        let ran = self.executions.get(&run.id);
        let languages = self.languages.get(&run.id).map_or(&[][..], Vec::as_slice);
        let ran = ran.map_or_else(Vec::new, |run_execution| {
            execution_lines::lines(run_execution, languages)
        });
        let facts = detail::facts(run, languages);
        let metrics = detail::metrics(run, self.baseline());
        let problems = detail::problems(run, read.map(|(_, problems)| problems.as_slice()));
        let metrics_title = "metrics".to_owned();
        let problems_title = format!("problems · {}", count(run.n_problems));
        let heading = |text: &str| vec![vec![], vec![(format!(" {text}"), Role::Title)]];
        let with_problems = |mut lines: Vec<RunDetailLine>| {
            if run.n_problems > 0 {
                lines.extend(heading(&problems_title));
                lines.extend(problems.clone());
            }
            lines
        };
        match self.detail_areas.len() {
            0 => Vec::new(),
            1 => {
                // The table shows few metrics on a narrow screen, so they come first here.
                let lines = with_gap(ran).chain(metrics);
                let lines = lines.chain([Vec::new()]).chain(facts);
                vec![(name, with_problems(lines.collect()))]
            }
            2 => {
                let facts = with_gap(ran).chain(facts).collect();
                vec![(name, with_problems(facts)), (metrics_title, metrics)]
            }
            _ => vec![
                (name, with_gap(ran).chain(facts).collect()),
                (metrics_title, metrics),
                (problems_title, problems),
            ],
        }
    }
}

/// Adds an empty line behind lines, if there are any.
fn with_gap(lines: Vec<RunDetailLine>) -> impl Iterator<Item = RunDetailLine> {
    let gap = (!lines.is_empty()).then(Vec::new);
    lines.into_iter().chain(gap)
}

/// Chooses the sign of an order for the head of its column.
const fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Ascending => "▲",
        Direction::Descending => "▼",
    }
}
