//! The errors that users read, and the exit code of the process.
//!
//! The only place that words errors for people: a lower-case fragment without a full stop, the thing in backticks,
//! then a hint with the next command.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::mine;
use crate::table::visible;
use crate::task::Cancelled;

/// Why the process ends (DESIGN.md section 5); the numbers are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    Ok = 0,
    /// `--strict` and there were problems, or nothing could be processed.
    Problems = 1,
    Usage = 2,
    /// Input that cannot be read at all.
    Input = 3,
    Database = 4,
    /// A program that we started failed.
    Outside = 5,
    /// Nothing is wrong with the command: it may do better later.
    TryAgain = 75,
    /// A signal ended the terminal UI: 128 and its number. Interrupted also stands for every cancelled verb.
    HungUp = 129,
    Cancelled = 130,
    Quit = 131,
    Terminated = 143,
}

impl ExitCode {
    const ALL: [Self; 11] = [
        Self::Ok,
        Self::Problems,
        Self::Usage,
        Self::Input,
        Self::Database,
        Self::Outside,
        Self::TryAgain,
        Self::HungUp,
        Self::Cancelled,
        Self::Quit,
        Self::Terminated,
    ];

    /// Looks up the code by its number; one that we never end with came from outside.
    pub fn of(number: u8) -> Self {
        let known = Self::ALL
            .iter()
            .find(|exit_code| **exit_code as u8 == number);
        known.copied().unwrap_or(Self::Outside)
    }

    /// Makes the code for a process that a signal ended.
    pub const fn of_signal(signal: i32) -> Self {
        match signal {
            1 => Self::HungUp,
            3 => Self::Quit,
            15 => Self::Terminated,
            _ => Self::Cancelled,
        }
    }
}

/// An end that the user must be told about.
#[derive(Debug)]
pub struct Failure {
    pub code: ExitCode,
    pub message: String,
    pub hint: Option<String>,
}

impl Failure {
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
        }
    }

    /// Names the file or folder that cannot be read.
    pub fn unreadable<E: Display>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::of_disk("read", path, &error)
    }

    /// Names the file or folder that cannot be written.
    pub fn unwritable<E: Display>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::of_disk("write", path, &error)
    }

    fn of_disk(verb: &str, path: &Path, error: &dyn Display) -> Self {
        let path = visible(&path.to_string_lossy());
        Self::new(ExitCode::Input, format!("cannot {verb} `{path}`: {error}"))
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Writes the lines for stderr.
    pub fn lines(&self) -> String {
        let hint = self
            .hint
            .as_ref()
            .map_or_else(String::new, |hint| format!("hint: {hint}\n"));
        format!("error: {}\n{hint}", self.message)
    }
}

/// How a verb ends when it does not end well.
#[derive(Debug)]
pub enum Stop {
    Failure(Failure),
    /// The reader of our output has enough: that is success.
    ClosedPipe,
    /// Nothing was picked: code 1, and nothing to say.
    Nothing,
    /// A signal ended the terminal UI; there is nothing to say.
    Signal(i32),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Failure::new(ExitCode::Input, format!("cannot write the output: {error}")).into()
        }
    }
}

impl From<Cancelled> for Stop {
    fn from(_: Cancelled) -> Self {
        Failure::new(ExitCode::Cancelled, "cancelled")
            .with_hint("finished work is kept; run the same command again to continue")
            .into()
    }
}

impl From<mine::Error> for Stop {
    fn from(error: mine::Error) -> Self {
        let message = error.to_string();
        match error {
            mine::Error::Store(error) => error.into(),
            mine::Error::Cancelled(cancelled) => cancelled.into(),
            mine::Error::NoSuchTest { similar, .. } if !similar.is_empty() => {
                Failure::new(ExitCode::Input, message)
                    .with_hint(format!("similar: {}", similar.join(", ")))
                    .into()
            }
            mine::Error::NoSuchCall { near, .. } if !near.is_empty() => {
                Failure::new(ExitCode::Input, message)
                    .with_hint(format!("nearby calls: {}", near.join(", ")))
                    .into()
            }
            mine::Error::Sources(_)
            | mine::Error::NoSuchTest { .. }
            | mine::Error::NoSuchCall { .. } => Failure::new(ExitCode::Input, message).into(),
        }
    }
}
