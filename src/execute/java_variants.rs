//! Java code that keeps the contract, for the verb: made in byte code by the program that runs PIT, and run by the
//! engine `fast` as mutants are. The order of sets is changed for the whole JVM.
//!
//! Names of locals stay: byte code does not need them.

use crate::engines::JavaEngine;
use crate::java_changed::methods_asked;
use crate::model::{ContentHash, FaultOutcome, Language, Mutant, Variant, VariantKind};
use crate::runner::faults::MutatedMethod;
use crate::runner::java::fast::VARIANT;
use crate::runner::java::faults::FaultFate;
use crate::runner::variants::{
    TestOnVariants, VariantEngine, VariantExecution, VariantSink, VariantTest,
};
use crate::runner::{Candidate, HostFile, RunnerError};
use crate::task::Monitor;

/// The version of all that decides variants besides the build.
const VERSION: &str = "2, messages, logging, private members and order";

impl VariantEngine for JavaEngine<'_> {
    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec!["`locals` is not applied in Java".to_owned()];
        if let Some(Err(why)) = &self.order {
            notes.push(format!("`order` is not applied: {why}"));
        }
        notes
    }

    fn variants(
        &mut self,
        methods: &[MutatedMethod],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Variant>>, RunnerError> {
        let found = self.fast().variants(&methods_asked(methods), monitor)?;
        if self.order.is_none() {
            self.order = Some(self.fast().order(monitor)?);
        }
        let has_order = matches!(self.order, Some(Ok(_)));
        let mut all = Vec::with_capacity(found.len());
        for (method, found) in methods.iter().zip(found) {
            let mut of_method: Vec<Variant> = found.mutants.iter().filter_map(variant_of).collect();
            if has_order {
                of_method.push(order(&method.focal.place.path));
            }
            all.push(of_method);
            let by_id = found.mutants.into_iter().map(|mutant| (mutant.id, mutant));
            self.varied.extend(by_id);
        }
        Ok(all)
    }

    /// Lists the names in the description of a variant that renames private members; none for other kinds.
    fn names<'n>(&'n self, variant: &Variant, _text: &'n str) -> Vec<&'n str> {
        let told = self.varied.get(&variant.id);
        let told = told.filter(|_| variant.kind == VariantKind::Private);
        told.map_or_else(Vec::new, |mutant| mutant.description.split(' ').collect())
    }

    fn answer(
        &mut self,
        files: &[HostFile],
        tests: &[VariantTest],
        monitor: &Monitor,
        sink: &mut VariantSink<'_>,
    ) -> Result<(), RunnerError> {
        let asked = tests.iter().map(|test| {
            let mutants = test.variants.iter();
            let mutants = mutants.filter_map(|mutant| self.varied.get(&mutant.id).cloned());
            (&test.candidate, mutants.collect())
        });
        let asked: Vec<(&Candidate, Vec<Mutant>)> = asked.collect();
        let mut answers = self.run_on_changed(files, &asked, monitor, |ran| match ran.fate {
            FaultFate::Ran(FaultOutcome::NotViable | FaultOutcome::Unstable)
            | FaultFate::Failed(_) => None,
            FaultFate::Ran(outcome) => Some(VariantExecution {
                objects: outcome.is_detected(),
                by: ran.by,
            }),
        })?;
        let mut found: Vec<(u64, TestOnVariants)> = Vec::with_capacity(tests.len());
        for test in tests {
            let id = test.candidate.id;
            let of_test = answers.take(id, test.variants.iter().map(|variant| variant.id));
            found.push((
                id,
                of_test.map_or(TestOnVariants::Unsettled, TestOnVariants::Each),
            ));
        }
        self.add_order(files, tests, &mut found, monitor)?;
        for (id, answers) in found {
            sink(id, answers)?;
        }
        Ok(())
    }
}

impl JavaEngine<'_> {
    /// Runs tests that pass on the original code with another order of sets, and adds their answers.
    fn add_order(
        &self,
        files: &[HostFile],
        tests: &[VariantTest],
        found: &mut [(u64, TestOnVariants)],
        monitor: &Monitor,
    ) -> Result<(), RunnerError> {
        let Some(Ok(patch)) = &self.order else {
            return Ok(());
        };
        let places = |test: &VariantTest| {
            let mut variants = test.variants.iter();
            variants.position(|variant| variant.kind == VariantKind::Order)
        };
        let mut asked = Vec::new();
        let mut open = Vec::new();
        for (test, (id, answers)) in tests.iter().zip(found) {
            if let (Some(place), TestOnVariants::Each(each)) = (places(test), answers) {
                asked.push(&test.candidate);
                open.push((*id, &mut each[place]));
            }
        }
        let mut ran = self.run_in_order((files, &asked), patch, monitor)?;
        for (id, of_order) in open {
            *of_order = ran.remove(&id);
        }
        Ok(())
    }
}

/// Makes the variant of the order, which changes no code of a file.
fn order(file: &str) -> Variant {
    let mut hasher = blake3::Hasher::new_derive_key("focalist variant of java, order");
    hasher.update(file.as_bytes());
    Variant {
        id: ContentHash::of(&hasher),
        language: Language::Java,
        kind: VariantKind::Order,
        file: file.to_owned(),
        edits: Vec::new(),
    }
}

/// Reads a variant that the engine reports as a mutant.
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
