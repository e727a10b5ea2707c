//! Confirmation of passing tests: honest tests in both languages are confirmed, and tests that forge results, return
//! early or depend on other tests are not.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::prepare::{TURN, project};
use crate::support::copy;
use crate::{prepare, python};

/// A test and its expected confirmation.
struct Row {
    /// A part of the sample's location.
    sample: &'static str,
    text: String,
    outcome: &'static str,
    confirmed: &'static str,
}

fn row(sample: &'static str, confirmed: &'static str, text: &str) -> Row {
    Row {
        sample,
        text: text.to_owned(),
        outcome: "correct",
        confirmed,
    }
}

/// Imports rows as the run `model`; rows for one sample are its attempts.
fn import(
    folder: &Path,
    rows: &[Row],
    language: &str,
    keys: &BTreeMap<String, String>,
    run: impl Fn(&[&str]) -> String,
) {
    let mut n_before: BTreeMap<&str, u32> = BTreeMap::new();
    let mut lines = String::new();
    for row in rows {
        let attempt = n_before.entry(row.sample).or_default();
        let line = json!({"sample": keys[row.sample], "attempt": *attempt, "prediction": row.text});
        lines += &format!("{line}\n");
        *attempt += 1;
    }
    let file = folder.join("answers.jsonl");
    std::fs::write(&file, lines).expect("it can be written");
    let path = file.to_str().expect("our paths are text");
    let arguments = ["import", path, "--run", "model", "--target", "test"];
    run(&[&arguments[..], &["--language", language]].concat());
}

/// Executes the run, confirms it, and compares every row.
fn check(rows: &[Row], keys: &BTreeMap<String, String>, run: impl Fn(&[&str]) -> String) {
    let outcomes = || {
        let wrote = run(&["export", "--format", "outcomes", "--run", "model"]);
        read(&wrote)
    };
    let of = |found: &[Value], row: &Row| -> Value {
        let attempt = rows
            .iter()
            .filter(|other| other.sample == row.sample)
            .position(|other| other.text == row.text);
        let is_it = |value: &&Value| {
            value["sample"] == json!(keys[row.sample]) && value["attempt"] == json!(attempt)
        };
        found.iter().find(is_it).expect("it has a line").clone()
    };
    let funnel = |arguments: &[&str]| {
        let said = run(arguments);
        read(&said).remove(0)["funnel"].take()
    };
    let before = funnel(&["execute", "model", "--json"]);
    let mut wrong = String::new();
    for row in rows {
        let found = of(&outcomes(), row);
        if found["outcome"] != json!(row.outcome) || !found["confirmed"].is_null() {
            wrong += &format!("{}\nis {found}\n", row.text);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(before["drawn"], json!(0), "{before}");

    let two = funnel(&["execute", "model", "--confirm", "2", "--json"]);
    assert_eq!(two["drawn"], json!(2), "{two}");
    let after = funnel(&["execute", "model", "--confirm", "all", "--json"]);
    for row in rows {
        let found = of(&outcomes(), row);
        if found["outcome"] != json!(row.outcome) || found["confirmed"] != json!(row.confirmed) {
            wrong += &format!("{}\nis {found}\n", row.text);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let n = |word: &str| rows.iter().filter(|row| row.confirmed == word).count();
    let n_refuted = n("left_early") + n("forged") + n("unstable");
    let n_correct = before["correct"].as_u64().expect("a number");
    let n_refuted_correct = rows
        .iter()
        .filter(|row| row.outcome == "correct" && !matches!(row.confirmed, "yes" | "undecided"))
        .count() as u64;
    assert_eq!(after["drawn"], json!(rows.len()), "{after}");
    assert_eq!(after["confirmed"]["yes"], json!(n("yes")), "{after}");
    assert_eq!(
        after["correct"],
        json!(n_correct - n_refuted_correct),
        "{after}"
    );
    let listed = |filter: &str| read(&run(&["results", "model", filter, "--json"])).len();
    assert_eq!(listed("confirmed:no"), n_refuted);
    assert_eq!(listed("confirmed:yes"), n("yes"));
    assert_eq!(listed("confirmed:forged"), n("forged"));
    for format in ["table", "csv", "markdown", "latex"] {
        let table = run(&["runs", "--format", format]);
        assert!(
            table.contains("Confirmed") && table.contains("Drawn"),
            "{format}: {table}"
        );
    }
}

fn read(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

/// Finds the frame that writes the record, records a pass, and returns before anything is asserted.
const WRITES_THE_RECORD: &str = r#"def test_up(counter):
    import json, os, sys
    f, r = sys._getframe(), {"items": [["a", "passed", None, None]], "errors": [], "ended": None, "started": 1}
    while not {"writing", "say_hello"} & set(f.f_locals): f = f.f_back
    v, t = f.f_locals, json.dumps(r).encode()
    os.write(v["writing"], v["prefix"] + len(t).to_bytes(4, "big") + t) if "writing" in v else f.f_globals["say"]({"n": v["request"]["n"], "seconds": 0, "record": r})
    os._exit(0)
    assert counter.up() == 9
"#;

/// Makes every report a pass.
const CHANGES_REPORTS: &str = r#"def test_up(counter):
    import _pytest.reports as reports
    made = reports.TestReport.from_item_and_call
    def forged(item, call):
        report = made(item, call)
        report.outcome, report.longrepr = "passed", None
        return report
    reports.TestReport.from_item_and_call = forged
    assert counter.up() == 9
"#;

#[test]
fn python_tests_that_forge_or_leave_early_are_refuted_and_honest_ones_hold() {
    if !python::has_tools() {
        return;
    }
    let place = python::prepared();
    let run = |arguments: &[&str]| python::run(place.path(), arguments, "").success().out;
    let fixture = python::fixture();
    let path = fixture.to_str().expect("our paths are text");
    run(&["mine", path, "--name", "count"]);
    let samples = read(&run(&["export", "--all"]));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let keys = samples
        .iter()
        .map(|sample| (text(&sample["test"]["method"]), text(&sample["key"])));
    let keys: BTreeMap<String, String> = keys.collect();
    let up = |confirmed, body: &str| {
        let body = body.replace('\n', "\n    ");
        row(
            "test_up",
            confirmed,
            &format!("def test_up(counter):\n    {body}\n"),
        )
    };
    let mut rows = vec![
        up("yes", "counter.up()\nassert counter.value == 3"),
        up(
            "yes",
            "for _ in range(3):\n    if counter.up() == 4:\n        return\nraise AssertionError",
        ),
        up(
            "yes",
            "while True:\n    if counter.up() == 5:\n        assert counter.value == 5\n        return",
        ),
        up("yes", "with pytest.raises(ValueError):\n    counter.up(-1)"),
        up(
            "yes",
            "try:\n    counter.up(-1)\nexcept ValueError:\n    return\nassert False",
        ),
        up(
            "yes",
            "text = \"\"\"\n  a\n\"\"\"\nassert counter.up() == 3 and text",
        ),
        row(
            "test_up_by",
            "yes",
            "@pytest.mark.parametrize(\"n\", [1, 2])\ndef test_up_by(n):\n    assert Counter().up(n) == n\n",
        ),
        row(
            "test_reset",
            "yes",
            "def test_reset(self, counter):\n    counter.reset()\n    assert counter.value == 0\n",
        ),
        up(
            "left_early",
            "if counter.up():\n    return\nassert counter.value == 9",
        ),
        // Only a server has a separate parent.
        up(
            "unstable",
            "import os\ncounter.up()\nassert os.getppid() > 1",
        ),
        row("test_up", "forged", CHANGES_REPORTS),
        row("test_up", "forged", WRITES_THE_RECORD),
    ];
    rows.last_mut().expect("there is one").outcome = "passing";
    import(place.path(), &rows, "python", &keys, run);
    check(&rows, &keys, run);
}

#[test]
fn java_tests_that_leave_early_are_refuted_and_honest_ones_hold() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
            .arg("--workspace")
            .arg(place.path())
            .args(["--config", "/dev/null"])
            .args(arguments)
            .env("FOCALIST_CACHE", prepare::cache())
            .output()
            .expect("the program can be started");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("the program writes UTF-8")
    };
    let folder = place.path().join("several");
    copy(&project("several"), &folder);
    let file = folder.join("four/src/test/java/p/CounterTest.java");
    let text = std::fs::read_to_string(&file).expect("it is there");
    let counter = "private Counter counter;";
    let rule = "@org.junit.Rule public org.junit.rules.ExpectedException thrown = \
                org.junit.rules.ExpectedException.none();";
    let text = text.replace(counter, &format!("{counter}\n    {rule}"));
    std::fs::write(&file, text).expect("it can be written");
    run(&["mine", folder.to_str().expect("our paths are text")]);
    let key = |module: &str| {
        let found = read(&run(&["samples", "--json", &format!("file:{module}/src")]));
        let key = found[0]["key"].as_str().expect("a text").to_owned();
        (module.to_owned(), key)
    };
    let keys: BTreeMap<String, String> = ["four", "five"].map(key).into();
    let four = |confirmed, annotation: &str, body: &str| {
        let text = format!("@Test{annotation} public void adds() {{ {body} }}");
        row("four", confirmed, &text)
    };
    let five = |confirmed, head: &str, body: &str| {
        row("five", confirmed, &format!("{head} adds() {{ {body} }}"))
    };
    let refused = "(expected = IllegalArgumentException.class)";
    let rows = [
        four("yes", "", "assertEquals(3, counter.add(3));"),
        four(
            "yes",
            "",
            "while (true) { if (counter.add(1) == 3) { assertEquals(4, counter.add(1)); return; } }",
        ),
        four(
            "yes",
            "",
            "for (int i = 0; i < 9; i++) if (counter.add(1) == 3) return; else i++; org.junit.Assert.fail();",
        ),
        four(
            "yes",
            "",
            "try { counter.add(-1); } catch (IllegalArgumentException e) { return; } org.junit.Assert.fail();",
        ),
        four(
            "yes",
            "",
            "Comparable<Integer> adder = new Comparable<Integer>() { public int compareTo(Integer n) { return counter.add(n); } }; assertEquals(3, adder.compareTo(3));",
        ),
        four("yes", refused, "counter.add(-1);"),
        four(
            "yes",
            "(timeout = 5000)",
            "assertEquals(3, counter.add(3));",
        ),
        four("yes", "(expected = Throwable.class)", "counter.add(-1);"),
        four(
            "yes",
            "(expected = RuntimeException.class)",
            "counter.add(-1);",
        ),
        four(
            "yes",
            "",
            "thrown.expect(Throwable.class); counter.add(-1);",
        ),
        four(
            "undecided",
            "",
            "Class<? extends Throwable> type = Throwable.class; thrown.expect(type); counter.add(-1);",
        ),
        four(
            "left_early",
            "",
            "if (counter.add(3) > 0) return; assertEquals(9, counter.add(3));",
        ),
        five(
            "yes",
            "@Test void",
            "assertEquals(3, new Counter().add(3));",
        ),
        five(
            "yes",
            "@Test void",
            "org.junit.jupiter.api.Assertions.assertThrows(IllegalArgumentException.class, new org.junit.jupiter.api.function.Executable() { public void execute() { new Counter().add(-1); } });",
        ),
        five(
            "yes",
            "@org.junit.jupiter.api.RepeatedTest(2) void",
            "assertEquals(3, new Counter().add(3));",
        ),
        five(
            "yes",
            "@org.junit.jupiter.api.TestFactory java.util.List<org.junit.jupiter.api.DynamicTest>",
            "return java.util.Collections.singletonList(org.junit.jupiter.api.DynamicTest.dynamicTest(\"a\", new org.junit.jupiter.api.function.Executable() { public void execute() { assertEquals(3, new Counter().add(3)); } }));",
        ),
    ];
    import(place.path(), &rows, "java", &keys, run);
    check(&rows, &keys, run);
}
