//! Whether runs may be held against each other: only those that answer the same question.

use crate::model::RunRow;
use crate::store::Store;

use super::EvalError;

/// Rejects runs that answer different questions: samples and questions of another kind, tests and assertions, or
/// samples without a common language.
pub fn check_same_question(
    store: &Store,
    first: &RunRow,
    second: &RunRow,
) -> Result<(), EvalError> {
    let is_same = first.kind == second.kind
        && first.setting.target == second.setting.target
        && (first.setting.language == second.setting.language
            || shares_language(store, first, second)?);
    if is_same {
        return Ok(());
    }
    Err(EvalError::OtherQuestion {
        first: first.setting.name.clone(),
        second: second.setting.name.clone(),
    })
}

fn shares_language(store: &Store, first: &RunRow, second: &RunRow) -> Result<bool, EvalError> {
    let languages = store.run_languages(first.id)?;
    let others = store.run_languages(second.id)?;
    Ok(languages
        .iter()
        .any(|(language, _)| others.iter().any(|(other, _)| language == other)))
}
