//! All about a single execution, for people.

use std::collections::BTreeMap;

use crate::ExecuteError;
use crate::exchange::outcomes::{WireRecord, record_of, why_of};
use crate::model::{
    CoverageCounter, Execution, ExecutionSetting, FocalCoverage, Outcome, OutcomeReason, ResultRow,
    Span, grouped,
};
use crate::repair::StepKind;
use crate::store::{Store, StoreError};

/// A change that was made to a prediction before it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    pub kind: StepKind,
    /// The bytes of the prediction that were removed.
    pub removed: Span,
    /// The text that was added behind them.
    pub added: String,
}

/// The outcome of a prediction, with its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionDetail {
    pub setting: ExecutionSetting,
    pub execution: Execution,
    pub why: Option<OutcomeReason>,
    /// The repairs, in order of their places.
    pub steps: Vec<ShownStep>,
    /// The coverage of the focal method, with its lines counted in its file.
    pub focal: Option<FocalCoverage>,
    /// The class or file that it ran in; empty where it did not run.
    pub host: String,
    pub method: String,
    pub is_outside_suite: bool,
    /// The hash of the build; empty where the project was not built.
    pub build: String,
}

/// The remark on a test that [`ExecutionDetail::is_outside_suite`].
pub const OUTSIDE: &str = "the project's own build would not run its file";

impl ExecutionDetail {
    /// Explains the outcome, or why there is none.
    #[must_use]
    pub const fn meaning(&self) -> &'static str {
        match (self.execution.outcome, self.execution.blocked) {
            (Some(outcome), _) => outcome.meaning(),
            (None, Some(blocked)) => blocked.meaning(),
            (None, None) => "no details are stored",
        }
    }

    /// Lists the remarks on it: another one that ran in its place, the second look, and its reaction to shakes and to
    /// other code with the same contract.
    #[must_use]
    pub fn remarks(&self) -> Vec<ExecutionRemark> {
        let execution = &self.execution;
        let mut remarks = Vec::new();
        let mut push = |warns, text| remarks.push(ExecutionRemark { text, warns });
        if let Some(other) = execution.duplicate_of {
            let number = grouped(u64::from(other) + 1);
            let text = format!(
                "= same tokens as answer {number} of the run; that one ran instead and counts"
            );
            push(false, text);
        }
        if let Some(word) = execution.confirmed {
            let text = format!("confirmed {} · {}", word.as_str(), word.meaning());
            push(word.refutes(), text);
        }
        if let Some(stability) = execution.stability
            && let Some(reason) = stability.reason()
        {
            let (failed, runs) = (stability.n_failed.into(), stability.n_runs.into());
            let text = format!(
                "unstable by {} · {} of {} runs failed; changed by {}",
                reason.as_str(),
                grouped(failed),
                grouped(runs),
                stability.changed
            );
            push(true, text);
        }
        if let Some(brittleness) = execution.brittleness
            && !brittleness.objects.is_empty()
        {
            let (objects, held) = (brittleness.objects, brittleness.held);
            let text =
                format!("objects to code that keeps the contract: {objects}; run against {held}");
            push(true, text);
        }
        remarks
    }

    /// Tells whether it ran without a sandbox.
    #[must_use]
    pub fn is_unheld(&self) -> bool {
        self.setting.sandbox == "none"
    }

    /// Describes how it ran: time and limit, engine, sandbox, and the test that it was.
    #[must_use]
    pub fn how(&self) -> String {
        let mut parts = Vec::new();
        if let Some(ms) = self.execution.elapsed_ms {
            let limit = grouped(self.execution.timeout_ms.into());
            parts.push(format!("{} ms of {limit} ms", grouped(ms.into())));
        }
        parts.push(format!("engine {}", self.setting.engine));
        let warns = if self.is_unheld() { "! " } else { "" };
        parts.push(format!("{warns}sandbox {}", self.setting.sandbox));
        if !self.host.is_empty() {
            parts.push(format!("as {}.{}", self.host, self.method));
        }
        parts.join(" · ")
    }

    /// Describes whether the focal method is called, whether anything can fail, and how much of the method ran.
    #[must_use]
    pub fn reach(&self) -> String {
        let called = match self.execution.is_called {
            Some(true) => "called",
            Some(false) => "not called",
            None => "whether it is called was not measured",
        };
        let mut parts = vec![called.to_owned()];
        if self.execution.asserts == Some(false) {
            parts.push("nothing in it can fail".to_owned());
        }
        let ran = |coverage_counter: CoverageCounter, what: &str| {
            let (covered, total) = (
                grouped(coverage_counter.covered.into()),
                grouped(coverage_counter.total().into()),
            );
            format!("{covered} of {total} {what} ran")
        };
        let coverage = self.focal.as_ref();
        let lines = coverage
            .map(|focal_coverage| focal_coverage.lines)
            .or(self.execution.lines);
        parts.extend(lines.map(|line| ran(line, "lines")));
        let branches = coverage.map_or(self.execution.branches, |focal_coverage| {
            focal_coverage.branches
        });
        parts.extend(branches.map(|branch| ran(branch, "branches")));
        parts.join(" · ")
    }
}

/// Describes the place of a failure: the step, the tool's code, the class of the exception, and the line.
#[must_use]
pub fn place_of(why: &OutcomeReason) -> String {
    let mut parts = vec![why.stage.as_str().to_owned()];
    parts.extend(why.code.clone());
    parts.extend(why.kind.clone());
    if let Some(line) = why.line {
        parts.push(format!("line {line} of the prediction"));
    }
    parts.join(" · ")
}

/// A remark on an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionRemark {
    pub text: String,
    /// Whether it lowers the worth of the outcome.
    pub warns: bool,
}

/// Reads the details of a prediction in its run's last execution; nothing where it was not executed.
///
/// # Errors
/// The index's.
pub fn detail(
    store: &Store,
    run: i64,
    ordinal: u32,
) -> Result<Option<ExecutionDetail>, ExecuteError> {
    let Some(setting) = store.execution_setting(run)? else {
        return Ok(None);
    };
    let stored = store.execution(run, &setting.engine, ordinal)?;
    Ok(stored.map(|stored| {
        let record = record_of(&stored.record);
        ExecutionDetail {
            // In a run of several languages, the engine that ran this prediction.
            setting: ExecutionSetting {
                engine: stored.engine,
                ..setting
            },
            execution: stored.execution,
            why: stored
                .why
                .as_deref()
                .and_then(why_of)
                .map(OutcomeReason::from),
            steps: steps(&record),
            focal: record.focal_coverage(),
            host: record.host,
            method: record.method,
            is_outside_suite: record.outside_suite,
            build: record.build,
        }
    }))
}

/// Reads the reasons of the rows that did not pass, by number: the class of the exception, else the code of the error.
/// Rows without either are left out.
///
/// # Errors
/// The index's.
pub fn reasons(
    store: &Store,
    of: (i64, &str),
    rows: &[ResultRow],
) -> Result<BTreeMap<u32, String>, StoreError> {
    let fell = rows.iter().filter(|row| {
        let outcome = row.execution.map(|execution| execution.outcome);
        outcome.is_some_and(|outcome| !outcome.is_some_and(Outcome::passes))
    });
    let fell: Vec<u32> = fell.map(|row| row.ordinal).collect();
    let whys = store.execution_whys(of, &fell)?.into_iter();
    let reason = |why: OutcomeReason| why.kind.or(why.code);
    Ok(whys
        .filter_map(|(ordinal, why)| Some((ordinal, reason(why_of(&why)?.into())?)))
        .collect())
}

fn steps(record: &WireRecord) -> Vec<ShownStep> {
    let kind = |word: &str| {
        StepKind::ALL
            .iter()
            .copied()
            .find(|step_kind| step_kind.as_str() == word)
    };
    let steps = record.steps.iter().filter_map(|step| {
        Some(ShownStep {
            kind: kind(&step.kind)?,
            removed: step.removed(),
            added: step.added.clone(),
        })
    });
    steps.collect()
}
