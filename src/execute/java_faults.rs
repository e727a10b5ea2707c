//! Faults in Java, as the verb asks for them: of PIT's mutants, made and run by the engine `fast`.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::OfJava;
use crate::model::{ContentHash, Mutant};
use crate::runner::faults::{FaultSink, Faulted, Faults, Judged, Operators, Pair, Tested};
use crate::runner::java::faults::{FaultFate, FaultRan, FaultRequest, MethodAsked};
use crate::runner::{Fate, HostFile, RunnerError};
use crate::task::Monitor;

/// What decides the mutants besides the build: PIT, pinned where it is downloaded, and what it leaves out.
const VERSION: &str = "pit 1.20.3, its usual mutators";

impl Faults for OfJava<'_> {
    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn mutants(
        &mut self,
        methods: &[Faulted],
        _operators: &Operators,
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Mutant>>, RunnerError> {
        let asked = methods.iter().map(|method| MethodAsked {
            path: &method.test_path,
            focal: &method.focal,
            overrides: &[],
        });
        let asked: Vec<MethodAsked<'_>> = asked.collect();
        let found = self.fast().mutants(&asked, monitor)?;
        Ok(found.into_iter().map(|found| found.mutants).collect())
    }

    fn judge(
        &mut self,
        files: &[HostFile],
        tests: &[Tested],
        monitor: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError> {
        let owned = tests.iter().map(|test| {
            let mutants = test.mutants.iter().map(|mutant| Mutant::clone(mutant));
            mutants.collect::<Vec<Mutant>>()
        });
        let owned: Vec<Vec<Mutant>> = owned.collect();
        let requests = tests
            .iter()
            .zip(&owned)
            .map(|(test, mutants)| FaultRequest {
                candidate: &test.candidate,
                mutants,
            });
        let requests: Vec<FaultRequest<'_>> = requests.collect();
        let mut passed = BTreeSet::new();
        let mut pairs: BTreeMap<(u64, ContentHash), Pair> = BTreeMap::new();
        let mut keep = |ran: FaultRan| {
            if let FaultFate::Ran(outcome) = ran.fate {
                let pair = Pair {
                    outcome,
                    by: ran.by,
                    ms: (!ran.elapsed.is_zero()).then_some(ran.elapsed.as_millis() as u64),
                };
                pairs.insert((ran.candidate, ran.mutant), pair);
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
        for test in tests {
            let id = test.candidate.id;
            let judged = if passed.contains(&id) {
                let found = test.mutants.iter();
                Judged::Pairs(found.map(|mutant| pairs.remove(&(id, mutant.id))).collect())
            } else {
                Judged::Unsettled
            };
            sink(id, judged)?;
        }
        Ok(())
    }
}
