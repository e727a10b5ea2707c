//! Parts of runs: every row that is copied back finds its prediction, or nothing is written.

use crate::StoreError;
use crate::model::{Outcome, PredictionReading};
use crate::task::Monitor;
use crate::testing::{GivenPrediction, counter_repo, key_of, put_run, store_with};

use super::executions::{setting, written};
use super::{Store, count_rows};

/// Creates an index with a run of two predictions, evaluated with one metric.
fn evaluated() -> (tempfile::TempDir, Store, i64) {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let given = ["testInc", "testAdd"].map(|test| GivenPrediction {
        key: key_of("a", test),
        attempt: 0,
        answer: test.to_owned(),
        reading: PredictionReading::default(),
        tags: None,
        values: vec![0.5],
    });
    let run = put_run(&mut store, "run", &["bleu"], &given);
    (folder, store, run)
}

/// Checks that the failure names the part and the prediction that is not in it.
fn check_refused(part: &Store, failure: StoreError) {
    let StoreError::Damaged { path, detail } = failure else {
        panic!("{failure}");
    };
    assert_eq!(path, part.path);
    assert!(detail.contains("prediction 1"), "{detail}");
}

#[test]
fn an_outcome_without_a_place_fails() {
    let (_here, mut store, run) = evaluated();
    let (_there, mut part, part_run) = evaluated();
    let monitor = Monitor::default();
    let mut copied = written(0, Outcome::Failing);
    copied.execution.duplicate_of = Some(1);
    for outcomes in [
        vec![written(0, Outcome::Correct), written(1, Outcome::Failing)],
        vec![copied],
    ] {
        part.begin_executions(part_run, &setting("1"))
            .expect("it begins");
        part.write_executions(part_run, &setting("1"), &outcomes, &monitor)
            .expect("they are written");
        let merged = store.merge_executions(run, &part, (part_run, &[0]), &monitor);
        check_refused(&part, merged.expect_err("prediction 1 has no place"));
        assert_eq!(count_rows(&store.conn, "executions"), 0);
    }
    let merged = store.merge_executions(run, &part, (part_run, &[1, 0]), &monitor);
    assert_eq!(merged.expect("both have a place"), 2);
}

#[test]
fn a_score_without_a_place_fails() {
    let (_here, mut store, run) = evaluated();
    let (_there, part, part_run) = evaluated();
    let of = |store: &Store, run| {
        let rows = store.runs().expect("the list is read");
        let mut rows = rows.into_iter();
        rows.find(|row| row.id == run).expect("the run is there")
    };
    let (run, part_run) = (of(&store, run), of(&part, part_run));
    let monitor = Monitor::default();
    // Readings are checked first; without the reading that has no place, the score is refused.
    for removed in ["", "DELETE FROM readings WHERE prediction & 1"] {
        let done = part.conn.execute_batch(removed);
        done.expect("the part is written");
        let merged = store.merge_scores(&run, &part, (&part_run, &[0]), &monitor);
        check_refused(&part, merged.expect_err("prediction 1 has no place"));
    }
}
