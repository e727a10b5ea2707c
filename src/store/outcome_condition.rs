//! Pieces of queries about engines and languages: whether an outcome belongs to one of these engines, and the language
//! of a prediction's sample.

use rusqlite::{Connection, params};

use super::codec::row_id;
use super::error::StoreFailure;

/// Writes the condition that a column's engine is one of those in a parameter, as [`crate::model::EngineName::joined`]
/// writes them.
pub(super) fn is_shown(column: &str, parameter: u8) -> String {
    format!("instr('+' || ?{parameter} || '+', '+' || {column} || '+') > 0")
}

/// The language of the sample, or question, of a prediction `p`; NULL where that has left the index.
pub(super) const LANGUAGE: &str = "COALESCE(
    (SELECT r.language FROM tests t JOIN repos r ON r.generation = t.id >> 32 WHERE t.key = p.key LIMIT 1),
    (SELECT q.language FROM questions q WHERE q.key = p.key))";

/// Stores the language of a run where it is not known otherwise: the language of its first sample.
pub(super) fn settle_language(conn: &Connection, run: i64) -> Result<(), StoreFailure> {
    let sql = format!(
        "UPDATE runs SET language = COALESCE((SELECT {LANGUAGE} FROM predictions p WHERE p.id >= ?1 AND p.id < ?2
            ORDER BY p.id LIMIT 1), language)
         WHERE id = ?3"
    );
    conn.execute(&sql, params![row_id(run, 0), row_id(run + 1, 0), run])?;
    Ok(())
}
