//! Lists: pages are the whole, filters let through what they say, and nothing in a value is SQL.

use proptest::prelude::*;

use crate::model::{Comparison, Direction, Filter, SampleRow, SortKey, Term};
use crate::query::Query;
use crate::testing::{counter_repo, key_of, many_tests, put, store_with};
use crate::{Anchor, Store, StoreError, list};

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
    for field in ["status", "weight", "flag", "matcher", "nonsense"] {
        let result = store.count(&only(field, hostile));
        assert!(matches!(result, Err(StoreError::Filter { .. })), "{field}");
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
    put(&mut store, &[counter_repo("b")]);
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
    for filter in [everything(), only("repo", "a"), only("status", "ok")] {
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

/// Reads a whole list page by page, one way or the other.
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
    let fields = [
        "repo", "class", "test", "focal", "status", "stage", "weight", "margin", "tokens",
    ];
    let key = (proptest::sample::select(fields.to_vec()), any::<bool>()).prop_map(|(field, up)| {
        SortKey {
            field,
            direction: if up {
                Direction::Ascending
            } else {
                Direction::Descending
            },
        }
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
        Term {
            comparison: Comparison::Less,
            ..term("weight", "0.6")
        },
        Term {
            comparison: Comparison::GreaterOrEqual,
            ..term("tokens", "4")
        },
        Term {
            negated: true,
            ..term("class", "many")
        },
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
            let filter = Filter { terms, sort };
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
            field: "weight",
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
