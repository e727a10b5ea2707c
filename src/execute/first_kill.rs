//! `--first-kill`: a test is not run on a mutant that another test of its run has noticed.
//!
//! Decides which tests may run at the same time, and which of those that were run before need no other pair. The tests
//! of a run notice together the same mutants as if each was run on all; a test that was left out on one has no counts
//! of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::{ContentHash, FaultOutcome, Mutant};

/// Mutants of a project that tests of the run have noticed.
#[derive(Debug, Default)]
pub struct NoticedMutants(BTreeSet<ContentHash>);

impl NoticedMutants {
    pub fn add(&mut self, pairs: impl IntoIterator<Item = (ContentHash, FaultOutcome)>) {
        let detected = pairs.into_iter().filter(|pair| pair.1.is_detected());
        self.0.extend(detected.map(|detected| detected.0));
    }

    /// Begins a round of tests that run at the same time.
    pub fn round(&self) -> TestRound<'_> {
        TestRound {
            noticed: &self.0,
            taken: BTreeSet::new(),
        }
    }
}

/// Tests that run at the same time: none of them may notice a mutant on which another one could then be left out.
pub struct TestRound<'n> {
    noticed: &'n BTreeSet<ContentHash>,
    taken: BTreeSet<ContentHash>,
}

impl TestRound<'_> {
    /// Takes a test, and returns its mutants that no test has noticed; nothing where another test of this round runs on
    /// one of these.
    pub fn take(&mut self, mutants: &[Arc<Mutant>]) -> Option<Vec<Arc<Mutant>>> {
        let open = mutants
            .iter()
            .filter(|mutant| !self.noticed.contains(&mutant.id))
            .cloned();
        let open: Vec<Arc<Mutant>> = open.collect();
        if open.iter().any(|mutant| self.taken.contains(&mutant.id)) {
            return None;
        }
        self.taken.extend(open.iter().map(|mutant| mutant.id));
        Some(open)
    }
}

/// A test that was run before, as its inputs are now.
#[derive(Debug)]
pub struct PartialTest {
    /// Whether it was run on all its mutants.
    pub is_whole: bool,
    pub mutants: Vec<ContentHash>,
    pub pairs: Vec<(ContentHash, FaultOutcome)>,
}

/// Retains in `tests` those that need no other pair, and returns the mutants that they have noticed. It repeats until
/// nothing changes, because a test may have been left out for one that has lost its pairs meanwhile.
pub fn stay(tests: &mut BTreeMap<u32, PartialTest>) -> NoticedMutants {
    loop {
        let mut noticed = NoticedMutants::default();
        for test in tests.values() {
            noticed.add(test.pairs.iter().copied());
        }
        let n_before = tests.len();
        tests.retain(|_, test| {
            let known: BTreeSet<ContentHash> = test.pairs.iter().map(|pair| pair.0).collect();
            let mut mutants = test.mutants.iter();
            test.is_whole
                || mutants.all(|mutant| known.contains(mutant) || noticed.0.contains(mutant))
        });
        if tests.len() == n_before {
            return noticed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::mutant;
    use FaultOutcome::{KilledByError, Survived};

    fn id(number: u8) -> ContentHash {
        mutant(number, "AOR").id
    }

    fn partly(is_whole: bool, pairs: &[(u8, FaultOutcome)]) -> PartialTest {
        PartialTest {
            is_whole,
            mutants: vec![id(1), id(2)],
            pairs: pairs.iter().map(|pair| (id(pair.0), pair.1)).collect(),
        }
    }

    #[test]
    fn tests_with_a_mutant_in_common_run_one_after_the_other_until_it_is_noticed() {
        let mutants = |ids: &[u8]| -> Vec<Arc<Mutant>> {
            ids.iter().map(|id| Arc::new(mutant(*id, "AOR"))).collect()
        };
        let ids = |open: Option<Vec<Arc<Mutant>>>| -> Option<Vec<ContentHash>> {
            open.map(|open| open.iter().map(|mutant| mutant.id).collect())
        };
        let mut noticed = NoticedMutants::default();
        let mut round = noticed.round();
        assert_eq!(ids(round.take(&mutants(&[1, 2]))), Some(vec![id(1), id(2)]));
        assert_eq!(ids(round.take(&mutants(&[2, 3]))), None);
        // A refused test takes none of its mutants.
        assert_eq!(ids(round.take(&mutants(&[3]))), Some(vec![id(3)]));
        noticed.add([(id(2), KilledByError), (id(1), Survived)]);
        let mut round = noticed.round();
        assert_eq!(ids(round.take(&mutants(&[2, 3]))), Some(vec![id(3)]));
        assert_eq!(ids(round.take(&mutants(&[1, 2]))), Some(vec![id(1)]));
        assert_eq!(ids(round.take(&mutants(&[2]))), Some(Vec::new()));
    }

    #[test]
    fn a_test_that_was_left_out_stays_while_the_one_that_noticed_is_there() {
        let whole = || partly(true, &[(1, KilledByError), (2, Survived)]);
        let left_out = || partly(false, &[(2, Survived)]);
        let mut tests = BTreeMap::from([(0, whole()), (1, left_out())]);
        assert!(stay(&mut tests).0.contains(&id(1)));
        assert_eq!(tests.len(), 2);
        let mut tests = BTreeMap::from([(1, left_out())]);
        assert!(stay(&mut tests).0.is_empty());
        assert!(tests.is_empty());
    }

    #[test]
    fn a_test_that_goes_takes_others_with_it() {
        // The second was left out for the first, which was left out for one that is gone.
        let first = partly(false, &[(2, KilledByError)]);
        let second = partly(false, &[(1, Survived)]);
        let mut tests = BTreeMap::from([(0, first), (1, second)]);
        assert!(stay(&mut tests).0.is_empty());
        // A test that is whole stays in any case.
        let mut tests = BTreeMap::from([(0, partly(true, &[(1, Survived), (2, Survived)]))]);
        stay(&mut tests);
        assert_eq!(tests.len(), 1);
    }
}
