//! The kernel's data on the processes of a program: `/proc`, which may be missing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};

/// The state and resource usage of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    pub state: u8,
    pub parent: u32,
    pub group: u32,
    /// With its children that have ended and were waited for.
    pub ticks: u64,
    pub n_tasks: u64,
    pub n_pages: u64,
}

/// The usage of a program's processes at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUse {
    pub cpu: Duration,
    pub memory_bytes: u64,
    pub n_tasks: u64,
}

/// How far from its end a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessLife {
    Whole,
    Ending,
    Over,
}

/// Reads the state of a process from a folder like `/proc`; nothing where there is no such process.
pub fn stat(proc: &Path, pid: u32) -> Option<Stat> {
    parse(&read(&proc.join(pid.to_string()).join("stat")).ok()?)
}

/// Reads a file of `/proc`.
#[expect(
    clippy::disallowed_methods,
    reason = "nobody but the kernel makes what lies in `/proc`"
)]
fn read(path: &Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// Takes a line of `proc_pid_stat(5)` apart. The program's name in it may hold anything, brackets and spaces too.
fn parse(line: &[u8]) -> Option<Stat> {
    let name_end = line.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(&line[name_end + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // The manual counts from 1, and pid and name come before.
    let number = |n: usize| fields.get(n - 3)?.parse::<i64>().ok();
    let positive = |n: usize| number(n).map(|n| u64::try_from(n).unwrap_or(0));
    Some(Stat {
        state: *fields.first()?.as_bytes().first()?,
        parent: u32::try_from(number(4)?).ok()?,
        group: u32::try_from(number(5)?).ok()?,
        ticks: (14..=17).filter_map(positive).sum(),
        n_tasks: positive(20)?,
        n_pages: positive(24)?,
    })
}

/// Measures the processor time that this program has used so far, in all of its threads; nothing where the system does
/// not tell.
#[must_use]
pub fn own_cpu() -> Option<Duration> {
    Some(duration(
        stat(Path::new("/proc"), std::process::id())?.ticks,
    ))
}

pub fn duration(ticks: u64) -> Duration {
    Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64)
}

/// Lists the numbers of processes in a folder like `/proc`.
pub fn pids(proc: &Path) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(proc) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// Finds the `/proc` of a namespace by its first process; nothing before it has been mounted. A process outside the
/// namespace has no `self` in its `/proc`, and until then it is still our own that is seen there.
pub fn proc_of(first: u32) -> Option<PathBuf> {
    let proc = PathBuf::from(format!("/proc/{first}/root/proc"));
    let is_ours = fs::read_link(proc.join("self")).is_ok();
    (!is_ours && proc.join("1").exists()).then_some(proc)
}

/// Sums up what the processes use that `is_member` accepts.
pub fn usage(proc: &Path, is_member: impl Fn(&Stat) -> bool) -> ProcessUse {
    let all = pids(proc).into_iter().filter_map(|pid| stat(proc, pid));
    sum(all.filter(is_member))
}

/// Tells whether this kernel knows filters of system calls.
pub fn has_filters() -> bool {
    let said = read(Path::new("/proc/self/status")).unwrap_or_default();
    holds(&said, "\nSeccomp:")
}

/// Tells whether this kernel knows queues of messages that have names.
pub fn has_queues() -> bool {
    let said = read(Path::new("/proc/filesystems")).unwrap_or_default();
    holds(&said, "\tmqueue\n")
}

/// How long each thread of some processes has waited for a processor while it wanted one, by its number.
pub type Waits = BTreeMap<u32, Duration>;

/// Measures how long the threads of some processes have waited for a processor; empty where the kernel does not count
/// it.
pub fn waits(proc: &Path, pids: &[u32]) -> Waits {
    let mut waits = Waits::new();
    for pid in pids {
        let tasks = proc.join(pid.to_string()).join("task");
        for task in self::pids(&tasks) {
            let said = read(&tasks.join(task.to_string()).join("schedstat"));
            let said = said.ok().and_then(|said| String::from_utf8(said).ok());
            // Nanoseconds on a processor, and those before it; then how often.
            let ns = said.and_then(|said| said.split_ascii_whitespace().nth(1)?.parse().ok());
            waits.extend(ns.map(|n| (task, Duration::from_nanos(n))));
        }
    }
    waits
}

/// Finds the longest wait of a thread since `before`.
pub fn longest_wait(before: &Waits, now: &Waits) -> Duration {
    let since = |(task, now): (&u32, &Duration)| {
        let before = before.get(task).copied().unwrap_or_default();
        now.saturating_sub(before)
    };
    now.iter().map(since).max().unwrap_or_default()
}

/// Sums up the use of a process and all its descendants, by looking at every process there is.
pub fn usage_below(proc: &Path, first: u32) -> ProcessUse {
    let all = pids(proc).into_iter();
    let mut all: BTreeMap<u32, Stat> = all
        .filter_map(|pid| Some((pid, stat(proc, pid)?)))
        .collect();
    let mut members: Vec<Stat> = all.remove(&first).into_iter().collect();
    let mut parents = vec![first];
    while let Some(parent) = parents.pop() {
        let children: Vec<u32> = all
            .iter()
            .filter(|pair| pair.1.parent == parent)
            .map(|pair| *pair.0)
            .collect();
        members.extend(children.iter().filter_map(|child| all.remove(child)));
        parents.extend(children);
    }
    sum(members.into_iter())
}

fn sum(members: impl Iterator<Item = Stat>) -> ProcessUse {
    let mut used = ProcessUse::default();
    let mut ticks = 0;
    for stat in members {
        ticks += stat.ticks;
        used.memory_bytes += stat.n_pages * page_size() as u64;
        used.n_tasks += stat.n_tasks;
    }
    used.cpu = duration(ticks);
    used
}

/// Tells how far from its end a process is that has a word on its command line. A process of that number without the
/// word is another one, so the first is over.
pub fn life(pid: u32, word: &str) -> ProcessLife {
    let proc = Path::new("/proc");
    // The first process of a namespace that is a zombie has seen all others out.
    if stat(proc, pid).is_none_or(|stat| matches!(stat.state, b'Z' | b'X')) {
        return ProcessLife::Over;
    }
    match read(&proc.join(pid.to_string()).join("cmdline")) {
        Ok(line) if holds(&line, word) => ProcessLife::Whole,
        // An ending process loses its memory first, and its command line with it.
        Ok(line) if line.is_empty() => ProcessLife::Ending,
        _ => ProcessLife::Over,
    }
}

fn holds(text: &[u8], word: &str) -> bool {
    text.windows(word.len())
        .any(|window| window == word.as_bytes())
}

/// Finds the processes on this machine whose command line or environment holds a word, this one apart.
pub fn holding(word: &str) -> Vec<u32> {
    let proc = Path::new("/proc");
    let is_said = |pid: &u32| {
        ["cmdline", "environ"].iter().any(|file| {
            let text = read(&proc.join(pid.to_string()).join(file)).unwrap_or_default();
            holds(&text, word)
        })
    };
    let own = std::process::id();
    let others = pids(proc).into_iter().filter(|pid| *pid != own);
    others.filter(is_said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line = b"7 (a) R 1 2) S 3 4 5 0 -1 0 0 0 0 0 10 20 30 40 20 0 6 0 99 1000 50 18446744073709551615";
        let expected = Stat {
            state: b'S',
            parent: 3,
            group: 4,
            ticks: 100,
            n_tasks: 6,
            n_pages: 50,
        };
        assert_eq!(parse(line), Some(expected));
    }

    #[test]
    fn what_descends_from_a_process_counts_with_it() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (pid, parent) in [(1, 0), (2, 1), (3, 2), (4, 1), (5, 3), (6, 3)] {
            let place = folder.path().join(pid.to_string());
            fs::create_dir(&place).expect("it is made");
            let line =
                format!("{pid} (x) S {parent} 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 2 0 9 9 5 9");
            fs::write(place.join("stat"), line).expect("it is written");
        }
        let check = |first, n: u32| {
            let used = usage_below(folder.path(), first);
            assert_eq!(used.n_tasks, u64::from(2 * n));
            assert_eq!(used.cpu, duration(100) * n);
            assert_eq!(used.memory_bytes, u64::from(5 * n) * page_size() as u64);
        };
        check(2, 4);
        check(3, 3);
        check(4, 1);
        check(7, 0);
    }

    #[test]
    fn who_has_waited_longest_is_known() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let say = |pid: u32, task: u32, said: &str| {
            let place = folder.path().join(format!("{pid}/task/{task}"));
            fs::create_dir_all(&place).expect("it is made");
            fs::write(place.join("schedstat"), said).expect("it is written");
        };
        say(1, 1, "900000 5000000 7\n");
        say(1, 2, "900000 1000000 7\n");
        say(3, 3, "900000 9000000 7\n");
        let before = waits(folder.path(), &[1]);
        assert_eq!(before.len(), 2);
        say(1, 2, "900000 4000000 9\n");
        say(1, 4, "900000 2000000 9\n");
        let now = waits(folder.path(), &[1, 7]);
        assert_eq!(longest_wait(&before, &now), Duration::from_millis(3));
        assert_eq!(longest_wait(&now, &before), Duration::ZERO);
        say(1, 1, "0");
        assert_eq!(waits(folder.path(), &[1]).len(), 2);
    }

    #[test]
    fn what_is_no_such_line_says_nothing() {
        for line in [
            b"".as_slice(),
            b"7 (a",
            b"7 (a)",
            b"7 (a) S 1",
            b"\xff) \xff",
        ] {
            assert_eq!(parse(line), None);
        }
    }
}
