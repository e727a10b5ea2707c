//! Starting the program again as a process without a terminal, and ending such a process.

use std::env;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::model::{JobId, JobRow, JobState};
use crate::store::{JobEnd, JobTable, NewJob, StoreAccess};

use super::worker::{enroll, host};
use super::{JobError, lock, log, now_ms};

/// The pause between two looks at a job that is to start or to stop: neither must feel slow.
const LOOK: Duration = Duration::from_millis(10);
/// The time for a new process to report that it runs; it goes on without us in any case.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time that a job has to stop on request, before it gets a signal.
const TO_HEAR: Duration = Duration::from_secs(2);

/// Starts this program with the arguments of a job, as a process that outlives this one, and returns the job's number
/// once nothing that happens to this process or its terminal can reach it: some 20 ms.
///
/// The process holds the job's lock from its first moment on, as its stdin: there is nothing to be read there.
///
/// # Errors
/// The database's and the disk's, and where the program cannot be started; then the job has failed.
pub fn start(folder: &Path, job: &NewJob) -> Result<JobId, JobError> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let table = JobTable::open(&folder, StoreAccess::Create)?;
    let job = NewJob {
        is_background: true,
        ..job.clone()
    };
    let (id, lock) = enroll(&folder, &table, &job)?;
    let path = log::path(&folder, id);
    let started = log::open((&folder, id))
        .and_then(|out| Ok((out.try_clone()?, out)))
        .map_err(|source| JobError::Io { path, source })
        .and_then(|(out, err)| {
            let program = program();
            Command::new(&program)
                .arg("--job")
                .arg(id.to_string())
                .args(&job.arguments)
                .current_dir(&job.folder)
                // Whatever is set when a job is done again, its rows stay in one workspace.
                .env("FOCALIST_WORKSPACE", &folder)
                .stdin(lock)
                .stdout(out)
                .stderr(err)
                .spawn()
                .map_err(|source| JobError::Start {
                    program,
                    folder: job.folder.clone(),
                    source,
                })
        });
    match started {
        Ok(child) => wait_until_there(&folder, &table, id, child),
        Err(error) => {
            table.end(id, failed(&error.to_string()), now_ms())?;
            lock::remove(&folder, id);
            Err(error)
        }
    }
}

/// Waits until the process has taken the job up, and leaves a thread behind that hears of its end.
fn wait_until_there(
    folder: &Path,
    table: &JobTable,
    id: JobId,
    mut child: Child,
) -> Result<JobId, JobError> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        // Before the row is read: a process that has ended writes no more.
        let is_over = matches!(child.try_wait(), Ok(Some(_)));
        if table.row(id)?.is_none_or(|job_row| job_row.pid.is_some()) {
            break;
        }
        if is_over {
            let said = log::tail((folder, id), 4 << 10).unwrap_or_default();
            let said = said.text.trim_end().to_owned();
            table.end(id, failed(&said), now_ms())?;
            lock::remove(folder, id);
            return Err(JobError::Died { id, said });
        }
        thread::sleep(LOOK);
    }
    // A process that nobody waits for stays in the table of processes until we end.
    thread::spawn(move || child.wait());
    Ok(id)
}

const fn failed(message: &str) -> JobEnd<'_> {
    JobEnd {
        state: JobState::Failed,
        exit_code: None,
        message,
    }
}

/// Finds the file of this program; also after a new one was put in its place.
fn program() -> PathBuf {
    // What Linux says of a file that is gone.
    const GONE: &[u8] = b" (deleted)";
    let Ok(path) = env::current_exe() else {
        return PathBuf::from("focalist");
    };
    match path.as_os_str().as_bytes().strip_suffix(GONE) {
        Some(before) if !path.exists() => PathBuf::from(OsStr::from_bytes(before)),
        _ => path,
    }
}

/// The steps by which a job is made to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelStep {
    /// Its row says so; a job looks four times a second.
    Asked,
    /// After two seconds.
    Terminated,
    /// After [`seconds_to_stop`](crate::model::JobKind::seconds_to_stop); what was stored stays whole.
    Killed,
    /// It is a process of another machine, or container: nobody here can do more than ask.
    OutOfReach,
}

/// Makes a job stop, and returns how it ended once it has: cancelled, or done in spite of it. Blocks until then, at
/// most a second longer than its kind has to stop; a job out of reach that has not stopped by then is returned as it
/// is.
///
/// # Errors
/// Where there is no such job, where it is not alive, and the database's.
pub fn cancel(
    folder: &Path,
    id: JobId,
    tell: &mut dyn FnMut(CancelStep),
) -> Result<JobRow, JobError> {
    let table = JobTable::open(folder, StoreAccess::Write)?;
    let look = || -> Result<JobRow, JobError> {
        let row = table.row(id)?.ok_or(JobError::NoSuch { id })?;
        Ok(lock::with_current_state(folder, &table, row)?)
    };
    let row = look()?;
    let to_stop = Duration::from_secs(row.kind.seconds_to_stop());
    if !row.state.is_alive() {
        return Err(JobError::NotAlive {
            id,
            state: row.state,
        });
    }
    table.ask_to_cancel(id)?;
    tell(CancelStep::Asked);
    let asked_at = Instant::now();
    let mut done = CancelStep::Asked;
    loop {
        let row = look()?;
        let step = match asked_at.elapsed() {
            _ if row.state == JobState::Stopped => {
                // A user who asked it to stop does not want it offered for resuming.
                let end = JobEnd {
                    state: JobState::Cancelled,
                    exit_code: None,
                    message: "it was killed",
                };
                table.end(id, end, now_ms())?;
                lock::remove(folder, id);
                return look();
            }
            _ if !row.state.is_alive() => return Ok(row),
            // A process of that number is ours as long as the lock is held.
            _ if row.host != host() && row.pid.is_some() => CancelStep::OutOfReach,
            elapsed if elapsed >= to_stop => CancelStep::Killed,
            elapsed if elapsed >= TO_HEAR => CancelStep::Terminated,
            _ => CancelStep::Asked,
        };
        if step == CancelStep::OutOfReach && asked_at.elapsed() >= to_stop {
            return Ok(row);
        }
        if step != done && send(step, &row) {
            done = step;
            tell(step);
        }
        thread::sleep(LOOK);
    }
}

/// Does a step, and returns whether that was possible.
fn send(step: CancelStep, row: &JobRow) -> bool {
    let signal = match step {
        CancelStep::Asked | CancelStep::OutOfReach => return true,
        CancelStep::Terminated => Signal::TERM,
        CancelStep::Killed => Signal::KILL,
    };
    let pid = row.pid.and_then(|pid| Pid::from_raw(pid.cast_signed()));
    // It may have ended in this moment; the next look shows it.
    pid.is_some_and(|pid| kill_process(pid, signal).is_ok())
}
