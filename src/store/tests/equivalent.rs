//! Mutants that people mark as equivalent are left out of all counts, unless a stable test kills them.

use crate::model::{ContentHash, EventKind, FaultCounts, FaultOutcome, Shake, Stability};
use crate::task::Monitor;
use crate::testing::{counter_repo, key_of, mutant, put_held, store_with};
use crate::{
    Equivalence, KillingTest, Store, StoreAccess, TRUTH_SOURCE, Verdicts, WrittenStability,
};

use super::{all, only};

fn counts(store: &Store, run: i64) -> FaultCounts {
    store.fault_counts(run, "fast").expect("they are counted")[&0]
}

#[test]
fn a_marked_mutant_is_in_no_number_until_a_stable_test_kills_it() {
    use FaultOutcome::{KilledByAssertion, KilledByError, Survived, TimedOut};
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let outcomes = [KilledByError, Survived, Survived, TimedOut];
    let run = put_held(&mut store, "truth", key_of("a", "testInc"), &outcomes);
    let sql = "UPDATE runs SET source = ?1";
    let done = store.conn.execute(sql, [TRUTH_SOURCE]);
    done.expect("it is a run of true tests");
    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    let key = key_of("a", "testInc");
    let with = |value: &str| all(&store, &only("mutation", value)).len();
    assert_eq!((counts(&store, run).score(), with("0.5")), (Some(0.5), 1));

    for (who, number) in [("eva", 2), ("ada", 2), ("ada", 4), ("ada", 77)] {
        let mutant = ContentHash([number; 16]);
        let said = verdicts.append(who, 1, vec![EventKind::Equivalent { key, mutant }]);
        said.expect("an event is added");
    }
    let marked = counts(&store, run);
    // A test that runs out of time may only be slow, so the mark stays valid.
    assert_eq!((marked.n_detected, marked.n_viable), (1, 2));
    assert_eq!((marked.n_covered, marked.n_equivalent), (2, 2));
    let of_ordinals = store.fault_counts_of(run, "fast", &[0]);
    assert_eq!(of_ordinals.expect("they are counted")[&0], marked);
    let of_truth = store.true_fault_counts(&[key]);
    assert_eq!(of_truth.expect("they are counted")[&key], marked);
    let together = store.faults_together(run, "fast");
    assert_eq!(together.expect("they are counted").0, marked);
    assert_eq!(with("0.5"), 1);
    assert_eq!(store.killer(&mutant(2).id).expect("it is read"), None);
    let equivalence = |store: &Store| {
        let found = store.faults_of_sample(&key).expect("they are read");
        found[1].equivalence.clone()
    };
    let by = vec!["ada".to_owned(), "eva".to_owned()];
    let holds = |is_refuted| {
        Some(Equivalence {
            by: by.clone(),
            is_refuted,
        })
    };
    assert_eq!(equivalence(&store), holds(false));
    let mut n_named = 0;
    let done = store.each_fault(run, "fast", |stored_fault| {
        n_named += usize::from(stored_fault.is_equivalent());
        Ok::<_, crate::StoreError>(())
    });
    done.expect("they are read");
    assert_eq!(n_named, 2);

    // A test of another sample kills it; an unstable test proves nothing.
    let other = put_held(
        &mut store,
        "other",
        key_of("a", "testAdd"),
        &[Survived, KilledByAssertion],
    );
    assert_eq!(counts(&store, run).n_equivalent, 1);
    assert_eq!(counts(&store, run).n_viable, 3);
    assert_eq!(equivalence(&store), holds(true));
    let killer = KillingTest {
        run: "other".to_owned(),
        attempt: 0,
        outcome: KilledByAssertion,
    };
    let found = store.killer(&mutant(2).id).expect("it is read");
    assert_eq!(found, Some(killer));
    assert_eq!(all(&store, &only("mutation", "0.5")).len(), 0);
    let shaken = WrittenStability {
        ordinal: 0,
        stamp: ContentHash([1; 16]),
        stability: Stability {
            tried: std::iter::once(Shake::Alone).collect(),
            changed: std::iter::once(Shake::Alone).collect(),
            n_runs: 4,
            n_failed: 1,
        },
    };
    let done = store.write_stabilities((other, "fast"), &[shaken], &Monitor::default());
    done.expect("it is written");
    assert_eq!(counts(&store, run), marked);
    assert_eq!(store.killer(&mutant(2).id).expect("it is read"), None);

    // Another connection that was opened earlier sees the undo.
    verdicts.undo("ada", 2).expect("it is undone");
    verdicts.undo("ada", 2).expect("it is undone");
    assert_eq!(counts(&store, run).n_equivalent, 1);
}
