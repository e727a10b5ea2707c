//! Decides when a server is believed: its answers wait until canaries after them have the right outcomes. Also decides
//! which cases run again, and in which process, where a canary has the wrong outcome, or where the server has ended
//! before canaries could run.

use std::mem;

use crate::RunnerError;
use crate::model::Outcome;
use crate::python::canary::ExpectedFate;
use crate::python::case::{CaseExecution, PythonCase};

use super::{N_LOST_MAX, Worker, folder_of, limit, question};

/// A case that is to be run.
#[derive(Clone, Copy)]
pub struct CaseTask<'w> {
    pub idx: usize,
    pub case: &'w PythonCase,
    /// How often an answer about it was lost or not believed.
    pub n_lost: u8,
}

pub struct UnprovenCase<'w> {
    pub task: CaseTask<'w>,
    pub ran: CaseExecution,
    /// The number of the collected test that it belongs to.
    pub n_begun: Option<u64>,
}

/// The result of canaries about a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CanaryFinding {
    Right,
    /// The server's outcome differs from that of a fresh process.
    Wrong,
    /// The server has ended before the canaries.
    Lost,
    /// Canaries are useless in this folder: they have the wrong outcome in a fresh process, too.
    Useless,
}

impl<'w> Worker<'w> {
    /// Runs a case, and canaries where it is their turn.
    pub fn take(&mut self, task: CaseTask<'w>) -> Result<(), RunnerError> {
        let folder = folder_of(&task.case.path);
        if self
            .server
            .as_ref()
            .is_some_and(|folder_server| folder_server.folder != folder)
        {
            self.dismiss()?;
        }
        // Canaries would end a collected file, so they wait until another file is due.
        if self.canaries.are_due() && !self.goes_on(task.case) {
            self.prove()?;
        }
        let n_asked = self.n_asked;
        let ran = self.run(&task)?;
        let seconds = ran.seconds;
        let is_known = self.server.is_none() || self.n_asked == n_asked;
        // For a collected test, such results rest on earlier answers of the server, which are not proven yet.
        let is_known = is_known && task.case.grafted.is_none() || ran.is_unfit();
        if ran.engine != "fork" || is_known || self.running.is_believed {
            // The result is not a server's, or only says that a server has ended, or another process will decide.
            self.proven.push((task.idx, ran));
        } else {
            let is_grafted = task.case.grafted.is_some();
            let n_begun = is_grafted.then_some(self.stems.n_begun);
            self.unproven.push(UnprovenCase { task, ran, n_begun });
        }
        self.canaries.count(seconds);
        if self
            .server
            .as_ref()
            .is_some_and(|folder_server| folder_server.is_over)
        {
            self.dismiss()?;
        }
        Ok(())
    }

    /// Ends the server after its answers are proven.
    pub fn dismiss(&mut self) -> Result<(), RunnerError> {
        self.prove()?;
        self.server = None;
        Ok(())
    }

    /// Decides about all answers of the server since its last good canaries.
    fn prove(&mut self) -> Result<(), RunnerError> {
        if self.unproven.is_empty() {
            return Ok(());
        }
        self.end_stem()?;
        self.canaries.begin();
        let verdict = self.verdict()?;
        let unproven = mem::take(&mut self.unproven);
        match verdict {
            CanaryFinding::Right => {
                let whole = |unproven_case: UnprovenCase<'w>| {
                    (
                        unproven_case.task.idx,
                        self.whole(unproven_case.n_begun, unproven_case.ran),
                    )
                };
                let ran: Vec<_> = unproven.into_iter().map(whole).collect();
                self.proven.extend(ran);
                return Ok(());
            }
            CanaryFinding::Lost => self.lose(unproven),
            CanaryFinding::Wrong => self.disbelieve(unproven),
            CanaryFinding::Useless => {
                let folder = unproven
                    .first()
                    .map(|unproven_case| folder_of(&unproven_case.task.case.path));
                let why = "a test that must fail or pass does not".to_owned();
                self.fresh
                    .extend(folder.map(|folder| (folder.to_owned(), why)));
                self.disbelieve(unproven);
            }
        }
        self.server = None;
        Ok(())
    }

    /// Queues cases to run again in another server, because the last one could not be checked by canaries.
    fn lose(&mut self, unproven: Vec<UnprovenCase<'w>>) {
        let again = unproven.into_iter().map(|unproven_case| CaseTask {
            n_lost: unproven_case.task.n_lost + 1,
            ..unproven_case.task
        });
        self.again.extend(again);
    }

    /// Queues cases to run again in a process each.
    fn disbelieve(&mut self, unproven: Vec<UnprovenCase<'w>>) {
        let again = unproven.into_iter().map(|unproven_case| CaseTask {
            n_lost: N_LOST_MAX,
            ..unproven_case.task
        });
        self.again.extend(again);
    }

    fn verdict(&mut self) -> Result<CanaryFinding, RunnerError> {
        #[cfg(test)]
        if !crate::overhead::has_canaries() {
            return Ok(CanaryFinding::Right);
        }
        let is_read = |unproven_case: &&UnprovenCase<'_>| {
            matches!(
                unproven_case.ran.outcome,
                Outcome::Passing | Outcome::Failing
            )
        };
        let mut ran: Vec<&PythonCase> = self
            .unproven
            .iter()
            .filter(is_read)
            .map(|unproven_case| unproven_case.task.case)
            .collect();
        if ran.is_empty() {
            ran.extend(
                self.unproven
                    .iter()
                    .map(|unproven_case| unproven_case.task.case),
            );
        }
        for (must, canary) in self.canaries.pair(&ran) {
            let plain = self.canaries.plain(&canary, must);
            let mut verdict = self.sing(&canary, must)?;
            if verdict == CanaryFinding::Useless {
                verdict = self.sing(&plain, must)?;
            }
            if verdict != CanaryFinding::Right {
                return Ok(verdict);
            }
        }
        Ok(CanaryFinding::Right)
    }

    /// Runs one canary in the server, and in a fresh process where it has the wrong outcome there.
    fn sing(
        &mut self,
        canary: &PythonCase,
        must: ExpectedFate,
    ) -> Result<CanaryFinding, RunnerError> {
        let expected = match must {
            ExpectedFate::Fail => Outcome::Failing,
            ExpectedFate::Pass => Outcome::Passing,
        };
        let Ok(placed) = self.place(canary)? else {
            return Ok(CanaryFinding::Useless);
        };
        if self.server.is_none() {
            return Ok(CanaryFinding::Lost);
        }
        let limit = limit(canary, self.running);
        let mut ran = self.ask_within(question(canary), limit)?;
        if self.server.is_some() && ran.was_killed() {
            // That says nothing about the server.
            ran = self.ask_within(question(canary), limit)?;
        }
        if self.server.is_none() {
            return Ok(CanaryFinding::Lost);
        }
        if ran.outcome == expected {
            return Ok(CanaryFinding::Right);
        }
        let alone = self.alone(canary, &self.view)?;
        drop(placed);
        Ok(if alone.outcome == expected {
            CanaryFinding::Wrong
        } else {
            CanaryFinding::Useless
        })
    }

    /// Drops a server that cannot run canaries any more, and queues its unproven cases again.
    pub fn lose_server(&mut self) {
        self.server = None;
        let unproven = mem::take(&mut self.unproven);
        self.lose(unproven);
    }
}
