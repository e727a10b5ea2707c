//! Runs a kill three times where it is not known whether the test is stable.
//!
//! Decides which pairs run again, and the outcome of those that differ between runs. A test that shaking has settled is
//! believed at once; the caller tells which these are.

use std::collections::BTreeMap;

use crate::model::FaultOutcome;
use crate::runner::faults::{FaultEngine, FaultSink, FaultTest, MutantExecution, TestOnMutants};
use crate::runner::{HostFile, RunnerError};
use crate::task::Monitor;

/// The number of runs of such a pair, including the first.
pub const N_RUNS: usize = 3;

/// Tests with a part that runs several times.
pub struct RepeatableTests<'a> {
    pub files: &'a [HostFile],
    pub tests: &'a [FaultTest],
    /// Whether kills of a test run once, by the number of its candidate.
    pub is_settled: &'a dyn Fn(u64) -> bool,
}

/// A test whose kills are run again.
struct KillRepeat<'t> {
    test: &'t FaultTest,
    pairs: Vec<MutantExecution>,
}

impl KillRepeat<'_> {
    /// Finds the places of its pairs that were killed each time.
    fn kills(&self) -> Vec<usize> {
        let places = 0..self.pairs.len();
        places
            .filter(|place| is_kill(self.pairs[*place].outcome))
            .collect()
    }

    /// Copies the test with the mutants that it runs on again.
    fn again(&self) -> FaultTest {
        let kills = self.kills().into_iter();
        FaultTest {
            candidate: self.test.candidate.clone(),
            mutants: kills.map(|kill| self.test.mutants[kill].clone()).collect(),
        }
    }

    /// Takes the results of the kills in this run. Where the engine has no outcome for one, no pair of the test has
    /// one; a test that does not pass on the original code is unsettled, in spite of earlier results.
    fn take(mut self, judged: TestOnMutants) -> AfterRun<Self> {
        let TestOnMutants::Pairs(found) = judged else {
            return AfterRun::Known(TestOnMutants::Unsettled);
        };
        let kills = self.kills();
        if found.len() != kills.len() || found.iter().any(Option::is_none) {
            let none = self.pairs.iter().map(|_| None);
            return AfterRun::Known(TestOnMutants::Pairs(none.collect()));
        }
        for (place, again) in kills.into_iter().zip(found.into_iter().flatten()) {
            let pair = &mut self.pairs[place];
            if again.outcome == FaultOutcome::Unstable {
                return AfterRun::Known(TestOnMutants::Unsettled);
            }
            if again.outcome != pair.outcome {
                *pair = MutantExecution {
                    outcome: FaultOutcome::Unstable,
                    by: None,
                    ms: pair.ms,
                };
            }
        }
        AfterRun::Open(self)
    }

    fn known(self) -> TestOnMutants {
        TestOnMutants::Pairs(self.pairs.into_iter().map(Some).collect())
    }
}

/// The next step after a run: another run, or the result.
enum AfterRun<O> {
    Open(O),
    Known(TestOnMutants),
}

/// Runs tests as [`FaultEngine::judge`] does, and the kills of those that are not settled again. A test is passed on
/// only when its repeats are done. Returns how many pairs ran again.
pub fn judge(
    engine: &mut dyn FaultEngine,
    of: &RepeatableTests<'_>,
    monitor: &Monitor,
    sink: &mut FaultSink<'_>,
) -> Result<u64, RunnerError> {
    let tests: BTreeMap<u64, &FaultTest> = of
        .tests
        .iter()
        .map(|test| (test.candidate.id, test))
        .collect();
    let mut open: BTreeMap<u64, KillRepeat<'_>> = BTreeMap::new();
    engine.judge(
        of.files,
        of.tests,
        monitor,
        &mut |id, judged| match begun(&judged).filter(|_| !(of.is_settled)(id)) {
            Some(pairs) => {
                let test = tests[&id];
                open.insert(id, KillRepeat { test, pairs });
                Ok(())
            }
            None => sink(id, judged),
        },
    )?;
    let mut n_again = 0;
    for nth in 2..=N_RUNS {
        let again: Vec<FaultTest> = open.values().map(KillRepeat::again).collect();
        n_again += again
            .iter()
            .map(|fault_test| fault_test.mutants.len() as u64)
            .sum::<u64>();
        if again.is_empty() {
            break;
        }
        let mut next = BTreeMap::new();
        engine.judge(of.files, &again, monitor, &mut |id, judged| {
            let Some(test) = open.remove(&id) else {
                return Ok(());
            };
            match test.take(judged) {
                AfterRun::Open(test) if nth < N_RUNS && !test.kills().is_empty() => {
                    next.insert(id, test);
                    Ok(())
                }
                AfterRun::Open(test) => sink(id, test.known()),
                AfterRun::Known(judged) => sink(id, judged),
            }
        })?;
        open = next;
    }
    Ok(n_again)
}

/// Takes the pairs of a test that has an outcome of each and a kill.
fn begun(judged: &TestOnMutants) -> Option<Vec<MutantExecution>> {
    let TestOnMutants::Pairs(pairs) = judged else {
        return None;
    };
    let pairs: Vec<MutantExecution> = pairs.iter().cloned().collect::<Option<_>>()?;
    let mut outcomes = pairs.iter().map(|pair| pair.outcome);
    outcomes.any(is_kill).then_some(pairs)
}

/// Tells whether a pair runs again. The engine has run one that ran out of time again already, and one that ran out of
/// memory does not count as a kill.
const fn is_kill(outcome: FaultOutcome) -> bool {
    matches!(
        outcome,
        FaultOutcome::KilledByAssertion | FaultOutcome::KilledByError
    )
}

#[cfg(test)]
mod tests;
