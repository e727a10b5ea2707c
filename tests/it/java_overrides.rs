//! Tests of a Java method without code: they run on mutants of the methods that they entered in its place.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::prepare::{self, TURN, project};
use crate::python::run_with;
use crate::support::text;

const BAR: &str = "p.Shape$Bar";
const SQUARE: &str = "p.Shape$Square";

#[test]
fn a_method_without_code_has_the_mutants_of_what_each_test_entered_in_its_place() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let cache = prepare::cache();
    let said = |arguments: &[&str]| run_with(&cache, place.path(), (arguments, "")).success();
    let path = project("shapes");
    said(&[
        "mine",
        path.to_str().expect("our paths are text"),
        "--name",
        "shapes",
    ]);
    let samples = said(&["export", "--all"]).lines();
    let names: BTreeMap<String, String> = samples
        .iter()
        .map(|sample| (text(&sample["key"]), text(&sample["test"]["method"])))
        .collect();

    let faults = |more: &[&str]| {
        let asked = ["execute", "--truth", "--faults", "--json"];
        let asked = [&asked[..], more].concat();
        said(&asked).lines().remove(0)["faults"].take()
    };
    let report = faults(&[]);
    let counts = (&report["held"], &report["without_mutants"]);
    assert_eq!(counts, (&json!(4), &json!(1)), "{report}");
    // One of each class.
    assert_eq!(report["methods"], json!(2), "{report}");

    let pairs = said(&["export", "--format", "mutants", "--run", "truth"]).lines();
    let mut found: BTreeMap<&str, BTreeSet<(String, String, String)>> = BTreeMap::new();
    for pair in &pairs {
        let of_test = found.entry(&names[pair["sample"].as_str().expect("it is a text")]);
        let mutant = &pair["mutant"];
        let mutator = text(&mutant["mutator"]);
        let mutator = mutator.rsplit('.').next().unwrap_or_default().to_owned();
        of_test
            .or_default()
            .insert((text(&mutant["class"]), mutator, text(&pair["outcome"])));
    }
    let of = |class: &str, outcomes: [&str; 2]| {
        let mutators = ["MathMutator", "PrimitiveReturnsMutator"];
        let rows = mutators.into_iter().zip(outcomes);
        let rows = rows.map(|row| (class.to_owned(), row.0.to_owned(), row.1.to_owned()));
        rows.collect::<Vec<_>>()
    };
    let both = ["killed_by_assertion"; 2];
    let expected = BTreeMap::from([
        ("areaOfSquare", of(SQUARE, both)),
        ("areaOfBar", of(BAR, ["survived", "killed_by_assertion"])),
        ("areaOfBoth", [of(SQUARE, both), of(BAR, both)].concat()),
    ]);
    let expected = expected
        .into_iter()
        .map(|(test, rows)| (test, rows.into_iter().collect()));
    assert_eq!(found, expected.collect());

    let again = faults(&[]);
    let done = (&again["now"], &again["kept"]);
    assert_eq!(done, (&json!(0), &json!(4)), "{again}");
    let dry = said(&["execute", "--truth", "--faults", "--dry-run"]).out;
    assert!(dry.contains("in 2 focal methods"), "{dry}");
}
