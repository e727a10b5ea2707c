//! The commands of a difference, for every screen that shows one.

use crate::desk::Desk;
use crate::keymap::StepDirection;
use crate::screen::compare::commands::DifferenceCommand;
use crate::theme::Role;
use crate::widget::difference::DifferenceView;

/// Changes the view of a difference, or goes to another place in it; the footer tells what happened.
pub fn turn(difference: &mut DifferenceView, command: DifferenceCommand, desk: &mut Desk) {
    let text = match command {
        DifferenceCommand::Mode => {
            format!("difference: {}", difference.turn_mode().as_str())
        }
        DifferenceCommand::Space => difference.turn_space().text().to_owned(),
        DifferenceCommand::Hunk(step) => match difference.step_hunk(step) {
            Some((n, n_all)) => format!("change {n} of {n_all}"),
            None => "nothing differs".to_owned(),
        },
        DifferenceCommand::Fold if difference.toggle_fold() => "equal lines are folded".to_owned(),
        DifferenceCommand::Fold => "all lines are shown".to_owned(),
        DifferenceCommand::Context(step) => {
            format!("{} lines around a change", difference.step_context(step))
        }
    };
    desk.show_message(text, Role::Dim);
}

/// Goes to the next match of the search in a difference.
pub fn step_match(difference: &mut DifferenceView, step: StepDirection, desk: &mut Desk) {
    let needle = difference.needle().to_owned();
    let found = difference.step_match(step);
    desk.say_match(&needle, found, "not in these texts");
}
