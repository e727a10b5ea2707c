//! The findings of `execute --truth` on projects: whether they compile, and whether their tests pass (Tests4J 3.1,
//! steps 8 and 9).

use std::collections::BTreeMap;

use crate::Error;
use crate::exchange::outcomes::record_of;
use crate::model::{
    BlockedReason, EngineName, Language, LanguageFunnel, Outcome, RunRow, SampleKey,
};
use crate::store::{self, Store};
use crate::task::Monitor;

/// The result of running a project's own tests. Tests that the project switches off, or that its suite leaves out, fail
/// nothing: they decide nothing when Maven runs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Tests that were run, or that could not be run without a build.
    pub n_tests: u64,
    /// Those whose module was not built, and those that the compiler refuses.
    pub n_not_compiled: u64,
    /// Those that compile, and end neither by passing nor by not having to run.
    pub n_not_passed: u64,
}

impl Trial {
    fn add(&mut self, outcome: Option<Outcome>, blocked: Option<BlockedReason>) {
        let (is_compiled, is_passed) = match (outcome, blocked) {
            (Some(Outcome::Unparsable | Outcome::NotCompilable), _)
            | (None, Some(BlockedReason::NoBuild)) => (false, false),
            (Some(Outcome::Timeout | Outcome::Crash | Outcome::Failing), _) => (true, false),
            (Some(Outcome::NotExecuted | Outcome::Passing | Outcome::Correct), _) => (true, true),
            // The run has shown nothing about it.
            (None, _) => return,
        };
        self.n_tests += 1;
        self.n_not_compiled += u64::from(!is_compiled);
        self.n_not_passed += u64::from(is_compiled && !is_passed);
    }
}

/// The run of the true tests of a language, where it was executed.
struct TruthRun {
    run: RunRow,
    language: Language,
    engine: String,
}

impl TruthRun {
    /// Reads the runs of all languages.
    fn all(store: &Store) -> Result<Vec<Self>, Error> {
        let mut all = Vec::new();
        for run in store.runs()? {
            let language = run.setting.language;
            if run.setting.name != store::name_in(store::TRUTH, language) {
                continue;
            }
            if let Some(setting) = store.execution_setting(run.id)? {
                all.push(Self {
                    run,
                    language,
                    engine: setting.engine,
                });
            }
        }
        all.sort_by_key(|truth_run| truth_run.language);
        Ok(all)
    }

    /// Hands the keys of its samples to `each`, in the order of its predictions, some at a time.
    fn each_keys(
        &self,
        store: &Store,
        monitor: &Monitor,
        mut each: impl FnMut(&[SampleKey]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        store.each_prediction_keys(self.run.id, |_, keys| {
            monitor.step()?;
            each(keys)
        })
    }
}

/// How far true tests came when they were executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TruthFunnel {
    pub whole: LanguageFunnel,
    /// In the order of languages.
    pub by_language: Vec<LanguageFunnel>,
}

/// Counts how far the true tests of these samples came when they were executed; nothing where none was. Each sample is
/// one test, also where its language was never executed.
///
/// # Errors
/// The store's, and cancelling.
pub fn truth_funnel(
    store: &Store,
    monitor: &Monitor,
    samples: &BTreeMap<SampleKey, Language>,
) -> Result<Option<TruthFunnel>, Error> {
    let mut found = TruthFunnel::default();
    let mut by_language: BTreeMap<Language, LanguageFunnel> = BTreeMap::new();
    for language in samples.values() {
        let of = by_language.entry(*language).or_default();
        of.language = Some(*language);
        for of in [of, &mut found.whole] {
            of.n_samples += 1;
            of.n_predictions += 1;
        }
    }
    let mut engines = Vec::new();
    for truth in TruthRun::all(store)? {
        let mut is_asked = Vec::new();
        truth.each_keys(store, monitor, |keys| {
            let is_of = |key| samples.get(key) == Some(&truth.language);
            is_asked.extend(keys.iter().map(is_of));
            Ok(())
        })?;
        let Some(of) = by_language.get_mut(&truth.language) else {
            continue;
        };
        of.engine.clone_from(&truth.engine);
        store.each_execution(truth.run.id, &truth.engine, |stored_execution| {
            monitor.step()?;
            if is_asked.get(stored_execution.ordinal as usize) == Some(&true) {
                of.funnel.add(&stored_execution.execution, 1);
                found.whole.funnel.add(&stored_execution.execution, 1);
            }
            Ok::<(), Error>(())
        })?;
        engines.push(truth.engine);
    }
    let engines: Vec<&str> = engines.iter().map(String::as_str).collect();
    found.whole.engine = EngineName::joined(&engines);
    found.by_language = by_language.into_values().collect();
    Ok((found.whole.funnel.n_candidates > 0).then_some(found))
}

/// Reads the facts about each project whose tests were run, in any language, by its identity.
///
/// # Errors
/// The store's, and cancelling.
pub fn trials(store: &Store, monitor: &Monitor) -> Result<BTreeMap<String, Trial>, Error> {
    let mut trials: BTreeMap<String, Trial> = BTreeMap::new();
    for truth in TruthRun::all(store)? {
        let mut repo_of = Vec::new();
        truth.each_keys(store, monitor, |keys| {
            let facts = store.sample_facts(keys, truth.run.setting.matcher)?;
            repo_of.extend(facts.into_iter().map(|fact| fact.map(|facts| facts.repo)));
            Ok(())
        })?;
        store.each_execution(truth.run.id, &truth.engine, |stored_execution| {
            monitor.step()?;
            let record = record_of(&stored_execution.record);
            let repo = repo_of
                .get(stored_execution.ordinal as usize)
                .cloned()
                .flatten();
            if let Some(repo) = repo.filter(|_| !record.outside_suite && !record.is_switched_off())
            {
                let trial = trials.entry(repo).or_default();
                trial.add(
                    stored_execution.execution.outcome,
                    stored_execution.execution.blocked,
                );
            }
            Ok::<(), Error>(())
        })?;
    }
    trials.retain(|_, trial| trial.n_tests > 0);
    Ok(trials)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContentHash, Execution, ExecutionSetting, Filter, PredictionReading};
    use crate::store::WrittenExecution;
    use crate::store::testing::{GivenPrediction, counter_repo, put_unread_run, store_with};

    #[test]
    fn what_did_not_have_to_run_fails_nothing() {
        let mut trial = Trial::default();
        for outcome in Outcome::ALL {
            trial.add(Some(*outcome), None);
        }
        for blocked in BlockedReason::ALL {
            trial.add(None, Some(*blocked));
        }
        let expected = Trial {
            n_tests: 9,
            n_not_compiled: 3,
            n_not_passed: 3,
        };
        assert_eq!(trial, expected);
    }

    #[test]
    fn true_tests_that_pass_are_correct_for_the_paper_whether_they_assert_or_not() {
        let (_folder, mut store) = store_with(&[counter_repo("a"), counter_repo("b")]);
        let keys = store.keys(&Filter::default()).expect("the index reads");
        let given: Vec<GivenPrediction> = keys
            .iter()
            .map(|key| GivenPrediction {
                key: *key,
                attempt: 0,
                answer: String::new(),
                reading: PredictionReading::default(),
                tags: None,
                values: Vec::new(),
            })
            .collect();
        let run = put_unread_run(&mut store, store::TRUTH, &given);
        let setting = ExecutionSetting {
            engine: "fast".to_owned(),
            version: "1".to_owned(),
            options: String::new(),
            sandbox: "none".to_owned(),
            executed_at: 0,
        };
        store
            .begin_executions(run, &setting)
            .expect("the run is executed");
        let fates = [
            (Outcome::Correct, true),
            (Outcome::Passing, false),
            (Outcome::Failing, true),
        ];
        let written: Vec<WrittenExecution> = (0..)
            .zip(fates)
            .map(|(ordinal, (outcome, asserts))| WrittenExecution {
                ordinal,
                stamp: ContentHash([0; 16]),
                execution: Execution {
                    outcome: Some(outcome),
                    is_called: Some(true),
                    asserts: Some(asserts),
                    ..Execution::default()
                },
                why: None,
                words: String::new(),
                record: "{}".to_owned(),
                covered: Vec::new(),
                entered: Vec::new(),
            })
            .collect();
        let monitor = Monitor::default();
        store
            .write_executions(run, &setting, &written, &monitor)
            .expect("the outcomes are written");
        let check = |samples: &[SampleKey], expected: Option<(u64, u64, u64, u64)>| {
            let samples = samples.iter().map(|key| (*key, Language::Java)).collect();
            let found = truth_funnel(&store, &monitor, &samples).expect("the index reads");
            let found = found.map(|truth_funnel| {
                let funnel = truth_funnel.whole.funnel;
                (
                    funnel.n_unique,
                    funnel.n_executable,
                    funnel.n_correct,
                    funnel.n_correct_tests4j,
                )
            });
            assert_eq!(found, expected);
        };
        check(&keys, Some((3, 2, 1, 2)));
        check(&keys[1..2], Some((1, 1, 0, 1)));
        check(&[], None);
    }
}
