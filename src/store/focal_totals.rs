//! The joint coverage of each project's focal methods by passing candidates.

use rusqlite::params;

use crate::model::{CoverScope, EngineName, FocalTotal};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{code, decode};
use super::executions::counter;
use super::outcome_condition::is_shown;
use super::{Store, StoreError, version};

impl Store {
    /// Writes the joint coverage of the focal methods of one project by passing candidates, in place of the former one.
    pub fn write_focal_totals(
        &mut self,
        run: i64,
        (engine, project): (&str, &str),
        totals: &[FocalTotal],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            conn.execute(
                "DELETE FROM focal_totals WHERE run = ?1 AND engine = ?2 AND project = ?3",
                params![run, engine, project],
            )?;
            let mut insert = conn.prepare(
                "INSERT OR REPLACE INTO focal_totals (run, engine, project, focal, scope, n_lines_missed,
                    n_lines_covered, n_branches_missed, n_branches_covered)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
            // Rows of an engine of another language never applied to these methods.
            let same_language = EngineName::of_same_language(engine);
            let mut forget = conn.prepare(&format!(
                "DELETE FROM focal_totals WHERE run = ?1 AND project = ?2 AND focal = ?3 AND NOT {}",
                is_shown("engine", 4)
            ))?;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for focal_total in totals {
                batch.rows(2)?;
                forget.execute(params![run, project, focal_total.focal, same_language])?;
                insert.execute(params![
                    run,
                    engine,
                    project,
                    focal_total.focal,
                    code(CoverScope::ALL, focal_total.scope),
                    focal_total.lines.map(|counter| counter.missed),
                    focal_total.lines.map(|counter| counter.covered),
                    focal_total.branches.map(|counter| counter.missed),
                    focal_total.branches.map(|counter| counter.covered),
                ])?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the joint coverage of a run's focal methods by passing candidates, by project and method.
    pub fn focal_totals(&self, run: i64, engine: &str) -> Result<Vec<FocalTotal>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT project, focal, scope, n_lines_missed, n_lines_covered, n_branches_missed, n_branches_covered
                 FROM focal_totals WHERE run = ?1 AND {} ORDER BY project, focal, scope",
                is_shown("engine", 2)
            ))?;
            let mut rows = statement.query(params![run, engine])?;
            let mut totals = Vec::new();
            while let Some(row) = rows.next()? {
                totals.push(FocalTotal {
                    project: row.get(0)?,
                    focal: row.get(1)?,
                    scope: decode(CoverScope::ALL, row.get(2)?)?,
                    lines: counter(row, 3)?,
                    branches: counter(row, 5)?,
                });
            }
            Ok(totals)
        })
    }
}
