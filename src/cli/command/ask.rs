//! Questions that a person answers before something is done.

use crate::Context;
use crate::failure::{ExitCode, Failure, Stop};
use crate::table::visible;

/// Asks a question that is answered with yes or no, which is what anything else means; nothing where nobody sits at a
/// terminal.
pub fn agreed(context: &mut Context<'_, '_>, question: &str) -> Result<Option<bool>, Stop> {
    let streams = &mut *context.streams;
    if !streams.input_is_terminal || !streams.err_is_terminal {
        return Ok(None);
    }
    write!(streams.err, "{} [y/N] ", visible(question))?;
    streams.err.flush()?;
    let mut answer = String::new();
    streams.input.read_line(&mut answer)?;
    let answer = answer.trim().to_ascii_lowercase();
    Ok(Some(answer == "y" || answer == "yes"))
}

/// Stops a command that nobody agreed to.
pub fn declined() -> Stop {
    Failure::new(ExitCode::Usage, "nothing was done").into()
}
