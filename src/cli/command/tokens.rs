//! The counter of tokens, and the file that it is read from.

use std::fs;
use std::path::Path;

use crate::encode::Vocabulary;
use crate::failure::{ExitCode, Failure, Stop};
use crate::prompts::BudgetCounter;
use crate::table::visible;

/// Opens the counter for the tokens of prompts: a `tokenizer.json`, or bytes for `approx`.
pub fn counter(tokenizer: &Path) -> Result<BudgetCounter, Stop> {
    if tokenizer == Path::new("approx") {
        return Ok(BudgetCounter::Approximate);
    }
    let name = tokenizer.display().to_string();
    let vocabulary = vocabulary(Some(tokenizer))?;
    Ok(vocabulary.map_or(BudgetCounter::Approximate, |vocabulary| {
        BudgetCounter::Exact {
            vocabulary: Box::new(vocabulary),
            name,
        }
    }))
}

/// Reads a `tokenizer.json`.
pub fn vocabulary(path: Option<&Path>) -> Result<Option<Vocabulary>, Stop> {
    let Some(path) = path else { return Ok(None) };
    let bytes = fs::read(path).map_err(Failure::unreadable(path))?;
    let vocabulary = Vocabulary::read(&bytes).map_err(|error| {
        let message = format!("`{}`: {}", path.display(), visible(&error.to_string()));
        Failure::new(ExitCode::Input, message)
    })?;
    Ok(Some(vocabulary))
}
