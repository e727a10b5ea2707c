//! A published dataset: each file beside the data, read with the tools of its format.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Place, python_with};

const NAMED: [&str; 9] = [
    "export",
    "--format",
    "parquet",
    "--dataset-name",
    "Tests of: \"five\" languages",
    "--author",
    "A group of people",
    "--published",
    "2026-02-03",
];

/// Exports into a folder of the place and returns the folder.
fn publish(place: &Place, name: &str, more: &[&str]) -> String {
    let folder = place.path(name).to_string_lossy().into_owned();
    let asked = [&NAMED[..], more, &["--output", &folder]].concat();
    place.run(&asked).success();
    folder
}

#[test]
fn the_tools_of_each_format_read_what_lies_beside_the_data() {
    let Some(python) = python_with("mlcroissant, cffconvert and datasets") else {
        return;
    };
    let place = Place::with_languages();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/published/check.py");
    for version in ["1.1", "1.0"] {
        let folder = publish(&place, version, &["--croissant", version]);
        let ended = Command::new(&python)
            .arg(&script)
            .arg(&folder)
            .env("HF_HOME", place.path("hub"))
            .env("HF_HUB_OFFLINE", "1")
            .output()
            .expect("Python can be started");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "{version}: {said}");
        let n_records = String::from_utf8_lossy(&ended.stdout);
        let n_records: usize = n_records.trim().parse().expect("it is a number");
        assert!(n_records > 20, "{n_records}");
    }
}

#[test]
fn the_same_index_and_the_same_words_give_the_same_bytes() {
    let place = Place::with_languages();
    let (one, two) = (publish(&place, "one", &[]), publish(&place, "two", &[]));
    for file in [
        "README.md",
        "manifest.json",
        "croissant.json",
        "CITATION.cff",
        "datasheet.md",
    ] {
        let read = |folder: &str| fs::read(Path::new(folder).join(file)).expect("it is there");
        assert_eq!(read(&one), read(&two), "{file}");
    }
}

#[test]
fn the_data_sheet_answers_what_is_known_and_marks_the_rest() {
    let place = Place::with_languages();
    let said = |folder: &str| {
        let path = Path::new(folder).join("datasheet.md");
        fs::read_to_string(path).expect("it is there")
    };
    let before = said(&publish(&place, "before", &[]));
    assert!(before.contains("No person has judged"), "{before}");
    assert!(before.contains("To be answered by a person"), "{before}");
    let listed = place.run(&["samples", "--json"]).success();
    let key = listed
        .lines()
        .find_map(|line| line.split("\"key\":\"").nth(1)?.get(..32))
        .expect("there is a sample");
    place
        .run(&["verdict", key, "accept", "--as", "cy"])
        .success();
    let after = said(&publish(&place, "after", &[]));
    assert!(
        after.contains("1 person judged the matches of 1 sample,"),
        "{after}"
    );
}
