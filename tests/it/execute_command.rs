//! `execute` from mining to tables, on a test project with JUnit 4, JUnit 5 and a module that does not build.
//!
//! It runs where `FOCALIST_NEED_TOOLS` is set.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use focalist::cli::ExitCode;
use serde_json::{Value, json};

use crate::prepare::{TURN, cache, has_tools, project};
use crate::support::{Place, copy};

/// Runs the program on a place, with the tests' cache.
fn run(place: &Place, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_focalist"))
        .arg("--workspace")
        .arg(place.path(""))
        .args(["--config", "/dev/null"])
        .args(arguments)
        .env("FOCALIST_CACHE", cache())
        .output()
        .expect("the program can be started");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("the program writes UTF-8")
}

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("lines of JSON")
}

/// Creates a place with the mined project; returns it with a function that returns the key of a module's test.
fn planted() -> (Place, impl Fn(&Place, &str) -> String) {
    let place = Place::new();
    copy(&project("several"), &place.path("several"));
    let folder = place.path("several").to_string_lossy().into_owned();
    run(&place, &["mine", &folder]);
    // By the file: classes have the same name in both modules.
    let key = move |place: &Place, module: &str| {
        let found = run(place, &["samples", "--json", &format!("file:{module}/src")]);
        let key = &lines(&found)[0]["key"];
        key.as_str().expect("a text").to_owned()
    };
    (place, key)
}

/// Imports answers to the two tests as a run.
fn import(place: &Place, name: &str, answers: &[(&str, &str)]) {
    let text: String = answers
        .iter()
        .map(|(key, code)| json!({"sample": key, "prediction": code}).to_string() + "\n")
        .collect();
    let file = place.write(&format!("{name}.jsonl"), text);
    let file = file.to_string_lossy().into_owned();
    run(place, &["import", &file, "--run", name, "--target", "test"]);
}

/// Returns the outcomes of a run, by host class.
fn outcomes(place: &Place, name: &str) -> Vec<(String, Value)> {
    let wrote = run(place, &["export", "--format", "outcomes", "--run", name]);
    let mut found: Vec<(String, Value)> = lines(&wrote)
        .into_iter()
        .map(|line| (line["host"].as_str().unwrap_or_default().to_owned(), line))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[test]
fn true_tests_and_predictions_are_run_compared_and_listed() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, key) = planted();
    let before = run(&place, &["execute", "--truth", "--json"]);
    assert_eq!(lines(&before)[0]["funnel"]["correct"], 2, "{before}");
    let again = run(&place, &["execute", "--truth", "--json"]);
    assert_eq!(lines(&again)[0]["projects"][0]["n_run"], 0, "{again}");

    let (four, five) = (key(&place, "four"), key(&place, "five"));
    let good = "@Test public void fine() { assertEquals(2, new Counter().add(2)); }";
    let wrong = "@Test public void fine() { assertEquals(9, new Counter().add(2)); }";
    let unknown = "@Test public void fine() { assertEquals(2, new Counter().minus(2)); }";
    import(&place, "better", &[(&four, good), (&five, wrong)]);
    import(&place, "worse", &[(&four, unknown), (&five, "no test")]);
    run(&place, &["execute", "better", "worse"]);
    let words = |name: &str| -> Vec<String> {
        let found = outcomes(&place, name).into_iter();
        let mut words: Vec<String> = found.map(|found| found.1["outcome"].to_string()).collect();
        words.sort();
        words
    };
    assert_eq!(words("better"), [r#""correct""#, r#""failing""#]);
    assert_eq!(words("worse"), [r#""not_compilable""#, r#""unparsable""#]);
    let why = run(
        &place,
        &["results", "worse", "why:\"cannot find symbol\"", "--json"],
    );
    assert_eq!(lines(&why).len(), 1, "{why}");

    run(&place, &["eval", "--metrics", "bleu"]);
    let compared = run(&place, &["compare", "worse", "better", "--json"]);
    let compared: Value = serde_json::from_str(&compared).expect("JSON");
    let shares = |side: &str| -> Vec<Value> {
        let steps = compared["outcomes"]["steps"].as_array();
        steps
            .into_iter()
            .flatten()
            .map(|step| step[side].clone())
            .collect()
    };
    assert_eq!(shares("a"), [0.5, 0.0, 0.0, 0.0].map(Value::from));
    assert_eq!(shares("b"), [1.0, 1.0, 0.5, 0.5].map(Value::from));
    assert_eq!(compared["outcomes"]["coverage_b"]["n_methods"], 1);
    // Three of the four lines of `add`.
    let covered = |compared: &Value| {
        let lines = &compared["outcomes"]["lines"];
        ["n", "a", "b", "only_b"].map(|text| lines[text].as_f64())
    };
    assert_eq!(covered(&compared), [2.0, 0.0, 0.375, 1.0].map(Some));
    let one = ["--filter", "file:four/src", "--json"];
    let one = run(
        &place,
        &[&["compare", "worse", "better"], &one[..]].concat(),
    );
    let one: Value = serde_json::from_str(&one).expect("JSON");
    assert_eq!(covered(&one), [1.0, 0.0, 0.75, 1.0].map(Some));
}

#[test]
fn what_ran_before_still_counts_where_a_part_runs_again() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, key) = planted();
    let usual = "@Test public void fine() { assertEquals(2, new Counter().add(2)); }";
    let refused = "@Test void fine() { try { new Counter().add(-1); } catch (RuntimeException it) { return; } }";
    let answers = [(key(&place, "four"), usual), (key(&place, "five"), refused)];
    let answers: Vec<(&str, &str)> = answers
        .iter()
        .map(|answer| (answer.0.as_str(), answer.1))
        .collect();
    import(&place, "both", &answers);
    let whole = run(&place, &["execute", "both", "--json"]);
    let part = [
        "execute",
        "both",
        "--force",
        "--json",
        "--filter",
        "file:four/src",
    ];
    let part = run(&place, &part);
    let covered = |text: &str| lines(text)[0]["all"]["milc"].clone();
    assert_eq!(covered(&whole), 1.0, "{whole}");
    assert_eq!(covered(&part), 1.0, "{part}");
}

#[test]
fn surefire_counts_what_the_fast_engine_counts() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, _) = planted();
    let counted = |engine: &str| -> Vec<(String, Value, Value)> {
        run(
            &place,
            &["execute", "--truth", "--engine", engine, "--alone"],
        );
        let found = outcomes(&place, "truth").into_iter();
        found
            .map(|(host, value)| (host, value["outcome"].clone(), value["focal"].clone()))
            .collect()
    };
    let fast = counted("fast");
    assert_eq!(fast.len(), 2);
    assert!(
        fast.iter()
            .all(|entry| entry.1 == "correct" && entry.2["line"].is_array()),
        "{fast:?}"
    );
    assert_eq!(counted("maven"), fast);
}

#[test]
fn what_running_has_shown_decides_for_a_benchmark() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, _) = planted();
    run(&place, &["execute", "--truth"]);
    place.write("list.jsonl", "{\"path\":\"several\"}\n");
    let list = place.path("list.jsonl").to_string_lossy().into_owned();
    let asked = ["benchmark", "filter", "--list", &list];
    let rest = ["--as-of", "2026-05-31", "--min-cases", "1", "--json"];
    let kept = place.run(&[&asked[..], &rest].concat()).success();
    let kept = &lines(&kept)[0];
    assert_eq!(kept["kept"], true);
    assert_eq!(kept["unknown"], json!(["size", "recent"]));
    let asked = [&asked[..], &rest].concat();
    let path = place.path("several/four/src/test/java/p/CounterTest.java");
    let text = fs::read_to_string(&path).expect("it can be read");
    let folder = place.path("several").to_string_lossy().into_owned();
    let ruled = |text: &str| {
        fs::write(&path, text).expect("it can be written");
        run(&place, &["mine", &folder]);
        run(&place, &["execute", "--truth"]);
        lines(&place.run(&asked).success()).remove(0)
    };
    // First a failing true test in place of one that passes, then one that is not run.
    let failing = text.replace("assertEquals(3,", "assertEquals(4,");
    let fell = ruled(&failing);
    assert_eq!(fell["reason"], "passes");
    assert_eq!(fell["detail"], "1 of 2 tests do not pass");
    let off = failing.replace("    @Test\n", "    @Test\n    @org.junit.Ignore\n");
    assert_eq!(ruled(&off)["kept"], true);
    let strict = ["--strict", "benchmark", "filter", "--list", "nowhere"];
    place
        .run(&[&strict[..], &rest].concat())
        .failure(ExitCode::Input);
}

/// Builds a jar of a program that writes suites as EvoSuite does.
fn fake_evosuite(place: &Place) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/evosuite/Main.java");
    let classes = place.path("fake");
    let jar = place.path("fake.jar");
    let tool = |name: &str, arguments: &[&OsStr]| {
        let output = Command::new(name).args(arguments).output();
        let output = output.expect("there is a JDK");
        assert!(output.status.success(), "{output:?}");
    };
    let (release, eight, out) = ("--release".as_ref(), "8".as_ref(), "-d".as_ref());
    tool(
        "javac",
        &[release, eight, out, classes.as_os_str(), source.as_os_str()],
    );
    let (how, main, at) = ("cfe".as_ref(), "fake.Main".as_ref(), "-C".as_ref());
    tool(
        "jar",
        &[
            how,
            jar.as_os_str(),
            main,
            at,
            classes.as_os_str(),
            ".".as_ref(),
        ],
    );
    jar.to_string_lossy().into_owned()
}

#[test]
fn a_suite_that_a_program_writes_is_cut_and_run() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let (place, _) = planted();
    let jar = fake_evosuite(&place);
    let asked = ["execute", "--from-suite", "evosuite", "--jar", &jar];
    let rest = [
        "--search-budget",
        "7",
        "--json",
        "--filter",
        "file:four/src",
    ];
    let asked = [&asked[..], &rest].concat();
    let ran = run(&place, &asked);
    assert_eq!(lines(&ran)[0]["run"], "evosuite");
    assert_eq!(lines(&ran)[0]["all"]["milc"], 0.75, "{ran}");
    let found: Vec<(String, String, Value)> = outcomes(&place, "evosuite")
        .into_iter()
        .map(|(host, value)| {
            (
                host,
                value["outcome"].to_string(),
                value["why"]["line"].clone(),
            )
        })
        .collect();
    let row = |host: &str, outcome: &str, line: Value| (host.to_owned(), outcome.to_owned(), line);
    assert_eq!(
        found,
        [
            row("", r#""not_compilable""#, json!(11)),
            row("p.Counter_0_ESTest", r#""correct""#, Value::Null),
            row("p.Counter_1_ESTest", r#""passing""#, Value::Null),
            row("p.Counter_2_ESTest", r#""failing""#, json!(11)),
        ]
    );
    let again = run(&place, &asked);
    assert_eq!(lines(&again)[0]["projects"][0]["n_run"], 0, "{again}");
    // Without the program they are not executed.
    let without = run(&place, &["execute", "evosuite", "--force", "--json"]);
    assert_eq!(lines(&without)[0]["funnel"]["blocked"]["no_engine"], 4);
}

#[test]
fn what_lombok_makes_is_there_for_tests_and_predictions() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = Place::new();
    copy(&project("lombok"), &place.path("lombok"));
    run(&place, &["mine", &place.path("lombok").to_string_lossy()]);
    let truth = run(&place, &["execute", "--truth", "--json"]);
    assert_eq!(lines(&truth)[0]["funnel"]["correct"], 1, "{truth}");
    let sample = &lines(&run(&place, &["samples", "--json"]))[0];
    let key = sample["key"].as_str().expect("a text");
    let prediction = "@Test @lombok.SneakyThrows public void plus() { Thread.sleep(1); \
                      lombok.val three = new Pair(new Point(1, 1), new Point(2, 2)); \
                      assertEquals(3, three.getFirst().plus(three.getSecond()).getX()); }";
    import(&place, "guess", &[(key, prediction)]);
    run(&place, &["execute", "guess"]);
    assert_eq!(outcomes(&place, "guess")[0].1["outcome"], "correct");
}
