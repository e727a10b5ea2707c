//! The stored outcomes of a run's tests that an engine ran again, on other code or under other conditions: one row per
//! test, with a hash of everything that determines the outcome.

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::model::ContentHash;
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::row_id;
use super::error::StoreFailure;
use super::outcome_condition::is_shown;
use super::{Store, StoreError, version};

/// The id of the prediction that ran in the place of `e`.
pub(super) const ORIGINAL: &str =
    "COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)";

impl Store {
    /// Writes the outcomes of tests, in place of the former ones; `n_rows` counts the rows of one test.
    pub(super) fn write_tested<W>(
        &mut self,
        written: &[W],
        monitor: &Monitor,
        n_rows: impl Fn(&W) -> usize,
        write: impl Fn(&Connection, &W) -> Result<(), StoreFailure>,
    ) -> Result<(), StoreError> {
        if written.is_empty() {
            return Ok(());
        }
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for item in written {
                batch.rows(n_rows(item))?;
                write(conn, item)?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the input hashes of a run's tests with an engine in a table, by number.
    pub(super) fn stamps_in(
        &self,
        table: &str,
        (run, engine): (i64, &str),
    ) -> Result<FxHashMap<u32, ContentHash>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT k.prediction & 4294967295, k.stamp FROM {table} k
                 WHERE k.prediction >= ?1 AND k.prediction < ?2 AND {}",
                is_shown("k.engine", 3)
            ))?;
            let rows = statement
                .query_map(params![row_id(run, 0), row_id(run + 1, 0), engine], |row| {
                    Ok((row.get(0)?, ContentHash(row.get(1)?)))
                })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Tells whether a table has a row for any test of a run with an engine.
    pub(super) fn has_any_in(
        &self,
        table: &str,
        (run, engine): (i64, &str),
    ) -> Result<bool, StoreError> {
        self.reading(|conn| {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM {table} k WHERE k.prediction >= ?1 AND k.prediction < ?2 AND {})",
                is_shown("k.engine", 3)
            );
            let bounds = params![row_id(run, 0), row_id(run + 1, 0), engine];
            Ok(conn.query_row(&sql, bounds, |row| row.get(0))?)
        })
    }
}
