//! Damage in each kind of line that no export of a test without an executed run has, and limits.

use std::fs;

use super::*;

const KEY: &str = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a";

fn validated(name: &str, text: &str) -> Validation {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file can be written");
    validate(&Monitor::default(), &path).expect("the file can be read")
}

/// Checks the kind of a line, that it is valid, and its flaws once a part of it was replaced.
fn check(kind: &str, line: &str, damage: &[(&str, &str, &str)]) {
    let line = line.replace("KEY", KEY);
    let found = validated("it.jsonl", &line);
    assert_eq!(found.flaws, [], "{line}");
    assert_eq!(found.files[0].kind, kind);
    for (from, to, expected) in damage {
        assert!(line.contains(from), "{from} is not in {line}");
        let found = validated("it.jsonl", &line.replacen(from, to, 1));
        let flaws: Vec<&str> = found.flaws.iter().map(|flaw| flaw.what.as_str()).collect();
        assert!(
            flaws.iter().any(|flaw| flaw.contains(expected)),
            "{flaws:?}"
        );
        assert!(
            found
                .flaws
                .iter()
                .all(|flaw| flaw.line == Some(1) && !flaw.mend.is_empty())
        );
    }
}

#[test]
fn each_kind_of_line_is_known_and_its_damage_is_found() {
    check(
        "outcomes",
        r#"{"run":"r","sample":"KEY","attempt":0,"outcome":"passing","blocked":null,"repair":"none","duplicate_of":null,"engine":"fast","host":null,"method":null,"why":null,"called":true,"asserts":null,"confirmed":null,"unstable":{"reason":"order","shakes":["order"],"runs":4,"failed":1},"focal":null,"ms":3,"timeout_ms":1000,"tools":{},"build":null,"sandbox":"bwrap","options":""}"#,
        &[
            ("passing", "fine", "`outcome` is `fine`"),
            (
                "\"reason\":\"order\"",
                "\"reason\":\"moon\"",
                "`unstable.reason` is `moon`",
            ),
            ("\"ms\":3", "\"ms\":-3", "`ms` is -3"),
            ("\"attempt\":0,", "", "`attempt` is missing"),
        ],
    );
    check(
        "mutants",
        r#"{"run":"r","sample":"KEY","attempt":0,"language":"python","mutant":{"id":"m","file":"a.py","line":3,"class":null,"method":null,"desc":null,"indexes":null,"mutator":"ROR","description":"","start":1,"end":2,"replacement":"<"},"outcome":"survived","by":null,"ms":1,"equivalent_by":["ada"]}"#,
        &[
            ("[\"ada\"]", "[7]", "`equivalent_by[0]` is 7"),
            ("survived", "lived", "`outcome` is `lived`"),
            (
                "\"file\":\"a.py\"",
                "\"file\":\"\"",
                "`mutant.file` is empty",
            ),
            ("python", "cobol", "`language` is `cobol`"),
        ],
    );
    check(
        "answers",
        r#"{"id":"1","sample":null,"kind":null,"meta":null,"model":"m","parameters":{},"attempt":0,"text":"x","finish_reason":null,"answered":{}}"#,
        &[
            ("\"text\":\"x\"", "\"text\":7", "`text` is 7"),
            ("\"model\":\"m\"", "\"model\":\"\"", "`model` is empty"),
        ],
    );
    check(
        "repositories of a benchmark",
        r#"{"repo":"a","kept":true,"reason":null,"detail":null,"unknown":[],"n_cases":1,"cases":["KEY"]}"#,
        &[("0a0a", "0axx", "`cases[0]`")],
    );
    check(
        "origins of MERA's records",
        r#"{"id":1,"key":"KEY","language":"java","repo":"a","commit":null,"license":"MIT","test":"t","focal":"f","split":"test"}"#,
        &[("\"id\":1", "\"id\":1.5", "`id` is 1.5")],
    );
    check(
        "records of MERA",
        r#"{"instruction":"do {x}","inputs":{"focal_func":"```python\ndef f(): pass\n```","focal_func_context":"","test_func_type":"function","test_func_context":"","language":"python","focal_file_path":"a.py","test_file_path":"test_a.py","test_framework":"pytest"},"outputs":"def test_f():\n    f()\n","meta":{"id":1,"repo_id":"1","focal_func_type":"function"}}"#,
        &[
            ("\"language\":\"python\"", "\"language\":\"cobol\"", "cobol"),
            ("\"repo_id\":\"1\",", "", "repo_id"),
            ("\"id\":1", "\"id\":-1", "meta.id"),
        ],
    );
    check(
        "pairs to score",
        r#"{"id":1,"reference":"a","prediction":"b"}"#,
        &[("\"prediction\":\"b\"", "\"prediction\":[]", "prediction")],
    );
}

#[test]
fn lines_that_say_the_same_twice_are_found() {
    let line = format!(r#"{{"sample":"{KEY}","prediction":"x","attempt":0}}"#);
    let other = line.replace(":0}", ":1}");
    let found = validated("it.jsonl", &format!("{line}\n{other}\n{line}\n"));
    let lines: Vec<Option<u32>> = found.flaws.iter().map(|flaw| flaw.line).collect();
    assert_eq!(lines, [Some(3)]);
    assert_eq!(found.files[0].n_records, Some(3));
}

#[test]
fn a_link_to_a_folder_is_not_followed_and_what_is_hidden_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |below: &str, text: &str| {
        let path = folder.path().join(below);
        fs::create_dir_all(path.parent().expect("it lies below")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    };
    let line = r#"{"repo":"a","split":"test"}"#;
    write("in/splits.jsonl", line);
    write("in/.hidden/splits.jsonl", "no line");
    write(
        "in/.eval_results/a.yaml",
        "- dataset: {id: a/b, task_id: c}\n  value: 0.5\n",
    );
    write("in/other.md", "text");
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", folder.path().join("in/up")).expect("a link can be made");
    let found = validate(&Monitor::default(), &folder.path().join("in")).expect("it can be read");
    let kinds: Vec<(&str, &str)> = found
        .files
        .iter()
        .map(|file| (&*file.path, file.kind))
        .collect();
    let expected = [
        (".eval_results/a.yaml", "results of a model"),
        ("splits.jsonl", "splits"),
    ];
    assert_eq!(kinds, expected);
    assert!(found.is_valid(), "{:?}", found.flaws);
    assert_eq!(found.unknown, ["up", "other.md"]);
}

#[test]
fn a_document_that_is_no_text_or_does_not_end_is_told_with_its_line() {
    let check = |name: &str, bytes: &[u8], line: Option<u32>, what: &str| {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file can be written");
        let found = validate(&Monitor::default(), &path).expect("the file can be read");
        let [flaw] = &found.flaws[..] else {
            panic!("{:?}", found.flaws)
        };
        assert_eq!(flaw.line, line, "{flaw:?}");
        assert!(flaw.what.contains(what), "{flaw:?}");
    };
    check("CITATION.cff", b"a: 1\nb: \xff\n", Some(2), "UTF-8");
    check("README.md", b"---\nlicense: mit\n", Some(1), "does not end");
    check(
        "manifest.json",
        b"{\n\"focalist\": \"1\",\n",
        Some(3),
        "not JSON",
    );
    check("croissant.json", b"[]", Some(1), "it is a list");
    check("eval.yaml", b"a: *b\n", Some(1), "not YAML");
}
