//! Raw answers as lines of JSON, also those that no prediction was taken from.

use std::io::Write;

use crate::GenerateError;
use crate::exchange::answers::{AnswerParts, WireAnswer};
use crate::exchange::write_line;
use crate::store::Store;
use crate::task::Monitor;

/// Writes every answer of a run, in the order of prompts, parameters and attempts; returns how many.
///
/// # Errors
/// A run that was not generated; the index's and the writer's.
pub fn export(
    store: &Store,
    monitor: &Monitor,
    run: &str,
    out: &mut dyn Write,
) -> Result<u64, GenerateError> {
    if !store.has_answers(run)? {
        let name = run.to_owned();
        return Err(GenerateError::NoAnswers { name });
    }
    let mut n_lines = 0;
    store.each_answer(run, |prompted_answer| {
        monitor.step()?;
        let parts = AnswerParts {
            prompt: &prompted_answer.prompt,
            parameters: &prompted_answer.parameters,
            meta: &prompted_answer.meta,
        };
        let said = (prompted_answer.text, prompted_answer.finish_reason);
        write_line(
            out,
            &WireAnswer::new(parts, prompted_answer.model, prompted_answer.attempt, said),
        )?;
        n_lines += 1;
        Ok::<_, GenerateError>(())
    })?;
    Ok(n_lines)
}
