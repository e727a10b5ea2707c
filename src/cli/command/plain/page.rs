//! A sample as lines: no columns that need a screen, no colors, the same order every time.
//!
//! Decides which facts about a sample are shown, and which are hidden from annotators who must not know the machine's
//! decision.

use crate::command::stability;
use crate::model::{Mark, MarkKind, SampleDetail, Snippet};
use crate::review::action::{ACTIONS, Act, Action};
use crate::review::painted_order;
use crate::table::{visible, visible_source};

/// What can be typed besides the actions.
pub const COMMANDS: &[(&str, &str)] = &[
    (
        "again",
        "prints the sample once more; after a look at a neighbour, returns to it",
    ),
    ("show N", "prints the source of candidate N"),
    ("context", "prints fixtures and contexts"),
    (
        "back N",
        "opens the N-th line of your history, to change it",
    ),
    (
        "keep",
        "leaves your verdict on the sample as it is, and continues",
    ),
    ("?", "prints this list"),
    ("q", "ends; everything is on the disk already"),
];

/// Lists the possible inputs, a line each, without those that would be refused because they reveal hidden facts.
pub fn help(is_blind: bool) -> String {
    let mut text = String::new();
    let is_heard = |action: &&Action| !is_blind || !matches!(action.act, Act::Accept | Act::Why);
    for action in ACTIONS.iter().filter(is_heard) {
        let keys = match action.act {
            Act::Pick => "1, 2, 3 ...".to_owned(),
            // Named keys are no text.
            _ => action
                .keys
                .iter()
                .filter(|key| !key.starts_with('<'))
                .copied()
                .collect(),
        };
        let usage = match action.act {
            Act::Pick => "pick NAME".to_owned(),
            Act::Find => "find NAME".to_owned(),
            Act::Note => "note TEXT".to_owned(),
            _ => action.word().to_owned(),
        };
        text += &format!("{keys}, {usage}: {}\n", action.help);
    }
    for (usage, help) in COMMANDS {
        text += &format!("{usage}: {help}\n");
    }
    text
}

/// Writes the sample's repository, test, focal method and candidates.
pub fn sample(detail: &SampleDetail, is_blind: bool) -> String {
    let row = &detail.row;
    let mut text = format!("repository: {}\n", visible(&detail.repo.identity));
    text += &format!(
        "test: {}.{}, {}\n",
        visible(&row.test_class),
        visible(&row.test_name),
        place(&detail.test.path, detail.test.name_line)
    );
    // It says nothing of the match, so blind annotators see it, too.
    if let Some(unstable) = stability::unstable(detail) {
        text += &format!("{unstable}\n");
    }
    // Setup, focal calls and assertions are cut around the method that the machine decided on.
    let marks = if is_blind {
        &[][..]
    } else {
        &detail.test.marks
    };
    text += &source(&detail.test, marks);
    for helper in &detail.helpers {
        text += &titled("helper", helper);
    }
    if is_blind {
        text += "focal method: hidden\n";
    } else {
        match &detail.focal {
            Some(focal) => {
                text += &titled("focal method", focal);
            }
            None => text += &format!("focal method: none ({})\n", words(row.status.as_str())),
        }
        text += &decision(detail);
    }
    text += &candidates(detail, is_blind);
    text
}

/// Tells how sure the match is, with its notable facts.
fn decision(detail: &SampleDetail) -> String {
    let row = &detail.row;
    let mut parts = Vec::new();
    if let Some(stage) = row.stage {
        parts.push(format!("by {}", words(stage.as_str())));
    }
    if let Some(weight) = row.weight {
        parts.push(format!("weight {weight:.2}"));
    }
    parts.push(words(row.status.as_str()));
    parts.extend(row.flags.iter().map(|flag| words(flag.as_str())));
    format!("match: {}\n", parts.join(", "))
}

/// Lists the candidates by their numbers.
fn candidates(detail: &SampleDetail, is_blind: bool) -> String {
    if detail.candidates.is_empty() {
        return "candidates: none\n".to_owned();
    }
    let mut text = "candidates:\n".to_owned();
    for (number, idx) in (1..).zip(painted_order(detail, is_blind)) {
        let candidate = &detail.candidates[idx];
        let (key, place) = (
            visible(&candidate.key),
            place(&candidate.path, candidate.line),
        );
        if is_blind {
            text += &format!("  {number}. {key}, {place}\n");
        } else {
            let picked = if candidate.is_picked {
                ", the match"
            } else {
                ""
            };
            text += &format!(
                "  {number}. {:.2} {key}, {place}{picked}\n",
                candidate.weight
            );
        }
    }
    text
}

/// Writes the surroundings of test and focal method; only the fixtures where the rest would tell what the focal method
/// is.
pub fn contexts(detail: &SampleDetail, is_blind: bool) -> String {
    let mut text = String::new();
    let mut add = |title: &str, snippets: &[Snippet]| {
        for snippet in snippets {
            text += &titled(title, snippet);
        }
    };
    add("fixture", &detail.fixtures);
    if !is_blind {
        add("setup context", &detail.setup_context);
        add("implementation", detail.implementation.as_slice());
        add("focal context", &detail.focal_context);
    }
    if is_blind {
        text += "contexts: hidden\n";
    } else if text.is_empty() {
        text += "no fixtures and no contexts\n";
    }
    text
}

/// Writes a method with its title.
pub fn titled(title: &str, snippet: &Snippet) -> String {
    format!(
        "{title}: {}, {}\n{}",
        visible(&snippet.key),
        place(&snippet.path, snippet.name_line),
        source(snippet, &[])
    )
}

fn place(path: &str, line: u32) -> String {
    format!("{}:{line}", visible(path))
}

fn words(word: &str) -> String {
    word.replace('_', " ")
}

/// Writes numbered lines; behind the number stand `S` for setup or `A` for assertion, and `>` where the focal method is
/// called.
fn source(snippet: &Snippet, marks: &[Mark]) -> String {
    let mut text = String::new();
    let mut start = 0;
    for (number, line) in (snippet.first_line..).zip(snippet.text.split('\n')) {
        let end = start + line.len() as u32;
        let has = |kind: MarkKind| {
            let mut marks = marks.iter().filter(|mark| mark.kind == kind);
            marks.any(|mark| mark.start < end && mark.end > start)
        };
        let part = if has(MarkKind::Assertion) {
            'A'
        } else if has(MarkKind::Setup) {
            'S'
        } else {
            ' '
        };
        let call = if has(MarkKind::FocalCall) { '>' } else { ' ' };
        let line = format!("{number:>5} {part}{call} {}", visible_source(line));
        text += line.trim_end();
        text += "\n";
        start = end + 1;
    }
    text
}
