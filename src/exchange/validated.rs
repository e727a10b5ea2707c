//! The output of `validate --json`.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct WireValidation<'a> {
    pub valid: bool,
    pub files: Vec<WireChecked<'a>>,
    /// Files that were not looked into.
    pub unknown: &'a [String],
    pub n_problems: u64,
    /// At most 10,000.
    pub problems: Vec<WireFlaw<'a>>,
}

/// A file that was looked into.
#[derive(Debug, Serialize)]
pub struct WireChecked<'a> {
    pub file: &'a str,
    pub kind: &'a str,
    /// Null for a document.
    pub records: Option<u64>,
}

#[derive(Debug, Serialize)]
pub struct WireFlaw<'a> {
    pub file: &'a str,
    /// From 1; of a Parquet file the row; null where the whole file is meant.
    pub line: Option<u32>,
    pub problem: &'a str,
    pub mend: &'a str,
}
