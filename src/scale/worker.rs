//! One process for one repository: started, watched, and ended with all that it started when it takes too long or too
//! much.
//!
//! Its stdin is the lock of the shard. So, while anything of it lives, nobody else takes the shard for a dead one.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, bounded};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::task::{Cancelled, Monitor};

/// How often the worker's use is measured.
const LOOK: Duration = Duration::from_millis(20);
/// The most bytes of its output that are read.
const OUT_BYTES_MAX: u64 = 16 << 20;
/// How many bytes are kept of the end of its stderr.
const LAST_WORDS: usize = 2 << 10;

/// The limits of the worker.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WorkerLimits {
    pub end_by: Option<Instant>,
    /// Resident memory of the process as Linux counts it; not watched on other systems.
    pub memory_bytes: Option<u64>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) enum WorkerExit {
    Exited {
        code: i32,
        out: Vec<u8>,
        said: String,
    },
    /// By a signal that was not ours.
    Signalled {
        signal: i32,
        said: String,
    },
    TooLong,
    TooLarge {
        memory_bytes: u64,
    },
}

#[derive(Debug)]
pub(crate) enum WorkerError {
    Io(io::Error),
    Cancelled(Cancelled),
}

/// Runs a command to its end.
pub(crate) fn run(
    mut command: Command,
    lock: &File,
    limits: WorkerLimits,
    monitor: &Monitor,
) -> Result<WorkerExit, WorkerError> {
    let stdin = lock.try_clone().map_err(WorkerError::Io)?;
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own: a terminal's signals reach only us, and killing the group ends all that the worker has
        // started.
        .process_group(0)
        .spawn()
        .map_err(WorkerError::Io)?;
    let pid = Pid::from_child(&child);
    let out = child
        .stdout
        .take()
        .map(|child_stdout| thread::spawn(|| first(child_stdout)));
    let err = child
        .stderr
        .take()
        .map(|child_stderr| thread::spawn(|| last(child_stderr)));
    let (sender, ended) = bounded(1);
    thread::spawn(move || sender.send(child.wait()));
    let mut limit = None;
    let status = loop {
        if limit.is_none() {
            limit = passed(pid, limits, monitor);
            if limit.is_some() {
                end(pid);
            }
        }
        match ended.recv_timeout(LOOK) {
            Ok(status) => break status.map_err(WorkerError::Io)?,
            Err(RecvTimeoutError::Disconnected) => {
                let error = io::Error::other("nobody waits for the worker");
                return Err(WorkerError::Io(error));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    // Processes that it left behind would go on writing.
    end(pid);
    let text = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader
            .and_then(|join_handle| join_handle.join().ok())
            .unwrap_or_default()
    };
    let (out, said) = (text(out), String::from_utf8_lossy(&text(err)).into_owned());
    match limit {
        Some(PassedLimit::Cancelled(cancelled)) => Err(WorkerError::Cancelled(cancelled)),
        Some(PassedLimit::Time) => Ok(WorkerExit::TooLong),
        Some(PassedLimit::Memory(memory_bytes)) => Ok(WorkerExit::TooLarge { memory_bytes }),
        None => Ok(ending(status, out, said)),
    }
}

fn ending(status: ExitStatus, out: Vec<u8>, said: String) -> WorkerExit {
    match (status.code(), status.signal()) {
        (Some(code), _) => WorkerExit::Exited { code, out, said },
        (None, signal) => WorkerExit::Signalled {
            signal: signal.unwrap_or_default(),
            said,
        },
    }
}

enum PassedLimit {
    Time,
    Memory(u64),
    Cancelled(Cancelled),
}

fn passed(pid: Pid, limits: WorkerLimits, monitor: &Monitor) -> Option<PassedLimit> {
    if let Err(cancelled) = monitor.step() {
        return Some(PassedLimit::Cancelled(cancelled));
    }
    if limits
        .end_by
        .is_some_and(|instant| Instant::now() >= instant)
    {
        return Some(PassedLimit::Time);
    }
    let most = limits.memory_bytes?;
    let used = memory_bytes(pid).filter(|memory_byte| *memory_byte > most)?;
    Some(PassedLimit::Memory(used))
}

fn memory_bytes(pid: Pid) -> Option<u64> {
    let path = format!("/proc/{}/status", pid.as_raw_nonzero());
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn end(group: Pid) {
    // A group that has ended needs no signal.
    let _gone = kill_process_group(group, Signal::KILL);
}

fn first(from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut from = from;
    // What could be read counts: the exit code says whether that is all.
    let _read = from.by_ref().take(OUT_BYTES_MAX).read_to_end(&mut bytes);
    let _rest = io::copy(&mut from, &mut io::sink());
    bytes
}

fn last(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0; 4 << 10];
    while let Ok(n @ 1..) = from.read(&mut chunk) {
        kept.extend(&chunk[..n]);
        let n_more = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..n_more);
    }
    kept
}

/// Makes this process end when the thread that started it does, where the system knows how: a worker whose shard was
/// killed would go on writing.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        // Elsewhere, and where it is refused, the lock keeps others out until it has ended by itself.
        let _refused = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    }
}
