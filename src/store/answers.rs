//! The prompts that models were given and their raw answers, and which answer each prediction was taken from.
//!
//! An answer is identified by its prompt, model, parameters and attempt, and never written twice. This module stores
//! answers and parameters as texts and interprets neither.

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::model::{ContentHash, Prediction, SampleKey};

use super::codec::row_id;
use super::error::StoreFailure;
use super::{Store, StoreError, version};

/// A prompt as it is stored, with its first answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPrompt {
    /// A hash of everything that determines the prompt.
    pub hash: ContentHash,
    pub kind: String,
    pub sample: Option<SampleKey>,
    /// The whole prompt, as JSON.
    pub json: String,
}

/// An answer to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAnswer {
    pub attempt: u32,
    /// Exactly as the model returned it; absent when the prompt was too long for the model.
    pub text: Option<String>,
    pub finish_reason: Option<String>,
    pub request_hash: ContentHash,
    /// Usage, latency, status codes, and how many answers the request was for, as JSON.
    pub meta: String,
}

/// The answers to one prompt with one setting.
#[derive(Clone, Copy, Debug)]
pub struct AnswerGroup<'a> {
    pub prompt: &'a NewPrompt,
    /// The prompt's line in the file of prompts, from 1.
    pub line: u32,
    pub model: &'a str,
    pub parameters: &'a str,
    pub answers: &'a [NewAnswer],
}

/// An answer from which a prediction is to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    pub id: i64,
    pub attempt: u32,
    pub text: Option<String>,
    pub finish_reason: Option<String>,
}

/// An answer with everything that is stored about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptedAnswer {
    /// The prompt, as JSON.
    pub prompt: String,
    pub model: String,
    /// As JSON.
    pub parameters: String,
    pub attempt: u32,
    pub text: Option<String>,
    pub finish_reason: Option<String>,
    /// As JSON.
    pub meta: String,
}

/// An answer to a prompt that is not about a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedAnswer {
    pub id: i64,
    /// The prompt, as JSON.
    pub prompt: String,
    pub text: String,
}

/// The cost of an answer, without its text and its prompt's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerMeta {
    /// The prompt's number; answers with the same number belong to the same prompt.
    pub prompt: i64,
    /// As JSON.
    pub parameters: String,
    /// As JSON.
    pub meta: String,
}

/// The columns that [`prompted`] reads.
const COLUMNS: &str = "p.prompt, a.model, a.parameters, a.attempt, a.text, a.finish_reason, a.meta";

/// The answer that a prediction was taken from.
const LINK: &str = "INSERT INTO prediction_answers (prediction, answer) VALUES (?1, ?2)";

impl Store {
    /// Writes answers in one transaction, as those of a run of this name, and returns how many were new. This cannot be
    /// cancelled: the answers are paid for.
    ///
    /// # Errors
    /// [`StoreError::Locked`] where another process was writing the whole time; then nothing was written.
    pub fn write_answers(
        &mut self,
        run: &str,
        groups: &[AnswerGroup<'_>],
    ) -> Result<u64, StoreError> {
        if !self.asks {
            return Err(StoreError::ReadOnly {
                path: self.path.clone(),
            });
        }
        self.named(|| {
            let conn = &self.conn;
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            let mut n_new = 0;
            for group in groups {
                n_new += write_group(conn, run, group)?;
            }
            transaction.commit()?;
            Ok(n_new)
        })
    }

    /// Lists the attempts that have an answer, in order.
    pub fn answered(
        &self,
        prompt: ContentHash,
        model: &str,
        parameters: &str,
    ) -> Result<Vec<u32>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(
                "SELECT a.attempt FROM prompts p JOIN answers a ON a.prompt = p.id
                 WHERE p.hash = ?1 AND a.model = ?2 AND a.parameters = ?3 ORDER BY a.attempt",
            )?;
            let attempts =
                statement.query_map(params![prompt.0, model, parameters], |row| row.get(0))?;
            Ok(attempts.collect::<Result<_, _>>()?)
        })
    }

    /// Counts the first attempts whose answer has a text, even an empty one. Answers to prompts that are too long for
    /// the model have none.
    pub fn n_answered(
        &self,
        prompt: ContentHash,
        model: &str,
        (parameters, n_attempts): (&str, u32),
    ) -> Result<u64, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(
                "SELECT count(a.text) FROM prompts p JOIN answers a ON a.prompt = p.id
                 WHERE p.hash = ?1 AND a.model = ?2 AND a.parameters = ?3 AND a.attempt < ?4",
            )?;
            let given = params![prompt.0, model, parameters, n_attempts];
            let n: u32 = statement.query_row(given, |row| row.get(0))?;
            Ok(u64::from(n))
        })
    }

    /// Reads the answers that no prediction of the run was taken from, in order of their attempts.
    pub fn untaken_answers(
        &self,
        run: Option<i64>,
        prompt: ContentHash,
        model: &str,
        parameters: &str,
    ) -> Result<Vec<StoredAnswer>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare_cached(
                "SELECT a.id, a.attempt, a.text, a.finish_reason FROM prompts p JOIN answers a ON a.prompt = p.id
                 WHERE p.hash = ?1 AND a.model = ?2 AND a.parameters = ?3 AND NOT EXISTS (
                    SELECT 1 FROM prediction_answers t WHERE t.answer = a.id AND t.prediction >= ?4 AND t.prediction < ?5
                 ) ORDER BY a.attempt",
            )?;
            let (from, to) = run.map_or((0, 0), |run| (row_id(run, 0), row_id(run + 1, 0)));
            let answers = statement.query_map(
                params![prompt.0, model, parameters, from, to],
                |row| {
                    Ok(StoredAnswer {
                        id: row.get(0)?,
                        attempt: row.get(1)?,
                        text: row.get(2)?,
                        finish_reason: row.get(3)?,
                    })
                },
            )?;
            Ok(answers.collect::<Result<_, _>>()?)
        })
    }

    /// Records that answers belong to the run of this name, each with the line of its prompt.
    pub fn claim_answers(&mut self, run: &str, answers: &[(i64, u32)]) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            {
                let mut claim = claim(conn)?;
                for (answer, line) in answers {
                    claim.execute(params![run, answer, line])?;
                }
            }
            transaction.commit()?;
            Ok(())
        })
    }

    /// Tells whether a run of this name has answers.
    pub fn has_answers(&self, run: &str) -> Result<bool, StoreError> {
        self.named(|| {
            let sql = "SELECT EXISTS (SELECT 1 FROM run_answers WHERE run = ?1)";
            Ok(self.conn.query_row(sql, [run], |row| row.get(0))?)
        })
    }

    /// Removes predictions that an unfinished append left after the published predictions of a run.
    pub fn trim_run(&mut self, run: i64, n_predictions: u32) -> Result<(), StoreError> {
        self.writing(|conn| {
            let range = [row_id(run, n_predictions), row_id(run + 1, 0)];
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            for table in [
                "DELETE FROM prediction_answers WHERE prediction >= ?1 AND prediction < ?2",
                "DELETE FROM predictions WHERE id >= ?1 AND id < ?2",
            ] {
                conn.execute(table, range)?;
            }
            transaction.commit()?;
            Ok(())
        })
    }

    /// Adds predictions to a run, the first one with the number `first`, each with the answer that it was taken from.
    /// Each gets the next attempt that its sample has no prediction for.
    pub fn append_predictions(
        &mut self,
        run: i64,
        first: u32,
        predictions: &mut [(Prediction, i64)],
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            append(conn, run, first, predictions)?;
            transaction.commit()?;
            Ok(())
        })
    }

    /// Makes the predictions that were added to a run visible to readers.
    pub fn publish_appended(&mut self, run: i64, n_predictions: u32) -> Result<(), StoreError> {
        self.writing(|conn| {
            conn.execute(
                "UPDATE runs SET n_predictions = ?2, n_samples =
                    (SELECT count(*) FROM predictions WHERE id >= ?3 AND id < ?4 AND attempt = 0)
                 WHERE id = ?1",
                params![
                    run,
                    n_predictions,
                    row_id(run, 0),
                    row_id(run, n_predictions)
                ],
            )?;
            version::touch(conn)
        })
    }

    /// Reads the answer that a prediction was taken from.
    pub fn prediction_answer(
        &self,
        run: i64,
        ordinal: u32,
    ) -> Result<Option<PromptedAnswer>, StoreError> {
        self.reading(|conn| {
            let sql = format!(
                "SELECT {COLUMNS} FROM prediction_answers t JOIN answers a ON a.id = t.answer
                 JOIN prompts p ON p.id = a.prompt WHERE t.prediction = ?1"
            );
            Ok(conn
                .query_row(&sql, [row_id(run, ordinal)], prompted)
                .optional()?)
        })
    }

    /// Reads the answers to prompts without a sample that belong to a run of this name, or to a model, in the order in
    /// which they came.
    pub fn asked_answers(&self, name: &str) -> Result<Vec<AskedAnswer>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT a.id, p.prompt, a.text FROM prompts p JOIN answers a ON a.prompt = p.id
                 WHERE p.sample IS NULL AND a.text IS NOT NULL AND (a.model = ?1
                    OR EXISTS (SELECT 1 FROM run_answers r WHERE r.answer = a.id AND r.run = ?1))
                 ORDER BY a.id",
            )?;
            let answers = statement.query_map([name], |row| {
                Ok(AskedAnswer {
                    id: row.get(0)?,
                    prompt: row.get(1)?,
                    text: row.get(2)?,
                })
            })?;
            Ok(answers.collect::<Result<_, _>>()?)
        })
    }

    /// Records which answers the predictions of a run were taken from, by their numbers.
    pub fn link_answers(&mut self, run: i64, links: &[(u32, i64)]) -> Result<(), StoreError> {
        self.writing(|conn| {
            let transaction = rusqlite::Transaction::new_unchecked(
                conn,
                rusqlite::TransactionBehavior::Immediate,
            )?;
            {
                let mut link = conn.prepare_cached(LINK)?;
                for (ordinal, answer) in links {
                    link.execute(params![row_id(run, *ordinal), answer])?;
                }
            }
            transaction.commit()?;
            Ok(())
        })
    }

    /// Passes the cost of every answer of a run to `each`; answers to one prompt with the same parameters come one
    /// after another.
    pub fn each_answer_meta(
        &self,
        run: &str,
        mut each: impl FnMut(AnswerMeta),
    ) -> Result<(), StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT a.prompt, a.parameters, a.meta FROM run_answers r JOIN answers a ON a.id = r.answer
                 WHERE r.run = ?1 ORDER BY a.prompt, a.model, a.parameters",
            )?;
            let mut rows = statement.query([run])?;
            while let Some(row) = rows.next()? {
                each(AnswerMeta {
                    prompt: row.get(0)?,
                    parameters: row.get(1)?,
                    meta: row.get(2)?,
                });
            }
            Ok(())
        })
    }

    /// Passes the metadata of every prediction of a run that has any to `each`; predictions for one sample come one
    /// after another.
    pub fn each_prediction_meta(
        &self,
        run: &str,
        mut each: impl FnMut(AnswerMeta),
    ) -> Result<(), StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT p.key, p.meta FROM runs r
                 JOIN predictions p ON p.id BETWEEN r.id << 32 AND (r.id + 1 << 32) - 1
                 WHERE r.name = ?1 AND p.meta IS NOT NULL ORDER BY p.key, p.attempt",
            )?;
            let mut rows = statement.query([run])?;
            let mut last: Option<(i64, [u8; 16])> = None;
            while let Some(row) = rows.next()? {
                let key: [u8; 16] = row.get(0)?;
                let prompt = match last {
                    Some((number, known)) => number + i64::from(known != key),
                    None => 0,
                };
                last = Some((prompt, key));
                each(AnswerMeta {
                    prompt,
                    parameters: String::new(),
                    meta: row.get(1)?,
                });
            }
            Ok(())
        })
    }

    /// Passes every answer of a run to `each`, in the order of prompts, parameters and attempts.
    pub fn each_answer<E: From<StoreError>>(
        &self,
        run: &str,
        mut each: impl FnMut(PromptedAnswer) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {COLUMNS} FROM run_answers r JOIN answers a ON a.id = r.answer
                 JOIN prompts p ON p.id = a.prompt
                 WHERE r.run = ?1 ORDER BY r.line, a.parameters, a.attempt"
            ))?;
            let mut rows = statement.query([run])?;
            while let Some(row) = rows.next()? {
                stopped = each(prompted(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }
}

fn prompted(row: &Row<'_>) -> rusqlite::Result<PromptedAnswer> {
    Ok(PromptedAnswer {
        prompt: row.get(0)?,
        model: row.get(1)?,
        parameters: row.get(2)?,
        attempt: row.get(3)?,
        text: row.get(4)?,
        finish_reason: row.get(5)?,
        meta: row.get(6)?,
    })
}

fn claim(conn: &Connection) -> Result<rusqlite::CachedStatement<'_>, StoreFailure> {
    Ok(conn.prepare_cached(
        "INSERT OR REPLACE INTO run_answers (run, answer, line) VALUES (?1, ?2, ?3)",
    )?)
}

fn write_group(conn: &Connection, run: &str, group: &AnswerGroup<'_>) -> Result<u64, StoreFailure> {
    let prompt = group.prompt;
    let mut insert = conn.prepare_cached(
        "INSERT INTO prompts (hash, kind, sample, prompt) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
    )?;
    let sample = prompt.sample.map(|sample_key| sample_key.0);
    insert.execute(params![prompt.hash.0, prompt.kind, sample, prompt.json])?;
    let mut find = conn.prepare_cached("SELECT id FROM prompts WHERE hash = ?1")?;
    let id: i64 = find.query_row([prompt.hash.0], |row| row.get(0))?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO answers (prompt, model, parameters, attempt, text, finish_reason, request_hash, meta)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
    )?;
    let mut claim = claim(conn)?;
    let mut n_new = 0;
    for answer in group.answers {
        let n_rows = insert.execute(params![
            id,
            group.model,
            group.parameters,
            answer.attempt,
            answer.text,
            answer.finish_reason,
            answer.request_hash.0,
            answer.meta
        ])?;
        if n_rows == 1 {
            n_new += 1;
            claim.execute(params![run, conn.last_insert_rowid(), group.line])?;
        }
    }
    Ok(n_new)
}

fn append(
    conn: &Connection,
    run: i64,
    first: u32,
    predictions: &mut [(Prediction, i64)],
) -> Result<(), StoreFailure> {
    let mut next = conn.prepare_cached(
        "SELECT coalesce(max(attempt) + 1, 0) FROM predictions WHERE key = ?1 AND id >= ?2 AND id < ?3",
    )?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO predictions (id, key, attempt, content_hash, line, answer, code, meta)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    let mut link = conn.prepare_cached(LINK)?;
    for (ordinal, (prediction, answer)) in (first..).zip(predictions) {
        let id = row_id(run, ordinal);
        let range = params![prediction.key.0, row_id(run, 0), row_id(run + 1, 0)];
        prediction.attempt = next.query_row(range, |row| row.get(0))?;
        insert.execute(params![
            id,
            prediction.key.0,
            prediction.attempt,
            prediction.content_hash.0,
            prediction.line,
            prediction.answer,
            prediction.code,
            prediction.meta
        ])?;
        link.execute(params![id, *answer])?;
    }
    Ok(())
}
