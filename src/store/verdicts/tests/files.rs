//! Files of verdicts: damaged, older and newer ones, and a full disk.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::testing::{counter_repo, store_with};

#[test]
fn files_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join(Verdicts::FILE_NAME);
    let open = |access| Verdicts::open(folder.path(), access).map(|_| ());
    assert!(matches!(
        open(StoreAccess::Read),
        Err(StoreError::Missing { .. })
    ));
    assert!(matches!(
        open(StoreAccess::Write),
        Err(StoreError::Missing { .. })
    ));
    let empty = Verdicts::open_or_empty(folder.path()).expect("no file is no verdict");
    assert_eq!(empty.all().expect("it reads"), []);
    assert!(!path.exists());

    fs::write(&path, "no database, whatever its name says").expect("a file is written");
    for access in [StoreAccess::Read, StoreAccess::Create] {
        assert!(matches!(open(access), Err(StoreError::NotAnIndex { .. })));
    }
    fs::remove_file(&path).expect("the file goes");
    crate::Store::open(folder.path(), StoreAccess::Create).expect("an index is made");
    fs::copy(folder.path().join("index.db"), &path).expect("an index is no file of verdicts");
    assert!(matches!(
        open(StoreAccess::Write),
        Err(StoreError::NotAnIndex { .. })
    ));
    fs::remove_file(&path).expect("the file goes");

    let mut verdicts =
        Verdicts::open(folder.path(), StoreAccess::Create).expect("the file is made");
    for number in 0..200 {
        verdicts
            .append("ada", 1, vec![judged(number, Judgement::Accept)])
            .expect("an event is added");
    }
    assert!(matches!(
        Verdicts::open(folder.path(), StoreAccess::Read)
            .expect("a reader opens")
            .append("ada", 1, vec![judged(1, Judgement::Skip)]),
        Err(StoreError::ReadOnly { .. })
    ));
    drop(verdicts);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("rights change");
    // Root can write to every file, so also to this one.
    if fs::OpenOptions::new().write(true).open(&path).is_err() {
        assert!(matches!(
            open(StoreAccess::Write),
            Err(StoreError::ReadOnly { .. })
        ));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("rights change");
    let mut bytes = fs::read(&path).expect("the file reads");
    let half = bytes.len() / 2;
    bytes[4096..half].fill(0x5a);
    fs::write(&path, bytes).expect("the file is written");
    let verdicts = Verdicts::open(folder.path(), StoreAccess::Write);
    let read = verdicts.and_then(|verdict| verdict.all());
    assert!(
        matches!(
            read,
            Err(StoreError::Damaged { .. } | StoreError::NotAnIndex { .. })
        ),
        "{read:?}"
    );
}

#[test]
fn a_newer_schema_is_left_alone_and_an_older_one_is_copied_first() {
    let (folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    drop(verdicts);
    let known = VERDICTS.migrations.len();
    let migrations: Vec<&str> = VERDICTS
        .migrations
        .iter()
        .copied()
        .chain(["-- Why: this test.\nCREATE TABLE later (a INTEGER NOT NULL) STRICT;"])
        .collect();
    let next = DatabaseKind {
        migrations: &migrations,
        newest: None,
        ..VERDICTS
    };
    assert!(matches!(
        open(folder.path(), StoreAccess::Read, next),
        Err(StoreError::Older { found, known: it, .. })
            if found as usize == known && it as usize == known + 1
    ));
    let migrated = open(folder.path(), StoreAccess::Write, next).expect("the file is migrated");
    assert_eq!(migrated.all().expect("verdicts read").len(), 1);
    drop(migrated);
    let copy = folder.path().join(format!("verdicts.db.v{known}.bak"));
    assert!(copy.is_file());
    for access in [StoreAccess::Read, StoreAccess::Write, StoreAccess::Create] {
        assert!(matches!(
            Verdicts::open(folder.path(), access),
            Err(StoreError::Newer { found, known: it, .. })
                if found as usize == known + 1 && it as usize == known
        ));
    }
    fs::copy(copy, folder.path().join(Verdicts::FILE_NAME)).expect("the copy is put back");
    let former = Verdicts::open(folder.path(), StoreAccess::Read).expect("the copy opens");
    assert_eq!(former.all().expect("verdicts read").len(), 1);
}

#[test]
fn every_migration_says_why() {
    for migration in VERDICTS.migrations {
        assert!(migration.starts_with("-- Why: "), "{migration}");
    }
}

#[test]
fn a_verdict_is_on_the_disk_when_the_call_returns() {
    let (_folder, verdicts) = fresh();
    let pragma = |name: &str| -> String {
        let sql = format!("PRAGMA {name}");
        let value: rusqlite::types::Value = verdicts
            .conn
            .query_row(&sql, [], |row| row.get(0))
            .expect("a setting reads");
        format!("{value:?}")
    };
    assert_eq!(pragma("synchronous"), "Integer(2)");
    assert_eq!(pragma("journal_mode"), "Text(\"wal\")");
}

#[test]
fn a_full_disk_takes_no_verdict_away() {
    let (folder, mut verdicts) = fresh();
    let pages = |verdicts: &Verdicts, n: u32| {
        let sql = format!("PRAGMA max_page_count = {n}");
        let set: u32 = verdicts
            .conn
            .query_row(&sql, [], |row| row.get(0))
            .expect("a limit is set");
        set
    };
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    // The file may have only as many pages as it has now.
    pages(&verdicts, 1);
    let mut n_said = 1;
    let full = loop {
        let kinds = vec![judged(n_said, Judgement::Accept)];
        match verdicts.append_shown("ada", 1, kinds, &[snapshot(n_said, "int a;")]) {
            Ok(_) => n_said += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::Full { .. }), "{full}");
    let all = vec![accepted(1); 200];
    let all = all
        .into_iter()
        .zip(0..)
        .map(|(judged_sample, number)| JudgedSample {
            key: key(number),
            ..judged_sample
        });
    let full = verdicts.append_batch("eva", 1, batch(), all.collect());
    assert!(matches!(full, Err(StoreError::Full { .. })));
    let n_verdicts = |verdicts: &Verdicts| verdicts.all().expect("verdicts read").len();
    // The first sample was judged twice.
    assert_eq!(events(&verdicts).len(), usize::from(n_said));
    assert_eq!(verdicts.provisional().expect("they read"), []);
    // Once there is room again, writing works, in this process and in the next.
    pages(&verdicts, u32::MAX - 1);
    verdicts
        .append("ada", 1, vec![judged(99, Judgement::Accept)])
        .expect("there is room");
    let n_then = n_verdicts(&verdicts);
    drop(verdicts);
    let again = Verdicts::open(folder.path(), StoreAccess::Write).expect("the file opens");
    assert_eq!(n_verdicts(&again), n_then);
    assert_eq!(events(&again).len(), usize::from(n_said) + 1);
}

#[test]
fn a_file_that_may_no_longer_be_written_says_so() {
    let (_folder, mut verdicts) = fresh();
    verdicts
        .append("ada", 1, vec![judged(1, Judgement::Accept)])
        .expect("an event is added");
    verdicts
        .conn
        .execute_batch("PRAGMA query_only = ON")
        .expect("it is set");
    let refused = verdicts.append("ada", 1, vec![judged(2, Judgement::Accept)]);
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
    assert!(matches!(
        verdicts.undo("ada", 1),
        Err(StoreError::ReadOnly { .. })
    ));
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
}

#[test]
fn whoever_reads_numbers_leaves_a_file_from_before_there_were_marks_as_it_is() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let former = DatabaseKind {
        migrations: &VERDICTS.migrations[..4],
        newest: None,
        ..VERDICTS
    };
    open(folder.path(), StoreAccess::Create, former).expect("the file is made");
    assert_eq!(store.equivalents_version().expect("it is read"), 0);
    assert!(matches!(
        Verdicts::open(folder.path(), StoreAccess::Read),
        Err(StoreError::Older { found: 4, .. })
    ));
}

#[test]
fn an_older_file_is_brought_up_to_date_also_for_a_reader() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let former = DatabaseKind {
        migrations: &VERDICTS.migrations[..1],
        newest: None,
        ..VERDICTS
    };
    open(folder.path(), StoreAccess::Create, former).expect("the file is made");
    assert!(matches!(
        Verdicts::open(folder.path(), StoreAccess::Read),
        Err(StoreError::Older { found: 1, .. })
    ));
    // A file that the first version wrote.
    let path = folder.path().join(Verdicts::FILE_NAME);
    let conn = Connection::open(&path).expect("the file opens");
    let event = Event::new("ada", 1, judged(1, Judgement::Accept));
    conn.execute(
        "INSERT INTO events (id, annotator, at_ms, kind, key, content_hash, focal, judgement, dwell_ms, guideline, queue)
         VALUES (?1, 'ada', 1, 'judged', ?2, ?3, 'p.C#m()', 'accept', 1200, '1', 'random')",
        params![event.id().0, key(1).0, [9_u8; 16]],
    )
    .expect("a row is written");
    drop(conn);
    let verdicts = Verdicts::open_or_empty(folder.path()).expect("it is migrated");
    assert_eq!(events(&verdicts), [event]);
    assert_eq!(verdicts.all().expect("verdicts read").len(), 1);
    assert!(folder.path().join("verdicts.db.v1.bak").is_file());
}
