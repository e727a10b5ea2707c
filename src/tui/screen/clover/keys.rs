//! The actions of Clover.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::clover::commands::CloverCommand;

const fn clover(
    id: &'static str,
    keys: &'static [&'static str],
    command: CloverCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Clover)],
        Command::Clover(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(clover("clover-file-next", &["<tab>"], CloverCommand::File(StepDirection::Next), "the next file of the project"), 1, "file"),
    clover("clover-file-previous", &["<s-tab>"], CloverCommand::File(StepDirection::Previous), "the previous file of the project"),
    hinted(clover("clover-block-next", &["}"], CloverCommand::Block(StepDirection::Next), "the next lines that are wanted, missed by the answer, or the problem's own"), 2, "block"),
    clover("clover-block-previous", &["{"], CloverCommand::Block(StepDirection::Previous), "the previous lines that are wanted, missed by the answer, or the problem's own"),
    hinted(clover("clover-budget-next", &["b"], CloverCommand::Budget(StepDirection::Next), "the next budget: how much of the project fits into the prompt"), 3, "budget"),
    clover("clover-budget-previous", &["B"], CloverCommand::Budget(StepDirection::Previous), "the previous budget"),
    hinted(clover("clover-task", &["t"], CloverCommand::Task, "the kind of question: a blank, a target, blocks"), 4, "task"),
    hinted(clover("clover-answer", &["a"], CloverCommand::Answer, "the next answer: the lines it should cover, and those it does"), 5, "answer"),
    hinted(clover("clover-view", &["v"], CloverCommand::View, "the problem's own file, or one of the project's"), 6, "view"),
    hinted(clover("clover-narrow", &["f"], CloverCommand::Narrow, "only problems with these words in their name, outcome or reason"), 7, "filter"),
    hinted(clover("clover-legend", &["i"], CloverCommand::Legend, "meaning of signs and words: ● ✓ ▷ ■ □, needed, peer, rest …"), 8, "legend"),
    hinted(clover("clover-project-next", &["]"], CloverCommand::Project(StepDirection::Next), "the next project"), 9, "project"),
    clover("clover-project-previous", &["["], CloverCommand::Project(StepDirection::Previous), "the previous project"),
];
