//! Which sandbox there is: looked for, and tried before anything relies on it.
//!
//! An installed `bwrap` may still be unusable: inside many containers, and where the system lets no user create user
//! namespaces.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::bubblewrap::{self, Version};
use super::{ProgramPlan, SandboxError, filter};

/// Older versions have no `--clearenv`.
const OLDEST: Version = Version(0, 5);

/// Which sandbox the user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxChoice {
    /// The best there is; never none.
    #[default]
    Auto,
    Bubblewrap,
    /// Foreign code has all the user's rights; only limits hold, and only against accidents.
    None,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SandboxKind {
    Bubblewrap {
        path: PathBuf,
        version: Version,
        /// The filter of system calls as `bwrap` reads it; none where there is none for this machine.
        filter: Option<Vec<u8>>,
    },
    None,
}

/// A sandbox that works here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    pub(crate) kind: SandboxKind,
    /// Sets the limits that the kernel holds.
    pub(crate) prlimit: PathBuf,
    /// Starts a program in a network that is there, where it is installed.
    pub(crate) nsenter: Option<PathBuf>,
}

impl Tool {
    /// Searches the folders of `path`, which is written as in `$PATH`, for the requested tool, and tries it.
    ///
    /// # Errors
    /// Where a program is missing or of no use here.
    pub fn find(choice: SandboxChoice, path: &OsStr) -> Result<Self, SandboxError> {
        let prlimit = program("prlimit", path)?;
        let nsenter = program("nsenter", path).ok();
        if choice == SandboxChoice::None {
            let kind = SandboxKind::None;
            return Ok(Self {
                kind,
                prlimit,
                nsenter,
            });
        }
        let path = program("bwrap", path)?;
        let version = version(&path)?;
        let tool = Self {
            kind: SandboxKind::Bubblewrap {
                path: path.clone(),
                version,
                filter: filter::program(),
            },
            prlimit,
            nsenter,
        };
        tool.try_out(&path, version)?;
        Ok(tool)
    }

    /// Returns the word for results: `bwrap` or `none`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self.kind {
            SandboxKind::Bubblewrap { .. } => "bwrap",
            SandboxKind::None => "none",
        }
    }

    /// Returns what it is, for people.
    #[must_use]
    pub fn description(&self) -> String {
        match &self.kind {
            SandboxKind::Bubblewrap {
                path,
                version,
                filter,
            } => {
                let (major, minor) = (version.0, version.1);
                let filter = match filter {
                    Some(_) => "",
                    None => ", without a filter of system calls on this machine",
                };
                format!("bwrap {major}.{minor} ({}){filter}", path.display())
            }
            SandboxKind::None => "none".to_owned(),
        }
    }

    fn try_out(&self, path: &Path, version: Version) -> Result<(), SandboxError> {
        let program = PathBuf::from("bwrap");
        if version < OLDEST {
            let said = format!("it is {}.{}, and 0.5 is needed", version.0, version.1);
            return Err(SandboxError::Useless { program, said });
        }
        let mut arguments = bubblewrap::world(&ProgramPlan::new("true"), version, None);
        arguments.extend(["--".into(), self.prlimit.clone().into(), "--version".into()]);
        let output = quiet(path).args(arguments).output();
        let output = output.map_err(|source| SandboxError::Start {
            program: path.to_owned(),
            source,
        })?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(SandboxError::Useless { program, said })
    }
}

/// Asks a program of the user's own about itself, such as its version: on stdout, then on stderr. It gets no
/// environment and nothing to read.
///
/// # Errors
/// When it cannot be started.
pub fn said_by(program: &Path, argument: &str) -> io::Result<String> {
    let output = quiet(program).arg(argument).output()?;
    let said = [output.stdout, output.stderr].concat();
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn quiet(path: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().stdin(Stdio::null());
    command
}

fn program(name: &'static str, path: &OsStr) -> Result<PathBuf, SandboxError> {
    let is_program = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    env::split_paths(path)
        .map(|split_path| split_path.join(name))
        .filter(|path| path.is_absolute())
        .find(is_program)
        // Some systems have folders of links that are not visible inside.
        .and_then(|path| fs::canonicalize(path).ok())
        .ok_or(SandboxError::Missing { program: name })
}

/// Asks `bwrap` for its version, which it prints as `bubblewrap 0.8.0`.
fn version(path: &Path) -> Result<Version, SandboxError> {
    let output = quiet(path).arg("--version").output();
    let output = output.map_err(|source| SandboxError::Start {
        program: path.to_owned(),
        source,
    })?;
    let said = String::from_utf8_lossy(&output.stdout);
    numbers(&said).ok_or_else(|| SandboxError::Useless {
        program: PathBuf::from("bwrap"),
        said: format!("it reports the version `{}`", said.trim()),
    })
}

fn numbers(said: &str) -> Option<Version> {
    let mut numbers = said.split_whitespace().next_back()?.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some(Version(next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_last_word() {
        assert_eq!(numbers("bubblewrap 0.8.0\n"), Some(Version(0, 8)));
        assert_eq!(numbers("bubblewrap 0.11"), Some(Version(0, 11)));
        assert!(Version(0, 11) > Version(0, 8));
        for said in ["", "bubblewrap", "bubblewrap 0", "bubblewrap x.y"] {
            assert_eq!(numbers(said), None);
        }
    }
}
