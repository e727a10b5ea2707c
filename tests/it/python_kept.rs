//! Tests in Python that are held against faults in one part of the work or in several, in any order: whoever runs them, the
//! outcomes are the same.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use focalist::model::{Framework, Mutant, Place, Span};
use focalist::runner::faults::{Faulted, Judged, Operators, Tested};
use focalist::runner::python::{Forking, Running, prepared};
use focalist::runner::{Candidate, Engine, Focal, HostFile, Site};
use focalist::sandbox::{Choice, Sandbox, Tool};
use focalist::task::Monitor;

use crate::python::{cache, has_tools, run};

/// Tests with their files and the functions that they are about, and the files of these. The last but one ends its server with one
/// of its mutants.
const TESTS: [[&str; 4]; 6] = [
    [
        "tests/test_traps.py",
        "test_build",
        "build",
        "trapped/traps.py",
    ],
    [
        "tests/test_places.py",
        "test_area",
        "area",
        "trapped/places.py",
    ],
    [
        "tests/test_traps.py",
        "test_cached",
        "cached",
        "trapped/traps.py",
    ],
    [
        "tests/test_places.py",
        "test_original",
        "original",
        "trapped/places.py",
    ],
    [
        "tests/test_traps.py",
        "test_strike",
        "strike",
        "trapped/traps.py",
    ],
    [
        "tests/test_traps.py",
        "test_refuse",
        "refuse",
        "trapped/traps.py",
    ],
];

/// What became of a test on each of its mutants; nothing where it does not pass each time.
type Outcomes = BTreeMap<u64, Option<Vec<String>>>;

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python/trapped")
}

fn read(path: &str) -> String {
    fs::read_to_string(fixture().join(path)).expect("it is there")
}

/// Returns where a function stands with its decorators, and the line of its name.
fn declared(text: &str, name: &str) -> (Span, u32) {
    let head = text
        .find(&format!("def {name}("))
        .expect("it is declared there");
    let before = text[..head].trim_end();
    let is_decorated = before.lines().last().is_some_and(|it| it.starts_with('@'));
    let start = if is_decorated {
        before.rfind('@').expect("it stands there")
    } else {
        head
    };
    let end = text[head..]
        .find("\n\n\n")
        .map_or(text.trim_end().len(), |it| head + it);
    let line = text[..head].matches('\n').count() + 1;
    (Span::new(start as u32, end as u32), line as u32)
}

fn focal(name: &str, path: &str) -> Focal {
    let (span, line) = declared(&read(path), name);
    Focal {
        package: String::new(),
        nesting: Vec::new(),
        name: name.to_owned(),
        parameters: Vec::new(),
        place: Place {
            path: path.to_owned(),
            span,
        },
        line,
    }
}

/// Returns the files of the tests, and each test with its mutants.
fn tested(engine: &mut Forking<'_>) -> (Vec<HostFile>, Vec<Tested>) {
    let files = ["tests/test_traps.py", "tests/test_places.py"].map(|path| HostFile {
        path: path.to_owned(),
        text: read(path),
        tests: Vec::new(),
    });
    let methods = TESTS.map(|[test_path, _, name, path]| Faulted {
        focal: focal(name, path),
        text: read(path).into(),
        test_path: test_path.to_owned(),
        in_place: None,
    });
    let faults = engine.faults().expect("there is a sandbox");
    let made = faults
        .mutants(&methods, &Operators::default(), &Monitor::default())
        .expect("they are made");
    let tests = TESTS.iter().zip(0_u64..).zip(made);
    let tests = tests.map(|((&[test_path, test, name, path], id), made)| Tested {
        candidate: Candidate {
            id,
            file_idx: usize::from(test_path == files[1].path),
            at: declared(&read(test_path), test).0,
            text: String::new(),
            nesting: Vec::new(),
            package: String::new(),
            name: test.to_owned(),
            framework: Framework::Pytest,
            focal: Some(focal(name, path)),
        },
        mutants: made.mutants.into_iter().map(Arc::<Mutant>::new).collect(),
    });
    let tests = tests.collect();
    (files.into(), tests)
}

/// Runs tests, a part after the other.
fn judged(engine: &mut Forking<'_>, files: &[HostFile], parts: &[&[Tested]], found: &mut Outcomes) {
    let faults = engine.faults().expect("there is a sandbox");
    for part in parts {
        let mut sink = |id, judged| {
            let outcomes = match judged {
                Judged::Unsettled => None,
                Judged::Pairs(pairs) => {
                    let said = pairs.into_iter().map(|it| {
                        let pair = it.expect("the engine has an outcome of each");
                        format!("{} {}", pair.outcome.as_str(), pair.by.unwrap_or_default())
                    });
                    Some(said.collect())
                }
            };
            assert!(found.insert(id, outcomes).is_none(), "each is said once");
            Ok(())
        };
        faults
            .judge(files, part, &Monitor::default(), &mut sink)
            .expect("they are run");
    }
}

#[test]
fn a_test_comes_to_the_same_in_one_part_of_the_work_or_in_several_in_any_order() {
    if !has_tools() {
        return;
    }
    let place = tempfile::tempdir().expect("a folder can be made");
    let project = fixture();
    let path = project.to_str().expect("our paths are text");
    run(place.path(), &["prepare", path], "").success();
    let tools = env::var_os("PATH").expect("there is a path");
    let tool = Tool::find(Choice::Auto, &tools).expect("there is a sandbox");
    let site = Site {
        sandbox: Sandbox::open(&place.path().join("sandbox"), tool).expect("it opens"),
        cache: cache(),
        is_offline: true,
    };
    let environment = prepared(&site, &project, &Monitor::default())
        .expect("it can be read")
        .expect("it was prepared");
    let engine = || Forking::new(&site, environment.clone(), Running::default());
    let (files, tests) = tested(&mut engine());
    let n_mutants: usize = tests.iter().map(|it| it.mutants.len()).sum();
    assert!(n_mutants > 12, "{n_mutants}");

    let mut alone = Outcomes::new();
    for test in tests.chunks(1) {
        judged(&mut engine(), &files, &[test], &mut alone);
    }
    assert!(alone.values().all(Option::is_some), "{alone:?}");
    let check = |parts: &[&[Tested]]| {
        let mut found = Outcomes::new();
        judged(&mut engine(), &files, parts, &mut found);
        assert_eq!(found, alone);
    };
    check(&[&tests]);
    let parts: Vec<_> = tests.chunks(1).collect();
    check(&parts);
    let parts: Vec<_> = tests.rchunks(1).collect();
    check(&parts);
    check(&[&tests[3..], &tests[..3]]);
}
