//! `verdict:` in a filter: which tests somebody has judged, and how.
//!
//! Verdicts lie in a file of their own, and no transaction spans two files safely; so what holds now is copied into a
//! temporary table of the connection that asks, again whenever there are new events. A filter that does not ask pays
//! nothing.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Judgement, Term};

use super::Verdicts;
use super::error::Failure;
use super::query::Sql;

/// Brings the table up to date and returns a number that changes with it.
pub(super) fn refresh(conn: &Connection) -> Result<i64, Failure> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS judged (key BLOB NOT NULL, judgement TEXT NOT NULL,
            PRIMARY KEY (key, judgement)) STRICT, WITHOUT ROWID;
         CREATE TEMP TABLE IF NOT EXISTS judged_version (version INTEGER NOT NULL) STRICT;",
    )?;
    let folder = conn.path().and_then(|it| Path::new(it).parent());
    let elsewhere = |error| Failure::Elsewhere(Box::new(error));
    let verdicts = Verdicts::open_or_empty(folder.unwrap_or(Path::new("."))).map_err(elsewhere)?;
    let version = verdicts.version().map_err(elsewhere)?;
    let sql = "SELECT version FROM temp.judged_version";
    let known: Option<i64> = conn.query_row(sql, [], |row| row.get(0)).optional()?;
    if known != Some(version) {
        conn.execute_batch("DELETE FROM temp.judged; DELETE FROM temp.judged_version;")?;
        let mut insert = conn.prepare("INSERT OR IGNORE INTO temp.judged VALUES (?1, ?2)")?;
        for verdict in verdicts.all().map_err(elsewhere)? {
            let judged = verdict.judged;
            insert.execute(params![judged.key.0, judged.judgement.as_str()])?;
        }
        conn.execute("INSERT INTO temp.judged_version VALUES (?1)", [version])?;
    }
    Ok(version)
}

/// Returns the condition of `verdict:word`, whatever its sign.
pub(super) fn condition(term: &Term) -> Result<Sql, Failure> {
    let word = term.value.to_ascii_lowercase();
    if word == "none" {
        return Ok(Sql::new(
            "d.id & ~(15 << 28) NOT IN (SELECT t.id FROM temp.judged j JOIN tests t ON t.key = j.key)",
            Vec::new(),
        ));
    }
    if !Judgement::WORDS.contains(&word.as_str()) {
        return Err(Failure::Filter {
            field: "verdict",
            value: term.value.clone(),
        });
    }
    Ok(Sql::new(
        "d.id & ~(15 << 28) IN (SELECT t.id FROM temp.judged j JOIN tests t ON t.key = j.key WHERE j.judgement = ?)",
        vec![Value::Text(word)],
    ))
}
