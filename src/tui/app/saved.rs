//! Saved filters, chosen and saved, and other files written beside the index.

use crate::app::App;
use crate::browse::{FieldScope, complete_with, read_filter};
use crate::chore::{Chore, FinishedChore};
use crate::config::SavedFilters;
use crate::config::saved::is_name;
use crate::desk::ExportContent;
use crate::desk::overlay::{ChoicePurpose, ConfirmedAction, InputPurpose, Overlay};
use crate::event::Effect;
use crate::filter::{self, FilterFlaw};
use crate::keymap::{AppCommand, Command};
use crate::question::shared::SavedFiltersQuestion;
use crate::screen::Screen;
use crate::text::visible;
use crate::theme::Role;
use crate::widget::chooser::ChooserItem;
use crate::widget::overlay::Prompt;

/// The filter or the content to write, until its name is typed.
#[derive(Debug, Default)]
pub(super) struct PendingSave {
    filter: String,
    what: Option<ExportContent>,
    is_building_demo: bool,
}

impl App {
    /// Returns the current filter of the screen; the samples' filter where it has none.
    pub(super) fn screen_filter(&self) -> &str {
        let own = self.scene(self.screen()).filter_text();
        own.unwrap_or(&self.samples.filter_text)
    }

    /// Filters the list of the screen, else the samples; replaces `@name` by the saved filter.
    ///
    /// # Errors
    /// The flaw of the text, with its place; then nothing changes.
    pub(super) fn filter_screen(&mut self, text: &str) -> Result<(), FilterFlaw> {
        let screen = self.filtered_screen();
        let text = filter::expand(text, &self.desk.saved, self.scene(screen).scope())?;
        let (scene, desk) = self.scene_of(screen);
        scene.filter(&text, desk)?;
        self.note_filter(screen, &text);
        Ok(())
    }

    /// Checks and completes the filter that is typed.
    pub(super) fn check_filter(&mut self, prompt: &mut Prompt) {
        let screen = self.filtered_screen();
        let scope = self.scene(screen).scope();
        let typed = prompt.input.before_cursor();
        let text = prompt.input.text();
        let read = filter::read(text, &self.desk.saved, scope);
        prompt.completions = complete_with(text, typed.len(), &self.desk.saved, scope);
        match read {
            Ok(filter) => {
                prompt.mark(None);
                if prompt.counts(&filter) {
                    let (scene, desk) = self.scene_of(screen);
                    scene.count_typed(filter, desk);
                }
            }
            Err(flaw) => {
                prompt.mark(Some((flaw.at, flaw.text)));
                prompt.offer(flaw.mended);
            }
        }
    }

    /// Chooses the screen whose list is filtered: the one that is shown, where it has one.
    fn filtered_screen(&self) -> Screen {
        let shown = self.scene(self.screen());
        if shown.filter_text().is_some() {
            self.screen()
        } else {
            Screen::Samples
        }
    }

    /// Reads the saved filters again: another process may have saved some.
    pub(super) fn ask_saved(&mut self) {
        self.desk.ask_for(
            SavedFiltersQuestion,
            |app: &mut Self, answer| match answer {
                Ok(saved) => app.take_saved(saved),
                Err(failure) => app.desk.show_failure(&failure),
            },
        );
    }

    /// Takes the saved filters; also renews an open list of them in which nothing is typed.
    fn take_saved(&mut self, saved: SavedFilters) {
        self.desk.saved = saved;
        match &self.desk.overlay {
            Some(Overlay::Choose(ChoicePurpose::SavedFilter, chooser))
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
            .map(|(name, text)| ChooserItem::new(name, text, ""))
            .collect();
        self.desk
            .choose(ChoicePurpose::SavedFilter, "saved filters", choices, "");
    }

    /// Asks for the name under which a filter of the screen is saved.
    pub(super) fn ask_to_save_filter(&mut self, text: &str) {
        if text.trim().is_empty() {
            self.desk
                .show_message("there is no filter to save · f filters", Role::Dim);
            return;
        }
        self.ask_saved();
        text.trim().clone_into(&mut self.saving.filter);
        self.desk
            .ask_line(InputPurpose::FilterName, "save the filter as @", "");
    }

    /// Checks the typed name, and the filter as it would be under that name; nothing if both are right.
    fn flaw_of_name(&self, name: &str) -> Option<String> {
        if !is_name(name) {
            return Some("letters, digits, `-` and `_`, at most 64".to_owned());
        }
        let saved = self.desk.saved.clone().with(name, &self.saving.filter);
        let error = read_filter(&format!("@{name}"), &saved, FieldScope::Run).err()?;
        Some(visible(&error.to_string()))
    }

    /// Shows the flaw of the typed name under which a filter would be saved.
    pub(super) fn check_name(&self, prompt: &mut Prompt) {
        let flaw = match prompt.input.text() {
            "" => None,
            name => self.flaw_of_name(name),
        };
        prompt.flaw = flaw.map(|text| (0, text));
    }

    /// Saves the filter, after a question if another one has the name.
    pub(super) fn accept_name(&mut self, name: &str) -> Result<(), FilterFlaw> {
        if let Some(text) = self.flaw_of_name(name) {
            return Err(FilterFlaw::new(0, text));
        }
        let name = name.to_owned();
        match self.desk.saved.get(&name) {
            Some(before) if before != self.saving.filter => {
                self.desk.overlay = Some(Overlay::Confirm {
                    question: format!("@{name} is `{}` now; save another?", visible(before)),
                    confirmed: ConfirmedAction::SaveFilter(name),
                });
            }
            _ => self.save_filter(name),
        }
        Ok(())
    }

    pub(super) fn save_filter(&mut self, name: String) {
        let text = self.saving.filter.clone();
        self.desk
            .push(Effect::Chore(Box::new(Chore::SaveFilter { name, text })));
    }

    /// Asks for the file to write this content to.
    pub(super) fn ask_path(&mut self, what: ExportContent, path: &str) {
        self.saving.what = Some(what);
        self.desk.ask_line(InputPurpose::Path, "write to", path);
    }

    pub(super) fn accept_path(&mut self, path: &str) -> Result<(), FilterFlaw> {
        let path = path.trim().to_owned();
        if path.is_empty() {
            let text = "name a file".to_owned();
            return Err(FilterFlaw::new(0, text));
        }
        let chore = match self.saving.what.take() {
            Some(ExportContent::Chart(kind)) => Chore::WriteChart { kind, path },
            Some(ExportContent::Results(options)) => Chore::Export {
                options,
                rows: None,
                path,
            },
            Some(ExportContent::SomeResults(options, rows)) => Chore::Export {
                options,
                rows: Some(rows),
                path,
            },
            Some(ExportContent::Keys(text) | ExportContent::Log(text)) => {
                Chore::WriteText { text, path }
            }
            None => return Ok(()),
        };
        self.desk.show_message("writing …", Role::Dim);
        self.desk.push(Effect::Chore(Box::new(chore)));
        Ok(())
    }

    /// Starts building the bundled samples into the workspace, unless that is going on.
    pub(super) fn build_demo(&mut self) {
        if !self.saving.is_building_demo {
            self.saving.is_building_demo = true;
            self.desk.push(Effect::Chore(Box::new(Chore::Demo)));
        }
        self.desk.show_message("building the demo …", Role::Dim);
    }

    /// Reports how a chore ended, and reads again what it changed.
    pub(super) fn on_finished(&mut self, finished: FinishedChore) {
        let is_done = finished.outcome.is_ok();
        if is_done {
            self.command_log.hear_chore(&finished.chore);
        }
        match (&finished.chore, is_done) {
            (Chore::SaveFilter { .. }, _) => self.ask_saved(),
            (Chore::Demo, _) => {
                self.saving.is_building_demo = false;
                self.run(Command::App(AppCommand::Redraw));
            }
            _ => {}
        }
        match finished.outcome {
            Ok(text) => self.desk.show_message(text, Role::Good),
            Err(text) => self.desk.show_message(text, Role::Error),
        }
    }
}
