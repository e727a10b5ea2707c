//! Judging among a million samples, measured through a pseudo-terminal of 120 by 40.
//!
//! ```text
//! cargo bench --bench review                        # makes an index of a million samples, then measures
//! cargo bench --bench review -- generate FOLDER     # only makes the index, to be kept
//! FOCALIST_BENCH_REVIEW=FOLDER cargo bench --bench review     # measures on it
//! FOCALIST_BENCH_SAMPLES=10000 cargo bench --bench review     # a smaller one
//! cargo bench --bench review -- fit WORKSPACE       # how many samples are seen whole
//! ```

#[path = "frame/console.rs"]
mod console;
#[path = "review/fit.rs"]
mod fit;
#[path = "frame/folder.rs"]
mod folder;
#[path = "frame/index.rs"]
mod index;
#[path = "frame/java.rs"]
mod java;
#[path = "review/measure.rs"]
mod measure;
#[path = "frame/memory.rs"]
mod memory;
#[path = "review/mining.rs"]
mod mining;
#[path = "review/process.rs"]
mod process;
#[path = "frame/random.rs"]
mod random;
#[path = "review/report.rs"]
mod report;
#[path = "frame/series.rs"]
mod series;
#[path = "frame/terminal.rs"]
mod terminal;
#[path = "frame/workspace.rs"]
mod workspace;

use std::path::Path;
use std::time::Instant;

use console::{arguments, print};

fn main() {
    let Some(arguments) = arguments() else {
        return;
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["fit", workspace] => fit::report(Path::new(workspace)),
        ["generate", folder] => generate_in(Path::new(folder)),
        [] => folder::with_index("FOCALIST_BENCH_REVIEW", &generate_in, &measure::measure),
        _ => print("see the head of tests/bench/review.rs"),
    }
}

fn generate_in(folder: &Path) {
    let started = Instant::now();
    index::generate(folder, &print);
    print(&format!(
        "generated in {:.0} s",
        started.elapsed().as_secs_f64()
    ));
}
