//! Shards from end to end: a list is planned, mined by processes that are killed, hang and fail, and merged in every
//! order; the index is the same each time, byte for byte.
//!
//! Tests with the actual workflow engines run where `FOCALIST_NEED_TOOLS` is set.

mod engines;
mod faults;
mod fetching;
mod merging;
mod mixed;
mod parquet;
mod planning;
mod runs;

use std::path::Path;
use std::process::{Command, Output};

use crate::support::{COUNTER, COUNTER_TEST, Place, copy};

/// The exit code and the messages of a process.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    said: String,
}

impl Ended {
    /// Returns the messages after checking the code.
    fn with(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.said);
        self.said
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
        Self {
            code: output.status.code(),
            out: text(output.stdout),
            said: text(output.stderr),
        }
    }
}

/// Returns a command that runs the program in a folder: its workers are the same program.
fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_focalist"));
    command
        .args(["--config", "/dev/null"])
        .args(words)
        .current_dir(folder)
        .env_remove("FOCALIST_WORKSPACE")
        // What is trusted is of the user of this place.
        .env("XDG_DATA_HOME", folder.join("user/data"));
    command
}

fn focalist(folder: &Path, words: &[&str]) -> Ended {
    let output = command(folder, words).output();
    output.expect("the program can be started").into()
}

/// Creates small repositories that share classes and tests, and a list of them: some samples are duplicates of others
/// in other repositories, and two repositories are complete copies.
fn repositories(place: &Place, n_repos: usize) -> String {
    let mut list = String::new();
    for idx in 0..n_repos {
        let name = format!("r{idx}");
        place.counter(&name);
        for other in 0..idx % 3 {
            let class = format!("Counter{other}");
            let rename = |text: &str| text.replace("Counter", &class).replace("inc", "more");
            let main = format!("{name}/src/main/java/p/{class}.java");
            place.write(&main, rename(COUNTER));
            let test = format!("{name}/src/test/java/p/{class}Test.java");
            place.write(&test, rename(COUNTER_TEST));
        }
        let own = format!("{name}/src/main/java/p/Own{}.java", idx / 2);
        place.write(&own, format!("package p; class Own{} {{}}", idx / 2));
        list.push_str(&format!(
            "{{\"path\":\"{name}\",\"size_bytes\":{}}}\n",
            (idx + 1) * 100
        ));
    }
    place.write("list.jsonl", &list);
    list
}

/// Plans the list into `plan`.
fn planned(place: &Place, n_shards: usize) {
    let n_shards = n_shards.to_string();
    let words = [
        "plan",
        "--list",
        "list.jsonl",
        "--shards",
        &n_shards,
        "--output",
        "plan",
    ];
    focalist(&place.path(""), &words).with(0);
}

fn mine_shard(place: &Place, idx: usize, more: &[&str]) -> Ended {
    let (shard, output) = (
        format!("plan/shard-{idx:04}.jsonl"),
        format!("plan/shard-{idx:04}"),
    );
    let mut words = vec![
        "mine", "--shard", &shard, "--output", &output, "--jobs", "1",
    ];
    words.extend(more);
    focalist(&place.path(""), &words)
}

fn merged(place: &Place, inputs: &[&str], into: &str) -> Ended {
    let mut words = vec!["merge", "--workspace", into];
    words.extend(inputs);
    focalist(&place.path(""), &words)
}

fn dump(place: &Place, workspace: &str) -> String {
    let words = ["--workspace", workspace, "export", "--format", "dump"];
    let ended = focalist(&place.path(""), &words);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    ended.out
}

/// Returns the dump of the index from one process mining the whole list.
fn in_one_go(place: &Place) -> String {
    let words = ["--workspace", "one", "mine", "--list", "list.jsonl"];
    focalist(&place.path(""), &words).with(0);
    dump(place, "one")
}

/// Compares dumps without printing them completely.
fn assert_same(found: &str, expected: &str) {
    assert!(expected.lines().count() > 10, "{expected}");
    let mut lines = found.lines().zip(expected.lines());
    if let Some((found, expected)) = lines.find(|line| line.0 != line.1) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
}
