//! Conclusions from the outcomes of shaken tests, and the parts in which tests are shaken.

use std::cell::Cell;
use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::ExecuteOptions;
use crate::model::Target;
use crate::runner::RunnerError;
use crate::runner::shakes::ShakeSink;
use crate::tests::{EngineStub, candidate, method, put, store};

use TestFate::{Failed, Passed};

/// Checks the conclusion from a test's outcomes: those in the base runs, then those under each shake.
fn check(base: &[TestFate], shaken: &[(Shake, &[TestFate])], expected: &str) {
    let round = |shake| ShakeRound {
        shake,
        variant: 0,
        is_fresh: true,
    };
    let mut rounds: Vec<ShakeRound> = base.iter().map(|_| round(None)).collect();
    let mut fates: Vec<Option<TestFate>> = base.iter().copied().map(Some).collect();
    for (shake, of_shake) in shaken {
        rounds.extend(of_shake.iter().map(|_| round(Some(*shake))));
        fates.extend(of_shake.iter().copied().map(Some));
    }
    assert_eq!(changed(&rounds, &fates).to_string(), expected);
}

#[test]
fn a_change_counts_where_the_test_goes_otherwise_each_time() {
    check(&[Passed], &[(Shake::Zone, &[Passed, Passed])], "");
    check(&[Passed; 3], &[(Shake::Zone, &[Failed; 3])], "zone");
    // A test that fails together with its class may pass alone.
    check(&[Failed; 3], &[(Shake::Alone, &[Passed; 3])], "alone");
    check(
        &[Passed; 3],
        &[(Shake::Date, &[Failed; 3]), (Shake::Alone, &[Failed; 3])],
        "alone,date",
    );
}

#[test]
fn what_differs_now_and_then_differs_without_a_change_except_on_a_busy_machine() {
    check(&[Passed, Failed, Passed], &[], "nothing");
    check(
        &[Passed; 3],
        &[
            (Shake::Zone, &[Passed, Failed, Passed]),
            (Shake::Date, &[Failed; 3]),
        ],
        "nothing",
    );
    check(
        &[Passed; 3],
        &[(Shake::Load, &[Passed, Failed, Passed])],
        "load",
    );
    check(
        &[Passed; 3],
        &[(Shake::Port, &[Passed, Failed, Passed])],
        "port",
    );
}

#[test]
fn only_what_is_asked_for_is_tried_and_each_way_as_often() {
    let shakes = Shakes::read("nothing,zone").expect("both are shakes");
    let words = |rounds: Vec<ShakeRound>| {
        let words = rounds
            .iter()
            .map(|round| round.shake.map_or("", Shake::as_str));
        words.collect::<Vec<_>>().join(" ")
    };
    let first = words(rounds(shakes, 3, 1, false));
    assert_eq!(first, " nothing nothing nothing zone zone");
    let without = Shakes::read("zone").expect("it is a shake");
    assert_eq!(words(rounds(without, 3, 2, true)), " zone zone zone zone");
}

/// An engine whose tests have the same outcome under every shake, except one that fails by chance; it records which
/// tests ran together, call by call.
#[derive(Default)]
struct Steady {
    fails_by_chance: Option<u64>,
    calls: Vec<Vec<u64>>,
    n_runs: Rc<Cell<usize>>,
    n_of_test: BTreeMap<u64, usize>,
    /// The progress after each round.
    told: Vec<u64>,
}

impl ShakeEngine for Steady {
    fn version(&self) -> String {
        String::new()
    }

    fn hindrance(&self, _: Shake) -> Option<String> {
        None
    }

    fn shake(
        &mut self,
        (_, candidates): (&[HostFile], &[Candidate]),
        rounds: &[ShakeRound],
        monitor: &Monitor,
        sink: &mut ShakeSink<'_>,
    ) -> Result<(), RunnerError> {
        let ids = candidates.iter().map(|candidate| candidate.id).collect();
        self.calls.push(ids);
        for round in 0..rounds.len() {
            for candidate in candidates {
                self.n_runs.set(self.n_runs.get() + 1);
                let nth = self.n_of_test.entry(candidate.id).or_default();
                *nth += 1;
                let is_failing =
                    self.fails_by_chance == Some(candidate.id) && nth.is_multiple_of(2);
                sink(
                    candidate.id,
                    round,
                    if is_failing { Failed } else { Passed },
                )?;
            }
            self.told.push(monitor.progress().n_done);
        }
        Ok(())
    }
}

fn due(ordinal: u32, file_idx: usize, elapsed: Duration) -> DueShake {
    DueShake {
        ordinal,
        stamp: ContentHash([1; 16]),
        candidate: Candidate {
            file_idx,
            ..candidate(ordinal.into())
        },
        elapsed,
    }
}

/// Creates a run of three executed tests; returns it with the name of the engine.
fn executed() -> ([tempfile::TempDir; 2], Store, (i64, String)) {
    let (folders, mut store) = store();
    let answers = ["testInc", "testAdd", "works"].map(|text| (text, 0, method("correct()")));
    let run = put(&mut store, "run", Target::Test, &answers);
    let shop = EngineStub::default();
    shop.execute(&mut store, &ExecuteOptions::default())
        .expect("all run");
    let setting = store.execution_setting(run).expect("it is read");
    let engine = setting.expect("it ran").engine;
    (folders, store, (run, engine))
}

fn shaken(store: &Store, (run, engine): &(i64, String)) -> Vec<u32> {
    let stamps = store.stability_stamps(*run, engine);
    let mut ordinals: Vec<u32> = stamps.expect("they are read").into_keys().collect();
    ordinals.sort_unstable();
    ordinals
}

fn stabilities(store: &Store) -> Vec<Stability> {
    let found = store.stabilities("run").expect("they are read");
    let found: BTreeMap<_, _> = found.into_iter().collect();
    found.into_values().collect()
}

/// Shakes tests with the shake `nothing`, until there were `n_runs_max` test runs.
fn shake(
    engine: &mut Steady,
    (store, of): (&mut Store, &(i64, String)),
    due: Vec<DueShake>,
    n_runs_max: usize,
) -> StabilityReport {
    let (monitor, mut report) = (Monitor::default(), StabilityReport::default());
    let n_runs = Rc::clone(&engine.n_runs);
    n_runs.set(0);
    let mut project = ShakenProject {
        engine,
        files: &[],
        store,
        monitor: &monitor,
        of: (of.0, &of.1),
        demand: (3, Shakes::read("nothing").expect("it is a shake")),
        is_forced: false,
        pace: Pace::new(1),
        report: &mut report,
    };
    let done = project.all(by_file(due), &|| n_runs.get() >= n_runs_max);
    done.expect("it is kept");
    report
}

#[test]
fn what_was_shaken_is_kept_where_the_time_is_over_and_the_rest_is_left_for_the_next_call() {
    let (_folders, mut store, of) = executed();
    // Each test is so much faster than the one before that it forms a separate part, which runs earlier.
    let all = || (0..3).map(|n| due(n, n as usize, Duration::from_secs(10u64.pow(3 - n))));
    let mut engine = Steady::default();
    let report = shake(&mut engine, (&mut store, &of), all().collect(), 8);
    assert_eq!(engine.calls, [[2], [1]]);
    assert_eq!((report.n_now, report.n_left), (2, 1));
    assert_eq!(shaken(&store, &of), [1, 2]);

    let known = shaken(&store, &of);
    let left = all().filter(|due_shake| !known.contains(&due_shake.ordinal));
    let report = shake(&mut engine, (&mut store, &of), left.collect(), 99);
    assert_eq!((report.n_now, report.n_left), (1, 0));
    assert_eq!(shaken(&store, &of), [0, 1, 2]);
}

#[test]
fn progress_is_told_within_a_part_and_comes_to_its_tests() {
    let (_folders, mut store, of) = executed();
    let all = || (0..3).map(|n| due(n, 0, Duration::ZERO)).collect();
    let mut engine = Steady::default();
    shake(&mut engine, (&mut store, &of), all(), 99);
    assert_eq!(engine.told, [0, 1, 2, 3]);

    // A test with differing outcomes runs again, so it is not done yet.
    let mut engine = Steady {
        fails_by_chance: Some(1),
        ..Steady::default()
    };
    shake(&mut engine, (&mut store, &of), all(), 99);
    assert_eq!(engine.calls, [vec![0, 1, 2], vec![1]]);
    assert_eq!(engine.told, [0, 1, 1, 2, 2, 2, 2, 3]);
}

#[test]
fn what_is_known_of_a_large_file_is_kept_where_the_time_is_over_and_never_runs_again() {
    let (_folders, mut store, of) = executed();
    let all = || {
        (0..3)
            .map(|n| due(n, 0, Duration::from_secs(600)))
            .collect()
    };
    let mut whole = Steady {
        fails_by_chance: Some(1),
        ..Steady::default()
    };
    shake(&mut whole, (&mut store, &of), all(), 99);
    let expected = stabilities(&store);
    let n_runs = whole.n_runs.get();
    for n_each in 1..n_runs {
        let (_folders, mut store, of) = executed();
        let mut engine = Steady {
            fails_by_chance: Some(1),
            ..Steady::default()
        };
        let mut n_all = 0;
        while shaken(&store, &of).is_empty() {
            let report = shake(&mut engine, (&mut store, &of), all(), n_each);
            n_all += engine.n_runs.get();
            assert_eq!(report.n_now + report.n_left, 3);
        }
        assert_eq!(n_all, n_runs, "{n_each} at a time");
        assert_eq!(stabilities(&store), expected, "{n_each} at a time");
    }
}

#[test]
fn what_is_known_of_other_inputs_says_nothing() {
    let (_folders, mut store, of) = executed();
    let mut engine = Steady::default();
    let all = |stamp: u8| {
        let due = due(0, 0, Duration::ZERO);
        vec![DueShake {
            stamp: ContentHash([stamp; 16]),
            ..due
        }]
    };
    shake(&mut engine, (&mut store, &of), all(1), 3);
    shake(&mut engine, (&mut store, &of), all(2), 99);
    assert_eq!(engine.n_runs.get(), 4);
}

proptest! {
    #[test]
    fn tests_of_a_file_stay_together_and_each_test_is_there_once(
        files in proptest::collection::vec(0usize..6, 0..40),
    ) {
        let tests = (0..).zip(&files).map(|(ordinal, file)| due(ordinal, *file, Duration::ZERO));
        let mut ordinals = Vec::new();
        let mut seen = BTreeSet::new();
        for of_file in by_file(tests.collect()) {
            let file_idx = of_file[0].candidate.file_idx;
            prop_assert!(seen.insert(file_idx));
            prop_assert!(of_file.iter().all(|it| it.candidate.file_idx == file_idx));
            ordinals.extend(of_file.iter().map(|it| it.ordinal));
        }
        ordinals.sort_unstable();
        prop_assert_eq!(ordinals, (0..files.len() as u32).collect::<Vec<_>>());
    }
}
