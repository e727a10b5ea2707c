//! The parent's side: reads the child's line on each case, and checks it against the limits.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use std::{env, fs};

/// The maximum processor time of one case in total.
const HANG_MS: u64 = 20_000;
/// All steps may take this many times as long as parsing; mining takes about twice as long.
const TIMES_PARSING_MAX: u64 = 60;
/// Parsing broken text may take this many times as long as parsing sound text.
const TIMES_RIGHT_MAX: u64 = 20;
/// Times below this do not matter, and the clock of a busy machine is imprecise.
const TIME_US_MIN: u64 = 400_000;
/// The memory that any project may take; in addition, it may take [`TIMES_TEXT_MAX`] times the size of its text.
const MEMORY_KB_MIN: u64 = 64 * 1024;
const TIMES_TEXT_MAX: u64 = 1000;
/// At this limit, the child is ended before the machine suffers.
const MEMORY_KB_MAX: u64 = 3 * 1024 * 1024;

/// The cost of a case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    pub time_us: u64,
    pub parse_us: u64,
    pub memory_kb: u64,
    pub n_bytes: u64,
}

impl Measure {
    pub fn text(&self) -> String {
        format!(
            "{:.3} s, parsing {:.3} s, {} MB for {} kB",
            self.time_us as f64 / 1e6,
            self.parse_us as f64 / 1e6,
            self.memory_kb / 1024,
            self.n_bytes / 1000
        )
    }

    fn judge(self) -> Outcome {
        // The clock of some systems advances only every few milliseconds; parsing takes about 1 s for 17 MB.
        let right_us = self.n_bytes / 17;
        let parse_us = self.parse_us.clamp(right_us, right_us * TIMES_RIGHT_MAX);
        if self.time_us > TIME_US_MIN && self.time_us > TIMES_PARSING_MAX * parse_us {
            Outcome::Failed(Failure::Slow(self))
        } else if self.memory_kb > MEMORY_KB_MIN + TIMES_TEXT_MAX * self.n_bytes / 1024 {
            Outcome::Failed(Failure::Memory(self))
        } else {
            Outcome::Done(self)
        }
    }
}

#[derive(Clone, Debug)]
pub enum Failure {
    Panic(String),
    /// The process ended by itself: because of a stack overflow, or for lack of memory.
    Crash,
    Hang,
    Slow(Measure),
    Memory(Measure),
}

impl Failure {
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Panic(_) => "panic",
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Slow(_) => "slow",
            Self::Memory(_) => "memory",
        }
    }

    /// Builds a key that failures with the same cause probably share.
    pub fn key(&self) -> String {
        match self {
            // `panicked at FILE:LINE:COLUMN: message`
            Self::Panic(text) => text.split(": ").next().unwrap_or(text).to_owned(),
            other => other.word().to_owned(),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Self::Panic(text) => text.clone(),
            Self::Crash | Self::Hang => self.word().to_owned(),
            Self::Slow(measure) | Self::Memory(measure) => {
                format!("{}: {}", self.word(), measure.text())
            }
        }
    }
}

pub enum Outcome {
    Done(Measure),
    Failed(Failure),
}

/// A child process at work.
pub struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    /// Starts a child on the cases from `first` on.
    pub fn cases(seed: u64, first: u64) -> Self {
        Self::start(&[
            "--child",
            "--seed",
            &seed.to_string(),
            "--case",
            &first.to_string(),
        ])
    }

    /// Starts a child on the project in `folder`.
    pub fn replay(folder: &Path) -> Self {
        Self::start(&["--replay", &folder.to_string_lossy()])
    }

    fn start(args: &[&str]) -> Self {
        let program = env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .arg("--bench")
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child can be started");
        let output = child.stdout.take().expect("its output is piped");
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for the end of the next case.
    pub fn next(&mut self) -> Outcome {
        let before = self.cpu_ms();
        loop {
            match self.lines.recv_timeout(Duration::from_millis(500)) {
                Ok(line) => return outcome(&line),
                Err(RecvTimeoutError::Disconnected) => return Outcome::Failed(Failure::Crash),
                Err(RecvTimeoutError::Timeout) => {
                    if self.cpu_ms().saturating_sub(before) > HANG_MS {
                        return Outcome::Failed(Failure::Hang);
                    }
                    let memory_kb = self.memory_kb();
                    if memory_kb > MEMORY_KB_MAX {
                        let measure = Measure {
                            memory_kb,
                            ..Measure::default()
                        };
                        return Outcome::Failed(Failure::Memory(measure));
                    }
                }
            }
        }
    }

    pub fn stop(mut self) {
        // It may have ended by itself.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }

    fn cpu_ms(&self) -> u64 {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        // The name in brackets may hold spaces; user and system time are fields 14 and 15, in hundredths of a second.
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let ticks = |at: usize| {
            fields
                .get(at)
                .and_then(|field| field.parse::<u64>().ok())
                .unwrap_or(0)
        };
        (ticks(11) + ticks(12)) * 10
    }

    fn memory_kb(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        status
            .lines()
            .find_map(|line| {
                line.strip_prefix("VmRSS:")?
                    .trim()
                    .strip_suffix("kB")?
                    .trim()
                    .parse()
                    .ok()
            })
            .unwrap_or(0)
    }
}

fn outcome(line: &str) -> Outcome {
    match line.split_once(' ') {
        Some(("done", numbers)) => {
            let mut numbers = numbers.split(' ').map(|part| part.parse().unwrap_or(0));
            let mut next = || numbers.next().unwrap_or(0);
            Measure {
                time_us: next(),
                parse_us: next(),
                memory_kb: next(),
                n_bytes: next(),
            }
            .judge()
        }
        _ => Outcome::Failed(Failure::Panic(line.to_owned())),
    }
}
