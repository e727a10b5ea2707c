//! Test files that were cut out of suites, and the lines that each covers: sets of lines are stored once.

use rusqlite::{Connection, params};

use crate::model::Outcome;
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{code, decode};
use super::error::StoreFailure;
use super::{Store, StoreError, version};

/// A test file that was cut out, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverCase {
    /// `tests/x.py::Class::test`
    pub node: String,
    /// A hash of project code, environment and engine.
    pub version: String,
    pub path: Option<String>,
    pub code: Option<String>,
    pub outcome: Option<Outcome>,
    /// Why it is not a problem.
    pub reason: Option<String>,
    /// The outcome of the run that counted its lines, as JSON; none where they were not counted.
    pub ran: Option<String>,
}

/// All questions of one task about one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverTask {
    pub node: String,
    /// `cloze`, `target`, `block`
    pub task: String,
    pub version: String,
    /// A JSON array.
    pub instances: String,
}

/// The outcome of a file that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct CloverAnswer {
    /// A hash of the question, the file, and the version of the engine.
    pub hash: [u8; 16],
    pub outcome: Outcome,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub seconds: f64,
    /// The number of wanted statements that were reached; none where none were wanted.
    pub n_reached: Option<u32>,
    /// The question's id; none in rows of an earlier version.
    pub question: Option<String>,
    /// The wanted statements that were reached, by file, as JSON.
    pub reached: Option<String>,
}

/// Where a project's files lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverSuite {
    pub project: String,
    pub checkout: String,
    /// The folders of the project's own code, as a JSON array.
    pub files: String,
}

/// The lines of a file that a case covers, one bit per line, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloverLines {
    pub file: String,
    pub covered: Vec<u8>,
    /// The lines that only some of the repetitions cover.
    pub unstable: Option<Vec<u8>>,
}

impl Store {
    /// Reads all cases of a project, in order of their nodes.
    pub fn clover_cases(&self, project: &str) -> Result<Vec<CloverCase>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT node, version, path, code, outcome, reason, ran FROM clover_cases WHERE project = ?1 ORDER BY node",
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
                    outcome: outcome.map(|outcome| decode(Outcome::ALL, outcome)).transpose()?,
                    reason: row.get(5)?,
                    ran: row.get(6)?,
                });
            }
            Ok(found)
        })
    }

    /// Reads the lines of all cases of a project, with their nodes, in order.
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

    /// Writes cases with their lines, in place of the former ones of the same nodes.
    pub fn write_clover(
        &mut self,
        project: &str,
        cases: &[(CloverCase, Vec<CloverLines>)],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for (case, lines) in cases {
                batch.rows(1 + lines.len())?;
                write(conn, project, case, lines)?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the questions about a project, in order of tasks and nodes.
    pub fn clover_tasks(&self, project: &str) -> Result<Vec<CloverTask>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT node, task, version, instances FROM clover_tasks WHERE project = ?1 ORDER BY task, node",
            )?;
            let rows = statement.query_map([project], |row| {
                Ok(CloverTask {
                    node: row.get(0)?,
                    task: row.get(1)?,
                    version: row.get(2)?,
                    instances: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the projects that have questions.
    pub fn clover_projects(&self) -> Result<Vec<String>, StoreError> {
        self.reading(|conn| {
            let mut statement =
                conn.prepare("SELECT DISTINCT project FROM clover_tasks ORDER BY project")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the projects with test files that were cut out of suites, by name.
    pub fn clover_suites(&self) -> Result<Vec<CloverSuite>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn
                .prepare("SELECT project, checkout, files FROM clover_suites ORDER BY project")?;
            let rows = statement.query_map([], |row| {
                Ok(CloverSuite {
                    project: row.get(0)?,
                    checkout: row.get(1)?,
                    files: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Stores where a project's files lie, in place of the former place.
    pub fn write_clover_suite(&mut self, suite: &CloverSuite) -> Result<(), StoreError> {
        self.writing(|conn| {
            conn.prepare(
                "INSERT OR REPLACE INTO clover_suites (project, checkout, files) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![suite.project, suite.checkout, suite.files])?;
            version::touch(conn)
        })
    }

    /// Writes questions, in place of the former ones for the same nodes.
    pub fn write_clover_tasks(
        &mut self,
        project: &str,
        tasks: &[CloverTask],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for clover_task in tasks {
                batch.rows(1)?;
                conn.prepare(
                    "INSERT OR REPLACE INTO clover_tasks (project, node, task, version, instances) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![project, clover_task.node, clover_task.task, clover_task.version, clover_task.instances])?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the outcomes of answers, by their hashes.
    pub fn clover_answers(&self, project: &str) -> Result<Vec<CloverAnswer>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT hash, outcome, reason, message, seconds, n_reached, question, reached FROM clover_answers WHERE project = ?1 ORDER BY hash",
            )?;
            let mut rows = statement.query([project])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(CloverAnswer {
                    hash: row.get(0)?,
                    outcome: decode(Outcome::ALL, row.get(1)?)?,
                    reason: row.get(2)?,
                    message: row.get(3)?,
                    seconds: row.get(4)?,
                    n_reached: row.get(5)?,
                    question: row.get(6)?,
                    reached: row.get(7)?,
                });
            }
            Ok(found)
        })
    }

    /// Writes the outcomes of answers.
    pub fn write_clover_answers(
        &mut self,
        project: &str,
        answers: &[CloverAnswer],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for answer in answers {
                batch.rows(1)?;
                conn.prepare(
                    "INSERT OR REPLACE INTO clover_answers (project, hash, outcome, reason, message, seconds, n_reached, question, reached)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )?
                .execute(params![
                    project,
                    answer.hash,
                    code(Outcome::ALL, answer.outcome),
                    answer.reason,
                    answer.message,
                    answer.seconds,
                    answer.n_reached,
                    answer.question,
                    answer.reached,
                ])?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }
}

fn write(
    conn: &Connection,
    project: &str,
    case: &CloverCase,
    lines: &[CloverLines],
) -> Result<(), StoreFailure> {
    conn.prepare("DELETE FROM clover_cases WHERE project = ?1 AND node = ?2")?
        .execute(params![project, case.node])?;
    conn.prepare(
        "INSERT INTO clover_cases (project, node, version, path, code, outcome, reason, ran) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        project,
        case.node,
        case.version,
        case.path,
        case.code,
        case.outcome.map(|it| code(Outcome::ALL, it)),
        case.reason,
        case.ran,
    ])?;
    let id = conn.last_insert_rowid();
    for line in lines {
        let covered = set_of(conn, &line.covered)?;
        let unstable = line
            .unstable
            .as_ref()
            .map(|unstable| set_of(conn, unstable))
            .transpose()?;
        conn.prepare("INSERT INTO clover_lines (clover_case, file, covered, unstable) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![id, line.file, covered, unstable])?;
    }
    Ok(())
}

/// Looks up or stores a set, and returns its id.
fn set_of(conn: &Connection, bits: &[u8]) -> Result<i64, StoreFailure> {
    let hash = *blake3::hash(bits).as_bytes();
    let hash = &hash[..16];
    conn.prepare("INSERT OR IGNORE INTO covered (hash, bits) VALUES (?1, ?2)")?
        .execute(params![hash, bits])?;
    Ok(conn
        .prepare("SELECT id FROM covered WHERE hash = ?1")?
        .query_row([hash], |row| row.get(0))?)
}
