//! Counts of how calls in tests resolved: computed when a repository is written, summed up when they are read.

use rusqlite::{Connection, params, params_from_iter};

use crate::model::{
    CallKind, Filter, RepoResolutions, ResolutionClass, ResolutionCounts, UnknownReason,
};

use super::codec::repo_key;
use super::codec::{code, count, decode};
use super::contents::RepoContents;
use super::error::StoreFailure;
use super::query::on_repos;
use super::sql::Sql;
use super::{Store, StoreError};

/// Counts the invocations and object creations in the tests of a repository, for `focalist calls`.
pub(super) fn counts(contents: &RepoContents<'_>) -> ResolutionCounts {
    let mut counts = ResolutionCounts::default();
    for call in contents.tests.iter().flat_map(|test| &test.test_case.calls) {
        if matches!(call.kind, CallKind::Method | CallKind::Constructor) {
            counts.add(ResolutionClass::of(&call.resolution, contents.methods), 1);
        }
    }
    counts
}

/// Writes the counts of the current generation in place of the former ones.
pub(super) fn write(
    conn: &Connection,
    generation: i64,
    counts: &ResolutionCounts,
) -> Result<(), StoreFailure> {
    let repo: i64 = conn.query_row(
        "SELECT id FROM repos WHERE generation = ?1",
        [generation],
        |row| row.get(0),
    )?;
    conn.execute("DELETE FROM resolutions WHERE repo = ?1", [repo])?;
    let mut insert = conn.prepare(
        "INSERT INTO resolutions (repo, outcome, reason, n_calls) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (resolved, n_calls) in counts.iter() {
        let (outcome, reason) = pack(resolved);
        let n_calls = i64::try_from(n_calls).unwrap_or(i64::MAX);
        insert.execute(params![repo, outcome, reason, n_calls])?;
    }
    Ok(())
}

fn pack(resolved: ResolutionClass) -> (i64, i64) {
    match resolved {
        ResolutionClass::Main => (0, -1),
        ResolutionClass::Test => (1, -1),
        ResolutionClass::Ambiguous => (2, -1),
        ResolutionClass::Outside => (3, -1),
        ResolutionClass::Unknown(reason) => (4, code(UnknownReason::ALL, reason)),
    }
}

fn unpack(outcome: i64, reason: i64) -> Result<ResolutionClass, StoreFailure> {
    Ok(match outcome {
        0 => ResolutionClass::Main,
        1 => ResolutionClass::Test,
        2 => ResolutionClass::Ambiguous,
        3 => ResolutionClass::Outside,
        4 => ResolutionClass::Unknown(decode(UnknownReason::ALL, reason)?),
        _ => {
            return Err(StoreFailure::Damaged(format!(
                "no outcome has the number {outcome}"
            )));
        }
    })
}

impl Store {
    /// Counts how the calls in tests resolved, by identity and language of the repositories that the filter lets
    /// through.
    ///
    /// # Errors
    /// [`StoreError::NotOfRepos`] when the filter has conditions on samples: single calls are not stored.
    pub fn resolutions(&self, filter: &Filter) -> Result<Vec<RepoResolutions>, StoreError> {
        self.reading(|conn| {
            let Sql { text, values } = on_repos(filter)?;
            let mut statement = conn.prepare(&format!(
                "SELECT r.identity, r.language, c.outcome, c.reason, c.n_calls FROM repos r
                 LEFT JOIN resolutions c ON c.repo = r.id WHERE TRUE{text} ORDER BY r.identity, r.language"
            ))?;
            let mut rows = statement.query(params_from_iter(values))?;
            let mut repos: Vec<RepoResolutions> = Vec::new();
            while let Some(row) = rows.next()? {
                let repo = repo_key(row, 0)?;
                if repos.last().is_none_or(|last| last.repo != repo) {
                    let counts = ResolutionCounts::default();
                    repos.push(RepoResolutions { repo, counts });
                }
                // A repository without calls has no counts.
                let (Some(outcome), Some(last)) = (row.get(2)?, repos.last_mut()) else {
                    continue;
                };
                last.counts
                    .add(unpack(outcome, row.get(3)?)?, count(row, 4)?);
            }
            Ok(repos)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Resolution;
    use crate::testing::{counter_repo, only, stamp, store_with, write_repos};

    use super::*;

    fn check(store: &Store, filter: &Filter, expected: &[(&str, &[(ResolutionClass, u64)])]) {
        let repos = store.resolutions(filter).expect("the index reads");
        let have: Vec<(&str, Vec<(ResolutionClass, u64)>)> = repos
            .iter()
            .map(|repo| (repo.repo.identity.as_str(), repo.counts.iter().collect()))
            .collect();
        let expected: Vec<(&str, Vec<(ResolutionClass, u64)>)> = expected
            .iter()
            .map(|(repo, counts)| (*repo, counts.to_vec()))
            .collect();
        assert_eq!(have, expected);
    }

    #[test]
    fn outcomes_are_counted_by_repository_and_replaced_with_it() {
        let mut b = counter_repo("b");
        let calls = &mut b.tests[0].test_case.calls;
        calls[0].resolution = Resolution::Outside(None);
        calls[1].resolution = Resolution::Unknown(UnknownReason::TooDeep);
        calls[2].kind = CallKind::Reference;
        let (_folder, mut store) = store_with(&[counter_repo("a"), b.clone()]);
        let a = ("example.org/a", &[(ResolutionClass::Main, 5)][..]);
        check(
            &store,
            &Filter::default(),
            &[
                a,
                (
                    "example.org/b",
                    &[
                        (ResolutionClass::Main, 2),
                        (ResolutionClass::Outside, 1),
                        (ResolutionClass::Unknown(UnknownReason::TooDeep), 1),
                    ],
                ),
            ],
        );
        check(&store, &only("repo", "a"), &[a]);
        b.tests.clear();
        b.stamp = stamp("changed");
        write_repos(&mut store, &[b]);
        check(&store, &Filter::default(), &[a, ("example.org/b", &[])]);
        store
            .remove_repo("b", None, &crate::task::Monitor::default())
            .expect("the repository goes");
        check(&store, &Filter::default(), &[a]);
    }

    #[test]
    fn a_filter_of_samples_is_an_error() {
        let (_folder, store) = store_with(&[counter_repo("a")]);
        for field in ["status", "text"] {
            let error = store.resolutions(&only(field, "tie")).err();
            assert!(
                matches!(&error, Some(StoreError::NotOfRepos { field: it }) if it == field),
                "{error:?}"
            );
        }
    }

    #[test]
    fn every_outcome_comes_back_as_it_was_packed() {
        let unknown = UnknownReason::ALL
            .iter()
            .map(|unknown_reason| ResolutionClass::Unknown(*unknown_reason));
        for resolved in [
            ResolutionClass::Main,
            ResolutionClass::Test,
            ResolutionClass::Ambiguous,
            ResolutionClass::Outside,
        ]
        .into_iter()
        .chain(unknown)
        {
            let (outcome, reason) = pack(resolved);
            let back = unpack(outcome, reason).expect("it was packed");
            assert_eq!(back, resolved);
        }
    }
}
