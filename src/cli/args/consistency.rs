//! The options of `consistency`.

use std::path::PathBuf;

use clap::Args;

use super::scoring::{Shown, words};
use crate::consistency::outliers::Rule;

/// Judges completions of functions and of their variants: which are unlike the others, and which one is most like all.
/// Lines have `seed` (its id), `pass` (none for the function's own) and `completion`.
#[derive(Debug, Args)]
pub struct Consistency {
    /// What `focalist mutate` wrote; without it every function that is named is known, and nothing is scored
    #[arg(value_name = "SEEDS")]
    pub seeds: Option<PathBuf>,
    /// The completions, as JSON lines
    #[arg(long, value_name = "FILE", required = true)]
    pub from: PathBuf,
    /// From how many others a completion must be far to be an outlier
    #[arg(long, value_name = "T", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=9))]
    pub threshold: u32,
    /// When two are far: similarity below the median, or distance above the mean
    #[arg(long, value_parser = words(Rule::ALL, Rule::as_str), default_value = "algorithm")]
    pub rule: Rule,
    /// List every function instead of the totals
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub shown: Shown,
}
