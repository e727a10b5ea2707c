//! Questions from the tests of a Python project, prompts about them, and answers that are executed.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set, as the tests of [`crate::python`], with which they share an
//! environment.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use focalist::generate::testing::{Act, Server};
use focalist::store::{Store, StoreAccess};

use crate::python::{Said, has_tools, prepared, run};

const SORTS: &str = "tests/test_questions.py::test_sorts";

fn tasks(workspace: &Path, more: &[&str]) -> Said {
    let arguments = [&["clover", "tasks", "count", "--json"], more].concat();
    run(workspace, &arguments, "").success()
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// Evaluates answers and returns the outcome of each.
fn evaluated(workspace: &Path, answers: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    let arguments = ["clover", "eval", "--answers", "-", "--each"];
    run(workspace, &arguments, &lines.join("\n"))
        .success()
        .lines()
}

#[test]
fn assertions_become_questions_whose_references_pass() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let said = tasks(place.path(), &["--task", "cloze", "--all"]);
    let found: Vec<(String, String, String)> = said
        .lines()
        .iter()
        .filter(|line| text(line, "problem") == SORTS)
        .map(|line| {
            let cloze = &line["cloze"];
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            (
                words(text(cloze, "question")),
                text(cloze, "reference").to_owned(),
                text(line, "reason").to_owned(),
            )
        })
        .collect();
    let row = |question: &str, reference: &str, reason: &str| {
        (question.to_owned(), reference.to_owned(), reason.to_owned())
    };
    let constants = "the reference does not count: both sides are constants";
    assert_eq!(
        found,
        [
            row(
                "assert ____ == 5",
                "counter.value",
                "common: 2 of 21 references"
            ),
            row(
                "assert counter.value == ____",
                "5",
                "common: 2 of 21 references"
            ),
            row("assert ____", "counter", ""),
            row("assert not ____", "Counter(0).value", ""),
            row("assert ____ == 0", "Counter().value", "it never runs"),
            row("assert Counter().value == ____", "0", "it never runs"),
            row("assert ____", "isinstance(line, str)", ""),
            row("assert ( ____ == 6 )", "counter.up()", ""),
            row("assert ( counter.up() == ____ )", "6", ""),
            row("assert ____ == 1", "1", constants),
            row("assert 1 == ____", "1", constants),
        ]
    );
    // Known results are not computed again, and the same seed draws the same.
    let first = tasks(place.path(), &["--seed", "3"]);
    let again = tasks(place.path(), &["--seed", "3"]);
    assert_eq!(first.out, again.out);
    assert!(!again.err.contains("executing"), "{}", again.err);
}

#[test]
fn targets_are_what_a_test_names_and_runs_and_blocks_what_only_it_runs() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let said = tasks(place.path(), &["--all"]);
    let lines = said.lines();
    let of = |task: &str, problem: &str| -> Vec<Value> {
        let is_it =
            |value: &&Value| text(value, "task") == task && text(value, "problem") == problem;
        lines.iter().filter(is_it).cloned().collect()
    };
    let targets: Vec<Value> = of("target", SORTS)
        .iter()
        .map(|value| value["target"].clone())
        .collect();
    let target = |name: &str| json!({"name": name, "type": "function", "file": "count/counter.py", "several": false});
    assert_eq!(targets, [target("report"), target("up")]);
    let block = &of("block", "tests/test_counter.py::TestReport::test_report")[0]["blocks"][0];
    assert_eq!(
        (&block["first"], &block["end"], &block["statements"]),
        (&json!(18), &json!(24), &json!("18-24"))
    );
    assert!(
        text(block, "code").starts_with("        lines = []\n"),
        "{block}"
    );
    assert!(
        text(block, "code").ends_with("        return \"\\n\".join(lines)\n"),
        "{block}"
    );
}

#[test]
fn answers_to_clozes_are_matched_by_tokens_and_trivial_ones_do_not_count() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let said = tasks(place.path(), &["--task", "cloze", "--all"]);
    let lines = said.lines();
    let question = |question: &str| {
        let is_it = |value: &&Value| {
            text(value, "problem") == SORTS && text(&value["cloze"], "question") == question
        };
        let line = lines.iter().find(is_it).expect("it is there");
        text(line, "id").to_owned()
    };
    let value = question("assert ____ == 5");
    let negated = question("assert not ____");
    // EM, ER, RER.
    let cases = [
        (&value, "assert counter.value == 5", [1, 1, 1]),
        (
            &value,
            "Sure:\n```python\nassert counter . value==5, 'x'\n```",
            [0, 1, 1],
        ),
        (&value, "`assert counter.up(0) == 5`", [0, 1, 1]),
        (&value, "assert 5 == 5", [0, 1, 0]),
        (&value, "assert counter.value or 1 == 5", [0, 1, 0]),
        (&value, "assert counter.value == 6", [0, 0, 0]),
        (&value, "counter.value", [0, 0, 0]),
        (&value, "assert counter.nothing == 5", [0, 0, 0]),
        (&value, "", [0, 0, 0]),
        (
            &value,
            "assert x == 5\nassert counter.value == 5",
            [1, 1, 1],
        ),
        (&negated, "assert not Counter(0).value", [1, 1, 1]),
        (&negated, "assert not False", [0, 1, 0]),
        (&negated, "assert Counter(1).value", [0, 0, 0]),
    ];
    let answers: Vec<Value> = cases
        .iter()
        .map(|case| json!({"id": case.0, "prediction": case.1}))
        .collect();
    let found: Vec<[u8; 3]> = evaluated(place.path(), &answers)
        .iter()
        .map(|value| {
            ["exact", "executed", "success"].map(|field| u8::from(value[field] == json!(true)))
        })
        .collect();
    let expected: Vec<[u8; 3]> = cases.iter().map(|case| case.2).collect();
    assert_eq!(found, expected);
}

#[test]
fn prompts_hold_what_fits_and_their_ids_are_enough_to_evaluate_answers() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let lines = tasks(place.path(), &[]).lines();
    let prompts = |kind: &str, budget: &str, answer: &str| {
        let arguments = [
            "prompts", "--kind", kind, "--budget", budget, "--answer", answer,
        ];
        run(place.path(), &arguments, "").success().lines()
    };
    let content = |value: &Value| text(&value["messages"][0], "content").to_owned();
    let drawn = |task: &str| {
        lines
            .iter()
            .filter(|line| text(line, "task") == task)
            .count()
    };
    let only = prompts("cloze", "po", "filled");
    assert_eq!(only.len(), drawn("cloze"));
    assert!(
        only.iter()
            .all(|value| !content(value).contains("Retrieved Code"))
    );
    let large = prompts("cloze", "16k", "filled");
    let small = prompts("cloze", "1000", "filled");
    let n_files = |value: &Value| value["meta"]["files"].as_array().map_or(0, Vec::len);
    assert!(
        large.iter().all(|value| n_files(value) == 4),
        "all of them fit"
    );
    assert!(small.iter().any(|value| n_files(value) < 4));
    assert!(
        small
            .iter()
            .all(|value| value["tokens"].as_u64() <= Some(800))
    );
    // Without shown files, a question about a target does not name its file.
    let named = prompts("target", "8k", "full");
    let unnamed = prompts("target", "po", "full");
    assert!(
        named
            .iter()
            .all(|value| content(value).contains("defined in file `count/"))
    );
    assert!(
        unnamed
            .iter()
            .all(|value| !content(value).contains("defined in file"))
    );
    // The test itself is the answer to every question.
    let problems = run(place.path(), &["clover", "extract", "count", "--json"], "")
        .success()
        .lines();
    let code = |problem: &str| {
        let value = problems.iter().find(|value| text(value, "id") == problem);
        text(value.expect("it is a problem"), "code").to_owned()
    };
    let mut answers = Vec::new();
    for value in only.iter().chain(&large) {
        let instance = lines.iter().find(|line| line["id"] == value["sample"]);
        let cloze = &instance.expect("it was drawn")["cloze"];
        let filled = text(cloze, "question").replace("____", text(cloze, "reference"));
        answers.push(json!({"id": value["id"], "prediction": filled}));
    }
    for value in named.iter().chain(&prompts("block", "64k", "full")) {
        let code = code(text(&value["meta"], "test"));
        answers.push(json!({"id": value["id"], "prediction": format!("```python\n{code}```\n")}));
    }
    for prompt in prompts("block", "64k", "part") {
        answers
            .push(json!({"id": prompt["id"], "prediction": code(text(&prompt["meta"], "test"))}));
        answers.push(json!({"id": prompt["id"], "prediction": "def other(): pass"}));
    }
    for value in evaluated(place.path(), &answers) {
        let is_bad = text(&value, "reason") == "it has no such function";
        assert_ne!(value["success"], json!(is_bad), "{value}");
    }
    let lines: Vec<String> = answers.iter().map(Value::to_string).collect();
    let reports = run(
        place.path(),
        &[
            "clover",
            "eval",
            "--answers",
            "-",
            "--json",
            "--resamples",
            "100",
        ],
        &lines.join("\n"),
    )
    .success()
    .lines();
    let cloze = &reports[0];
    assert_eq!(cloze["budgets"][0]["rer"]["value"], json!(1.0), "{cloze}");
    assert_eq!(cloze["delta_max"]["value"], json!(0.0), "{cloze}");
    let part = reports
        .iter()
        .find(|report| text(report, "answer") == "part")
        .expect("there are such answers");
    assert_eq!(part["budgets"][0]["success"]["value"], json!(0.5), "{part}");
}

#[test]
fn contexts_and_forms_of_answers_are_switches_of_prompts_about_problems() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let lines = tasks(place.path(), &[]).lines();
    let ask = |words: &[&str]| run(place.path(), &[&["prompts"], words].concat(), "");
    let content = |value: &Value| text(&value["messages"][0], "content").to_owned();
    let of_cloze = |context: &str| {
        let words = ["--kind", "cloze", "--budget", "16k", "--context", context];
        ask(&words).success().lines()
    };
    for (context, has_test, has_focal) in [
        ("all", true, true),
        ("test-class", true, false),
        ("setup", true, false),
        ("focal-class", false, true),
        ("focal", false, true),
        ("none", false, false),
    ] {
        for value in of_cloze(context) {
            let content = content(&value);
            assert_eq!(
                content.contains("### Context Information"),
                has_test,
                "{context}: {content}"
            );
            assert_eq!(
                content.contains("### Retrieved Code"),
                has_focal,
                "{context}: {content}"
            );
            assert_eq!(
                value["meta"]["context"].is_string(),
                context != "all",
                "{value}"
            );
        }
    }
    // A whole file cannot be requested where it is not shown, nor blocks without their files.
    let target = ["--kind", "target", "--budget", "8k", "--context", "none"];
    let refused = |words: &[&str], why: &str| {
        let said = ask(words);
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
    };
    refused(&target, "`--answer part`");
    let parts = ask(&[&target[..], &["--answer", "part"]].concat())
        .success()
        .lines();
    assert!(!parts.is_empty());
    assert!(
        parts
            .iter()
            .all(|value| !content(value).contains("Retrieved"))
    );
    let block = [
        "--kind",
        "block",
        "--budget",
        "64k",
        "--context",
        "test-class",
    ];
    refused(&block, "the files of its blocks");
    let cloze = ["--kind", "cloze", "--budget", "po", "--answer", "full"];
    refused(&cloze, "filled or only");
    // Prompts ask for the use of files where the paper's do.
    let whole = ask(&["--kind", "target", "--budget", "8k"])
        .success()
        .lines();
    assert!(
        whole
            .iter()
            .all(|value| content(value).contains("must be used at least once"))
    );

    // The content of the blank alone is as right as its assertion.
    let only = ask(&["--kind", "cloze", "--budget", "po", "--answer", "only"])
        .success()
        .lines();
    assert!(
        only.iter()
            .all(|value| text(value, "id").contains("@po+only+"))
    );
    let mut answers = Vec::new();
    for value in &only {
        let question = lines.iter().find(|line| line["id"] == value["sample"]);
        let reference = text(&question.expect("it was drawn")["cloze"], "reference").to_owned();
        answers
            .push(json!({"id": value["id"], "prediction": format!("```python\n{reference}\n```")}));
    }
    let found = evaluated(place.path(), &answers);
    assert!(!found.is_empty());
    for value in &found {
        assert_eq!(
            (&value["exact"], &value["success"]),
            (&json!(true), &json!(true)),
            "{value}"
        );
    }

    // Table 2 has the means of the prompts' own numbers.
    let rows = run(place.path(), &["clover", "tokens", "--json"], "")
        .success()
        .lines();
    let mean = |kind: &str, budget: &str| {
        let prompts = ask(&["--kind", kind, "--budget", budget]).success().lines();
        let sum: f64 = prompts
            .iter()
            .filter_map(|prompt| prompt["tokens"].as_f64())
            .sum();
        (prompts.len(), sum / prompts.len() as f64)
    };
    for (kind, budget, named) in [
        ("cloze", "po", None),
        ("cloze", "16k", Some(16_000)),
        ("target", "8k", Some(8_000)),
    ] {
        let row = rows
            .iter()
            .find(|row| row["task"] == kind)
            .expect("each task has a row");
        let budgets = row["budgets"].as_array().expect("it has budgets");
        let told = budgets
            .iter()
            .find(|budget| budget["budget"] == json!(named))
            .expect("it is one of the paper's");
        let (n, tokens) = mean(kind, budget);
        assert_eq!(told["n"], n, "{row}");
        assert!(
            (told["tokens"].as_f64().expect("a mean") - tokens).abs() < 1e-9,
            "{row}"
        );
    }
}

#[test]
fn an_experiment_asks_questions_under_all_budgets_and_forms_and_runs_the_answers() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let lines = tasks(place.path(), &["--task", "cloze"]).lines();
    // Each question is answered by the reference, as an assertion or alone, whichever the prompt asks for.
    let known: Vec<(String, String)> = lines
        .iter()
        .map(|line| {
            let cloze = &line["cloze"];
            (
                text(cloze, "question").to_owned(),
                text(cloze, "reference").to_owned(),
            )
        })
        .collect();
    let n_questions = known.len();
    let server = Server::start(move |server_request| {
        let asked = &server_request.body;
        let found = known.iter().find(|(question, _)| {
            let shown = json!(question).to_string();
            asked.contains(shown.trim_matches('"'))
        });
        let (question, reference) = found.expect("it is one of the questions");
        let said = if asked.contains("what stands in the blank. Do") {
            format!("```python\n{reference}\n```")
        } else {
            question.replace("____", reference)
        };
        Act::answer(&vec![said.as_str(); server_request.n()])
    });
    let own = place.path().join("home.toml");
    fs::write(
        &own,
        format!("[models.a]\nendpoint = \"{}\"\n", server.endpoint()),
    )
    .expect("it can be written");
    let file = place.path().join("x.toml");
    let experiment = "name = \"x\"\nkind = \"cloze\"\nbudget = [\"po\", \"16k\"]\nanswer = [\"filled\", \"only\"]\n\
        context = [\"all\", \"none\"]\n[[models]]\nmodel = \"a\"\n";
    fs::write(&file, experiment).expect("it can be written");
    let (own, file) = (own.to_string_lossy(), file.to_string_lossy());
    let said = run(
        place.path(),
        &["--config", &own, "experiment", "run", &file],
        "",
    )
    .success();
    assert!(
        said.out.contains("x-a-all") && said.out.contains("x-a-none"),
        "{}",
        said.out
    );
    let rows = run(place.path(), &["experiment", "show", &file, "--json"], "")
        .success()
        .lines();
    let told = |name: &str, form: &Value| {
        let is_it = |value: &&Value| value["model"] == name && &value["answer"] == form;
        let row = rows
            .iter()
            .find(is_it)
            .expect("each run has a row for each form");
        let budgets = row["budgets"].as_array().expect("it has budgets");
        let shares = budgets
            .iter()
            .map(|budget| (budget["budget"].as_u64(), budget["n"].clone()));
        shares.collect::<Vec<_>>()
    };
    let expected = vec![
        (None, json!(n_questions)),
        (Some(16_000), json!(n_questions)),
    ];
    for name in ["x-a-all", "x-a-none"] {
        assert_eq!(told(name, &Value::Null), expected);
        assert_eq!(told(name, &json!("only")), expected);
    }
    let n_requests = server.n_requests();
    run(
        place.path(),
        &["--config", &own, "experiment", "run", &file],
        "",
    )
    .success();
    assert_eq!(server.n_requests(), n_requests);
}

#[test]
fn answers_as_export_writes_them_are_those_of_their_models() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let tasks = tasks(place.path(), &["--task", "cloze", "--all"]).lines();
    let drawn = |task: &&Value| text(task, "reason").is_empty();
    let asked: Vec<&Value> = tasks.iter().filter(drawn).take(3).collect();
    assert_eq!(asked.len(), 3, "{tasks:?}");
    let line = |task: &Value, model: &str, said: Option<&str>| {
        let cloze = &task["cloze"];
        let filled = said.map(|said| text(cloze, "question").replace("____", said));
        json!({"id": task["id"], "sample": null, "kind": "cloze", "model": model, "text": filled, "attempt": 0})
    };
    let mut lines = Vec::new();
    for task in &asked {
        lines.push(line(task, "right", task["cloze"]["reference"].as_str()));
        lines.push(line(task, "wrong", Some("no_such_name")));
    }
    lines.push(line(asked[0], "wrong", None));
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let eval = |more: &[&str]| {
        let arguments = ["clover", "eval", "--answers", "-", "--resamples", "100"];
        run(
            place.path(),
            &[&arguments[..], more].concat(),
            &lines.join("\n"),
        )
        .success()
    };
    let said = eval(&["--json", "--by", "repo"]);
    assert!(
        said.err.contains("1 prompt too long for the model"),
        "{}",
        said.err
    );
    let rows: Vec<Value> = said
        .lines()
        .iter()
        .map(|row| {
            json!([
                row["model"],
                row["repo"],
                row["budgets"][0]["n"],
                row["best"]
            ])
        })
        .collect();
    assert_eq!(
        rows,
        [
            json!(["right", null, 3, 1.0]),
            json!(["right", "count", 3, 1.0]),
            json!(["wrong", null, 3, 0.0]),
            json!(["wrong", "count", 3, 0.0]),
        ]
    );
    let table = eval(&["--table", "3", "--format", "csv"]).out;
    assert_eq!(table, "model,EM,ER,RER\nright,1,1,1\nwrong,0,0,0\n");
    let difference = &eval(&["--against", "wrong", "--json"]).lines()[0];
    assert_eq!(
        json!([
            difference["model"],
            difference["n"],
            difference["difference"]["value"],
            difference["p"]
        ]),
        json!(["right", 3, 1.0, 0.25])
    );
    let arguments = ["clover", "eval", "--answers", "-", "--against", "nobody"];
    let refused = run(place.path(), &arguments, &lines.join("\n"));
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("right, wrong"), "{}", refused.err);
}

#[test]
fn answers_that_ran_are_listed_opened_and_compared_in_results() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let tasks = tasks(place.path(), &["--all"]).lines();
    let can_be_asked = |value: &&Value| value["reason"].is_null();
    let is_cloze = |value: &&Value| text(value, "task") == "cloze" && can_be_asked(value);
    let clozes: Vec<&Value> = tasks.iter().filter(is_cloze).take(3).collect();
    let target = tasks
        .iter()
        .find(|task| text(task, "task") == "target" && can_be_asked(task))
        .expect("there is a target");
    let mut lines = Vec::new();
    let mut say = |model: &str, id: &Value, form: Option<&str>, said: &str| {
        let line =
            json!({"id": id, "model": model, "answer": form, "budget": 4_000, "prediction": said});
        lines.push(line.to_string());
    };
    for cloze in &clozes {
        let reference = text(&cloze["cloze"], "reference");
        say("right", &cloze["id"], Some("only"), reference);
        say("wrong", &cloze["id"], Some("only"), "no_such_name");
    }
    say(
        "wrong",
        &target["id"],
        Some("part"),
        "def test_nothing(: pass",
    );
    let arguments = [
        "clover",
        "eval",
        "--answers",
        "-",
        "--json",
        "--resamples",
        "100",
    ];
    let lines = lines.join("\n");
    let said = run(place.path(), &arguments, &lines).success();
    assert!(
        said.err
            .contains("`focalist results wrong` lists the answers"),
        "{}",
        said.err
    );

    let results = |more: &[&str]| run(place.path(), &[&["results"], more].concat(), "");
    let listed = |more: &[&str]| results(&[more, &["--json"]].concat()).success().lines();
    let right = listed(&["right"]);
    assert_eq!(right.len(), 3);
    for (row, cloze) in right.iter().zip(&clozes) {
        let id = text(cloze, "id").split_once('/').map_or("", |pair| pair.1);
        assert_eq!(text(row, "test"), id);
        assert_eq!(
            row["asked"],
            json!({"task": "cloze", "budget": 4_000, "answer": "only"})
        );
        assert_eq!(row["ran"]["outcome"], json!("correct"), "{row}");
        assert_eq!(
            (&row["scores"]["em"], &row["parsable"]),
            (&json!(1.0), &json!(true))
        );
    }
    // Filter words about the question, its setting and its outcome.
    let n = |filter: &[&str]| listed(&[&["wrong"], filter].concat()).len();
    assert_eq!(n(&["setting:task=target"]), 1);
    let groups = listed(&["wrong", "--group", "task"]);
    let groups: Vec<(&str, &Value)> = groups
        .iter()
        .map(|group| (text(group, "filter"), &group["n"]))
        .collect();
    let expected = [
        ("setting:task=cloze", &json!(3)),
        ("setting:task=target", &json!(1)),
    ];
    assert_eq!(groups, expected);
    assert_eq!(n(&["parse:fail"]), 1);
    assert_eq!(n(&["setting:answer=only", "em<1", "ran:failing"]), 3);
    assert_eq!(n(&["repo:count"]), 4);
    assert_eq!(n(&["test:target"]), 1);
    assert_eq!(n(&["why:NameError"]), 3);
    let sorted = listed(&["wrong", "sort:-test"]);
    assert!(text(&sorted[0], "test") >= text(&sorted[3], "test"));
    let refused = results(&["wrong", "split:test"]);
    assert!(
        refused
            .err
            .contains("`split` applies to samples, but run `wrong` answers questions of clover"),
        "{}",
        refused.err
    );
    // One of them, with its question; then both runs side by side.
    let key = text(&right[0], "sample").to_owned();
    let shown = results(&["right", "--show", &key]).success().out;
    let blank = text(&clozes[0]["cloze"], "question").trim();
    assert!(
        shown.contains("\nquestion") && shown.contains(blank),
        "{shown}"
    );
    let one = &results(&["wrong", "--show", &key, "--json"]).success().out;
    let one: Value = serde_json::from_str(one).expect("it is JSON");
    assert_eq!(
        text(&one, "prediction"),
        blank.replace("____", "no_such_name")
    );
    assert_eq!(text(&one, "answer"), "no_such_name");
    let beside = listed(&["right", "--baseline", "wrong", "--metric", "em"]);
    assert!(
        beside
            .iter()
            .all(|value| value["delta"]["em"] == json!(1.0)),
        "{beside:?}"
    );
    let compared = run(
        place.path(),
        &["compare", "wrong", "right", "--metrics", "em"],
        "",
    );
    compared.success();

    // Other commands do not treat it as a run of samples.
    let executed = run(place.path(), &["execute", "right"], "");
    assert_eq!(executed.code, Some(2), "{}", executed.err);
    assert!(
        executed.err.contains("has answers to clover"),
        "{}",
        executed.err
    );
    let runs = run(place.path(), &["runs", "--json"], "").success().lines();
    assert!(
        runs.iter().all(|run| run["kind"] == json!("clover")),
        "{runs:?}"
    );
    // The same answers again replace the former ones.
    run(place.path(), &arguments, &lines).success();
    assert_eq!(listed(&["right"]).len(), 3);
}

#[test]
fn answers_of_which_none_can_be_used_are_a_failure() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    tasks(place.path(), &["--task", "cloze"]);
    for lines in [
        "{\"id\": \"count/x#cloze\"}",
        "{\"id\": \"no/x\", \"prediction\": \"\"}",
    ] {
        let said = run(place.path(), &["clover", "eval", "--answers", "-"], lines);
        assert_eq!(said.code, Some(1), "{}", said.err);
        assert!(
            said.err.contains("none of the answers can be used"),
            "{}",
            said.err
        );
    }
}

#[test]
fn what_a_measured_test_did_is_known_again_with_its_items() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let arguments = [
        "clover",
        "cov",
        "count",
        "--extracted",
        "--json",
        "--repeats",
        "1",
    ];
    let first = run(place.path(), &arguments, "").success();
    let again = run(place.path(), &arguments, "").success();
    assert_eq!(first.out, again.out);
    assert!(!again.err.contains(" 0 of them before"), "{}", again.err);
}

#[test]
fn questions_are_made_in_the_background_and_shown_as_a_job() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    let start = |arguments: &[&str]| {
        let said = run(place.path(), arguments, "").success().out;
        let id = said
            .split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        run(place.path(), &["jobs", "watch", &id], "").success();
    };
    let only = ["--tests", "tests/test_questions.py"];
    start(&[&["clover", "tasks", "count", "--background"], &only[..]].concat());
    // All requested results are known now.
    let again = tasks(place.path(), &only);
    assert!(!again.err.contains("executing"), "{}", again.err);
    assert!(!again.out.is_empty());
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/python/count");
    start(&["prepare", fixture, "--background"]);
    let rows = run(place.path(), &["jobs", "--json"], "").success().lines();
    let kinds: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (text(row, "kind"), text(row, "state")))
        .collect();
    assert!(
        kinds.contains(&("clover", "done")) && kinds.contains(&("prepare", "done")),
        "{kinds:?}"
    );
    for arguments in [
        &["clover", "cov", "count", "--cases", "-", "--background"][..],
        &["clover", "eval", "--answers", "-", "--background"],
        &[
            "execute",
            "--project",
            "count",
            "--cases",
            "-",
            "--background",
        ],
    ] {
        let said = run(place.path(), arguments, "");
        assert_eq!(said.code, Some(2), "{}", said.err);
        assert!(said.err.contains("cannot read stdin"), "{}", said.err);
    }
}

#[test]
fn test_files_are_measured_while_others_write_the_index() {
    if !has_tools() {
        return;
    }
    let place = prepared();
    tasks(
        place.path(),
        &["--task", "target", "--tests", "tests/test_counter.py"],
    );
    let folder = place.path().join(".focalist");
    let _writer = Store::open(&folder, StoreAccess::Write).expect("nobody else writes");
    let case = json!({"id": "1", "path": "tests/tmp_1.py", "code": "from count import Counter\ndef test(): Counter(1).up()\n"});
    let arguments = ["clover", "cov", "count", "--cases", "-", "--json"];
    let said = run(place.path(), &arguments, &case.to_string()).success();
    assert_eq!(text(&said.lines()[0], "outcome"), "passing");
}
