//! Jobs: those that run, the outcomes of those that ran, and the log of each.
//!
//! ```text
//! < 180 columns: above each other          from 180
//! ┏ jobs ━━━━━━━━━━━━━━━━━━━━━━━ 1/5 ┓    ┏ jobs ━━━━━━━━ 1/5 ┓┌ log #41 mine ────┐
//! ┃ #41 ▶ running mine ███░░ 64 %    ┃    ┃                   ┃│                  │
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛    ┃                   ┃│                  │
//! ┌ log #41 mine ────────── following ┐    ┃                   ┃│                  │
//! └───────────────────────────────────┘    ┗━━━━━━━━━━━━━━━━━━━┛└──────────────────┘
//! ```
//!
//! Decides which jobs have ended since the last look, and when to look again. `job` starts and cancels them.

mod act;
pub mod commands;
mod curves;
mod draw;
mod fields;
#[cfg(test)]
pub mod fixture;
pub mod form;
mod job_arguments;
pub mod keys;
mod log;
pub mod questions;
#[cfg(test)]
pub mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;

use ratatui::layout::Rect;

use crate::desk::{Desk, QuestionScreen, ScreenRequest};
use crate::event::Effect;
use crate::job::{self, JobStart, Verbs};
use crate::keymap::{Motion, StepDirection};
use crate::model::{JobId, JobKind, JobRow, JobState};
use crate::question::{Question, QuestionFailure, Slot};
use crate::screen::jobs::form::JobForm;
use crate::screen::jobs::questions::{
    JobList, JobListQuestion, JobLogQuestion, LogLines, TrainingCurves,
};
use crate::screen::{AnswerState, Screen};
use crate::widget::frame::inside;

use act::value_of;
use curves::TrainingCharts;
use draw::progress_words;
use log::LogView;

/// The intervals between looks while a job is alive, and while the screen is visible and none is.
const LOOK_ALIVE_MS: u64 = 250;
const LOOK_SHOWN_MS: u64 = 1_000;
/// From this number of columns on the log stands beside the list.
const WIDTH_BESIDE: u16 = 180;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JobsFocus {
    #[default]
    List,
    Log,
}

#[derive(Debug, Default)]
pub struct Jobs {
    /// The jobs, the latest first.
    rows: AnswerState<Vec<JobRow>>,
    version: Option<u64>,
    now_ms: i64,
    cursor: usize,
    /// The job that the cursor goes to as soon as it is listed.
    wanted: Option<JobId>,
    /// The jobs that were alive at the last look, or were started here: their end is news.
    watched: BTreeSet<JobId>,
    /// The jobs whose end is reported over the screen.
    pub reported: BTreeSet<JobId>,
    /// A question is on its way.
    is_asking: bool,
    log: LogView,
    curves: TrainingCharts,
    focus: JobsFocus,
    is_zoomed: bool,
    /// The verbs that jobs can be started with.
    verbs: Verbs,
    /// The form that was left, with its typed text.
    pub draft: Option<JobForm>,
    list_area: Rect,
    curves_area: Rect,
    log_area: Rect,
}

impl QuestionScreen for Jobs {
    const SCREEN: Screen = Screen::Jobs;

    fn fail(&mut self, slot: Slot, failure: &QuestionFailure, _desk: &mut Desk) {
        let text = match failure {
            QuestionFailure::NoIndex => "there is no workspace here yet".to_owned(),
            QuestionFailure::Other(text) => text.clone(),
        };
        if slot == JobListQuestion::SLOT {
            self.is_asking = false;
            self.rows = AnswerState::Failed(text);
        }
    }
}

impl Jobs {
    #[must_use]
    pub fn new(verbs: Verbs) -> Self {
        Self {
            verbs,
            ..Self::default()
        }
    }

    /// Asks for the table of jobs.
    pub fn ask(&mut self, desk: &mut Desk) {
        self.is_asking = true;
        let known = self.version;
        desk.ask(JobListQuestion { known }, Self::take_rows);
    }

    /// Asks again for the table of jobs, if the screen is visible or a job is alive, unless the question is on its way.
    pub fn tick(&mut self, is_shown: bool, desk: &mut Desk) {
        if !self.is_asking && (is_shown || self.n_alive() > 0) {
            self.ask(desk);
        }
    }

    /// Takes the jobs; those that have ended since the last look are reported.
    fn take_rows(&mut self, list: JobList, desk: &mut Desk) {
        let is_shown = desk.screen() == Screen::Jobs;
        desk.is_dirty = list.rows.is_some() || is_shown;
        self.is_asking = false;
        self.now_ms = list.now_ms;
        self.version = Some(list.version);
        let mut ended = Vec::new();
        if let Some(rows) = list.rows {
            let selected = self
                .wanted
                .or_else(|| self.selected().map(|job_row| job_row.id));
            for row in &rows {
                if row.state.is_alive() {
                    self.watched.insert(row.id);
                } else if self.watched.remove(&row.id) {
                    ended.push(row.clone());
                }
            }
            let place = rows.iter().position(|row| Some(row.id) == selected);
            if self.wanted.is_some() && place.is_some() {
                self.wanted = None;
            }
            self.cursor = place.unwrap_or(self.cursor.min(rows.len().saturating_sub(1)));
            self.rows = AnswerState::Ready(rows);
        }
        let n_alive = self.n_alive();
        if n_alive > 0 || is_shown {
            let after_ms = if n_alive > 0 {
                LOOK_ALIVE_MS
            } else {
                LOOK_SHOWN_MS
            };
            desk.push(Effect::Tick { after_ms });
        }
        if is_shown {
            self.ask_log(desk);
        }
        desk.request(ScreenRequest::Restore(Screen::Jobs));
        self.tell_ended(&ended, desk);
    }

    /// Asks for the part of the selected job's log and charts that is not known yet.
    fn ask_log(&mut self, desk: &mut Desk) {
        let Some(row) = self.selected() else {
            self.log.open(None);
            self.curves.close();
            return;
        };
        let (id, is_alive) = (row.id, row.state.is_alive());
        if row.kind == JobKind::Train
            && let Some(output) = value_of(row, "--output").or_else(|| value_of(row, "-o"))
        {
            let folder = row.folder.join(output);
            if self.curves.is_asking(id, is_alive) {
                let known = self.curves.known();
                desk.ask(
                    questions::TrainingCurvesQuestion { id, folder, known },
                    Self::take_curves,
                );
            }
        } else {
            self.curves.close();
        }
        if self.log.id() != Some(id) {
            self.log.open(Some(id));
            desk.ask(JobLogQuestion { id, from: None }, Self::take_log);
        } else if self.log.wants_more(is_alive) {
            let from = Some(self.log.next());
            desk.ask(JobLogQuestion { id, from }, Self::take_log);
        }
    }

    /// Takes the charts of a training.
    fn take_curves(&mut self, curves: TrainingCurves, desk: &mut Desk) {
        let is_shown = desk.screen() == Screen::Jobs;
        let is_alive = self
            .selected()
            .is_some_and(|job_row| job_row.state.is_alive());
        desk.is_dirty = self.curves.take(curves, is_alive) && is_shown;
    }

    fn take_log(&mut self, lines: LogLines, desk: &mut Desk) {
        let LogLines { id, from, part } = lines;
        let has_more = from.is_some() && !part.text.is_empty();
        let is_shown = desk.screen() == Screen::Jobs;
        desk.is_dirty = is_shown && (from.is_none() || has_more);
        if self.log.id() != Some(id) {
            return;
        }
        let is_alive = self
            .selected()
            .is_some_and(|job_row| job_row.state.is_alive());
        self.log.take(from, &part, is_alive);
        if has_more {
            self.ask_log(desk);
        }
    }

    /// Notes that a job was started here: its end is news.
    pub fn started(&mut self, id: JobId) {
        self.watched.insert(id);
        self.wanted = Some(id);
    }

    /// Goes to the job with this number; tells whether it is listed.
    pub fn go_to(&mut self, id: &str, desk: &mut Desk) -> bool {
        let place = self.rows().iter().position(|row| row.id.to_string() == id);
        self.cursor = place.unwrap_or(self.cursor);
        self.ask_log(desk);
        place.is_some()
    }

    #[must_use]
    pub fn rows(&self) -> &[JobRow] {
        self.rows.ready().map_or(&[], Vec::as_slice)
    }

    #[must_use]
    pub fn selected(&self) -> Option<&JobRow> {
        self.rows().get(self.cursor)
    }

    #[must_use]
    pub fn n_alive(&self) -> usize {
        self.rows()
            .iter()
            .filter(|row| row.state.is_alive())
            .count()
    }

    /// Finds the latest job of this sort that the user started: its arguments are the best guess for the next one.
    #[must_use]
    pub fn latest(&self, start: JobStart) -> Option<&JobRow> {
        let is_it = |row: &&JobRow| {
            let action = start.action().map(OsStr::new);
            let own = job::own_arguments(row);
            row.kind == start.kind
                && row.is_ours
                && action.is_none_or(|action| own.iter().any(|text| text == action))
        };
        self.rows().iter().find(is_it)
    }

    /// Finds the job that every screen shows: the oldest running one, else the one that runs next.
    #[must_use]
    pub fn shown(&self) -> Option<&JobRow> {
        let mut oldest_first = self.rows().iter().rev();
        let running = oldest_first.find(|job_row| job_row.state == JobState::Running);
        let mut oldest_first = self.rows().iter().rev();
        running.or_else(|| oldest_first.find(|job_row| job_row.state == JobState::Queued))
    }

    /// Writes the progress of the job that every screen shows, with the number of other jobs that are alive.
    #[must_use]
    pub fn working(&self) -> Option<String> {
        let row = self.shown()?;
        let others = match self.n_alive() {
            0 | 1 => String::new(),
            n => format!(" +{}", n - 1),
        };
        let words = progress_words(row, self.now_ms);
        Some(format!("{} {words}{others} · gj", row.kind.as_str()))
    }

    /// Scrolls the log while the list has the focus, and moves in the list while the log has it.
    pub fn peek(&mut self, step: StepDirection, desk: &mut Desk) {
        let motion = Motion::from(step);
        if self.focus == JobsFocus::List && !self.is_zoomed {
            self.log.scroll(motion);
        } else {
            let last = self.rows().len().saturating_sub(1);
            self.cursor = motion.moved(self.cursor, 1).min(last);
            self.ask_log(desk);
        }
    }

    pub fn turn_focus(&mut self) {
        self.focus = match self.focus {
            JobsFocus::List => JobsFocus::Log,
            JobsFocus::Log => JobsFocus::List,
        };
        self.is_zoomed = false;
    }

    /// Switches between all lines and only warnings and errors; tells whether only the latter are shown now.
    pub fn toggle_level(&mut self) -> bool {
        self.log.toggle_level()
    }

    fn top(&self) -> usize {
        let height = usize::from(inside(self.list_area).height).max(1);
        (self.cursor + 1).saturating_sub(height)
    }

    /// Writes the line above the screen.
    #[must_use]
    pub fn line(&self) -> String {
        match self.selected() {
            Some(row) => format!("focalist {}", draw::command_line(row)),
            None => "A starts a job: it continues when you leave".to_owned(),
        }
    }

    /// Lists the facts about the selected job.
    #[must_use]
    pub fn details(&self) -> Option<Vec<(String, String)>> {
        Some(draw::details(self.selected()?, self.now_ms))
    }

    /// Writes the selected job's command line, as a shell takes it.
    #[must_use]
    pub fn copied(&self) -> Option<(String, &'static str)> {
        let row = self.selected()?;
        let line = format!("focalist {}", job::command_line(&row.arguments));
        Some((line, "the command line"))
    }
}
