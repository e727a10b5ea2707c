//! How far each cost is from its limit: one table of ratios, each with minimum, median and maximum over the rounds.
//!
//! ```text
//! cargo bench --bench limits                                 # on the sample data and a small index, in minutes
//! FOCALIST_BENCH=path/to/repos cargo bench --bench limits    # mining on every repository in a folder
//! FOCALIST_BENCH_INDEX=FOLDER cargo bench --bench limits     # waiting on an index, such as `review -- generate` makes
//! FOCALIST_BENCH_SAMPLES=3000 FOCALIST_BENCH_PAIRS=500 cargo bench --bench limits    # less, for a busy machine
//! cargo bench --bench limits -- mining                       # one part: mining, memory, scoring, waiting
//! ```
//!
//! A limit is a yardstick that does only the necessary part: the parser alone on the same texts, or SQLite alone on the
//! same rows. Yardstick and program take turns, so that other work on the machine affects both. Times are processor
//! time, or wall-clock time where two threads work or a person waits. A repository counts for its main language.
//! docs/performance.md has the table and explains each line.

#[path = "frame/checkout.rs"]
mod checkout;
#[path = "limits/child.rs"]
mod child;
#[path = "frame/clock.rs"]
mod clock;
#[path = "frame/computed.rs"]
mod computed;
#[path = "frame/console.rs"]
mod console;
#[path = "frame/corpus.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod corpus;
#[path = "limits/figures.rs"]
mod figures;
#[path = "frame/folder.rs"]
mod folder;
#[path = "frame/index.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod index;
#[path = "frame/java.rs"]
mod java;
#[path = "frame/memory.rs"]
mod memory;
#[path = "limits/mining.rs"]
mod mining;
#[path = "limits/peak.rs"]
mod peak;
#[path = "frame/random.rs"]
mod random;
#[path = "limits/scoring.rs"]
mod scoring;
#[path = "frame/terminal.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod terminal;
#[path = "limits/waiting.rs"]
mod waiting;
#[path = "frame/workspace.rs"]
mod workspace;

use std::time::Instant;

use console::{arguments, print};

/// The parts, in the order in which they are measured.
const PARTS: [(&str, fn()); 4] = [
    ("mining", mining::measure),
    ("memory", peak::measure),
    ("scoring", scoring::measure),
    ("waiting", waiting::measure),
];

fn main() {
    let Some(arguments) = arguments() else {
        return;
    };
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["child", work @ ..] = arguments.as_slice() {
        child::work(work);
        return;
    }
    let is_part = |word: &&str| PARTS.iter().any(|(name, _)| name == word);
    if !arguments.iter().all(is_part) {
        print("see the head of tests/bench/limits.rs");
        return;
    }
    let started = Instant::now();
    for (name, measure) in PARTS {
        if arguments.is_empty() || arguments.contains(&name) {
            figures::head(name);
            measure();
        }
    }
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    print(&format!("\nmeasured in {minutes:.1} minutes"));
}
