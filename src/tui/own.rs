//! Starts a program of the user's choice with the terminal that it needs.

use std::io::{self, BufRead, Write};
use std::process::{Command, ExitStatus};

use thiserror::Error;

/// Why the user's program has not done its work. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    #[error("there is no program to start")]
    Nothing,
    /// The setting that should name an editor does not.
    #[error("`{words}` is not a program")]
    NoProgram { words: String },
    /// The file to open does not exist.
    #[error("`{path}` is gone")]
    Gone { path: String },
    /// The reason is in the system's words.
    #[error("`{program}` cannot be started: {why}")]
    NotStarted { program: String, why: String },
    #[error("`{program}` ended with {status}")]
    Failed { program: String, status: ExitStatus },
}

/// Starts a program with its arguments and waits for its end; with `waits`, also until the user has read its output.
/// The terminal must have been given back, and no other thread may read from it.
///
/// # Errors
/// As [`run`], and where `words` is empty.
pub fn start(words: &[String], waits: bool) -> Result<(), ProgramError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(ProgramError::Nothing);
    };
    let ended = run(program, arguments);
    if waits {
        // A failure to ask or to read means that nobody is there, so there is nothing to wait for.
        let _asked = write!(io::stderr(), "Enter goes back to focalist ");
        let _read = io::stdin().lock().read_line(&mut String::new());
    }
    ended
}

/// Runs a program to its end; it has the terminal to itself.
///
/// # Errors
/// It cannot be started, or fails.
pub fn run(program: &str, arguments: &[String]) -> Result<(), ProgramError> {
    let ended = Command::new(program).args(arguments).status();
    let program = program.to_owned();
    match ended {
        Err(error) => Err(ProgramError::NotStarted {
            program,
            why: error.to_string(),
        }),
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(ProgramError::Failed { program, status }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(words: &[&str]) -> Result<(), ProgramError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        start(&words, false)
    }

    #[test]
    fn a_program_gets_its_arguments_as_they_are() {
        let script = "test \"$#\" = 1 && test \"$1\" = 'a b; $(x)'";
        assert_eq!(started(&["sh", "-c", script, "sh", "a b; $(x)"]), Ok(()));
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_is_told() {
        let failed = started(&["false"]).expect_err("it fails").to_string();
        assert!(failed.contains("`false` ended with"), "{failed}");
        let missing = started(&["no-such-program-anywhere"]).expect_err("it is not there");
        let missing = missing.to_string();
        assert!(missing.contains("cannot be started"), "{missing}");
    }
}
