//! Computes numbers from all tests of runs on mutants: minimal sets, and the counts as PIT makes them.
//!
//! Among the mutants of one method, one *subsumes* another if every test that notices it notices the other one, too.
//! Those that no other one subsumes are the minimal set: a test set that notices these notices all mutants that any
//! test of the pool does. Ammann, Delamaro, Offutt, "Establishing Theoretical Minimal Sets of Mutants" (2014). Where
//! the same tests notice several mutants, one stands for all. Mutants that no test of the pool notices are in no set,
//! because they may be equivalent.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ExecuteError;
use crate::model::{ContentHash, FaultCounts, FaultOutcome, RunRow, SampleKey};
use crate::store::{Store, StoredFault, run_named};
use crate::task::Monitor;

/// Tests of runs, by which minimal sets are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestPool {
    /// Their names, sorted.
    pub runs: Vec<String>,
    /// A hash of all results of these tests: other results mean other sets.
    pub hash: ContentHash,
    pub n_tests: u64,
    /// Mutants that some test of the pool ran on.
    pub n_mutants: u64,
    /// The mutants of the minimal sets.
    pub minimal: BTreeSet<ContentHash>,
}

/// The number of mutants that the tests of a run notice together, counted as PIT does: mutants that are not viable
/// count as detected (`DetectionStatus`, 1.20.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PitCounts {
    pub n_mutants: u64,
    pub n_covered: u64,
    pub n_detected: u64,
}

/// Computes the minimal sets by these runs: by their tests that ran on all their mutants.
///
/// # Errors
/// The index's, a run that is not there or was not executed, and cancelling.
pub fn pool(store: &Store, monitor: &Monitor, names: &[String]) -> Result<TestPool, ExecuteError> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.dedup();
    let mut hasher = blake3::Hasher::new();
    let mut tests: BTreeMap<(usize, SampleKey, u32), Vec<(ContentHash, FaultOutcome)>> =
        BTreeMap::new();
    let runs = store.runs()?;
    for (idx, name) in names.iter().enumerate() {
        let run = run_named(&runs, name)?;
        each_whole(store, monitor, run, |stored_fault| {
            let of_test = tests
                .entry((idx, stored_fault.sample, stored_fault.attempt))
                .or_default();
            of_test.push((stored_fault.pair.mutant.id, stored_fault.pair.outcome));
        })?;
        hasher.update(name.as_bytes());
        hasher.update(&[0]);
    }
    for ((idx, sample, attempt), pairs) in &mut tests {
        pairs.sort_unstable();
        hasher.update(&(*idx as u64).to_le_bytes());
        hasher.update(&sample.0);
        hasher.update(&attempt.to_le_bytes());
        for (mutant, outcome) in pairs {
            hasher.update(&mutant.0);
            hasher.update(&[*outcome as u8]);
        }
    }
    let mut hash = [0; 16];
    hasher.finalize_xof().fill(&mut hash);
    let pairs: Vec<&[(ContentHash, FaultOutcome)]> = tests.values().map(Vec::as_slice).collect();
    let mutants: FxHashSet<ContentHash> =
        pairs.iter().copied().flatten().map(|pair| pair.0).collect();
    Ok(TestPool {
        runs: names,
        hash: ContentHash(hash),
        n_tests: tests.len() as u64,
        n_mutants: mutants.len() as u64,
        minimal: minimal(&pairs),
    })
}

/// Finds the mutants of the minimal sets; each test is given with its pairs on the mutants of its method.
fn minimal(tests: &[&[(ContentHash, FaultOutcome)]]) -> BTreeSet<ContentHash> {
    // A mutant takes part only where its result is known for all tests that ran on it.
    let mut unsure: FxHashSet<ContentHash> = FxHashSet::default();
    let mut noticed_by: BTreeMap<ContentHash, BTreeSet<usize>> = BTreeMap::new();
    let mut methods = Methods::default();
    for (test, pairs) in tests.iter().enumerate() {
        for (mutant, outcome) in *pairs {
            methods.join(pairs[0].0, *mutant);
            if matches!(outcome, FaultOutcome::NotViable | FaultOutcome::Unstable) {
                unsure.insert(*mutant);
            }
            if outcome.is_detected() {
                noticed_by.entry(*mutant).or_default().insert(test);
            }
        }
    }
    let mut by_method: BTreeMap<ContentHash, BTreeMap<BTreeSet<usize>, ContentHash>> =
        BTreeMap::new();
    for (mutant, tests) in noticed_by {
        if !unsure.contains(&mutant) {
            let method = methods.of(mutant);
            let of_method = by_method.entry(method).or_default();
            // Of the mutants that the same tests notice, the first by its id stands for all.
            of_method.entry(tests).or_insert(mutant);
        }
    }
    let mut minimal = BTreeSet::new();
    for sets in by_method.values() {
        for (tests, mutant) in sets {
            let subsumes = |other: &BTreeSet<usize>| other != tests && other.is_subset(tests);
            if !sets.keys().any(subsumes) {
                minimal.insert(*mutant);
            }
        }
    }
    minimal
}

/// Joins mutants into methods: those that one test ran on belong together.
#[derive(Default)]
struct Methods(FxHashMap<ContentHash, ContentHash>);

impl Methods {
    fn of(&mut self, mutant: ContentHash) -> ContentHash {
        let mut root = mutant;
        while let Some(parent) = self
            .0
            .get(&root)
            .filter(|content_hash| **content_hash != root)
        {
            root = *parent;
        }
        self.0.insert(mutant, root);
        root
    }

    fn join(&mut self, first: ContentHash, second: ContentHash) {
        let (first, second) = (self.of(first), self.of(second));
        self.0.insert(second, first);
    }
}

/// Counts a run's tests on the mutants of the minimal sets alone: their score is the *subsuming score*.
///
/// # Errors
/// The index's, and cancelling.
pub fn subsuming(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    pool: &TestPool,
) -> Result<FaultCounts, ExecuteError> {
    let mut counts = FaultCounts::default();
    each_whole(store, monitor, run, |stored_fault| {
        if pool.minimal.contains(&stored_fault.pair.mutant.id) {
            counts.add(stored_fault.pair.outcome);
        }
    })?;
    Ok(counts)
}

/// Counts mutants as PIT does.
///
/// # Errors
/// The index's, and cancelling.
pub fn as_pit_counts(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
) -> Result<PitCounts, ExecuteError> {
    let mut mutants: FxHashMap<ContentHash, Vec<FaultOutcome>> = FxHashMap::default();
    each(store, monitor, run, |stored_fault| {
        let of_mutant = mutants.entry(stored_fault.pair.mutant.id).or_default();
        of_mutant.push(stored_fault.pair.outcome);
    })?;
    Ok(pit(mutants.values().map(Vec::as_slice)))
}

fn pit<'a>(mutants: impl Iterator<Item = &'a [FaultOutcome]>) -> PitCounts {
    let mut counts = PitCounts::default();
    for outcomes in mutants {
        // Unstable pairs do not count.
        let outcomes = outcomes.iter().copied();
        let mut outcomes = outcomes
            .filter(|outcome| *outcome != FaultOutcome::Unstable)
            .peekable();
        if outcomes.peek().is_none() {
            continue;
        }
        let any = |is_so: fn(FaultOutcome) -> bool| outcomes.clone().any(is_so);
        counts.n_mutants += 1;
        counts.n_covered += u64::from(any(|fault_outcome| {
            fault_outcome != FaultOutcome::NotCovered
        }));
        counts.n_detected += u64::from(any(|fault_outcome| {
            fault_outcome.is_detected() || fault_outcome == FaultOutcome::NotViable
        }));
    }
    counts
}

/// Passes on only the pairs of tests that ran on all their mutants.
fn each_whole(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    mut whole: impl FnMut(&StoredFault),
) -> Result<(), ExecuteError> {
    each(store, monitor, run, |stored_fault| {
        if stored_fault.is_whole {
            whole(stored_fault);
        }
    })
}

fn each(
    store: &Store,
    monitor: &Monitor,
    run: &RunRow,
    mut each: impl FnMut(&StoredFault),
) -> Result<(), ExecuteError> {
    let Some(setting) = store.execution_setting(run.id)? else {
        let name = run.setting.name.clone();
        return Err(ExecuteError::NotExecuted { name });
    };
    store.each_fault(run.id, &setting.engine, |stored_fault| {
        monitor.step()?;
        each(&stored_fault);
        Ok::<_, ExecuteError>(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use FaultOutcome::{KilledByAssertion, NotCovered, NotViable, Survived, Unstable};

    fn id(number: u8) -> ContentHash {
        ContentHash([number; 16])
    }

    /// `.` survives, `K` is noticed, `u` is unstable; a row is a test, a place in it a mutant.
    fn check(rows: &[&str], expected: &[u8]) {
        let tests: Vec<Vec<(ContentHash, FaultOutcome)>> = rows
            .iter()
            .map(|row| {
                let outcome = |letter| match letter {
                    'K' => KilledByAssertion,
                    'u' => Unstable,
                    _ => Survived,
                };
                (0..).map(id).zip(row.chars().map(outcome)).collect()
            })
            .collect();
        let tests: Vec<&[_]> = tests.iter().map(Vec::as_slice).collect();
        let expected: BTreeSet<ContentHash> =
            expected.iter().map(|expected| id(*expected)).collect();
        assert_eq!(minimal(&tests), expected, "{rows:?}");
    }

    #[test]
    fn mutants_that_others_subsume_are_not_minimal() {
        // All tests that notice the first mutant notice the second.
        check(&["KK", ".K"], &[0]);
        check(&["K.", ".K"], &[0, 1]);
        // One stands for mutants that the same tests notice.
        check(&["KK", ".."], &[0]);
        // A mutant that no test notices is in no set.
        check(&["K.", "K."], &[0]);
        check(&["..", ".."], &[]);
        // Ammann and others, figure 1: a mutant that only one test notices subsumes those that this test and others
        // notice.
        check(&["K.KK", "..KK", "...K"], &[0]);
    }

    #[test]
    fn what_is_not_sure_subsumes_nothing() {
        check(&["uK", ".K"], &[1]);
    }

    #[test]
    fn mutants_of_other_methods_subsume_nothing() {
        let first = [(id(1), KilledByAssertion)];
        let second = [(id(2), KilledByAssertion), (id(3), KilledByAssertion)];
        let third = [(id(2), Survived), (id(3), KilledByAssertion)];
        let found = minimal(&[&first, &second, &third]);
        assert_eq!(found, BTreeSet::from([id(1), id(2)]));
    }

    #[test]
    fn pit_counts_mutants_and_what_is_not_viable_as_detected() {
        let mutants: [&[FaultOutcome]; 6] = [
            &[Survived, KilledByAssertion],
            &[NotCovered, NotCovered],
            &[NotViable],
            &[NotCovered, Survived],
            &[Unstable],
            &[Unstable, NotCovered],
        ];
        let expected = PitCounts {
            n_mutants: 5,
            n_covered: 3,
            n_detected: 2,
        };
        assert_eq!(pit(mutants.into_iter()), expected);
    }
}
