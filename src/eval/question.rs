//! Whether runs may be held against each other: only those that answer the same question.

use crate::model::RunRow;

use super::Error;

/// Says no to runs that answer other questions: tests and assertions, or other languages.
pub fn check_same_question(first: &RunRow, second: &RunRow) -> Result<(), Error> {
    let question = |run: &RunRow| (run.setting.target, run.setting.language);
    if question(first) == question(second) {
        return Ok(());
    }
    Err(Error::OtherQuestion {
        first: first.setting.name.clone(),
        second: second.setting.name.clone(),
    })
}
