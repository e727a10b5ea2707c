//! The page of the papers' tables: each of its commands really runs in the workspace of the demo and prints a result.
//! The answers of models, which a user would bring, are generated here.
//!
//! It runs where `FOCALIST_NEED_TOOLS` is set, as the tests of [`crate::prepare`], with which it shares downloads.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::docs::page::{Fence, Page};
use crate::prepare::{cache, has_tools};
use crate::python::Said;

/// Only one test at a time prepares the demo.
static TURN: Mutex<()> = Mutex::new(());

/// Runs a command line in a shell that finds the program.
fn shell(place: &Path, line: &str) -> Said {
    let program = Path::new(env!("CARGO_BIN_EXE_focalist"));
    let mut folders: Vec<_> = program
        .parent()
        .map(Path::to_path_buf)
        .into_iter()
        .collect();
    let path = env::var_os("PATH").unwrap_or_default();
    folders.extend(env::split_paths(&path));
    let path: OsString = env::join_paths(folders).expect("our paths have no colons");
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(place)
        .env("PATH", path)
        .env("FOCALIST_CACHE", cache())
        .env_remove("FOCALIST_WORKSPACE")
        .output()
        .expect("there is a shell");
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Runs a command line that succeeds, and returns its standard output.
fn call(place: &Path, line: &str) -> String {
    let said = shell(place, line);
    assert_eq!(said.code, Some(0), "{line}\n{}\n{}", said.out, said.err);
    said.out
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn write(path: &Path, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, lines.concat()).expect("the file can be written");
}

/// Writes answers of two models to the questions of the demo: one is always right about blanks, the other never.
fn answer_questions(place: &Path) {
    let tasks = json_lines(&call(place, "focalist paper clover tasks seedtray --json"));
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for task in &tasks {
        let line = |model: &str, budget: Option<u64>, prediction: &str| json!({"id": task["id"], "model": model, "budget": budget, "prediction": prediction});
        let cloze = &task["cloze"];
        let blank = cloze["question"].as_str().zip(cloze["reference"].as_str());
        if let Some((question, reference)) = blank {
            for budget in [None, Some(4_000)] {
                let filled = |text: &str| question.replace("____", text);
                right.push(line("large", budget, &filled(reference)));
                wrong.push(line("small", budget, &filled("no_such_name")));
            }
            for (model, answers, said) in [
                ("large", &mut right, reference),
                ("small", &mut wrong, "___"),
            ] {
                let mut line = line(model, None, said);
                line["answer"] = json!("only");
                answers.push(line);
            }
        }
        if task["task"] == "target" {
            for (form, good) in uses_of_target(task) {
                for (model, answers, prediction) in [
                    ("large", &mut right, good.as_str()),
                    ("small", &mut wrong, "def other(): pass"),
                ] {
                    let mut line = line(model, None, prediction);
                    line["answer"] = json!(form);
                    answers.push(line);
                }
            }
        }
    }
    write(&place.join("small.jsonl"), &wrong);
    write(&place.join("large.jsonl"), &right);
}

/// Returns a test that names the target, as a whole file and as the function alone.
fn uses_of_target(task: &Value) -> [(&'static str, String); 2] {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (name, file) = (text(&task["target"]["name"]), text(&task["target"]["file"]));
    let module = file.trim_start_matches("src/").trim_end_matches(".py");
    let module = module.replace('/', ".");
    let head = text(&task["head"]);
    let indent = " ".repeat(head.len() - head.trim_start().len() + 4);
    let body = [
        format!("import {module} as module"),
        format!("owners = [it for it in vars(module).values() if hasattr(it, \"{name}\")]"),
        format!("assert owners[0].{name}"),
    ];
    let body: String = body.iter().flat_map(|text| ["\n", &indent, text]).collect();
    let part = format!("{head}{body}\n");
    let setup = text(&task["setup"]);
    let at = task["at"].as_u64().expect("a number of lines") as usize;
    let lines: Vec<&str> = setup.split_inclusive('\n').collect();
    let (before, behind) = lines.split_at(at.min(lines.len()));
    let full = [before.concat(), part.clone(), behind.concat()].concat();
    [("full", full), ("part", part)]
}

/// An experiment with descriptions of its models.
const MODELS: &str = r#"
name = "completions"
kind = "test"

[[models]]
model = "small"
endpoint = "http://127.0.0.1:9/v1"
parameters = "110M"
vocabulary = 32768
output_max = 1024
"#;

/// Completes functions and their variants: with the second half of the function, but every third with something else.
fn complete_functions(place: &Path) {
    let prompts = fs::read_to_string(place.join("half.jsonl")).expect("there are prompts");
    let lines: Vec<Value> = json_lines(&prompts)
        .iter()
        .enumerate()
        .map(|(idx, prompt)| {
            let completion = if idx % 3 == 2 {
                "    raise NotImplementedError\n"
            } else {
                "        return answers[question]\n\n    return ask\n"
            };
            json!({"seed": prompt["meta"]["seed"], "pass": prompt["meta"]["pass"], "completion": completion})
        })
        .collect();
    write(&place.join("completions.jsonl"), &lines);
}

/// Checks that a command line has printed a table or written a non-empty file.
fn assert_told(place: &Path, line: &str, out: &str) {
    match line.rsplit_once("> ") {
        Some((_, file)) => {
            let text = fs::read_to_string(place.join(file)).expect("the file was written");
            assert!(!text.trim().is_empty(), "{line}: {file} is empty");
        }
        None if line.contains("--output") || line.contains(" prepare") => {}
        None => {
            let n_lines = out.lines().filter(|line| !line.trim().is_empty()).count();
            assert!(n_lines >= 2, "{line}:\n{out}");
        }
    }
}

#[test]
fn every_command_of_the_papers_page_runs_on_the_demo() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = TempDir::new().expect("a folder can be made");
    let place = place.path();
    let page = Page::read("docs/papers.md");
    let lines = page.fences.iter().flat_map(Fence::lines);
    let commands: Vec<&str> = lines
        .map(|(_, line)| line.split(" #").next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect();
    assert!(commands.len() > 25, "{commands:?}");
    for line in commands {
        // By now the prompts are there that they answer.
        if line.contains("small.jsonl") && !place.join("small.jsonl").exists() {
            answer_questions(place);
        }
        if line.contains("completions.jsonl") {
            complete_functions(place);
        }
        if line.contains("models.toml") {
            fs::write(place.join("models.toml"), MODELS).expect("the file can be written");
        }
        let out = call(place, line);
        assert_told(place, line, &out);
        match line {
            "focalist execute steady hasty" => runs_in_both_languages(place),
            "focalist results steady --group repo" => repositories_are_those_of_the_run(place),
            _ => {}
        }
    }
    let table = |number: u8| {
        let answers = "--answers small.jsonl --answers large.jsonl";
        format!("focalist paper clover eval {answers} --table {number} --format csv")
    };
    assert_gibberish_is_counted(place);
    let of_clozes = "model,EM,ER,RER\nlarge,1,1,1\nsmall,0,0,0\n";
    assert_eq!(call(place, &table(3)), of_clozes);
    let as_json = call(place, &table(3).replace("csv", "json"));
    let tasks: Vec<Value> = json_lines(&as_json)
        .iter()
        .map(|json_line| json_line["task"].clone())
        .collect();
    assert!(
        !tasks.is_empty() && tasks.iter().all(|task| task == "cloze"),
        "{as_json}"
    );
    for number in [5, 6] {
        let of_targets = call(place, &table(number));
        assert!(of_targets.contains("\nlarge,1,"), "{of_targets}");
        assert!(of_targets.contains("\nsmall,0,"), "{of_targets}");
    }
    // The demo has no blocks: an empty table is not an answer.
    let none = shell(place, &table(7));
    assert_eq!(
        (none.code, none.out.as_str()),
        (Some(1), ""),
        "{}",
        none.err
    );
    assert!(
        none.err.contains("no answer is to a question"),
        "{}",
        none.err
    );
}

/// Checks that `small` puts only punctuation into single blanks, and that the right answer alone is as right as in its
/// assertion.
fn assert_gibberish_is_counted(place: &Path) {
    let table = |name: &str| {
        let answers = "--answers small.jsonl --answers large.jsonl";
        json_lines(&call(
            place,
            &format!("focalist paper clover eval {answers} --table {name} --json"),
        ))
    };
    let shares = table("gibberish");
    let of = |model: &str| {
        let mut rows = shares.iter();
        let row = rows.find(|row| row["model"] == model && row["answer"] == "only");
        row.expect("answers alone have a row")["share"].clone()
    };
    assert_eq!((of("small"), of("large")), (json!(1.0), json!(0.0)));
    let forms = table("forms");
    let of_large = |value: &&Value| value["model"] == "large" && value["task"] == "cloze";
    let of_large: Vec<&Value> = forms.iter().filter(of_large).collect();
    assert_eq!(of_large.len(), 2, "{forms:?}");
    for row in of_large {
        assert_eq!(
            (&row["baseline_value"], &row["value"]),
            (&json!(1.0), &json!(1.0)),
            "{row}"
        );
    }
}

/// Checks that the demo's run `steady` has correct answers in Java and in Python, and one that fails in each.
fn runs_in_both_languages(place: &Path) {
    for language in ["java", "python"] {
        for outcome in ["correct", "failing"] {
            let line = format!("focalist results steady language:{language} ran:{outcome} --json");
            let found = json_lines(&call(place, &line));
            assert!(!found.is_empty(), "{language}: {outcome}");
        }
    }
}

/// Checks that the counts of repositories match the rows that `results` lists, and add up to the run's.
fn repositories_are_those_of_the_run(place: &Path) {
    let groups = json_lines(&call(place, "focalist results steady --group repo --json"));
    let rows = json_lines(&call(place, "focalist results steady --json --limit 0"));
    assert_eq!(groups.len(), 4, "{groups:?}");
    for group in &groups {
        let of_group = || rows.iter().filter(|row| row["repo"] == group["group"]);
        let first =
            of_group().filter(|value| value["attempt"] == 0 && value["ran"]["outcome"].is_string());
        let (mut n_ran, mut n_correct) = (0, 0);
        for row in first {
            n_ran += 1;
            n_correct += u64::from(row["ran"]["outcome"] == "correct");
        }
        assert_eq!(group["n_ran"], n_ran, "{group}");
        let correct = (n_ran > 0).then(|| n_correct as f64 / f64::from(n_ran));
        assert_eq!(group["correct"], json!(correct), "{group}");
        let bleu: Vec<f64> = of_group()
            .filter_map(|value| value["scores"]["bleu"].as_f64())
            .collect();
        let mean = bleu.iter().sum::<f64>() / bleu.len() as f64;
        let told = group["means"]["bleu"].as_f64().expect("a mean");
        assert!((told - mean).abs() < 1e-12, "{group}");
        // Quayside is not built, so nothing of it is covered.
        let is_built = group["group"] != "quayside";
        assert_eq!(group["all"]["milc"].is_number(), is_built, "{group}");
    }
    let run = json_lines(&call(place, "focalist runs steady --json"));
    let funnel = &run[0]["executed"]["funnel"];
    for count in ["unique", "executable", "correct"] {
        let sum: u64 = groups
            .iter()
            .filter_map(|group| group["funnel"][count].as_u64())
            .sum();
        assert_eq!(funnel[count].as_u64(), Some(sum), "{count}: {funnel}");
    }
}
