//! Datasets in folders made for the test, imported and read back.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::model::{Evidence, Filter, Flag, Matcher, Reason, SampleKey, Split, Status};
use crate::store::testing::{counter_repo, empty_store, only, write_repos};
use crate::store::{Extent, Store, StoreError, StoredMethod, StoredSample};
use crate::task::Monitor;
use crate::{ExportFormat, ExportOptions, export};

use super::{DatasetError, DatasetFormat, DatasetOptions, DatasetReport, import_dataset};

/// A folder with files, and an index beside them.
struct DatasetFixture {
    folder: TempDir,
    store: Store,
    _index: TempDir,
}

impl DatasetFixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let (index, store) = empty_store();
        let place = Self {
            folder: tempfile::tempdir().expect("tests may make folders"),
            store,
            _index: index,
        };
        for (path, text) in files {
            place.write(path, text.as_bytes());
        }
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn write(&self, below: &str, bytes: &[u8]) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("the path lies below the folder"))
            .expect("tests may make folders");
        fs::write(path, bytes).expect("tests may write files");
    }

    fn options(&self, format: DatasetFormat, below: &str) -> DatasetOptions {
        DatasetOptions {
            name: Some("d".to_owned()),
            ..DatasetOptions::new(format, self.path(below))
        }
    }

    fn import(&mut self, format: DatasetFormat, below: &str) -> DatasetReport {
        let options = self.options(format, below);
        import_dataset(&mut self.store, &Monitor::default(), &options)
            .expect("the dataset is imported")
    }

    fn samples(&self, filter: &Filter) -> Vec<StoredSample> {
        let mut samples = Vec::new();
        self.store
            .each_sample(filter, Extent::Sample, |sample| {
                samples.push(sample);
                Ok::<_, StoreError>(())
            })
            .expect("the index reads");
        samples
    }

    fn all(&self) -> Vec<StoredSample> {
        self.samples(&Filter::default())
    }

    fn exported(&self, format: ExportFormat) -> String {
        let options = ExportOptions::of(format);
        let mut out = Vec::new();
        export(&self.store, &Monitor::default(), &options, &mut out).expect("memory takes all");
        String::from_utf8(out).expect("JSON is text")
    }
}

/// Returns path, line and reason of every problem.
fn seen(report: &DatasetReport) -> Vec<(&str, Option<u32>, Reason)> {
    let problems = report.problems.iter();
    problems
        .map(|problem| (problem.path.as_str(), problem.line, problem.reason))
        .collect()
}

/// Exports an index, as a dataset for another one.
fn exported(format: ExportFormat) -> (String, Vec<StoredSample>) {
    let mut place = DatasetFixture::new(&[]);
    write_repos(&mut place.store, &[counter_repo("a"), counter_repo("b")]);
    (place.exported(format), place.all())
}

#[test]
fn our_own_lines_come_back_as_they_were() {
    let (text, before) = exported(ExportFormat::Jsonl);
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    let report = place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert_eq!((report.n_repos, report.n_tests, report.n_mapped), (2, 6, 4));
    assert_eq!((report.n_split, report.n_problems), (2, 0));
    let repos = place.store.repos().expect("the index reads");
    let n_files: Vec<u64> = repos.iter().map(|repo| repo.n_files).collect();
    assert_eq!(n_files, [2, 2], "each file once, whatever names it");
    assert_eq!(place.exported(ExportFormat::Jsonl), text);
    for (before, after) in before.iter().zip(place.all()) {
        assert_eq!(after.row.key, before.row.key);
        assert_eq!(after.repo.identity, before.repo.identity);
        assert_eq!(after.row.status, before.row.status);
        assert_eq!(after.test.source(), before.test.source());
        assert_eq!(after.test.name_line, before.test.name_line);
        assert_eq!(after.test.body.is_some(), before.test.body.is_some());
        let calls = |sample: &StoredSample| -> Vec<String> {
            let cut = &sample.cut;
            let spans = cut.focal_calls.iter().chain(&cut.assertion_calls);
            spans
                .map(|span| span.of(&sample.test.text).to_owned())
                .collect()
        };
        if before.focal.is_some() {
            assert!(!calls(&after).is_empty(), "{:?}", after.row);
        }
        assert!(after.root.as_os_str().is_empty());
    }
}

#[test]
fn several_candidates_of_one_key_come_back_as_several() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let one = r#"{"name":"inc","key":"p.Counter#inc()","score":1.0,"evidence":[]}"#;
    assert!(text.contains(one), "{text}");
    let low = one.replace("1.0", "0.25");
    for several in [
        [one.to_owned(), low.clone()],
        [low, one.to_owned()],
        [one.to_owned(), one.to_owned()],
    ] {
        let text = text.replace(one, &several.join(","));
        let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
        let report = place.import(DatasetFormat::Jsonl, "a.jsonl");
        assert_eq!(report.problems, []);
        assert_eq!(place.exported(ExportFormat::Jsonl), text);
    }
}

#[test]
fn a_dataset_that_is_there_just_so_is_left_alone() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    let first = place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert!(!first.is_unchanged());
    let version = place.store.version().expect("the index reads");
    let second = place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert!(second.is_unchanged());
    assert_eq!(
        (second.n_repos, second.n_unchanged, second.n_tests),
        (2, 2, 0)
    );
    assert_eq!(place.store.version().expect("the index reads"), version);
    // One project changes; the other is left alone.
    let lines: Vec<&str> = text.lines().collect();
    place.write("a.jsonl", lines[..lines.len() - 1].join("\n").as_bytes());
    let third = place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert_eq!((third.n_repos, third.n_unchanged, third.n_tests), (2, 1, 2));
    assert_eq!(place.all().len(), 5);
}

#[test]
fn lines_of_a_project_may_be_anywhere_and_keep_their_order() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.swap(0, 5);
    lines.swap(1, 4);
    let mut place = DatasetFixture::new(&[("a.jsonl", &lines.join("\r\n"))]);
    place.import(DatasetFormat::Jsonl, "a.jsonl");
    let key = |line: &str| SampleKey::parse(&line[8..40]).expect("a line begins with its key");
    let in_order = |name: &str| -> Vec<SampleKey> {
        let of_repo = format!("example.org/{name}.git");
        let lines = lines.iter().filter(|line| line.contains(&of_repo));
        lines.map(|line| key(line)).collect()
    };
    let expected = [in_order("a"), in_order("b")].concat();
    let keys: Vec<SampleKey> = place
        .all()
        .iter()
        .map(|stored_sample| stored_sample.row.key)
        .collect();
    assert_eq!(keys, expected);
}

#[test]
fn bad_lines_are_problems_with_their_number_and_the_others_are_imported() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let lines: Vec<&str> = text.lines().collect();
    let good = lines[0];
    let mut bytes = Vec::new();
    let hostile = [
        good.to_owned(),
        "nonsense".to_owned(),
        "{}".to_owned(),
        good.replace("\"source\":\"@Test", "\"sauce\":\"@Test"),
        good.replace("\"start_line\":13", "\"start_line\":\"13\""),
        good.to_owned(),
        good.replace("d9cabd", "xyz"),
        good.replace("\"contest\"", "\"oracle\""),
        good.replace("\"weight\":1.0", "\"weight\":1e999"),
        good.replace("\"weight\":1.0", "\"weight\":7"),
        good.replace("\"setup\":\"counter", "\"setup\":\"elsewhere"),
        good.replace("\"key\":\"d", "\"key\":\"d\",\"key\":\"d"),
        "[".repeat(100_000),
        String::new(),
        good[..good.len() / 2].to_owned(),
    ];
    for line in hostile {
        bytes.extend(line.as_bytes());
        bytes.push(b'\n');
    }
    bytes.extend(b"{\"key\":\"\xff\"}\n");
    bytes.extend(lines[3].as_bytes());
    let mut place = DatasetFixture::new(&[]);
    place.write("a.jsonl", &bytes);
    let report = place.import(DatasetFormat::Jsonl, "a.jsonl");
    let bad = |line| ("a.jsonl", Some(line), Reason::BadLine);
    let mut expected: Vec<_> = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]
        .map(bad)
        .to_vec();
    expected.push(("a.jsonl", Some(16), Reason::NotUtf8));
    assert_eq!(seen(&report), expected);
    assert_eq!(report.n_problems, 14);
    assert_eq!(place.all().len(), 2);
    let stored = place.store.problems(100).expect("the index reads");
    assert!(
        stored
            .iter()
            .all(|stored_problem| stored_problem.repo == "a"),
        "{stored:?}"
    );
    let detail = |line| {
        let problem = report
            .problems
            .iter()
            .find(|problem| problem.line == Some(line));
        problem.map_or("", |problem| problem.detail.as_str())
    };
    assert!(detail(6).ends_with("comes twice"), "{}", detail(6));
    assert!(
        detail(4).starts_with("missing field `source`"),
        "{}",
        detail(4)
    );
    assert_eq!(detail(10), "`match.weight` is 7, not in 0..=1");
}

#[test]
fn nothing_to_read_is_a_problem_and_nowhere_to_read_an_error() {
    let mut place = DatasetFixture::new(&[("empty.jsonl", "\n \n"), ("folder/notes.txt", "x")]);
    let report = place.import(DatasetFormat::Jsonl, "empty.jsonl");
    assert_eq!(seen(&report), [("empty.jsonl", None, Reason::Empty)]);
    let report = place.import(DatasetFormat::Methods2Test, "folder");
    assert_eq!(seen(&report), [(".", None, Reason::Empty)]);
    assert!(!report.is_unchanged());
    let options = place.options(DatasetFormat::Jsonl, "missing.jsonl");
    let result = import_dataset(&mut place.store, &Monitor::default(), &options);
    assert!(matches!(result, Err(DatasetError::Read { path, .. }) if path == options.path));
    place.write("atlas/Eval/testMethods.txt", b"a ( ) { }");
    place.write("atlas/Testing/assertLines.txt", b"fail ( )");
    let report = place.import(DatasetFormat::Atlas, "atlas");
    assert_eq!(
        seen(&report),
        [
            ("Eval/testMethods.txt", None, Reason::Unreadable),
            ("Testing/assertLines.txt", None, Reason::Unreadable),
        ]
    );
}

#[test]
fn what_was_mined_and_what_belongs_to_another_dataset_is_not_replaced() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    let monitor = Monitor::default();
    write_repos(&mut place.store, &[counter_repo("b")]);
    let options = place.options(DatasetFormat::Jsonl, "a.jsonl");
    let error = import_dataset(&mut place.store, &monitor, &options).expect_err("`b` is taken");
    assert_eq!(
        error.to_string(),
        "`example.org/b` is in the index from the sources in `repos/b`, which the dataset `d` does not replace"
    );
    assert_eq!(place.all().len(), 3, "nothing of it was written");
    place
        .store
        .remove_repo("b", None, &monitor)
        .expect("the sources go");
    place.import(DatasetFormat::Jsonl, "a.jsonl");
    let other = DatasetOptions {
        name: Some("e".to_owned()),
        ..options
    };
    let error = import_dataset(&mut place.store, &monitor, &other).expect_err("both are taken");
    assert_eq!(
        error.to_string(),
        "`example.org/a` and 1 more project are in the index from the dataset `d`, which the dataset `e` does not replace"
    );
}

#[test]
fn a_key_of_another_repository_is_a_problem() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let first = text.lines().next().expect("there is a line");
    let moved = first.replace("example.org/a.git", "example.org/moved.git");
    let mut place = DatasetFixture::new(&[("a.jsonl", &format!("{first}\n{moved}\n"))]);
    let report = place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert_eq!(seen(&report), [("a.jsonl", Some(2), Reason::BadLine)]);
    assert!(
        report.problems[0]
            .detail
            .starts_with("a test of `example.org/a`")
    );
}

#[test]
fn a_dataset_without_projects_is_one_of_its_own_name() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let check = |repo: &str, expected: [&str; 2]| {
        let line = text.lines().next().expect("there is a line");
        let at = line.find("\"repo\":{").expect("a line has a repository") + 7;
        let end = at + line[at..].find('}').expect("it is an object") + 1;
        let line = format!("{}{repo}{}", &line[..at], &line[end..]);
        let mut place = DatasetFixture::new(&[("a.jsonl", &line)]);
        place.import(DatasetFormat::Jsonl, "a.jsonl");
        let repo = &place.all()[0].repo;
        assert_eq!([repo.identity.as_str(), repo.name.as_str()], expected);
    };
    check("{}", ["dataset:d", "d"]);
    check(r#"{"name":"core","url":null}"#, ["core", "core"]);
    check(r#"{"name":"core","url":"../core"}"#, ["core", "core"]);
    check(
        r#"{"url":"git@github.com:Google/Gson.git"}"#,
        ["github.com/google/gson", "gson"],
    );
}

#[test]
fn given_splits_are_what_filters_and_exports_show() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let text = text
        .replace("\"random\":\"train\"", "\"random\":\"test\"")
        .replace("\"project\":\"train\"", "\"project\":\"validation\"");
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    place.import(DatasetFormat::Jsonl, "a.jsonl");
    let n_given = text.matches("\"random\":\"test\"").count();
    let check = |place: &DatasetFixture| {
        assert_eq!(place.samples(&only("split", "test")).len(), n_given);
        assert!(place.exported(ExportFormat::Jsonl) == text, "lines differ");
    };
    check(&place);
    write_repos(&mut place.store, &[counter_repo("c")]);
    place
        .store
        .settle(99, &Monitor::default())
        .expect("settles");
    place
        .store
        .remove_repo("c", None, &Monitor::default())
        .expect("goes");
    check(&place);
}

const MAPPING: &str = r#"{"repository":{"url":"https://github.com/A/B","repo_id":7,"stars":12,"fork":"False"},
    "focal_class":{"identifier":"Counter","superclass":"","interfaces":"","fields":[{"type":"int"}],
        "methods":[],"file":"src/main/java/p/Counter.java"},
    "focal_method":{"identifier":"inc","parameters":"(int by)","modifiers":"public","return":"int",
        "body":"public int inc(int by) {\n    return n += by;\n  }","signature":"int inc(int by)",
        "full_signature":"public int inc(int by)","class_method_signature":"Counter.inc(int by)",
        "testcase":false,"constructor":false,"invocations":[]},
    "test_class":{"identifier":"CounterTest","superclass":"","interfaces":"","fields":"",
        "file":"src/test/java/p/CounterTest.java"},
    "test_case":{"identifier":"testInc","parameters":"()","modifiers":"@Test public","return":"void",
        "body":"@Test\n  public void testInc() {\n    Counter c = new Counter();\n    int n = c.inc(2);\n    assertEquals(2, n);\n  }",
        "signature":"void testInc()","full_signature":"@Test public void testInc()",
        "class_method_signature":"CounterTest.testInc()","testcase":true,"constructor":false,
        "invocations":["inc","assertEquals"]}}"#;

#[test]
fn mappings_in_folders_become_samples_with_parts_by_the_rule_of_mining() {
    let line = MAPPING.replace('\n', "");
    let second = line.replace("testInc", "testTwice");
    let other = line
        .replace("A/B", "C/D")
        .replace("\"repo_id\":7", "\"repo_id\":9");
    let mut place = DatasetFixture::new(&[
        ("m2t/eval/7/7_10.json", &second),
        ("m2t/eval/7/7_2.json", &line),
        ("m2t/eval/7/log.txt", "nothing of ours"),
        ("m2t/test/9/9_0.json", &other),
        ("m2t/test/9/9_1.json", "{\n \"repository\": {} }"),
        ("m2t/train/3/3_0.json", "{\"repository\":"),
        ("m2t/train/3/3_1.json", ""),
    ]);
    let report = place.import(DatasetFormat::Methods2Test, "m2t");
    assert_eq!((report.n_repos, report.n_tests, report.n_split), (2, 3, 3));
    assert_eq!(
        seen(&report),
        [
            ("test/9/9_1.json", None, Reason::BadLine),
            ("train/3/3_0.json", None, Reason::BadLine),
            ("train/3/3_1.json", None, Reason::Empty),
        ]
    );
    let samples = place.all();
    let names: Vec<&str> = samples
        .iter()
        .map(|sample| sample.test.name.as_str())
        .collect();
    assert_eq!(names, ["testInc", "testTwice", "testInc"]);
    let first = &samples[0];
    assert_eq!(first.test.key(), "p.CounterTest#testInc()");
    let focal = first.focal.as_ref().expect("it is mapped");
    assert_eq!(focal.key(), "p.Counter#inc(int)");
    assert_eq!(first.matcher, Matcher::Methods2Test);
    assert_eq!(first.repo.stars, Some(12));
    assert_eq!(first.repo.is_fork, Some(false));
    let part = |span: Option<crate::model::Span>| span.map(|span| span.of(&first.test.text));
    assert_eq!(
        part(first.cut.setup),
        Some("Counter c = new Counter();\n    int n = c.inc(2);")
    );
    assert_eq!(part(first.cut.assertion), Some("assertEquals(2, n);"));
    assert_eq!(first.cut.focal_calls.len(), 1);
    assert_eq!(first.cut.assertion_calls.len(), 1);
    assert_eq!(first.split_random, Some(Split::Validation));
    assert_eq!(first.split_project, Some(Split::Validation));
    assert_eq!(samples[2].split_random, Some(Split::Test));
    assert!(samples[2].row.is_duplicate, "the same tokens elsewhere");
    let resolutions = place
        .store
        .resolutions(&Filter::default())
        .expect("the index reads");
    assert!(
        resolutions
            .iter()
            .all(|resolution| resolution.counts.n_calls() == 0)
    );
}

#[test]
fn our_own_mappings_keep_their_keys_splits_and_texts() {
    let (text, before) = exported(ExportFormat::Methods2Test);
    let mut place = DatasetFixture::new(&[("m2t.json", &text)]);
    let report = place.import(DatasetFormat::Methods2Test, "m2t.json");
    assert_eq!((report.n_tests, report.n_problems), (4, 0));
    let mapped = before
        .iter()
        .filter(|stored_sample| stored_sample.focal.is_some());
    for (before, after) in mapped.zip(place.all()) {
        assert_eq!(after.row.key, before.row.key);
        assert_eq!(after.split_random, before.split_random);
        assert_eq!(after.split_project, before.split_project);
        assert_eq!(after.test.key(), before.test.key());
        assert_eq!(after.test.source(), before.test.source());
        assert_eq!(after.framework, before.framework);
    }
}

const ATLAS_TESTS: &str = r#"testInc ( ) { p . Counter c = new p . Counter ( ) ; c . inc ( 2 ) ; "<AssertPlaceHolder>" ; } inc ( int ) { return n += by ; }
testGet ( ) { "<AssertPlaceHolder>" ; } get ( ) { return "}<sp>" ; }
testNone ( ) { int a = 1 ; "<AssertPlaceHolder>" ; }
"#;
const ATLAS_ASSERTIONS: &str = "org . junit . Assert . assertEquals ( 2 , c . n )
org . junit . Assert . assertEquals ( \"\" , c . get ( ) )
org . junit . Assert . assertTrue ( a == 1 )
";

#[test]
fn parallel_text_files_become_samples_with_their_assertions_in_place() {
    let mut place = DatasetFixture::new(&[
        ("atlas/Testing/testMethods.txt", ATLAS_TESTS),
        ("atlas/Testing/assertLines.txt", ATLAS_ASSERTIONS),
        (
            "atlas/Training/testMethods.txt",
            "a ( ) { }\nb ( ) { \"<AssertPlaceHolder>\" ; }\n",
        ),
        (
            "atlas/Training/assertLines.txt",
            "fail ( )\n\nfail ( )\nfail ( )\n",
        ),
    ]);
    let report = place.import(DatasetFormat::Atlas, "atlas");
    assert_eq!((report.n_repos, report.n_tests, report.n_split), (1, 3, 2));
    let bad = |line| ("Training/testMethods.txt", Some(line), Reason::BadLine);
    assert_eq!(seen(&report), [bad(1), bad(2), bad(3)]);
    assert_eq!(
        report.problems[2].detail,
        "`assertLines.txt` has 2 more lines than `testMethods.txt`"
    );
    let samples = place.all();
    let shown: Vec<[String; 3]> = samples
        .iter()
        .map(|sample| {
            let part = |span: Option<crate::model::Span>| {
                span.map_or("", |span| span.of(&sample.test.text))
                    .to_owned()
            };
            let focal = sample
                .focal
                .as_ref()
                .map_or(String::new(), StoredMethod::key);
            [part(sample.cut.setup), part(sample.cut.assertion), focal]
        })
        .collect();
    let assertions: Vec<&str> = ATLAS_ASSERTIONS.lines().collect();
    assert_eq!(
        shown,
        [
            [
                "p . Counter c = new p . Counter ( ) ; c . inc ( 2 ) ;",
                assertions[0],
                "_#inc(int)"
            ],
            ["", assertions[1], "_#get()"],
            ["", "", ""],
        ]
    );
    assert_eq!(samples[2].row.status, Status::NoCandidate);
    assert!(samples[1].row.flags.has(Flag::EmptySetup));
    let evidence: Vec<Vec<Evidence>> = samples
        .iter()
        .flat_map(|sample| &sample.candidates)
        .map(|stored_candidate| stored_candidate.evidence.iter().collect())
        .collect();
    assert_eq!(evidence, [[Evidence::LastBefore], [Evidence::InAssertion]]);
    for sample in &samples {
        assert_eq!(sample.repo.identity, "dataset:d");
        assert_eq!(sample.test.path, "Testing/testMethods.txt");
        assert_eq!(sample.split_random, Some(Split::Test));
    }
    assert_eq!(samples[1].test.start_line, 2);
    assert_eq!(
        samples[2].test.source(),
        "testNone ( ) { int a = 1 ; org . junit . Assert . assertTrue ( a == 1 ) ; }"
    );
}

#[test]
fn the_matcher_of_a_dataset_without_one_is_the_one_that_lists_show() {
    let mut place = DatasetFixture::new(&[
        ("testMethods.txt", ATLAS_TESTS),
        ("assertLines.txt", ATLAS_ASSERTIONS),
    ]);
    place.import(DatasetFormat::Atlas, "testMethods.txt");
    let samples = place.all();
    assert!(
        samples
            .iter()
            .all(|sample| sample.matcher == Matcher::DEFAULT)
    );
    assert_eq!(samples.len(), 3);
}

#[test]
fn texts_are_found_by_what_they_say_and_shown_in_whole_lines() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    place.import(DatasetFormat::Jsonl, "a.jsonl");
    assert_eq!(place.samples(&only("text", "FOO bar")).len(), 2);
    assert_eq!(place.samples(&only("text", "count += by")).len(), 2);
    let inc = &place.all()[0];
    let (before, _) = inc.test.text.split_at(inc.test.span.start as usize);
    assert!(before.ends_with("    "), "indented as in its file");
    assert_eq!(Path::new(&inc.test.path).extension(), Some("java".as_ref()));
}

#[test]
fn a_cancelled_import_keeps_nothing_half() {
    let (text, _) = exported(ExportFormat::Jsonl);
    let mut place = DatasetFixture::new(&[("a.jsonl", &text)]);
    let options = place.options(DatasetFormat::Jsonl, "a.jsonl");
    let monitor = Monitor::default();
    monitor.cancel();
    let result = import_dataset(&mut place.store, &monitor, &options);
    assert!(matches!(result, Err(DatasetError::Cancelled(_))));
    assert_eq!(place.all(), []);
    assert_eq!(place.import(DatasetFormat::Jsonl, "a.jsonl").n_tests, 6);
}
