//! Opening the file: checks permissions and that it is a focalist file, applies settings, and migrates older schemas.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::error::{StoreError, StoreFailure};
use super::lists::RecentLists;
use super::lock::LockFile;
use super::{Store, StoreAccess, network};

mod own;

use own::OwnSchemaTexts;

/// `FcLs`: how `file(1)` and we tell an index from any other SQLite file.
const APPLICATION_ID: i32 = 0x4663_4c73;

/// The schema, oldest first. Append only: existing indexes have already run the earlier migrations.
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
    include_str!("schema/0019_benchmark.sql"),
    include_str!("schema/0020_faults.sql"),
    include_str!("schema/0021_dataset.sql"),
    include_str!("schema/0022_shaken.sql"),
    include_str!("schema/0023_questions.sql"),
    include_str!("schema/0024_brittle.sql"),
    include_str!("schema/0025_first_kill.sql"),
    include_str!("schema/0026_candidates.sql"),
    include_str!("schema/0027_covered.sql"),
    include_str!("schema/0028_shaken_so_far.sql"),
];

/// How one kind of focalist file is recognised, and the schema that it should have.
#[derive(Clone, Copy, Debug)]
pub(super) struct DatabaseKind<'m> {
    pub application_id: i32,
    pub migrations: &'m [&'m str],
    /// The schema that all migrations together produce, for a new file: SQLite reads the whole schema again after each
    /// statement of a migration that changes or drops a table. A test writes it, so do not edit it.
    pub newest: Option<&'m str>,
}

impl<'m> DatabaseKind<'m> {
    /// Lists the scripts that make a new file.
    fn for_new_file(self) -> Vec<&'m str> {
        (self.newest).map_or_else(|| self.migrations.to_vec(), |newest| vec![newest])
    }
}

pub(super) const INDEX: DatabaseKind<'static> = DatabaseKind {
    application_id: APPLICATION_ID,
    migrations: MIGRATIONS,
    newest: Some(include_str!("schema/index.sql")),
};

/// How long a statement waits for another process's short transaction.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The number of statements that are kept prepared: reading one sample or prediction takes some fifty, and they are
/// needed again and again.
const N_PREPARED: usize = 128;

/// For both. Automatic indices: SQLite would rather index a million rows for one query than walk them in order.
const COMMON: &str =
    "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA automatic_index = OFF;";

/// Readers share a memory budget with a terminal UI: 4 MiB of pages (negative: KiB), and no memory map.
const READER: &str = "PRAGMA cache_size = -4096; PRAGMA mmap_size = 0;";

/// The writer keeps the inner pages of a large index in memory and checkpoints every 16 MiB.
const WRITER: &str = "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4096;";

/// Work that reads the index once gains little from a large cache: 8 MiB of pages.
pub(super) const ONCE: &str = "PRAGMA cache_size = -8192;";

pub(super) fn open(folder: &Path, access: StoreAccess) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    match access {
        StoreAccess::Create => {
            make_folder(folder)?;
            open_writer(path, access, INDEX)
        }
        StoreAccess::Write if path.is_file() => open_writer(path, access, INDEX),
        StoreAccess::Read if path.is_file() => open_reader(path),
        StoreAccess::Write | StoreAccess::Read => Err(StoreError::Missing {
            path,
            is_empty: false,
        }),
    }
}

/// Creates the folder of a workspace where it is missing.
pub(super) fn make_folder(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|error| {
        // If a file is in the way, the system only reports that it exists.
        let error = if folder.exists() && !folder.is_dir() {
            io::ErrorKind::NotADirectory.into()
        } else {
            error
        };
        StoreFailure::Io(error).at(folder)
    })
}

/// For an index that may be lost when the machine fails: a killed process loses nothing, as the system still writes its
/// data. Applied after the other settings.
const SCRATCH: &str = "PRAGMA synchronous = OFF;";

/// Opens an index that can be rebuilt if the machine fails: nothing waits for the disk.
pub(super) fn open_scratch(folder: &Path) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    make_folder(folder)?;
    open_with(path, (StoreAccess::Create, SCRATCH), INDEX)
}

pub(super) fn open_to_ask(folder: &Path, model: &str) -> Result<Store, StoreError> {
    let path = folder.join(Store::FILE_NAME);
    // Checks first that it is a focalist file and up to date: a writer's connection would create a file.
    drop(connect_current(&path, INDEX)?);
    let lock = ask_lock(folder, model)?;
    let conn = connect_writer(&path, "", INDEX)?;
    (conn.execute_batch(COMMON))
        .and_then(|()| conn.execute_batch(WRITER))
        .and_then(|()| conn.execute_batch("PRAGMA synchronous = FULL"))
        .and_then(|()| conn.execute_batch(ONCE))
        .map_err(|error| StoreFailure::Sql(error).at(&path))?;
    Ok(Store {
        conn,
        path,
        access: StoreAccess::Read,
        asks: true,
        lists: RecentLists::default(),
        _lock: Some(lock),
    })
}

/// Takes the lock for asking a model. The file is never removed, because removing it could remove one that another
/// process has locked.
fn ask_lock(folder: &Path, model: &str) -> Result<LockFile, StoreError> {
    let folder = folder.join("asking");
    fs::create_dir_all(&folder).map_err(|error| StoreFailure::Io(error).at(&folder))?;
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

fn open_writer(
    path: PathBuf,
    access: StoreAccess,
    kind: DatabaseKind<'_>,
) -> Result<Store, StoreError> {
    open_with(path, (access, ""), kind)
}

fn open_with(
    path: PathBuf,
    (access, settings): (StoreAccess, &str),
    kind: DatabaseKind<'_>,
) -> Result<Store, StoreError> {
    let lock = lock(&path)?;
    let conn = connect_writer(&path, settings, kind)?;
    let store = Store {
        conn,
        path,
        access,
        asks: false,
        lists: RecentLists::default(),
        _lock: Some(lock),
    };
    store.named(|| {
        store.conn.execute_batch(COMMON)?;
        store.conn.execute_batch(WRITER)?;
        store.conn.execute_batch(settings)?;
        migrate(&store.conn, &store.path, kind)
    })?;
    Ok(store)
}

/// Opens a focalist file or a new one for writing, with a journal beside it; does not migrate it.
fn connect_writer(
    path: &Path,
    settings: &str,
    kind: DatabaseKind<'_>,
) -> Result<Connection, StoreError> {
    no_link(path).map_err(|failure| failure.at(path))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)
        .and_then(|conn| conn.busy_timeout(BUSY_TIMEOUT).map(|()| conn))
        .map_err(|error| StoreFailure::Sql(error).at(path))?;
    keep_prepared(&conn).map_err(|failure| failure.at(path))?;
    disarm(&conn, kind).map_err(|failure| failure.at(path))?;
    let found = schema_of(&conn, kind).map_err(|failure| failure.at(path))?;
    // SQLite opens a file without write permission silently for reading.
    if conn.is_readonly("main").unwrap_or(true) {
        return Err(StoreError::ReadOnly {
            path: path.to_owned(),
        });
    }
    check_schema(path, found, kind)?;
    conn.execute_batch(settings)
        .map_err(|error| StoreFailure::Sql(error).at(path))?;
    write_ahead(&conn, path)?;
    Ok(conn)
}

/// Opens a file that several processes write at once, and migrates its schema, one process after the other; after that,
/// SQLite's own locks suffice. Does not work on a file system that machines share.
pub(super) fn connect_shared(
    path: &Path,
    kind: DatabaseKind<'_>,
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
        .map_err(StoreFailure::from)
        .and_then(|()| migrate(&conn, path, kind))
        .map_err(|failure| failure.at(path))?;
    Ok(conn)
}

/// Switches to the journal mode that lets readers and a writer work at once; it needs shared memory and locks.
fn write_ahead(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let journal: String = conn
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| StoreFailure::Sql(error).at(path))?;
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
        .map_err(|error| StoreFailure::Sql(error).at(&path))?;
    Ok(Store {
        conn,
        path,
        access: StoreAccess::Read,
        asks: false,
        lists: RecentLists::default(),
        _lock: None,
    })
}

/// Opens a focalist file with the current schema for reading.
pub(super) fn connect_current(
    path: &Path,
    kind: DatabaseKind<'_>,
) -> Result<Connection, StoreError> {
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
/// there is nothing in a WAL, either, no process is writing, and the file can be read as it is.
fn connect_reader(
    path: &Path,
    kind: DatabaseKind<'_>,
) -> Result<(Connection, Schema), StoreFailure> {
    no_link(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = |conn: Connection| {
        conn.busy_timeout(BUSY_TIMEOUT)?;
        keep_prepared(&conn)?;
        disarm(&conn, kind)?;
        let found = schema_of(&conn, kind)?;
        Ok((conn, found))
    };
    let first = Connection::open_with_flags(path, flags)
        .map_err(StoreFailure::from)
        .and_then(connect);
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    match first {
        Err(StoreFailure::Sql(error))
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

/// Keeps prepared statements unchanged. SQLite would prepare a statement again for other parameter values, to plan with
/// statistics, which are never collected here, or for patterns, for which no index here is used.
pub(super) fn keep_prepared(conn: &Connection) -> Result<(), StoreFailure> {
    conn.set_prepared_statement_cache_capacity(N_PREPARED);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Disables triggers and views of a file that its schema does not have: the file may come from a stranger's folder, and
/// a trigger could write false outcomes. One foreign trigger disables all triggers: the schema's own only protect
/// against mistakes of other programs.
pub(super) fn disarm(conn: &Connection, kind: DatabaseKind<'_>) -> Result<(), StoreFailure> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let own = OwnSchemaTexts::of(kind)?;
    if !own.has_all_triggers_of(conn)? {
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    }
    if own.has_views() {
        own.check_views(conn)
    } else {
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
        Ok(())
    }
}

/// Checks that a database file is not a link: a link may have come with somebody else's folder, and its target would be
/// written. SQLite follows no links for the files beside the database.
fn no_link(path: &Path) -> Result<(), StoreFailure> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        let why = "it is a link, and files of a workspace must not be links";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
    }
    Ok(())
}

/// Escapes the special characters of SQLite's `file:…` names.
pub(super) fn escape_uri(path: &Path) -> String {
    path.to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23")
}

/// The schema that the header of the file names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schema {
    /// A new file.
    Empty,
    Foreign,
    Version(u32),
}

/// Reads all of it from one state of the file, as another process may be creating it.
pub(super) fn schema_of(conn: &Connection, kind: DatabaseKind<'_>) -> Result<Schema, StoreFailure> {
    let conn = conn.unchecked_transaction()?;
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

fn check_schema(path: &Path, found: Schema, kind: DatabaseKind<'_>) -> Result<(), StoreError> {
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

/// Takes the writers' lock. It is a separate file, because closing any handle of `index.db` would drop SQLite's own
/// locks on it.
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

/// Runs the migrations that the file has not run yet; a file with rows is copied first, and each migration has its own
/// transaction. A new file is created in a single transaction: readers find nothing or all of it, and never a file of
/// an older version.
///
/// Foreign keys are off meanwhile: dropping a table to recreate it would delete the rows that refer to it. Before a
/// migration is committed, all references are checked.
pub(super) fn migrate(
    conn: &Connection,
    path: &Path,
    kind: DatabaseKind<'_>,
) -> Result<(), StoreFailure> {
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

fn run_migrations(
    conn: &Connection,
    found: u32,
    kind: DatabaseKind<'_>,
) -> Result<(), StoreFailure> {
    let known = kind.migrations.len() as u32;
    if found == 0 {
        return run_at_once(conn, &kind.for_new_file(), (known, kind));
    }
    for version in found..known {
        let migration = &kind.migrations[version as usize..][..1];
        run_at_once(conn, migration, (version + 1, kind))?;
    }
    Ok(())
}

/// Runs statements in one transaction that also sets the version of the file.
fn run_at_once(
    conn: &Connection,
    texts: &[&str],
    (version, kind): (u32, DatabaseKind<'_>),
) -> Result<(), StoreFailure> {
    let transaction = rusqlite::Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
    for text in texts {
        transaction.execute_batch(text)?;
        check_foreign_keys(&transaction)?;
    }
    transaction.pragma_update(None, "user_version", version)?;
    transaction.pragma_update(None, "application_id", kind.application_id)?;
    transaction.commit()?;
    Ok(())
}

/// Checks that no row refers to a missing one.
fn check_foreign_keys(conn: &Connection) -> Result<(), StoreFailure> {
    let lost = (conn.prepare("PRAGMA foreign_key_check")?)
        .query_row([], |row| row.get::<_, String>(0))
        .optional()?;
    match lost {
        Some(table) => Err(StoreFailure::Damaged(format!(
            "rows of `{table}` refer to missing rows"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
