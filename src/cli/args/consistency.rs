//! The options of `consistency`.

use std::path::PathBuf;

use clap::Args;

use super::scoring::{Shown, words};
use crate::consistency::figures::Chart;
use crate::consistency::outliers::{Rule, THRESHOLD};

/// Judges completions of functions and of their variants: which are unlike the others, and which one is most like all.
///
/// With `--run` everything is kept in the index, and a second time only what is new is judged; `focalist results` lists the
/// completions. Without it nothing is kept.
/// Without `--from` and SEEDS it reports on runs that are there; without `--run` either, it lists them. Lines of
/// completions have `seed` (its id), `pass` (none for the function's own) and `completion`, or are answers to prompts of
/// the kind `half`.
#[derive(Debug, Args)]
pub struct Consistency {
    /// What `focalist mutate` wrote; without it every function that is named is known, and nothing is scored
    #[arg(value_name = "SEEDS")]
    pub seeds: Option<PathBuf>,
    /// The completions, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// The name that all of it is kept under; several for a report on several
    #[arg(long = "run", value_name = "NAME")]
    pub runs: Vec<String>,
    /// From how many others a completion must be far to be an outlier
    #[arg(long, value_name = "T", default_value_t = THRESHOLD as u32, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub threshold: u32,
    /// When two are far: similarity below the median, or distance above the mean
    #[arg(long, value_parser = words(Rule::ALL, Rule::as_str), default_value = "algorithm")]
    pub rule: Rule,
    /// Score completions of variants against the variant's own second half instead of the function's
    #[arg(long)]
    pub renamed_oracle: bool,
    /// Only the functions of this data set (`mutate --dataset`)
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// List every function instead of the totals; with `--json` their matrices
    #[arg(long)]
    pub list: bool,
    /// Draw a chart instead: what repairing gains by threshold, outliers by threshold, which pass gave what is taken, what
    /// that gained, distances of variants
    #[arg(long, value_name = "KIND", value_parser = words(Chart::ALL, Chart::as_str), conflicts_with = "list")]
    pub chart: Option<Chart>,
    /// Write the chart here: `.svg`, `.csv` or `.txt`
    #[arg(long, short, value_name = "FILE", requires = "chart")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
    /// Take a run out of the index
    #[arg(long, value_name = "NAME", exclusive = true)]
    pub remove: Option<String>,
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub detach: super::Detach,
}
