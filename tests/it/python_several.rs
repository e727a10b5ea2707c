//! Several tests of one function, and several methods that one test may be about: who is run on which mutants, and what is said
//! of it.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::python::{Said, has_tools, run};

const TRUTH: &str = "truth-python";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

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

    /// Holds the true tests of `bounded` against faults, and returns what is told of that.
    fn faults(&self, more: &[&str]) -> Value {
        let asked = ["execute", "--truth", "--faults", "--json"];
        let asked = [&asked[..], &["--filter", "test:bounded"], more].concat();
        self.lines(&asked).remove(0)["faults"].take()
    }

    /// Returns what became of each pair, by sample and mutant.
    fn outcomes(&self) -> BTreeMap<(String, String), String> {
        let pairs = self.lines(&["export", "--format", "mutants", "--run", TRUTH]);
        let pairs = pairs.iter().map(|it| {
            let pair = (text(&it["sample"]), text(&it["mutant"]["id"]));
            (pair, text(&it["outcome"]))
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
    for ((_, mutant), _) in all.iter().filter(|it| !some.contains_key(it.0)) {
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
    let by_name = mined.lines(&["export", "--all"]);
    let of_first = by_name
        .iter()
        .find(|it| it["test"]["method"] == json!("test_bounded"));
    let of_first = text(&of_first.expect("it was mined")["key"]);
    let is_of_first = |it: &((String, String), String)| it.0.0 == of_first && is_killed(&it.1);
    assert!(some.clone().into_iter().any(|it| is_of_first(&it)));
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
