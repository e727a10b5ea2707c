//! What the commands of the screen of runs do; what takes long is a job.

use std::ffi::OsString;

use crate::app::App;
use crate::desk::overlay::{Asked, Confirmed, Overlay};
use crate::keymap::{ConfirmCommand, RunsCommand};
use crate::metric::{self, METRICS};
use crate::metrics;
use crate::model::JobKind;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::frame::counted;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;
use crate::work::Task;

impl App {
    pub(super) fn run_runs(&mut self, command: RunsCommand) {
        match command {
            RunsCommand::Sort(by) => {
                let text = self.runs.sort(by, &mut self.desk);
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
            RunsCommand::Import => self.open_form(JobKind::Import),
            RunsCommand::Evaluate => match self.selected_run() {
                Some(run) => self.evaluate(&[run], Vec::new()),
                None => self.say_no_run(),
            },
            RunsCommand::EvaluateAll | RunsCommand::EvaluateWith if self.runs.rows().is_empty() => {
                self.say_no_run();
            }
            RunsCommand::EvaluateAll => self.evaluate(&[], Vec::new()),
            RunsCommand::EvaluateWith => {
                self.desk.overlay = Some(Overlay::Ask(
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

    /// Evaluates runs, all where none is named; without metrics with the default ones and those that they have.
    pub(super) fn evaluate(&mut self, runs: &[String], metrics: Vec<&'static str>) {
        let mut metrics = metrics;
        if metrics.is_empty() {
            metrics.push("default");
            // So that what is outdated is computed again.
            let rows = self.runs.rows().iter();
            let rows = rows.filter(|it| runs.is_empty() || runs.contains(&it.setting.name));
            let had: Vec<&str> = rows
                .flat_map(|it| it.evaluations.iter().map(|it| it.metric.as_str()))
                .collect();
            let ids = METRICS.iter().map(|it| it.id);
            metrics.extend(ids.filter(|id| had.contains(id) && !metric::DEFAULT.contains(id)));
        }
        let runs = runs.iter().map(|it| format!("--run={it}"));
        let arguments = std::iter::once("eval".to_owned())
            .chain(runs)
            .chain([format!("--metrics={}", metrics.join(","))]);
        self.begin(Task::start(JobKind::Eval, arguments.map(OsString::from)));
    }

    /// Evaluates the run under the cursor with the metrics that are typed, or shows what is wrong with them.
    pub(super) fn evaluate_with(&mut self, mut prompt: Prompt) {
        match (metrics::parse(prompt.input.text()), self.selected_run()) {
            (Ok(metrics), Some(run)) => self.evaluate(&[run], metrics),
            (Ok(_), None) => self.say_no_run(),
            (Err(flaw), _) => {
                prompt.flaw = Some(flaw);
                prompt.completions = Vec::new();
                self.desk.overlay = Some(Overlay::Ask(Asked::Metrics, prompt));
            }
        }
    }

    fn selected_run(&self) -> Option<String> {
        self.runs.selected().map(|run| run.setting.name.clone())
    }

    fn say_no_run(&mut self) {
        self.say("there is no run · i imports one", Role::Dim);
    }

    fn ask_to_remove(&mut self) {
        let Some(run) = self.runs.selected() else {
            self.say_no_run();
            return;
        };
        let name = run.setting.name.clone();
        let answers = counted(run.n_predictions, "answer");
        self.desk.overlay = Some(Overlay::Confirm {
            question: format!("remove {} with its {answers} and scores?", visible(&name)),
            confirmed: Confirmed::Remove(name),
        });
    }

    pub(super) fn run_confirm(&mut self, command: ConfirmCommand) {
        let Some(Overlay::Confirm { confirmed, .. }) = self.desk.overlay.take() else {
            return;
        };
        match (command, confirmed) {
            (ConfirmCommand::No, _) => {}
            (ConfirmCommand::Yes, Confirmed::Remove(run)) => self.begin(Task::Remove { run }),
            (ConfirmCommand::Yes, Confirmed::AcceptRest) => {
                self.annotate.accept_rest(&mut self.desk);
            }
            (ConfirmCommand::Yes, Confirmed::ClearJobs) => self.begin(Task::Clear),
            (ConfirmCommand::Yes, Confirmed::SaveFilter(name)) => self.save_filter(name),
        }
    }
}
