//! The guarantees of the index: rows are read as written, generations become visible as a whole, and other files are
//! recognised.

mod by_method;
mod consistency;
mod equivalent;
mod executions;
mod frozen;
mod languages;
mod lists;
mod matchers;
mod parts;
mod people;
mod questions;
mod runs;
mod shaken;
mod tags;
mod texts;

use std::fs;

use rusqlite::Connection;

use crate::model::{
    Comparison, Direction, Filter, Matcher, SampleRow, SampleSort, SortField, SortKey, Status, Term,
};
use crate::task::{Cancelled, Monitor};

use super::testing::{
    COUNTER_TEST, condition, counter_repo, decided, empty_store, key_of, many_tests, only, stamp,
    store_with, write_repos,
};
use super::{Anchor, Store, StoreAccess, StoreError};

const CONTEST: Matcher = Matcher::Contest;

fn everything() -> Filter {
    Filter::default()
}

fn term(field: &str, value: &str) -> Term {
    condition(field, Comparison::Is, value)
}

fn all(store: &Store, filter: &Filter) -> Vec<SampleRow> {
    store
        .page(filter, Anchor::First, 100_000)
        .expect("the list is read")
}

fn names(rows: &[SampleRow]) -> Vec<String> {
    rows.iter()
        .map(|row| format!("{} {}", row.repo, row.test_name))
        .collect()
}

#[test]
fn a_repository_comes_back_as_it_was_written() {
    let contents = counter_repo("a");
    let (_folder, store) = store_with(std::slice::from_ref(&contents));
    let sample = store
        .sample(&key_of("a", "testInc"), CONTEST)
        .expect("the index reads")
        .expect("the sample is there");
    assert_eq!(*sample.repo, contents.repo);
    assert_eq!(sample.root, contents.root);
    assert_eq!(sample.row.focal.as_deref(), Some("Counter.inc"));
    assert_eq!(sample.row.weight, Some(1.0));
    assert_eq!(sample.test.key(), "p.CounterTest#testInc()");
    assert_eq!(&*sample.test.text, COUNTER_TEST);
    assert_eq!(sample.fixtures[0].key(), "p.CounterTest#initCounter()");
    assert_eq!(sample.setup_context[0].key(), "p.Counter#setCount(int)");
    assert_eq!(sample.focal_context[0].key(), "p.Counter#setCount(int)");
    let candidates: Vec<_> = sample
        .candidates
        .iter()
        .map(|candidate| candidate.method.key())
        .collect();
    assert_eq!(candidates, ["p.Counter#inc()", "p.Counter#setCount(int)"]);
    assert!(sample.candidates[0].is_picked && !sample.candidates[1].is_picked);
    let focal_call = sample.cut.focal_calls[0];
    assert_eq!(focal_call.of(COUNTER_TEST), "counter.inc()");
    assert_eq!(sample.candidates[0].calls, [focal_call]);
    assert!(
        sample
            .cut
            .assertion
            .is_some_and(|span| span.of(COUNTER_TEST).starts_with("assertEquals"))
    );
    assert!(sample.split_random.is_some() && sample.split_project.is_some());
}

#[test]
fn an_unmapped_test_is_a_row_without_focal_and_weight() {
    let (_folder, store) = store_with(&[counter_repo("a")]);
    let rows = all(&store, &only("status", "no_candidate"));
    assert_eq!(names(&rows), ["a works"]);
    assert_eq!(
        (rows[0].focal.as_ref(), rows[0].weight, rows[0].stage),
        (None, None, None)
    );
}

#[test]
fn replacing_keeps_the_keys_and_hides_the_former_rows() {
    let (_folder, mut store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let keys = |store: &Store| -> Vec<_> {
        all(store, &everything())
            .iter()
            .map(|row| row.key)
            .collect()
    };
    let before = keys(&store);
    let mut changed = counter_repo("a");
    changed.tests.pop();
    changed.stamp = stamp("changed");
    write_repos(&mut store, &[changed.clone()]);
    let after = keys(&store);
    assert_eq!(before.len(), 6);
    let gone: Vec<_> = before.iter().filter(|key| !after.contains(key)).collect();
    assert_eq!(gone, [&key_of("a", "works")]);
    assert_eq!(after.len(), 5);
    assert_eq!(
        store.stamps().expect("reads").get(&changed.repo.key()),
        Some(&changed.stamp)
    );
}

#[test]
fn sources_are_stored_once_and_go_with_their_last_file() {
    let (_folder, mut store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let n_sources = |store: &Store| count_rows(&store.conn, "sources");
    assert_eq!(n_sources(&store), 2);
    store
        .remove_repo("a", None, &Monitor::default())
        .expect("the repository goes");
    assert_eq!(n_sources(&store), 2);
    store
        .remove_repo("example.org/b", None, &Monitor::default())
        .expect("the repository goes");
    assert_eq!(n_sources(&store), 0);
    for table in [
        "files",
        "methods",
        "tests",
        "decisions",
        "details",
        "problems",
        "kept",
        "tallies",
    ] {
        assert_eq!(count_rows(&store.conn, table), 0, "{table}");
    }
    assert_eq!(
        store
            .remove_repo("b", None, &Monitor::default())
            .expect("reads"),
        None
    );
}

fn count_rows(conn: &Connection, table: &str) -> i64 {
    conn.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| {
        row.get(0)
    })
    .expect("the table is there")
}

#[test]
fn a_cancelled_replace_leaves_the_former_generation() {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let before = all(&store, &everything());
    let monitor = Monitor::default();
    monitor.cancel();
    let result = store.replace_repo(&many_tests("a", 20).borrow(), &monitor);
    assert!(matches!(result, Err(StoreError::Cancelled(Cancelled))));
    assert_eq!(all(&store, &everything()), before);
    drop(store);
    let store = Store::open(folder.path(), StoreAccess::Write).expect("the index opens");
    assert_eq!(all(&store, &everything()), before);
}

/// Writes half of a repository the way a killed process leaves it.
fn leave_half_a_generation(store: &Store) {
    store
        .conn
        .execute_batch(
            "INSERT INTO hidden DEFAULT VALUES;
             INSERT INTO sources (hash, size_bytes, zstd) VALUES (x'00', 0, x'');
             INSERT INTO files SELECT (SELECT MAX(id) FROM hidden) << 32, MAX(id), 0, 'A.java' FROM sources;
             INSERT INTO tests SELECT (SELECT MAX(id) FROM hidden) << 32, x'00', 0, x'';
             INSERT INTO decisions SELECT (SELECT MAX(id) FROM hidden) << 32 | (id & 0xffffffff), matcher, status,
                stage, weight, flags, n_tokens, is_duplicate, split, framework, kind, file, method, focal_method,
                test_class, test_name, focal, margin, focal_class FROM decisions;",
        )
        .expect("the rows are written");
}

#[test]
fn rows_of_a_killed_run_are_never_seen_and_are_swept_by_the_next_writer() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let by_weight = Filter {
        sort: vec![SortKey {
            field: SortField::Sample(SampleSort::Weight),
            direction: Direction::Descending,
        }],
        ..everything()
    };
    let n_decisions = count_rows(&store.conn, "decisions");
    leave_half_a_generation(&store);
    for filter in [
        everything(),
        by_weight,
        only("test", "t"),
        only("text", "counter"),
    ] {
        let rows = all(&store, &filter);
        assert!(rows.iter().all(|row| row.id >> 32 == 1), "{filter:?}");
        assert_eq!(store.count(&filter).expect("counts"), rows.len() as u64);
    }
    assert_eq!(
        store.funnel(&only("kind", "Test")).expect("counts").n_tests,
        3
    );
    drop(store);
    let store = Store::open(folder.path(), StoreAccess::Write).expect("the index opens");
    assert_eq!(count_rows(&store.conn, "decisions"), n_decisions);
    assert_eq!(count_rows(&store.conn, "sources"), 2);
    assert_eq!(count_rows(&store.conn, "hidden"), 0);
}

#[test]
fn a_reader_works_while_a_writer_is_open_and_a_second_writer_is_refused() {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let reader = Store::open(folder.path(), StoreAccess::Read).expect("a reader opens");
    assert_eq!(all(&reader, &everything()).len(), 3);
    let version = reader.version().expect("reads");
    write_repos(&mut store, &[counter_repo("b")]);
    assert_eq!(all(&reader, &everything()).len(), 6);
    assert_ne!(reader.version().expect("reads"), version);
    assert!(matches!(
        Store::open(folder.path(), StoreAccess::Write),
        Err(StoreError::Locked { .. })
    ));
}

#[test]
fn where_no_shared_memory_can_be_made_a_finished_index_is_still_read() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    drop(store);
    // This has the effect of a read-only folder: SQLite cannot open `index.db-shm`, because it follows no links there.
    std::os::unix::fs::symlink("nowhere", folder.path().join("index.db-shm"))
        .expect("the link is made");
    let reader = Store::open(folder.path(), StoreAccess::Read).expect("a reader opens");
    assert_eq!(all(&reader, &everything()).len(), 3);
    let writer = Store::open(folder.path(), StoreAccess::Write);
    assert!(writer.is_err());
}

#[test]
fn a_store_may_move_to_a_thread_and_be_interrupted_from_another() {
    fn check<T: Send>() {}
    fn check_shared<T: Send + Sync>() {}
    check::<Store>();
    check::<StoreError>();
    check_shared::<super::Interrupt>();
}

#[test]
fn a_reader_may_not_write() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    drop(store);
    let mut reader = Store::open(folder.path(), StoreAccess::Read).expect("a reader opens");
    let result = reader.replace_repo(&counter_repo("b").borrow(), &Monitor::default());
    assert!(matches!(result, Err(StoreError::ReadOnly { .. })));
    let direct = reader.named(|| Ok(reader.conn.execute("DELETE FROM repos", [])?));
    assert!(matches!(direct, Err(StoreError::ReadOnly { path }) if path == reader.path()));
}

fn refused(prepare: impl FnOnce(&std::path::Path), access: StoreAccess) -> StoreError {
    let folder = tempfile::tempdir().expect("tests may make folders");
    prepare(&folder.path().join(Store::FILE_NAME));
    match Store::open(folder.path(), access) {
        Ok(_) => panic!("the file was accepted"),
        Err(error) => error,
    }
}

#[test]
fn a_newer_schema_is_refused_with_both_numbers() {
    for access in [StoreAccess::Create, StoreAccess::Write, StoreAccess::Read] {
        let error = refused(
            |path| {
                let folder = path.parent().expect("a file lies in a folder");
                let store = Store::open(folder, StoreAccess::Create).expect("opens");
                store
                    .conn
                    .pragma_update(None, "user_version", 99)
                    .expect("the number is written");
            },
            access,
        );
        assert!(
            matches!(
                error,
                StoreError::Newer {
                    found: 99,
                    known: 28,
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[test]
fn what_is_no_index_is_refused_and_left_alone() {
    let text = "not a database, but long enough to have a head of a hundred bytes. ".repeat(3);
    let write_text = |path: &std::path::Path| fs::write(path, &text).expect("the file is written");
    let write_foreign = |path: &std::path::Path| {
        Connection::open(path)
            .and_then(|conn| conn.execute_batch("CREATE TABLE theirs (a)"))
            .expect("the file is written");
    };
    for access in [StoreAccess::Create, StoreAccess::Write, StoreAccess::Read] {
        assert!(matches!(
            refused(write_text, access),
            StoreError::NotAnIndex { .. }
        ));
        assert!(matches!(
            refused(write_foreign, access),
            StoreError::NotAnIndex { .. }
        ));
    }
    assert!(matches!(
        refused(|_| (), StoreAccess::Read),
        StoreError::Missing { .. }
    ));
    assert!(matches!(
        refused(|_| (), StoreAccess::Write),
        StoreError::Missing { .. }
    ));
}

#[test]
fn a_damaged_index_says_so() {
    let (folder, store) = store_with(&[many_tests("a", 300)]);
    let path = store.path().to_owned();
    drop(store);
    let mut bytes = fs::read(&path).expect("the file is there");
    for byte in &mut bytes[4096..] {
        *byte = 0xa5;
    }
    fs::write(&path, bytes).expect("the file is written");
    let result = Store::open(folder.path(), StoreAccess::Read)
        .and_then(|store| store.page(&everything(), Anchor::First, 10));
    assert!(
        matches!(result, Err(StoreError::Damaged { .. })),
        "{result:?}"
    );
}

#[test]
fn a_full_disk_is_told_from_other_failures() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let n_pages: i64 = store
        .conn
        .query_row("PRAGMA page_count", [], |row| row.get(0))
        .expect("reads");
    store
        .conn
        .query_row(
            &format!("PRAGMA max_page_count = {n_pages}"),
            [],
            |_| Ok(()),
        )
        .expect("the limit is set");
    let result = store.replace_repo(&many_tests("b", 500).borrow(), &Monitor::default());
    assert!(matches!(result, Err(StoreError::Full { .. })), "{result:?}");
    assert_eq!(all(&store, &everything()).len(), 3);
}

#[test]
fn the_funnel_counts_the_same_with_and_without_a_filter() {
    let mut second = counter_repo("b");
    second.tests[0].decided[0]
        .flags
        .set(crate::model::Flag::FocalInAssertion, true);
    let (_folder, store) = store_with(&[counter_repo("a"), second, many_tests("c", 50)]);
    let whole = store.funnel(&everything()).expect("counts");
    let filtered = store.funnel(&only("framework", "junit4")).expect("counts");
    assert_eq!(whole, filtered);
    assert_eq!(whole.n_repos, 3);
    assert_eq!(whole.n_files, 6);
    assert_eq!(whole.n_tests, 56);
    assert_eq!(whole.n_test_classes, 3);
    let n_other: u64 = whole.by_status.iter().map(|(_, n)| n).sum();
    assert_eq!(whole.n_split + n_other, whole.n_tests);
    assert_eq!(whole.n_split - whole.n_focal_only_in_setup, 1);
}

#[test]
fn a_status_is_stored_under_its_own_number() {
    let mut contents = many_tests("a", 2 * Status::ALL.len() as u32);
    for (test, status) in contents.tests.iter_mut().zip(Status::ALL.iter().cycle()) {
        test.decided = vec![decided(
            "x",
            *status,
            &[(crate::model::MethodId(0), 1.0, 0.0)],
        )];
    }
    let (_folder, store) = store_with(&[contents]);
    for status in Status::ALL {
        let rows = all(&store, &only("status", status.as_str()));
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.status == *status));
    }
}

#[test]
fn an_empty_index_answers_everything() {
    let (_folder, store) = empty_store();
    assert_eq!(all(&store, &everything()), []);
    assert_eq!(store.count(&everything()).expect("counts"), 0);
    assert_eq!(store.funnel(&only("test", "x")).expect("counts").n_tests, 0);
    assert_eq!(store.repos().expect("reads"), []);
    assert_eq!(store.problems(10).expect("reads"), []);
    assert_eq!(store.manifest().expect("reads"), []);
}
