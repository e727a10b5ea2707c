//! The options of `validate`.

use std::path::PathBuf;

use clap::Args;

use super::TableFormat;

/// Checks files that focalist writes, and those beside them, before they are given on.
///
/// It knows the lines and Parquet files of `export`, lists and splits of `benchmark`, prompts, predictions and
/// verdicts; cards (`README.md`), `croissant.json`, `CITATION.cff`, `eval.yaml`, manifests, and a model's
/// `.eval_results`. Each problem is told with its line and how to mend it. In a folder, what files say of each other is
/// checked, too: rows of splits, hashes, sums. It needs no workspace and changes nothing. It ends with 1 where
/// something is wrong, with 3 where PATH cannot be read or is in no format that it knows.
#[derive(Debug, Args)]
pub struct Validate {
    /// A file, or a folder for all files in it
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    #[command(flatten)]
    pub format: TableFormat,
}
