//! Samples as the two texts that near duplicates are recognised by, with little else: takes half the time of reading
//! whole samples.
//!
//! Decides when data derived from all samples are out of date ([`Store::stamp`]), but not which data there are.

use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::model::{ContentHash, Filter, Language, Matcher, SampleRow, Span, Split};

use super::codec::{ORDINAL_BITS, code, decode, decode_optional};
use super::error::StoreFailure;
use super::list::{ROW_COLUMNS, ROW_TABLES, sample_row};
use super::query::{Query, shown_matcher};
use super::sql::Sql;
use super::text::{SearchedDecision, TextSearch};
use super::texts::TextCache;
use super::{Store, StoreError};

/// A method's source within its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodText {
    text: Arc<str>,
    span: Span,
}

impl MethodText {
    #[must_use]
    pub fn source(&self) -> &str {
        self.span.of(&self.text)
    }
}

/// The two texts of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairTexts {
    pub language: Language,
    pub test: MethodText,
    /// Absent when unmapped.
    pub focal: Option<MethodText>,
}

/// A sample, as passed to a callback, by the decision of the shown matcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassingPair {
    /// The [`SampleRow::id`].
    pub id: i64,
    pub content_hash: ContentHash,
    pub split_random: Option<Split>,
    pub split_project: Option<Split>,
    /// Identifies the focal method within its generation; see [`PassingPair::generation`].
    pub focal: Option<i64>,
    /// Present only if the caller wanted them.
    pub texts: Option<PairTexts>,
}

impl PassingPair {
    /// Returns the number of the repository as it was mined: samples come repository by repository.
    #[must_use]
    pub const fn generation(&self) -> i64 {
        self.id >> ORDINAL_BITS
    }
}

/// A sample that was requested by its id.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPair {
    pub row: SampleRow,
    pub split_random: Option<Split>,
    pub split_project: Option<Split>,
    pub texts: PairTexts,
}

impl Store {
    /// Returns sixteen bytes that change whenever samples come, go or change their splits; runs and verdicts do not
    /// matter.
    pub fn stamp(&self) -> Result<[u8; 16], StoreError> {
        self.reading(stamp)
    }

    /// Passes every sample to `each`, repository by repository, in one transaction; returns the stamp of the state that
    /// was read. Texts are read for samples whose content is `wanted`.
    pub fn each_pair<E: From<StoreError>>(
        &self,
        mut wanted: impl FnMut(ContentHash) -> bool,
        mut each: impl FnMut(PassingPair) -> Result<(), E>,
    ) -> Result<[u8; 16], E> {
        let mut stopped = Ok(());
        let stamp = self.reading(|conn| {
            let Sql { text, values } = Query::compile(conn, &Filter::default())?.in_order();
            let mut statement = conn.prepare(&format!(
                "SELECT d.id, (SELECT content_hash FROM details WHERE id = d.id), d.split, r.split, d.focal_method,
                    r.language, d.method{text}"
            ))?;
            let mut files = TextCache::prepare(conn)?;
            let mut rows = statement.query(params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                let content_hash = ContentHash(row.get(1)?);
                let focal: Option<i64> = row.get(4)?;
                let texts = if wanted(content_hash) {
                    let language = decode(Language::ALL, row.get(5)?)?;
                    Some(pair(&mut files, language, row.get(6)?, focal)?)
                } else {
                    None
                };
                stopped = each(PassingPair {
                    id: row.get(0)?,
                    content_hash,
                    split_random: decode_optional(Split::ALL, row.get(2)?)?,
                    split_project: decode_optional(Split::ALL, row.get(3)?)?,
                    focal,
                    texts,
                });
                if stopped.is_err() {
                    break;
                }
            }
            stamp(conn)
        })?;
        stopped.map(|()| stamp)
    }

    /// Reads the samples with these ids that the filter lets through, at most `limit`, in the order of `ids`.
    pub fn pairs_of(
        &self,
        ids: &[i64],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<StoredPair>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let Sql { text, values } = query.conditions();
            let mut statement = conn.prepare(&format!(
                "SELECT {ROW_COLUMNS}, d.split, r.split, r.language, d.method, d.focal_method
                 FROM {ROW_TABLES} WHERE d.id = ?{text}"
            ))?;
            let mut files = TextCache::prepare(conn)?;
            let mut search = TextSearch::prepare(conn, &query.texts)?;
            let mut pairs = Vec::new();
            for id in ids {
                if pairs.len() == limit {
                    break;
                }
                let all = [Value::Integer(*id)]
                    .into_iter()
                    .chain(values.iter().cloned());
                let mut rows = statement.query(params_from_iter(all))?;
                let Some(row) = rows.next()? else { continue };
                let looked = SearchedDecision {
                    id: row.get(0)?,
                    test: row.get(14)?,
                    focal: row.get(15)?,
                };
                if !search.lets_through(looked)? {
                    continue;
                }
                let language = decode(Language::ALL, row.get(13)?)?;
                pairs.push(StoredPair {
                    split_random: decode_optional(Split::ALL, row.get(11)?)?,
                    split_project: decode_optional(Split::ALL, row.get(12)?)?,
                    texts: pair(&mut files, language, looked.test, looked.focal)?,
                    row: sample_row(row)?,
                });
            }
            Ok(pairs)
        })
    }
}

/// Generations never change once they are current, except for their splits, which are settled once.
pub(super) fn stamp(conn: &Connection) -> Result<[u8; 16], StoreFailure> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&code(Matcher::ALL, shown_matcher(conn)?).to_le_bytes());
    let mut statement =
        conn.prepare("SELECT generation, split, is_settled FROM repos ORDER BY generation")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..3 {
            hasher.update(&row.get::<_, i64>(column)?.to_le_bytes());
        }
    }
    let mut bytes = [0; 16];
    hasher.finalize_xof().fill(&mut bytes);
    Ok(bytes)
}

/// Reads the texts of a test and of a focal method in a repository of this language.
fn pair(
    texts: &mut TextCache<'_>,
    language: Language,
    test: i64,
    focal: Option<i64>,
) -> Result<PairTexts, StoreFailure> {
    let mut method = |id| {
        let (text, span) = texts.of_method(id)?;
        Ok::<_, StoreFailure>(MethodText { text, span })
    };
    Ok(PairTexts {
        language,
        test: method(test)?,
        focal: focal.map(method).transpose()?,
    })
}
