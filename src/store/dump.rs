//! Every row of an index that says something about repositories, in an order and with numbers that do not depend on when
//! and in which order they were written: two indexes hold the same exactly when their dumps are equal.
//!
//! Left out: ids (their ordinals stay), generations, where a repository lay, packed texts (their hashes stay), and runs with
//! all that belongs to them.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::model::{Language, RepoKey};

use super::codec::{ORDINAL_BITS, repo_key, row_id};
use super::error::Failure;
use super::{Store, StoreError};

/// A value of a dumped row.
#[derive(Clone, Debug, PartialEq)]
pub enum DumpedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A row, with its columns in the order of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct DumpedRow {
    pub table: &'static str,
    /// Whose row it is.
    pub repo: Option<RepoKey>,
    pub columns: Vec<(String, DumpedValue)>,
}

/// What of a repository is dumped; `?1` is its id, `?2` and `?3` the range of ids of its generation.
const OF_REPO: [(&str, &str); 11] = [
    ("repos", "SELECT * FROM repos WHERE id = ?1 AND ?2 < ?3"),
    (
        "datasets",
        "SELECT name FROM datasets WHERE repo = ?1 AND ?2 < ?3",
    ),
    (
        "tallies",
        "SELECT * FROM tallies WHERE repo = ?1 AND ?2 < ?3 ORDER BY matcher",
    ),
    (
        "resolutions",
        "SELECT * FROM resolutions WHERE repo = ?1 AND ?2 < ?3 ORDER BY outcome, reason",
    ),
    (
        "files",
        "SELECT f.id, f.is_test, f.path, s.hash, s.size_bytes FROM files f JOIN sources s ON s.id = f.source
         WHERE ?1 > 0 AND f.id >= ?2 AND f.id < ?3 ORDER BY f.id",
    ),
    (
        "methods",
        "SELECT * FROM methods WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
    (
        "declared",
        "SELECT * FROM declared WHERE ?1 > 0 AND file >= ?2 AND file < ?3 ORDER BY file",
    ),
    (
        "tests",
        "SELECT * FROM tests WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
    (
        "decisions",
        "SELECT * FROM decisions WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
    (
        "details",
        "SELECT * FROM details WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
    (
        "problems",
        "SELECT * FROM problems WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
];

const OF_ALL: [(&str, &str); 4] = [
    (
        "kept",
        "SELECT k.token_hash, k.matcher, k.key, r.identity, r.language FROM kept k JOIN repos r ON r.id = k.repo
         ORDER BY k.token_hash, k.matcher",
    ),
    (
        "project_splits",
        "SELECT * FROM project_splits ORDER BY identity",
    ),
    ("sources", "SELECT hash, size_bytes FROM sources ORDER BY hash"),
    ("state", "SELECT seed FROM state"),
];

/// Columns that are another number in every index, or say where something lay.
fn is_left_out(table: &str, column: &str) -> bool {
    match column {
        "generation" | "root" | "repo" => true,
        "id" => table == "repos",
        _ => false,
    }
}

/// Columns that hold ids.
fn is_id(table: &str, column: &str) -> bool {
    matches!(
        (table, column),
        (
            "files" | "methods" | "tests" | "decisions" | "details" | "problems",
            "id"
        ) | ("methods" | "declared" | "decisions", "file")
            | ("tests" | "decisions", "method")
            | (_, "focal_method" | "implementation")
    )
}

impl Store {
    /// Hands every row to `each`, repository by repository, then what is about all of them. Stops at the first error.
    pub fn each_dumped_row<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(DumpedRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            for (repo, id, generation) in repos(conn)? {
                for (table, sql) in OF_REPO {
                    let range = [id, row_id(generation, 0), row_id(generation + 1, 0)];
                    let from = Some((&repo, generation));
                    let wanted = |row| {
                        stopped = each(row);
                        stopped.is_ok()
                    };
                    if !dump(conn, (table, sql), &range, from, wanted)? {
                        return Ok(());
                    }
                }
            }
            for (table, sql) in OF_ALL {
                let wanted = |row| {
                    stopped = each(row);
                    stopped.is_ok()
                };
                if !dump(conn, (table, sql), &[], None, wanted)? {
                    return Ok(());
                }
            }
            Ok(())
        })?;
        stopped
    }
}

fn repos(conn: &Connection) -> Result<Vec<(RepoKey, i64, i64)>, Failure> {
    let mut repos = conn.prepare(
        "SELECT identity, language, id, generation FROM repos ORDER BY identity, language",
    )?;
    let mut rows = repos.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        all.push((repo_key(row, 0)?, row.get(2)?, row.get(3)?));
    }
    Ok(all)
}

/// Returns whether somebody wants more.
fn dump(
    conn: &Connection,
    (table, sql): (&'static str, &str),
    range: &[i64],
    of: Option<(&RepoKey, i64)>,
    mut wanted: impl FnMut(DumpedRow) -> bool,
) -> Result<bool, Failure> {
    let mut statement = conn.prepare(sql)?;
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut rows = statement.query(rusqlite::params_from_iter(range))?;
    while let Some(row) = rows.next()? {
        let mut columns = Vec::with_capacity(names.len());
        for (idx, name) in names.iter().enumerate() {
            if is_left_out(table, name) {
                continue;
            }
            let value = match (row.get_ref(idx)?, of) {
                (ValueRef::Integer(id), Some((_, generation))) if is_id(table, name) => {
                    DumpedValue::Integer(id - (generation << ORDINAL_BITS))
                }
                (ValueRef::Integer(number), _) if name == "language" => {
                    let language = super::codec::decode(Language::ALL, number)?;
                    DumpedValue::Text(language.as_str().to_owned())
                }
                (ValueRef::Null, _) => DumpedValue::Null,
                (ValueRef::Integer(number), _) => DumpedValue::Integer(number),
                (ValueRef::Real(number), _) => DumpedValue::Real(number),
                (ValueRef::Text(text), _) => {
                    DumpedValue::Text(String::from_utf8_lossy(text).into_owned())
                }
                (ValueRef::Blob(bytes), _) => DumpedValue::Bytes(bytes.to_vec()),
            };
            columns.push((name.clone(), value));
        }
        let repo = of.map(|it| it.0.clone());
        if !wanted(DumpedRow {
            table,
            repo,
            columns,
        }) {
            return Ok(false);
        }
    }
    Ok(true)
}
