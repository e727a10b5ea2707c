//! The cost of work: processor seconds of all threads of this process and of the programs that it called and waited
//! for.

use std::fs;

/// The kernel's clock ticks per second, on every machine that it runs on today.
const TICKS_PER_S: f64 = 100.0;

/// Returns the processor seconds that `work` used, and its result.
pub fn used<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let before = so_far();
    let value = work();
    (so_far() - before, value)
}

/// Returns the user and system seconds of this process and its ended children.
fn so_far() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux tells it");
    let (_, fields) = stat.rsplit_once(')').expect("the name stands in brackets");
    let ticks = fields.split_whitespace().skip(11).take(4);
    let ticks: f64 = ticks
        .map(|tick| tick.parse::<f64>().expect("a number of ticks"))
        .sum();
    ticks / TICKS_PER_S
}
