//! The rows of single predictions, read one by one as a page needs them, and the location of a reference.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use crate::model::{Matcher, PredictionReading, QuestionSetting, SampleKey, Score, Tags, Target};

use super::super::codec::{matcher_bits, row_id, unpack_parts};
use super::super::error::StoreFailure;
use super::super::questions::{QuestionTexts, of_key};
use super::super::reference::{LocatedReference, located};
use super::super::{Store, StoreError};

/// A prediction without its text, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredResult {
    pub ordinal: u32,
    pub key: SampleKey,
    pub attempt: u32,
    /// The repository's name; this and the next three fields are empty where the index does not have the sample.
    pub repo: String,
    /// `pkg.Outer.Inner`.
    pub class: String,
    pub test: String,
    /// `Counter.inc`; empty when unmapped.
    pub focal: String,
    /// The setting of the question, where it is not about a sample: then `test` is the question's name, `focal` its
    /// subject, and there is no class.
    pub asked: Option<QuestionSetting>,
    pub reading: Option<PredictionReading>,
    /// None where they are not computed.
    pub tags: Tags,
    /// One for each requested evaluation.
    pub values: Vec<Option<f64>>,
}

impl Store {
    /// Reads these predictions of a run in the given order, with their values in these evaluations; numbers that the
    /// run does not have are left out.
    pub fn result_rows(
        &self,
        run: i64,
        matcher: Matcher,
        evaluations: &[Option<i64>],
        ordinals: &[u32],
    ) -> Result<Vec<StoredResult>, StoreError> {
        self.reading(|conn| {
            let mut reader = ResultReader::prepare(conn)?;
            let mut rows = Vec::with_capacity(ordinals.len());
            for ordinal in ordinals {
                rows.extend(reader.row(run, matcher, evaluations, *ordinal)?);
            }
            Ok(rows)
        })
    }

    /// Finds the number of a run's answer to a sample in this attempt.
    pub fn result_ordinal(
        &self,
        run: i64,
        key: &SampleKey,
        attempt: u32,
    ) -> Result<Option<u32>, StoreError> {
        self.reading(|conn| {
            let ordinal = conn
                .query_row(
                    "SELECT id & 4294967295 FROM predictions INDEXED BY predictions_by_key
                     WHERE key = ?1 AND id >= ?2 AND id < ?3 AND attempt = ?4 ORDER BY id",
                    params![key.0, row_id(run, 0), row_id(run + 1, 0), attempt],
                    |row| row.get(0),
                )
                .optional()?;
            Ok(ordinal)
        })
    }

    /// Reads a prediction's scores with their parts; for each evaluation, nothing where it has no score.
    pub fn result_scores_of(
        &self,
        evaluations: &[Option<i64>],
        ordinal: u32,
    ) -> Result<Vec<Option<Score>>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT value, parts FROM scores WHERE evaluation = ?1 AND ordinal = ?2",
            )?;
            let mut scores = Vec::with_capacity(evaluations.len());
            for evaluation in evaluations {
                let mut rows = statement.query(params![evaluation, ordinal])?;
                scores.push(match rows.next()? {
                    Some(row) => Some(Score {
                        value: row.get(0)?,
                        parts: unpack_parts(&row.get::<_, Vec<u8>>(1)?)?,
                    }),
                    None => None,
                });
            }
            Ok(scores)
        })
    }

    /// Reads the true text for a sample, and its location; nothing where the index does not have the sample, or the
    /// sample has no such part.
    pub fn located_reference(
        &self,
        key: &SampleKey,
        target: Target,
        matcher: Matcher,
    ) -> Result<Option<LocatedReference>, StoreError> {
        self.reading(|conn| located(conn, key, target, matcher))
    }
}

struct ResultReader<'c> {
    conn: &'c Connection,
    prediction: CachedStatement<'c>,
    sample: CachedStatement<'c>,
    value: CachedStatement<'c>,
}

impl<'c> ResultReader<'c> {
    fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self {
            conn,
            prediction: conn.prepare_cached(
                "SELECT p.key, p.attempt, r.error_line, r.error_column, r.n_tokens, r.n_reference_tokens,
                    r.is_over_length, r.is_changed, r.has_reference, r.assertion, f.tags, r.asserts
                 FROM predictions p LEFT JOIN readings r ON r.prediction = p.id
                    LEFT JOIN failures f ON f.prediction = p.id WHERE p.id = ?1",
            )?,
            sample: conn.prepare_cached(
                "SELECT r.name, m.class, m.name, d.focal FROM tests t JOIN repos r ON r.generation = t.id >> 32
                    JOIN methods m ON m.id = t.method JOIN decisions d ON d.id = t.id | ?2
                 WHERE t.key = ?1 ORDER BY t.id",
            )?,
            value: conn
                .prepare_cached("SELECT value FROM scores WHERE evaluation = ?1 AND ordinal = ?2")?,
        })
    }

    fn row(
        &mut self,
        run: i64,
        matcher: Matcher,
        evaluations: &[Option<i64>],
        ordinal: u32,
    ) -> Result<Option<StoredResult>, StoreFailure> {
        let mut rows = self.prediction.query([row_id(run, ordinal)])?;
        let Some(row) = rows.next()? else {
            return Ok(None);
        };
        let key = SampleKey(row.get(0)?);
        let mut samples = self.sample.query(params![key.0, matcher_bits(matcher)])?;
        let sample: Option<[String; 4]> = match samples.next()? {
            Some(row) => Some([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]),
            None => None,
        };
        let question = match &sample {
            Some(_) => None,
            None => of_key(self.conn, &key, QuestionTexts::Left)?,
        };
        let (sample, asked) = match question {
            Some(stored_question) => (
                Some([
                    stored_question.repo,
                    String::new(),
                    stored_question.name,
                    stored_question.about,
                ]),
                Some(stored_question.asked),
            ),
            None => (sample, None),
        };
        let [repo, class, test, focal] = sample.unwrap_or_default();
        let reading = reading(row)?;
        // Without a reference, values are meaningless.
        let is_scored = reading
            .as_ref()
            .is_some_and(|prediction_reading| prediction_reading.has_reference);
        let mut values = Vec::with_capacity(evaluations.len());
        for evaluation in evaluations {
            let value = self
                .value
                .query_row(params![evaluation, ordinal], |row| row.get(0))
                .optional()?;
            values.push(value.filter(|_| is_scored));
        }
        Ok(Some(StoredResult {
            ordinal,
            key,
            attempt: row.get(1)?,
            repo,
            class,
            test,
            focal,
            asked,
            reading,
            tags: Tags(row.get::<_, Option<u32>>(10)?.unwrap_or_default()),
            values,
        }))
    }
}

/// Reads a reading from the columns after key and attempt.
fn reading(row: &Row<'_>) -> Result<Option<PredictionReading>, StoreFailure> {
    let Some(n_tokens) = row.get(4)? else {
        return Ok(None);
    };
    let line: Option<u32> = row.get(2)?;
    Ok(Some(PredictionReading {
        syntax_error: line.zip(row.get(3)?),
        n_tokens,
        n_reference_tokens: row.get(5)?,
        is_over_length: row.get(6)?,
        is_changed: row.get(7)?,
        has_reference: row.get(8)?,
        assertion: row.get(9)?,
        asserts: row.get("asserts")?,
    }))
}
