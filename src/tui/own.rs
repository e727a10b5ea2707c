//! Starting a program of the user's with the terminal that it needs.

use std::io::{self, BufRead, Write};
use std::process::{Command, ExitStatus};

use thiserror::Error;

/// Why a program of the user's has not done its work. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    #[error("there is no program to start")]
    Nothing,
    /// What should name an editor does not.
    #[error("`{words}` is not a program")]
    NoProgram { words: String },
    /// The file that an editor should open.
    #[error("`{path}` is gone")]
    Gone { path: String },
    /// Why not is in the system's words.
    #[error("`{program}` cannot be started: {why}")]
    NotStarted { program: String, why: String },
    #[error("`{program}` ended with {status}")]
    Failed { program: String, status: ExitStatus },
}

/// Starts a program with its arguments and waits for its end; where it `waits`, until somebody has read what it wrote. The
/// terminal must have been given back, and nobody else may read from it.
///
/// # Errors
/// As [`run`], and where there is no word.
pub fn start(words: &[String], waits: bool) -> Result<(), ProgramError> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(ProgramError::Nothing);
    };
    let ended = run(program, arguments);
    if waits {
        // Where nobody can be asked, nobody waits.
        let _asked = write!(io::stderr(), "Enter goes back to focalist ");
        let _read = io::stdin().lock().read_line(&mut String::new());
    }
    ended
}

/// Runs a program to its end, in the terminal that it shares with nobody.
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
