//! Tests that object to contract-preserving variants, planted in a Python project: each is found with the kinds that it
//! objects to, and no other test objects.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::python::{has_tools, run};
use crate::support::text;

const TRUTH: &str = "truth-python";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/brittle")
}

/// A workspace with the project, and the keys of its samples by the names of their tests.
struct Planted {
    place: tempfile::TempDir,
    keys: BTreeMap<String, String>,
}

impl Planted {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder can be made");
        let path = fixture();
        let path = path.to_str().expect("our paths are text");
        run(place.path(), &["mine", path, "--name", "brittle"], "").success();
        let samples = run(place.path(), &["export", "--all"], "").success();
        let keys = samples.lines().into_iter();
        let keys = keys.map(|value| (text(&value["test"]["method"]), text(&value["key"])));
        let keys = keys.collect();
        Self { place, keys }
    }

    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        run(self.place.path(), arguments, "").success().lines()
    }

    fn out(&self, arguments: &[&str]) -> String {
        run(self.place.path(), arguments, "").success().out
    }

    /// Returns the kinds that each test of a run objects to, by the names of true tests.
    fn objections(&self, of: &str) -> BTreeMap<String, Value> {
        let outcomes = self.lines(&["export", "--format", "outcomes", "--run", of]);
        let named = |key: &Value| {
            let mut names = self.keys.iter();
            let found = names.find(|name| json!(name.1) == *key);
            found.expect("it was mined").0.clone()
        };
        let all = outcomes.into_iter();
        all.map(|value| (named(&value["sample"]), value["brittle"].clone()))
            .collect()
    }

    fn names(&self, filter: &str) -> Vec<String> {
        let samples = self.lines(&["samples", filter, "--json"]);
        let mut names: Vec<String> = samples.iter().map(|sample| text(&sample["test"])).collect();
        names.sort();
        names
    }
}

#[test]
fn planted_brittle_python_tests_are_found_with_what_they_object_to() {
    if !has_tools() {
        return;
    }
    let planted = Planted::new();
    let asked = ["execute", "--truth", "--brittle", "--json"];
    let report = planted.lines(&asked).remove(0);
    let told = &report["brittle"];
    assert_eq!(
        (&told["tests"], &told["now"], &told["held"]),
        (&json!(12), &json!(12), &json!(12)),
        "{report}"
    );
    let none = (&json!(0), &json!(0));
    assert_eq!((&told["unsettled"], &told["failed"]), none, "{report}");
    let expected: BTreeMap<String, Value> = [
        ("test_withdraw", json!(["message"])),
        ("test_withdraw_refuses", json!([])),
        ("test_announce", json!(["log"])),
        ("test_announce_title", json!([])),
        ("test_record", json!(["log"])),
        ("test_put", json!(["private"])),
        ("test_discount", json!(["private"])),
        ("test_tags", json!(["order"])),
        ("test_tags_number", json!([])),
        ("test_total_of", json!(["locals"])),
        ("test_settle", json!([])),
        // It fails where the message is another one, and does not look at it: nobody keeps that contract.
        ("test_code", json!([])),
    ]
    .map(|(name, objects)| (name.to_owned(), objects))
    .into();
    assert_eq!(planted.objections(TRUTH), expected);
    let unsound = told["unsound"].as_array().expect("a list");
    assert_eq!(unsound.len(), 1, "{unsound:?}");
    assert!(text(&unsound[0]).contains("`message` is unsound here: 1 of 1"));
    assert_eq!(
        told["by_variant"]["message"],
        json!({"objecting": 1, "held": 3}),
        "{told}"
    );
    // A test of which nothing is printed has no variant for that.
    assert_eq!(told["by_variant"]["log"]["objecting"], json!(2));
    check_is_asked(&planted);
    check_is_shown(&planted);

    // Nothing is done again, and what is done again comes out the same.
    let again = planted.lines(&asked).remove(0);
    let kept = (&json!(0), &json!(12));
    assert_eq!(
        (&again["brittle"]["now"], &again["brittle"]["kept"]),
        kept,
        "{again}"
    );
    assert_eq!(again["brittle"]["by_variant"], told["by_variant"]);
    let filtered = [&asked[..], &["--force", "--filter", "text:withdraw"]].concat();
    run(planted.place.path(), &filtered, "").success();
    assert_eq!(
        planted.objections(TRUTH)["test_withdraw"],
        json!(["message"])
    );
    planted.lines(&asked);
    assert_eq!(planted.objections(TRUTH), expected);
}

/// Checks filters and columns.
fn check_is_asked(planted: &Planted) {
    let check = |filter: &str, expected: &[&str]| {
        assert_eq!(planted.names(filter), expected, "{filter}");
        let listed = planted.lines(&["results", TRUTH, filter, "--json"]);
        assert_eq!(listed.len(), expected.len(), "{filter}");
    };
    check("brittle:message", &["test_withdraw"]);
    check("brittle:log", &["test_announce", "test_record"]);
    check("brittle:private", &["test_discount", "test_put"]);
    check("brittle:order", &["test_tags"]);
    check("brittle:none", &[]);
    assert_eq!(planted.names("brittle:yes").len(), 7);
    assert_eq!(planted.names("brittle:no").len(), 5);
    let table = planted.out(&["samples", "brittle:order"]);
    assert!(
        table.contains("brittle") && table.contains("order"),
        "{table}"
    );
    let table = planted.out(&["results", TRUTH, "brittle:log"]);
    assert!(
        table.contains("brittle") && table.contains("log"),
        "{table}"
    );
    let head = planted.out(&["runs", TRUTH, "--format", "csv"]);
    let head = head.lines().next().unwrap_or_default().to_owned();
    assert!(head.contains(",brittle,held"), "{head}");
    let told = planted
        .lines(&["runs", TRUTH, "--format", "json"])
        .remove(0);
    assert_eq!(told["executed"]["brittle"]["n_brittle"], json!(7), "{told}");
}

/// Checks that the variants of a method are shown as differences, with the tests that object.
fn check_is_shown(planted: &Planted) {
    let shown = planted.out(&["faults", &planted.keys["test_withdraw"]]);
    for wanted in [
        "wares/stock.py message: messages of exceptions have other words\n",
        "-        raise ValueError(\"the number %d is negative\" % number)\n",
        "+        raise ValueError(\"reworded text %d text text\" % number)\n",
        "truth-python attempt 0: objects (AssertionError)\n",
        "+    return price - _rate_renamed()\n",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let shown = planted.out(&["faults", &planted.keys["test_code"]]);
    let unsound = "truth-python attempt 0: objects (AssertionError), unsound here\n";
    assert!(shown.contains(unsound), "{shown}");
    let json = planted.lines(&["faults", &planted.keys["test_put"], "--json"]);
    let private = json
        .iter()
        .find(|value| value["variant"]["name"] == "private");
    let private = private.expect("it has one");
    assert_eq!(
        (&private["objects"], &private["sound"]),
        (&json!(true), &json!(true))
    );
}

#[test]
fn answers_of_models_are_held_against_what_true_tests_find_sound() {
    if !has_tools() {
        return;
    }
    let planted = Planted::new();
    let answer = |name: &str, body: &str| {
        let code = format!("def {name}():\n    {body}\n");
        json!({"sample": planted.keys[name], "prediction": code}).to_string()
    };
    let caught = "with pytest.raises(ValueError, match=\"negative\"):\n        withdraw(-1)";
    let answers = |of_withdraw: &str| {
        let all = [
            answer("test_withdraw", of_withdraw),
            answer("test_total_of", "assert total_of((1, 1)) == 2"),
            answer("test_code", "assert code(-1) == 20"),
        ];
        let file = planted.place.path().join("answers.jsonl");
        std::fs::write(&file, all.join("\n")).expect("it is written");
        file
    };
    for (name, of_withdraw) in [("brittle", caught), ("plain", "assert withdraw(1) == 1")] {
        let file = answers(of_withdraw);
        let file = file.to_str().expect("our paths are text");
        run(
            planted.place.path(),
            &["import", file, "--run", name, "--target", "test"],
            "",
        )
        .success();
        run(planted.place.path(), &["execute", name, "--brittle"], "").success();
        run(planted.place.path(), &["eval", "--run", name], "").success();
    }
    let of_brittle = planted.objections("brittle");
    assert_eq!(of_brittle["test_withdraw"], json!(["message"]));
    assert_eq!(of_brittle["test_total_of"], json!([]));
    // Unsound, by the true test.
    assert_eq!(of_brittle["test_code"], json!([]));
    assert_eq!(planted.objections("plain")["test_withdraw"], json!([]));
    let compared = planted.out(&["compare", "plain", "brittle", "--json"]);
    let compared: Value = serde_json::from_str(&compared).expect("it is JSON");
    let shares = &compared["outcomes"]["brittle"];
    let any = &shares["any"];
    let counts = (&any["n"], &any["only_a"], &any["only_b"]);
    assert_eq!(counts, (&json!(3), &json!(0), &json!(1)), "{shares}");
    // Only those that both were held against, and none that is unsound.
    assert_eq!(shares["message"]["n"], json!(1), "{shares}");
    let table = planted.out(&["compare", "plain", "brittle"]);
    assert!(table.contains("brittle: message"), "{table}");
}
