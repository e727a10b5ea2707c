//! Saved filters: choosing one, saving one; and what else is written beside the index.

use crate::app::App;
use crate::browse::{FieldScope, complete_with, read_filter};
use crate::chore::{Chore, Finished};
use crate::config::Saved;
use crate::config::saved::is_name;
use crate::desk::overlay::{Asked, Choosing, Confirmed, Overlay};
use crate::event::Effect;
use crate::filter::{self, Flaw};
use crate::keymap::{AppCommand, Command};
use crate::question::shared::AskSaved;
use crate::screen::Screen;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::chooser::Choice;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

/// What is written to the file whose path is asked for.
#[derive(Clone, Debug)]
pub(super) enum ToWrite {
    Chart(crate::plot::Kind),
    Results,
}

impl App {
    /// Returns what filters of the screen may say.
    pub(super) fn scope(&self) -> FieldScope {
        match self.screen() {
            Screen::Results | Screen::Compare => FieldScope::Run,
            _ => FieldScope::Samples,
        }
    }

    /// Returns the filter of the screen as it holds.
    pub(super) fn screen_filter(&self) -> &str {
        match self.screen() {
            Screen::Results => self.results.filter_text(),
            Screen::Compare => self.compare.filter_text(),
            _ => &self.samples.filter_text,
        }
    }

    /// Filters the list of the screen; saved filters are put in place of their names.
    ///
    /// # Errors
    /// What is wrong with the text, and where; then nothing changes.
    pub(super) fn filter_screen(&mut self, text: &str) -> Result<(), Flaw> {
        let text = filter::expand(text, &self.desk.saved, self.scope())?;
        match self.screen() {
            Screen::Results => self.results.filter(&text, &mut self.desk),
            Screen::Compare => self.compare.filter(&text, &mut self.desk),
            _ => self.samples.filter(&text, &mut self.desk),
        }
    }

    /// Checks and completes the filter that is typed.
    pub(super) fn check_filter(&mut self) {
        let scope = self.scope();
        if let Some(Overlay::Ask(Asked::Filter, prompt)) = &mut self.desk.overlay {
            let typed = prompt.input.before_cursor();
            let text = prompt.input.text();
            prompt.completions = complete_with(text, typed.len(), &self.desk.saved, scope);
            let flaw = filter::expand(text, &self.desk.saved, scope).err();
            super::typing::mark(prompt, flaw.map(|it| (it.at, it.text)));
        }
    }

    /// Reads the saved filters again: another process may have saved some.
    pub(super) fn ask_saved(&mut self) {
        self.desk
            .ask_for(AskSaved, |app: &mut Self, answer| match answer {
                Ok(saved) => app.take_saved(saved),
                Err(failure) => app.desk.say_failure(&failure),
            });
    }

    /// Takes the saved filters; a list of them that is open gets them too.
    fn take_saved(&mut self, saved: Saved) {
        self.desk.saved = saved;
        match &self.desk.overlay {
            Some(Overlay::Choose(Choosing::SavedFilter, chooser))
                if chooser.sought().1.is_empty() =>
            {
                self.offer_saved();
            }
            _ => {}
        }
    }

    pub(super) fn choose_saved(&mut self) {
        self.ask_saved();
        self.offer_saved();
    }

    fn offer_saved(&mut self) {
        let choices = self.desk.saved.iter();
        let choices = choices
            .map(|(name, text)| Choice::new(name, text, ""))
            .collect();
        self.choose(Choosing::SavedFilter, "saved filters", choices, "");
    }

    /// Asks for the name under which a filter of the screen is saved.
    pub(super) fn ask_to_save_filter(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.say("there is no filter to save · f filters", Role::Dim);
            return;
        }
        self.ask_saved();
        text.trim().clone_into(&mut self.filter_to_save);
        self.desk.overlay = Some(Overlay::Ask(
            Asked::FilterName,
            Prompt {
                label: "save the filter as @",
                ..Prompt::default()
            },
        ));
    }

    /// Returns what is wrong with the name that is typed, or with the filter under it.
    fn flaw_of_name(&self, name: &str) -> Option<String> {
        if !is_name(name) {
            return Some("letters, digits, `-` and `_`, at most 64".to_owned());
        }
        let saved = self.desk.saved.clone().with(name, &self.filter_to_save);
        let error = read_filter(&format!("@{name}"), &saved, FieldScope::Run).err()?;
        Some(visible(&error.to_string()))
    }

    /// Says under which name a filter would be saved, and in place of what.
    pub(super) fn check_name(&mut self) {
        let Some(Overlay::Ask(Asked::FilterName, prompt)) = &self.desk.overlay else {
            return;
        };
        let name = prompt.input.text().to_owned();
        let flaw = match name.as_str() {
            "" => None,
            name => self.flaw_of_name(name),
        };
        if let Some(Overlay::Ask(Asked::FilterName, prompt)) = &mut self.desk.overlay {
            prompt.flaw = flaw.map(|text| (0, text));
        }
    }

    /// Saves the filter, after a question if another one has the name.
    pub(super) fn accept_name(&mut self, mut prompt: Prompt) {
        let name = prompt.input.text().to_owned();
        if let Some(flaw) = self.flaw_of_name(&name) {
            prompt.flaw = Some((0, flaw));
            self.desk.overlay = Some(Overlay::Ask(Asked::FilterName, prompt));
            return;
        }
        match self.desk.saved.get(&name) {
            Some(before) if before != self.filter_to_save => {
                self.desk.overlay = Some(Overlay::Confirm {
                    question: format!("@{name} is `{}` now; save another?", visible(before)),
                    confirmed: Confirmed::SaveFilter(name),
                });
            }
            _ => self.save_filter(name),
        }
    }

    pub(super) fn save_filter(&mut self, name: String) {
        let text = self.filter_to_save.clone();
        self.desk
            .push(Effect::Chore(Box::new(Chore::SaveFilter { name, text })));
    }

    /// Asks for the file that something is written to.
    pub(super) fn ask_path(&mut self, what: ToWrite, path: &str) {
        self.to_write = Some(what);
        self.desk.overlay = Some(Overlay::Ask(
            Asked::Path,
            Prompt {
                label: "write to",
                input: Input::new(path),
                ..Prompt::default()
            },
        ));
    }

    /// Asks where the listed predictions go.
    pub(super) fn ask_to_export(&mut self) {
        let Some(run) = self.results.options().run.clone() else {
            self.say("there is no run · gR imports one", Role::Dim);
            return;
        };
        let name: String = run
            .chars()
            .map(|it| {
                if it.is_alphanumeric() || "-_.".contains(it) {
                    it
                } else {
                    '_'
                }
            })
            .collect();
        self.ask_path(ToWrite::Results, &format!("{name}.jsonl"));
    }

    pub(super) fn accept_path(&mut self, mut prompt: Prompt) {
        let path = prompt.input.text().trim().to_owned();
        if path.is_empty() {
            prompt.flaw = Some((0, "name a file".to_owned()));
            self.desk.overlay = Some(Overlay::Ask(Asked::Path, prompt));
            return;
        }
        let chore = match self.to_write.take() {
            Some(ToWrite::Chart(kind)) => Chore::WriteChart { kind, path },
            Some(ToWrite::Results) => Chore::Export {
                options: Box::new(self.results.options().clone()),
                path,
            },
            None => return,
        };
        self.say("writing …", Role::Dim);
        self.desk.push(Effect::Chore(Box::new(chore)));
    }

    /// Builds the bundled samples into the workspace.
    pub(super) fn build_demo(&mut self) {
        if !self.is_building_demo {
            self.is_building_demo = true;
            self.desk.push(Effect::Chore(Box::new(Chore::Demo)));
        }
        self.say("building the demo …", Role::Dim);
    }

    /// Says how something went that was written.
    pub(super) fn on_finished(&mut self, finished: Finished) {
        let is_done = finished.outcome.is_ok();
        match (&finished.chore, is_done) {
            (Chore::SaveFilter { .. }, _) => self.ask_saved(),
            (Chore::Demo, _) => {
                self.is_building_demo = false;
                self.run(Command::App(AppCommand::Redraw));
            }
            _ => {}
        }
        match finished.outcome {
            Ok(text) => self.say(text, Role::Good),
            Err(text) => self.say(text, Role::Error),
        }
    }
}
