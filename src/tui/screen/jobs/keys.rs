//! The actions of Jobs, and those for jobs on other screens.

use crate::keymap::table::{hinted, row};
use crate::keymap::{Command, KeyAction, KeyContext};
use crate::screen::Screen;
use crate::screen::jobs::commands::JobsCommand;

const fn jobs(
    id: &'static str,
    keys: &'static [&'static str],
    command: JobsCommand,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Jobs)],
        Command::Jobs(command),
        help,
    )
}

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    hinted(jobs("job-new", &["A"], JobsCommand::New, "start a job: mine, import, eval, export, leakage, index"), 9, "new"),
    hinted(jobs("job-cancel", &["x"], JobsCommand::Cancel, "cancel the job; its output so far stays"), 11, "cancel"),
    hinted(jobs("job-again", &["r"], JobsCommand::Again, "start it again; finished work is not repeated"), 12, "again"),
    hinted(jobs("job-level", &["L"], JobsCommand::Level, "only warnings and errors of the log; again: everything"), 15, "level"),
    hinted(jobs("job-details", &["i"], JobsCommand::Details, "details of the job: arguments, times, process"), 16, "details"),
    jobs("job-copy", &["y"], JobsCommand::Copy, "copy the command line"),
    hinted(jobs("job-clear", &["D"], JobsCommand::Clear, "forget ended jobs, after a confirmation"), 18, "clear"),
    hinted(row("repo-mine-again", &["r"], &[KeyContext::On(Screen::Repos)], Command::Jobs(JobsCommand::MineAgain), "mine the repository again, and list the changes"), 11, "mine again"),
];
