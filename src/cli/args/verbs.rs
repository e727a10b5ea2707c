//! The verbs that run as jobs, described for code that builds forms from them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

use super::{command, parse};
use crate::job::{JobStart, Refusal, Verb, VerbArgument, Verbs};

/// Arguments that the starter of the job adds, and those that answer instead of running.
const LEFT_OUT: &[&str] = &["background", "help", "version"];

/// Describes the verbs that run as jobs, with everything that they take.
pub fn verbs() -> Verbs {
    let mut command = command();
    // Options of all commands are options of each only once the command is built.
    command.build();
    let all = JobStart::ALL.iter().map(|start| Verb {
        start: *start,
        arguments: arguments(verb(&command, *start)),
    });
    Verbs {
        all: all.collect(),
        check,
    }
}

fn verb(command: &Command, start: JobStart) -> &Command {
    start.name.split(' ').fold(command, |verb, word| {
        let found = verb.find_subcommand(word);
        found.expect("what can be started is named as its verb and action")
    })
}

fn arguments(verb: &Command) -> Vec<VerbArgument> {
    let shown = verb.get_arguments().filter(|get_argument| {
        !get_argument.is_hide_set() && !LEFT_OUT.contains(&get_argument.get_id().as_str())
    });
    shown.map(argument).collect()
}

fn argument(arg: &Arg) -> VerbArgument {
    let takes_value = arg.get_action().takes_values();
    let words = arg.get_possible_values().into_iter();
    let words = words.filter(|word| takes_value && !word.is_hide_set());
    let default = arg.get_default_values().first().filter(|_| takes_value);
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    VerbArgument {
        option: option(arg),
        short: arg.get_short(),
        value: if takes_value {
            value(arg)
        } else {
            String::new()
        },
        words: words.map(|word| word.get_name().to_owned()).collect(),
        default: default.map_or_else(String::new, |default| {
            default.to_string_lossy().into_owned()
        }),
        delimiter: arg.get_value_delimiter(),
        help: help.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn option(arg: &Arg) -> String {
    arg.get_long()
        .map_or_else(String::new, |long| format!("--{long}"))
}

fn value(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    match names.first() {
        Some(name) => name.to_string(),
        None => arg.get_id().as_str().to_uppercase(),
    }
}

/// Checks the arguments of a verb, and refuses them as the command line would.
fn check(arguments: &[OsString]) -> Result<(), Refusal> {
    let words = std::iter::once("focalist".into()).chain(arguments.iter().cloned());
    let Err(error) = parse(&words.collect::<Vec<OsString>>()) else {
        return Ok(());
    };
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(shown)) => Some(named(shown)),
        Some(ContextValue::Strings(shown)) => shown.first().map(|text| named(text)),
        _ => None,
    };
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    Err(Refusal {
        argument,
        text: first.strip_prefix("error: ").unwrap_or(first).to_owned(),
    })
}

/// Cuts a shown argument such as `--jobs <N>` or `<FILE>...` down to its name.
fn named(shown: &str) -> String {
    let first = shown.split(' ').next().unwrap_or_default();
    first
        .trim_end_matches('.')
        .trim_matches(['<', '>', '[', ']'])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::model::JobKind;

    fn refusal(line: &str) -> Option<Refusal> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        check(&words).err()
    }

    #[test]
    fn what_a_verb_takes_is_described() {
        let verbs = verbs();
        let mine = verbs.of(JobKind::Mine.into());
        let find = |name: &str| {
            let found = mine
                .iter()
                .find(|verb_argument| verb_argument.option == name);
            found.expect("it is an option of `mine`")
        };
        let matcher = find("--matcher");
        assert_eq!(matcher.default, "evidence");
        assert_eq!(matcher.words[0], "contest");
        assert_eq!(matcher.delimiter, Some(','));
        assert_eq!(find("--each").value, "");
        assert_eq!(find("--list").value, "FILE");
        assert!(
            mine.iter()
                .any(|verb_argument| verb_argument.option.is_empty()
                    && verb_argument.value == "PATH")
        );
        // Of all commands, and of an action of one.
        assert_eq!(find("--workspace").value, "DIR");
        assert!(
            verbs
                .of(JobKind::Clover.into())
                .iter()
                .any(|verb_argument| verb_argument.option == "--task")
        );
        assert!(
            mine.iter()
                .all(|verb_argument| verb_argument.option != "--background")
        );
        let export = verbs.of(JobKind::Export.into());
        let output = export
            .iter()
            .find(|verb_argument| verb_argument.option == "--output");
        assert_eq!(
            output.and_then(|verb_argument| verb_argument.short),
            Some('o')
        );
    }

    #[test]
    fn what_is_refused_names_its_argument() {
        assert_eq!(refusal("mine --jobs=2 repo"), None);
        let wrong = refusal("mine --jobs=many repo").expect("it is no number");
        assert_eq!(wrong.argument.as_deref(), Some("--jobs"));
        assert!(wrong.text.contains("many"), "{}", wrong.text);
        let missing = refusal("experiment run").expect("it needs a file");
        assert_eq!(missing.argument.as_deref(), Some("FILE"));
    }
}
