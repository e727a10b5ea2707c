//! The present state of a sample, to be compared with the state that somebody judged.

use rusqlite::{Row, params};

use crate::model::{ContentHash, Language, Matcher, MethodKey, RepoKey, SampleKey, Stage, Status};

use super::codec::repo_key;
use super::codec::{code, decode, decode_optional, matcher_bits, unpack_candidates};
use super::error::StoreFailure;
use super::query::shown_matcher;
use super::{Store, StoreError};

/// A sample, with the decision of the shown matcher.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleState {
    pub content_hash: ContentHash,
    /// The key of the focal method; absent when unmapped.
    pub focal: Option<String>,
    pub repo: RepoKey,
    /// `CounterTest.testInc`.
    pub test: String,
    pub status: Status,
    pub stage: Option<Stage>,
    /// 0..=1; absent when unmapped.
    pub weight: Option<f64>,
}

impl Store {
    /// Passes every test of a repository with its content and the decision of the shown matcher to `each`: the status,
    /// and the key of the focal method, empty when there is none. Passes nothing for a repository that the index does
    /// not have. Stops at the first error.
    pub fn each_state_of<E: From<StoreError>>(
        &self,
        repo: &RepoKey,
        mut each: impl FnMut(SampleKey, ContentHash, (i64, &str)) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT t.key, e.content_hash, d.status, m.class, m.name, m.parameters, m.ordinal
                 FROM repos r JOIN tests t ON t.id >= r.generation << 32 AND t.id < (r.generation + 1) << 32
                    JOIN decisions d ON d.id = t.id | ?2 JOIN details e ON e.id = d.id
                    LEFT JOIN methods m ON m.id = d.focal_method
                 WHERE r.identity = ?1 AND r.language = ?3",
            )?;
            let matcher = matcher_bits(shown_matcher(conn)?);
            let language = code(Language::ALL, repo.language);
            let mut rows = statement.query(params![repo.identity, matcher, language])?;
            while let Some(row) = rows.next()? {
                let focal = method_key(row, 3)?.unwrap_or_default();
                let key = SampleKey(row.get(0)?);
                stopped = each(key, ContentHash(row.get(1)?), (row.get(2)?, &focal));
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Reads the present state of each sample, in the order of `keys`; nothing for one that the index does not have.
    pub fn states(&self, keys: &[SampleKey]) -> Result<Vec<Option<SampleState>>, StoreError> {
        self.reading(|conn| {
            let matchers = [&[shown_matcher(conn)?], Matcher::ALL].concat();
            let mut statement = conn.prepare(
                "SELECT e.content_hash, r.identity, r.language, d.test_class, d.test_name, d.status, d.stage, d.weight,
                    m.class, m.name, m.parameters, m.ordinal
                 FROM tests t JOIN repos r ON r.generation = t.id >> 32 JOIN decisions d ON d.id = t.id | ?2
                    JOIN details e ON e.id = d.id LEFT JOIN methods m ON m.id = d.focal_method
                 WHERE t.key = ?1",
            )?;
            let mut states = Vec::with_capacity(keys.len());
            for key in keys {
                let mut state = None;
                for matcher in &matchers {
                    let mut rows = statement.query(params![key.0, matcher_bits(*matcher)])?;
                    let Some(row) = rows.next()? else { continue };
                    let [class, test]: [String; 2] = [row.get(3)?, row.get(4)?];
                    let weight: f64 = row.get(7)?;
                    state = Some(SampleState {
                        content_hash: ContentHash(row.get(0)?),
                        focal: method_key(row, 8)?,
                        repo: repo_key(row, 1)?,
                        test: format!("{class}.{test}"),
                        status: decode(Status::ALL, row.get(5)?)?,
                        stage: decode_optional(Stage::ALL, row.get(6)?)?,
                        weight: (weight >= 0.0).then_some(weight),
                    });
                    break;
                }
                states.push(state);
            }
            Ok(states)
        })
    }
}

impl Store {
    /// Counts the candidates of each of these tests for the shown matcher; nothing for one that the index does not
    /// have, or that the matcher did not decide on.
    pub fn n_candidates(&self, keys: &[SampleKey]) -> Result<Vec<Option<usize>>, StoreError> {
        self.reading(|conn| {
            let matcher = shown_matcher(conn)?;
            let mut statement = conn.prepare(
                "SELECT e.candidates FROM tests t JOIN decisions d ON d.id = t.id | ?2 JOIN details e ON e.id = d.id
                 WHERE t.key = ?1",
            )?;
            let counts = keys.iter().map(|key| {
                let mut rows = statement.query(params![key.0, matcher_bits(matcher)])?;
                let Some(row) = rows.next()? else {
                    return Ok(None);
                };
                let packed: Vec<u8> = row.get(0)?;
                Ok(Some(unpack_candidates(&packed)?.len()))
            });
            counts.collect()
        })
    }
}

/// Reads a method's key from its class, name, parameters and ordinal; nothing where there is no method.
fn method_key(row: &Row<'_>, first: usize) -> Result<Option<String>, StoreFailure> {
    let text = |idx| row.get_ref(idx)?.as_str().map_err(rusqlite::Error::from);
    let Some(ordinal) = row.get(first + 3)? else {
        return Ok(None);
    };
    let key = MethodKey {
        class: text(first)?,
        name: text(first + 1)?,
        parameters: text(first + 2)?,
        ordinal,
    };
    Ok(Some(key.to_string()))
}
