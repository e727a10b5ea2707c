//! The options of `validate`.

use std::path::PathBuf;

use clap::Args;

use super::TableFormat;

/// Checks files that focalist writes, and those beside them, before you pass them on.
///
/// It knows the lines and Parquet files of `export`, lists and splits of `benchmark`, prompts, predictions and
/// verdicts; cards (`README.md`), `croissant.json`, `CITATION.cff`, `eval.yaml`, manifests, and a model's
/// `.eval_results`. Each problem is reported with its line and how to mend it. In a folder, files are also checked
/// against each other: rows of splits, hashes, sums. It needs no workspace and changes nothing. The exit code is 1 if
/// something is wrong, and 3 if PATH cannot be read or has no known format.
#[derive(Debug, Args)]
pub struct Validate {
    /// A file, or a folder for all files in it
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    #[command(flatten)]
    pub format: TableFormat,
}
