//! What completions of a function say about each other, as a JSON line (`docs/mutate.md`).

use serde::Serialize;

/// One function.
#[derive(Debug, Serialize)]
pub struct WireConsistency<'a> {
    pub seed: &'a str,
    /// None for the function's own.
    pub passes: Vec<Option<&'a str>>,
    pub no_result: u64,
    pub matrix: Vec<Vec<u8>>,
    pub median: Option<f64>,
    pub rule: &'a str,
    /// By threshold: positions in `passes`.
    pub outliers: Vec<WireOutliers>,
    pub threshold: u32,
    /// A position in `passes`.
    pub repaired: Option<usize>,
    pub edit: Option<f64>,
    pub edit_repaired: Option<f64>,
}

#[derive(Debug, Serialize)]
pub struct WireOutliers {
    pub threshold: usize,
    pub is_eligible: bool,
    pub outliers: Vec<usize>,
}
