//! The outcomes of executed predictions: written as they arrive; read as a column, one by one, or summed up.
//!
//! `model` defines what an outcome means, and `exchange` defines the JSON of its details: here both are texts.

use rusqlite::{Connection, OptionalExtension, Row, Statement, params};
use rustc_hash::FxHashMap;

use crate::model::{
    BlockedReason, ContentHash, CoverageCounter, CoveredSet, EngineName, EnteredMethod, Execution,
    ExecutionFunnel, ExecutionSetting, Outcome, Prediction, Repair,
};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::brittle::{BRITTLENESS, brittleness};
use super::codec::{code, decode, integer, row_id};
use super::confirmed::{self, CONFIRMED, confirmed};
use super::error::StoreFailure;
use super::outcome_condition::is_shown;
use super::results::PredictionNeedle;
use super::stable::{STABILITY, stability};
use super::{Store, StoreError, version};

/// The outcome of a prediction, to be stored.
#[derive(Clone, Debug)]
pub struct WrittenExecution {
    pub ordinal: u32,
    /// A hash of everything that determines the outcome, except the version.
    pub stamp: ContentHash,
    pub execution: Execution,
    /// As JSON; absent where nothing went wrong.
    pub why: Option<String>,
    /// The text that `why:` searches, in lower case.
    pub words: String,
    /// As JSON.
    pub record: String,
    pub covered: Vec<CoveredSet>,
    pub entered: Vec<EnteredMethod>,
}

/// The inputs of an earlier execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionStamp {
    pub stamp: ContentHash,
    /// Whether the current version ran it.
    pub is_current: bool,
    pub execution: Execution,
}

/// The outcome of a prediction, with the details that are only read for one prediction at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExecution {
    pub ordinal: u32,
    /// The engine that ran it.
    pub engine: String,
    /// See [`WrittenExecution::stamp`].
    pub stamp: ContentHash,
    pub prediction: Prediction,
    pub execution: Execution,
    /// As JSON.
    pub why: Option<String>,
    /// The text that `why:` searches, in lower case.
    pub words: String,
    /// The other options of the execution, as in [`ExecutionSetting::options`].
    pub options: String,
    /// As JSON.
    pub record: String,
}

/// The columns that [`execution`] reads, from its first column on; it also reads [`CONFIRMED`], [`STABILITY`] and
/// [`BRITTLENESS`].
const COLUMNS: &str =
    "e.outcome, e.blocked, e.repair, e.duplicate_of, e.is_called, e.n_lines_missed, e.n_lines_covered,
    e.n_branches_missed, e.n_branches_covered, e.elapsed_ms, e.timeout_ms, e.asserts";

impl Store {
    /// Records that a run is executed with this setting: from now on, lists show the outcomes of this engine.
    pub fn begin_executions(
        &mut self,
        run: i64,
        setting: &ExecutionSetting,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            conn.execute(
                "INSERT OR REPLACE INTO run_executions (run, engine, version, options, sandbox, executed_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    run,
                    setting.engine,
                    setting.version,
                    setting.options,
                    setting.sandbox,
                    setting.executed_at
                ],
            )?;
            version::touch(conn)
        })
    }

    /// Writes the outcomes of predictions, in place of the former ones with this engine.
    pub fn write_executions(
        &mut self,
        run: i64,
        setting: &ExecutionSetting,
        written: &[WrittenExecution],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        if written.is_empty() {
            return Ok(());
        }
        self.writing(|conn| {
            let mut writer = ExecutionWriter::prepare(conn)?;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for written_execution in written {
                batch
                    .rows(2 + written_execution.covered.len() + written_execution.entered.len())?;
                writer.write(run, setting, written_execution)?;
            }
            version::touch(conn)?;
            batch.finish()
        })
    }

    /// Reads the stamps of a run's outcomes with this engine, by number.
    pub fn execution_stamps(
        &self,
        run: i64,
        setting: &ExecutionSetting,
    ) -> Result<FxHashMap<u32, ExecutionStamp>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS}, e.prediction & 4294967295, e.stamp, e.version, {CONFIRMED}, {STABILITY}, {BRITTLENESS} FROM executions e
                 WHERE e.prediction >= ?1 AND e.prediction < ?2 AND {}",
                is_shown("e.engine", 3)
            ))?;
            let mut rows =
                statement.query(params![row_id(run, 0), row_id(run + 1, 0), setting.engine])?;
            let mut stamps = FxHashMap::default();
            while let Some(row) = rows.next()? {
                let stamp = ExecutionStamp {
                    stamp: ContentHash(row.get(13)?),
                    is_current: row.get_ref(14)?.as_str().ok() == Some(&setting.version),
                    execution: execution(row)?,
                };
                stamps.insert(row.get(12)?, stamp);
            }
            Ok(stamps)
        })
    }

    /// Reads the outcome of each prediction of a run with this engine, by number; nothing for predictions that were not
    /// executed.
    pub fn executions(
        &self,
        run: i64,
        engine: &str,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<Vec<Option<Execution>>, StoreError> {
        self.reading(|conn| {
            let mut found = vec![None; n_predictions as usize];
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS}, e.prediction & 4294967295, {CONFIRMED}, {STABILITY}, {BRITTLENESS} FROM executions e
                 WHERE e.prediction >= ?1 AND e.prediction < ?2 AND {} ORDER BY e.prediction",
                is_shown("e.engine", 3)
            ))?;
            let mut rows = statement.query(params![row_id(run, 0), row_id(run + 1, 0), engine])?;
            while let Some(row) = rows.next()? {
                let ordinal: u32 = row.get(12)?;
                if ordinal.is_multiple_of(4_096) {
                    monitor.step()?;
                }
                if let Some(slot) = found.get_mut(ordinal as usize) {
                    *slot = Some(execution(row)?);
                }
            }
            Ok(found)
        })
    }

    /// Reads the outcomes of these predictions of a run with this engine, by number.
    pub fn executions_of(
        &self,
        run: i64,
        engine: &str,
        ordinals: &[u32],
    ) -> Result<FxHashMap<u32, Execution>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS}, {CONFIRMED}, {STABILITY}, {BRITTLENESS} FROM executions e WHERE e.prediction = ?1 AND {}",
                is_shown("e.engine", 2)
            ))?;
            let mut found = FxHashMap::default();
            for ordinal in ordinals {
                let mut rows = statement.query(params![row_id(run, *ordinal), engine])?;
                if let Some(row) = rows.next()? {
                    found.insert(*ordinal, execution(row)?);
                }
            }
            Ok(found)
        })
    }

    /// Counts how far a run's candidates came with this engine.
    pub fn execution_funnel(&self, run: i64, engine: &str) -> Result<ExecutionFunnel, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT outcome, blocked, duplicate_of IS NOT NULL, is_called, asserts, {CONFIRMED}, COUNT(*)
                 FROM executions e WHERE prediction >= ?1 AND prediction < ?2 AND {}
                 GROUP BY 1, 2, 3, 4, 5, 6",
                is_shown("e.engine", 3)
            ))?;
            let mut rows = statement.query(params![row_id(run, 0), row_id(run + 1, 0), engine])?;
            let mut funnel = ExecutionFunnel::default();
            while let Some(row) = rows.next()? {
                funnel.add(&grouped(row, 0)?, row.get::<_, u32>(6)?.into());
            }
            Ok(funnel)
        })
    }

    /// Reads the outcome of one prediction with this engine.
    pub fn execution(
        &self,
        run: i64,
        engine: &str,
        ordinal: u32,
    ) -> Result<Option<StoredExecution>, StoreError> {
        let mut found = None;
        self.each_stored(run, engine, [ordinal, ordinal + 1], |stored_execution| {
            found = Some(stored_execution);
            Ok::<_, StoreError>(())
        })?;
        Ok(found)
    }

    /// Passes the outcome of each prediction of a run with this engine to `each`, in order of numbers.
    pub fn each_execution<E: From<StoreError>>(
        &self,
        run: i64,
        engine: &str,
        each: impl FnMut(StoredExecution) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_stored(run, engine, [0, u32::MAX], each)
    }

    fn each_stored<E: From<StoreError>>(
        &self,
        run: i64,
        engine: &str,
        [first, end]: [u32; 2],
        mut each: impl FnMut(StoredExecution) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS}, e.prediction & 4294967295, d.why, d.record, p.key, p.attempt, p.content_hash, p.line,
                    p.answer, p.code, p.meta, e.stamp, d.words, e.options, e.engine, {CONFIRMED}, {STABILITY}, {BRITTLENESS}
                 FROM executions e JOIN execution_details d ON d.prediction = e.prediction AND d.engine = e.engine
                    JOIN predictions p ON p.id = e.prediction
                 WHERE e.prediction >= ?1 AND e.prediction < ?2 AND {} ORDER BY e.prediction",
                is_shown("e.engine", 3)
            ))?;
            let mut rows =
                statement.query(params![row_id(run, first), row_id(run, end), engine])?;
            while let Some(row) = rows.next()? {
                stopped = each(StoredExecution {
                    ordinal: row.get(12)?,
                    engine: row.get(25)?,
                    stamp: ContentHash(row.get(22)?),
                    execution: execution(row)?,
                    words: row.get(23)?,
                    options: row.get::<_, Option<String>>(24)?.unwrap_or_default(),
                    why: row.get(13)?,
                    record: row.get(14)?,
                    prediction: Prediction {
                        key: crate::model::SampleKey(row.get(15)?),
                        attempt: row.get(16)?,
                        content_hash: ContentHash(row.get(17)?),
                        line: row.get(18)?,
                        answer: row.get(19)?,
                        code: row.get(20)?,
                        meta: row.get(21)?,
                    },
                });
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Reads the coverage of a prediction in its project, by unit.
    pub fn execution_coverage(
        &self,
        run: i64,
        engine: &str,
        ordinal: u32,
    ) -> Result<Vec<CoveredSet>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT x.unit, c.bits FROM execution_coverage x JOIN covered c ON c.id = x.covered
                 WHERE x.prediction = ?1 AND {} ORDER BY x.unit",
                is_shown("x.engine", 2)
            ))?;
            let rows = statement.query_map(params![row_id(run, ordinal), engine], |row| {
                Ok(CoveredSet {
                    unit: row.get(0)?,
                    bits: row.get(1)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the methods of its project that a prediction entered, in order of their first time.
    pub fn execution_entered(
        &self,
        run: i64,
        engine: &str,
        ordinal: u32,
    ) -> Result<Vec<EnteredMethod>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT m.class, m.name, m.descriptor, x.depth, x.n_times FROM execution_entered x
                    JOIN entered_methods m ON m.id = x.method
                 WHERE x.prediction = ?1 AND {} ORDER BY x.ordinal",
                is_shown("x.engine", 2)
            ))?;
            let rows = statement.query_map(params![row_id(run, ordinal), engine], |row| {
                Ok(EnteredMethod {
                    class: row.get(0)?,
                    name: row.get(1)?,
                    descriptor: row.get(2)?,
                    depth: row.get(3)?,
                    n_times: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Reads the stored reasons for outcomes, by number; nothing for outcomes without a reason.
    pub fn execution_whys(
        &self,
        (run, engine): (i64, &str),
        ordinals: &[u32],
    ) -> Result<FxHashMap<u32, String>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT why FROM execution_details WHERE prediction = ?1 AND {}",
                is_shown("engine", 2)
            ))?;
            let mut found = FxHashMap::default();
            for ordinal in ordinals {
                let why = statement
                    .query_row(params![row_id(run, *ordinal), engine], |row| row.get(0))
                    .optional()?;
                found.extend(why.flatten().map(|why: String| (*ordinal, why)));
            }
            Ok(found)
        })
    }

    /// Keeps those of `ordinals` whose reason contains a text, ignoring the case of ASCII letters, or those whose
    /// reason does not.
    pub fn retain_reasons(
        &self,
        (run, engine): (i64, &str),
        ordinals: &mut Vec<u32>,
        piece: PredictionNeedle<'_>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        let needle = piece.text.to_ascii_lowercase();
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT words FROM execution_details WHERE prediction = ?1 AND {}",
                is_shown("engine", 2)
            ))?;
            let mut kept = Vec::new();
            for (idx, ordinal) in ordinals.iter().enumerate() {
                if idx.is_multiple_of(256) {
                    monitor.step()?;
                }
                let words: Option<String> = statement
                    .query_row(params![row_id(run, *ordinal), engine], |row| row.get(0))
                    .optional()?;
                if words.is_some_and(|word| word.contains(&needle)) == piece.is_wanted {
                    kept.push(*ordinal);
                }
            }
            *ordinals = kept;
            Ok(())
        })
    }

    /// Updates a run with these predictions: where it has the sample and attempt and the prediction differs, that is
    /// changed; new predictions are appended, and none is removed. Returns the number of changed and new ones.
    pub fn extend_run(
        &mut self,
        run: i64,
        predictions: &[Prediction],
        monitor: &Monitor,
    ) -> Result<u32, StoreError> {
        self.writing(|conn| {
            let (first, last) = (row_id(run, 0), row_id(run + 1, 0));
            let mut known: FxHashMap<([u8; 16], u32), (i64, [u8; 16])> = FxHashMap::default();
            let mut statement = conn.prepare(
                "SELECT key, attempt, id, content_hash FROM predictions WHERE id >= ?1 AND id < ?2",
            )?;
            let mut rows = statement.query([first, last])?;
            while let Some(row) = rows.next()? {
                known.insert((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?));
            }
            drop(rows);
            let mut next = known.values().map(|value| value.0 + 1).max().unwrap_or(first);
            let mut insert = conn.prepare(
                "INSERT OR REPLACE INTO predictions (id, key, attempt, content_hash, line, answer, code, meta)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?;
            let mut n_changed = 0;
            let mut batch = WriteBatch::begin(conn, monitor)?;
            for prediction in predictions {
                let id = match known.get(&(prediction.key.0, prediction.attempt)) {
                    Some((_, hash)) if *hash == prediction.content_hash.0 => continue,
                    Some((id, _)) => *id,
                    None => next,
                };
                next = next.max(id + 1);
                n_changed += 1;
                batch.rows(1)?;
                // The ordinal's bits, from 1 as lines are.
                let line = (id - first) + 1;
                insert.execute(params![
                    id,
                    prediction.key.0,
                    prediction.attempt,
                    prediction.content_hash.0,
                    line,
                    prediction.answer,
                    prediction.code,
                    prediction.meta
                ])?;
            }
            conn.execute(
                "UPDATE runs SET
                    n_predictions = (SELECT COUNT(*) FROM predictions WHERE id >= ?2 AND id < ?3),
                    n_samples = (SELECT COUNT(*) FROM predictions WHERE id >= ?2 AND id < ?3 AND attempt = 0)
                 WHERE id = ?1",
                [run, first, last],
            )?;
            version::touch(conn)?;
            batch.finish()?;
            Ok(n_changed)
        })
    }
}

/// Reads the columns that funnels count by, from a given column on: the outcome, why there is none, whether the
/// candidate is a duplicate, whether it entered the focal method, and whether it asserts; and [`CONFIRMED`].
pub(super) fn grouped(row: &Row<'_>, first: usize) -> Result<Execution, StoreFailure> {
    Ok(Execution {
        outcome: outcome(row, first)?,
        blocked: blocked(row, first + 1)?,
        duplicate_of: row.get::<_, bool>(first + 2)?.then_some(0),
        is_called: row.get(first + 3)?,
        asserts: row.get(first + 4)?,
        confirmed: confirmed(row)?,
        ..Execution::default()
    })
}

struct ExecutionWriter<'c> {
    delete: Statement<'c>,
    execution: Statement<'c>,
    detail: Statement<'c>,
    confirmed: Statement<'c>,
    new_set: Statement<'c>,
    set: Statement<'c>,
    coverage: Statement<'c>,
    new_method: Statement<'c>,
    method: Statement<'c>,
    entered: Statement<'c>,
    methods: FxHashMap<(String, String, String), i64>,
}

impl<'c> ExecutionWriter<'c> {
    fn prepare(conn: &'c Connection) -> Result<Self, StoreFailure> {
        Ok(Self {
            // Rows that depend on the outcome are deleted with it, and so are outcomes of engines of other languages,
            // which never applied to this prediction.
            delete: conn.prepare(&format!(
                "DELETE FROM executions WHERE prediction = ?1 AND (engine = ?2 OR NOT {})",
                is_shown("engine", 3)
            ))?,
            execution: conn.prepare(
                "INSERT INTO executions (prediction, engine, stamp, version, outcome, blocked, repair, duplicate_of,
                    is_called, n_lines_missed, n_lines_covered, n_branches_missed, n_branches_covered, elapsed_ms,
                    timeout_ms, asserts, options)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            )?,
            detail: conn.prepare(
                "INSERT INTO execution_details (prediction, engine, why, record, words) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?,
            confirmed: confirmed::prepare(conn)?,
            new_set: conn.prepare("INSERT OR IGNORE INTO covered (hash, bits) VALUES (?1, ?2)")?,
            set: conn.prepare("SELECT id FROM covered WHERE hash = ?1")?,
            coverage: conn.prepare(
                "INSERT OR REPLACE INTO execution_coverage (prediction, engine, unit, covered) VALUES (?1, ?2, ?3, ?4)",
            )?,
            new_method: conn.prepare(
                "INSERT OR IGNORE INTO entered_methods (class, name, descriptor) VALUES (?1, ?2, ?3)",
            )?,
            method: conn.prepare(
                "SELECT id FROM entered_methods WHERE class = ?1 AND name = ?2 AND descriptor = ?3",
            )?,
            entered: conn.prepare(
                "INSERT INTO execution_entered (prediction, engine, ordinal, method, depth, n_times)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            methods: FxHashMap::default(),
        })
    }

    fn write(
        &mut self,
        run: i64,
        setting: &ExecutionSetting,
        written: &WrittenExecution,
    ) -> Result<(), StoreFailure> {
        let (id, engine) = (row_id(run, written.ordinal), &setting.engine);
        let execution = &written.execution;
        let same_language = EngineName::of_same_language(engine);
        self.delete.execute(params![id, engine, same_language])?;
        self.execution.execute(params![
            id,
            engine,
            written.stamp.0,
            setting.version,
            execution.outcome.map(|outcome| code(Outcome::ALL, outcome)),
            execution.blocked.map(BlockedReason::as_str),
            code(Repair::ALL, execution.repair),
            execution.duplicate_of,
            execution.is_called,
            execution.lines.map(|counter| counter.missed),
            execution.lines.map(|counter| counter.covered),
            execution.branches.map(|counter| counter.missed),
            execution.branches.map(|counter| counter.covered),
            execution.elapsed_ms,
            execution.timeout_ms,
            execution.asserts,
            setting.options,
        ])?;
        self.detail.execute(params![
            id,
            engine,
            written.why,
            written.record,
            written.words
        ])?;
        confirmed::write(&mut self.confirmed, (id, engine), execution)?;
        for covered in &written.covered {
            let hash = *blake3::hash(&covered.bits).as_bytes();
            let hash = &hash[..16];
            self.new_set.execute(params![hash, covered.bits])?;
            let set: i64 = self.set.query_row([hash], |row| row.get(0))?;
            self.coverage
                .execute(params![id, engine, covered.unit, set])?;
        }
        for (ordinal, entered) in written.entered.iter().enumerate() {
            let method = self.method_of(entered)?;
            self.entered.execute(params![
                id,
                engine,
                integer(ordinal),
                method,
                entered.depth,
                entered.n_times
            ])?;
        }
        Ok(())
    }

    fn method_of(&mut self, entered: &EnteredMethod) -> Result<i64, StoreFailure> {
        let EnteredMethod {
            class,
            name,
            descriptor,
            ..
        } = entered;
        let key = (class.clone(), name.clone(), descriptor.clone());
        if let Some(id) = self.methods.get(&key) {
            return Ok(*id);
        }
        let id = params![class, name, descriptor];
        self.new_method.execute(id)?;
        let id = self.method.query_row(id, |row| row.get(0))?;
        self.methods.insert(key, id);
        Ok(id)
    }
}

/// Reads [`COLUMNS`].
fn execution(row: &Row<'_>) -> Result<Execution, StoreFailure> {
    Ok(Execution {
        outcome: outcome(row, 0)?,
        blocked: blocked(row, 1)?,
        repair: decode(Repair::ALL, row.get(2)?)?,
        duplicate_of: row.get(3)?,
        is_called: row.get(4)?,
        lines: counter(row, 5)?,
        branches: counter(row, 7)?,
        elapsed_ms: row.get(9)?,
        timeout_ms: row.get(10)?,
        asserts: row.get(11)?,
        confirmed: confirmed(row)?,
        stability: stability(row)?,
        brittleness: brittleness(row)?,
    })
}

fn outcome(row: &Row<'_>, idx: usize) -> Result<Option<Outcome>, StoreFailure> {
    let position: Option<i64> = row.get(idx)?;
    position
        .map(|position| decode(Outcome::ALL, position))
        .transpose()
}

fn blocked(row: &Row<'_>, idx: usize) -> Result<Option<BlockedReason>, StoreFailure> {
    let word: Option<String> = row.get(idx)?;
    let Some(word) = word else { return Ok(None) };
    let found = BlockedReason::ALL
        .iter()
        .copied()
        .find(|blocked_reason| blocked_reason.as_str() == word);
    let failure =
        || StoreFailure::Damaged(format!("`{word}` is not a reason for having no outcome"));
    Ok(Some(found.ok_or_else(failure)?))
}

/// Reads two columns, the missed and the covered count.
pub fn counter(row: &Row<'_>, idx: usize) -> Result<Option<CoverageCounter>, StoreFailure> {
    let (missed, covered): (Option<u32>, Option<u32>) = (row.get(idx)?, row.get(idx + 1)?);
    let both = missed.zip(covered);
    Ok(both.map(|(missed, covered)| CoverageCounter { missed, covered }))
}
