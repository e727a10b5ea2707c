//! Meaningless answers are not correct, in test projects that really run; and code that people wrote parses.

use std::collections::BTreeMap;

use focalist::model::{Language, ParseMode};
use focalist::syntax::judge::Judge;
use focalist::syntax::language_of;
use focalist::syntax::verdict::PieceShape;
use serde_json::{Value, json};

use crate::support::{Place, copy};
use crate::{prepare, python};

/// Answers with their outcome and `asserts`.
const JAVA: &[(&str, &str, Value)] = &[
    (
        "assertEquals(3, counter.add(3));",
        "correct",
        Value::Bool(true),
    ),
    (
        "if (counter.add(3) != 3) { throw new AssertionError(); }",
        "correct",
        Value::Bool(true),
    ),
    (
        "I'm sorry, I cannot help with that.",
        "unparsable",
        Value::Null,
    ),
    ("int x = ", "unparsable", Value::Null),
    ("}", "unparsable", Value::Null),
    ("// it adds", "unparsable", Value::Null),
    ("", "unparsable", Value::Null),
    ("counter.add(3);", "passing", Value::Bool(false)),
    (
        "counter.add(3); org.junit.Assert.assertTrue(true);",
        "passing",
        Value::Bool(false),
    ),
    (
        "int x = counter.add(3); assertEquals(x, x);",
        "passing",
        Value::Bool(false),
    ),
    (
        "try { assertEquals(4, counter.add(3)); } catch (Throwable it) { }",
        "passing",
        Value::Bool(false),
    ),
    (
        "counter.add(3); if (false) { assertEquals(4, counter.add(3)); }",
        "passing",
        Value::Bool(false),
    ),
    (
        "Runnable it = new Runnable() { public void run() { assertEquals(4, counter.add(3)); } }; counter.add(3);",
        "passing",
        Value::Bool(false),
    ),
    (
        "assertEquals(4, counter.add(3));",
        "failing",
        Value::Bool(true),
    ),
];

const PYTHON: &[(&str, &str, Value)] = &[
    (
        "assert helper(counter) == 3 and counter.up() == 4",
        "correct",
        Value::Bool(true),
    ),
    (
        "I'm sorry, I cannot help with that.",
        "unparsable",
        Value::Null,
    ),
    ("x = ", "unparsable", Value::Null),
    ("# it counts", "unparsable", Value::Null),
    ("", "unparsable", Value::Null),
    ("pass", "passing", Value::Bool(false)),
    ("assert True", "passing", Value::Bool(false)),
    (
        "x = counter.up()\nassert x == x",
        "passing",
        Value::Bool(false),
    ),
    (
        "try:\n    assert counter.up() == 99\nexcept Exception:\n    pass",
        "passing",
        Value::Bool(false),
    ),
    (
        "def check():\n    assert counter.up() == 99",
        "passing",
        Value::Bool(false),
    ),
    ("assert counter.up() == 99", "failing", Value::Bool(true)),
];

/// Writes a file of answers to one sample, each as an attempt.
fn answers(key: &str, rows: &[(&str, &str, Value)]) -> String {
    let lines = rows.iter().zip(0..).map(|((answer, ..), attempt)| {
        json!({"sample": key, "prediction": answer, "attempt": attempt}).to_string() + "\n"
    });
    lines.collect()
}

/// Checks the outcome of each attempt.
fn check(rows: &[(&str, &str, Value)], outcomes: &[Value], options: &str) {
    assert_eq!(outcomes.len(), rows.len());
    for (answer, outcome, asserts) in rows {
        let attempt = rows.iter().position(|row| row.0 == *answer);
        let found = outcomes
            .iter()
            .find(|outcome| outcome["attempt"] == json!(attempt));
        let found = found.expect(answer);
        assert_eq!(
            (&found["outcome"], &found["asserts"]),
            (&json!(outcome), asserts),
            "{answer}: {found}"
        );
        assert_eq!(found["options"], json!(options), "{answer}");
    }
}

#[test]
fn junk_for_java_is_not_correct() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = prepare::TURN.lock();
    let place = Place::new();
    let run =
        |arguments: &[&str]| python::run_with(&prepare::cache(), &place.path(""), (arguments, ""));
    copy(&prepare::project("several"), &place.path("several"));
    let folder = place.path("several").to_string_lossy().into_owned();
    run(&["mine", &folder]).success();
    let found = run(&["samples", "--json", "file:four/src"])
        .success()
        .lines();
    let key = found[0]["key"].as_str().expect("a text");
    let file = place.write("junk.jsonl", answers(key, JAVA));
    let file = file.to_string_lossy().into_owned();
    let outcomes = |name: &str| -> Vec<Value> {
        run(&["export", "--format", "outcomes", "--run", name])
            .success()
            .lines()
    };
    for name in ["none", "paper"] {
        run(&["import", &file, "--run", name, "--target", "assertion"]).success();
    }
    let said = run(&["execute", "none", "--json"])
        .success()
        .lines()
        .remove(0);
    let funnel = &said["funnel"];
    assert_eq!(
        ["executable", "correct", "no_assertion", "correct_tests4j"].map(|text| &funnel[text]),
        [&json!(8), &json!(2), &json!(6), &json!(8)],
        "{said}"
    );
    check(JAVA, &outcomes("none"), "timeout=10000 repair=none");
    // The paper's repair removes them completely.
    run(&["execute", "paper", "--repair", "paper"]).success();
    check(JAVA, &outcomes("paper"), "timeout=10000 repair=paper");
    let listed = |filter: &str| {
        run(&["results", "none", filter, "--json"])
            .success()
            .lines()
            .len()
    };
    assert_eq!((listed("asserts:no"), listed("asserts:yes")), (6, 3));
    // Another default makes no outcome stale, and this is reported.
    let again = run(&["execute", "paper"]);
    assert!(
        again.err.contains("0 ran now, 14 already had an outcome"),
        "{}",
        again.err
    );
    let listed = run(&["runs"]);
    let said = "run paper: 14 outcomes made with `--repair paper`, the default is `none`";
    assert!(listed.err.contains(said), "{}", listed.err);
    // Nor are they compared with each other without a request.
    run(&["eval", "--metrics", "bleu"]).success();
    let refused = run(&["compare", "none", "paper"]);
    assert!(refused.err.contains("--any-options"), "{}", refused.err);
    run(&["compare", "none", "paper", "--any-options"]).success();
}

#[test]
fn junk_for_python_is_not_correct() {
    if !python::has_tools() {
        return;
    }
    let place = python::prepared();
    let run = |arguments: &[&str]| python::run(place.path(), arguments, "");
    let fixture = python::fixture();
    let path = fixture.to_str().expect("our paths are text");
    run(&["mine", path, "--name", "count"]).success();
    let samples = run(&["export", "--all"]).success().lines();
    let sample = samples
        .iter()
        .find(|sample| sample["test"]["method"] == "test_up");
    let key = sample.expect("it is mined")["key"]
        .as_str()
        .expect("a text")
        .to_owned();
    let file = place.path().join("junk.jsonl");
    std::fs::write(&file, answers(&key, PYTHON)).expect("it can be written");
    let path = file.to_str().expect("our paths are text");
    let arguments = ["import", path, "--run", "junk", "--target", "assertion"];
    run(&[&arguments[..], &["--language", "python"]].concat()).success();
    run(&["execute", "junk"]).success();
    let outcomes = run(&["export", "--format", "outcomes", "--run", "junk"])
        .success()
        .lines();
    check(PYTHON, &outcomes, "timeout=10000 repair=none");
}

#[test]
fn what_people_wrote_parses_and_may_be_asked_whether_it_asserts() {
    let mut judge = Judge::newest();
    let mut n_odd = 0;
    for place in [Place::with_sample_data(), Place::with_languages()] {
        let exported = place.run(&["export", "--all"]).success();
        let mut by_language: BTreeMap<&str, String> = BTreeMap::new();
        for line in exported.lines() {
            let sample: Value = serde_json::from_str(line).expect("a line is JSON");
            let path = sample["test"]["file"].as_str().expect("a text");
            let language = language_of(path).expect(path);
            // One is in Python 2.
            let source = sample["test"]["source"].as_str().expect("a text");
            let by = (Language::Python, ParseMode::Strict);
            if language == Language::Python && !judge.is_sound(source, PieceShape::Statements, by) {
                n_odd += 1;
                continue;
            }
            if let Some(assertion) = sample["assertion"].as_str().filter(|text| !text.is_empty()) {
                let line = json!({"sample": sample["key"], "prediction": assertion});
                *by_language.entry(language.as_str()).or_default() += &format!("{line}\n");
            }
        }
        for (language, lines) in by_language {
            let n_samples = lines.lines().count();
            let file = place.write(&format!("{language}.jsonl"), lines);
            let file = file.to_string_lossy().into_owned();
            let arguments = ["import", &file, "--run", language, "--target", "assertion"];
            place
                .run(&[&arguments[..], &["--language", language]].concat())
                .success();
            place
                .run(&["eval", language, "--metrics", "bleu"])
                .success();
            let listed = |filter: &str| {
                let listed = place.run(&["results", language, filter, "--json", "--limit", "0"]);
                listed
                    .success()
                    .lines()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(listed("parse:fail"), [""; 0], "{language}");
            let (yes, no) = (listed("asserts:yes"), listed("asserts:no"));
            assert_eq!(yes.len() + no.len(), n_samples, "{language}");
            assert!(yes.len() * 10 >= n_samples * 9, "{language}: {no:#?}");
        }
    }
    assert_eq!(n_odd, 1);
}
