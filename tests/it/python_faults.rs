//! Mutants of a Python project of special cases, and the outcomes of its true tests: the same as with a plain pytest on
//! a changed copy.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::python::{has_tools, run};

const PROJECT: &str = "trapped";
/// The number of pairs that are repeated with a plain pytest.
const N_AGAIN: usize = 20;
/// The program that reads functions to change them in place.
const STEM: &str = include_str!("../../src/runner/python/stem.py");
/// Compares functions of the standard library with their separately compiled forms. Some cannot be compared: they are
/// below other decorators, declared twice, or loaded before there were files.
const COMPARED: &str = r#"
import _pydecimal, argparse, asyncio.tasks, collections, configparser, contextlib, dataclasses, datetime, functools, inspect
import json.decoder, logging, optparse, pathlib, shutil, tarfile, typing, unittest.mock, zipfile

FUNCTION = type(is_file)
found = []
for module in list(sys.modules.values()):
    path = vars(module).get("__file__") or ""
    if not path.endswith(".py") or module.__name__ in ("__main__", "site") or "bootstrap" in path:
        continue
    bodies = Bodies(path)
    for _, _, (_, _, start, end) in bodies.functions:
        if end and start < end:
            place = bodies.place(start, start, "")
            there = named(module, place)
            if there:
                found.append(there[0].__code__ == code_of(place, place["old"]))
print(len(found), found.count(False))
"#;

/// Tells for each function of a file whether it compiles separately to the same code.
const OF_OLD_VERSIONS: &str = r#"
import tempfile

FUNCTION = type(is_file)
TEXT = """
from __future__ import absolute_import, annotations, division
from __future__ import print_function, unicode_literals

class Parser:
    def read(self, text: str) -> list:
        return [it for it in text]

if 0:
    pass
elif 1:
    def below(a):
        return lambda: a
else:
    def below(a):
        return 0
"""
with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
    file.write(TEXT)
    file.flush()
    known = {}
    exec(compile(TEXT, file.name, "exec", dont_inherit=True), known)
    codes = [known["Parser"].read.__code__, known["below"].__code__]
    bodies = Bodies(file.name)
    for _, _, (_, _, start, _) in bodies.functions[:2]:
        place = bodies.place(start, start, "")
        print(place["name"], code_of(place, place["old"]) in codes)
"#;

/// Searches for functions below their decorators, each by its name: returns how many are found, or why none is.
const DECORATED: &str = r#"
import importlib.util, tempfile

FUNCTION = type(is_file)
TEXT = """
import functools

class Counted:
    def __init__(self, function):
        self.inner = functools.partial(function)
    def __call__(self, *rest):
        return self.inner(*rest)

RULES = {}

def rule(function):
    RULES[function.__name__] = function

def table(function):
    return function()

@Counted
def counted(number):
    return number + 1

@rule
def ruled(number):
    return number + 2

@table
def tabled():
    return [1]
"""

path = os.path.join(tempfile.mkdtemp(), "kept.py")
with open(path, "w") as file:
    file.write(TEXT)
spec = importlib.util.spec_from_file_location("kept", path)
module = sys.modules["kept"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
bodies = Bodies(path)
for node, _, (_, _, start, _) in bodies.functions:
    for is_looked_at in (False, True):
        if node.name in ("counted", "ruled", "tabled"):
            try:
                place = {**bodies.place(start, start, ""), "is_loaded": True, "is_looked_at": is_looked_at}
                print(node.name, is_looked_at, len(functions_in(place)))
            except Unfit as error:
                print(node.name, is_looked_at, error)
"#;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/trapped")
}

/// Prepares and mines the project; returns the workspace and the folder of the project's copy.
pub fn mined() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().expect("a folder can be made");
    let fixture = fixture();
    let path = fixture.to_str().expect("our paths are text");
    let row = run(place.path(), &["prepare", path, "--json"], "")
        .success()
        .lines()
        .remove(0);
    let checkout = PathBuf::from(row["folder"].as_str().expect("it says where"));
    run(place.path(), &["mine", path, "--name", PROJECT], "").success();
    (place, checkout)
}

/// Returns the name of each sample's test by its key.
fn names(place: &tempfile::TempDir) -> BTreeMap<String, String> {
    let samples = run(place.path(), &["export", "--all"], "")
        .success()
        .lines();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    samples
        .iter()
        .map(|sample| (text(&sample["key"]), text(&sample["test"]["method"])))
        .collect()
}

/// Returns the pairs of the true tests.
pub fn pairs(place: &tempfile::TempDir) -> Vec<Value> {
    let arguments = ["export", "--format", "mutants", "--run", "truth-python"];
    run(place.path(), &arguments, "").success().lines()
}

/// Returns the outcome of each pair, by the fields that identify the pair.
fn outcomes(pairs: &[Value]) -> BTreeSet<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    pairs
        .iter()
        .map(|pair| {
            (
                text(&pair["sample"]),
                text(&pair["mutant"]["id"]),
                text(&pair["outcome"]),
            )
        })
        .collect()
}

/// Tells whether a plain pytest passes on a copy of the project with a mutant.
fn passes(checkout: &Path, pair: &Value, test: &str) -> bool {
    let copy = tempfile::tempdir().expect("a folder can be made");
    for folder in ["trapped", "tests"] {
        let to = copy.path().join(folder);
        fs::create_dir(&to).expect("it is new");
        for entry in fs::read_dir(fixture().join(folder)).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if let Some(name) = path.file_name().filter(|_| path.is_file()) {
                fs::copy(&path, to.join(name)).expect("it can be copied");
            }
        }
    }
    let mutant = &pair["mutant"];
    let file = copy
        .path()
        .join(mutant["file"].as_str().expect("it has one"));
    let text = fs::read_to_string(&file).expect("it is there");
    let place = |name: &str| mutant[name].as_u64().expect("it has a place") as usize;
    let changed = [
        &text[..place("start")],
        mutant["replacement"].as_str().expect("it has one"),
        &text[place("end")..],
    ]
    .concat();
    assert_ne!(changed, text);
    fs::write(&file, changed).expect("it can be written");
    let python = checkout.with_file_name("env").join("bin/python");
    let status = Command::new(python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"])
        .args(["-k", test])
        .current_dir(copy.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the environment has a Python");
    status.success()
}

#[test]
fn tests_are_held_against_faults_as_a_plain_pytest_would_hold_them() {
    if !has_tools() {
        return;
    }
    let (place, checkout) = mined();
    let names = names(&place);
    let asked = ["execute", "--truth", "--faults", "--json"];
    let report = run(place.path(), &asked, "").success().lines().remove(0);
    let faults = &report["faults"];
    assert_eq!((&faults["tests"], &faults["now"]), (&json!(14), &json!(14)));
    // An exception is swallowed, or `None` is returned where it is handled.
    assert_eq!(faults["same_code"], json!(1), "{faults}");
    assert_eq!(
        (&faults["unsettled"], &faults["failed"]),
        (&json!(0), &json!(0))
    );
    let pairs = pairs(&place);
    let of = |test: &str, mutator: &str| -> BTreeSet<String> {
        let found = pairs.iter().filter(|pair| {
            let key = pair["sample"].as_str().unwrap_or_default();
            names.get(key).is_some_and(|name| name == test)
                && pair["mutant"]["mutator"] == json!(mutator)
        });
        let word = |pair: &Value| {
            let by = pair["by"]
                .as_str()
                .map_or(String::new(), |by| format!(" {by}"));
            format!("{}{by}", pair["outcome"].as_str().unwrap_or_default())
        };
        found.map(word).collect()
    };
    let check = |test: &str, mutator: &str, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(of(test, mutator), expected, "{test} {mutator}");
    };
    let by_assertion = "killed_by_assertion AssertionError";
    // A table that is built at import.
    check("test_build", "AOR", &[by_assertion]);
    check("test_cached", "AOR", &[by_assertion]);
    check("test_cached", "DDL", &["survived"]);
    // What is below a decorator, stands in two functions, or knows its class.
    check("test_area", "AOR", &[by_assertion]);
    check("test_original", "AOR", &[by_assertion]);
    check("test_size", "AOR", &[by_assertion]);
    // What is in a closure.
    check("test_make_adder", "AOR", &[by_assertion]);
    // What expects an exception.
    check("test_refuse", "ETR", &["killed_by_error TypeError"]);
    check("test_refuse", "SDL", &["killed_by_assertion Failed"]);
    check("test_refuse", "RVR", &["not_covered"]);
    check("test_count_up", "ASR", &["timed_out"]);
    check("test_reserve", "LOR", &["out_of_memory MemoryError"]);
    check("test_leave", "ROR", &["killed_by_error"]);
    // It kills the server that judges it; in a process of its own there is nobody to be killed, and the test passes.
    check("test_strike", "ROR", &["survived"]);
    // Another process sees the fault, and no line of it is seen here.
    check("test_twice", "AOR", &[by_assertion]);
    check("test_never", "AOR", &["not_covered"]);
    check("test_raises", "EXS", &[by_assertion]);
    check("test_raises", "RVR", &["not_covered"]);
    // What can be run without harm, drawn by the hashes that ids are.
    let mut again: Vec<&Value> = pairs
        .iter()
        .filter(|pair| {
            let outcome = pair["outcome"].as_str().unwrap_or_default();
            let key = pair["sample"].as_str().unwrap_or_default();
            let is_harmful = matches!(names[key].as_str(), "test_strike" | "test_leave");
            !is_harmful && !matches!(outcome, "timed_out" | "out_of_memory")
        })
        .collect();
    again.sort_by_key(|pair| pair["mutant"]["id"].to_string());
    again.truncate(N_AGAIN);
    assert_eq!(again.len(), N_AGAIN);
    for pair in again {
        let test = &names[pair["sample"].as_str().unwrap_or_default()];
        let is_killed = pair["outcome"]
            .as_str()
            .is_some_and(|text| text.starts_with("killed"));
        assert_eq!(passes(&checkout, pair, test), !is_killed, "{test}: {pair}");
    }
}

/// Returns the output of that program with further code appended.
fn said_by_stem(more: &str) -> String {
    let ran = Command::new("python3")
        .args(["-I", "-c", &format!("{STEM}{more}")])
        .output()
        .expect("there is a Python");
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    said + &String::from_utf8_lossy(&ran.stderr)
}

#[test]
fn a_function_is_found_below_decorators_that_only_keep_it() {
    if !has_tools() {
        return;
    }
    let expected = [
        "counted False 1",
        // Somebody may have looked at what it does.
        "counted True it is not found in its module",
        // Its name stands for nothing.
        "ruled False it is not found in its module",
        "ruled True it is not found in its module",
        "tabled False it is not found in its module",
        "tabled True it is not found in its module",
    ];
    let said = said_by_stem(DECORATED);
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn features_that_all_versions_have_and_other_branches_change_no_code() {
    if !has_tools() {
        return;
    }
    let said = said_by_stem(OF_OLD_VERSIONS);
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        ["read True", "below True"]
    );
}

#[test]
fn a_function_alone_compiles_to_what_it_is_in_its_module() {
    if !has_tools() {
        return;
    }
    let said = said_by_stem(COMPARED);
    let numbers: Vec<u32> = said
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [n_found, n_other] = numbers[..] else {
        panic!("{said}");
    };
    assert!(n_found > 3_000, "{n_found}");
    // `types.coroutine` changes what it decorates.
    assert!(n_other <= 3, "{n_other} of {n_found}");
}

#[test]
fn pairs_are_kept_counted_and_shown_and_a_sample_of_them_is_less() {
    if !has_tools() {
        return;
    }
    let (place, _) = mined();
    run(place.path(), &["execute", "--truth"], "").success();
    let only = [
        "--filter",
        "text:\"refuse(-1)\"",
        "--operators",
        "ETR,SDL,RVR",
    ];
    let asked = |more: &[&str]| {
        let arguments = [&["execute", "--truth", "--faults"][..], &only, more].concat();
        run(place.path(), &arguments, "").success()
    };
    let dry = asked(&["--dry-run"]);
    assert!(
        dry.out.contains("4 mutants in 1 focal method"),
        "{}",
        dry.out
    );
    assert!(pairs(&place).is_empty());
    let first = asked(&[]);
    assert!(first.out.contains("mutation score"), "{}", first.out);
    let before = outcomes(&pairs(&place));
    assert_eq!(before.len(), 4);
    let again = asked(&[]);
    assert!(
        again
            .err
            .contains("0 tests run against mutants now, 1 already had"),
        "{}",
        again.err
    );
    assert_eq!(outcomes(&pairs(&place)), before);
    let sample = asked(&["--sample", "2"]);
    assert!(
        sample.err.contains("1 test run against mutants now"),
        "{}",
        sample.err
    );
    assert_eq!(outcomes(&pairs(&place)).len(), 2);
    let key = names(&place)
        .into_iter()
        .find(|(_, name)| name == "test_refuse")
        .expect("it was mined")
        .0;
    let shown = run(place.path(), &["faults", &key], "").success();
    assert!(
        shown.out.contains("+        raise TypeError("),
        "{}",
        shown.out
    );
    assert!(
        shown
            .out
            .contains("truth-python attempt 0: killed_by_error (TypeError)"),
        "{}",
        shown.out
    );
    let survivors = run(place.path(), &["faults", &key, "--survivors", "--json"], "").success();
    assert!(
        survivors
            .lines()
            .iter()
            .all(|pair| pair["outcome"] == json!("not_covered"))
    );
    // What runs again loses them.
    run(place.path(), &["execute", "--truth", "--force"], "").success();
    assert!(pairs(&place).is_empty());
    let wrong = run(
        place.path(),
        &["execute", "--truth", "--faults", "--operators", "XYZ"],
        "",
    );
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("no operator `XYZ`"), "{}", wrong.err);
}
