//! The output of `jobs` with `--json`.

use serde::Serialize;

use crate::model::JobRow;

/// A job: a line of `jobs --json`. Times count milliseconds since 1970.
#[derive(Debug, Serialize)]
pub struct WireJob {
    pub id: i64,
    pub kind: &'static str,
    /// `queued`, `running`, `done`, `failed`, `cancelled`, or `stopped`: neither ended nor alive.
    pub state: &'static str,
    /// The arguments of `focalist`; parts that are not UTF-8 are replaced.
    pub arguments: Vec<String>,
    pub folder: String,
    pub background: bool,
    pub retry_of: Option<i64>,
    pub cancel_asked: bool,
    pub phase: String,
    pub done: u64,
    /// Null while it is not known.
    pub total: Option<u64>,
    pub repos_done: u64,
    pub repos_total: Option<u64>,
    pub problems: u64,
    /// 0 to 1, over everything.
    pub share: Option<f64>,
    pub per_second: Option<f64>,
    pub left_ms: Option<u64>,
    pub message: String,
    /// The changes by mining repositories again; null where it replaced none.
    pub changes: Option<WireChanges>,
    pub exit_code: Option<u8>,
    pub pid: Option<u32>,
    pub host: String,
    pub created_ms: i64,
    pub started_ms: Option<i64>,
    pub ended_ms: Option<i64>,
    pub heartbeat_ms: i64,
    /// Whether you started it, in this workspace.
    pub ours: bool,
    pub log: String,
}

/// Counts of samples, and of the verdicts that are not about them any more.
#[derive(Debug, Serialize)]
pub struct WireChanges {
    pub new: u64,
    pub gone: u64,
    pub changed: u64,
    pub stale_verdicts: u64,
}

impl WireJob {
    /// Describes the job at this moment; `log` is the path of its log.
    #[must_use]
    pub fn new(job: &JobRow, now_ms: i64, log: String) -> Self {
        let pace = job.pace(now_ms);
        let arguments = job.arguments.iter();
        let known = |total: u64| (total > 0).then_some(total);
        Self {
            id: job.id.0,
            kind: job.kind.as_str(),
            state: job.state.as_str(),
            arguments: arguments
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect(),
            folder: job.folder.display().to_string(),
            background: job.is_background,
            retry_of: job.retry_of.map(|job_id| job_id.0),
            cancel_asked: job.is_cancel_asked,
            phase: job.progress.phase.clone(),
            done: job.progress.n_done,
            total: known(job.progress.n_total),
            repos_done: job.progress.n_repos,
            repos_total: known(job.progress.n_repos_total),
            problems: job.progress.n_problems,
            share: job.progress.share,
            per_second: pace.map(|job_pace| job_pace.per_second),
            left_ms: pace.and_then(|job_pace| job_pace.left_ms),
            message: job.message.clone(),
            changes: job.changes.map(|change| WireChanges {
                new: change.n_new,
                gone: change.n_gone,
                changed: change.n_changed,
                stale_verdicts: change.n_stale,
            }),
            exit_code: job.exit_code,
            pid: job.pid,
            host: job.host.clone(),
            created_ms: job.created_ms,
            started_ms: job.started_ms,
            ended_ms: job.ended_ms,
            heartbeat_ms: job.heartbeat_ms,
            ours: job.is_ours,
            log,
        }
    }
}
