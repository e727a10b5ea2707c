//! The facts about a run's predictions, column by column: values, readings, and the sample of each.
//!
//! A list of a million predictions is filtered and sorted in memory, so columns are read whole, in the order in which
//! they are stored, without any texts. Every read reports its rows to the monitor and stops when that is cancelled; the
//! statement stays open throughout, so that an interrupt takes effect as well. `eval` defines what a filter of
//! predictions means; its conditions on samples are queried here ([`links`]), and [`rows`] reads the rows of a page.

mod links;
mod rows;
mod ruled;

use std::sync::atomic::Ordering;

use rusqlite::{Connection, Params, Row, params};
use rustc_hash::FxHashMap;

use crate::model::Tags;
use crate::task::Monitor;

use super::codec::row_id;
use super::error::StoreFailure;
use super::{Store, StoreError};

pub(crate) use links::FOCAL_CLASS;
pub use links::{Attribute, LinkedPairs, Links, SortableColumn};
pub use rows::StoredResult;
pub use ruled::{RuledPrediction, TaggedNow};

/// A text that is searched for in predictions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredictionNeedle<'t> {
    pub text: &'t str,
    /// Whether the predictions that contain it are wanted; else those that do not.
    pub is_wanted: bool,
}

/// Rows between two checks of the monitor: a cancel takes effect soon, and checking costs little compared with reading.
const ROWS_PER_STEP: u64 = 4_096;

/// Whether a prediction parses, and similar flags; all off for a prediction that has no reading yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultFlags(u8);

impl ResultFlags {
    const READ: u8 = 1;
    const UNPARSABLE: u8 = 2;
    const OVER_LENGTH: u8 = 4;
    const CHANGED: u8 = 8;
    const REFERENCE: u8 = 16;
    const LOOKED: u8 = 32;
    const ASSERTS: u8 = 64;

    #[must_use]
    pub const fn is_read(self) -> bool {
        self.0 & Self::READ != 0
    }

    #[must_use]
    pub const fn is_unparsable(self) -> bool {
        self.0 & Self::UNPARSABLE != 0
    }

    #[must_use]
    pub const fn is_over_length(self) -> bool {
        self.0 & Self::OVER_LENGTH != 0
    }

    #[must_use]
    pub const fn is_changed(self) -> bool {
        self.0 & Self::CHANGED != 0
    }

    /// Tells whether something in it can fail; nothing where it does not parse, or this was not checked.
    #[must_use]
    pub fn asserts(self) -> Option<bool> {
        (self.0 & Self::LOOKED != 0).then_some(self.0 & Self::ASSERTS != 0)
    }

    /// Tells whether there is a reference to compare with: without one, no score counts.
    #[must_use]
    pub const fn has_reference(self) -> bool {
        self.0 & Self::REFERENCE != 0
    }
}

/// A column of words from an open set, each word stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordColumn {
    /// For each prediction, an index into `names`; [`WordColumn::NONE`] where there is no word.
    pub places: Vec<u32>,
    pub names: Vec<String>,
}

impl WordColumn {
    /// The index that stands for "no word".
    pub const NONE: u32 = u32::MAX;

    /// Looks up the word of a prediction.
    #[must_use]
    pub fn of(&self, ordinal: u32) -> Option<&str> {
        let place = *self.places.get(ordinal as usize)?;
        self.names.get(place as usize).map(String::as_str)
    }
}

/// Builds a [`WordColumn`].
struct WordInterner {
    words: WordColumn,
    known: FxHashMap<String, u32>,
}

impl WordInterner {
    fn new(n_predictions: u32) -> Self {
        Self {
            words: WordColumn {
                places: vec![WordColumn::NONE; n_predictions as usize],
                names: Vec::new(),
            },
            known: FxHashMap::default(),
        }
    }

    fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.known.get(word) {
            return *place;
        }
        let place = self.words.names.len() as u32;
        self.words.names.push(word.to_owned());
        self.known.insert(word.to_owned(), place);
        place
    }

    fn set(&mut self, ordinal: u32, word: &str) {
        let place = self.place(word);
        if let Some(n) = self.words.places.get_mut(ordinal as usize) {
            *n = place;
        }
    }
}

/// The number of lexer tokens of each prediction and of its reference; 0 where there is no reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub of_predictions: Vec<u32>,
    pub of_references: Vec<u32>,
}

impl Store {
    /// Reads the values of an evaluation by the numbers of predictions; NaN where there is none.
    pub fn result_scores(
        &self,
        evaluation: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<Vec<f64>, StoreError> {
        self.reading(|conn| {
            let mut values = vec![f64::NAN; n_predictions as usize];
            each_row(
                conn,
                "SELECT ordinal, value FROM scores WHERE evaluation = ?1 ORDER BY ordinal",
                [evaluation],
                monitor,
                |ordinal, row| {
                    if let Some(value) = values.get_mut(ordinal as usize) {
                        *value = row.get(1)?;
                    }
                    Ok(())
                },
            )?;
            Ok(values)
        })
    }

    /// Reads the flags of each prediction's reading, by number.
    pub fn result_flags(
        &self,
        run: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<Vec<ResultFlags>, StoreError> {
        self.reading(|conn| {
            let mut flags = vec![ResultFlags::default(); n_predictions as usize];
            let columns = "1 + 2 * (error_line IS NOT NULL) + 4 * is_over_length + 8 * is_changed + 16 * has_reference
                + 32 * (asserts IS NOT NULL) + 64 * COALESCE(asserts, 0)";
            each_reading(conn, run, columns, monitor, |ordinal, row| {
                if let Some(result_flags) = flags.get_mut(ordinal as usize) {
                    *result_flags = ResultFlags(row.get(1)?);
                }
                Ok(())
            })?;
            Ok(flags)
        })
    }

    /// Reads the tags of each prediction, by number; none where they are not computed, or there is nothing to compare
    /// with.
    pub fn result_tags(
        &self,
        run: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<Vec<Tags>, StoreError> {
        self.reading(|conn| {
            let mut tags = vec![Tags::default(); n_predictions as usize];
            each_row(
                conn,
                "SELECT prediction & 4294967295, tags FROM failures WHERE prediction >= ?1 AND prediction < ?2
                 ORDER BY prediction",
                params![row_id(run, 0), row_id(run + 1, 0)],
                monitor,
                |ordinal, row| {
                    if let Some(slot) = tags.get_mut(ordinal as usize) {
                        *slot = Tags(row.get(1)?);
                    }
                    Ok(())
                },
            )?;
            Ok(tags)
        })
    }

    /// Reads the token counts of each prediction and its reference, by number.
    pub fn result_tokens(
        &self,
        run: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<TokenCounts, StoreError> {
        self.reading(|conn| {
            let n_predictions = n_predictions as usize;
            let mut counts = TokenCounts {
                of_predictions: vec![0; n_predictions],
                of_references: vec![0; n_predictions],
            };
            let columns = "n_tokens, n_reference_tokens";
            each_reading(conn, run, columns, monitor, |ordinal, row| {
                let place = ordinal as usize;
                if place < n_predictions {
                    counts.of_predictions[place] = row.get(1)?;
                    counts.of_references[place] = row.get(2)?;
                }
                Ok(())
            })?;
            Ok(counts)
        })
    }

    /// Reads the first assertion call of each reference; no word for predictions without a reading, an empty one for
    /// references without such a call.
    pub fn result_assertions(
        &self,
        run: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<WordColumn, StoreError> {
        self.reading(|conn| {
            let mut words = WordInterner::new(n_predictions);
            each_reading(conn, run, "assertion", monitor, |ordinal, row| {
                words.set(ordinal, text(row, 1)?);
                Ok(())
            })?;
            Ok(words.words)
        })
    }

    /// Reads the attempt of each prediction, from 0, by number.
    pub fn result_attempts(
        &self,
        run: i64,
        n_predictions: u32,
        monitor: &Monitor,
    ) -> Result<Vec<u32>, StoreError> {
        self.reading(|conn| {
            let mut attempts = vec![0; n_predictions as usize];
            each_row(
                conn,
                "SELECT id & 4294967295, attempt FROM predictions WHERE id >= ?1 AND id < ?2 ORDER BY id",
                params![row_id(run, 0), row_id(run + 1, 0)],
                monitor,
                |ordinal, row| {
                    if let Some(n) = attempts.get_mut(ordinal as usize) {
                        *n = row.get(1)?;
                    }
                    Ok(())
                },
            )?;
            Ok(attempts)
        })
    }

    /// Keeps those of `ordinals` whose scored text contains a text, ignoring the case of ASCII letters, or those whose
    /// scored text does not.
    pub fn retain_answers(
        &self,
        run: i64,
        ordinals: &mut Vec<u32>,
        piece: PredictionNeedle<'_>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        let needle = piece.text.to_ascii_lowercase();
        let mut buffer = String::new();
        self.reading(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT IFNULL(code, answer) FROM predictions WHERE id = ?1")?;
            let mut kept = Vec::new();
            for (idx, ordinal) in ordinals.iter().enumerate() {
                if idx.is_multiple_of(256) {
                    monitor.step()?;
                    monitor.n_predictions.fetch_add(256, Ordering::Relaxed);
                }
                let mut rows = statement.query([row_id(run, *ordinal)])?;
                let Some(row) = rows.next()? else { continue };
                buffer.clear();
                buffer.push_str(text(row, 0)?);
                buffer.make_ascii_lowercase();
                if buffer.contains(&needle) == piece.is_wanted {
                    kept.push(*ordinal);
                }
            }
            *ordinals = kept;
            Ok(())
        })
    }
}

fn text<'r>(row: &'r Row<'_>, idx: usize) -> Result<&'r str, StoreFailure> {
    let value = row.get_ref(idx)?;
    value
        .as_str()
        .map_err(|_| StoreFailure::Damaged("a text is none".to_owned()))
}

/// Passes the number and these columns of every reading of a run to `each`, in order.
fn each_reading(
    conn: &Connection,
    run: i64,
    columns: &str,
    monitor: &Monitor,
    each: impl FnMut(u32, &Row<'_>) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let sql = format!(
        "SELECT prediction & 4294967295, {columns} FROM readings WHERE prediction >= ?1 AND prediction < ?2
         ORDER BY prediction"
    );
    each_row(
        conn,
        &sql,
        params![row_id(run, 0), row_id(run + 1, 0)],
        monitor,
        each,
    )
}

/// Passes every row to `each`, with its first column.
fn each_row(
    conn: &Connection,
    sql: &str,
    params: impl Params,
    monitor: &Monitor,
    mut each: impl FnMut(u32, &Row<'_>) -> Result<(), StoreFailure>,
) -> Result<(), StoreFailure> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut steps = RowCounter::new(monitor);
    while let Some(row) = rows.next()? {
        steps.row()?;
        each(row.get(0)?, row)?;
    }
    steps.end();
    Ok(())
}

/// Counts rows, and checks from time to time whether the work should stop.
struct RowCounter<'m> {
    monitor: &'m Monitor,
    n_rows: u64,
}

impl<'m> RowCounter<'m> {
    fn new(monitor: &'m Monitor) -> Self {
        Self { monitor, n_rows: 0 }
    }

    fn row(&mut self) -> Result<(), StoreFailure> {
        self.n_rows += 1;
        if self.n_rows == ROWS_PER_STEP {
            self.end();
            self.monitor.step()?;
        }
        Ok(())
    }

    /// Reports the rows since the last report to the monitor.
    fn end(&mut self) {
        let n_rows = std::mem::take(&mut self.n_rows);
        self.monitor
            .n_predictions
            .fetch_add(n_rows, Ordering::Relaxed);
    }
}
