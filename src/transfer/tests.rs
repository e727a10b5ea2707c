//! Exports of hand-made repositories, line by line.

use std::io::{self, Write};

use expect_test::{Expect, expect};

use crate::exchange::write_pretty;
use crate::model::{
    ContentHash, Direction, Filter, Flag, Language, Matcher, SampleScope, SampleSort, SortField,
    SortKey, Split,
};
use crate::store::testing::{
    Contents, counter_repo, empty_store, many_tests, store_with, write_repos,
};
use crate::task::Monitor;

use super::{ExportError, ExportFormat, ExportOptions, ExportReport, export, manifest};

fn options(format: ExportFormat) -> ExportOptions {
    ExportOptions {
        scope: SampleScope::Paper,
        ..ExportOptions::of(format)
    }
}

fn exported(repos: &[Contents], options: &ExportOptions) -> (String, ExportReport) {
    let (_folder, store) = store_with(repos);
    let mut out = Vec::new();
    let report =
        export(&store, &Monitor::default(), options, &mut out).expect("the export is written");
    (String::from_utf8(out).expect("JSON is text"), report)
}

fn check(options: &ExportOptions, expected: &Expect) {
    let (text, report) = exported(&[counter_repo("a")], options);
    assert_eq!(report.n_written, text.lines().count() as u64);
    expected.assert_eq(&text);
}

#[test]
fn jsonl_has_the_sources_of_every_part() {
    check(
        &options(ExportFormat::Jsonl),
        &expect![[r#"
            {"key":"d9cabd056cc94ce5083bda388c3cdf4e","language":"java","repo":{"name":"a","url":"https://example.org/a.git","commit":"0123456789abcdef0123456789abcdef01234567","license":"Apache-2.0"},"split":{"random":"train","project":"train"},"test":{"file":"src/test/java/p/CounterTest.java","class":"p.CounterTest","method":"testInc","signature":"public testInc()","framework":"junit4","start_line":13,"end_line":18,"source":"@Test\n    public void testInc() {\n        counter.setCount(4);\n        counter.inc();\n        assertEquals(\"foo bar\", 5, counter.get());\n    }"},"fixtures":[{"file":"src/test/java/p/CounterTest.java","class":"p.CounterTest","method":"initCounter","signature":"public initCounter()","parameters":[],"start_line":8,"end_line":11,"source":"@Before\n    public void initCounter() {\n        counter = new Counter();\n    }"}],"setup":"counter.setCount(4);\n        counter.inc();","assertion":"assertEquals(\"foo bar\", 5, counter.get());","focal":{"file":"src/main/java/p/Counter.java","class":"p.Counter","method":"inc","signature":"public inc()","parameters":[],"start_line":10,"end_line":13,"source":"public int inc() {\n        setCount(count + 1);\n        return count;\n    }"},"match":{"matcher":"contest","stage":"test_name","weight":1.0,"candidates":[{"name":"inc","key":"p.Counter#inc()","score":1.0,"evidence":[]},{"name":"setCount","key":"p.Counter#setCount(int)","score":0.0,"evidence":[]}]},"setup_context":[{"file":"src/main/java/p/Counter.java","class":"p.Counter","method":"setCount","signature":"public setCount(int count)","parameters":["int"],"start_line":6,"end_line":8,"source":"public void setCount(int count) {\n        this.count = count;\n    }"}],"focal_context":[{"file":"src/main/java/p/Counter.java","class":"p.Counter","method":"setCount","signature":"public setCount(int count)","parameters":["int"],"start_line":6,"end_line":8,"source":"public void setCount(int count) {\n        this.count = count;\n    }"}],"flags":["several_focal_calls"]}
        "#]],
    );
}

#[test]
fn tests_has_every_test_also_the_unmapped() {
    check(
        &options(ExportFormat::Tests),
        &expect![[r#"
            {"key":"d9cabd056cc94ce5083bda388c3cdf4e","test":{"key":"p.CounterTest#testInc()","language":"java","class":"p.CounterTest","name":"testInc","file":"src/test/java/p/CounterTest.java","line":14,"start_line":13,"end_line":18,"kind":"Test","framework":"junit4"},"status":"ok","matcher":"contest","stage":"test_name","weight":1.0,"focal":{"key":"p.Counter#inc()","file":"src/main/java/p/Counter.java","line":10},"candidates":[{"name":"inc","key":"p.Counter#inc()","score":1.0,"evidence":[]},{"name":"setCount","key":"p.Counter#setCount(int)","score":0.0,"evidence":[]}],"setup_range":[223,266],"assertion_range":[275,317],"setup_context":[{"key":"p.Counter#setCount(int)"}],"focal_context":[{"key":"p.Counter#setCount(int)"}],"flags":["several_focal_calls"]}
            {"key":"fca58e814cd2a2e4bdaee07c4bfe6efd","test":{"key":"p.CounterTest#testAdd()","language":"java","class":"p.CounterTest","name":"testAdd","file":"src/test/java/p/CounterTest.java","line":21,"start_line":20,"end_line":23,"kind":"Test","framework":"junit4"},"status":"no_assertion_part","matcher":"contest","stage":"test_name","weight":1.0,"focal":{"key":"p.Counter#add(int)","file":"src/main/java/p/Counter.java","line":15},"candidates":[{"name":"add","key":"p.Counter#add(int)","score":1.0,"evidence":[]}],"setup_range":[371,403],"assertion_range":null,"setup_context":[],"focal_context":[],"flags":[]}
            {"key":"10b10c8b7ee71224ba8c2cc2b35f5bd2","test":{"key":"p.CounterTest#works()","language":"java","class":"p.CounterTest","name":"works","file":"src/test/java/p/CounterTest.java","line":26,"start_line":25,"end_line":28,"kind":"Test","framework":"junit4"},"status":"no_candidate","matcher":"contest","stage":null,"weight":null,"focal":null,"candidates":[],"setup_range":null,"assertion_range":null,"setup_context":[],"focal_context":[],"flags":[]}
        "#]],
    );
}

#[test]
fn a_licence_is_asked_for_in_any_case() {
    let n_written = |license: &str| {
        let asked = ExportOptions {
            licenses: vec![license.to_owned()],
            ..options(ExportFormat::Jsonl)
        };
        let (_, report) = exported(&[counter_repo("a")], &asked);
        (report.n_written, report.n_unlicensed)
    };
    assert_eq!(n_written("apache-2.0"), (1, 0));
    assert_eq!(n_written("Apache-2.0"), (1, 0));
    assert_eq!(n_written("MIT"), (0, 1));
}

#[test]
fn methods2test_has_the_fields_of_the_dataset() {
    check(
        &options(ExportFormat::Methods2Test),
        &expect![[r#"
        {"repository":{"repo_id":1,"url":"https://example.org/a.git","language":"java","is_fork":null,"fork_count":null,"stargazer_count":12},"focal_class":{"identifier":"Counter","superclass":null,"interfaces":null,"fields":null,"methods":[{"identifier":"setCount","parameters":"(int count)","modifiers":"public","return":"void","signature":"void setCount(int count)","full_signature":"public void setCount(int count)","class_method_signature":"Counter.setCount(int count)","testcase":false,"constructor":false},{"identifier":"inc","parameters":"()","modifiers":"public","return":"int","signature":"int inc()","full_signature":"public int inc()","class_method_signature":"Counter.inc()","testcase":false,"constructor":false},{"identifier":"add","parameters":"(int by)","modifiers":"public","return":"int","signature":"int add(int by)","full_signature":"public int add(int by)","class_method_signature":"Counter.add(int by)","testcase":false,"constructor":false}],"file":"src/main/java/p/Counter.java"},"focal_method":{"identifier":"inc","parameters":"()","modifiers":"public","return":"int","signature":"int inc()","full_signature":"public int inc()","class_method_signature":"Counter.inc()","testcase":false,"constructor":false,"body":"public int inc() {\n        setCount(count + 1);\n        return count;\n    }","invocations":null},"test_class":{"identifier":"CounterTest","superclass":null,"interfaces":null,"fields":null,"file":"src/test/java/p/CounterTest.java"},"test_case":{"identifier":"testInc","parameters":"()","modifiers":"@Test public","return":"void","signature":"void testInc()","full_signature":"@Test public void testInc()","class_method_signature":"CounterTest.testInc()","testcase":true,"constructor":false,"body":"@Test\n    public void testInc() {\n        counter.setCount(4);\n        counter.inc();\n        assertEquals(\"foo bar\", 5, counter.get());\n    }","invocations":null},"split":{"random":"train","project":"train"},"key":"d9cabd056cc94ce5083bda388c3cdf4e"}
    "#]],
    );
}

#[test]
fn methods2test_leaves_out_other_languages_and_counts_them() {
    let mut python = counter_repo("b");
    python.repo.language = Language::Python;
    let repos = [counter_repo("a"), python];
    let all = ExportOptions {
        scope: SampleScope::All,
        ..options(ExportFormat::Methods2Test)
    };
    let (text, report) = exported(&repos, &all);
    let counts = (report.n_written, report.n_unmapped, report.n_foreign);
    assert_eq!(counts, (2, 1, 3));
    assert!(!text.contains("python"), "{text}");
}

#[test]
fn what_the_paper_leaves_out_is_left_out_and_all_brings_it_back() {
    let mut in_assertion = counter_repo("b");
    let decided = &mut in_assertion.tests[0].decided[0];
    decided.token_hash = ContentHash([1; 16]);
    decided.flags.set(Flag::FocalInAssertion, true);
    let mut excessive = counter_repo("c");
    let decided = &mut excessive.tests[0].decided[0];
    decided.token_hash = ContentHash([2; 16]);
    decided.flags.set(Flag::ExcessiveContext, true);
    let repos = [
        counter_repo("a"),
        in_assertion,
        excessive,
        counter_repo("d"),
    ];
    for (format, n_default, n_all, n_unmapped) in [
        (ExportFormat::Jsonl, 1, 12, 0),
        (ExportFormat::Methods2Test, 1, 8, 4),
        (ExportFormat::Tests, 12, 12, 0),
    ] {
        let (text, report) = exported(&repos, &options(format));
        assert_eq!(
            (report.n_written, report.n_unmapped),
            (n_default, 0),
            "{format:?}"
        );
        let first = text.lines().next().expect("there is a line");
        assert!(first.contains("testInc"), "{first}");
        let all = ExportOptions {
            scope: SampleScope::All,
            ..options(format)
        };
        let (_, report) = exported(&repos, &all);
        assert_eq!(
            (report.n_written, report.n_unmapped),
            (n_all, n_unmapped),
            "{format:?}"
        );
    }
}

#[test]
fn splits_are_parts_of_the_whole() {
    let repos = [many_tests("a", 200)];
    let whole = options(ExportFormat::Jsonl);
    let (whole_text, _) = exported(&repos, &whole);
    let mut lines = Vec::new();
    for split in Split::ALL {
        let part = ExportOptions {
            split: Some(*split),
            ..whole.clone()
        };
        let (text, report) = exported(&repos, &part);
        assert!(report.n_written > 0);
        lines.extend(text.lines().map(str::to_owned));
    }
    lines.sort();
    let mut whole_lines: Vec<_> = whole_text.lines().map(str::to_owned).collect();
    whole_lines.sort();
    assert_eq!(lines, whole_lines);
}

#[test]
fn the_same_repositories_give_the_same_bytes_in_whatever_order_they_were_mined() {
    let repos = [many_tests("b", 30), counter_repo("a"), many_tests("c", 20)];
    let mut again = repos.clone();
    again.reverse();
    let by_weight = Filter {
        sort: vec![SortKey {
            field: SortField::Sample(SampleSort::Weight),
            direction: Direction::Descending,
        }],
        ..Filter::default()
    };
    for filter in [Filter::default(), by_weight] {
        let options = ExportOptions {
            filter,
            matcher: Some(Matcher::Contest),
            ..options(ExportFormat::Jsonl)
        };
        let (first, _) = exported(&repos, &options);
        let (second, _) = exported(&again, &options);
        assert_eq!(first, second);
        // Mined twice: ids differ, lines do not.
        let (_folder, mut store) = empty_store();
        write_repos(&mut store, &again);
        write_repos(&mut store, &repos[..2]);
        let mut third = Vec::new();
        export(&store, &Monitor::default(), &options, &mut third).expect("the export is written");
        assert_eq!(first.as_bytes(), third);
    }
}

/// A pipe whose reader goes away after some bytes.
struct Closing(usize);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.checked_sub(bytes.len()) {
            Some(rest) => {
                self.0 = rest;
                Ok(bytes.len())
            }
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_and_a_cancelled_export_are_told_apart() {
    let (_folder, store) = store_with(&[many_tests("a", 100)]);
    let monitor = Monitor::default();
    let result = export(
        &store,
        &monitor,
        &options(ExportFormat::Tests),
        &mut Closing(5_000),
    );
    assert!(
        matches!(result, Err(ExportError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe)
    );
    monitor.cancel();
    let result = export(
        &store,
        &monitor,
        &options(ExportFormat::Tests),
        &mut Vec::new(),
    );
    assert!(matches!(result, Err(ExportError::Cancelled(_))));
}

#[test]
fn the_manifest_says_from_what_and_how() {
    let (_folder, store) = store_with(&[counter_repo("b"), counter_repo("a")]);
    let mut text = Vec::new();
    let manifest = manifest(&store).expect("the index reads");
    write_pretty(&mut text, &manifest).expect("memory takes all");
    let text = String::from_utf8(text).expect("JSON is text");
    expect![[r#"
        {
          "focalist": "0.1.0",
          "matchers": [
            {
              "name": "contest",
              "version": 1
            },
            {
              "name": "evidence",
              "version": 1
            },
            {
              "name": "methods2test",
              "version": 1
            },
            {
              "name": "mera",
              "version": 1
            }
          ],
          "seed": 1,
          "n_repositories": 2,
          "n_files": 4,
          "n_tests": 6,
          "content": "855ce5311d25fc833f19c7633c2b763f",
          "repositories": [
            {
              "name": "a",
              "identity": "example.org/a",
              "url": "https://example.org/a.git",
              "commit": "0123456789abcdef0123456789abcdef01234567",
              "dirty": false,
              "license": "Apache-2.0",
              "language": "java",
              "n_files": 2,
              "n_tests": 3,
              "content": "17762fddd969a453925d65717ac3eea2",
              "options": "tests=all",
              "code": "0.1.0"
            },
            {
              "name": "b",
              "identity": "example.org/b",
              "url": "https://example.org/b.git",
              "commit": "0123456789abcdef0123456789abcdef01234567",
              "dirty": false,
              "license": "Apache-2.0",
              "language": "java",
              "n_files": 2,
              "n_tests": 3,
              "content": "10e5cf3d3c8a4f9f3468c8cc58eea848",
              "options": "tests=all",
              "code": "0.1.0"
            }
          ]
        }
    "#]]
    .assert_eq(&text);
}
