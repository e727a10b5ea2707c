//! Scores: which metrics of a run are computed, how far, and their values.
//!
//! Predictions are scored in the order of their numbers, and the number reached is written with the scores in one
//! transaction: the next evaluation continues where the last one stopped. Scores that were computed with another
//! version of a metric, other options or other references are deleted before anything new is written, so that no mean
//! ever mixes them.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{ContentHash, PredictionReading, SampleKey, Score, Tags};
use crate::task::Monitor;

use super::batch::{ROWS_MAX, WriteBatch, delete_in_pieces};
use super::codec::{integer, pack_parts, row_id, unpack_parts};
use super::error::StoreFailure;
use super::failures::{FAILURE, delete_tags, write_tags};
use super::pairs::stamp;
use super::{Store, StoreError, version};

/// The metric name under which the progress of readings is recorded; no metric has this name.
pub(super) const READING: &str = "reading";

/// The number of predictions that [`Store::each_score`] holds at once.
const PREDICTIONS_AT_ONCE: u32 = 4_096;

/// Everything that determines the values of a metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluationPlan {
    pub metric: String,
    pub version: u32,
    pub options: String,
}

impl EvaluationPlan {
    /// Plans the [`PredictionReading`]s, which are stored like the values of a metric.
    #[must_use]
    pub fn of_readings(version: u32, options: String) -> Self {
        Self {
            metric: READING.to_owned(),
            version,
            options,
        }
    }

    /// Plans the [`Tags`], which are stored like the values of a metric.
    #[must_use]
    pub fn of_tags(version: u32, options: String) -> Self {
        Self {
            metric: FAILURE.to_owned(),
            version,
            options,
        }
    }
}

/// The progress of a metric of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricProgress {
    pub evaluation: i64,
    /// The number of the first prediction without a value.
    pub n_done: u32,
}

/// Values for consecutive predictions.
#[derive(Debug)]
pub struct WrittenScores<'a> {
    /// The number of the first prediction.
    pub first: u32,
    /// The evaluation of readings, and one reading for each prediction.
    pub readings: Option<(i64, &'a [PredictionReading])>,
    /// The evaluation of tags, and the tags of each prediction that has something to be compared with.
    pub tags: Option<(i64, &'a [Option<Tags>])>,
    /// Evaluations, each with one score for each prediction.
    pub scores: &'a [(i64, Vec<Score>)],
}

/// A prediction and its value in each evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredPrediction {
    pub ordinal: u32,
    pub key: SampleKey,
    pub attempt: u32,
    pub reading: PredictionReading,
    /// Absent where they are not computed or there is nothing to compare with.
    pub tags: Option<Tags>,
    /// One for each requested evaluation.
    pub scores: Vec<Score>,
}

impl Store {
    /// Returns the progress of each metric of a run, in the order of `plans`; a metric whose plan has changed begins
    /// anew. Everything that was compared with other references (`dataset` is the hash of the current ones) is deleted,
    /// whether it is planned or not.
    pub fn begin_evaluations(
        &mut self,
        run: i64,
        plans: &[EvaluationPlan],
        dataset: ContentHash,
        monitor: &Monitor,
    ) -> Result<Vec<MetricProgress>, StoreError> {
        self.writing(|conn| {
            let mut statement = conn.prepare(
                "SELECT id, metric FROM evaluations WHERE run = ?1 AND dataset <> ?2 ORDER BY id",
            )?;
            let outdated = statement
                .query_map(params![run, dataset.0], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect::<Result<Vec<(i64, String)>, _>>()?;
            for (evaluation, metric) in outdated {
                forget(conn, run, &metric, evaluation, monitor)?;
            }
            conn.execute(
                "INSERT OR REPLACE INTO run_references (run, stamp, dataset) VALUES (?1, ?2, ?3)",
                params![run, stamp(conn)?, dataset.0],
            )?;
            plans
                .iter()
                .map(|plan| begin(conn, run, plan, dataset, monitor))
                .collect()
        })
    }

    /// Deletes the scores of these metrics of a run.
    pub fn forget_evaluations(
        &mut self,
        run: i64,
        plans: &[EvaluationPlan],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut known =
                conn.prepare("SELECT id FROM evaluations WHERE run = ?1 AND metric = ?2")?;
            for plan in plans {
                let evaluation: Option<i64> = known
                    .query_row(params![run, plan.metric], |row| row.get(0))
                    .optional()?;
                if let Some(evaluation) = evaluation {
                    forget(conn, run, &plan.metric, evaluation, monitor)?;
                }
            }
            Ok(())
        })
    }

    /// Writes values and the new progress, in one transaction.
    pub fn write_scores(
        &mut self,
        run: i64,
        written: &WrittenScores<'_>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let batch = WriteBatch::begin(conn, monitor)?;
            let mut done = conn.prepare("UPDATE evaluations SET n_done = ?2 WHERE id = ?1")?;
            if let Some((evaluation, readings)) = written.readings {
                write_readings(conn, run, written.first, readings)?;
                done.execute(params![evaluation, end(written.first, readings.len())])?;
            }
            if let Some((evaluation, tags)) = written.tags {
                write_tags(conn, run, written.first, tags)?;
                done.execute(params![evaluation, end(written.first, tags.len())])?;
            }
            // Scores that were copied from parts may exist beyond the number reached.
            let mut insert = conn.prepare(
                "INSERT OR REPLACE INTO scores (evaluation, ordinal, value, parts) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (evaluation, scores) in written.scores {
                for (ordinal, score) in (written.first..).zip(scores) {
                    let parts = pack_parts(&score.parts);
                    insert.execute(params![evaluation, ordinal, score.value, parts])?;
                }
                done.execute(params![evaluation, end(written.first, scores.len())])?;
            }
            batch.finish()
        })
    }

    /// Writes the means of finished metrics over all first answers, and over the parsable ones.
    pub fn finish_evaluations(
        &mut self,
        values: &[(i64, Option<f64>, Option<f64>)],
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            let mut update = conn
                .prepare("UPDATE evaluations SET value = ?2, value_parsable = ?3 WHERE id = ?1")?;
            for (evaluation, value, value_parsable) in values {
                update.execute(params![evaluation, value, value_parsable])?;
            }
            version::touch(conn)?;
            Ok(transaction.commit()?)
        })
    }

    /// Counts the readings of a run's first answers; called when all have been written.
    pub fn finish_readings(&mut self, run: i64) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            conn.execute(
                "UPDATE runs SET (n_scored, n_unparsable, n_over_length, n_changed) =
                    (SELECT COUNT(*), COUNT(r.error_line), IFNULL(SUM(r.is_over_length), 0),
                        IFNULL(SUM(r.is_changed), 0)
                     FROM readings r JOIN predictions p ON p.id = r.prediction
                     WHERE r.prediction >= ?2 AND r.prediction < ?3 AND p.attempt = 0 AND r.has_reference)
                 WHERE id = ?1",
                params![run, row_id(run, 0), row_id(run + 1, 0)],
            )?;
            version::touch(conn)?;
            Ok(transaction.commit()?)
        })
    }

    /// Finds the complete evaluations of a run, in the order of `metrics`.
    pub fn evaluations(&self, run: i64, metrics: &[&str]) -> Result<Vec<Option<i64>>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run
                 WHERE e.run = ?1 AND e.metric = ?2 AND e.n_done = r.n_predictions",
            )?;
            metrics
                .iter()
                .map(|metric| {
                    let id = statement.query_row(params![run, metric], |row| row.get(0));
                    Ok(id.optional()?)
                })
                .collect()
        })
    }

    /// Reads the options with which a run's readings were planned; nothing where it has no readings.
    pub fn reading_options(&self, run: i64) -> Result<Option<String>, StoreError> {
        self.reading(|conn| {
            let sql = "SELECT options FROM evaluations WHERE run = ?1 AND metric = ?2";
            let options = conn.query_row(sql, params![run, READING], |row| row.get(0));
            Ok(options.optional()?)
        })
    }

    /// Reads the hash of the references that a run was evaluated with; nothing where it was not evaluated.
    pub fn dataset(&self, run: i64) -> Result<Option<ContentHash>, StoreError> {
        self.reading(|conn| {
            let dataset = conn.query_row(
                "SELECT dataset FROM evaluations WHERE run = ?1 ORDER BY id LIMIT 1",
                [run],
                |row| row.get(0),
            );
            Ok(dataset.optional()?.map(ContentHash))
        })
    }

    /// Reads the hash of the run's current references, where it has been computed for the current samples; nothing
    /// where it has yet to be computed.
    pub fn dataset_now(&self, run: i64) -> Result<Option<ContentHash>, StoreError> {
        self.reading(|conn| {
            let dataset = conn.query_row(
                "SELECT dataset FROM run_references WHERE run = ?1 AND stamp = ?2",
                params![run, stamp(conn)?],
                |row| row.get(0),
            );
            Ok(dataset.optional()?.map(ContentHash))
        })
    }

    /// Passes every prediction of a run with a reading to `each`, in order, with its scores in these evaluations.
    pub fn each_score<E: From<StoreError>>(
        &self,
        run: i64,
        evaluations: &[i64],
        mut each: impl FnMut(ScoredPrediction) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut first = 0;
            loop {
                let scored = scored(conn, run, evaluations, first)?;
                let Some(last) = scored.last() else {
                    return Ok(());
                };
                first = last.ordinal + 1;
                for scored_prediction in scored {
                    stopped = each(scored_prediction);
                    if stopped.is_err() {
                        return Ok(());
                    }
                }
            }
        })?;
        stopped
    }
}

/// Computes the number after the last of `n_predictions`.
fn end(first: u32, n_predictions: usize) -> i64 {
    i64::from(first) + integer(n_predictions)
}

fn begin(
    conn: &Connection,
    run: i64,
    plan: &EvaluationPlan,
    dataset: ContentHash,
    monitor: &Monitor,
) -> Result<MetricProgress, StoreFailure> {
    let known = conn
        .query_row(
            "SELECT id, n_done, version = ?3 AND options = ?4 FROM evaluations WHERE run = ?1 AND metric = ?2",
            params![run, plan.metric, plan.version, plan.options],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()?;
    if let Some((evaluation, n_done, is_same)) = known {
        if is_same {
            return Ok(MetricProgress { evaluation, n_done });
        }
        forget(conn, run, &plan.metric, evaluation, monitor)?;
    }
    conn.execute(
        "INSERT INTO evaluations (run, metric, version, options, dataset, n_done) VALUES (?1, ?2, ?3, ?4, ?5, 0)",
        params![run, plan.metric, plan.version, plan.options, dataset.0],
    )?;
    Ok(MetricProgress {
        evaluation: conn.last_insert_rowid(),
        n_done: 0,
    })
}

fn forget(
    conn: &Connection,
    run: i64,
    metric: &str,
    evaluation: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    if metric == READING {
        // This comes first, so that a removal that is stopped here does not look like complete readings.
        conn.execute(
            "UPDATE evaluations SET n_done = 0 WHERE id = ?1",
            [evaluation],
        )?;
        conn.execute(
            "UPDATE evaluations SET value = NULL, value_parsable = NULL WHERE run = ?1",
            [run],
        )?;
        delete_readings(conn, run, monitor)?;
    } else if metric == FAILURE {
        conn.execute(
            "UPDATE evaluations SET n_done = 0 WHERE id = ?1",
            [evaluation],
        )?;
        delete_tags(conn, run, monitor)?;
    }
    delete_evaluation(conn, evaluation, monitor)
}

fn write_readings(
    conn: &Connection,
    run: i64,
    first: u32,
    readings: &[PredictionReading],
) -> Result<(), StoreFailure> {
    let mut insert = conn.prepare(
        "INSERT OR REPLACE INTO readings (prediction, error_line, error_column, n_tokens, n_reference_tokens, is_over_length,
            is_changed, has_reference, assertion, asserts)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    for (ordinal, prediction_reading) in (first..).zip(readings) {
        insert.execute(params![
            row_id(run, ordinal),
            prediction_reading.syntax_error.map(|(line, _)| line),
            prediction_reading.syntax_error.map(|(_, column)| column),
            prediction_reading.n_tokens,
            prediction_reading.n_reference_tokens,
            prediction_reading.is_over_length,
            prediction_reading.is_changed,
            prediction_reading.has_reference,
            prediction_reading.assertion,
            prediction_reading.asserts,
        ])?;
    }
    Ok(())
}

/// Reads scored predictions from number `first` on, at most [`PREDICTIONS_AT_ONCE`].
fn scored(
    conn: &Connection,
    run: i64,
    evaluations: &[i64],
    first: u32,
) -> Result<Vec<ScoredPrediction>, StoreFailure> {
    let mut statement = conn.prepare(
        "SELECT p.id & 4294967295, p.key, p.attempt, r.error_line, r.error_column, r.n_tokens, r.n_reference_tokens,
            r.is_over_length, r.is_changed, r.has_reference, r.assertion, f.tags, r.asserts
         FROM predictions p JOIN readings r ON r.prediction = p.id LEFT JOIN failures f ON f.prediction = p.id
         WHERE p.id >= ?1 AND p.id < ?2 ORDER BY p.id LIMIT ?3",
    )?;
    let range = params![row_id(run, first), row_id(run + 1, 0), PREDICTIONS_AT_ONCE];
    let mut scored = statement
        .query_map(range, |row| {
            let line: Option<u32> = row.get(3)?;
            Ok(ScoredPrediction {
                ordinal: row.get(0)?,
                key: SampleKey(row.get(1)?),
                attempt: row.get(2)?,
                reading: PredictionReading {
                    syntax_error: line.zip(row.get(4)?),
                    n_tokens: row.get(5)?,
                    n_reference_tokens: row.get(6)?,
                    is_over_length: row.get(7)?,
                    is_changed: row.get(8)?,
                    has_reference: row.get(9)?,
                    assertion: row.get(10)?,
                    asserts: row.get(12)?,
                },
                tags: row.get::<_, Option<u32>>(11)?.map(Tags),
                scores: Vec::with_capacity(evaluations.len()),
            })
        })?
        .collect::<Result<Vec<_>, _>>()?;
    let Some(last) = scored
        .last()
        .map(|scored_prediction| scored_prediction.ordinal)
    else {
        return Ok(scored);
    };
    let mut values = conn.prepare(
        "SELECT value, parts FROM scores WHERE evaluation = ?1 AND ordinal >= ?2 AND ordinal <= ?3 ORDER BY ordinal",
    )?;
    for evaluation in evaluations {
        let mut rows = values.query(params![evaluation, first, last])?;
        for scored_prediction in &mut scored {
            let row = rows.next()?.ok_or_else(|| {
                StoreFailure::Damaged(format!(
                    "prediction {} has no score",
                    scored_prediction.ordinal
                ))
            })?;
            scored_prediction.scores.push(Score {
                value: row.get(0)?,
                parts: unpack_parts(&row.get::<_, Vec<u8>>(1)?)?,
            });
        }
    }
    Ok(scored)
}

/// Deletes all scores of a run, in short transactions.
pub(super) fn delete_scores(
    conn: &Connection,
    run: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let mut statement = conn.prepare("SELECT id FROM evaluations WHERE run = ?1")?;
    let evaluations = statement
        .query_map([run], |row| row.get(0))?
        .collect::<Result<Vec<i64>, _>>()?;
    for evaluation in evaluations {
        delete_evaluation(conn, evaluation, monitor)?;
    }
    Ok(())
}

fn delete_evaluation(
    conn: &Connection,
    evaluation: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    // From the end, so that a stopped removal leaves no gaps.
    let mut shorten = conn.prepare(
        "UPDATE evaluations SET value = NULL, value_parsable = NULL, n_done = MAX(0, n_done - ?2) WHERE id = ?1
         RETURNING n_done",
    )?;
    let mut delete = conn.prepare("DELETE FROM scores WHERE evaluation = ?1 AND ordinal >= ?2")?;
    loop {
        let batch = WriteBatch::begin(conn, monitor)?;
        let n_done: i64 =
            shorten.query_row(params![evaluation, integer(ROWS_MAX)], |row| row.get(0))?;
        delete.execute(params![evaluation, n_done])?;
        batch.finish()?;
        if n_done == 0 {
            break;
        }
    }
    conn.execute("DELETE FROM evaluations WHERE id = ?1", [evaluation])?;
    Ok(())
}

/// Deletes the readings of a run, in short transactions.
pub(super) fn delete_readings(
    conn: &Connection,
    run: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    conn.execute(
        "UPDATE runs SET n_unparsable = NULL, n_scored = 0 WHERE id = ?1",
        [run],
    )?;
    delete_in_pieces(
        conn,
        "DELETE FROM readings WHERE prediction IN
            (SELECT prediction FROM readings WHERE prediction >= ?1 AND prediction < ?2
             ORDER BY prediction DESC LIMIT ?3)",
        [row_id(run, 0), row_id(run + 1, 0)],
        monitor,
    )
}
