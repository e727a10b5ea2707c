//! The peak memory of mining, by the size and the number of the mined repositories.

use super::checkout::{files, n_bytes, roots};
use super::child;
use super::console::print;
use super::figures::{Asked, Table};
use super::mining::{Group, SAMPLES, groups};

const ROUNDS: usize = 3;
/// The numbers of simulated repositories.
const TIMES: [&str; 2] = ["2", "10"];
/// The allowed growth of memory with the number of repositories, caused only by fragmentation in the allocator.
const GROWTH_MAX: f64 = 1.1;

pub fn measure() {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    for group in groups(roots(scratch.path(), &SAMPLES, 1)) {
        one(&group);
    }
}

/// Measures on the largest repository of a language.
fn one(Group { language, roots }: &Group) {
    let word = language.as_str();
    let size_mb = n_bytes(&files(&roots[..1], *language)) as f64 / 1e6;
    let mut table = Table::default();
    for _ in 0..ROUNDS {
        let [two, ten] = TIMES.map(|times| peak(word, times, &roots[0].to_string_lossy()));
        let name = format!("{word}: peak of mining {size_mb:.1} MB");
        table.add(&name, "MB a MB of source", Asked::Nothing, two / size_mb);
        let name = format!("{word}: peak, ten repositories");
        let asked = Asked::AtMost(GROWTH_MAX);
        table.add(&name, "× two repositories", asked, ten / two);
    }
    table.print();
}

fn peak(language: &str, times: &str, root: &str) -> f64 {
    let workspace = tempfile::tempdir().expect("a temporary folder can be made");
    let folder = workspace.path().to_string_lossy().into_owned();
    let output = child::command(&["mine", language, times, &folder, root]).output();
    let output = output.expect("the program starts");
    if !output.status.success() {
        print(&String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse().unwrap_or(f64::NAN)
}
