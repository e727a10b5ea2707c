//! Published datasets without sources: they are imported as samples, and exported again unchanged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use focalist::exchange::ParquetError;
use focalist::exchange::columns::each_row;
use focalist::model::{Filter, Reason, SampleScope, Split};
use focalist::store::{Extent, Store, StoreAccess, StoreError, StoredMethod, StoredSample};
use focalist::task::Monitor;
use focalist::transfer::{
    DatasetFormat, DatasetOptions, DatasetReport, ExportFormat, ExportOptions, ParquetOptions,
    Publication, SplitBy, export, export_parquet, import_dataset,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::Place;

fn fixture(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/datasets")
        .join(below)
}

fn empty_index() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = Store::open(folder.path(), StoreAccess::Create).expect("a new index opens");
    (folder, store)
}

fn import(store: &mut Store, format: DatasetFormat, path: &Path) -> DatasetReport {
    let options = DatasetOptions::new(format, path);
    import_dataset(store, &Monitor::default(), &options).expect("the dataset is imported")
}

fn imported(format: DatasetFormat, below: &str) -> (DatasetReport, Vec<StoredSample>) {
    let (_folder, mut store) = empty_index();
    let report = import(&mut store, format, &fixture(below));
    let mut samples = Vec::new();
    store
        .each_sample(&Filter::default(), Extent::Sample, |sample| {
            samples.push(sample);
            Ok::<_, StoreError>(())
        })
        .expect("the index reads");
    (report, samples)
}

fn options(format: ExportFormat, scope: SampleScope) -> ExportOptions {
    ExportOptions {
        scope,
        ..ExportOptions::of(format)
    }
}

fn exported(store: &Store, format: ExportFormat, scope: SampleScope) -> String {
    let mut out = Vec::new();
    export(
        store,
        &Monitor::default(),
        &options(format, scope),
        &mut out,
    )
    .expect("the export is written");
    String::from_utf8(out).expect("JSON is text")
}

/// Returns path, line and reason of every problem.
fn seen(report: &DatasetReport) -> Vec<(&str, Option<u32>, Reason)> {
    let problems = report.problems.iter();
    problems
        .map(|problem| (problem.path.as_str(), problem.line, problem.reason))
        .collect()
}

/// Exports a place's samples, imports them elsewhere and exports them again: the lines and the rows must be the same
/// bytes.
fn check_comes_back(place: &Place, matcher: &str, scope: SampleScope) {
    let mut asked = vec!["export", "--matcher", matcher];
    asked.extend((scope == SampleScope::All).then_some("--all"));
    let ask = |more: &[&str]| place.run(&[&asked[..], more].concat()).success();
    let before = ask(&["--format", "jsonl"]);
    assert!(!before.is_empty());
    let path = place.write("published.jsonl", &before);
    let (_folder, mut store) = empty_index();
    let report = import(&mut store, DatasetFormat::Jsonl, &path);
    assert_eq!(report.problems, [], "{matcher}");
    assert_eq!(report.n_tests, before.lines().count() as u64);
    let after = exported(&store, ExportFormat::Jsonl, scope);
    for (before, after) in before.lines().zip(after.lines()) {
        assert_eq!(before, after, "{matcher}, {scope:?}");
    }
    assert_eq!(before.len(), after.len());
    assert!(import(&mut store, DatasetFormat::Jsonl, &path).is_unchanged());
    if scope == SampleScope::All {
        let chosen = ["export", "--matcher", matcher, "--format", "jsonl"];
        let chosen = place.run(&chosen).success();
        let from_all = exported(&store, ExportFormat::Jsonl, SampleScope::Paper);
        assert!(
            chosen == from_all,
            "{matcher}: a plain export has other samples"
        );
    }

    let set = place.path("set").to_string_lossy().into_owned();
    ask(&["--format", "parquet", "--output", &set]);
    assert_eq!(rows(&place.path("set/data")), values(&before), "{matcher}");
    let (_folder, mut store) = empty_index();
    let report = import(&mut store, DatasetFormat::Parquet, &place.path("set/data"));
    assert_eq!(report.problems, [], "{matcher}");
    let again = place.path("again");
    let options = ParquetOptions {
        samples: options(ExportFormat::Jsonl, scope),
        split_by: SplitBy::default(),
        rows_per_file: 100_000,
        publication: Publication::default(),
    };
    export_parquet(&store, &Monitor::default(), &options, &again).expect("the export is written");
    let bytes = |folder: &Path| -> Vec<(OsString, Vec<u8>)> {
        let files = fs::read_dir(folder.join("data")).expect("the export has files");
        let mut files: Vec<_> = files
            .map(|entry| {
                let entry = entry.expect("the folder can be read");
                let bytes = fs::read(entry.path()).expect("the file can be read");
                (entry.file_name(), bytes)
            })
            .collect();
        files.sort();
        files
    };
    assert!(
        bytes(&place.path("set")) == bytes(&again),
        "{matcher}, {scope:?}: other Parquet files"
    );
    for folder in ["set", "again"] {
        fs::remove_dir_all(place.path(folder)).expect("the test made it");
    }
}

/// Returns the rows of all Parquet files of a folder, by key.
fn rows(folder: &Path) -> BTreeMap<String, Value> {
    let mut rows = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the export has files") {
        let path = entry.expect("the folder can be read").path();
        each_row(&path, |row| {
            rows.insert(row["key"].to_string(), row);
            Ok::<_, ParquetError>(())
        })
        .expect("the file is Parquet");
    }
    rows
}

/// Returns the values of lines in the form of columns, without nulls, by key.
fn values(lines: &str) -> BTreeMap<String, Value> {
    fn without_null(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
                Value::Object(
                    fields
                        .map(|(name, value)| (name, without_null(value)))
                        .collect(),
                )
            }
            Value::Array(list) => list.into_iter().map(without_null).collect(),
            value => value,
        }
    }
    let values = lines.lines().map(|line| {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        (value["key"].to_string(), without_null(value))
    });
    values.collect()
}

/// Checks that every line of the tests has the key of its sample, which other exports also use.
fn check_keys_join(place: &Place) {
    let ask = |format: &str| {
        place
            .run(&["export", "--all", "--format", format])
            .success()
    };
    let tests = values(&ask("tests"));
    let samples = values(&ask("jsonl"));
    assert!(tests.keys().eq(samples.keys()));
    for (key, test) in tests {
        let sample = &samples[&key];
        assert_eq!(test["test"]["name"], sample["test"]["method"]);
        assert_eq!(test["candidates"], sample["match"]["candidates"]);
    }
}

#[test]
fn java_comes_back_as_the_same_lines_and_rows() {
    let place = Place::with_sample_data();
    for matcher in ["contest", "evidence", "methods2test"] {
        for scope in [SampleScope::All, SampleScope::Paper] {
            check_comes_back(&place, matcher, scope);
        }
    }
    check_keys_join(&place);
}

#[test]
fn the_other_languages_come_back_as_the_same_lines_and_rows() {
    let place = Place::with_languages();
    for matcher in ["contest", "evidence", "mera"] {
        for scope in [SampleScope::All, SampleScope::Paper] {
            check_comes_back(&place, matcher, scope);
        }
    }
    check_keys_join(&place);
}

#[test]
fn a_focal_method_of_several_equal_declarations_stays_the_one_it_was() {
    let place = Place::new();
    place.write("shelf/shelf/__init__.py", "");
    place.write("shelf/shelf/box.py", BOX);
    place.write("shelf/tests/test_box.py", BOX_TEST);
    let repo = place.path("shelf").to_string_lossy().into_owned();
    place.run(&["mine", &repo]).success();
    let lines = place.run(&["export", "--all"]).success();
    assert!(lines.contains("shelf.box.Box#put()~3"), "{lines}");
    check_comes_back(&place, "evidence", SampleScope::All);
}

const BOX: &str = "\
from typing import overload

class Box:
    @overload
    def put(self, thing: int) -> int: ...
    @overload
    def put(self, thing: str) -> str: ...
    def put(self, thing):
        return thing
";

const BOX_TEST: &str = "\
from shelf.box import Box

def test_put():
    box = Box()
    got = box.put(3)
    assert got == 3
";

#[test]
fn mined_and_imported_samples_count_the_same_tokens() {
    let place = Place::with_sample_data();
    let lines = place
        .run(&["export", "--format", "jsonl", "--all"])
        .success();
    let path = place.write("published.jsonl", lines);
    let mined = Store::open(&place.path(".focalist"), StoreAccess::Read)
        .or_else(|_| Store::open(&place.path(""), StoreAccess::Read))
        .expect("the place has an index");
    let (_folder, mut store) = empty_index();
    import(&mut store, DatasetFormat::Jsonl, &path);
    let hashes = |store: &Store| {
        let mut hashes = Vec::new();
        store
            .each_sample(&Filter::default(), Extent::Sample, |sample| {
                let duplicate_of = sample.duplicate_of;
                hashes.push((
                    sample.row.key,
                    sample.n_tokens,
                    sample.content_hash,
                    duplicate_of,
                ));
                Ok::<_, StoreError>(())
            })
            .expect("the index reads");
        hashes
    };
    assert_eq!(hashes(&store), hashes(&mined));
}

#[test]
fn lines_of_mixed_projects_keep_keys_splits_and_order() {
    let (report, samples) = imported(DatasetFormat::Jsonl, "reel.jsonl");
    assert_eq!((report.name.as_str(), report.n_repos), ("reel", 2));
    assert_eq!(
        (report.n_tests, report.n_mapped, report.n_problems),
        (3, 2, 0)
    );
    let shown: Vec<(String, &str, Option<Split>)> = samples
        .iter()
        .map(|sample| {
            (
                sample.row.key.to_string(),
                sample.repo.identity.as_str(),
                sample.split_random,
            )
        })
        .collect();
    let by_seed = samples[2].split_random;
    assert_eq!(
        shown,
        [
            ("0a".repeat(16), "example.org/film/reel", Some(Split::Test)),
            ("0b".repeat(16), "example.org/film/reel", Some(Split::Train)),
            ("0c".repeat(16), "shelf", by_seed),
        ]
    );
    assert!(
        by_seed.is_some(),
        "what the dataset does not give the seed decides"
    );
    let constructor = &samples[0].candidates[1].method;
    assert_eq!(constructor.key(), "reel.Spool#<init>()");
    assert_eq!(constructor.path, "(not in the dataset)");
    let wind = &samples[1].candidates[1].method;
    assert_eq!(wind.path, "src/main/java/reel/Spool.java");
}

#[test]
fn hostile_lines_are_named_and_harm_nothing_beside_them() {
    let (report, samples) = imported(DatasetFormat::Jsonl, "hostile.jsonl");
    let bad = |line| ("hostile.jsonl", Some(line), Reason::BadLine);
    let mut expected: Vec<_> = (2..=12).map(bad).collect();
    expected.push(("hostile.jsonl", Some(15), Reason::NotUtf8));
    assert_eq!(seen(&report), expected);
    let names: Vec<&str> = samples
        .iter()
        .map(|sample| sample.test.name.as_str())
        .collect();
    assert_eq!(names, ["windAddsTurns", "odd", "nothingIsAbout"]);
}

#[test]
fn a_folder_of_mappings_is_read_as_published() {
    let (report, samples) = imported(DatasetFormat::Methods2Test, "methods2test");
    assert_eq!((report.n_repos, report.n_tests, report.n_split), (3, 4, 4));
    assert_eq!(
        seen(&report),
        [
            ("test/303/303_0.json", None, Reason::BadLine),
            ("test/303/303_1.json", None, Reason::BadLine),
        ]
        .map(|(path, line, reason)| {
            // A file of one line is a line.
            let line = if path.ends_with("_0.json") {
                Some(1)
            } else {
                line
            };
            (path, line, reason)
        })
    );
    let shown: Vec<[String; 4]> = samples
        .iter()
        .map(|sample| {
            let setup = sample
                .cut
                .setup
                .map_or("", |span| span.of(&sample.test.text));
            [
                sample.test.key(),
                sample
                    .focal
                    .as_ref()
                    .map_or_else(String::new, StoredMethod::key),
                sample.split_random.map_or("", Split::as_str).to_owned(),
                setup
                    .trim()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            ]
        })
        .collect();
    let expected = [
        [
            "buoy.BuoyTest#testRise()",
            "buoy.Buoy#rise(int)",
            "test",
            "Tide tide = new Tide();",
        ],
        [
            "rope.ties.KnotTest#aKnotHasARope()",
            "rope.ties.Knot#<init>(String)",
            "validation",
            "Knot knot = new Knot(\"hemp\");",
        ],
        [
            "sea.TideTest#testRise()",
            "sea.Tide#rise(int)",
            "train",
            "Tide tide = new Tide();",
        ],
        [
            "sea.TideTest#risesTwice()",
            "sea.Tide#rise(int)",
            "train",
            "int level = tide.rise(1);",
        ],
    ];
    assert_eq!(shown, expected);
}

#[test]
fn parallel_files_are_read_as_published() {
    let (report, samples) = imported(DatasetFormat::Atlas, "atlas");
    assert_eq!((report.n_repos, report.n_tests, report.n_split), (1, 5, 4));
    assert_eq!(
        seen(&report),
        [
            ("Eval/testMethods.txt", Some(2), Reason::NotUtf8),
            ("Eval/testMethods.txt", Some(3), Reason::BadLine),
            ("Testing/testMethods.txt", Some(2), Reason::BadLine),
        ]
    );
    let assertions: Vec<&str> = samples
        .iter()
        .filter_map(|sample| Some(sample.cut.assertion?.of(&sample.test.text)))
        .collect();
    let mut expected = Vec::new();
    for folder in ["Training", "Testing"] {
        let lines = fs::read_to_string(fixture(&format!("atlas/{folder}/assertLines.txt")))
            .expect("the fixture is there");
        expected.extend(lines.lines().map(str::to_owned));
    }
    expected.pop();
    assert_eq!(assertions, expected);
}

#[test]
fn sources_are_not_mined_over_a_dataset() {
    let place = Place::new();
    let repo = place.counter("shelf");
    let mut store =
        Store::open(&place.path(".focalist"), StoreAccess::Create).expect("a new index opens");
    import(&mut store, DatasetFormat::Jsonl, &fixture("reel.jsonl"));
    drop(store);
    let outcome = place.run(&["mine", &repo]);
    let said = outcome.failure(focalist::cli::ExitCode::Input);
    assert!(
        said.contains("`shelf`, which is already in the index from the dataset `reel`"),
        "{said}"
    );
    let other = place.counter("other");
    let said = place.run(&["mine", &repo, &other]);
    assert!(said.err.contains("from the dataset `reel`"), "{}", said.err);
    assert!(place.run(&["samples"]).success().contains("testInc"));
    assert!(
        place
            .run(&["show", &"0a".repeat(16)])
            .success()
            .contains("spool.wind(3)")
    );
}
