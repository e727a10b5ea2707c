//! Repositories that came with a dataset instead of from sources: whether sources or a dataset hold a project, and
//! which splits the dataset gave.
//!
//! A project is held by its sources or by one dataset. Neither silently takes the other's place: mined samples cannot
//! be recovered from a dataset, and a published dataset's numbers belong to exactly its samples. To use the other one,
//! remove the first (`rm`) or use a separate workspace.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::{Language, RepoKey, SampleKey, Split};
use crate::task::Monitor;

use super::codec::{code, repo_key};
use super::error::StoreFailure;
use super::origin::Origin;
use super::{RepoContents, Store, StoreError};

/// The facts about a repository that comes with a dataset, beside its [`RepoContents`].
#[derive(Clone, Copy, Debug)]
pub struct ImportedRepo<'a> {
    /// The dataset's name.
    pub dataset: &'a str,
    /// The split that the dataset gives each test, in the order of `RepoContents::tests`; where it gives none, the seed
    /// decides as for mined tests.
    pub splits: &'a [Option<Split>],
    /// The split that the dataset gives the project.
    pub project_split: Option<Split>,
}

impl Store {
    /// Writes a project of a dataset as a whole, as [`Store::replace_repo`] does for a mined one; the same dataset may
    /// replace it later.
    ///
    /// From the next [`Store::settle`] on, given splits take precedence over the seed. Call resolution is not counted:
    /// a dataset's samples are read one by one, without the project around them.
    ///
    /// # Errors
    /// [`StoreError::Occupied`] when the project was mined from sources or came with another dataset.
    pub fn import_repo(
        &mut self,
        contents: &RepoContents<'_>,
        imported: &ImportedRepo<'_>,
        monitor: &Monitor,
    ) -> Result<(), StoreError> {
        self.replace(contents, Some(imported), monitor)
    }

    /// Reads the origin of every repository's rows.
    pub fn origins(&self) -> Result<BTreeMap<RepoKey, Origin>, StoreError> {
        self.named(|| {
            let mut statement = self.conn.prepare(
                "SELECT r.identity, r.language, r.root, d.name FROM repos r LEFT JOIN datasets d ON d.repo = r.id",
            )?;
            let mut rows = statement.query([])?;
            let mut origins = BTreeMap::new();
            while let Some(row) = rows.next()? {
                origins.insert(repo_key(row, 0)?, origin(row.get(2)?, row.get(3)?));
            }
            Ok(origins)
        })
    }

    /// Counts the files of a repository, and those that other repositories of its language also have, with the same
    /// text at the same path.
    pub fn shared_files(
        &self,
        repo: &RepoKey,
    ) -> Result<(u32, BTreeMap<RepoKey, u32>), StoreError> {
        self.named(|| {
            let asked = params![repo.identity, code(Language::ALL, repo.language)];
            let n_files = self.conn.query_row(
                "SELECT COUNT(*) FROM repos r JOIN files f ON f.id BETWEEN r.generation << 32 AND (r.generation + 1 << 32) - 1
                 WHERE r.identity = ?1 AND r.language = ?2",
                asked,
                |row| row.get(0),
            )?;
            let mut statement = self.conn.prepare(
                "SELECT o.identity, o.language, COUNT(*) FROM repos r
                 JOIN files f ON f.id BETWEEN r.generation << 32 AND (r.generation + 1 << 32) - 1
                 JOIN files g ON g.source = f.source AND g.path = f.path
                 JOIN repos o ON o.generation = g.id >> 32 AND o.language = r.language AND o.id <> r.id
                 WHERE r.identity = ?1 AND r.language = ?2 GROUP BY o.id",
            )?;
            let mut rows = statement.query(asked)?;
            let mut shared = BTreeMap::new();
            while let Some(row) = rows.next()? {
                shared.insert(repo_key(row, 0)?, row.get(2)?);
            }
            Ok((n_files, shared))
        })
    }

    /// Returns, for each of these keys, the identity of another repository that has a test of that key, if there is
    /// one.
    pub fn holders(
        &self,
        keys: &[SampleKey],
        repo: &RepoKey,
    ) -> Result<Vec<Option<String>>, StoreError> {
        self.reading(|conn| {
            let mut statement = conn.prepare(
                "SELECT r.identity FROM tests t JOIN repos r ON r.generation = t.id >> 32
                 WHERE t.key = ?1 AND (r.identity, r.language) <> (?2, ?3)",
            )?;
            let language = code(Language::ALL, repo.language);
            keys.iter()
                .map(|key| {
                    let asked = params![key.0, repo.identity, language];
                    let holder = statement.query_row(asked, |row| row.get(0));
                    Ok(holder.optional()?)
                })
                .collect()
        })
    }
}

fn origin(root: String, dataset: Option<String>) -> Origin {
    dataset.map_or_else(|| Origin::Sources(root.into()), Origin::Dataset)
}

/// Refuses to put a repository in the place of one from elsewhere; sources may always follow sources.
pub(super) fn check_place(
    conn: &Connection,
    contents: &RepoContents<'_>,
    imported: Option<&ImportedRepo<'_>>,
) -> Result<(), StoreFailure> {
    let held: Option<Origin> = conn
        .query_row(
            "SELECT r.root, d.name FROM repos r LEFT JOIN datasets d ON d.repo = r.id
             WHERE r.identity = ?1 AND r.language = ?2",
            params![
                contents.repo.identity,
                code(Language::ALL, contents.repo.language)
            ],
            |row| Ok(origin(row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let newcomer = match imported {
        Some(imported) => Origin::Dataset(imported.dataset.to_owned()),
        None => Origin::Sources(contents.root.to_owned()),
    };
    match (held, newcomer) {
        // The same project in another folder still comes from its sources.
        (None, _) | (Some(Origin::Sources(_)), Origin::Sources(_)) => Ok(()),
        (Some(holder), newcomer) if holder == newcomer => Ok(()),
        (Some(holder), newcomer) => Err(StoreFailure::Occupied {
            identity: contents.repo.identity.clone(),
            holder,
            newcomer,
        }),
    }
}

/// Records that a current generation came with a dataset, and the project's split; in the caller's transaction.
pub(super) fn write(
    conn: &Connection,
    (generation, identity): (i64, &str),
    imported: &ImportedRepo<'_>,
) -> Result<(), StoreFailure> {
    conn.execute(
        "INSERT INTO datasets (repo, name) SELECT id, ?2 FROM repos WHERE generation = ?1
         ON CONFLICT (repo) DO UPDATE SET name = ?2",
        params![generation, imported.dataset],
    )?;
    if let Some(split) = imported.project_split {
        // The dataset's splits replace frozen ones: its published numbers were computed with them.
        conn.execute(
            "INSERT INTO project_splits (identity, leader, split) VALUES (?1, ?1, ?2)
             ON CONFLICT (identity) DO UPDATE SET leader = ?1, split = ?2",
            params![identity, code(Split::ALL, split)],
        )?;
        // The project's other languages get the same split.
        conn.execute(
            "UPDATE repos SET split = ?2 WHERE identity = ?1 AND is_settled = 1",
            params![identity, code(Split::ALL, split)],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{
        Contents, counter_repo, empty_store, many_tests, only, stamp, write_repos,
    };

    use std::path::PathBuf;

    use super::*;

    fn imported<'a>(dataset: &'a str, splits: &'a [Option<Split>]) -> ImportedRepo<'a> {
        ImportedRepo {
            dataset,
            splits,
            project_split: Some(Split::Test),
        }
    }

    fn import(store: &mut Store, repo: &Contents, dataset: &str, split: Option<Split>) {
        let splits = vec![split; repo.tests.len()];
        store
            .import_repo(
                &repo.borrow(),
                &imported(dataset, &splits),
                &Monitor::default(),
            )
            .expect("the project is written");
    }

    fn count(store: &Store, field: &'static str, value: &str) -> u64 {
        store.count(&only(field, value)).expect("the index reads")
    }

    #[test]
    fn given_splits_stay_whatever_the_seed_says_and_whatever_is_mined_later() {
        let (_folder, mut store) = empty_store();
        let monitor = Monitor::default();
        import(
            &mut store,
            &many_tests("a", 40),
            "d",
            Some(Split::Validation),
        );
        import(&mut store, &many_tests("b", 40), "d", None);
        store.settle(1, &monitor).expect("splits are assigned");
        write_repos(&mut store, &[counter_repo("c")]);
        store.settle(2, &monitor).expect("splits are assigned");
        let check = |store: &Store| {
            let by_seed = count(store, "split", "validation") - 40;
            assert!(by_seed < 20, "{by_seed}");
            assert!(count(store, "project-split", "test") >= 80);
        };
        check(&store);
        // Another generation of the same project.
        import(
            &mut store,
            &many_tests("a", 40),
            "d",
            Some(Split::Validation),
        );
        store.settle(3, &monitor).expect("splits are assigned");
        check(&store);
        import(&mut store, &many_tests("a", 40), "d", Some(Split::Train));
        store.settle(3, &monitor).expect("splits are assigned");
        assert!(count(&store, "split", "validation") < 20);
    }

    #[test]
    fn nobody_takes_the_place_of_a_project_from_elsewhere() {
        let (_folder, mut store) = empty_store();
        let monitor = Monitor::default();
        let (mined, given) = (counter_repo("mined"), counter_repo("given"));
        write_repos(&mut store, std::slice::from_ref(&mined));
        import(&mut store, &given, "d", None);
        let splits = [None; 3];
        let check = |result: Result<(), StoreError>, expected: &str| {
            let error = result.expect_err("the place is taken");
            assert!(matches!(error, StoreError::Occupied { .. }), "{error:?}");
            assert_eq!(error.to_string(), expected);
        };
        check(
            store.import_repo(&mined.borrow(), &imported("d", &splits), &monitor),
            "`example.org/mined` is in the index from the sources in `repos/mined` and is not replaced by the dataset `d`",
        );
        check(
            store.import_repo(&given.borrow(), &imported("e", &splits), &monitor),
            "`example.org/given` is in the index from the dataset `d` and is not replaced by the dataset `e`",
        );
        check(
            store.replace_repo(&given.borrow(), &monitor),
            "`example.org/given` is in the index from the dataset `d` and is not replaced by the sources in `repos/given`",
        );
        let mut elsewhere = mined;
        elsewhere.root = PathBuf::from("elsewhere");
        elsewhere.stamp = stamp("changed");
        write_repos(&mut store, &[elsewhere]);
        import(&mut store, &given, "d", None);
        let origins = store.origins().expect("the index reads").into_iter();
        let origins: Vec<(String, Origin)> = origins
            .map(|(key, origin)| (key.identity, origin))
            .collect();
        assert_eq!(
            origins,
            [
                (
                    "example.org/given".to_owned(),
                    Origin::Dataset("d".to_owned())
                ),
                (
                    "example.org/mined".to_owned(),
                    Origin::Sources(PathBuf::from("elsewhere"))
                ),
            ]
        );
        store
            .remove_repo("given", None, &monitor)
            .expect("the project goes");
        store
            .replace_repo(&given.borrow(), &monitor)
            .expect("the place is free");
    }

    #[test]
    fn keys_are_held_by_other_repositories_only() {
        let (_folder, mut store) = empty_store();
        let repo = counter_repo("a");
        write_repos(&mut store, std::slice::from_ref(&repo));
        let keys = [repo.tests[0].key, SampleKey([9; 16])];
        let holders = |key: RepoKey| store.holders(&keys, &key).expect("the index reads");
        let mut key = repo.repo.key();
        assert_eq!(holders(key.clone()), [None, None]);
        key.language = Language::Go;
        assert_eq!(holders(key), [Some("example.org/a".to_owned()), None]);
        let other = counter_repo("b").repo.key();
        assert_eq!(holders(other), [Some("example.org/a".to_owned()), None]);
    }
    #[test]
    fn files_are_shared_that_have_the_same_text_at_the_same_place() {
        let (_folder, mut store) = empty_store();
        let repos = [counter_repo("a"), counter_repo("b"), many_tests("c", 2)];
        write_repos(&mut store, &repos);
        // The third one has other tests.
        let expected = [(repos[1].repo.key(), 2), (repos[2].repo.key(), 1)];
        let shared = store.shared_files(&repos[0].repo.key());
        assert_eq!(shared.expect("the index reads"), (2, expected.into()));
    }
}
