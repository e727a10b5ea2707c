//! Runs tests of Java in a JVM that iterates over sets and maps without an order in the other direction.

use std::collections::BTreeMap;
use std::path::Path;

use crate::engines::JavaEngine;
use crate::model::Outcome;
use crate::runner::java::fast;
use crate::runner::variants::VariantExecution;
use crate::runner::{Candidate, CandidateExecution, Engine, Fate, HostFile, RunnerError};
use crate::task::Monitor;

impl JavaEngine<'_> {
    /// Runs tests that pass in the usual order, and those that fail here once more, each in a separate JVM; tests
    /// that could not be run are left out.
    pub fn run_in_order(
        &self,
        (files, tests): (&[HostFile], &[&Candidate]),
        patch: &Path,
        monitor: &Monitor,
    ) -> Result<BTreeMap<u64, VariantExecution>, RunnerError> {
        let mut answers = BTreeMap::new();
        let shared = fast::FastOptions {
            patch: Some(patch.to_owned()),
            ..self.options()
        };
        let alone = fast::FastOptions {
            n_runs_max: 1,
            ..shared.clone()
        };
        let mut open: Vec<Candidate> = tests.iter().copied().cloned().collect();
        for options in [shared, alone] {
            if open.is_empty() {
                break;
            }
            let mut fast = self.fast_with(options);
            fast.run(files, &open, monitor, &mut |ran| {
                match answer_of(&ran) {
                    Some(answer) => answers.insert(ran.id, answer),
                    None => answers.remove(&ran.id),
                };
                Ok(())
            })?;
            open.retain(|candidate| {
                answers
                    .get(&candidate.id)
                    .is_some_and(|answer| answer.objects)
            });
        }
        Ok(answers)
    }
}

/// Converts a run to a test's answer to the variant; nothing where the test did not run.
fn answer_of(ran: &CandidateExecution) -> Option<VariantExecution> {
    let Fate::Ran(outcome) = ran.fate else {
        return None;
    };
    let objects = match outcome {
        Outcome::Unparsable | Outcome::NotCompilable => return None,
        Outcome::NotExecuted | Outcome::Passing | Outcome::Correct => false,
        Outcome::Timeout | Outcome::Crash | Outcome::Failing => true,
    };
    let by = ran
        .why
        .as_ref()
        .and_then(|outcome_reason| outcome_reason.kind.clone());
    Some(VariantExecution { objects, by })
}
