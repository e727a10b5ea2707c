//! Results, Compare and the palette over a million predictions, measured through a pseudo-terminal of 120 by 40.
//!
//! ```text
//! cargo bench --bench screens                       # makes an index of a million samples with two runs, then measures
//! FOCALIST_BENCH_RESULTS=FOLDER cargo bench --bench screens     # measures on a copy of what the bench `results` made
//! FOCALIST_BENCH_SAMPLES=10000 cargo bench --bench screens      # a smaller one
//! ```

#[path = "review/generate.rs"]
mod generate;
#[path = "review/java.rs"]
mod java;
#[path = "screens/measure.rs"]
mod measure;
#[path = "review/mining.rs"]
mod mining;
#[path = "review/process.rs"]
#[expect(dead_code, reason = "some is for the bench `review` alone")]
mod process;
#[path = "fuzz/random.rs"]
mod random;
#[path = "review/report.rs"]
mod report;
#[path = "results/runs.rs"]
mod runs;
#[path = "review/terminal.rs"]
mod terminal;

use std::env;
use std::path::Path;

fn main() {
    // `cargo test --benches` runs this, too.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    if let Some(folder) = env::var_os("FOCALIST_BENCH_RESULTS") {
        measure::measure(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.expect("there is a folder");
    generate::generate(folder.path(), &|it| {
        print(it);
    });
    runs::add(folder.path());
    measure::measure(folder.path());
}

fn print(line: &str) {
    use std::io::Write;
    // A closed pipe ends the report, not the measuring.
    let _closed = writeln!(std::io::stdout(), "{line}");
}
