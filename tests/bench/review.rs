//! Judging among a million samples, measured through a pseudo-terminal of 120 by 40.
//!
//! ```text
//! cargo bench --bench review                        # makes an index of a million samples, then measures
//! cargo bench --bench review -- generate FOLDER     # only makes the index, to be kept
//! FOCALIST_BENCH_REVIEW=FOLDER cargo bench --bench review     # measures on it
//! FOCALIST_BENCH_SAMPLES=10000 cargo bench --bench review     # a smaller one
//! cargo bench --bench review -- fit WORKSPACE       # how many samples are seen whole
//! ```

#[path = "review/fit.rs"]
mod fit;
#[path = "review/generate.rs"]
mod generate;
#[path = "review/java.rs"]
mod java;
#[path = "review/measure.rs"]
mod measure;
#[path = "review/mining.rs"]
mod mining;
#[path = "review/process.rs"]
mod process;
#[path = "fuzz/random.rs"]
mod random;
#[path = "review/report.rs"]
mod report;
#[path = "review/terminal.rs"]
mod terminal;

use std::env;
use std::path::Path;
use std::time::Instant;

fn main() {
    // `cargo test --benches` runs this, too.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["fit", workspace] => fit::report(Path::new(workspace)),
        ["generate", folder] => generate_in(Path::new(folder)),
        [] => measure_all(),
        _ => print("see the head of tests/bench/review.rs"),
    }
}

fn measure_all() {
    if let Some(folder) = env::var_os("FOCALIST_BENCH_REVIEW") {
        measure::measure(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.expect("there is a folder");
    generate_in(folder.path());
    measure::measure(folder.path());
}

fn generate_in(folder: &Path) {
    let started = Instant::now();
    generate::generate(folder, &|text| print(text));
    print(&format!(
        "generated in {:.0} s",
        started.elapsed().as_secs_f64()
    ));
}

fn print(line: &str) {
    use std::io::Write;
    // A closed pipe ends the report, not the measuring.
    let _closed = writeln!(std::io::stdout(), "{line}");
}
