//! Tests opening files with other and former schemas, and files from somebody else's folder.

use expect_test::expect_file;

use super::*;
use crate::jobs::JOBS;
use crate::model::{
    CONSTRUCTOR, Comparison, ContentHash, EventKind, Filter, JudgedSample, Judgement, MethodKind,
    PredictionReading, SampleKey,
};
use crate::testing::{
    GivenPrediction, condition, counter_repo, key_of, many_tests, put_run, store_with,
};
use crate::verdicts::VERDICTS;
use crate::{Extent, Verdicts};

/// The current schema with one more migration.
fn with_next(next: &'static str) -> Vec<&'static str> {
    MIGRATIONS.iter().copied().chain([next]).collect()
}

#[test]
fn an_older_index_is_copied_and_brought_up_to_date() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let path = store.path().to_owned();
    drop(store);
    let store = open_writer(
        path.clone(),
        StoreAccess::Write,
        DatabaseKind {
            migrations: &with_next(
                "-- Why: this test.\nCREATE TABLE later (a INTEGER NOT NULL) STRICT;",
            ),
            newest: None,
            ..INDEX
        },
    )
    .expect("the index is migrated");
    assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
    store
        .conn
        .execute("INSERT INTO later (a) VALUES (1)", [])
        .expect("the new table is there");
    drop(store);
    let known = MIGRATIONS.len();
    let copy = folder.path().join(format!("index.db.v{known}.bak"));
    let (conn, found) = connect_reader(&copy, INDEX).expect("the copy opens");
    assert!(
        matches!(found, Schema::Version(version) if version as usize == known),
        "{found:?}"
    );
    let n_tests: i64 = conn
        .query_row("SELECT COUNT(*) FROM tests", [], |row| row.get(0))
        .expect("the copy reads");
    assert_eq!(n_tests, 3);
    // A program that knows only the former schema must not touch the file.
    for access in [StoreAccess::Write, StoreAccess::Read] {
        let result = open(folder.path(), access);
        assert!(matches!(
            result,
            Err(StoreError::Newer { found, known: it, .. })
                if found as usize == known + 1 && it as usize == known
        ));
    }
}

#[test]
fn an_index_without_runs_gets_their_tables_and_keeps_its_rows() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    drop(store);
    take_back(folder.path(), 2);
    assert!(matches!(
        open(folder.path(), StoreAccess::Read),
        Err(StoreError::Older { found: 2, .. })
    ));
    let store = open(folder.path(), StoreAccess::Write).expect("the index is migrated");
    assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
    assert_eq!(store.runs().expect("the tables are there"), []);
    assert!(folder.path().join("index.db.v2.bak").is_file());
    drop(store);
    let reader = open(folder.path(), StoreAccess::Read).expect("a reader opens");
    assert_eq!(reader.count(&Filter::default()).expect("counts"), 3);
}

#[test]
fn a_trigger_that_came_with_an_index_is_not_obeyed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    drop(Store::open(folder.path(), StoreAccess::Create).expect("an index can be made"));
    let path = folder.path().join(Store::FILE_NAME);
    let planted = Connection::open(&path).expect("the index opens");
    planted
        .execute_batch(
            "CREATE TABLE told (word TEXT); CREATE TABLE seen (word TEXT);
             CREATE TRIGGER evil AFTER INSERT ON told BEGIN INSERT INTO seen VALUES (new.word); END;
             CREATE VIEW shown AS SELECT 1 AS one;",
        )
        .expect("they can be made");
    drop(planted);
    let store = Store::open(folder.path(), StoreAccess::Write).expect("the index opens");
    store
        .conn
        .execute("INSERT INTO told VALUES ('x')", [])
        .expect("a row is written");
    let n_seen = "SELECT COUNT(*) FROM seen";
    let n_seen = store.conn.query_row(n_seen, [], |row| row.get::<_, i64>(0));
    assert_eq!(n_seen, Ok(0));
    assert!(store.conn.prepare("SELECT one FROM shown").is_err());
}

/// Builds a file of verdicts with a planted trigger or view, as a user may clone it from a stranger.
fn cloned_verdicts(planted: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    drop(Verdicts::open(folder.path(), StoreAccess::Create).expect("a file is made"));
    let path = folder.path().join(Verdicts::FILE_NAME);
    let conn = Connection::open(path).expect("the file opens");
    conn.execute_batch(planted).expect("it can be planted");
    folder
}

fn judge(verdicts: &mut Verdicts, key: u8) -> Result<(), StoreError> {
    let judged = JudgedSample {
        key: SampleKey([key; 16]),
        content_hash: ContentHash([9; 16]),
        focal: None,
        judgement: Judgement::Accept,
        dwell_ms: None,
        guideline: None,
        note: None,
        queue: None,
        bulk: None,
    };
    let judged = vec![EventKind::Judged(judged)];
    verdicts.append("ada", 1, judged).map(|_| ())
}

#[test]
fn a_trigger_that_came_with_verdicts_changes_none() {
    // The schema's guards against mistakes are also disabled, or they would stop the first of these.
    let changing = "DROP TRIGGER events_never_change;
        CREATE TRIGGER turning AFTER INSERT ON events BEGIN
            UPDATE events SET judgement = 'no_focal' WHERE seq = new.seq;
        END;";
    let keeping_out =
        "CREATE TRIGGER keeping_out BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END;";
    let under_our_name = "DROP TRIGGER events_stay;
        CREATE TRIGGER events_stay BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END;";
    for planted in [changing, keeping_out, under_our_name] {
        let folder = cloned_verdicts(planted);
        let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it opens");
        judge(&mut verdicts, 1).expect("it is saved");
        let all = verdicts.all().expect("they are read");
        let judgements: Vec<_> = all
            .into_iter()
            .map(|verdict| verdict.judged.judgement)
            .collect();
        assert_eq!(judgements, [Judgement::Accept], "{planted}");
    }
}

#[test]
fn a_view_that_came_with_verdicts_shows_nothing_else_than_they_say() {
    let planted = "DROP VIEW verdicts;
        CREATE VIEW verdicts AS SELECT * FROM events WHERE judgement = 'no_focal';";
    let folder = cloned_verdicts(planted);
    for access in [StoreAccess::Create, StoreAccess::Write, StoreAccess::Read] {
        let opened = Verdicts::open(folder.path(), access);
        assert!(
            matches!(&opened, Err(StoreError::Damaged { detail, .. }) if detail.contains("`verdicts`")),
            "{:?}",
            opened.err()
        );
    }
    // A user who reads the file with other tools may have added a view.
    let folder = cloned_verdicts("CREATE VIEW mine AS SELECT annotator FROM verdicts;");
    let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it opens");
    judge(&mut verdicts, 1).expect("it is saved");
    assert_eq!(verdicts.all().expect("they are read").len(), 1);
}

#[test]
fn a_table_that_came_with_verdicts_forgets_none_for_the_next() {
    let folder = cloned_verdicts("");
    let path = folder.path().join(Verdicts::FILE_NAME);
    let conn = Connection::open(path).expect("the file opens");
    let sql = "SELECT sql FROM sqlite_schema WHERE name = 'events'";
    let sql: String = conn
        .query_row(sql, [], |row| row.get(0))
        .expect("it is read");
    let forgetful = sql.replace(
        "annotator TEXT NOT NULL",
        "annotator TEXT NOT NULL UNIQUE ON CONFLICT REPLACE",
    );
    conn.execute_batch(&format!("DROP TABLE events; {forgetful}"))
        .expect("it can be planted");
    drop(conn);
    let mut verdicts = Verdicts::open(folder.path(), StoreAccess::Create).expect("it opens");
    judge(&mut verdicts, 1).expect("it is saved");
    assert!(judge(&mut verdicts, 2).is_err(), "who judges is told");
    let all = verdicts.all().expect("they are read");
    let keys: Vec<_> = all.into_iter().map(|verdict| verdict.judged.key).collect();
    assert_eq!(keys, [SampleKey([1; 16])]);
}

/// Puts the rows of an index into one that only the first `n` migrations have built.
fn take_back(folder: &Path, n: usize) {
    let (now, former) = (folder.join(Store::FILE_NAME), folder.join("former.db"));
    let conn = Connection::open(&former).expect("a file is made");
    let kind = DatabaseKind {
        migrations: &MIGRATIONS[..n],
        newest: None,
        ..INDEX
    };
    assert!(migrate(&conn, &former, kind).is_ok());
    conn.execute_batch("PRAGMA foreign_keys = OFF")
        .expect("a setting");
    conn.execute("ATTACH ?1 AS now", [now.to_string_lossy()])
        .expect("the index opens");
    for (table, columns) in tables(&conn) {
        conn.execute_batch(&format!(
            "DELETE FROM main.{table}; INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table};"
        ))
        .expect("the rows go over");
    }
    drop(conn);
    fs::remove_file(&now).expect("it is there");
    fs::rename(&former, &now).expect("its place is free");
}

/// Lists the tables of a file, each with its columns.
fn tables(conn: &Connection) -> Vec<(String, String)> {
    let mut tables = conn
        .prepare(
            "SELECT s.name, group_concat(c.name) FROM main.sqlite_schema s, pragma_table_info(s.name, 'main') c
             WHERE s.type = 'table' GROUP BY s.name",
        )
        .expect("the schema can be asked");
    let tables = tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let tables: Result<_, _> = tables.expect("the schema can be asked").collect();
    tables.expect("names are text")
}

/// Reads everything that readers see of the samples.
fn samples(store: &Store) -> Vec<crate::StoredSample> {
    let mut samples = Vec::new();
    store
        .each_sample::<StoreError>(&Filter::default(), Extent::WithFocalClass, |sample| {
            samples.push(sample);
            Ok(())
        })
        .expect("the samples are read");
    samples
}

#[test]
fn an_index_of_one_language_keeps_every_row_and_the_verdicts_stay_as_they_are() {
    let mut made = counter_repo("a");
    made.methods[0].name = CONSTRUCTOR.to_owned();
    made.methods[0].kind = MethodKind::Constructor;
    let (folder, mut store) = store_with(&[made, counter_repo("b"), many_tests("c", 20)]);
    let given = GivenPrediction {
        key: key_of("a", "testInc"),
        attempt: 0,
        answer: "assertTrue(true);".to_owned(),
        reading: PredictionReading {
            n_tokens: 5,
            n_reference_tokens: 6,
            has_reference: true,
            ..PredictionReading::default()
        },
        tags: None,
        values: vec![0.25],
    };
    let run = put_run(&mut store, "model", &["bleu"], &[given]);
    let judged = Verdicts::open(folder.path(), StoreAccess::Create).expect("a file is made");
    drop(judged);
    let verdicts = folder.path().join(Verdicts::FILE_NAME);
    let said = fs::read(&verdicts).expect("it is there");
    let before = (samples(&store), store.runs().expect("it reads"));
    drop(store);
    take_back(folder.path(), 8);

    let mut store = open(folder.path(), StoreAccess::Write).expect("the index is migrated");
    assert_eq!((samples(&store), store.runs().expect("it reads")), before);
    assert_eq!(before.0.len(), 26);
    assert_eq!(before.0[0].setup_context[0].kind, MethodKind::Constructor);
    let by_class = |word: &str| {
        let filter = Filter::only(condition("focal-class", Comparison::Exactly, word));
        store.count(&filter).expect("counts")
    };
    let n_mapped = before
        .0
        .iter()
        .filter(|stored_sample| stored_sample.focal.is_some())
        .count();
    assert_eq!(by_class("Counter"), n_mapped as u64);
    // No row of any table differs from the copy that was made.
    let copy = folder.path().join("index.db.v8.bak");
    let conn = Connection::open(&copy).expect("the copy opens");
    conn.execute("ATTACH ?1 AS now", [store.path().to_string_lossy()])
        .expect("the index opens");
    let tables = tables(&conn);
    assert!(tables.len() > 20, "{tables:?}");
    for (table, columns) in tables {
        let rows = |schema: &str| format!("SELECT {columns} FROM {schema}.{table}");
        for [one, other] in [["main", "now"], ["now", "main"]] {
            let sql = format!("{} EXCEPT {}", rows(one), rows(other));
            let is_other = conn
                .prepare(&sql)
                .and_then(|mut statement| statement.exists([]));
            assert_eq!(is_other, Ok(false), "{table}");
        }
    }
    drop(conn);
    assert_eq!(fs::read(&verdicts).expect("it is there"), said);
    // Deleting a row still deletes the rows that refer to it.
    let monitor = crate::task::Monitor::default();
    let removed = store.remove_repo("c", None, &monitor);
    removed.expect("the index is written");
    let n_tallies = "SELECT COUNT(*) FROM tallies";
    let n_tallies = store
        .conn
        .query_row(n_tallies, [], |row| row.get::<_, i64>(0));
    assert_eq!(n_tallies, Ok(2));
    assert!(
        store.remove_run("model", &monitor).expect("it goes"),
        "{run}"
    );
}

#[test]
fn a_migration_that_would_leave_rows_behind_is_not_made() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let path = store.path().to_owned();
    drop(store);
    let lossy = with_next("-- Why: this test.\nDELETE FROM repos;");
    let kind = DatabaseKind {
        migrations: &lossy,
        newest: None,
        ..INDEX
    };
    assert!(open_writer(path, StoreAccess::Write, kind).is_err());
    let store = open(folder.path(), StoreAccess::Write).expect("the index opens");
    assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
}

#[test]
fn a_migration_that_fails_leaves_the_index_as_it_was() {
    let (folder, store) = store_with(&[counter_repo("a")]);
    let path = store.path().to_owned();
    drop(store);
    let broken = with_next("CREATE TABLE later (a) STRICT; NONSENSE");
    let kind = DatabaseKind {
        migrations: &broken,
        newest: None,
        ..INDEX
    };
    assert!(open_writer(path, StoreAccess::Write, kind).is_err());
    let store = open(folder.path(), StoreAccess::Write).expect("the index opens");
    assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
}

/// Lists the statements that build a file: its schema, and its initial rows.
fn statements(conn: &Connection) -> String {
    let mut made = conn
        .prepare(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid",
        )
        .expect("the schema can be asked");
    let made = made.query_map([], |row| row.get::<_, String>(0));
    let mut statements: Vec<String> = (made.expect("the schema can be asked"))
        .collect::<Result<_, _>>()
        .expect("statements are text");
    for (table, columns) in tables(conn) {
        let quoted: Vec<String> = columns
            .split(',')
            .map(|part| format!("quote({part})"))
            .collect();
        let sql = format!("SELECT concat_ws(', ', {}) FROM {table}", quoted.join(", "));
        let mut rows = conn.prepare(&sql).expect("the table can be asked");
        let rows = rows.query_map([], |row| row.get::<_, String>(0));
        for row in rows.expect("the table can be asked") {
            let row = row.expect("values are text when quoted");
            statements.push(format!("INSERT INTO {table} ({columns}) VALUES ({row})"));
        }
    }
    statements.join(";\n\n") + ";\n"
}

/// `UPDATE_EXPECT=1` rewrites the texts; the test passes after it is rebuilt with them.
#[test]
fn a_new_file_has_what_all_migrations_make() {
    let files = [
        (INDEX, "../schema/index.sql"),
        (VERDICTS, "../schema/verdicts.sql"),
        (JOBS, "../schema/jobs.sql"),
    ];
    let migrated = files.map(|(kind, path)| {
        let migrated = made(DatabaseKind {
            newest: None,
            ..kind
        });
        expect_file![path].assert_eq(&migrated.0);
        migrated
    });
    assert_eq!(files.map(|(kind, _)| made(kind)), migrated);
}

/// Lists the statements that build a new file, and the numbers in its header.
fn made(kind: DatabaseKind<'_>) -> (String, [i32; 2]) {
    let conn = Connection::open_in_memory().expect("a database is made");
    assert!(migrate(&conn, Path::new("new.db"), kind).is_ok());
    let head = ["user_version", "application_id"].map(|name| {
        let number = conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0));
        number.expect("it is a number")
    });
    (statements(&conn), head)
}

#[test]
fn every_migration_says_why() {
    for migration in MIGRATIONS {
        assert!(migration.starts_with("-- Why: "), "{migration}");
    }
}

#[test]
fn a_workspace_whose_place_is_taken_by_a_file_says_so() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let taken = folder.path().join(".focalist");
    fs::write(&taken, "a file").expect("the file is written");
    let error = open(&taken, StoreAccess::Create)
        .err()
        .expect("a file is no folder");
    let expected = format!("cannot use `{}`: not a directory", taken.display());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_index_without_anything_in_it_is_empty_and_can_be_made() {
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join(Store::FILE_NAME);
    fs::write(&path, "").expect("the file is written");
    let error = open(folder.path(), StoreAccess::Read)
        .err()
        .expect("nothing is in it");
    assert_eq!(error.to_string(), format!("`{}` is empty", path.display()));
    open(folder.path(), StoreAccess::Create).expect("it is made");
}

#[test]
fn what_cannot_be_opened_says_why() {
    // Root may open every file, but nobody can open a folder as a file.
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join("gone").join(Store::FILE_NAME);
    let error = Connection::open(&path).expect_err("its folder is not there");
    let error = StoreFailure::Sql(error).at(&path).to_string();
    let expected = format!("cannot use `{}`: No such file", path.display());
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn a_file_system_without_shared_memory_is_refused_and_nothing_is_written() {
    // SQLite's own access to files for file systems where locks do not work.
    let folder = tempfile::tempdir().expect("tests may make folders");
    let path = folder.path().join("verdicts.db");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let conn = Connection::open_with_flags_and_vfs(&path, flags, "unix-dotfile")
        .expect("the file is made");
    let refused = write_ahead(&conn, &path);
    assert!(matches!(refused, Err(StoreError::NoJournal { path: it }) if it == path));
    assert_eq!(fs::metadata(&path).map_or(0, |metadata| metadata.len()), 0);
}

#[test]
fn codes_of_the_system_and_of_sqlite_become_words() {
    use rusqlite::ffi;
    let check = |code: i32, is_right: fn(&StoreError) -> bool| {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        let error = StoreFailure::Sql(error).at(Path::new("index.db"));
        assert!(is_right(&error), "{code}: {error:?}");
    };
    check(ffi::SQLITE_READONLY, |error| {
        matches!(error, StoreError::ReadOnly { .. })
    });
    check(ffi::SQLITE_PERM, |error| {
        matches!(error, StoreError::ReadOnly { .. })
    });
    check(ffi::SQLITE_NOTADB, |error| {
        matches!(error, StoreError::NotAnIndex { .. })
    });
    check(ffi::SQLITE_CORRUPT, |error| {
        matches!(error, StoreError::Damaged { .. })
    });
    check(ffi::SQLITE_FULL, |error| {
        matches!(error, StoreError::Full { .. })
    });
    check(ffi::SQLITE_BUSY, |error| {
        matches!(error, StoreError::Locked { .. })
    });
    check(ffi::SQLITE_PROTOCOL, |error| {
        matches!(error, StoreError::NoJournal { .. })
    });
    check(ffi::SQLITE_IOERR_SHMMAP, |error| {
        matches!(error, StoreError::NoJournal { .. })
    });
    check(ffi::SQLITE_INTERRUPT, |error| {
        matches!(error, StoreError::Cancelled(_))
    });
    check(ffi::SQLITE_IOERR, |error| {
        matches!(error, StoreError::Sql { .. })
    });
    let denied = io::Error::from(io::ErrorKind::PermissionDenied);
    let error = StoreFailure::Io(denied).at(Path::new("index.db"));
    assert!(matches!(error, StoreError::ReadOnly { .. }));
}

#[test]
fn what_tests_made_of_their_candidates_stays_when_other_methods_come_to_be_kept() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join(Store::FILE_NAME);
    let conn = Connection::open(&path).expect("a file is made");
    let kind = DatabaseKind {
        migrations: &MIGRATIONS[..26],
        newest: None,
        ..INDEX
    };
    assert!(migrate(&conn, &path, kind).is_ok());
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         INSERT INTO candidate_faults VALUES (5, 'fast', x'00', 1);
         INSERT INTO candidate_methods VALUES (5, 'fast', 0, 'p.A#b()', 'A.java', 3, 1, '1');
         INSERT INTO candidate_pairs VALUES (5, 'fast', 0, 7, 2);",
    )
    .expect("rows are written");
    // The tests that they belong to are missing here, which a complete migration would reject.
    conn.execute_batch(MIGRATIONS[26])
        .expect("the rows go over");
    let sql = "SELECT f.is_settled, f.n_methods, m.name, m.callers, p.mutant, p.outcome
        FROM method_faults f JOIN faulted_methods m USING (prediction, engine, scope)
            JOIN method_pairs p USING (prediction, engine, scope, rank) WHERE scope = 0";
    let row = conn.query_row(sql, [], |row| {
        let method: (String, String) = (row.get(2)?, row.get(3)?);
        let numbers: [Option<i64>; 4] = [row.get(0)?, row.get(1)?, row.get(4)?, row.get(5)?];
        Ok((method, numbers))
    });
    let method = ("p.A#b()".to_owned(), "1".to_owned());
    let expected = (method, [Some(1), None, Some(7), Some(2)]);
    assert_eq!(row.expect("it is there"), expected);
}
