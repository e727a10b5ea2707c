//! Several tests of one Java method, and several possible focal methods of one test: which tests run on which mutants,
//! and what is reported.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::run_with;
use crate::support::text;

#[test]
fn java_tests_are_spared_what_others_notice_and_their_candidates_have_shares() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let cache = prepare::cache();
    let said = |arguments: &[&str]| run_with(&cache, place.path(), (arguments, "")).success();
    let path = project("basket");
    let path = path.to_str().expect("our paths are text");
    said(&["mine", path, "--name", "basket"]);

    let faults = |more: &[&str]| {
        let asked = ["execute", "--truth", "--faults", "--json"];
        let asked = [&asked[..], more].concat();
        said(&asked).lines().remove(0)["faults"].take()
    };
    let outcomes = || -> BTreeMap<(String, String), String> {
        let pairs = said(&["export", "--format", "mutants", "--run", "truth"]).lines();
        let pairs = pairs.iter().map(|value| {
            let pair = (text(&value["sample"]), text(&value["mutant"]["id"]));
            (pair, text(&value["outcome"]))
        });
        pairs.collect()
    };
    let first = faults(&["--first-kill"]);
    let some = outcomes();
    let results = ["results", "truth", "--json", "--limit", "0"];
    let n_scored = said(&results).lines().into_iter();
    let n_scored = n_scored.filter(|value| value["faults"].is_object()).count();
    let matrix = faults(&[]);
    let all = outcomes();
    assert_eq!(first["together"], matrix["together"], "{first}");
    assert_eq!(first["spared"], json!(all.len() - some.len()));
    assert!(some.len() < all.len(), "{some:?}");
    assert!(some.iter().all(|(pair, outcome)| all[pair] == *outcome));
    let killed = some.iter().filter(|some| some.1.starts_with("killed"));
    let killed: Vec<&String> = killed.map(|killed| &killed.0.1).collect();
    let once: BTreeSet<&&String> = killed.iter().collect();
    assert_eq!(killed.len(), once.len());
    assert_eq!(first["held"], json!(n_scored));
    assert_eq!(
        (&matrix["held"], &matrix["partial"]),
        (&json!(5), &json!(0))
    );

    let report = faults(&["--candidates"]);
    let counts = (&report["held"], &report["failed"], &report["unsettled"]);
    assert_eq!(counts, (&json!(5), &json!(0), &json!(0)), "{report}");
    let lines = said(&["faults", "--candidates", "--json"]).lines();
    for row in said(&results).lines() {
        let mut focal = lines.iter().filter(|line| line["sample"] == row["sample"]);
        let focal = focal.find(|value| value["is_focal"] == json!(true));
        let focal = focal.expect("it has one");
        for field in ["viable", "covered", "detected", "by_assertion"] {
            assert_eq!(focal[field], row["faults"][field], "{row}");
        }
    }
    let samples = said(&["export", "--all"]).lines();
    let of_add_all = samples
        .iter()
        .find(|sample| sample["test"]["method"] == json!("addAll"));
    let key = &of_add_all.expect("it was mined")["key"];
    let one = |method: &str| -> &Value {
        let mut found = lines.iter().filter(|line| line["sample"] == *key);
        let found = found.find(|value| value["candidate"] == json!(method));
        found.unwrap_or_else(|| panic!("{method}: {lines:?}"))
    };
    // A method of another class, whose result the assertion checks.
    let total = one("p.Tally#total()");
    assert_eq!(
        (&total["viable"], &total["by_assertion"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(total["only_there"], total["share"]);
    assert_eq!(
        one("p.Basket#add(int)")["callers"],
        json!(["p.Basket#addAll(int[])"])
    );
    assert_eq!(one("p.Basket#add(int)")["only_there"], Value::Null);
    let close = one("p.Basket#close()");
    assert_eq!(
        (&close["viable"], &close["share"]),
        (&json!(0), &Value::Null)
    );
}
