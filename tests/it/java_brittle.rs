//! Tests that object to code that keeps the contract, planted in a Java project: each is found with what it objects to, and no
//! other one objects.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::run_with;

#[test]
fn planted_brittle_java_tests_are_found_with_what_they_object_to() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let cache = prepare::cache();
    let said = |arguments: &[&str]| run_with(&cache, place.path(), (arguments, "")).success();
    let path = project("brittle");
    let path = path.to_str().expect("our paths are text");
    said(&["mine", path, "--name", "brittle"]);
    let asked = ["execute", "--truth", "--brittle", "--json"];
    let report = said(&asked).lines().remove(0);
    let told = &report["brittle"];
    let counts = (&told["now"], &told["unsettled"], &told["failed"]);
    assert_eq!(counts, (&json!(7), &json!(0), &json!(0)), "{report}");
    let notes = json!(["`private`, `locals` and `order` are not applied in Java"]);
    assert_eq!(told["notes"], notes);

    let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let samples = said(&["export", "--all"]).lines();
    let names = samples.iter();
    let names = names.map(|it| (text(&it["key"]), text(&it["test"]["method"])));
    let names: BTreeMap<String, String> = names.collect();
    let outcomes = said(&["export", "--format", "outcomes", "--run", "truth"]).lines();
    let found = outcomes.iter();
    let found = found.map(|it| (names[&text(&it["sample"])].as_str(), it["brittle"].clone()));
    let found: BTreeMap<&str, Value> = found.collect();
    let expected: BTreeMap<&str, Value> = [
        ("withdrawSays", json!(["message"])),
        ("withdrawRefuses", json!([])),
        ("announcePrints", json!(["log"])),
        ("announceReturns", json!([])),
        ("recordLogs", json!(["log"])),
        ("settleCounts", json!([])),
        // Its method asks for the length of its own message.
        ("codeCounts", json!([])),
    ]
    .into();
    assert_eq!(found, expected);
    let by_variant = json!({
        "message": {"objecting": 1, "held": 3},
        "log": {"objecting": 2, "held": 4},
    });
    assert_eq!(told["by_variant"], by_variant, "{told}");
    let unsound = told["unsound"].as_array().expect("a list");
    assert_eq!(unsound.len(), 1, "{unsound:?}");

    let again = said(&asked).lines().remove(0);
    assert_eq!(again["brittle"]["kept"], json!(7), "{again}");
    assert_eq!(again["brittle"]["by_variant"], by_variant);
    let listed = said(&["samples", "brittle:log", "--json"]).lines();
    assert_eq!(listed.len(), 2);
}
