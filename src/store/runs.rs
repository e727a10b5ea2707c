//! Runs and their predictions: written under a hidden name, published as a whole, listed, removed.
//!
//! A run is not visible while it is imported; publishing it is one small transaction, which also replaces a run of the
//! same name. So a failed or killed import loses nothing that was stored before.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{
    ContentHash, Evaluation, Extraction, Language, Matcher, ParseMode, Prediction, Problem, Reason,
    RunKind, RunRow, RunSetting, SampleKey, Target,
};
use crate::task::Monitor;

use super::batch::{WriteBatch, delete_in_pieces};
use super::codec::{code, count, decode, integer, row_id};
use super::error::StoreFailure;
use super::failures::delete_tags;
use super::outcome_condition::settle_language;
use super::questions;
use super::scores::{delete_readings, delete_scores};
use super::{Store, StoreError, version};

/// The number of bytes after which a list of predictions takes only one prediction more.
const BYTES_AT_ONCE: usize = 32 << 20;

/// The number of predictions whose samples are passed on at once.
const KEYS_AT_ONCE: u32 = 4_096;

/// Names of runs that are not visible yet begin with this character, which a user's name cannot contain.
const HIDDEN: char = '\u{1}';

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Answers, all attempts.
    pub n_predictions: u32,
    /// Samples with a first answer.
    pub n_samples: u32,
}

impl Store {
    /// Creates a run that is hidden until [`Store::publish_run`], and returns its id. Removes what a killed import left
    /// behind.
    pub fn begin_run(
        &mut self,
        setting: &RunSetting,
        monitor: &Monitor,
    ) -> Result<i64, StoreError> {
        self.writing(|conn| {
            sweep(conn, monitor)?;
            conn.execute(
                "INSERT INTO runs (name, model, target, matcher, language, extraction, parse_mode, length_max, source,
                    imported_at, n_predictions, n_samples, n_problems)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 0, 0)",
                params![
                    format!("{HIDDEN}{}", setting.name),
                    setting.model,
                    code(Target::ALL, setting.target),
                    code(Matcher::ALL, setting.matcher),
                    code(Language::ALL, setting.language),
                    code(Extraction::ALL, setting.extraction),
                    code(ParseMode::ALL, setting.parse_mode),
                    setting.length_max,
                    setting.source,
                    setting.imported_at,
                ],
            )?;
            Ok(conn.last_insert_rowid())
        })
    }

    /// Records the model of a run, where its files name it.
    pub fn name_model(&mut self, run: i64, model: &str) -> Result<(), StoreError> {
        self.writing(|conn| {
            conn.execute(
                "UPDATE runs SET model = ?2 WHERE id = ?1",
                params![run, model],
            )?;
            Ok(())
        })
    }

    /// Adds predictions to a run that [`Store::begin_run`] made; the first one gets the number `first`.
    pub fn write_predictions(
        &mut self,
        run: i64,
        first: u32,
        predictions: &[Prediction],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut insert = conn.prepare(
                "INSERT INTO predictions (id, key, attempt, content_hash, line, answer, code, meta)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for (ordinal, prediction) in (first..).zip(predictions) {
                batch.rows(1)?;
                insert.execute(params![
                    row_id(run, ordinal),
                    prediction.key.0,
                    prediction.attempt,
                    prediction.content_hash.0,
                    prediction.line,
                    prediction.answer,
                    prediction.code,
                    prediction.meta,
                ])?;
            }
            batch.finish()
        })
    }

    /// Makes the run visible to readers, in place of the run that had its name.
    pub fn publish_run(
        &mut self,
        run: i64,
        counts: RunCounts,
        problems: &[Problem],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            write_problems(conn, run, problems, monitor)?;
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            // The former run becomes hidden like a begun one, and is deleted in pieces.
            transaction.execute(
                "UPDATE runs SET name = ?2 || ?2 || id || name
                 WHERE ?2 || name = (SELECT name FROM runs WHERE id = ?1)",
                params![run, HIDDEN.to_string()],
            )?;
            transaction.execute(
                "UPDATE runs SET name = substr(name, 2), n_predictions = ?2, n_samples = ?3, n_problems = ?4
                 WHERE id = ?1",
                params![
                    run,
                    counts.n_predictions,
                    counts.n_samples,
                    integer(problems.len())
                ],
            )?;
            settle_language(&transaction, run)?;
            version::touch(&transaction)?;
            transaction.commit()?;
            match sweep(conn, monitor) {
                // The run is published; the next writer deletes the former one.
                Err(StoreFailure::Cancelled(_)) => Ok(()),
                swept => swept,
            }
        })
    }

    /// Removes a run that was begun and is not to be published.
    pub fn discard_run(&mut self, run: i64) -> Result<(), StoreError> {
        // A user who cancels an import wants it removed, so this cannot be cancelled.
        self.writing(|conn| delete(conn, run, &Monitor::default()))
    }

    /// Removes a run with its answers and scores; returns whether there was one of that name.
    pub fn remove_run(&mut self, name: &str, monitor: &Monitor) -> Result<bool, StoreError> {
        self.writing(|conn| {
            let run: Option<i64> = conn
                .query_row(
                    "SELECT id FROM runs WHERE name = ?1 AND substr(name, 1, 1) <> ?2",
                    [name, &HIDDEN.to_string()],
                    |row| row.get(0),
                )
                .optional()?;
            let Some(run) = run else { return Ok(false) };
            conn.execute(
                "UPDATE runs SET name = ?2 || ?2 || id || name WHERE id = ?1",
                params![run, HIDDEN.to_string()],
            )?;
            version::touch(conn)?;
            delete(conn, run, monitor)?;
            // The models' answers stay: nobody wants to pay for them twice.
            conn.execute("DELETE FROM run_answers WHERE run = ?1", [name])?;
            Ok(true)
        })
    }

    /// Reads all runs with their scores, in the order of their import.
    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE substr(name, 1, 1) <> ?1 ORDER BY id"
            ))?;
            let mut rows = statement.query([HIDDEN.to_string()])?;
            let mut runs = Vec::new();
            while let Some(row) = rows.next()? {
                runs.push(run_row(conn, row)?);
            }
            Ok(runs)
        })
    }

    /// Finds the run of this name, or the one that the name means where no run has it.
    pub fn run(&self, name: &str) -> Result<Option<RunRow>, StoreError> {
        let other = super::traces::other_name(name);
        match self.run_called(name)? {
            None if other != name => self.run_called(other),
            found => Ok(found),
        }
    }

    fn run_called(&self, name: &str) -> Result<Option<RunRow>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {RUN_COLUMNS} FROM runs WHERE name = ?1 AND substr(name, 1, 1) <> ?2"
            ))?;
            let mut rows = statement.query([name, &HIDDEN.to_string()])?;
            rows.next()?.map(|row| run_row(conn, row)).transpose()
        })
    }

    /// Reads the lines of a run's file that could not be used, at most `limit`, in order.
    pub fn run_problems(&self, run: i64, limit: usize) -> Result<Vec<Problem>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT reason, line, path, detail FROM run_problems WHERE run = ?1 ORDER BY ordinal LIMIT ?2",
            )?;
            let mut rows = statement.query(params![run, integer(limit)])?;
            let mut problems = Vec::new();
            while let Some(row) = rows.next()? {
                problems.push(Problem {
                    reason: decode(Reason::ALL, row.get(0)?)?,
                    line: row.get(1)?,
                    path: row.get(2)?,
                    detail: row.get(3)?,
                });
            }
            Ok(problems)
        })
    }

    /// Reads at most `limit` predictions of a run from number `first` on, in order; fewer, but at least one, where they
    /// are so long that they would take too much memory.
    pub fn predictions(
        &self,
        run: i64,
        first: u32,
        limit: usize,
    ) -> Result<Vec<Prediction>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT key, attempt, content_hash, line, answer, code, meta FROM predictions
                 WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
            )?;
            let range = params![row_id(run, first), row_id(run + 1, 0), integer(limit)];
            let mut rows = statement.query(range)?;
            let mut predictions = Vec::new();
            let mut n_bytes = 0;
            while n_bytes < BYTES_AT_ONCE
                && let Some(row) = rows.next()?
            {
                let prediction = prediction(row)?;
                n_bytes += prediction.size_bytes();
                predictions.push(prediction);
            }
            Ok(predictions)
        })
    }

    /// Passes the samples of all predictions of a run to `each` in order, in chunks, each with the number of its first
    /// prediction.
    ///
    /// # Errors
    /// The database's, and those of `each`.
    pub fn each_prediction_keys<E: From<StoreError>>(
        &self,
        run: i64,
        mut each: impl FnMut(u32, &[SampleKey]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut first = 0;
        loop {
            let keys = self.prediction_keys(run, first, KEYS_AT_ONCE)?;
            if keys.is_empty() {
                return Ok(());
            }
            each(first, &keys)?;
            first += keys.len() as u32;
        }
    }

    /// Lists the samples of at most `limit` predictions of a run from number `first` on, in order.
    pub fn prediction_keys(
        &self,
        run: i64,
        first: u32,
        limit: u32,
    ) -> Result<Vec<SampleKey>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT key FROM predictions WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
            )?;
            let range = params![row_id(run, first), row_id(run + 1, 0), limit];
            let keys = statement.query_map(range, |row| Ok(SampleKey(row.get(0)?)))?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    /// Lists the samples that predictions belong to, from a number on: the sample that was asked about, then other
    /// samples with the same prompt (`meta.also`), whose tests are references, too.
    pub fn prediction_samples(
        &self,
        run: i64,
        first: u32,
        limit: u32,
    ) -> Result<Vec<Vec<SampleKey>>, StoreError> {
        self.reading(|conn| {
            // Few predictions have other samples; for the rest, no JSON is parsed.
            let mut statement = conn.prepare(
                "SELECT key, CASE WHEN instr(meta, '\"also\"') > 0 AND json_valid(meta)
                    THEN json_extract(meta, '$.also') END
                 FROM predictions WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
            )?;
            let range = params![row_id(run, first), row_id(run + 1, 0), limit];
            let keys = statement.query_map(range, |row| {
                let own = SampleKey(row.get(0)?);
                // The file may contain anything: a value that is not a text has no keys.
                let also: Value = row.get(1)?;
                let also = match &also {
                    Value::Text(list) => list.split('"').filter_map(SampleKey::parse).collect(),
                    _ => Vec::new(),
                };
                Ok([vec![own], also].concat())
            })?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }
}

fn prediction(row: &Row<'_>) -> Result<Prediction, rusqlite::Error> {
    Ok(Prediction {
        key: SampleKey(row.get(0)?),
        attempt: row.get(1)?,
        content_hash: ContentHash(row.get(2)?),
        line: row.get(3)?,
        answer: row.get(4)?,
        code: row.get(5)?,
        meta: row.get(6)?,
    })
}

/// The columns that [`run_row`] reads.
const RUN_COLUMNS: &str =
    "id, name, model, target, matcher, language, extraction, parse_mode, length_max, source, imported_at,
    n_predictions, n_samples, n_problems, n_scored, n_unparsable, n_over_length, n_changed, kind";

fn run_row(conn: &Connection, row: &Row<'_>) -> Result<RunRow, StoreFailure> {
    let id = row.get(0)?;
    let mut statement = conn.prepare(
        "SELECT metric, version, options, value, value_parsable FROM evaluations
         WHERE run = ?1 AND metric NOT IN ('reading', 'failure') ORDER BY id",
    )?;
    let evaluations = statement.query_map([id], |row| {
        Ok(Evaluation {
            metric: row.get(0)?,
            version: row.get(1)?,
            options: row.get(2)?,
            value: row.get(3)?,
            value_parsable: row.get(4)?,
        })
    })?;
    Ok(RunRow {
        id,
        setting: RunSetting {
            name: row.get(1)?,
            model: row.get(2)?,
            target: decode(Target::ALL, row.get(3)?)?,
            matcher: decode(Matcher::ALL, row.get(4)?)?,
            language: decode(Language::ALL, row.get(5)?)?,
            extraction: decode(Extraction::ALL, row.get(6)?)?,
            parse_mode: decode(ParseMode::ALL, row.get(7)?)?,
            length_max: row.get(8)?,
            source: row.get(9)?,
            imported_at: row.get(10)?,
        },
        n_predictions: count(row, 11)?,
        n_samples: count(row, 12)?,
        n_problems: count(row, 13)?,
        n_scored: count(row, 14)?,
        n_unparsable: row.get::<_, Option<u32>>(15)?.map(u64::from),
        n_over_length: count(row, 16)?,
        n_changed: count(row, 17)?,
        kind: decode(RunKind::ALL, row.get(18)?)?,
        evaluations: evaluations.collect::<Result<_, _>>()?,
    })
}

fn write_problems(
    conn: &Connection,
    run: i64,
    problems: &[Problem],
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    let mut insert = conn.prepare(
        "INSERT INTO run_problems (run, ordinal, reason, line, path, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut batch = WriteBatch::begin(conn, monitor)?;
    for (ordinal, problem) in (0_i64..).zip(problems) {
        batch.rows(1)?;
        let reason = code(Reason::ALL, problem.reason);
        insert.execute(params![
            run,
            ordinal,
            reason,
            problem.line,
            problem.path,
            problem.detail
        ])?;
    }
    batch.finish()
}

/// Deletes hidden runs. Only the writer calls this, and only while no run is being imported: a hidden run is then
/// replaced, removed, or left behind by a killed import.
pub(super) fn sweep(conn: &Connection, monitor: &Monitor) -> Result<(), StoreFailure> {
    for run in hidden(conn)? {
        delete(conn, run, monitor)?;
    }
    Ok(())
}

fn hidden(conn: &Connection) -> Result<Vec<i64>, StoreFailure> {
    let mut statement = conn.prepare("SELECT id FROM runs WHERE substr(name, 1, 1) = ?1")?;
    let ids = statement.query_map([HIDDEN.to_string()], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Deletes a run in short transactions.
fn delete(conn: &Connection, run: i64, monitor: &Monitor) -> Result<(), StoreFailure> {
    let kind = questions::kind_of(conn, run)?;
    delete_scores(conn, run, monitor)?;
    delete_readings(conn, run, monitor)?;
    delete_tags(conn, run, monitor)?;
    delete_executions(conn, run, monitor)?;
    delete_in_pieces(
        conn,
        "DELETE FROM prediction_answers WHERE prediction IN
            (SELECT prediction FROM prediction_answers WHERE prediction >= ?1 AND prediction < ?2 LIMIT ?3)",
        [row_id(run, 0), row_id(run + 1, 0)],
        monitor,
    )?;
    delete_in_pieces(
        conn,
        "DELETE FROM predictions WHERE id IN (SELECT id FROM predictions WHERE id >= ?1 AND id < ?2 LIMIT ?3)",
        [row_id(run, 0), row_id(run + 1, 0)],
        monitor,
    )?;
    conn.execute("DELETE FROM runs WHERE id = ?1", [run])?;
    if kind != RunKind::Samples {
        questions::sweep(conn)?;
    }
    Ok(())
}

/// Deletes the outcomes of a run's predictions, in short transactions.
fn delete_executions(conn: &Connection, run: i64, monitor: &Monitor) -> Result<(), StoreFailure> {
    delete_in_pieces(
        conn,
        "DELETE FROM executions WHERE prediction IN
            (SELECT prediction FROM executions WHERE prediction >= ?1 AND prediction < ?2 LIMIT ?3)",
        [row_id(run, 0), row_id(run + 1, 0)],
        monitor,
    )
}
