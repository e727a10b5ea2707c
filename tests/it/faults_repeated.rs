//! Kills by chance, planted in a project of each language: three runs distinguish them from the others, and they are
//! not counted.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::prepare::{self, TURN, project};
use crate::python::{self, Said, run_with};
use crate::support::text;

/// A project of two tests. The outcomes of one on eleven of its mutants are random, so that only once in four million
/// times no three runs of any of them differ.
struct Planted {
    place: tempfile::TempDir,
    cache: PathBuf,
    truth: &'static str,
    /// The tests, by the keys of their samples.
    names: BTreeMap<String, String>,
    steady: &'static str,
    chancy: &'static str,
    /// The assertion that fails where the outcome is random.
    mutator: &'static str,
}

/// The outcomes of a test's pairs, those of changed numbers separate from others, each with the exception that it
/// names.
type Outcomes = Vec<(String, Value)>;

impl Planted {
    fn python() -> Self {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/chancy");
        Self::new(&project, python::cache(), "truth-python")
    }

    fn java() -> Self {
        Self {
            steady: "faces",
            chancy: "facesByChance",
            mutator: "MathMutator",
            ..Self::new(&project("chancy"), prepare::cache(), "truth")
        }
    }

    fn new(project: &Path, cache: PathBuf, truth: &'static str) -> Self {
        let mut planted = Self {
            place: tempfile::tempdir().expect("a folder can be made"),
            cache,
            truth,
            names: BTreeMap::new(),
            steady: "test_faces",
            chancy: "test_faces_by_chance",
            mutator: "CRP",
        };
        let path = project.to_str().expect("our paths are text");
        planted.said(&["mine", path]).success();
        let samples = planted.lines(&["export", "--all"]).into_iter();
        let samples = samples.map(|sample| (text(&sample["key"]), text(&sample["test"]["method"])));
        planted.names = samples.collect();
        assert_eq!(planted.names.len(), 2, "{:?}", planted.names);
        planted
    }

    fn said(&self, arguments: &[&str]) -> Said {
        run_with(&self.cache, self.place.path(), (arguments, ""))
    }

    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        self.said(arguments).success().lines()
    }

    /// Holds tests against faults, and returns the report.
    fn faults(&self, run: &str, more: &[&str]) -> Value {
        let asked = ["execute", run, "--faults", "--json"];
        let asked = [&asked[..], more].concat();
        self.lines(&asked).remove(0)["faults"].take()
    }

    /// Returns the key of a test's sample.
    fn key(&self, test: &str) -> &str {
        let mut names = self.names.iter();
        names.find(|name| name.1 == test).expect("it is there").0
    }

    /// Returns the outcome of a test on each mutant in the order of places, separately for mutants that change a number
    /// and others.
    fn outcomes(&self, run: &str, test: &str, of_numbers: bool) -> Outcomes {
        let mut pairs = self.lines(&["export", "--format", "mutants", "--run", run]);
        pairs.retain(|pair| {
            let is_of_number = text(&pair["mutant"]["mutator"]).ends_with(self.mutator);
            pair["sample"] == json!(self.key(test)) && is_of_number == of_numbers
        });
        pairs.sort_by_key(|pair| {
            let place = &pair["mutant"];
            (place["start"].as_u64(), place["indexes"][0].as_u64())
        });
        let outcomes = pairs.iter();
        outcomes
            .map(|outcome| (text(&outcome["outcome"]), outcome["by"].clone()))
            .collect()
    }

    /// Checks the outcomes of a run's tests after three runs of each kill, and returns the number of unstable pairs.
    fn check_repeated(&self, run: &str) -> u64 {
        let by_assertion = "killed_by_assertion";
        for (outcome, _) in self.outcomes(run, self.steady, true) {
            assert_eq!(outcome, by_assertion);
        }
        let chancy = self.outcomes(run, self.chancy, true);
        assert_eq!(chancy.len(), 12);
        assert_eq!(chancy[0].0, by_assertion, "that is no chance");
        let words: BTreeSet<&str> = chancy.iter().map(|chancy| chancy.0.as_str()).collect();
        assert!(words.contains("unstable"), "{chancy:?}");
        let unstable = chancy.iter().filter(|chancy| chancy.0 == "unstable");
        assert!(unstable.clone().all(|pair| pair.1.is_null()), "{chancy:?}");
        for (outcome, _) in self.outcomes(run, self.chancy, false) {
            assert!(outcome.starts_with("killed"), "{outcome}");
        }
        let n_unstable = unstable.count() as u64;
        let rows = self.lines(&["results", run, "--json", "--limit", "0"]);
        for row in &rows {
            let is_chancy = row["sample"] == json!(self.key(self.chancy));
            let n_here = if is_chancy { n_unstable } else { 0 };
            let faults = &row["faults"];
            let n = |field: &str| faults[field].as_u64().expect("a number");
            assert_eq!(n("unstable"), n_here, "{faults}");
            // All others are noticed.
            assert_eq!(n("viable"), n("detected"), "{faults}");
            assert_eq!(faults["mutation"], json!(1.0), "{faults}");
        }
        n_unstable
    }

    /// Imports both tests as a model's answers, each with the text of the true one.
    fn import(&self) {
        let samples = self.lines(&["export", "--all"]);
        let answers = samples.iter().map(|sample| {
            let answer = json!({"sample": sample["key"], "prediction": sample["test"]["source"]});
            format!("{answer}\n")
        });
        let answers: String = answers.collect();
        let file = self.place.path().join("model.jsonl");
        fs::write(&file, answers).expect("it is written");
        let file = file.to_str().expect("our paths are text");
        let import = ["import", file, "--run", "model", "--target", "test"];
        self.said(&import).success();
    }

    /// Checks that three runs detect random kills, whatever the options, and that shaking makes the extra runs
    /// unnecessary.
    fn check(&self) {
        let dry = self.said(&["execute", "--truth", "--faults", "--dry-run"]);
        assert_eq!(dry.code, Some(0), "{}", dry.err);
        let run = self.said(&["execute", "--truth", "--faults"]).success();
        let told = "kills of 2 tests that shaking has not settled ran up to three times";
        assert!(run.err.contains(told), "{}", run.err);
        let n_unstable = self.check_repeated(self.truth);

        let again = self.faults("--truth", &[]);
        assert_eq!((&again["now"], &again["kept"]), (&json!(0), &json!(2)));
        assert_eq!(again["unstable"], json!(n_unstable), "{again}");
        // The steady test notices them all.
        let together = &again["together"];
        assert_eq!(together["detected"], together["viable"], "{together}");

        // Also in methods that tests enter.
        let covered = self.faults("--truth", &["--scope", "covered"]);
        assert!(covered["repeats"].as_u64() > Some(12), "{covered}");
        assert!(covered["unstable"].as_u64() > Some(0), "{covered}");

        // Shaking has shown that they are stable on the unchanged code, so nothing is repeated.
        let shaken = self.lines(&["execute", "--truth", "--shake", "nothing", "--json"]);
        let now = &shaken[0]["stability"]["now"];
        assert_eq!(now, &json!(2), "{shaken:?}");
        let again = self.faults("--truth", &[]);
        assert_eq!((&again["now"], &again["kept"]), (&json!(0), &json!(2)));

        // A random kill does not spare other tests the mutant.
        let first = self.faults("--truth", &["--first-kill", "--force"]);
        let together = &first["together"];
        assert_eq!(together["detected"], together["viable"], "{together}");

        self.import();
        let report = self.faults("model", &[]);
        assert_eq!(report["not_settled"], json!(2), "{report}");
        self.check_repeated("model");

        // Kills of tests that are shaken first run once.
        let settled = self.faults("--truth", &["--shake", "nothing", "--force"]);
        let counts =
            ["now", "not_settled", "repeats", "unstable"].map(|text| settled[text].as_u64());
        assert_eq!(counts, [Some(2), Some(0), Some(0), Some(0)], "{settled}");
        assert_eq!(self.faults("--truth", &[])["kept"], json!(2));
    }
}

#[test]
fn kills_of_python_tests_that_nobody_has_shaken_run_three_times() {
    if python::has_tools() {
        Planted::python().check();
    }
}

#[test]
fn kills_of_java_tests_that_nobody_has_shaken_run_three_times() {
    if prepare::has_tools() {
        let _turn = TURN.lock();
        Planted::java().check();
    }
}
