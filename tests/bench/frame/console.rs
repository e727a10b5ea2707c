//! What a benchmark is asked on its command line, and how it says what it found.

use std::env;
use std::io::{self, Write};

/// Takes the arguments behind `--`; nothing under `cargo test --benches`, where there is nothing to measure.
pub fn arguments() -> Option<Vec<String>> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let is_bench = words.iter().any(|word| word == "--bench");
    words.retain(|word| word != "--bench");
    is_bench.then_some(words)
}

/// Prints a line. A closed pipe ends the report, not the measuring.
pub fn print(line: &str) {
    let _closed = writeln!(io::stdout(), "{line}");
}
