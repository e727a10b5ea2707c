//! Tags of predictions: written with the scores, counted over a run.
//!
//! `model` defines what a tag means, and `failure` decides which tags apply.

use rusqlite::{Connection, params};

use crate::model::{Tag, Tags};
use crate::task::Monitor;

use super::batch::delete_in_pieces;
use super::codec::{count, row_id};
use super::error::StoreFailure;
use super::{Store, StoreError};

/// The metric name under which the progress of tags is recorded; no metric has this name.
pub(super) const FAILURE: &str = "failure";

impl Store {
    /// Counts the first answers of a run by tag, in the order of [`Tag::ALL`], without tags that no answer has. An
    /// answer with two tags counts for both.
    pub fn tag_counts(&self, run: i64) -> Result<Vec<(Tag, u64)>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT f.tags, COUNT(*) FROM failures f JOIN predictions p ON p.id = f.prediction
                 WHERE f.prediction >= ?1 AND f.prediction < ?2 AND p.attempt = 0 GROUP BY f.tags",
            )?;
            let mut rows = statement.query([row_id(run, 0), row_id(run + 1, 0)])?;
            let mut counts = vec![0; Tag::ALL.len()];
            while let Some(row) = rows.next()? {
                let n_predictions = count(row, 1)?;
                for tag in Tags(row.get(0)?).iter() {
                    counts[tag as usize] += n_predictions;
                }
            }
            let all = Tag::ALL.iter().copied().zip(counts);
            Ok(all.filter(|pair| pair.1 > 0).collect())
        })
    }

    /// Tells whether all predictions of a run have their tags.
    pub fn is_tagged(&self, run: i64) -> Result<bool, StoreError> {
        Ok(self.evaluations(run, &[FAILURE])? != [None])
    }
}

/// Writes the tags of predictions from number `first` on; none for predictions with nothing to compare with.
pub(super) fn write_tags(
    conn: &Connection,
    run: i64,
    first: u32,
    tags: &[Option<Tags>],
) -> Result<(), StoreFailure> {
    let mut insert =
        conn.prepare("INSERT OR REPLACE INTO failures (prediction, tags) VALUES (?1, ?2)")?;
    for (ordinal, tags) in (first..).zip(tags) {
        if let Some(tags) = tags {
            insert.execute(params![row_id(run, ordinal), tags.0])?;
        }
    }
    Ok(())
}

/// Deletes the tags of a run's predictions, in short transactions.
pub(super) fn delete_tags(
    conn: &Connection,
    run: i64,
    monitor: &Monitor,
) -> Result<(), StoreFailure> {
    delete_in_pieces(
        conn,
        "DELETE FROM failures WHERE prediction IN
            (SELECT prediction FROM failures WHERE prediction >= ?1 AND prediction < ?2 LIMIT ?3)",
        [row_id(run, 0), row_id(run + 1, 0)],
        monitor,
    )
}
