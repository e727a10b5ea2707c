//! Code of Java that keeps the contract, as the verb asks for it: made in byte code where PIT is, and run by the engine `fast` as
//! its mutants are.
//!
//! Messages and logging alone: names of members and locals, and the order of sets, stay.

use std::collections::{BTreeMap, BTreeSet};

use crate::engines::OfJava;
use crate::model::{ContentHash, FaultOutcome, Language, Mutant, Variant, VariantKind};
use crate::runner::faults::Faulted;
use crate::runner::java::fast::VARIANT;
use crate::runner::java::faults::{FaultFate, FaultRan, FaultRequest, MethodAsked};
use crate::runner::variants::{Answer, Answers, VariantSink, Varied, Varying};
use crate::runner::{Fate, HostFile, RunnerError};
use crate::task::Monitor;

/// What decides variants besides the build.
const VERSION: &str = "1, messages and logging";

impl Varying for OfJava<'_> {
    fn version(&self) -> String {
        VERSION.to_owned()
    }

    fn note(&self) -> Option<&'static str> {
        Some("`private`, `locals` and `order` are not applied in Java")
    }

    fn variants(
        &mut self,
        methods: &[Faulted],
        monitor: &Monitor,
    ) -> Result<Vec<Vec<Variant>>, RunnerError> {
        let asked = methods.iter().map(|method| MethodAsked {
            path: &method.test_path,
            focal: &method.focal,
            overrides: &[],
        });
        let asked: Vec<MethodAsked<'_>> = asked.collect();
        let found = self.fast().variants(&asked, monitor)?;
        let mut all = Vec::with_capacity(found.len());
        for found in found {
            let of_method = found.mutants.iter().filter_map(variant_of);
            all.push(of_method.collect());
            let by_id = found.mutants.into_iter().map(|it| (it.id, it));
            self.varied.extend(by_id);
        }
        Ok(all)
    }

    fn answer(
        &mut self,
        files: &[HostFile],
        tests: &[Varied],
        monitor: &Monitor,
        sink: &mut VariantSink<'_>,
    ) -> Result<(), RunnerError> {
        let owned = tests.iter().map(|test| {
            let mutants = test.variants.iter();
            let mutants = mutants.filter_map(|it| self.varied.get(&it.id).cloned());
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
        let mut answers: BTreeMap<(u64, ContentHash), Answer> = BTreeMap::new();
        let mut keep = |ran: FaultRan| {
            if let FaultFate::Ran(outcome) = ran.fate
                && !matches!(outcome, FaultOutcome::NotViable | FaultOutcome::Unstable)
            {
                let answer = Answer {
                    objects: outcome.is_detected(),
                    by: ran.by,
                };
                answers.insert((ran.candidate, ran.mutant), answer);
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
            let found = if passed.contains(&id) {
                let each = test.variants.iter();
                Answers::Each(each.map(|it| answers.remove(&(id, it.id))).collect())
            } else {
                Answers::Unsettled
            };
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
