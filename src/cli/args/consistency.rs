//! The options of `consistency`.

use std::path::PathBuf;

use clap::Args;

use super::scoring::{RunTableArgs, words};
use crate::consistency::figures::Chart;
use crate::consistency::outliers::{DistanceRule, THRESHOLD};

/// Judges completions of functions and of their variants: which ones are outliers, and which one is the most typical.
///
/// With `--run` everything is kept in the index, and a second call judges only new completions; `focalist results`
/// lists the completions. Without it nothing is kept. Without `--from` and SEEDS it reports on existing runs; without
/// `--run` either, it lists them. Lines of completions have `seed` (its id), `pass` (none for the function's own) and
/// `completion`, or are answers to prompts of the kind `half`.
#[derive(Debug, Args)]
pub struct Consistency {
    /// A file of `focalist mutate`; without it every named function counts as known, and nothing is scored
    #[arg(value_name = "SEEDS")]
    pub seeds: Option<PathBuf>,
    /// The completions, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// The name of the run in the index; several for a report on several
    #[arg(long = "run", value_name = "NAME")]
    pub runs: Vec<String>,
    /// The number of others from which a completion must be far to be an outlier
    #[arg(long, value_name = "T", default_value_t = THRESHOLD as u32, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub threshold: u32,
    /// When two are far: similarity below the median, or distance above the mean
    #[arg(long, value_parser = words(DistanceRule::ALL, DistanceRule::as_str), default_value = "algorithm")]
    pub rule: DistanceRule,
    /// Score completions of variants against the variant's own second half instead of the function's
    #[arg(long)]
    pub renamed_oracle: bool,
    /// Only the functions of this data set (`mutate --dataset`)
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// List every function instead of the totals; with `--json` their matrices
    #[arg(long)]
    pub list: bool,
    /// Draw a chart instead: the gain of repair by threshold, outliers by threshold, the passes of repaired
    /// completions, their gains, distances of variants
    #[arg(long, value_name = "KIND", value_parser = words(Chart::ALL, Chart::as_str), conflicts_with_all = ["list", "format", "json"])]
    pub chart: Option<Chart>,
    /// Write the chart here: `.svg`, `.csv` or `.txt`
    #[arg(long, short, value_name = "FILE", requires = "chart")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
    /// Remove a run from the index
    #[arg(long, value_name = "NAME", exclusive = true)]
    pub remove: Option<String>,
    #[command(flatten)]
    pub shown: RunTableArgs,
    #[command(flatten)]
    pub detach: super::Detach,
}
