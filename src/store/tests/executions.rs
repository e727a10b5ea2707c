//! Executions: they are read as written, the last one counts, and they are deleted with their run.

use crate::PredictionNeedle;
use crate::model::{
    Confirmation, ContentHash, CoverScope, CoverageCounter, CoveredSet, EnteredMethod, Execution,
    ExecutionSetting, FocalTotal, Outcome, PredictionReading, Repair,
};
use crate::task::Monitor;
use crate::testing::{GivenPrediction, counter_repo, key_of, put_unread_run, store_with};
use crate::{Store, WrittenExecution};

use super::count_rows;

/// Every table with rows about executions.
const TABLES: [&str; 7] = [
    "executions",
    "execution_details",
    "execution_confirmations",
    "execution_coverage",
    "execution_entered",
    "run_executions",
    "focal_totals",
];

pub(super) fn setting(version: &str) -> ExecutionSetting {
    ExecutionSetting {
        engine: "fast".to_owned(),
        version: version.to_owned(),
        options: "timeout=10".to_owned(),
        sandbox: "bwrap".to_owned(),
        executed_at: 1,
    }
}

pub(super) fn written(ordinal: u32, outcome: Outcome) -> WrittenExecution {
    let entered = |name: &str, depth| EnteredMethod {
        class: "p.Counter".to_owned(),
        name: name.to_owned(),
        descriptor: "()V".to_owned(),
        depth,
        n_times: 2,
    };
    WrittenExecution {
        ordinal,
        stamp: ContentHash([ordinal as u8; 16]),
        execution: Execution {
            outcome: Some(outcome),
            repair: Repair::Cut,
            is_called: Some(true),
            lines: Some(CoverageCounter {
                missed: 1,
                covered: 2,
            }),
            timeout_ms: 10_000,
            ..Execution::default()
        },
        why: Some("{}".to_owned()),
        words: "cannot find symbol".to_owned(),
        record: "{}".to_owned(),
        covered: vec![CoveredSet {
            unit: "p.Counter".to_owned(),
            bits: vec![1, 0, 4],
        }],
        entered: vec![entered("inc", 0), entered("get", 1)],
    }
}

pub(super) fn store_with_run() -> (tempfile::TempDir, Store, i64) {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let given = ["testInc", "testAdd"].map(|test| GivenPrediction {
        key: key_of("a", test),
        attempt: 0,
        answer: "x".to_owned(),
        reading: PredictionReading::default(),
        tags: None,
        values: Vec::new(),
    });
    let run = put_unread_run(&mut store, "run", &given);
    (folder, store, run)
}

#[test]
fn executions_come_back_as_written_and_the_last_time_counts() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    for outcome in [Outcome::Failing, Outcome::Correct] {
        let setting = setting("1");
        store.begin_executions(run, &setting).expect("it begins");
        let both = [written(0, outcome), written(1, Outcome::Timeout)];
        let done = store.write_executions(run, &setting, &both, &monitor);
        done.expect("they are written");
        let column = store.executions(run, "fast", 3, &monitor);
        let column = column.expect("they are read");
        assert_eq!(column[0], Some(both[0].execution));
        assert_eq!(column[2], None);
        let page = store.executions_of(run, "fast", &[2, 0]);
        let page = page.expect("it is read");
        assert_eq!(page.get(&0).copied(), column[0]);
        assert_eq!(page.len(), 1);
        let stored = store.execution(run, "fast", 0).expect("it is read");
        let stored = stored.expect("it is there");
        assert_eq!(stored.execution, both[0].execution);
        assert_eq!(stored.prediction.key, key_of("a", "testInc"));
        let covered = store.execution_coverage(run, "fast", 0);
        assert_eq!(covered.expect("it is read"), both[0].covered);
        let entered = store.execution_entered(run, "fast", 1);
        assert_eq!(entered.expect("it is read"), both[1].entered);
        let funnel = store.execution_funnel(run, "fast").expect("it is counted");
        assert_eq!(funnel.n_unique, 2);
        assert_eq!(funnel.n_correct, u64::from(outcome == Outcome::Correct));
    }
    let stamps = store.execution_stamps(run, &setting("2"));
    let stamps = stamps.expect("they are read");
    assert_eq!(stamps[&1].stamp, ContentHash([1; 16]));
    assert!(
        stamps
            .values()
            .all(|execution_stamp| !execution_stamp.is_current)
    );
    assert_eq!(count_rows(&store.conn, "covered"), 1);
}

#[test]
fn reasons_are_searched_whatever_the_case() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    let mut other = written(1, Outcome::Failing);
    other.words = "expected 1".to_owned();
    let both = [written(0, Outcome::NotCompilable), other];
    let done = store.write_executions(run, &setting("1"), &both, &monitor);
    done.expect("they are written");
    for (negated, expected) in [(false, vec![0]), (true, vec![1, 2])] {
        let piece = PredictionNeedle {
            text: "Cannot FIND",
            is_wanted: !negated,
        };
        let mut ordinals = vec![0, 1, 2];
        let kept = store.retain_reasons((run, "fast"), &mut ordinals, piece, &monitor);
        kept.expect("they are looked at");
        assert_eq!(ordinals, expected);
    }
}

#[test]
fn executions_go_with_their_run() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    let setting = setting("1");
    store.begin_executions(run, &setting).expect("it begins");
    let done = store.write_executions(run, &setting, &[written(0, Outcome::Passing)], &monitor);
    done.expect("it is written");
    let total = FocalTotal {
        project: "a".to_owned(),
        focal: "p.Counter#inc()".to_owned(),
        scope: CoverScope::Own,
        lines: Some(CoverageCounter {
            missed: 0,
            covered: 3,
        }),
        branches: None,
    };
    let word = [(0, Confirmation::Yes)];
    let done = store.write_confirmations((run, "fast"), &word, &monitor);
    done.expect("it is written");
    let totals = [total];
    let done = store.write_focal_totals(run, ("fast", "a"), &totals, &monitor);
    done.expect("it is written");
    assert_eq!(store.focal_totals(run, "fast").expect("it is read"), totals);
    for table in TABLES {
        assert!(count_rows(&store.conn, table) > 0, "{table}");
    }
    assert!(store.remove_run("run", &monitor).expect("it is removed"));
    for table in TABLES {
        assert_eq!(count_rows(&store.conn, table), 0, "{table}");
    }
}

#[test]
fn a_run_is_extended_in_place() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    let mut predictions = store.predictions(run, 0, 10).expect("they are read");
    predictions[1].answer = "y".to_owned();
    predictions[1].content_hash = ContentHash([9; 16]);
    let mut new = predictions[0].clone();
    new.key = key_of("a", "other");
    predictions.push(new);
    let n_changed = store.extend_run(run, &predictions, &monitor);
    assert_eq!(n_changed.expect("it is extended"), 2);
    let after = store.predictions(run, 0, 10).expect("they are read");
    let answers: Vec<&str> = after
        .iter()
        .map(|prediction| prediction.answer.as_str())
        .collect();
    assert_eq!(answers, ["x", "y", "x"]);
    let row = store.run("run").expect("it is read").expect("it is there");
    assert_eq!((row.n_predictions, row.n_samples), (3, 3));
    let again = store.extend_run(run, &predictions, &monitor);
    assert_eq!(again.expect("it is extended"), 0);
}

#[test]
fn what_a_second_look_refutes_counts_as_failing_until_it_runs_again() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    let setting = setting("1");
    store.begin_executions(run, &setting).expect("it begins");
    let mut same = written(1, Outcome::Correct);
    same.execution.duplicate_of = Some(0);
    let both = [written(0, Outcome::Correct), same];
    let done = store.write_executions(run, &setting, &both, &monitor);
    done.expect("they are written");
    let look = |store: &Store| {
        let column = store.executions(run, "fast", 2, &monitor);
        let column = column.expect("they are read").into_iter().flatten();
        let words: Vec<_> = column
            .map(|execution| (execution.confirmed, execution.counted()))
            .collect();
        let funnel = store.execution_funnel(run, "fast").expect("it is counted");
        (words, (funnel.n_drawn(), funnel.n_correct))
    };
    let correct = Some(Outcome::Correct);
    assert_eq!(look(&store), (vec![(None, correct); 2], (0, 1)));
    for (word, counted, n_correct) in [
        (Confirmation::Yes, correct, 1),
        (Confirmation::Undecided, correct, 1),
        (Confirmation::Forged, Some(Outcome::Failing), 0),
    ] {
        let done = store.write_confirmations((run, "fast"), &[(0, word)], &monitor);
        done.expect("it is written");
        // A duplicate gets the same confirmation, and does not count as a second confirmed candidate.
        let expected = vec![(Some(word), counted); 2];
        assert_eq!(look(&store), (expected, (1, n_correct)));
    }
    let stored = store.execution(run, "fast", 1).expect("it is read");
    let stored = stored.expect("it is there").execution;
    assert_eq!(stored.confirmed, Some(Confirmation::Forged));
    let done = store.write_executions(run, &setting, &both[..1], &monitor);
    done.expect("it runs again");
    assert_eq!(look(&store), (vec![(None, correct); 2], (0, 1)));
}
