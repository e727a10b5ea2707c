//! Unstable tests, planted in a project of each language: each is found with its reason, and no other test is called
//! unstable.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set. The effects of a busy machine are left out, because they are never the
//! same.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::{self, run_with};

/// All shakes but `load`, which would slow down everything that runs beside these tests.
const SHAKES: &str = "nothing,alone,order,hash,zone,locale,date,folder,environment,port";

/// Shakes the true tests of a project as a run, and compares the reason of each test that is unstable.
fn check((cache, place): (&Path, &Path), path: &Path, truth: &str, expected: &[(&str, &str)]) {
    let said = |arguments: &[&str]| run_with(cache, place, (arguments, "")).success();
    let path = path.to_str().expect("our paths are text");
    said(&["mine", path, "--name", "shaky"]);
    let arguments = ["execute", "--truth", "--shake", SHAKES, "--json"];
    let report = said(&arguments).lines().remove(0);
    let n_tests = report["stability"]["tests"].as_u64().expect("a number");
    assert_eq!(report["stability"]["now"], json!(n_tests), "{report}");
    assert_eq!(report["stability"]["unsettled"], json!(0), "{report}");

    let samples = said(&["export", "--all"]).lines();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let names = samples
        .iter()
        .map(|sample| (text(&sample["key"]), text(&sample["test"]["method"])));
    let names: BTreeMap<String, String> = names.collect();
    let outcomes = said(&["export", "--format", "outcomes", "--run", truth]).lines();
    let unstable = outcomes
        .iter()
        .filter(|outcome| !outcome["unstable"].is_null());
    let found: BTreeMap<&str, &str> = unstable
        .map(|value| {
            let name = names[&text(&value["sample"])].as_str();
            (
                name,
                value["unstable"]["reason"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    let expected: BTreeMap<&str, &str> = expected.iter().copied().collect();
    assert_eq!(found, expected);

    // Nothing is done again, and whoever asks for what is stable gets the others.
    let again = said(&arguments).lines().remove(0);
    assert_eq!(again["stability"]["now"], json!(0), "{again}");
    assert_eq!(again["stability"]["kept"], json!(n_tests), "{again}");
    let stable = said(&["export", "--all", "--stable"]);
    assert_eq!(stable.lines().len(), samples.len() - expected.len());
    let left_out = format!("{} samples were left out: unstable by", expected.len());
    assert!(stable.err.contains(&left_out), "{}", stable.err);
    let of_zone = said(&["export", "--all", "--stable=zone"]);
    assert_eq!(of_zone.lines().len(), samples.len() - 1);
    let listed = |filter: &str| said(&["results", truth, filter, "--json"]).lines().len();
    assert_eq!(listed("unstable:yes"), expected.len());
    let of_zone = said(&["results", truth, "unstable:zone", "--json"]).lines();
    assert_eq!(of_zone.len(), 1);
    assert_eq!(of_zone[0]["ran"]["unstable"]["reason"], "zone");
    let table = said(&["results", truth, "unstable:zone"]).out;
    assert!(table.contains("unstable: zone"), "{table}");
    check_is_told(&said, (truth, n_tests), expected.len());
}

/// Checks that lists of samples and runs, a single sample, and a comparison show which tests are unstable.
fn check_is_told(
    said: &dyn Fn(&[&str]) -> python::Said,
    (truth, n_tests): (&str, u64),
    n_unstable: usize,
) {
    let samples = |filter: &str| said(&["samples", filter, "--json"]).lines();
    assert_eq!(samples("unstable:yes").len(), n_unstable);
    let n_stable = n_tests as usize - n_unstable;
    assert_eq!(samples("unstable:no").len(), n_stable);
    assert!(
        samples("unstable:none")
            .iter()
            .all(|sample| sample["unstable"].is_null())
    );
    let of_zone = samples("unstable:zone");
    assert_eq!(of_zone.len(), 1);
    assert_eq!(of_zone[0]["unstable"]["reason"], "zone");
    let table = said(&["samples", "unstable:zone"]).out;
    assert!(
        table.contains("unstable") && table.contains("zone"),
        "{table}"
    );
    let key = of_zone[0]["key"].as_str().unwrap_or_default();
    let shown = said(&["show", key]).out;
    assert!(shown.contains("\nunstable: zone\n"), "{shown}");
    let shown = said(&["show", key, "--json"]).out;
    let shown: Value = serde_json::from_str(&shown).expect("it is JSON");
    assert_eq!(shown["unstable"]["reason"], "zone");

    let run = said(&["runs", truth, "--format", "json"]).lines().remove(0);
    let told = &run["executed"]["stability"];
    assert_eq!(told["tests"], json!(n_tests), "{run}");
    assert_eq!(told["n_unstable"], json!(n_unstable), "{run}");
    assert_eq!(told["unstable"]["zone"], json!(1), "{run}");
    let head = said(&["runs", truth, "--format", "csv"]).out;
    let head = head.lines().next().unwrap_or_default().to_owned();
    assert!(head.contains(",unstable,shaken"), "{head}");
}

#[test]
fn planted_unstable_python_tests_are_found_with_their_reasons() {
    if !python::has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/shaky");
    let expected = [
        ("test_needs_what_another_leaves", "alone"),
        ("test_comes_before_another", "order"),
        ("test_random", "nothing"),
        ("test_hash", "hash"),
        ("test_zone", "zone"),
        ("test_locale", "locale"),
        ("test_date", "date"),
        ("test_temporary_folder", "folder"),
        ("test_working_folder", "folder"),
        ("test_environment", "environment"),
        ("test_port_after", "port"),
    ];
    check(
        (&python::cache(), place.path()),
        &fixture,
        "truth-python",
        &expected,
    );
}

#[test]
fn planted_unstable_java_tests_are_found_with_their_reasons() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let expected = [
        ("needsWhatAnotherLeaves", "alone"),
        ("comesBeforeAnother", "order"),
        ("random", "nothing"),
        ("hash", "hash"),
        ("zone", "zone"),
        ("locale", "locale"),
        ("date", "date"),
        ("temporaryFolder", "folder"),
        ("workingFolder", "folder"),
        ("environment", "environment"),
        ("port", "port"),
    ];
    let cache = prepare::cache();
    check(
        (&cache, place.path()),
        &project("shaky"),
        "truth",
        &expected,
    );
}
