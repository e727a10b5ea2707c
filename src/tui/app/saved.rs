//! Saving the filter of a screen under a name.

use crate::config::saved::is_name;
use crate::tui::app::{App, Asked, Overlay};
use crate::tui::question::{Query, Slot};
use crate::tui::theme::Role;
use crate::tui::widget::overlay::Prompt;

impl App {
    /// Asks under which name a filter is to be saved.
    pub(super) fn ask_to_save_filter(&mut self, text: String) {
        if text.trim().is_empty() {
            self.say("there is no filter to save · f filters", Role::Dim);
            return;
        }
        self.unsaved = text;
        self.overlay = Some(Overlay::Ask(
            Asked::SaveFilter,
            Prompt {
                label: "save as @",
                ..Prompt::default()
            },
        ));
    }

    /// Saves the filter under the name that was typed, or shows what is wrong with the name.
    pub(super) fn accept_filter_name(&mut self, mut prompt: Prompt) {
        let name = prompt
            .input
            .text()
            .trim()
            .trim_start_matches('@')
            .to_owned();
        if is_name(&name) {
            let text = std::mem::take(&mut self.unsaved);
            let query = Query::SaveFilter { name, text };
            self.outbox.ask(Slot::SavedFilter, query);
        } else {
            let text = "a name has letters, digits, `-` and `_`".to_owned();
            prompt.flaw = Some((0, text));
            self.overlay = Some(Overlay::Ask(Asked::SaveFilter, prompt));
        }
    }
}
