//! What shaking tests has shown. A duplicate has it of the one that ran in its place, so it is kept once.

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::model::{ContentHash, SampleKey, Shakes, Stability};
use crate::task::Monitor;

use super::codec::row_id;
use super::error::Failure;
use super::stable::{STABILITY, stability};
use super::{Store, StoreError};

/// What shaking a test has shown, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenStability {
    pub ordinal: u32,
    /// Of all that decides it.
    pub stamp: ContentHash,
    pub stability: Stability,
}

impl Store {
    /// Writes what shaking tests of a run that were run with this engine has shown, in place of what was there.
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
            |conn, it| write(conn, (row_id(run, it.ordinal), engine), it),
        )
    }

    /// Returns of which inputs it is kept what shaking a run's tests with this engine has shown, by number.
    pub fn stability_stamps(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.stamps_in("shaken", (run, engine))
    }

    /// Returns what shaking the true tests of all samples has shown, by sample: of those that were shaken in the run of this
    /// name.
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
) -> Result<(), Failure> {
    let sql = "INSERT OR REPLACE INTO shaken (prediction, engine, stamp, tried, changed, n_runs, n_failed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let it = &written.stability;
    conn.prepare_cached(sql)?.execute(params![
        prediction,
        engine,
        &written.stamp.0[..],
        it.tried.bits(),
        it.changed.bits(),
        it.n_runs,
        it.n_failed
    ])?;
    if !it.changed.and(Shakes::lasting()).is_empty() {
        forget(conn, (prediction, engine))?;
    }
    Ok(())
}

/// Forgets what a test made of changed code: of one that means something else tomorrow it says nothing.
fn forget(conn: &Connection, (prediction, engine): (i64, &str)) -> Result<(), Failure> {
    for table in ["faulted", "method_faults", "varied"] {
        let sql = format!("DELETE FROM {table} WHERE prediction = ?1 AND engine = ?2");
        conn.prepare_cached(&sql)?
            .execute(params![prediction, engine])?;
    }
    Ok(())
}
