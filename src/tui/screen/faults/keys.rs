//! The actions of Faults.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::faults::commands::FaultsCommand;

const fn faults(
    id: &'static str,
    keys: &'static [&'static str],
    command: FaultsCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Faults)],
        Command::Faults(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(faults("faults-survivor-next", &["n"], FaultsCommand::Survivor(StepDirection::Next), "the next mutant that the test does not notice"), 1, "survivor"),
    faults("faults-survivor-previous", &["N"], FaultsCommand::Survivor(StepDirection::Previous), "the previous mutant that the test does not notice"),
    hinted(faults("faults-missed", &["o"], FaultsCommand::Missed, "only mutants that the true test notices and this one does not; again: all"), 2, "missed"),
    hinted(faults("faults-sample-next", &["}"], FaultsCommand::Sample(StepDirection::Next), "the next sample with mutants; after o: with one that is missed"), 3, "sample"),
    faults("faults-sample-previous", &["{"], FaultsCommand::Sample(StepDirection::Previous), "the previous sample with mutants; after o: with one that is missed"),
    hinted(faults("faults-equivalent", &["="], FaultsCommand::Equivalent, "mark the mutant as equivalent: it counts in no score; again: unmark"), 20, "equivalent"),
    faults("faults-undo", &["u"], FaultsCommand::Undo, "undo your last action (unlimited, across days)"),
    faults("faults-redo", &["U", "<c-r>"], FaultsCommand::Redo, "redo the last undone action"),
    hinted(faults("faults-legend", &["i"], FaultsCommand::Legend, "meaning of letters and signs: A E S T M · x ~ = ≠"), 4, "legend"),
];
