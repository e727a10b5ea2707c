//! The changes that mining a repository again makes to its samples.
//!
//! Counts tests, mapped or not, by key: new, gone, or with changed code or a changed decision of the shown matcher.
//! The consequences for verdicts are decided where verdicts are known. Memory is bounded by the largest repository: a
//! key and half a hash of each test.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::model::{ContentHash, RepoKey, SampleChanges, SampleKey};
use crate::store::{Store, StoreError};

/// A repository as it was before it is written anew.
pub(super) struct PreviousRepo {
    /// By test, a hash of everything that a person sees of it.
    tests: FxHashMap<SampleKey, u64>,
}

impl PreviousRepo {
    /// Reads a repository as the index has it.
    pub(super) fn read(store: &Store, repo: &RepoKey) -> Result<Self, StoreError> {
        let mut tests = FxHashMap::default();
        store.each_state_of::<StoreError>(repo, |key, content, decision| {
            tests.insert(key, mark(content, decision));
            Ok(())
        })?;
        Ok(Self { tests })
    }

    /// Compares it with the repository as the index has it now.
    pub(super) fn compare(
        mut self,
        store: &Store,
        repo: &RepoKey,
    ) -> Result<SampleChanges, StoreError> {
        let mut changes = SampleChanges::default();
        store.each_state_of::<StoreError>(repo, |key, content, decision| {
            match self.tests.remove(&key) {
                None => changes.n_new += 1,
                Some(before) => changes.n_changed += u64::from(before != mark(content, decision)),
            }
            Ok(())
        })?;
        changes.n_gone = self.tests.len() as u64;
        Ok(changes)
    }
}

fn mark(content: ContentHash, (status, focal): (i64, &str)) -> u64 {
    let mut hasher = FxHasher::default();
    (content.0, status, focal).hash(&mut hasher);
    hasher.finish()
}
