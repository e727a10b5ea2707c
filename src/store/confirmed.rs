//! The confirmations of candidates that had passed, from a second execution. A duplicate shares the confirmation of the
//! candidate that ran in its place, so it is stored once.

use rusqlite::{Connection, Row, Statement, params};

use crate::model::{Confirmation, Execution};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{ORDINAL_BITS, code, decode, row_id};
use super::error::StoreFailure;
use super::{Store, StoreError, version};

/// A column of a query over `executions e`: the confirmation as a word, read by [`confirmed`].
pub(super) const CONFIRMED: &str =
    "(SELECT c.word FROM execution_confirmations c WHERE c.engine = e.engine AND c.prediction =
        COALESCE(e.prediction - (e.prediction & 4294967295) + e.duplicate_of, e.prediction)) AS confirmed";

const _: () = assert!(ORDINAL_BITS == 32, "the query masks as many bits");

/// Reads [`CONFIRMED`].
pub(super) fn confirmed(row: &Row<'_>) -> Result<Option<Confirmation>, StoreFailure> {
    let position: Option<i64> = row.get("confirmed")?;
    let word = position.map(|position| decode(Confirmation::ALL, position));
    word.transpose()
}

/// Prepares the statement that [`write()`] needs.
pub(super) fn prepare(conn: &Connection) -> Result<Statement<'_>, StoreFailure> {
    let sql = "INSERT OR REPLACE INTO execution_confirmations (prediction, engine, word) VALUES (?1, ?2, ?3)";
    Ok(conn.prepare(sql)?)
}

/// Writes the confirmation of an execution that has one of its own.
pub(super) fn write(
    statement: &mut Statement<'_>,
    (id, engine): (i64, &str),
    execution: &Execution,
) -> Result<(), StoreFailure> {
    if let Some(word) = execution.confirmed
        && execution.duplicate_of.is_none()
    {
        statement.execute(params![id, engine, code(Confirmation::ALL, word)])?;
    }
    Ok(())
}

impl Store {
    /// Writes the confirmations of predictions that were run with this engine, by number, in place of the former ones.
    pub fn write_confirmations(
        &mut self,
        (run, engine): (i64, &str),
        words: &[(u32, Confirmation)],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        if words.is_empty() {
            return Ok(());
        }
        self.writing(|conn| {
            let mut statement = prepare(conn)?;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for (ordinal, word) in words {
                batch.rows(1)?;
                let execution = Execution {
                    confirmed: Some(*word),
                    ..Execution::default()
                };
                let id = row_id(run, *ordinal);
                write(&mut statement, (id, engine), &execution)?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }
}
