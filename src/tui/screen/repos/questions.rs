//! The questions of Repos.

use std::path::{Path, PathBuf};

use crate::browse;
use crate::job;
use crate::model::{Filter, JobKind, JobRow, JobState, Problem, RepoKey, SampleRow, Status};
use crate::question::shared::PROBLEMS_MAX;
use crate::question::source::{AnswerSource, MissingAnswer};
use crate::question::{Question, Slot};
use crate::store::Anchor;

/// The problems of mining, each with the name of its repository.
#[derive(Debug)]
pub struct MiningProblemsQuestion;

impl Question for MiningProblemsQuestion {
    type Answer = Vec<(String, Problem)>;
    const SLOT: Slot = Slot("repos.problems");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let problems = browse::problems(source.store()?, PROBLEMS_MAX)?.into_iter();
        Ok(problems
            .map(|problem| (problem.repo, problem.problem))
            .collect())
    }
}

/// How a repository was mined; nothing when the index no longer has it.
#[derive(Debug)]
pub struct RepoMiningQuestion(pub RepoKey);

/// The folder and the options that a repository was mined with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoMining {
    pub root: PathBuf,
    /// The options, as [`crate::mine::MiningOptions::fingerprint`] writes them.
    pub options: String,
}

impl Question for RepoMiningQuestion {
    type Answer = Option<RepoMining>;
    const SLOT: Slot = Slot("repos.mined");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let found = source.store()?.mined_from(&self.0)?;
        Ok(found.map(|(root, stamp)| RepoMining {
            root,
            options: stamp.options,
        }))
    }
}

/// The facts that a maintainer wants to know about a repository, besides its counts.
#[derive(Debug)]
pub struct RepoDetailQuestion {
    pub key: RepoKey,
    /// Lets through the tests of the repository, and no others.
    pub filter: Filter,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RepoDetail {
    pub key: RepoKey,
    /// The folder of its sources, relative to the workspace's folder if it is below that.
    pub root: Option<PathBuf>,
    /// The time since a job mined it, in milliseconds; absent where no such job is known.
    pub mined_ago_ms: Option<i64>,
    /// The number of tests of each status, in the order of [`Status::ALL`], without zeros.
    pub by_status: Vec<(Status, u64)>,
    /// The first of its tests.
    pub tests: Vec<SampleRow>,
}

/// The most tests that are read; no screen has more lines.
const TESTS_MAX: usize = 60;

impl Question for RepoDetailQuestion {
    type Answer = RepoDetail;
    const SLOT: Slot = Slot("repos.about");

    fn read(&self, source: &AnswerSource<'_>) -> Result<Self::Answer, MissingAnswer> {
        let store = source.store()?;
        let root = store.mined_from(&self.key)?.map(|pair| pair.0);
        let root = root.filter(|root| !root.as_os_str().is_empty());
        let mined_ms = root.as_deref().map(|root| last_mined(source, root));
        let funnel = browse::funnel(store, &self.filter)?;
        let n_ok = funnel.n_split;
        let by_status = [(Status::Ok, n_ok)].into_iter().chain(funnel.by_status);
        Ok(RepoDetail {
            key: self.key.clone(),
            mined_ago_ms: mined_ms.transpose()?.flatten().map(|n| job::now_ms() - n),
            root: root.map(|root| near(source.folder, root)),
            by_status: by_status.filter(|by_status| by_status.1 > 0).collect(),
            tests: browse::page(store, &self.filter, Anchor::First, TESTS_MAX)?,
        })
    }
}

/// Makes a path relative to the workspace's folder, if it is below that.
fn near(workspace: &Path, root: PathBuf) -> PathBuf {
    // The index keeps absolute paths, but a workspace may be named by a relative one or through a link.
    let workspace = workspace.canonicalize().ok();
    let near = workspace.as_deref().and_then(Path::parent);
    let near = near.and_then(|near| root.strip_prefix(near).ok());
    match near {
        Some(near) if !near.as_os_str().is_empty() => near.to_path_buf(),
        _ => root,
    }
}

/// Finds the time when a job last mined a folder, by itself or as a subfolder; nothing where no job is known.
fn last_mined(source: &AnswerSource<'_>, root: &Path) -> Result<Option<i64>, MissingAnswer> {
    source.jobs.with(source.folder, |jobs| {
        let is_it = |job: &JobRow| {
            let mut paths = job
                .arguments
                .iter()
                .map(|argument| job.folder.join(argument));
            job.kind == JobKind::Mine
                && job.state == JobState::Done
                && paths.any(|path| root == path || (root.parent() == Some(&*path)))
        };
        let rows = jobs.rows()?.into_iter();
        Ok(rows.filter(is_it).filter_map(|row| row.ended_ms).max())
    })
}
