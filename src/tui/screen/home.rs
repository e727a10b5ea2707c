//! Home: the funnel from files to samples, the losses on the way, and what to do next.
//!
//! ```text
//! < 100 columns     from 100
//! ┏ next ━━━━━━━┓   ┏ next ━━━━━━━━━┓┌ repositories ─┐
//! ├ funnel ─────┤   ├ funnel ───────┤├ problems ─────┤
//! ├ …           │   └ dropped ──────┘└ commands ─────┘
//! ```
//!
//! What to do next comes first and has the cursor; Tab goes from section to section.
//!
//! Where the columns leave room below, charts stand there.
//!
//! Every line that counts tests opens the list of exactly these tests.

mod act;
pub mod questions;
mod sections;
#[cfg(test)]
pub mod tests;

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};
use unicode_width::UnicodeWidthStr;

use crate::chart::{Figure, Glyphs, Scale, text_height};
use crate::desk::{Desk, QuestionScreen};
use crate::keymap::StepDirection;
use crate::layout::above;
use crate::model::{Funnel, RepoRow, RunRow};
use crate::plot::PlotKind;
use crate::question::shared::ChartQuestion;
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::docs::explain;
use crate::screen::home::questions::{CHART, ConflictCountQuestion, FunnelQuestion};
use crate::screen::{AnswerState, DrawContext, Screen};
use crate::text::visible;
use crate::theme::Role;
use crate::widget::chart;
use crate::widget::frame::{Pane, count, counted, cut, fit, inside, pieces};
use crate::wrap::wrap;
use sections::{HomeEntry, HomeSection};

/// The destination of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HomeTarget {
    /// The list under this filter.
    Samples(String),
    Repos,
    /// The table of runs, with the cursor on this one.
    Run(String),
    Runs,
    /// The screen where samples are judged.
    Annotate,
    /// The screen where annotators' conflicts are ruled on.
    Disagree,
    /// Builds the bundled samples here.
    Demo,
    /// Mines repositories.
    Mine,
}

#[derive(Debug, Default)]
pub struct Home {
    funnel: AnswerState<Funnel>,
    repos: Vec<RepoRow>,
    runs: Option<HomeSection>,
    /// The charts that have been read, also those without data.
    charts: Vec<(PlotKind, Figure)>,
    /// The kinds of charts that are up to date.
    fresh: Vec<PlotKind>,
    is_charting: bool,
    /// The number of disagreements that wait for a ruling.
    n_conflicts: u64,
    sections: Vec<HomeSection>,
    /// The index among the lines that have a target.
    cursor: usize,
    columns: Vec<Rect>,
    /// The first visible row of a column that is too short.
    top: usize,
}

/// The charts that may be shown here, the most important first.
pub const CHARTS: &[PlotKind] = &[PlotKind::Runs, PlotKind::Verdicts, PlotKind::Splits];
/// The least inner height of a chart with a scale: it leaves six rows to tell values apart.
const CHART_HEIGHT_MIN: u16 = 12;
/// Below this inner height, a chart has no subtitle and no title of the x axis.
const CHART_HEIGHT_TOLD: u16 = 14;
/// Below this size there are no charts, even with room.
const CHARTED: Size = Size::new(120, 37);

const REPOS_MAX: usize = 8;
const RUNS_MAX: usize = 3;
const NAME_WIDTH_MAX: usize = 20;

impl QuestionScreen for Home {
    const SCREEN: Screen = Screen::Home;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, desk: &mut Desk) {
        match slot {
            FunnelQuestion::SLOT => self.fail_funnel(failure),
            // Nobody has asked for the chart.
            CHART => {}
            _ => desk.show_failure(failure),
        }
    }
}

impl Home {
    /// Asks for the numbers of the funnel.
    pub fn ask(desk: &mut Desk) {
        desk.ask(FunnelQuestion, Self::take_funnel);
    }

    /// Asks for the number of disagreements that wait.
    pub fn ask_conflicts(desk: &mut Desk) {
        desk.ask(ConflictCountQuestion, |home: &mut Self, n_open, _| {
            home.take_conflicts(n_open);
        });
    }

    fn take_funnel(&mut self, funnel: Funnel, _desk: &mut Desk) {
        self.funnel = AnswerState::Ready(funnel);
        self.rebuild();
    }

    pub fn take_repos(&mut self, repos: Vec<RepoRow>) {
        self.repos = repos;
        self.rebuild();
    }

    pub fn take_runs(&mut self, runs: &[RunRow]) {
        self.runs = Some(sections::last_runs(runs));
        self.rebuild();
    }

    fn take_chart(&mut self, (kind, figure): (PlotKind, Box<Figure>), _desk: &mut Desk) {
        self.charts.retain(|chart| chart.0 != kind);
        self.charts.push((kind, *figure));
        self.fresh.push(kind);
        self.is_charting = false;
    }

    /// Asks for the next chart, if there is room: one at a time, so that a reader stays free for samples.
    pub fn ask_chart(&mut self, body: Rect, desk: &mut Desk) {
        if let Some(kind) = self.wants_chart(body) {
            desk.ask_in(CHART, ChartQuestion(kind), Self::take_chart);
        }
    }

    fn wants_chart(&mut self, body: Rect) -> Option<PlotKind> {
        let has_tests = self.funnel.ready().is_some_and(|funnel| funnel.n_repos > 0);
        if self.is_charting || !has_tests || !has_room(body) {
            return None;
        }
        let next = CHARTS
            .iter()
            .find(|plot_kind| !self.fresh.contains(plot_kind))
            .copied();
        self.is_charting = next.is_some();
        next
    }

    /// Lets one chart be asked for again, or all of them; the present ones stay visible until then.
    pub fn forget_charts(&mut self, kind: Option<PlotKind>) {
        self.fresh
            .retain(|plot_kind| kind.is_some_and(|kind| kind != *plot_kind));
        self.is_charting = false;
    }

    #[must_use]
    pub fn repos(&self) -> &[RepoRow] {
        &self.repos
    }

    pub fn take_conflicts(&mut self, n_open: u64) {
        self.n_conflicts = n_open;
        self.rebuild();
    }

    fn fail_funnel(&mut self, failure: &QuestionFailure) {
        self.funnel = failure.into();
        self.sections = match failure {
            QuestionFailure::NoIndex => vec![sections::welcome()],
            QuestionFailure::Other(_) => Vec::new(),
        };
        self.cursor = 0;
    }

    /// Writes a summary for the top bar; nothing for an empty index.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let funnel = self
            .funnel
            .ready()
            .filter(|funnel| funnel.n_tests + funnel.n_repos > 0)?;
        let tests = counted(funnel.n_tests, "test");
        let repos = match funnel.n_repos {
            1 => "1 repository".to_owned(),
            n => format!("{} repositories", count(n)),
        };
        Some(format!("{tests} · {repos}"))
    }

    fn rebuild(&mut self) {
        let Some(funnel) = self.funnel.ready() else {
            return;
        };
        let runs = self.runs.clone();
        self.sections = if funnel.n_repos == 0 {
            vec![sections::welcome()]
        } else {
            vec![
                sections::next(self.n_conflicts),
                sections::steps(funnel),
                sections::losses(funnel),
                sections::repositories(&self.repos),
                sections::problems(funnel),
            ]
            .into_iter()
            .chain(runs)
            .chain([sections::commands(funnel)])
            .collect()
        };
        self.sections.retain(|section| !section.entries.is_empty());
        self.cursor = self.cursor.min(self.n_targets().saturating_sub(1));
    }

    fn targets(&self) -> impl Iterator<Item = &HomeTarget> {
        let entries = self.sections.iter().flat_map(|section| &section.entries);
        entries.filter_map(|entry| entry.target.as_ref())
    }

    fn n_targets(&self) -> usize {
        self.targets().count()
    }

    /// Returns the target of the line under the cursor.
    #[must_use]
    pub fn target(&self) -> Option<&HomeTarget> {
        self.targets().nth(self.cursor)
    }

    /// Returns the index of the first target in the column without the cursor.
    fn in_other_column(&self) -> usize {
        if self.columns.len() < 2 {
            return self.cursor;
        }
        let left = self.sections.iter().take(self.n_left());
        let n_left = left.map(HomeSection::n_targets).sum();
        if self.cursor < n_left { n_left } else { 0 }
    }

    /// Goes to the first target of the neighbouring section that has one, around the ends.
    fn step_section(&mut self, step: StepDirection) {
        let mut starts = Vec::new();
        let mut n_targets = 0;
        for section in &self.sections {
            if section.n_targets() > 0 {
                starts.push(n_targets);
            }
            n_targets += section.n_targets();
        }
        let at = starts.partition_point(|start| *start <= self.cursor);
        let Some(at) = at.checked_sub(1) else {
            return;
        };
        self.cursor = starts[step.around(at, starts.len())];
    }

    /// Counts the sections on the left: what to do next, funnel and losses.
    fn n_left(&self) -> usize {
        let is_left =
            |section: &&HomeSection| matches!(section.title, NEXT | FUNNEL | LOSSES | WELCOME);
        self.sections.iter().filter(is_left).count()
    }

    /// Computes the row of every line with a target, counted through all sections as if they stood one below the other.
    fn rows_of_targets(&self) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut row = 0;
        for section in &self.sections {
            for (idx, entry) in section.entries.iter().enumerate() {
                if entry.target.is_some() {
                    rows.push(row + 1 + idx);
                }
            }
            row += section_height(section);
        }
        rows
    }

    fn target_at(&self, at: Position) -> Option<usize> {
        let mut target_idx = 0;
        for (column, sections) in self.columns() {
            let row = usize::from(at.y.saturating_sub(column.y)) + self.top;
            let mut y = 0;
            for section in sections {
                for (idx, entry) in section.entries.iter().enumerate() {
                    if entry.target.is_none() {
                        continue;
                    }
                    if column.contains(at) && row == y + 1 + idx {
                        return Some(target_idx);
                    }
                    target_idx += 1;
                }
                y += section_height(section);
            }
        }
        None
    }

    /// Iterates over the columns with their sections, from left to right.
    fn columns(&self) -> impl Iterator<Item = (Rect, &[HomeSection])> {
        let n_left = if self.columns.len() > 1 {
            self.n_left()
        } else {
            self.sections.len()
        };
        let (left, right) = self.sections.split_at(n_left);
        self.columns.iter().copied().zip([left, right])
    }

    pub fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        match &self.funnel {
            AnswerState::Waiting => {
                note(body, &[("reading the index …", Role::Dim)], buffer, context);
            }
            AnswerState::Failed(text) => {
                let mut rows = Vec::new();
                wrap(0, text, body.width.saturating_sub(8), &mut rows);
                let parts = rows
                    .iter()
                    .map(|row| &text[row.start as usize..row.end as usize]);
                let mut lines = vec![("the index cannot be read", Role::Error)];
                lines.extend(parts.map(|part| (part, Role::Text)));
                note(body, &lines, buffer, context);
            }
            _ => {
                self.draw_sections(buffer, context);
                self.draw_charts(body, buffer, context);
            }
        }
    }

    /// Draws as many charts below the columns as fit.
    fn draw_charts(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        if !has_room(body) {
            return;
        }
        let of = |kind: &PlotKind| self.charts.iter().find(|chart| chart.0 == *kind);
        let charts = CHARTS
            .iter()
            .filter_map(of)
            .filter(|pair| !pair.1.is_empty());
        let mut charts: Vec<_> = charts.collect();
        for (column, sections) in self.columns() {
            let n_rows: usize = sections.iter().map(section_height).sum();
            let mut room = Rect {
                y: column.y + (n_rows as u16).min(column.height),
                height: column.height.saturating_sub(n_rows as u16),
                ..column
            };
            for (kind, figure, height) in placed(&mut charts, room.height) {
                let [area, rest] = above(room, height);
                draw_chart(kind, &figure, area, buffer, context);
                room = rest;
            }
        }
    }

    /// Draws each column at its full height, and shows the part that fits.
    fn draw_sections(&self, buffer: &mut Buffer, context: DrawContext<'_>) {
        let mut target_idx = 0;
        for (column, sections) in self.columns() {
            let n_rows: usize = sections.iter().map(section_height).sum();
            let whole = Rect::new(0, 0, column.width, n_rows as u16);
            let mut sheet = Buffer::empty(whole);
            sheet.set_style(whole, context.theme.style(Role::Text));
            let mut y = 0;
            for section in sections {
                let height = section_height(section) as u16;
                let n_targets = section.n_targets();
                let cursor = self.cursor.checked_sub(target_idx);
                let cursor = cursor.filter(|idx| *idx < n_targets);
                let area = Rect { y, height, ..whole };
                draw_section(section, cursor, area, &mut sheet, context);
                target_idx += n_targets;
                y += height;
            }
            let visible = (self.top as u16..whole.height).zip(column.top()..column.bottom());
            for (from, to) in visible {
                for x in 0..column.width {
                    buffer[(column.x + x, to)] = sheet[(x, from)].clone();
                }
            }
            let n_below = n_rows.saturating_sub(self.top + usize::from(column.height));
            if n_below > 0 && column.height > 0 {
                let text = format!(" ↓{n_below} more ");
                let x = column.right().saturating_sub(text.width() as u16 + 2);
                let style = context.theme.style(Role::Dim);
                buffer.set_string(x.max(column.x), column.bottom() - 1, text, style);
            }
        }
    }
}

fn draw_chart(
    kind: PlotKind,
    figure: &Figure,
    area: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    let pane = Pane {
        title: kind.as_str(),
        note: "gx more",
        has_focus: false,
    };
    pane.draw(area, buffer, context.theme);
    let inner = indented(inside(area));
    chart::draw(figure, Glyphs::Blocks, inner, buffer, context.theme);
}

/// Takes the charts that fit into a column, each with its height: lying bars at their own height, charts with a scale
/// sharing the rest equally.
fn placed<'a>(
    charts: &mut Vec<&'a (PlotKind, Figure)>,
    room: u16,
) -> Vec<(PlotKind, Cow<'a, Figure>, u16)> {
    let mut free = room;
    let mut placed = Vec::new();
    let mut place = |kind: PlotKind, figure: Cow<'a, Figure>| {
        let height = height_min(&figure) + 2;
        let fits = height <= free;
        if fits {
            free -= height;
            placed.push((kind, figure, height));
        }
        fits
    };
    charts.retain(|(kind, figure)| !place(*kind, Cow::Borrowed(figure)));
    charts.retain(|(kind, figure)| {
        let first = first_bars(figure);
        !first.is_some_and(|first| place(*kind, Cow::Owned(first)))
    });
    let mut n_scaled = placed.iter().filter(|placed| !is_lying(&placed.1)).count() as u16;
    for (_, figure, height) in &mut placed {
        if is_lying(figure) {
            continue;
        }
        let share = free / n_scaled;
        *height += share;
        free -= share;
        n_scaled -= 1;
        if *height < CHART_HEIGHT_TOLD + 2 {
            let figure = figure.to_mut();
            figure.subtitle.clear();
            figure.x.label.clear();
            figure.x.unit.clear();
        }
    }
    placed
}

/// Computes the least inner height at which a chart hides nothing and each of its ticks has a row of its own.
fn height_min(figure: &Figure) -> u16 {
    if is_lying(figure) {
        text_height(figure, usize::from(u16::MAX) / 2) as u16
    } else {
        CHART_HEIGHT_MIN
    }
}

const fn is_lying(figure: &Figure) -> bool {
    matches!(figure.y.scale, Scale::Categories(_))
}

/// Makes a chart of lying bars with only the first series, which takes fewer rows; nothing for other charts.
fn first_bars(figure: &Figure) -> Option<Figure> {
    let first = figure.series.first()?;
    is_lying(figure).then(|| Figure {
        title: format!("{} · {}", figure.title, first.name),
        subtitle: String::new(),
        series: vec![first.clone()],
        ..figure.clone()
    })
}

fn has_room(body: Rect) -> bool {
    body.width >= CHARTED.width && body.height >= CHARTED.height
}

/// Cuts off the first column of an area, where all text here begins.
#[must_use]
pub fn indented(area: Rect) -> Rect {
    let n = area.width.min(1);
    Rect {
        x: area.x + n,
        width: area.width - n,
        ..area
    }
}

/// Computes the rows of a section with its border.
fn section_height(section: &HomeSection) -> usize {
    section.entries.len() + 2
}

const MAPPED: &str = "weight>=0";
const SPLIT: &str = "status:ok";
const ONLY_IN_SETUP: &str = "status:ok -flag:focal_in_assertion";
const UNIQUE: &str = "status:ok -flag:focal_in_assertion duplicate:no";
const WITHIN_SIZE: &str =
    "status:ok -flag:focal_in_assertion duplicate:no -flag:excessive_context -flag:skipped";

const NEXT: &str = "next";
const FUNNEL: &str = "funnel";
const LOSSES: &str = "dropped, by reason";

fn draw_section(
    section: &HomeSection,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    let pane = Pane {
        title: section.title,
        note: "",
        has_focus: cursor.is_some(),
    };
    pane.draw(area, buffer, context.theme);
    let inner = inside(area);
    let widest = section
        .entries
        .iter()
        .map(|entry| entry.label.width())
        .max();
    let mut target_idx = 0;
    for (entry, y) in section.entries.iter().zip(inner.top()..inner.bottom()) {
        let row = Rect::new(inner.x, y, inner.width, 1);
        draw_entry(entry, widest.unwrap_or(0), row, buffer, context);
        if entry.target.is_none() {
            continue;
        }
        if cursor == Some(target_idx) {
            select(row, buffer, context);
        }
        target_idx += 1;
    }
}

/// Marks the row under the cursor; bars keep their colour.
fn select(row: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
    let style = context.theme.style(Role::Selected);
    for x in row.left()..row.right() {
        let cell = &mut buffer[(x, row.y)];
        if matches!(cell.symbol(), "█" | "░") {
            cell.bg = style.bg.unwrap_or(cell.bg);
        } else {
            cell.set_style(style);
        }
    }
    buffer.set_string(row.x, row.y, "▌", context.theme.style(Role::Focus));
}

/// Draws `mapped   9 802 ████████░░░░ 45 %`.
fn draw_entry(
    entry: &HomeEntry,
    label_width: usize,
    row: Rect,
    buffer: &mut Buffer,
    context: DrawContext<'_>,
) {
    let Some(n) = entry.count else {
        let label = format!(" {}", entry.label);
        pieces(
            row,
            &[(&cut(&label, usize::from(row.width)), entry.role)],
            buffer,
            context.theme,
        );
        return;
    };
    let room = usize::from(row.width);
    let label_width = label_width.clamp(12, room.saturating_sub(16).max(1));
    let label = format!(" {} ", fit(&entry.label, label_width));
    let number = format!("{:>9}  ", count(n));
    let left = room.saturating_sub(label.width() + number.width() + 7);
    let bar_width = left.min(48);
    let n_full = entry
        .of
        .map_or(0, |n_all| rounded(n, bar_width as u64, n_all) as usize);
    let n_rest = entry.of.map_or(0, |_| bar_width.saturating_sub(n_full));
    let full = "█".repeat(n_full.min(bar_width));
    let rest = "░".repeat(n_rest);
    let percent = entry
        .of
        .map_or_else(String::new, |n_all| match rounded(n, 100, n_all) {
            0 if n > 0 => "  <1 %".to_owned(),
            percent => format!(" {percent:>3} %"),
        });
    let parts = [
        (label.as_str(), entry.role),
        (number.as_str(), Role::Strong),
        (full.as_str(), Role::Gauge),
        (rest.as_str(), Role::GaugeRest),
        (percent.as_str(), Role::Dim),
    ];
    pieces(row, &parts, buffer, context.theme);
}

/// Computes `n / n_all` in units of `1 / n_parts`, rounded to the nearest.
const fn rounded(n: u64, n_parts: u64, n_all: u64) -> u64 {
    (n * n_parts + n_all / 2) / n_all
}

const WELCOME: &str = "nothing has been mined here yet";

/// Draws lines in the middle of the body.
fn note(body: Rect, lines: &[(&str, Role)], buffer: &mut Buffer, context: DrawContext<'_>) {
    let width = lines
        .iter()
        .map(|(text, _)| text.width())
        .max()
        .unwrap_or(0) as u16;
    let x = body.x + body.width.saturating_sub(width) / 2;
    let y = body.y + body.height.saturating_sub(lines.len() as u16) / 3;
    for ((text, role), y) in lines.iter().zip(y..body.bottom()) {
        let row = Rect::new(x, y, body.right().saturating_sub(x), 1);
        pieces(row, &[(text, *role)], buffer, context.theme);
    }
}

/// Writes the sentence for the line under the top bar: the effect of Enter.
#[must_use]
pub fn hint(target: Option<&HomeTarget>) -> String {
    match target {
        Some(HomeTarget::Samples(filter)) if filter.is_empty() => {
            "Enter: every test, mapped or not".to_owned()
        }
        Some(HomeTarget::Samples(filter)) => {
            let status = crate::model::Status::ALL.iter();
            let status = status
                .copied()
                .find(|status| *filter == format!("status:{}", status.as_str()));
            let what = status.map_or_else(String::new, |status| format!(" · {}", explain(status)));
            format!("Enter: the tests under {filter}{what}")
        }
        Some(HomeTarget::Repos) => "Enter: repositories and their problems".to_owned(),
        Some(HomeTarget::Run(name)) => format!("Enter: run {}, beside the others", visible(name)),
        Some(HomeTarget::Runs) => "Enter: all runs".to_owned(),
        Some(HomeTarget::Annotate) => "Enter: judge focal methods, one key each".to_owned(),
        Some(HomeTarget::Demo) => "Enter: build the bundled samples in this workspace".to_owned(),
        Some(HomeTarget::Mine) => "Enter: how your repositories are mined".to_owned(),
        Some(HomeTarget::Disagree) => {
            "Enter: agreement of annotators, and where they differ".to_owned()
        }
        None => String::new(),
    }
}
