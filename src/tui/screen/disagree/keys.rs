//! The actions of Disagree.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::disagree::commands::DisagreeCommand;

const fn disagree(
    id: &'static str,
    keys: &'static [&'static str],
    command: DisagreeCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Disagree)],
        Command::Disagree(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(disagree("disagree-side", &["1", "2", "3", "4", "5", "6", "7", "8", "9"], DisagreeCommand::Side(1), "rule for the opinion with this number"), 1, "side with"),
    hinted(disagree("disagree-none", &["x"], DisagreeCommand::NoneOfThese, "rule: none of these; the focal method isn't listed"), 2, "none of these"),
    hinted(disagree("disagree-no-focal", &["X"], DisagreeCommand::NoFocal, "rule: no focal, the test is not about one method"), 3, "no focal"),
    hinted(disagree("disagree-accept", &["a"], DisagreeCommand::Accept, "rule: the machine's decision is right"), 4, "machine"),
    disagree("disagree-pick-shown", &["P"], DisagreeCommand::Pick, "rule: the candidate under the cursor"),
    hinted(disagree("disagree-leave-open", &["o"], DisagreeCommand::LeaveOpen, "set aside as undecidable; not gold, no longer open"), 5, "set aside"),
    hinted(disagree("disagree-gap", &["!"], DisagreeCommand::Gap, "note a gap of the guideline in the reason of the next ruling; again: off"), 6, "guideline gap"),
    hinted(disagree("disagree-undo", &["u", "<bs>"], DisagreeCommand::Undo, "undo your last action (unlimited, across days)"), 7, "undo"),
    disagree("disagree-redo", &["U", "<c-r>"], DisagreeCommand::Redo, "redo the last undone action"),
    hinted(disagree("disagree-names", &["."], DisagreeCommand::Names, "names of the annotators; again: hide them until you rule"), 8, "names"),
    hinted(disagree("disagree-note", &["c"], DisagreeCommand::Note, "note on the sample; an empty one removes it"), 9, "note"),
    hinted(disagree("disagree-pair-next", &["]"], DisagreeCommand::Pair(StepDirection::Next), "the next pair of annotators in the matrix"), 18, "pair"),
    disagree("disagree-pair-previous", &["["], DisagreeCommand::Pair(StepDirection::Previous), "the previous pair of annotators in the matrix"),
];
