//! Checks that the sample data matches its README, and that the predictions belong to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use focalist::model::{Flag, Matcher, Status};

use crate::support::{Place, sample_data};

/// A test in the output of `export --format tests`.
struct Shown {
    status: String,
    stage: Option<String>,
    flags: Vec<String>,
}

/// Returns the decisions of the matcher that the README's table names.
fn mined() -> BTreeMap<String, Shown> {
    decided_by(&Place::with_sample_data(), Matcher::Contest)
}

fn decided_by(place: &Place, matcher: Matcher) -> BTreeMap<String, Shown> {
    let lines = place
        .run(&[
            "export",
            "--format",
            "tests",
            "--all",
            "--matcher",
            matcher.as_str(),
        ])
        .success();
    lines
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            let key = value["test"]["key"].as_str().expect("a test has a key");
            let method = key.split('(').next().expect("a key has a name");
            // Java's classes begin with a capital; in other languages nobody asks for the name.
            let name = method
                .find(char::is_uppercase)
                .map_or(key, |at| &method[at..]);
            let flags = value["flags"].as_array().expect("flags are a list");
            let shown = Shown {
                status: value["status"].as_str().expect("a status").to_owned(),
                stage: value["stage"].as_str().map(str::to_owned),
                flags: flags
                    .iter()
                    .map(|flag| flag.as_str().expect("a flag is a word").to_owned())
                    .collect(),
            };
            (name.to_owned(), shown)
        })
        .collect()
}

/// Returns test, status column and remarks of every row of the README's tables.
fn rows(readme: &str) -> Vec<(String, String, String)> {
    readme
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains('#'))
        .map(|line| {
            let mut cells = line
                .trim_matches('|')
                .splitn(3, '|')
                .map(|part| part.trim().to_owned());
            let mut next = || cells.next().expect("a row has three cells");
            (next().trim_matches('`').to_owned(), next(), next())
        })
        .collect()
}

#[test]
fn every_test_is_what_the_readme_says() {
    let readme = fs::read_to_string(sample_data("README.md")).expect("the README is there");
    let mined = mined();
    let rows = rows(&readme);
    let mut offences = Vec::new();
    for (test, status, remarks) in &rows {
        let Some(shown) = mined.get(test) else {
            offences.push(format!("{test}: not mined"));
            continue;
        };
        let stage = shown.stage.as_deref().map(|stage| stage.replace('_', " "));
        let actual = match &stage {
            Some(stage) if shown.status == Status::Ok.as_str() => format!("ok, {stage}"),
            _ => shown.status.clone(),
        };
        if actual != *status {
            offences.push(format!("{test}: the README says {status}, it is {actual}"));
        }
        for flag in Flag::ALL.iter().map(|flag| flag.as_str()) {
            let is_said = remarks.contains(&format!("`{flag}`"));
            if is_said && !shown.flags.iter().any(|text| text == flag) {
                offences.push(format!("{test}: no flag {flag}"));
            }
        }
    }
    assert!(offences.is_empty(), "\n{}", offences.join("\n"));
    let described: BTreeSet<&String> = rows.iter().map(|row| &row.0).collect();
    let not_described: Vec<&String> = mined
        .keys()
        .filter(|key| !described.contains(key))
        .collect();
    assert!(not_described.is_empty(), "{not_described:?}");
}

/// Flags that no sample has: a generated file, a receiver of unknown type, a test that does not call the method that it
/// is named after.
const NOT_SHOWN: [Flag; 3] = [Flag::Generated, Flag::ByName, Flag::NotCalled];

#[test]
fn every_status_and_flag_occurs() {
    let java = Place::with_sample_data();
    let mut mined: Vec<Shown> = [Matcher::Contest, Matcher::Evidence, Matcher::Methods2Test]
        .iter()
        .flat_map(|matcher| decided_by(&java, *matcher).into_values())
        .collect();
    let statuses: BTreeSet<&str> = mined.iter().map(|shown| shown.status.as_str()).collect();
    for status in Status::ALL {
        assert!(statuses.contains(status.as_str()), "{status:?}");
    }
    let others = Place::with_languages();
    for matcher in [Matcher::Contest, Matcher::Evidence, Matcher::Mera] {
        mined.extend(decided_by(&others, matcher).into_values());
    }
    let flags: BTreeSet<&str> = mined
        .iter()
        .flat_map(|shown| &shown.flags)
        .map(String::as_str)
        .collect();
    for flag in Flag::ALL {
        let is_shown = flags.contains(flag.as_str());
        assert_eq!(is_shown, !NOT_SHOWN.contains(flag), "{flag:?}");
    }
}

/// Returns test and focal methods of every row of the README's tables of the other languages.
fn rows_of_languages(readme: &str) -> Vec<(String, Vec<String>)> {
    let tables = readme.split("### The other languages").nth(1);
    let rows = tables.expect("the README has the tables").lines();
    rows.filter(|line| line.starts_with("| `"))
        .map(|line| {
            let code = |cell: &str| -> Vec<String> {
                let parts = cell.split('`').skip(1).step_by(2);
                parts.map(str::to_owned).collect()
            };
            let mut cells = line.trim_matches('|').split(" | ");
            let test = code(cells.next().unwrap_or_default()).concat();
            (test, code(cells.next().unwrap_or_default()))
        })
        .collect()
}

#[test]
fn in_other_languages_most_tests_are_about_what_a_reader_says() {
    let readme = fs::read_to_string(sample_data("README.md")).expect("the README is there");
    let place = Place::with_languages();
    let lines = place.run(&["export", "--format", "tests"]).success();
    let tests: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let rows = rows_of_languages(&readme);
    let (mut n_decided, mut n_right) = (0, 0);
    let mut wrong = Vec::new();
    for (test, expected) in &rows {
        let is_it = |value: &&serde_json::Value| {
            let text = |field: &str| value["test"][field].as_str().expect("a text").to_owned();
            [".", " > "].iter().any(|sign| {
                let name = format!("{}{sign}{}", text("class"), text("name"));
                let before = name.strip_suffix(test.as_str());
                before.is_some_and(|before| before.is_empty() || before.ends_with([' ', '.']))
            })
        };
        let found = tests.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("`{test}` is not mined"));
        let Some(focal) = found["focal"]["key"].as_str() else {
            continue;
        };
        n_decided += 1;
        let (class, name) = focal.split_once('#').expect("a key has a class");
        let name = name.split('(').next().unwrap_or(name);
        let class = class.rsplit(['.', '/']).next().unwrap_or(class);
        let is_right = |text: &String| {
            let bare_name = text.split('(').next().unwrap_or(text);
            bare_name == name || bare_name == format!("{class}.{name}")
        };
        if expected.iter().any(is_right) {
            n_right += 1;
        } else {
            wrong.push(format!("{test}: {focal}, not {expected:?}"));
        }
    }
    assert_eq!(tests.len(), rows.len());
    assert!(n_right * 10 >= n_decided * 9, "{wrong:#?}");
    assert!(
        n_right * 10 >= rows.len() * 6,
        "{n_right} of {}",
        rows.len()
    );
}

#[test]
fn predictions_belong_to_samples() {
    let check = |place: &Place, files: [&str; 2]| {
        let args = ["samples", "--limit", "0", "--json", "matcher:contest"];
        let samples = place.run(&args).success();
        for file in files {
            let text = fs::read_to_string(sample_data(&format!("predictions/{file}.jsonl")))
                .expect("the predictions are there");
            for line in text.lines() {
                let value: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
                let key = value["sample"].as_str().expect("a sample is named");
                assert!(samples.contains(key), "{file}: {key}");
            }
        }
    };
    check(&Place::with_sample_data(), ["steady", "hasty"]);
    check(&Place::with_languages(), ["steady-python", "hasty-python"]);
}
