//! Runs the tests of Python files with something changed around them: a file runs whole, as in its project, once for
//! each round.
//!
//! True tests share the run of their file; a candidate has a separate run, in which it stands in the place of its
//! test.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{Language, Shake};
use crate::shakes::{
    self, BusyProcesses, ProcessSurroundings, SecondCopy, ShakeEngine, ShakeRound, ShakeSink,
    TestFate,
};
use crate::task::{Cancelled, Monitor};
use crate::{Candidate, HostFile, RunnerError};

use super::case::{CaseExecution, CaseLimit, PythonCase, ShakenCase};
use super::engine::ForkingEngine;
use super::run::{CaseRunner, ProcessKind, run_cases};
use super::server::version;

/// How many copies one process runs, one after the other: while a new process starts, it holds no resource. The first
/// test has ended before that.
const N_COPIES: usize = 500;

/// One run of a file in any round.
struct FileRun {
    case: PythonCase,
    /// The tests in question as `Class::name`, with the numbers of their candidates.
    asked: Vec<(String, u64)>,
    n_tests: usize,
}

impl ShakeEngine for ForkingEngine<'_> {
    fn version(&self) -> String {
        version()
    }

    fn hindrance(&self, shake: Shake) -> Option<String> {
        shakes::hindrance(self.site, shake)
    }

    fn shake(
        &mut self,
        (files, candidates): (&[HostFile], &[Candidate]),
        rounds: &[ShakeRound],
        monitor: &Monitor,
        sink: &mut ShakeSink<'_>,
    ) -> Result<(), RunnerError> {
        let wholes = self.wholes(files, candidates, monitor)?;
        for (nth, round) in rounds.iter().enumerate() {
            monitor.step()?;
            let (mut cases, mut asked) = (Vec::new(), Vec::new());
            for whole in &wholes {
                for (case, of) in self.cases_of(whole, *round) {
                    cases.push(case);
                    asked.push(of);
                }
            }
            if cases.is_empty() {
                continue;
            }
            let _busy = BusyProcesses::of(self.site, *round)?;
            let running = CaseRunner {
                how: if round.is_fresh {
                    ProcessKind::Fresh
                } else {
                    self.running.how
                },
                has_lines: false,
                around: ProcessSurroundings::at(self.site, *round, Language::Python)?,
                ..self.running.clone()
            };
            let environment = &self.environment;
            let mut tell = |idx: usize, ran: CaseExecution| {
                for (name, id) in &asked[idx] {
                    if let Some(fate) = fate(&ran, name) {
                        sink(*id, nth, fate)?;
                    }
                }
                Ok(())
            };
            if round.shake == Some(Shake::Port) {
                self.run_beside(&cases, &running, monitor, &mut tell)?;
            } else {
                run_cases(self.site, environment, &cases, &running, monitor, &mut tell)?;
            }
        }
        Ok(())
    }
}

/// Takes the result of a case, by its position.
type CaseSink<'s> = dyn FnMut(usize, CaseExecution) -> Result<(), Cancelled> + 's;

impl ForkingEngine<'_> {
    /// Runs cases one after the other, each beside a copy of itself in the same network. The case itself runs in a
    /// fresh process, because a server repeats a case that meets used ports.
    fn run_beside(
        &self,
        cases: &[PythonCase],
        running: &CaseRunner,
        monitor: &Monitor,
        tell: &mut CaseSink<'_>,
    ) -> Result<(), RunnerError> {
        let of_first = CaseRunner {
            how: ProcessKind::Fresh,
            ..running.clone()
        };
        let of_second = CaseRunner {
            how: self.running.how,
            n_jobs: 1,
            is_believed: true,
            ..running.clone()
        };
        for (idx, case) in cases.iter().enumerate() {
            let first = std::slice::from_ref(case);
            let copies = vec![case.clone(); N_COPIES];
            let again = |second: &SecondCopy<'_>| -> Result<(), RunnerError> {
                let mut ran = |_, _| {
                    second.has_run();
                    Ok(())
                };
                let (site, environment) = (self.site, &self.environment);
                let monitor = second.monitor;
                while monitor.step().is_ok() {
                    run_cases(site, environment, &copies, &of_second, monitor, &mut ran)?;
                }
                Ok(())
            };
            shakes::beside(again, monitor, || {
                let mut tell = |_, ran| tell(idx, ran);
                let (site, environment) = (self.site, &self.environment);
                run_cases(site, environment, first, &of_first, monitor, &mut tell)
            })?;
        }
        Ok(())
    }

    /// Makes the cases of a file in a round, with the tests in question.
    fn cases_of(
        &self,
        whole: &FileRun,
        round: ShakeRound,
    ) -> Vec<(PythonCase, Vec<(String, u64)>)> {
        let of = |only: Option<&String>| {
            let is_twice = round.shake == Some(Shake::Folder);
            let n_tests = if only.is_some() { 1 } else { whole.n_tests };
            let wall = shakes::limit(self.running.limit, n_tests * (1 + usize::from(is_twice)));
            PythonCase {
                limit: Some(CaseLimit {
                    wall,
                    cpu_s: wall.as_secs() + 1,
                }),
                shaken: Some(ShakenCase {
                    only: only.cloned(),
                    is_reversed: round.shake == Some(Shake::Order),
                    is_twice,
                    folder: is_twice.then(|| PathBuf::from("/tmp")),
                }),
                ..whole.case.clone()
            }
        };
        if round.shake == Some(Shake::Alone) {
            let alone = whole.asked.iter();
            return alone
                .map(|alone| (of(Some(&alone.0)), vec![alone.clone()]))
                .collect();
        }
        vec![(of(None), whole.asked.clone())]
    }

    /// Sorts candidates by the runs of files that show them; a candidate without a place in its file is left out.
    fn wholes(
        &self,
        files: &[HostFile],
        candidates: &[Candidate],
        monitor: &Monitor,
    ) -> Result<Vec<FileRun>, RunnerError> {
        let stands = self.whole_cases(files, candidates, monitor)?;
        let mut wholes: Vec<FileRun> = Vec::new();
        // The runs of true tests, by file.
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for (candidate, stand) in candidates.iter().zip(stands) {
            let Some(case) = stand else {
                continue;
            };
            let mut names = candidate.nesting.clone();
            names.push(candidate.name.clone());
            let own = (names.join("::"), candidate.id);
            let is_true = candidate.text.is_empty();
            let known = shared.get(&candidate.file_idx).filter(|_| is_true);
            if let Some(known) = known {
                wholes[*known].asked.push(own);
                continue;
            }
            if is_true {
                shared.insert(candidate.file_idx, wholes.len());
            }
            wholes.push(FileRun {
                case,
                asked: vec![own],
                n_tests: files[candidate.file_idx].tests.len(),
            });
        }
        Ok(wholes)
    }
}

/// Finds the fate of a test, the worst over its parameters; nothing where the file did not finish, or had no
/// such test.
fn fate(ran: &CaseExecution, name: &str) -> Option<TestFate> {
    let is_of = |id: &str| {
        let inside = id.split_once("::").map_or("", |pair| pair.1);
        inside.split('[').next() == Some(name)
    };
    let mut fate = None;
    for item in ran
        .items
        .iter()
        .filter(|item_execution| is_of(&item_execution.id))
    {
        let next = match item.outcome.as_str() {
            "failed" | "error" => TestFate::Failed,
            "passed" | "xpassed" => TestFate::Passed,
            _ => TestFate::Skipped,
        };
        fate = match (fate, next) {
            (Some(TestFate::Failed), _) | (_, TestFate::Failed) => Some(TestFate::Failed),
            (Some(TestFate::Passed), _) | (_, TestFate::Passed) => Some(TestFate::Passed),
            _ => Some(next),
        };
    }
    fate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Outcome;
    use crate::python::case::ItemExecution;

    #[test]
    fn a_test_goes_as_the_worst_of_its_parameters_does() {
        let item = |id: &str, outcome: &str| ItemExecution {
            id: id.to_owned(),
            outcome: outcome.to_owned(),
        };
        let ran = CaseExecution {
            items: vec![
                item("t/test_a.py::test_one[1]", "passed"),
                item("t/test_a.py::test_one[2]", "failed"),
                item("t/test_a.py::TestB::test_one", "skipped"),
                item("t/test_a.py::test_other[1::2]", "passed"),
                item("t/test_a.py::test_other[3]", "skipped"),
            ],
            ..CaseExecution::new(Outcome::Failing, "", "")
        };
        assert_eq!(fate(&ran, "test_one"), Some(TestFate::Failed));
        assert_eq!(fate(&ran, "TestB::test_one"), Some(TestFate::Skipped));
        assert_eq!(fate(&ran, "test_other"), Some(TestFate::Passed));
        assert_eq!(fate(&ran, "test"), None);
    }
}
