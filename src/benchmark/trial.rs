//! What `execute --truth` has shown of projects: whether they compile, and whether their tests pass (Tests4J 3.1, steps 8
//! and 9).

use std::collections::BTreeMap;

use crate::Error;
use crate::exchange::outcomes::record_of;
use crate::model::{Blocked, Language, Outcome};
use crate::store::{self, Store};
use crate::task::Monitor;

/// How many keys are looked up at once.
const KEYS_AT_ONCE: u32 = 2_048;

/// What running a project's own tests has shown. Tests that the project switches off, or that its suite leaves out, take no part:
/// they decide nothing when Maven runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Tests that were run, or that could not be for want of a build.
    pub n_tests: u64,
    /// Those whose module was not built, or which the compiler refuses.
    pub n_not_compiled: u64,
    /// Those that ended otherwise than by passing, or by not having to run.
    pub n_not_passed: u64,
}

impl Trial {
    fn add(&mut self, outcome: Option<Outcome>, blocked: Option<Blocked>) {
        let (is_compiled, is_passed) = match (outcome, blocked) {
            (Some(Outcome::Unparsable | Outcome::NotCompilable), _)
            | (None, Some(Blocked::NoBuild)) => (false, false),
            (Some(Outcome::Timeout | Outcome::Crash | Outcome::Failing), _) => (true, false),
            (Some(Outcome::NotExecuted | Outcome::Passing | Outcome::Correct), _) => (true, true),
            // Nothing was found out.
            (None, _) => return,
        };
        self.n_tests += 1;
        self.n_not_compiled += u64::from(!is_compiled);
        self.n_not_passed += u64::from(is_compiled && !is_passed);
    }
}

/// Returns what is known of each Java project whose tests were run, by its identity.
///
/// # Errors
/// The store's, and cancelling.
pub fn trials(store: &Store, monitor: &Monitor) -> Result<BTreeMap<String, Trial>, Error> {
    let mut trials: BTreeMap<String, Trial> = BTreeMap::new();
    let runs = store.runs()?.into_iter();
    let mut truths =
        runs.filter(|it| it.setting.name == store::TRUTH && it.setting.language == Language::Java);
    let Some(run) = truths.next() else {
        return Ok(trials);
    };
    let Some(setting) = store.execution_setting(run.id)? else {
        return Ok(trials);
    };
    let mut repo_of = Vec::new();
    loop {
        monitor.step()?;
        let keys = store.prediction_keys(run.id, repo_of.len() as u32, KEYS_AT_ONCE)?;
        if keys.is_empty() {
            break;
        }
        let facts = store.sample_facts(&keys, run.setting.matcher)?;
        repo_of.extend(facts.into_iter().map(|it| it.map(|facts| facts.repo)));
    }
    store.each_execution(run.id, &setting.engine, |it| {
        monitor.step()?;
        let record = record_of(&it.record);
        let repo = repo_of.get(it.ordinal as usize).cloned().flatten();
        if let Some(repo) = repo.filter(|_| !record.outside_suite && !record.is_switched_off()) {
            let trial = trials.entry(repo).or_default();
            trial.add(it.execution.outcome, it.execution.blocked);
        }
        Ok::<(), Error>(())
    })?;
    trials.retain(|_, it| it.n_tests > 0);
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_have_to_run_fails_nothing() {
        let mut trial = Trial::default();
        for outcome in Outcome::ALL {
            trial.add(Some(*outcome), None);
        }
        for blocked in Blocked::ALL {
            trial.add(None, Some(*blocked));
        }
        let expected = Trial {
            n_tests: 9,
            n_not_compiled: 3,
            n_not_passed: 3,
        };
        assert_eq!(trial, expected);
    }
}
