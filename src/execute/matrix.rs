//! The table of a sample's mutants and the tests that ran on them.
//!
//! A row for each mutant in the order of places, a column for each test: the true one first, then runs by name and
//! attempts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::{FaultCounts, FaultOutcome, Mutant, MutantPlace, SampleKey};
use crate::store::{Equivalence, Store, StoreError, StoredFault, TRUTH_SOURCE};

/// A test of the sample.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixColumn {
    pub run: String,
    pub attempt: u32,
    /// Whether it is the true test.
    pub is_truth: bool,
    /// Absent where it did not run on all its mutants.
    pub counts: Option<FaultCounts>,
    /// Nothing where the run no longer has it.
    pub text: Option<String>,
}

/// The result of one test on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixCell {
    pub outcome: FaultOutcome,
    /// The class of the first exception.
    pub by: Option<String>,
}

/// A mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixRow {
    pub mutant: Mutant,
    /// By column; nothing where the test was run on other mutants.
    pub met: Vec<Option<MatrixCell>>,
    /// The marks of people as equivalent, if there are any.
    pub equivalence: Option<Equivalence>,
}

impl MatrixRow {
    /// Looks up the outcome of a test on it.
    #[must_use]
    pub fn outcome(&self, column: usize) -> Option<FaultOutcome> {
        Some(self.met.get(column)?.as_ref()?.outcome)
    }

    /// Tells whether a test leaves it alive.
    #[must_use]
    pub fn survives(&self, column: usize) -> bool {
        self.outcome(column).is_some_and(FaultOutcome::is_survived)
    }

    /// Tells whether it counts nowhere, because people have marked it as equivalent and no test kills it.
    #[must_use]
    pub fn is_equivalent(&self) -> bool {
        self.equivalence
            .as_ref()
            .is_some_and(|equivalence| !equivalence.is_refuted)
    }

    /// Tells whether this annotator has marked it as equivalent.
    #[must_use]
    pub fn is_marked_by(&self, annotator: &str) -> bool {
        let by = self.equivalence.as_ref().map(|equivalence| &equivalence.by);
        by.is_some_and(|texts| texts.iter().any(|name| name == annotator))
    }

    /// Tells whether a test notices it.
    #[must_use]
    pub fn is_detected(&self, column: usize) -> bool {
        self.outcome(column).is_some_and(FaultOutcome::is_detected)
    }
}

/// Mutants by tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MutantMatrix {
    /// `CounterTest.testInc`; empty where the index no longer has the sample, as is what follows.
    pub test: String,
    pub focal: String,
    /// The file of the focal method.
    pub path: String,
    pub source: Option<Arc<str>>,
    pub columns: Vec<MatrixColumn>,
    pub lines: Vec<MatrixRow>,
}

impl MutantMatrix {
    /// Finds the column of the true test.
    #[must_use]
    pub fn truth(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.is_truth)
    }

    /// Tells whether the true test notices a mutant, and a test does not.
    #[must_use]
    pub fn is_missed(&self, line: &MatrixRow, column: usize) -> bool {
        let truth = self.truth();
        truth.is_some_and(|truth| line.is_detected(truth)) && line.survives(column)
    }
}

/// Lists the samples with a test that ran on mutants, in the order of their tests in the index of runs.
///
/// # Errors
/// The index's.
pub fn samples(store: &Store) -> Result<Vec<SampleKey>, StoreError> {
    store.faulted_samples()
}

/// Finds the first of these samples whose true test notices a mutant that this test misses: the name of a run and the
/// number of its answer.
///
/// # Errors
/// The index's.
pub fn first_missed(
    store: &Store,
    samples: &[SampleKey],
    (run, attempt): (&str, u32),
) -> Result<Option<SampleKey>, StoreError> {
    let runs = store.runs()?.into_iter();
    let truths = runs.filter(|run| run.setting.source == TRUTH_SOURCE);
    let truths: Vec<String> = truths.map(|truth| truth.setting.name).collect();
    for key in samples {
        let mutants = by_mutant(store.faults_of_sample(key)?);
        if mutants
            .iter()
            .any(|mutant| is_missed(mutant, &truths, (run, attempt)))
        {
            return Ok(Some(*key));
        }
    }
    Ok(None)
}

/// Tells by the pairs of one mutant whether the true test notices it and this test does not.
fn is_missed(pairs: &[StoredFault], truths: &[String], test: (&str, u32)) -> bool {
    let is_noticed = |stored_fault: &StoredFault| {
        truths.contains(&stored_fault.run) && stored_fault.pair.outcome.is_detected()
    };
    let is_left = |stored_fault: &StoredFault| {
        (stored_fault.run.as_str(), stored_fault.attempt) == test
            && stored_fault.pair.outcome.is_survived()
    };
    pairs.iter().any(is_noticed) && pairs.iter().any(is_left)
}

/// Tabulates the mutants of a sample by its tests; nothing where no test ran on any.
///
/// # Errors
/// The index's.
pub fn matrix(store: &Store, key: &SampleKey) -> Result<Option<MutantMatrix>, StoreError> {
    let found = store.faults_of_sample(key)?;
    if found.is_empty() {
        return Ok(None);
    }
    let columns = columns(store, key, &found)?;
    let places: FxHashMap<(&str, u32), usize> = columns
        .iter()
        .enumerate()
        .map(|(place, matrix_column)| ((matrix_column.run.as_str(), matrix_column.attempt), place))
        .collect();
    let lines = by_mutant(found).into_iter().map(|pairs| {
        let mut met = vec![None; columns.len()];
        for pair in &pairs {
            if let Some(place) = places.get(&(pair.run.as_str(), pair.attempt)) {
                met[*place] = Some(MatrixCell {
                    outcome: pair.pair.outcome,
                    by: pair.pair.by.clone(),
                });
            }
        }
        pairs.into_iter().next().map(|pair| MatrixRow {
            mutant: pair.pair.mutant,
            met,
            equivalence: pair.equivalence,
        })
    });
    let lines = lines.flatten().collect();
    let mut matrix = MutantMatrix {
        columns,
        lines,
        ..MutantMatrix::default()
    };
    if let Some(sample) = store.sample(key, None)? {
        let class = sample.row.test_class.rsplit('.').next().unwrap_or_default();
        matrix.test = [class, &sample.row.test_name]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(".");
        matrix.focal = sample.row.focal.clone().unwrap_or_default();
        if let Some(focal) = sample.focal {
            matrix.path = focal.path;
            matrix.source = Some(focal.text);
        }
    }
    Ok(Some(matrix))
}

fn columns(
    store: &Store,
    key: &SampleKey,
    found: &[StoredFault],
) -> Result<Vec<MatrixColumn>, StoreError> {
    let mut columns: Vec<MatrixColumn> = Vec::new();
    let mut places: FxHashMap<(&str, u32), usize> = FxHashMap::default();
    for stored_fault in found {
        let place = *places
            .entry((stored_fault.run.as_str(), stored_fault.attempt))
            .or_insert_with(|| {
                columns.push(MatrixColumn {
                    run: stored_fault.run.clone(),
                    attempt: stored_fault.attempt,
                    is_truth: false,
                    counts: stored_fault.is_whole.then(FaultCounts::default),
                    text: None,
                });
                columns.len() - 1
            });
        if let Some(counts) = &mut columns[place].counts {
            counts.add_marked(stored_fault.pair.outcome, stored_fault.is_equivalent());
        }
    }
    for column in &mut columns {
        let Some(run) = store.run(&column.run)? else {
            continue;
        };
        column.is_truth = run.setting.source == TRUTH_SOURCE;
        if let Some(ordinal) = store.result_ordinal(run.id, key, column.attempt)? {
            let prediction = store.predictions(run.id, ordinal, 1)?.pop();
            column.text = prediction.map(|prediction| prediction.code.unwrap_or(prediction.answer));
        }
    }
    columns.sort_by(|a, b| {
        let order = |matrix_column: &MatrixColumn| {
            (
                !matrix_column.is_truth,
                matrix_column.run.clone(),
                matrix_column.attempt,
            )
        };
        order(a).cmp(&order(b))
    });
    Ok(columns)
}

/// Groups pairs by their mutant, in the order of places.
#[must_use]
pub fn by_mutant(mut found: Vec<StoredFault>) -> Vec<Vec<StoredFault>> {
    let place = |stored: &StoredFault| {
        let mutant = &stored.pair.mutant;
        let start = match mutant.place {
            MutantPlace::Text { start, .. } => start,
            MutantPlace::ByteCode { .. } => 0,
        };
        (mutant.line, start, mutant.id.0)
    };
    found.sort_by_key(place);
    let mut groups: Vec<Vec<StoredFault>> = Vec::new();
    for stored in found {
        match groups.last_mut() {
            Some(group) if group[0].pair.mutant.id == stored.pair.mutant.id => group.push(stored),
            _ => groups.push(vec![stored]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FaultPair;
    use crate::tests::mutant;

    fn pair(run: &str, attempt: u32, outcome: FaultOutcome) -> StoredFault {
        StoredFault {
            run: run.to_owned(),
            sample: SampleKey([1; 16]),
            attempt,
            is_whole: true,
            pair: FaultPair {
                mutant: mutant(1, "AOR"),
                outcome,
                by: None,
                ms: None,
            },
            equivalence: None,
        }
    }

    #[test]
    fn missed_is_what_the_true_test_notices_and_this_answer_leaves_alive() {
        use FaultOutcome::{KilledByAssertion, NotCovered, Survived, TimedOut, Unstable};
        let truths = ["truth".to_owned()];
        let missed = |truth, answer, attempt| {
            let pairs = [pair("truth", 0, truth), pair("a", attempt, answer)];
            is_missed(&pairs, &truths, ("a", 0))
        };
        assert!(missed(KilledByAssertion, Survived, 0));
        assert!(missed(TimedOut, NotCovered, 0));
        assert!(!missed(KilledByAssertion, TimedOut, 0), "both notice it");
        assert!(!missed(Survived, Survived, 0), "neither notices it");
        assert!(!missed(KilledByAssertion, Unstable, 0), "nobody knows");
        assert!(!missed(KilledByAssertion, Survived, 1), "another attempt");
    }
}
