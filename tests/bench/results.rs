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

#[path = "review/generate.rs"]
mod generate;
#[path = "review/java.rs"]
mod java;
#[path = "results/measure.rs"]
mod measure;
#[path = "fuzz/random.rs"]
mod random;
#[path = "results/runs.rs"]
mod runs;

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use focalist::store::Store;

fn main() {
    // `cargo test --benches` runs this, too.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["generate", folder] => generate_in(Path::new(folder)),
        ["measure", folder] => measure::measure(Path::new(folder)),
        [] => measure_all(),
        _ => print("see the head of tests/bench/results.rs"),
    }
}

fn measure_all() {
    if let Some(folder) = env::var_os("FOCALIST_BENCH_RESULTS") {
        measure_in(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.expect("there is a folder");
    generate_in(folder.path());
    measure_in(folder.path());
}

/// Measures in a process of its own, so that its memory is that of listing alone.
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
        generate::generate(folder, &|it| {
            print(it);
        });
    }
    runs::add(folder);
    let seconds = started.elapsed().as_secs_f64();
    print(&format!("generated in {seconds:.0} s"));
}

fn print(line: &str) {
    use std::io::Write;
    // A closed pipe ends the report, not the measuring.
    let _closed = writeln!(std::io::stdout(), "{line}");
}
