//! The parts of the docs that are generated from tables of the program.

use std::fs;

use clap::Command;
use focalist::browse::{FIELDS, FieldKind, FieldScope, FilterField, RUN_FIELDS, words_of};
use focalist::cli;
use focalist::config::{self, Config};
use focalist::metric::{METRICS, Profile};
use focalist::review::QueueKind;
use focalist::tui;

use super::{junk, root, tokens};
use crate::support::Place;

/// A part of a page, between `<!-- name: begin -->` and `<!-- name: end -->`.
pub struct Part {
    pub page: &'static str,
    pub name: &'static str,
    pub text: String,
}

pub fn parts() -> Vec<Part> {
    let definitions = Place::new().run(&["tags", "--definitions"]).success();
    let part = |page, name, text| Part { page, name, text };
    vec![
        part("docs/architecture.md", "house", house()),
        part("docs/commands.md", "commands", commands()),
        part("docs/commands.md", "shared options", cli::shared_options()),
        part("docs/configuration.md", "settings", config::markdown()),
        part("docs/execute.md", "junk", junk::table()),
        part("docs/failures.md", "tags", definitions),
        part("docs/filters.md", "fields", fields(FIELDS)),
        part("docs/filters.md", "run fields", fields(RUN_FIELDS)),
        part("docs/judging.md", "queues", queues()),
        part(
            "docs/keys.md",
            "keys",
            tui::keys_markdown(&Config::default()),
        ),
        part("docs/scoring.md", "metrics", metrics()),
        part("docs/scoring.md", "tokens", tokens::table()),
    ]
}

/// Returns the map in the header of `src/lib.rs`.
fn house() -> String {
    let library = fs::read_to_string(root().join("src/lib.rs")).expect("there is a library");
    let lines = library.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut map = String::new();
    for line in lines.skip_while(|line| *line != "```text") {
        map += &format!("{line}\n");
        if line == "```" {
            break;
        }
    }
    assert!(map.ends_with("```\n"), "`src/lib.rs` has no map");
    map
}

/// Formats a text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn commands() -> String {
    let mut text = "| command | effect |\n| --- | --- |\n".to_owned();
    let mut command = cli::command().disable_help_subcommand(true);
    command.build();
    push_commands(&command, "focalist", &mut text);
    text
}

fn push_commands(command: &Command, path: &str, text: &mut String) {
    for verb in command
        .get_subcommands()
        .filter(|get_subcommand| !get_subcommand.is_hide_set())
    {
        let path = format!("{path} {}", verb.get_name());
        let about = verb.get_about().map(ToString::to_string);
        let about = cell(&about.unwrap_or_default());
        text.push_str(&format!("| `{path}` | {about} |\n"));
        push_commands(verb, &path, text);
    }
}

fn fields(fields: &[FilterField]) -> String {
    let mut text = "| field | takes | condition |\n| --- | --- | --- |\n".to_owned();
    for field in fields {
        let takes = match field.kind {
            FieldKind::Name => "a name".to_owned(),
            FieldKind::Number => "a number".to_owned(),
            FieldKind::Words(_) | FieldKind::Steps(_) => match field.name {
                "metric" => "[a metric](scoring.md#metrics)".to_owned(),
                "tag" | "tag-differs" | "ruling" => "[a tag](failures.md#every-tag)".to_owned(),
                _ => words(&words_of(field, FieldScope::Run)),
            },
            FieldKind::Text => "text".to_owned(),
            FieldKind::Key => "hexadecimal digits".to_owned(),
            FieldKind::Sort => "a field".to_owned(),
        };
        let help = cell(field.help);
        text.push_str(&format!("| `{}` | {takes} | {help} |\n", field.name));
    }
    text
}

/// Lists the words of a closed set.
fn words(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(" ")
}

fn queues() -> String {
    let mut text = "| queue | samples |\n| --- | --- |\n".to_owned();
    for kind in QueueKind::ALL {
        text.push_str(&format!("| `{}` | {} |\n", kind.usage(), cell(kind.help())));
    }
    text
}

fn metrics() -> String {
    let mut text =
        "| metric | version | sets | definition |\n| --- | ---: | --- | --- |\n".to_owned();
    for metric in METRICS {
        let sets = Profile::ALL.iter();
        let sets = sets.filter(|set| set.metrics().contains(&metric.id));
        let sets: Vec<&str> = sets.map(|set| set.as_str()).collect();
        let about = cell(metric.about);
        text.push_str(&format!(
            "| `{}` | {} | {} | {about} |\n",
            metric.id,
            metric.version,
            sets.join(", ")
        ));
    }
    text
}
