//! Further facts about outcomes: the options they were made with, and whether something could fail in a test that
//! passed.

use rusqlite::params;

use crate::model::Outcome;
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{code, row_id};
use super::outcome_condition::is_shown;
use super::{Store, StoreError, version};

impl Store {
    /// Counts the outcomes of a run with this engine by their options, in the order of the options.
    pub fn execution_options(
        &self,
        run: i64,
        engine: &str,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT COALESCE(options, ''), COUNT(*) FROM executions
                 WHERE prediction >= ?1 AND prediction < ?2 AND {} AND outcome IS NOT NULL
                 GROUP BY 1 ORDER BY 1",
                is_shown("engine", 3)
            ))?;
            let asked = params![row_id(run, 0), row_id(run + 1, 0), engine];
            let rows = statement.query_map(asked, |row| {
                let n_rows: u32 = row.get(1)?;
                Ok((row.get(0)?, u64::from(n_rows)))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Records, for predictions that were executed before this was checked, whether they contain something that can
    /// fail; a prediction that passes and cannot fail is not correct.
    pub fn settle_asserts(
        &mut self,
        run: i64,
        engine: &str,
        settled: &[(u32, bool)],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        if settled.is_empty() {
            return Ok(());
        }
        self.writing(|conn| {
            let mut update = conn.prepare(
                "UPDATE executions SET asserts = ?3,
                    outcome = CASE WHEN outcome = ?4 AND NOT ?3 THEN ?5 ELSE outcome END
                 WHERE prediction = ?1 AND engine = ?2",
            )?;
            let (correct, passing) = (
                code(Outcome::ALL, Outcome::Correct),
                code(Outcome::ALL, Outcome::Passing),
            );
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for (ordinal, asserts) in settled {
                batch.rows(1)?;
                update.execute(params![
                    row_id(run, *ordinal),
                    engine,
                    asserts,
                    correct,
                    passing
                ])?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }
}
