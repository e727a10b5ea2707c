//! The job that this process does: its row, its heartbeat, its turn, its log.
//!
//! A thread of its own looks at the [`Monitor`] four times a second, so the work waits neither for the disk nor for
//! another process, and no failure here is one of the work.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::model::{
    JobId, JobKind, JobMark, JobProgress, JobRow, JobState, JobWindow, SampleChanges,
};
use crate::store::{JobEnd, JobProcess, JobTable, NewJob, StoreAccess, StoreError};
use crate::task::Monitor;

use super::log::{self, LogWriter};
use super::seal::Sealer;
use super::{JobError, N_ENDED_MAX, command_line, forget, lock, now_ms};

/// The pause between two looks for changes: a cancel is heard within it.
const LOOK: Duration = Duration::from_millis(250);
/// The pause between heartbeats that only show that the job lives, in milliseconds.
pub(super) const BEAT_MS: i64 = 1_000;
/// The pause between two looks of a waiting job whether its turn has come.
const TURN: Duration = Duration::from_millis(100);
/// The niceness of a job in the background: everybody else comes first.
const NICENESS: i32 = 10;

/// A job that this process does. Ended by [`Job::end`]; one that is dropped without is shown as stopped.
pub struct Job {
    id: JobId,
    kind: JobKind,
    folder: PathBuf,
    is_background: bool,
    table: Arc<Mutex<JobTable>>,
    monitor: Arc<Monitor>,
    log: Mutex<LogWriter>,
    /// The last message.
    last_message: Mutex<String>,
    heart: Mutex<Option<JobHeartbeat>>,
    /// In the background it is this process's stdin.
    _lock: Option<File>,
}

/// The holder of the turn.
#[derive(Debug)]
pub enum TurnHolder<'r> {
    Job(&'r JobRow),
    /// A process that is no job, such as `focalist rm`.
    Somebody,
}

impl Job {
    /// Adds the job that this process is about to do, in a terminal or a script.
    ///
    /// # Errors
    /// The database's and the disk's; the work can go on without a row.
    pub fn register(folder: &Path, job: &NewJob) -> Result<Arc<Self>, StoreError> {
        let table = JobTable::open(folder, StoreAccess::Create)?;
        let (id, lock) = enroll(folder, &table, job)?;
        table.claim(id, process(&host()), now_ms())?;
        Self::with(folder, table, job.kind, (id, Some(lock)))
    }

    /// Takes up a job that [`super::start`] has added, in a session of its own: the terminal from which it was started
    /// may go away. The lock is this process's stdin.
    ///
    /// # Errors
    /// Where no such job waits for a process; the database's and the disk's.
    pub fn attach(folder: &Path, id: JobId) -> Result<Arc<Self>, JobError> {
        let table = JobTable::open(folder, StoreAccess::Write)?;
        let row = table.row(id)?.ok_or(JobError::NoSuch { id })?;
        if !row.is_background {
            return Err(JobError::NotWaiting { id });
        }
        // Fails for the leader of a group of processes, which has no terminal's group to leave.
        let _ = rustix::process::setsid();
        // Some systems refuse; then the job is as important as everything else.
        let _ = rustix::process::nice(NICENESS);
        // A process that waits for the pid knows that nothing of the terminal can reach the job any more.
        if !table.claim(id, process(&host()), now_ms())? {
            return Err(JobError::NotWaiting { id });
        }
        Ok(Self::with(folder, table, row.kind, (id, None))?)
    }

    fn with(
        folder: &Path,
        table: JobTable,
        kind: JobKind,
        (id, lock): (JobId, Option<File>),
    ) -> Result<Arc<Self>, StoreError> {
        let log = LogWriter::open((folder, id)).map_err(|source| StoreError::Io {
            path: log::path(folder, id),
            source,
        })?;
        let (table, monitor) = (Arc::new(Mutex::new(table)), Arc::new(Monitor::default()));
        let job = Self {
            id,
            kind,
            folder: folder.to_owned(),
            is_background: lock.is_none(),
            heart: Mutex::new(Some(JobHeartbeat::start(id, &table, &monitor))),
            table,
            monitor,
            log: Mutex::new(log),
            last_message: Mutex::default(),
            _lock: lock,
        };
        let arguments = held(&job.table).row(id)?.map(|job_row| job_row.arguments);
        job.log(&format!(
            "job {id}: focalist {}",
            command_line(&arguments.unwrap_or_default())
        ));
        Ok(Arc::new(job))
    }

    #[must_use]
    pub const fn id(&self) -> JobId {
        self.id
    }

    #[must_use]
    pub const fn is_background(&self) -> bool {
        self.is_background
    }

    /// Returns the monitor that the work writes and others watch; cancelling the job cancels it.
    #[must_use]
    pub const fn monitor(&self) -> &Arc<Monitor> {
        &self.monitor
    }

    /// Returns a writer into the job's log.
    #[must_use]
    pub fn writer(&self) -> LogWriter {
        held(&self.log).clone()
    }

    /// Writes a line into the log.
    pub fn log(&self, line: &str) {
        // A full disk ends the work by itself, where it matters.
        let _ = writeln!(held(&self.log), "{line}");
    }

    /// Notes what the user was told last: where the job ends well, that is what came of it.
    pub fn note(&self, message: &str) {
        if !message.starts_with("warning: ") && !message.starts_with("hint: ") {
            message.clone_into(&mut held(&self.last_message));
        }
    }

    /// Notes what mining changed, for later readers of the row.
    pub fn note_changes(&self, changes: &SampleChanges) {
        // What cannot be noted was said all the same.
        let _ = held(&self.table).note_changes(self.id, changes);
    }

    /// Says that the work has begun, where nothing needs to be waited for.
    pub fn begin(&self) {
        // Nobody's work waits for a row.
        let _ = held(&self.table).begin(self.id, now_ms());
    }

    /// Opens a database that only one process writes at a time, once every living writer that was there before has
    /// ended. `tell` hears whom it waits for, each time that changes.
    ///
    /// # Errors
    /// What `open` returns, but for [`StoreError::Locked`], and `Cancelled`.
    pub fn wait_for_turn<T>(
        &self,
        open: impl FnMut() -> Result<T, StoreError>,
        tell: impl FnMut(TurnHolder<'_>),
    ) -> Result<T, StoreError> {
        self.wait(|| self.ahead(), open, tell)
    }

    /// Opens a database through which only one process asks models at a time, once nobody else does; `tell` hears of
    /// the wait.
    ///
    /// # Errors
    /// What `open` returns, but for [`StoreError::Asked`], and `Cancelled`.
    pub fn wait_to_ask<T>(
        &self,
        open: impl FnMut() -> Result<T, StoreError>,
        tell: impl FnMut(TurnHolder<'_>),
    ) -> Result<T, StoreError> {
        self.wait(|| None, open, tell)
    }

    fn wait<T>(
        &self,
        ahead: impl Fn() -> Option<JobRow>,
        mut open: impl FnMut() -> Result<T, StoreError>,
        mut tell: impl FnMut(TurnHolder<'_>),
    ) -> Result<T, StoreError> {
        // 0 stands for a process that is no job.
        let mut told = None;
        loop {
            self.monitor.step()?;
            let ahead = ahead();
            if ahead.is_none() {
                match open() {
                    Err(StoreError::Locked { .. } | StoreError::Asked { .. }) => {}
                    other => {
                        if other.is_ok() {
                            self.begin();
                        }
                        return other;
                    }
                }
            }
            let who = Some(ahead.as_ref().map_or(JobId(0), |job_row| job_row.id));
            if told != who {
                told = who;
                tell(ahead.as_ref().map_or(TurnHolder::Somebody, TurnHolder::Job));
            }
            thread::sleep(TURN);
        }
    }

    /// Finds another living writer that runs, or was asked for before this job.
    fn ahead(&self) -> Option<JobRow> {
        let table = held(&self.table);
        // Without the table there is still the writers' lock.
        let mut rows = table.open_rows().unwrap_or_default();
        rows.retain(|row| {
            row.kind.is_writer()
                && row.id != self.id
                && (row.state == JobState::Running || row.id < self.id)
                && lock::is_held(&self.folder, row.id)
        });
        rows.into_iter().next()
    }

    /// Says how the job ended; `message` is why it did not end well, else what was said last counts.
    pub fn end(&self, state: JobState, exit_code: u8, message: Option<&str>) {
        if let Some(heart) = held(&self.heart).take() {
            heart.stop();
        }
        let said = held(&self.last_message).clone();
        let message = message.unwrap_or(&said);
        self.log(state.as_str());
        let end = JobEnd {
            state,
            exit_code: Some(exit_code),
            message,
        };
        let table = held(&self.table);
        // A job whose end cannot be noted is shown as stopped: the user will look.
        if table.end(self.id, end, now_ms()).is_ok() {
            lock::remove(&self.folder, self.id);
        }
    }

    /// Returns the kind of work.
    #[must_use]
    pub const fn kind(&self) -> JobKind {
        self.kind
    }
}

/// Adds a row whose lock this process holds, and forgets the oldest jobs when there are too many.
pub(super) fn enroll(
    folder: &Path,
    table: &JobTable,
    job: &NewJob,
) -> Result<(JobId, File), StoreError> {
    let (id, lock) = table.add(job, now_ms(), |id| lock::take(folder, id))?;
    if let Some(sealer) = Sealer::of(folder) {
        table.set_seal(id, &sealer.seal(id, job))?;
    }
    let old = table.ended_up_to(JobId(id.0 - N_ENDED_MAX))?;
    if !old.is_empty() {
        forget(folder, table, &old)?;
    }
    Ok((id, lock))
}

/// Reads the name of this machine; in a container it is the container's.
pub(super) fn host() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

fn process(host: &str) -> JobProcess<'_> {
    JobProcess {
        pid: std::process::id(),
        host,
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that says how far the job is and hears whether to stop.
struct JobHeartbeat {
    alive: Sender<()>,
    thread: JoinHandle<()>,
}

impl JobHeartbeat {
    fn start(id: JobId, table: &Arc<Mutex<JobTable>>, monitor: &Arc<Monitor>) -> Self {
        let (alive, ended) = crossbeam_channel::bounded(0);
        let (table, monitor) = (Arc::clone(table), Arc::clone(monitor));
        Self {
            alive,
            thread: thread::spawn(move || beat(id, &table, &monitor, &ended)),
        }
    }

    /// Beats a last time.
    fn stop(self) {
        drop(self.alive);
        // It returns nothing, and a panic there has printed itself.
        let _ = self.thread.join();
    }
}

fn beat(id: JobId, table: &Mutex<JobTable>, monitor: &Monitor, ended: &Receiver<()>) {
    let (mut window, mut last) = (JobWindow::default(), (0, JobProgress::default()));
    loop {
        let is_last = ended.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout);
        let now_ms = now_ms();
        let progress = progress(monitor);
        let mark = JobMark {
            at_ms: now_ms,
            n_done: progress.n_done,
            share: progress.share.unwrap_or(0.0),
        };
        let since = window.push(mark);
        let table = held(table);
        // A heartbeat that is lost makes nothing worse: the next one comes, and the lock says who lives.
        if table.is_cancel_asked(id).unwrap_or(false) {
            monitor.cancel();
        }
        if last.1 != progress || now_ms - last.0 >= BEAT_MS {
            let _ = table.beat(id, &progress, since, now_ms);
            last = (now_ms, progress);
        }
        if is_last {
            return;
        }
    }
}

fn progress(monitor: &Monitor) -> JobProgress {
    let (progress, detail) = (monitor.progress(), monitor.detail());
    let dot = if detail.is_empty() { "" } else { " · " };
    let step = monitor.step_label();
    let behind = if step.is_empty() { "" } else { " · " };
    JobProgress {
        phase: format!("{step}{behind}{}{dot}{detail}", progress.phase.as_str()),
        n_done: progress.n_done,
        // Where the share covers more than the counted items, a total beside it would tell another progress.
        n_total: if progress.is_counted() {
            progress.n_total
        } else {
            0
        },
        n_repos: progress.n_repos,
        n_repos_total: progress.n_repos_total,
        n_problems: progress.n_problems,
        share: progress.share(),
    }
}
