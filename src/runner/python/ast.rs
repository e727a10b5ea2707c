//! Asks a real Python whether `ast.parse` accepts a text: one process in the sandbox for all texts.
//!
//! Texts are only data. One that ends the process or keeps it busy for too long is tried a second time, because the
//! process may have been ended from outside; after that it counts as one that does not parse.

use std::io::Write;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};

use crate::sandbox::{Bind, OutputLine, ProgramPlan, Resident};
use crate::task::Monitor;
use crate::{RunnerError, Site};

use super::interpreter::{Python, interpreters};
use super::prepare::Surroundings;

const PROGRAM: &str = include_str!("ast.py");

/// How long one text may take.
const TEXT_TIME: Duration = Duration::from_secs(60);
/// How long the process may take to begin.
const BEGIN_TIME: Duration = Duration::from_secs(60);
/// How often a waiting thread looks whether the work is cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// The longest answer; the program writes none that is longer.
const N_ANSWER_BYTES_MAX: usize = 8 << 10;
/// The memory limit; a text of 16 MB takes 3 GB.
const MEMORY_BYTES: u64 = 8 << 30;

/// Where `ast.parse` fails, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstError {
    /// Line and column count from 1; columns in characters.
    pub line: u32,
    pub column: u32,
    pub detail: String,
}

/// A running Python that parses texts.
pub struct AstParser {
    site: Site,
    plan: ProgramPlan,
    talk: Talk,
    version: String,
}

/// The process and its output lines.
struct Talk {
    resident: Resident,
    lines: Receiver<OutputLine>,
}

impl AstParser {
    /// Starts the Python that `python3` means on this machine, by the path and the home of the surroundings.
    ///
    /// # Errors
    /// Where there is none, or the sandbox does not run it.
    pub fn start(
        site: Site,
        surroundings: &Surroundings,
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let pythons = interpreters(&surroundings.path, surroundings.home.as_deref());
        let python = pythons.into_iter().next();
        let python = python.ok_or_else(|| RunnerError::Missing {
            program: "python3",
            hint: "install Python, or leave `--parse ast` out: the grammar needs none".to_owned(),
        })?;
        let plan = plan(&python);
        let (talk, version) = begin(&site, &plan, monitor)?;
        Ok(Self {
            site,
            plan,
            talk,
            version,
        })
    }

    /// Returns the version of the Python that answers, as in `3.11.7`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Asks why a text does not parse; nothing where it does.
    ///
    /// # Errors
    /// Where the process cannot be started again, and cancelling.
    pub fn parse(
        &mut self,
        text: &str,
        monitor: &Monitor,
    ) -> Result<Option<AstError>, RunnerError> {
        for _ in 0..2 {
            if let Some(answer) = self.talk.ask(text, monitor)? {
                return read(&answer);
            }
            self.talk = begin(&self.site, &self.plan, monitor)?.0;
        }
        Ok(Some(AstError {
            line: 1,
            column: 1,
            detail: "Python ended while it parsed this".to_owned(),
        }))
    }
}

fn plan(python: &Python) -> ProgramPlan {
    let mut plan = ProgramPlan::new(&python.program).args(["-I", "-S", "-c", PROGRAM]);
    if !python.prefix.starts_with("/usr") {
        plan = plan.bind(Bind::read(&python.prefix));
    }
    plan.limits.memory_bytes = Some(MEMORY_BYTES);
    plan
}

/// Starts a process and returns it with its first line, the version.
fn begin(
    site: &Site,
    plan: &ProgramPlan,
    monitor: &Monitor,
) -> Result<(Talk, String), RunnerError> {
    let mut resident = site.sandbox.spawn(plan)?;
    let lines = resident.lines(N_ANSWER_BYTES_MAX);
    resident.end_after(Some(BEGIN_TIME));
    let mut talk = Talk { resident, lines };
    if let Some(version) = talk.hear(monitor)? {
        return Ok((talk, version));
    }
    talk.resident.stop_soon();
    Err(strange(talk.resident.errors().text().trim()))
}

impl Talk {
    /// Asks about a text; nothing where the process has ended.
    fn ask(&mut self, text: &str, monitor: &Monitor) -> Result<Option<String>, RunnerError> {
        self.resident.end_after(Some(TEXT_TIME));
        let Some(input) = &mut self.resident.input else {
            return Ok(None);
        };
        // It reads a whole text before it writes, so neither side waits for the other.
        let question = format!("{}\n", text.len());
        let sent = input
            .write_all(question.as_bytes())
            .and_then(|()| input.write_all(text.as_bytes()))
            .and_then(|()| input.flush());
        // A process that does not read has ended, and writes nothing more.
        if sent.is_err() {
            return Ok(None);
        }
        let answer = self.hear(monitor)?;
        self.resident.end_after(None);
        Ok(answer)
    }

    fn hear(&self, monitor: &Monitor) -> Result<Option<String>, RunnerError> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(OutputLine::Whole(line)) => {
                    return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
                }
                // Half of an answer counts as none.
                Ok(OutputLine::Part(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => monitor.step()?,
            }
        }
    }
}

/// Reads an answer.
fn read(answer: &str) -> Result<Option<AstError>, RunnerError> {
    if answer == "ok" {
        return Ok(None);
    }
    let mut parts = answer.splitn(3, ' ');
    let mut number = || parts.next()?.parse().ok();
    let (Some(line), Some(column)) = (number(), number()) else {
        return Err(strange(answer));
    };
    let detail = parts.next().unwrap_or_default().to_owned();
    Ok(Some(AstError {
        line,
        column,
        detail,
    }))
}

fn strange(said: &str) -> RunnerError {
    RunnerError::Worker {
        what: "Python that parses",
        said: said.chars().take(500).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_a_place_and_a_reason() {
        let error = |line, column, detail: &str| AstError {
            line,
            column,
            detail: detail.to_owned(),
        };
        assert_eq!(read("ok").ok(), Some(None));
        let read = |answer: &str| read(answer).ok().flatten();
        assert_eq!(
            read("2 7 invalid syntax"),
            Some(error(2, 7, "invalid syntax"))
        );
        assert_eq!(read("1 1 "), Some(error(1, 1, "")));
        assert_eq!(read("Warning: ok"), None);
    }
}
