//! The outcomes of a run as lines of JSON: one a candidate, blocked ones too.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::ExecuteError;
use crate::exchange::outcomes::{OutcomeLineParts, WireOutcome, record_of};
use crate::exchange::write_line;
use crate::model::RunRow;
use crate::store::{Store, StoreError};
use crate::task::Monitor;

/// Why lines could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    #[error("cannot write outcomes: {0}")]
    Io(#[from] io::Error),
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Execute(error.into())
    }
}

/// Writes the outcome of every executed prediction of a run in order of their numbers, and returns the number of lines.
///
/// # Errors
/// The run was never executed; the index's and the writer's.
pub fn write_outcomes(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    out: &mut dyn Write,
) -> Result<u64, WriteError> {
    let name = &run.setting.name;
    let Some(setting) = store.execution_setting(run.id)? else {
        let name = name.clone();
        return Err(ExecuteError::NotExecuted { name }.into());
    };
    // A duplicate has the same sample as the prediction that it equals, so the attempt identifies that.
    let mut attempts: FxHashMap<u32, u32> = FxHashMap::default();
    let mut n_lines = 0;
    store.each_execution(run.id, &setting.engine, |stored| {
        monitor.step().map_err(ExecuteError::from)?;
        attempts.insert(stored.ordinal, stored.prediction.attempt);
        let record = record_of(&stored.record);
        let of = OutcomeLineParts {
            run: name,
            engine: &stored.engine,
            attempt: stored.prediction.attempt,
            duplicate_of: stored
                .execution
                .duplicate_of
                .and_then(|duplicate_of| attempts.get(&duplicate_of).copied()),
            execution: &stored.execution,
            why: stored.why.as_deref(),
            options: &stored.options,
            record: &record,
        };
        write_line(
            out,
            &WireOutcome::new(stored.prediction.key.to_string(), of),
        )?;
        n_lines += 1;
        Ok::<_, WriteError>(())
    })?;
    Ok(n_lines)
}
