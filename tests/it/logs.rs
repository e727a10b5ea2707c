//! Importing the output of other harnesses: logs that Inspect wrote with its mock model (`tests/fixtures/logs`), files
//! in the formats of SWE-bench, `EvalPlus`, bigcode and `OpenAI`, and rows of published datasets.

use std::fs;
use std::path::Path;

use focalist::cli::ExitCode;
use serde_json::{Value, json};

use crate::support::Place;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/logs");
    path.join(name).to_string_lossy().into_owned()
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn jsonl(place: &Place, name: &str, lines: &[Value]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = place.write(name, lines.concat());
    path.to_string_lossy().into_owned()
}

/// Returns sample, attempt and answer of each prediction of a run, in order.
fn answers(place: &Place, run: &str) -> Vec<(String, u64, String)> {
    let text = place
        .run(&["export", "--format", "dump", "--run", run])
        .success();
    let rows = json_lines(&text).into_iter();
    let rows = rows.filter(|row| row["table"] == "predictions");
    rows.map(|value| {
        let row = &value["row"];
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let attempt = row["attempt"].as_u64().unwrap_or_default();
        (text("key"), attempt, text("answer"))
    })
    .collect()
}

fn run_row(place: &Place, run: &str) -> Value {
    let rows = json_lines(&place.run(&["runs", run, "--json"]).success());
    rows.into_iter().next().expect("there is one run")
}

/// Imports a file, and returns the messages.
fn import(place: &Place, file: &str, more: &[&str]) -> String {
    let words = [&["import", file], more].concat();
    let outcome = place.run(&words);
    assert_eq!(outcome.code, ExitCode::Ok, "{words:?}\n{}", outcome.err);
    outcome.err
}

fn refused(place: &Place, file: &str, more: &[&str]) -> String {
    let words = [&["import", file], more].concat();
    place.run(&words).failure(ExitCode::Problems)
}

#[track_caller]
fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in:\n{said}");
    }
}

#[test]
fn two_logs_of_one_task_are_compared_without_anything_else() {
    let place = Place::new();
    let said = import(&place, &fixture("other.eval"), &["--run", "b"]);
    assert_says(
        &said,
        &["dataset log:unit_tests: 3 samples without sources"],
    );
    let said = import(&place, &fixture("two-epochs.eval"), &["--run", "a"]);
    assert!(!said.contains("dataset"), "{said}");
    assert_says(&said, &["run a: 6 predictions for 3 samples; 0 problems"]);
    assert_eq!(run_row(&place, "a")["model"], "mockllm/model");
    place.run(&["eval", "--metrics", "em"]).success();
    let compared = place.run(&["compare", "a", "b", "--json"]).success();
    let compared: Value = serde_json::from_str(&compared).expect("it is JSON");
    let slice = &compared["slices"][0];
    assert_eq!(slice["n"], 3);
    // As the harness scored them: 2 of 3 in the first epoch, and 1 of 3.
    let metric = &slice["metrics"][0];
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().expect("it is a number");
        assert!((value - expected).abs() < 1e-9, "{value}");
    };
    close(&metric["a"], 2.0 / 3.0);
    close(&metric["b"], 1.0 / 3.0);
}

#[test]
fn epochs_are_attempts_and_what_the_log_says_of_them_stays() {
    let place = Place::new();
    import(&place, &fixture("two-epochs.eval"), &["--run", "a"]);
    let mut attempts: Vec<u64> = answers(&place, "a").iter().map(|answer| answer.1).collect();
    attempts.sort_unstable();
    assert_eq!(attempts, [0, 0, 0, 1, 1, 1]);
    let text = place
        .run(&["export", "--format", "dump", "--run", "a"])
        .success();
    assert_says(&text, &["\\\"scores\\\":{\\\"includes\\\":\\\"C\\\"}"]);
    let results = |words: &[&str]| {
        let words = [&["results"], words, &["--json"]].concat();
        json_lines(&place.run(&words).success())
    };
    let right = results(&["a", "meta:includes=C", "--columns", "meta:includes"]);
    let all = results(&["a", "--texts"]);
    assert!(
        !right.is_empty()
            && right
                .iter()
                .all(|value| value["meta_scores"] == json!({"includes": "C"}))
    );
    let n_right = all
        .iter()
        .filter(|value| value["meta_scores"]["includes"] == "C");
    assert_eq!(n_right.count(), right.len());
    // 12 and 7 tokens for each of 6 answers, as the log's own sum says.
    let cost = json_lines(&place.run(&["runs", "a", "--cost", "--json"]).success());
    assert_says(
        &cost[0].to_string(),
        &["\"tokens_in\":72", "\"tokens_out\":42"],
    );
}

#[test]
fn a_log_of_one_object_says_the_same_and_one_that_was_cut_off_what_it_has() {
    let place = Place::new();
    import(&place, &fixture("whole.json"), &["--run", "object"]);
    let said = import(&place, &fixture("unfinished.eval"), &["--run", "cut"]);
    assert_says(
        &said,
        &[
            "run cut: 2 predictions for 2 samples; 0 problems",
            "the evaluation did not finish",
        ],
    );
    assert_eq!(run_row(&place, "cut")["model"], "mockllm/model");
    let all = answers(&place, "object");
    assert_eq!(all.len(), 3);
    for answer in answers(&place, "cut") {
        assert!(all.contains(&answer), "{answer:?} is not in {all:?}");
    }
}

#[test]
fn a_log_answers_mined_samples_by_the_field_that_names_them() {
    let place = Place::new();
    let folder = place.counter("repo");
    place.run(&["mine", &folder]).success();
    let samples = json_lines(&place.run(&["export", "--all"]).success());
    let key = samples[0]["key"].as_str().expect("a sample has a key");
    let log = fs::read_to_string(fixture("whole.json")).expect("the fixture is there");
    let log = log.replacen("16f4ba192163aed46590a99789a1d47b", key, 2);
    let log = place.write("log.json", log).to_string_lossy().into_owned();
    let said = import(&place, &log, &["--run", "a", "--id", "metadata.key"]);
    assert!(!said.contains("dataset"), "{said}");
    assert_says(
        &said,
        &[
            "run a: 1 prediction for 1 sample; 2 problems",
            "2 answers name no sample of the index",
            "no sample `06f4ba192163aed46590a99789a1d47b` in the index",
        ],
    );
    // Without it, the ids are not found; no row becomes a sample beside mined ones.
    let said = refused(&place, &log, &["--run", "b"]);
    assert_says(&said, &["no prediction of 3 could be used"]);
    // Another answer: the one that the scorer extracted.
    let answer = [
        "--run",
        "c",
        "--id",
        "metadata.key",
        "--answer",
        "scores.includes.answer",
    ];
    import(&place, &log, &answer);
    assert_eq!(answers(&place, "c")[0].2, "asserttrue(b());");
}

#[test]
fn broken_logs_are_told_and_leave_no_run() {
    let place = Place::new();
    let whole = fs::read(fixture("two-epochs.eval")).expect("the fixture is there");
    let write = |name: &str, bytes: &[u8]| place.write(name, bytes).to_string_lossy().into_owned();
    let cut = write("cut.eval", &whole[..whole.len() / 2]);
    let said = import(&place, &cut, &["--run", "cut"]);
    assert_says(
        &said,
        &[
            "cut.eval:4: bad_line: the archive is cut off in `samples/p.A#a_epoch_2.json`: 3 of 6 samples are lost",
            "run cut: 3 predictions for 3 samples; 1 problem",
        ],
    );
    let nothing = write("nothing.eval", &whole[..200]);
    let said = refused(&place, &nothing, &["--run", "a"]);
    assert_says(
        &said,
        &[
            "nothing.eval:1: not a complete zip archive",
            "copy the log once more",
        ],
    );
    // One byte of a packed sample is changed: the other samples are loaded.
    let mut damaged = whole;
    let name = b"samples/3_epoch_1.json";
    let at = damaged
        .windows(name.len())
        .position(|window| window == name);
    damaged[at.expect("the sample is there") + name.len() + 600] ^= 0xff;
    let damaged = write("damaged.eval", &damaged);
    let said = import(&place, &damaged, &["--run", "a"]);
    assert_says(
        &said,
        &[
            "damaged.eval:3: bad_line: `samples/3_epoch_1.json`: ",
            "run a: 5 predictions for 2 samples; 1 problem",
        ],
    );
    // One truncated object.
    let text = fs::read(fixture("whole.json")).expect("the fixture is there");
    let text = write("cut.json", &text[..20_000]);
    let said = import(&place, &text, &["--run", "b"]);
    assert_says(
        &said,
        &[
            "cut.json:2: bad_line: ends in the middle of an object",
            "run b: 1 prediction for 1 sample; 1 problem",
        ],
    );
    let said = refused(
        &place,
        &fixture("other.eval"),
        &["--run", "c", "--id", "metadata.no"],
    );
    assert_says(&said, &["no field `metadata.no`"]);
    let runs = json_lines(&place.run(&["runs", "--json"]).success());
    let names: Vec<&Value> = runs.iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["cut", "a", "b"]);
}

fn pairs_of_files() -> Vec<Value> {
    let pair = |commit: &str, id: &str, test: &str| {
        json!({"repo": "o/r", "base_commit": commit, "instance_id": "o__r-1", "id": id, "version": "1",
            "code_file": "a/b.py", "code_src": "def b():\n    return 1\n", "test_file": "tests/test_b.py",
            "test_src": test, "preds_context": {"none": "", "preamble": "from a.b import b\n"}})
    };
    vec![
        pair("abc123", "o__r-1-7", "def test_b():\n    assert b() == 1\n"),
        pair(
            "def456",
            "o__r-1-8",
            "import unittest\nclass T(unittest.TestCase):\n    pass\n",
        ),
        json!({"repo": "o/r", "id": "o__r-1-9"}),
    ]
}

#[test]
fn pairs_of_files_are_samples_that_patches_answer() {
    let place = Place::new();
    let rows = jsonl(&place, "pairs.jsonl", &pairs_of_files());
    let outcome = place.run(&["import", &rows, "--dataset", "testgeneval"]);
    assert_says(
        &outcome.err,
        &[
            "pairs.jsonl:3: bad_line: no field `base_commit` beside `id` `repo`",
            "dataset pairs: 2 tests in 2 projects, 2 mapped",
            "the sources of 2 projects are elsewhere",
            "`git clone -- https://github.com/o/r r && git -C r checkout abc123 --`",
        ],
    );
    let patch = "--- /dev/null\n+++ b/tests/test_b.py\n@@ -0,0 +1,2 @@\n+def test_b():\n+    assert b() == 2\n";
    let prediction = |id: &str, patch: &str| json!({"instance_id": id, "model_name_or_path": "big", "model_patch": patch});
    let lines = [
        prediction("o__r-1-7", patch),
        prediction("o__r-1-8", "--- a\n"),
        prediction("o__r-2", patch),
    ];
    let said = import(
        &place,
        &jsonl(&place, "predictions.jsonl", &lines),
        &["--run", "a", "--target", "test"],
    );
    assert_says(
        &said,
        &[
            "run a: 1 prediction for 1 sample; 2 problems",
            "predictions.jsonl:2: bad_line: no test is added in `model_patch`",
            "predictions.jsonl:3: bad_line: `o__r-2` is not a sample's key, and no imported dataset has such a sample",
            "1 answer names no sample of the index",
        ],
    );
    assert_eq!(run_row(&place, "a")["model"], "big");
    assert_eq!(
        answers(&place, "a")[0].2,
        "def test_b():\n    assert b() == 2"
    );
    let said = place.run(&["prepare", "github.com/o/r/tree/abc123"]);
    assert_ne!(said.code, ExitCode::Ok);
    assert_says(
        &said.err,
        &["its sources are not here: `git clone -- https://github.com/o/r r"],
    );
}

#[test]
fn rows_with_named_fields_are_samples_that_any_harness_answers() {
    let place = Place::new();
    let row = |id: &str, code: &str| json!({"task": id, "code": code, "lang": "python"});
    let rows = [
        row("T/0", "def test_x():\n    assert x()\n"),
        row("T/1", "def test_y():\n    assert y()\n"),
    ];
    let rows = jsonl(&place, "rows.jsonl", &rows);
    let fields = "id=task,test.source=code,language=lang";
    let said = import(&place, &rows, &["--dataset", "jsonl", "--fields", fields]);
    assert_says(&said, &["dataset rows: 2 tests in 1 project"]);
    let test = &json_lines(&place.run(&["export", "--all"]).success())[0]["test"];
    assert_eq!(
        (&test["file"], &test["framework"]),
        (&json!("Test.py"), &json!("pytest"))
    );

    let programs = [
        json!({"task_id": "T/0", "solution": "first"}),
        json!({"task_id": "T/0", "completion": "second"}),
        json!({"task_id": "T/2", "solution": "third"}),
    ];
    let target = ["--target", "test", "--run"];
    let said = import(
        &place,
        &jsonl(&place, "programs.jsonl", &programs),
        &[&target[..], &["programs"]].concat(),
    );
    assert_says(
        &said,
        &["programs.jsonl:3: bad_line: `T/2` is not a sample's key"],
    );
    let found = answers(&place, "programs");
    let attempts: Vec<(u64, &str)> = found
        .iter()
        .map(|found| (found.1, found.2.as_str()))
        .collect();
    assert_eq!(attempts, [(0, "first"), (1, "second")]);

    let body = json!({"model": "m", "choices": [{"index": 0, "message": {"content": "said"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
    let batch = [
        json!({"custom_id": "T/1", "error": null, "response": {"status_code": 200, "body": body}}),
        json!({"custom_id": "T/0", "response": null, "error": {"message": "late"}}),
    ];
    let said = import(
        &place,
        &jsonl(&place, "batch.jsonl", &batch),
        &[&target[..], &["batch"]].concat(),
    );
    assert_says(
        &said,
        &["batch.jsonl:2: bad_line: its request failed: late"],
    );
    assert_eq!(answers(&place, "batch")[0].2, "said");

    let generations = place.write("generations.json", "[[\"a\", \"b\"], [\"c\", \"d\"]]");
    let generations = generations.to_string_lossy().into_owned();
    let aligned = ["--aligned-with", "repo:rows", "--all"];
    let said = import(
        &place,
        &generations,
        &[&target[..], &["places"], &aligned].concat(),
    );
    assert_says(
        &said,
        &["run places: 4 predictions for 2 samples; 0 problems"],
    );
    assert_says(
        &refused(&place, &generations, &[&target[..], &["nowhere"]].concat()),
        &["no field `sample` beside `generations`"],
    );
}

#[test]
fn programs_without_tests_and_functions_that_are_some_come_in() {
    let place = Place::new();
    let program = json!({"task_num": 4, "task_title": "T", "func_name": "f", "description": "d",
        "python_solution": "class Solution:\n  def f(self):\n    return 1\n"});
    let rows = jsonl(
        &place,
        "programs.jsonl",
        &[program, json!({"task_num": "x"})],
    );
    let outcome = place.run(&["import", &rows, "--dataset", "testeval"]);
    assert_says(
        &outcome.err,
        &[
            "programs.jsonl:2: bad_line: `task_num` is text where a count should be",
            "dataset programs: 1 test in 1 project, 1 mapped, 0 with an assertion part",
        ],
    );
    let function = |path: &str, name: &str, source: &str| {
        json!({"repo": "o/r", "path": path, "func_name": name, "original_string": source, "language": "java",
            "url": format!("https://github.com/o/r/blob/abc999/{path}#L1-L4"), "partition": "test"})
    };
    let rows = [
        function(
            "src/test/java/p/ATest.java",
            "ATest.testA",
            "@Test\npublic void testA() {\n  a();\n}",
        ),
        function("A.java", "A.a", "int a() { return 1; }"),
    ];
    let rows = jsonl(&place, "functions.jsonl", &rows);
    let said = import(&place, &rows, &["--dataset", "codesearchnet"]);
    assert_says(
        &said,
        &[
            "dataset functions: 1 test in 1 project",
            "1 row left out: no tests",
            "checkout abc999",
        ],
    );
    let said = place.run(&["import", &rows, "--dataset", "testeval", "--name", "other"]);
    assert_says(
        &said.failure(ExitCode::Problems),
        &["none of its rows is a sample: no field `task_num` beside"],
    );
}
