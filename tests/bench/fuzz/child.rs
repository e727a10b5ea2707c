//! The process that runs cases: it prints one line for each, with its cost.
//!
//! Decides nothing: a panic is reported unchanged, and the parent applies the limits.

use std::fs;
use std::io::{self, Write};
use std::panic;
use std::path::Path;
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use focalist::model::Language;
use focalist::syntax::bounded;
use tree_sitter::Parser;

use super::console::print;
use super::generate;
use super::pipeline::{self, Source};
use super::seeds::{Seeds, files};
use super::tongue::{self, Tongue};

/// The location of the last panic, for the line about its case.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Runs cases from `first` on, until no one reads its output.
pub fn cases(seeds: &Seeds, seed: u64, first: u64) {
    note_panics();
    for case in first.. {
        let sources = seeds.project(seed, case);
        if !try_print(&line(Tongue::asked().language, sources)) {
            return;
        }
    }
}

/// Prints a line; returns whether the pipe is still open.
fn try_print(line: &str) -> bool {
    writeln!(io::stdout(), "{line}").is_ok()
}

/// Runs the project in a folder once.
pub fn replay(folder: &Path) {
    note_panics();
    let tongue = Tongue::asked();
    let mut paths = files(folder, tongue);
    paths.sort();
    let sources = paths
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(folder.join(&path)).ok()?;
            Some(Source { path, text })
        })
        .collect();
    print(&line(tongue.language, sources));
}

/// Runs every strain separately.
pub fn strains(size: usize) {
    note_panics();
    for (id, strain) in generate::STRAINS.iter().enumerate() {
        let source = Source {
            path: "src/test/java/StrainTest.java".to_owned(),
            text: format!("class StrainTest {{ {} }}", strain(size, id)),
        };
        print(&format!("{id}: {}", line(Language::Java, vec![source])));
    }
}

fn note_panics() {
    panic::set_hook(Box::new(|hook_info| {
        if let Ok(mut place) = PANIC.lock() {
            *place = hook_info.to_string().replace('\n', " ");
        }
    }));
}

/// Returns `done TIME PARSE MEMORY BYTES` (microseconds, kibibytes) or `panic MESSAGE`.
fn line(language: Language, sources: Vec<Source>) -> String {
    // A thread like those of mining: with the same stack size and its own parser.
    let thread = thread::spawn(move || {
        // The memory that the process has used so far does not count.
        let _not_on_every_system = fs::write("/proc/self/clear_refs", "5");
        let memory_before = memory_kb("VmRSS:");
        let started = cpu_us();
        let parsed = parse_only(&sources);
        let parse_us = cpu_us() - started;
        let work = pipeline::run(language, &sources);
        let time_us = cpu_us() - started - parse_us;
        pipeline::run_on_every_method(language, &sources);
        let memory = memory_kb("VmHWM:").saturating_sub(memory_before);
        assert!(parsed <= sources.len(), "more was parsed than there is");
        format!("done {time_us} {parse_us} {memory} {}", work.n_bytes)
    });
    thread.join().unwrap_or_else(|_| {
        let place = PANIC
            .lock()
            .map_or_else(|_| String::new(), |text| text.clone());
        format!("panic {place}")
    })
}

/// Parses every file and does nothing else; returns how many trees there were.
fn parse_only(sources: &[Source]) -> usize {
    let mut parser = Parser::new();
    let parsed = sources.iter().filter(|source| {
        let grammar = tongue::grammar(&source.path);
        let is_set = parser.set_language(&grammar).is_ok();
        is_set && bounded::parse(&mut parser, &source.text).is_some()
    });
    parsed.count()
}

/// Returns the processor time of this thread, where the system reports it; else wall-clock time.
fn cpu_us() -> u64 {
    static STARTED: Mutex<Option<Instant>> = Mutex::new(None);
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(
        || {
            let mut started = STARTED.lock().expect("nobody panics while holding it");
            started
                .get_or_insert_with(Instant::now)
                .elapsed()
                .as_micros() as u64
        },
        |nanosecond| nanosecond / 1000,
    )
}

fn memory_kb(field: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| {
            line.strip_prefix(field)?
                .trim()
                .strip_suffix("kB")?
                .trim()
                .parse()
                .ok()
        })
        .unwrap_or(0)
}
