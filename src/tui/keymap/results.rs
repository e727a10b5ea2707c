//! What can be done on Results.

use super::table::{hinted, row};
use super::{Action, Command, Context};

/// What concerns the samples of a run, or the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsCommand {
    /// Opens the sample itself.
    Sample,
}

const fn results(
    id: &'static str,
    keys: &'static [&'static str],
    command: ResultsCommand,
    help: &'static str,
) -> Action {
    row(
        id,
        keys,
        &[Context::Results],
        Command::Results(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const ACTIONS: &[Action] = &[
    hinted(results("results-sample", &["s"], ResultsCommand::Sample, "the sample: test, focal method, contexts"), 16, "sample"),
];
