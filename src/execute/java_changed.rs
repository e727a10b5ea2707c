//! Runs tests of Java on changed code: mutants, and variants in the form of mutants.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::JavaEngine;
use crate::model::{ContentHash, Mutant};
use crate::runner::faults::MutatedMethod;
use crate::runner::java::faults::{FaultExecution, FaultRequest, MutantRequest};
use crate::runner::{Candidate, Fate, HostFile, RunnerError};
use crate::task::Monitor;

/// The tests that pass on the original code, and their results on changed code.
pub struct ChangedCodeRuns<T> {
    passed: BTreeSet<u64>,
    pairs: BTreeMap<(u64, ContentHash), T>,
}

impl<T> ChangedCodeRuns<T> {
    /// Takes the results of a test on each of these changes; nothing where it does not pass on the original code.
    pub fn take(
        &mut self,
        test: u64,
        changes: impl Iterator<Item = ContentHash>,
    ) -> Option<Vec<Option<T>>> {
        let is_settled = self.passed.contains(&test);
        is_settled.then(|| {
            changes
                .map(|change| self.pairs.remove(&(test, change)))
                .collect()
        })
    }
}

/// Converts the methods to requests to the engine.
pub fn methods_asked(methods: &[MutatedMethod]) -> Vec<MutantRequest<'_>> {
    let asked = methods.iter().map(|method| MutantRequest {
        path: &method.test_path,
        focal: &method.focal,
        overrides: method.in_place.as_slice(),
    });
    asked.collect()
}

impl JavaEngine<'_> {
    /// Runs tests on the original code, and each that passes also on its mutants; `read` interprets a run on a mutant.
    pub fn run_on_changed<T>(
        &mut self,
        files: &[HostFile],
        tests: &[(&Candidate, Vec<Mutant>)],
        monitor: &Monitor,
        read: impl Fn(FaultExecution) -> Option<T>,
    ) -> Result<ChangedCodeRuns<T>, RunnerError> {
        let requests = tests
            .iter()
            .map(|(candidate, mutants)| FaultRequest { candidate, mutants });
        let requests: Vec<FaultRequest<'_>> = requests.collect();
        let mut found = ChangedCodeRuns {
            passed: BTreeSet::new(),
            pairs: BTreeMap::new(),
        };
        let ChangedCodeRuns { passed, pairs } = &mut found;
        let mut keep = |ran: FaultExecution| {
            let pair = (ran.candidate, ran.mutant);
            if let Some(item) = read(ran) {
                pairs.insert(pair, item);
            }
            Ok(())
        };
        self.fast().run_faults(
            files,
            &requests,
            monitor,
            (
                &mut |ran| {
                    if matches!(ran.fate, Fate::Ran(outcome) if outcome.passes()) {
                        passed.insert(ran.id);
                    }
                    Ok(())
                },
                &mut keep,
            ),
        )?;
        Ok(found)
    }
}
