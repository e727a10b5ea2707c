//! The prompt of one prediction, and the answer that the model gave.

use crate::exchange::answers::{prompt_text, told_numbers};
use crate::store::Store;

use super::EvalError;

/// A prediction's prompt, and the answer that it was taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictionPrompt {
    /// As the model was shown it.
    pub prompt: String,
    pub model: String,
    /// As JSON.
    pub parameters: String,
    pub attempt: u32,
    /// As it came; absent when the prompt was too long.
    pub answer: Option<String>,
    pub finish_reason: Option<String>,
    /// Tokens, latency and tries, in words.
    pub numbers: String,
}

/// Reads the prompt and the answer that a prediction was taken from; nothing for one that was imported.
pub fn prompted(
    store: &Store,
    run: i64,
    ordinal: u32,
) -> Result<Option<PredictionPrompt>, EvalError> {
    let found = store.prediction_answer(run, ordinal)?;
    Ok(found.map(|prompted_answer| PredictionPrompt {
        prompt: prompt_text(&prompted_answer.prompt),
        model: prompted_answer.model,
        parameters: prompted_answer.parameters,
        attempt: prompted_answer.attempt,
        answer: prompted_answer.text,
        finish_reason: prompted_answer.finish_reason,
        numbers: told_numbers(&prompted_answer.meta),
    }))
}
