//! The condition of a workspace's files, read without changing them: nothing is created, migrated, swept or
//! checkpointed.
//!
//! Decides which checks a file has to pass. The command line adds the advice.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::error::{StoreError, StoreFailure};
use super::network;
use super::open::{BUSY_TIMEOUT, DatabaseKind, INDEX, Schema, disarm, escape_uri, schema_of};
use super::verdicts::VERDICTS;
use super::{Store, Verdicts};

/// Returns SQLite's version.
#[must_use]
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// Lists the schema numbers that this version writes, by file name.
#[must_use]
pub fn schemas() -> [(&'static str, u32); 2] {
    [(Store::FILE_NAME, INDEX), (Verdicts::FILE_NAME, VERDICTS)]
        .map(|(name, kind)| (name, kind.migrations.len() as u32))
}

/// A file of the workspace.
#[derive(Debug)]
pub struct Health {
    pub path: PathBuf,
    pub size_bytes: u64,
    /// The size of the journal that is not yet written into the file.
    pub wal_bytes: u64,
    /// Whether this user may write to it.
    pub is_writable: bool,
    pub content: Content,
    /// The number of the schema that this version of focalist writes.
    pub known: u32,
    /// The process that is writing to it now; only for the index.
    pub writer: Option<LockHolder>,
}

/// The content of a file.
#[derive(Debug)]
pub enum Content {
    /// The file does not exist.
    Missing,
    /// The file exists, but nothing has been written to it.
    Empty,
    /// A journal lies beside it without its index, as after copying files: opening would write to the folder.
    Unsettled,
    /// Not a database of focalist, or one that cannot be read.
    Unusable(StoreError),
    Read {
        application_id: i32,
        schema: u32,
        /// The first problem that SQLite's quick check finds.
        fault: Option<String>,
    },
}

/// The process that holds the writers' lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHolder {
    /// The process id, where the system reports it.
    pub process: Option<u32>,
    /// The program's name, where the system reports it.
    pub program: Option<String>,
}

/// The folder of a workspace and its file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceGround {
    /// The kind of file system, where the system reports it.
    pub file_system: Option<String>,
    /// Whether other machines may write there too.
    pub is_shared: bool,
    pub free_bytes: Option<u64>,
    /// Whether this user may create files there.
    pub is_writable: bool,
}

impl Store {
    /// Checks `index.db` in the folder `.focalist`; takes as long as reading the whole file.
    #[must_use]
    pub fn health(folder: &Path) -> Health {
        let path = folder.join(Self::FILE_NAME);
        let writer = writer(&path.with_extension("lock"));
        Health {
            writer,
            ..health(path, INDEX)
        }
    }
}

impl Verdicts {
    /// Checks `verdicts.db` in the folder `.focalist`, as [`Store::health`] checks the index.
    #[must_use]
    pub fn health(folder: &Path) -> Health {
        health(folder.join(Self::FILE_NAME), VERDICTS)
    }
}

/// Describes an existing folder.
#[must_use]
pub fn ground(folder: &Path) -> WorkspaceGround {
    let free = rustix::fs::statvfs(folder).ok();
    WorkspaceGround {
        file_system: network::file_system_of(folder),
        is_shared: network::is_shared(folder),
        free_bytes: free.map(|free| free.f_bavail.saturating_mul(free.f_frsize)),
        is_writable: is_writable(folder),
    }
}

fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

fn health(path: PathBuf, kind: DatabaseKind<'_>) -> Health {
    let wal = beside(&path, "-wal");
    let len = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let content = match read(&path, kind) {
        Ok(content) => content,
        Err(failure) => Content::Unusable(failure.at(&path)),
    };
    Health {
        size_bytes: len(&path),
        wal_bytes: len(&wal),
        is_writable: is_writable(&path),
        content,
        known: kind.migrations.len() as u32,
        writer: None,
        path,
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn read(path: &Path, kind: DatabaseKind<'_>) -> Result<Content, StoreFailure> {
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Content::Missing),
        metadata => metadata?,
    };
    let Some(conn) = connect(path)? else {
        return Ok(Content::Unsettled);
    };
    disarm(&conn, kind)?;
    let schema = match schema_of(&conn, kind)? {
        Schema::Empty => return Ok(Content::Empty),
        Schema::Foreign => {
            return Err(StoreFailure::Elsewhere(Box::new(StoreError::NotAnIndex {
                path: path.to_owned(),
            })));
        }
        Schema::Version(schema) => schema,
    };
    let fault: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(Content::Read {
        application_id: kind.application_id,
        schema,
        fault: (fault != "ok").then_some(fault),
    })
}

/// Opens a file for reading without making the two files that SQLite needs beside it; nothing when one of them would be
/// needed. Without a journal no process has the file open, so it does not change while it is read; if another process
/// opens it at this moment, the earlier content is read.
fn connect(path: &Path) -> Result<Option<Connection>, StoreFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let wal = fs::metadata(beside(path, "-wal"))
        .ok()
        .map(|metadata| metadata.len());
    let has_shared_memory = beside(path, "-shm").exists();
    let conn = match wal {
        Some(_) if has_shared_memory => Connection::open_with_flags(path, flags)?,
        Some(1..) => return Ok(None),
        _ => {
            let uri = format!("file:{}?immutable=1", escape_uri(path));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
        }
    };
    conn.busy_timeout(BUSY_TIMEOUT)?;
    Ok(Some(conn))
}

/// Finds the holder of a lock, if there is one. This takes a shared lock for a moment, the only way that works on all
/// systems: a writer that asks for the lock in that moment is refused.
fn writer(path: &Path) -> Option<LockHolder> {
    let file = File::open(path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {}
        _ => return None,
    }
    let inode = file.metadata().ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let process = holder(&locks, inode);
    let program =
        process.and_then(|process| fs::read_to_string(format!("/proc/{process}/comm")).ok());
    Some(LockHolder {
        process,
        program: program.map(|program| program.trim().to_owned()),
    })
}

/// Finds the process that holds a file by the lines of `/proc/locks` (proc(5)): `1: FLOCK ADVISORY WRITE 4711
/// 08:01:123456 0 EOF`. The device is not compared: layered file systems report a different one there.
fn holder(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["FLOCK", _, "WRITE", process, file, ..] = words.get(1..)? else {
            return None;
        };
        let of = file.rsplit(':').next()?.parse::<u64>().ok()?;
        let process = process.parse::<u32>().ok()?;
        // The number is 0 for processes that are not visible from here.
        (of == inode && process > 0).then_some(process)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreAccess;
    use crate::testing::{counter_repo, store_with};

    /// Reads every file of a folder with its bytes; only the names of files that SQLite keeps in memory.
    fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(folder).expect("the folder lists");
        let mut files: Vec<_> = entries
            .map(|entry| {
                let path = entry.expect("the entry reads").path();
                let is_shared_memory = path.to_string_lossy().ends_with("-shm");
                let bytes = if is_shared_memory {
                    Vec::new()
                } else {
                    fs::read(&path).expect("the file reads")
                };
                (path, bytes)
            })
            .collect();
        files.sort();
        files
    }

    fn check(folder: &Path, is_right: impl Fn(&Content) -> bool) -> Health {
        let before = files(folder);
        let health = Store::health(folder);
        assert!(is_right(&health.content), "{health:?}");
        assert!(before == files(folder), "nothing is made or changed");
        health
    }

    fn is_sound(content: &Content) -> bool {
        matches!(content, Content::Read { fault: None, schema, .. } if *schema == INDEX.migrations.len() as u32)
    }

    #[test]
    fn a_sound_index_is_read_and_nothing_is_touched() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let health = check(folder.path(), is_sound);
        assert!(health.wal_bytes > 0 && health.size_bytes > 0 && health.is_writable);
        let writer = health.writer.expect("the store is open for writing");
        if cfg!(target_os = "linux") {
            assert!(matches!(writer.process, None | Some(1..)), "{writer:?}");
        }
        drop(store);
        let health = check(folder.path(), is_sound);
        assert_eq!(health.writer, None);
        let reader = Store::open(folder.path(), StoreAccess::Read).expect("a reader opens");
        check(folder.path(), is_sound);
        drop(reader);
        check(folder.path(), is_sound);
    }

    #[test]
    fn what_is_missing_foreign_or_damaged_is_told() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join(Store::FILE_NAME);
        check(folder.path(), |content| matches!(content, Content::Missing));
        fs::write(&path, "").expect("it is written");
        check(folder.path(), |content| matches!(content, Content::Empty));
        fs::write(&path, "no database of anybody, and long enough to tell").expect("it is written");
        check(folder.path(), |content| {
            matches!(content, Content::Unusable(StoreError::NotAnIndex { .. }))
        });
        fs::write(beside(&path, "-wal"), "a journal").expect("it is written");
        check(folder.path(), |content| {
            matches!(content, Content::Unsettled)
        });
    }

    #[test]
    fn a_page_that_was_overwritten_is_found() {
        let (folder, store) = store_with(&[counter_repo("a")]);
        let path = store.path().to_owned();
        drop(store);
        let mut bytes = fs::read(&path).expect("the file reads");
        let page = bytes.len() / 2 / 4096 * 4096;
        bytes[page..].fill(0xa5);
        fs::write(&path, bytes).expect("it is written");
        check(folder.path(), |content| {
            matches!(
                content,
                Content::Read { fault: Some(_), .. }
                    | Content::Unusable(StoreError::Damaged { .. })
            )
        });
    }

    #[test]
    fn a_holder_is_found_by_the_file_of_its_lock() {
        let locks = "\
1: POSIX  ADVISORY  WRITE 11 08:01:77 0 EOF
2: FLOCK  ADVISORY  READ 12 08:01:77 0 EOF
2: -> FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF
3: FLOCK  ADVISORY  WRITE 0 08:01:77 0 EOF
4: FLOCK  ADVISORY  WRITE 14 00:2c:77 0 EOF
nonsense
";
        assert_eq!(holder(locks, 77), Some(14));
        assert_eq!(holder(locks, 78), None);
    }

    #[test]
    fn a_place_tells_its_room() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let ground = ground(folder.path());
        assert!(ground.free_bytes.is_some() && ground.is_writable && !ground.is_shared);
    }
}
