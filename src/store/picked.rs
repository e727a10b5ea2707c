//! Decisions without their texts, and samples by number: for callers that first choose samples and then read them.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::model::{Filter, Flags, Matcher, Repo, Span, Status};

use super::codec::{ORDINAL_BITS, decode};
use super::error::StoreFailure;
use super::list::each_match;
use super::query::Query;
use super::read::{Extent, SampleReader, sample_by_id};
use super::report::{REPO_COLUMNS, repo};
use super::{Store, StoreError, StoredSample};

/// A decision without texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionFacts {
    /// The [`SampleRow::id`](crate::model::SampleRow::id).
    pub id: i64,
    pub status: Status,
    pub flags: Flags,
    pub matcher: Matcher,
}

impl DecisionFacts {
    /// Returns the number of the repository as it was mined.
    #[must_use]
    pub const fn generation(&self) -> i64 {
        self.id >> ORDINAL_BITS
    }
}

/// The locations of all tests of an index, mapped or not.
#[derive(Debug, Default)]
pub struct TestSpans(FxHashMap<(i64, String), Vec<Span>>);

impl TestSpans {
    /// Lists the tests in the file of a sample's test, in order.
    #[must_use]
    pub fn beside(&self, sample: &StoredSample) -> &[Span] {
        let file = (sample.row.id >> ORDINAL_BITS, sample.test.path.clone());
        self.0.get(&file).map_or(&[], Vec::as_slice)
    }
}

impl Store {
    /// Reads the decisions that the filter lets through, by repository, file and position.
    pub fn decisions(&self, filter: &Filter) -> Result<Vec<DecisionFacts>, StoreError> {
        self.reading(|conn| {
            let query = Query::compile(conn, filter)?;
            let mut facts = Vec::new();
            each_match(conn, &query, ", d.status, d.flags, d.matcher", |row| {
                facts.push(DecisionFacts {
                    id: row.get(0)?,
                    status: decode(Status::ALL, row.get(3)?)?,
                    flags: Flags(row.get(4)?),
                    matcher: decode(Matcher::ALL, row.get(5)?)?,
                });
                Ok(())
            })?;
            Ok(facts)
        })
    }

    /// Reads every repository with its number and the dataset that it came with.
    pub fn numbered_repos(&self) -> Result<FxHashMap<i64, (Repo, Option<String>)>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(&format!(
                "SELECT {REPO_COLUMNS}, generation, (SELECT d.name FROM datasets d WHERE d.repo = repos.id) AS dataset
                 FROM repos"
            ))?;
            let mut rows = statement.query([])?;
            let mut repos = FxHashMap::default();
            while let Some(row) = rows.next()? {
                repos.insert(row.get("generation")?, (repo(row)?, row.get("dataset")?));
            }
            Ok(repos)
        })
    }

    /// Reads the locations of all tests, by file.
    pub fn test_spans(&self) -> Result<TestSpans, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT f.id >> 32, f.path, m.span_start, m.span_end
                 FROM repos r CROSS JOIN tests t JOIN methods m ON m.id = t.method JOIN files f ON f.id = m.file
                 WHERE t.id >= r.generation << 32 AND t.id < (r.generation + 1) << 32
                 ORDER BY f.id, m.span_start",
            )?;
            let mut rows = statement.query([])?;
            let mut spans = TestSpans::default();
            while let Some(row) = rows.next()? {
                let file = (row.get(0)?, row.get(1)?);
                let span = Span::new(row.get(2)?, row.get(3)?);
                spans.0.entry(file).or_default().push(span);
            }
            Ok(spans)
        })
    }

    /// Passes the samples with these ids to `each`, in the order of the ids; samples that no longer exist are left out.
    pub fn each_sample_of<E: From<StoreError>>(
        &self,
        ids: impl IntoIterator<Item = i64>,
        extent: Extent,
        mut each: impl FnMut(StoredSample) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stopped = Ok(());
        self.reading(|conn: &Connection| {
            let mut reader = SampleReader::prepare(conn, extent)?;
            let mut statement = conn.prepare(&sample_by_id())?;
            for id in ids {
                let mut rows = statement.query([id])?;
                let Some(row) = rows.next()? else { continue };
                stopped = each(reader.sample(row)?);
                if stopped.is_err() {
                    break;
                }
            }
            Ok::<_, StoreFailure>(())
        })?;
        stopped
    }

    /// Lists the names of all datasets that rows came with, sorted.
    pub fn datasets(&self) -> Result<Vec<String>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare("SELECT DISTINCT name FROM datasets ORDER BY name")?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok(names.collect::<Result<_, _>>()?)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::SampleScope;
    use crate::testing::{counter_repo, store_with};

    use super::*;

    #[test]
    fn samples_are_read_by_number_with_the_tests_beside_them() {
        let mut contents = counter_repo("a");
        contents.repo.host_id = Some("42".to_owned());
        contents.repo.runners = vec![
            (String::new(), "jest".to_owned()),
            ("b/c".to_owned(), String::new()),
        ];
        let (_folder, store) = store_with(&[contents.clone(), counter_repo("b")]);
        let all = store.decisions(&Filter::default()).expect("it reads");
        let some = Filter::default().within(SampleScope::Paper);
        let some = store.decisions(&some).expect("it reads");
        assert!(
            some.len() < all.len()
                && some
                    .iter()
                    .all(|decision_facts| all.contains(decision_facts))
        );
        let repos = store.numbered_repos().expect("it reads");
        let (repo, dataset) = &repos[&all[0].generation()];
        assert_eq!((repo, dataset), (&contents.repo, &None));
        let spans = store.test_spans().expect("it reads");
        let mut seen = Vec::new();
        let ids = all
            .iter()
            .rev()
            .map(|decision_facts| decision_facts.id)
            .chain([7]);
        store
            .each_sample_of::<StoreError>(ids, Extent::Sample, |sample| {
                let beside = spans.beside(&sample);
                assert!(beside.contains(&sample.test.span) && beside.is_sorted());
                seen.push(sample.row.id);
                Ok(())
            })
            .expect("it reads");
        seen.reverse();
        assert_eq!(
            seen,
            all.iter()
                .map(|decision_facts| decision_facts.id)
                .collect::<Vec<_>>()
        );
    }
}
