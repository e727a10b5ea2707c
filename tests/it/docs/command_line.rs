//! Checks of the command lines in the docs against the program's own table of verbs and options.

use std::sync::LazyLock;

use clap::{Arg, ArgMatches, Command};
use focalist::browse::{FieldScope, parse_filter_in};
use focalist::cli;

/// Options that every verb has but the table does not list.
const HELP: [&str; 2] = ["--help", "--version"];

/// Returns the arguments of every call of focalist in a line of shell, without comments and redirections.
pub fn commands_in(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for words in split(line) {
        let is_assignment = |word: &String| word.contains('=') && !word.starts_with('-');
        let words: Vec<String> = words.into_iter().skip_while(is_assignment).collect();
        let is = |idx: usize, wanted: &str| words.get(idx).is_some_and(|word| word == wanted);
        let n_before = if is(0, "focalist") {
            Some(1)
        } else if is(0, "cargo") && is(1, "run") {
            words
                .iter()
                .position(|word| word == "--")
                .map(|word| word + 1)
        } else {
            None
        };
        commands.extend(n_before.map(|n| words[n..].to_vec()));
    }
    commands
}

/// Splits a line into commands and these into words, as a shell does.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut is_target = false;
    let end_word =
        |word: &mut Option<String>, is_target: &mut bool, commands: &mut Vec<Vec<String>>| {
            if let Some(word) = word.take() {
                let is_redirected = std::mem::take(is_target);
                let command = commands.last_mut().expect("there is always one");
                if !is_redirected {
                    command.push(word);
                }
            }
        };
    for char in line.chars() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '&' | ';') => {
                end_word(&mut word, &mut is_target, &mut commands);
                commands.push(Vec::new());
            }
            (None, '>') => {
                end_word(&mut word, &mut is_target, &mut commands);
                is_target = true;
            }
            (None, char) if char.is_whitespace() => {
                end_word(&mut word, &mut is_target, &mut commands);
            }
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    end_word(&mut word, &mut is_target, &mut commands);
    commands
}

/// Returns the parts of a line calling focalist that a shell would misread: a comparison outside quotes redirects the
/// output into a file, or reads a file that does not exist. Real redirections are separated from the words around them,
/// or follow a number.
pub fn unquoted(line: &str) -> Option<String> {
    let mut quote = None;
    let mut before = ' ';
    for char in line.chars() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, '#') if before.is_whitespace() => break,
            (None, '<' | '>') if !before.is_whitespace() && !before.is_ascii_digit() => {
                return Some(format!("a shell reads `{char}` otherwise in `{line}`"));
            }
            (None, '!' | '(' | ')') if before != '$' => {
                return Some(format!("a shell reads `{char}` otherwise in `{line}`"));
            }
            _ => {}
        }
        before = char;
    }
    None
}

/// Returns the first word, or pair of words, that a text repeats.
pub fn doubled(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |text: &&str| {
        let word = text.trim_matches('`');
        !word.is_empty() && word.chars().all(char::is_alphabetic)
    };
    [1, 2].into_iter().find_map(|n| {
        let mut windows = words.windows(2 * n);
        let found =
            windows.find(|window| window[..n] == window[n..] && window.iter().all(is_word))?;
        Some(found.join(" "))
    })
}

/// Returns why the program would reject a whole command line.
pub fn flaw_of_line(arguments: &[String]) -> Option<String> {
    let words = std::iter::once("focalist").chain(arguments.iter().map(String::as_str));
    let matches = match cli::command().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return Some(error.to_string()),
    };
    let filter = filter_of(&matches)?;
    let error = parse_filter_in(&filter, FieldScope::Run).err()?;
    Some(format!("in the filter `{filter}`: {error}"))
}

/// Returns the filter of the innermost verb, without names of saved filters.
fn filter_of(matches: &ArgMatches) -> Option<String> {
    if let Some((_, below)) = matches.subcommand() {
        return filter_of(below);
    }
    let words = matches.try_get_many::<String>("filter").ok().flatten()?;
    let words: Vec<&str> = words
        .map(String::as_str)
        .filter(|text| !text.starts_with('@'))
        .collect();
    Some(words.join(" "))
}

/// Built once: there are thousands of spans, and some eighty commands.
static ROOT: LazyLock<Command> = LazyLock::new(cli::command);

/// Finds the error in code in backticks, if that is a command or an option: a part of it may be left out (`…`) or stand
/// for others (`KEY`, `[…]`, `a|b`).
pub fn flaw_of_span(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(['[', ']', '(', ')', ',', '…']))
        .filter(|word| !word.is_empty() && *word != "--")
        .collect();
    let root = &*ROOT;
    let first = words.first()?;
    if *first == "focalist" {
        return flaw_of_words(root, &words[1..]);
    }
    if first.starts_with("--") {
        return flaw_of_options(root, &words);
    }
    let verb = root.find_subcommand(first)?;
    let is_below = |word: &&str| verb.find_subcommand(word).is_some();
    let is_command = words[1..].iter().any(|word| word.starts_with("--"))
        || words
            .get(1)
            .and_then(|word| word.split('|').next())
            .is_some_and(|text| is_below(&text));
    is_command.then(|| flaw_of_words(root, &words)).flatten()
}

fn flaw_of_words(root: &Command, words: &[&str]) -> Option<String> {
    let mut verb = root;
    let mut can_descend = true;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if HELP.contains(word) {
            continue;
        }
        if word.starts_with('-')
            && word
                .trim_start_matches('-')
                .starts_with(char::is_alphabetic)
        {
            let is_short = !word.starts_with("--");
            // `-flag:no_body` is a condition of a filter.
            if is_short && word.len() > 2 {
                continue;
            }
            let (name, value) = word
                .split_once('=')
                .map_or((*word, None), |pair| (pair.0, Some(pair.1)));
            let Some(option) = option(verb, name).or_else(|| option(root, name)) else {
                return Some(format!("`{}` has no option `{name}`", verb.get_name()));
            };
            if option.get_action().takes_values() {
                let value = value.or_else(|| words.next().copied());
                if let Some(flaw) = value.and_then(|value| flaw_of_value(option, value)) {
                    return Some(flaw);
                }
            }
            continue;
        }
        // `COMMAND` may be any verb.
        if verb.get_name() == root.get_name() && is_placeholder(word) {
            return flaw_of_options(root, words.as_slice());
        }
        let alternatives: Vec<&str> = word.split('|').collect();
        if can_descend && verb.has_subcommands() {
            let found = verb.find_subcommand(alternatives[0]);
            let is_root = verb.get_name() == root.get_name();
            for other in &alternatives {
                if (is_root || found.is_some()) && verb.find_subcommand(other).is_none() {
                    return Some(format!("`{}` has no verb `{other}`", verb.get_name()));
                }
            }
            can_descend = found.is_some();
            // A lower-case word stands for itself: if it is not a verb, it is misspelled.
            if found.is_none() && !takes_positional(verb) {
                return Some(format!("`{}` has no verb `{word}`", verb.get_name()));
            }
            verb = found.unwrap_or(verb);
        }
    }
    None
}

fn takes_positional(verb: &Command) -> bool {
    verb.get_positionals().next().is_some()
}

/// Tells whether a word is a placeholder, such as `KEY`.
fn is_placeholder(word: &str) -> bool {
    word.is_empty() || word.contains(|word: char| word.is_uppercase())
}

/// Returns a verb's option of this name.
fn option<'c>(verb: &'c Command, name: &str) -> Option<&'c Arg> {
    let mut options = verb.get_arguments();
    options.find(|option| match name.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => option.get_short().is_some_and(|c| name == format!("-{c}")),
    })
}

fn flaw_of_value(option: &Arg, value: &str) -> Option<String> {
    let possible = option.get_possible_values();
    let mut values = value.split(['|', ',']);
    let wrong = values.find(|value| {
        !is_placeholder(value)
            && !possible.is_empty()
            && !possible
                .iter()
                .any(|possible_value| possible_value.matches(value, false))
    })?;
    Some(format!("`{}` does not take `{wrong}`", option.get_id()))
}

/// Checks options without a verb: some verb must have them.
fn flaw_of_options(root: &Command, words: &[&str]) -> Option<String> {
    let names = words.iter().filter(|word| word.starts_with("--"));
    let mut names = names.map(|name| name.split('=').next().unwrap_or(name));
    let wrong = names.find(|name| !HELP.contains(name) && !has_option(root, name))?;
    Some(format!("no verb has an option `{wrong}`"))
}

fn has_option(verb: &Command, name: &str) -> bool {
    option(verb, name).is_some()
        || verb
            .get_subcommands()
            .any(|get_subcommand| has_option(get_subcommand, name))
}
