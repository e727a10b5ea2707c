//! Lists: the pages together are the whole list, filters let through the right rows, and no value is interpreted as
//! SQL.

use proptest::prelude::*;

use std::collections::BTreeSet;

use crate::model::{
    Comparison, Condition, Direction, Filter, OfPrediction, OfSample, Range, SampleKey, SampleRow,
    SampleSort, SortField, SortKey, Term,
};
use crate::query::Query;
use crate::testing::{condition, counter_repo, key_of, many_tests, store_with, write_repos};
use crate::{Anchor, Store, StoreAccess, StoreError, list};

use super::{CONTEST, all, everything, names, only, term};

#[test]
fn a_value_with_sql_in_it_is_only_a_value() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let hostile = "'; DROP TABLE decisions; --";
    for field in [
        "repo", "license", "class", "test", "focal", "file", "name", "text",
    ] {
        for value in [hostile, "%", "_", "\\", "a.'b", "\" OR 1=1"] {
            let rows = all(&store, &only(field, value));
            let allowed = field == "text" && matches!(value, "_" | "%" | "\\");
            assert!(rows.is_empty() || allowed, "{field}:{value}");
        }
    }
    assert_eq!(all(&store, &everything()).len(), 3);
}

#[test]
fn what_the_index_cannot_answer_is_an_error() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let range = Range::AtLeast(0.5);
    for condition in [
        Condition::Sample(OfSample::Near(range)),
        Condition::Prediction(OfPrediction::Attempt(range)),
        Condition::Score("bleu", range),
        Condition::DeltaOf("bleu", range),
    ] {
        let name = condition.name();
        let result = store.count(&Filter::only(condition));
        assert!(
            matches!(&result, Err(StoreError::Filter { field, .. }) if *field == name),
            "{result:?}"
        );
    }
}

#[test]
fn text_is_found_in_tests_and_focal_methods_only() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let check = |store: &Store, text: &str, expected: &[&str]| {
        assert_eq!(names(&all(store, &only("text", text))), expected, "{text}");
    };
    check(&store, "FOO bar", &["a testInc"]);
    check(&store, "count += by", &["a testAdd"]);
    check(&store, "private int count", &[]);
    write_repos(&mut store, &[counter_repo("b")]);
    check(&store, "foo bar", &["a testInc", "b testInc"]);
}

#[test]
fn the_default_order_is_walked_without_sorting() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    for backward in [false, true] {
        for cursor in [None, Some((("x".to_owned(), 1), 1))] {
            let sql = list::beside(CONTEST, cursor, backward);
            let plan = plan(&store, &format!("SELECT d.id{}", sql.text), &sql.values);
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
            assert!(
                plan.contains("SEARCH d USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
                "{plan}"
            );
        }
    }
    let several = [term("status", "tie"), term("status", "abstained")];
    let mixed = [term("repo", "a"), term("status", "tie")];
    for filter in [
        everything(),
        only("repo", "a"),
        only("status", "ok"),
        Filter::only(Term::any(several.into())),
        Filter::only(Term::any(mixed.into())),
    ] {
        let sql = Query::compile(&store.conn, &filter)
            .expect("compiles")
            .in_order();
        let plan = plan(&store, &format!("SELECT d.id{}", sql.text), &sql.values);
        assert!(!plan.contains("TEMP B-TREE"), "{filter:?}: {plan}");
    }
}

fn plan(store: &Store, sql: &str, values: &[rusqlite::types::Value]) -> String {
    let mut statement = store
        .conn
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .expect("the statement compiles");
    let steps = statement
        .query_map(rusqlite::params_from_iter(values), |row| {
            row.get::<_, String>(3)
        })
        .expect("the plan is told");
    steps
        .map(|step| step.expect("a step is text"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Reads a whole list page by page, forwards or backwards.
pub fn paged(store: &Store, filter: &Filter, limit: usize, backward: bool) -> Vec<SampleRow> {
    let mut rows: Vec<SampleRow> = Vec::new();
    loop {
        let anchor = match (backward, rows.first(), rows.last()) {
            (false, _, Some(last)) => Anchor::After(last.id),
            (false, ..) => Anchor::First,
            (true, Some(first), _) => Anchor::Before(first.id),
            (true, ..) => Anchor::Last,
        };
        let page = store.page(filter, anchor, limit).expect("a page is read");
        if page.is_empty() {
            return rows;
        }
        if backward {
            rows.splice(0..0, page);
        } else {
            rows.extend(page);
        }
    }
}

fn any_sort() -> impl Strategy<Value = Vec<SortKey>> {
    let fields = proptest::sample::select(SampleSort::ALL);
    let key = (fields, any::<bool>()).prop_map(|(field, up)| SortKey {
        field: SortField::Sample(field),
        direction: if up {
            Direction::Ascending
        } else {
            Direction::Descending
        },
    });
    proptest::collection::vec(key, 0..3)
}

fn any_terms() -> impl Strategy<Value = Vec<Term>> {
    let terms = vec![
        term("repo", "b"),
        term("status", "ok"),
        term("duplicate", "no"),
        term("test", "test3"),
        term("focal", "Counter.inc"),
        term("file", "Many"),
        term("split", "train"),
        condition("weight", Comparison::Less, "0.6"),
        condition("tokens", Comparison::GreaterOrEqual, "4"),
        Term::not(term("class", "many")),
        Term::any(vec![term("repo", "c"), term("status", "tie")]),
    ];
    proptest::sample::subsequence(terms, 0..3)
}

#[test]
fn pages_both_ways_are_the_whole_list_and_ranks_count_it() {
    let (_folder, store) =
        store_with(&[many_tests("b", 60), counter_repo("c"), many_tests("a", 45)]);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let inputs = (any_terms(), any_sort(), 1_usize..40);
    runner
        .run(&inputs, |(terms, sort, limit)| {
            let filter = Filter {
                sort,
                ..Filter::of(terms)
            };
            let whole = all(&store, &filter);
            prop_assert_eq!(store.count(&filter).expect("counts"), whole.len() as u64);
            prop_assert_eq!(&paged(&store, &filter, limit, false), &whole);
            prop_assert_eq!(&paged(&store, &filter, limit, true), &whole);
            if let Some(row) = whole.get(whole.len() / 2) {
                let rank = store.rank(&filter, row.id).expect("ranks");
                prop_assert_eq!(rank, Some(whole.len() as u64 / 2));
                let at = Anchor::AtRank(whole.len() as u64 / 2);
                let page = store.page(&filter, at, 1).expect("a page is read");
                prop_assert_eq!(&page[0], row);
            }
            Ok(())
        })
        .expect("every list is whole");
}

#[test]
fn a_first_page_is_the_head_of_the_list_before_and_after_the_list_is_known() {
    let (folder, store) = store_with(&[many_tests("b", 60), counter_repo("c")]);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let inputs = (any_terms(), any_sort(), 1_usize..40);
    runner
        .run(&inputs, |(terms, sort, limit)| {
            let filter = Filter {
                sort,
                ..Filter::of(terms)
            };
            let whole = all(&store, &filter);
            let head = &whole[..limit.min(whole.len())];
            // This store has not listed anything yet.
            let fresh = Store::open(folder.path(), StoreAccess::Read).expect("it opens");
            for place in 0..2 {
                let page = fresh.page(&filter, Anchor::First, limit);
                prop_assert_eq!(page.expect("a page is read"), head, "{}", place);
                let last = fresh
                    .page(&filter, Anchor::Last, 1)
                    .expect("a page is read");
                prop_assert_eq!(last.first(), whole.last());
            }
            Ok(())
        })
        .expect("every page is a head");
}

/// Generates conditions on repositories, on rows, on texts, and on both.
fn any_term() -> impl Strategy<Value = Term> {
    let leaves = vec![
        term("repo", "b"),
        term("repo", "example.org/a"),
        term("license", "none"),
        term("stars", "7"),
        term("status", "ok"),
        term("stage", "test_name"),
        condition("weight", Comparison::Less, "0.6"),
        term("margin", "0.1..0.6"),
        term("test", "test3"),
        term("focal", "Counter.inc"),
        term("focal-class", "none"),
        term("split", "train"),
        term("verdict", "none"),
        term("text", "count"),
        term("text", "a 1"),
        Condition::Keys(vec![key_of("c", "testInc"), key_of("a", "works")]).into(),
    ];
    proptest::sample::select(leaves).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Term::not),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Term::all),
            proptest::collection::vec(inner, 1..4).prop_map(Term::any),
        ]
    })
}

/// Evaluates a term with the sets of rows that each of its conditions lets through alone.
fn by_sets(store: &Store, every: &BTreeSet<SampleKey>, term: &Term) -> BTreeSet<SampleKey> {
    let of = |term: &Term| by_sets(store, every, term);
    match term {
        Term::Is(condition) => keys(store, &Filter::only(condition.clone())),
        Term::Not(term) => every - &of(term),
        Term::All(terms) => terms
            .iter()
            .fold(every.clone(), |all, term| &all & &of(term)),
        Term::Any(terms) => {
            let of_all = terms.iter().map(of);
            of_all.fold(BTreeSet::new(), |any, of| &any | &of)
        }
    }
}

fn keys(store: &Store, filter: &Filter) -> BTreeSet<SampleKey> {
    let rows = all(store, filter).into_iter();
    rows.map(|row| row.key).collect()
}

#[test]
fn what_is_joined_is_what_sets_of_its_conditions_are() {
    let mut unlicensed = counter_repo("c");
    unlicensed.repo.license = None;
    unlicensed.repo.stars = None;
    let (_folder, store) = store_with(&[many_tests("b", 40), unlicensed, many_tests("a", 25)]);
    let every = keys(&store, &everything());
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&(any_term(), any_term()), |(first, second)| {
            let found = |term: Term| keys(&store, &Filter::only(term));
            let expected = by_sets(&store, &every, &first);
            prop_assert_eq!(&found(first.clone()), &expected);
            // A negated term lets through the other rows, so De Morgan's laws hold.
            prop_assert_eq!(found(Term::not(first.clone())), &every - &expected);
            let [no_first, no_second] = [&first, &second].map(|term| Term::not(term.clone()));
            let either = Term::any(vec![first.clone(), second.clone()]);
            let both = Term::all(vec![first, second]);
            prop_assert_eq!(
                found(Term::not(either)),
                found(Term::all(vec![no_first.clone(), no_second.clone()]))
            );
            let mixed = Filter {
                sort: vec![SortKey {
                    field: SortField::Sample(SampleSort::Test),
                    direction: Direction::Descending,
                }],
                ..Filter::only(Term::not(both))
            };
            let neither = Filter::only(Term::any(vec![no_first, no_second]));
            prop_assert_eq!(
                store.count(&mixed).expect("counts"),
                store.count(&neither).expect("counts")
            );
            prop_assert_eq!(keys(&store, &mixed), keys(&store, &neither));
            Ok(())
        })
        .expect("all agree");
}

#[test]
fn a_set_of_thousands_of_values_is_asked_for() {
    let (_folder, store) = store_with(&[counter_repo("a"), many_tests("b", 20)]);
    let key = key_of("a", "testInc").to_string();
    let many = (0..5_000).map(|idx| term("key", &format!("{idx:032x}")));
    let terms = many.chain([term("key", &key)]).collect();
    assert_eq!(
        names(&all(&store, &Filter::only(Term::any(terms)))),
        ["a testInc"]
    );
}

#[test]
fn a_filter_of_thousands_of_conditions_is_asked() {
    let (_folder, store) = store_with(&[counter_repo("a"), many_tests("b", 20)]);
    for n in [1_000, 5_000] {
        for (field, value) in [("name", "t"), ("repo", "a"), ("repo", "nowhere")] {
            let n_expected = all(&store, &Filter::only(term(field, value))).len();
            let terms: Vec<Term> = (0..n).map(|_| term(field, value)).collect();
            let filter = Filter {
                terms,
                ..everything()
            };
            assert_eq!(all(&store, &filter).len(), n_expected, "{n} of {field}");
            assert_eq!(store.count(&filter).expect("counts"), n_expected as u64);
        }
    }
}

#[test]
fn the_default_order_is_repository_file_and_position() {
    let mut shuffled = counter_repo("a");
    shuffled.tests.reverse();
    let (_folder, store) = store_with(&[counter_repo("b"), shuffled]);
    assert_eq!(
        names(&all(&store, &everything())),
        [
            "a testInc",
            "a testAdd",
            "a works",
            "b testInc",
            "b testAdd",
            "b works"
        ]
    );
}

#[test]
fn a_rank_outside_the_filter_is_none() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let row = &all(&store, &only("test", "works"))[0];
    assert_eq!(
        store.rank(&only("test", "testInc"), row.id).expect("ranks"),
        None
    );
    assert_eq!(store.rank(&everything(), row.id).expect("ranks"), Some(2));
    assert_eq!(store.rank(&everything(), 12_345).expect("ranks"), None);
}

#[test]
fn keys_are_found_by_their_first_digits() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let key = key_of("a", "testInc");
    let digits = &key.to_string()[..9];
    assert_eq!(store.keys_starting_with(digits, 5).expect("reads"), [key]);
    assert_eq!(store.keys_starting_with("", 5).expect("reads").len(), 3);
    assert_eq!(store.keys_starting_with("xyz", 5).expect("reads"), []);
}

#[test]
fn an_interrupted_query_is_a_cancelled_one() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let interrupt = store.interrupt_handle();
    let query = Query::compile(&store.conn, &only("text", "count")).expect("compiles");
    let result = store.reading(|conn| {
        list::each_match(conn, &query, "", |_| {
            interrupt.interrupt();
            Ok(())
        })
    });
    assert!(
        matches!(result, Err(StoreError::Cancelled(_))),
        "{result:?}"
    );
    assert_eq!(all(&store, &everything()).len(), 3);
}

#[test]
fn keys_come_with_margins_in_the_order_of_the_index() {
    let (_folder, store) = store_with(&[many_tests("b", 30), many_tests("a", 20)]);
    let check = |filter: &Filter| {
        let mut walked = Vec::new();
        let walk = store.each_key::<StoreError>(filter, |key, margin| {
            walked.push(key);
            assert!((0.0..=1.0).contains(&margin));
            Ok(())
        });
        walk.expect("the index reads");
        let in_order = Filter {
            sort: Vec::new(),
            ..filter.clone()
        };
        let keys = store.keys(&in_order).expect("the index reads");
        assert_eq!(walked, keys);
    };
    check(&everything());
    check(&only("status", "ok"));
    check(&only("repo", "b"));
    check(&only("text", "a 1"));
    check(&Filter {
        sort: vec![SortKey {
            field: SortField::Sample(SampleSort::Weight),
            direction: Direction::Descending,
        }],
        ..everything()
    });
    let mut n_walked = 0;
    let stopped = store.each_key(&everything(), |_, _| {
        n_walked += 1;
        Err(StoreError::Cancelled(crate::task::Cancelled))
    });
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))));
    assert_eq!(n_walked, 1);
}
