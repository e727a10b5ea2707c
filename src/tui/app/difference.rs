//! What keys do to the difference on the screen, whichever screen has it.

use crate::app::App;
use crate::desk::overlay::{Asked, Overlay};
use crate::keymap::{DifferenceCommand, Step};
use crate::screen::Screen;
use crate::theme::Role;
use crate::widget::difference::DifferenceView;
use crate::widget::overlay::Prompt;

impl App {
    fn difference(&mut self) -> &mut DifferenceView {
        match self.screen() {
            Screen::Compare => self.compare.difference(),
            _ => self.results.difference(),
        }
    }

    pub(super) fn turn_difference(&mut self, command: DifferenceCommand) {
        let difference = self.difference();
        let text = match command {
            DifferenceCommand::Mode => {
                format!("difference: {}", difference.turn_mode().as_str())
            }
            DifferenceCommand::Space => difference.turn_space().text().to_owned(),
            DifferenceCommand::Hunk(step) => match difference.step_hunk(step) {
                Some((n, n_all)) => format!("change {n} of {n_all}"),
                None => "nothing differs".to_owned(),
            },
            DifferenceCommand::Fold if difference.toggle_fold() => {
                "what is the same is folded".to_owned()
            }
            DifferenceCommand::Fold => "all lines are shown".to_owned(),
            DifferenceCommand::Context(step) => {
                format!("{} lines around a change", difference.step_context(step))
            }
        };
        self.say(text, Role::Dim);
    }

    pub(super) fn step_difference_match(&mut self, step: Step) {
        let difference = self.difference();
        let needle = difference.needle().to_owned();
        match difference.step_match(step) {
            Some((n, n_all)) => self.say(format!("{needle}: {n} of {n_all}"), Role::Dim),
            None if needle.is_empty() => self.say("nothing to search for · / begins", Role::Dim),
            None => self.say(format!("{needle}: not in these texts"), Role::Warning),
        }
    }

    pub(super) fn ask_for_search(&mut self) {
        self.desk.overlay = Some(Overlay::Ask(
            Asked::Search,
            Prompt {
                label: "/",
                ..Prompt::default()
            },
        ));
    }
}
