//! All that is known of what became of one prediction, for whoever looks at it.
//!
//! Decides what of the repair is told of the prediction's own text; how it looks is for the faces.

use crate::exchange::executed::{ReadExecution, read_execution, read_why};
use crate::model::{Execution, ExecutionSetting, Repair, RunRow, Span, Target, Why};
use crate::repair::{Given, Repairer, Repairs, Rules};
use crate::store::{Store, StoreError, StoredExecution, StoredSample};

/// What became of a prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub setting: ExecutionSetting,
    pub execution: Execution,
    pub why: Option<Why>,
    pub record: ReadExecution,
    /// What was done to the prediction before it ran, in order of places; none where that is not known any more.
    pub changes: Vec<Change>,
}

/// A change to a prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Of the prediction's text, what went; empty where something was only added.
    pub removed: Span,
    pub added: String,
}

/// Returns what became of a prediction when its run was executed last; nothing where it was not.
///
/// # Errors
/// What the index says.
pub fn told(store: &Store, run: &RunRow, ordinal: u32) -> Result<Option<Told>, StoreError> {
    let Some(setting) = store.execution_setting(run.id)? else {
        return Ok(None);
    };
    let Some(stored) = store.execution(run.id, &setting.engine, ordinal)? else {
        return Ok(None);
    };
    let changes = if stored.execution.repair == Repair::None {
        Vec::new()
    } else {
        let sample = store.sample(&stored.prediction.key, run.setting.matcher)?;
        sample.map_or_else(Vec::new, |it| changes(run, &stored, &it))
    };
    Ok(Some(Told {
        execution: stored.execution,
        why: stored.why.as_deref().and_then(read_why),
        record: read_execution(&stored.record),
        setting,
        changes,
    }))
}

/// Repairs again: a text and what was done to it always go together.
fn changes(run: &RunRow, stored: &StoredExecution, sample: &StoredSample) -> Vec<Change> {
    let prediction = &stored.prediction;
    let prediction = prediction.code.as_ref().unwrap_or(&prediction.answer);
    let given = match run.setting.target {
        Target::Test => Given::test(prediction),
        Target::Assertion => {
            let test = &sample.test;
            let assertion = sample.cut.assertion.filter(|it| test.span.contains(*it));
            let assertion = assertion
                .map(|it| Span::new(it.start - test.span.start, it.end - test.span.start));
            Given::assertion(sample.repo.language, test.source(), assertion, prediction)
        }
    };
    let rules = Rules {
        language: sample.repo.language,
        repairs: Repairs::Paper,
        framework: sample.framework,
        adds_test_annotation: false,
    };
    let Ok(repaired) = Repairer::new().repair(&given, rules) else {
        return Vec::new();
    };
    let own = given.prediction;
    // Python's layout may have moved the prediction: then its places are not those of the text.
    if own.of(&given.text) != prediction {
        return Vec::new();
    }
    let within = repaired.steps.into_iter().filter_map(|step| {
        let (start, end) = (step.removed.start, step.removed.end);
        (start >= own.start && end <= own.end).then(|| Change {
            removed: Span::new(start - own.start, end - own.start),
            added: step.added,
        })
    });
    within.collect()
}
