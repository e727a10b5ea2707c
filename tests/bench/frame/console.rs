//! The command line of a benchmark, and its output.

use std::env;
use std::io::{self, Write};

/// Reads the arguments after `--`; nothing under `cargo test --benches`, where there is nothing to measure.
pub fn arguments() -> Option<Vec<String>> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let is_bench = words.iter().any(|word| word == "--bench");
    words.retain(|word| word != "--bench");
    is_bench.then_some(words)
}

/// Prints a line. A closed pipe ends the output, but not the measurement.
pub fn print(line: &str) {
    let _closed = writeln!(io::stdout(), "{line}");
}
