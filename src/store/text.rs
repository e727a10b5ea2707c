//! Source text out of the index: one file, and the search in bodies.
//!
//! The bodies of all tests that the rest of the filter lets through are looked at, file by file, until the answer is whole
//! or somebody interrupts; but those that [`super::grams`] knows not to hold a piece.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Statement};

use crate::model::Span;

use super::codec::{ORDINAL_BITS, count};
use super::error::Failure;
use super::grams::Grams;
use super::query::TextTerm;

/// Unpacks files, and keeps the last few: neighbours in a list come from the same ones.
pub(super) struct Texts<'c> {
    source: Statement<'c>,
    place: Statement<'c>,
    cached: Vec<(i64, Arc<str>)>,
    /// Searches compare in lower case.
    is_lower: bool,
}

/// A test, its focal method, and the files of their superclasses.
const TEXTS_MAX: usize = 8;

impl<'c> Texts<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> Result<Self, Failure> {
        Ok(Self {
            source: conn.prepare(
                "SELECT s.size_bytes, s.zstd FROM files f JOIN sources s ON s.id = f.source WHERE f.id = ?1",
            )?,
            place: conn.prepare("SELECT file, span_start, span_end FROM methods WHERE id = ?1")?,
            cached: Vec::new(),
            is_lower: false,
        })
    }

    /// Returns texts in lower case, as searches compare them.
    pub(super) fn lower(conn: &'c Connection) -> Result<Self, Failure> {
        Ok(Self {
            is_lower: true,
            ..Self::prepare(conn)?
        })
    }

    /// Returns a method's file, and where it is in it.
    pub(super) fn of_method(&mut self, method: i64) -> Result<(Arc<str>, Span), Failure> {
        let place: Option<(i64, u32, u32)> = self
            .place
            .query_row([method], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let (file, start, end) =
            place.ok_or_else(|| Failure::Damaged(format!("method {method} is missing")))?;
        Ok((self.of_file(file)?, Span::new(start, end)))
    }

    pub(super) fn of_file(&mut self, file: i64) -> Result<Arc<str>, Failure> {
        if let Some(idx) = self.cached.iter().position(|(id, _)| *id == file) {
            let hit = self.cached.remove(idx);
            let text = hit.1.clone();
            self.cached.push(hit);
            return Ok(text);
        }
        let mut text = self.unpack(file)?;
        if self.is_lower {
            text.make_ascii_lowercase();
        }
        let text: Arc<str> = text.into();
        if self.cached.len() == TEXTS_MAX {
            self.cached.remove(0);
        }
        self.cached.push((file, text.clone()));
        Ok(text)
    }

    fn unpack(&mut self, file: i64) -> Result<String, Failure> {
        let packed: Option<(u64, Vec<u8>)> = self
            .source
            .query_row([file], |row| Ok((count(row, 0)?, row.get(1)?)))
            .optional()?;
        let (size_bytes, packed) =
            packed.ok_or_else(|| Failure::Damaged(format!("no source for file {file}")))?;
        let bytes = zstd::bulk::decompress(&packed, size_bytes as usize).map_err(|_| {
            Failure::Damaged(format!("the source of file {file} cannot be unpacked"))
        })?;
        String::from_utf8(bytes)
            .map_err(|_| Failure::Damaged(format!("the source of file {file} is not UTF-8")))
    }
}

/// Looks for pieces of text in tests and focal methods, whatever the case of ASCII letters.
pub(super) struct Search<'c> {
    terms: Vec<TextTerm>,
    texts: Texts<'c>,
    grams: Option<Grams>,
    /// The methods that may hold each term, where the index of texts tells.
    likely: Vec<Option<Vec<i64>>>,
}

/// The decisions that may be found, where the index of texts tells.
pub(super) struct Likely {
    /// Sorted.
    pub decisions: Vec<i64>,
    /// Generations that it knows nothing of.
    pub others: Vec<i64>,
}

impl<'c> Search<'c> {
    pub(super) fn prepare(conn: &'c Connection, terms: &[TextTerm]) -> Result<Self, Failure> {
        let grams = if terms.is_empty() {
            None
        } else {
            Grams::open(conn)?
        };
        let likely = |term: &TextTerm| match &grams {
            Some(grams) => grams.methods(conn, &term.needle),
            None => Ok(None),
        };
        Ok(Self {
            terms: terms.to_vec(),
            texts: Texts::lower(conn)?,
            likely: terms.iter().map(likely).collect::<Result<_, _>>()?,
            grams,
        })
    }

    /// Returns the decisions of which test or focal method may hold the rarest term; nothing when all may.
    pub(super) fn likely(&self, conn: &Connection) -> Result<Option<Likely>, Failure> {
        let terms = self.terms.iter().zip(&self.likely);
        let positive = terms.filter(|(term, _)| !term.negated);
        let rarest = positive
            .filter_map(|(_, methods)| methods.as_ref())
            .min_by_key(|it| it.len());
        let (Some(grams), Some(rarest)) = (&self.grams, rarest) else {
            return Ok(None);
        };
        let mut statement = conn.prepare("SELECT generation FROM repos")?;
        let generations = statement.query_map([], |row| row.get(0))?;
        let generations = generations.collect::<Result<Vec<i64>, _>>()?;
        Ok(Some(Likely {
            decisions: grams.decisions(rarest)?,
            others: generations
                .into_iter()
                .filter(|it| !grams.generations.contains(it))
                .collect(),
        }))
    }

    /// Returns whether a sample with this test and this focal method is let through by every term.
    pub(super) fn lets_through(&mut self, test: i64, focal: Option<i64>) -> Result<bool, Failure> {
        for idx in 0..self.terms.len() {
            let mut is_found = self.holds(test, idx)?;
            if let Some(focal) = focal
                && !is_found
            {
                is_found = self.holds(focal, idx)?;
            }
            if is_found == self.terms[idx].negated {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, method: i64, term_idx: usize) -> Result<bool, Failure> {
        if let (Some(grams), Some(likely)) = (&self.grams, &self.likely[term_idx])
            && grams.generations.contains(&(method >> ORDINAL_BITS))
            && likely.binary_search(&method).is_err()
        {
            return Ok(false);
        }
        let (text, span) = self.texts.of_method(method)?;
        Ok(span.of(&text).contains(&self.terms[term_idx].needle))
    }
}
