//! Several tests of one function, and several possible focal methods of one test: which tests run on which mutants, and
//! what is reported.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::python::{Said, has_tools, run};
use crate::support::text;

const TRUTH: &str = "truth-python";

/// A workspace with the project.
struct Mined {
    place: tempfile::TempDir,
}

impl Mined {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("a folder can be made");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/several");
        let path = path.to_str().expect("our paths are text");
        run(place.path(), &["mine", path, "--name", "several"], "").success();
        Self { place }
    }

    fn said(&self, arguments: &[&str]) -> Said {
        run(self.place.path(), arguments, "")
    }

    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        self.said(arguments).success().lines()
    }

    /// Returns the keys of samples by the names of their tests.
    fn keys(&self) -> BTreeMap<String, String> {
        let samples = self.lines(&["export", "--all"]);
        let keys = samples.iter();
        let keys = keys.map(|value| (text(&value["test"]["method"]), text(&value["key"])));
        keys.collect()
    }

    /// Runs the true tests of `bounded` on mutants, and returns the report.
    fn faults(&self, more: &[&str]) -> Value {
        let asked = ["execute", "--truth", "--faults", "--json"];
        let asked = [&asked[..], &["--filter", "test:bounded"], more].concat();
        self.lines(&asked).remove(0)["faults"].take()
    }

    /// Returns the outcome of each pair, by sample and mutant.
    fn outcomes(&self) -> BTreeMap<(String, String), String> {
        let pairs = self.lines(&["export", "--format", "mutants", "--run", TRUTH]);
        let pairs = pairs.iter().map(|value| {
            let pair = (text(&value["sample"]), text(&value["mutant"]["id"]));
            (pair, text(&value["outcome"]))
        });
        pairs.collect()
    }
}

fn is_killed(outcome: &str) -> bool {
    outcome.starts_with("killed")
}

#[test]
fn a_mutant_that_one_test_notices_is_spared_the_others_and_they_have_no_score() {
    if !has_tools() {
        return;
    }
    let mined = Mined::new();
    let matrix = mined.faults(&[]);
    let all = mined.outcomes();
    assert_eq!(
        (&matrix["held"], &matrix["partial"]),
        (&json!(3), &json!(0))
    );

    let first = mined.faults(&["--first-kill", "--force"]);
    let some = mined.outcomes();
    assert_eq!(first["together"], matrix["together"], "{first}");
    assert_eq!(first["spared"], json!(all.len() - some.len()));
    assert!(some.len() < all.len(), "{some:?}");
    assert!(some.iter().all(|(pair, outcome)| all[pair] == *outcome));
    let mut killed = BTreeSet::new();
    for ((_, mutant), outcome) in &some {
        assert!(!is_killed(outcome) || killed.insert(mutant), "{mutant}");
    }
    // Nobody was left out but for a reason.
    for ((_, mutant), _) in all.iter().filter(|entry| !some.contains_key(entry.0)) {
        assert!(killed.contains(mutant), "{mutant}");
    }

    let mut n_pairs: BTreeMap<&String, usize> = BTreeMap::new();
    for (sample, _) in some.keys() {
        *n_pairs.entry(sample).or_default() += 1;
    }
    let n_mutants = all.len() / 3;
    let mut n_scored = 0;
    for row in mined.lines(&["results", TRUTH, "test:bounded", "--json", "--limit", "0"]) {
        let n = n_pairs
            .get(&text(&row["sample"]))
            .copied()
            .unwrap_or_default();
        assert_eq!(row["faults"].is_object(), n == n_mutants, "{row}");
        n_scored += u64::from(n == n_mutants);
    }
    assert_eq!(first["held"], json!(n_scored), "{first}");
    assert_eq!(first["partial"], json!(3 - n_scored), "{first}");
    let scored = mined.lines(&["samples", "mutation>=0", "--json", "--limit", "0"]);
    assert_eq!(json!(scored.len()), json!(n_scored));

    // What is kept stays, and is done again where the test is gone that others were spared for.
    assert_eq!(mined.faults(&["--first-kill"])["now"], json!(0));
    let again = ["execute", "--truth", "--force", "--filter", "test:bounded"];
    let of_first = mined.keys()["test_bounded"].clone();
    let is_of_first =
        |entry: &((String, String), String)| entry.0.0 == of_first && is_killed(&entry.1);
    assert!(some.clone().into_iter().any(|entry| is_of_first(&entry)));
    let only = ["text:\"bounded(5, 1, 9)\""];
    mined.said(&[&again[..4], &only].concat()).success();
    let repaired = mined.faults(&["--first-kill"]);
    assert_eq!(repaired["together"], matrix["together"], "{repaired}");
    let now = repaired["now"].as_u64().unwrap_or_default();
    assert!(now > 1, "{repaired}");

    let whole = mined.faults(&["--matrix"]);
    assert_eq!(mined.outcomes(), all);
    assert_eq!(whole["mutation"], matrix["mutation"]);
    let wrong = ["execute", "--truth", "--faults", "--first-kill"];
    let wrong = mined.said(&[&wrong[..], &["--pool", TRUTH]].concat());
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
}

#[test]
fn each_method_that_a_test_may_be_about_has_its_share_of_noticed_faults() {
    if !has_tools() {
        return;
    }
    let mined = Mined::new();
    let nothing = mined.said(&["faults", "--candidates"]);
    assert_eq!(nothing.code, Some(1), "{}", nothing.err);
    let hint = "execute --truth --faults --candidates";
    assert!(nothing.err.contains(hint), "{}", nothing.err);

    let asked = ["execute", "--truth", "--faults", "--candidates", "--json"];
    let asked = |more: &[&str]| {
        let asked = [&asked[..], more].concat();
        mined.lines(&asked).remove(0)["faults"].take()
    };
    mined.said(&["execute", "--truth"]).success();
    let dry = asked(&["--dry-run"]);
    let report = asked(&[]);
    assert_eq!(report["scope"], json!("candidates"), "{report}");
    assert_eq!((&report["now"], &report["held"]), (&json!(5), &json!(5)));
    for field in ["methods", "mutants"] {
        assert_eq!(dry[field], report[field], "{field}");
    }
    let again = asked(&[]);
    assert_eq!((&again["now"], &again["kept"]), (&json!(0), &json!(5)));

    // Nothing of it is in a number of a test.
    assert!(mined.outcomes().is_empty());
    let scored = ["samples", "mutation>=0", "--json", "--limit", "0"];
    assert!(mined.lines(&scored).is_empty());
    let results = ["results", TRUTH, "--json", "--limit", "0"];
    for row in mined.lines(&results) {
        assert_eq!(row["faults"], Value::Null, "{row}");
    }

    let lines = mined.lines(&["faults", "--candidates", "--json"]);
    let keys = mined.keys();
    let of = |test: &str| -> Vec<&Value> {
        let lines = lines.iter();
        lines
            .filter(|line| line["sample"] == json!(keys[test]))
            .collect()
    };
    // What is not mapped is not a true test of a sample.
    let mapped = keys.keys().filter(|key| *key != "test_it");
    let mapped: Vec<Vec<&Value>> = mapped.map(|mapped| of(mapped)).collect();
    assert_eq!(mapped.iter().map(Vec::len).sum::<usize>(), lines.len());
    shares_and_ranks(&mapped);
    let one = |test: &str, method: &str| -> &Value {
        let name = json!(format!("several.cart.{method}"));
        let mut found = of(test)
            .into_iter()
            .filter(|value| value["candidate"] == name);
        found.next().unwrap_or_else(|| panic!("{test} {method}"))
    };
    // `None` for the length is noticed by the assertion, the length of `None` is an error.
    let size = one("test_add", "Cart#size()");
    let counts = ["viable", "by_assertion", "detected"].map(|text| size[text].as_u64());
    assert_eq!(counts, [Some(2), Some(1), Some(2)], "{size}");
    assert_eq!((&size["share"], &size["rank"]), (&json!(0.5), &json!(1)));
    assert_eq!(size["only_there"], json!(0.5));
    // It has a fault that the test notices, and is the focal one no more for that.
    assert_eq!(size["is_focal"], json!(false));
    let close = one("test_add_all", "Cart#close()");
    let nothing = ["share", "rank", "only_there"].map(|text| &close[text]);
    assert_eq!(nothing, [&Value::Null; 3], "{close}");
    let add = one("test_add_all", "Cart#add()");
    assert_eq!(add["callers"], json!(["several.cart.Cart#add_all()"]));
    assert!(
        add["share"].is_number() && add["only_there"].is_null(),
        "{add}"
    );
    let add = one("test_add", "Cart#add()");
    assert_eq!(
        (&add["callers"], &add["share"]),
        (&json!([]), &add["only_there"])
    );

    let key = keys["test_add_all"].as_str();
    let table = mined.said(&["faults", key, "--candidates"]).success().out;
    assert!(table.contains("▶  several.cart.Cart#add_all()"), "{table}");
    assert!(table.contains("none viable"), "{table}");
    assert!(!table.contains("bounded"), "{table}");

    // What the test makes of its focal method is the same in both.
    mined.lines(&["execute", "--truth", "--faults", "--json"]);
    for row in mined.lines(&results) {
        let mut focal = lines.iter().filter(|line| line["sample"] == row["sample"]);
        let focal = focal.find(|value| value["is_focal"] == json!(true));
        let focal = focal.expect("it has one");
        for field in ["viable", "covered", "detected", "by_assertion"] {
            assert_eq!(focal[field], row["faults"][field], "{row}");
        }
    }
    assert_eq!(mined.lines(&["faults", "--candidates", "--json"]), lines);
    // What runs again loses them.
    let execute = ["execute", "--truth", "--force"];
    mined.said(&execute).success();
    let gone = mined.said(&["faults", "--candidates"]);
    assert_eq!(gone.code, Some(1), "{}", gone.out);
    for wrong in [
        &["execute", TRUTH, "--faults", "--candidates"][..],
        &["execute", "--truth", "--candidates"],
        &[
            "execute",
            "--truth",
            "--faults",
            "--candidates",
            "--first-kill",
        ],
        &["faults"],
    ] {
        assert_eq!(mined.said(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_test_without_a_focal_method_is_held_against_faults_of_its_candidates_too() {
    if !has_tools() {
        return;
    }
    let mined = Mined::new();
    let unmapped = ["samples", "status:abstained", "--json"];
    let unmapped = mined.lines(&unmapped);
    let names: Vec<&Value> = unmapped.iter().map(|value| &value["test"]).collect();
    assert_eq!(names, [&json!("test_it")]);
    let key = text(&unmapped[0]["key"]);
    let asked = ["execute", "--traces", "--faults", "--candidates", "--json"];
    let report = mined.lines(&asked).remove(0);
    assert_eq!(report["faults"]["held"], json!(6), "{report}");
    let lines = mined.lines(&["faults", &key, "--candidates", "--json"]);
    let picked = lines.iter().filter(|line| line["is_focal"] == json!(true));
    assert_eq!(picked.count(), 0);
    let mut found = lines.iter().map(|line| {
        let number = |field: &str| line[field].as_u64().unwrap_or_default();
        (text(&line["candidate"]), number("viable"))
    });
    let total = found.find(|pair| pair.0 == "several.cart.Cart#total()");
    assert_eq!(total.map(|total| total.1), Some(5), "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| line["run"] == json!("traces-python"))
    );
    // There is no focal method that faults could be in.
    let wrong = mined.said(&["execute", "--traces", "--faults"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    assert!(wrong.err.contains("--faults --candidates"), "{}", wrong.err);
}

/// Checks the shares of tests, and that the ranks follow their order.
fn shares_and_ranks(tests: &[Vec<&Value>]) {
    for candidates in tests {
        assert!(!candidates.is_empty());
        for candidate in candidates {
            let number = |field: &str| candidate[field].as_f64().unwrap_or_default();
            let share = (number("by_assertion") + 1.0) / (number("viable") + 2.0);
            let is_viable = number("viable") > 0.0;
            assert_eq!(
                candidate["share"].as_f64(),
                is_viable.then_some(share),
                "{candidate}"
            );
            let better = candidates.iter().filter(|other| {
                let other = other["share"].as_f64();
                other.is_some_and(|other| other > share)
            });
            let rank = 1 + better.count() as u64;
            assert_eq!(
                candidate["rank"].as_u64(),
                is_viable.then_some(rank),
                "{candidate}"
            );
        }
    }
}
