//! `verdict:` in a filter: which tests somebody has judged, and how.
//!
//! Verdicts lie in a file of their own, and no transaction spans two files safely; so what holds now is copied into a
//! temporary table of the connection that asks, again whenever there are new events. A filter that does not ask pays
//! nothing. A sample that was only accepted provisionally, with others, has no verdict: `verdict:none` lets it through.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Judgement, Term};

use super::Verdicts;
use super::error::Failure;
use super::query::Sql;

/// What stands for an accepted sample that nobody has looked at.
const PROVISIONAL: &str = "provisional";

/// Brings the tables that these terms ask for up to date, and returns a number that changes with them.
pub(super) fn refresh(conn: &Connection, terms: &[Term]) -> Result<i64, Failure> {
    conn.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS judged (key BLOB NOT NULL, judgement TEXT NOT NULL,
            PRIMARY KEY (key, judgement)) STRICT, WITHOUT ROWID;
         CREATE TEMP TABLE IF NOT EXISTS provisional (key BLOB PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
         CREATE TEMP TABLE IF NOT EXISTS judged_version (of TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL) STRICT;",
    )?;
    let folder = conn.path().and_then(|it| Path::new(it).parent());
    let elsewhere = |error| Failure::Elsewhere(Box::new(error));
    let verdicts = Verdicts::open_or_empty(folder.unwrap_or(Path::new("."))).map_err(elsewhere)?;
    let version = verdicts.version().map_err(elsewhere)?;
    let is_old = |table: &str| -> Result<bool, Failure> {
        let sql = "SELECT version FROM temp.judged_version WHERE of = ?1";
        let known: Option<i64> = conn.query_row(sql, [table], |row| row.get(0)).optional()?;
        Ok(known != Some(version))
    };
    let done = "INSERT OR REPLACE INTO temp.judged_version VALUES (?1, ?2)";
    // There may be far more of these than of verdicts, and few filters ask for them.
    let asks = terms.iter().any(is_provisional);
    if asks && is_old(PROVISIONAL)? {
        conn.execute("DELETE FROM temp.provisional", [])?;
        let mut insert = conn.prepare("INSERT INTO temp.provisional VALUES (?1)")?;
        for key in verdicts.provisional_keys().map_err(elsewhere)? {
            insert.execute([key.0])?;
        }
        conn.execute(done, params![PROVISIONAL, version])?;
    }
    if is_old("judged")? {
        conn.execute("DELETE FROM temp.judged", [])?;
        let mut insert = conn.prepare("INSERT OR IGNORE INTO temp.judged VALUES (?1, ?2)")?;
        for verdict in verdicts.all().map_err(elsewhere)? {
            let judged = verdict.judged;
            insert.execute(params![judged.key.0, judged.judgement.as_str()])?;
        }
        conn.execute(done, params!["judged", version])?;
    }
    Ok(version)
}

fn is_provisional(term: &Term) -> bool {
    term.field == "verdict" && term.value.eq_ignore_ascii_case(PROVISIONAL)
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
    if is_provisional(term) {
        return Ok(Sql::new(
            "d.id & ~(15 << 28) IN (SELECT t.id FROM temp.provisional j JOIN tests t ON t.key = j.key)",
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
