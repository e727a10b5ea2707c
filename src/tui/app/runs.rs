//! What the commands of the screen of runs do, and the work that they begin: one piece at a time, seen on every screen.

use crate::tui::app::{App, Asked, Confirmed, Overlay, Told, Working};
use crate::tui::event::Effect;
use crate::tui::keymap::{ConfirmCommand, RunsCommand};
use crate::tui::metrics;
use crate::tui::question::{Query, Slot};
use crate::tui::screen::runs::form::ImportForm;
use crate::tui::text::visible;
use crate::tui::theme::Role;
use crate::tui::widget::frame::counted;
use crate::tui::widget::input::Input;
use crate::tui::widget::overlay::Prompt;
use crate::tui::work::{Ended, Outcome, Progress, Task};

impl App {
    pub(super) fn run_runs(&mut self, command: RunsCommand) {
        match command {
            RunsCommand::Sort(by) => {
                let text = self.runs.sort(by, &mut self.outbox);
                self.say(text, Role::Dim);
            }
            RunsCommand::Values => {
                let text = self.runs.turn_values();
                self.say(text, Role::Dim);
            }
            RunsCommand::Baseline => match self.runs.turn_baseline() {
                Some(text) => self.say(text, Role::Dim),
                None => self.say_no_run(),
            },
            RunsCommand::Import => self.open_form(),
            RunsCommand::Evaluate => match self.selected_run() {
                Some(run) => self.evaluate(vec![run], Vec::new()),
                None => self.say_no_run(),
            },
            RunsCommand::EvaluateAll | RunsCommand::EvaluateWith if self.runs.rows().is_empty() => {
                self.say_no_run();
            }
            RunsCommand::EvaluateAll => self.evaluate(Vec::new(), Vec::new()),
            RunsCommand::EvaluateWith => {
                self.overlay = Some(Overlay::Ask(
                    Asked::Metrics,
                    Prompt {
                        label: "metrics",
                        input: Input::new("default "),
                        ..Prompt::default()
                    },
                ));
                self.after_typing();
            }
            RunsCommand::Remove => self.ask_to_remove(),
            RunsCommand::Copy(what) => {
                let taken = self.runs.copied(what);
                self.copy_out(taken);
            }
        }
    }

    pub(super) fn evaluate(&mut self, runs: Vec<String>, metrics: Vec<&'static str>) {
        self.begin(Task::Evaluate { runs, metrics });
    }

    /// Evaluates the run under the cursor with the metrics that are typed, or shows what is wrong with them.
    pub(super) fn evaluate_with(&mut self, mut prompt: Prompt) {
        match (metrics::parse(prompt.input.text()), self.selected_run()) {
            (Ok(metrics), Some(run)) => self.evaluate(vec![run], metrics),
            (Ok(_), None) => self.say_no_run(),
            (Err(flaw), _) => {
                prompt.flaw = Some(flaw);
                prompt.completions = Vec::new();
                self.overlay = Some(Overlay::Ask(Asked::Metrics, prompt));
            }
        }
    }

    fn selected_run(&self) -> Option<String> {
        self.runs.selected().map(|run| run.setting.name.clone())
    }

    fn say_no_run(&mut self) {
        self.say("there is no run · i imports one", Role::Dim);
    }

    fn open_form(&mut self) {
        let form = self.runs.draft.take().unwrap_or_default();
        self.overlay = Some(Overlay::Form(Box::new(form)));
        self.ask_files();
    }

    /// Asks what files there are, where the form wants to know.
    pub(super) fn ask_files(&mut self) {
        if let Some(Overlay::Form(form)) = &self.overlay
            && let Some(path) = form.asks_for()
        {
            let query = Query::Files(path.to_owned());
            self.outbox.ask(Slot::Files, query);
        }
    }

    /// Begins the import that the form describes, or shows what is wrong with it.
    pub(super) fn submit(&mut self, mut form: Box<ImportForm>) {
        let names = self.runs.rows().iter();
        let known: Vec<&str> = names.map(|run| run.setting.name.as_str()).collect();
        let import = form.submit(&known);
        match import {
            Some(import) if self.working.is_none() => {
                self.runs.draft = Some(*form);
                self.begin(Task::Import(Box::new(import)));
            }
            Some(_) => {
                self.overlay = Some(Overlay::Form(form));
                self.say_busy();
            }
            None => self.overlay = Some(Overlay::Form(form)),
        }
    }

    fn ask_to_remove(&mut self) {
        let Some(run) = self.runs.selected() else {
            self.say_no_run();
            return;
        };
        let name = run.setting.name.clone();
        let answers = counted(run.n_predictions, "answer");
        self.overlay = Some(Overlay::Confirm {
            question: format!("remove {} with its {answers} and scores?", visible(&name)),
            confirmed: Confirmed::Remove(name),
        });
    }

    pub(super) fn run_confirm(&mut self, command: ConfirmCommand) {
        let Some(Overlay::Confirm { confirmed, .. }) = self.overlay.take() else {
            return;
        };
        match (command, confirmed) {
            (ConfirmCommand::No, _) => {}
            (ConfirmCommand::Yes, Confirmed::Remove(run)) => self.begin(Task::Remove { run }),
            (ConfirmCommand::Yes, Confirmed::AcceptRest) => {
                self.annotate.accept_rest(&mut self.outbox);
            }
            (ConfirmCommand::Yes, Confirmed::Quit) => self.outbox.push(Effect::Quit),
        }
    }

    /// Begins work, unless some lives already: the index has one writer.
    fn begin(&mut self, task: Task) {
        if self.working.is_some() {
            self.say_busy();
            return;
        }
        self.working = Some(Working {
            title: task.title(),
            progress: Progress::default(),
            is_stopping: false,
        });
        self.outbox.push(Effect::Work(task));
    }

    fn say_busy(&mut self) {
        self.say("one thing at a time · ^c stops what runs", Role::Warning);
    }

    /// Asks the work to stop; returns whether there is any.
    pub(super) fn stop_work(&mut self) -> bool {
        let Some(working) = &mut self.working else {
            return false;
        };
        working.is_stopping = true;
        self.outbox.push(Effect::StopWork);
        true
    }

    /// Leaves the program, after a question if work would be stopped by it.
    pub(super) fn quit(&mut self) {
        match &self.working {
            Some(working) => {
                self.overlay = Some(Overlay::Confirm {
                    question: format!("{} is not done; stop it and quit?", working.title),
                    confirmed: Confirmed::Quit,
                });
            }
            None => self.outbox.push(Effect::Quit),
        }
    }

    pub(super) fn on_progress(&mut self, progress: Progress) {
        match &mut self.working {
            Some(working) => working.progress = progress,
            None => self.is_dirty = false,
        }
    }

    pub(super) fn on_ended(&mut self, ended: Ended) {
        self.working = None;
        let Ended { task, outcome } = ended;
        // A question about work that has ended has no sense any more.
        if let Some(Overlay::Confirm {
            confirmed: Confirmed::Quit,
            ..
        }) = self.overlay
        {
            self.overlay = None;
        }
        let is_done = matches!(outcome, Outcome::Done(_) | Outcome::Doubtful { .. });
        if let Task::Import(import) = task
            && is_done
        {
            self.runs.draft = None;
            self.runs.want(&import.setting.name, &mut self.outbox);
        }
        self.outbox.ask(Slot::Runs, Query::Runs);
        let (text, role, told) = match outcome {
            Outcome::Done(text) => (text, Role::Good, None),
            Outcome::Stopped(text) => (text, Role::Warning, None),
            Outcome::Doubtful { text, warning } => {
                let told = (!warning.is_empty()).then_some(("done, but", warning));
                (text, Role::Warning, told)
            }
            Outcome::Failed { text, hint } => (text, Role::Error, Some(("that failed", hint))),
        };
        // Whoever types goes on typing; the message stays in the footer.
        if let Some((title, hint)) = told
            && self.overlay.is_none()
        {
            self.overlay = Some(Overlay::Told(Told {
                title,
                text: text.clone(),
                role,
                hint,
            }));
        }
        self.say(text, role);
    }
}
