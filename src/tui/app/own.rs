//! The user's own commands: the values of their placeholders at the user's place.

use crate::app::App;
use crate::config::{Placeholder, Session};
use crate::event::Effect;
use crate::keymap::{Command, KeyContext, SampleCommand, actions};
use crate::screen::Screen;
use crate::theme::Role;

impl App {
    /// Starts one of the user's own commands, unless a value that it names is missing here.
    pub(super) fn run_own(&mut self, idx: usize) {
        let Some(command) = self.commands.get(idx).cloned() else {
            return;
        };
        let place = self.place_to_edit();
        let (key, run) = self.sample_and_run();
        let value_of = |placeholder| match placeholder {
            Placeholder::Key => key.clone(),
            Placeholder::File => Some(place.as_ref()?.0.clone()),
            Placeholder::Line => Some(place.as_ref()?.1.to_string()),
            Placeholder::Run => run.clone(),
        };
        match command.filled(&value_of) {
            Ok(words) => {
                self.command_log.note_own(&words);
                let waits = command.waits;
                self.desk.push(Effect::Start { words, waits });
            }
            Err(placeholder) => {
                let text = format!("there is no {} here for your command", placeholder.as_str());
                self.desk.show_message(text, Role::Warning);
            }
        }
    }

    /// Finds file and line for the editor: the screen runs its `edit` command, but the effects are read, not carried
    /// out.
    fn place_to_edit(&mut self) -> Option<(String, u32)> {
        let edit = Command::Sample(SampleCommand::Edit);
        let here = KeyContext::On(self.screen());
        if !actions(here).any(|action| action.command == edit) {
            return None;
        }
        let before = self.desk.take_effects();
        let message = self.desk.message.take();
        let (scene, desk) = self.scene_mut();
        scene.run(edit, desk);
        let asked = self.desk.take_effects();
        self.desk.message = message;
        for effect in before {
            self.desk.push(effect);
        }
        asked.into_iter().find_map(|effect| match effect {
            Effect::Edit { path, line } => Some((path.to_str()?.to_owned(), line)),
            _ => None,
        })
    }

    /// Finds the key of the sample under the cursor, and the shown run.
    fn sample_and_run(&self) -> (Option<String>, Option<String>) {
        let screen = self.screen();
        let scene = self.scene(screen);
        let mut session = Session::default();
        scene.keep(&mut session);
        scene.leave(&mut session);
        let panes = match screen {
            Screen::Sample => Some(&self.sample.panes),
            _ => scene.sample(),
        };
        let shown = panes.and_then(|panes| panes.detail.as_ref());
        let shown = shown.map(|detail| detail.row.key.to_string());
        let run = match screen {
            Screen::Runs => session.item,
            Screen::Compare => session.compared_run,
            _ => session.run,
        };
        (shown.or(session.sample), run)
    }
}
