//! The hand-judged tests with the matchers' evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use focalist::model::{Evidence, Language};
use serde_json::Value;

use super::fit::Row;

/// One judged test with its candidates.
#[derive(Debug)]
pub struct Judged {
    pub repo: String,
    pub test: String,
    pub fold: usize,
    /// The right declarations; empty when there is no single one.
    pub focal: BTreeSet<String>,
    pub reach: String,
    /// The picks of the rule-based matchers, in the order of [`rules`].
    pub picked: Vec<Option<String>>,
    pub rows: Vec<Row>,
}

impl Judged {
    pub fn is_right(&self, pick: Option<&str>) -> bool {
        pick.is_some_and(|key| self.focal.contains(key))
    }
}

/// Returns the rule-based matchers that `evidence` is compared with in a language.
pub const fn rules(language: Language) -> [&'static str; 2] {
    match language {
        Language::Java => ["contest", "methods2test"],
        _ => ["contest", "mera"],
    }
}

pub fn folder(language: Language) -> PathBuf {
    let labels = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labels");
    labels.join(language.as_str())
}

/// Reads a language's set of labels and its evidence: `labels` and `evidence`, or `holdout` and `holdout_evidence`.
pub fn read(language: Language, labels: &str, evidence: &str) -> Vec<Judged> {
    let judged = read_known(language, labels, evidence);
    assert_eq!(judged.len(), lines(language, labels).len(), "{labels}");
    judged
}

/// Reads those labels of a language that have evidence.
pub fn read_known(language: Language, labels: &str, evidence: &str) -> Vec<Judged> {
    let seen: BTreeMap<(String, String, String), Value> = lines(language, evidence)
        .into_iter()
        .map(|line| (place(&line), line))
        .collect();
    lines(language, labels)
        .into_iter()
        .filter_map(|label| {
            let seen = seen.get(&place(&label))?;
            let focal: BTreeSet<String> = strings(&label["focal"]);
            let rows = seen["candidates"]
                .as_array()
                .expect("a list of candidates")
                .iter()
                .map(|value| candidate(value, &focal))
                .collect();
            Some(Judged {
                repo: text(&label["repo"]),
                test: text(&label["test"]),
                fold: label["fold"].as_u64().unwrap_or(0) as usize,
                focal,
                reach: text(&label["reach"]),
                picked: rules(language)
                    .map(|rule| seen[rule].as_str().map(str::to_owned))
                    .into(),
                rows,
            })
        })
        .collect()
}

fn candidate(value: &Value, focal: &BTreeSet<String>) -> Row {
    let key = text(&value["key"]);
    let words: BTreeSet<String> = text(&value["evidence"])
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let columns: Vec<usize> = Evidence::ALL
        .iter()
        .enumerate()
        .filter(|(_, kind)| words.contains(kind.as_str()))
        .map(|(at, _)| at)
        .collect();
    assert_eq!(columns.len(), words.len(), "unknown evidence in {words:?}");
    let is_right = focal.contains(&key);
    Row { columns, is_right }
}

pub fn lines(language: Language, name: &str) -> Vec<Value> {
    let path = folder(language).join(format!("{name}.jsonl"));
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

fn place(line: &Value) -> (String, String, String) {
    (
        text(&line["repo"]),
        text(&line["file"]),
        text(&line["test"]),
    )
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn strings(value: &Value) -> BTreeSet<String> {
    let values = value.as_array().expect("a list");
    values.iter().map(text).collect()
}
