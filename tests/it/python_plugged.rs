//! A Python project that pytest itself loads, as plugins and their dependencies: its covered lines are those of a
//! separate session, and a function that pytest calls does not count as called by a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::python::{has_tools, run};

/// Held by both tests, since both prepare the project and one writes into its copy.
static TURN: Mutex<()> = Mutex::new(());

fn fixture() -> String {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/plugged");
    fixture.to_str().expect("our paths are text").to_owned()
}

/// Prepares the project in a workspace; returns the workspace and the folder of the project's copy.
fn prepared() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a folder can be made");
    let rows = run(place.path(), &["prepare", &fixture(), "--json"], "");
    let row = rows.success().lines().remove(0);
    let folder = row["folder"].as_str().expect("it says where");
    (place, PathBuf::from(folder))
}

type Lines = BTreeMap<String, BTreeSet<u64>>;

/// Returns the lines of the project that `coverage` sees in one session of one file.
fn alone(checkout: &Path, path: &str, code: &str) -> Lines {
    let place = tempfile::tempdir().expect("a folder can be made");
    let (data, report) = (place.path().join("data"), place.path().join("report.json"));
    let file = checkout.join(path);
    fs::write(&file, code).expect("the copy can be written");
    let python = checkout.with_file_name("env").join("bin/python");
    let coverage = |arguments: &[&str]| {
        let output = Command::new(&python)
            .args(["-m", "coverage"])
            .args(arguments)
            .current_dir(checkout)
            .env("COVERAGE_FILE", &data)
            .env("COVERAGE_CORE", "ctrace")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("the environment has a Python");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{said}");
    };
    let source = format!("--source={}", checkout.join("src").display());
    let scratch = format!("cache_dir={}", place.path().display());
    let session = ["-m", "pytest", "-q", "-o", "addopts=", "-o", &scratch, path];
    coverage(&[&["run", "--rcfile=/dev/null", &source][..], &session].concat());
    let written = report.to_str().expect("our paths are text");
    coverage(&["json", "--rcfile=/dev/null", "-o", written]);
    fs::remove_file(&file).expect("it was written");
    let report = fs::read_to_string(&report).expect("it was written");
    let report: Value = serde_json::from_str(&report).expect("it is JSON");
    let files = report["files"].as_object().expect("it lists files");
    let lines = |value: &Value| {
        let lines = value["executed_lines"].as_array().expect("it lists lines");
        lines.iter().filter_map(Value::as_u64).collect()
    };
    let files = files
        .iter()
        .map(|(path, value)| (path.clone(), lines(value)));
    files
        .filter(|file: &(_, BTreeSet<_>)| !file.1.is_empty())
        .collect()
}

/// Returns the reported lines of a case: ranges by file.
fn told(row: &Value) -> Lines {
    let files = row["lines"].as_object().expect("lines are measured");
    let lines = |ranges: &Value| {
        let parts = ranges.as_str().expect("ranges are text").split(',');
        let numbers = parts.flat_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.parse::<u64>().expect("a line has a number");
            number(first)..=number(last)
        });
        numbers.collect()
    };
    let files = files.iter();
    files
        .map(|(path, value)| (path.clone(), lines(value)))
        .collect()
}

#[test]
fn what_pytest_loads_of_a_project_is_measured_as_in_a_session_alone() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, checkout) = prepared();
    let cases = [
        ("empty", "def test():\n    assert True\n"),
        (
            "tally",
            "from plugged.tallies import tally\n\n\ndef test():\n    assert tally([]) == \"none\"\n",
        ),
    ];
    let path = |name: &str| format!("tests/tmp_test_{name}.py");
    let asked = cases.map(|(name, code)| json!({"id": name, "path": path(name), "code": code}));
    let asked = asked.map(|value| value.to_string()).join("\n");
    for engine in ["fork", "fresh"] {
        let arguments = ["execute", "--project", "plugged", "--cases", "-"];
        let arguments = [&arguments[..], &["--engine", engine]].concat();
        let rows = run(place.path(), &arguments, &asked).success().lines();
        for ((name, code), row) in cases.iter().zip(&rows) {
            let lone = alone(&checkout, &path(name), code);
            assert!(lone.contains_key("src/plugged/__init__.py"), "{lone:?}");
            assert_eq!(told(row), lone, "{engine}: {name}");
        }
    }
}

#[test]
fn what_pytest_calls_of_a_project_is_not_called_by_the_test() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, _) = prepared();
    run(place.path(), &["mine", &fixture(), "--name", "plugged"], "").success();
    let samples = run(place.path(), &["export", "--all"], "")
        .success()
        .lines();
    let sample = samples
        .iter()
        .find(|sample| sample["test"]["method"] == json!("test_tally"));
    let sample = sample.expect("it was mined")["key"].clone();
    let cases = [
        (
            "calls",
            "def test_tally():\n    assert tally([1]) == \"x\"\n",
            "correct",
        ),
        (
            "does_not",
            "def test_tally():\n    assert most([\"x\"]) == \"x\"\n",
            "passing",
        ),
    ];
    for (name, text, expected) in cases {
        let file = place.path().join("answers.jsonl");
        let answer = json!({"sample": sample, "prediction": text}).to_string();
        fs::write(&file, answer).expect("it can be written");
        let path = file.to_str().expect("our paths are text");
        let arguments = ["import", path, "--run", name, "--target", "test"];
        run(
            place.path(),
            &[&arguments[..], &["--language", "python"]].concat(),
            "",
        )
        .success();
        run(place.path(), &["execute", name], "").success();
        let arguments = ["export", "--format", "outcomes", "--run", name];
        let row = run(place.path(), &arguments, "")
            .success()
            .lines()
            .remove(0);
        assert_eq!(row["outcome"], json!(expected), "{name}: {row}");
        assert_eq!(row["called"], json!(expected == "correct"), "{name}: {row}");
    }
}
