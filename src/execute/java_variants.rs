//! Code of Java that keeps the contract, as the verb asks for it: made in byte code where PIT is, and run by the engine `fast` as
//! its mutants are.
//!
//! Messages, logging and names of private members: names of locals, and the order of sets, stay.

use crate::engines::OfJava;
use crate::java_changed::methods_asked;
use crate::model::{FaultOutcome, Language, Mutant, Variant, VariantKind};
use crate::runner::faults::Faulted;
use crate::runner::java::fast::VARIANT;
use crate::runner::java::faults::FaultFate;
use crate::runner::variants::{Answer, Answers, VariantSink, Varied, Varying};
use crate::runner::{Candidate, HostFile, RunnerError};
use crate::task::Monitor;

/// What decides variants besides the build.
const VERSION: &str = "2, messages, logging and private members";

impl Varying for OfJava<'_> {
    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn note(&self) -> Option<&'static str> {
        Some("`locals` and `order` are not applied in Java")
    }

    fn variants(
        &mut self,
        methods: &[Faulted],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Variant>>, RunnerError> {
        let found = self.fast().variants(&methods_asked(methods), monitor)?;
        let mut all = Vec::with_capacity(found.len());
        for found in found {
            let of_method = found.mutants.iter().filter_map(variant_of);
            all.push(of_method.collect());
            let by_id = found.mutants.into_iter().map(|it| (it.id, it));
            self.varied.extend(by_id);
        }
        Ok(all)
    }

    /// The words of what a variant is told with.
    fn names<'n>(&'n self, variant: &Variant, _text: &'n str) -> Vec<&'n str> {
        let told = self.varied.get(&variant.id);
        let told = told.filter(|_| variant.kind == VariantKind::Private);
        told.map_or_else(Vec::new, |it| it.description.split(' ').collect())
    }

    fn answer(
        &mut self,
        files: &[HostFile],
        tests: &[Varied],
        monitor: &Monitor,
        sink: &mut VariantSink<'_>,
    ) -> Result<(), RunnerError> {
        let asked = tests.iter().map(|test| {
            let mutants = test.variants.iter();
            let mutants = mutants.filter_map(|it| self.varied.get(&it.id).cloned());
            (&test.candidate, mutants.collect())
        });
        let asked: Vec<(&Candidate, Vec<Mutant>)> = asked.collect();
        let mut answers = self.run_on_changed(files, &asked, monitor, |ran| match ran.fate {
            FaultFate::Ran(FaultOutcome::NotViable | FaultOutcome::Unstable)
            | FaultFate::Failed(_) => None,
            FaultFate::Ran(outcome) => Some(Answer {
                objects: outcome.is_detected(),
                by: ran.by,
            }),
        })?;
        for test in tests {
            let id = test.candidate.id;
            let found = answers.take(id, test.variants.iter().map(|it| it.id));
            let found = found.map_or(Answers::Unsettled, Answers::Each);
            sink(id, found)?;
        }
        Ok(())
    }
}

/// Returns a variant that is told as a mutant.
fn variant_of(mutant: &Mutant) -> Option<Variant> {
    let kind = mutant.mutator.strip_prefix(VARIANT)?;
    Some(Variant {
        id: mutant.id,
        language: Language::Java,
        kind: VariantKind::named(kind)?,
        file: mutant.file.clone(),
        edits: Vec::new(),
    })
}
