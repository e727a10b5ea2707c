//! The reactions to work that was begun or done outside, and the state that is read again by itself.

use crate::app::App;
use crate::desk::overlay::{Overlay, PopupMessage};
#[cfg(test)]
use crate::event::Effect;
use crate::files::Listing;
use crate::question::QuestionFailure;
use crate::question::shared::FileCompletionQuestion;
use crate::screen::samples::selection;
use crate::screen::{Screen, disagree, faults, results};
use crate::scribe::{ScribeOutcome, ScribeReply};
use crate::theme::Role;
use crate::widget::frame::counted;
use crate::work::{BackgroundTask, EndedTask, TaskOutcome};

impl App {
    /// Hands the writer's answer to the screen that asked it to write.
    pub(super) fn on_written(&mut self, mut written: ScribeReply) {
        let warning = written.warning.take();
        if let Ok(outcome) = &written.outcome {
            self.command_log.hear(outcome);
        }
        if let Err(trouble) = &written.outcome {
            self.desk.show_popup(PopupMessage {
                title: "not saved",
                text: trouble.text.clone(),
                role: Role::Error,
                hint: trouble.hint.to_owned(),
                opens_stale: false,
            });
        }
        let is_of_faults = written.token > faults::TOKENS;
        if written.token > selection::TOKENS && !is_of_faults {
            self.tell_marked(&written);
            return;
        }
        let screen = if is_of_faults {
            // Judging mutants equivalent changes the numbers of tests.
            self.results.read_again(&mut self.desk);
            Screen::Faults
        } else if written.token > results::TOKENS {
            Screen::Results
        } else if written.token > disagree::TOKENS {
            Screen::Disagree
        } else {
            Screen::Annotate
        };
        let (scene, desk) = self.scene_of(screen);
        scene.take_written(written, desk);
        if let Some(text) = warning {
            self.desk.show_message(text, Role::Warning);
        }
    }

    /// Tells how many samples of the list have been marked.
    fn tell_marked(&mut self, written: &ScribeReply) {
        if let Ok(ScribeOutcome::Appended { events, .. }) = &written.outcome {
            let n = counted(events.len() as u64, "sample");
            let text = format!("✓ marked {n} · in Annotate, u undoes one");
            self.desk.show_message(text, Role::Good);
        }
    }

    /// Asks for the files that can complete a path in the open form.
    pub(super) fn ask_files(&mut self) {
        if let Some(Overlay::Form(form)) = &self.desk.overlay
            && let Some(path) = form.asks_for()
        {
            let files = FileCompletionQuestion(path.to_owned());
            self.desk.ask_for(files, Self::take_files);
        }
    }

    fn take_files(&mut self, answer: Result<Listing, QuestionFailure>) {
        match (&mut self.desk.overlay, answer) {
            (Some(Overlay::Form(form)), Ok(listing)) => {
                if form.take_listing(&listing) {
                    self.ask_files();
                }
            }
            (_, Ok(_)) => self.desk.is_dirty = false,
            (_, Err(failure)) => self.desk.show_failure(&failure),
        }
    }

    /// Reports that a task was begun or done, and reads again what it changed.
    pub(super) fn on_ended(&mut self, ended: EndedTask) {
        let EndedTask { task, outcome } = ended;
        self.command_log.hear_work(&task, &outcome);
        match task {
            BackgroundTask::Remove { .. } => self.ask_runs(),
            BackgroundTask::Start(_) | BackgroundTask::Cancel(_) | BackgroundTask::Clear => {
                self.jobs.ask(&mut self.desk);
            }
        }
        let (text, role) = match outcome {
            TaskOutcome::Started(id) => {
                self.jobs.started(id);
                if self.repos.take_started() {
                    self.jobs.reported.insert(id);
                }
                self.jobs.draft = None;
                (format!("job {id} started · gj shows it"), Role::Good)
            }
            TaskOutcome::Done(text) => (text, Role::Good),
            TaskOutcome::Doubtful(text) => (text, Role::Warning),
            TaskOutcome::Failed { text, hint } => {
                self.repos.take_started();
                self.desk.show_popup(PopupMessage {
                    title: "that failed",
                    text: text.clone(),
                    role: Role::Error,
                    hint,
                    opens_stale: false,
                });
                (text, Role::Error)
            }
        };
        self.desk.show_message(text, role);
    }

    /// Asks for the jobs, without sending the question.
    #[cfg(test)]
    pub fn look_at_jobs(&mut self) -> crate::question::QuestionRequest {
        self.jobs.ask(&mut self.desk);
        match self.desk.take_effects().pop() {
            Some(Effect::Ask(ask)) => ask,
            other => panic!("the jobs are asked for: {other:?}"),
        }
    }

    /// Reads again the state that changes by itself.
    pub(super) fn on_tick(&mut self) {
        let is_watched = self.results.tick(&mut self.desk);
        self.desk.is_dirty = self.compare.tick(&mut self.desk) || is_watched;
        let is_shown = self.screen() == Screen::Jobs;
        self.jobs.tick(is_shown, &mut self.desk);
    }
}
