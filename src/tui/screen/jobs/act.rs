//! The commands and the pointer of Jobs, and starting jobs from any screen.

use std::ffi::OsString;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::desk::overlay::{ChoicePurpose, ConfirmedAction, Overlay, PopupMessage};
use crate::desk::{Desk, ScreenRequest};
use crate::event::Effect;
use crate::job::{self, JobStart};
use crate::keymap::{Command, Motion, PaneCommand, StepDirection};
use crate::layout::{above, beside};
use crate::model::{JobKind, JobRow, JobState};
use crate::scene::Scene;
use crate::screen::DrawContext;
use crate::screen::jobs::commands::JobsCommand;
use crate::screen::jobs::form::JobForm;
use crate::screen::jobs::{Jobs, JobsFocus, WIDTH_BESIDE};
use crate::store::NewJob;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::chooser::ChooserItem;
use crate::widget::frame::inside;
use crate::work::BackgroundTask;

impl Scene for Jobs {
    fn arrange(&mut self, body: Rect, _desk: &mut Desk) {
        [self.list_area, self.log_area] = if self.is_zoomed {
            [Rect::new(body.x, body.y, 0, 0), body]
        } else if body.width >= WIDTH_BESIDE {
            beside(body, body.width / 2)
        } else {
            let n_rows = self.rows().len().max(1) as u16;
            above(body, (n_rows + 2).clamp(4, (body.height / 2).max(4)))
        };
        [self.curves_area, self.log_area] = self.curves.cut(self.log_area);
        let inner = inside(self.log_area);
        self.log.resize(inner.height, inner.width);
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if self.focus == JobsFocus::Log || self.is_zoomed {
            self.log.scroll(motion);
            return;
        }
        let last = self.rows().len().saturating_sub(1);
        let page = usize::from(inside(self.list_area).height).max(1);
        self.cursor = motion.moved(self.cursor, page).min(last);
        self.ask_log(desk);
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let inner = inside(self.list_area);
        if inner.contains(at) {
            let last = self.rows().len().saturating_sub(1);
            self.cursor = (self.top() + usize::from(at.y - inner.y)).min(last);
            self.focus = JobsFocus::List;
            self.ask_log(desk);
            return true;
        }
        let is_log = self.log_area.contains(at);
        if is_log {
            self.focus = JobsFocus::Log;
        }
        is_log
    }

    /// Shows the log at full size, or the list again.
    fn open(&mut self, _desk: &mut Desk) {
        self.is_zoomed = !self.is_zoomed;
        self.focus = if self.is_zoomed {
            JobsFocus::Log
        } else {
            JobsFocus::List
        };
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        if self.log.close() {
            return true;
        }
        let had_more = self.is_zoomed || self.focus == JobsFocus::Log;
        self.is_zoomed = false;
        self.focus = JobsFocus::List;
        had_more
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Jobs(command) => self.run_own(command, desk),
            Command::Pane(PaneCommand::Focus(_)) => self.turn_focus(),
            Command::Pane(PaneCommand::Peek(step)) => self.peek(step, desk),
            Command::Pane(PaneCommand::Search) => desk.ask_search(),
            Command::Pane(PaneCommand::Match(step)) => self.step_match(step, desk),
            _ => {}
        }
    }

    /// Cancels the selected job; tells whether it was alive.
    fn cancel(&mut self, desk: &mut Desk) -> bool {
        let Some(row) = self.selected().filter(|job_row| job_row.state.is_alive()) else {
            return false;
        };
        let (id, seconds) = (row.id, row.kind.seconds_to_stop());
        desk.push(Effect::Work(BackgroundTask::Cancel(id)));
        let text =
            format!("job {id} was asked to stop; it gets TERM after 2 s, KILL after {seconds} s");
        desk.show_message(text, Role::Warning);
        true
    }

    /// Searches the log for the typed text.
    fn search(&mut self, needle: &str, desk: &mut Desk) {
        self.log.find(needle);
        if !needle.is_empty() {
            self.step_match(StepDirection::Next, desk);
        }
    }

    fn step_match(&mut self, step: StepDirection, desk: &mut Desk) {
        let (text, is_found) = self.log.step_match(step);
        let role = if is_found { Role::Dim } else { Role::Warning };
        desk.show_message(text, role);
    }

    fn leave(&self, session: &mut Session) {
        session.item = self.selected().map(|job_row| job_row.id.to_string());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        ("job", self.go_to(item, desk))
    }
}

impl Jobs {
    fn run_own(&mut self, command: JobsCommand, desk: &mut Desk) {
        match command {
            JobsCommand::New => choose_job(desk),
            JobsCommand::Cancel => {
                if !self.cancel(desk) {
                    desk.show_message("it has ended · r starts it again", Role::Dim);
                }
            }
            JobsCommand::Again => self.start_again(desk),
            JobsCommand::Clear => {
                let n_ended = self.rows().len() - self.n_alive();
                if n_ended == 0 {
                    desk.show_message("no job has ended", Role::Dim);
                    return;
                }
                desk.overlay = Some(Overlay::Confirm {
                    question: format!("forget {n_ended} ended jobs, with their logs?"),
                    confirmed: ConfirmedAction::ClearJobs,
                });
            }
            JobsCommand::Level => {
                let text = if self.toggle_level() {
                    "only warnings and errors"
                } else {
                    "every line"
                };
                desk.show_message(text, Role::Dim);
            }
            JobsCommand::Details => match self.details() {
                Some(facts) => desk.overlay = Some(Overlay::JobFacts(facts)),
                None => desk.show_message("there is no job", Role::Dim),
            },
            JobsCommand::Copy => {
                let taken = self.copied();
                desk.copy_out(taken);
            }
            // This command is heard on Repos.
            JobsCommand::MineAgain => {}
        }
    }

    fn start_again(&self, desk: &mut Desk) {
        let Some(row) = self.selected() else {
            desk.show_message("there is no job · A starts one", Role::Dim);
            return;
        };
        if row.state.is_alive() {
            let text = format!("job {} is {}", row.id, row.state.as_str());
            desk.show_message(text, Role::Dim);
            return;
        }
        let own = job::own_arguments(row);
        let reads_stdin = matches!(row.kind, JobKind::Import | JobKind::Generate)
            && own.iter().any(|text| text == "-" || text == "--prompts=-");
        let writes = |text: &OsString| {
            let word = text.to_string_lossy();
            word == "-o" || word.starts_with("--output")
        };
        if reads_stdin {
            desk.show_message(
                "it read a pipe, which is gone · A imports a file",
                Role::Warning,
            );
            return;
        }
        if row.kind == JobKind::Export && !own.iter().any(writes) {
            desk.show_message(
                "it wrote to a terminal · A exports to a file",
                Role::Warning,
            );
            return;
        }
        let new = NewJob {
            kind: row.kind,
            arguments: row.arguments.clone(),
            folder: row.folder.clone(),
            is_background: true,
            retry_of: Some(row.id),
        };
        if let Some((option, why)) = job::lowered(&new.arguments, row.is_ours) {
            let why = why.as_str();
            let text = format!("`{option}` {why}: type the command in a shell · y copies it");
            desk.show_message(text, Role::Warning);
            return;
        }
        let command = visible(&job::command_line(&new.arguments));
        let folder = visible(&new.folder.to_string_lossy());
        let whose = if row.is_ours {
            ""
        } else {
            "you did not start this job in this workspace; "
        };
        desk.overlay = Some(Overlay::Confirm {
            question: format!("{whose}run `focalist {command}` in {folder}?"),
            confirmed: ConfirmedAction::StartAgain(Box::new(new)),
        });
    }

    /// Reports how jobs ended, and has the data read again that they may have changed.
    pub(super) fn tell_ended(&mut self, ended: &[JobRow], desk: &mut Desk) {
        if ended.iter().any(|job_row| job_row.kind.changes_index()) {
            desk.request(ScreenRequest::Reload);
        }
        for row in ended {
            if matches!(row.kind, JobKind::Import | JobKind::Generate)
                && row.state == JobState::Done
                && let Some(name) = value_of(row, "--run")
            {
                desk.request(ScreenRequest::Want(name));
            }
            let (id, kind, state) = (row.id, row.kind.as_str(), row.state.as_str());
            let role = match row.state {
                JobState::Done => Role::Good,
                JobState::Failed => Role::Error,
                JobState::Queued | JobState::Running | JobState::Cancelled | JobState::Stopped => {
                    Role::Warning
                }
            };
            let message = visible(row.outcome());
            let colon = if message.is_empty() { "" } else { ": " };
            let text = format!("{kind} #{id} {state}{colon}{message}");
            if self.reported.remove(&id) {
                let is_stale = row.changes.is_some_and(|change| change.n_stale > 0);
                let hint = if is_stale {
                    "Enter: the queue of stale verdicts"
                } else {
                    ""
                };
                desk.show_popup(PopupMessage {
                    title: "mined again",
                    text: text.clone(),
                    role,
                    hint: hint.to_owned(),
                    opens_stale: is_stale,
                });
            }
            desk.show_message(text, role);
        }
    }

    /// Opens the form of a job: the one that was left, else one filled with the arguments of the last such job.
    pub fn open_form(&mut self, start: JobStart, desk: &mut Desk) {
        let draft = self.draft.take().filter(|job_form| job_form.start == start);
        let form = draft.unwrap_or_else(|| {
            let names = desk.runs.iter();
            let runs = names.map(|run| run.setting.name.clone()).collect();
            JobForm::new(start, &self.verbs, self.latest(start), runs)
        });
        desk.overlay = Some(Overlay::Form(Box::new(form)));
    }

    /// Opens the form that executes a run, or, with a filter, that executes again the predictions for its samples.
    pub fn open_execution(&mut self, run: Option<&str>, again: Option<&str>, desk: &mut Desk) {
        self.open_form(JobKind::Execute.into(), desk);
        if let Some(Overlay::Form(form)) = &mut desk.overlay {
            form.offer_run(run.unwrap_or_default());
            if let Some(filter) = again {
                form.offer_again(filter);
            }
        }
    }

    /// Starts the job that the form describes, or keeps the form open with its flaw.
    pub fn submit(&mut self, mut form: Box<JobForm>, desk: &mut Desk) {
        match form.submit() {
            Some(arguments) => {
                let kind = form.start.kind;
                self.draft = Some(*form);
                desk.begin(BackgroundTask::start(kind, arguments));
            }
            None => desk.overlay = Some(Overlay::Form(form)),
        }
    }
}

fn choose_job(desk: &mut Desk) {
    let about = |start: JobStart| match start.kind {
        JobKind::Mine => "repositories into the index",
        JobKind::Import => "a model's predictions as a run",
        JobKind::Eval => "scores of the imported runs",
        JobKind::Export => "the dataset into a file",
        JobKind::Execute => "predictions run in their projects",
        JobKind::Generate => "a model's answers to prompts, as a run",
        JobKind::Train => "a model of encoded samples, by focalist-baseline",
        JobKind::Leakage => "near duplicates across the splits",
        JobKind::Index => "an index for fast `text:` filters and nearest samples",
        JobKind::Prepare => "projects built, so that tests can run in them",
        JobKind::Clover if start.action() == Some("eval") => {
            "answers to questions, run and counted"
        }
        JobKind::Clover => "questions from a Python project's tests",
        JobKind::Experiment => "several models, asked and scored as a file describes",
        JobKind::Consistency => "completions of functions and variants, judged",
        JobKind::Benchmark => match start.action() {
            Some("filter") => "which repositories of a list make a benchmark",
            Some("split") => "repositories given to training, validation and test",
            _ => "the contents of the benchmark",
        },
        JobKind::Mutate => "equivalent variants of functions",
    };
    let all = JobStart::ALL.iter();
    let choices = all.map(|job_start| ChooserItem::new(job_start.name, about(*job_start), ""));
    desk.choose(ChoicePurpose::Job, "new job", choices.collect(), "");
}

/// Finds the value of an option among a job's arguments: `--name value` or `--name=value`.
pub(super) fn value_of(row: &JobRow, option: &str) -> Option<String> {
    let words: Vec<_> = row
        .arguments
        .iter()
        .map(|argument| argument.to_string_lossy())
        .collect();
    let idx = words.iter().position(|word| {
        word == option
            || word
                .strip_prefix(option)
                .is_some_and(|rest| rest.starts_with('='))
    })?;
    match words[idx].split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => words.get(idx + 1).map(|word| word.clone().into_owned()),
    }
}
