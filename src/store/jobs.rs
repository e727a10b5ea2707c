//! The table of jobs on disk: `jobs.db`.
//!
//! Decides how a job's row is stored and when others see it. Does not decide which jobs are alive: a row holds what its
//! process wrote last, and `job` checks the lock that the process holds.
//!
//! It is a separate database: heartbeats do not wait for writers of the index and do not wake its readers, and the
//! first `mine` has a row before there is an index. Losing the file does no harm.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use crate::model::{JobId, JobKind, JobMark, JobProgress, JobRow, JobState, SampleChanges};

use super::StoreAccess;
use super::codec::count;
use super::error::{StoreError, StoreFailure};
use super::open::{DatabaseKind, connect_current, connect_shared, make_folder, migrate};

pub(super) const JOBS: DatabaseKind<'static> = DatabaseKind {
    // `FcJb`, for `file(1)` and for us.
    application_id: 0x4663_4a62,
    migrations: &[
        include_str!("schema/jobs/0001_jobs.sql"),
        include_str!("schema/jobs/0002_changes.sql"),
        include_str!("schema/jobs/0003_seal.sql"),
    ],
    newest: Some(include_str!("schema/jobs.sql")),
};

const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -512; PRAGMA mmap_size = 0;";

const COLUMNS: &str = "id, kind, arguments, folder, is_background, retry_of, state, is_cancel_asked, phase, n_done,
    n_total, n_repos, n_repos_total, n_problems, share, since_ms, since_done, since_share, message, exit_code, pid, host,
    created_ms, started_ms, ended_ms, heartbeat_ms, n_new, n_gone, n_changed, n_stale";

/// A requested job, before it has a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    pub kind: JobKind,
    /// The arguments that `focalist` is called with, without its own name.
    pub arguments: Vec<OsString>,
    /// The folder in which it is called.
    pub folder: PathBuf,
    pub is_background: bool,
    pub retry_of: Option<JobId>,
}

/// The process that works on a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobProcess<'h> {
    pub pid: u32,
    pub host: &'h str,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobEnd<'m> {
    pub state: JobState,
    pub exit_code: Option<u8>,
    pub message: &'m str,
}

/// The open table of jobs. Times count milliseconds since 1970.
pub struct JobTable {
    conn: Connection,
    path: PathBuf,
}

impl JobTable {
    /// The name of the file in the workspace's folder.
    pub const FILE_NAME: &'static str = "jobs.db";

    /// Opens `jobs.db` in the folder `.focalist`, as [`super::Store::open`] does the index; several processes may
    /// write. Does not work on a file system that machines share, because locks, which show which jobs are alive, do
    /// not work there.
    ///
    /// # Errors
    /// Any [`StoreError`] about the file.
    pub fn open(folder: &Path, access: StoreAccess) -> Result<Self, StoreError> {
        let path = folder.join(Self::FILE_NAME);
        let conn = match access {
            StoreAccess::Create => {
                make_folder(folder)?;
                connect_shared(&path, JOBS, SETTINGS)?
            }
            StoreAccess::Write if path.is_file() => connect_shared(&path, JOBS, SETTINGS)?,
            StoreAccess::Read if path.is_file() => connect_current(&path, JOBS)?,
            StoreAccess::Write | StoreAccess::Read => {
                return Err(StoreError::Missing {
                    path,
                    is_empty: false,
                });
            }
        };
        // The last process to close the file would write the journal into it and wait for the disk, at the end of every
        // command. So the journal stays until it has a thousand pages; then a heartbeat waits for the disk instead of a
        // command.
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .and_then(|_| conn.execute_batch(SETTINGS))
            .map_err(|error| StoreFailure::Sql(error).at(&path))?;
        Ok(Self { conn, path })
    }

    /// Opens an empty table in memory, which no other process sees.
    ///
    /// # Errors
    /// Fails only if SQLite itself is broken.
    pub fn empty(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(Self::FILE_NAME);
        let empty = || {
            let conn = Connection::open_in_memory()?;
            migrate(&conn, &path, JOBS)?;
            Ok(conn)
        };
        let conn = empty().map_err(|failure: StoreFailure| failure.at(&path))?;
        Ok(Self { conn, path })
    }

    /// Returns a number that changes whenever another connection has written; it is meaningful for this handle only.
    pub fn version(&self) -> Result<i64, StoreError> {
        self.named(|| {
            Ok(self
                .conn
                .query_row("PRAGMA data_version", [], |row| row.get(0))?)
        })
    }

    /// Adds a queued job. `claim` is called with its number before any other process sees the row; when it fails, no
    /// row is added.
    pub fn add<T>(
        &self,
        job: &NewJob,
        now_ms: i64,
        claim: impl FnOnce(JobId) -> io::Result<T>,
    ) -> Result<(JobId, T), StoreError> {
        self.writing(|conn| {
            let mut arguments = Vec::new();
            for argument in &job.arguments {
                arguments.extend_from_slice(argument.as_bytes());
                arguments.push(0);
            }
            conn.prepare(
                "INSERT INTO jobs (kind, arguments, folder, is_background, retry_of, state, created_ms, heartbeat_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'queued', ?6, ?6)",
            )?
            .execute(params![
                job.kind.as_str(),
                arguments,
                job.folder.as_os_str().as_bytes(),
                job.is_background,
                job.retry_of.map(|it| it.0),
                now_ms,
            ])?;
            let id = JobId(conn.last_insert_rowid());
            Ok((id, claim(id)?))
        })
    }

    /// Stores the seal that vouches for a row; the caller computes and checks it.
    pub fn set_seal(&self, id: JobId, seal: &[u8]) -> Result<(), StoreError> {
        self.update(
            "UPDATE jobs SET seal = ?2 WHERE id = ?1",
            params![id.0, seal],
        )?;
        Ok(())
    }

    /// Reads the seals of the rows that have one.
    pub fn seals(&self) -> Result<HashMap<JobId, Vec<u8>>, StoreError> {
        self.named(|| {
            let sql = "SELECT id, seal FROM jobs WHERE seal IS NOT NULL";
            let mut statement = self.conn.prepare(sql)?;
            let seals = statement.query_map([], |row| Ok((JobId(row.get(0)?), row.get(1)?)))?;
            Ok(seals.collect::<Result<_, _>>()?)
        })
    }

    /// Records the process that works on a job, and returns whether it may: only the first process that asks may, and
    /// only before the job's end.
    pub fn claim(
        &self,
        id: JobId,
        process: JobProcess<'_>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        self.update(
            "UPDATE jobs SET pid = ?2, host = ?3, heartbeat_ms = ?4
             WHERE id = ?1 AND pid IS NULL AND ended_ms IS NULL",
            params![id.0, process.pid, process.host, now_ms],
        )
    }

    /// Records that a job starts to run; returns whether it was queued until now.
    pub fn begin(&self, id: JobId, now_ms: i64) -> Result<bool, StoreError> {
        self.update(
            "UPDATE jobs SET state = 'running', started_ms = ?2, heartbeat_ms = ?2
             WHERE id = ?1 AND ended_ms IS NULL AND started_ms IS NULL",
            params![id.0, now_ms],
        )
    }

    /// Records the progress of a job and a heartbeat.
    pub fn beat(
        &self,
        id: JobId,
        progress: &JobProgress,
        since: JobMark,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let update = "UPDATE jobs SET phase = ?2, n_done = ?3, n_total = ?4, n_repos = ?5, n_repos_total = ?6,
                n_problems = ?7, share = ?8, since_ms = ?9, since_done = ?10, since_share = ?11, heartbeat_ms = ?12
             WHERE id = ?1 AND ended_ms IS NULL";
        self.update(
            update,
            params![
                id.0,
                progress.phase,
                progress.n_done.cast_signed(),
                progress.n_total.cast_signed(),
                progress.n_repos.cast_signed(),
                progress.n_repos_total.cast_signed(),
                progress.n_problems.cast_signed(),
                progress.share,
                since.at_ms,
                since.n_done.cast_signed(),
                since.share,
                now_ms,
            ],
        )?;
        Ok(())
    }

    /// Records the changes that mining made.
    pub fn note_changes(&self, id: JobId, changes: &SampleChanges) -> Result<(), StoreError> {
        self.update(
            "UPDATE jobs SET n_new = ?2, n_gone = ?3, n_changed = ?4, n_stale = ?5 WHERE id = ?1",
            params![
                id.0,
                changes.n_new.cast_signed(),
                changes.n_gone.cast_signed(),
                changes.n_changed.cast_signed(),
                changes.n_stale.cast_signed(),
            ],
        )?;
        Ok(())
    }

    /// Records how a job ended, and returns whether it had not ended before: only the first end is recorded.
    pub fn end(&self, id: JobId, end: JobEnd<'_>, now_ms: i64) -> Result<bool, StoreError> {
        self.update(
            "UPDATE jobs SET state = ?2, exit_code = ?3, message = ?4, ended_ms = ?5, heartbeat_ms = ?5
             WHERE id = ?1 AND ended_ms IS NULL",
            params![id.0, end.state.as_str(), end.exit_code, end.message, now_ms],
        )
    }

    /// Asks a job to stop, and returns whether there is one that has not ended.
    pub fn ask_to_cancel(&self, id: JobId) -> Result<bool, StoreError> {
        self.update(
            "UPDATE jobs SET is_cancel_asked = 1 WHERE id = ?1 AND ended_ms IS NULL",
            params![id.0],
        )
    }

    /// Tells whether a job was asked to stop, or has lost its row.
    pub fn is_cancel_asked(&self, id: JobId) -> Result<bool, StoreError> {
        self.named(|| {
            let mut statement = self
                .conn
                .prepare("SELECT is_cancel_asked FROM jobs WHERE id = ?1")?;
            Ok(statement
                .query_row([id.0], |row| row.get(0))
                .optional()?
                .unwrap_or(true))
        })
    }

    /// Removes rows.
    pub fn remove(&self, ids: &[JobId]) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut statement = conn.prepare("DELETE FROM jobs WHERE id = ?1")?;
            for id in ids {
                statement.execute([id.0])?;
            }
            Ok(())
        })
    }

    /// Reads every job, the latest first; one that has not ended is reported as queued or running, whether it is alive
    /// or not.
    pub fn rows(&self) -> Result<Vec<JobRow>, StoreError> {
        self.select("ORDER BY id DESC", &[])
    }

    /// Reads the jobs that have not ended, in the order of the requests.
    pub fn open_rows(&self) -> Result<Vec<JobRow>, StoreError> {
        self.select("WHERE ended_ms IS NULL ORDER BY id", &[])
    }

    /// Lists the ended jobs with numbers up to this one, in order.
    pub fn ended_up_to(&self, id: JobId) -> Result<Vec<JobId>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare(
                "SELECT id FROM jobs WHERE id <= ?1 AND ended_ms IS NOT NULL ORDER BY id",
            )?;
            let ids = statement.query_map([id.0], |row| Ok(JobId(row.get(0)?)))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    pub fn row(&self, id: JobId) -> Result<Option<JobRow>, StoreError> {
        Ok(self.select("WHERE id = ?1", &[&id.0])?.pop())
    }

    fn select(
        &self,
        rest: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<JobRow>, StoreError> {
        self.named(|| {
            let sql = format!("SELECT {COLUMNS} FROM jobs {rest}");
            let mut statement = self.conn.prepare(&sql)?;
            let mut rows = statement.query(values)?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(job(row)?);
            }
            Ok(found)
        })
    }

    fn update(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<bool, StoreError> {
        self.named(|| Ok(self.conn.prepare(sql)?.execute(values)? > 0))
    }

    /// Runs `work` in a transaction that writes.
    fn writing<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        self.named(|| {
            let transaction =
                Transaction::new_unchecked(&self.conn, TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    fn named<T>(&self, work: impl FnOnce() -> Result<T, StoreFailure>) -> Result<T, StoreError> {
        work().map_err(|failure| failure.at(&self.path))
    }
}

/// Reads the columns of [`COLUMNS`].
fn job(row: &Row<'_>) -> Result<JobRow, StoreFailure> {
    let word = |idx: usize| row.get::<_, String>(idx);
    let (kind, state) = (word(1)?, word(6)?);
    let foreign =
        |what: &str, word: &str| StoreFailure::Damaged(format!("`{word}` is not a valid {what}"));
    let arguments: Vec<u8> = row.get(2)?;
    let mut arguments: Vec<OsString> = arguments
        .split(|byte| *byte == 0)
        .map(|part| OsString::from_vec(part.to_vec()))
        .collect();
    // The text after the last separator is empty.
    arguments.pop();
    let since_ms: Option<i64> = row.get(15)?;
    let n_new: Option<i64> = row.get(26)?;
    Ok(JobRow {
        id: JobId(row.get(0)?),
        kind: JobKind::parse(&kind).ok_or_else(|| foreign("kind of job", &kind))?,
        arguments,
        folder: OsString::from_vec(row.get(3)?).into(),
        is_background: row.get(4)?,
        retry_of: row.get::<_, Option<i64>>(5)?.map(JobId),
        state: JobState::parse(&state).ok_or_else(|| foreign("state of a job", &state))?,
        is_cancel_asked: row.get(7)?,
        progress: JobProgress {
            phase: row.get(8)?,
            n_done: count(row, 9)?,
            n_total: count(row, 10)?,
            n_repos: count(row, 11)?,
            n_repos_total: count(row, 12)?,
            n_problems: count(row, 13)?,
            share: row.get(14)?,
        },
        since: match since_ms {
            Some(at_ms) => Some(JobMark {
                at_ms,
                n_done: count(row, 16)?,
                share: row.get::<_, Option<f64>>(17)?.unwrap_or(0.0),
            }),
            None => None,
        },
        message: row.get(18)?,
        changes: match n_new {
            Some(_) => Some(SampleChanges {
                n_new: count(row, 26)?,
                n_gone: count(row, 27)?,
                n_changed: count(row, 28)?,
                n_stale: count(row, 29)?,
            }),
            None => None,
        },
        exit_code: row.get(19)?,
        pid: row.get(20)?,
        host: row.get(21)?,
        created_ms: row.get(22)?,
        started_ms: row.get(23)?,
        ended_ms: row.get(24)?,
        heartbeat_ms: row.get(25)?,
        is_ours: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: JobKind) -> NewJob {
        NewJob {
            kind,
            // Not UTF-8, as paths may be; empty, as values may be.
            arguments: vec![
                "mine".into(),
                OsString::from_vec(vec![0xff, b'/']),
                "".into(),
            ],
            folder: PathBuf::from("/data"),
            is_background: true,
            retry_of: Some(JobId(7)),
        }
    }

    fn table() -> (tempfile::TempDir, JobTable) {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let table = JobTable::open(folder.path(), StoreAccess::Create).expect("the table is made");
        (folder, table)
    }

    fn add(table: &JobTable, kind: JobKind) -> JobId {
        let added = table.add(&asked(kind), 1_000, |_| Ok(()));
        added.expect("a job is added").0
    }

    fn row(table: &JobTable, id: JobId) -> JobRow {
        let row = table.row(id).expect("the table is read");
        row.expect("the job is there")
    }

    #[test]
    fn a_job_is_read_as_it_was_asked_for() {
        let (_folder, table) = table();
        let id = add(&table, JobKind::Mine);
        let row = row(&table, id);
        let wanted = asked(JobKind::Mine);
        assert_eq!(
            (row.id, row.kind, row.state),
            (JobId(1), wanted.kind, JobState::Queued)
        );
        assert_eq!(
            (row.arguments, row.folder),
            (wanted.arguments, wanted.folder)
        );
        assert_eq!(
            (row.retry_of, row.pid, row.created_ms),
            (wanted.retry_of, None, 1_000)
        );
    }

    #[test]
    fn a_job_that_cannot_be_claimed_is_not_there() {
        let (_folder, table) = table();
        let refused = table.add(&asked(JobKind::Mine), 0, |_| {
            Err::<(), _>(io::ErrorKind::Other.into())
        });
        assert!(refused.is_err());
        assert_eq!(table.rows().expect("the table is read"), []);
    }

    #[test]
    fn only_one_process_works_on_a_job() {
        let (_folder, table) = table();
        let id = add(&table, JobKind::Eval);
        let process = |pid| JobProcess { pid, host: "here" };
        assert!(
            table
                .claim(id, process(5), 2)
                .expect("the table is written")
        );
        assert!(
            !table
                .claim(id, process(6), 3)
                .expect("the table is written")
        );
        assert_eq!(
            (row(&table, id).pid, row(&table, id).host.as_str()),
            (Some(5), "here")
        );
    }

    #[test]
    fn a_heartbeat_says_how_far_it_is() {
        let (_folder, table) = table();
        let id = add(&table, JobKind::Eval);
        assert!(table.begin(id, 2_000).expect("the table is written"));
        let progress = JobProgress {
            phase: "scoring".to_owned(),
            n_done: 5,
            n_total: 10,
            n_problems: 1,
            share: Some(0.5),
            ..JobProgress::default()
        };
        let since = JobMark {
            at_ms: 2_000,
            n_done: 1,
            share: 0.1,
        };
        table
            .beat(id, &progress, since, 3_000)
            .expect("the table is written");
        let row = row(&table, id);
        assert_eq!((row.progress, row.since), (progress, Some(since)));
        assert_eq!((row.started_ms, row.heartbeat_ms), (Some(2_000), 3_000));
    }

    #[test]
    fn the_first_word_on_the_end_holds() {
        let (_folder, table) = table();
        let id = add(&table, JobKind::Export);
        let end = |state, message| JobEnd {
            state,
            exit_code: Some(0),
            message,
        };
        assert!(
            table
                .end(id, end(JobState::Done, "a"), 5)
                .expect("the table is written")
        );
        assert!(
            !table
                .end(id, end(JobState::Failed, "b"), 6)
                .expect("the table is written")
        );
        assert!(!table.ask_to_cancel(id).expect("the table is written"));
        let row = row(&table, id);
        assert_eq!(
            (row.state, row.message.as_str(), row.ended_ms),
            (JobState::Done, "a", Some(5))
        );
    }

    #[test]
    fn a_wish_to_cancel_is_seen_by_other_handles() {
        let (folder, table) = table();
        let id = add(&table, JobKind::Import);
        let other = JobTable::open(folder.path(), StoreAccess::Read).expect("a reader opens");
        let before = other.version().expect("the table is read");
        assert!(!other.is_cancel_asked(id).expect("the table is read"));
        assert!(table.ask_to_cancel(id).expect("the table is written"));
        assert_ne!(other.version().expect("the table is read"), before);
        assert!(other.is_cancel_asked(id).expect("the table is read"));
    }

    #[test]
    fn a_job_whose_row_is_gone_is_to_stop() {
        let (_folder, table) = table();
        let id = add(&table, JobKind::Import);
        table.remove(&[id]).expect("the table is written");
        assert!(table.is_cancel_asked(id).expect("the table is read"));
    }

    #[test]
    fn numbers_are_not_given_twice() {
        let (_folder, table) = table();
        let first = add(&table, JobKind::Mine);
        table.remove(&[first]).expect("the table is written");
        assert_eq!(add(&table, JobKind::Mine), JobId(2));
    }

    #[test]
    fn what_has_not_ended_comes_in_the_order_of_asking() {
        let (_folder, table) = table();
        let ids =
            [JobKind::Mine, JobKind::Eval, JobKind::Mine].map(|job_kind| add(&table, job_kind));
        let end = JobEnd {
            state: JobState::Done,
            exit_code: Some(0),
            message: "",
        };
        table.end(ids[1], end, 9).expect("the table is written");
        let open = table.open_rows().expect("the table is read");
        assert_eq!(
            open.iter().map(|job_row| job_row.id).collect::<Vec<_>>(),
            [ids[0], ids[2]]
        );
        assert_eq!(
            table.ended_up_to(ids[2]).expect("the table is read"),
            [ids[1]]
        );
        let all = table.rows().expect("the table is read");
        assert_eq!(all.first().map(|job_row| job_row.id), Some(ids[2]));
    }

    #[test]
    fn no_table_is_an_empty_one() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        assert!(matches!(
            JobTable::open(folder.path(), StoreAccess::Read),
            Err(StoreError::Missing { .. })
        ));
        let empty = JobTable::empty(folder.path()).expect("memory is there");
        assert_eq!(empty.rows().expect("the table is read"), []);
        assert!(!folder.path().join(JobTable::FILE_NAME).exists());
    }
}
