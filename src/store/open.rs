//! Opening the file: who may, whether it is ours, which settings it gets, and bringing an older schema up to date.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::error::{Failure, StoreError};
use super::lock::LockFile;
use super::{Access, Store, list, network, runs};

/// `FcLs`: how `file(1)` and we tell an index from any other SQLite file.
const APPLICATION_ID: i32 = 0x4663_4c73;

/// The schema, oldest first. Append only: an index on somebody's disk has run the earlier ones.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/0001_index.sql"),
    include_str!("schema/0002_evidence.sql"),
    include_str!("schema/0003_runs.sql"),
    include_str!("schema/0004_datasets.sql"),
    include_str!("schema/0005_margin.sql"),
    include_str!("schema/0006_declared.sql"),
    include_str!("schema/0007_failures.sql"),
    include_str!("schema/0008_references.sql"),
    include_str!("schema/0009_languages.sql"),
    include_str!("schema/0010_nesting.sql"),
    include_str!("schema/0011_hosts.sql"),
    include_str!("schema/0012_executions.sql"),
    include_str!("schema/0013_clover.sql"),
    include_str!("schema/0014_consistency.sql"),
    include_str!("schema/0015_answers.sql"),
    include_str!("schema/0016_problems.sql"),
    include_str!("schema/0017_asserts.sql"),
    include_str!("schema/0018_confirmed.sql"),
];

/// What tells one of our files from the other, and which schema it should have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind<'m> {
    pub application_id: i32,
    pub migrations: &'m [&'m str],
}

pub(super) const INDEX: Kind<'static> = Kind {
    application_id: APPLICATION_ID,
    migrations: MIGRATIONS,
};

/// How long a statement waits for another process's short transaction.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// For both. Automatic indices: SQLite would rather index a million rows for one query than walk them in order.
const COMMON: &str =
    "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA automatic_index = OFF;";

/// Readers live next to a terminal UI with a memory budget: 4 MiB of pages (negative: KiB), and no memory map.
const READER: &str = "PRAGMA cache_size = -4096; PRAGMA mmap_size = 0;";

/// The writer keeps the inner pages of a large index in memory and checkpoints every 16 MiB.
const WRITER: &str = "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4096;";

/// What goes through the index once and comes back to nothing gains little by remembering it: 8 MiB of pages.
pub(super) const ONCE: &str = "PRAGMA cache_size = -8192;";

pub(super) fn open(folder: &Path, access: Access) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    match access {
        Access::Create => {
            make_folder(folder)?;
            open_writer(path, access, INDEX)
        }
        Access::Write if path.is_file() => open_writer(path, access, INDEX),
        Access::Read if path.is_file() => open_reader(path),
        Access::Write | Access::Read => Err(StoreError::Missing {
            path,
            is_empty: false,
        }),
    }
}

/// Makes the folder of a workspace, where there is none.
pub(super) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|error| {
        // What the system says of a file that is in the way is that it is there.
        let error = if folder.exists() && !folder.is_dir() {
            io::ErrorKind::NotADirectory.into()
        } else {
            error
        };
        Failure::Io(error).at(folder)
    })
}

/// For an index that nobody misses when the machine fails: who is killed loses nothing, as the system writes what it was
/// given. Behind the other settings.
const SCRATCH: &str = "PRAGMA synchronous = OFF;";

/// Opens an index that is made anew where the machine has failed: nothing waits for the disk.
pub(super) fn open_scratch(folder: &Path) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    make_folder(folder)?;
    open_with(path, (Access::Create, SCRATCH), INDEX)
}

pub(super) fn open_to_ask(folder: &Path, model: &str) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    // Looks whether it is ours and up to date: a writer's connection would make a file.
    drop(connect_current(&path, INDEX)?);
    let lock = ask_lock(folder, model)?;
    let conn = connect_writer(&path, "", INDEX)?;
    (conn.execute_batch(COMMON))
        .and_then(|()| conn.execute_batch(WRITER))
        .and_then(|()| conn.execute_batch("PRAGMA synchronous = FULL"))
        .and_then(|()| conn.execute_batch(ONCE))
        .map_err(|error| Failure::Sql(error).at(&path))?;
    Ok(Store {
        conn,
        path,
        access: Access::Read,
        asks: true,
        lists: list::Lists::default(),
        _lock: Some(lock),
    })
}

/// Takes the lock of those who ask a model. The file stays: who removes it could remove one that somebody else locks.
fn ask_lock(folder: &Path, model: &str) -> Result<LockFile, StoreError> {
    let folder = folder.join("asking");
    fs::create_dir_all(&folder).map_err(|error| Failure::Io(error).at(&folder))?;
    let name = blake3::hash(model.as_bytes()).to_hex();
    let path = folder.join(&name[..16]);
    let file = LockFile::open(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Asked {
            model: model.to_owned(),
        }),
        Err(TryLockError::Error(_)) => Err(StoreError::NoJournal { path }),
    }
}

fn open_writer(path: PathBuf, access: Access, kind: Kind<'_>) -> Result<Store, StoreError> {
    open_with(path, (access, ""), kind)
}

fn open_with(
    path: PathBuf,
    (access, settings): (Access, &str),
    kind: Kind<'_>,
) -> Result<Store, StoreError> {
    let lock = lock(&path)?;
    let conn = connect_writer(&path, settings, kind)?;
    let store = Store {
        conn,
        path,
        access,
        asks: false,
        lists: list::Lists::default(),
        _lock: Some(lock),
    };
    store.named(|| {
        store.conn.execute_batch(COMMON)?;
        store.conn.execute_batch(WRITER)?;
        store.conn.execute_batch(settings)?;
        migrate(&store.conn, &store.path, kind)?;
        let monitor = crate::task::Monitor::default();
        runs::sweep(&store.conn, &monitor)?;
        store.sweep(&monitor)
    })?;
    Ok(store)
}

/// Opens for writing a file that is ours or new, with a journal beside it; does not migrate it.
fn connect_writer(path: &Path, settings: &str, kind: Kind<'_>) -> Result<Connection, StoreError> {
    no_link(path).map_err(|failure| failure.at(path))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)
        .and_then(|conn| conn.busy_timeout(BUSY_TIMEOUT).map(|()| conn))
        .map_err(|error| Failure::Sql(error).at(path))?;
    let found = schema_of(&conn, kind).map_err(|failure| failure.at(path))?;
    // SQLite opens a file without write permission silently for reading.
    if conn.is_readonly("main").unwrap_or(true) {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
        });
    }
    check_schema(path, found, kind)?;
    conn.execute_batch(settings)
        .map_err(|error| Failure::Sql(error).at(path))?;
    write_ahead(&conn, path)?;
    Ok(conn)
}

/// Opens for writing a file that several processes write at once, and brings its schema up to date, one process after the
/// other; later, SQLite's own locks do. Not on a file system that machines share.
pub(super) fn connect_shared(
    path: &Path,
    kind: Kind<'_>,
    settings: &str,
) -> Result<Connection, StoreError> {
    let no_journal = || StoreError::NoJournal {
        path: path.to_owned(),
    };
    if path.parent().is_some_and(network::is_shared) {
        return Err(no_journal());
    }
    let lock = LockFile::open(path)?;
    lock.lock().map_err(|_| no_journal())?;
    let conn = connect_writer(path, "", kind)?;
    conn.execute_batch(settings)
        .map_err(Failure::from)
        .and_then(|()| migrate(&conn, path, kind))
        .map_err(|failure| failure.at(path))?;
    Ok(conn)
}

/// Switches to the journal that lets readers and a writer work at once; it needs shared memory and locks.
fn write_ahead(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let journal: String = conn
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| Failure::Sql(error).at(path))?;
    if journal == "wal" {
        Ok(())
    } else {
        Err(StoreError::NoJournal {
            path: path.to_owned(),
        })
    }
}

fn open_reader(path: PathBuf) -> Result<Store, StoreError> {
    let conn = connect_current(&path, INDEX)?;
    conn.execute_batch(COMMON)
        .and_then(|()| conn.execute_batch(READER))
        .map_err(|error| Failure::Sql(error).at(&path))?;
    Ok(Store {
        conn,
        path,
        access: Access::Read,
        asks: false,
        lists: list::Lists::default(),
        _lock: None,
    })
}

/// Opens for reading a file that is ours and has the schema that we know.
pub(super) fn connect_current(path: &Path, kind: Kind<'_>) -> Result<Connection, StoreError> {
    let (conn, found) = connect_reader(path, kind).map_err(|failure| failure.at(path))?;
    check_schema(path, found, kind)?;
    let path = path.to_owned();
    match found {
        Schema::Empty => Err(StoreError::Missing {
            path,
            is_empty: true,
        }),
        Schema::Version(version) if (version as usize) < kind.migrations.len() => {
            Err(StoreError::Older {
                path,
                found: version,
                known: kind.migrations.len() as u32,
            })
        }
        _ => Ok(conn),
    }
}

/// Opens for reading. In a folder that cannot be written SQLite cannot make the shared memory that a WAL needs; when
/// there is nothing in a WAL either, nobody is writing, and the file can be read as it is.
fn connect_reader(path: &Path, kind: Kind<'_>) -> Result<(Connection, Schema), Failure> {
    no_link(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = |conn: Connection| {
        conn.busy_timeout(BUSY_TIMEOUT)?;
        let found = schema_of(&conn, kind)?;
        Ok((conn, found))
    };
    let first = Connection::open_with_flags(path, flags)
        .map_err(Failure::from)
        .and_then(connect);
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    match first {
        Err(Failure::Sql(error))
            if matches!(
                error.sqlite_error_code(),
                Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
            ) && fs::metadata(&wal).map_or(true, |wal| wal.len() == 0) =>
        {
            let uri = format!("file:{}?immutable=1", escape_uri(path));
            connect(Connection::open_with_flags(
                uri,
                flags | OpenFlags::SQLITE_OPEN_URI,
            )?)
        }
        other => other,
    }
}

/// Lets nothing in a file run by itself that its own schema does not have: it may have come with somebody else's folder, and
/// a trigger could write other outcomes than were found.
fn disarm(conn: &Connection, kind: Kind<'_>) -> Result<(), Failure> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let makes = |what: &str| kind.migrations.iter().any(|sql| sql.contains(what));
    if !makes("CREATE TRIGGER") {
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    }
    if !makes("CREATE VIEW") {
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    }
    Ok(())
}

/// Checks that a database is no link: it may have come with somebody else's folder, and would be written where that leads.
/// SQLite follows none to what stands beside it.
fn no_link(path: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink()) {
        let why = "it is a link, and a workspace may lead nowhere else";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
    }
    Ok(())
}

/// Escapes what has a meaning in SQLite's file names of the form `file:…`.
pub(super) fn escape_uri(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

/// What the head of the file says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schema {
    /// A new file.
    Empty,
    Foreign,
    Version(u32),
}

pub(super) fn schema_of(conn: &Connection, kind: Kind<'_>) -> Result<Schema, Failure> {
    disarm(conn, kind)?;
    let application: i32 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version: u32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let table: Option<i64> = conn
        .query_row("SELECT 1 FROM sqlite_schema LIMIT 1", [], |row| row.get(0))
        .optional()?;
    Ok(match (application, table) {
        (id, _) if id == kind.application_id => Schema::Version(version),
        (0, None) => Schema::Empty,
        _ => Schema::Foreign,
    })
}

fn check_schema(path: &Path, found: Schema, kind: Kind<'_>) -> Result<(), StoreError> {
    let path = path.to_owned();
    let known = kind.migrations.len();
    match found {
        Schema::Foreign => Err(StoreError::NotAnIndex { path }),
        Schema::Version(version) if version as usize > known => Err(StoreError::Newer {
            path,
            found: version,
            known: known as u32,
        }),
        _ => Ok(()),
    }
}

/// Says that readers see other rows from now on; within the caller's transaction.
pub(super) fn touch(conn: &Connection) -> Result<(), Failure> {
    conn.execute("UPDATE state SET version = version + 1", [])?;
    Ok(())
}

/// Takes the writers' lock. A file of its own: closing any handle of `index.db` would drop SQLite's own locks on it.
fn lock(path: &Path) -> Result<LockFile, StoreError> {
    let file = LockFile::open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(_)) => Err(StoreError::NoJournal {
            path: path.to_owned(),
        }),
    }
}

/// Runs what the file has not seen yet, each in a transaction of its own; a file with rows is copied first.
///
/// Foreign keys are off meanwhile: dropping a table to make it anew would take along what belongs to its rows. Before a
/// migration counts, everything belongs to something again.
pub(super) fn migrate(conn: &Connection, path: &Path, kind: Kind<'_>) -> Result<(), Failure> {
    let found: u32 = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > 0 && (found as usize) < kind.migrations.len() {
        let backup = path.with_extension(format!("db.v{found}.bak"));
        match fs::remove_file(&backup) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        conn.execute("VACUUM INTO ?1", [backup.to_string_lossy()])?;
    }
    if found as usize >= kind.migrations.len() {
        return Ok(());
    }
    let were_on: bool = conn.query_row("PRAGMA foreign_keys", [], |row| row.get(0))?;
    conn.pragma_update(None, "foreign_keys", false)?;
    let migrated = run_migrations(conn, found, kind);
    conn.pragma_update(None, "foreign_keys", were_on)?;
    migrated
}

fn run_migrations(conn: &Connection, found: u32, kind: Kind<'_>) -> Result<(), Failure> {
    for (idx, migration) in kind.migrations.iter().enumerate().skip(found as usize) {
        let transaction =
            rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
        transaction.execute_batch(migration)?;
        let lost = (transaction.prepare("PRAGMA foreign_key_check")?)
            .query_row([], |row| row.get::<_, String>(0))
            .optional()?;
        if let Some(table) = lost {
            return Err(Failure::Damaged(format!(
                "rows of `{table}` belong to nothing"
            )));
        }
        transaction.pragma_update(None, "user_version", idx as u32 + 1)?;
        transaction.pragma_update(None, "application_id", kind.application_id)?;
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CONSTRUCTOR, Comparison, Filter, MethodKind, Reading, Term};
    use crate::testing::{Given, counter_repo, key_of, many_tests, put_run, store_with};
    use crate::{Extent, Verdicts};

    /// The schema as it is, and one more file.
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
            Access::Write,
            Kind {
                migrations: &with_next(
                    "-- Why: this test.\nCREATE TABLE later (a INTEGER NOT NULL) STRICT;",
                ),
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
        // What knows only the former schema keeps its hands off.
        for access in [Access::Write, Access::Read] {
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
            open(folder.path(), Access::Read),
            Err(StoreError::Older { found: 2, .. })
        ));
        let store = open(folder.path(), Access::Write).expect("the index is migrated");
        assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
        assert_eq!(store.runs().expect("the tables are there"), []);
        assert!(folder.path().join("index.db.v2.bak").is_file());
        drop(store);
        let reader = open(folder.path(), Access::Read).expect("a reader opens");
        assert_eq!(reader.count(&Filter::default()).expect("counts"), 3);
    }

    #[test]
    fn a_trigger_that_came_with_an_index_is_not_obeyed() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        drop(Store::open(folder.path(), Access::Create).expect("an index can be made"));
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
        let store = Store::open(folder.path(), Access::Write).expect("the index opens");
        store
            .conn
            .execute("INSERT INTO told VALUES ('x')", [])
            .expect("a row is written");
        let n_seen = "SELECT COUNT(*) FROM seen";
        let n_seen = store.conn.query_row(n_seen, [], |row| row.get::<_, i64>(0));
        assert_eq!(n_seen, Ok(0));
        assert!(store.conn.prepare("SELECT one FROM shown").is_err());
    }

    /// Puts the rows of an index into one that the first `n` migrations made.
    fn take_back(folder: &Path, n: usize) {
        let (now, former) = (folder.join(Store::FILE_NAME), folder.join("former.db"));
        let conn = Connection::open(&former).expect("a file is made");
        let kind = Kind {
            migrations: &MIGRATIONS[..n],
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

    /// Returns the tables of a file, each with its columns.
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

    /// Everything that readers see of the samples.
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
        let given = Given {
            key: key_of("a", "testInc"),
            attempt: 0,
            answer: "assertTrue(true);".to_owned(),
            reading: Reading {
                n_tokens: 5,
                n_reference_tokens: 6,
                has_reference: true,
                ..Reading::default()
            },
            tags: None,
            values: vec![0.25],
        };
        let run = put_run(&mut store, "model", &["bleu"], &[given]);
        let judged = Verdicts::open(folder.path(), Access::Create).expect("a file is made");
        drop(judged);
        let verdicts = folder.path().join(Verdicts::FILE_NAME);
        let said = fs::read(&verdicts).expect("it is there");
        let before = (samples(&store), store.runs().expect("it reads"));
        drop(store);
        take_back(folder.path(), 8);

        let mut store = open(folder.path(), Access::Write).expect("the index is migrated");
        assert_eq!((samples(&store), store.runs().expect("it reads")), before);
        assert_eq!(before.0.len(), 26);
        assert_eq!(before.0[0].setup_context[0].kind, MethodKind::Constructor);
        let by_class = |word: &str| {
            let term = Term {
                field: "focal-class",
                comparison: Comparison::Exactly,
                value: word.to_owned(),
                negated: false,
            };
            let filter = Filter {
                terms: vec![term],
                sort: Vec::new(),
            };
            store.count(&filter).expect("counts")
        };
        let n_mapped = before.0.iter().filter(|it| it.focal.is_some()).count();
        assert_eq!(by_class("Counter"), n_mapped as u64);
        // No row of any table is another one than in the copy that was made.
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
                let is_other = conn.prepare(&sql).and_then(|mut it| it.exists([]));
                assert_eq!(is_other, Ok(false), "{table}");
            }
        }
        drop(conn);
        assert_eq!(fs::read(&verdicts).expect("it is there"), said);
        // Rows still go with what they belong to.
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
        let kind = Kind {
            migrations: &lossy,
            ..INDEX
        };
        assert!(open_writer(path, Access::Write, kind).is_err());
        let store = open(folder.path(), Access::Write).expect("the index opens");
        assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_index_as_it_was() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let path = store.path().to_owned();
        drop(store);
        let broken = with_next("CREATE TABLE later (a) STRICT; NONSENSE");
        let kind = Kind {
            migrations: &broken,
            ..INDEX
        };
        assert!(open_writer(path, Access::Write, kind).is_err());
        let store = open(folder.path(), Access::Write).expect("the index opens");
        assert_eq!(store.count(&Filter::default()).expect("counts"), 3);
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
        let error = open(&taken, Access::Create)
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
        let error = open(folder.path(), Access::Read)
            .err()
            .expect("nothing is in it");
        assert_eq!(error.to_string(), format!("`{}` is empty", path.display()));
        open(folder.path(), Access::Create).expect("it is made");
    }

    #[test]
    fn what_cannot_be_opened_says_why() {
        // Root may open every file, and nobody a folder as one.
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("gone").join(Store::FILE_NAME);
        let error = Connection::open(&path).expect_err("its folder is not there");
        let error = Failure::Sql(error).at(&path).to_string();
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
        assert_eq!(fs::metadata(&path).map_or(0, |it| it.len()), 0);
    }

    #[test]
    fn codes_of_the_system_and_of_sqlite_become_words() {
        use rusqlite::ffi;
        let check = |code: i32, is_right: fn(&StoreError) -> bool| {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = Failure::Sql(error).at(Path::new("index.db"));
            assert!(is_right(&error), "{code}: {error:?}");
        };
        check(ffi::SQLITE_READONLY, |it| {
            matches!(it, StoreError::ReadOnly { .. })
        });
        check(ffi::SQLITE_PERM, |it| {
            matches!(it, StoreError::ReadOnly { .. })
        });
        check(ffi::SQLITE_NOTADB, |it| {
            matches!(it, StoreError::NotAnIndex { .. })
        });
        check(ffi::SQLITE_CORRUPT, |it| {
            matches!(it, StoreError::Damaged { .. })
        });
        check(ffi::SQLITE_FULL, |it| matches!(it, StoreError::Full { .. }));
        check(ffi::SQLITE_BUSY, |it| {
            matches!(it, StoreError::Locked { .. })
        });
        check(ffi::SQLITE_PROTOCOL, |it| {
            matches!(it, StoreError::NoJournal { .. })
        });
        check(ffi::SQLITE_IOERR_SHMMAP, |it| {
            matches!(it, StoreError::NoJournal { .. })
        });
        check(ffi::SQLITE_INTERRUPT, |it| {
            matches!(it, StoreError::Cancelled(_))
        });
        check(ffi::SQLITE_IOERR, |it| matches!(it, StoreError::Sql { .. }));
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = Failure::Io(denied).at(Path::new("index.db"));
        assert!(matches!(error, StoreError::ReadOnly { .. }));
    }
}
