//! The numbers of each repository of a run, and of the best of several attempts, compared with pandas.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use focalist::model::{
    BlockedReason, ContentHash, CoverScope, CoverageCounter, Execution, ExecutionSetting,
    FocalTotal, Outcome,
};
use focalist::store::{Store, StoreAccess, WrittenExecution};
use focalist::task::Monitor;
use serde_json::{Value, json};

use crate::support::{Place, python_with, sample_data};

const N_ATTEMPTS: usize = 5;
const ENGINE: &str = "fast";

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect()
}

fn of_json_lines(values: &[Value]) -> String {
    values
        .iter()
        .flat_map(|value| [value.to_string(), "\n".to_owned()])
        .collect()
}

/// Writes five answers to each sample: those of two models, both together, half of one, and a meaningless one.
fn answers() -> String {
    let read = |run: &str| {
        let text = fs::read_to_string(sample_data(&format!("predictions/{run}.jsonl")));
        let mut answers = lines(&text.expect("the predictions are there"));
        answers.retain(|answer| answer["attempt"] == 0);
        answers
    };
    let text = |value: &Value| value["prediction"].as_str().unwrap_or_default().to_owned();
    let mut all = Vec::new();
    for (steady, hasty) in read("steady").iter().zip(read("hasty")) {
        assert_eq!(steady["sample"], hasty["sample"]);
        let (steady_text, hasty_text) = (text(steady), text(&hasty));
        let half: String = steady_text.chars().take(steady_text.len() / 2).collect();
        let both = format!("{steady_text}\n{hasty_text}");
        let texts = [steady_text, hasty_text, both, half, "int x = 1;".to_owned()];
        let answers = (0_u64..).zip(texts);
        all.extend(answers.map(|(attempt, text)| {
            json!({"sample": steady["sample"], "attempt": attempt, "prediction": text})
        }));
    }
    of_json_lines(&all)
}

/// Draws the outcome of an answer by its number: every outcome, every reason to have none, duplicates, and focal
/// methods without lines.
fn drawn(ordinal: u32) -> Execution {
    let number = ordinal.wrapping_mul(2_654_435_761) >> 8;
    let of_sample = ordinal % N_ATTEMPTS as u32;
    let blocked = number
        .is_multiple_of(11)
        .then(|| BlockedReason::ALL[number as usize % BlockedReason::ALL.len()]);
    let outcome = match blocked {
        Some(_) => None,
        None => Some(Outcome::ALL[(number >> 4) as usize % Outcome::ALL.len()]),
    };
    let counter = |number: u32| CoverageCounter {
        missed: number % 4,
        covered: number % 5,
    };
    Execution {
        outcome,
        blocked,
        duplicate_of: (of_sample == 4 && number.is_multiple_of(3)).then(|| ordinal - of_sample),
        is_called: Some(outcome == Some(Outcome::Correct) || number.is_multiple_of(5)),
        asserts: Some(outcome == Some(Outcome::Correct) || !number.is_multiple_of(3)),
        lines: (!number.is_multiple_of(7)).then(|| counter(number >> 3)),
        timeout_ms: 10_000,
        ..Execution::default()
    }
}

/// Error codes of javac with their kinds; the last has no code.
const CODES: [(Option<&str>, &str, &str); 6] = [
    (
        Some("compiler.err.cant.resolve.location.args"),
        "cannot find symbol\n  symbol:   method close()\n  location: class p.A",
        "unknown method",
    ),
    (
        Some("compiler.err.prob.found.req"),
        "incompatible types",
        "types",
    ),
    (
        Some("compiler.err.cant.apply.symbol"),
        "cannot be applied",
        "arguments",
    ),
    (
        Some("compiler.err.unreported.exception.need.to.catch.or.throw"),
        "unreported exception",
        "exception",
    ),
    (
        Some("compiler.err.report.access"),
        "has private access",
        "access",
    ),
    (None, "missing return statement", "flow"),
];

/// Draws the reason why an answer does not compile.
fn why(ordinal: u32) -> Option<Value> {
    let (code, message, _) = CODES[ordinal as usize % CODES.len()];
    let is_refused = drawn(ordinal).outcome == Some(Outcome::NotCompilable);
    is_refused.then(|| {
        json!({"stage": "compile", "code": code, "type": null, "message": message, "line": 1, "trace": null})
    })
}

/// Returns the totals of focal methods of three repositories; some are unknown, and some have no branches.
fn totals() -> Vec<FocalTotal> {
    let mut totals = Vec::new();
    for (place, project) in ["measurekit", "quayside", "wordloom"].iter().enumerate() {
        for idx in 0_u32..9 {
            for scope in CoverScope::ALL {
                let number = (idx + 1) * (place as u32 + 2) + *scope as u32;
                let counter = |number: u32| CoverageCounter {
                    missed: number % 5,
                    covered: number % 7,
                };
                totals.push(FocalTotal {
                    project: (*project).to_owned(),
                    focal: format!("p.Of{place}#m{idx}()"),
                    scope: *scope,
                    lines: (idx != 4).then(|| counter(number)),
                    branches: (idx % 3 != 1).then(|| counter(number / 2)),
                });
            }
        }
    }
    totals
}

/// Writes the outcomes of a run's answers, as an engine does.
fn execute(place: &Place, run: &str) {
    let mut store =
        Store::open(&place.path(".focalist"), StoreAccess::Write).expect("it was mined");
    let row = store.run(run).expect("it reads").expect("it was imported");
    let monitor = Monitor::default();
    let setting = ExecutionSetting {
        engine: ENGINE.to_owned(),
        version: "1".to_owned(),
        options: "timeout=10000 repair=none".to_owned(),
        sandbox: "bwrap".to_owned(),
        executed_at: 1,
    };
    store.begin_executions(row.id, &setting).expect("it begins");
    let written: Vec<WrittenExecution> = (0..row.n_predictions as u32)
        .map(|ordinal| WrittenExecution {
            ordinal,
            stamp: ContentHash([1; 16]),
            execution: drawn(ordinal),
            why: why(ordinal).map(|value| value.to_string()),
            words: String::new(),
            record: "{}".to_owned(),
            covered: Vec::new(),
            entered: Vec::new(),
        })
        .collect();
    let done = store.write_executions(row.id, &setting, &written, &monitor);
    done.expect("they are written");
    for project in ["measurekit", "quayside", "wordloom"] {
        let mut of_project = totals();
        of_project.retain(|focal_total| focal_total.project == project);
        let done = store.write_focal_totals(row.id, (ENGINE, project), &of_project, &monitor);
        done.expect("they are written");
    }
}

/// Creates a place with the sample data and a run of five attempts, evaluated and executed.
fn executed() -> Place {
    let place = Place::with_sample_data();
    let file = place.write("grid.jsonl", answers());
    let file = file.to_string_lossy().into_owned();
    let import = ["import", &file, "--run", "grid", "--matcher", "contest"];
    place.run(&import).success();
    place.run(&["eval", "--metrics", "default"]).success();
    execute(&place, "grid");
    place
}

fn counter_of(counter: Option<CoverageCounter>) -> Value {
    json!(counter.map(|coverage_counter| [coverage_counter.missed, coverage_counter.covered]))
}

/// Returns the rows of the run as it was generated, with their scores from `results`.
fn rows(place: &Place) -> Vec<Value> {
    let listed = |filter: &[&str]| {
        let args = [&["results", "grid", "--json", "--limit", "0"], filter].concat();
        lines(&place.run(&args).success())
    };
    let key = |value: &Value| (value["sample"].to_string(), value["attempt"].as_u64());
    let asserting: Vec<_> = listed(&["asserts:yes"]).iter().map(key).collect();
    let answers = lines(&answers());
    let found = listed(&[]);
    assert_eq!(found.len(), answers.len());
    let rows = found.iter().map(|row| {
        let ordinal = answers.iter().position(|answer| key(answer) == key(row));
        let ordinal = ordinal.expect("it is one of the answers") as u32;
        let execution = drawn(ordinal);
        json!({
            "repo": row["repo"], "sample": row["sample"], "attempt": row["attempt"], "scores": row["scores"],
            "outcome": execution.outcome.map(Outcome::as_str), "duplicate": execution.duplicate_of.is_some(),
            "called": execution.is_called, "asserts": execution.asserts, "line": counter_of(execution.lines),
            "asserting": asserting.contains(&key(row)),
        })
    });
    rows.collect()
}

#[test]
fn repositories_and_the_best_of_attempts_are_told_as_pandas_computes_them() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let place = executed();
    let totals: Vec<Value> = totals()
        .iter()
        .map(|total| {
            json!({
                "project": total.project, "scope": total.scope.as_str(),
                "lines": counter_of(total.lines), "branches": counter_of(total.branches),
            })
        })
        .collect();
    let groups = ["results", "grid", "--group", "repo", "--json"];
    let files = [
        ("rows", of_json_lines(&rows(&place))),
        ("totals", of_json_lines(&totals)),
        ("groups", place.run(&groups).success()),
        ("run", place.run(&["runs", "grid", "--json"]).success()),
    ];
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/repositories.py"
    );
    let paths = files.map(|(name, text)| place.write(&format!("{name}.jsonl"), text));
    let ended = Command::new(python).arg(script).args(paths).output();
    let ended = ended.expect("Python can be started");
    assert!(
        ended.status.success(),
        "{}",
        String::from_utf8_lossy(&ended.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "260 3\n");
}

#[test]
fn repositories_have_the_same_numbers_in_every_format() {
    let place = executed();
    let told = |format: &str| {
        let args = ["results", "grid", "--group", "repo", "--format", format];
        place.run(&args).success()
    };
    let groups = lines(&told("json"));
    let csv = told("csv");
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heads = rows.next().expect("there is a header");
    for (row, group) in rows.zip(&groups) {
        let cell = |name: &str| {
            let place = heads.iter().position(|head| *head == name);
            row[place.unwrap_or_else(|| panic!("{name} is missing: {heads:?}"))].parse::<f64>()
        };
        let check = |name: &str, expected: &Value| {
            assert_eq!(cell(name).ok(), expected.as_f64(), "{name}: {group}");
        };
        check("samples", &group["n_samples"]);
        check("ran", &group["n_ran"]);
        check("correct", &group["correct"]);
        check("unique", &group["funnel"]["unique"]);
        check(
            "compilable of unique",
            &group["funnel"]["shares"]["compilable"],
        );
        check("correct of executable", &group["correct_of_executable"]);
        check("MiLC", &group["all"]["milc"]);
        check("MaBC", &group["all"]["mabc"]);
        check("mean EM", &group["means"]["em"]);
    }
    for format in ["table", "latex", "markdown"] {
        let table = told(format);
        for group in &groups {
            let name = group["group"].as_str().expect("a name");
            assert!(table.contains(name), "{format}: {table}");
            let milc = group["all"]["milc"].as_f64().expect("a share");
            assert!(
                table.contains(&format!("{:.2}", milc * 100.0)),
                "{format}: {table}"
            );
        }
        for head in ["MiLC", "correct of executable", "with assertion"] {
            assert!(table.contains(head), "{format}: {table}");
        }
    }
    let own = ["results", "grid", "--group", "repo", "--scope", "own"];
    assert!(place.run(&own).success().contains("MiLC"));
    // Methods are covered by all of a repository's answers: of some of these nobody says what they cover.
    let some = ["results", "grid", "bleu<0.5", "--group", "repo", "--json"];
    for group in lines(&place.run(&some).success()) {
        assert_eq!((&group["all"], &group["own"]), (&Value::Null, &Value::Null));
        assert!(group["funnel"]["unique"].as_u64() < Some(120), "{group}");
    }
    let whole = [
        "results",
        "grid",
        "repo:quayside",
        "--group",
        "repo",
        "--json",
    ];
    let whole = lines(&place.run(&whole).success());
    assert!(whole[0]["all"]["milc"].is_number(), "{whole:?}");
}

#[test]
fn answers_that_do_not_compile_are_counted_by_the_kind_of_their_error() {
    let place = executed();
    let run = lines(&place.run(&["runs", "grid", "--json"]).success());
    let n_all = answers().lines().count() as u32;
    let mut expected: BTreeMap<&str, u64> = BTreeMap::new();
    for ordinal in 0..n_all {
        let execution = drawn(ordinal);
        if execution.duplicate_of.is_some() {
            continue;
        }
        match execution.outcome {
            Some(Outcome::Unparsable) => *expected.entry("syntax").or_default() += 1,
            Some(Outcome::NotCompilable) => {
                *expected
                    .entry(CODES[ordinal as usize % CODES.len()].2)
                    .or_default() += 1;
            }
            _ => {}
        }
    }
    assert_eq!(expected.len(), 7, "{expected:?}");
    let asked = ["runs", "grid", "--compile-errors"];
    let told = lines(&place.run(&[&asked[..], &["--json"]].concat()).success());
    let found = told.iter().map(|value| {
        let kind = value["error"].as_str().expect("a word");
        (kind, value["answers"].as_u64().expect("a number"))
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    // They are what the funnel misses.
    let n: u64 = expected.values().sum();
    let funnel = &run[0]["executed"]["funnel"];
    let count = |name: &str| funnel[name].as_u64().expect("a number");
    assert_eq!(count("unique") - count("compilable"), n, "{funnel}");
    for value in &told {
        let share = value["share"].as_f64().expect("a share");
        let n_kind = value["answers"].as_u64().expect("a number") as f64;
        assert!((share - n_kind / n as f64).abs() < 1e-12, "{value}");
        assert!(
            value["examples"]
                .as_array()
                .is_some_and(|values| (1..=3).contains(&values.len()))
        );
    }
    let method = told.iter().find(|value| value["error"] == "unknown method");
    let codes = &method.expect("there is one")["codes"];
    assert_eq!(
        codes["compiler.err.cant.resolve.location.args"],
        expected["unknown method"]
    );
    let table = place
        .run(&[&asked[..], &["--format", "markdown"]].concat())
        .success();
    assert!(
        table.contains("cannot find symbol · symbol:   method close()"),
        "{table}"
    );
}
