//! Wall-clock time, for work on several threads.

use std::hint::black_box;
use std::time::Instant;

/// Measures the seconds that `work` takes.
pub fn elapsed<T>(work: impl FnOnce() -> T) -> f64 {
    let started = Instant::now();
    black_box(work());
    started.elapsed().as_secs_f64()
}
