//! Names with control sequences: no message of a verb on stderr contains hidden characters.

use std::fs;

use focalist::cli::{self, ExitCode};

use crate::support::{COUNTER, Place};

/// A name that clears the screen, rings the bell, overwrites the line, changes the title and reverses the direction of
/// text.
const HOSTILE: &str = "a\u{1b}[2J\u{7}\r\u{9b}31m\u{1b}]0;t\u{7}\u{202e}z";

fn assert_harmless(err: &str, what: &str) {
    let is_hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || ('\u{202a}'..='\u{202e}').contains(&c)
    };
    assert!(!err.contains(is_hidden), "{what}: {err:?}");
}

/// Runs a command and checks its messages.
fn check(place: &Place, args: &[&str]) -> (ExitCode, String) {
    let outcome = place.run(args);
    assert_harmless(&outcome.err, &format!("{args:?}"));
    (outcome.code, outcome.err)
}

/// Returns a verb and its subcommands, each with the words that lead there.
fn verbs(command: &clap::Command, words: &[String]) -> Vec<(Vec<String>, clap::Command)> {
    let mut found = vec![(words.to_vec(), command.clone())];
    for below in command.get_subcommands() {
        let words = [words, &[below.get_name().to_owned()]].concat();
        found.extend(verbs(below, &words));
    }
    found
}

#[test]
fn no_argument_reaches_stderr_as_it_is() {
    let place = Place::new();
    let repo = place.counter("repo");
    place.run(&["mine", &repo]).success();
    // Below the place, so that what is written is written there.
    let hostile = place.path(HOSTILE).to_string_lossy().into_owned();
    let mut n_said = 0;
    for (words, verb) in verbs(&cli::command(), &[]) {
        let mut plain: Vec<String> = words;
        if plain.is_empty() || plain[0] == "help" {
            continue;
        }
        plain.extend(verb.get_positionals().map(|_| hostile.clone()));
        let mut calls = vec![plain.clone()];
        let takes_value =
            |arg: &&clap::Arg| arg.get_action().takes_values() && !arg.is_global_set();
        for option in verb.get_opts().filter(takes_value) {
            if let Some(long) = option.get_long() {
                let with = [format!("--{long}"), hostile.clone()];
                calls.push([plain.as_slice(), &with].concat());
                // A filter takes everything that follows it.
                let depth = plain.len() - verb.get_positionals().count();
                calls.push([&plain[..depth], &with, &plain[depth..]].concat());
            }
        }
        for call in calls {
            let args: Vec<&str> = call.iter().map(String::as_str).collect();
            n_said += usize::from(!check(&place, &args).1.is_empty());
        }
    }
    assert!(n_said > 100, "{n_said}");
}

#[test]
fn an_unknown_verb_or_option_is_shown_harmless() {
    let place = Place::new();
    for args in [
        &[HOSTILE][..],
        &["samples", &format!("--{HOSTILE}")],
        &["jobs", HOSTILE],
    ] {
        let (code, err) = check(&place, args);
        assert_eq!(code, ExitCode::Usage);
        assert!(err.contains("⟨001B⟩"), "{err}");
    }
}

#[test]
fn names_in_repositories_and_in_files_are_shown_harmless() {
    let place = Place::new();
    // A carriage return and an escape are fine in names of files.
    let name = "r\u{1b}[2J\r\u{9b}1m";
    let repo = place.counter(name);
    let hostile = format!("{name}/src/main/java/p/{name}");
    place.write(&format!("{hostile}Nul.java"), b"class Nul { \0 }");
    place.write(
        &format!("{hostile}Latin.java"),
        b"class L { String s = \"\xe4\"; }",
    );
    place.write(&format!("{hostile}Broken.java"), COUNTER.replace('}', "{"));
    let (code, err) = check(&place, &["mine", &repo]);
    assert_eq!(code, ExitCode::Ok);
    assert!(err.contains("⟨001B⟩"), "{err}");
    check(&place, &["mine", &repo, "--strict", "--force"]);
    check(&place, &["calls", &repo]);
    check(&place, &["explain", &repo, "CounterTest#testInc"]);
    check(&place, &["problems"]);

    let samples = place.run(&["samples", "--json"]).success();
    let key = samples
        .split('"')
        .find(|part| part.len() >= 16 && part.chars().all(|c| c.is_ascii_hexdigit()))
        .expect("a sample has a key");
    let predictions = place.write(
        &format!("{name}.jsonl"),
        format!(
            "{{\"sample\":\"{key}\",\"prediction\":\"assertEquals(1, once);\"}}\n\
             {{\"sample\":\"k\\u001b[31m\\u202e\",\"prediction\":\"x\"}}\n\
             {{\"sample\":7,\"prediction\":\"x\"}}\nnot \u{1b}[2J json\n"
        ),
    );
    let predictions = predictions.to_string_lossy();
    let (code, err) = check(&place, &["import", &predictions, "--run", "one"]);
    assert_eq!(code, ExitCode::Ok, "{err}");
    assert!(err.contains("k⟨001B⟩[31m"), "{err}");
    for args in [
        &["import", &predictions, "--run", "two", "--strict"][..],
        &["import", &predictions, "--run", HOSTILE],
        &["eval", "one"],
        &["compare", "one", HOSTILE],
        &["runs", "--problems"],
        &["score", &predictions],
        &["rm", "--run", HOSTILE],
        &["rm", HOSTILE],
    ] {
        check(&place, args);
    }
    fs::write(
        place.path(".focalist/config.toml"),
        "[filters]\nx = \"nofield\\u001b:1\"\n",
    )
    .expect("the workspace is there");
    check(&place, &["samples", "@x"]);
    check(&place, &["config", "check"]);
    let listed = place.run(&["repos"]).success();
    let identity = listed
        .lines()
        .nth(1)
        .and_then(|line| line.split("  ").next());
    check(&place, &["rm", identity.expect("a repository is listed")]);
    check(&place, &["rm", name]);
}
