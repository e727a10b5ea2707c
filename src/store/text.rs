//! The text search in method bodies.
//!
//! It reads the bodies of all tests that the rest of the filter lets through, file by file, until the list is complete
//! or interrupted; it skips those that, by [`super::grams`], cannot contain a text.

use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::codec::ORDINAL_BITS;
use super::error::StoreFailure;
use super::grams::GramIndex;
use super::query::TextTerm;
use super::sql::Sql;
use super::texts::TextCache;

/// A compiled term, to be tested on one row after another.
enum TextQuery<'c> {
    Holds {
        needle: String,
        /// The methods that may contain it, where the index of texts knows them; sorted.
        likely: Option<Vec<i64>>,
    },
    Row(CachedStatement<'c>, Sql),
    Not(Box<TextQuery<'c>>),
    All(Vec<TextQuery<'c>>),
    Any(Vec<TextQuery<'c>>),
}

/// A decision whose texts are searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchedDecision {
    pub id: i64,
    pub test: i64,
    pub focal: Option<i64>,
}

impl SearchedDecision {
    /// Reads the columns `d.id, d.method, d.focal_method`, the first of a row.
    pub(super) fn of(row: &rusqlite::Row<'_>) -> Result<Self, StoreFailure> {
        Ok(Self {
            id: row.get(0)?,
            test: row.get(1)?,
            focal: row.get(2)?,
        })
    }
}

/// Searches tests and focal methods for texts, ignoring the case of ASCII letters.
pub(super) struct TextSearch<'c> {
    /// All must hold.
    terms: Vec<TextQuery<'c>>,
    bodies: Bodies<'c>,
}

/// The texts of methods, and the index that makes it unnecessary to read most of them.
struct Bodies<'c> {
    texts: TextCache<'c>,
    grams: Option<GramIndex>,
}

/// The decisions that may match, by the index of texts.
pub(super) struct LikelyDecisions {
    /// Sorted.
    pub decisions: Vec<i64>,
    /// Generations that the index of texts does not know.
    pub others: Vec<i64>,
}

impl<'c> TextSearch<'c> {
    pub(super) fn prepare(conn: &'c Connection, terms: &[TextTerm]) -> Result<Self, StoreFailure> {
        let grams = if terms.is_empty() {
            None
        } else {
            GramIndex::open(conn)?
        };
        let asked = terms.iter().map(|term| asking(conn, grams.as_ref(), term));
        Ok(Self {
            terms: asked.collect::<Result<_, _>>()?,
            bodies: Bodies {
                texts: TextCache::lower(conn)?,
                grams,
            },
        })
    }

    /// Finds the decisions whose test or focal method may contain the rarest text that every result must contain;
    /// nothing when any decision may match.
    pub(super) fn likely(
        &self,
        conn: &Connection,
    ) -> Result<Option<LikelyDecisions>, StoreFailure> {
        let methods = self.terms.iter().filter_map(TextQuery::likely);
        let rarest = methods.min_by_key(|methods| methods.len());
        let (Some(grams), Some(rarest)) = (&self.bodies.grams, rarest) else {
            return Ok(None);
        };
        let mut statement = conn.prepare_cached("SELECT generation FROM repos")?;
        let generations = statement.query_map([], |row| row.get(0))?;
        let generations = generations.collect::<Result<Vec<i64>, _>>()?;
        Ok(Some(LikelyDecisions {
            decisions: grams.decisions(rarest)?,
            others: generations
                .into_iter()
                .filter(|generation| !grams.generations.contains(generation))
                .collect(),
        }))
    }

    /// Tells whether a decision is let through by every term.
    pub(super) fn lets_through(&mut self, looked: SearchedDecision) -> Result<bool, StoreFailure> {
        for term in &mut self.terms {
            if !term.is_met(&mut self.bodies, looked)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn asking<'c>(
    conn: &'c Connection,
    grams: Option<&GramIndex>,
    term: &TextTerm,
) -> Result<TextQuery<'c>, StoreFailure> {
    let all = |terms: &[TextTerm]| -> Result<Vec<TextQuery<'c>>, StoreFailure> {
        let asked = terms.iter().map(|term| asking(conn, grams, term));
        asked.collect()
    };
    Ok(match term {
        TextTerm::Holds(needle) => TextQuery::Holds {
            needle: needle.clone(),
            likely: match grams {
                Some(grams) => grams.methods(conn, needle)?,
                None => None,
            },
        },
        TextTerm::Row(sql) => {
            let statement = conn.prepare_cached(&format!(
                "SELECT {} FROM decisions d JOIN repos r ON r.generation = d.id >> 32 WHERE d.id = ?",
                sql.text
            ))?;
            TextQuery::Row(statement, sql.clone())
        }
        TextTerm::Not(term) => TextQuery::Not(Box::new(asking(conn, grams, term)?)),
        TextTerm::All(terms) => TextQuery::All(all(terms)?),
        TextTerm::Any(terms) => TextQuery::Any(all(terms)?),
    })
}

impl TextQuery<'_> {
    /// Returns the methods that may contain the text, where they are known.
    fn likely(&self) -> Option<&Vec<i64>> {
        match self {
            Self::Holds { likely, .. } => likely.as_ref(),
            Self::Row(..) | Self::Not(_) | Self::All(_) | Self::Any(_) => None,
        }
    }

    fn is_met(
        &mut self,
        bodies: &mut Bodies<'_>,
        looked: SearchedDecision,
    ) -> Result<bool, StoreFailure> {
        match self {
            Self::Holds { needle, likely } => {
                let likely = likely.as_deref();
                if bodies.hold(looked.test, needle, likely)? {
                    return Ok(true);
                }
                match looked.focal {
                    Some(focal) => bodies.hold(focal, needle, likely),
                    None => Ok(false),
                }
            }
            Self::Row(statement, sql) => {
                let id = rusqlite::types::Value::Integer(looked.id);
                let values = sql.values.iter().cloned().chain([id]);
                Ok(statement.query_row(params_from_iter(values), |row| row.get(0))?)
            }
            Self::Not(term) => Ok(!term.is_met(bodies, looked)?),
            Self::All(terms) => {
                for term in terms {
                    if !term.is_met(bodies, looked)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Self::Any(terms) => {
                for term in terms {
                    if term.is_met(bodies, looked)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

impl Bodies<'_> {
    fn hold(
        &mut self,
        method: i64,
        needle: &str,
        likely: Option<&[i64]>,
    ) -> Result<bool, StoreFailure> {
        if let (Some(grams), Some(likely)) = (&self.grams, likely)
            && grams.generations.contains(&(method >> ORDINAL_BITS))
            && likely.binary_search(&method).is_err()
        {
            return Ok(false);
        }
        let (text, span) = self.texts.of_method(method)?;
        Ok(span.of(&text).contains(needle))
    }
}
