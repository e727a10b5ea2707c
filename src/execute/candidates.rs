//! True tests against mutants of every method that they may be about: `execute --truth --faults --candidates`, or
//! `--traces`.
//!
//! Interprets the pairs of each candidate; [`crate::aims`] chooses the methods. That a test notices faults of a method
//! does not make it the focal one (`list.add(x); assertEquals(1, list.size())` notices both), so this is evidence and
//! no decision, and it enters no number of a test. The stored facts about methods that tests enter are read here, too.

use crate::choose::TRACES;
use crate::model::{ContentHash, FaultCounts, RunRow, SampleKey};
use crate::store::{FaultedMethod, MethodScope, Store, StoreError, TRUTH_SOURCE, TestMethods};

/// The number of mutants of one of its candidates that a true test notices.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateShare {
    pub method: FaultedMethod,
    /// The counts over the mutants of its own body.
    pub counts: FaultCounts,
    /// The share of viable mutants that the test notices by an assertion, shrunk by Beta(1, 1): (k + 1) / (n + 2).
    /// Nothing where none is viable.
    pub share: Option<f64>,
    /// From 1, by the share; equal shares have the same one.
    pub rank: Option<u32>,
    /// The share, where no other candidate calls a method of this name in its body, so that the test cannot have
    /// noticed the mutants through another candidate.
    pub only_there: Option<f64>,
}

/// A true test with its candidates, in the matcher's order.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateShares {
    pub run: String,
    pub sample: SampleKey,
    pub candidates: Vec<CandidateShare>,
}

/// Reads which mutants of their candidates true tests notice, for one sample alone where it is given; tests that were
/// not held against the mutants are left out.
///
/// # Errors
/// The index's.
pub fn noticing(
    store: &Store,
    sample: Option<&SampleKey>,
) -> Result<Vec<CandidateShares>, StoreError> {
    let is_true =
        |run: &RunRow| [TRUTH_SOURCE, TRACES.source].contains(&run.setting.source.as_str());
    let found = of_runs(store, (MethodScope::Candidates, sample), is_true)?;
    let found = found.into_iter();
    Ok(found.map(|(run, test)| of_test(&run, test)).collect())
}

/// Reads which mutants of the methods that they enter tests of runs notice, with the names of the runs; for one run or
/// sample alone where it is given.
///
/// # Errors
/// The index's.
pub fn covering(
    store: &Store,
    run: Option<&str>,
    sample: Option<&SampleKey>,
) -> Result<Vec<(String, TestMethods)>, StoreError> {
    of_runs(store, (MethodScope::Covered, sample), |run_row| {
        run.is_none_or(|run| run_row.setting.name == run)
    })
}

fn of_runs(
    store: &Store,
    (scope, sample): (MethodScope, Option<&SampleKey>),
    is_wanted: impl Fn(&RunRow) -> bool,
) -> Result<Vec<(String, TestMethods)>, StoreError> {
    let mut found = Vec::new();
    for run in store.runs()?.into_iter().filter(is_wanted) {
        let Some(setting) = store.execution_setting(run.id)? else {
            continue;
        };
        for test in store.method_faults((run.id, &setting.engine), scope, sample)? {
            found.push((run.setting.name.clone(), test));
        }
    }
    Ok(found)
}

fn of_test(run: &str, test: TestMethods) -> CandidateShares {
    let shares: Vec<Option<f64>> = test
        .methods
        .iter()
        .map(|method| share(method.counts))
        .collect();
    let candidates = test
        .methods
        .into_iter()
        .zip(&shares)
        .map(|(method_faults, share)| {
            let better = |share: f64| {
                shares
                    .iter()
                    .flatten()
                    .filter(|value| **value > share)
                    .count()
            };
            CandidateShare {
                share: *share,
                rank: share.map(|share| 1 + better(share) as u32),
                only_there: share.filter(|_| method_faults.method.callers.is_empty()),
                method: method_faults.method,
                counts: method_faults.counts,
            }
        });
    CandidateShares {
        run: run.to_owned(),
        sample: test.sample,
        candidates: candidates.collect(),
    }
}

/// Computes the share noticed by an assertion as if there were one more mutant that is noticed and one that is not,
/// because few mutants say little.
fn share(counts: FaultCounts) -> Option<f64> {
    let (noticed, n) = (counts.n_by_assertion as f64, counts.n_viable as f64);
    (counts.n_viable > 0).then(|| (noticed + 1.0) / (n + 2.0))
}

/// Hashes what decides the pairs with the stored facts about the candidates; without candidates it is the hash of the
/// pairs.
pub fn stamp(pairs: ContentHash, told: &[(FaultedMethod, Vec<ContentHash>)]) -> ContentHash {
    if told.is_empty() {
        return pairs;
    }
    let mut hasher = blake3::Hasher::new_derive_key("focalist execute --faults --candidates");
    hasher.update(&pairs.0);
    for (method, mutants) in told {
        for text in [&method.name, &method.file] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.update(&method.line.to_le_bytes());
        hasher.update(&[u8::from(method.is_picked)]);
        hasher.update(&(method.callers.len() as u64).to_le_bytes());
        for caller in &method.callers {
            hasher.update(&caller.to_le_bytes());
        }
        hasher.update(&(mutants.len() as u64).to_le_bytes());
        for mutant in mutants {
            hasher.update(&mutant.0);
        }
    }
    ContentHash::of(&hasher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FaultOutcome::{self, KilledByAssertion, KilledByError, NotViable, Survived};
    use crate::store::StoredMethodFaults;

    fn candidate(callers: &[u32], outcomes: &[FaultOutcome]) -> StoredMethodFaults {
        StoredMethodFaults {
            method: FaultedMethod {
                name: "p.Cart#add(int)".to_owned(),
                file: "Cart.java".to_owned(),
                line: 1,
                is_picked: false,
                callers: callers.to_vec(),
            },
            counts: FaultCounts::of(outcomes.iter().copied()),
        }
    }

    /// The share, the rank and the share noticed only there, of each candidate.
    fn check(
        candidates: Vec<StoredMethodFaults>,
        expected: &[(Option<f64>, Option<u32>, Option<f64>)],
    ) {
        let test = TestMethods {
            sample: SampleKey([1; 16]),
            attempt: 0,
            n_methods: None,
            counts: FaultCounts::default(),
            methods: candidates,
        };
        let found = of_test("truth", test).candidates;
        let found: Vec<_> = found
            .iter()
            .map(|candidate_share| {
                (
                    candidate_share.share,
                    candidate_share.rank,
                    candidate_share.only_there,
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn shares_are_of_assertions_and_shrunk_and_ranks_are_by_them() {
        let both = [KilledByAssertion, KilledByAssertion];
        check(
            vec![
                // A kill by an error does not count for the share: the setup of a test may end with one.
                candidate(&[], &[KilledByError, Survived]),
                candidate(&[], &both),
                candidate(&[], &[KilledByAssertion, KilledByAssertion, NotViable]),
            ],
            &[
                (Some(0.25), Some(3), Some(0.25)),
                (Some(0.75), Some(1), Some(0.75)),
                (Some(0.75), Some(1), Some(0.75)),
            ],
        );
    }

    #[test]
    fn what_another_candidate_calls_is_not_noticed_only_there() {
        let all = vec![
            candidate(&[], &[KilledByAssertion]),
            candidate(&[0], &[KilledByAssertion]),
        ];
        let share = Some(2.0 / 3.0);
        check(all, &[(share, Some(1), share), (share, Some(1), None)]);
    }

    #[test]
    fn without_a_viable_mutant_there_is_no_share_and_no_rank() {
        check(
            vec![
                candidate(&[], &[NotViable]),
                candidate(&[], &[]),
                candidate(&[], &[Survived]),
            ],
            &[
                (None, None, None),
                (None, None, None),
                (Some(1.0 / 3.0), Some(1), Some(1.0 / 3.0)),
            ],
        );
    }
}
