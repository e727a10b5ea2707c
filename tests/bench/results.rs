//! A million predictions listed, filtered, sorted and cancelled; and the difference of two texts.
//!
//! ```text
//! cargo bench --bench results                         # makes an index of a million samples and two runs over it
//! cargo bench --bench results -- generate FOLDER      # only makes them, to be kept
//! FOCALIST_BENCH_RESULTS=FOLDER cargo bench --bench results   # measures on them
//! FOCALIST_BENCH_SAMPLES=10000 cargo bench --bench results    # fewer
//! ```
//!
//! `generate` adds the runs to an index that is in the folder already, such as one of the bench `review`.

#[path = "frame/console.rs"]
mod console;
#[path = "frame/folder.rs"]
mod folder;
#[path = "frame/index.rs"]
mod index;
#[path = "frame/java.rs"]
mod java;
#[path = "results/measure.rs"]
mod measure;
#[path = "frame/memory.rs"]
mod memory;
#[path = "frame/random.rs"]
mod random;
#[path = "frame/runs.rs"]
mod runs;
#[path = "frame/series.rs"]
mod series;

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use focalist::store::Store;

use console::{arguments, print};

fn main() {
    let Some(arguments) = arguments() else {
        return;
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["generate", folder] => generate_in(Path::new(folder)),
        ["measure", folder] => measure::measure(Path::new(folder)),
        [] => folder::with_index("FOCALIST_BENCH_RESULTS", &generate_in, &measure_in),
        _ => print("see the head of tests/bench/results.rs"),
    }
}

/// Measures in a separate process, so that its memory is only that of the listing.
fn measure_in(folder: &Path) {
    let program = env::current_exe().expect("a program knows where it is");
    let status = Command::new(program)
        .args(["--bench", "measure"])
        .arg(folder)
        .status();
    assert!(status.expect("it can be started").success());
}

fn generate_in(folder: &Path) {
    let started = Instant::now();
    if !folder.join(Store::FILE_NAME).exists() {
        index::generate(folder, &print);
    }
    runs::add(folder);
    let seconds = started.elapsed().as_secs_f64();
    print(&format!("generated in {seconds:.0} s"));
}
