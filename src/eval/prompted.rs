//! What a model was shown and what it said, of one prediction.

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
    Ok(found.map(|it| PredictionPrompt {
        prompt: prompt_text(&it.prompt),
        model: it.model,
        parameters: it.parameters,
        attempt: it.attempt,
        answer: it.text,
        finish_reason: it.finish_reason,
        numbers: told_numbers(&it.meta),
    }))
}
