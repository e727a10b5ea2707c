//! Every row of an index about repositories, in an order and with numbers that do not depend on when and in which order
//! the rows were written: two indexes hold the same data exactly when their dumps are equal.
//!
//! Left out: ids (their ordinals stay), generations, the paths of repositories, packed texts (their hashes stay), and
//! runs with all that belongs to them: each is a dump of its own, without times.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::model::{Language, RepoKey};

use super::codec::{ORDINAL_BITS, repo_key, row_id};
use super::error::StoreFailure;
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
    /// The repository or run that the row belongs to.
    pub repo: Option<RepoKey>,
    pub columns: Vec<(String, DumpedValue)>,
}

/// The dumped tables of a repository; `?1` is its id, `?2` and `?3` the range of ids of its generation.
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

/// The dumped tables of a run; `?1` is its id, `?2` and `?3` the range of ids of its predictions.
const OF_RUN: [(&str, &str); 17] = [
    ("runs", "SELECT * FROM runs WHERE id = ?1 AND ?2 < ?3"),
    (
        "questions",
        "SELECT DISTINCT q.* FROM predictions p JOIN questions q ON q.key = p.key
         WHERE ?1 > 0 AND p.id >= ?2 AND p.id < ?3 ORDER BY q.key",
    ),
    (
        "run_problems",
        "SELECT * FROM run_problems WHERE run = ?1 AND ?2 < ?3 ORDER BY ordinal",
    ),
    (
        "predictions",
        "SELECT * FROM predictions WHERE ?1 > 0 AND id >= ?2 AND id < ?3 ORDER BY id",
    ),
    (
        "readings",
        "SELECT * FROM readings WHERE ?1 > 0 AND prediction >= ?2 AND prediction < ?3 ORDER BY prediction",
    ),
    (
        "failures",
        "SELECT * FROM failures WHERE ?1 > 0 AND prediction >= ?2 AND prediction < ?3 ORDER BY prediction",
    ),
    (
        "evaluations",
        "SELECT metric, version, options, dataset, n_done, value, value_parsable FROM evaluations
         WHERE run = ?1 AND ?2 < ?3 ORDER BY metric",
    ),
    (
        "scores",
        "SELECT e.metric, s.ordinal, s.value, s.parts FROM evaluations e JOIN scores s ON s.evaluation = e.id
         WHERE e.run = ?1 AND ?2 < ?3 ORDER BY e.metric, s.ordinal",
    ),
    (
        "run_executions",
        "SELECT * FROM run_executions WHERE run = ?1 AND ?2 < ?3 ORDER BY engine",
    ),
    (
        "executions",
        "SELECT e.*, d.why, d.record, d.words FROM executions e
         LEFT JOIN execution_details d ON d.prediction = e.prediction AND d.engine = e.engine
         WHERE ?1 > 0 AND e.prediction >= ?2 AND e.prediction < ?3 ORDER BY e.prediction, e.engine",
    ),
    (
        "execution_confirmations",
        "SELECT * FROM execution_confirmations WHERE ?1 > 0 AND prediction >= ?2 AND prediction < ?3
         ORDER BY prediction, engine",
    ),
    (
        "shaken",
        "SELECT * FROM shaken WHERE ?1 > 0 AND prediction >= ?2 AND prediction < ?3 ORDER BY prediction, engine",
    ),
    (
        "varied",
        "SELECT * FROM varied WHERE ?1 > 0 AND prediction >= ?2 AND prediction < ?3 ORDER BY prediction, engine",
    ),
    (
        "execution_coverage",
        "SELECT x.prediction, x.engine, x.unit, c.bits FROM execution_coverage x JOIN covered c ON c.id = x.covered
         WHERE ?1 > 0 AND x.prediction >= ?2 AND x.prediction < ?3 ORDER BY x.prediction, x.engine, x.unit",
    ),
    (
        "execution_entered",
        "SELECT x.prediction, x.engine, x.ordinal, m.class, m.name, m.descriptor, x.depth, x.n_times
         FROM execution_entered x JOIN entered_methods m ON m.id = x.method
         WHERE ?1 > 0 AND x.prediction >= ?2 AND x.prediction < ?3 ORDER BY x.prediction, x.engine, x.ordinal",
    ),
    (
        "focal_totals",
        "SELECT * FROM focal_totals WHERE run = ?1 AND ?2 < ?3 ORDER BY engine, project, focal, scope",
    ),
    (
        "prediction_answers",
        "SELECT t.prediction, p.hash, p.prompt, a.model, a.parameters, a.attempt, a.text, a.finish_reason, r.line
         FROM prediction_answers t JOIN answers a ON a.id = t.answer JOIN prompts p ON p.id = a.prompt
         JOIN runs n ON n.id = ?1 LEFT JOIN run_answers r ON r.run = n.name AND r.answer = a.id
         WHERE t.prediction >= ?2 AND t.prediction < ?3 ORDER BY t.prediction",
    ),
];

/// Columns that hold a number that differs in every index, a path, a time, or a duration.
fn is_left_out(table: &str, column: &str) -> bool {
    match column {
        "generation" | "root" | "repo" | "run" | "imported_at" | "executed_at" | "elapsed_ms" => {
            true
        }
        "id" => matches!(table, "repos" | "runs"),
        _ => false,
    }
}

/// Columns that hold ids.
fn is_id(table: &str, column: &str) -> bool {
    matches!(
        (table, column),
        (
            "files" | "methods" | "tests" | "decisions" | "details" | "problems" | "predictions",
            "id"
        ) | ("methods" | "declared" | "decisions", "file")
            | ("tests" | "decisions", "method")
            | (_, "focal_method" | "implementation" | "prediction")
    )
}

impl Store {
    /// Passes every row to `each`, repository by repository, then the rows about all of them. Stops at the first error.
    pub fn each_dumped_row<E: From<StoreError>>(
        &self,
        mut each: impl FnMut(DumpedRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            for (repo, id, generation) in repos(conn)? {
                for (table, sql) in OF_REPO {
                    let range = [id, row_id(generation, 0), row_id(generation + 1, 0)];
                    let from = Some((Some(&repo), generation));
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

impl Store {
    /// Passes every row of a run to `each`, table by table: its predictions and their results. Stops at the first
    /// error.
    pub fn each_dumped_row_of_run<E: From<StoreError>>(
        &self,
        run: i64,
        mut each: impl FnMut(DumpedRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            for (table, sql) in OF_RUN {
                let range = [run, row_id(run, 0), row_id(run + 1, 0)];
                let wanted = |row| {
                    stopped = each(row);
                    stopped.is_ok()
                };
                if !dump(conn, (table, sql), &range, Some((None, run)), wanted)? {
                    return Ok(());
                }
            }
            Ok(())
        })?;
        stopped
    }
}

fn repos(conn: &Connection) -> Result<Vec<(RepoKey, i64, i64)>, StoreFailure> {
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

/// Passes the rows of a table to the receiver, and tells whether it wants more.
fn dump(
    conn: &Connection,
    (table, sql): (&'static str, &str),
    range: &[i64],
    of: Option<(Option<&RepoKey>, i64)>,
    mut wanted: impl FnMut(DumpedRow) -> bool,
) -> Result<bool, StoreFailure> {
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
        let repo = of.and_then(|pair| pair.0).cloned();
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
