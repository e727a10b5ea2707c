//! What help and manual say beyond options: how commands end, which variables count, and the examples of `examples`.

use clap::{Command, CommandFactory};

use super::examples::examples;
use super::{Cli, overview};

/// Codes and what they mean; `docs/formats.md` has the same table.
pub const EXIT_STATUS: &[(&str, &str)] = &[
    (
        "0",
        "success, even if single files or lines had problems or a pipe was closed",
    ),
    (
        "1",
        "nothing could be processed, a check found something broken, or there were problems and `--strict` was given",
    ),
    ("2", "the command line is wrong, or a file exists already"),
    ("3", "input cannot be read"),
    ("4", "the database cannot be used"),
    ("5", "another program failed"),
    (
        "75",
        "a shard is not done and trying again may help: a full disk, the network, a killed process",
    ),
    ("130", "cancelled with Ctrl-C"),
];

/// Variables and what they decide.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "FOCALIST_WORKSPACE",
        "the folder that holds `.focalist`, if `--workspace` is not given",
    ),
    (
        "FOCALIST_CACHE",
        "the folder for what `prepare` builds and downloads, instead of your cache directory",
    ),
    (
        "USER",
        "the annotator's name, if neither `--as` nor the settings give it; without it, the system's name for you",
    ),
    ("COLUMNS", "the width of `plot` in the terminal"),
    (
        "TERM",
        "the type of the terminal; with `dumb`, `review` goes line by line",
    ),
    ("NO_COLOR", "the terminal UI shows no colors if it is set"),
    (
        "EDITOR, VISUAL",
        "the editor that the terminal UI opens files with",
    ),
];

/// Completes the command line with the last part of its help.
pub fn command() -> Command {
    let status = list("Exit status:", EXIT_STATUS);
    let variables = list("Environment:", ENVIRONMENT);
    let command = with_examples(Cli::command(), "");
    let command = with_groups(command);
    with(command, &format!("{status}\n{variables}"))
}

/// Lists commands by what they are for: fifty in one list help nobody.
fn with_groups(command: Command) -> Command {
    let groups = overview::short(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Adds their examples to the help of a command and of those below it; `path` are the words that call it.
fn with_examples(command: Command, path: &str) -> Command {
    let command = match examples(path) {
        [] => command,
        examples => with(command, &list("Examples:", examples)),
    };
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_examples(below, path.trim_start())
    })
}

/// Adds a text behind the last part of the help.
fn with(command: Command, text: &str) -> Command {
    let known = command.get_after_long_help().or(command.get_after_help());
    let known = known.map_or_else(String::new, |styled_str| format!("{styled_str}\n\n"));
    command.after_long_help(known + text)
}

fn list(head: &str, rows: &[(&str, &str)]) -> String {
    let rows = rows
        .iter()
        .map(|(what, about)| format!("  {what}\n      {about}\n"));
    format!("{head}\n{}", rows.collect::<String>())
}
