//! Files that focalist writes are valid, and damage is found with its location and advice.

use std::fs;
use std::path::Path;
use std::process::Command;

use focalist::cli::ExitCode;
use serde_json::Value;

use crate::support::{Place, python_with};

/// Creates a place with the sample data and its runs.
fn demo() -> Place {
    let place = Place::new();
    place.run(&["demo", "--no-tui"]).success();
    place
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Exports into a file or folder of the place.
fn export(place: &Place, name: &str, asked: &[&str]) {
    let path = text(&place.path(name));
    let all = [&["export", "--output", &path][..], asked].concat();
    place.run(&all).success();
}

/// Validates something in the place and returns the findings.
fn told(place: &Place, name: &str, code: ExitCode) -> Value {
    let path = text(&place.path(name));
    let said = place.run(&["validate", &path, "--json"]);
    assert_eq!(said.code, code, "{name}: {}{}", said.out, said.err);
    serde_json::from_str(&said.out).expect("it is JSON")
}

fn check_valid(place: &Place, name: &str, kind: &str) {
    let told = told(place, name, ExitCode::Ok);
    let files = told["files"].as_array().expect("a list");
    assert!(
        files.iter().any(|file| file["kind"] == kind),
        "{name}: {files:?}"
    );
    assert_eq!(told["valid"], true);
}

#[test]
fn all_lines_and_rows_that_are_exported_are_valid() {
    let place = demo();
    let lines = [
        ("jsonl", "samples"),
        ("tests", "tests"),
        ("methods2test", "mappings of Methods2Test"),
        ("pairs", "training pairs"),
        ("chat", "conversations"),
        ("dump", "rows of an index"),
    ];
    for (format, kind) in lines {
        let name = format!("{format}.jsonl");
        export(&place, &name, &["--format", format]);
        check_valid(&place, &name, kind);
    }
    export(&place, "all.jsonl", &["--all"]);
    check_valid(&place, "all.jsonl", "samples");
    export(&place, "set", &["--format", "parquet"]);
    for kind in [
        "samples",
        "a dataset's card",
        "a description for loaders",
        "a citation",
        "a manifest",
        "tasks of a benchmark",
    ] {
        check_valid(&place, "set", kind);
    }
    for layout in ["jsonl", "hf", "mera"] {
        let asked = ["--format", "mera", "--any-license", "--layout", layout];
        export(&place, layout, &asked);
        check_valid(&place, layout, "records of MERA");
        check_valid(&place, layout, "a manifest");
    }
    let said = place.run(&["benchmark", "split", "--json"]).success();
    place.write("splits.jsonl", said);
    check_valid(&place, "splits.jsonl", "splits");
    let said = place.run(&["prompts", "--kind", "assertion"]).success();
    place.write("prompts.jsonl", said);
    check_valid(&place, "prompts.jsonl", "prompts");
    let manifest = text(&place.path("manifest.json"));
    place.run(&["manifest", "--output", &manifest]).success();
    check_valid(&place, "manifest.json", "a manifest");
    let said = place.run(&["samples", "--json"]).success();
    let first: Value =
        serde_json::from_str(said.lines().next().expect("there is one")).expect("a line is JSON");
    let key = first["key"].as_str().expect("it has a key");
    place
        .run(&["verdict", key, "accept", "--as", "cy"])
        .success();
    let said = place.run(&["verdicts", "export"]).success();
    place.write("verdicts.jsonl", said);
    check_valid(&place, "verdicts.jsonl", "verdicts");
    let results = [
        "--format",
        "eval-results",
        "--run",
        "steady",
        "--hub-dataset",
        "owner/tests",
    ];
    export(&place, "model/.eval_results/tests.yaml", &results);
}

/// Replaces the first occurrence in a file, checks the findings, and restores the file.
fn check_damage(
    place: &Place,
    name: &str,
    (from, to): (&str, &str),
    expected: (Value, &str, &str),
) {
    let path = place.path(name);
    let before = fs::read_to_string(&path).expect("it is there");
    assert!(before.contains(from), "{name} has no {from}");
    fs::write(&path, before.replacen(from, to, 1)).expect("it can be written");
    let told = told(place, name, ExitCode::Problems);
    fs::write(&path, before).expect("it can be written");
    let (line, what, mend) = expected;
    let all = told["problems"].as_array().expect("a list");
    let is_it = |value: &&Value| {
        let has = |field: &str, part: &str| {
            value[field]
                .as_str()
                .is_some_and(|text| text.contains(part))
        };
        value["line"] == line && has("problem", what) && has("mend", mend)
    };
    assert!(
        all.iter().any(|value| is_it(&value)),
        "{name}, {from}: {all:#?}"
    );
}

#[test]
fn what_was_damaged_in_lines_is_found_with_its_line() {
    let place = demo();
    for format in ["jsonl", "tests", "pairs", "chat"] {
        export(&place, &format!("{format}.jsonl"), &["--format", format]);
    }
    place.write(
        "splits.jsonl",
        "{\"repo\":\"a\",\"split\":\"train\"}\n{\"repo\":\"b\",\"split\":\"test\"}\n",
    );
    place.write(
        "predictions.jsonl",
        format!(
            "{{\"sample\":\"{}\",\"prediction\":\"x\"}}\n",
            "0a".repeat(16)
        ),
    );
    place.write(
        "repos.jsonl",
        "{\"url\":\"https://example.org/a\",\"stars\":3}\n",
    );
    let check = |name: &str, from: &str, to: &str, line: u32, what: &str, mend: &str| {
        check_damage(&place, name, (from, to), (line.into(), what, mend));
    };
    check(
        "jsonl.jsonl",
        "\"key\":\"",
        "\"key\":\"x",
        1,
        "hexadecimal",
        "export --format jsonl",
    );
    check("jsonl.jsonl", "}\n{", "}\n{]", 2, "not json", "remove it");
    check(
        "jsonl.jsonl",
        "\"stage\":\"",
        "\"stage\":\"no ",
        1,
        "match.stage",
        "export",
    );
    check(
        "tests.jsonl",
        "\"status\":\"ok\"",
        "\"status\":\"fine\"",
        1,
        "`status` is `fine`",
        "one of `ok`",
    );
    check(
        "tests.jsonl",
        "\"flags\":",
        "\"signs\":",
        1,
        "`flags` is missing",
        "add `flags`",
    );
    check(
        "pairs.jsonl",
        "\"completion\":\"",
        "\"completion\":1,\"x\":\"",
        1,
        "`completion` is 1",
        "text",
    );
    check(
        "chat.jsonl",
        "\"role\":\"assistant\"",
        "\"role\":\"user\"",
        1,
        "do not end",
        "chat",
    );
    check(
        "splits.jsonl",
        "\"split\":\"test\"",
        "\"split\":\"a/b\"",
        2,
        "no name of a split",
        "mend",
    );
    check(
        "splits.jsonl",
        "\"repo\":\"b\"",
        "\"repo\":\"a\"",
        2,
        "the same",
        "keep one",
    );
    check(
        "predictions.jsonl",
        "0a0a",
        "zz",
        1,
        "`sample` is not 32 hexadecimal digits",
        "mend",
    );
    check(
        "repos.jsonl",
        "3}",
        "\"many\"}",
        1,
        "expected u32",
        "remove it",
    );
}

#[test]
fn what_was_damaged_in_a_dataset_is_found_in_its_file() {
    let place = demo();
    export(&place, "set", &["--format", "parquet"]);
    let check_at = |file: &str, (from, to): (&str, &str), at: &str, what: &str, mend: &str| {
        let path = place.path(&format!("set/{file}"));
        let before = fs::read_to_string(&path).expect("it is there");
        let at = before.find(at).expect("it is in the file");
        let line = 1 + before[..at].matches('\n').count();
        fs::write(&path, before.replacen(from, to, 1)).expect("it can be written");
        let told = told(&place, "set", ExitCode::Problems);
        fs::write(&path, before).expect("it can be written");
        let all = told["problems"].as_array().expect("a list");
        let found = all.iter().any(|value| {
            let has = |field: &str, part: &str| {
                value[field]
                    .as_str()
                    .is_some_and(|text| text.contains(part))
            };
            value["file"] == file
                && value["line"] == line
                && has("problem", what)
                && has("mend", mend)
        });
        assert!(found, "{file}:{line} {from}: {all:#?}");
    };
    let check = |file: &str, from: &str, to: &str, what: &str, mend: &str| {
        check_at(file, (from, to), from, what, mend);
    };
    check(
        "README.md",
        "tags:",
        "license:",
        "is repeated",
        "export --format parquet",
    );
    check(
        "README.md",
        "- n<1K",
        "- small",
        "size_categories[0]",
        "n<1K",
    );
    check(
        "README.md",
        "num_examples: ",
        "num_examples: 9",
        "rows here",
        "write",
    );
    check(
        "README.md",
        "path: data/train-*",
        "path: data/trein-*",
        "has no file",
        "put its files",
    );
    check(
        "CITATION.cff",
        "\"1.0.0\"",
        "[1]",
        "`version` is a list",
        "text",
    );
    check(
        "CITATION.cff",
        "name: \"Contr",
        "nick: \"Contr",
        "without a name",
        "add `name`",
    );
    check(
        "CITATION.cff",
        "cff-version: 1.2.0",
        "cff-version: 9",
        "cff-version",
        "1.2.0",
    );
    check(
        "croissant.json",
        "\"sha256\": \"",
        "\"sha256\": \"0",
        "`distribution[0].sha256`",
        "64 hex",
    );
    check(
        "croissant.json",
        "\"sc:Dataset\"",
        "\"sc:Thing\"",
        "`@type`",
        "one of",
    );
    check(
        "croissant.json",
        "\"contentUrl\": \"data/",
        "\"contentUrl\": \"date/",
        "there is no file",
        "put it there",
    );
    check(
        "croissant.json",
        " B\"",
        "0 B\"",
        "has",
        "export --format parquet",
    );
    check(
        "manifest.json",
        "\"n_files\": ",
        "\"n_files\": 1",
        "`n_files` is",
        "write",
    );
    check_at(
        "manifest.json",
        ("\"identity\": \"", "\"identity\": \"x"),
        "\"content\": \"",
        "something was changed",
        "focalist manifest",
    );
    check(
        "manifest.json",
        "\"n_tests\"",
        "\"n_files\"",
        "is repeated",
        "focalist manifest",
    );
    check(
        "eval.yaml",
        "split: \"test\"",
        "split: \"exam\"",
        "no split `exam`",
        "`test`",
    );
    check(
        "eval.yaml",
        "name: ",
        "title: ",
        "`name` is missing",
        "add `name`",
    );

    // A file of data that was changed has another hash, and one that was cut off is not a Parquet file.
    let data = fs::read_dir(place.path("set/data")).expect("it is there");
    let file = data.flatten().next().expect("there is a file").path();
    let bytes = fs::read(&file).expect("it can be read");
    fs::write(&file, &bytes[..bytes.len() / 2]).expect("it can be written");
    let told = told(&place, "set", ExitCode::Problems);
    let said = told["problems"].to_string();
    assert!(said.contains("cannot be read as Parquet"), "{said}");
    assert!(said.contains("has another hash"), "{said}");
}

#[test]
fn what_cannot_be_read_and_what_nobody_knows_end_otherwise_than_what_is_wrong() {
    let place = Place::new();
    let validate = |name: &str| place.run(&["validate", &text(&place.path(name))]);
    let said = validate("nothing.jsonl").failure(ExitCode::Input);
    assert!(said.contains("cannot read"), "{said}");
    place.write("notes.txt", "hello");
    let said = validate("notes.txt").failure(ExitCode::Input);
    assert!(said.contains("no format"), "{said}");
    place.write("foreign.jsonl", "{\"colour\":\"red\"}\n");
    let said = validate("foreign.jsonl").failure(ExitCode::Input);
    assert!(said.contains("no format"), "{said}");
    place.write("empty.jsonl", "");
    validate("empty.jsonl").failure(ExitCode::Problems);
    // Control characters of a file do not reach the terminal.
    place.write(
        "bad/x.jsonl",
        "{\"repo\":\"a\",\"split\":\"\\u001b[2J\"}\n{\"repo\":1,\"split\":\"\u{1b}[2J\"}\n",
    );
    let said = validate("bad");
    assert_eq!(said.code, ExitCode::Problems);
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'));
    assert!(said.out.contains("how to mend it"), "{}", said.out);
}

#[test]
fn the_hub_s_own_reader_takes_what_is_written_for_it() {
    let Some(python) = python_with("huggingface_hub") else {
        return;
    };
    let place = demo();
    let of_run = [
        "--run",
        "steady",
        "--hub-dataset",
        "owner/tests",
        "--hub-revision",
        "5503434ddd753f426f4b38109466949a1217c2bb",
        "--source-url",
        "https://example.org/report.html",
        "--source-name",
        "Report: \"all\" numbers",
    ];
    let results = [&["--format", "eval-results"][..], &of_run].concat();
    export(&place, "model/.eval_results/tests.yaml", &results);
    check_valid_results(&place);
    let index = [&["--format", "model-index"][..], &of_run].concat();
    export(&place, "model/README.md", &index);
    export(&place, "set", &["--format", "parquet"]);
    let ended = Command::new(python)
        .arg("-c")
        .arg(READ)
        .arg(place.path("model"))
        .arg(place.path("set"))
        .env("HF_HUB_OFFLINE", "1")
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    let read: Value = serde_json::from_slice(&ended.stdout).expect("it is JSON");
    let run: Value = serde_json::from_str(
        place
            .run(&["runs", "steady", "--format", "json"])
            .success()
            .trim(),
    )
    .expect("it is JSON");
    assert_eq!(read["bleu"], run["scores"]["bleu"], "{read} {run}");
    assert_eq!(
        read["parses"].as_f64(),
        run["parses"]["value"].as_f64(),
        "{read} {run}"
    );
}

fn check_valid_results(place: &Place) {
    let told = told(place, "model", ExitCode::Ok);
    assert_eq!(told["files"][0]["kind"], "results of a model");
    let check = |from: &str, to: &str, what: &str| {
        let line = {
            let before = fs::read_to_string(place.path("model/.eval_results/tests.yaml"))
                .expect("it is there");
            1 + before[..before.find(from).expect("it is there")]
                .matches('\n')
                .count()
        };
        let name = "model/.eval_results/tests.yaml";
        check_damage(place, name, (from, to), (line.into(), what, ""));
    };
    check("value: ", "value: about ", "`[0].value`");
    check("    url: ", "    link: ", "`[0].source.url` is missing");
}

/// Reads results, model card and tasks, and prints the values by task.
const READ: &str = r#"
import json, pathlib, sys, yaml
from huggingface_hub import ModelCard, eval_result_entries_to_yaml, parse_eval_result_entries

model, dataset = map(pathlib.Path, sys.argv[1:])
data = yaml.safe_load((model / ".eval_results" / "tests.yaml").read_text())
entries = parse_eval_result_entries(data)
assert eval_result_entries_to_yaml(entries) == data, data
tasks = yaml.safe_load((dataset / "eval.yaml").read_text())
known = {it["id"] for it in tasks["tasks"]}
for it in entries:
    assert it.dataset_id == "owner/tests" and it.task_id in known, it
    assert it.source_name == 'Report: "all" numbers' and it.dataset_revision, it
card = ModelCard((model / "README.md").read_text())
flat = {it.metric_type: it.metric_value for it in card.data.eval_results}
values = {it.task_id: it.value for it in entries}
assert all(flat[task] == value for task, value in values.items()), (flat, values)
print(json.dumps(values))
"#;

#[test]
fn tags_become_results_of_the_static_analysis_format() {
    let place = demo();
    let said = place
        .run(&["export", "--format", "sarif", "--run", "hasty"])
        .success();
    let log: Value = serde_json::from_str(&said).expect("it is JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
    let results = run["results"].as_array().expect("a list");
    let mut n_of_tag = std::collections::BTreeMap::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64() >= Some(1), "{result}");
        assert!(place["artifactLocation"]["uri"].is_string(), "{result}");
        let tag = result["ruleId"].as_str().expect("a word").to_owned();
        *n_of_tag.entry(tag).or_insert(0_u64) += 1;
    }
    let scored = place
        .run(&["runs", "hasty", "--samples", "--format", "json"])
        .success();
    let mut expected = std::collections::BTreeMap::new();
    for line in scored.lines() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        for tag in line["tags"].as_array().into_iter().flatten() {
            *expected
                .entry(tag.as_str().expect("a word").to_owned())
                .or_insert(0_u64) += 1;
        }
    }
    expected.remove("exact");
    assert!(!expected.is_empty());
    assert_eq!(n_of_tag, expected);
    check_schema(&place, &said);
}

/// Validates a log with the format's own schema, where that is installed.
fn check_schema(place: &Place, log: &str) {
    let Some(schema) = std::env::var_os("FOCALIST_SARIF_SCHEMA") else {
        return;
    };
    let Some(python) = python_with("jsonschema") else {
        return;
    };
    let program = "import json, sys, jsonschema\n\
                   jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))";
    let ended = Command::new(python)
        .args(["-c", program])
        .arg(schema)
        .arg(place.write("log.sarif", log))
        .output()
        .expect("Python can be started");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
}
