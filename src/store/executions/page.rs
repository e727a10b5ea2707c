//! What became of a few predictions, as a page of a list needs it.

use rusqlite::{OptionalExtension, params};

use crate::model::Execution;

use super::super::codec::row_id;
use super::super::{Store, StoreError};
use super::{COLUMNS, execution};

impl Store {
    /// Returns what became of these predictions of a run with this engine, in this order; nothing for those that were not
    /// executed.
    pub fn executions_of(
        &self,
        run: i64,
        engine: &str,
        ordinals: &[u32],
    ) -> Result<Vec<Option<Execution>>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS} FROM executions e WHERE e.prediction = ?1 AND e.engine = ?2"
            ))?;
            let mut found = Vec::with_capacity(ordinals.len());
            for ordinal in ordinals {
                let of = params![row_id(run, *ordinal), engine];
                let row = statement
                    .query_row(of, |row| Ok(execution(row)))
                    .optional()?;
                found.push(row.transpose()?);
            }
            Ok(found)
        })
    }
}
