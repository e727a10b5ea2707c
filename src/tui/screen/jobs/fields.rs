//! The fields of the forms that start jobs: one for each argument that the command line describes.
//!
//! Decides which of them come first, and which values are worth keeping for the next time; names, values and help are
//! the command line's own.

use crate::job::{JobStart, VerbArgument};
use crate::widget::form::FormField;

/// What a field takes, and how it becomes arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JobFieldKind {
    /// A file that is there.
    File,
    /// A folder that is there.
    Folder,
    /// A folder, made where there is none.
    NewFolder,
    /// A file to be written.
    Output,
    /// Jars and folders of jars, with `:` between them.
    Jars,
    Text,
    Filter,
    Metrics,
    /// A run of the index.
    Run,
    /// A closed set; its first word is what holds where none is given, and is left out.
    Words(Vec<String>),
    Switch,
    /// Whether the fields behind it are shown; no argument.
    More,
    /// Words as on the command line: what no field takes.
    Rest,
}

/// A field.
#[derive(Clone, Debug)]
pub(super) struct JobField {
    pub(super) label: String,
    /// Empty for what stands without one.
    pub(super) option: String,
    /// The `o` of `-o`.
    pub(super) short: Option<char>,
    /// What its value is called; empty for a switch.
    pub(super) value: String,
    pub(super) takes: JobFieldKind,
    /// Whether what it was the last time is a good guess.
    pub(super) is_kept: bool,
    pub(super) help: String,
}

/// What stands first where nothing is a value of its own.
const AS_USUAL: &str = "as usual";

/// The first fields of a form, in this order; the rest is behind `more`. An argument without a name goes by its value's
/// name.
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

/// Arguments about one job only: the next one has another name, reads another file, and has nothing to do again.
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

/// Lists the fields of a form: the common ones, then those of `used`, which the last job was called with, then `more`
/// and all others, and at last a field for words that belong to none.
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
    // Stable: what is not common stays in the order of `--help`.
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
        // Of a closed set the field shows it.
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

    /// Returns its option, or the name of its value where it has none; nothing for a field that is no argument.
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

    /// Tells whether it is one path, whose existence can be looked up.
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

/// Tells what an argument takes, by the name of its value.
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

/// Returns the words of a closed set, the default first, and where several may be given all together.
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
