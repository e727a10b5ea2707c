//! Outcomes of predictions that ran, as `export --format outcomes` writes them, and the details that the index keeps
//! for one at a time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::OrderedFields;
use super::brittle::{WireBrittle, WireBrittleCounts, WireBrittleRun, brittle};
use super::faults::{WireFaultCounts, WireFaulted};
use crate::model::{
    BlockedReason, Confirmation, CoverageCounter, Execution, ExecutionFunnel, FocalCoverage,
    FocalShares, LanguageFunnel, LineCover, Outcome, OutcomeReason, RunStage, Shake, Span,
    Stability, StabilityCounts,
};

/// Why a candidate has its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireWhy {
    /// `compile` or `run`.
    pub stage: String,
    pub code: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub message: String,
    /// The line of the prediction's text, from 1.
    pub line: Option<u32>,
    pub trace: Option<String>,
}

impl From<&OutcomeReason> for WireWhy {
    fn from(why: &OutcomeReason) -> Self {
        Self {
            stage: why.stage.as_str().to_owned(),
            code: why.code.clone(),
            kind: why.kind.clone(),
            message: why.message.clone(),
            line: why.line,
            trace: why.trace.clone(),
        }
    }
}

impl From<WireWhy> for OutcomeReason {
    fn from(why: WireWhy) -> Self {
        let stage = RunStage::ALL
            .iter()
            .find(|run_stage| run_stage.as_str() == why.stage);
        Self {
            stage: stage.copied().unwrap_or(RunStage::Run),
            code: why.code,
            kind: why.kind,
            message: why.message,
            line: why.line,
            trace: why.trace,
        }
    }
}

/// The part of its focal method that a candidate covered; each counter is missed, then covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireFocal {
    pub class: String,
    pub name: String,
    pub desc: String,
    pub line: [u32; 2],
    pub branch: Option<[u32; 2]>,
    pub instruction: Option<[u32; 2]>,
}

fn pair(counter: CoverageCounter) -> [u32; 2] {
    [counter.missed, counter.covered]
}

fn counter([missed, covered]: [u32; 2]) -> CoverageCounter {
    CoverageCounter { missed, covered }
}

/// Answers of a run that do not compile for the same reason.
#[derive(Debug, Serialize)]
pub struct WireCompileError<'a> {
    pub run: &'a str,
    pub error: &'a str,
    pub answers: u64,
    /// The share of the answers that do not compile.
    pub share: f64,
    /// How often each code of javac was the first.
    pub codes: &'a BTreeMap<String, u64>,
    pub examples: Vec<WireCompileExample<'a>>,
}

#[derive(Debug, Serialize)]
pub struct WireCompileExample<'a> {
    pub sample: String,
    pub attempt: u32,
    /// The line of the answer, from 1.
    pub line: Option<u32>,
    pub message: &'a str,
}

/// The tools that ran it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireTools {
    pub jdk: Option<String>,
    pub jacoco: Option<String>,
    pub focalist: String,
    /// Python's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
}

/// A change that was made to a prediction before it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireStep {
    pub kind: String,
    /// Bytes of the prediction.
    pub from: u32,
    pub to: u32,
    pub added: String,
}

impl WireStep {
    /// The kind of the step that removed an annotation that switches a test off.
    pub const ENABLED: &'static str = "enabled";

    #[must_use]
    pub const fn removed(&self) -> Span {
        Span::new(self.from, self.to)
    }
}

/// The facts about an execution that the index keeps beside the columns that lists ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireRecord {
    pub host: String,
    pub method: String,
    pub focal: Option<WireFocal>,
    /// Lines of the focal method that hold code, from 1 in its file: missed 0, partly 1, covered 2.
    pub by_line: Vec<(u32, u8)>,
    pub outside_suite: bool,
    pub steps: Vec<WireStep>,
    pub tools: WireTools,
    pub build: String,
    pub sandbox: String,
}

const COVERS: [LineCover; 3] = [LineCover::Missed, LineCover::Partly, LineCover::Covered];

impl WireRecord {
    /// Tells whether its author has switched the test off, so that no suite runs it.
    #[must_use]
    pub fn is_switched_off(&self) -> bool {
        self.steps.iter().any(|step| step.kind == WireStep::ENABLED)
    }

    /// Records the coverage of the focal method.
    pub fn set_focal(&mut self, focal: &FocalCoverage) {
        self.focal = Some(WireFocal {
            class: focal.class.clone(),
            name: focal.name.clone(),
            desc: focal.descriptor.clone(),
            line: pair(focal.lines),
            branch: focal.branches.map(pair),
            instruction: focal.instructions.map(pair),
        });
        let by_line = focal.by_line.iter();
        self.by_line = by_line.map(|(line, cover)| (*line, *cover as u8)).collect();
    }

    /// Reads the coverage of the focal method.
    #[must_use]
    pub fn focal_coverage(&self) -> Option<FocalCoverage> {
        let focal = self.focal.as_ref()?;
        let cover = |number: u8| COVERS.get(usize::from(number)).copied();
        Some(FocalCoverage {
            class: focal.class.clone(),
            name: focal.name.clone(),
            descriptor: focal.desc.clone(),
            lines: counter(focal.line),
            branches: focal.branch.map(counter),
            instructions: focal.instruction.map(counter),
            by_line: self
                .by_line
                .iter()
                .filter_map(|(line, number)| Some((*line, cover(*number)?)))
                .collect(),
        })
    }
}

/// Writes a value of this file as JSON for the index.
///
/// # Panics
/// Never: there is no map with keys that are no texts, and no number that JSON lacks.
#[must_use]
pub fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("all of it has its place in JSON")
}

/// Reads the stored reason; nothing for a text of another shape.
#[must_use]
pub fn why_of(text: &str) -> Option<WireWhy> {
    serde_json::from_str(text).ok()
}

/// Reads the stored record; an empty one for a text of another shape.
#[must_use]
pub fn record_of(text: &str) -> WireRecord {
    // Another version has written it: the columns hold the facts.
    serde_json::from_str(text).unwrap_or_default()
}

/// Reads `loss` in the metadata of a prediction; nothing where it is no finite number.
#[must_use]
pub fn loss_of(meta: &str) -> Option<f64> {
    let meta: serde_json::Value = serde_json::from_str(meta).ok()?;
    meta.get("loss")?.as_f64().filter(|value| value.is_finite())
}

/// One candidate.
#[derive(Debug, Serialize)]
pub struct WireOutcome<'a> {
    pub run: &'a str,
    pub sample: String,
    pub attempt: u32,
    /// Null where it is blocked.
    pub outcome: Option<&'static str>,
    pub blocked: Option<&'static str>,
    pub repair: &'static str,
    /// The attempt at the same sample that has the same tokens and ran in its place.
    pub duplicate_of: Option<u32>,
    pub engine: &'a str,
    pub host: Option<&'a str>,
    pub method: Option<&'a str>,
    pub why: Option<WireWhy>,
    pub called: Option<bool>,
    /// Whether something in it can fail; null where it is not read.
    pub asserts: Option<bool>,
    /// The finding of a second look; null where there was none.
    pub confirmed: Option<&'static str>,
    /// Null where shaking it has changed nothing, and where it was never shaken.
    pub unstable: Option<WireUnstable>,
    /// The variants that it objects to; null where it has run on none.
    pub brittle: Option<WireBrittle>,
    pub focal: Option<&'a WireFocal>,
    pub ms: Option<u32>,
    pub timeout_ms: u32,
    pub tools: &'a WireTools,
    pub build: Option<&'a str>,
    pub sandbox: &'a str,
    /// The other options that decided it.
    pub options: &'a str,
}

/// The parts that [`WireOutcome::new`] takes.
#[derive(Clone, Copy, Debug)]
pub struct OutcomeLineParts<'a> {
    pub run: &'a str,
    pub engine: &'a str,
    pub attempt: u32,
    pub duplicate_of: Option<u32>,
    pub execution: &'a Execution,
    pub why: Option<&'a str>,
    pub options: &'a str,
    pub record: &'a WireRecord,
}

impl<'a> WireOutcome<'a> {
    #[must_use]
    pub fn new(sample: String, of: OutcomeLineParts<'a>) -> Self {
        let text = |text: &'a String| Some(text.as_str()).filter(|text| !text.is_empty());
        Self {
            run: of.run,
            sample,
            attempt: of.attempt,
            outcome: of.execution.outcome.map(Outcome::as_str),
            blocked: of.execution.blocked.map(BlockedReason::as_str),
            repair: of.execution.repair.as_str(),
            duplicate_of: of.duplicate_of,
            engine: of.engine,
            host: text(&of.record.host),
            method: text(&of.record.method),
            why: of.why.and_then(why_of),
            called: of.execution.is_called,
            asserts: of.execution.asserts,
            confirmed: of.execution.confirmed.map(Confirmation::as_str),
            unstable: of.execution.stability.as_ref().and_then(WireUnstable::of),
            brittle: of.execution.brittleness.as_ref().map(brittle),
            focal: of.record.focal.as_ref(),
            ms: of.execution.elapsed_ms,
            timeout_ms: of.execution.timeout_ms,
            tools: &of.record.tools,
            build: text(&of.record.build),
            sandbox: &of.record.sandbox,
            options: of.options,
        }
    }
}

/// How far the candidates of a run came, with shares of the unique ones.
#[derive(Debug, Serialize)]
pub struct WireExecutionFunnel {
    pub n_candidates: u64,
    pub unique: u64,
    pub parsable: u64,
    pub compilable: u64,
    pub executable: u64,
    pub correct: u64,
    /// Executable and without anything that can fail.
    pub no_assertion: u64,
    /// Executable and entered, as the paper counts.
    pub correct_tests4j: u64,
    /// Relative to unique ones, 0..=1.
    pub shares: OrderedFields<Option<f64>>,
    pub outcomes: OrderedFields<u64>,
    /// Candidates without an outcome, by reason.
    pub blocked: OrderedFields<u64>,
    /// How many unique ones that pass got a second look, and its findings.
    pub drawn: u64,
    pub confirmed: OrderedFields<u64>,
}

impl From<&ExecutionFunnel> for WireExecutionFunnel {
    fn from(funnel: &ExecutionFunnel) -> Self {
        let steps = funnel.steps();
        let outcomes = Outcome::ALL.iter().zip(funnel.by_outcome);
        let blocked = BlockedReason::ALL.iter().zip(funnel.by_blocked);
        let confirmed = Confirmation::ALL.iter().zip(funnel.by_confirmed);
        Self {
            n_candidates: funnel.n_candidates,
            unique: funnel.n_unique,
            parsable: funnel.n_parsable,
            compilable: funnel.n_compilable,
            executable: funnel.n_executable,
            correct: funnel.n_correct,
            no_assertion: funnel.n_without_assertion,
            correct_tests4j: funnel.n_correct_tests4j,
            shares: steps
                .iter()
                .map(|step| (step.0, funnel.share(step.1)))
                .collect(),
            outcomes: outcomes.map(|(outcome, n)| (outcome.as_str(), n)).collect(),
            blocked: blocked
                .map(|(blocked_reason, n)| (blocked_reason.as_str(), n))
                .collect(),
            drawn: funnel.n_drawn(),
            confirmed: confirmed
                .map(|(confirmation, n)| (confirmation.as_str(), n))
                .collect(),
        }
    }
}

/// How far the candidates of a run in one language came.
#[derive(Debug, Serialize)]
pub struct WireLanguageFunnel {
    /// Null where none ran them.
    pub engine: Option<String>,
    pub n_samples: u64,
    pub n_predictions: u64,
    pub not_run: u64,
    pub funnel: WireExecutionFunnel,
}

impl From<&LanguageFunnel> for WireLanguageFunnel {
    fn from(of: &LanguageFunnel) -> Self {
        Self {
            engine: Some(of.engine.clone()).filter(|text| !text.is_empty()),
            n_samples: of.n_samples,
            n_predictions: of.n_predictions,
            not_run: of.n_not_run(),
            funnel: (&of.funnel).into(),
        }
    }
}

/// Maps each language's word to its numbers; nothing where there is one language.
#[must_use]
pub fn languages_of(all: &[LanguageFunnel]) -> OrderedFields<WireLanguageFunnel> {
    let several = all.iter().filter(|_| all.len() > 1);
    several
        .map(|language_funnel| (language_funnel.word(), language_funnel.into()))
        .collect()
}

/// How many candidates that pass were looked at a second time, and how many of these were confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WireConfirmed {
    pub drawn: u64,
    pub confirmed: u64,
}

impl From<&ExecutionFunnel> for WireConfirmed {
    fn from(funnel: &ExecutionFunnel) -> Self {
        Self {
            drawn: funnel.n_drawn(),
            confirmed: funnel.n_confirmed(),
        }
    }
}

/// How much of the focal methods is covered, 0..=1.
#[derive(Debug, Serialize)]
pub struct WireFocalShares {
    pub n_methods: u64,
    pub n_unmeasured: u64,
    pub milc: Option<f64>,
    pub malc: Option<f64>,
    pub mibc: Option<f64>,
    pub mabc: Option<f64>,
}

impl From<&FocalShares> for WireFocalShares {
    fn from(shares: &FocalShares) -> Self {
        Self {
            n_methods: shares.n_methods,
            n_unmeasured: shares.n_unmeasured,
            milc: shares.micro_lines,
            malc: shares.macro_lines,
            mibc: shares.micro_branches,
            mabc: shares.macro_branches,
        }
    }
}

/// A project of a run that was executed.
#[derive(Debug, Serialize)]
pub struct WireExecutedProject {
    pub project: String,
    pub n_run: u64,
    pub n_kept: u64,
    pub n_outside_suite: u64,
    pub notes: Vec<String>,
}

/// A run that was executed: a line of `execute --json`.
#[derive(Debug, Serialize)]
pub struct WireExecuted<'a> {
    pub run: &'a str,
    pub engine: &'a str,
    pub sandbox: &'a str,
    pub options: &'a str,
    /// All predictions of the run, and how many of these were not run without a known reason.
    pub n_predictions: u64,
    pub not_run: u64,
    pub funnel: WireExecutionFunnel,
    /// Absent where there is one language.
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub by_language: OrderedFields<WireLanguageFunnel>,
    /// Covered by any passing candidate of the project, and by those that are about the method.
    pub all: WireFocalShares,
    pub own: WireFocalShares,
    pub projects: Vec<WireExecutedProject>,
    /// Only with `--faults`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<WireFaulted>,
    /// Only with `--brittle`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brittle: Option<WireBrittleRun>,
    /// Only with `--shake`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<WireShaken>,
    /// Only with `--timings`: of each engine its steps, which come to the last row, `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timings: Option<Vec<WireStepTime>>,
    /// Only with `--timings`: how many runs imported a mutant that could not be put in place, by the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported: Option<BTreeMap<String, u64>>,
}

/// The time that a step of an engine took.
#[derive(Debug, Serialize)]
pub struct WireStepTime {
    pub engine: &'static str,
    pub step: &'static str,
    pub wall_s: f64,
    /// The time of all processors; null where it is not known.
    pub cpu_s: Option<f64>,
    /// How often it was done; 0 for `other` and `total`.
    pub n: u64,
}

/// How many tests of a run were shaken, and how many of these are unstable.
#[derive(Debug, Serialize)]
pub struct WireShaken {
    pub tests: u64,
    /// At some time, now, and before.
    pub known: u64,
    pub now: u64,
    pub kept: u64,
    /// Tests whose class does not come to its end.
    pub unsettled: u64,
    pub left: u64,
    /// By the reason.
    pub unstable: OrderedFields<u64>,
    /// Ways to shake that were not applied, and why.
    pub notes: Vec<String>,
}

/// Why a test is unstable.
#[derive(Debug, Serialize)]
pub struct WireUnstable {
    /// The first of the shakes.
    pub reason: &'static str,
    /// All that change its outcome.
    pub shakes: Vec<&'static str>,
    /// How often it was run for that, and how many of these runs failed.
    pub runs: u32,
    pub failed: u32,
}

impl WireUnstable {
    /// Describes an unstable test; nothing for a stable one.
    #[must_use]
    pub fn of(stability: &Stability) -> Option<Self> {
        let reason = stability.reason()?;
        Some(Self {
            reason: reason.as_str(),
            shakes: stability.changed.iter().map(Shake::as_str).collect(),
            runs: stability.n_runs,
            failed: stability.n_failed,
        })
    }
}

/// A project that could not be built, or a test file that does not behave without its tests.
#[derive(Debug, Serialize)]
pub struct WireFault<'a> {
    pub project: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
    pub fault: &'a str,
}

/// The result of a dry run.
#[derive(Debug, Serialize)]
pub struct WireDry<'a> {
    pub n_files: u64,
    pub sandbox: &'a str,
    pub faults: Vec<WireFault<'a>>,
}

/// The result of running without tests and of running the tests themselves, whose outcomes are known before.
#[derive(Debug, Serialize)]
pub struct WireValidated {
    /// Test files without their tests, and those among them that compile and run nothing.
    pub files: u64,
    pub sound: u64,
    /// Tests themselves, those that are executable, and those of them that call the focal method.
    pub tests: u64,
    pub executable: u64,
    pub focal_called: u64,
    pub unexpected: Vec<WireUnexpected>,
}

/// An unexpected result, and how often it came.
#[derive(Debug, Serialize)]
pub struct WireUnexpected {
    pub what: String,
    pub why: String,
    pub n: u64,
    /// A file, a project, or the key of a sample.
    pub example: String,
}

/// How far a number that costs nothing agrees with running: a line of `results --correlate --json`.
#[derive(Debug, Serialize)]
pub struct WireCorrelation<'a> {
    /// A metric, or `loss`.
    pub measure: &'a str,
    /// `passing` or `correct`, where the first coefficient is the point-biserial one; `lines` or `mutation`.
    pub with: &'static str,
    pub n: u64,
    pub pearson: Option<f64>,
    /// 95 %.
    pub pearson_interval: Option<(f64, f64)>,
    pub spearman: Option<f64>,
    pub spearman_interval: Option<(f64, f64)>,
    pub resamples: u64,
    pub seed: u64,
}

/// The grades of a run's tests: a line of `runs --grades`.
#[derive(Debug, Serialize)]
pub struct WireRunGrades<'a> {
    pub run: &'a str,
    /// The grades of all samples, then of each repository where there are several.
    pub grades: Vec<WireGrades<'a>>,
    /// Correlations of each metric with the mutation score; empty where no test was run on faults.
    pub correlations: Vec<WireCorrelation<'a>>,
}

/// Means over the samples that each is known of; null where it is known of none.
#[derive(Debug, Serialize)]
pub struct WireGrades<'a> {
    /// Null for all samples.
    pub repo: Option<&'a str>,
    pub samples: u64,
    pub passing: Option<super::WireMean>,
    pub correct: Option<super::WireMean>,
    pub lines: Option<super::WireMean>,
    pub mutation: Option<super::WireMean>,
    pub brittle: Option<super::WireMean>,
    pub unstable: Option<super::WireMean>,
}

/// The probabilities that one of k attempts parses, compiles, passes and is correct.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireAtK {
    pub k: u64,
    pub n_samples: u64,
    pub parse: f64,
    pub compile: f64,
    pub pass: f64,
    pub correct: f64,
    /// 95 % bootstrap intervals over samples; null where there is one attempt each.
    pub pass_interval: Option<(f64, f64)>,
    pub correct_interval: Option<(f64, f64)>,
    /// The best of k attempts: the share of the focal method's lines that it covers, and its BLEU; absent where there
    /// is one attempt each, and null where they are not known.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub best: Option<WireBest>,
}

/// Means of the best of several attempts at each sample.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct WireBest {
    pub covered: Option<super::WireMean>,
    pub bleu: Option<super::WireMean>,
}

/// The execution of a run, in `runs`, `eval` and `compare`.
#[derive(Debug, Serialize)]
pub struct WireRunExecuted {
    pub engine: String,
    pub sandbox: String,
    pub version: String,
    pub options: String,
    pub executed_at: i64,
    /// How many outcomes were made by which options.
    pub made: BTreeMap<String, u64>,
    /// Predictions that were not run, without a known reason.
    pub not_run: u64,
    /// The share of samples whose first answer is correct, of those with an outcome.
    pub correct: Option<super::WireMean>,
    /// The funnel of unique candidates.
    pub funnel: WireExecutionFunnel,
    /// Absent where there is one language.
    #[serde(skip_serializing_if = "OrderedFields::is_empty")]
    pub by_language: OrderedFields<WireLanguageFunnel>,
    pub all: WireFocalShares,
    pub own: WireFocalShares,
    pub at_k: Vec<WireAtK>,
    /// Absent where no test was run on faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<WireFaultCounts>,
    /// Absent where no test was shaken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<WireStability>,
    /// Absent where no test was run on code that keeps the contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brittle: Option<WireBrittleCounts>,
}

/// How many tests of a run were shaken at some time, and how many of these are unstable.
#[derive(Debug, Serialize)]
pub struct WireStability {
    pub tests: u64,
    pub n_unstable: u64,
    /// By the reason.
    pub unstable: OrderedFields<u64>,
}

impl From<&StabilityCounts> for WireStability {
    fn from(counts: &StabilityCounts) -> Self {
        let reasons = counts.by_reason.iter();
        Self {
            tests: counts.n_shaken,
            n_unstable: counts.n_unstable(),
            unstable: reasons.map(|(reason, n)| (reason.as_str(), *n)).collect(),
        }
    }
}
