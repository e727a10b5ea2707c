//! Which matcher's decisions are read where no matcher is named.

use crate::Store;
use crate::model::{Decision, Filter, Matcher, Stage, Status};
use crate::testing::{Contents, counter_repo, key_of, store_with};

use super::{all, everything, names};

/// Builds a repository with decisions of these matchers on all tests; the last matcher maps one test fewer.
fn decided_by(name: &str, matchers: &[Matcher]) -> Contents {
    let mut contents = counter_repo(name);
    for (idx, test) in contents.tests.iter_mut().enumerate() {
        let decided = test.decided.remove(0);
        for (at, matcher) in matchers.iter().enumerate() {
            let mut decided = decided.clone();
            decided.focal_match.matcher = *matcher;
            if idx == 0 && at + 1 == matchers.len() && at > 0 {
                decided.status = Status::Abstained;
                decided.focal_match.decision =
                    Decision::None(crate::model::UnmappedReason::Abstained);
                decided.cut = None;
            } else if let Decision::Picked { stage, .. } = &mut decided.focal_match.decision {
                *stage = match matcher {
                    Matcher::Contest => Stage::TestName,
                    Matcher::Evidence => Stage::Evidence,
                    Matcher::Methods2Test | Matcher::Mera => Stage::Name,
                };
            }
            test.decided.push(decided);
        }
    }
    contents
}

/// Lists the matchers other than the default one, in order.
fn others() -> Vec<Matcher> {
    let all = Matcher::ALL.iter().copied();
    all.filter(|matcher| *matcher != Matcher::DEFAULT).collect()
}

fn check(store: &Store, expected: Matcher) {
    let filter = everything().as_decided(expected);
    let rows = all(store, &everything());
    assert_eq!(rows, all(store, &filter));
    assert_eq!(rows.len(), 3);
    let funnel = |filter: &Filter| store.funnel(filter).expect("the index reads");
    assert_eq!(funnel(&everything()), funnel(&filter));
    assert_eq!(funnel(&everything()).n_tests, 3);
    let sample = store
        .sample(&key_of("a", "testAdd"), None)
        .expect("the index reads")
        .expect("the sample is there");
    assert_eq!(sample.matcher, expected);
    let repos = store.repos().expect("the index reads");
    assert_eq!(repos[0].n_mapped, funnel(&filter).n_mapped);
    assert!(repos[0].n_mapped > 0);
}

#[test]
fn the_only_matcher_of_an_index_is_shown() {
    for matcher in Matcher::ALL {
        let (_folder, store) = store_with(&[decided_by("a", &[*matcher])]);
        check(&store, *matcher);
    }
}

#[test]
fn the_default_matcher_is_shown_when_it_decided_else_the_first() {
    let (_folder, store) = store_with(&[decided_by("a", Matcher::ALL)]);
    check(&store, Matcher::DEFAULT);
    let (_folder, store) = store_with(&[decided_by("a", &others())]);
    check(&store, others()[0]);
}

#[test]
fn a_sample_of_another_matcher_is_found_by_its_key() {
    let other = others()[0];
    let (_folder, store) = store_with(&[
        decided_by("a", &[Matcher::DEFAULT]),
        decided_by("b", &[other]),
    ]);
    assert_eq!(
        names(&all(&store, &everything())),
        ["a testInc", "a testAdd", "a works"]
    );
    let sample = |matcher: Option<Matcher>| {
        let key = key_of("b", "testInc");
        let sample = store.sample(&key, matcher).expect("the index reads");
        sample.map(|stored_sample| stored_sample.matcher)
    };
    assert_eq!(sample(None), Some(other));
    assert_eq!(sample(Some(Matcher::DEFAULT)), None);
}

#[test]
fn an_empty_index_counts_nothing() {
    let (_folder, store) = store_with(&[]);
    assert_eq!(all(&store, &everything()), []);
    assert_eq!(store.count(&everything()).expect("the index reads"), 0);
}
