//! What can be done on Compare.

use super::table::{hinted, row};
use super::{Action, Command, Context};

/// What concerns the runs that are compared, or the sample under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareCommand {
    /// The runs change places.
    Swap,
}

const fn compare(
    id: &'static str,
    keys: &'static [&'static str],
    command: CompareCommand,
    help: &'static str,
) -> Action {
    row(
        id,
        keys,
        &[Context::Compare],
        Command::Compare(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const ACTIONS: &[Action] = &[
    hinted(compare("compare-swap", &["b"], CompareCommand::Swap, "swap the runs: what was the baseline is compared with it"), 15, "swap"),
];
