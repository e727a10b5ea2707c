//! Tests on the mutants of Java methods: which mutants there are, and the outcome of a test on each, in a project of
//! special cases.
//!
//! They run where `FOCALIST_NEED_TOOLS` is set; with `FOCALIST_SLOW` each test is also run alone.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;

use expect_test::expect;
use focalist::model::{FaultOutcome, Framework, MethodPlace, Mutant, MutantPlace, Outcome};
use focalist::runner::java::Build;
use focalist::runner::java::fast::{Fast, FastOptions};
use focalist::runner::java::faults::{
    FaultExecution, FaultFate, FaultRequest, FocalMutants, MutantRequest,
};
use focalist::runner::{
    Candidate, CandidateExecution, Engine, Fate, Focal, HostFile, MethodName, Site,
};
use focalist::task::Monitor;
use serde_json::json;

use crate::execute_java::place;
use crate::prepare::{TURN, cache, has_tools, options, prepare, project, site};
use crate::python::run_with;
use crate::support::text;

const TESTS: &str = "src/test/java/p/TillTest.java";

/// Tests with their focal methods: class, name and parameters.
const ALL: [(&str, &str, &str, &[&str]); 14] = [
    ("refuses", "Till", "checked", &["int"]),
    ("closes", "Till", "closed", &["int"]),
    ("sums", "Till", "sum", &["java.util.List"]),
    ("empties", "Till", "emptied", &["long"]),
    ("opens", "Till", "opened", &["int"]),
    ("fills", "Till", "filled", &["int"]),
    ("watches", "Till", "watched", &["int"]),
    ("names", "Till", "named", &["int"]),
    ("looks", "Till", "named", &["int"]),
    ("builds", "Table", "built", &["int"]),
    ("counts", "Coin", "cents", &[]),
    ("doubles", "Priced", "twice", &[]),
    ("measures", "Shape", "area", &["int"]),
    ("passesBy", "Till", "named", &["int"]),
];

/// The prepared project of special cases, with its tests as candidates.
struct Bench {
    site: Site,
    build: Build,
    files: Vec<HostFile>,
    candidates: Vec<Candidate>,
}

impl Bench {
    fn new() -> Self {
        let site = site();
        let build = prepare(&site, &options(project("faults"))).build;
        let text = fs::read_to_string(project("faults").join(TESTS)).expect("it is there");
        let at = |test: &str| place(&text, "TillTest", test);
        let candidates = ALL.iter().enumerate().map(|(idx, row)| Candidate {
            id: idx as u64,
            file_idx: 0,
            at: at(row.0),
            text: String::new(),
            nesting: vec!["TillTest".to_owned()],
            package: "p".to_owned(),
            name: row.0.to_owned(),
            framework: Framework::JUnit5,
            focal: Some(focal(row.1, row.2, row.3)),
        });
        let candidates = candidates.collect();
        let tests = ALL.iter().map(|row| at(row.0)).collect();
        let path = TESTS.to_owned();
        Self {
            site,
            build,
            files: vec![HostFile { path, text, tests }],
            candidates,
        }
    }

    fn fast(&self, n_jobs: usize) -> Fast<'_> {
        let options = FastOptions {
            n_jobs,
            ..FastOptions::default()
        };
        Fast::new(&self.site, &self.build, options)
    }

    /// Returns the mutants for each test; those of `overrides` for tests whose method has no code.
    fn mutants(
        &self,
        fast: &mut Fast<'_>,
        overrides: &BTreeMap<u64, Vec<MethodName>>,
    ) -> Vec<FocalMutants> {
        let asked: Vec<MutantRequest<'_>> = self
            .candidates
            .iter()
            .map(|candidate| MutantRequest {
                path: TESTS,
                focal: candidate.focal.as_ref().expect("each has one"),
                overrides: overrides.get(&candidate.id).map_or(&[], Vec::as_slice),
            })
            .collect();
        let found = fast.mutants(&asked, &Monitor::default());
        found.expect("PIT finds them")
    }

    fn run(
        &self,
        fast: &mut Fast<'_>,
        requests: &[FaultRequest<'_>],
    ) -> (Vec<CandidateExecution>, Vec<FaultExecution>) {
        let (mut rans, mut pairs) = (Vec::new(), Vec::new());
        let mut sink = |ran: CandidateExecution| {
            rans.push(ran);
            Ok(())
        };
        let mut faults = |ran: FaultExecution| {
            pairs.push(ran);
            Ok(())
        };
        fast.run_faults(
            &self.files,
            requests,
            &Monitor::default(),
            (&mut sink, &mut faults),
        )
        .expect("they run");
        (rans, pairs)
    }
}

fn focal(class: &str, name: &str, parameters: &[&str]) -> Focal {
    Focal {
        package: "p".to_owned(),
        nesting: vec![class.to_owned()],
        name: name.to_owned(),
        parameters: parameters
            .iter()
            .map(|parameter| (*parameter).to_owned())
            .collect(),
        place: MethodPlace {
            path: format!("src/main/java/p/{class}.java"),
            span: focalist::model::Span::default(),
        },
        line: 1,
    }
}

/// Describes a mutant on one line.
fn said(mutant: &Mutant) -> String {
    let MutantPlace::ByteCode {
        class,
        method,
        indexes,
        ..
    } = &mutant.place
    else {
        panic!("Java is changed in byte code");
    };
    let mutator = mutant.mutator.rsplit('.').next().unwrap_or_default();
    let (line, description) = (mutant.line, &mutant.description);
    format!("{class}#{method} {indexes:?} {mutator} line {line}: {description}")
}

/// Writes the outcomes of pairs, one per line, in the order of tests and mutants.
fn table(requests: &[FaultRequest<'_>], pairs: &[FaultExecution]) -> String {
    let mut text = String::new();
    for request in requests {
        writeln!(text, "{}", request.candidate.name).expect("it is a text");
        for mutant in request.mutants {
            let is_it = |fault_execution: &&FaultExecution| {
                fault_execution.candidate == request.candidate.id
                    && fault_execution.mutant == mutant.id
            };
            let mut of = pairs.iter().filter(is_it);
            let pair = of.next().expect("every pair has an answer");
            assert!(of.next().is_none(), "and only one");
            let fate = match &pair.fate {
                FaultFate::Ran(outcome) => outcome.as_str().to_owned(),
                FaultFate::Failed(why) => format!("failed: {}", why.message),
            };
            let by = pair
                .by
                .as_ref()
                .map_or(String::new(), |text| format!(" {text}"));
            writeln!(text, "  {fate}{by} | {}", said(mutant)).expect("it is a text");
        }
    }
    text
}

#[test]
fn mutants_that_say_what_the_original_or_another_one_says_are_left_out_and_counted() {
    if !has_tools() {
        return;
    }
    let _turn = TURN.lock();
    let place = tempfile::tempdir().expect("a folder can be made");
    let path = project("ticker");
    let path = path.to_str().expect("our paths are text");
    let said = |arguments: &[&str]| run_with(&cache(), place.path(), (arguments, "")).success();
    said(&["mine", path]);
    let faults = |more: &[&str]| {
        let asked = [&["execute", "--truth", "--faults"][..], more].concat();
        said(&asked)
    };
    let report = faults(&["--json"]).lines().remove(0)["faults"].take();
    // One call without the other, and a value less than the number.
    assert_eq!(report["same_code"], json!(2), "{report}");
    assert_eq!(report["mutants"], json!(3), "{report}");
    let told = "2 mutants left out: they compile to the same code";
    let again = faults(&[]);
    assert!(again.out.contains(told), "{}", again.out);
    let dry = faults(&["--dry-run"]);
    assert!(dry.out.contains(told), "{}", dry.out);

    let pairs = said(&["export", "--format", "mutants", "--run", "truth"]).lines();
    let mut left: Vec<(u64, String)> = Vec::new();
    for pair in &pairs {
        let mutator = text(&pair["mutant"]["mutator"]);
        let mutator = mutator.rsplit('.').next().unwrap_or_default().to_owned();
        let line = pair["mutant"]["line"].as_u64().expect("it has one");
        assert_eq!(pair["outcome"], json!("killed_by_assertion"), "{pair}");
        left.push((line, mutator));
    }
    let expected = [
        (13, "VoidMethodCallMutator"),
        (16, "MathMutator"),
        (16, "PrimitiveReturnsMutator"),
    ];
    left.sort();
    assert_eq!(
        left,
        expected.map(|expected| (expected.0, expected.1.to_owned()))
    );
}

#[test]
fn tests_are_run_on_the_mutants_of_their_methods_and_do_nothing_to_each_other() {
    if !has_tools() {
        return;
    }
    let bench = Bench::new();
    let mut fast = bench.fast(1);
    let mut overrides = BTreeMap::new();
    let mut sink = |ran: CandidateExecution| {
        let is_right = matches!(ran.fate, Fate::Ran(Outcome::Passing | Outcome::Correct));
        assert!(is_right, "{ran:?}");
        overrides.insert(ran.id, ran.overrides);
        Ok(())
    };
    fast.run(
        &bench.files,
        &bench.candidates,
        &Monitor::default(),
        &mut sink,
    )
    .expect("they run");
    let found = bench.mutants(&mut fast, &overrides);
    assert!(
        found
            .iter()
            .all(|focal_mutants| focal_mutants.failed.is_none()),
        "{found:?}"
    );
    let requests: Vec<FaultRequest<'_>> = bench
        .candidates
        .iter()
        .zip(&found)
        .map(|(candidate, found)| FaultRequest {
            candidate,
            mutants: &found.mutants,
        })
        .collect();
    let files: BTreeSet<&str> = found
        .iter()
        .flat_map(|focal_mutants| {
            focal_mutants
                .mutants
                .iter()
                .map(|mutant| mutant.file.as_str())
        })
        .collect();
    let is_there = |text: &&str| project("faults").join(text).is_file();
    assert!(files.iter().all(is_there), "{files:?}");

    let (rans, pairs) = bench.run(&mut fast, &requests);
    assert_eq!(
        rans.len(),
        ALL.len(),
        "what becomes of tests is handed over, too"
    );
    let together = table(&requests, &pairs);
    expect![[r#"
        refuses
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#checked [4] VoidMethodCallMutator line 13: removed call to p/Till::require
          survived | p.Till#checked [8] PrimitiveReturnsMutator line 14: replaced int return with 0 for p/Till::checked
        closes
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#closed [7] MathMutator line 26: Replaced integer addition with subtraction
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#closed [25, 13] MathMutator line 28: Replaced integer addition with subtraction
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#closed [18] PrimitiveReturnsMutator line 26: replaced int return with 0 for p/Till::closed
        sums
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#sum [8] PrimitiveReturnsMutator line 34: replaced int return with 0 for p/Till::sum
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#lambda$sum$0 [6] MathMutator line 34: Replaced integer multiplication with division
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#lambda$sum$0 [7] PrimitiveReturnsMutator line 34: replaced int return with 0 for p/Till::lambda$sum$0
        empties
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#emptied [7] NegateConditionalsMutator line 42: negated conditional
          timed_out | p.Till#emptied [12] MathMutator line 43: Replaced long subtraction with addition
          survived | p.Till#emptied [19] PrimitiveReturnsMutator line 45: replaced long return with 0 for p/Till::emptied
        opens
          survived | p.Till#opened [4] ConditionalsBoundaryMutator line 49: changed conditional boundary
          killed_by_error | p.Till#opened [4] NegateConditionalsMutator line 49: negated conditional
          not_covered | p.Till#opened [8] VoidMethodCallMutator line 50: removed call to java/lang/System::exit
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#opened [13] PrimitiveReturnsMutator line 52: replaced int return with 0 for p/Till::opened
        fills
          out_of_memory | p.Till#filled [11] NegateConditionalsMutator line 57: negated conditional
          survived | p.Till#filled [25] PrimitiveReturnsMutator line 60: replaced int return with 0 for p/Till::filled
        watches
          survived | p.Till#watched [4] ConditionalsBoundaryMutator line 64: changed conditional boundary
          survived | p.Till#watched [4] NegateConditionalsMutator line 64: negated conditional
          not_covered | p.Till#watched [16] VoidMethodCallMutator line 70: removed call to java/lang/Thread::setDaemon
          not_covered | p.Till#watched [20] VoidMethodCallMutator line 71: removed call to java/lang/Thread::start
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#watched [25] PrimitiveReturnsMutator line 73: replaced int return with 0 for p/Till::watched
          not_covered | p.Till#lambda$watched$2 [4] VoidMethodCallMutator line 67: removed call to java/lang/Thread::yield
        names
          survived | p.Till#named [5] ConditionalsBoundaryMutator line 77: changed conditional boundary
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#named [5] NegateConditionalsMutator line 77: negated conditional
          not_covered | p.Till#named [9] EmptyObjectReturnValsMutator line 78: replaced return value with "" for p/Till::named
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Till#named [14] EmptyObjectReturnValsMutator line 80: replaced return value with "" for p/Till::named
        looks
          survived | p.Till#named [5] ConditionalsBoundaryMutator line 77: changed conditional boundary
          survived | p.Till#named [5] NegateConditionalsMutator line 77: negated conditional
          survived | p.Till#named [9] EmptyObjectReturnValsMutator line 78: replaced return value with "" for p/Till::named
          survived | p.Till#named [14] EmptyObjectReturnValsMutator line 80: replaced return value with "" for p/Till::named
        builds
          killed_by_error java.lang.ExceptionInInitializerError | p.Table#built [14] ConditionalsBoundaryMutator line 10: changed conditional boundary
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Table#built [14] NegateConditionalsMutator line 10: negated conditional
          killed_by_error java.lang.ExceptionInInitializerError | p.Table#built [21] MathMutator line 11: Replaced integer multiplication with division
          killed_by_error java.lang.ExceptionInInitializerError | p.Table#built [31] NullReturnValsMutator line 13: replaced return value with null for p/Table::built
        counts
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Coin#cents [5] PrimitiveReturnsMutator line 14: replaced int return with 0 for p/Coin::cents
        doubles
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Priced#twice [6] MathMutator line 7: Replaced integer multiplication with division
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Priced#twice [7] PrimitiveReturnsMutator line 7: replaced int return with 0 for p/Priced::twice
        measures
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Shape$Square#area [5] MathMutator line 9: Replaced integer multiplication with division
          killed_by_assertion org.opentest4j.AssertionFailedError | p.Shape$Square#area [6] PrimitiveReturnsMutator line 9: replaced int return with 0 for p/Shape$Square::area
        passesBy
          not_covered | p.Till#named [5] ConditionalsBoundaryMutator line 77: changed conditional boundary
          not_covered | p.Till#named [5] NegateConditionalsMutator line 77: negated conditional
          not_covered | p.Till#named [9] EmptyObjectReturnValsMutator line 78: replaced return value with "" for p/Till::named
          not_covered | p.Till#named [14] EmptyObjectReturnValsMutator line 80: replaced return value with "" for p/Till::named
    "#]].assert_eq(&together);
    let covered = pairs
        .iter()
        .filter(|pair| pair.fate != FaultFate::Ran(FaultOutcome::NotCovered));
    assert!(covered.count() > 0);
    if env::var_os("FOCALIST_SLOW").is_none() {
        return;
    }
    // The same result alone, in reverse order, and beside others.
    let mut fast = bench.fast(2);
    let mut alone = Vec::new();
    for request in requests.iter().rev() {
        alone.extend(bench.run(&mut fast, std::slice::from_ref(request)).1);
    }
    assert_eq!(table(&requests, &alone), together);
}
