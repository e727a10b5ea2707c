//! The methods that are changed for a test: its focal method, or where that has no code each method that the test
//! enters in its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::aims::{OverridesByTest, in_place};
use crate::model::{SampleKey, Variant, VariantKind};
use crate::project::{ProjectPlan, candidate_of, focal};
use crate::runner::variants::VariantEngine;
use crate::runner::{Candidate, Engine, HostFile, MethodName, RunnerError};
use crate::store::PlacedSample;
use crate::task::Monitor;

/// Methods that are entered in place of the focal one; `None` is the focal method itself.
pub type Targets = BTreeSet<Option<MethodName>>;

/// The methods that tests enter in place of methods without code.
pub struct EnteredOverrides {
    /// By the number of the candidate.
    of_plan: OverridesByTest,
    of_truths: BTreeMap<SampleKey, Vec<MethodName>>,
}

impl EnteredOverrides {
    /// Runs the tests of a plan whose focal methods have no code, and the true tests of these methods, to find out what
    /// they enter.
    pub fn find(
        engine: &mut dyn Engine,
        (plan, files): (&ProjectPlan, &[HostFile]),
        truths: &[Arc<PlacedSample>],
        monitor: &Monitor,
    ) -> Result<Self, RunnerError> {
        let of_plan = in_place(engine, plan, monitor)?;
        let mut entered = Self {
            of_plan,
            of_truths: BTreeMap::new(),
        };
        let mut candidates = Vec::new();
        let mut keys = Vec::new();
        for truth in truths {
            let sample = &truth.sample;
            let has_code = |placed_sample: &PlacedSample| {
                let method = placed_sample.sample.focal.as_ref();
                method.is_none_or(|stored_method| stored_method.body.is_some())
            };
            if has_code(truth) {
                continue;
            }
            let key = sample.row.key;
            if let Some(same) = same_of_plan(plan, truth)
                && let Some(found) = entered.of_plan.get(&same)
            {
                entered.of_truths.insert(key, found.clone());
            } else if let Some(file_idx) =
                files.iter().position(|file| file.path == sample.test.path)
            {
                let id = keys.len() as u64;
                candidates.push(Candidate {
                    focal: focal(truth),
                    ..candidate_of(id, file_idx, truth, &sample.test.name, "")
                });
                keys.push(key);
            }
        }
        if !candidates.is_empty() {
            engine.run(files, &candidates, monitor, &mut |ran| {
                let key = keys[ran.id as usize];
                entered.of_truths.insert(key, ran.overrides);
                monitor.step()
            })?;
        }
        Ok(entered)
    }

    /// Lists the methods that are changed for a test of the plan.
    pub fn of_plan(&self, candidate: u64) -> Targets {
        targets(self.of_plan.get(&candidate))
    }

    /// Lists the methods that would be changed for a true test.
    pub fn of_truth(&self, sample: &SampleKey) -> Targets {
        targets(self.of_truths.get(sample))
    }
}

/// Lists the methods that were entered; without any, the focal one, for which only its class and the whole virtual
/// machine can be changed.
fn targets(entered: Option<&Vec<MethodName>>) -> Targets {
    match entered {
        Some(entered) if !entered.is_empty() => entered.iter().cloned().map(Some).collect(),
        Some(_) | None => Targets::from([None]),
    }
}

/// Finds the test of a plan with the text of a sample's true test.
fn same_of_plan(plan: &ProjectPlan, truth: &PlacedSample) -> Option<u64> {
    let mut candidates = plan.candidates.iter();
    let same = candidates.find(|candidate| {
        let task = &plan.tasks[candidate.id as usize];
        let is_of_sample = task.sample.sample.row.key == truth.sample.row.key;
        is_of_sample && candidate.text.trim() == truth.sample.test.source().trim()
    });
    same.map(|candidate| candidate.id)
}

/// The variants that change the methods of a test, each once.
#[derive(Default)]
pub struct Changes {
    pub variants: Vec<Arc<Variant>>,
    /// The methods that each of them changes.
    targets: Vec<Targets>,
}

impl Changes {
    /// Collects the variants of these; `made` knows all of them.
    pub fn of(targets: &Targets, made: impl Fn(&Option<MethodName>) -> Vec<Arc<Variant>>) -> Self {
        let mut changes = Self::default();
        for target in targets {
            for variant in made(target) {
                let mut known = changes.variants.iter();
                // A variant of the whole virtual machine is the same for all methods.
                let place = known.position(|other| other.id == variant.id);
                let place = place.unwrap_or_else(|| {
                    changes.variants.push(variant);
                    changes.targets.push(Targets::new());
                    changes.variants.len() - 1
                });
                changes.targets[place].insert(target.clone());
            }
        }
        changes
    }

    /// Lists the names that each variant changes, as a test may look at them: the kind, and the names that it takes
    /// away.
    pub fn names<'n>(
        &'n self,
        engine: &'n dyn VariantEngine,
        text: &'n str,
    ) -> Vec<(VariantKind, Vec<&'n str>)> {
        let variants = self.variants.iter();
        variants
            .map(|variant| (variant.kind, engine.names(variant, text)))
            .collect()
    }

    /// Tells for each variant whether a test enters none of the changed code, and so says nothing about it.
    pub fn beside(&self, entered: &Targets) -> Vec<bool> {
        let targets = self.targets.iter();
        targets.map(|target| target.is_disjoint(entered)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ContentHash, Language};

    fn named(class: &str) -> MethodName {
        MethodName {
            class: class.to_owned(),
            name: "area".to_owned(),
            descriptor: "(I)I".to_owned(),
        }
    }

    fn variant(id: u8) -> Arc<Variant> {
        Arc::new(Variant {
            id: ContentHash([id; 16]),
            language: Language::Java,
            kind: VariantKind::Message,
            file: String::new(),
            edits: Vec::new(),
        })
    }

    #[test]
    fn what_is_of_two_methods_stands_once_and_is_asked_of_who_enters_either() {
        let targets = Targets::from([Some(named("Bar")), Some(named("Square"))]);
        let changes = Changes::of(&targets, |target| {
            let own = if *target == Some(named("Bar")) { 1 } else { 2 };
            vec![variant(own), variant(9)]
        });
        let ids: Vec<u8> = changes
            .variants
            .iter()
            .map(|variant| variant.id.0[0])
            .collect();
        assert_eq!(ids, [1, 9, 2]);
        let beside = |targets: &Targets| changes.beside(targets);
        assert_eq!(
            beside(&Targets::from([Some(named("Bar"))])),
            [false, false, true]
        );
        assert_eq!(beside(&targets), [false; 3]);
        assert_eq!(beside(&Targets::from([Some(named("Cube"))])), [true; 3]);
    }

    #[test]
    fn a_test_that_enters_nothing_in_its_place_has_what_there_is_of_the_method_itself() {
        assert_eq!(targets(None), Targets::from([None]));
        assert_eq!(targets(Some(&Vec::new())), Targets::from([None]));
        let entered = vec![named("Bar")];
        assert_eq!(targets(Some(&entered)), Targets::from([Some(named("Bar"))]));
    }
}
