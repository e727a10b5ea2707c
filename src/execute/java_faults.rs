//! Faults in Java for the verb: PIT's mutants, made and run by the engine `fast`.

use crate::engines::JavaEngine;
use crate::java_changed::methods_asked;
use crate::model::Mutant;
use crate::runner::faults::{
    FaultEngine, FaultSink, FaultTest, MethodMutants, MutantExecution, MutatedMethod, Operators,
    TestOnMutants,
};
use crate::runner::java::faults::FaultFate;
use crate::runner::{Candidate, HostFile, RunnerError};
use crate::task::Monitor;

/// Everything besides the build that determines the mutants: PIT's version, pinned where it is downloaded, and the
/// exclusions.
const VERSION: &str = "pit 1.20.3, its usual mutators";

impl FaultEngine for JavaEngine<'_> {
    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn mutants(
        &mut self,
        methods: &[MutatedMethod],
        _operators: &Operators,
        monitor: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError> {
        let found = self.fast().mutants(&methods_asked(methods), monitor)?;
        let made = found.into_iter().map(|found| MethodMutants {
            mutants: found.mutants,
            equal: found.equal,
        });
        Ok(made.collect())
    }

    fn judge(
        &mut self,
        files: &[HostFile],
        tests: &[FaultTest],
        monitor: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError> {
        let asked = tests.iter().map(|test| {
            let mutants = test.mutants.iter().map(|mutant| Mutant::clone(mutant));
            (&test.candidate, mutants.collect())
        });
        let asked: Vec<(&Candidate, Vec<Mutant>)> = asked.collect();
        let mut pairs = self.run_on_changed(files, &asked, monitor, |ran| match ran.fate {
            FaultFate::Ran(outcome) => Some(MutantExecution {
                outcome,
                by: ran.by,
                ms: (!ran.elapsed.is_zero()).then_some(ran.elapsed.as_millis() as u64),
            }),
            FaultFate::Failed(_) => None,
        })?;
        for test in tests {
            let id = test.candidate.id;
            let found = pairs.take(id, test.mutants.iter().map(|mutant| mutant.id));
            let judged = found.map_or(TestOnMutants::Unsettled, TestOnMutants::Pairs);
            sink(id, judged)?;
        }
        Ok(())
    }
}
