//! Foreign code, where it can do no harm: the only place that starts builds, tests and tools of others.
//!
//! Decides what such a program sees, how much it may use, and that nothing of it is left. Its callers decide what it is
//! run for and what its ending means. A [`ProgramPlan`] is a value. [`Sandbox::run`] waits for its end,
//! [`Sandbox::spawn`] talks to it.
//!
//! With `bwrap` a program has namespaces of its own: it sees the system read-only, what the plan binds, a `/tmp` and a
//! home in memory, and no other process; unless the plan says so, it has no network but its own loopback, or one that
//! it shares with focalist's other programs. `bwrap` stays the parent of the first process inside, so all of it ends
//! when that process does, when `bwrap` does, and when we do.

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make the files that they look at, and nobody else writes there"
    )
)]

use focalist_held as held;
use focalist_task as task;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, bounded};

use crate::task::{Cancelled, Monitor};

mod bubblewrap;
mod filter;
mod guard;
mod keep;
mod launch;
mod network;
mod plan;
mod record;
mod resident;
mod shared;
mod tool;
mod tree;

#[cfg(test)]
mod tests;

pub use crate::held::{EntryKind, Root};
pub use guard::{Ending, Limit, ProgramEnd};
pub use keep::StreamExcerpt;
pub use network::SharedNetwork;
pub use plan::{Bind, BindAccess, HOME, Limits, Network, ProgramPlan, way_out};
pub use record::sweep;
pub use resident::{Meter, OutputLine, Resident};
pub use tool::{SandboxChoice, Tool, said_by};
pub use tree::own_cpu;

use guard::Watch;
use launch::{ProcessRole, ProgramStart};
use record::ProcessRecord;
use resident::ResidentStreams;
use tool::SandboxKind;

/// Why a program could not be run. How it ended is not an error.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("`{program}` is not installed")]
    Missing { program: &'static str },
    /// It is installed, and cannot make a sandbox here.
    #[error("`{}` does not work here: {said}", program.display())]
    Useless { program: PathBuf, said: String },
    /// The program to be run does not exist, as seen from inside.
    #[error("there is no program `{}`", program.display())]
    NoProgram { program: PathBuf },
    #[error("cannot run this: {what}")]
    Plan { what: String },
    #[error("cannot start `{}`: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// The sandbox could not be made for it.
    #[error("the sandbox did not start: {said}")]
    NotStarted { said: String },
    #[error("cannot use `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The thread that watched it is gone.
    #[error("lost track of a program")]
    Lost,
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// How a program ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedProgram {
    pub ending: Ending,
    /// Nothing where another reader takes it.
    pub output: StreamExcerpt,
    pub errors: StreamExcerpt,
}

/// Runs programs. One is enough for a process and its threads; its files are removed with it and with the last program
/// that it has started.
#[derive(Debug)]
pub struct Sandbox {
    tool: Tool,
    record: Arc<ProcessRecord>,
    n_runs: AtomicU64,
}

impl Sandbox {
    /// Opens a separate folder below `folder`, and removes what dead processes have left behind there.
    ///
    /// # Errors
    /// The disk's.
    pub fn open(folder: &Path, tool: Tool) -> Result<Self, SandboxError> {
        // `bwrap` reads paths from another folder than ours.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let failed = |source| SandboxError::Io {
            path: folder.clone(),
            source,
        };
        sweep(&folder);
        let record = Arc::new(ProcessRecord::take(&folder).map_err(failed)?);
        bubblewrap::make_up(&record.folder).map_err(failed)?;
        Ok(Self {
            tool,
            record,
            n_runs: AtomicU64::new(0),
        })
    }

    #[must_use]
    pub const fn tool(&self) -> &Tool {
        &self.tool
    }

    /// Makes an empty folder to write to, which goes with the sandbox.
    ///
    /// # Errors
    /// The disk's.
    pub fn scratch(&self) -> Result<PathBuf, SandboxError> {
        let path = self.record.folder.join(format!("scratch-{}", self.next()));
        match fs::create_dir(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(SandboxError::Io { path, source }),
        }
    }

    /// Removes a folder in which foreign code has written, even if it changed the rights.
    ///
    /// # Errors
    /// The disk's.
    pub fn remove(&self, folder: &Path) -> Result<(), SandboxError> {
        record::remove(folder).map_err(|source| SandboxError::Io {
            path: folder.to_owned(),
            source,
        })
    }

    /// Runs a program to its end with an input, and returns its result.
    ///
    /// # Errors
    /// Where it could not be started, and [`SandboxError::Cancelled`]; nothing runs any more then.
    pub fn run(
        &self,
        plan: &ProgramPlan,
        input: &[u8],
        monitor: &Monitor,
    ) -> Result<FinishedProgram, SandboxError> {
        monitor.step()?;
        let role = if input.is_empty() {
            ProcessRole::Mute
        } else {
            ProcessRole::Told
        };
        let (mut resident, _) = self.start(plan, role)?;
        let n_kept = plan.limits.kept_bytes;
        resident.streams.output = resident
            .output
            .take()
            .map(|child_stdout| keep_apart(child_stdout, n_kept));
        if let Some(mut stdin) = resident.input.take() {
            let input = input.to_owned();
            // A program that does not read all of it has closed its stdin, or has ended: neither is our failure.
            thread::spawn(move || stdin.write_all(&input));
        }
        resident.wait(monitor)
    }

    /// Starts a program that is talked to. Its output on stderr is kept.
    ///
    /// # Errors
    /// Where it could not be started.
    pub fn spawn(&self, plan: &ProgramPlan) -> Result<Resident, SandboxError> {
        self.start(plan, ProcessRole::Told).map(|pair| pair.0)
    }

    /// Starts a program; returns it with the folder in which `bwrap` reports about it.
    fn start(
        &self,
        plan: &ProgramPlan,
        role: ProcessRole,
    ) -> Result<(Resident, PathBuf), SandboxError> {
        plan.check()?;
        let is_bare = self.tool.kind == SandboxKind::None;
        if let Some(bind) = plan
            .binds
            .iter()
            .find(|bind| is_bare && bind.at != bind.from)
        {
            let what = format!(
                "without a sandbox `{}` cannot be seen at `{}`",
                bind.from.display(),
                bind.at.display()
            );
            return Err(SandboxError::Plan { what });
        }
        let n = self.next();
        let folder = self.record.folder.join(format!("run-{n}"));
        launch::make_folder(&folder)?;
        // The point ends the number, so that the token of run 1 is not part of the token of run 10.
        let token = format!("{}.{n}.", self.record.token);
        let started = Instant::now();
        let start = ProgramStart {
            tool: &self.tool,
            plan,
            folder: folder.clone(),
            made_up: &self.record.folder,
            token: &token,
            role,
        };
        let mut child = start.go().inspect_err(|_| {
            // It is removed with the sandbox at the latest.
            let _ = record::remove(&folder);
        })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let errors = child.stderr.take();
        let watch = Watch {
            child,
            folder: folder.clone(),
            token,
            limits: plan.limits.clone(),
            is_bare,
            _record: Arc::clone(&self.record),
        };
        let (orders, done) = guard::watch(watch, started);
        let errors = errors.map(|error| keep_apart(error, plan.limits.kept_bytes));
        let resident = Resident {
            input,
            output,
            streams: ResidentStreams {
                output: None,
                errors: errors.unwrap_or_else(crossbeam_channel::never),
            },
            orders: Some(orders),
            done,
            ending: None,
        };
        Ok((resident, folder))
    }

    fn next(&self) -> u64 {
        self.n_runs.fetch_add(1, Ordering::Relaxed)
    }
}

/// Keeps the excerpt of a stream, on a separate thread.
fn keep_apart(
    stream: impl io::Read + Send + 'static,
    n_bytes_max: usize,
) -> Receiver<StreamExcerpt> {
    let (done, kept) = bounded(1);
    // A receiver that is gone does not wait for it.
    thread::spawn(move || done.send(keep::keep(stream, n_bytes_max)));
    kept
}
