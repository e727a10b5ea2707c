//! Starting a program of the user's with the terminal that it needs.

use std::io::{self, BufRead, Write};
use std::process::Command;

/// Starts a program with its arguments and waits for its end; where it `waits`, until somebody has read what it wrote. The
/// terminal must have been given back, and nobody else may read from it.
///
/// # Errors
/// A text for people.
pub fn start(words: &[String], waits: bool) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else {
        return Err("there is no program to start".to_owned());
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
/// A text for people.
pub fn run(program: &str, arguments: &[String]) -> Result<(), String> {
    match Command::new(program).args(arguments).status() {
        Err(error) => Err(format!("`{program}` cannot be started: {error}")),
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{program}` ended with {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(words: &[&str]) -> Result<(), String> {
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
        let failed = started(&["false"]).expect_err("it fails");
        assert!(failed.contains("`false` ended with"), "{failed}");
        let missing = started(&["no-such-program-anywhere"]).expect_err("it is not there");
        assert!(missing.contains("cannot be started"), "{missing}");
    }
}
