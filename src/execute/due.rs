//! Collects the tests that are to run on mutants, each with its mutants and a hash of everything that determines its
//! pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::ExecuteError;
use crate::aims::{AimedMethod, AimedTest};
use crate::candidates;
use crate::covered;
use crate::model::{ContentHash, Mutant};
use crate::options::{Drawing, FaultOptions, FaultScope};
use crate::pace;
use crate::project::{ExecutionTask, ProjectPlan};
use crate::report::FaultReport;
use crate::runner::Candidate;
use crate::runner::faults::{FaultEngine, FaultTest, MutatedMethod};
use crate::store::FaultedMethod;
use crate::task::Monitor;

/// The version of all rules that decide pairs, besides the engine's.
const VERSION: u32 = 1;
/// The stored facts about methods, by number of the test.
pub type MethodsByTest = BTreeMap<u32, MethodsOfTest>;

/// Methods of a test with their mutants.
pub struct MethodsOfTest {
    pub methods: Vec<(FaultedMethod, Vec<ContentHash>)>,
    /// The number of methods that these were sampled from; `None` without sampling.
    pub n_methods: Option<u32>,
}

/// The facts about a test that passes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassingTest {
    /// Its duration on the unchanged code.
    pub elapsed: Duration,
    /// Whether it is unknown if the test is stable: shaking has not settled it, or it was not shaken.
    pub is_open: bool,
}

/// Tests that pass, by number.
pub type PassingTests = BTreeMap<u32, PassingTest>;

/// A passing test, with the mutants that it is to run on.
pub struct DueTest {
    pub ordinal: u32,
    pub stamp: ContentHash,
    /// Kills run several times where the test is open.
    pub passing: PassingTest,
    pub tested: FaultTest,
    /// The number of its mutants that are left out because another test has noticed them.
    pub n_spared: usize,
}

impl DueTest {
    /// Estimates the time to run the test once on each of its mutants, if it takes as long on all of them.
    pub fn estimate(&self) -> Duration {
        let n_mutants = u32::try_from(self.tested.mutants.len()).unwrap_or(u32::MAX);
        self.passing.elapsed.saturating_mul(n_mutants)
    }

    /// Estimates the cost by [`crate::pace`].
    pub fn cost(&self) -> Duration {
        pace::cost(self.passing.elapsed, self.tested.mutants.len())
    }
}

/// Makes the mutants of all methods, and returns the tests with their mutants, and the stored facts about the methods.
pub fn due(
    engine: &mut dyn FaultEngine,
    (plan, aimed): (&ProjectPlan, Vec<AimedTest<'_>>),
    asked: &FaultOptions,
    (monitor, report): (&Monitor, &mut FaultReport),
) -> Result<(Vec<DueTest>, MethodsByTest), ExecuteError> {
    let mut methods: BTreeMap<&AimedMethod, &MutatedMethod> = BTreeMap::new();
    for (place, faulted) in aimed.iter().flat_map(|aimed_test| &aimed_test.methods) {
        methods.entry(place).or_insert(faulted);
    }
    let asked_for: Vec<MutatedMethod> = methods
        .values()
        .map(|mutated_method| MutatedMethod::clone(mutated_method))
        .collect();
    let made = engine.mutants(&asked_for, &asked.operators, monitor)?;
    let mut mutants: BTreeMap<&AimedMethod, Vec<Arc<Mutant>>> = BTreeMap::new();
    let mut equal: BTreeMap<&AimedMethod, Vec<ContentHash>> = BTreeMap::new();
    for (method, made) in methods.into_keys().zip(made) {
        let of_method = sampled(made.mutants, asked.n_sample).into_iter();
        mutants.insert(method, of_method.map(Arc::new).collect());
        equal.insert(method, made.equal);
    }
    let version = engine.version();
    let (mut due, mut all_told) = (Vec::new(), MethodsByTest::new());
    let mut used = UsedMethods::default();
    for test in &aimed {
        let task = &plan.tasks[test.candidate.id as usize];
        let (places, n_methods) = places(test, task, asked.scope, &mutants);
        let methods = places.iter().map(|place| &test.methods[*place].0);
        let of_methods = methods.clone().map(|method| &mutants[method]);
        // The mutants of a function inside another one belong to both.
        let mut seen = BTreeSet::new();
        let of_test: Vec<Arc<Mutant>> = of_methods
            .clone()
            .flatten()
            .filter(|mutant| seen.insert(mutant.id))
            .cloned()
            .collect();
        let stamp = stamp(&version, task.stamp, &of_test);
        let told = places
            .iter()
            .filter_map(|place| test.stored_facts.get(*place));
        let told = told.zip(of_methods).map(|(told, mutants)| {
            let ids = mutants.iter().map(|mutant| mutant.id).collect();
            (placed(told, mutants), ids)
        });
        let told: Vec<(FaultedMethod, Vec<ContentHash>)> = told.collect();
        used.equal
            .extend(methods.clone().flat_map(|method| &equal[method]).copied());
        used.add(
            methods,
            n_methods.map_or(&[], |_| told.as_slice()),
            &of_test,
        );
        let told = MethodsOfTest {
            methods: told,
            n_methods,
        };
        due.push(DueTest {
            ordinal: task.ordinal,
            stamp: test
                .stamp
                .unwrap_or_else(|| candidates::stamp(stamp, &told.methods)),
            passing: PassingTest::default(),
            n_spared: 0,
            tested: FaultTest {
                candidate: Candidate {
                    focal: None,
                    ..test.candidate.clone()
                },
                mutants: of_test,
            },
        });
        all_told.insert(task.ordinal, told);
    }
    report.n_methods += used.n_methods();
    report.n_mutants += used.mutants.len() as u64;
    report.n_equal += used.equal.len() as u64;
    Ok((due, all_told))
}

/// Chooses the methods whose mutants a test runs on; where they are sampled, counts the methods that they are sampled
/// from.
fn places(
    test: &AimedTest<'_>,
    task: &ExecutionTask,
    scope: FaultScope,
    mutants: &BTreeMap<&AimedMethod, Vec<Arc<Mutant>>>,
) -> (Vec<usize>, Option<u32>) {
    let FaultScope::Covered(Drawing { most, seed }) = scope else {
        return ((0..test.methods.len()).collect(), None);
    };
    let has_mutants = |n: usize| !mutants[&test.methods[n].0].is_empty();
    let sample = task.sample.sample.row.key;
    let lot = |faulted_method: &FaultedMethod| covered::lot(sample, seed, faulted_method);
    let (drawn, n_methods) = covered::drawn(&test.stored_facts, has_mutants, most, lot);
    (drawn, Some(n_methods))
}

/// The methods and mutants that some tests run on together.
#[derive(Default)]
struct UsedMethods<'m> {
    methods: BTreeSet<&'m AimedMethod>,
    /// Drawn methods by file and key, because a method of Java is in `methods` once for each test file.
    drawn: BTreeSet<(String, String)>,
    mutants: BTreeSet<ContentHash>,
    /// Mutants of these methods that are left out as equal to others.
    equal: BTreeSet<ContentHash>,
}

impl<'m> UsedMethods<'m> {
    fn add(
        &mut self,
        methods: impl Iterator<Item = &'m AimedMethod>,
        drawn: &[(FaultedMethod, Vec<ContentHash>)],
        mutants: &[Arc<Mutant>],
    ) {
        if drawn.is_empty() {
            self.methods.extend(methods);
        }
        let drawn = drawn.iter();
        self.drawn.extend(
            drawn.map(|(faulted_method, _)| {
                (faulted_method.file.clone(), faulted_method.name.clone())
            }),
        );
        self.mutants.extend(mutants.iter().map(|mutant| mutant.id));
    }

    fn n_methods(&self) -> u64 {
        (self.methods.len() + self.drawn.len()) as u64
    }
}

/// Places a method at its first mutant, where nothing else has placed it.
fn placed(told: &FaultedMethod, mutants: &[Arc<Mutant>]) -> FaultedMethod {
    let mut told = told.clone();
    if let Some(first) = mutants.first().filter(|_| told.file.is_empty()) {
        told.file.clone_from(&first.file);
        told.line = first.line;
    }
    told
}

/// Hashes everything that decides the pairs of a test.
pub fn stamp(version: &str, test: ContentHash, mutants: &[Arc<Mutant>]) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults");
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&(version.len() as u64).to_le_bytes());
    hasher.update(version.as_bytes());
    hasher.update(&test.0);
    for mutant in mutants {
        hasher.update(&mutant.id.0);
    }
    ContentHash::of(&hasher)
}

/// Makes the hash for a test that was left out on some of its mutants.
pub fn partial(stamp: ContentHash) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults --first-kill");
    hasher.update(&stamp.0);
    ContentHash::of(&hasher)
}

/// Makes the hash for a test whose kills have run several times.
fn repeated(stamp: ContentHash) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults, kills repeated");
    hasher.update(&stamp.0);
    ContentHash::of(&hasher)
}

/// Makes the stored hash of a test out of the hash of everything else that decides its pairs.
pub fn kept_stamp(stamp: ContentHash, is_open: bool) -> ContentHash {
    if is_open { repeated(stamp) } else { stamp }
}

/// Tells whether the stored pairs with this hash are those that would be made now. Where no repeats are needed,
/// repeated pairs count, too.
pub fn is_kept(known: Option<&ContentHash>, stamp: ContentHash, is_open: bool) -> bool {
    known == Some(&repeated(stamp)) || !is_open && known == Some(&stamp)
}

/// Samples `n_sample` of the mutants of a method, one of each operator in turn, in their order. The choice depends on
/// the mutants alone, and a request for more gives the same ones and others.
fn sampled(mutants: Vec<Mutant>, n_sample: Option<usize>) -> Vec<Mutant> {
    let Some(n_sample) = n_sample.filter(|n| *n < mutants.len()) else {
        return mutants;
    };
    let mut by_operator: BTreeMap<&str, Vec<[u8; 16]>> = BTreeMap::new();
    for mutant in &mutants {
        let drawn = by_operator.entry(&mutant.mutator).or_default();
        drawn.push(mutant.id.0);
    }
    let mut lots: Vec<(usize, [u8; 16])> = Vec::new();
    for mut ids in by_operator.into_values() {
        // Ids are hashes, so their order is random.
        ids.sort_unstable();
        lots.extend(ids.into_iter().enumerate());
    }
    lots.sort_unstable();
    lots.truncate(n_sample);
    let is_drawn = |mutant: &Mutant| lots.iter().any(|(_, id)| *id == mutant.id.0);
    mutants.into_iter().filter(is_drawn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::mutant;

    #[test]
    fn pairs_of_a_test_that_is_not_settled_stay_where_its_kills_were_repeated() {
        let stamp = ContentHash([1; 16]);
        let (once, thrice) = (kept_stamp(stamp, false), kept_stamp(stamp, true));
        assert!(is_kept(Some(&once), stamp, false));
        assert!(!is_kept(Some(&once), stamp, true));
        // Nothing is done again where the test has been shaken meanwhile.
        assert!(is_kept(Some(&thrice), stamp, true) && is_kept(Some(&thrice), stamp, false));
        assert!(!is_kept(None, stamp, false));
        assert!(!is_kept(Some(&partial(stamp)), stamp, false));
    }

    #[test]
    fn a_sample_takes_of_every_operator_in_turn_and_a_greater_one_holds_it() {
        let all = || {
            vec![
                mutant(5, "AOR"),
                mutant(1, "CRP"),
                mutant(2, "CRP"),
                mutant(3, "CRP"),
                mutant(4, "ROR"),
            ]
        };
        let ids = |n| -> Vec<u8> {
            let drawn = sampled(all(), Some(n));
            drawn.iter().map(|mutant| mutant.id.0[0]).collect()
        };
        assert_eq!(ids(3), [5, 1, 4]);
        assert_eq!(ids(4), [5, 1, 2, 4]);
        assert_eq!(ids(9), [5, 1, 2, 3, 4]);
        assert_eq!(sampled(all(), None).len(), 5);
    }
}
