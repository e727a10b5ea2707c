//! Predictions of Python tests as runs: mined, imported, executed in the place of their true tests, listed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::python::{fixture, has_tools, prepared, run};

/// Mines the project of the fixture and returns the key of each test by its name.
fn keys(place: &tempfile::TempDir) -> BTreeMap<String, String> {
    let fixture = fixture();
    let path = fixture.to_str().expect("our paths are text");
    run(place.path(), &["mine", path, "--name", "count"], "").success();
    let samples = run(place.path(), &["export", "--all"], "")
        .success()
        .lines();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    samples
        .iter()
        .map(|sample| (text(&sample["test"]["method"]), text(&sample["key"])))
        .collect()
}

fn outcomes(place: &tempfile::TempDir, name: &str) -> BTreeMap<String, Value> {
    let arguments = ["export", "--format", "outcomes", "--run", name];
    let rows = run(place.path(), &arguments, "").success().lines();
    rows.into_iter()
        .map(|row| (row["sample"].as_str().unwrap_or_default().to_owned(), row))
        .collect()
}

#[test]
fn predictions_run_in_the_place_of_their_true_tests() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let keys = keys(&place);
    let cases = [
        // The true test.
        (
            "test_up",
            "def test_up(counter):\n    counter.up()\n    assert helper(counter) == 3\n",
            "correct",
        ),
        // One that is not true any more.
        (
            "test_up_by",
            "@pytest.mark.parametrize(\"n\", [1, 2])\ndef test_up_by(n):\n    assert Counter().up(n) == n + 1\n",
            "failing",
        ),
        // Another test, which looks at the name of the file that it is in.
        (
            "test_down_is_refused",
            "def test_another():\n    assert __name__.endswith('test_counter') and Counter().value == 0\n",
            "passing",
        ),
        // One that ends too soon, and one that is none.
        (
            "test_report",
            "def test_report(self, counter):\n    assert (\n",
            "unparsable",
        ),
        ("test_reset", "It should be zero again.", "unparsable"),
        (
            "test_fails",
            "def test_fails():\n    assert missing().up() == 2\n",
            "failing",
        ),
    ];
    let lines: Vec<String> = cases
        .iter()
        .map(|(name, text, _)| json!({"sample": keys[*name], "prediction": text}).to_string())
        .collect();
    let file = place.path().join("answers.jsonl");
    std::fs::write(&file, lines.join("\n")).expect("it can be written");
    let path = file.to_str().expect("our paths are text");
    let arguments = ["import", path, "--run", "model", "--target", "test"];
    run(
        place.path(),
        &[&arguments[..], &["--language", "python"]].concat(),
        "",
    )
    .success();
    run(place.path(), &["execute", "model"], "").success();
    let found = outcomes(&place, "model");
    for (name, _, outcome) in cases {
        let row = &found[&keys[name]];
        assert_eq!(row["outcome"], json!(outcome), "{name}: {row}");
    }
    let correct = &found[&keys["test_up"]];
    assert_eq!(correct["host"], json!("tests/test_counter.py"));
    assert_eq!(correct["called"], json!(true));
    let listed = |filter: &str| {
        let arguments = ["results", "model", filter, "--json"];
        run(place.path(), &arguments, "").success().lines().len()
    };
    assert_eq!(listed("ran:failing"), 2);
    assert_eq!(listed("ran>=passing"), 2);
    assert_eq!(listed("why:\"name 'missing'\""), 1);
    let list = run(place.path(), &["results", "model", "ran:failing"], "").success();
    for reason in ["failing: NameError", "failing: AssertionError"] {
        assert_eq!(list.out.matches(reason).count(), 1, "{}", list.out);
    }
    let show = |name: &str, more: &[&str]| {
        let arguments = ["results", "model", "--show", &keys[name]];
        run(place.path(), &[&arguments[..], more].concat(), "").success()
    };
    let fails = show("test_fails", &[]).out;
    for part in [
        "\nran: failing · something was thrown\n  focal method ",
        " · engine fork · sandbox bwrap",
        "  run · NameError\n    NameError: name 'missing' is not defined\n",
    ] {
        assert!(fails.contains(part), "{part}\n{fails}");
    }
    let shown = show("test_fails", &["--json"]).out;
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(shown["why"]["type"], "NameError");
    let correct = show("test_up", &[]).out;
    assert!(correct.contains("  focal method called · "), "{correct}");
    // What has its outcome is not run again.
    let again = run(place.path(), &["execute", "model"], "").success();
    assert!(
        again.err.contains("0 ran now, 6 already had an outcome"),
        "{}",
        again.err
    );
}

#[test]
fn true_tests_do_what_they_do_in_the_suite() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let keys = keys(&place);
    run(place.path(), &["execute", "--truth"], "").success();
    let found = outcomes(&place, "truth-python");
    for (name, outcome) in [
        ("test_up", "correct"),
        ("test_up_by", "correct"),
        ("test_down_is_refused", "correct"),
        ("test_report", "correct"),
        ("test_reset", "correct"),
        ("test_fails", "failing"),
    ] {
        let row = &found[&keys[name]];
        assert_eq!(row["outcome"], json!(outcome), "{name}: {row}");
    }
}
