//! The number by which readers know that rows have changed.

use rusqlite::Connection;

use super::error::StoreFailure;

/// Returns a number that grows whenever readers see other rows than before.
pub(super) fn current(conn: &Connection) -> Result<i64, StoreFailure> {
    Ok(conn.query_row("SELECT version FROM state", [], |row| row.get(0))?)
}

/// Says that readers see other rows from now on; within the caller's transaction.
pub(super) fn touch(conn: &Connection) -> Result<(), StoreFailure> {
    conn.execute("UPDATE state SET version = version + 1", [])?;
    Ok(())
}
