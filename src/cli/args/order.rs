//! Options behind a filter: a filter takes words that begin with `-`, so the parser would take every option behind it
//! for a part of it. Options are moved to the front before anything is parsed.
//!
//! Only exact names of options count: `-word` and `sort:-weight` stay in the filter, and behind `--` everything does.

use std::collections::VecDeque;
use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, FromArgMatches};

use super::{Cli, Command as Verb, command};

/// Parses what was typed, the program's name first. A command under the name of its paper is the command itself.
///
/// # Errors
/// The parser's, also where help is asked for.
pub fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut cli = read(arguments)?;
    cli.command = match cli.command {
        Some(Verb::Paper(paper)) => Some(paper.command()),
        Some(Verb::Help(help)) if !help.all => {
            let mut words = vec![OsString::from("focalist")];
            words.extend(help.command.iter().map(OsString::from));
            words.push("--help".into());
            return read(&words);
        }
        other => other,
    };
    Ok(cli)
}

fn read(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    // The parser builds only the verb that is typed: to build all of them takes longer than most commands do.
    let sorted = options_first(&command, arguments);
    let matches = command.try_get_matches_from_mut(sorted)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Finds the verb's words, and the argument that `word` would be when these are typed before it, without the program's
/// name; nothing for the name of an option or a verb. The command is built.
pub fn place(command: &Command, before: &[String], word: &str) -> Option<(Vec<String>, Arg)> {
    let (mut verb, mut verbs, mut n_positionals) = (command, Vec::new(), 0);
    let mut words = before.iter();
    while let Some(text) = words.next() {
        if let Some((option, takes_next)) = option(verb, text) {
            if takes_next && words.next().is_none() {
                return Some((verbs, option.clone()));
            }
        } else if n_positionals == 0
            && let Some(below) = verb.find_subcommand(text)
        {
            verb = below;
            verbs.push(text.clone());
        } else if text != "--" {
            n_positionals += 1;
        }
    }
    if word.starts_with('-') {
        return None;
    }
    let positionals: Vec<&Arg> = verb.get_positionals().collect();
    let takes_more = |arg: &&&Arg| matches!(arg.get_action(), ArgAction::Append);
    let last = positionals.last().filter(takes_more);
    let found = positionals.get(n_positionals).or(last)?;
    Some((verbs, (*found).clone()))
}

/// Moves the options of a verb that takes any word in front of the others.
fn options_first(command: &Command, arguments: &[OsString]) -> Vec<OsString> {
    let mut words: VecDeque<OsString> = arguments.iter().cloned().collect();
    let mut sorted: Vec<OsString> = words.pop_front().into_iter().collect();
    let mut verb = command;
    let mut others = Vec::new();
    while let Some(word) = words.pop_front() {
        let text = word.to_string_lossy();
        if text == "--" {
            others.push(word);
            others.extend(words.drain(..));
        } else if let Some(takes_next) = takes_next(command, verb, &text) {
            sorted.push(word);
            if takes_next {
                sorted.extend(words.pop_front());
            }
        } else if let Some(below) = verb.find_subcommand(text.as_ref())
            && others.is_empty()
        {
            verb = below;
            sorted.push(word);
        } else if verb.get_positionals().any(Arg::is_allow_hyphen_values_set) {
            others.push(word);
        } else {
            // The parser itself finds options anywhere here.
            sorted.push(word);
        }
    }
    sorted.extend(others);
    sorted
}

/// Tells whether an option takes the word behind it; nothing where the word is none of the verb's. The verb is not
/// built: what it has from the program is asked of the program, and its help exists by name only.
fn takes_next(program: &Command, verb: &Command, text: &str) -> Option<bool> {
    if ["--help", "-h"].contains(&text) {
        return Some(false);
    }
    let found = option(verb, text)
        .or_else(|| option(program, text).filter(|(option, _)| option.is_global_set()));
    found.map(|(_, takes_next)| takes_next)
}

/// Finds the option of this name, if the verb has it, and whether it takes the word behind it.
fn option<'c>(verb: &'c Command, text: &str) -> Option<(&'c Arg, bool)> {
    let (name, has_value) = match text.split_once('=') {
        Some((name, _)) => (name, true),
        None => (text, false),
    };
    let is_it = |arg: &&Arg| match (name.strip_prefix("--"), name.strip_prefix('-')) {
        (Some(long), _) => {
            let mut all = arg.get_long_and_visible_aliases().into_iter().flatten();
            all.any(|text| text == long)
        }
        (None, Some(short)) => arg.get_short().is_some_and(|c| short == c.to_string()),
        _ => false,
    };
    let found = verb.get_arguments().find(is_it)?;
    let takes_value = matches!(found.get_action(), ArgAction::Set | ArgAction::Append);
    Some((found, takes_value && !has_value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, expected: &str) {
        let command = command();
        let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let sorted = options_first(&command, &words);
        let sorted: Vec<_> = sorted
            .iter()
            .map(|sorted| sorted.to_string_lossy())
            .collect();
        assert_eq!(sorted.join(" "), expected);
    }

    #[test]
    fn options_behind_a_filter_come_before_it() {
        check(
            "focalist samples repo:x --json",
            "focalist samples --json repo:x",
        );
        check(
            "focalist samples repo:x --limit 3 -word sort:-weight -q",
            "focalist samples --limit 3 -q repo:x -word sort:-weight",
        );
        check(
            "focalist --workspace W tag RUN KEY +a -b --as ada --note=x",
            "focalist --workspace W tag --as ada --note=x RUN KEY +a -b",
        );
        check(
            "focalist filters save hard -tie --quiet",
            "focalist filters save --quiet hard -tie",
        );
        check("focalist samples x --help", "focalist samples --help x");
    }

    #[test]
    fn a_word_has_its_place_by_what_is_typed_before_it() {
        let check = |typed: &str, expected: Option<&str>| {
            let mut command = command();
            command.build();
            let words: Vec<String> = typed.split(' ').map(str::to_owned).collect();
            let (word, before) = words.split_last().expect("there is a word");
            let found = place(&command, before, word).map(|(verbs, arg)| {
                let name = arg.get_value_names().and_then(<[_]>::first);
                format!("{} {}", verbs.join(" "), name.expect("it has a name"))
            });
            assert_eq!(found.as_deref(), expected, "{typed}");
        };
        check("results ", Some("results RUN"));
        check("results a --json b", Some("results FILTER"));
        check("results a b c", Some("results FILTER"));
        check("-q eval --run x --run ", Some("eval NAME"));
        check("eval a b ", Some("eval RUN"));
        check("jobs watch ", Some("jobs watch ID"));
        check("jobs watch 1 ", None);
        check("jobs ", None);
        check("eval --", None);
    }

    #[test]
    fn what_is_no_option_stays_where_it_is() {
        check(
            "focalist samples -x --nope y",
            "focalist samples -x --nope y",
        );
        check(
            "focalist samples x -- --json",
            "focalist samples x -- --json",
        );
        check("focalist mine a --force b", "focalist mine a --force b");
        check("focalist verdicts x export", "focalist verdicts x export");
        check("focalist", "focalist");
    }
}
