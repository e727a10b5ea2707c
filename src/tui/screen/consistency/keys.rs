//! The actions of Consistency.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext, StepDirection};
use crate::screen::Screen;
use crate::screen::consistency::commands::ConsistencyCommand;

const fn consistency(
    id: &'static str,
    keys: &'static [&'static str],
    command: ConsistencyCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Consistency)],
        Command::Consistency(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(consistency("consistency-variant-next", &["<tab>", "}"], ConsistencyCommand::Variant(StepDirection::Next), "the next variant of the function"), 1, "variant"),
    consistency("consistency-variant-previous", &["<s-tab>", "{"], ConsistencyCommand::Variant(StepDirection::Previous), "the previous variant of the function"),
    hinted(consistency("consistency-view", &["v"], ConsistencyCommand::View, "completions, or the variant against the function"), 2, "view"),
    hinted(consistency("consistency-legend", &["i"], ConsistencyCommand::Legend, "meaning of signs and words: REP_R, far, spread, taken …"), 2, "legend"),
    hinted(consistency("consistency-threshold", &["t"], ConsistencyCommand::Threshold, "the number of others that makes an outlier: 1, 3, 5, 7 or 9"), 3, "T"),
    hinted(consistency("consistency-rule", &["m"], ConsistencyCommand::Rule, "the rule for far: below the median similarity, or above the mean distance"), 4, "rule"),
    hinted(consistency("consistency-run-next", &["]"], ConsistencyCommand::Run(StepDirection::Next), "the next run of completions"), 5, "run"),
    consistency("consistency-run-previous", &["["], ConsistencyCommand::Run(StepDirection::Previous), "the previous run of completions"),
];
