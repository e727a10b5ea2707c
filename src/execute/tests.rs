//! The command `execute`, with an engine whose outcomes depend on the candidate's text.

use std::cell::RefCell;
use std::rc::Rc;

use focalist_store::testing::{counter_repo, key_of, store_with};

use crate::detail::detail;
use crate::model::{
    BlockedReason, ContentHash, CoverScope, CoverageCounter, CoveredSet, EnteredMethod, Execution,
    Extraction, Filter, FocalCoverage, Framework, Language, LineCover, Matcher, Mutant,
    MutantPlace, OfSample, Outcome, OutcomeReason, ParseMode, Prediction, RunSetting, RunStage,
    Span, Status, Target,
};
use crate::outcomes::write_outcomes;
use crate::repair::Repairs;
use crate::runner::{
    Candidate, CandidateExecution, CandidateSink, CoverageQuestion, Engine, Fate, HostFile,
    RunnerError,
};
use crate::store::{RunCounts, Store, WrittenExecution};
use crate::task::Monitor;
use crate::{
    ExecuteError, ExecuteOptions, ExecuteReport, OpenReply, Processes, TestSource, Tools,
    execute_with,
};

mod asserting;
mod languages;

/// Builds a mutant without a change, which differs from others only in its number.
pub fn mutant(n: u8, mutator: &str) -> Mutant {
    Mutant {
        id: ContentHash([n; 16]),
        language: Language::Python,
        file: "a.py".to_owned(),
        line: 1,
        mutator: mutator.to_owned(),
        description: String::new(),
        place: MutantPlace::Text {
            start: 0,
            end: 0,
            replacement: String::new(),
        },
    }
}

/// Builds an empty candidate with this number.
pub fn candidate(id: u64) -> Candidate {
    Candidate {
        id,
        file_idx: 0,
        at: Span::new(0, 0),
        text: String::new(),
        nesting: Vec::new(),
        package: String::new(),
        name: String::new(),
        framework: Framework::Pytest,
        focal: None,
    }
}

/// The calls that an engine received.
#[derive(Clone, Debug, Default)]
pub struct EngineCalls(pub Rc<RefCell<Vec<String>>>);

/// An engine whose outcome for a candidate is the outcome that its text names.
struct ByText {
    seen: EngineCalls,
    /// Whether it answers in reverse order.
    is_reversed: bool,
    /// The number of answers after which a user cancels.
    cancels_after: Option<usize>,
    processes: Processes,
}

impl ByText {
    /// Reads the outcome, and the message of a failing twin: one of `lonely()` fails in a separate process, a twin of
    /// `forger()` does not, and one of `early()` says that it is left by its first `return`.
    fn outcome_of(&self, text: &str) -> (Outcome, Option<&'static str>) {
        let outcome = outcome_of(text);
        let is_twin = text.contains("focalist twin");
        if self.processes == Processes::Apart && text.contains("lonely()") {
            (Outcome::Crash, None)
        } else if is_twin && outcome.passes() && !text.contains("forger()") {
            let is_early = text.contains("early()");
            (
                Outcome::Failing,
                is_early.then_some("focalist twin: left by return 0"),
            )
        } else {
            (outcome, None)
        }
    }
}

fn outcome_of(text: &str) -> Outcome {
    let said = Outcome::ALL
        .iter()
        .rev()
        .find(|outcome| text.contains(outcome.as_str()));
    said.copied().unwrap_or(Outcome::NotExecuted)
}

/// Builds the coverage of a method of four lines, of which `lines` are covered.
fn coverage(lines: impl Fn(u32) -> bool) -> FocalCoverage {
    let by_line: Vec<(u32, LineCover)> = (1..=4)
        .map(|n| {
            let cover = if lines(n) {
                LineCover::Covered
            } else {
                LineCover::Missed
            };
            (n, cover)
        })
        .collect();
    let covered = by_line
        .iter()
        .filter(|by_line| by_line.1 == LineCover::Covered)
        .count() as u32;
    let counter = CoverageCounter {
        missed: 4 - covered,
        covered,
    };
    FocalCoverage {
        class: "p.Counter".to_owned(),
        name: "inc".to_owned(),
        descriptor: "()V".to_owned(),
        lines: counter,
        branches: None,
        instructions: Some(counter),
        by_line,
    }
}

impl Engine for ByText {
    fn run(
        &mut self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
        sink: &mut CandidateSink<'_>,
    ) -> Result<(), RunnerError> {
        let mut order: Vec<&Candidate> = candidates.iter().collect();
        if self.is_reversed {
            order.reverse();
        }
        for (n_before, candidate) in order.into_iter().enumerate() {
            if self.cancels_after == Some(n_before) {
                monitor.cancel();
            }
            monitor.step()?;
            let file = &files[candidate.file_idx];
            assert!(file.tests.contains(&candidate.at));
            self.seen.0.borrow_mut().push(candidate.text.clone());
            let (outcome, said) = self.outcome_of(&candidate.text);
            let runs = |line: u32| candidate.text.contains(&format!("line{line}"));
            let bits = (1..=4)
                .filter(|n| runs(*n))
                .fold(0, |bits, n| bits | 1 << n);
            sink(CandidateExecution {
                why: (!outcome.passes()).then(|| OutcomeReason {
                    stage: RunStage::Compile,
                    code: Some("compiler.err".to_owned()),
                    kind: None,
                    message: said.unwrap_or("Cannot find \u{1b}[31m symbol").to_owned(),
                    line: Some(2),
                    trace: Some("x".repeat(9_000)),
                }),
                host: [&candidate.package, ".", &candidate.nesting.join("$")].concat(),
                method: candidate.name.clone(),
                is_called: Some(outcome == Outcome::Correct),
                focal: outcome.compiles().then(|| coverage(runs)),
                covered: vec![CoveredSet {
                    unit: "p.Counter".to_owned(),
                    bits: vec![bits],
                }],
                entered: vec![EnteredMethod {
                    class: "p.Counter".to_owned(),
                    name: "inc".to_owned(),
                    descriptor: "()V".to_owned(),
                    depth: 0,
                    n_times: 1,
                }],
                ..CandidateExecution::new(candidate.id, Fate::Ran(outcome))
            })?;
        }
        Ok(())
    }

    fn measure(
        &mut self,
        questions: &[CoverageQuestion],
        _: &Monitor,
    ) -> Result<Vec<Vec<Option<FocalCoverage>>>, RunnerError> {
        let answer = |question: &CoverageQuestion| {
            let bits = question
                .covered
                .first()
                .map_or(0, |covered_set| covered_set.bits[0]);
            let focals = question.focals.iter().map(|focal| {
                assert_eq!(
                    (focal.package.as_str(), focal.nesting.join(".")),
                    ("p", "Counter".to_owned())
                );
                Some(coverage(|line| bits & (1 << line) != 0))
            });
            focals.collect()
        };
        Ok(questions.iter().map(answer).collect())
    }
}

pub fn method(body: &str) -> String {
    format!("@Test\npublic void a() {{\n    {body};\n    assertTrue(is_fine);\n}}\n")
}

fn without_assertion(body: &str) -> String {
    method(body).replace("    assertTrue(is_fine);\n", "")
}

pub fn put(store: &mut Store, name: &str, target: Target, answers: &[(&str, u32, String)]) -> i64 {
    let monitor = Monitor::default();
    let setting = RunSetting {
        name: name.to_owned(),
        model: None,
        target,
        matcher: Matcher::Contest,
        language: Language::Java,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: "answers.jsonl".to_owned(),
        imported_at: 0,
    };
    let run = store.begin_run(&setting, &monitor).expect("it begins");
    let predictions: Vec<Prediction> = (1..)
        .zip(answers)
        .map(|(line, (test, attempt, answer))| Prediction {
            key: key_of("a", test),
            attempt: *attempt,
            content_hash: ContentHash([1; 16]),
            line,
            answer: answer.clone(),
            code: None,
            meta: None,
        })
        .collect();
    let written = store.write_predictions(run, 0, &predictions, &monitor);
    written.expect("they are written");
    let counts = RunCounts {
        n_predictions: predictions.len() as u32,
        n_samples: predictions
            .iter()
            .filter(|prediction| prediction.attempt == 0)
            .count() as u32,
    };
    store
        .publish_run(run, counts, &[], &monitor)
        .expect("it is there");
    run
}

/// Writes answers with every outcome to one sample, and an answer to another.
fn answers() -> Vec<(&'static str, u32, String)> {
    let mut answers: Vec<_> = [
        "correct(line1, line2)",
        "passing(line3)",
        "failing(line4)",
        "not_compilable()",
    ]
    .iter()
    .zip(0..)
    .map(|(body, attempt)| ("testInc", attempt, method(body)))
    .collect();
    answers.push(("testInc", 4, "no method".to_owned()));
    answers.push(("testInc", 5, method("correct( line1,line2 ) /* again */")));
    answers.push(("testInc", 6, format!("{}}}", method("crash()"))));
    answers.push(("testAdd", 0, method("timeout()")));
    answers.push(("works", 0, method("correct()")));
    answers
}

pub struct EngineStub {
    pub seen: EngineCalls,
    pub is_reversed: bool,
    pub cancels_after: Option<usize>,
    pub build: Result<&'static str, &'static str>,
}

impl Default for EngineStub {
    fn default() -> Self {
        Self {
            seen: EngineCalls::default(),
            is_reversed: false,
            cancels_after: None,
            build: Ok("build1"),
        }
    }
}

impl EngineStub {
    pub fn execute(
        &self,
        store: &mut Store,
        options: &ExecuteOptions,
    ) -> Result<ExecuteReport, ExecuteError> {
        self.watched(store, &Monitor::default(), options)
    }

    pub fn watched(
        &self,
        store: &mut Store,
        monitor: &Monitor,
        options: &ExecuteOptions,
    ) -> Result<ExecuteReport, ExecuteError> {
        execute_with(store, monitor, "bwrap", options, &mut |opening, _| {
            assert_eq!(opening.repo.name, "a");
            Ok(match self.build {
                Err(reason) => OpenReply::NoBuild(reason.to_owned()),
                Ok(build) => OpenReply::Ready {
                    engine: Box::new(ByText {
                        seen: self.seen.clone(),
                        is_reversed: self.is_reversed,
                        cancels_after: self.cancels_after,
                        processes: opening.processes,
                    }),
                    build: build.to_owned(),
                    tools: Tools::default(),
                    notes: Vec::new(),
                },
            })
        })
    }

    pub fn n_seen(&self) -> usize {
        self.seen.0.borrow_mut().drain(..).count()
    }
}

/// Creates an index with a project in the index's own folder.
pub fn store() -> ([tempfile::TempDir; 2], Store) {
    let folder = tempfile::tempdir().expect("there is a folder");
    let mut contents = counter_repo("a");
    folder.path().clone_into(&mut contents.root);
    let (index, store) = store_with(&[contents]);
    ([folder, index], store)
}

fn lines(store: &Store, run: &str) -> Vec<String> {
    let run = store.run(run).expect("it is read").expect("it is there");
    let mut out = Vec::new();
    write_outcomes(store, &Monitor::default(), &run, &mut out).expect("they are written");
    let text = String::from_utf8(out).expect("JSON is text");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn every_candidate_gets_its_outcome_and_what_says_the_same_runs_once() {
    let (_folder, mut store) = store();
    let run = put(&mut store, "run", Target::Test, &answers());
    let shop = EngineStub::default();
    let report = shop
        .execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    assert_eq!(shop.n_seen(), 6);
    let funnel = &report.runs[0].funnel;
    assert_eq!(funnel.n_candidates, 9);
    let steps: Vec<u64> = funnel.steps().iter().map(|step| step.1).collect();
    assert_eq!(steps, [7, 6, 5, 2, 1]);
    assert_eq!(funnel.by_blocked[BlockedReason::NoFocal as usize], 1);
    let all = &report.runs[0].all;
    // The engine reports the same for both methods: three of four lines.
    assert_eq!((all.n_methods, all.micro_lines), (2, Some(6.0 / 8.0)));
    let totals = store.focal_totals(run, "fast").expect("they are read");
    let own: Vec<_> = totals
        .iter()
        .filter(|total| total.scope == CoverScope::Own)
        .collect();
    assert_eq!(own.len(), 2);
    let executions = store.executions(run, "fast", 9, &Monitor::default());
    let executions = executions.expect("they are read");
    assert_eq!(
        executions[5].and_then(|execution| execution.duplicate_of),
        Some(0)
    );
    assert_eq!(
        executions[8].and_then(|execution| execution.blocked),
        Some(BlockedReason::NoFocal)
    );
}

#[test]
fn a_prediction_whose_sample_has_left_the_index_is_told_to_be_blocked() {
    let (_folder, mut store) = store();
    let mut answers = answers();
    answers.push(("leftLongAgo", 0, method("correct()")));
    let run = put(&mut store, "run", Target::Test, &answers);
    let shop = EngineStub::default();
    let options = ExecuteOptions::default();
    let report = shop.execute(&mut store, &options).expect("it runs");
    let funnel = &report.runs[0].funnel;
    assert_eq!(funnel.by_blocked[BlockedReason::NoScaffold as usize], 1);
    assert_eq!(funnel.n_candidates, 10);
    let told = lines(&store, "run");
    assert_eq!(told.len(), answers.len());
    let said = "its sample is no longer in the index";
    assert!(told[9].contains(said), "{}", told[9]);
    let again = shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(again.runs[0].funnel, *funnel);
    assert_eq!(
        store
            .run("run")
            .expect("it is read")
            .map(|run_row| run_row.id),
        Some(run)
    );
}

#[test]
fn reasons_are_short_and_count_lines_in_the_prediction() {
    let (_folder, mut store) = store();
    let text = format!("@Disabled\n{}", method("not_compilable()").trim_end());
    let run = put(&mut store, "run", Target::Test, &[("testInc", 0, text)]);
    let shop = EngineStub::default();
    shop.execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    let detail = detail(&store, run, 0).expect("it is read").expect("it ran");
    let why = detail.why.expect("it has a reason");
    assert_eq!(why.line, Some(3));
    assert_eq!(why.message, "Cannot find [31m symbol");
    assert_eq!(why.trace.map(|trace| trace.len()), Some(4 << 10));
    assert_eq!(detail.steps.len(), 1);
    assert_eq!(
        detail.steps[0].removed.of("@Disabled\n@Test"),
        "@Disabled\n"
    );
}

#[test]
fn what_has_its_outcome_is_not_run_again() {
    let (_folder, mut store) = store();
    put(&mut store, "run", Target::Test, &answers());
    let shop = EngineStub::default();
    let options = ExecuteOptions::default();
    shop.execute(&mut store, &options).expect("it runs");
    let before = lines(&store, "run");
    assert_eq!(shop.n_seen(), 6);
    let report = shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(shop.n_seen(), 0);
    assert_eq!(report.runs[0].projects[0].n_kept, 9);
    assert_eq!(lines(&store, "run"), before);
    let forced = ExecuteOptions {
        is_forced: true,
        ..options.clone()
    };
    shop.execute(&mut store, &forced).expect("it runs");
    assert_eq!(shop.n_seen(), 6);
    let rebuilt = EngineStub {
        build: Ok("build2"),
        ..EngineStub::default()
    };
    rebuilt.execute(&mut store, &options).expect("it runs");
    assert_eq!(rebuilt.n_seen(), 6);
    let slower = ExecuteOptions {
        timeout: std::time::Duration::from_secs(20),
        ..options
    };
    rebuilt.execute(&mut store, &slower).expect("it runs");
    assert_eq!(rebuilt.n_seen(), 6);
}

#[test]
fn rows_do_not_depend_on_the_order_of_answers() {
    let of = |is_reversed| {
        let (_folder, mut store) = store();
        put(&mut store, "run", Target::Test, &answers());
        let shop = EngineStub {
            is_reversed,
            ..EngineStub::default()
        };
        shop.execute(&mut store, &ExecuteOptions::default())
            .expect("it runs");
        lines(&store, "run")
    };
    assert_eq!(of(false), of(true));
}

#[test]
fn a_cancelled_execution_keeps_what_ran_and_goes_on() {
    let (_folder, mut store) = store();
    let run = put(&mut store, "run", Target::Test, &answers());
    let cancelled = EngineStub {
        cancels_after: Some(2),
        ..EngineStub::default()
    };
    let options = ExecuteOptions::default();
    let ended = cancelled.execute(&mut store, &options);
    assert!(matches!(ended, Err(ExecuteError::Cancelled(_))));
    let funnel = store.execution_funnel(run, "fast").expect("it is counted");
    assert_eq!(funnel.by_blocked[BlockedReason::Cancelled as usize], 4);
    assert_eq!(funnel.n_candidates, 9);
    let shop = EngineStub::default();
    shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(shop.n_seen(), 4);
    let funnel = store.execution_funnel(run, "fast").expect("it is counted");
    assert_eq!(funnel.by_blocked[BlockedReason::Cancelled as usize], 0);
    assert_eq!(funnel.n_unique, 7);
}

#[test]
fn a_project_that_does_not_build_blocks_and_is_tried_again() {
    let (_folder, mut store) = store();
    put(&mut store, "run", Target::Test, &answers());
    let broken = EngineStub {
        build: Err("no JDK 8"),
        ..EngineStub::default()
    };
    let options = ExecuteOptions::default();
    let ended = broken.execute(&mut store, &options);
    let said = ended.expect_err("nothing was built").to_string();
    assert_eq!(said, "no project could be prepared: a: no JDK 8");
    let written = lines(&store, "run");
    assert_eq!(written.len(), 9);
    assert!(
        written
            .iter()
            .all(|text| text.contains(r#""outcome":null,"blocked":"no_build""#))
    );
    let shop = EngineStub::default();
    shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(shop.n_seen(), 6);
}

#[test]
fn true_tests_are_a_run_of_their_own() {
    let (_folder, mut store) = store();
    let shop = EngineStub::default();
    let options = ExecuteOptions {
        test_source: TestSource::Truth,
        ..ExecuteOptions::default()
    };
    shop.execute(&mut store, &options).expect("it runs");
    let texts = shop.seen.0.borrow().clone();
    // This includes the test without an assertion part.
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("public void testInc()"));
    let run = store
        .run("truth")
        .expect("it is read")
        .expect("it is there");
    let meant = store.run("truth-java").expect("it is read");
    assert_eq!(meant.expect("it is that one").id, run.id);
    let entered = store
        .execution_entered(run.id, "fast", 0)
        .expect("it is read");
    assert_eq!(entered[0].name, "inc");
    shop.n_seen();
    shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(shop.n_seen(), 0);
}

#[test]
fn a_dry_run_puts_nothing_in_and_tells_what_runs_all_the_same() {
    let (_folder, mut store) = store();
    let shop = EngineStub::default();
    let options = ExecuteOptions {
        test_source: TestSource::Dry,
        ..ExecuteOptions::default()
    };
    let report = shop.execute(&mut store, &options).expect("it runs");
    assert_eq!((report.n_files, report.faults.len()), (1, 0));
    assert_eq!(
        shop.seen.0.borrow().as_slice(),
        ["void focalistRunsNothing() { }"]
    );
}

#[test]
fn assertions_run_in_their_true_tests() {
    let (_folder, mut store) = store();
    let answer = ("testInc", 0, "assertEquals(\"correct\");".to_owned());
    put(&mut store, "run", Target::Assertion, &[answer]);
    let shop = EngineStub::default();
    shop.execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    let texts = shop.seen.0.borrow().clone();
    assert!(
        texts[0].contains("counter.inc();\n        assertEquals(\"correct\");\n    }"),
        "{}",
        texts[0]
    );
}

#[test]
fn a_filter_chooses_samples() {
    let (_folder, mut store) = store();
    put(&mut store, "run", Target::Test, &answers());
    let shop = EngineStub::default();
    let options = ExecuteOptions {
        filter: Filter::only(OfSample::Status(Status::NoAssertionPart)),
        ..ExecuteOptions::default()
    };
    shop.execute(&mut store, &options).expect("it runs");
    assert_eq!(shop.n_seen(), 1);
    assert_eq!(lines(&store, "run").len(), 1);
    let elsewhere = ExecuteOptions {
        repos: vec!["b".to_owned()],
        ..ExecuteOptions::default()
    };
    let refused = shop.execute(&mut store, &elsewhere);
    assert!(matches!(refused, Err(ExecuteError::NoSuchRepo { .. })));
}
