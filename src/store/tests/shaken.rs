//! Stability: it decides whether a test's other results count.

use std::iter::once;

use crate::model::{ContentHash, FaultCounts, FaultOutcome, Shake, Stability};
use crate::task::Monitor;
use crate::testing::{counter_repo, key_of, put_held, store_with};
use crate::{ShakenSoFar, WrittenStability};

#[test]
fn what_a_test_made_of_mutants_goes_when_it_is_unstable_unless_only_a_busy_machine_changes_it() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let outcomes = [FaultOutcome::KilledByError, FaultOutcome::Survived];
    let run = put_held(&mut store, "truth", key_of("a", "testInc"), &outcomes);
    for (changed, n_counted) in [(Shake::Load, 1), (Shake::Alone, 0)] {
        let shaken = WrittenStability {
            ordinal: 0,
            stamp: ContentHash([1; 16]),
            stability: Stability {
                tried: once(changed).collect(),
                changed: once(changed).collect(),
                n_runs: 4,
                n_failed: 1,
            },
        };
        let done = store.write_stabilities((run, "fast"), &[shaken], &Monitor::default());
        done.expect("it is written");
        let counts = store.fault_counts(run, "fast").expect("they are counted");
        assert_eq!(counts.len(), n_counted, "{changed:?}");
    }
    let together = store.faults_together(run, "fast");
    assert_eq!(
        together.expect("they are counted"),
        (FaultCounts::default(), 0)
    );
    // A later call continues from it.
    let stamps = store.fault_stamps(run, "fast").expect("they are read");
    assert!(stamps.is_empty());
}

#[test]
fn how_far_the_shaking_of_a_test_is_is_there_until_it_comes_to_its_end() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let run = put_held(&mut store, "truth", key_of("a", "testInc"), &[]);
    let so_far = |among: &[u8]| ShakenSoFar {
        ordinal: 0,
        stamp: ContentHash([1; 16]),
        among: among.to_vec(),
        apart: Vec::new(),
    };
    let monitor = Monitor::default();
    for among in [&[1, 0][..], &[1, 2]] {
        let done = store.write_shaken_so_far((run, "fast"), &[so_far(among)], &monitor);
        done.expect("it is written");
        let found = store.shaken_so_far((run, "fast"), 0).expect("it is read");
        assert_eq!(found, Some(so_far(among)));
    }
    let found = store.shaken_so_far((run, "maven"), 0).expect("it is read");
    assert_eq!(found, None);
    let shaken = WrittenStability {
        ordinal: 0,
        stamp: ContentHash([1; 16]),
        stability: Stability::default(),
    };
    let done = store.write_stabilities((run, "fast"), &[shaken], &monitor);
    done.expect("it is written");
    let found = store.shaken_so_far((run, "fast"), 0).expect("it is read");
    assert_eq!(found, None);
}
