//! Runs of several languages in shards: evaluated, executed and generated separately, cut and merged in several ways,
//! with the same result as in one process.

use std::fs;

use focalist::generate::testing::Server;
use serde_json::Value;

use super::runs::{METRICS, dump, merge};
use super::{Ended, assert_same, focalist};
use crate::prepare::{TURN, cache, has_tools};
use crate::support::{Place, copy, sample_data};

/// Creates the samples of five languages and a file of answers for a run `m`: the truth, and something else as a second
/// attempt.
fn several_languages() -> Place {
    let place = Place::with_languages();
    let repos = sample_data("repos");
    focalist(
        &place.path(""),
        &["--workspace", ".", "mine", "--each", &repos],
    )
    .with(0);
    let exported = focalist(&place.path(""), &["--workspace", ".", "export", "--all"]);
    let mut predictions = String::new();
    for (idx, line) in exported.out.lines().enumerate() {
        let row: Value = serde_json::from_str(line).expect("a line is JSON");
        let whole = row["test"]["source"].as_str().expect("it has a text");
        let other = whole.replace('1', "2");
        let texts = [whole, &other];
        for (attempt, text) in texts[..=usize::from(idx % 3 == 0)].iter().enumerate() {
            let line =
                serde_json::json!({"sample": row["key"], "attempt": attempt, "prediction": text});
            predictions.push_str(&format!("{line}\n"));
        }
    }
    place.write("m.jsonl", predictions);
    place
}

fn import_whole_tests(place: &Place) {
    let import = ["--workspace", ".", "import", "m.jsonl", "--run", "m"];
    focalist(
        &place.path(""),
        &[&import[..], &["--target", "test"]].concat(),
    )
    .with(0);
    copy(&place.path(".focalist"), &place.path("one/.focalist"));
}

/// Plans this number of shards of the run, works on each, and merges them in the seed's order, one of them twice.
fn in_shards(place: &Place, (seed, n_shards): (usize, usize), work: &dyn Fn(&str, &str)) {
    let folder = format!("plan-{seed}");
    let n = n_shards.to_string();
    let words = ["--workspace", ".", "plan", "--run", "m", "--shards", &n];
    focalist(
        &place.path(""),
        &[&words[..], &["--output", &folder]].concat(),
    )
    .with(0);
    let mut shards: Vec<String> = (0..n_shards)
        .map(|idx| format!("{folder}/shard-{idx:04}"))
        .filter(|shard| place.path(&format!("{shard}.jsonl")).exists())
        .collect();
    for shard in &shards {
        work(&format!("{shard}.jsonl"), shard);
    }
    let n_turned = seed % shards.len();
    shards.rotate_left(n_turned);
    if seed % 2 == 1 {
        shards.reverse();
    }
    shards.push(shards[0].clone());
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    merge(place, &shards, &["--strict"]).with(0);
}

#[test]
fn a_run_of_several_languages_is_evaluated_in_any_shards_as_in_one_go() {
    let place = several_languages();
    import_whole_tests(&place);
    let before = place.path("before");
    copy(&place.path(".focalist"), &before);
    let eval = |workspace: &str| {
        let words = ["--workspace", workspace, "eval", "m", "--metrics", METRICS];
        focalist(&place.path(""), &words).with(0)
    };
    eval("one");
    let expected = dump(&place, "one");
    for shape in [(0, 2), (1, 3), (2, 7)] {
        fs::remove_dir_all(place.path(".focalist")).expect("it is ours");
        copy(&before, &place.path(".focalist"));
        in_shards(&place, shape, &|list, output| {
            let words = ["eval", "--shard", list, "--output", output, "--jobs", "1"];
            focalist(
                &place.path(""),
                &[&words[..], &["--metrics", METRICS]].concat(),
            )
            .with(0);
        });
        eval(".");
        assert_same(&dump(&place, "."), &expected);
    }
    let rows = |workspace: &str| {
        let words = [
            "--workspace",
            workspace,
            "runs",
            "--by",
            "language",
            "--json",
        ];
        focalist(&place.path(""), &words).out
    };
    assert_eq!(rows("."), rows("one"));
    assert_eq!(rows("one").lines().count(), 5);
}

#[test]
fn a_run_of_several_languages_is_executed_in_any_shards_as_in_one_go() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    // A project in Python that is built, one in Java that is not, and others that nothing runs.
    let place = several_languages();
    import_whole_tests(&place);
    let before = place.path("before");
    copy(&place.path(".focalist"), &before);
    let run = |words: &[&str]| {
        let mut command = super::command(&place.path(""), words);
        let output = command.env("FOCALIST_CACHE", cache()).output();
        Ended::from(output.expect("the program can be started")).with(0)
    };
    run(&["--workspace", "one", "execute", "m"]);
    let expected = dump(&place, "one");
    for shape in [(1, 3), (2, 7)] {
        fs::remove_dir_all(place.path(".focalist")).expect("it is ours");
        copy(&before, &place.path(".focalist"));
        in_shards(&place, shape, &|list, output| {
            let words = ["execute", "--shard", list, "--output", output];
            run(&[&words[..], &["--jobs", "1"]].concat());
        });
        assert_same(&dump(&place, "."), &expected);
    }
    let rows = |workspace: &str| {
        let words = [
            "--workspace",
            workspace,
            "runs",
            "--by",
            "language",
            "--json",
        ];
        focalist(&place.path(""), &words).out
    };
    let told = rows("one");
    assert_eq!(rows("."), told);
    for (language, part) in [
        ("python", "\"correct\":"),
        ("java", "\"no_build\":"),
        ("csharp", "\"no_engine\":"),
    ] {
        let line = told.lines().find(|line| line.contains(language));
        let line = line.unwrap_or_else(|| panic!("{language}: {told}"));
        assert!(line.contains(part), "{line}");
        assert!(!line.contains(&format!("{part}0,")), "{line}");
    }
}

#[test]
fn prompts_of_several_languages_are_asked_in_any_shards_as_in_one_go() {
    let place = Place::with_languages();
    copy(&place.path(".focalist"), &place.path("one/.focalist"));
    let before = place.path("before");
    copy(&place.path(".focalist"), &before);
    let prompts = ["--workspace", ".", "prompts", "--kind", "assertion"];
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
        ];
        focalist(&place.path(""), &[&words[..], more].concat()).with(0)
    };
    let file = ["--prompts", "prompts.jsonl"];
    ask(&[&file[..], &["--workspace", "one"]].concat());
    let expected = dump(&place, "one");
    let n_asked = server.n_requests();
    for (n_before, (seed, n_shards)) in [(0, 2), (1, 5)].into_iter().enumerate() {
        fs::remove_dir_all(place.path(".focalist")).expect("it is ours");
        copy(&before, &place.path(".focalist"));
        let folder = format!("asked-{seed}");
        let n = n_shards.to_string();
        let words = ["--workspace", ".", "plan", "--run", "m", "--shards", &n];
        let words = [&words[..], &file, &["--output", &folder]].concat();
        focalist(&place.path(""), &words).with(0);
        let mut shards: Vec<String> = (0..n_shards)
            .map(|idx| format!("{folder}/shard-{idx:04}"))
            .collect();
        for shard in &shards {
            ask(&["--shard", &format!("{shard}.jsonl"), "--output", shard]);
        }
        shards.rotate_left(seed);
        let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
        merge(&place, &shards, &["--strict"]).with(0);
        ask(&[&file[..], &["--workspace", "."]].concat());
        assert_eq!(server.n_requests(), (n_before + 2) * n_asked);
        assert_same(&dump(&place, "."), &expected);
    }
}
