//! People's tags of predictions.

use rusqlite::params;

use crate::model::{SampleKey, TagRuling};

use super::super::error::StoreError;
use super::Verdicts;
use super::row::{COLUMNS, event, ruling};

impl Verdicts {
    /// Reads the valid tags of the predictions of a run, by sample, attempt and annotator.
    pub fn rulings_of_run(&self, run: &str) -> Result<Vec<TagRuling>, StoreError> {
        self.rulings(
            "FROM rulings e WHERE e.run = ?1 ORDER BY +e.key, +e.attempt, +e.annotator",
            params![run],
        )
    }

    /// Reads the valid tags of one prediction, by annotator.
    pub fn rulings_of(
        &self,
        run: &str,
        key: &SampleKey,
        attempt: u32,
    ) -> Result<Vec<TagRuling>, StoreError> {
        self.rulings(
            "FROM rulings e WHERE e.run = ?1 AND e.key = ?2 AND e.attempt = ?3 ORDER BY +e.annotator",
            params![run, key.0, attempt],
        )
    }

    pub(super) fn rulings(
        &self,
        source: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<TagRuling>, StoreError> {
        self.named(|| {
            let mut statement = self
                .conn
                .prepare_cached(&format!("SELECT {COLUMNS} {source}"))?;
            let mut rows = statement.query(values)?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(ruling(&event(row)?)?);
            }
            Ok(found)
        })
    }
}
