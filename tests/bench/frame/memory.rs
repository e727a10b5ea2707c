//! The memory of a process, as Linux reports it.

use std::fs;

/// Returns a line of a process's `status`, such as `VmHWM` (the most it ever had) of `self`, in MB; NaN where it is not
/// available.
pub fn memory_mb(process: &str, line: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let found = status
        .lines()
        .find_map(|text| text.strip_prefix(line)?.strip_prefix(":"));
    let kib = found.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) * 1024.0 / 1e6
}
