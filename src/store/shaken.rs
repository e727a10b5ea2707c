//! The stabilities of shaken tests. A duplicate shares the stability of the test that ran in its place, so it is stored
//! once.

use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashMap;

use crate::model::{ContentHash, SampleKey, Shakes, Stability};
use crate::task::Monitor;

use super::codec::row_id;
use super::error::StoreFailure;
use super::stable::{STABILITY, stability};
use super::{Store, StoreError};

/// The stability of a test, to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenStability {
    pub ordinal: u32,
    /// Of all that decides it.
    pub stamp: ContentHash,
    pub stability: Stability,
}

/// The progress of a test whose shaking is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShakenSoFar {
    pub ordinal: u32,
    /// Of all that decides it.
    pub stamp: ContentHash,
    /// The outcome of each round together with other tests, in the encoding of the caller.
    pub among: Vec<u8>,
    /// The outcome of each round in a separate process.
    pub apart: Vec<u8>,
}

impl Store {
    /// Writes the progress of tests that are being shaken, in place of the former progress; [`Self::write_stabilities`]
    /// removes it.
    pub fn write_shaken_so_far(
        &mut self,
        (run, engine): (i64, &str),
        written: &[ShakenSoFar],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO shaken_so_far (prediction, engine, stamp, among, apart)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        self.write_tested(
            written,
            monitor,
            |_| 1,
            |conn, so_far| {
                let prediction = row_id(run, so_far.ordinal);
                let stamp = &so_far.stamp.0[..];
                conn.prepare_cached(sql)?.execute(params![
                    prediction,
                    engine,
                    stamp,
                    so_far.among,
                    so_far.apart
                ])?;
                Ok(())
            },
        )
    }

    /// Reads the progress of a test that is being shaken; nothing where its shaking has not begun or is finished.
    pub fn shaken_so_far(
        &self,
        (run, engine): (i64, &str),
        ordinal: u32,
    ) -> Result<Option<ShakenSoFar>, StoreError> {
        let sql =
            "SELECT stamp, among, apart FROM shaken_so_far WHERE prediction = ?1 AND engine = ?2";
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let found = statement.query_row(params![row_id(run, ordinal), engine], |row| {
                Ok(ShakenSoFar {
                    ordinal,
                    stamp: ContentHash(row.get(0)?),
                    among: row.get(1)?,
                    apart: row.get(2)?,
                })
            });
            Ok(found.optional()?)
        })
    }

    /// Writes the stabilities of a run's tests with this engine, in place of the former ones.
    pub fn write_stabilities(
        &mut self,
        (run, engine): (i64, &str),
        written: &[WrittenStability],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.write_tested(
            written,
            monitor,
            |_| 1,
            |conn, written_stability| {
                write(
                    conn,
                    (row_id(run, written_stability.ordinal), engine),
                    written_stability,
                )
            },
        )
    }

    /// Reads the input hashes of the stabilities of a run's tests with this engine, by number.
    pub fn stability_stamps(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.stamps_in("shaken", (run, engine))
    }

    /// Reads the stabilities of the true tests of all samples that were shaken in the run of this name, by sample.
    pub fn stabilities(&self, run: &str) -> Result<FxHashMap<SampleKey, Stability>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT p.key, {STABILITY} FROM runs r
                    JOIN predictions p ON p.id >= r.id << 32 AND p.id < (r.id + 1) << 32
                    JOIN executions e ON e.prediction = p.id WHERE r.name = ?1"
            ))?;
            let mut rows = statement.query([run])?;
            let mut found = FxHashMap::default();
            while let Some(row) = rows.next()? {
                if let Some(stability) = stability(row)? {
                    found.insert(SampleKey(row.get(0)?), stability);
                }
            }
            Ok(found)
        })
    }
}

fn write(
    conn: &Connection,
    (prediction, engine): (i64, &str),
    written: &WrittenStability,
) -> Result<(), StoreFailure> {
    let sql = "INSERT OR REPLACE INTO shaken (prediction, engine, stamp, tried, changed, n_runs, n_failed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let stability = &written.stability;
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        &written.stamp.0[..],
        stability.tried.bits(),
        stability.changed.bits(),
        stability.n_runs,
        stability.n_failed
    ])?;
    forget(conn, (prediction, engine), &["shaken_so_far"])?;
    if !stability.changed.and(Shakes::lasting()).is_empty() {
        // Its outcomes on changed code: they mean nothing for a test whose outcome changes.
        forget(
            conn,
            (prediction, engine),
            &["faulted", "method_faults", "varied"],
        )?;
    }
    Ok(())
}

fn forget(
    conn: &Connection,
    (prediction, engine): (i64, &str),
    tables: &[&str],
) -> Result<(), StoreFailure> {
    for table in tables {
        let sql = format!("DELETE FROM {table} WHERE prediction = ?1 AND engine = ?2");
        conn.prepare_cached(&sql)?
            .execute(params![prediction, engine])?;
    }
    Ok(())
}
