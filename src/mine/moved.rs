//! Recognises repositories whose folder has another place or name: those that are the same, and those that may be.
//!
//! With the same files it is the same repository. With others that is uncertain: the user is told, and decides.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::RepoKey;
use crate::store::{Origin, Stamp, Store, StoreError};

use super::{RepoReport, Target, absolute, short, sources};

/// A repository that came into the index as a new one, and shares most of its files with one whose folder is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookalike {
    /// Its identity in the index now, and the place where it lies.
    pub identity: String,
    pub root: PathBuf,
    /// The identity and former place of the repository that it may be.
    pub before: String,
    pub root_before: PathBuf,
}

/// Finds the repository in the index that this one was before its folder got another place and name, by identity: no
/// name is given, it has the same files, and the folder that they were mined from is gone; or it was recognised so
/// before, and lies where it lay then. Without this it would come in twice, and all of its samples would be duplicates.
pub(super) fn moved_from<'s>(
    tree: &sources::SourceTree,
    target: &Target,
    origins: &BTreeMap<RepoKey, Origin>,
    stamps: &'s BTreeMap<RepoKey, Stamp>,
) -> Option<&'s String> {
    let listed = target
        .listed
        .as_ref()
        .and_then(|listed_repo| listed_repo.name.as_ref());
    let is_named = tree.repo.url.is_some() || target.name.is_some() || listed.is_some();
    if is_named || tree.files.is_empty() || stamps.contains_key(&tree.repo.key()) {
        return None;
    }
    let (content, place) = (short(tree.content_hash), absolute(&target.root));
    let mut same = stamps.iter().filter(|(key, stamp)| {
        origins.get(*key).is_some_and(|origin| {
            let is_here = matches!(origin, Origin::Sources(root) if *root == place);
            is_here || (stamp.content == content && is_gone(origin))
        })
    });
    same.next().map(|pair| &pair.0.identity)
}

/// Tells whether the place that sources were mined from is gone.
pub(super) fn is_gone(origin: &Origin) -> bool {
    matches!(origin, Origin::Sources(root) if !root.exists())
}

/// Finds the mined repositories that are new and have at least half of the files of one whose folder is gone; `before`
/// lists the former content of the index. Not those that a remote names: they keep its name wherever they lie.
pub(super) fn lookalikes(
    store: &Store,
    before: &BTreeMap<RepoKey, Origin>,
    mined: &[RepoReport],
) -> Result<Vec<Lookalike>, StoreError> {
    let key = |repo_report: &RepoReport| RepoKey {
        identity: repo_report.identity.clone(),
        language: repo_report.language,
    };
    let is_new = |repo_report: &&RepoReport| {
        repo_report.identity == repo_report.name && !before.contains_key(&key(repo_report))
    };
    let new: Vec<RepoKey> = mined.iter().filter(is_new).map(key).collect();
    let gone = before.iter().filter(|_| !new.is_empty());
    let gone: Vec<_> = gone.filter(|(_, origin)| is_gone(origin)).collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let places = store.origins()?;
    let mut found = Vec::new();
    for (key, origin) in gone {
        let (n_files, shared) = store.shared_files(key)?;
        let likely = new.iter().find(|repo_key| {
            let n_shared = shared.get(repo_key).copied().unwrap_or_default();
            n_shared > 0 && 2 * n_shared >= n_files
        });
        if let (Some(repo_key), Origin::Sources(root_before)) = (likely, origin)
            && let Some(Origin::Sources(root)) = places.get(repo_key)
        {
            found.push(Lookalike {
                identity: repo_key.identity.clone(),
                root: root.clone(),
                before: key.identity.clone(),
                root_before: root_before.clone(),
            });
        }
    }
    Ok(found)
}
