//! Parsing texts in Python by a real Python, in the place of the grammar.
//!
//! The caller decides how it is asked and where it runs: here it is a question and an answer. The default stays the
//! grammar, so that values do not depend on the machine.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::EvalError;
use crate::metric::scorer::SyntaxError;
use crate::model::ParseMode;
use crate::task::Monitor;

type Ask = dyn FnMut(&str, &Monitor) -> Result<Option<SyntaxError>, EvalError> + Send;

/// A Python that can be asked.
#[derive(Clone)]
pub struct Ast {
    /// As in `3.11.7`: another one may say something else.
    pub version: String,
    /// One process: a question at a time.
    ask: Arc<Mutex<Ask>>,
}

impl Ast {
    /// Makes one of a function that asks it.
    pub fn new(
        version: impl Into<String>,
        ask: impl FnMut(&str, &Monitor) -> Result<Option<SyntaxError>, EvalError> + Send + 'static,
    ) -> Self {
        Self {
            version: version.into(),
            ask: Arc::new(Mutex::new(ask)),
        }
    }

    /// Parses a text, and returns the error in it; nothing where it parses.
    ///
    /// # Errors
    /// Where it cannot be asked any more, and cancelling.
    pub fn parse(&self, text: &str, monitor: &Monitor) -> Result<Option<SyntaxError>, EvalError> {
        // A thread that panicked while asking has left no half of an answer here.
        let mut ask = self.ask.lock().unwrap_or_else(PoisonError::into_inner);
        ask(text, monitor)
    }
}

impl fmt::Debug for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ast")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// Chooses the parser that decides about texts in this mode; nothing where the grammar does.
///
/// # Errors
/// [`EvalError::NoAst`] where one should and there is none.
pub fn deciding(mode: ParseMode, ast: Option<&Ast>) -> Result<Option<&Ast>, EvalError> {
    match (mode, ast) {
        (ParseMode::Ast, None) => Err(EvalError::NoAst),
        (ParseMode::Ast, ast) => Ok(ast),
        (ParseMode::Strict | ParseMode::Javalang, _) => Ok(None),
    }
}

/// The word that names a Python among the options of a reading.
const NAME: &str = "parse=ast python=";

/// Writes the option that is kept beside the readings it decides.
pub(super) fn option(ast: &Ast) -> String {
    format!("{NAME}{}", ast.version)
}

/// Names the parser that decided, for tables; nothing where it was the grammar.
#[must_use]
pub fn decided_by(options: &str) -> Option<String> {
    let version = options.strip_prefix(NAME)?;
    Some(format!("Python {version}"))
}
