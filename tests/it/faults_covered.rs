//! Tests on mutants of every method that they enter: which methods these are, which are sampled, and that this changes
//! none of a test's own numbers.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::{self, Said, run_with};
use crate::support::text;

/// A workspace with a project.
struct Mined {
    place: tempfile::TempDir,
    cache: PathBuf,
}

impl Mined {
    fn new(project: &Path, cache: PathBuf) -> Self {
        let place = tempfile::tempdir().expect("a folder can be made");
        let mined = Self { place, cache };
        let path = project.to_str().expect("our paths are text");
        mined.said(&["mine", path]).success();
        mined
    }

    fn said(&self, arguments: &[&str]) -> Said {
        run_with(&self.cache, self.place.path(), (arguments, ""))
    }

    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        self.said(arguments).success().lines()
    }

    /// Runs tests on mutants, and returns the report.
    fn faults(&self, run: &str, more: &[&str]) -> Value {
        let asked = ["execute", run, "--faults", "--json"];
        let asked = [&asked[..], more].concat();
        self.lines(&asked).remove(0)["faults"].take()
    }

    fn covered(&self, more: &[&str]) -> Value {
        self.faults("--truth", &[&["--scope", "covered"], more].concat())
    }

    /// Reads the stored facts about methods, by the names of tests; methods are identified by the end of their keys.
    fn methods(&self) -> BTreeMap<String, Vec<(String, Value)>> {
        let samples = self.lines(&["export", "--all"]);
        let names = samples.iter().map(|sample| {
            let name = text(&sample["test"]["method"]);
            (text(&sample["key"]), name)
        });
        let names: BTreeMap<String, String> = names.collect();
        let mut found: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
        for line in self.lines(&["faults", "--scope", "covered", "--json"]) {
            let key = text(&line["method"]);
            let of = key.rsplit('.').next().unwrap_or_default().to_owned();
            let test = names[line["sample"].as_str().expect("it has one")].clone();
            found.entry(test).or_default().push((of, line));
        }
        found
    }
}

/// Returns the names of a test's methods, in their order.
fn names(methods: &[(String, Value)]) -> Vec<&str> {
    methods.iter().map(|method| method.0.as_str()).collect()
}

/// Checks that only the first of a test's methods is focal, and that all are sampled from `n_entered`.
fn check_focal(methods: &[(String, Value)], n_entered: usize) {
    let focal: Vec<bool> = methods
        .iter()
        .map(|method| method.1["is_focal"] == json!(true))
        .collect();
    assert_eq!(focal.iter().position(|it| *it), Some(0), "{methods:?}");
    assert_eq!(
        focal.iter().filter(|focal| **focal).count(),
        1,
        "{methods:?}"
    );
    for (_, line) in methods {
        assert_eq!(line["entered"], json!(n_entered), "{line}");
    }
}

/// Checks that a test's outcomes on its focal method are the same as when only that method is mutated, and that those
/// are stored, too.
fn check_as_focal_alone(mined: &Mined, methods: &BTreeMap<String, Vec<(String, Value)>>) {
    let run = text(&methods.values().next().expect("there are some")[0].1["run"]);
    let results = ["results", &run, "--json", "--limit", "0"];
    for row in mined.lines(&results) {
        assert_eq!(row["faults"], Value::Null, "{row}");
    }
    let pairs = mined.lines(&["export", "--format", "mutants", "--run", &run]);
    assert!(pairs.is_empty());
    mined.faults("--truth", &[]);
    for row in mined.lines(&results) {
        let mut all = methods.values().flatten();
        let focal = all.find(|pair| pair.1["sample"] == row["sample"]);
        let (_, focal) = focal.expect("the focal one comes first");
        for field in ["viable", "covered", "detected", "by_assertion", "mutation"] {
            assert_eq!(focal[field], row["faults"][field], "{field} of {row}");
        }
    }
    assert_eq!(mined.methods(), *methods);
}

#[test]
fn python_tests_are_held_against_faults_in_every_function_that_they_enter() {
    if !python::has_tools() {
        return;
    }
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/several");
    let mined = Mined::new(&project, python::cache());
    let nothing = mined.said(&["faults", "--scope", "covered"]);
    assert_eq!(nothing.code, Some(1), "{}", nothing.err);
    let hint = "execute --truth --faults --scope covered";
    assert!(nothing.err.contains(hint), "{}", nothing.err);
    mined.said(&["execute", "--truth"]).success();

    let dry = mined.covered(&["--dry-run"]);
    let report = mined.covered(&[]);
    assert_eq!(report["scope"], json!("covered"), "{report}");
    assert_eq!((&report["now"], &report["held"]), (&json!(5), &json!(5)));
    for field in ["methods", "mutants", "pairs"] {
        assert_eq!(dry[field], report[field], "{field}");
    }
    let again = mined.covered(&[]);
    assert_eq!((&again["now"], &again["kept"]), (&json!(0), &json!(5)));
    assert_eq!(again["viable"], report["viable"]);

    let methods = mined.methods();
    let of = |test: &str| names(&methods[test]);
    assert_eq!(of("test_bounded"), ["cart#bounded()"]);
    let expected = [
        "Cart#add_all()",
        "Cart#<init>()",
        "Cart#add()",
        "Cart#total()",
    ];
    // `close` has only a docstring, and so no line here.
    assert_eq!(of("test_add_all"), expected);
    check_focal(&methods["test_add_all"], 4);
    // Each mutant of a test counts once.
    let viable = methods.values().flatten();
    let viable = viable
        .filter_map(|pair| pair.1["viable"].as_u64())
        .sum::<u64>();
    assert_eq!(report["viable"], json!(viable));
    check_as_focal_alone(&mined, &methods);

    // The sample of one test's methods is the same alone and among others.
    let drawn = ["--most", "2", "--seed", "7"];
    let report = mined.covered(&drawn);
    assert_eq!(report["now"], json!(5), "{report}");
    let together = mined.methods();
    assert_eq!(together["test_add_all"].len(), 2);
    check_focal(&together["test_add_all"], 4);
    let whole: BTreeSet<&str> = of("test_add_all").into_iter().collect();
    assert!(whole.is_superset(&names(&together["test_add_all"]).into_iter().collect()));
    let key = text(&together["test_add_all"][0].1["sample"]);
    let table = ["faults", &key, "--scope", "covered"];
    let table = mined.said(&table).success().out;
    assert!(table.contains("2 of 4 methods"), "{table}");
    assert!(!table.contains("bounded"), "{table}");
    let only = ["--filter", "text:\"add_all([2, 3])\"", "--force"];
    let alone = mined.covered(&[&drawn[..], &only].concat());
    assert_eq!(alone["now"], json!(1), "{alone}");
    assert_eq!(mined.methods(), together);
    // Some other seed draws another one.
    let others = (1..9).map(|seed: u32| {
        let seed = seed.to_string();
        mined.covered(&["--most", "2", "--seed", &seed, only[0], only[1]]);
        mined.methods()["test_add_all"][1].0.clone()
    });
    assert!(others.collect::<BTreeSet<String>>().len() > 1);

    // Also for tests without a focal method.
    let traces = mined.faults("--traces", &["--scope", "covered"]);
    assert_eq!(traces["held"], json!(6), "{traces}");
    let mut lines = mined.lines(&[
        "faults",
        "--scope",
        "covered",
        "--run",
        "traces-python",
        "--json",
    ]);
    lines.retain(|line| line["is_focal"] == json!(true));
    let samples: BTreeSet<String> = lines.iter().map(|line| text(&line["sample"])).collect();
    assert_eq!(samples.len(), 5);

    for wrong in [
        &[
            "execute", "--truth", "--faults", "--scope", "focal", "--most", "2",
        ][..],
        &["execute", "--truth", "--scope", "covered"],
        &[
            "execute",
            "--truth",
            "--faults",
            "--scope",
            "covered",
            "--first-kill",
        ],
        &[
            "execute",
            "--truth",
            "--faults",
            "--scope",
            "covered",
            "--candidates",
        ],
        &["faults", "--scope", "focal"],
        &["faults"],
    ] {
        assert_eq!(mined.said(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn java_tests_are_held_against_faults_in_every_method_that_they_enter() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let mined = Mined::new(&project("basket"), prepare::cache());
    let report = mined.covered(&[]);
    assert_eq!((&report["held"], &report["failed"]), (&json!(5), &json!(0)));
    let methods = mined.methods();
    // `close` has nothing that could be changed.
    let expected = [
        "Basket#addAll(int[])",
        "Basket#add(int)",
        "Tally#count(int)",
        "Basket#tally()",
        "Tally#total()",
    ];
    assert_eq!(names(&methods["addAll"]), expected);
    check_focal(&methods["addAll"], 5);
    let total = &methods["addAll"][4].1;
    assert_eq!(
        (&total["viable"], &total["detected"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(total["file"], json!("src/main/java/p/Tally.java"));
    check_as_focal_alone(&mined, &methods);

    // Also answers of a run whose tests were executed without recording what they enter.
    let sample = text(&methods["addAll"][0].1["sample"]);
    let code = "@Test public void addAll() { Basket basket = new Basket(); basket.addAll(4); assertEquals(4, basket.tally().total()); }";
    let answer = json!({"sample": sample, "prediction": code}).to_string();
    let file = mined.place.path().join("model.jsonl");
    std::fs::write(&file, answer).expect("it is written");
    let file = file.to_str().expect("our paths are text");
    let import = ["import", file, "--run", "model", "--target", "test"];
    mined.said(&import).success();
    mined.said(&["execute", "model"]).success();
    let report = mined.faults("model", &["--scope", "covered"]);
    assert_eq!(report["held"], json!(1), "{report}");
    let of_run = ["faults", "--scope", "covered", "--run", "model", "--json"];
    let of_run = mined.lines(&of_run);
    let of_run: Vec<String> = of_run.iter().map(|value| text(&value["method"])).collect();
    assert_eq!(of_run, expected.map(|expected| format!("p.{expected}")));
}

#[test]
fn what_java_tests_enter_in_the_place_of_a_method_without_code_is_drawn_first() {
    if !prepare::has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let mined = Mined::new(&project("shapes"), prepare::cache());
    let report = mined.covered(&["--most", "2"]);
    // One test enters a lambda of its own.
    let counts = (&report["now"], &report["held"], &report["without_mutants"]);
    assert_eq!(counts, (&json!(4), &json!(3), &json!(1)), "{report}");
    let methods = mined.methods();
    for (test, expected) in [
        ("areaOfSquare", &["Square#area(int)", "Given#first()"][..]),
        ("areaOfBoth", &["Square#area(int)", "Bar#area(int)"]),
    ] {
        assert_eq!(names(&methods[test]), expected);
    }
    check_focal(&methods["areaOfSquare"], 2);
    assert_eq!(methods["areaOfBoth"][0].1["entered"], json!(5));
}
