//! Short write transactions: rows are inserted and deleted in batches of at most two thousand per commit.

use rusqlite::{Connection, params};

use crate::task::Monitor;

use super::codec::integer;
use super::error::StoreFailure;

/// The maximum number of rows that one transaction writes or deletes, so that no reader or other writer waits long.
pub(super) const ROWS_MAX: usize = 2_000;

/// An open write transaction that commits itself regularly; dropped without [`WriteBatch::finish`], it rolls back
/// everything that is not committed yet.
pub(super) struct WriteBatch<'c> {
    conn: &'c Connection,
    monitor: &'c Monitor,
    n_rows: usize,
    is_open: bool,
}

impl<'c> WriteBatch<'c> {
    pub(super) fn begin(conn: &'c Connection, monitor: &'c Monitor) -> Result<Self, StoreFailure> {
        monitor.step()?;
        // Immediate: a transaction that begins by reading cannot always become a writing one later.
        conn.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self {
            conn,
            monitor,
            n_rows: 0,
            is_open: true,
        })
    }

    /// Makes room for `n_rows` more rows: commits first if the transaction would become too large, and fails when the
    /// monitor is cancelled.
    pub(super) fn rows(&mut self, n_rows: usize) -> Result<(), StoreFailure> {
        if self.n_rows > 0 && self.n_rows + n_rows > ROWS_MAX {
            self.commit()?;
            self.monitor.step()?;
            self.conn.execute_batch("BEGIN IMMEDIATE")?;
            self.is_open = true;
            self.n_rows = 0;
        }
        self.n_rows += n_rows;
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), StoreFailure> {
        self.commit()
    }

    fn commit(&mut self) -> Result<(), StoreFailure> {
        self.conn.execute_batch("COMMIT")?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for WriteBatch<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // The first error is already being returned to the caller; SQLite rolls back when the file is next opened.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
    }
}

/// Deletes rows in short transactions. `sql` deletes at most `?3` rows whose ids are in `range`, from `?1` to before
/// `?2`; it is run until it deletes fewer.
pub(super) fn delete_in_pieces(
    conn: &Connection,
    sql: &str,
    range: [i64; 2],
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let mut delete = conn.prepare(sql)?;
    loop {
        let batch = WriteBatch::begin(conn, monitor)?;
        let n_rows = delete.execute(params![range[0], range[1], integer(ROWS_MAX)])?;
        batch.finish()?;
        if n_rows < ROWS_MAX {
            return Ok(());
        }
    }
}
