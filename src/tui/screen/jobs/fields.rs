//! The fields of the forms that start jobs: one for each argument in the command line's description.
//!
//! Decides which of them come first, and which values are worth keeping for the next time; names, values and help are
//! the command line's own.

use crate::job::{JobStart, VerbArgument};
use crate::widget::form::FormField;

/// The kind of value that a field takes, which decides how it becomes arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JobFieldKind {
    /// An existing file.
    File,
    /// An existing folder.
    Folder,
    /// A folder that is created if it is missing.
    NewFolder,
    /// A file to write.
    Output,
    /// Jars and folders of jars, with `:` between them.
    Jars,
    Text,
    Filter,
    Metrics,
    /// A run of the index.
    Run,
    /// One of these words; the first is the default, which becomes no argument.
    Words(Vec<String>),
    Switch,
    /// Shows or hides the fields behind it; becomes no argument.
    More,
    /// Words as on the command line, for which there is no field.
    Rest,
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct JobField {
    pub(super) label: String,
    /// Empty for a positional argument.
    pub(super) option: String,
    /// The `o` of `-o`.
    pub(super) short: Option<char>,
    /// The name of the value; empty for a switch.
    pub(super) value: String,
    pub(super) takes: JobFieldKind,
    /// Whether the last job's value is a good guess.
    pub(super) is_kept: bool,
    pub(super) help: String,
}

/// The first word of a set whose default is not named.
const AS_USUAL: &str = "as usual";

/// The first fields of a form, in this order; the others are behind `more`. A positional argument goes by the name of
/// its value.
const COMMON: &[(&str, &[&str])] = &[
    (
        "mine",
        &[
            "PATH",
            "--each",
            "--list",
            "--name",
            "--language",
            "--matcher",
            "--tests",
            "--classpath",
            "--force",
        ],
    ),
    (
        "import",
        &[
            "FILE",
            "--run",
            "--model",
            "--target",
            "--language",
            "--extract",
            "--parse",
            "--max-length",
            "--aligned-with",
            "--replace",
        ],
    ),
    ("eval", &["RUN", "--metrics", "--crystal-corpus", "--force"]),
    (
        "export",
        &[
            "--output",
            "--format",
            "--filter",
            "--split",
            "--matcher",
            "--all",
            "--verified",
            "--force",
        ],
    ),
    ("leakage", &["FILTER", "--split", "--threshold", "--all"]),
    (
        "execute",
        &[
            "RUN",
            "--truth",
            "--engine",
            "--timeout",
            "--filter",
            "--sandbox",
            "--force",
        ],
    ),
    (
        "generate",
        &[
            "--run",
            "--model",
            "--endpoint",
            "--prompts",
            "--kind",
            "FILTER",
            "--api",
            "--n",
            "--temperature",
            "--max-tokens",
            "--concurrency",
            "--key-env",
        ],
    ),
    (
        "train",
        &[
            "--train",
            "--validation",
            "--vocabulary",
            "--output",
            "--size",
            "--minutes",
        ],
    ),
    (
        "prepare",
        &[
            "REPO|PATH",
            "--name",
            "--as-of",
            "--python",
            "--add",
            "--build-network",
            "--offline",
            "--sandbox",
            "--rebuild",
        ],
    ),
    (
        "clover tasks",
        &[
            "PROJECT|PATH",
            "--task",
            "--tests",
            "--seed",
            "--repeats",
            "--timeout",
            "--sandbox",
        ],
    ),
    ("experiment run", &["FILE"]),
    ("index", &["--near", "--text"]),
    (
        "clover eval",
        &["--answers", "--against", "--by", "--timeout", "--sandbox"],
    ),
    (
        "consistency",
        &["SEEDS", "--from", "--run", "--threshold", "--rule"],
    ),
    (
        "benchmark filter",
        &["--list", "--leak", "--as-of", "--max-tokens", "--tokens"],
    ),
    (
        "benchmark split",
        &["FILTER", "--list", "--seed", "--output"],
    ),
    ("benchmark stats", &["FILTER", "--all"]),
    (
        "mutate",
        &[
            "PATH",
            "--filter",
            "--output",
            "--language",
            "--passes",
            "--seed",
        ],
    ),
];

/// Arguments that are about one job only: the next job has another name, reads another file, and must not redo all
/// work.
const NOT_KEPT: &[(&str, &[&str])] = &[
    ("mine", &["--name", "--force"]),
    ("import", &["FILE", "--run", "--model", "--replace"]),
    ("eval", &["RUN", "--run", "--force"]),
    ("export", &["--run", "--force"]),
    ("execute", &["RUN", "--truth", "--force"]),
    ("generate", &["--run"]),
    ("prepare", &["--name", "--as-of", "--add", "--rebuild"]),
    ("clover tasks", &["--tests"]),
    ("clover eval", &["--answers"]),
    ("consistency", &["--from", "--run", "--remove", "--force"]),
    ("benchmark split", &["--force"]),
    ("mutate", &["--force"]),
];

fn names(
    table: &'static [(&'static str, &'static [&'static str])],
    start: JobStart,
) -> &'static [&'static str] {
    let found = table.iter().find(|(of, _)| *of == start.name);
    found.map_or(&[], |(_, names)| names)
}

/// Lists the fields of a form: the common ones, then those in `used`, which the last job was called with, then `more`
/// with all others behind it, and last a field for words that belong to no other.
pub(super) fn specs(start: JobStart, arguments: &[VerbArgument], used: &[String]) -> Vec<JobField> {
    let common = names(COMMON, start);
    let rank = |spec: &JobField| {
        let is_it = |name: &&str| *name == spec.name();
        let place = common.iter().position(is_it);
        match place {
            Some(place) => place,
            None if used.iter().any(|name| name == spec.name()) => common.len(),
            None => common.len() + 2,
        }
    };
    let own = arguments
        .iter()
        .map(|argument| JobField::of(start, argument));
    let mut specs: Vec<JobField> = own.collect();
    let n_more = specs
        .iter()
        .filter(|spec| rank(spec) > common.len())
        .count();
    if n_more > 0 {
        specs.push(JobField::more(n_more));
    }
    // A stable sort: equal fields stay in the order of `--help`.
    specs.sort_by_key(|spec| match spec.takes {
        JobFieldKind::More => common.len() + 1,
        _ => rank(spec),
    });
    specs.push(JobField::rest());
    specs
}

impl JobField {
    fn of(start: JobStart, argument: &VerbArgument) -> Self {
        let name = if argument.option.is_empty() {
            &argument.value
        } else {
            &argument.option
        };
        let label = name.trim_start_matches("--").replace('-', " ");
        // The field itself shows the default of a closed set.
        let help = match argument.default.as_str() {
            "" => argument.help.clone(),
            _ if !argument.words.is_empty() => argument.help.clone(),
            default => format!("{} [default: {default}]", argument.help),
        };
        Self {
            label: label.to_lowercase().replace('|', " or "),
            option: argument.option.clone(),
            short: argument.short,
            value: argument.value.clone(),
            takes: takes(argument),
            is_kept: !names(NOT_KEPT, start).contains(&name.as_str()),
            help,
        }
    }

    fn more(n_more: usize) -> Self {
        Self {
            label: "more".to_owned(),
            option: String::new(),
            short: None,
            value: String::new(),
            takes: JobFieldKind::More,
            is_kept: false,
            help: format!("{n_more} further options, as on the command line"),
        }
    }

    fn rest() -> Self {
        Self {
            label: "as typed".to_owned(),
            option: String::new(),
            short: None,
            value: String::new(),
            takes: JobFieldKind::Rest,
            is_kept: true,
            help: "further words, as on the command line: more folders, or an option given twice"
                .to_owned(),
        }
    }

    /// Returns its option, or the name of its value for a positional argument; empty for a field that is no argument.
    pub(super) fn name(&self) -> &str {
        if self.option.is_empty() {
            &self.value
        } else {
            &self.option
        }
    }

    pub(super) fn field(&self) -> FormField {
        let (label, help) = (self.label.clone(), self.help.clone());
        match &self.takes {
            JobFieldKind::Words(words) => FormField::choice(label, words.clone(), help),
            JobFieldKind::Switch | JobFieldKind::More => {
                let words = ["no", "yes"].map(str::to_owned);
                FormField::choice(label, words.to_vec(), help)
            }
            JobFieldKind::File
            | JobFieldKind::Folder
            | JobFieldKind::NewFolder
            | JobFieldKind::Output
            | JobFieldKind::Jars
            | JobFieldKind::Text
            | JobFieldKind::Filter
            | JobFieldKind::Metrics
            | JobFieldKind::Run
            | JobFieldKind::Rest => FormField::text(label, help),
        }
    }

    /// Tells whether the value is a single path, whose existence can be looked up.
    pub(super) const fn is_looked_up(&self) -> bool {
        matches!(
            self.takes,
            JobFieldKind::File
                | JobFieldKind::Folder
                | JobFieldKind::NewFolder
                | JobFieldKind::Output
        )
    }

    pub(super) const fn is_path(&self) -> bool {
        matches!(
            self.takes,
            JobFieldKind::File
                | JobFieldKind::Folder
                | JobFieldKind::NewFolder
                | JobFieldKind::Output
                | JobFieldKind::Jars
        )
    }
}

/// Chooses the kind of a field by the argument's option and by the name of its value.
fn takes(argument: &VerbArgument) -> JobFieldKind {
    if !argument.words.is_empty() {
        return JobFieldKind::Words(words(argument));
    }
    match (argument.option.as_str(), argument.value.as_str()) {
        (_, "") => JobFieldKind::Switch,
        ("--metrics", _) => JobFieldKind::Metrics,
        ("--output", "FILE") => JobFieldKind::Output,
        ("--output", _) => JobFieldKind::NewFolder,
        (_, "FILE") => JobFieldKind::File,
        (_, "DIR" | "HOME" | "REPO|PATH") | ("", "PATH") => JobFieldKind::Folder,
        (_, "JARS") => JobFieldKind::Jars,
        (_, "FILTER") => JobFieldKind::Filter,
        (_, "RUN") => JobFieldKind::Run,
        _ => JobFieldKind::Text,
    }
}

/// Lists the words of a closed set, the default first; where several may be given, all of them together come last.
fn words(argument: &VerbArgument) -> Vec<String> {
    let default = match argument.default.as_str() {
        "" => AS_USUAL,
        default => default,
    };
    let mut words = vec![default.to_owned()];
    let others = argument.words.iter().filter(|word| *word != default);
    words.extend(others.cloned());
    if let Some(delimiter) = argument.delimiter {
        words.push(argument.words.join(&delimiter.to_string()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_of_a_job_has_a_field() {
        let command = focalist_cli::command();
        let verbs = focalist_cli::verbs();
        for start in JobStart::ALL {
            let verb = start.name.split(' ').fold(&command, |verb, word| {
                verb.find_subcommand(word)
                    .expect("it is a verb or an action")
            });
            let specs = specs(*start, verbs.of(*start), &[]);
            let shown = verb
                .get_arguments()
                .filter(|get_argument| !get_argument.is_hide_set());
            for argument in shown {
                let name = match argument.get_long() {
                    Some("help" | "background") => continue,
                    Some(long) => format!("--{long}"),
                    None => argument.get_value_names().expect("it has a value")[0].to_string(),
                };
                let n_fields = specs.iter().filter(|spec| spec.name() == name).count();
                assert_eq!(n_fields, 1, "{start:?} {name}");
            }
        }
    }

    #[test]
    fn what_is_common_or_not_kept_is_an_argument() {
        let verbs = focalist_cli::verbs();
        for (called, names) in COMMON.iter().chain(NOT_KEPT) {
            let start = JobStart::parse(called).expect("it can be started");
            let specs = specs(start, verbs.of(start), &[]);
            for name in *names {
                assert!(
                    specs.iter().any(|spec| spec.name() == *name),
                    "{called} {name}"
                );
            }
        }
        assert_eq!(COMMON.len(), JobStart::ALL.len());
    }
}
