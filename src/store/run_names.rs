//! Names of runs: which names are allowed, and which run a word means.

use crate::model::RunRow;

use super::traces::other_name;

/// No run in the index has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no run `{name}`")]
pub struct NoSuchRun {
    pub name: String,
    /// The names of the existing runs.
    pub known: Vec<String>,
}

impl NoSuchRun {
    /// Builds the error for a name that none of these runs has.
    #[must_use]
    pub fn among(runs: &[RunRow], name: &str) -> Self {
        Self {
            name: name.to_owned(),
            known: runs.iter().map(|run| run.setting.name.clone()).collect(),
        }
    }
}

/// The name is empty or contains control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` cannot be the name of a run")]
pub struct BadRunName {
    pub name: String,
}

/// Checks that a run may have this name.
///
/// # Errors
/// The name is not allowed.
pub fn check_run_name(name: &str) -> Result<(), BadRunName> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        let name = name.to_owned();
        return Err(BadRunName { name });
    }
    Ok(())
}

/// Finds the run of this name, or the one that the name means where no run has it.
///
/// # Errors
/// No run has this name.
pub fn run_named<'r>(runs: &'r [RunRow], name: &str) -> Result<&'r RunRow, NoSuchRun> {
    let called = |name: &str| runs.iter().find(|run| run.setting.name == name);
    let found = called(name).or_else(|| called(other_name(name)));
    found.ok_or_else(|| NoSuchRun::among(runs, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_a_name_that_can_be_seen() {
        for name in ["m", "steady 2", "größer"] {
            assert_eq!(check_run_name(name), Ok(()));
        }
        for name in ["", " ", "a\nb", "a\u{1b}[2J"] {
            let name = name.to_owned();
            assert_eq!(check_run_name(&name), Err(BadRunName { name }));
        }
    }
}
