//! Candidates that really run with the engine `maven`: every possible end of a test, together with others and alone.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use focalist::model::{CoverageCounter, Framework, MethodPlace, Outcome, Span};
use focalist::runner::java::Build;
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::java::maven::{Maven, MavenOptions};
use focalist::runner::{Candidate, CandidateExecution, Engine, Fate, Focal, HostFile, Site};
use focalist::task::Monitor;

use crate::prepare::{TURN, has_tools, killing, options, prepare, project, site};

/// A test file of the project `several`, and its only focal method.
struct Case {
    file: HostFile,
    at: Span,
    package: &'static str,
    class: &'static str,
    framework: Framework,
}

impl Case {
    /// Reads a file whose only test begins at `from` and ends with the second-to-last brace.
    fn new(path: &str, from: &str, (package, framework): (&'static str, Framework)) -> Self {
        let text = fs::read_to_string(project("several").join(path)).expect("it is there");
        let start = text.find(from).expect("it has the test");
        let last = text.rfind('}').expect("it has braces");
        let end = text[..last].rfind('}').expect("it has braces") + 1;
        let at = Span::new(start as u32, end as u32);
        let class = if path.ends_with("SumTest.java") {
            "SumTest"
        } else {
            "CounterTest"
        };
        Self {
            file: HostFile {
                path: path.to_owned(),
                text,
                tests: vec![at],
            },
            at,
            package,
            class,
            framework,
        }
    }

    fn candidate(&self, id: usize, text: &str, name: &str) -> Candidate {
        Candidate {
            id: id as u64,
            file_idx: 0,
            at: self.at,
            text: text.to_owned(),
            nesting: vec![self.class.to_owned()],
            package: self.package.to_owned(),
            name: name.to_owned(),
            framework: self.framework,
            focal: Some(focal()),
        }
    }
}

/// `Counter.add(int)`.
fn focal() -> Focal {
    let path = "four/src/main/java/p/Counter.java";
    let text = fs::read_to_string(project("several").join(path)).expect("it is there");
    let start = text.find("public int add").expect("it has the method");
    let end = text.find("public void spin").expect("it has the next");
    Focal {
        package: "p".to_owned(),
        nesting: vec!["Counter".to_owned()],
        name: "add".to_owned(),
        parameters: vec!["int".to_owned()],
        place: MethodPlace {
            path: path.to_owned(),
            span: Span::new(start as u32, end as u32),
        },
        line: 6,
    }
}

fn run(
    site: &Site,
    build: &Build,
    is_alone: bool,
    case: &Case,
    texts: &[(&str, &str)],
) -> Vec<CandidateExecution> {
    let candidates: Vec<Candidate> = texts
        .iter()
        .enumerate()
        .map(|(id, (name, text))| case.candidate(id, text, name))
        .collect();
    let options = MavenOptions {
        limit: Duration::from_secs(3),
        is_alone,
    };
    let mut ran = BTreeMap::new();
    let mut engine = Maven::new(site, build, options);
    let files = std::slice::from_ref(&case.file);
    engine
        .run(
            files,
            &candidates,
            &Monitor::default(),
            &mut |candidate_execution| {
                assert!(
                    ran.insert(candidate_execution.id, candidate_execution)
                        .is_none(),
                    "each is told once"
                );
                Ok(())
            },
        )
        .expect("it runs");
    assert_eq!(ran.len(), texts.len());
    ran.into_values().collect()
}

/// Returns the outcomes; every candidate must have one.
pub fn outcomes(ran: &[CandidateExecution]) -> Vec<Outcome> {
    let outcomes = ran
        .iter()
        .map(|candidate_execution| match candidate_execution.fate {
            Fate::Ran(outcome) => outcome,
            Fate::Blocked(why) => panic!("{why:?}: {:?}", candidate_execution.why),
        });
    outcomes.collect()
}

/// Names and texts of JUnit 4 tests, and the end of each when it runs alone.
const TESTS: &[(&str, &str, Outcome)] = &[
    ("adds", "", Outcome::Correct),
    (
        "adds",
        "@Test public void adds() { assertEquals(1, counter.add(1)); }",
        Outcome::Correct,
    ),
    (
        "other",
        "@Test public void other() { assertEquals(1, 1); }",
        Outcome::Passing,
    ),
    (
        "fails",
        "@Test public void fails() {\n    assertEquals(2, counter.add(1));\n}",
        Outcome::Failing,
    ),
    (
        "strange",
        "@Test public void strange() {\n    counter.nothing();\n}",
        Outcome::NotCompilable,
    ),
    ("half", "@Test public void half() {", Outcome::Unparsable),
    (
        "plain",
        "public void plain() { counter.add(1); }",
        Outcome::NotExecuted,
    ),
    (
        "leaves",
        "@Test public void leaves() { System.exit(0); }",
        Outcome::Crash,
    ),
    (
        "spins",
        "@Test public void spins() { counter.spin(); }",
        Outcome::Timeout,
    ),
];

#[test]
fn each_end_is_told_by_the_maven_of_the_project() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let mut site = site();
    let build = prepare(&site, &options(project("several"))).build;
    site.is_offline = true;
    let path = "four/src/test/java/p/CounterTest.java";
    let case = Case::new(path, "@Test", ("p", Framework::JUnit4));
    let texts: Vec<(&str, &str)> = TESTS.iter().map(|entry| (entry.0, entry.1)).collect();
    let expected: Vec<Outcome> = TESTS.iter().map(|entry| entry.2).collect();
    let alone = run(&site, &build, true, &case, &texts);
    assert_eq!(outcomes(&alone), expected, "{alone:#?}");
    // Which of them has entered what is not known of a batch.
    let together = run(&site, &build, false, &case, &texts);
    let expected: Vec<Outcome> = expected
        .into_iter()
        .map(|outcome| outcome.min(Outcome::Passing))
        .collect();
    assert_eq!(outcomes(&together), expected, "{together:#?}");

    let covered = alone[1].focal.as_ref().expect("it is measured");
    assert_eq!(
        covered.lines,
        CoverageCounter {
            missed: 1,
            covered: 3
        }
    );
    assert_eq!(
        covered.branches,
        Some(CoverageCounter {
            missed: 1,
            covered: 1
        })
    );
    assert_eq!(covered.class, "p.Counter");
    assert_eq!(alone[1].method, "adds__2");
    let nothing = alone[2].focal.as_ref().expect("it is measured");
    assert_eq!(
        nothing.lines,
        CoverageCounter {
            missed: 4,
            covered: 0
        }
    );
    let why = alone[3].why.as_ref().expect("it has a reason");
    assert_eq!(why.kind.as_deref(), Some("java.lang.AssertionError"));
    assert_eq!(
        (why.message.as_str(), why.line),
        ("expected:<2> but was:<1>", Some(2))
    );
    let why = alone[4].why.as_ref().expect("it has a reason");
    assert!(why.message.starts_with("cannot find symbol"), "{why:?}");
    assert_eq!(why.line, Some(2));
}

#[test]
fn jupiter_and_test_ng_are_run_by_their_own_providers() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let site = site();
    let build = prepare(&site, &options(project("several"))).build;
    let five = Case::new(
        "five/src/test/java/q/CounterTest.java",
        "@Test",
        ("q", Framework::JUnit5),
    );
    let ran = run(
        &site,
        &build,
        true,
        &five,
        &[
            (
                "adds",
                "@Test void adds() { assertEquals(2, new Counter().add(2)); }",
            ),
            ("fails", "@Test void fails() { new Counter().add(-1); }"),
            (
                "hidden",
                "@Test private void hidden() { new Counter().add(1); }",
            ),
        ],
    );
    assert_eq!(
        outcomes(&ran),
        [Outcome::Correct, Outcome::Failing, Outcome::NotExecuted]
    );
    let ng = Case::new(
        "ng/src/test/java/r/SumTest.java",
        "@Test",
        ("r", Framework::TestNg),
    );
    let ran = run(
        &site,
        &build,
        false,
        &ng,
        &[
            ("sums", "@Test public void sums() { assertEquals(1, 1); }"),
            ("fails", "@Test public void fails() { assertEquals(1, 2); }"),
            (
                "spins",
                "@Test public void spins() throws Exception { Thread.sleep(60000); }",
            ),
        ],
    );
    assert_eq!(
        outcomes(&ran),
        [Outcome::Passing, Outcome::Failing, Outcome::Timeout]
    );
}

#[test]
fn who_kills_maven_and_its_tests_changes_nothing() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let site = site();
    let build = prepare(&site, &options(project("several"))).build;
    let path = "four/src/test/java/p/CounterTest.java";
    let case = Case::new(path, "@Test", ("p", Framework::JUnit4));
    let texts: Vec<(&str, &str)> = TESTS[..5].iter().map(|entry| (entry.0, entry.1)).collect();
    let told = |ran: Vec<CandidateExecution>| -> Vec<CandidateExecution> {
        let without_time = |candidate_execution| CandidateExecution {
            elapsed: None,
            ..candidate_execution
        };
        ran.into_iter().map(without_time).collect()
    };
    let run = || told(run(&site, &build, true, &case, &texts));
    let calm = run();
    // Maven itself while it compiles, and the first process of surefire.
    let hard = killing(&["focalist.javac", "surefirebooter"], run);
    assert_eq!(hard, calm);
}

/// `Gauge.read` of one type.
fn gauge(of: &str) -> Focal {
    Focal {
        package: "p".to_owned(),
        nesting: vec!["Gauge".to_owned()],
        name: "read".to_owned(),
        parameters: vec![of.to_owned()],
        place: MethodPlace {
            path: "four/src/main/java/p/Gauge.java".to_owned(),
            span: Span::default(),
        },
        line: 1,
    }
}

#[test]
fn who_is_entered_is_known_where_nothing_is_covered() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let site = site();
    let build = prepare(&site, &options(project("several"))).build;
    let path = "four/src/test/java/p/CounterTest.java";
    let case = Case::new(path, "@Test", ("p", Framework::JUnit4));
    let (text, object) = (gauge("java.lang.String"), gauge("java.lang.Object"));
    let tests = [
        (
            text,
            "@Test(expected = NumberFormatException.class) public void a() { new Gauge.Seven().read(\"x\"); }",
        ),
        (
            object.clone(),
            "@Test public void b() { assertEquals(7, new Gauge.Seven().read(counter)); }",
        ),
        // Another overload never counts.
        (
            object,
            "@Test public void c() { assertEquals(9, new Gauge.Seven().read(\"9\")); }",
        ),
    ];
    let candidates: Vec<Candidate> = tests
        .into_iter()
        .enumerate()
        .map(|(id, (focal, text))| Candidate {
            focal: Some(focal),
            ..case.candidate(id, text, "adds")
        })
        .collect();
    let told = |engine: &mut dyn Engine| {
        let mut told = BTreeMap::new();
        let mut sink = |candidate_execution: CandidateExecution| {
            let covered = candidate_execution
                .focal
                .map(|focal_coverage| focal_coverage.lines.covered);
            told.insert(
                candidate_execution.id,
                (
                    candidate_execution.fate,
                    candidate_execution.is_called,
                    covered,
                ),
            );
            Ok(())
        };
        let files = std::slice::from_ref(&case.file);
        engine
            .run(files, &candidates, &Monitor::default(), &mut sink)
            .expect("they run");
        told.into_values().collect::<Vec<_>>()
    };
    let maven = told(&mut Maven::new(
        &site,
        &build,
        MavenOptions {
            limit: Duration::from_secs(30),
            is_alone: true,
        },
    ));
    let ran = Fate::Ran;
    assert_eq!(
        maven,
        [
            (ran(Outcome::Correct), Some(true), Some(0)),
            (ran(Outcome::Correct), Some(true), None),
            (ran(Outcome::Passing), Some(false), None),
        ]
    );
    let fast = told(&mut Fast::new(&site, &build, FastOptions::default()));
    assert_eq!(fast, maven);
}
