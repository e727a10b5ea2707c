//! The values of one metric, for charts, without the parts of each score.

use rusqlite::params;

use crate::model::SampleKey;

use super::codec::row_id;
use super::{Store, StoreError};

/// The score of a first answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoredValue {
    pub key: SampleKey,
    pub n_reference_tokens: u32,
    /// 0..=1.
    pub value: f64,
}

impl Store {
    /// Passes the value of every first answer of a run that has a reference to `each`, in order; none without an
    /// evaluation. Stops at the first error. Takes a third of the time of [`Store::each_score`].
    pub fn each_value<E: From<StoreError>>(
        &self,
        run: i64,
        evaluation: Option<i64>,
        mut each: impl FnMut(StoredValue) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT p.key, r.n_reference_tokens, s.value FROM scores s
                 CROSS JOIN readings r ON r.prediction = ?2 + s.ordinal
                 CROSS JOIN predictions p ON p.id = r.prediction
                 WHERE s.evaluation = ?1 AND r.has_reference AND p.attempt = 0 ORDER BY s.ordinal",
            )?;
            let mut rows = statement.query(params![evaluation, row_id(run, 0)])?;
            while let Some(row) = rows.next()? {
                stopped = each(StoredValue {
                    key: SampleKey(row.get(0)?),
                    n_reference_tokens: row.get(1)?,
                    value: row.get(2)?,
                });
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }
}
