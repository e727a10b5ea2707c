//! The resources of a process of the program, and the totals over many keystrokes.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::memory::memory_mb;
use super::report::{figure, head, series};
use super::series::Series;
use super::terminal::{Stroke, Terminal};

const IDLE: Duration = Duration::from_secs(10);

/// The results of many keystrokes of one kind.
#[derive(Default)]
pub struct Strokes {
    painted: Series,
    settled: Series,
    bytes_first: Series,
    bytes: Series,
}

impl Strokes {
    pub fn add(&mut self, stroke: Stroke) {
        self.painted.add_ms(stroke.painted);
        self.settled.add_ms(stroke.settled);
        self.bytes_first.0.push(stroke.n_bytes_first as f64);
        self.bytes.0.push(stroke.n_bytes as f64);
    }

    pub fn append(&mut self, other: Self) {
        self.painted.0.extend(other.painted.0);
        self.settled.0.extend(other.settled.0);
        self.bytes_first.0.extend(other.bytes_first.0);
        self.bytes.0.extend(other.bytes.0);
    }

    pub fn report(&self, name: &str, budgets: &[(usize, f64)], bytes_max: Option<f64>) {
        series(name, &self.painted, "ms", budgets);
        series(
            "  until all is there, colours too",
            &self.settled,
            "ms",
            &[],
        );
        let budget: Vec<(usize, f64)> = bytes_max.map(|most| (99, most)).into_iter().collect();
        series(
            "  bytes of the first frame",
            &self.bytes_first,
            "bytes",
            &budget,
        );
        series("  bytes of all frames", &self.bytes, "bytes", &[]);
    }
}

pub fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Starts the program `n` times, and measures the time until Home is displayed.
pub fn starts(workspace: &Path, n: usize) {
    head("start");
    let (mut first, mut whole) = (Series::default(), Series::default());
    for _ in 0..n {
        let terminal = Terminal::start(workspace);
        let at = terminal.wait("a frame", &|screen| screen.contains("focalist"));
        first.add_ms(at - terminal.started);
        let at = terminal.wait("the funnel", &|screen| screen.contains("tests"));
        whole.add_ms(at - terminal.started);
        terminal.quit();
    }
    series("first paint", &first, "ms", &[(50, 50.0), (100, 50.0)]);
    series("the funnel is there", &whole, "ms", &[]);
}

/// Measures the program while it is idle.
pub fn idle(terminal: &Terminal) {
    // By then, the last request has been answered.
    thread::sleep(Duration::from_secs(3));
    let before = (
        ticks(terminal.pid()),
        terminal.n_bytes(),
        switches(terminal.pid()),
    );
    thread::sleep(IDLE);
    let after = (
        ticks(terminal.pid()),
        terminal.n_bytes(),
        switches(terminal.pid()),
    );
    head("nobody does anything for ten seconds");
    figure(
        "processor",
        (after.0 - before.0) as f64,
        "ticks of 10 ms",
        Some(0.0),
    );
    figure("bytes", (after.1 - before.1) as f64, "bytes", Some(0.0));
    figure("wake-ups of all threads", after.2 - before.2, "times", None);
}

/// Returns the processor time of a process, in ticks.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name in parentheses may hold anything.
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let fields = rest.split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn switches(pid: u32) -> f64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the program runs");
    threads
        .flatten()
        .map(|thread| status(&thread.path().join("status"), "voluntary_ctxt_switches:"))
        .sum()
}

pub fn memory(terminal: &Terminal, when: &str) {
    head(&format!("memory, {when}"));
    let process = terminal.pid().to_string();
    for (name, line, most) in [
        ("resident", "VmRSS", Some(100.0)),
        ("  of that, not of files", "RssAnon", None),
        ("most ever resident", "VmHWM", Some(100.0)),
    ] {
        figure(name, memory_mb(&process, line), "MB", most);
    }
}

/// Returns a number of a `status` file.
fn status(path: &Path, name: &str) -> f64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(f64::NAN)
}

pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
