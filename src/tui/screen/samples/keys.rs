//! The actions of Samples.

use crate::keymap::table::row;
use crate::keymap::{Command, KeyAction, KeyContext};
use crate::screen::Screen;
use crate::screen::samples::commands::{SamplesCommand, Sort};

const fn sort(
    id: &'static str,
    keys: &'static [&'static str],
    by: Sort,
    help: &'static str,
) -> KeyAction {
    row(
        id,
        keys,
        &[KeyContext::On(Screen::Samples)],
        Command::Samples(SamplesCommand::Sort(by)),
        help,
    )
}

const SAMPLES: &[KeyContext] = &[KeyContext::On(Screen::Samples)];

#[rustfmt::skip] // one action, one line: it is read as a table
pub const ACTIONS: &[KeyAction] = &[
    row("samples-select", &["V"], SAMPLES, Command::Samples(SamplesCommand::Select), "select rows: j k extend, Esc ends; then m, r, c, E, yi"),
    row("samples-mark", &["m"], SAMPLES, Command::Samples(SamplesCommand::Mark), "mark the selected samples, for discussion"),
    row("samples-keys", &["E"], SAMPLES, Command::Samples(SamplesCommand::Keys), "write the keys of the selected samples to a file, one a line"),
    row("samples-run-again", &["r"], SAMPLES, Command::Samples(SamplesCommand::RunAgain), "run the predictions for the selected samples again, in their projects"),
    row("samples-compare", &["c"], SAMPLES, Command::Samples(SamplesCommand::Compare), "compare runs on the selected samples"),
    sort("sort-index", &[",,"], Sort::Index, "order of the index"),
    sort("sort-weight", &[",w"], Sort::Weight, "sort by weight; again: reverse"),
    sort("sort-status", &[",s"], Sort::Status, "sort by status"),
    sort("sort-test", &[",t"], Sort::Test, "sort by the test's name"),
    sort("sort-class", &[",c"], Sort::Class, "sort by the test's class"),
    sort("sort-focal", &[",f"], Sort::Focal, "sort by the focal method"),
    sort("sort-repo", &[",r"], Sort::Repo, "sort by repository"),
];
