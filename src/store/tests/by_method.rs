//! The outcomes of tests on mutants of several methods, for each scope.

use crate::model::{
    ContentHash, FaultCounts, FaultOutcome, Language, Mutant, MutantPlace, Outcome,
};
use crate::task::Monitor;
use crate::{FaultPair, FaultedMethod, MethodScope, WrittenFaults, WrittenMethods};

use super::executions::{setting, store_with_run, written};

fn mutant(number: u8) -> Mutant {
    Mutant {
        id: ContentHash([number; 16]),
        language: Language::Python,
        file: "a.py".to_owned(),
        line: 1,
        mutator: "AOR".to_owned(),
        description: "another one".to_owned(),
        place: MutantPlace::Text {
            start: 0,
            end: 1,
            replacement: "-".to_owned(),
        },
    }
}

fn method(name: &str, is_picked: bool) -> FaultedMethod {
    FaultedMethod {
        name: name.to_owned(),
        file: "a.py".to_owned(),
        line: 1,
        is_picked,
        callers: Vec::new(),
    }
}

#[test]
fn what_tests_made_of_methods_is_kept_by_scope_and_each_mutant_of_a_test_counts_once() {
    let (_folder, mut store, run) = store_with_run();
    let monitor = Monitor::default();
    let setting = setting("1");
    store.begin_executions(run, &setting).expect("it begins");
    let rows = [written(0, Outcome::Correct)];
    store
        .write_executions(run, &setting, &rows, &monitor)
        .expect("it is written");
    let [first, second] = [mutant(1), mutant(2)];
    let outcomes = [FaultOutcome::KilledByAssertion, FaultOutcome::Survived];
    let pairs = [&first, &second].into_iter().zip(outcomes);
    let pairs = pairs.map(|(mutant, outcome)| FaultPair {
        mutant,
        outcome,
        by: None,
        ms: None,
    });
    let faults = WrittenFaults {
        ordinal: 0,
        stamp: ContentHash([7; 16]),
        is_whole: true,
        pairs: Some(pairs.collect()),
    };
    // The second method is nested in the first.
    let both = [
        (method("outer", true), vec![first.id, second.id]),
        (method("inner", false), vec![second.id]),
    ];
    let of = (run, "fast");
    for (scope, methods, n_methods) in [
        (MethodScope::Covered, &both[..], Some(9)),
        (MethodScope::Candidates, &both[..1], None),
    ] {
        let row = WrittenMethods {
            faults: faults.clone(),
            methods,
            n_methods,
        };
        store
            .write_method_faults(of, scope, &[row], &monitor)
            .expect("it is written");
    }
    let read = |scope| {
        let mut found = store.method_faults(of, scope, None).expect("it is read");
        assert_eq!(found.len(), 1);
        found.remove(0)
    };
    let covered = read(MethodScope::Covered);
    assert_eq!(covered.n_methods, Some(9));
    assert_eq!(covered.counts, FaultCounts::of(outcomes));
    let names: Vec<&str> = covered
        .methods
        .iter()
        .map(|method| method.method.name.as_str())
        .collect();
    assert_eq!(names, ["outer", "inner"]);
    let of_inner = FaultCounts::of([FaultOutcome::Survived]);
    assert_eq!(covered.methods[1].counts, of_inner);
    let candidates = read(MethodScope::Candidates);
    assert_eq!((candidates.methods.len(), candidates.n_methods), (1, None));
    let stamps = store
        .method_stamps(of, MethodScope::Covered)
        .expect("it is read");
    assert_eq!(stamps.get(&0), Some(&faults.stamp));
    assert!(
        store
            .fault_counts(run, "fast")
            .expect("it is read")
            .is_empty()
    );
}
