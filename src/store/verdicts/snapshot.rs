//! Snapshots of judged samples: the test and the focal method in the state in which somebody saw them, stored
//! permanently.
//!
//! Snapshots are a set: a row is identified by a hash of its content, so the snapshots of several files can be merged
//! in any order.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{ContentHash, SampleKey, Snapshot, SnapshotId, SnapshotMethod};

use super::super::error::{StoreError, StoreFailure};
use super::Verdicts;

const COLUMNS: &str = "id, key, content_hash, zstd";

impl Verdicts {
    /// Reads a sample in a state that somebody has judged; nothing when it was not stored. Where merged files have
    /// several snapshots that differ in paths, returns always the same one.
    pub fn snapshot(
        &self,
        key: &SampleKey,
        content_hash: &ContentHash,
    ) -> Result<Option<Snapshot>, StoreError> {
        self.named(|| {
            let sql = format!(
                "SELECT {COLUMNS} FROM snapshots WHERE key = ?1 AND content_hash = ?2 ORDER BY id LIMIT 1"
            );
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query(params![key.0, content_hash.0])?;
            rows.next()?.map(snapshot).transpose()
        })
    }

    /// Passes every snapshot to `each`, in the order of ids. Stops at the first error.
    pub fn each_snapshot<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(Snapshot) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.named(|| {
            let sql = format!("SELECT {COLUMNS} FROM snapshots ORDER BY id");
            let mut statement = self.conn.prepare_cached(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                stopped = each(snapshot(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Adds the snapshots that are missing, all or none, and returns their number.
    pub fn merge_snapshots(&mut self, snapshots: &[Snapshot]) -> Result<u64, StoreError> {
        self.writing(|conn| {
            let mut n_new = 0;
            for snapshot in snapshots {
                n_new += insert(conn, snapshot)?;
            }
            Ok(n_new)
        })
    }
}

/// Adds a snapshot unless the sample is already stored in this state.
pub(super) fn keep(conn: &Connection, snapshot: &Snapshot) -> Result<(), StoreFailure> {
    let sql = "SELECT 1 FROM snapshots WHERE key = ?1 AND content_hash = ?2 LIMIT 1";
    let values = params![snapshot.key.0, snapshot.content_hash.0];
    let known: Option<i64> = conn.query_row(sql, values, |row| row.get(0)).optional()?;
    if known.is_none() {
        insert(conn, snapshot)?;
    }
    Ok(())
}

fn insert(conn: &Connection, snapshot: &Snapshot) -> Result<u64, StoreFailure> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO snapshots (id, key, content_hash, zstd) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO NOTHING",
    )?;
    let n_new = statement.execute(params![
        snapshot.id().0,
        snapshot.key.0,
        snapshot.content_hash.0,
        zstd::encode_all(&pack(snapshot)[..], zstd::DEFAULT_COMPRESSION_LEVEL)?,
    ])?;
    Ok(n_new as u64)
}

/// Packs the methods of a snapshot, every field after its length.
fn pack(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    for method in std::iter::once(&snapshot.test).chain(&snapshot.focal) {
        for field in [&method.key, &method.path, &method.text] {
            bytes.extend((field.len() as u32).to_le_bytes());
            bytes.extend(field.as_bytes());
        }
    }
    bytes
}

fn unpack(mut bytes: &[u8]) -> Option<Vec<SnapshotMethod>> {
    fn field(bytes: &mut &[u8]) -> Option<String> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }
    let mut methods = Vec::new();
    while !bytes.is_empty() {
        methods.push(SnapshotMethod {
            key: field(&mut bytes)?,
            path: field(&mut bytes)?,
            text: field(&mut bytes)?,
        });
    }
    Some(methods)
}

/// Reads a snapshot, and checks that its id is the hash of its content.
fn snapshot(row: &Row<'_>) -> Result<Snapshot, StoreFailure> {
    let id = SnapshotId(row.get(0)?);
    let damaged = || {
        StoreFailure::Damaged(format!(
            "the id of snapshot {id} does not match its content"
        ))
    };
    let packed = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
    let bytes = zstd::decode_all(packed).map_err(|_| damaged())?;
    let mut methods = unpack(&bytes).ok_or_else(damaged)?.into_iter();
    let snapshot = Snapshot {
        key: SampleKey(row.get(1)?),
        content_hash: ContentHash(row.get(2)?),
        test: methods.next().ok_or_else(damaged)?,
        focal: methods.next(),
    };
    if snapshot.id() == id {
        Ok(snapshot)
    } else {
        Err(damaged())
    }
}
