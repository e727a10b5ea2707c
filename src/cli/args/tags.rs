//! The options of `tags`.

use clap::Args;

/// Counts what the first answers of runs do differently than their references: the tags that `eval` gave them. An answer
/// may have several tags, so shares do not add up to one.
#[derive(Debug, Args)]
pub struct Tags {
    /// Only these runs
    #[arg(value_name = "RUN", conflicts_with = "definitions")]
    pub names: Vec<String>,
    /// Print JSON lines, one for each run
    #[arg(long, conflicts_with = "definitions")]
    pub json: bool,
    /// Print instead when each tag applies, as Markdown; needs no workspace
    #[arg(long)]
    pub definitions: bool,
}
