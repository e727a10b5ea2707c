//! Steps of preparing: each a program that runs to its end, recorded with its output.

use std::path::Path;
use std::time::Duration;

use crate::sandbox::{ProgramEnd, ProgramPlan};
use crate::task::Monitor;
use crate::{RunnerError, Site, is_full};

use super::super::case::clean_all;
use super::super::environment::PreparationStep;

/// How long one step may take.
const TO_STEP: Duration = Duration::from_secs(30 * 60);
/// How many of the last lines of a step are kept.
const N_LAST: usize = 8;

/// The steps so far, and a listener to them.
pub struct PreparationSteps<'p> {
    pub site: &'p Site,
    pub monitor: &'p Monitor,
    pub report: &'p mut dyn FnMut(&PreparationStep),
    pub done: Vec<PreparationStep>,
    /// The folder that is left out of paths in recorded commands.
    pub home: String,
}

/// The result of a step.
pub struct StepEnd {
    pub is_ok: bool,
    pub output: String,
}

impl PreparationSteps<'_> {
    /// Runs one step and writes it down.
    pub fn run(&mut self, what: &str, plan: ProgramPlan) -> Result<StepEnd, RunnerError> {
        self.ask(what, plan, "")
    }

    /// Runs one step that reads an input, and writes it down.
    pub fn ask(
        &mut self,
        what: &str,
        mut plan: ProgramPlan,
        input: &str,
    ) -> Result<StepEnd, RunnerError> {
        plan.limits.wall = plan.limits.wall.or(Some(TO_STEP));
        let words = std::iter::once(&plan.program).chain(&plan.arguments);
        let words: Vec<String> = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let command = words.join(" ").replace(&self.home, "");
        let finished = self
            .site
            .sandbox
            .run(&plan, input.as_bytes(), self.monitor)?;
        let code = match finished.ending.end {
            ProgramEnd::Exited(code) => Some(code),
            _ => None,
        };
        let (output, errors) = (finished.output.text(), finished.errors.text());
        let is_said = |text: &str| !text.trim().is_empty();
        let spoken = if !is_said(&errors) || code == Some(0) && is_said(&output) {
            &output
        } else {
            &errors
        };
        // The output of this step is long, and only for us.
        let is_for_us = what == READ && code == Some(0);
        let step = PreparationStep {
            what: what.to_owned(),
            command,
            code,
            seconds: finished.ending.wall.as_secs_f64(),
            last: if is_for_us {
                Vec::new()
            } else {
                last_lines(spoken)
            },
        };
        let last = step.last.join("\n");
        self.note(step);
        if code != Some(0) && is_full(&errors) {
            return Err(RunnerError::Full {
                what: what.to_owned(),
                said: last,
            });
        }
        let output = if code == Some(0) {
            output
        } else {
            format!("{output}\n{errors}")
        };
        Ok(StepEnd {
            is_ok: code == Some(0),
            output,
        })
    }

    pub fn note(&mut self, step: PreparationStep) {
        (self.report)(&step);
        self.done.push(step);
    }

    /// Sets the folder that is left out of paths in recorded commands.
    pub fn at_home(&mut self, root: &Path) {
        self.home = format!("{}/", root.display());
    }
}

/// The step that reads a project's metadata.
pub const READ: &str = "read the project";

pub fn last_lines(text: &str) -> Vec<String> {
    let text = clean_all(text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(N_LAST)..]
        .iter()
        .map(|line| line.chars().take(300).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_known_by_what_a_step_says() {
        assert!(is_full(
            "failed to write: No space left on device (os error 28)"
        ));
        assert!(is_full("OSError: [Errno 122] Disk quota exceeded"));
        assert!(!is_full("error: no such option: --space"));
    }
}
