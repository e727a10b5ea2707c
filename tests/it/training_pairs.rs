//! Pairs for training: prompts and right answers in the formats of trainers.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::support::{Place, python_with};

/// The columns are those that TRL documents for its supervised fine-tuning trainer: `prompt` and `completion`, or
/// `messages` of `role` and `content`. <https://huggingface.co/docs/trl/dataset_formats>
const READ: &str = r#"
import sys, datasets
pairs, chat = (datasets.load_dataset("json", data_files=path, split="train") for path in sys.argv[1:])
assert {"prompt", "completion"} <= set(pairs.column_names), pairs.column_names
assert chat.column_names == ["messages"], chat.column_names
assert len(pairs) == len(chat)
for pair, talk in zip(pairs, chat["messages"]):
    assert [turn["role"] for turn in talk] == ["user", "assistant"], talk
    assert [turn["content"] for turn in talk] == [pair["prompt"], pair["completion"]]
print(len(pairs))
"#;

fn export(place: &Place, format: &str, more: &[&str]) -> Vec<Value> {
    let asked = [&["export", "--format", format], more].concat();
    let lines = place.run(&asked).success();
    let lines = lines.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("a line is JSON")
}

fn text<'v>(line: &'v Value, field: &str) -> &'v str {
    line[field].as_str().expect("a text")
}

/// Returns the samples of the dataset by key.
fn samples(place: &Place) -> BTreeMap<String, Value> {
    let samples = export(place, "jsonl", &[]).into_iter();
    samples
        .map(|sample| (text(&sample, "key").to_owned(), sample))
        .collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn a_pair_asks_for_a_sample_and_answers_with_its_own_part() {
    let place = Place::with_sample_data();
    let samples = samples(&place);
    for (target, part) in [("assertion", "assertion"), ("test", "test")] {
        let pairs = export(&place, "pairs", &["--target", target]);
        let asked: Vec<&str> = pairs.iter().map(|pair| text(pair, "sample")).collect();
        let mut expected: Vec<&str> = samples.keys().map(String::as_str).collect();
        let mut sorted = asked.clone();
        sorted.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sorted, expected, "{target}");
        for pair in &pairs {
            let sample = &samples[text(pair, "sample")];
            let truth = if part == "test" {
                text(&sample["test"], "source")
            } else {
                text(sample, "assertion")
            };
            let answer = text(pair, "completion");
            let answer = answer.strip_prefix("```java\n").unwrap_or(answer);
            let answer = answer.strip_suffix("\n```").unwrap_or(answer);
            assert_eq!(words(answer), words(truth));
            assert!(!words(text(pair, "prompt")).is_empty());
            assert_eq!(pair["target"], target);
        }
    }
}

#[test]
fn context_gives_way_to_the_budget_and_nothing_is_cut() {
    let place = Place::with_sample_data();
    let all = export(&place, "pairs", &[]);
    let tokens = |pairs: &[Value]| -> Vec<u64> {
        let tokens = pairs.iter().map(|pair| pair["tokens"].as_u64());
        tokens.map(|n| n.expect("a number")).collect()
    };
    let mut sizes = tokens(&all);
    sizes.sort_unstable();
    let most = sizes[sizes.len() / 2];
    let budget = most.to_string();
    let some = export(&place, "pairs", &["--budget", &budget]);
    assert!(tokens(&some).iter().all(|n| *n <= most), "{some:?}");
    let is_cut = |pair: &Value| {
        let mut steps = pair["truncated"].as_array().expect("a list").iter();
        steps.any(|step| step == "cut")
    };
    assert!(!some.iter().any(is_cut));
    let is_shorter = |pair: &&Value| pair["truncated"] != serde_json::json!([]);
    assert!(some.iter().any(|pair| is_shorter(&pair)));
    // What is too long without any context is left out, and said.
    let asked = ["export", "--format", "pairs", "--budget", "150", "--output"];
    let output = place.path("few.jsonl").to_string_lossy().into_owned();
    let said = place.run(&[&asked[..], &[&output]].concat()).err;
    assert!(said.contains("left out: too long for the budget"), "{said}");

    let bare = export(&place, "pairs", &["--no-context"]);
    assert_eq!(bare.len(), all.len());
    let has_context = |pair: &&Value| text(pair, "prompt").contains("Before each test runs");
    assert!(all.iter().any(|pair| has_context(&pair)));
    assert!(!bare.iter().any(|pair| has_context(&pair)));
}

#[test]
fn every_form_has_the_same_pairs_in_the_same_order() {
    let place = Place::with_languages();
    let more = ["--system", "You write tests."];
    let pairs = export(&place, "pairs", &more);
    let chats = export(&place, "chat", &more);
    assert_eq!(pairs.len(), chats.len());
    assert!(pairs.len() > 20, "{}", pairs.len());
    for (pair, chat) in pairs.iter().zip(&chats) {
        let said = chat["messages"].as_array().expect("messages");
        let roles: Vec<&str> = said.iter().map(|turn| text(turn, "role")).collect();
        assert_eq!(roles, ["system", "user", "assistant"]);
        let prompt = format!("You write tests.\n\n{}", text(&said[1], "content"));
        assert_eq!(text(pair, "prompt"), prompt);
        assert_eq!(pair["completion"], said[2]["content"]);
        // Loaders that know their columns refuse others.
        assert_eq!(chat.as_object().map(serde_json::Map::len), Some(1));
    }
    let split = |name: &str| export(&place, "pairs", &["--split", name]).len();
    let splits = ["train", "validation", "test"].map(split);
    assert_eq!(splits.iter().sum::<usize>(), pairs.len());
}

#[test]
fn loaders_of_datasets_read_the_columns_that_trainers_ask_for() {
    let Some(python) = python_with("datasets") else {
        return;
    };
    let place = Place::with_languages();
    let written = ["pairs", "chat"].map(|format| {
        let path = place.path(&format!("{format}.jsonl"));
        let output = path.to_string_lossy().into_owned();
        let asked = ["export", "--format", format, "--target", "test", "--output"];
        place.run(&[&asked[..], &[&output]].concat()).success();
        path
    });
    let script = place.write("read.py", READ);
    let ended = Command::new(python)
        .arg(script)
        .args(written)
        .env("HF_HOME", place.path("hub"))
        .env("HF_HUB_OFFLINE", "1")
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let n_read = String::from_utf8_lossy(&ended.stdout);
    assert!(
        n_read.trim().parse::<usize>().is_ok_and(|n| n > 20),
        "{n_read}"
    );
}

#[test]
fn options_of_pairs_are_not_for_other_formats() {
    let place = Place::with_sample_data();
    let said = place.run(&["export", "--budget", "4k"]).err;
    assert!(
        said.contains("`--budget` needs `--format pairs` or `chat`"),
        "{said}"
    );
    let said = place
        .run(&["export", "--format", "pairs", "--layout", "hf"])
        .err;
    assert!(said.contains("`--layout` needs `--format mera`"), "{said}");
}
