//! The processor time of one thread, without the time in which others had the processor.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

/// Measures the processor time of this thread for `work`, in seconds; where the system does not count it, wall-clock
/// time.
pub fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let (started, before) = (Instant::now(), so_far());
    black_box(work());
    match before.zip(so_far()) {
        Some((before, after)) => after - before,
        None => started.elapsed().as_secs_f64(),
    }
}

/// Linux counts it for every thread, in nanoseconds.
fn so_far() -> Option<f64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}
