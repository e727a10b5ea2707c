//! The numbers about mutants in lists, filters and files are those of the pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use focalist::model::{ContentHash, EventKind, SampleKey};
use focalist::store::{StoreAccess, Verdicts};
use serde_json::{Value, json};

use crate::python::{has_tools, run};
use crate::python_faults::{mined, pairs};
use crate::support::text;

/// The filter for the project's harmless tests.
const ONLY: &str = "test:refuse or test:build or test:never or test:make_adder or test:cached";

/// The numbers of a test's mutants that were noticed, covered, and viable.
type Counts = [u64; 3];

/// Counts the pairs of each sample.
fn counted(pairs: &[Value]) -> BTreeMap<String, Counts> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for pair in pairs {
        let outcome = text(&pair["outcome"]);
        let of = counts.entry(text(&pair["sample"])).or_default();
        let is_detected =
            outcome.starts_with("killed") || matches!(&*outcome, "timed_out" | "out_of_memory");
        let is_covered = is_detected || outcome == "survived";
        of[0] += u64::from(is_detected);
        of[1] += u64::from(is_covered);
        of[2] += u64::from(is_covered || outcome == "not_covered");
    }
    counts
}

fn score([detected, _, viable]: Counts) -> f64 {
    detected as f64 / viable as f64
}

/// Returns the keys that a command lists.
fn keys(place: &Path, arguments: &[&str], field: &str) -> BTreeSet<String> {
    let lines = run(place, arguments, "").success().lines();
    lines.iter().map(|line| text(&line[field])).collect()
}

#[test]
fn numbers_in_lists_filters_and_files_are_those_of_the_pairs() {
    if !has_tools() {
        return;
    }
    let (folder, _) = mined();
    let place = folder.path();
    let execute = ["execute", "--truth", "--faults", "--filter", ONLY, "--json"];
    let asked = |more: &[&str]| {
        let arguments = [&execute[..], more].concat();
        run(place, &arguments, "").success().lines().remove(0)
    };
    asked(&[]);
    let pairs = pairs(&folder);
    let counts = counted(&pairs);
    assert!(counts.len() >= 4, "{counts:?}");
    let with = |is_so: &dyn Fn(Counts) -> bool| -> BTreeSet<String> {
        let such = counts.iter().filter(|(_, counts)| is_so(**counts));
        such.map(|(key, _)| key.clone()).collect()
    };

    // Each row of the run.
    let rows = ["results", "truth-python", "--json", "--limit", "0"];
    for row in run(place, &rows, "").success().lines() {
        // A method without mutants has counts that are nought.
        let told = ["detected", "covered", "viable"].map(|text| row["faults"][text].as_u64());
        let expected = counts
            .get(&text(&row["sample"]))
            .copied()
            .unwrap_or_default();
        assert_eq!(told.map(Option::unwrap_or_default), expected, "{row}");
    }
    let grades = run(place, &["runs", "truth-python", "--grades", "--json"], "").success();
    let grades = &grades.lines()[0]["grades"][0];
    let scores = counts
        .values()
        .filter(|value| value[2] > 0)
        .map(|value| score(*value));
    let scores: Vec<f64> = scores.collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert_eq!(grades["mutation"]["n"], json!(scores.len()));
    let graded = grades["mutation"]["value"].as_f64();
    assert!(
        (graded.unwrap_or_default() - mean).abs() < 1e-12,
        "{grades}"
    );
    assert_eq!(grades["passing"]["value"], json!(1.0), "{grades}");
    assert_eq!(grades["brittle"], Value::Null);
    let listed = |filter: &str| {
        keys(
            place,
            &["results", "truth-python", filter, "--json", "--limit", "0"],
            "sample",
        )
    };
    assert_eq!(listed("mutation>=0.5"), with(&|items| score(items) >= 0.5));
    assert_eq!(
        listed("strength<1"),
        with(&|items| items[1] > 0 && items[0] < items[1])
    );
    let table = run(place, &["results", "truth-python", "sort:-mutation"], "").success();
    assert!(
        table.out.contains("mutation") && table.out.contains("strength"),
        "{}",
        table.out
    );

    // The true tests of samples.
    let samples = |filter: &str| keys(place, &["samples", filter, "--json", "--limit", "0"], "key");
    assert_eq!(
        samples("mutation:0 ran>=passing"),
        with(&|items| items[0] == 0)
    );
    let some = with(&|items| score(items) < 0.75);
    assert!(!some.is_empty() && some.len() < counts.len(), "{counts:?}");
    assert_eq!(samples("mutation<0.75 ran>=passing"), some);
    assert_eq!(samples("mutation>0"), with(&|items| items[0] > 0));
    let all = samples("test:test");
    let unrun = samples("ran:none test:test");
    assert_eq!(
        samples("-ran:none test:test").len() + unrun.len(),
        all.len()
    );
    let scored = with(&|items| items[2] > 0).len();
    assert_eq!(samples("-mutation>=0 test:test").len() + scored, all.len());
    let export = ["export", "--all", "--min-mutation", "0.5"];
    assert_eq!(
        keys(place, &export, "key"),
        with(&|items| score(items) >= 0.5)
    );

    // Minimal sets, and the figures of PIT.
    let pooled = asked(&["--pool", "truth-python", "--pit-score"]);
    let subsuming = &pooled["faults"]["subsuming"];
    let mutants: BTreeSet<String> = pairs
        .iter()
        .map(|pair| text(&pair["mutant"]["id"]))
        .collect();
    assert_eq!(subsuming["mutants"], json!(mutants.len()));
    assert_eq!(pooled["faults"]["pit"]["mutants"], json!(mutants.len()));
    let minimal = subsuming["minimal"].as_u64().expect("it is a number");
    assert!(minimal > 0 && minimal < mutants.len() as u64, "{subsuming}");
    // One test per method: the set's test notices all its mutants.
    assert_eq!(subsuming["mutation"], json!(1.0), "{subsuming}");
    let again = asked(&["--pool", "truth-python"]);
    assert_eq!(again["faults"]["subsuming"]["hash"], subsuming["hash"]);
    let wrong = run(
        place,
        &["execute", "--truth", "--faults", "--pool", "nobody"],
        "",
    );
    assert!(wrong.err.contains("no run `nobody`"), "{}", wrong.err);

    reports(place, &pairs);
    marks(&folder, &pairs);
}

/// Marks a surviving mutant and a killed one as equivalent, and checks where the marks are shown, and which numbers
/// change.
fn marks(folder: &tempfile::TempDir, before: &[Value]) {
    let place = folder.path();
    let of = |outcome: &str| {
        let found = before
            .iter()
            .find(|value| text(&value["outcome"]).starts_with(outcome));
        found.expect("there is one")
    };
    let (survivor, killed) = (of("survived"), of("killed"));
    let said = [survivor, killed].map(|pair| EventKind::Equivalent {
        key: SampleKey::parse(&text(&pair["sample"])).expect("it is a key"),
        mutant: ContentHash::parse(&text(&pair["mutant"]["id"])).expect("it is a hash"),
    });
    let mut verdicts = Verdicts::open(&place.join(".focalist"), StoreAccess::Create);
    let verdicts = verdicts.as_mut().expect("the file opens");
    let events = verdicts.append("ada", 1, said.to_vec());
    events.expect("events are added");

    for pair in pairs(folder) {
        let is_marked = pair["mutant"]["id"] == survivor["mutant"]["id"];
        let by = if is_marked { json!(["ada"]) } else { json!([]) };
        assert_eq!(pair["equivalent_by"], by, "{pair}");
    }
    let shown = |pair: &Value| {
        run(place, &["faults", &text(&pair["sample"])], "")
            .success()
            .out
    };
    let marked = "marked as equivalent by ada\n";
    assert!(shown(survivor).contains(marked), "{}", shown(survivor));
    let refuted = "marked as equivalent by ada, but a test kills it, so it counts\n";
    assert!(shown(killed).contains(refuted), "{}", shown(killed));

    let viable = |sample: &Value| {
        let pairs = before.iter().filter(|value| value["sample"] == *sample);
        let is_viable =
            |value: &&Value| !matches!(&*text(&value["outcome"]), "not_viable" | "unstable");
        pairs.filter(is_viable).count()
    };
    let rows = ["results", "truth-python", "--json", "--limit", "0"];
    let rows = run(place, &rows, "").success().lines();
    let row = rows.iter().find(|row| row["sample"] == survivor["sample"]);
    let faults = &row.expect("it is listed")["faults"];
    assert_eq!(faults["equivalent"], json!(1), "{faults}");
    assert_eq!(
        faults["viable"],
        json!(viable(&survivor["sample"]) - 1),
        "{faults}"
    );
    let n_marked: u64 = rows
        .iter()
        .filter_map(|row| row["faults"]["equivalent"].as_u64())
        .sum();
    assert_eq!(n_marked, 1);
    let table = run(place, &["results", "truth-python"], "").success().out;
    assert!(table.contains(", 1 marked"), "{table}");
    let execute = ["execute", "--truth", "--faults", "--filter", ONLY];
    let said = run(place, &execute, "").success().out;
    assert!(
        said.contains("1 mutant marked as equivalent: in none of these shares"),
        "{said}"
    );

    let arguments = [
        "export",
        "--format",
        "mutation-report",
        "--run",
        "truth-python",
    ];
    let report = run(place, &arguments, "").success().out;
    check_schema(place, &report);
    let told: Value = serde_json::from_str(&report).expect("it is JSON");
    let files = told["files"].as_object().expect("there are files").values();
    let mutants = files
        .filter_map(|file| file["mutants"].as_array())
        .flatten();
    let because = json!("marked as equivalent by ada");
    let ignored: Vec<&Value> = mutants
        .filter(|mutant| mutant["statusReason"] == because)
        .collect();
    assert_eq!(ignored.len(), 1);
    assert_eq!(ignored[0]["id"], survivor["mutant"]["id"]);
    assert_eq!(ignored[0]["status"], json!("Ignored"));
}

/// Checks the reports for other tools.
fn reports(place: &Path, pairs: &[Value]) {
    let export = |format: &str| {
        let arguments = ["export", "--format", format, "--run", "truth-python"];
        run(place, &arguments, "").success().out
    };
    let report = export("mutation-report");
    let told: Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(told["schemaVersion"], json!("2.0"));
    let files = told["files"].as_object().expect("there are files");
    let by_id: BTreeMap<String, &Value> = files
        .values()
        .filter_map(|file| file["mutants"].as_array())
        .flatten()
        .map(|mutant| (text(&mutant["id"]), mutant))
        .collect();
    for pair in pairs {
        let mutant = by_id[&text(&pair["mutant"]["id"])];
        assert_eq!(
            mutant["location"]["start"]["line"], pair["mutant"]["line"],
            "{mutant}"
        );
        let test = json!(format!("{}#{}", text(&pair["sample"]), pair["attempt"]));
        let has = |field: &str| {
            mutant[field]
                .as_array()
                .is_some_and(|values| values.contains(&test))
        };
        let outcome = text(&pair["outcome"]);
        assert_eq!(
            has("killedBy"),
            outcome.starts_with("killed"),
            "{pair} {mutant}"
        );
        assert_eq!(
            has("coveredBy"),
            outcome != "not_covered",
            "{pair} {mutant}"
        );
        let tests = told["testFiles"].as_object().expect("there are tests");
        let ids = tests
            .values()
            .filter_map(|value| value["tests"].as_array())
            .flatten();
        assert!(ids.clone().any(|id| id["id"] == test), "{test}");
    }
    check_schema(place, &report);

    for format in ["mutants", "outcomes"] {
        let path = place.join(format!("{format}.jsonl"));
        std::fs::write(&path, export(format)).expect("it can be written");
        let path = path.to_str().expect("our paths are text");
        let said = run(place, &["validate", path, "--json"], "").success();
        assert!(
            said.out.contains(&format!("\"kind\": \"{format}\"")),
            "{}",
            said.out
        );
    }
    let n_tests = export("outcomes").lines().count();
    let junit = export("junit");
    let counts = format!("tests=\"{n_tests}\" failures=\"0\" errors=\"0\"");
    assert!(junit.contains(&counts), "{junit}");
    let lcov = export("lcov");
    let (found, hit) = (
        lcov.matches("\nDA:").count(),
        lcov.matches("end_of_record").count(),
    );
    assert!(found > 0 && hit > 0, "{lcov}");
    let cobertura = export("cobertura");
    assert_eq!(cobertura.matches("<line ").count(), found, "{cobertura}");
}

/// Validates a report with the schema in the format's own package, where that is installed.
fn check_schema(place: &Path, report: &str) {
    let (Some(schema), Some(python)) = (
        env::var_os("FOCALIST_MUTATION_SCHEMA"),
        env::var_os("FOCALIST_PYTHON_DATA"),
    ) else {
        assert!(
            env::var_os("FOCALIST_NEED_TOOLS").is_none(),
            "FOCALIST_MUTATION_SCHEMA names no schema of mutation-testing-report-schema"
        );
        writeln!(io::stderr(), "skipped: FOCALIST_MUTATION_SCHEMA is not set")
            .expect("the test's output can be written");
        return;
    };
    let path = place.join("report.json");
    std::fs::write(&path, report).expect("it can be written");
    let program = "import json, sys, jsonschema\n\
                   jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))";
    let output = Command::new(python)
        .args(["-c", program])
        .arg(schema)
        .arg(path)
        .output()
        .expect("there is a Python");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
