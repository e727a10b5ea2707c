//! All of a single execution, for people.

use crate::Error;
use crate::exchange::outcomes::{WireRecord, record_of, why_of};
use crate::model::{Execution, ExecutionSetting, FocalCoverage, Span, Why};
use crate::repair::StepKind;
use crate::store::Store;

/// A change that was made to a prediction before it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    pub kind: StepKind,
    /// Bytes of the prediction that went.
    pub removed: Span,
    /// What came behind them.
    pub added: String,
}

/// What became of a prediction, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionDetail {
    pub setting: ExecutionSetting,
    pub execution: Execution,
    pub why: Option<Why>,
    /// In order of their places.
    pub steps: Vec<ShownStep>,
    /// With its lines, counted in its file.
    pub focal: Option<FocalCoverage>,
    /// The class or file that it ran in; empty where it did not run.
    pub host: String,
    pub method: String,
    pub is_outside_suite: bool,
    /// Empty where the project was not built.
    pub build: String,
}

/// Returns what became of a prediction when its run was executed last; nothing where it was not.
///
/// # Errors
/// The index's.
pub fn detail(store: &Store, run: i64, ordinal: u32) -> Result<Option<ExecutionDetail>, Error> {
    let Some(setting) = store.execution_setting(run)? else {
        return Ok(None);
    };
    let stored = store.execution(run, &setting.engine, ordinal)?;
    Ok(stored.map(|stored| {
        let record = record_of(&stored.record);
        ExecutionDetail {
            // Of a run in several languages, the one that ran this.
            setting: ExecutionSetting {
                engine: stored.engine,
                ..setting
            },
            execution: stored.execution,
            why: stored.why.as_deref().and_then(why_of).map(Why::from),
            steps: steps(&record),
            focal: record.focal_coverage(),
            host: record.host,
            method: record.method,
            is_outside_suite: record.outside_suite,
            build: record.build,
        }
    }))
}

fn steps(record: &WireRecord) -> Vec<ShownStep> {
    let kind = |word: &str| StepKind::ALL.iter().copied().find(|it| it.as_str() == word);
    let steps = record.steps.iter().filter_map(|it| {
        Some(ShownStep {
            kind: kind(&it.kind)?,
            removed: it.removed(),
            added: it.added.clone(),
        })
    });
    steps.collect()
}
