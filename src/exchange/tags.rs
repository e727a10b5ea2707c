//! What `tags` prints with `--json`.

use serde::Serialize;

use super::scores::Ordered;

/// The tags of a run's first answers.
#[derive(Debug, Serialize)]
pub struct WireTags<'a> {
    pub run: &'a str,
    /// Of the taxonomy.
    pub version: u32,
    /// First answers with something to be compared with.
    pub n: u64,
    /// Those that some answer has, by name.
    pub tags: Ordered<WireTagCount>,
}

#[derive(Debug, Serialize)]
pub struct WireTagCount {
    pub n: u64,
    /// Of all, 0..=1.
    pub share: f64,
}
