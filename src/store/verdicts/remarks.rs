//! What people put down beside their verdicts: marks, notes, and tags, of everybody.

use crate::model::{SampleKey, TagRuling};

use super::super::error::StoreError;
use super::Verdicts;

/// A mark or a note that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub key: SampleKey,
    pub annotator: String,
    pub at_ms: i64,
    /// Empty for a mark.
    pub text: String,
}

impl Verdicts {
    /// Returns every mark that stands, by sample and annotator.
    pub fn marks(&self) -> Result<Vec<Remark>, StoreError> {
        self.remarks("SELECT key, annotator, at_ms, '' FROM marks ORDER BY +key, +annotator")
    }

    /// Returns every note that stands, by sample and annotator; those that came with a verdict that holds among them.
    pub fn notes(&self) -> Result<Vec<Remark>, StoreError> {
        self.remarks(
            "SELECT key, annotator, at_ms, note FROM (
                SELECT key, annotator, at_ms, note FROM notes
                UNION ALL
                SELECT key, annotator, at_ms, note FROM verdicts WHERE note <> '')
             ORDER BY key, annotator, at_ms",
        )
    }

    fn remarks(&self, sql: &str) -> Result<Vec<Remark>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare(sql)?;
            let remarks = statement.query_map([], |row| {
                Ok(Remark {
                    key: SampleKey(row.get(0)?),
                    annotator: row.get(1)?,
                    at_ms: row.get(2)?,
                    text: row.get(3)?,
                })
            })?;
            Ok(remarks.collect::<Result<_, _>>()?)
        })
    }

    /// Returns the tags that hold on the predictions of all runs, in no order.
    pub(crate) fn all_rulings(&self) -> Result<Vec<TagRuling>, StoreError> {
        self.rulings("FROM rulings e", &[])
    }
}
