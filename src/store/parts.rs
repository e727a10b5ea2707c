//! Splitting runs into parts: which predictions belong to which project, a run reduced to some of its predictions, and
//! the results of these copied back.
//!
//! Questions are copied with the answers to them. A part is a run of the same name in a separate index, with its
//! predictions numbered anew from 0. Results are matched to predictions by sample, attempt and answer, so a part needs
//! no numbers of the whole run, and a prediction that was imported anew meanwhile is not mistaken for the old one.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{RepoKey, RunKind, RunRow, SampleKey};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::{count, repo_key, row_id};
use super::error::StoreFailure;
use super::executions::WrittenExecution;
use super::failures::FAILURE;
use super::runs::RunCounts;
use super::scores::READING;
use super::{Store, StoreError, version};

/// A prediction with its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPrediction {
    pub ordinal: u32,
    pub key: SampleKey,
    pub attempt: u32,
    /// The repository of the sample that it answers, absent where the sample is gone; for a question, the repository
    /// that it is about.
    pub repo: Option<RepoKey>,
    /// The size of its text.
    pub size_bytes: u64,
}

/// The number of executions that are copied at once: larger batches take more memory, smaller ones more queries.
const EXECUTIONS_AT_ONCE: usize = 256;

impl Store {
    /// Passes the predictions of a run to `each`, in order of their numbers.
    pub fn each_placed_prediction<E: From<StoreError>>(
        &self,
        run: i64,
        mut each: impl FnMut(PlacedPrediction) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            // The same way as a sample is found by its key.
            let mut statement = conn.prepare(
                "SELECT p.id & 4294967295, p.key, p.attempt, length(p.answer), coalesce(r.identity, q.repo),
                    coalesce(r.language, q.language) FROM predictions p
                 LEFT JOIN repos r ON r.generation =
                    (SELECT t.id >> 32 FROM tests t JOIN repos o ON o.generation = t.id >> 32
                     WHERE t.key = p.key ORDER BY t.id LIMIT 1)
                 LEFT JOIN questions q ON q.key = p.key
                 WHERE p.id >= ?1 AND p.id < ?2 ORDER BY p.id",
            )?;
            let mut rows = statement.query([row_id(run, 0), row_id(run + 1, 0)])?;
            while let Some(row) = rows.next()? {
                let is_placed = row.get::<_, Option<String>>(4)?.is_some();
                stopped = each(PlacedPrediction {
                    ordinal: row.get(0)?,
                    key: SampleKey(row.get(1)?),
                    attempt: row.get(2)?,
                    size_bytes: count(row, 3)?,
                    repo: if is_placed { Some(repo_key(row, 4)?) } else { None },
                });
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Copies a run of another index, reduced to the predictions with these numbers, which ascend; answers to questions
    /// come with their questions.
    ///
    /// # Errors
    /// Those of either index.
    pub fn slice_run(
        &mut self,
        from: &Self,
        run: &RunRow,
        ordinals: &[u32],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        let part = self.begin_run(&run.setting, monitor)?;
        let mut counts = RunCounts::default();
        for ordinal in ordinals {
            let predictions = from.predictions(run.id, *ordinal, 1)?;
            counts.n_samples += predictions
                .iter()
                .filter(|prediction| prediction.attempt == 0)
                .count() as u32;
            self.write_predictions(part, counts.n_predictions, &predictions, monitor)?;
            counts.n_predictions += predictions.len() as u32;
            if run.kind == RunKind::Samples {
                continue;
            }
            let mut answered = Vec::new();
            for prediction in predictions {
                let question = from.question(&prediction.key)?;
                answered.extend(question.map(|question| (question, prediction)));
            }
            self.write_questions((part, run.kind), &answered, monitor)?;
        }
        self.publish_run(part, counts, &[], monitor)
    }

    /// Returns, for each prediction of a part in order, its number in the run here; nothing for one that is missing
    /// here or has another text.
    pub fn places_of_part(
        &self,
        run: i64,
        from: &Self,
        part: &RunRow,
    ) -> Result<Vec<Option<u32>>, StoreError> {
        let mut places = Vec::new();
        loop {
            let predictions = from.predictions(part.id, places.len() as u32, 1_024)?;
            if predictions.is_empty() {
                return Ok(places);
            }
            self.reading(|conn| {
                let mut find = conn.prepare(
                    "SELECT id & 4294967295 FROM predictions
                     WHERE key = ?1 AND id >= ?2 AND id < ?3 AND attempt = ?4 AND answer = ?5 AND code IS ?6",
                )?;
                let (first, end) = (row_id(run, 0), row_id(run + 1, 0));
                for prediction in &predictions {
                    let of = params![prediction.key.0, first, end, prediction.attempt, prediction.answer, prediction.code];
                    places.push(find.query_row(of, |row| row.get(0)).optional()?);
                }
                Ok(())
            })?;
        }
    }

    /// Copies the outcomes of a part's predictions with every engine that ran it, in place of the outcomes here.
    /// Returns their number.
    ///
    /// # Errors
    /// Those of either index.
    pub fn merge_executions(
        &mut self,
        run: i64,
        from: &Self,
        (part, places): (i64, &[u32]),
        monitor: &Monitor,
    ) -> Result<u64, StoreError> {
        let mut n_merged = 0;
        for setting in from.execution_settings(part)? {
            let known = self.execution_settings(run)?;
            let known = known
                .iter()
                .find(|execution_setting| execution_setting.engine == setting.engine);
            // The latest time counts, whatever the order of the parts.
            if known
                .is_none_or(|execution_setting| execution_setting.executed_at < setting.executed_at)
            {
                self.begin_executions(run, &setting)?;
            }
            let engine = setting.engine.as_str();
            let stamps = from.execution_stamps(part, &setting)?;
            let mut ordinals: Vec<u32> = stamps.into_keys().collect();
            ordinals.sort_unstable();
            let place = |ordinal: u32| {
                place_of(from, places, ordinal)
                    .map_err(|store_failure| store_failure.at(&from.path))
            };
            let mut waiting = Vec::new();
            let mut made = setting.clone();
            for ordinal in ordinals {
                let Some(stored_execution) = from.execution(part, engine, ordinal)? else {
                    continue;
                };
                // Some outcomes may be older than others and have other options.
                if made.options != stored_execution.options {
                    self.write_executions(run, &made, &waiting, monitor)?;
                    waiting.clear();
                    made.options = stored_execution.options;
                }
                let mut execution = stored_execution.execution;
                execution.duplicate_of = execution.duplicate_of.map(place).transpose()?;
                waiting.push(WrittenExecution {
                    ordinal: place(ordinal)?,
                    stamp: stored_execution.stamp,
                    execution,
                    why: stored_execution.why,
                    words: stored_execution.words,
                    record: stored_execution.record,
                    covered: from.execution_coverage(part, engine, ordinal)?,
                    entered: from.execution_entered(part, engine, ordinal)?,
                });
                n_merged += 1;
                if waiting.len() >= EXECUTIONS_AT_ONCE {
                    self.write_executions(run, &made, &waiting, monitor)?;
                    waiting.clear();
                }
            }
            self.write_executions(run, &made, &waiting, monitor)?;
            // A part holds whole projects, so its joint coverage is the projects' joint coverage.
            let totals = from.focal_totals(part, &setting.engine)?;
            for totals in totals.chunk_by(|a, b| a.project == b.project) {
                let of = (setting.engine.as_str(), totals[0].project.as_str());
                self.write_focal_totals(run, of, totals, monitor)?;
            }
        }
        Ok(n_merged)
    }

    /// Copies back the scores of a part, for each metric that it has completely, unless that metric was computed here
    /// with another version or other options. They count from [`Store::finish_parts`] on. Returns how many.
    ///
    /// # Errors
    /// Those of either index.
    pub fn merge_scores(
        &mut self,
        run: &RunRow,
        from: &Self,
        (part, places): (&RunRow, &[u32]),
        monitor: &Monitor,
    ) -> Result<u64, StoreError> {
        let Some(dataset) = self.dataset_now(run.id)? else {
            return Ok(0);
        };
        let evaluations = from.reading(|conn| complete(conn, part))?;
        self.writing(|conn| {
            let mut n_merged = 0;
            for evaluation in &evaluations {
                let known = conn.query_row(
                    "SELECT id, version = ?3 AND options = ?4 AND dataset = ?5 FROM evaluations WHERE run = ?1 AND metric = ?2",
                    params![run.id, evaluation.metric, evaluation.version, evaluation.options, dataset.0],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                );
                let id = match known.optional()? {
                    Some((id, true)) => id,
                    // The scores here were computed with other settings: the next evaluation decides which count.
                    Some((_, false)) => continue,
                    None => {
                        conn.execute(
                            "INSERT INTO evaluations (run, metric, version, options, dataset, n_done)
                             VALUES (?1, ?2, ?3, ?4, ?5, 0)",
                            params![run.id, evaluation.metric, evaluation.version, evaluation.options, dataset.0],
                        )?;
                        conn.last_insert_rowid()
                    }
                };
                let from_to = ((from, part.id), (run.id, places));
                n_merged += match evaluation.metric.as_str() {
                    READING => copy_values(conn, from_to, "readings", monitor)?,
                    FAILURE => copy_values(conn, from_to, "failures", monitor)?,
                    _ => copy_scores(conn, (from, evaluation.id), (id, places), monitor)?,
                };
            }
            Ok(n_merged)
        })
    }

    /// Makes the copied values of a run count: each metric reaches as far as its values have no gap. The next
    /// evaluation continues from there and computes the means.
    pub fn finish_parts(&mut self, run: &RunRow) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            let mut evaluations =
                conn.prepare("SELECT id, metric, n_done FROM evaluations WHERE run = ?1")?;
            let mut rows = evaluations.query([run.id])?;
            while let Some(row) = rows.next()? {
                let (id, metric): (i64, String) = (row.get(0)?, row.get(1)?);
                let known: u32 = row.get(2)?;
                // Tags come with readings; a prediction with nothing to compare with has none.
                let reached = if metric == READING || metric == FAILURE {
                    let sql = "SELECT prediction & 4294967295 FROM readings
                        WHERE prediction >= ?1 AND prediction < ?2 ORDER BY prediction";
                    reached(conn, sql, [row_id(run.id, known), row_id(run.id + 1, 0)], known)?
                } else {
                    let sql = "SELECT ordinal FROM scores WHERE evaluation = ?1 AND ordinal >= ?2 ORDER BY ordinal";
                    reached(conn, sql, [id, i64::from(known)], known)?
                };
                conn.execute(
                    "UPDATE evaluations SET n_done = ?2 WHERE id = ?1",
                    params![id, reached],
                )?;
            }
            drop(rows);
            drop(evaluations);
            version::touch(conn)?;
            Ok(transaction.commit()?)
        })
    }

    /// Copies back prompts and answers of models that are missing here. Returns the number of answers copied.
    ///
    /// # Errors
    /// Those of either index.
    pub fn merge_answers(&mut self, from: &Self, monitor: &Monitor) -> Result<u64, StoreError> {
        self.writing(|conn| {
            let mut read = from
                .conn
                .prepare(
                    "SELECT p.hash, p.kind, p.sample, p.prompt, a.model, a.parameters, a.attempt, a.text, a.finish_reason,
                        a.request_hash, a.meta
                     FROM answers a JOIN prompts p ON p.id = a.prompt ORDER BY a.id",
                )
                .map_err(|error| from.failed(error))?;
            let mut prompt = conn.prepare(
                "INSERT INTO prompts (hash, kind, sample, prompt) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
            )?;
            let mut answer = conn.prepare(
                "INSERT INTO answers (prompt, model, parameters, attempt, text, finish_reason, request_hash, meta)
                 SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM prompts WHERE hash = ?1 ON CONFLICT DO NOTHING",
            )?;
            let mut rows = read.query([]).map_err(|error| from.failed(error))?;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            let mut n_new = 0;
            while let Some(row) = rows.next().map_err(|error| from.failed(error))? {
                batch.rows(2)?;
                let values = (0..11)
                    .map(|idx| row.get_ref(idx).map(rusqlite::types::ToSqlOutput::Borrowed))
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|error| from.failed(error))?;
                prompt.execute(rusqlite::params_from_iter(&values[..4]))?;
                let of_answer = [&values[..1], &values[4..]].concat();
                n_new += answer.execute(rusqlite::params_from_iter(of_answer))? as u64;
            }
            batch.finish()?;
            Ok(n_new)
        })
    }

    /// Adds the path of the index that is read to a failure that occurs while another index is written.
    fn failed(&self, error: rusqlite::Error) -> StoreFailure {
        StoreFailure::Elsewhere(Box::new(StoreFailure::Sql(error).at(&self.path)))
    }
}

/// A metric of a part.
struct PartEvaluation {
    id: i64,
    metric: String,
    version: u32,
    options: String,
}

/// Lists the metrics with a value for every prediction, in the order of their computation.
fn complete(conn: &Connection, part: &RunRow) -> Result<Vec<PartEvaluation>, StoreFailure> {
    let mut statement = conn.prepare(
        "SELECT id, metric, version, options FROM evaluations WHERE run = ?1 AND n_done = ?2 ORDER BY id",
    )?;
    let of = params![part.id, part.n_predictions.cast_signed()];
    let evaluations = statement.query_map(of, |row| {
        Ok(PartEvaluation {
            id: row.get(0)?,
            metric: row.get(1)?,
            version: row.get(2)?,
            options: row.get(3)?,
        })
    })?;
    Ok(evaluations.collect::<Result<_, _>>()?)
}

/// Copies rows whose only id is a prediction's.
fn copy_values(
    conn: &Connection,
    ((from, part), (run, places)): ((&Store, i64), (i64, &[u32])),
    table: &str,
    monitor: &Monitor,
) -> Result<u64, StoreFailure> {
    let sql = format!(
        "SELECT * FROM {table} WHERE prediction >= ?1 AND prediction < ?2 ORDER BY prediction"
    );
    let mut read = from
        .conn
        .prepare(&sql)
        .map_err(|error| from.failed(error))?;
    let names: Vec<String> = read.column_names().map(str::to_owned).collect();
    let marks: Vec<String> = (1..=names.len()).map(|n| format!("?{n}")).collect();
    let mut write = conn.prepare(&format!(
        "INSERT OR REPLACE INTO {table} ({}) VALUES ({})",
        names.join(", "),
        marks.join(", ")
    ))?;
    let id = names.iter().position(|name| name == "prediction");
    let mut rows = read
        .query([row_id(part, 0), row_id(part + 1, 0)])
        .map_err(|error| from.failed(error))?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    let mut n_rows = 0;
    while let Some(row) = rows.next().map_err(|error| from.failed(error))? {
        batch.rows(1)?;
        for idx in 0..names.len() {
            let value = row.get_ref(idx).map_err(|error| from.failed(error))?;
            if Some(idx) == id {
                let ordinal: i64 = row.get(idx).map_err(|error| from.failed(error))?;
                let ordinal = (ordinal & 0xffff_ffff).cast_unsigned() as u32;
                let place = place_of(from, places, ordinal)?;
                write.raw_bind_parameter(idx + 1, row_id(run, place))?;
            } else {
                let value = rusqlite::types::ToSqlOutput::Borrowed(value);
                write.raw_bind_parameter(idx + 1, value)?;
            }
        }
        write.raw_execute()?;
        n_rows += 1;
    }
    batch.finish()?;
    Ok(n_rows)
}

fn copy_scores(
    conn: &Connection,
    (from, part): (&Store, i64),
    (evaluation, places): (i64, &[u32]),
    monitor: &Monitor,
) -> Result<u64, StoreFailure> {
    let mut read = from
        .conn
        .prepare("SELECT ordinal, value, parts FROM scores WHERE evaluation = ?1 ORDER BY ordinal")
        .map_err(|error| from.failed(error))?;
    let mut write = conn.prepare(
        "INSERT OR REPLACE INTO scores (evaluation, ordinal, value, parts) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let mut rows = read.query([part]).map_err(|error| from.failed(error))?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    let mut n_rows = 0;
    while let Some(row) = rows.next().map_err(|error| from.failed(error))? {
        batch.rows(1)?;
        let ordinal: u32 = row.get(0).map_err(|error| from.failed(error))?;
        let value: f64 = row.get(1).map_err(|error| from.failed(error))?;
        let parts: Vec<u8> = row.get(2).map_err(|error| from.failed(error))?;
        let place = place_of(from, places, ordinal)?;
        write.execute(params![evaluation, place, value, parts])?;
        n_rows += 1;
    }
    batch.finish()?;
    Ok(n_rows)
}

/// Maps the number of a prediction in a part to its number here.
///
/// # Errors
/// [`StoreFailure::Damaged`], for the part, where it has a row for a prediction that it does not have.
fn place_of(from: &Store, places: &[u32], ordinal: u32) -> Result<u32, StoreFailure> {
    places.get(ordinal as usize).copied().ok_or_else(|| {
        let detail = format!("a row belongs to prediction {ordinal}, and there is none");
        StoreFailure::Elsewhere(Box::new(StoreFailure::Damaged(detail).at(&from.path)))
    })
}

/// Finds the first number from `first` on that the query does not list.
fn reached(conn: &Connection, sql: &str, of: [i64; 2], first: u32) -> Result<u32, StoreFailure> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query(of)?;
    let mut next = first;
    while let Some(row) = rows.next()? {
        if row.get::<_, u32>(0)? != next {
            break;
        }
        next += 1;
    }
    Ok(next)
}
