//! People's decisions on disk: `verdicts.db`, to which events are only ever added.
//!
//! Decides when an event is safely stored, in which order an annotator's events come, and what an undo takes back. The
//! valid verdicts are views over all events (`schema/verdicts`), so they depend on nothing but the set of events: files
//! that are merged in any order give the same result.
//!
//! Any number of processes may append at once; each append is one short transaction that is on the disk (`synchronous =
//! FULL`) when the call returns. The first append of a day also makes a copy of the file ([`backup`]).

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::model::{Draw, Event, EventId, EventKind, PastEvent, SampleKey, Snapshot, Verdict};

use super::error::{StoreError, StoreFailure};
use super::open::{
    DatabaseKind, connect_current, connect_shared, keep_prepared, make_folder, migrate,
};
use super::{Interrupt, StoreAccess};

mod backup;
mod bulk;
mod equivalent;
mod gold;
mod remarks;
mod row;
mod snapshot;
mod tagged;

#[cfg(test)]
mod tests;

pub use remarks::{Remark, Sign};
use row::{COLUMNS, Insert, event, insert, verdict};

pub(super) const VERDICTS: DatabaseKind<'static> = DatabaseKind {
    // `FcVd`, for `file(1)` and focalist.
    application_id: 0x4663_5664,
    migrations: &[
        include_str!("schema/verdicts/0001_events.sql"),
        include_str!("schema/verdicts/0002_snapshots.sql"),
        include_str!("schema/verdicts/0003_provisional.sql"),
        include_str!("schema/verdicts/0004_tagged.sql"),
        include_str!("schema/verdicts/0005_equivalent.sql"),
    ],
    newest: Some(include_str!("schema/verdicts.sql")),
};

const SETTINGS: &str =
    "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA automatic_index = OFF;
    PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA mmap_size = 0;";

/// A valid verdict, in the words of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerdictWord<'r> {
    pub key: SampleKey,
    pub annotator: &'r str,
    /// One of [`crate::model::Judgement::WORDS`].
    pub judgement: &'r str,
    pub at_ms: i64,
}

/// The events that an undo may take back: those that existed when the window was opened, and those added in it since.
///
/// Somebody who judges in two windows does not undo in one an event that was just added in the other. None of this is
/// stored on disk: which windows are open matters only while they are open, and the events of a closed one exist for
/// windows that are opened later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The number of the last event when it was opened.
    since: i64,
    /// The numbers of the events that were added here since; for a batch, only the batch's own event.
    own: Vec<i64>,
}

impl Window {
    /// Writes the own numbers as a list that SQLite reads.
    fn own(&self) -> String {
        let numbers: Vec<String> = self.own.iter().map(i64::to_string).collect();
        format!("[{}]", numbers.join(","))
    }
}

/// The open file of people's events.
pub struct Verdicts {
    conn: Connection,
    path: PathBuf,
    access: StoreAccess,
    window: Window,
    backups: backup::Backups,
}

impl Verdicts {
    /// The name of the file in the workspace's folder.
    pub const FILE_NAME: &'static str = "verdicts.db";

    /// Opens `verdicts.db` in the folder `.focalist`, as [`super::Store::open`] does the index; for writing, an older
    /// file is migrated after a copy to `verdicts.db.v<N>.bak`.
    ///
    /// # Errors
    /// Any [`StoreError`] about the file.
    pub fn open(folder: &Path, access: StoreAccess) -> Result<Self, StoreError> {
        open(folder, access, VERDICTS)
    }

    /// Opens for reading; where there is no file yet, acts as a file without events. An older file is copied and
    /// migrated, if it may be written.
    ///
    /// # Errors
    /// As [`Verdicts::open`], but for a file that is not there.
    pub fn open_or_empty(folder: &Path) -> Result<Self, StoreError> {
        match Self::open(folder, StoreAccess::Read) {
            Err(older @ StoreError::Older { .. }) => match Self::open(folder, StoreAccess::Write) {
                Ok(migrated) => {
                    drop(migrated);
                    Self::open(folder, StoreAccess::Read)
                }
                Err(StoreError::ReadOnly { .. }) => Err(older),
                Err(error) => Err(error),
            },
            Err(StoreError::Missing { path, .. }) => {
                let empty = || {
                    let conn = Connection::open_in_memory()?;
                    keep_prepared(&conn)?;
                    migrate(&conn, &path, VERDICTS)?;
                    Ok(conn)
                };
                Ok(Self {
                    conn: empty().map_err(|failure: StoreFailure| failure.at(&path))?,
                    path,
                    access: StoreAccess::Read,
                    window: Window::default(),
                    backups: backup::Backups::default(),
                })
            }
            other => other,
        }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a handle that stops this file's queries from another thread.
    #[must_use]
    pub fn interrupt_handle(&self) -> Interrupt {
        Interrupt(self.conn.get_interrupt_handle())
    }

    /// Returns a number that grows with every event, of any writer.
    pub fn version(&self) -> Result<i64, StoreError> {
        self.named(|| {
            let sql = "SELECT IFNULL(MAX(seq), 0) FROM events";
            Ok(self.conn.query_row(sql, [], |row| row.get(0))?)
        })
    }

    /// Returns the events that an undo takes back here.
    #[must_use]
    pub const fn window(&self) -> &Window {
        &self.window
    }

    /// Continues a window that was opened before this file: its events can be undone here, and events that others have
    /// added since cannot.
    pub fn resume(&mut self, window: Window) {
        self.window = window;
    }

    /// Adds events of one annotator, all or none, and returns them once they are on the disk.
    ///
    /// `now_ms` counts milliseconds since 1970. Each event gets a later time than all earlier ones of the annotator, so
    /// that the order holds even when the clock stands still or goes back.
    pub fn append(
        &mut self,
        annotator: &str,
        now_ms: i64,
        kinds: Vec<EventKind>,
    ) -> Result<Vec<Event>, StoreError> {
        self.append_shown(annotator, now_ms, kinds, &[])
    }

    /// Adds events as [`Verdicts::append`] does, and in the same transaction snapshots of what the annotator was shown,
    /// so that later changes can be displayed; a sample is stored once per state.
    pub fn append_shown(
        &mut self,
        annotator: &str,
        now_ms: i64,
        kinds: Vec<EventKind>,
        shown: &[Snapshot],
    ) -> Result<Vec<Event>, StoreError> {
        let (events, mut own) = self.writing(|conn| {
            for snapshot in shown {
                snapshot::keep(conn, snapshot)?;
            }
            let mut at_ms = next_ms(conn, annotator, now_ms)?;
            let mut events = Vec::with_capacity(kinds.len());
            let mut own = Vec::with_capacity(kinds.len());
            for kind in kinds {
                let event = Event::new(annotator, at_ms, kind);
                insert(conn, &event)?;
                own.push(conn.last_insert_rowid());
                events.push(event);
                at_ms = at_ms.saturating_add(1);
            }
            Ok((events, own))
        })?;
        self.window.own.append(&mut own);
        self.back_up(now_ms);
        Ok(events)
    }

    /// Takes back the annotator's last standing event in this [`Window`], and returns it; nothing when there is none. A
    /// batch is taken back with all its verdicts.
    pub fn undo(&mut self, annotator: &str, now_ms: i64) -> Result<Option<Event>, StoreError> {
        let sql = format!(
            "FROM standing e WHERE e.annotator = ?1 AND e.batch IS NULL AND e.kind <> 'drawn' AND {}
             ORDER BY e.at_ms DESC, e.id DESC LIMIT 1",
            of_window("e")
        );
        self.turn(annotator, now_ms, &sql, |event| EventKind::Undone { event })
    }

    /// Takes back the annotator's last undo in this [`Window`], unless something new came after it, and returns the
    /// event that stands again; nothing when there is none.
    pub fn redo(&mut self, annotator: &str, now_ms: i64) -> Result<Option<Event>, StoreError> {
        // The undo came after the annotator's last other event here, and no event has changed it since.
        let sql = format!(
            "FROM events u JOIN events e ON e.id = u.target AND e.annotator = u.annotator
             WHERE u.annotator = ?1 AND u.batch IS NULL AND u.kind = 'undone' AND e.target IS NULL AND {}
                AND (u.at_ms, u.id) > (
                SELECT a.at_ms, a.id FROM events a
                WHERE a.annotator = ?1 AND a.batch IS NULL AND a.target IS NULL AND a.kind <> 'drawn' AND {}
                ORDER BY a.at_ms DESC, a.id DESC LIMIT 1)
             AND NOT EXISTS (
                SELECT 1 FROM events v
                WHERE v.target = u.target AND v.annotator = ?1 AND (v.at_ms, v.id) > (u.at_ms, u.id))
             ORDER BY u.at_ms DESC, u.id DESC LIMIT 1",
            of_window("u"),
            of_window("a")
        );
        self.turn(annotator, now_ms, &sql, |event| EventKind::Redone { event })
    }

    /// Appends an event about the one event that a query finds, and returns the latter.
    fn turn(
        &mut self,
        annotator: &str,
        now_ms: i64,
        source: &str,
        kind: impl FnOnce(EventId) -> EventKind,
    ) -> Result<Option<Event>, StoreError> {
        let (since, own) = (self.window.since, self.window.own());
        let (last, own) = self.writing(|conn| {
            let last = one(conn, source, params![annotator, since, own])?;
            let mut own = None;
            if let Some(event) = &last {
                let at_ms = next_ms(conn, annotator, now_ms)?;
                insert(conn, &Event::new(annotator, at_ms, kind(event.id())))?;
                own = Some(conn.last_insert_rowid());
            }
            Ok((last, own))
        })?;
        self.window.own.extend(own);
        Ok(last)
    }

    /// Adds the events that are not there yet, all or none, and returns their number.
    pub fn merge(&mut self, events: &[Event]) -> Result<u64, StoreError> {
        self.writing(|conn| {
            let mut insert = Insert::prepare(conn)?;
            let mut n_new = 0;
            for event in events {
                n_new += insert.add(event)?;
            }
            Ok(n_new)
        })
    }

    /// Passes every event to `each`, in the order of time, then of ids. Stops at the first error.
    pub fn each_event<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Event) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.named(|| {
            let sql = format!("SELECT {COLUMNS} FROM events e ORDER BY e.at_ms, e.id");
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                stopped = each(event(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Reads the last events of an annotator that are not themselves an undo or a redo, the latest first; for a batch,
    /// only the batch's own event.
    pub fn history(&self, annotator: &str, limit: usize) -> Result<Vec<PastEvent>, StoreError> {
        self.past(
            "e.annotator = ?1 AND e.batch IS NULL AND e.target IS NULL AND e.kind <> 'drawn' ORDER BY e.at_ms DESC, e.id DESC LIMIT ?2",
            params![annotator, super::codec::integer(limit)],
        )
    }

    /// Reads all events on a sample, the latest first.
    pub fn history_of(&self, key: &SampleKey) -> Result<Vec<PastEvent>, StoreError> {
        self.past(
            "e.key = ?1 ORDER BY e.at_ms DESC, e.id DESC",
            params![key.0],
        )
    }

    fn past(
        &self,
        condition: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<PastEvent>, StoreError> {
        self.named(|| {
            let sql = format!(
                "SELECT {COLUMNS}, NOT EXISTS (SELECT 1 FROM standing s WHERE s.id = e.id) FROM events e WHERE {condition}"
            );
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query(values)?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(PastEvent {
                    event: event(row)?,
                    is_undone: row.get(row::N_COLUMNS)?,
                });
            }
            Ok(found)
        })
    }

    /// Reads every valid verdict, by sample and annotator; here and below, this excludes provisional ones.
    pub fn all(&self) -> Result<Vec<Verdict>, StoreError> {
        // Sorted afterwards: in the order of the index, every event would be read from a different page.
        self.verdicts("FROM verdicts e ORDER BY +e.key, +e.annotator", &[])
    }

    /// Reads the valid verdicts of one annotator, by sample.
    pub fn of_annotator(&self, annotator: &str) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts(
            "FROM verdicts e WHERE e.annotator = ?1 ORDER BY e.key",
            &[&annotator],
        )
    }

    /// Reads the valid verdicts on one sample, by annotator.
    pub fn of_sample(&self, key: &SampleKey) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts(
            "FROM verdicts e WHERE e.key = ?1 ORDER BY e.annotator",
            &[&key.0],
        )
    }

    /// Passes the words of every valid verdict to `each`, in no order: far cheaper than [`Verdicts::all`] for callers
    /// that only count. Stops at the first error.
    pub fn each_word<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(VerdictWord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.named(|| {
            let sql = "SELECT e.key, e.annotator, e.judgement, e.at_ms FROM verdicts e";
            let mut statement = self.conn.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                stopped = each(VerdictWord {
                    key: SampleKey(row.get(0)?),
                    annotator: row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?,
                    judgement: row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?,
                    at_ms: row.get(3)?,
                });
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Lists the samples on which annotators disagree, adjudicated or not, in the order of their keys. Unsure and
    /// skipped samples do not count.
    pub fn conflicts(&self) -> Result<Vec<SampleKey>, StoreError> {
        self.named(|| {
            // The answer of a verdict as one word: see `Judged::answer`.
            let mut statement = self.conn.prepare_cached(
                "SELECT key FROM (
                    SELECT e.key, CASE e.judgement
                        WHEN 'accept' THEN IFNULL('#' || e.focal, 'no_focal')
                        WHEN 'pick' THEN '#' || e.picked
                        ELSE e.judgement END AS answer
                    FROM verdicts e WHERE e.judgement NOT IN ('unsure', 'skip'))
                 GROUP BY key HAVING MIN(answer) <> MAX(answer) ORDER BY key",
            )?;
            let keys = statement.query_map([], |row| Ok(SampleKey(row.get(0)?)))?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the valid adjudications, by sample: at most one each.
    pub fn adjudications(&self) -> Result<Vec<Verdict>, StoreError> {
        self.verdicts("FROM adjudications e ORDER BY e.key", &[])
    }

    fn verdicts(
        &self,
        source: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Verdict>, StoreError> {
        self.named(|| {
            let mut statement = self
                .conn
                .prepare_cached(&format!("SELECT {COLUMNS} {source}"))?;
            let mut rows = statement.query(values)?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(verdict(&event(row)?)?);
            }
            Ok(found)
        })
    }

    /// Reads the notes that stand on a sample, by annotator; notes that came with a judgement are not among them.
    pub fn notes_of(&self, key: &SampleKey) -> Result<Vec<(String, String)>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(
                "SELECT annotator, note FROM notes WHERE key = ?1 ORDER BY annotator",
            )?;
            let notes = statement.query_map([key.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(notes.collect::<Result<_, _>>()?)
        })
    }

    /// Lists the samples that an annotator has marked, by key.
    pub fn marks_of(&self, annotator: &str) -> Result<Vec<SampleKey>, StoreError> {
        self.named(|| {
            let mut statement = self
                .conn
                .prepare_cached("SELECT key FROM marks WHERE annotator = ?1 ORDER BY key")?;
            let keys = statement.query_map([annotator], |row| Ok(SampleKey(row.get(0)?)))?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    /// Tells whether an annotator has marked a sample.
    pub fn is_marked(&self, key: &SampleKey, annotator: &str) -> Result<bool, StoreError> {
        self.named(|| {
            let sql = "SELECT 1 FROM marks WHERE key = ?1 AND annotator = ?2";
            Ok(self
                .conn
                .prepare_cached(sql)?
                .exists(params![key.0, annotator])?)
        })
    }

    /// Reads the first draw of an audit, which is the valid one.
    pub fn draw(&self, audit: &str) -> Result<Option<Draw>, StoreError> {
        self.named(|| draw(&self.conn, audit))
    }

    /// Reads the valid draw of each audit, in order of the audits' names.
    pub fn draws(&self) -> Result<Vec<Draw>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(
                "SELECT DISTINCT audit FROM events WHERE kind = 'drawn' ORDER BY audit",
            )?;
            let names = statement.query_map([], |row| row.get(0))?;
            let names: Vec<String> = names.collect::<Result<_, _>>()?;
            let mut draws = Vec::new();
            for name in names {
                draws.extend(draw(&self.conn, &name)?);
            }
            Ok(draws)
        })
    }

    /// Stores a draw unless the audit has one, and returns the valid one.
    pub fn freeze(
        &mut self,
        annotator: &str,
        now_ms: i64,
        wanted: Draw,
    ) -> Result<Draw, StoreError> {
        self.writing(|conn| {
            if let Some(known) = draw(conn, &wanted.audit)? {
                return Ok(known);
            }
            let at_ms = next_ms(conn, annotator, now_ms)?;
            insert(
                conn,
                &Event::new(annotator, at_ms, EventKind::Drawn(wanted.clone())),
            )?;
            Ok(wanted)
        })
    }

    /// Runs `work` in a write transaction, if this file may be written; returns after it is on the disk.
    fn writing<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreError> {
        if self.access == StoreAccess::Read {
            return Err(StoreError::ReadOnly {
                path: self.path.clone(),
            });
        }
        self.named(|| {
            // Immediate: a transaction that begins by reading cannot always become a writing one later.
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

fn open(
    folder: &Path,
    access: StoreAccess,
    kind: DatabaseKind<'_>,
) -> Result<Verdicts, StoreError> {
    let path = folder.join(Verdicts::FILE_NAME);
    let conn = match access {
        StoreAccess::Create => {
            make_folder(folder)?;
            connect_shared(&path, kind, SETTINGS)?
        }
        StoreAccess::Write if path.is_file() => connect_shared(&path, kind, SETTINGS)?,
        StoreAccess::Read if path.is_file() => connect_current(&path, kind)?,
        StoreAccess::Write | StoreAccess::Read => {
            return Err(StoreError::Missing {
                path,
                is_empty: false,
            });
        }
    };
    conn.execute_batch(SETTINGS)
        .map_err(|error| StoreFailure::Sql(error).at(&path))?;
    let mut verdicts = Verdicts {
        conn,
        path,
        access,
        window: Window::default(),
        backups: backup::Backups::default(),
    };
    verdicts.window.since = verdicts.version()?;
    Ok(verdicts)
}

/// Writes the condition that a [`Window`] may take back a row of `events`; its numbers are `?2` and `?3`.
fn of_window(table: &str) -> String {
    format!("({table}.seq <= ?2 OR {table}.seq IN (SELECT value FROM json_each(?3)))")
}

/// Chooses a time for the annotator's next event: now, or just after the last one.
fn next_ms(conn: &Connection, annotator: &str, now_ms: i64) -> Result<i64, StoreFailure> {
    let sql = "SELECT MAX(at_ms) FROM events WHERE annotator = ?1 AND batch IS NULL";
    let mut statement = conn.prepare_cached(sql)?;
    let last: Option<i64> = statement.query_row([annotator], |row| row.get(0))?;
    Ok(last.map_or(now_ms, |last| now_ms.max(last.saturating_add(1))))
}

/// Reads the first event of a query.
fn one(
    conn: &Connection,
    source: &str,
    values: &[&dyn rusqlite::ToSql],
) -> Result<Option<Event>, StoreFailure> {
    let mut statement = conn.prepare_cached(&format!("SELECT {COLUMNS} {source}"))?;
    let mut rows = statement.query(values)?;
    rows.next()?.map(event).transpose()
}

fn draw(conn: &Connection, audit: &str) -> Result<Option<Draw>, StoreFailure> {
    let sql = format!(
        "SELECT {COLUMNS} FROM events e WHERE e.kind = 'drawn' AND e.audit = ?1 ORDER BY e.at_ms, e.id LIMIT 1"
    );
    let first: Option<Event> = {
        let mut statement = conn.prepare_cached(&sql)?;
        let mut rows = statement.query([audit])?;
        rows.next()?.map(event).transpose()?
    };
    Ok(first.and_then(|event| match event.kind() {
        EventKind::Drawn(draw) => Some(draw.clone()),
        _ => None,
    }))
}
