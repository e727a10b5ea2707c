//! The number that tells readers that rows have changed.

use rusqlite::Connection;

use super::error::StoreFailure;

/// Returns a number that increases whenever the rows that readers see change.
pub(super) fn current(conn: &Connection) -> Result<i64, StoreFailure> {
    Ok(conn.query_row("SELECT version FROM state", [], |row| row.get(0))?)
}

/// Increases that number, within the caller's transaction.
pub(super) fn touch(conn: &Connection) -> Result<(), StoreFailure> {
    conn.execute("UPDATE state SET version = version + 1", [])?;
    Ok(())
}
