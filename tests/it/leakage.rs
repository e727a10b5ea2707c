//! Near duplicates across splits: exactly the planted pairs are found.

use std::collections::BTreeSet;

use expect_test::expect;
use focalist::cli::ExitCode;
use focalist::leakage::{
    LeakageError, LeakageIndex, LeakageOptions, NearestOptions, PairCount, ReportOptions,
    SHINGLE_TOKENS, Splits,
};
use focalist::metric::cut::Cutter;
use focalist::metric::minhash::Shingles;
use focalist::model::{Filter, Language, SampleKey, SampleScope, Split};
use focalist::store::{Extent, Store, StoreAccess, StoreError};
use focalist::task::Monitor;

use serde_json::{Value, json};

use crate::support::Place;

/// A seed: by the random split, the second gauge is in the test split and the rest in training; by the project split,
/// all are in training.
const RANDOM: &str = "10";

/// A seed: by the project split, the first repository is in the test split and the second in training; by the random
/// split, all are in training.
const PROJECT: &str = "52";

/// Writes two repositories that share a class and its test except for one number in each; each has another class of its
/// own.
///
/// Splits depend on a hash of the seed and the names: [`RANDOM`] and [`PROJECT`] separate the two.
fn planted(seed: &str) -> Place {
    let place = Place::new();
    for (repo, limit, start, other, word) in [
        ("first", "100", "1", "Lamp", "lumen"),
        ("second", "250", "7", "Kettle", "litre"),
    ] {
        let shared = format!(
            "package p;

public class Gauge {{
    private int level;

    public int raise(int amount) {{
        if (amount < 0) {{
            throw new IllegalArgumentException(\"negative amount\");
        }}
        int raised = level + amount;
        if (raised > {limit}) {{
            raised = MAX;
        }}
        level = raised;
        return level;
    }}
}}
"
        );
        let test = format!(
            "package p;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class GaugeTest {{
    @Test
    public void testRaise() {{
        Gauge gauge = new Gauge();
        int first = gauge.raise({start});
        int second = gauge.raise(first);
        assertEquals(first + first, second);
    }}
}}
"
        );
        let own = format!(
            "package q;

public class {other} {{
    private String {word} = \"\";

    public {other} set{other}(String {word}) {{
        this.{word} = {word};
        return this;
    }}
}}
"
        );
        let own_test = format!(
            "package q;

import org.junit.Test;
import static org.junit.Assert.assertNotNull;

public class {other}Test {{
    @Test
    public void testSet{other}() {{
        {other} {word} = new {other}().set{other}(\"{word}\");
        assertNotNull({word});
    }}
}}
"
        );
        place.write(&format!("{repo}/src/main/java/p/Gauge.java"), shared);
        place.write(&format!("{repo}/src/test/java/p/GaugeTest.java"), test);
        place.write(&format!("{repo}/src/main/java/q/{other}.java"), own);
        place.write(
            &format!("{repo}/src/test/java/q/{other}Test.java"),
            own_test,
        );
    }
    let folders = ["first", "second"].map(|text| place.path(text).to_string_lossy().into_owned());
    place
        .run(&["mine", "--seed", seed, &folders[0], &folders[1]])
        .success();
    place
}

#[test]
fn the_planted_pair_is_found_and_no_other() {
    let place = planted(RANDOM);
    let out = place.run(&["leakage", "--json"]).success();
    expect![[r#"
        {"splits":"random","threshold":0.8,"shingle_tokens":3,"n_samples":4,"n_without_split":0,"found_at_threshold":0.9996439421094793,"n_left_out":0,"counts":[{"seen":"train","held_out":"test","n_by_test":1,"n_by_focal":1,"n_by_both":1,"n_pairs":1},{"seen":"train","held_out":"validation","n_by_test":0,"n_by_focal":0,"n_by_both":0,"n_pairs":0},{"seen":"validation","held_out":"test","n_by_test":0,"n_by_focal":0,"n_by_both":0,"n_pairs":0}],"leaked":[{"held_out":"validation","n_samples":0,"n_by_test":0,"n_by_focal":0,"n_by_both":0,"n_by_any":0,"share":null},{"held_out":"test","n_samples":1,"n_by_test":1,"n_by_focal":1,"n_by_both":1,"n_by_any":1,"share":1.0}],"pairs":[{"near":"both","held_out":{"key":"4a8f7ecbedf4aad86d329db63defd50f","repo":"second","test":"GaugeTest.testRaise","focal":"Gauge.raise","split":"test"},"seen":{"key":"3f014342e9a3a6380ff5a9735dba375d","repo":"first","test":"GaugeTest.testRaise","focal":"Gauge.raise","split":"train"},"similarity":{"test":0.8604651162790697,"focal":0.8823529411764706}}]}
    "#]].assert_eq(&out);
    let out = place.run(&["leakage", "--split", "project"]).success();
    expect![[r"
        pairs seen in  held out in  near test  near focal method  both  any
        train          test                 0                  0     0    0
        train          validation           0                  0     0    0
        validation     test                 0                  0     0    0

        near a training sample  samples  by test  by focal method  by both  by any  share
        validation                    0        0                0        0       0
        test                          0        0                0        0       0
    "]]
    .assert_eq(&out);
}

#[test]
fn splits_by_project_are_told_from_those_by_sample() {
    let place = planted(PROJECT);
    let out = place.run(&["leakage", "--split", "project"]).success();
    expect![[r"
        pairs seen in  held out in  near test  near focal method  both  any
        train          test                 1                  1     1    1
        train          validation           0                  0     0    0
        validation     test                 0                  0     0    0

        near a training sample  samples  by test  by focal method  by both  by any   share
        validation                    0        0                0        0       0
        test                          2        1                1        1       1  50.0 %

        near  test  focal  split  held out                                 split  seen
        both  0.86   0.88  test   3f014342e9a3  first GaugeTest.testRaise  train  4a8f7ecbedf4  second GaugeTest.testRaise
    "]].assert_eq(&out);
    let out = place.run(&["leakage", "--json"]).success();
    assert!(out.contains(r#""pairs":[]"#), "{out}");
}

#[test]
fn a_filter_a_threshold_and_a_limit_narrow_the_report() {
    let place = planted(RANDOM);
    let check = |args: &[&str], n_pairs: usize| {
        let out = place
            .run(&[&["leakage", "--json"], args].concat())
            .success();
        assert_eq!(out.matches(r#""near":"#).count(), n_pairs, "{args:?} {out}");
    };
    check(&["--limit", "1"], 1);
    check(&["--limit", "0"], 1);
    check(&["--threshold", "0.95"], 0);
    check(&["repo:first"], 0);
    check(&["--split", "project"], 0);
}

#[test]
fn the_nearest_training_samples_come_with_their_similarities() {
    let place = planted(RANDOM);
    let out = place.run(&["leakage", "--nearest", "4a8f"]).success();
    expect![[r"
        mean  test  focal  split  key           sample                           focal method
        0.87  0.86   0.88  train  3f014342e9a3  first GaugeTest.testRaise        Gauge.raise
        0.03  0.07   0.00  train  0344d24c9add  second KettleTest.testSetKettle  Kettle.setKettle
        0.03  0.07   0.00  train  81149679197e  first LampTest.testSetLamp       Lamp.setLamp
    "]]
    .assert_eq(&out);
    let line = place
        .run(&["leakage", "--nearest", "4a8f", "--n", "1", "--json"])
        .success();
    expect![[r#"
        {"mean":0.8714090287277702,"similarity":{"test":0.8604651162790697,"focal":0.8823529411764706},"key":"3f014342e9a3a6380ff5a9735dba375d","repo":"first","test":"GaugeTest.testRaise","focal":"Gauge.raise","split":"train"}
    "#]].assert_eq(&line);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = planted(RANDOM);
    let check = |args: &[&str], code, message: &str| {
        let err = place.run(&[&["leakage"], args].concat()).failure(code);
        assert!(err.contains(message), "{err}");
    };
    check(&["--threshold", "0.1"], ExitCode::Usage, "from 0.3 to 1");
    check(&["--n", "3"], ExitCode::Usage, "--nearest");
    check(&["--nearest", "ffff"], ExitCode::Input, "no sample `ffff`");
    check(&["speed:9"], ExitCode::Usage, "speed");
}

/// A sample of the sample data, with its two texts as sets.
struct Known {
    key: SampleKey,
    split: Split,
    test: Shingles,
    focal: Option<Shingles>,
}

fn known(store: &Store) -> Vec<Known> {
    let mut cutter = Cutter::new(Language::Java);
    let mut set = |text: &str| Shingles::of(SHINGLE_TOKENS, cutter.tokens(text).iter());
    let mut known = Vec::new();
    store
        .each_sample(&Filter::default(), Extent::Sample, |sample| {
            known.push(Known {
                key: sample.row.key,
                split: sample.split_random.expect("a mined sample has a split"),
                test: set(sample.test.source()),
                focal: sample
                    .focal
                    .as_ref()
                    .map(|stored_method| set(stored_method.source())),
            });
            Ok::<_, StoreError>(())
        })
        .expect("the index reads");
    known
}

/// Returns the index of all samples by the random split.
fn whole_index(store: &Store) -> LeakageIndex {
    let options = LeakageOptions {
        filter: Filter::default(),
        scope: SampleScope::All,
        splits: Splits::Random,
    };
    LeakageIndex::build(store, &Monitor::default(), &options).expect("the index reads")
}

#[test]
fn counts_are_those_of_comparing_everything_with_everything() {
    let place = Place::with_sample_data();
    let store = Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index opens");
    let known = known(&store);
    let monitor = Monitor::default();
    let index = whole_index(&store);
    let mut n_any = 0;
    for threshold in [0.5, 0.8, 1.0] {
        let options = ReportOptions {
            threshold,
            limit: 0,
        };
        let report = index.report(&store, &monitor, options);
        let report = report.expect("the index reads");
        assert_eq!(report.n_samples, known.len() as u64);
        assert_eq!(report.n_left_out, 0);
        for count in &report.counts {
            let (mut n_by_test, mut n_by_focal, mut n_by_both) = (0, 0, 0);
            for seen in known.iter().filter(|known| known.split == count.seen) {
                for held_out in known.iter().filter(|known| known.split == count.held_out) {
                    let test = seen.test.jaccard(&held_out.test) >= threshold;
                    let focals = seen.focal.as_ref().zip(held_out.focal.as_ref());
                    let focal = focals.is_some_and(|(a, b)| a.jaccard(b) >= threshold);
                    n_by_test += u64::from(test);
                    n_by_focal += u64::from(focal);
                    n_by_both += u64::from(test && focal);
                }
            }
            assert_eq!(
                (count.n_by_test, count.n_by_focal, count.n_by_both),
                (n_by_test, n_by_focal, n_by_both),
                "{threshold} {count:?}"
            );
            n_any += count.n_pairs();
        }
        let n_pairs: u64 = report.counts.iter().map(PairCount::n_pairs).sum();
        assert_eq!(report.pairs.len() as u64, n_pairs);
        for pair in &report.pairs {
            let reached = [Some(pair.similarity.test), pair.similarity.focal];
            assert!(
                reached.iter().flatten().any(|value| *value >= threshold),
                "{pair:?}"
            );
            assert!(pair.seen.split < pair.held_out.split, "{pair:?}");
        }
    }
    assert!(n_any > 0, "the sample data has near duplicates");
}

#[test]
fn neighbours_are_those_of_comparing_with_everything() {
    const N: usize = 5;
    let place = Place::with_sample_data();
    let store = Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index opens");
    let known = known(&store);
    let monitor = Monitor::default();
    let index =
        LeakageIndex::build(&store, &monitor, &LeakageOptions::default()).expect("the index reads");
    let (mut n_asked, mut n_found) = (0, 0);
    for sample in known.iter().filter(|known| known.split == Split::Test) {
        let mean = |other: &Known| {
            let test = sample.test.jaccard(&other.test);
            let Some(focal) = &sample.focal else {
                return test;
            };
            let focal = other
                .focal
                .as_ref()
                .map_or(0.0, |shingles| focal.jaccard(shingles));
            f64::midpoint(test, focal)
        };
        let others = known.iter().filter(|known| known.split == Split::Train);
        let mut expected: Vec<f64> = others.map(mean).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        let asked = NearestOptions {
            key: sample.key,
            split: Split::Train,
            n: N,
        };
        let nearest = index
            .nearest(&store, &monitor, asked)
            .expect("there is such a sample");
        assert_eq!(nearest.of.key, sample.key);
        assert_eq!(nearest.neighbours.len(), N);
        for (found, expected) in nearest.neighbours.iter().zip(&expected) {
            assert_eq!(found.side.split, Some(Split::Train));
            // A sample that is far from all others has no real neighbours, and estimates do not distinguish the others.
            if *expected >= 0.3 {
                n_asked += 1;
                n_found += usize::from((found.mean - expected).abs() < 1e-12);
            }
        }
    }
    assert!(n_asked > 0, "some samples have neighbours");
    assert!(
        n_found * 100 >= n_asked * 95,
        "{n_found} of {n_asked} neighbours"
    );
}

#[test]
fn a_cancelled_search_stops() {
    let place = planted(RANDOM);
    let store = Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index opens");
    let monitor = Monitor::default();
    let index =
        LeakageIndex::build(&store, &monitor, &LeakageOptions::default()).expect("the index reads");
    monitor.cancel();
    let build = LeakageIndex::build(&store, &monitor, &LeakageOptions::default());
    assert!(matches!(build, Err(LeakageError::Cancelled(_))));
    let options = ReportOptions {
        threshold: 0.8,
        limit: 20,
    };
    let report = index.report(&store, &monitor, options);
    assert!(matches!(report, Err(LeakageError::Cancelled(_))));
}

/// Returns the keys of an export's lines, sorted, and its messages.
fn exported(place: &Place, more: &[&str]) -> (Vec<String>, String) {
    let outcome = place.run(&[&["export"], more].concat());
    let said = outcome.err.clone();
    let lines = outcome.success();
    let mut keys: Vec<String> = lines
        .lines()
        .map(|line| {
            let sample: Value = serde_json::from_str(line).expect("a line is JSON");
            sample["key"].as_str().expect("it has a key")[..4].to_owned()
        })
        .collect();
    keys.sort();
    (keys, said)
}

#[test]
fn an_export_leaves_out_what_is_nearer_to_training_than_asked() {
    let place = planted(RANDOM);
    // Of 43 runs of three tokens the two share 37.
    let all = ["0344", "3f01", "4a8f", "8114"];
    let check = |more: &[&str], expected: &[&str], n_near: u32| {
        let (keys, said) = exported(&place, more);
        assert_eq!(keys, expected, "{more:?}");
        let n_left_out = format!("{n_near} held-out sample");
        assert!(said.contains(&n_left_out), "{said}");
    };
    let without = ["0344", "3f01", "8114"];
    check(&["--max-similarity", "0.8"], &without, 1);
    check(&["--max-similarity", "0.86"], &without, 1);
    check(&["--max-similarity", "0.87"], &all, 0);
    check(&["--max-similarity", "1"], &all, 0);
    // The near samples do not depend on which ones are written.
    let of_test = ["--split", "test", "--max-similarity", "0.8"];
    check(&of_test, &[], 1);
    check(
        &["--filter", "repo:second", "--max-similarity", "0.8"],
        &["0344"],
        1,
    );
    let refused = place.run(&["export", "--max-similarity", "0.2"]);
    assert!(refused.failure(ExitCode::Usage).contains("0.3"));
    let refused = place.run(&["export", "--format", "dump", "--max-similarity", "0.8"]);
    assert!(
        refused
            .failure(ExitCode::Usage)
            .contains("--max-similarity")
    );
}

#[test]
fn a_dataset_says_how_many_samples_were_too_near() {
    let place = planted(RANDOM);
    let folder = place.path("dataset").to_string_lossy().into_owned();
    let asked = ["export", "--format", "parquet", "--split-by", "random"];
    let more = ["--max-similarity", "0.8", "--output", &folder];
    place.run(&[&asked[..], &more].concat()).success();
    let read = |name: &str| {
        let path = place.path("dataset").join(name);
        std::fs::read_to_string(path).expect("it is there")
    };
    let manifest: Value = serde_json::from_str(&read("manifest.json")).expect("it is JSON");
    assert_eq!(
        manifest["export"],
        json!({"splits": "random", "max_similarity": 0.8, "n_near": 1})
    );
    assert!(read("README.md").contains("1 samples of held-out splits were left out"));
}

#[test]
fn splits_of_ones_own_take_the_place_of_ours() {
    let place = planted(RANDOM);
    // One line is about what is not there.
    let file = place.write(
        "splits.jsonl",
        r#"{"repo":"first","split":"test"}
{"repo":"second","split":"train"}
{"repo":"third","split":"train"}
"#,
    );
    let file = file.to_string_lossy().into_owned();
    let (all, _) = exported(&place, &[]);
    let (of_test, said) = exported(&place, &["--splits", &file, "--split", "test"]);
    assert!(said.contains("splits.jsonl:3"), "{said}");
    let (of_train, _) = exported(&place, &["--splits", &file, "--split", "train"]);
    let (of_any, _) = exported(&place, &["--splits", &file]);
    let mut together = [of_test.clone(), of_train.clone()].concat();
    together.sort();
    assert_eq!((together, of_any), (all.clone(), all));
    assert_eq!(of_test, ["3f01", "8114"]);
    // The first gauge is held out now, and the second is what it is near to.
    let near = ["--splits", &file, "--max-similarity", "0.8"];
    let (keys, _) = exported(&place, &near);
    assert_eq!(keys, ["0344", "4a8f", "8114"]);
    // A split of a single sample takes precedence over its project's split.
    let key = exported_key(&place, "0344");
    let own = [
        json!({"sample": key, "split": "validation"}),
        json!({"repo": "second", "split": "train"}),
    ];
    let own = own.map(|line| format!("{line}\n")).concat();
    let file = place.write("own.jsonl", own);
    let file = file.to_string_lossy().into_owned();
    let (keys, _) = exported(&place, &["--splits", &file, "--split", "validation"]);
    assert_eq!(keys, ["0344"]);
    let (keys, _) = exported(&place, &["--splits", &file]);
    assert_eq!(keys, ["0344", "4a8f"]);
    let empty = place.write("none.jsonl", "{}\n");
    let empty = empty.to_string_lossy().into_owned();
    let refused = place.run(&["export", "--splits", &empty]);
    assert!(refused.failure(ExitCode::Input).contains("gives a split"));
}

/// Returns the full key of a sample.
fn exported_key(place: &Place, begin: &str) -> String {
    let lines = place.run(&["export", "--filter", &format!("key:{begin}")]);
    let sample: Value = serde_json::from_str(lines.success().trim()).expect("it is one line");
    sample["key"].as_str().expect("it has a key").to_owned()
}

#[test]
fn what_is_too_near_is_found_as_by_comparing_everything_with_everything() {
    let place = Place::with_sample_data();
    let store = Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index opens");
    let known = known(&store);
    let monitor = Monitor::default();
    let index = whole_index(&store);
    let mut n_all = 0;
    for max_similarity in [0.3, 0.5, 0.8, 1.0] {
        let found = index.too_near(&store, &monitor, max_similarity);
        let found = found.expect("the index reads");
        let expected: BTreeSet<SampleKey> = known
            .iter()
            .filter(|held_out| {
                let mut seen = known.iter().filter(|known| known.split == Split::Train);
                held_out.split != Split::Train
                    && seen.any(|known| known.test.jaccard(&held_out.test) > max_similarity)
            })
            .map(|known| known.key)
            .collect();
        n_all += expected.len();
        assert_eq!(
            (found.keys, found.n_left_out),
            (expected, 0),
            "{max_similarity}"
        );
    }
    assert!(n_all > 0, "the sample data has near tests");
}

#[test]
fn samples_are_filtered_by_how_near_the_nearest_other_is() {
    let place = Place::with_sample_data();
    let store = Store::open(&place.path(".focalist"), StoreAccess::Read).expect("the index opens");
    let known = known(&store);
    let listed = |filter: &str| -> BTreeSet<String> {
        let words = ["samples", filter, "--json", "--limit", "0"];
        let lines = place.run(&words).success();
        let keys = lines.lines().map(|line| {
            let row: Value = serde_json::from_str(line).expect("a line is JSON");
            row["key"].as_str().expect("it has a key").to_owned()
        });
        keys.collect()
    };
    let nearest = |of: &Known| {
        let others = known.iter().filter(|known| known.key != of.key);
        let similarities = others.map(|other| other.test.jaccard(&of.test));
        similarities
            .max_by(f64::total_cmp)
            .expect("there are others")
    };
    let all = listed("");
    for bound in ["0.3", "0.5", "0.8", "1"] {
        let least: f64 = bound.parse().expect("a number");
        let expected: BTreeSet<String> = known
            .iter()
            .filter(|known| nearest(known) >= least)
            .map(|known| known.key.to_string())
            .collect();
        assert_eq!(listed(&format!("near:{bound}")), expected, "{bound}");
        assert_eq!(listed(&format!("near>={bound}")), expected);
        let below: BTreeSet<String> = all.difference(&expected).cloned().collect();
        assert_eq!(listed(&format!("near<{bound}")), below);
        assert_eq!(listed(&format!("-near:{bound}")), below);
    }
    let some = listed("near:0.5");
    assert!(!some.is_empty() && some.len() < all.len());
    let refused = place.run(&["samples", "near:0.1"]).failure(ExitCode::Usage);
    assert!(refused.contains("from 0.3 to 1"), "{refused}");
}
