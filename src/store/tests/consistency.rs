//! Equivalent variants of functions and models' completions of them.

use crate::model::Language;
use crate::task::Monitor;
use crate::testing::store_with;
use crate::{JudgedSeed, MutationSeed, MutationVariant, NewCompletion};

fn seed(name: &str, passes: &[&str]) -> MutationSeed {
    let variant = |pass: &&str| MutationVariant {
        pass: (*pass).to_owned(),
        is_strict: false,
        version: 1,
        source: format!("def f(Param1):\n    return {pass}\n"),
        edits: "[[6,7,\"Param1\"]]".to_owned(),
        cut: Some((1, 1)),
        distance: 0.0,
        does_parse: true,
    };
    MutationSeed {
        name: name.to_owned(),
        language: Language::Python,
        path: "a.py".to_owned(),
        function: "f".to_owned(),
        start_line: 1,
        end_line: 2,
        source: "def f(x):\n    return x\n".to_owned(),
        dataset: String::new(),
        variants: passes.iter().map(variant).collect(),
    }
}

fn completion(seed: i64, pass: &str, text: &str) -> NewCompletion {
    NewCompletion {
        seed,
        pass: pass.to_owned(),
        text: text.to_owned(),
        raw: None,
    }
}

fn judged() -> JudgedSeed {
    JudgedSeed {
        version: 1,
        matrix: vec![100, 50, 50, 100],
        outliers: "{}".to_owned(),
        repaired: Some("INI".to_owned()),
    }
}

#[test]
fn what_is_written_of_a_run_is_read_again() {
    let (_folder, mut store) = store_with(&[]);
    let monitor = Monitor::default();
    let seeds = [seed("one", &["REP_R", "INI"]), seed("two", &[])];
    let ids = store
        .write_mutations("m", &seeds, &monitor)
        .expect("the index takes it");
    let again = store
        .write_mutations("m", &seeds, &monitor)
        .expect("the index takes it");
    assert_eq!(ids, again);
    let completions = [
        completion(ids[0], "", "a"),
        completion(ids[0], "INI", "b"),
        completion(ids[0], "RTF", "c"),
    ];
    let n_new = store
        .write_completions("m", &completions, &monitor)
        .expect("the index takes it");
    assert_eq!(n_new, 2, "a pass that the function has not is left out");
    store
        .write_judged("m", &[(ids[0], judged())], &monitor)
        .expect("the index takes it");
    let mut found = Vec::new();
    store
        .each_consistency("m", |stored_consistency| {
            found.push(stored_consistency);
            Ok::<_, crate::StoreError>(())
        })
        .expect("the index reads");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].seed, seeds[0]);
    let passes: Vec<&str> = found[0]
        .completions
        .iter()
        .map(|completion| completion.pass.as_str())
        .collect();
    assert_eq!(passes, ["", "INI"]);
    assert_eq!(found[0].judged, Some(judged()));
    assert_eq!(found[1].judged, None);
}

#[test]
fn another_completion_takes_back_what_was_judged() {
    let (_folder, mut store) = store_with(&[]);
    let monitor = Monitor::default();
    let ids = store
        .write_mutations("m", &[seed("one", &["INI"])], &monitor)
        .expect("the index takes it");
    let write = |store: &mut crate::Store, text: &str| {
        let completions = [completion(ids[0], "INI", text)];
        store
            .write_completions("m", &completions, &monitor)
            .expect("the index takes it")
    };
    write(&mut store, "a");
    store
        .write_judged("m", &[(ids[0], judged())], &monitor)
        .expect("the index takes it");
    assert_eq!(write(&mut store, "a"), 0);
    let is_judged = |store: &crate::Store| {
        let found = store.consistency("m", ids[0]).expect("the index reads");
        found.expect("it is there").judged.is_some()
    };
    assert!(is_judged(&store));
    assert_eq!(write(&mut store, "b"), 1);
    assert!(!is_judged(&store));
}

#[test]
fn a_run_goes_with_the_functions_that_no_other_run_needs() {
    let (_folder, mut store) = store_with(&[]);
    let monitor = Monitor::default();
    store
        .write_mutations("m", &[seed("one", &[]), seed("two", &[])], &monitor)
        .expect("the index takes it");
    let kept = store
        .write_mutations("n", &[seed("two", &[])], &monitor)
        .expect("the index takes it");
    store.remove_consistency("m").expect("the index takes it");
    let runs = store.consistency_runs().expect("the index reads");
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].name.as_str(), runs[0].n_seeds), ("n", 1));
    assert!(
        store
            .consistency("n", kept[0])
            .expect("the index reads")
            .is_some()
    );
}
