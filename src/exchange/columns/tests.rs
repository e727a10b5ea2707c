//! Rows come out of columns as they went in, and foreign rows become samples.

use std::fs;

use super::*;
use serde_json::json;

fn written(rows: &[Value], rows_per_file: u64) -> (tempfile::TempDir, ColumnFiles) {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let mut writer =
        ColumnWriter::new(folder.path(), "train", rows_per_file).expect("the schema is read");
    for row in rows {
        writer.write(row).expect("it is written");
    }
    let files = writer.finish().expect("it is finished");
    (folder, files)
}

fn read(folder: &Path, files: &ColumnFiles) -> Vec<Value> {
    let mut rows = Vec::new();
    for name in &files.names {
        each_row(&folder.join(name), |row| {
            rows.push(row);
            Ok::<_, ParquetError>(())
        })
        .expect("it is read");
    }
    rows
}

fn method(name: &str, parameters: &[&str]) -> Value {
    json!({"file": "A.java", "class": "A", "method": name, "signature": format!("void {name}()"),
           "parameters": parameters, "start_line": 1, "end_line": 2, "source": format!("void {name}() {{}}")})
}

fn sample(idx: usize) -> Value {
    let contexts: Vec<Value> = (0..idx % 3)
        .map(|n| method("c", &["int", "long"][..n]))
        .collect();
    let candidates: Vec<Value> = (0..idx % 4)
        .map(|n| json!({"name": "n", "key": format!("A#n{n}()"), "score": 0.5, "evidence": vec!["e"; n]}))
        .collect();
    let mut row = json!({
        "key": format!("{idx:032x}"), "language": "java",
        "repo": {"name": "r", "license": "MIT"},
        "split": {"random": "train", "project": "test"},
        "test": {"file": "T.java", "class": "T", "method": "t", "signature": "void t()",
                 "framework": "junit4", "start_line": 3, "end_line": 9, "source": "void t() { «é» }"},
        "fixtures": [], "match": {"matcher": "contest", "weight": 0.25, "candidates": candidates},
        "setup_context": contexts, "focal_context": [method("f", &[])],
        "flags": vec!["empty_setup"; idx % 2],
    });
    if idx.is_multiple_of(2) {
        row["assertion"] = json!("assertEquals(1, 1);");
        row["focal"] = method("focal", &["int"]);
        row["verdict"] = json!({"right": true, "judgement": "accept", "annotators": 2});
    }
    row
}

#[test]
fn what_is_nested_comes_back_from_as_many_files_as_it_needs() {
    let rows: Vec<Value> = (0..25).map(sample).collect();
    let (folder, files) = written(&rows, 10);
    assert_eq!(files.n_rows, 25);
    assert_eq!(
        files.names,
        [0, 1, 2].map(|idx| format!("train-{idx:05}-of-00003.parquet"))
    );
    assert_eq!(read(folder.path(), &files), rows);
}

#[test]
fn the_same_rows_are_the_same_bytes_and_none_are_no_file() {
    let bytes = || {
        let (folder, files) = written(&[sample(1), sample(2)], 10);
        fs::read(folder.path().join(&files.names[0])).expect("it is there")
    };
    assert_eq!(bytes(), bytes());
    assert!(written(&[], 10).1.names.is_empty());
}

#[test]
fn a_file_that_is_cut_off_or_something_else_is_told() {
    let (folder, files) = written(&[sample(1), sample(2)], 10);
    let path = folder.path().join(&files.names[0]);
    let bytes = fs::read(&path).expect("it is there");
    for damaged in [&bytes[..bytes.len() / 2], b"PAR1 it says", b""] {
        fs::write(&path, damaged).expect("tests may write");
        let read = each_row(&path, |_| Ok::<_, ParquetError>(()));
        assert!(matches!(read, Err(ParquetError::Format(_))), "{read:?}");
    }
}

#[test]
fn a_foreign_row_is_a_sample_by_the_names_of_its_columns() {
    let mapping = Mapping(
        [
            ("test.source", "code"),
            ("focal.source", "info.target"),
            ("repo.name", "project"),
        ]
        .map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
        .into(),
    );
    let row = json!({"code": "@Test\npublic void testAdd() {\n  a();\n}", "project": "p",
                     "info": {"target": "int add(int a) { return a; }"}});
    let sample = mapping.sample("set", &row).expect("there is a test");
    assert_eq!(sample["test"]["method"], "testAdd");
    assert_eq!(sample["test"]["signature"], "public void testAdd()");
    assert_eq!(sample["test"]["end_line"], 4);
    assert_eq!(sample["focal"]["method"], "add");
    assert_eq!(sample["repo"]["name"], "p");
    let none = mapping.sample("set", &json!({"project": "p"}));
    assert_eq!(none, Err(RecordError::NoTest));
}

#[test]
fn a_value_of_another_type_is_null_and_the_order_of_fields_is_free() {
    let row = json!({
        "setup": 7, "match": [1], "fixtures": {"file": "a"}, "nobody": "asks", "language": "java",
        "test": {"start_line": 1.5, "end_line": 4_000_000_000_u64, "source": "s", "file": "f", "file ": "g"},
        "focal": "no object", "focal_context": ["no object", {"parameters": ["int", null, 3]}], "key": "k",
    });
    let (folder, files) = written(&[row], 10);
    let rows = read(folder.path(), &files);
    assert_eq!(
        rows[0],
        json!({
            "key": "k", "language": "java", "test": {"file": "f", "source": "s"}, "setup_context": [],
            "focal_context": [null, {"parameters": ["int", null, null]}], "flags": [],
        })
    );
}
