//! Test files that were cut out of suites, and the lines that each covers: sets of lines are stored once.

use rusqlite::{Connection, params};

use crate::model::Outcome;
use crate::task::Monitor;

use super::batch::Batch;
use super::codec::{code, decode};
use super::error::Failure;
use super::{Store, StoreError, open};

/// A test file that was cut out, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverCase {
    /// `tests/x.py::Class::test`
    pub node: String,
    /// Of project code, environment and engine.
    pub version: String,
    pub path: Option<String>,
    pub code: Option<String>,
    pub outcome: Option<Outcome>,
    pub reason: Option<String>,
}

/// What a case covers of a file, a bit a line, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverLines {
    pub file: String,
    pub covered: Vec<u8>,
    /// Covered by some of the repeats only.
    pub unstable: Option<Vec<u8>>,
}

impl Store {
    /// Returns all cases of a project, in order of their nodes.
    pub fn clover_cases(&self, project: &str) -> Result<Vec<CloverCase>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT node, version, path, code, outcome, reason FROM clover_cases WHERE project = ?1 ORDER BY node",
            )?;
            let mut rows = statement.query([project])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let outcome: Option<i64> = row.get(4)?;
                found.push(CloverCase {
                    node: row.get(0)?,
                    version: row.get(1)?,
                    path: row.get(2)?,
                    code: row.get(3)?,
                    outcome: outcome.map(|it| decode(Outcome::ALL, it)).transpose()?,
                    reason: row.get(5)?,
                });
            }
            Ok(found)
        })
    }

    /// Returns the lines of all cases of a project, with their nodes, in order.
    pub fn clover_lines(&self, project: &str) -> Result<Vec<(String, CloverLines)>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT k.node, l.file, c.bits, u.bits FROM clover_cases k JOIN clover_lines l ON l.clover_case = k.id
                 JOIN covered c ON c.id = l.covered LEFT JOIN covered u ON u.id = l.unstable
                 WHERE k.project = ?1 ORDER BY k.node, l.file",
            )?;
            let mut rows = statement.query([project])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let lines = CloverLines {
                    file: row.get(1)?,
                    covered: row.get(2)?,
                    unstable: row.get(3)?,
                };
                found.push((row.get(0)?, lines));
            }
            Ok(found)
        })
    }

    /// Writes cases in place of what was there of their nodes, lines included.
    pub fn write_clover(
        &mut self,
        project: &str,
        cases: &[(CloverCase, Vec<CloverLines>)],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = Batch::begin(conn, monitor)?;
            for (case, lines) in cases {
                batch.rows(1 + lines.len())?;
                write(conn, project, case, lines)?;
            }
            open::touch(conn)?;
            batch.finish()
        })
    }
}

fn write(
    conn: &Connection,
    project: &str,
    case: &CloverCase,
    lines: &[CloverLines],
) -> Result<(), Failure> {
    conn.prepare("DELETE FROM clover_cases WHERE project = ?1 AND node = ?2")?
        .execute(params![project, case.node])?;
    conn.prepare(
        "INSERT INTO clover_cases (project, node, version, path, code, outcome, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        project,
        case.node,
        case.version,
        case.path,
        case.code,
        case.outcome.map(|it| code(Outcome::ALL, it)),
        case.reason,
    ])?;
    let id = conn.last_insert_rowid();
    for it in lines {
        let covered = set_of(conn, &it.covered)?;
        let unstable = it
            .unstable
            .as_ref()
            .map(|it| set_of(conn, it))
            .transpose()?;
        conn.prepare("INSERT INTO clover_lines (clover_case, file, covered, unstable) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![id, it.file, covered, unstable])?;
    }
    Ok(())
}

/// Returns the id of a set, which is stored once.
fn set_of(conn: &Connection, bits: &[u8]) -> Result<i64, Failure> {
    let hash = *blake3::hash(bits).as_bytes();
    let hash = &hash[..16];
    conn.prepare("INSERT OR IGNORE INTO covered (hash, bits) VALUES (?1, ?2)")?
        .execute(params![hash, bits])?;
    Ok(conn
        .prepare("SELECT id FROM covered WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))?)
}
