//! Builds the predictions of three runs from an exported dataset, by defined mutations: for trying the screens on real
//! samples. They are not a model's results and say nothing about any model.
//!
//! ```text
//! focalist export --format jsonl --output all.jsonl
//! cargo bench --bench mutate -- all.jsonl FOLDER        writes FOLDER/first.jsonl and FOLDER/second.jsonl
//! focalist import FOLDER/first.jsonl --run first
//! focalist import FOLDER/tests.jsonl --run tests --target test && focalist execute tests
//! ```
//!
//! Each sample's key chooses how its ground truth is changed, so the same dataset gives the same files. `first` leaves
//! half of the answers unchanged; `second` leaves two in five, and cuts every answer for one repository in three in the
//! middle; the others get one of [`MUTATIONS`]. `tests` has whole tests, to be executed: a seventh unchanged, a seventh
//! replaced by the test before them in the same class, a seventh by a test of another class, a seventh with renamed
//! local variables, and the others with one of [`MUTATIONS`] inside their braces.

#[path = "frame/console.rs"]
mod console;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

use console::{arguments, print};

type Mutation = fn(&str) -> String;

/// The mutations of a text, by name.
const MUTATIONS: &[(&str, Mutation)] = &[
    ("the first number is one more", number),
    ("the first text is longer", text),
    ("the last statement is missing", shortened),
    ("true for false and null for not null", turned),
    ("cut off after three fifths", |text| cut(text, 3, 5)),
    ("the first statement twice", doubled),
    ("the first receiver is another", receiver),
];

fn number(truth: &str) -> String {
    let Some(at) = truth.find(|c: char| c.is_ascii_digit()) else {
        return shortened(truth);
    };
    let len = truth[at..].find(|c: char| !c.is_ascii_digit());
    let end = len.map_or(truth.len(), |len| at + len);
    match truth[at..end].parse::<u64>() {
        Ok(value) => format!("{}{}{}", &truth[..at], value + 1, &truth[end..]),
        Err(_) => shortened(truth),
    }
}

fn text(truth: &str) -> String {
    match truth.find('"') {
        Some(at) => format!("{}x{}", &truth[..=at], &truth[at + 1..]),
        None => number(truth),
    }
}

fn shortened(truth: &str) -> String {
    let statements = truth.trim_end().trim_end_matches(';');
    match statements.rfind(';') {
        Some(at) => truth[..=at].to_owned(),
        None => "fail();".to_owned(),
    }
}

fn turned(truth: &str) -> String {
    let pairs = [
        ("assertTrue", "assertFalse"),
        ("assertFalse", "assertTrue"),
        ("assertNull", "assertNotNull"),
        ("assertNotNull", "assertNull"),
        ("assertEquals", "assertSame"),
    ];
    let found = pairs.iter().find(|(from, _)| truth.contains(from));
    found.map_or_else(|| doubled(truth), |(from, to)| truth.replacen(from, to, 1))
}

fn cut(truth: &str, share: usize, of: usize) -> String {
    let mut end = truth.len() * share / of;
    while !truth.is_char_boundary(end) {
        end -= 1;
    }
    truth[..end].to_owned()
}

fn doubled(truth: &str) -> String {
    let end = truth.find(';').map_or(truth.len(), |n| n + 1);
    format!("{}\n        {truth}", &truth[..end])
}

fn receiver(truth: &str) -> String {
    match truth.find('.') {
        Some(at) => format!("{}Other{}", &truth[..at], &truth[at..]),
        None => number(truth),
    }
}

/// Returns the answers of both runs to a sample.
fn answers(key: &str, repo: &str, truth: &str) -> [String; 2] {
    let dice = |idx: usize| {
        let digits = key.get(idx..idx + 4).unwrap_or_default();
        usize::from_str_radix(digits, 16).unwrap_or_default()
    };
    let mutated = |dice: usize| MUTATIONS[dice % MUTATIONS.len()].1(truth);
    let first = if dice(0) % 2 == 0 {
        truth.to_owned()
    } else {
        mutated(dice(4))
    };
    let is_cut_off = repo.len().is_multiple_of(3);
    let second = match dice(8) % 5 {
        _ if is_cut_off => cut(truth, 1, 2),
        0 | 1 => truth.to_owned(),
        _ => mutated(dice(12)),
    };
    [first, second]
}

/// Applies a mutation to the text inside a method's braces.
fn inside(test: &str, mutation: Mutation) -> String {
    match (test.find('{'), test.rfind('}')) {
        (Some(first), Some(last)) if first < last => format!(
            "{}{}\n    {}",
            &test[..=first],
            mutation(&test[first + 1..last]),
            &test[last..]
        ),
        _ => mutation(test),
    }
}

/// Renames local variables that are declared as `Type name =`.
fn renamed(test: &str) -> String {
    let words: Vec<&str> = test.split(' ').collect();
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let names: BTreeSet<&str> = words
        .windows(2)
        .filter(|window| window[1] == "=" && is_name(window[0]))
        .map(|window| window[0])
        .collect();
    let mut text = String::with_capacity(test.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = test;
    while let Some(at) = rest.find(is_word) {
        let end = rest[at..].find(|c| !is_word(c));
        let end = end.map_or(rest.len(), |end| at + end);
        text += &rest[..end];
        // After a dot or before a parenthesis, it is a field or a method of that name.
        let is_own = !text[..text.len() + at - end].ends_with('.') && !rest[end..].starts_with('(');
        if is_own && names.contains(&rest[at..end]) {
            text += "OfMine";
        }
        rest = &rest[end..];
    }
    text + rest
}

/// Returns a whole test in place of a true one; `before` are the tests before it, each with its class.
fn whole(key: &str, class: &str, truth: &str, before: &[(String, String)]) -> String {
    let digits = key.get(16..20).unwrap_or_default();
    let dice = usize::from_str_radix(digits, 16).unwrap_or_default();
    let last = |is_it: &dyn Fn(&str) -> bool| {
        let found = before.iter().rev().find(|pair| is_it(&pair.0));
        found.map_or_else(|| inside(truth, shortened), |found| found.1.clone())
    };
    match dice % 7 {
        0 => truth.to_owned(),
        1 => last(&|text| text == class),
        2 => last(&|text| text != class),
        3 => renamed(truth),
        _ => inside(truth, MUTATIONS[dice / 7 % MUTATIONS.len()].1),
    }
}

fn write(export: &Path, folder: &Path) -> Result<u64, String> {
    let said = |error: std::io::Error| error.to_string();
    let lines = BufReader::new(File::open(export).map_err(said)?).lines();
    let mut files = Vec::new();
    for name in ["first.jsonl", "second.jsonl", "tests.jsonl"] {
        let file = File::create(folder.join(name)).map_err(said)?;
        files.push(BufWriter::new(file));
    }
    let mut n_samples = 0;
    let mut before = Vec::new();
    for line in lines {
        let sample: Value =
            serde_json::from_str(&line.map_err(said)?).map_err(|error| error.to_string())?;
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (key, repo) = (word(&sample["key"]), word(&sample["repo"]["name"]));
        let class = word(&sample["test"]["class"]);
        let test = word(&sample["test"]["source"]);
        let [first, second] = answers(&key, &repo, &word(&sample["assertion"]));
        let answers = [first, second, whole(&key, &class, &test, &before)];
        before.push((class, test));
        for (file, answer) in files.iter_mut().zip(answers) {
            let line = serde_json::json!({"sample": key, "prediction": answer});
            writeln!(file, "{line}").map_err(said)?;
        }
        n_samples += 1;
    }
    Ok(n_samples)
}

#[expect(
    clippy::print_stderr,
    reason = "a tool of developers says what it could not do"
)]
fn main() -> ExitCode {
    let paths = arguments().unwrap_or_default();
    let [export, folder] = paths.as_slice() else {
        print("cargo bench --bench mutate -- EXPORT.jsonl FOLDER");
        for (name, _) in MUTATIONS {
            print(&format!("  {name}"));
        }
        return ExitCode::SUCCESS;
    };
    match write(Path::new(export), Path::new(folder)) {
        Ok(n_samples) => {
            print(&format!(
                "{n_samples} samples in each of three runs, made by mutation"
            ));
            ExitCode::SUCCESS
        }
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}
