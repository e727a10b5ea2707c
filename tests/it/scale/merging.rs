//! Merging is a union: order, grouping and repetition do not matter, and unusable inputs are named.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use focalist::scale::{MergeOptions, merge};
use focalist::store::{Store, StoreAccess};
use focalist::task::Monitor;
use focalist::transfer;
use proptest::prelude::*;
use rusqlite::Connection;

use super::{
    assert_same, command, copy, dump, in_one_go, merged, mine_shard, planned, repositories,
};
use crate::support::Place;

#[test]
fn merged_shards_are_the_index_that_is_mined_in_one_go() {
    let place = Place::new();
    repositories(&place, 7);
    planned(&place, 3);
    for idx in 0..3 {
        let said = mine_shard(&place, idx, &[]).with(0);
        assert!(said.contains("0 skipped"), "{said}");
    }
    let said = mine_shard(&place, 1, &[]).with(0);
    assert_eq!(said, "shard-0001.jsonl is done already\n");
    let shards = ["plan/shard-0000", "plan/shard-0001", "plan/shard-0002"];
    // As a pattern would have it: with lists and logs among them.
    let all = [&shards[..], &["plan/shard-0000.jsonl", "plan/plan.json"]].concat();
    merged(&place, &all, "all").with(0);
    let expected = in_one_go(&place);
    assert!(
        expected.contains("\"is_duplicate\":1"),
        "nothing is a duplicate"
    );
    assert_same(&dump(&place, "all"), &expected);
    // Into one that is there: nothing changes.
    let said = merged(&place, &all, "all").with(0);
    assert!(said.contains("7 of them there already"), "{said}");
    assert_same(&dump(&place, "all"), &expected);
    let words = [
        "export", "--format", "dump", "--from", shards[2], shards[0], shards[1],
    ];
    let out = command(&place.path(""), &words).output().expect("it runs");
    assert_same(&String::from_utf8_lossy(&out.stdout), &expected);
}

/// A tree of inputs: the result of merging some is an input of the next merge.
#[derive(Clone, Debug)]
enum Tree {
    Shard(usize),
    Group(Vec<Tree>),
}

fn tree(n_shards: usize) -> impl Strategy<Value = Tree> {
    let leaf = (0..n_shards).prop_map(Tree::Shard);
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop::collection::vec(inner, 1..4).prop_map(Tree::Group)
    })
}

impl Tree {
    fn shards(&self) -> Vec<usize> {
        match self {
            Self::Shard(shard) => vec![*shard],
            Self::Group(trees) => trees.iter().flat_map(Self::shards).collect(),
        }
    }

    /// Merges it, and returns the folder of the result.
    fn merged(&self, place: &Place, next: &Cell<usize>) -> PathBuf {
        match self {
            Self::Shard(shard) => place.path(&format!("plan/shard-{shard:04}")),
            Self::Group(trees) => {
                let inputs = trees.iter().map(|tree| tree.merged(place, next)).collect();
                next.set(next.get() + 1);
                let path = place.path(&format!("merged/{}", next.get()));
                merge_into(inputs, &path);
                path
            }
        }
    }
}

fn merge_into(inputs: Vec<PathBuf>, path: &std::path::Path) {
    let mut store = Store::open(&path.join(".focalist"), StoreAccess::Create).expect("it is made");
    let options = MergeOptions {
        inputs,
        ..MergeOptions::default()
    };
    merge(&mut store, &Monitor::default(), &options).expect("all inputs are whole");
}

fn dumped(path: &std::path::Path) -> String {
    let store = Store::open(&path.join(".focalist"), StoreAccess::Read).expect("it is there");
    let mut out = Vec::new();
    transfer::dump(&store, &Monitor::default(), &mut out).expect("it is written");
    String::from_utf8(out).expect("JSON is text")
}

#[test]
fn any_tree_of_merges_is_the_merge_of_its_leaves() {
    const N_SHARDS: usize = 5;
    let place = Place::new();
    repositories(&place, N_SHARDS);
    planned(&place, N_SHARDS);
    for idx in 0..N_SHARDS {
        mine_shard(&place, idx, &[]).with(0);
    }
    let next = Cell::new(0);
    let config = ProptestConfig {
        cases: 10,
        max_shrink_iters: 20,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let trees = prop::collection::vec(tree(N_SHARDS), 2..5);
    let result = runner.run(&trees, |trees| {
        let grouped = Tree::Group(trees);
        let mut leaves = grouped.shards();
        leaves.sort_unstable();
        leaves.dedup();
        let flat = Tree::Group(leaves.into_iter().map(Tree::Shard).collect());
        let paths = [grouped, flat].map(|tree| tree.merged(&place, &next));
        let [grouped, flat] = paths.map(|path| dumped(&path));
        assert_same(&grouped, &flat);
        Ok(())
    });
    result.expect("merging is associative, commutative and idempotent");
}

#[test]
fn what_is_broken_or_half_done_is_named_and_left_out_and_refused_when_strict() {
    let place = Place::new();
    repositories(&place, 3);
    planned(&place, 3);
    for idx in 0..3 {
        mine_shard(&place, idx, &[]).with(0);
    }
    fs::rename(
        place.path("plan/shard-0002"),
        place.path("plan/shard-0002.part"),
    )
    .expect("it can be renamed");
    let index = place.path("plan/shard-0001/.focalist/index.db");
    let bytes = fs::read(&index).expect("it is there");
    fs::write(&index, &bytes[..bytes.len() / 2]).expect("tests may write");
    let shards = [
        "plan/shard-0000",
        "plan/shard-0001",
        "plan/shard-0002.part",
        "plan/gone",
    ];
    let said = merged(&place, &shards, "all").with(0);
    for expected in [
        "`plan/shard-0001` was left out: ",
        "`plan/shard-0002.part` was left out: mining it has not ended",
        "`plan/gone` was left out: there is no such folder",
        "1 workspace merged: 1 repository",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let said = merged(&place, &[&["--strict"], &shards[..]].concat(), "strict").with(1);
    assert!(
        said.contains("error: `plan/shard-0001` cannot be used"),
        "{said}"
    );
    merged(&place, &shards[1..], "none").with(1);
}

#[test]
fn shards_of_different_versions_or_seeds_are_refused_with_words() {
    let place = Place::new();
    repositories(&place, 2);
    planned(&place, 2);
    mine_shard(&place, 0, &[]).with(0);
    mine_shard(&place, 1, &["--seed", "7"]).with(0);
    let shards = ["plan/shard-0000", "plan/shard-0001"];
    let said = merged(&place, &shards, "all").with(2);
    assert!(
        said.contains("of seed 0, `plan/shard-0001` of seed 7"),
        "{said}"
    );
    merged(&place, &["--seed", "3", shards[0], shards[1]], "seeded").with(0);
    copy(&place.path(shards[1]), &place.path("older"));
    let index = Connection::open(place.path("older/.focalist/index.db")).expect("it opens");
    index
        .execute("UPDATE repos SET stamp_code = '0.0.1+1'", [])
        .expect("it is written");
    drop(index);
    let said = merged(&place, &["older", shards[0]], "versions").with(3);
    assert!(
        said.contains("java was mined by version `0.0.1+1` in `older` and by `"),
        "{said}"
    );
}

#[test]
fn a_shard_is_done_whenever_its_processes_are_killed() {
    let place = Place::new();
    repositories(&place, 5);
    planned(&place, 1);
    let words = [
        "mine",
        "--shard",
        "plan/shard-0000.jsonl",
        "--output",
        "plan/shard-0000",
        "--jobs",
        "1",
        // Whoever is killed so often is usually at fault itself.
        "--repo-tries",
        "1000",
    ];
    for step in 0..12_u64 {
        let mut child = command(&place.path(""), &words)
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("it can be started");
        // Each time at another place; there is no event that would say so.
        let (_sender, nobody) = std::sync::mpsc::channel::<()>();
        let _waited = nobody.recv_timeout(Duration::from_millis(7 + step * 23));
        child.kill().expect("it is ours");
        child.wait().expect("it is ours");
    }
    let mut ended = command(&place.path(""), &words).output().expect("it runs");
    // What was killed last may still hold the lock for a moment.
    for _ in 0..200 {
        if ended.status.code() != Some(75) {
            break;
        }
        ended = command(&place.path(""), &words).output().expect("it runs");
    }
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(!place.path("plan/shard-0000.part").exists());
    assert_same(&dump(&place, "plan/shard-0000"), &in_one_go(&place));
}

#[test]
fn of_two_versions_of_a_project_the_same_is_taken_in_any_order() {
    let place = Place::new();
    repositories(&place, 1);
    planned(&place, 1);
    mine_shard(&place, 0, &[]).with(0);
    fs::rename(place.path("plan/shard-0000"), place.path("a")).expect("it can be renamed");
    place.write("r0/src/main/java/p/More.java", "package p; class More {}");
    mine_shard(&place, 0, &[]).with(0);
    let said = merged(&place, &["a", "plan/shard-0000"], "x").with(0);
    assert!(said.contains("`r0` is in several versions"), "{said}");
    merged(&place, &["plan/shard-0000", "a"], "y").with(0);
    let [x, y] = ["x", "y"].map(|text| dump(&place, text));
    assert_same(&x, &y);
}

#[test]
fn verdicts_come_along() {
    let place = Place::new();
    repositories(&place, 2);
    planned(&place, 2);
    for (idx, who) in [(0, "ada"), (1, "bob")] {
        mine_shard(&place, idx, &[]).with(0);
        let shard = format!("plan/shard-{idx:04}");
        let words = ["--workspace", &shard, "samples", "--json", "--limit", "1"];
        let out = super::focalist(&place.path(""), &words).out;
        let line: serde_json::Value =
            serde_json::from_str(out.lines().next().unwrap_or_default()).expect("a sample is JSON");
        let key = line["key"].as_str().expect("it has a key").to_owned();
        let words = [
            "--workspace",
            &shard,
            "verdict",
            &key,
            "accept",
            "--as",
            who,
        ];
        super::focalist(&place.path(""), &words).with(0);
    }
    let shards = ["plan/shard-0000", "plan/shard-0001"];
    let said = merged(&place, &shards, "all").with(0);
    assert!(said.contains("2 events of verdicts"), "{said}");
    let words = ["--workspace", "all", "verdicts", "export"];
    let out = super::focalist(&place.path(""), &words).out;
    assert!(out.contains("\"ada\"") && out.contains("\"bob\""), "{out}");
    // In another order, in groups, and twice they are the same.
    merged(&place, &[shards[1]], "grouped").with(0);
    let said = merged(&place, &[shards[1], "grouped", shards[0]], "other").with(0);
    assert!(said.contains("2 events of verdicts"), "{said}");
    let words = ["--workspace", "other", "verdicts", "export"];
    let lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let other = super::focalist(&place.path(""), &words).out;
    assert_eq!(lines(&other), lines(&out));
}
