//! The sandbox that foreign code runs in: the available one, and the message where there is none.

use std::env;
use std::io::ErrorKind;

use crate::command::hint;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::Finding;
use crate::sandbox::{SandboxChoice, SandboxError, Tool};
use crate::table::visible;

/// Finds the available sandbox. Without one everything else works, so nothing is broken.
pub fn finding() -> Finding {
    finding_of(Tool::find(
        SandboxChoice::Auto,
        &env::var_os("PATH").unwrap_or_default(),
    ))
}

fn finding_of(found: Result<Tool, SandboxError>) -> Finding {
    let name = "sandbox";
    match found {
        Ok(tool) => Finding::good(name, tool.description()),
        Err(error) => {
            let advice = advice(&error).unwrap_or_default();
            let advice = format!(
                "other people's code does not run without it, and there is no substitute: {advice}"
            );
            Finding::doubtful(name, format!("none: {error}"), advice)
        }
    }
}

/// Gives advice on a missing sandbox.
fn advice(error: &SandboxError) -> Option<String> {
    let text = match error {
        SandboxError::Missing { program: "bwrap" } => {
            "install bubblewrap, for example by `apt install bubblewrap`"
        }
        SandboxError::Missing { .. } => {
            "install util-linux, for example by `apt install util-linux`"
        }
        SandboxError::Useless { .. } => {
            "the system, or the container around it, has to let users make namespaces"
        }
        SandboxError::NoProgram { .. } => "install it, or say where it is",
        SandboxError::Io { source, .. } if source.kind() == ErrorKind::StorageFull => {
            hint::FREE_SPACE
        }
        _ => return None,
    };
    Some(text.to_owned())
}

impl From<SandboxError> for Stop {
    fn from(error: SandboxError) -> Self {
        let message = visible(&error.to_string());
        let code = match error {
            SandboxError::Cancelled(cancelled) => return cancelled.into(),
            SandboxError::Io { .. } => ExitCode::Input,
            SandboxError::Plan { .. } => ExitCode::Usage,
            _ => ExitCode::Outside,
        };
        let failure = Failure::new(code, message);
        match advice(&error) {
            Some(advice) => failure.with_hint(advice).into(),
            None => failure.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::model::Grade;
    use crate::task::Cancelled;

    fn failure(error: SandboxError) -> Failure {
        match Stop::from(error) {
            Stop::Failure(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_missing_program_is_code_5_with_its_name() {
        let missing = SandboxError::Missing { program: "bwrap" };
        let failure_of = failure(missing);
        assert_eq!(failure_of.code, ExitCode::Outside);
        assert_eq!(
            failure_of.lines(),
            "error: `bwrap` is not installed\nhint: install bubblewrap, for example by `apt install bubblewrap`\n"
        );
        let program = "mvn".into();
        let failure_of = failure(SandboxError::NoProgram { program });
        assert_eq!(failure_of.code, ExitCode::Outside);
        assert!(failure_of.message.contains("`mvn`"));
        let cancelled = failure(SandboxError::Cancelled(Cancelled));
        assert_eq!(cancelled.code, ExitCode::Cancelled);
    }

    #[test]
    fn without_a_sandbox_it_is_said_what_to_install() {
        let found = finding_of(Tool::find(SandboxChoice::Auto, OsStr::new("/nowhere")));
        assert_eq!(found.grade, Grade::Doubtful);
        assert_eq!(found.value, "none: `prlimit` is not installed");
        let found = finding_of(Err(SandboxError::Missing { program: "bwrap" }));
        assert!(
            found.advice.is_some_and(
                |advice| advice.contains("there is no substitute: install bubblewrap")
            )
        );
    }
}
