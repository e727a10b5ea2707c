//! The commands by what they are for: the groups of `--help`, `help --all` and the docs.
//!
//! Fifty commands in one list help nobody, so help begins with those that most studies need and names the others by
//! group.

use clap::Command;

/// Columns of the help that is laid out here.
const WIDTH: usize = 80;
/// Where the text of a row begins: behind a command, and behind the title of a group.
const BEHIND_COMMAND: usize = 15;
const BEHIND_TITLE: usize = 21;

/// Those that most studies need, in the order of a study.
const MOST_USED: [&str; 11] = [
    "demo",
    "mine",
    "samples",
    "review",
    "import",
    "generate",
    "execute",
    "results",
    "compare",
    "export",
    "experiment",
];

/// Every command that people call, by what it is for.
const GROUPS: [(&str, &[&str]); 9] = [
    ("Start", &["demo", "mine", "doctor", "help"]),
    (
        "Look",
        &[
            "samples", "show", "methods", "explain", "calls", "stats", "repos", "problems", "rm",
            "index", "plot", "view", "pick",
        ],
    ),
    (
        "Judge",
        &[
            "review",
            "verdict",
            "verdicts",
            "undo",
            "redo",
            "audit",
            "agreement",
            "filters",
        ],
    ),
    (
        "Score and compare",
        &[
            "import", "eval", "score", "runs", "results", "compare", "report", "tags", "tag",
        ],
    ),
    (
        "Ask models",
        &[
            "prompts",
            "generate",
            "experiment",
            "encode",
            "decode",
            "train",
            "consistency",
            "mutate",
            "paper",
        ],
    ),
    ("Run tests", &["prepare", "execute", "faults"]),
    (
        "Datasets",
        &["export", "validate", "manifest", "leakage", "benchmark"],
    ),
    ("Many machines", &["plan", "merge", "cluster", "jobs"]),
    ("Setup", &["config", "trust", "keys", "completions", "man"]),
];

/// Options that several commands have, what their values are called, and what they mean in each of them.
const SHARED: [(&str, &[&str], &str); 6] = [
    (
        "filter",
        &["FILTER"],
        "only the samples that the filter lets through; commands that list take it as words instead",
    ),
    (
        "run",
        &["NAME"],
        "the run by its name; several where it may be repeated",
    ),
    (
        "language",
        &["LANGUAGE"],
        "the programming language of the sources",
    ),
    (
        "format",
        &["FORMAT"],
        "the format: `table`, `csv`, `json`, `latex`, `markdown`, or a format of datasets",
    ),
    (
        "output",
        &["FILE", "DIR"],
        "write there instead of to stdout; an existing file is not replaced without `--force`",
    ),
    (
        "seed",
        &["N"],
        "the seed of every random choice; equal seeds give equal results",
    ),
];

/// Writes the options that several commands share as a table in Markdown.
pub fn shared_options() -> String {
    let mut text = "| option | means in every command |\n| --- | --- |\n".to_owned();
    for (name, values, meaning) in SHARED {
        let values = values.join("\\|");
        text.push_str(&format!("| `--{name} {values}` | {meaning} |\n"));
    }
    text
}

/// Writes the short list of commands in `--help`.
pub fn short(command: &Command) -> String {
    let mut text = "Most used:\n".to_owned();
    for name in MOST_USED {
        push_row(&mut text, BEHIND_COMMAND, (name, &about(command, name)));
    }
    text.push_str("\nAll commands (`focalist help --all` says what each does):\n");
    for (title, names) in GROUPS {
        push_row(&mut text, BEHIND_TITLE, (title, &names.join(", ")));
    }
    text
}

/// Lists every command with a line each, by group.
pub fn whole(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(title);
        text.push_str(":\n");
        for name in names {
            push_row(&mut text, BEHIND_COMMAND, (name, &about(command, name)));
        }
    }
    text.push_str("\n`focalist COMMAND --help` documents a command.\n");
    text
}

fn about(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map(ToString::to_string).unwrap_or_default()
}

/// Adds a row of two columns; a text that is too long goes on below itself.
fn push_row(text: &mut String, indent: usize, (name, about): (&str, &str)) {
    let mut line = format!("  {name:width$}", width = indent - 2);
    let mut is_first = true;
    for word in about.split(' ') {
        let n_columns = line.chars().count() + 1 + word.chars().count();
        if !is_first && n_columns > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line = " ".repeat(indent);
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line.push_str(word);
        is_first = false;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::args::command;

    #[test]
    fn every_command_has_its_group_once() {
        let command = command();
        let visible = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let visible: BTreeSet<&str> = visible.map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let once: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(once.len(), grouped.len(), "a command is in two groups");
        assert_eq!(once, visible);
        assert!(MOST_USED.iter().all(|name| visible.contains(name)));
    }

    fn check_shared(verb: &Command) {
        for (name, values, _) in SHARED {
            let mut options = verb.get_arguments();
            let Some(option) = options.find(|option| option.get_long() == Some(name)) else {
                continue;
            };
            let value = option.get_value_names().and_then(|names| names.first());
            let value = value.map(ToString::to_string).unwrap_or_default();
            let place = format!("--{name} of {}", verb.get_name());
            assert!(values.contains(&value.as_str()), "{place} takes {value}");
            // `-o` writes a file or a folder wherever there is a short form at all.
            let short = option.get_short();
            assert!(
                short.is_none_or(|short| name == "output" && short == 'o'),
                "{place}"
            );
        }
        verb.get_subcommands().for_each(check_shared);
    }

    #[test]
    fn an_option_that_commands_share_takes_the_same_everywhere() {
        check_shared(&command());
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        let command = command();
        for text in [short(&command), whole(&command)] {
            for line in text.lines() {
                assert!(line.chars().count() <= WIDTH, "{line}");
            }
        }
    }
}
