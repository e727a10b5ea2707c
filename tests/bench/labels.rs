//! Mines the repositories of the hand-judged tests and writes the evidence in them: `FOCALIST_LABELS=DIR cargo bench
//! --bench labels`, where DIR holds each repository as `owner+name` at the commit that the labels name.
//! `tests/it/labels.rs` fits to this output and reports on it.
//!
//! With `FOCALIST_TRACES=DIR` it writes the evidence of the matchers in tests that were run: there, DIR holds a
//! workspace for each repository, with the same name, in which `execute --traces` has run.

#[path = "frame/console.rs"]
mod console;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde_json::{Value, json};

use console::{arguments, print};

/// The sets: labels, and their evidence.
const SETS: [(&str, &str); 3] = [
    ("labels", "evidence"),
    ("holdout", "holdout_evidence"),
    ("third", "third_evidence"),
];

/// Returns the matchers that are compared in a language, `evidence` first.
fn matchers(language: &str) -> [&'static str; 3] {
    match language {
        "java" => ["evidence", "contest", "methods2test"],
        _ => ["evidence", "contest", "mera"],
    }
}

fn main() -> ExitCode {
    let repos = std::env::var_os("FOCALIST_LABELS").map(PathBuf::from);
    let Some(repos) = repos.filter(|_| arguments().is_some()) else {
        return ExitCode::SUCCESS;
    };
    let labels = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/labels");
    let folders = fs::read_dir(labels).expect("the folder of labels can be read");
    let mut folders: Vec<PathBuf> = folders
        .map(|folder| folder.expect("the folder of labels can be read").path())
        .filter(|path| path.is_dir() && is_asked(path))
        .collect();
    folders.sort();
    for folder in folders {
        write_evidence(&folder, &repos);
    }
    ExitCode::SUCCESS
}

/// Tells whether a language's folder is selected: by `FOCALIST_LANGUAGE`, where that is set.
fn is_asked(folder: &Path) -> bool {
    std::env::var_os("FOCALIST_LANGUAGE").is_none_or(|value| folder.ends_with(value))
}

/// Writes the matchers' evidence for a language's labels beside the labels.
fn write_evidence(folder: &Path, repos: &Path) {
    let language = folder.file_name().and_then(|name| name.to_str());
    let language = language.expect("folders have languages as names");
    let traces = std::env::var_os("FOCALIST_TRACES").map(PathBuf::from);
    for (labels, evidence) in SETS {
        let is_asked = std::env::var_os("FOCALIST_SET").is_none_or(|value| value == labels);
        let labels = folder.join(format!("{labels}.jsonl"));
        if !is_asked || !labels.is_file() {
            continue;
        }
        let labels = lines(&labels);
        let names: BTreeSet<String> = labels.iter().map(|label| text(&label["repo"])).collect();
        let mut rows = BTreeMap::new();
        for name in names {
            let below = name.replacen('/', "+", 1);
            let root = repos.join(&below);
            match traces.as_ref().map(|trace| trace.join(&below)) {
                None => rows.extend(mined(&root, &name, language)),
                Some(workspace) if workspace.is_dir() => {
                    rows.extend(traced(&root, &name, &workspace));
                }
                Some(_) => {}
            }
        }
        let mut text = String::new();
        for label in &labels {
            let place = place(label, &self::text(&label["repo"]));
            match rows.get(&place) {
                Some(row) => {
                    text += &row.to_string();
                    text.push('\n');
                }
                None => assert!(traces.is_some(), "{place:?} was not mined"),
            }
        }
        let prefix = if traces.is_some() { "traced_" } else { "" };
        let path = folder.join(format!("{prefix}{evidence}.jsonl"));
        print(&format!("{}: {} tests", path.display(), rows.len()));
        fs::write(path, text).expect("the file can be written");
    }
}

type Key = (String, String, String);

/// Runs the program on a workspace, and returns its output.
fn run_in(workspace: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .arg("--workspace")
        .arg(workspace)
        .args(arguments)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).expect("the program writes UTF-8")
}

/// Collects the evidence of every test of a repository that was run.
fn traced(root: &Path, name: &str, workspace: &Path) -> BTreeMap<Key, Value> {
    let root = root.to_string_lossy();
    run_in(
        workspace,
        &["mine", &root, "--traces", "--language", "java"],
    );
    let mut rows = BTreeMap::new();
    for line in run_in(workspace, &["export", "--format", "tests"]).lines() {
        let line: Value = serde_json::from_str(line).expect("export writes JSON");
        let key = place(&line["test"], name);
        let row = row(&line, &key);
        let text = row.to_string();
        if text.contains("did_not_run") || text.contains("ran_") {
            rows.insert(key, row);
        }
    }
    rows
}

/// Collects each matcher's decision on every test of a repository.
fn mined(root: &Path, name: &str, language: &str) -> BTreeMap<Key, Value> {
    let workspace = tempfile::tempdir().expect("a temporary folder can be made");
    let run = |arguments: &[&str]| run_in(workspace.path(), arguments);
    run(&[
        "mine",
        &root.to_string_lossy(),
        "--language",
        language,
        "--matcher",
        &matchers(language).join(","),
    ]);
    let mut rows = BTreeMap::new();
    for matcher in matchers(language) {
        let out = run(&["export", "--format", "tests", "--matcher", matcher]);
        for line in out.lines() {
            let line: Value = serde_json::from_str(line).expect("export writes JSON");
            let key = place(&line["test"], name);
            if matcher == "evidence" {
                rows.insert(key.clone(), row(&line, &key));
            } else {
                rows.get_mut(&key).expect("every matcher sees every test")[matcher] =
                    line["focal"]["key"].clone();
            }
        }
    }
    rows
}

fn row(line: &Value, key: &Key) -> Value {
    let mut candidates: Vec<Value> = line["candidates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|value| {
            let words: Vec<&str> = value["evidence"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            json!({"key": value["key"], "evidence": words.join(" ")})
        })
        .collect();
    // By key: the order must not depend on the weights that are fitted from it.
    candidates.sort_by_key(|candidate| text(&candidate["key"]));
    json!({"repo": key.0, "file": key.1, "test": key.2, "candidates": candidates})
}

fn place(line: &Value, repo: &str) -> Key {
    let test = line.get("test").unwrap_or(&line["key"]);
    (repo.to_owned(), text(&line["file"]), text(test))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
