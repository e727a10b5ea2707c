//! Offers and questions of several screens: lines to type, lists to choose from, jobs, the clipboard.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::desk::overlay::{ChoicePurpose, InputPurpose, Overlay, PopupMessage};
use crate::desk::{Desk, ScreenRequest};
use crate::eval::by::GroupBy;
use crate::event::Effect;
use crate::keymap::StepDirection;
use crate::metric::{self, METRICS};
use crate::model::JobKind;
use crate::question::QuestionFailure;
use crate::term::Clipboard;
use crate::theme::Role;
use crate::widget::chooser::{Chooser, ChooserItem};
use crate::widget::code::CodeView;
use crate::widget::frame::counted;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;
use crate::work::BackgroundTask;

/// Even terminals that know the sequence cut it off beyond this.
const CLIPBOARD_BYTES_MAX: usize = 74_994;

impl Desk {
    /// Asks for a line of input.
    pub fn ask_line(&mut self, asked: InputPurpose, label: &'static str, text: &str) {
        let prompt = Prompt {
            label,
            input: Input::new(text),
            ..Prompt::default()
        };
        self.overlay = Some(Overlay::Ask(asked, Box::new(prompt)));
    }

    /// Shows the meaning of signs and words, or hides it.
    pub fn turn_legend(&mut self, facts: &[(&str, &str)]) {
        let owned = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
        self.overlay = match self.overlay.take() {
            Some(Overlay::Legend(_)) => None,
            _ => Some(Overlay::Legend(facts.iter().map(owned).collect())),
        };
    }

    /// Asks for a line that is checked at once.
    pub fn ask_checked(&mut self, asked: InputPurpose, label: &'static str, text: &str) {
        self.ask_line(asked, label, text);
        self.request(ScreenRequest::Check);
    }

    /// Takes the number of rows that the typed filter lets through.
    pub fn take_typed(&mut self, n: u64) {
        if let Some(Overlay::Ask(InputPurpose::Filter | InputPurpose::Queue, prompt)) =
            &mut self.overlay
        {
            prompt.take_count(n);
        }
    }

    /// Shows why the rows of the typed filter cannot be counted; the list stays as it is.
    pub fn fail_typed(&mut self, failure: &QuestionFailure) {
        if let (
            Some(Overlay::Ask(InputPurpose::Filter | InputPurpose::Queue, prompt)),
            QuestionFailure::Other(text),
        ) = (&mut self.overlay, failure)
        {
            prompt.mark(Some((0, text.clone())));
        }
    }

    pub fn ask_search(&mut self) {
        self.ask_line(InputPurpose::Search, "/", "");
    }

    /// Tells the number of the current match of a search.
    pub fn say_match(&mut self, needle: &str, found: Option<(usize, usize)>, nowhere: &str) {
        match found {
            Some((idx, n_hits)) => {
                self.show_message(format!("{needle}: {idx} of {n_hits}"), Role::Dim);
            }
            None if needle.is_empty() => self.say_no_search(),
            None => self.show_message(format!("{needle}: {nowhere}"), Role::Warning),
        }
    }

    pub fn say_no_search(&mut self) {
        self.show_message("no search yet · / searches", Role::Dim);
    }

    pub fn choose(
        &mut self,
        choosing: ChoicePurpose,
        title: &'static str,
        choices: Vec<ChooserItem>,
        current: &str,
    ) {
        let chooser = Chooser::new(title, choices, current);
        self.overlay = Some(Overlay::Choose(choosing, Box::new(chooser)));
    }

    /// Lists the runs to choose from, the newest first.
    #[must_use]
    pub fn run_choices(&self) -> Vec<ChooserItem> {
        let runs = self.runs.iter().rev();
        let choices = runs.map(|run| {
            let model = run.setting.model.as_deref().unwrap_or_default();
            let samples = counted(run.n_samples, "sample");
            let n = run
                .evaluations
                .iter()
                .filter(|evaluation| evaluation.value.is_some());
            let metrics = counted(n.count() as u64, "metric");
            let note = [model, &samples, &metrics];
            let note = note.into_iter().filter(|note| !note.is_empty());
            let note: Vec<&str> = note.collect();
            ChooserItem::new(&run.setting.name, &note.join(" · "), "")
        });
        choices.collect()
    }

    pub fn choose_metric(&mut self, ids: &[&'static str], current: &str) {
        let choices: Vec<ChooserItem> = ids
            .iter()
            .map(|id| ChooserItem::new(id, &metric::title_of(id).unwrap_or_default(), ""))
            .collect();
        if choices.is_empty() {
            self.show_message("no metric is computed · r evaluates the run", Role::Dim);
            return;
        }
        self.choose(ChoicePurpose::Metric, "metric", choices, current);
    }

    pub fn choose_group(&mut self, words: &[GroupBy]) {
        let choices = words
            .iter()
            .map(|word| ChooserItem::new(word.as_str(), "", ""))
            .collect();
        self.choose(ChoicePurpose::Group, "group by", choices, "");
    }

    /// Shows something over the screen; typing goes on undisturbed.
    pub fn show_popup(&mut self, message: PopupMessage) {
        if self.overlay.is_none() {
            self.overlay = Some(Overlay::Told(message));
        }
    }

    /// Opens this over the screen, or closes it; without a sample there is nothing to show.
    pub fn toggle_about(&mut self, overlay: Overlay, has_sample: bool) {
        let is_open = matches!(
            (&self.overlay, &overlay),
            (Some(Overlay::Why), Overlay::Why) | (Some(Overlay::Facts), Overlay::Facts)
        );
        self.overlay = (!is_open && has_sample).then_some(overlay);
    }

    /// Opens a file of the mined folder in the editor, at a line.
    pub fn edit(&mut self, place: Option<(String, u32)>, root: Option<&PathBuf>) {
        match (place, root) {
            (Some((path, line)), Some(root)) => {
                let path = root.join(path);
                self.push(Effect::Edit { path, line });
            }
            (Some(_), None) => self.show_message("the mined folder is gone", Role::Warning),
            (None, _) => self.show_message("nothing to edit here", Role::Dim),
        }
    }

    /// Goes to the next focal call or assertion of a test.
    pub fn step_mark(&mut self, test: &mut CodeView, step: StepDirection) {
        if !test.step_mark(step) {
            self.show_message("no further focal call or assertion", Role::Dim);
        }
    }

    pub fn turn_wrap(&mut self) {
        self.wraps = !self.wraps;
        let text = if self.wraps {
            "long lines wrap"
        } else {
            "long lines are cut · h l scroll"
        };
        self.show_message(text, Role::Dim);
    }

    pub fn begin(&mut self, task: BackgroundTask) {
        if let BackgroundTask::Start(new) = &task {
            self.show_message(format!("starting {} …", new.kind.as_str()), Role::Dim);
        }
        self.push(Effect::Work(task));
    }

    /// Starts a job that evaluates runs, all where none is named; without metrics, by the default ones and those they
    /// already have.
    pub fn evaluate(&mut self, runs: &[String], metrics: Vec<&'static str>) {
        let mut metrics = metrics;
        if metrics.is_empty() {
            metrics.push("default");
            // Outdated values are computed again in this way.
            let rows = self.runs.iter();
            let rows = rows.filter(|row| runs.is_empty() || runs.contains(&row.setting.name));
            let had: Vec<&str> = rows
                .flat_map(|row| {
                    row.evaluations
                        .iter()
                        .map(|evaluation| evaluation.metric.as_str())
                })
                .collect();
            let ids = METRICS.iter().map(|metric| metric.id);
            metrics.extend(ids.filter(|id| had.contains(id) && !metric::DEFAULT.contains(id)));
        }
        let runs = runs.iter().map(|run| format!("--run={run}"));
        let arguments = std::iter::once("eval".to_owned())
            .chain(runs)
            .chain([format!("--metrics={}", metrics.join(","))]);
        self.begin(BackgroundTask::start(
            JobKind::Eval,
            arguments.map(OsString::from),
        ));
    }

    /// Sends a text to the terminal's clipboard, and names it in the footer.
    pub fn copy_out(&mut self, taken: Option<(String, &'static str)>) {
        match taken {
            None => self.show_message("nothing to copy here", Role::Dim),
            Some((text, _)) if text.len() > CLIPBOARD_BYTES_MAX => {
                let (size, most) = (size(text.len()), size(CLIPBOARD_BYTES_MAX));
                let text = format!("{size}: a terminal takes {most} · export it instead");
                self.show_message(text, Role::Warning);
            }
            Some((text, name)) => {
                let (size, note) = (size(text.len()), self.clipboard.note());
                let role = match self.clipboard {
                    Clipboard::Deaf(_) => Role::Warning,
                    _ => Role::Good,
                };
                self.show_message(format!("copied {name} · {size} · OSC 52 {note}"), role);
                self.push(Effect::Copy(text));
            }
        }
    }
}

/// Writes a size for people.
fn size(n_bytes: usize) -> String {
    if n_bytes < 1_000 {
        format!("{n_bytes} B")
    } else {
        format!("{:.1} kB", n_bytes as f64 / 1_000.0)
    }
}
