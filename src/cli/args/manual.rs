//! What help and manual say beyond options: how commands end, which variables count, and examples to begin with.

use clap::{Command, CommandFactory};

use super::Cli;

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
        "the annotator's name, if neither `--as` nor the settings give it",
    ),
    ("COLUMNS", "the width of `plot` in the terminal"),
    (
        "TERM",
        "what the terminal can do; with `dumb`, `review` goes line by line",
    ),
    ("NO_COLOR", "the terminal UI shows no colors if it is set"),
    ("EDITOR, VISUAL", "what the terminal UI opens files with"),
];

/// Verbs with commands to begin with, and what each does.
const EXAMPLES: &[(&str, &[(&str, &str)])] = &[
    (
        "",
        &[
            ("focalist demo", "look around in sample data"),
            (
                "focalist mine path/to/repository",
                "mine a repository into a workspace here",
            ),
            ("focalist", "open the terminal UI on it"),
            (
                "focalist export --split test --output test.jsonl",
                "write the test split",
            ),
        ],
    ),
    (
        "mine",
        &[
            (
                "focalist mine --each repositories --background",
                "mine every folder in it, and return at once",
            ),
            (
                "focalist mine repository --classpath libs",
                "with the jars that it is compiled with",
            ),
        ],
    ),
    (
        "clover",
        &[
            (
                "focalist clover extract click",
                "cut every test function of a prepared project out of its file",
            ),
            (
                "focalist clover classes click --blocks --json",
                "which files each test needs, and what only it covers",
            ),
        ],
    ),
    (
        "prepare",
        &[
            ("focalist prepare gson", "build a repository of the index"),
            (
                "focalist prepare path/to/gson --java /opt/jdk-21",
                "build a folder, with this JDK if it is new enough",
            ),
        ],
    ),
    (
        "explain",
        &[
            (
                "focalist explain repository CounterTest#testInc",
                "why this focal method",
            ),
            (
                "focalist explain repository CounterTest#testInc --call 17",
                "how the calls on line 17 resolved",
            ),
        ],
    ),
    (
        "samples",
        &[
            (
                "focalist samples repo:gson status:tie sort:-weight",
                "ties of one repository, the highest weight first",
            ),
            (
                "focalist samples @hard --json --limit 0",
                "every sample that a saved filter selects",
            ),
        ],
    ),
    (
        "export",
        &[
            (
                "focalist export --verified --output gold.jsonl",
                "samples that people confirmed",
            ),
            (
                "focalist export --format tests --all",
                "every test with its candidates",
            ),
        ],
    ),
    (
        "score",
        &[
            (
                "focalist score pairs.jsonl",
                "a line of scores for each pair, the corpus last",
            ),
            (
                "focalist score --references r.txt --predictions p.txt --summary",
                "two files of lines",
            ),
        ],
    ),
    (
        "import",
        &[
            (
                "focalist import answers.jsonl --run tuned --model Tuned",
                "answers that name their samples",
            ),
            (
                "focalist import answers.txt --run tuned --aligned-with split:test",
                "one answer a line, in the order of `export`",
            ),
            (
                "focalist import chat.jsonl --run chat --extract mera",
                "answers in prose with fences",
            ),
        ],
    ),
    (
        "eval",
        &[
            ("focalist eval", "score what is not scored yet"),
            (
                "focalist eval tuned --metrics default,crystalbleu",
                "one run, with an additional metric",
            ),
        ],
    ),
    (
        "runs",
        &[
            ("focalist runs --format latex", "a table for a paper"),
            (
                "focalist runs tuned --samples --format csv",
                "every value of a run",
            ),
        ],
    ),
    (
        "results",
        &[
            (
                "focalist results tuned bleu<0.2 sort:bleu",
                "the worst answers",
            ),
            (
                "focalist results tuned --group tag",
                "how they differ, in groups",
            ),
        ],
    ),
    (
        "compare",
        &[
            ("focalist compare base tuned", "with intervals and p-values"),
            (
                "focalist compare base tuned --by repo --slices",
                "where they differ most",
            ),
            (
                "focalist compare base tuned --worst 20 --export lost.jsonl",
                "where the second one lost",
            ),
        ],
    ),
    (
        "jobs",
        &[
            ("focalist jobs", "current and past jobs"),
            ("focalist jobs watch 3", "follow one until it ends"),
        ],
    ),
    (
        "review",
        &[(
            "focalist review --queue uncertain --as ada",
            "judge the matches that the machine is least sure of",
        )],
    ),
    (
        "verdicts",
        &[(
            "focalist verdicts export --output ada.jsonl",
            "what was judged here, to be merged elsewhere",
        )],
    ),
    (
        "plot",
        &[(
            "focalist plot histogram base tuned --metric bleu -o bleu.svg",
            "how values are distributed",
        )],
    ),
    (
        "filters",
        &[(
            "focalist filters save hard status:ok weight<0.6",
            "`@hard` stands for it from now on",
        )],
    ),
    (
        "completions",
        &[(
            "focalist completions bash",
            "a script for bash's folder of completions",
        )],
    ),
    (
        "man",
        &[(
            "focalist man --output ~/.local/share/man/man1",
            "all pages, where `man` finds them",
        )],
    ),
];

/// Returns the command line with what its help says in the end.
pub fn command() -> Command {
    let status = list("Exit status:", EXIT_STATUS);
    let variables = list("Environment:", ENVIRONMENT);
    let text = list("Examples:", examples(""));
    let command = Cli::command().after_long_help(format!("{text}\n{status}\n{variables}"));
    command.mut_subcommands(|verb| match examples(verb.get_name()) {
        [] => verb,
        examples => with(verb, &list("Examples:", examples)),
    })
}

/// Adds a text behind what help says in the end already.
fn with(command: Command, text: &str) -> Command {
    let known = command.get_after_long_help().or(command.get_after_help());
    let known = known.map_or_else(String::new, |it| format!("{it}\n\n"));
    command.after_long_help(known + text)
}

/// Returns the examples of a verb; empty for the program itself.
pub fn examples(verb: &str) -> &'static [(&'static str, &'static str)] {
    let found = EXAMPLES.iter().find(|it| it.0 == verb);
    found.map_or(&[], |it| it.1)
}

fn list(head: &str, rows: &[(&str, &str)]) -> String {
    let rows = rows
        .iter()
        .map(|(what, about)| format!("  {what}\n      {about}\n"));
    format!("{head}\n{}", rows.collect::<String>())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    #[test]
    fn every_example_is_taken() {
        for (verb, examples) in EXAMPLES {
            for (example, _) in *examples {
                let words: Vec<OsString> = example.split(' ').map(OsString::from).collect();
                assert_eq!(words[0], "focalist");
                if !verb.is_empty() {
                    assert_eq!(words[1], *verb);
                }
                if let Err(error) = crate::args::parse(&words) {
                    panic!("{example}: {error}");
                }
            }
        }
    }
}
