//! Our own programs that read Python with the environment's own interpreter: lines in, lines out, nothing imported.

use std::time::Duration;

use crate::sandbox::{Bind, FinishedProgram, ProgramEnd, Root};
use crate::shakes::ProcessSurroundings;
use crate::task::Monitor;
use crate::{RunnerError, Site, io_error};

use super::environment::Environment;
use super::server::{KILL, ProjectView, ServerWorld, again_if_killed};

/// An embedded program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    pub text: &'static str,
}

impl Program {
    /// Runs it with the checkout as its argument, and returns its output.
    ///
    /// # Errors
    /// Where the sandbox does not run it.
    pub fn run(
        &self,
        site: &Site,
        environment: &Environment,
        input: &str,
        monitor: &Monitor,
    ) -> Result<String, RunnerError> {
        let folder = site.sandbox.scratch()?;
        let script = folder.join(self.name);
        let written = Root::open(&folder).and_then(|root| root.write(self.name, self.text));
        written.map_err(io_error(&script))?;
        let world = ServerWorld { site, environment };
        let view = ProjectView {
            folder: environment.checkout.clone(),
            is_writable: false,
            around: ProcessSurroundings::default(),
        };
        let mut plan = world
            .plan(&view)
            .args(["-I"])
            .args([&script, &environment.checkout])
            .bind(Bind::read(&script));
        plan.limits.wall = Some(Duration::from_secs(300));
        plan.limits.kept_bytes = 256 << 20;
        // No code of the project runs there, so a kill came from outside.
        let was_killed = |finished_program: &FinishedProgram| {
            finished_program.ending.end == ProgramEnd::Signalled(KILL)
        };
        let run = || site.sandbox.run(&plan, input.as_bytes(), monitor);
        let finished = again_if_killed(run, was_killed)?;
        // The folder is removed with the sandbox at the latest.
        let _ = site.sandbox.remove(&folder);
        let text = finished.output.text();
        // Half of an answer counts as none.
        let is_whole = matches!(finished.ending.end, ProgramEnd::Exited(_));
        if !is_whole || text.is_empty() && !input.trim().is_empty() {
            return Err(Self::strange(finished.errors.text().trim()));
        }
        Ok(text)
    }

    /// Makes the error for an output that is not an answer.
    pub fn strange(said: &str) -> RunnerError {
        RunnerError::Worker {
            what: "program that reads Python",
            said: said.chars().take(500).collect(),
        }
    }
}
