//! What a sample is now, to be held against what somebody judged.

use rusqlite::params;

use crate::model::{ContentHash, Matcher, SampleKey, Stage, Status};

use super::codec::{decode, decode_optional, matcher_bits};
use super::query::shown_matcher;
use super::{Store, StoreError};

/// A sample as the matcher that is shown decided on it.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleState {
    pub content_hash: ContentHash,
    /// The key of the focal method; absent when unmapped.
    pub focal: Option<String>,
    /// The project identity.
    pub repo: String,
    /// `CounterTest.testInc`.
    pub test: String,
    pub status: Status,
    pub stage: Option<Stage>,
    /// 0..=1; absent when unmapped.
    pub weight: Option<f64>,
}

impl Store {
    /// Hands every test of a repository with its content and what was decided on it by the matcher that is shown: the
    /// status, and the key of the focal method. Nothing for a repository that the index does not have. Stops at the
    /// first error.
    pub fn each_state_of<E: From<StoreError>>(
        &self,
        identity: &str,
        mut each: impl FnMut(SampleKey, ContentHash, (i64, &str)) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT t.key, e.content_hash, d.status,
                    coalesce(m.class || '#' || m.name || '(' || m.parameters || ')', '')
                 FROM repos r JOIN tests t ON t.id >= r.generation << 32 AND t.id < (r.generation + 1) << 32
                    JOIN decisions d ON d.id = t.id | ?2 JOIN details e ON e.id = d.id
                    LEFT JOIN methods m ON m.id = d.focal_method
                 WHERE r.identity = ?1",
            )?;
            let matcher = matcher_bits(shown_matcher(conn)?);
            let mut rows = statement.query(params![identity, matcher])?;
            while let Some(row) = rows.next()? {
                let focal = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
                let key = SampleKey(row.get(0)?);
                stopped = each(key, ContentHash(row.get(1)?), (row.get(2)?, focal));
                if stopped.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        stopped
    }

    /// Returns what each sample is now, in the order of `keys`; nothing for one that the index does not have.
    pub fn states(&self, keys: &[SampleKey]) -> Result<Vec<Option<SampleState>>, StoreError> {
        self.reading(|conn| {
            let matchers = [&[shown_matcher(conn)?], Matcher::ALL].concat();
            let mut statement = conn.prepare(
                "SELECT e.content_hash, m.class || '#' || m.name || '(' || m.parameters || ')', r.identity,
                    d.test_class || '.' || d.test_name, d.status, d.stage, d.weight
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
                    let weight: f64 = row.get(6)?;
                    state = Some(SampleState {
                        content_hash: ContentHash(row.get(0)?),
                        focal: row.get(1)?,
                        repo: row.get(2)?,
                        test: row.get(3)?,
                        status: decode(Status::ALL, row.get(4)?)?,
                        stage: decode_optional(Stage::ALL, row.get(5)?)?,
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
