//! The place where other people's code runs: the cache, the sandbox, and the message where a program is missing.

use std::env;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::args;
use crate::command::hint;
use crate::failure::{ExitCode, Failure, Stop};
use crate::runner::java::Machine;
use crate::runner::python::Surroundings;
use crate::runner::{RunnerError, Site};
use crate::sandbox::{Sandbox, SandboxChoice, Tool};
use crate::table::visible;

/// Opens the cache, with a sandbox that works here.
///
/// # Errors
/// Where there is no sandbox, or nowhere to keep what is built.
pub fn open(arguments: args::SandboxArgs) -> Result<Site, Stop> {
    let choice = match arguments.sandbox {
        args::SandboxName::Auto => SandboxChoice::Auto,
        args::SandboxName::Bwrap => SandboxChoice::Bubblewrap,
        args::SandboxName::None => SandboxChoice::None,
    };
    let tool = Tool::find(choice, &env::var_os("PATH").unwrap_or_default())?;
    let cache = cache()?;
    Ok(Site {
        sandbox: Sandbox::open(&cache.join("sandbox"), tool)?,
        cache,
        is_offline: arguments.offline,
    })
}

/// Finds the folder for built projects: `$FOCALIST_CACHE`, else the user's folder for such things.
pub fn cache() -> Result<PathBuf, Stop> {
    if let Some(folder) = env::var_os("FOCALIST_CACHE").filter(|value| !value.is_empty()) {
        return Ok(folder.into());
    }
    let folders = directories::ProjectDirs::from("", "", "focalist").ok_or_else(|| {
        Failure::new(ExitCode::Input, "no home directory to keep builds in")
            .with_hint("`FOCALIST_CACHE=DIR` chooses the place")
    })?;
    Ok(folders.cache_dir().to_owned())
}

/// Collects the parts of this machine that the search for tools of Java looks at.
pub fn machine() -> Machine {
    Machine::new(env::vars_os())
}

/// Collects the parts of this machine and of its user that the search for tools of Python looks at.
pub fn surroundings() -> Surroundings {
    Surroundings {
        path: env::var_os("PATH").unwrap_or_default(),
        home: env::home_dir(),
        environment: env::vars_os().collect(),
    }
}

impl From<RunnerError> for Stop {
    fn from(error: RunnerError) -> Self {
        let message = visible(&error.to_string());
        let (code, hint) = match error {
            RunnerError::Sandbox(error) => return error.into(),
            RunnerError::Cancelled(cancelled) => return cancelled.into(),
            RunnerError::Io { source, .. } if source.kind() == ErrorKind::StorageFull => {
                (ExitCode::Input, Some(hint::FREE_SPACE.to_owned()))
            }
            RunnerError::Io { .. } => (ExitCode::Input, None),
            RunnerError::Full { .. } => (ExitCode::Input, Some(hint::FREE_SPACE.to_owned())),
            RunnerError::Missing { hint, .. } => (ExitCode::Outside, Some(visible(&hint))),
            RunnerError::Worker { .. } => (ExitCode::Outside, None),
            RunnerError::TooOld { .. } => {
                let hint = "name a later one: `--java HOME`";
                (ExitCode::Outside, Some(hint.to_owned()))
            }
            RunnerError::NoProject { .. } => (ExitCode::Problems, None),
            RunnerError::Outside { .. } => {
                let hint = "put the file itself in its place";
                (ExitCode::Problems, Some(hint.to_owned()))
            }
            RunnerError::Unsupported { .. } => {
                let hint = "only Maven and Python projects can be prepared";
                (ExitCode::Problems, Some(hint.to_owned()))
            }
            RunnerError::Unavailable { .. } => {
                let hint = "without `--offline`, and with a network, it is downloaded";
                (ExitCode::Outside, Some(hint.to_owned()))
            }
        };
        let failure = Failure::new(code, message);
        match hint {
            Some(hint) => failure.with_hint(hint).into(),
            None => failure.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_code_5_with_its_name_and_what_helps() {
        let missing = RunnerError::Missing {
            program: "mvn",
            hint: "install Maven 3".to_owned(),
        };
        let Stop::Failure(failure) = Stop::from(missing) else {
            unreachable!("it is a failure")
        };
        assert_eq!(failure.code, ExitCode::Outside);
        assert_eq!(
            failure.lines(),
            "error: `mvn` is not installed\nhint: install Maven 3\n"
        );
    }
}
