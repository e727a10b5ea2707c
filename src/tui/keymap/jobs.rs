//! What can be done on Jobs.

use super::table::{hinted, row};
use super::{Action, Command, Context};

/// What concerns the jobs, or the one under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobsCommand {
    Cancel,
}

const fn jobs(
    id: &'static str,
    keys: &'static [&'static str],
    command: JobsCommand,
    help: &'static str,
) -> Action {
    row(id, keys, &[Context::Jobs], Command::Jobs(command), help)
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub(super) const ACTIONS: &[Action] = &[
    hinted(jobs("job-cancel", &["x"], JobsCommand::Cancel, "cancel the job; what it wrote before stays"), 11, "cancel"),
];
