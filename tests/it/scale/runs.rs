//! Runs in shards: evaluated, executed and generated separately, merged in any order, with the same result as in one
//! process.

use std::fs;
use std::process::Command;

use focalist::generate::testing::Server;
use serde_json::Value;

use super::engines::{driver_of, has_engines};
use super::{Ended, assert_same, focalist};
use crate::prepare::{TURN, cache, has_tools, project};
use crate::support::{Place, copy};

/// The number of shards of a run.
const N_SHARDS: usize = 3;

/// The last metric needs the whole training split.
pub const METRICS: &str = "bleu,codebleu,crystalbleu";

/// Creates a place with two workspaces that have the same samples and a run `m`: whole answers, halves, texts that do
/// not parse, and second attempts.
fn planted() -> Place {
    let place = Place::with_sample_data();
    let exported = focalist(&place.path(""), &["--workspace", ".", "export", "--all"]);
    let mut predictions = String::new();
    for (idx, line) in exported.out.lines().enumerate() {
        let row: Value = serde_json::from_str(line).expect("a line is JSON");
        let whole = row["test"]["source"].as_str().expect("it has a text");
        let half = whole.chars().take(whole.chars().count() / 2).collect();
        let texts: &[String] = match idx % 3 {
            0 => &[whole.to_owned()],
            1 => &[half, whole.to_owned()],
            _ => &[whole.replace('1', "2")],
        };
        for (attempt, text) in texts.iter().enumerate() {
            let line =
                serde_json::json!({"sample": row["key"], "attempt": attempt, "prediction": text});
            predictions.push_str(&format!("{line}\n"));
        }
    }
    place.write("m.jsonl", predictions);
    let import = ["--workspace", ".", "import", "m.jsonl", "--run", "m"];
    focalist(
        &place.path(""),
        &[&import[..], &["--target", "test"]].concat(),
    )
    .with(0);
    copy(&place.path(".focalist"), &place.path("one/.focalist"));
    place
}

fn plan(place: &Place, more: &[&str]) -> Ended {
    let n_shards = N_SHARDS.to_string();
    let words = ["--workspace", ".", "plan", "--run", "m", "--output", "plan"];
    let shards = ["--shards", n_shards.as_str()];
    focalist(&place.path(""), &[&words[..], &shards, more].concat())
}

fn shard(idx: usize) -> [String; 2] {
    let output = format!("plan/shard-{idx:04}");
    [format!("{output}.jsonl"), output]
}

fn on_shard(place: &Place, idx: usize, verb: &[&str]) -> Ended {
    let [list, output] = shard(idx);
    let of_shard = ["--shard", list.as_str(), "--output", output.as_str()];
    focalist(&place.path(""), &[verb, &of_shard].concat())
}

pub fn merge(place: &Place, shards: &[&str], more: &[&str]) -> Ended {
    let words = ["--workspace", ".", "merge", "--run", "m"];
    focalist(&place.path(""), &[&words[..], more, shards].concat())
}

pub fn dump(place: &Place, workspace: &str) -> String {
    let words = [
        "--workspace",
        workspace,
        "export",
        "--format",
        "dump",
        "--run",
        "m",
    ];
    let ended = focalist(&place.path(""), &words);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    ended.out
}

const SHARDS: [&str; N_SHARDS] = ["plan/shard-0000", "plan/shard-0001", "plan/shard-0002"];

#[test]
fn a_run_evaluated_in_shards_is_the_one_evaluated_in_one_go() {
    let place = planted();
    focalist(
        &place.path(""),
        &["--workspace", "one", "eval", "m", "--metrics", METRICS],
    )
    .with(0);
    let expected = dump(&place, "one");
    assert!(
        expected.contains("\"table\":\"scores\""),
        "nothing was scored"
    );
    plan(&place, &[]).with(0);
    assert!(
        plan(&place, &[])
            .with(0)
            .contains("they were there already")
    );
    for idx in 0..N_SHARDS {
        on_shard(&place, idx, &["eval", "--jobs", "1", "--metrics", METRICS]).with(0);
        let again = on_shard(&place, idx, &["eval", "--jobs", "1", "--metrics", METRICS]).with(0);
        assert!(again.contains("is done already"), "{again}");
    }
    // A shard with other options is another one.
    let said = on_shard(&place, 0, &["eval", "--metrics", "bleu"]).with(2);
    assert!(said.contains("was not made from this shard"), "{said}");
    // One after the other, in no order, one of them twice, with all that lies beside them.
    merge(&place, &[SHARDS[2], SHARDS[0]], &[]).with(0);
    let beside = [
        "plan/shard-0001.jsonl",
        "plan/shard-0001.db",
        "plan/plan.json",
    ];
    let said = merge(
        &place,
        &[&[SHARDS[1], SHARDS[2]], &beside[..]].concat(),
        &[],
    )
    .with(0);
    assert!(said.contains("2 shards of run m merged"), "{said}");
    let ended = focalist(
        &place.path(""),
        &["--workspace", ".", "eval", "m", "--metrics", METRICS],
    );
    let said = ended.with(0);
    // Only what needs the whole training split was left to do.
    let n_predictions = fs::read_to_string(place.path("m.jsonl")).expect("it is there");
    let left = format!("run m: {} values computed", n_predictions.lines().count());
    assert!(said.contains(&left), "{said}");
    assert_same(&dump(&place, "."), &expected);
    // Once more, and into a workspace that has all of it: nothing changes.
    merge(&place, &SHARDS, &["--strict"]).with(0);
    assert_same(&dump(&place, "."), &expected);
}

#[test]
fn what_is_missing_or_foreign_is_named_and_evaluated_where_it_comes_back() {
    let place = planted();
    focalist(&place.path(""), &["--workspace", "one", "eval", "m"]).with(0);
    plan(&place, &[]).with(0);
    for idx in 0..2 {
        on_shard(&place, idx, &["eval"]).with(0);
    }
    fs::rename(place.path(SHARDS[1]), place.path("plan/shard-0001.part")).expect("it is ours");
    let inputs = [SHARDS[0], "plan/shard-0001.part", SHARDS[2], "one"];
    let said = merge(&place, &inputs, &[]).with(0);
    for expected in [
        "`plan/shard-0001.part` was left out: it is not finished",
        "`plan/shard-0002` was left out: there is no such folder",
        "2 shards of run m merged",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    merge(&place, &inputs, &["--strict"]).with(1);
    focalist(&place.path(""), &["--workspace", ".", "eval", "m"]).with(0);
    assert_same(&dump(&place, "."), &dump(&place, "one"));
    // Answers that came in anew under the same name are others.
    let text = fs::read_to_string(place.path("m.jsonl")).expect("it is there");
    let other = text.replace("\"prediction\":\"", "\"prediction\":\" ");
    assert_ne!(other, text);
    place.write("m.jsonl", other);
    let import = [
        "--workspace",
        ".",
        "import",
        "m.jsonl",
        "--run",
        "m",
        "--replace",
        "--target",
        "test",
    ];
    focalist(&place.path(""), &import).with(0);
    let ended = merge(&place, &[SHARDS[0]], &[]);
    assert!(ended.said.contains("differ from the run here"), "{ended:?}");
    let said = focalist(
        &place.path(""),
        &["plan", "--run", "x", "--shards", "2", "--output", "x"],
    );
    assert!(said.with(3).contains("no run `x`"));
    // Verbs refuse shards that are not theirs.
    let said = on_shard(
        &place,
        0,
        &[
            "generate",
            "--run",
            "m",
            "--model",
            "x",
            "--endpoint",
            "http://127.0.0.1:1/v1",
        ],
    );
    assert!(
        said.with(2)
            .contains("is not a shard that `generate` can use")
    );
}

#[test]
fn prompts_asked_in_shards_are_the_run_asked_in_one_go() {
    let place = Place::with_sample_data();
    copy(&place.path(".focalist"), &place.path("one/.focalist"));
    let prompts = ["--workspace", ".", "prompts", "--kind", "test"];
    let prompts = focalist(&place.path(""), &prompts).out;
    place.write("prompts.jsonl", &prompts);
    let server = Server::echoing();
    let endpoint = server.endpoint();
    let ask = |more: &[&str]| {
        let words = [
            "generate",
            "--run",
            "m",
            "--model",
            "x",
            "--endpoint",
            &endpoint,
            "-n",
            "2",
        ];
        focalist(&place.path(""), &[&words[..], more].concat())
    };
    let file = ["--prompts", "prompts.jsonl"];
    ask(&[&file[..], &["--workspace", "one"]].concat()).with(0);
    let n_asked = server.n_requests();
    plan(&place, &file).with(0);
    for idx in 0..N_SHARDS {
        let [list, output] = shard(idx);
        ask(&["--shard", &list, "--output", &output]).with(0);
    }
    assert_eq!(server.n_requests(), 2 * n_asked);
    let said = merge(&place, &SHARDS, &["--strict"]).with(0);
    assert!(!said.contains(" 0 new answers"), "{said}");
    let said = merge(&place, &SHARDS, &["--strict"]).with(0);
    assert!(said.contains(" 0 new answers"), "{said}");
    ask(&[&file[..], &["--workspace", "."]].concat()).with(0);
    assert_eq!(
        server.n_requests(),
        2 * n_asked,
        "something was asked again"
    );
    assert_same(&dump(&place, "."), &dump(&place, "one"));
}

#[test]
fn parallel_evaluates_the_shards_of_a_run() {
    if !has_engines() {
        return;
    }
    let place = planted();
    focalist(&place.path(""), &["--workspace", "one", "eval", "m"]).with(0);
    plan(&place, &[]).with(0);
    place.write(
        "driver.sh",
        driver_of(&place, "parallel", &["--verb", "eval"]),
    );
    let ended = Command::new("bash")
        .args(["driver.sh", "--metrics", "bleu,codebleu,crystalbleu"])
        .current_dir(place.path(""))
        .env("FOCALIST", env!("CARGO_BIN_EXE_focalist"))
        .env("JOBS", "2")
        .env_remove("FOCALIST_WORKSPACE")
        .output()
        .expect("bash can be started");
    assert!(ended.status.success(), "{ended:?}");
    focalist(&place.path(""), &["--workspace", "two", "runs"]);
    let metrics = |workspace: &str| {
        let lines = dump(&place, workspace);
        let is_asked =
            |line: &&str| line.contains("\"scores\"") && line.contains("\"metric\":\"bleu\"");
        lines
            .lines()
            .filter(is_asked)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(metrics("."), metrics("one"));
    assert!(!metrics(".").is_empty());
}

#[test]
fn a_driver_knows_what_its_shards_are_for() {
    let place = planted();
    plan(&place, &[]).with(0);
    let cluster = |more: &[&str]| {
        let words = ["cluster", "ray", "--shards", "plan"];
        focalist(&place.path(""), &[&words[..], more].concat())
    };
    let said = cluster(&[]).with(3);
    assert!(
        said.contains("`--verb` says what to do with them"),
        "{said}"
    );
    cluster(&["--verb", "generate"]).with(3);
    let script = cluster(&["--verb", "execute"]);
    assert!(
        script
            .out
            .contains("WORK = [\"execute\", \"--jobs\", \"1\"]"),
        "{}",
        script.out
    );
    assert!(
        !script.out.contains('@') || script.out.contains("@ray.remote"),
        "{}",
        script.out
    );
    let script = driver_of(&place, "slurm", &["--verb", "eval"]);
    assert!(
        script.contains("eval --jobs \"${SLURM_CPUS_PER_TASK:-1}\" --shard"),
        "{script}"
    );
}

#[test]
fn a_run_executed_in_shards_is_the_one_executed_in_one_go() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let run = |words: &[&str]| {
        let mut command = super::command(&place.path(""), words);
        let output = command.env("FOCALIST_CACHE", cache()).output();
        let ended = Ended::from(output.expect("the program can be started"));
        assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.said);
        ended.out
    };
    let mut predictions = String::new();
    for name in ["first", "second"] {
        copy(&project("several"), &place.path(name));
        run(&["--workspace", ".", "mine", name]);
    }
    let samples = run(&["--workspace", ".", "samples", "--json", "class:CounterTest"]);
    for line in samples.lines() {
        let sample: Value = serde_json::from_str(line).expect("a line is JSON");
        // Two say the same, so one of them stands for both.
        for (attempt, number) in ["2", "9", "2"].into_iter().enumerate() {
            let text = format!(
                "@Test public void fine() {{ assertEquals({number}, new Counter().add(2)); }}"
            );
            let line = serde_json::json!({"sample": sample["key"], "attempt": attempt, "prediction": text});
            predictions.push_str(&format!("{line}\n"));
        }
    }
    place.write("m.jsonl", predictions);
    run(&[
        "--workspace",
        ".",
        "import",
        "m.jsonl",
        "--run",
        "m",
        "--target",
        "test",
    ]);
    copy(&place.path(".focalist"), &place.path("one/.focalist"));
    run(&["--workspace", "one", "execute", "m"]);
    let expected = dump(&place, "one");
    for part in [
        "\"outcome\":7",
        "\"outcome\":5",
        "\"duplicate_of\":0",
        "focal_totals",
    ] {
        assert!(expected.contains(part), "{part}: {expected}");
    }
    let words = [
        "--workspace",
        ".",
        "plan",
        "--run",
        "m",
        "--shards",
        "9",
        "--output",
        "plan",
    ];
    run(&words);
    for idx in 0..2 {
        let [list, output] = shard(idx);
        run(&[
            "execute", "--shard", &list, "--output", &output, "--jobs", "1",
        ]);
    }
    assert!(
        !place.path("plan/shard-0002.jsonl").exists(),
        "projects are not taken apart"
    );
    run(&[
        "--workspace",
        ".",
        "merge",
        "--run",
        "m",
        SHARDS[1],
        SHARDS[0],
        "--strict",
    ]);
    assert_same(&dump(&place, "."), &expected);
    let again = run(&["--workspace", ".", "execute", "m", "--json"]);
    let again: Value =
        serde_json::from_str(again.lines().next().unwrap_or_default()).expect("JSON");
    let n_run = again["projects"].as_array().expect("some").iter();
    assert_eq!(
        n_run
            .filter_map(|value| value["n_run"].as_u64())
            .sum::<u64>(),
        0,
        "{again}"
    );
    assert_same(&dump(&place, "."), &expected);
}
