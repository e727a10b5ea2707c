//! The verb `plan`: a list of repositories becomes shards of about the same work.
//!
//! Longest first, each to the shard that has least so far: at most a third worse than the best there is. Lines that
//! mean one project stay together and in order: where a later line replaces an earlier one in an index, it does so in
//! whichever shards they are mined.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::exchange::records::{RecordError, line_text};
use crate::exchange::repo_list::{RepoLine, parse_line};
use crate::exchange::shards::{WirePlan, WirePlannedShard, line};
use crate::exchange::{self, remote};
use crate::model::{Problem, Reason};
use crate::store::{NoSuchRun, StoreError};
use crate::task::{Cancelled, Monitor};

use super::fetch::{Fetch, check_url};
use super::filter::{RepoFilter, StepCounter};

/// Into how many shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharding {
    Shards(usize),
    /// Shards of about this number of bytes each.
    ShardSize(u64),
}

#[derive(Clone, Debug)]
pub struct PlanOptions {
    pub list: PathBuf,
    /// The folder of the shards.
    pub output: PathBuf,
    pub into: Sharding,
    pub fetch: Option<Fetch>,
    pub filter: Option<RepoFilter>,
    /// Writes over another plan.
    pub force: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanReport {
    pub plan: WirePlan,
    pub problems: Vec<Problem>,
    /// The same plan was there already.
    pub is_unchanged: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Nothing was written.
    #[error("`{}` holds another plan", path.display())]
    Other { path: PathBuf },
    #[error("no repository of `{}` can be used", path.display())]
    Nothing {
        path: PathBuf,
        problems: Vec<Problem>,
    },
    #[error(transparent)]
    NoSuchRun(#[from] NoSuchRun),
    #[error("run `{name}` has no predictions")]
    EmptyRun { name: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The file beside the shards.
pub const PLAN_FILE: &str = "plan.json";

/// A repository, or all predictions or prompts of one project, with its lines; those of one `project` go into one
/// shard.
pub(crate) struct PlannedRepo {
    /// Its lines, as they are written to the shard.
    pub text: String,
    pub size_bytes: Option<u64>,
    pub project: String,
}

/// Writes the shards of a list.
///
/// # Errors
/// The list cannot be read or has nothing in it, and the disk's; single lines that cannot be used are in the report.
pub fn plan(monitor: &Monitor, options: &PlanOptions) -> Result<PlanReport, PlanError> {
    let unreadable = |source| PlanError::Read {
        path: options.list.clone(),
        source,
    };
    let bytes = fs::read(&options.list).map_err(unreadable)?;
    let list = std::path::absolute(&options.list).map_err(unreadable)?;
    let folder = list.parent().unwrap_or(Path::new("/"));
    let (mut planned, mut problems) = (Vec::new(), Vec::new());
    let mut steps = StepCounter::new(options.filter);
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        monitor.step()?;
        match read(line, folder, options, &mut steps) {
            Ok(None) => {}
            Ok(Some(repo)) => planned.push(repo),
            Err((reason, detail)) => problems.push(Problem {
                path: options.list.to_string_lossy().into_owned(),
                line: Some(number),
                reason,
                detail,
            }),
        }
    }
    if planned.is_empty() {
        let path = options.list.clone();
        return Err(PlanError::Nothing { path, problems });
    }
    let shards = dealt(&planned, options.into);
    let plan = WirePlan {
        focalist: env!("CARGO_PKG_VERSION").to_owned(),
        fetch: options
            .fetch
            .as_ref()
            .map(|fetch| fetch.as_str().to_owned()),
        n_repositories: planned.len() as u64,
        n_unknown_size: planned
            .iter()
            .filter(|planned_repo| planned_repo.size_bytes.is_none())
            .count() as u64,
        size_bytes: planned
            .iter()
            .filter_map(|planned_repo| planned_repo.size_bytes)
            .sum(),
        // A repository that the filter leaves out is not a problem of the list.
        n_problems: problems.len() as u64,
        funnel: steps.funnel(),
        run: None,
        shards: described(&planned, &shards),
    };
    let writing = PlanWriter::of(&planned, &shards, plan);
    writing.finish((&options.output, options.force), problems, |_| Ok(()))
}

/// Deals the members into shards, each with its members in their order; one without a size counts as one of the usual
/// size.
pub(crate) fn dealt(planned: &[PlannedRepo], into: Sharding) -> Vec<Vec<usize>> {
    let usual = usual_size(planned);
    let size_of = |planned_repo: &PlannedRepo| planned_repo.size_bytes.unwrap_or(usual).max(1);
    balance(planned, size_of, into)
}

fn name(idx: usize) -> String {
    format!("shard-{idx:04}.jsonl")
}

/// Describes each shard for `plan.json`.
pub(crate) fn described(planned: &[PlannedRepo], shards: &[Vec<usize>]) -> Vec<WirePlannedShard> {
    let describe = |(idx, shard): (usize, &Vec<usize>)| WirePlannedShard {
        file: name(idx),
        n_repositories: shard.len() as u64,
        size_bytes: shard
            .iter()
            .map(|shard| planned[*shard].size_bytes.unwrap_or(0))
            .sum(),
    };
    shards.iter().enumerate().map(describe).collect()
}

fn read(
    bytes: &[u8],
    folder: &Path,
    options: &PlanOptions,
    steps: &mut StepCounter,
) -> Result<Option<PlannedRepo>, (Reason, String)> {
    let bad = |detail: String| (Reason::BadLine, detail);
    let unreadable = |error: RecordError| bad(error.to_string());
    let text = line_text(bytes).map_err(unreadable)?;
    if text.is_empty() {
        return Ok(None);
    }
    let mut repo = parse_line(text).map_err(unreadable)?;
    repo.path = repo.path.filter(|path| !path.trim().is_empty());
    repo.url = repo.url.filter(|url| !url.trim().is_empty());
    let is_fetched = options.fetch.is_some() && repo.url.is_some();
    if is_fetched {
        let url = repo.url.as_deref().unwrap_or_default();
        check_url(url).map_err(|why| bad(format!("`{url}`: {why}")))?;
    } else if let Some(path) = &repo.path {
        let path = folder.join(path);
        if !path.is_dir() {
            let detail = format!("`{}` is not a folder", path.display());
            return Err((Reason::Unreadable, detail));
        }
        // The path becomes absolute, so that a shard means the same wherever it lies.
        repo.path = Some(path.to_string_lossy().into_owned());
    } else if repo.url.is_some() {
        return Err(bad("a URL alone needs `--fetch`".to_owned()));
    } else {
        return Err(unreadable(RecordError::Neither("path", "url")));
    }
    if let Some(step) = steps.left_out_by(&repo) {
        if options.filter.is_some() {
            return Ok(None);
        }
        let stars = repo
            .stars
            .map_or_else(|| "unknown".to_owned(), |star| star.to_string());
        let detail = format!("`{}`, a {step} with stars: {stars}", repo.shown());
        return Err((Reason::Fork, detail));
    }
    repo.size_bytes = repo.bytes();
    Ok(Some(PlannedRepo {
        text: line(&repo) + "\n",
        size_bytes: repo.size_bytes,
        project: project(&repo),
    }))
}

/// Names the project as mining would, as far as the line tells.
fn project(repo: &RepoLine) -> String {
    let of_path = || {
        let path = Path::new(repo.path.as_deref()?);
        Some(path.file_name()?.to_string_lossy().into_owned())
    };
    let url = repo.url.as_deref();
    url.and_then(remote::of_url)
        .or_else(|| repo.name.clone())
        .or_else(of_path)
        .unwrap_or_else(|| repo.shown().to_owned())
}

/// Returns the median of the known sizes (the upper one of two); 1 where none is known.
fn usual_size(planned: &[PlannedRepo]) -> u64 {
    let mut sizes: Vec<u64> = planned
        .iter()
        .filter_map(|planned_repo| planned_repo.size_bytes)
        .collect();
    sizes.sort_unstable();
    sizes.get(sizes.len() / 2).copied().unwrap_or(1)
}

/// Spreads the projects over shards of about equal size, each with its repositories in the order of the list.
fn balance(
    planned: &[PlannedRepo],
    size_of: impl Fn(&PlannedRepo) -> u64,
    into: Sharding,
) -> Vec<Vec<usize>> {
    let mut projects = BTreeMap::<&str, (u64, Vec<usize>)>::new();
    for (idx, repo) in planned.iter().enumerate() {
        let (size, repos) = projects.entry(&repo.project).or_default();
        *size = size.saturating_add(size_of(repo));
        repos.push(idx);
    }
    let total = projects
        .values()
        .map(|value| value.0)
        .fold(0, u64::saturating_add);
    let n_shards = match into {
        Sharding::Shards(n) => n,
        Sharding::ShardSize(size) => total.div_ceil(size.max(1)) as usize,
    };
    let n_shards = n_shards.clamp(1, projects.len());
    let mut projects: Vec<(u64, Vec<usize>)> = projects.into_values().collect();
    projects.sort_by_key(|(size, repos)| (Reverse(*size), repos[0]));
    let mut shards = vec![Vec::new(); n_shards];
    let mut least: BinaryHeap<Reverse<(u64, usize)>> =
        (0..n_shards).map(|idx| Reverse((0, idx))).collect();
    for (size, repos) in projects {
        if let Some(Reverse((load, idx))) = least.pop() {
            shards[idx].extend(repos);
            least.push(Reverse((load.saturating_add(size), idx)));
        }
    }
    for shard in &mut shards {
        shard.sort_unstable();
    }
    shards
}

/// A plan on its way to the disk.
pub(crate) struct PlanWriter {
    pub plan: WirePlan,
    /// Names and lines.
    shards: Vec<(String, String)>,
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> PlanError {
    let path = path.to_owned();
    move |source| PlanError::Write { path, source }
}

impl PlanWriter {
    pub(crate) fn of(planned: &[PlannedRepo], shards: &[Vec<usize>], plan: WirePlan) -> Self {
        let text = |(idx, shard): (usize, &Vec<usize>)| {
            let lines = shard.iter().map(|shard| planned[*shard].text.as_str());
            (name(idx), lines.collect::<Vec<_>>().concat())
        };
        let shards = shards.iter().enumerate().map(text).collect();
        Self { plan, shards }
    }

    /// Writes the plan where it is not there yet; `before` writes the other files of it first.
    ///
    /// # Errors
    /// [`PlanError::Other`] where another plan is there and `force` is not set, those of `before`, and the disk's.
    pub(crate) fn finish(
        self,
        (folder, force): (&Path, bool),
        problems: Vec<Problem>,
        before: impl FnOnce(&WirePlan) -> Result<(), PlanError>,
    ) -> Result<PlanReport, PlanError> {
        let is_unchanged = self.is_there(folder, force)?;
        if !is_unchanged {
            before(&self.plan)?;
            self.write(folder)?;
        }
        Ok(PlanReport {
            plan: self.plan,
            problems,
            is_unchanged,
        })
    }

    /// Tells whether the folder holds this very plan, and removes the files of another one where `force` allows it.
    fn is_there(&self, folder: &Path, force: bool) -> Result<bool, PlanError> {
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let place = folder.join(PLAN_FILE);
        let former = fs::read(&place).ok();
        let former = former.and_then(|former| exchange::parse::<WirePlan>(&former).ok());
        let is_same = |(name, text): &(String, String)| {
            let has_slice = self
                .plan
                .run
                .as_ref()
                .is_none_or(|planned_run| planned_run.prompts.is_some())
                || slice_of(&folder.join(name)).is_file();
            has_slice && fs::read(folder.join(name)).is_ok_and(|bytes| bytes == text.as_bytes())
        };
        if former.as_ref() == Some(&self.plan) && self.shards.iter().all(is_same) {
            return Ok(true);
        }
        let others = shards_in(folder).map_err(failed(folder))?;
        if (place.exists() || !others.is_empty()) && !force {
            let path = folder.to_owned();
            return Err(PlanError::Other { path });
        }
        for path in others {
            fs::remove_file(&path).map_err(failed(&path))?;
            let slice = slice_of(&path);
            if slice.is_file() {
                fs::remove_file(&slice).map_err(failed(&slice))?;
            }
        }
        Ok(false)
    }

    /// Writes shards and, last, the plan.
    fn write(&self, folder: &Path) -> Result<(), PlanError> {
        for (name, text) in &self.shards {
            let path = folder.join(name);
            fs::write(&path, text).map_err(failed(&path))?;
        }
        let place = folder.join(PLAN_FILE);
        let mut file = fs::File::create(&place).map_err(failed(&place))?;
        exchange::write_pretty(&mut file, &self.plan)
            .and_then(|()| file.flush())
            .map_err(failed(&place))
    }
}

/// Returns the path of the index that belongs to a shard of a run.
pub(crate) fn slice_of(shard: &Path) -> PathBuf {
    shard.with_extension("db")
}

/// Lists the shards of a folder, sorted.
pub(crate) fn shards_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut shards = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("shard-") && name.ends_with(".jsonl") {
            shards.push(entry.path());
        }
    }
    shards.sort_unstable();
    Ok(shards)
}
