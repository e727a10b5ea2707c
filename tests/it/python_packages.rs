//! The preparation of a Python project: packages of a given day, and pytest options of the project that have a value.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set, and download packages.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::python::{has_tools, run};

fn prepared(place: &Path, name: &str, (settings, more): (&str, &[&str])) -> Value {
    let root = place.join(name);
    let settings = format!("[tool.pytest.ini_options]\n{settings}\n");
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in [
        ("pyproject.toml", settings),
        (&format!("{name}.py"), "x = 1\n".to_owned()),
        (
            "tests/test_x.py",
            format!("import {name}\n\ndef test(): assert {name}.x == 1\n"),
        ),
    ] {
        fs::write(root.join(path), text).expect("it can be written");
    }
    let path = root.to_str().expect("our paths are text");
    let arguments = [&["prepare", path, "--json"], more].concat();
    run(place, &arguments, "").success().lines().remove(0)
}

#[test]
fn packages_are_those_of_the_day_that_was_asked_for_also_without_an_installer_of_the_users() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let row = prepared(place.path(), "dated", ("", &["--as-of", "2024-01-15"]));
    assert_eq!(row["accepted"], json!(true), "{row}");
    assert_eq!(row["as_of"], json!("2024-01-15"), "{row}");
    // The next one came on the 27th.
    assert_eq!(row["tools"]["pytest"], json!("7.4.4"), "{row}");
}

#[test]
fn an_option_of_the_projects_own_is_left_out_or_kept_with_its_value() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let settings = "addopts = '--doctest-report ndiff --maxfail 1 -n 2 --doctest-glob \"*.none\" --strict-markers'";
    let row = prepared(place.path(), "optioned", (settings, &[]));
    assert_eq!(row["accepted"], json!(true), "{row}");
    assert_eq!(row["suite"]["passed"], json!(1), "{row}");
}

#[test]
fn an_option_is_kept_with_its_value_where_that_is_a_path_of_the_project() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let settings = "addopts = '--doctest-modules --ignore spared.py --import-mode importlib --rootdir . tests'";
    let row = prepared(place.path(), "spared", (settings, &[]));
    assert_eq!(row["accepted"], json!(true), "{row}");
    assert_eq!(row["suite"]["passed"], json!(1), "{row}");
}

#[test]
fn requirements_for_another_python_are_left_out() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let folder = place.path().join("old").join("requirements").join("3.3");
    fs::create_dir_all(&folder).expect("it can be made");
    fs::write(folder.join("requirements-dev.txt"), "pytest<3.3\n").expect("it can be written");
    let row = prepared(place.path(), "old", ("", &[]));
    assert_eq!(row["accepted"], json!(true), "{row}");
    let notes = row["notes"].to_string();
    let file = "requirements/3.3/requirements-dev.txt is left out: it is for another Python";
    assert!(notes.contains(file), "{row}");
}

#[test]
fn a_test_by_hypothesis_does_not_fail_since_it_may_not_keep_its_examples() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let root = place.path().join("doubled");
    fs::create_dir_all(root.join("tests")).expect("it can be made");
    for (path, text) in [
        ("requirements.txt", "hypothesis\n"),
        ("double.py", "def twice(n):\n    return 2 * n\n"),
        (
            "tests/test_double.py",
            "from hypothesis import HealthCheck, given, settings, strategies\n\nfrom double import twice\n\n\n\
             @settings(deadline=None, suppress_health_check=list(HealthCheck))\n@given(strategies.integers())\ndef test_twice(n):\n    assert twice(n) == n + n\n",
        ),
    ] {
        fs::write(root.join(path), text).expect("it can be written");
    }
    let settings = "filterwarnings = ['error']";
    let row = prepared(place.path(), "doubled", (settings, &[]));
    assert_eq!(row["suite"]["passed"], json!(2), "{row}");
    let path = root.to_str().expect("our paths are text");
    run(place.path(), &["mine", path], "").success();
    run(place.path(), &["execute", "--truth"], "").success();
    let rows = run(place.path(), &["results", "truth-python", "--json"], "")
        .success()
        .lines();
    let outcomes: Vec<&Value> = rows.iter().map(|row| &row["ran"]["outcome"]).collect();
    assert_eq!(outcomes, [&json!("correct")], "{rows:?}");
}
