//! Makes rows of the engines' results, and writes them in batches, so that a killed run loses two seconds at most.

use std::time::{Duration, Instant};

use crate::exchange::outcomes::{WireRecord, WireStep, WireTools, WireWhy, to_json};
use crate::model::{
    BlockedReason, ContentHash, Execution, ExecutionSetting, FocalCoverage, Outcome, OutcomeReason,
    Repair, RunStage,
};
use crate::project::{CopiedPrediction, ExecutionTask, RepairOutcome, copy_of};
use crate::repair::{RepairStep, RepairedMethod};
use crate::runner::{CandidateExecution, Fate};
use crate::store::{Store, StoredExecution, WrittenExecution};
use crate::task::{self, Monitor};
use crate::{ExecuteError, Tools, VERSION};

/// The longest wait of a finished row, and so the most that a killed run loses.
const WAIT: Duration = Duration::from_secs(2);
/// The most rows that wait, so that one transaction stays short.
const ROWS_MAX: usize = 500;

/// The most bytes of a trace that are kept: its top names the cause.
const TRACE_BYTES: usize = 4 << 10;
/// The most bytes of a message that are kept: some exceptions print whole collections.
pub const MESSAGE_BYTES: usize = 2 << 10;

/// The values that all rows of a project share.
pub struct ExecutionGround<'a> {
    pub setting: &'a ExecutionSetting,
    pub build: &'a str,
    pub tools: Tools,
    pub timeout: Duration,
}

impl ExecutionGround<'_> {
    /// Makes the rows of a task, its own first, then those of equal predictions.
    pub fn rows(&self, task: &ExecutionTask, ran: &CandidateExecution) -> Vec<WrittenExecution> {
        let repaired = match &task.repair {
            RepairOutcome::Method(repaired_method) => Some(repaired_method),
            RepairOutcome::Unparsable(_) | RepairOutcome::Blocked(_) => None,
        };
        let why = ran.why.as_ref().map(|why| clean(task, repaired, why));
        let mut record = WireRecord {
            host: ran.host.clone(),
            method: ran.method.clone(),
            outside_suite: ran.is_outside_suite,
            steps: steps(task, repaired),
            ..self.record()
        };
        if let Some(focal) = &ran.focal {
            record.set_focal(focal);
        }
        let repair = repaired.map_or(Repair::None, |repaired_method| repaired_method.repair);
        let execution = asserting(self.execution(ran, repair), task.asserts);
        let own = WrittenExecution {
            ordinal: task.ordinal,
            stamp: task.stamp,
            execution,
            words: why.as_ref().map_or_else(String::new, words),
            why: why
                .as_ref()
                .map(|outcome_reason| to_json(&WireWhy::from(outcome_reason))),
            record: to_json(&record),
            covered: ran.covered.clone(),
            entered: ran.entered.clone(),
        };
        let same = task.same.iter().map(|(ordinal, stamp)| WrittenExecution {
            ordinal: *ordinal,
            stamp: *stamp,
            execution: copy_of(&own.execution, task.ordinal),
            // The sets belong to the prediction that ran.
            covered: Vec::new(),
            entered: Vec::new(),
            ..own.clone()
        });
        let same: Vec<WrittenExecution> = same.collect();
        [vec![own], same].concat()
    }

    /// Makes the row of a prediction whose sample has left the index, so that its place in a file is unknown.
    pub fn gone(&self, ordinal: u32, stamp: ContentHash) -> WrittenExecution {
        let ran = blocked(
            ordinal.into(),
            BlockedReason::NoScaffold,
            "its sample is no longer in the index",
        );
        WrittenExecution {
            ordinal,
            stamp,
            execution: self.execution(&ran, Repair::None),
            words: ran.why.as_ref().map_or_else(String::new, words),
            why: ran
                .why
                .as_ref()
                .map(|outcome_reason| to_json(&WireWhy::from(outcome_reason))),
            record: to_json(&self.record()),
            covered: Vec::new(),
            entered: Vec::new(),
        }
    }

    /// Makes the part that all records share.
    fn record(&self) -> WireRecord {
        WireRecord {
            tools: WireTools {
                jdk: self.tools.jdk.clone(),
                jacoco: self.tools.jacoco.clone(),
                python: self.tools.python.clone(),
                focalist: VERSION.split('+').next().unwrap_or(VERSION).to_owned(),
            },
            build: self.build.to_owned(),
            sandbox: self.setting.sandbox.clone(),
            ..WireRecord::default()
        }
    }

    fn execution(&self, ran: &CandidateExecution, repair: Repair) -> Execution {
        let (outcome, blocked) = match ran.fate {
            Fate::Ran(outcome) => (Some(outcome), None),
            Fate::Blocked(blocked) => (None, Some(blocked)),
        };
        let counters = |of: fn(&FocalCoverage) -> Option<_>| ran.focal.as_ref().and_then(of);
        Execution {
            outcome,
            blocked,
            repair,
            duplicate_of: None,
            is_called: ran.is_called,
            asserts: None,
            lines: counters(|focal_coverage| Some(focal_coverage.lines)),
            branches: counters(|focal_coverage| focal_coverage.branches),
            elapsed_ms: ran.elapsed.map(|duration| duration.as_millis() as u32),
            timeout_ms: self.timeout.as_millis() as u32,
            confirmed: None,
            stability: None,
            brittleness: None,
        }
    }
}

/// Notes whether something in a candidate can fail: one that passes without that is not correct.
fn asserting(execution: Execution, asserts: Option<bool>) -> Execution {
    let outcome = match execution.outcome {
        Some(Outcome::Correct) if asserts == Some(false) => Some(Outcome::Passing),
        other => other,
    };
    Execution {
        outcome,
        asserts: asserts.filter(|_| outcome.is_some_and(|outcome| outcome != Outcome::Unparsable)),
        ..execution
    }
}

/// Cleans a reason: its lines count in the prediction, its length is bounded, and any terminal may show it.
fn clean(
    task: &ExecutionTask,
    repaired: Option<&RepairedMethod>,
    why: &OutcomeReason,
) -> OutcomeReason {
    OutcomeReason {
        stage: why.stage,
        code: why.code.as_deref().map(|code| visible(code, MESSAGE_BYTES)),
        kind: why.kind.as_deref().map(|kind| visible(kind, MESSAGE_BYTES)),
        message: visible(&why.message, MESSAGE_BYTES),
        line: why.line.and_then(|line| match repaired {
            Some(repaired) => repaired.line_of_prediction(&task.given_text, line),
            None => Some(line),
        }),
        trace: why
            .trace
            .as_deref()
            .map(|trace| visible(trace, TRACE_BYTES)),
    }
}

/// Joins the texts that the filter `why:` searches, in lower case.
fn words(why: &OutcomeReason) -> String {
    let parts = [why.code.as_deref(), why.kind.as_deref(), Some(&why.message)];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join("\n").to_ascii_lowercase()
}

/// Takes the beginning of a text without control sequences for terminals.
pub fn visible(text: &str, bytes_max: usize) -> String {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let shown = |c: &char| matches!(c, '\n' | '\t') || !c.is_control();
    text[..end].chars().filter(shown).collect()
}

/// Translates the steps of a repair to the prediction's own bytes; what they did to the true test around it is left
/// out.
fn steps(task: &ExecutionTask, repaired: Option<&RepairedMethod>) -> Vec<WireStep> {
    let (start, end) = (
        task.given_text.prediction.start,
        task.given_text.prediction.end,
    );
    let within = |step: &RepairStep| {
        let from = step.removed.start.clamp(start, end) - start;
        let to = step.removed.end.clamp(start, end) - start;
        let is_added = step.removed.start >= start && !step.added.is_empty();
        (from < to || is_added).then(|| WireStep {
            kind: step.kind.as_str().to_owned(),
            from,
            to,
            added: step.added.clone(),
        })
    };
    match repaired {
        Some(repaired) if !task.is_moved => repaired.steps.iter().filter_map(within).collect(),
        _ => Vec::new(),
    }
}

/// Makes the answer for a task that no engine gets.
pub fn without_engine(id: u64, made: &RepairOutcome) -> Option<CandidateExecution> {
    match made {
        RepairOutcome::Method(_) => None,
        RepairOutcome::Unparsable(fault) => Some(CandidateExecution {
            why: Some(OutcomeReason {
                stage: RunStage::Compile,
                code: Some("syntax".to_owned()),
                kind: None,
                message: fault.detail.clone(),
                line: fault.line,
                trace: None,
            }),
            ..CandidateExecution::new(id, Fate::Ran(Outcome::Unparsable))
        }),
        RepairOutcome::Blocked(blocked) => {
            Some(CandidateExecution::new(id, Fate::Blocked(*blocked)))
        }
    }
}

/// Makes the answer for a task that nothing can run, with the reason.
pub fn blocked(id: u64, blocked: BlockedReason, reason: &str) -> CandidateExecution {
    let why = (!reason.is_empty()).then(|| OutcomeReason {
        stage: RunStage::Compile,
        code: Some(blocked.as_str().to_owned()),
        kind: None,
        message: reason.to_owned(),
        line: None,
        trace: None,
    });
    CandidateExecution {
        why,
        ..CandidateExecution::new(id, Fate::Blocked(blocked))
    }
}

/// Makes the row of a prediction that equals one which ran before.
pub fn copied(copied: &CopiedPrediction, of: StoredExecution) -> WrittenExecution {
    WrittenExecution {
        ordinal: copied.ordinal,
        stamp: copied.stamp,
        execution: copy_of(&of.execution, copied.of),
        why: of.why,
        words: of.words,
        record: of.record,
        covered: Vec::new(),
        entered: Vec::new(),
    }
}

/// Collects rows, and writes them in batches.
pub struct ExecutionKeeper<'a> {
    store: &'a mut Store,
    monitor: &'a Monitor,
    run: i64,
    setting: &'a ExecutionSetting,
    waiting: Vec<WrittenExecution>,
    since: Instant,
}

impl<'a> ExecutionKeeper<'a> {
    pub fn new(
        store: &'a mut Store,
        monitor: &'a Monitor,
        run: i64,
        setting: &'a ExecutionSetting,
    ) -> Self {
        Self {
            store,
            monitor,
            run,
            setting,
            waiting: Vec::new(),
            since: Instant::now(),
        }
    }

    pub fn add(
        &mut self,
        rows: impl IntoIterator<Item = WrittenExecution>,
    ) -> Result<(), ExecuteError> {
        self.waiting.extend(rows);
        if self.waiting.len() >= ROWS_MAX || self.since.elapsed() >= WAIT {
            self.write(self.monitor)?;
        }
        Ok(())
    }

    /// Adds rows that are written with the next ones.
    pub fn later(&mut self, rows: Vec<WrittenExecution>) {
        self.waiting.extend(rows);
    }

    /// Writes the waiting rows, even after a cancel.
    pub fn finish(mut self) -> Result<(), ExecuteError> {
        self.write(&Monitor::default())
    }

    fn write(&mut self, monitor: &Monitor) -> Result<(), ExecuteError> {
        let _step = self.monitor.timings.begin(task::EngineStep::Write);
        self.store
            .write_executions(self.run, self.setting, &self.waiting, monitor)?;
        self.waiting.clear();
        self.since = Instant::now();
        Ok(())
    }
}
