//! The index of texts: it changes only the duration of a search.

use std::fs;

use proptest::prelude::*;

use crate::model::{Direction, Filter, SampleSort, SortField, SortKey, Term};
use crate::task::Monitor;
use crate::testing::{
    COUNTER, COUNTER_TEST, Contents, counter_repo, file, many_tests, store_with, write_repos,
};
use crate::{Store, StoreAccess, grams};

use super::{all, names, only, term};

fn index(store: &Store) -> grams::TextsIndexed {
    store.index_texts(&Monitor::default()).expect("it is made")
}

/// Finds rows by a filter, with a reader that has no list yet.
fn found(store: &Store, filter: &Filter) -> Vec<String> {
    let folder = store.path().parent().expect("it is in a folder");
    let store = Store::open(folder, StoreAccess::Read).expect("the index opens");
    let rows = all(&store, filter);
    let n_rows = store.count(filter).expect("it is counted");
    assert_eq!(n_rows as usize, rows.len());
    let keys = store.keys(&Filter {
        sort: Vec::new(),
        ..filter.clone()
    });
    assert_eq!(keys.expect("keys are read").len(), rows.len());
    names(&rows)
}

/// Checks that a filter finds the same rows without the index of texts.
fn check(store: &Store, filter: &Filter) -> Vec<String> {
    let with = found(store, filter);
    let path = store.path().with_file_name(grams::FILE_NAME);
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).expect("it is moved");
    let without = found(store, filter);
    fs::rename(&aside, &path).expect("it is moved back");
    assert_eq!(with, without, "{filter:?}");
    with
}

/// Builds a repository with another word in its test.
fn with_word(name: &str, word: &str) -> Contents {
    let mut contents = counter_repo(name);
    let text = COUNTER_TEST.replace("foo bar", word);
    contents.files[1] = file(
        1,
        "src/test/java/p/CounterTest.java",
        &text,
        crate::model::FileRole::Test,
    );
    contents
}

#[test]
fn what_was_mined_after_it_was_made_is_found_too() {
    let (_folder, mut store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let indexed = index(&store);
    assert_eq!((indexed.n_repos, indexed.n_new), (2, 2));
    let filter = only("text", "FOO bar");
    assert_eq!(check(&store, &filter), ["a testInc", "b testInc"]);
    // One is replaced, one is new.
    write_repos(&mut store, &[with_word("b", "far out"), counter_repo("c")]);
    assert_eq!(check(&store, &filter), ["a testInc", "c testInc"]);
    assert_eq!(check(&store, &only("text", "far out")), ["b testInc"]);
    let indexed = index(&store);
    assert_eq!((indexed.n_repos, indexed.n_new), (3, 2));
    assert_eq!(check(&store, &filter), ["a testInc", "c testInc"]);
    assert_eq!(check(&store, &only("text", "far out")), ["b testInc"]);
    assert_eq!(index(&store).n_new, 0);
}

#[test]
fn most_of_it_gone_it_is_made_anew() {
    let (_folder, mut store) = store_with(&[many_tests("a", 40), counter_repo("b")]);
    index(&store);
    write_repos(&mut store, &[counter_repo("a")]);
    let indexed = index(&store);
    assert_eq!((indexed.n_repos, indexed.n_new), (2, 2));
    assert_eq!(
        check(&store, &only("text", "foo bar")),
        ["a testInc", "b testInc"]
    );
    assert_eq!(check(&store, &only("text", "a 12")), [""; 0]);
}

#[test]
fn short_and_odd_pieces_are_found_as_without() {
    let odd = "\"q\" % _ * \u{212a}ELVIN \u{1f600} AND NEAR(";
    let (_folder, store) = store_with(&[with_word("a", odd), with_word("b", "x\0yz0 foo")]);
    index(&store);
    let both = ["a testInc", "b testInc"];
    for (piece, expected) in [
        ("", 6),
        ("+", 4),
        ("\"q\"", 1),
        ("% _ *", 1),
        ("and near(", 1),
        ("kelvin", 0),
        ("\u{212a}elvin", 1),
        (" \u{1f600} ", 1),
        ("yz0 foo", 1),
        ("x\0y", 1),
        ("nowhere at all", 0),
    ] {
        let rows = check(&store, &only("text", piece));
        assert_eq!(rows.len(), expected, "{piece:?}: {rows:?}");
    }
    assert_eq!(check(&store, &only("text", "counter.inc()")), both);
}

#[test]
fn a_damaged_one_is_as_none() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let path = store.path().with_file_name(grams::FILE_NAME);
    fs::write(&path, "no database").expect("it is written");
    assert_eq!(found(&store, &only("text", "foo bar")), ["a testInc"]);
}

#[test]
fn an_interrupt_stops_a_search_that_the_index_answers() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    index(&store);
    let stopped = store.reading(|conn| {
        let mut endless = grams::EndlessStatement::new(conn)?;
        let mut steps = endless.begin()?;
        steps.next()?;
        store.interrupt_handle().interrupt();
        Ok(steps.next()?.is_some())
    });
    assert!(matches!(stopped, Err(crate::StoreError::Cancelled(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn with_and_without_it_the_same_rows_are_found(
        start in 0_usize..900,
        length in 1_usize..24,
        is_of_focal in any::<bool>(),
        is_upper in any::<bool>(),
        negated in any::<bool>(),
        is_sorted in any::<bool>(),
        other in prop::option::of("[a-z0-9]{1,4}"),
    ) {
        let (_folder, mut store) = store_with(&[counter_repo("b"), many_tests("a", 60)]);
        index(&store);
        write_repos(&mut store, &[many_tests("b", 30), counter_repo("c")]);
        let text = if is_of_focal { COUNTER } else { COUNTER_TEST };
        let start = start % text.len();
        let piece = &text[start..(start + length).min(text.len())];
        let piece = if is_upper { piece.to_ascii_uppercase() } else { piece.to_owned() };
        let mut filter = only("text", &piece);
        if negated {
            filter.terms = vec![Term::not(filter.terms.remove(0))];
        }
        filter.terms.extend(other.map(|it| term("text", &it)));
        if is_sorted {
            filter.sort.push(SortKey { field: SortField::Sample(SampleSort::Test), direction: Direction::Descending });
        }
        check(&store, &filter);
        filter.terms.push(term("status", "ok"));
        check(&store, &filter);
    }
}
