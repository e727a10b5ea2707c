//! The verb `merge`: many workspaces become one index.
//!
//! Of every project and language the greatest version of all inputs is taken, by an order that does not know where it
//! came from; then duplicates and splits are assigned over all of them as if they had been mined together. So it makes
//! no difference in which order, in which groups or how often the inputs come.
//!
//! Rows go from index to index one by one: memory holds a line for each repository, none for a sample.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::exchange;
use crate::exchange::shards::{WireShard, WireShardRepo};
use crate::model::{Language, RepoKey};
use crate::store::{MergeRank, MergeRepo, Store, StoreAccess, StoreError};
use crate::task::{Cancelled, Monitor, Phase};

use super::disk::hash;
use super::shard::REPORT_FILE;

#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// Folders of workspaces; plain files that a pattern finds beside them are passed over.
    pub inputs: Vec<PathBuf>,
    /// The seed of a new index's splits; else the inputs' seed.
    pub seed: Option<u64>,
    /// Refuses everything when an input cannot be used.
    pub is_strict: bool,
}

/// The counts of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergeReport {
    pub n_inputs: u64,
    /// Of all inputs, each once.
    pub n_repos: u64,
    /// Repositories that the index already had in this version.
    pub n_known: u64,
    pub n_tests: u64,
    /// Projects with several versions in the inputs; one was taken.
    pub several: Vec<RepoKey>,
    /// Inputs that were left out, and why.
    pub left_out: Vec<(PathBuf, UnmergedReason)>,
    /// Repositories that the shards among the inputs skipped, with the shard's folder.
    pub skipped: Vec<(PathBuf, WireShardRepo)>,
    pub seed: u64,
    /// The folders `.focalist` of the inputs that were used.
    pub folders: Vec<PathBuf>,
}

/// Why an input of a merge is left out, or its scores. Displayed as a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnmergedReason {
    #[error("there is no such folder")]
    NoFolder,
    #[error("mining it has not ended")]
    Unfinished,
    #[error("mining it has not ended: `{identity}` is not settled")]
    Unsettled { identity: String },
    #[error("it is not finished")]
    UnfinishedPart,
    #[error("there is no index in it")]
    NoIndex,
    /// With the database's message.
    #[error("{what}")]
    Unreadable { what: String },
    #[error("it has predictions of `{run}`, and the workspace has no such run")]
    NoRun { run: String },
    #[error("{n_others} of {n_predictions} predictions differ from the run here")]
    OtherPredictions { n_others: usize, n_predictions: u64 },
    #[error("its samples are not those of this index any more, so its scores are not merged")]
    OtherSamples,
}

impl UnmergedReason {
    pub(crate) fn unreadable(error: &StoreError) -> Self {
        let what = error.to_string();
        Self::Unreadable { what }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{}` cannot be used: {why}", path.display())]
    LeftOut { path: PathBuf, why: UnmergedReason },
    #[error("none of {n_inputs} inputs can be used")]
    Nothing {
        n_inputs: usize,
        left_out: Vec<(PathBuf, UnmergedReason)>,
    },
    #[error(
        "{} was mined by version `{}` in `{}` and by `{}` in `{}`",
        language.as_str(), versions[0].0, versions[0].1.display(), versions[1].0, versions[1].1.display()
    )]
    Versions {
        language: Language,
        versions: [(String, PathBuf); 2],
    },
    #[error("`{}` has splits of seed {}, `{}` of seed {}", seeds[0].1.display(), seeds[0].0, seeds[1].1.display(), seeds[1].0)]
    Seeds { seeds: [(u64, PathBuf); 2] },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// An input that can be used.
struct MergeInput {
    path: PathBuf,
    folder: PathBuf,
    repos: Vec<MergeRepo>,
    seed: Option<u64>,
    skipped: Vec<WireShardRepo>,
}

/// Merges workspaces into an index.
///
/// # Errors
/// [`MergeError::Versions`] and [`MergeError::Seeds`] before anything is written, as [`MergeError::LeftOut`] when it is
/// strict; and the database's. What was written before an error is settled by the next call.
pub fn merge(
    store: &mut Store,
    monitor: &Monitor,
    options: &MergeOptions,
) -> Result<MergeReport, MergeError> {
    monitor.enter(Phase::Reading);
    let mut report = MergeReport::default();
    let own = store
        .path()
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default();
    let inputs = usable(&own, options, monitor, &mut report)?;
    if inputs.is_empty() {
        return Err(MergeError::Nothing {
            n_inputs: options.inputs.len(),
            left_out: report.left_out,
        });
    }
    let here = store.merge_repos()?;
    check_versions(&own, &here, &inputs)?;
    let seed = seed(store, options, &inputs)?;
    let chosen = choose(&here, &inputs, &mut report);
    report.n_inputs = inputs.len() as u64;
    let n_total = chosen.values().map(Vec::len).sum::<usize>() as u64;
    monitor.n_repos_total.fetch_add(n_total, Ordering::Relaxed);
    monitor.n_parts_total.fetch_add(n_total, Ordering::Relaxed);
    let copying = monitor.stretch(n_total, n_total as usize);
    monitor.enter(Phase::Storing);
    for (input, keys) in &chosen {
        let input = &inputs[*input];
        let from = Store::open(&input.folder, StoreAccess::Read)?;
        for key in keys {
            store.merge_repo(&from, key, monitor)?;
            copying.step(1);
            monitor.n_repos.fetch_add(1, Ordering::Relaxed);
        }
    }
    copying.end();
    report.seed = store.settle(seed, monitor)?;
    report.folders = inputs.into_iter().map(|input| input.folder).collect();
    Ok(report)
}

/// Opens and checks every input, and names those that cannot be used.
fn usable(
    own: &Path,
    options: &MergeOptions,
    monitor: &Monitor,
    report: &mut MergeReport,
) -> Result<Vec<MergeInput>, MergeError> {
    let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    let (mut seen, mut inputs) = (BTreeSet::new(), Vec::new());
    for path in &options.inputs {
        monitor.step()?;
        // A shard's list and an engine's log lie where a pattern finds them.
        if path.is_file() {
            continue;
        }
        match look(path) {
            Ok(input) => {
                let place = input.folder.canonicalize();
                let place = place.unwrap_or_else(|_| input.folder.clone());
                if place != own && seen.insert(place) {
                    let of_input = input.skipped.iter().cloned();
                    report
                        .skipped
                        .extend(of_input.map(|shard_repo| (path.clone(), shard_repo)));
                    inputs.push(input);
                }
            }
            Err(why) if options.is_strict => {
                let path = path.clone();
                return Err(MergeError::LeftOut { path, why });
            }
            Err(why) => report.left_out.push((path.clone(), why)),
        }
    }
    Ok(inputs)
}

/// Finds the folder `.focalist` that a path means: in it, or itself.
#[must_use]
pub fn folder_of(path: &Path) -> PathBuf {
    if path.join(Store::FILE_NAME).is_file() {
        path.to_owned()
    } else {
        path.join(".focalist")
    }
}

fn look(path: &Path) -> Result<MergeInput, UnmergedReason> {
    let folder = index_in(path, UnmergedReason::Unfinished)?;
    let said = |error: StoreError| UnmergedReason::unreadable(&error);
    let store = Store::open(&folder, StoreAccess::Read).map_err(said)?;
    let report = fs::read(path.join(REPORT_FILE)).ok();
    let report = report.and_then(|report| exchange::parse::<WireShard>(&report).ok());
    if !report
        .as_ref()
        .is_some_and(|wire_shard| is_as_written(wire_shard, &folder))
    {
        store.check_pages().map_err(said)?;
    }
    let repos = store.merge_repos().map_err(said)?;
    if let Some(repo) = repos.iter().find(|repo| !repo.is_settled) {
        let identity = repo.key.identity.clone();
        return Err(UnmergedReason::Unsettled { identity });
    }
    let of_shard = report
        .map(|wire_shard| wire_shard.repositories)
        .unwrap_or_default();
    Ok(MergeInput {
        path: path.to_owned(),
        seed: store.seed().map_err(said)?,
        folder,
        repos,
        skipped: of_shard
            .into_iter()
            .filter(|shard_repo| shard_repo.skipped.is_some())
            .collect(),
    })
}

/// Finds the folder of the index that a path means; fails with `unfinished` where the path is a part that is still
/// being made.
pub(crate) fn index_in(path: &Path, unfinished: UnmergedReason) -> Result<PathBuf, UnmergedReason> {
    if !path.is_dir() {
        return Err(UnmergedReason::NoFolder);
    }
    if path
        .extension()
        .is_some_and(|extension| extension == "part")
    {
        return Err(unfinished);
    }
    let folder = folder_of(path);
    if !folder.join(Store::FILE_NAME).is_file() {
        return Err(UnmergedReason::NoIndex);
    }
    Ok(folder)
}

/// Tells whether the index of a shard is what its report says; then nothing else has to be looked at.
fn is_as_written(report: &WireShard, folder: &Path) -> bool {
    let found = hash(&folder.join(Store::FILE_NAME)).ok();
    found.is_some_and(|found| found.0 == report.index_bytes && found.1 == report.index_hash)
}

fn check_versions(own: &Path, here: &[MergeRepo], inputs: &[MergeInput]) -> Result<(), MergeError> {
    let of_inputs = inputs
        .iter()
        .flat_map(|input| input.repos.iter().map(|repo| (repo, input.path.as_path())));
    let mut versions = BTreeMap::<(Language, bool), (&str, &Path)>::new();
    for (repo, path) in here
        .iter()
        .map(|merge_repo| (merge_repo, own))
        .chain(of_inputs)
    {
        let key = (repo.key.language, repo.dataset.is_some());
        let (version, first) = *versions.entry(key).or_insert((&repo.code, path));
        if version != repo.code {
            return Err(MergeError::Versions {
                language: repo.key.language,
                versions: [
                    (version.to_owned(), first.to_owned()),
                    (repo.code.clone(), path.to_owned()),
                ],
            });
        }
    }
    Ok(())
}

/// Chooses the seed: an index keeps its own; a new one gets the one that is asked for, or else the one that all inputs
/// share.
fn seed(store: &Store, options: &MergeOptions, inputs: &[MergeInput]) -> Result<u64, MergeError> {
    if let Some(seed) = store.seed()?.or(options.seed) {
        return Ok(seed);
    }
    let mut seeds = inputs
        .iter()
        .filter_map(|input| Some((input.seed?, &input.path)));
    let Some(first) = seeds.next() else {
        return Ok(0);
    };
    match seeds.find(|seed| seed.0 != first.0) {
        Some(other) => Err(MergeError::Seeds {
            seeds: [first, other].map(|(seed, path)| (seed, path.clone())),
        }),
        None => Ok(first.0),
    }
}

/// Returns, by input, the repositories that are taken from it.
fn choose(
    here: &[MergeRepo],
    inputs: &[MergeInput],
    report: &mut MergeReport,
) -> BTreeMap<usize, Vec<RepoKey>> {
    // The place of the greatest version; nothing for what is there already.
    let mut best = BTreeMap::<&RepoKey, (&MergeRank, Option<usize>)>::new();
    best.extend(
        here.iter()
            .map(|merge_repo| (&merge_repo.key, (&merge_repo.rank, None))),
    );
    let (mut several, mut named) = (BTreeSet::new(), BTreeMap::<&RepoKey, u64>::new());
    for (idx, input) in inputs.iter().enumerate() {
        for repo in &input.repos {
            named.insert(&repo.key, repo.n_tests);
            match best.entry(&repo.key) {
                Entry::Vacant(vacant) => {
                    vacant.insert((&repo.rank, Some(idx)));
                }
                Entry::Occupied(mut known) => {
                    if *known.get().0 != repo.rank {
                        several.insert(repo.key.clone());
                    }
                    if *known.get().0 < repo.rank {
                        known.insert((&repo.rank, Some(idx)));
                    }
                }
            }
        }
    }
    let mut chosen = BTreeMap::<usize, Vec<RepoKey>>::new();
    for (key, (_, input)) in best {
        match input {
            Some(input) => chosen.entry(input).or_default().push(key.clone()),
            None => report.n_known += u64::from(named.contains_key(key)),
        }
    }
    report.n_repos = named.len() as u64;
    report.n_tests = named.values().sum();
    report.several = several.into_iter().collect();
    chosen
}
