//! The verb `plan --run`: a run becomes shards that are evaluated or executed apart, or a file of prompts shards that
//! are asked apart.
//!
//! A shard of predictions has an index beside it with all data about them: whole projects, as in the index that it is
//! cut from, and the run without the rest of its predictions. So the two files are enough, and no index in a shared
//! folder is ever written to. Projects are not split: the joint coverage of one's candidates is known in one place.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::exchange;
use crate::exchange::shards::{WirePlan, WirePlannedPrediction, WirePlannedRun, line};
use crate::model::{RepoKey, RunKind, RunRow};
use crate::store::{PlacedPrediction, Store, run_named};
use crate::task::{Monitor, Phase};

use super::plan::{
    PLAN_FILE, PlanError, PlanReport, PlanWriter, PlannedRepo, Sharding, dealt, described, slice_of,
};

#[derive(Clone, Debug)]
pub struct RunPlanOptions {
    pub run: String,
    /// The workspace that the results are merged into later.
    pub workspace: PathBuf,
    /// The folder of the shards.
    pub output: PathBuf,
    pub into: Sharding,
    /// Writes over another plan.
    pub force: bool,
}

/// The predictions of one project that are planned.
#[derive(Default)]
struct PlannedProject {
    text: String,
    size_bytes: u64,
    ordinals: Vec<u32>,
}

/// Writes the shards of a run, each with its index.
///
/// # Errors
/// There is no such run, or it has nothing in it; the database's and the disk's.
pub fn plan_run(
    store: &Store,
    monitor: &Monitor,
    options: &RunPlanOptions,
) -> Result<PlanReport, PlanError> {
    let runs = store.runs()?;
    let run = run_named(&runs, &options.run)?;
    monitor.enter(Phase::Reading);
    let mut projects = BTreeMap::<Option<RepoKey>, PlannedProject>::new();
    let mut n_lines = 0;
    store.each_placed_prediction(run.id, |placed_prediction| {
        monitor.step()?;
        n_lines += 1;
        let text = line_of(&placed_prediction);
        let project = projects.entry(placed_prediction.repo).or_default();
        project.text += &text;
        project.size_bytes += placed_prediction.size_bytes;
        project.ordinals.push(placed_prediction.ordinal);
        Ok::<_, PlanError>(())
    })?;
    if projects.is_empty() {
        return Err(PlanError::EmptyRun {
            name: options.run.clone(),
        });
    }
    let (mut planned, mut members) = (Vec::new(), Vec::new());
    for (repo, project) in projects {
        planned.push(PlannedRepo {
            text: project.text,
            size_bytes: Some(project.size_bytes),
            project: planned.len().to_string(),
        });
        members.push((repo, project.ordinals));
    }
    let shards = dealt(&planned, options.into);
    // The stamp differs for other samples, and for other answers under the same name.
    let mut hasher = blake3::Hasher::new();
    hasher.update(&store.stamp()?);
    hasher.update(&run.id.to_le_bytes());
    let plan = WirePlan {
        run: Some(WirePlannedRun {
            name: options.run.clone(),
            workspace: options.workspace.to_string_lossy().into_owned(),
            prompts: None,
            n_lines,
            stamp: hasher.finalize().to_hex()[..32].to_owned(),
        }),
        ..plan_of(&planned, &shards)
    };
    let writing = PlanWriter::of(&planned, &shards, plan);
    writing.finish((&options.output, options.force), Vec::new(), |plan| {
        monitor.enter(Phase::Storing);
        for (shard, described) in shards.iter().zip(&plan.shards) {
            let members: Vec<&(Option<RepoKey>, Vec<u32>)> =
                shard.iter().map(|shard| &members[*shard]).collect();
            let place = slice_of(&options.output.join(&described.file));
            slice((store, run), &members, &place, monitor)?;
        }
        Ok(())
    })
}

/// Writes shards of a file of prompts; equal lines stay in one shard.
///
/// # Errors
/// The file cannot be read or has nothing in it, and the disk's.
pub fn plan_prompts(
    monitor: &Monitor,
    prompts: &Path,
    options: &RunPlanOptions,
) -> Result<PlanReport, PlanError> {
    let unreadable = |source| PlanError::Read {
        path: prompts.to_owned(),
        source,
    };
    let text = fs::read_to_string(prompts).map_err(unreadable)?;
    let mut planned = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        monitor.step()?;
        planned.push(PlannedRepo {
            text: format!("{line}\n"),
            size_bytes: Some(line.len() as u64),
            project: line.to_owned(),
        });
    }
    if planned.is_empty() {
        return Err(PlanError::Nothing {
            path: prompts.to_owned(),
            problems: Vec::new(),
        });
    }
    let shards = dealt(&planned, options.into);
    let prompts = std::path::absolute(prompts).map_err(unreadable)?;
    let plan = WirePlan {
        run: Some(WirePlannedRun {
            name: options.run.clone(),
            workspace: options.workspace.to_string_lossy().into_owned(),
            prompts: Some(prompts.to_string_lossy().into_owned()),
            n_lines: planned.len() as u64,
            stamp: blake3::hash(text.as_bytes()).to_hex()[..32].to_owned(),
        }),
        ..plan_of(&planned, &shards)
    };
    let writing = PlanWriter::of(&planned, &shards, plan);
    writing.finish((&options.output, options.force), Vec::new(), |_| Ok(()))
}

fn plan_of(planned: &[PlannedRepo], shards: &[Vec<usize>]) -> WirePlan {
    WirePlan {
        focalist: env!("CARGO_PKG_VERSION").to_owned(),
        n_repositories: planned.len() as u64,
        size_bytes: planned
            .iter()
            .filter_map(|planned_repo| planned_repo.size_bytes)
            .sum(),
        shards: described(planned, shards),
        ..WirePlan::default()
    }
}

fn line_of(placed_prediction: &PlacedPrediction) -> String {
    let line = line(&WirePlannedPrediction {
        project: placed_prediction
            .repo
            .as_ref()
            .map(|repo_key| repo_key.identity.clone()),
        language: placed_prediction
            .repo
            .as_ref()
            .map(|repo_key| repo_key.language.as_str().to_owned()),
        sample: placed_prediction.key.to_string(),
        attempt: placed_prediction.attempt,
        prediction: placed_prediction.ordinal,
    });
    line + "\n"
}

/// Cuts projects with their predictions out of an index, into a separate file.
fn slice(
    (store, run): (&Store, &RunRow),
    members: &[&(Option<RepoKey>, Vec<u32>)],
    place: &Path,
    monitor: &Monitor,
) -> Result<(), PlanError> {
    let part = place.with_extension("part");
    let failed = |source| PlanError::Write {
        path: part.clone(),
        source,
    };
    if part.exists() {
        fs::remove_dir_all(&part).map_err(failed)?;
    }
    let mut index = Store::open_scratch(&part)?;
    let mut ordinals = Vec::new();
    for (repo, of_repo) in members {
        // Questions go with the run, so projects are needed for samples only.
        if let Some(repo) = repo.as_ref().filter(|_| run.kind == RunKind::Samples) {
            index.slice_repo(store, repo, monitor)?;
        }
        ordinals.extend(of_repo);
    }
    ordinals.sort_unstable();
    index.slice_run(store, run, &ordinals, monitor)?;
    let file = index.path().to_owned();
    // Only a closed index is one file.
    drop(index);
    File::open(&file)
        .and_then(|file| file.sync_all())
        .map_err(failed)?;
    fs::rename(&file, place).map_err(failed)?;
    fs::remove_dir_all(&part).map_err(failed)
}

/// Reads the plan of a folder, where it is one of a run.
pub(crate) fn planned_run(folder: &Path) -> Option<WirePlannedRun> {
    let bytes = fs::read(folder.join(PLAN_FILE)).ok()?;
    exchange::parse::<WirePlan>(&bytes).ok()?.run
}
