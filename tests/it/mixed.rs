//! One run of samples in Java, Python and Go: imported, executed, listed, compared and generated, each sample in its
//! language.
//!
//! The tests that execute foreign code run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::path::Path;

use focalist::generate::testing::{Act, Server};
use serde_json::{Value, json};

use crate::prepare::{TURN, cache, has_tools, project};
use crate::python::{Said, fixture, run_with};
use crate::support::{Place, copy, sample_data};

const JAVA: [&str; 2] = [
    "@Test public void fine() { assertEquals(2, new Counter().add(2)); }",
    "@Test public void fine() { assertEquals(9, new Counter().add(2)); }",
];
const PYTHON: [&str; 2] = [
    "def test_up(counter):\n    counter.up()\n    assert helper(counter) == 3\n",
    "def test_up_by():\n    assert Counter().up(1) == 7\n",
];
const GO: &str = "func TestAny(t *testing.T) {\n\tt.Fatal(1)\n}\n";

fn run(place: &Path, arguments: &[&str]) -> Said {
    run_with(&cache(), place, (arguments, ""))
}

/// Mines a project of each language, and returns the keys of its mapped tests by language and name.
fn mined(place: &Place) -> BTreeMap<(String, String), String> {
    copy(&project("several"), &place.path("several"));
    copy(&fixture(), &place.path("count"));
    copy(
        Path::new(&sample_data("languages/kilnlog")),
        &place.path("kilnlog"),
    );
    for name in ["several", "count", "kilnlog"] {
        let folder = place.path(name).to_string_lossy().into_owned();
        run(&place.path(""), &["mine", &folder, "--name", name]).success();
    }
    let samples = run(&place.path(""), &["export", "--all"]).success();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let samples = samples.lines();
    samples
        .iter()
        .map(|sample| {
            // The Java tests of both modules have one name.
            let file = text(&sample["test"]["file"]);
            let name = match file.split_once("/src/test/") {
                Some((module, _)) => module.to_owned(),
                None => text(&sample["test"]["method"]),
            };
            ((text(&sample["language"]), name), text(&sample["key"]))
        })
        .collect()
}

/// Imports two answers in Java, two in Python and one in Go as a run.
fn import(place: &Place, name: &str, is_better: bool) {
    let keys = mined(place);
    let key = |language: &str, name: &str| {
        let key = keys.get(&(language.to_owned(), name.to_owned()));
        key.unwrap_or_else(|| panic!("{language} {name}: {keys:?}"))
            .clone()
    };
    let (_, go) = keys
        .iter()
        .find(|key| key.0.0 == "go")
        .expect("Go is mined");
    let last = usize::from(!is_better);
    let answers = [
        (key("python", "test_up"), PYTHON[last]),
        (key("java", "four"), JAVA[last]),
        (go.clone(), GO),
        (key("java", "five"), JAVA[1]),
        (key("python", "test_up_by"), PYTHON[1]),
    ];
    let lines = answers.map(|(key, text)| json!({"sample": key, "prediction": text}).to_string());
    let file = place.write(&format!("{name}.jsonl"), lines.join("\n"));
    let file = file.to_string_lossy().into_owned();
    let import = ["import", &file, "--run", name, "--target", "test"];
    run(&place.path(""), &import).success();
}

#[test]
fn a_run_of_three_languages_is_told_in_every_table() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let folder = place.path("");
    import(&place, "better", true);
    import(&place, "worse", false);
    let call = |arguments: &[&str]| run(&folder, arguments).success();
    call(&["eval", "--metrics", "bleu"]);

    let executed = call(&["execute", "better", "worse"]);
    assert!(
        executed
            .err
            .contains("run better: 1 prediction in go not run: no engine runs go"),
        "{}",
        executed.err
    );
    assert!(!executed.out.contains("no_build"), "{}", executed.out);
    let outcomes = call(&["export", "--format", "outcomes", "--run", "better"]).lines();
    let outcomes: Vec<String> = outcomes
        .iter()
        .map(|outcome| {
            format!(
                "{} {}{}",
                outcome["engine"], outcome["outcome"], outcome["blocked"]
            )
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            r#""fork" "correct"null"#,
            r#""fast" "correct"null"#,
            r#""none" null"no_engine""#,
            r#""fast" "failing"null"#,
            r#""fork" "failing"null"#,
        ]
    );

    // One view over the run, whose parts add up.
    let whole = &call(&["runs", "better", "--json"]).lines()[0];
    assert_eq!(whole["language"], "mixed");
    assert_eq!(whole["languages"], json!({"java": 2, "python": 2, "go": 1}));
    let executed = &whole["executed"];
    assert_eq!(executed["engine"], "fast+fork+none");
    assert_eq!(executed["funnel"]["n_candidates"], 5);
    assert_eq!(executed["funnel"]["unique"], 4);
    assert_eq!(executed["funnel"]["correct"], 2);
    assert_eq!(executed["funnel"]["blocked"]["no_engine"], 1);
    assert_eq!(executed["not_run"], 0);
    // Of samples with an outcome, as everywhere.
    assert_eq!(executed["at_k"][0]["n_samples"], 4);
    let parts = call(&["runs", "better", "--by", "language", "--json"]).lines();
    let sum = |of: &dyn Fn(&Value) -> &Value| -> u64 {
        parts.iter().filter_map(|value| of(value).as_u64()).sum()
    };
    assert_eq!(sum(&|value| &value["n_predictions"]), 5);
    assert_eq!(sum(&|value| &value["funnel"]["correct"]), 2);
    assert_eq!(sum(&|value| &value["funnel"]["blocked"]["no_engine"]), 1);

    // What has no outcome stands in every format of every table.
    for format in ["table", "csv", "latex", "markdown"] {
        let shown = call(&["runs", "--format", format]).out;
        for column in ["amples", "blocked", "not run"] {
            assert!(shown.contains(column), "{format}: {column}: {shown}");
        }
        let shown = call(&["runs", "--by", "language", "--format", format]).out;
        for column in ["samples", "blocked", "not run", "python", "go"] {
            assert!(shown.contains(column), "{format}: {column}: {shown}");
        }
    }
    let groups = call(&["results", "better", "--group", "language", "--json"]).lines();
    let groups: Vec<String> = groups
        .iter()
        .map(|group| {
            let counts = (&group["n_blocked"], &group["n_not_run"]);
            format!(
                "{} {} {} {}",
                group["group"], group["n"], counts.0, counts.1
            )
        })
        .collect();
    assert_eq!(
        groups,
        [r#""java" 2 0 0"#, r#""python" 2 0 0"#, r#""go" 1 1 0"#]
    );
    for format in ["table", "csv", "latex", "markdown"] {
        let group = [
            "results", "better", "--group", "language", "--format", format,
        ];
        let shown = call(&group).out;
        assert!(
            shown.contains("blocked") && shown.contains("not run"),
            "{format}: {shown}"
        );
    }
    let listed = |filter: &str| call(&["results", "better", filter, "--json"]).lines().len();
    assert_eq!((listed("language:python"), listed("ran:blocked")), (2, 1));

    let compared = call(&["compare", "worse", "better", "--by", "language", "--json"]).out;
    let compared: Value = serde_json::from_str(&compared).expect("JSON");
    assert_eq!(compared["outcomes"]["n"], 4, "{compared}");
    let slices = compared["slices"].as_array().expect("slices");
    let slices: Vec<String> = slices
        .iter()
        .map(|slice| {
            format!(
                "{} {} {}",
                slice["slice"], slice["n_blocked_b"], slice["n_not_run_a"]
            )
        })
        .collect();
    let expected = [
        "null 1 0",
        r#""go" 1 0"#,
        r#""java" 0 0"#,
        r#""python" 0 0"#,
    ];
    assert_eq!(slices, expected);
    for (format, heads) in [
        ("table", ["blocked (A, B)", "not run (A, B)"]),
        ("csv", ["blocked_a,blocked_b", "not_run_a,not_run_b"]),
        ("latex", ["Blocked", "Not run"]),
        ("markdown", ["Blocked", "Not run"]),
    ] {
        let arguments = ["compare", "worse", "better", "--by", "language"];
        let shown = call(&[&arguments[..], &["--format", format]].concat()).out;
        for head in heads {
            assert!(shown.contains(head), "{format}: {head}: {shown}");
        }
        let head = shown
            .lines()
            .find(|line| line.to_lowercase().contains("samples"));
        assert!(head.is_some(), "{format}: {shown}");
    }
    let text = call(&["compare", "worse", "better", "--by", "language"]).out;
    assert!(text.contains("python") && text.contains("java"), "{text}");
}

/// Returns the steps of an engine in a line of `execute --timings --json`, each with its count, and checks that they
/// add up to the total.
fn steps(line: &Value, engine: &str) -> BTreeMap<String, u64> {
    let rows = line["timings"].as_array().expect("there are rows");
    let rows = rows.iter().filter(|row| row["engine"] == engine);
    let (mut steps, mut sum, mut total) = (BTreeMap::new(), 0.0, None);
    for row in rows {
        let wall = row["wall_s"].as_f64().expect("a number");
        let cpu = &row["cpu_s"];
        assert!(wall >= 0.0, "{row}");
        assert!(cpu.is_null() || cpu.as_f64() >= Some(0.0), "{row}");
        let step = row["step"].as_str().expect("a word");
        if step == "total" {
            total = Some(wall);
            continue;
        }
        sum += wall;
        steps.insert(step.to_owned(), row["n"].as_u64().expect("a count"));
    }
    let total = total.expect("there is a total");
    assert!((sum - total).abs() < 1e-6, "{sum} {total}");
    steps
}

#[test]
fn where_the_time_went_is_told_for_each_engine() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let folder = place.path("");
    import(&place, "timed", true);
    let call = |rest: &[&str]| {
        let asked = [&["execute", "timed", "--force"], rest].concat();
        run(&folder, &asked).success()
    };
    let lines = call(&["--timings", "--json"]).lines();
    let fast = steps(&lines[0], "fast");
    let words = |steps: &BTreeMap<String, u64>| steps.keys().cloned().collect::<Vec<_>>().join(" ");
    let all = "compile copy coverage load other start test write";
    assert_eq!(words(&fast), all);
    // A compiler, what runs tests, and what adds up their coverage, in two modules.
    assert!(fast["start"] >= 3 && fast["test"] >= 2, "{fast:?}");
    let fork = steps(&lines[0], "fork");
    assert_eq!(words(&fork), all.replace("compile ", ""));
    assert!(fork["start"] >= 1 && fork["test"] >= 2, "{fork:?}");

    let only = ["--engine", "maven", "--filter", "file:four/src"];
    let lines = call(&[&only[..], &["--timings", "--json"]].concat()).lines();
    let maven = steps(&lines[0], "maven");
    assert_eq!(words(&maven), "compile copy other test write");
    assert_eq!(maven["compile"], 1);

    let told = call(&["--timings"]).out;
    for head in ["time, engine fast", "time, engine fork"] {
        assert!(told.contains(head), "{told}");
    }
    let plain = call(&["--json"]);
    assert!(!plain.out.contains("timings"), "{}", plain.out);
    assert!(!call(&[]).out.contains("time, engine"));
}

#[test]
fn what_one_engine_leaves_is_not_run_until_another_does() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    let folder = place.path("");
    import(&place, "part", true);
    let executed = run(&folder, &["execute", "part", "--engine", "fork"]).success();
    assert!(
        executed
            .err
            .contains("2 predictions in java not run: engine `fork` is for python"),
        "{}",
        executed.err
    );
    assert!(
        executed.out.contains("of the run: 3 not run"),
        "{}",
        executed.out
    );
    let not_run = || {
        let csv = run(&folder, &["runs", "--format", "csv"]).success().out;
        let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let head = lines.next().expect("there is a head");
        let at = head
            .iter()
            .position(|text| *text == "not run")
            .expect("it is told");
        lines.next().expect("there is a run")[at].to_owned()
    };
    assert_eq!(not_run(), "3");
    run(&folder, &["execute", "part"]).success();
    assert_eq!(not_run(), "0");
    // Nothing else is there for a language that nothing runs.
    let failed = run(&folder, &["execute", "part", "--filter", "language:go"]);
    assert_eq!(failed.code, Some(1), "{}", failed.err);
    assert!(failed.err.contains("no engine runs go"), "{}", failed.err);
}

#[test]
fn true_tests_of_several_languages_make_tables_that_add_up() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    mined(&place);
    let folder = place.path("");
    run(&folder, &["execute", "--truth"]).success();
    let runs = run(&folder, &["runs", "--json"]).success().lines();
    let told: Vec<String> = runs
        .iter()
        .map(|run| {
            let funnel = &run["executed"]["funnel"];
            assert_eq!(funnel["n_candidates"], run["n_predictions"], "{run}");
            assert_eq!(run["executed"]["not_run"], 0, "{run}");
            format!(
                "{} {} {}",
                run["name"], run["language"], run["executed"]["engine"]
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            r#""truth" "java" "fast""#,
            r#""truth-python" "python" "fork""#,
            r#""truth-go" "go" "none""#,
        ]
    );
    let go = &runs[2]["executed"]["funnel"];
    assert_eq!(go["blocked"]["no_engine"], go["n_candidates"], "{go}");
    assert_eq!(go["unique"], 0, "{go}");

    // A benchmark reads all of these runs.
    let stats = run(&folder, &["benchmark", "stats", "--json"]).success();
    let stats: Vec<Value> = stats.lines();
    let about = |value: &&Value| value["about"] == "true tests";
    let stats: Vec<&Value> = stats.iter().filter(about).collect();
    let (whole, parts) = stats.split_first().expect("true tests were executed");
    let languages: Vec<&Value> = parts.iter().map(|value| &value["language"]).collect();
    assert_eq!(languages, ["java", "python", "go"]);
    for (part, run) in parts.iter().zip(&runs) {
        let funnel = &run["executed"]["funnel"];
        for name in ["n_candidates", "unique", "correct", "blocked"] {
            assert_eq!(part[name], funnel[name], "{name}");
        }
        assert_eq!(part["n_samples"], run["n_predictions"], "{part}");
    }
    for name in ["n_samples", "n_candidates", "unique", "correct", "not_run"] {
        let sum: u64 = parts.iter().filter_map(|value| value[name].as_u64()).sum();
        assert_eq!(whole[name], sum, "{name}");
    }
    let table = run(&folder, &["benchmark", "stats"]).success().out;
    for word in ["blocked", "not run", "python", "go"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let list = place.write("repos.jsonl", r#"{"path":"count","name":"count"}"#);
    let list = list.to_string_lossy().into_owned();
    let filter = [
        "benchmark",
        "filter",
        "--list",
        &list,
        "--as-of",
        "2026-05-31",
    ];
    let filter = [&filter[..], &["--min-cases", "1", "--json"]].concat();
    let ruled = &run(&folder, &filter).success().lines()[0];
    // Its tests were run, and no `pom.xml` is asked of Python.
    assert_eq!(ruled["unknown"], json!(["size", "recent"]), "{ruled}");
}

#[test]
fn an_experiment_over_several_languages_says_what_it_could_not_use() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    mined(&place);
    let folder = place.path("");
    let server =
        Server::start(|server_request| Act::answer(&vec!["assert 1 == 2"; server_request.n()]));
    let write = |name: &str, filter: &str| {
        let text = format!(
            "name = \"{name}\"\nfilter = \"{filter}\"\nkind = \"assertion\"\nmetrics = [\"bleu\"]\nexecute = true\n\
             [[models]]\nmodel = \"a\"\nendpoint = \"{}\"\n",
            server.endpoint()
        );
        let file = place.write(&format!("{name}.toml"), text);
        file.to_string_lossy().into_owned()
    };
    let own = place.write(
        "home.toml",
        format!("[models.own]\nendpoint = \"{}\"\n", server.endpoint()),
    );
    let own = own.to_string_lossy().into_owned();
    let all = write("all", "status:ok");
    let ran = run(&folder, &["--config", &own, "experiment", "run", &all]).success();
    assert!(
        ran.err.contains("in go not run: no engine runs go"),
        "{}",
        ran.err
    );
    let shown = &run(&folder, &["experiment", "show", &all, "--json"])
        .success()
        .lines()[0];
    let count = |name: &str| shown[name].as_u64().expect("a count");
    assert_eq!(count("not_run"), 0, "{shown}");
    assert!(count("blocked") > 0, "{shown}");
    assert_eq!(
        count("samples"),
        count("blocked") + shown["correct"]["n"].as_u64().unwrap_or(0),
        "{shown}"
    );
    for format in ["table", "csv", "latex", "markdown"] {
        let table = run(&folder, &["experiment", "show", &all, "--format", format])
            .success()
            .out;
        assert!(
            table.contains("blocked") && table.contains("not run"),
            "{format}: {table}"
        );
    }
    // No step may use none of its samples and be a success.
    let go = write("only-go", "status:ok language:go");
    let failed = run(&folder, &["--config", &own, "experiment", "run", &go]);
    assert_eq!(failed.code, Some(1), "{}", failed.err);
    assert!(failed.err.contains("no engine runs go"), "{}", failed.err);
}
