//! Watching what runs: whether it stays within its limits, and that nothing of it is left afterwards.
//!
//! Each program has a thread that looks at it fifty times a second and hears at once when it ends. With `bwrap` three
//! processes are ours: `bwrap` outside, another one as the first process of the namespace inside, and the program.
//! Killing the first one inside kills everything in there, in one step, detached or not.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, nice,
    setpriority_process, waitid,
};

use super::plan::Limits;
use super::tree::{self, ProcessLife, ProcessUse, Waits};
use super::{
    Root, launch,
    record::{self, ProcessRecord},
};

/// How often the guard looks at what the program uses.
const LOOK: Duration = Duration::from_millis(20);
/// The same without a namespace, where every process of the machine has to be looked at.
const LOOK_BARE: Duration = Duration::from_millis(200);
/// How long it may take to end once it is killed: a thousand processes take a while.
const TO_END: Duration = Duration::from_secs(20);
/// By how much the priority (nice value) is raised of the thread that ends them, and of the process that has to end.
const FIRST: i32 = 20;
/// How long `bwrap` may take to stop for a moment, in looks of a millisecond.
const N_TO_STOP: u32 = 100;

/// The most bytes that are read of `bwrap`'s report about itself.
const N_STATUS_MAX: u64 = 1 << 20;

/// A program has at most this multiple of its time, no matter how long it waits for a processor.
const N_TIMES_MAX: u32 = 5;
/// The waits of its threads are first measured after one part in this many of its time: most programs have ended by
/// then.
const BEFORE_WAITS: u32 = 16;

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Wall,
    Cpu,
    Memory,
    Tasks,
    /// The kernel ended a process that would not stop to write.
    FileSize,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramEnd {
    Exited(u8),
    /// By a signal, or with a code above 128, which shells use for that: the two cannot be distinguished.
    Signalled(u8),
    Killed(Limit),
    /// It was ended because a caller asked for that.
    Stopped,
    /// It never began.
    NotStarted,
}

/// How a program ended, and what it had used by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub end: ProgramEnd,
    /// From the start of the sandbox on.
    pub wall: Duration,
    /// The usage of all its processes, sampled fifty times a second: the usage after the last sample is not included.
    pub cpu: Duration,
    /// The most that was seen; nothing where it ended before anybody looked.
    pub memory_bytes_max: Option<u64>,
}

/// An order about a program that runs.
pub enum Order {
    /// It is to end once it has had this time; without a time, never.
    EndAfter(Option<Duration>),
    /// The sender is told once it has had this time, unless an `EndAfter` comes first.
    TellAfter(Duration, Sender<()>),
    /// The sender is told how much processor time the program has used.
    Cpu(Sender<Duration>),
    Stop,
}

/// How much time a program has for one question. Time in which it wants to run while the machine runs others does not
/// count.
struct Term {
    started: Instant,
    time: Duration,
    due: Instant,
    /// How long its threads had waited for a processor at the first look.
    before: Option<Waits>,
}

impl Term {
    fn new(started: Instant, time: Duration) -> Self {
        Self {
            started,
            time,
            due: started + time,
            before: None,
        }
    }

    fn is_to_look(&self, now: Instant) -> bool {
        self.before.is_none() && now >= self.started + self.time / BEFORE_WAITS
    }

    /// Puts off its end by the time that it has waited, up to the limit; returns whether it is over all the same.
    fn is_over(&mut self, now: Instant, waited: Duration) -> bool {
        let put_off = waited.min(self.time * (N_TIMES_MAX - 1));
        self.due = self.started + self.time + put_off;
        now >= self.due
    }
}

/// The watched processes and their limits.
pub struct Watch {
    pub child: Child,
    /// Folder of this run; it goes with it.
    pub folder: PathBuf,
    pub token: String,
    pub limits: Limits,
    pub is_bare: bool,
    /// Keeps the record of this process alive for as long as the program runs.
    pub _record: Arc<ProcessRecord>,
}

/// Watches a program from its start on; the ending comes once nothing of it is left. It is stopped when `orders` is
/// closed.
pub fn watch(watch: Watch, started: Instant) -> (Sender<Order>, Receiver<Ending>) {
    let (orders, to_do) = unbounded();
    let (done, ending) = bounded(1);
    thread::spawn(move || {
        // Among a thousand processes that want to run, the thread that ends them has to come first. Only root may raise
        // a priority, and only a program of root can have so many: the kernel limits the others.
        let _ = nice(-FIRST);
        let guard = Guard {
            pid: Pid::from_child(&watch.child),
            watch,
            started,
            most: ProcessUse::default(),
            killed: None,
            first: None,
        };
        // A receiver that is gone wanted no answer.
        let _ = done.send(guard.run(&to_do));
    });
    (orders, ending)
}

struct Guard {
    watch: Watch,
    pid: Pid,
    started: Instant,
    /// The most of each.
    most: ProcessUse,
    killed: Option<ProgramEnd>,
    /// The first process of the namespace.
    first: Option<u32>,
}

impl Guard {
    fn run(mut self, orders: &Receiver<Order>) -> Ending {
        let ended = wait_for(self.pid);
        let pause = if self.watch.is_bare { LOOK_BARE } else { LOOK };
        let limit = self
            .watch
            .limits
            .wall
            .map(|duration| self.started + duration);
        let (mut term, mut telling) = (None::<Term>, None::<(Term, Sender<()>)>);
        let mut look_at = Instant::now() + pause;
        while self.killed.is_none() {
            let terms = term.iter().chain(telling.iter().map(|telling| &telling.0));
            let due = limit.into_iter().chain(terms.map(|term| term.due)).min();
            let next = due.map_or(look_at, |instant| instant.min(look_at));
            select! {
                recv(ended) -> _ => return self.end(),
                recv(orders) -> order => match order {
                    Ok(Order::EndAfter(time)) => {
                        term = time.map(|it| Term::new(Instant::now(), it));
                        telling = None;
                    }
                    Ok(Order::TellAfter(time, told)) => {
                        telling = Some((Term::new(Instant::now(), time), told));
                    }
                    Ok(Order::Cpu(told)) => {
                        self.killed = self.passed().map(ProgramEnd::Killed);
                        // Whoever asked may have gone.
                        let _ = told.send(self.most.cpu);
                    }
                    Ok(Order::Stop) | Err(_) => self.killed = Some(ProgramEnd::Stopped),
                },
                default(next.saturating_duration_since(Instant::now())) => {}
            }
            let now = Instant::now();
            // A time that has just been taken back is no longer due.
            let is_over = term.as_mut().is_some_and(|term| self.is_over(term, now));
            if let Some((_, told)) = telling.take_if(|telling| self.is_over(&mut telling.0, now)) {
                // Whoever asked may have gone.
                let _ = told.send(());
            }
            if is_over || limit.is_some_and(|instant| now >= instant) {
                self.killed = self.killed.or(Some(ProgramEnd::Killed(Limit::Wall)));
            } else if now >= look_at {
                look_at = now + pause;
                let passed = self.passed().map(ProgramEnd::Killed);
                self.killed = self.killed.or(passed);
            }
        }
        self.kill(&ended);
        self.end()
    }

    /// Tells whether a time is over, without what its threads have waited in it for a processor.
    fn is_over(&mut self, term: &mut Term, now: Instant) -> bool {
        if term.is_to_look(now) {
            term.before = Some(self.waits());
        }
        now >= term.due && term.is_over(now, self.waited(term.before.as_ref()))
    }

    /// Measures how long each of its threads has waited for a processor.
    fn waits(&mut self) -> Waits {
        let all = Path::new("/proc");
        if self.watch.is_bare {
            let group = self.pid.as_raw_nonzero().get().cast_unsigned();
            let mut pids = tree::pids(all);
            pids.retain(|pid| tree::stat(all, *pid).is_some_and(|stat| stat.group == group));
            return tree::waits(all, &pids);
        }
        match self.first().and_then(tree::proc_of) {
            Some(proc) => tree::waits(&proc, &tree::pids(&proc)),
            None => Waits::new(),
        }
    }

    fn waited(&mut self, before: Option<&Waits>) -> Duration {
        before.map_or(Duration::ZERO, |before| {
            tree::longest_wait(before, &self.waits())
        })
    }

    /// Checks its usage, and returns the limit that it exceeds.
    fn passed(&mut self) -> Option<Limit> {
        let used = if self.watch.is_bare {
            let group = self.pid.as_raw_nonzero().get().cast_unsigned();
            tree::usage(Path::new("/proc"), |stat| stat.group == group)
        } else {
            let first = self.first()?;
            let Some(proc) = tree::proc_of(first) else {
                // The namespace is just being made, or we may not look into it.
                return self.passed_by(tree::usage_below(Path::new("/proc"), first));
            };
            // With more processes than that nothing else is measured: it would take time in which they become still
            // more.
            if tree::pids(&proc).len() as u64 > self.watch.limits.n_tasks {
                return Some(Limit::Tasks);
            }
            tree::usage(&proc, |_| true)
        };
        self.passed_by(used)
    }

    fn passed_by(&mut self, used: ProcessUse) -> Option<Limit> {
        self.most.cpu = self.most.cpu.max(used.cpu);
        self.most.memory_bytes = self.most.memory_bytes.max(used.memory_bytes);
        let limits = &self.watch.limits;
        if used.n_tasks > limits.n_tasks {
            Some(Limit::Tasks)
        } else if limits
            .memory_bytes
            .is_some_and(|memory_byte| used.memory_bytes > memory_byte)
        {
            Some(Limit::Memory)
        } else if limits.cpu.is_some_and(|duration| used.cpu > duration) {
            Some(Limit::Cpu)
        } else {
            None
        }
    }

    /// Finds the first process of the namespace, by its number outside.
    fn first(&mut self) -> Option<u32> {
        if self.first.is_none() {
            self.first = reported_number(&self.watch.folder, "child-pid");
        }
        self.first
    }

    /// Kills all of it, and waits until it has ended.
    fn kill(&mut self, ended: &Receiver<()>) {
        if self.watch.is_bare {
            // What has left the group is found by its token, at the end.
            let _ = kill_process_group(self.pid, Signal::KILL);
        } else {
            self.kill_namespace();
        }
        if ended.recv_timeout(TO_END).is_err() {
            let _ = kill_process(self.pid, Signal::KILL);
            // The kernel has nothing left to wait for.
            let _ = ended.recv_timeout(TO_END);
        }
    }

    /// Kills the first process inside. As long as `bwrap` is stopped it neither starts one nor lets one go, so the
    /// number is that process's.
    fn kill_namespace(&mut self) {
        let pid = self.pid.as_raw_nonzero().get().cast_unsigned();
        // Errors are ignored: it has not been waited for yet, so the number is still its own, and it has just ended.
        let _ = kill_process(self.pid, Signal::STOP);
        let stat = || tree::stat(Path::new("/proc"), pid);
        for _ in 0..N_TO_STOP {
            if stat().is_none_or(|stat| matches!(stat.state, b'T' | b'Z')) {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        let proc = Path::new("/proc");
        let is_child = |n: &u32| tree::stat(proc, *n).is_some_and(|stat| stat.parent == pid);
        // It exists before `bwrap` has reported its number.
        let first = self.first().filter(is_child);
        let first = first.or_else(|| tree::pids(proc).into_iter().find(is_child));
        if let Some(first) = first.and_then(|first| Pid::from_raw(first.cast_signed())) {
            // It has to run once more to end all others.
            let _ = setpriority_process(Some(first), -FIRST);
            let _ = kill_process(first, Signal::KILL);
            // `bwrap` waits for that process, which adds what all of them have used to its own use.
            let _ = kill_process(self.pid, Signal::CONT);
        } else {
            // There is none yet, and there will be none, or it has ended by itself.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Waits until nothing is left inside. `bwrap` ends when the program does; the kernel kills what that has left
    /// behind a moment later.
    fn settle(&mut self) {
        let Some(first) = self.first() else { return };
        let end = Instant::now() + TO_END;
        while Instant::now() < end {
            match tree::life(first, &self.watch.token) {
                ProcessLife::Over => return,
                ProcessLife::Ending => {}
                ProcessLife::Whole => {
                    // It may end by itself in this moment.
                    let first = Pid::from_raw(first.cast_signed());
                    let _ = first.map(|pid| kill_process(pid, Signal::KILL));
                }
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Clears away the rest, and describes the end.
    fn end(mut self) -> Ending {
        // The kernel reports its usage only until it is waited for.
        let pid = self.pid.as_raw_nonzero().get().cast_unsigned();
        let ticks = tree::stat(Path::new("/proc"), pid).map_or(0, |stat| stat.ticks);
        let status = self.watch.child.wait();
        if self.watch.is_bare {
            record::kill_all(&self.watch.token);
        } else {
            self.settle();
        }
        let end = match (self.killed, status) {
            (Some(end), _) => end,
            (None, Ok(status)) => self.how(status),
            (None, Err(_)) => ProgramEnd::NotStarted,
        };
        // The next start removes a folder that stays.
        let _ = record::remove(&self.watch.folder);
        let memory = self.most.memory_bytes;
        Ending {
            end,
            wall: self.started.elapsed(),
            cpu: self.most.cpu.max(tree::duration(ticks)),
            memory_bytes_max: (memory > 0).then_some(memory),
        }
    }

    fn how(&self, status: ExitStatus) -> ProgramEnd {
        let code = if self.watch.is_bare {
            status
                .signal()
                .map_or_else(|| status.code(), |n| Some(128 + n))
        } else {
            // Its own code says nothing: it ends with 1, too, where it cannot begin.
            let code = reported_number(&self.watch.folder, "exit-code").map(u32::cast_signed);
            let signal = status.signal().map(|n| 128 + n);
            code.or(signal)
        };
        let Some(code) = code.and_then(|code| u8::try_from(code).ok()) else {
            return ProgramEnd::NotStarted;
        };
        let is = |signal: Signal| i32::from(code) == 128 + signal.as_raw();
        match code {
            _ if is(Signal::XFSZ) => ProgramEnd::Killed(Limit::FileSize),
            _ if is(Signal::XCPU) => ProgramEnd::Killed(Limit::Cpu),
            129..=192 => ProgramEnd::Signalled(code - 128),
            _ => ProgramEnd::Exited(code),
        }
    }
}

/// Opens a channel that is told when a process has ended. It is not waited for: its number stays its own.
fn wait_for(pid: Pid) -> Receiver<()> {
    let (ended, told) = bounded(1);
    thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(error) = waitid(WaitId::Pid(pid), options) {
            if error != rustix::io::Errno::INTR {
                break;
            }
        }
        // A receiver that has given up does not listen.
        let _ = ended.send(());
    });
    told
}

/// Reads a number by its name out of `bwrap`'s report about itself, lines of JSON; nothing before it is there whole.
pub fn reported_number(folder: &Path, name: &str) -> Option<u32> {
    let folder = Root::open(folder).ok()?;
    let text = folder.read_text(launch::STATUS, N_STATUS_MAX).ok()?;
    let (_, rest) = text.split_once(&format!("\"{name}\":"))?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_others_run_is_put_off() {
        let started = Instant::now();
        let check = |ms: u64, waited_ms: u64, expected_ms: Option<u64>| {
            let mut term = Term::new(started, Duration::from_secs(1));
            let after = |ms| started + Duration::from_millis(ms);
            let is_over = term.is_over(after(ms), Duration::from_millis(waited_ms));
            let put_off_to = expected_ms.map(after);
            assert_eq!(
                (!is_over).then_some(term.due),
                put_off_to,
                "{ms} {waited_ms}"
            );
        };
        check(1000, 0, None);
        check(1000, 10, Some(1010));
        check(1000, 900, Some(1900));
        check(1900, 900, None);
        // A program that waits for ever is ended, too.
        check(1900, 60_000, Some(5000));
        check(5000, 60_000, None);
    }
}
