//! Runs of answers to questions that are not samples: written as a whole, found and removed by kind.

use rusqlite::params;

use crate::model::{Prediction, Question, RunKind, RunSetting, SampleKey};
use crate::task::Monitor;

use super::batch::WriteBatch;
use super::codec::code;
use super::questions::{QuestionTexts, of_key, put};
use super::runs::RunCounts;
use super::{Store, StoreError};

/// An answer with the question that it belongs to.
pub type AnsweredQuestion = (Question, Prediction);

impl Store {
    /// Writes a run of answers to questions of a kind, in place of the run of its name; where that run answers
    /// something else, the kind is appended to the name. Returns the run's id and its name; nothing where that name is
    /// also taken.
    pub fn write_question_run(
        &mut self,
        kind: RunKind,
        setting: &RunSetting,
        answered: &[AnsweredQuestion],
        monitor: &Monitor,
    ) -> Result<Option<(i64, String)>, StoreError> {
        let Some(name) = self.name_for(kind, &setting.name)? else {
            return Ok(None);
        };
        let setting = RunSetting {
            name: name.clone(),
            ..setting.clone()
        };
        let run = self.begin_run(&setting, monitor)?;
        let predictions: Vec<Prediction> =
            answered.iter().map(|answered| answered.1.clone()).collect();
        let written = self
            .write_questions((run, kind), answered, monitor)
            .and_then(|()| self.write_predictions(run, 0, &predictions, monitor));
        if let Err(error) = written {
            self.discard_run(run)?;
            return Err(error);
        }
        let n_first = predictions
            .iter()
            .filter(|prediction| prediction.attempt == 0)
            .count();
        let counts = RunCounts {
            n_predictions: predictions.len() as u32,
            n_samples: n_first as u32,
        };
        self.publish_run(run, counts, &[], monitor)?;
        Ok(Some((run, name)))
    }

    /// Removes a run of answers to questions of a kind, under its own name or with the kind appended; returns whether
    /// there was one.
    pub fn remove_question_run(
        &mut self,
        kind: RunKind,
        name: &str,
        monitor: &Monitor,
    ) -> Result<bool, StoreError> {
        for name in names(kind, name) {
            if self.run(&name)?.is_some_and(|run_row| run_row.kind == kind) {
                return self.remove_run(&name, monitor);
            }
        }
        Ok(false)
    }

    /// Looks up a question; nothing where no question has this key.
    pub fn question(&self, key: &SampleKey) -> Result<Option<Question>, StoreError> {
        self.reading(|conn| of_key(conn, key, QuestionTexts::All))
    }

    /// Lists the question keys that begin with these hexadecimal digits, at most `limit`, in order.
    pub fn question_keys(&self, digits: &str, limit: u32) -> Result<Vec<SampleKey>, StoreError> {
        let Some((first, last)) = SampleKey::beginning_with(digits) else {
            return Ok(Vec::new());
        };
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT key FROM questions WHERE key >= ?1 AND key <= ?2 ORDER BY key LIMIT ?3",
            )?;
            let keys = statement.query_map(params![first.0, last.0, limit], |row| {
                Ok(SampleKey(row.get(0)?))
            })?;
            Ok(keys.collect::<Result<_, _>>()?)
        })
    }

    fn name_for(&self, kind: RunKind, name: &str) -> Result<Option<String>, StoreError> {
        for name in names(kind, name) {
            if self.run(&name)?.is_none_or(|run_row| run_row.kind == kind) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    pub(super) fn write_questions(
        &mut self,
        (run, kind): (i64, RunKind),
        answered: &[AnsweredQuestion],
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.writing(|conn| {
            let mut batch = WriteBatch::begin(conn, monitor)?;
            conn.execute(
                "UPDATE runs SET kind = ?2 WHERE id = ?1",
                params![run, code(RunKind::ALL, kind)],
            )?;
            for (question, _) in answered {
                batch.rows(1)?;
                put(conn, question)?;
            }
            batch.finish()
        })
    }
}

/// Lists the names that a run may have; the first free one is taken.
fn names(kind: RunKind, name: &str) -> [String; 2] {
    [name.to_owned(), format!("{name}.{}", kind.as_str())]
}
