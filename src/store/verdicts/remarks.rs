//! Everybody's remarks besides verdicts: marks, notes and tags.

use rusqlite::params;

use crate::model::{SampleKey, TagRuling, Verdict};

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

/// The one sign that a list shows for a sample: the most important of people's remarks and verdicts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// Somebody has judged it, and nothing else; a skip does not count as a judgement.
    Judged,
    /// Somebody has tagged a prediction for it.
    Tagged,
    Marked,
    Noted,
    /// Somebody has adjudicated it.
    Ruled,
}

impl Sign {
    const ALL: [Self; 5] = [
        Self::Judged,
        Self::Tagged,
        Self::Marked,
        Self::Noted,
        Self::Ruled,
    ];
}

impl Verdicts {
    /// Chooses the sign of each of these samples; nothing for samples without events.
    pub fn signs(&self, keys: &[SampleKey]) -> Result<Vec<(SampleKey, Sign)>, StoreError> {
        self.named(|| {
            // Most samples have no event at all; for them only the first condition is evaluated.
            let mut statement = self.conn.prepare_cached(
                "SELECT CASE
                    WHEN NOT EXISTS (SELECT 1 FROM events WHERE key = ?1) THEN 0
                    WHEN EXISTS (SELECT 1 FROM adjudications WHERE key = ?1) THEN 5
                    WHEN EXISTS (SELECT 1 FROM notes WHERE key = ?1)
                        OR EXISTS (SELECT 1 FROM verdicts WHERE key = ?1 AND note <> '') THEN 4
                    WHEN EXISTS (SELECT 1 FROM marks WHERE key = ?1) THEN 3
                    WHEN EXISTS (SELECT 1 FROM rulings WHERE key = ?1 AND tags <> '') THEN 2
                    WHEN EXISTS (SELECT 1 FROM verdicts WHERE key = ?1 AND judgement <> 'skip') THEN 1
                    ELSE 0 END",
            )?;
            let mut signs = Vec::new();
            for key in keys {
                let number: i64 = statement.query_row([key.0], |row| row.get(0))?;
                let idx = usize::try_from(number - 1).ok();
                let sign = idx.and_then(|idx| Sign::ALL.get(idx));
                signs.extend(sign.map(|sign| (*key, *sign)));
            }
            Ok(signs)
        })
    }

    /// Lists the people who marked a sample, by name.
    pub fn marked_by(&self, key: &SampleKey) -> Result<Vec<String>, StoreError> {
        self.named(|| {
            let sql = "SELECT annotator FROM marks WHERE key = ?1 ORDER BY annotator";
            let mut statement = self.conn.prepare_cached(sql)?;
            let names = statement.query_map([key.0], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the notes that stand on a sample, by annotator, including those that came with a valid verdict.
    pub fn notes_on(&self, key: &SampleKey) -> Result<Vec<Remark>, StoreError> {
        let sql = "SELECT key, annotator, at_ms, note FROM (
                SELECT key, annotator, at_ms, note FROM notes WHERE key = ?1
                UNION ALL
                SELECT key, annotator, at_ms, note FROM verdicts WHERE key = ?1 AND note <> '')
             ORDER BY annotator, at_ms";
        self.remarks(sql, params![key.0])
    }

    /// Reads the valid tags of the predictions of all runs for a sample, by run, attempt and annotator.
    pub fn rulings_on(&self, key: &SampleKey) -> Result<Vec<TagRuling>, StoreError> {
        self.rulings(
            "FROM rulings e WHERE e.key = ?1 ORDER BY e.run, e.attempt, e.annotator",
            params![key.0],
        )
    }

    /// Reads the valid adjudication of a sample.
    pub fn adjudication_of(&self, key: &SampleKey) -> Result<Option<Verdict>, StoreError> {
        let found = self.verdicts("FROM adjudications e WHERE e.key = ?1", params![key.0])?;
        Ok(found.into_iter().next())
    }

    /// Reads every mark that stands, by sample and annotator.
    pub fn marks(&self) -> Result<Vec<Remark>, StoreError> {
        self.remarks(
            "SELECT key, annotator, at_ms, '' FROM marks ORDER BY +key, +annotator",
            &[],
        )
    }

    /// Reads every note that stands, by sample and annotator, including those that came with a valid verdict.
    pub fn notes(&self) -> Result<Vec<Remark>, StoreError> {
        self.remarks(
            "SELECT key, annotator, at_ms, note FROM (
                SELECT key, annotator, at_ms, note FROM notes
                UNION ALL
                SELECT key, annotator, at_ms, note FROM verdicts WHERE note <> '')
             ORDER BY key, annotator, at_ms",
            &[],
        )
    }

    fn remarks(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Remark>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(sql)?;
            let remarks = statement.query_map(values, |row| {
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

    /// Reads the valid tags of the predictions of all runs, in no order.
    pub fn all_rulings(&self) -> Result<Vec<TagRuling>, StoreError> {
        self.rulings("FROM rulings e", &[])
    }
}
