//! The options of `leakage`.

use clap::Args;

use super::Detach;
use super::scoring::words;
use crate::leakage::{Splits, THRESHOLD, THRESHOLD_MIN};

/// Reads a threshold.
pub fn threshold(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| (THRESHOLD_MIN..=1.0).contains(number))
        .ok_or_else(|| format!("not a number from {THRESHOLD_MIN} to 1"))
}

/// Finds near duplicates across splits: among exported samples, the pairs of samples of different splits whose tests or
/// focal methods are near. Two texts are near when the sets of their runs of three tokens have a Jaccard coefficient of
/// at least the threshold; signatures (`MinHash`) choose the compared pairs, and the reported similarities are exact.
#[derive(Debug, Args)]
pub struct Leakage {
    /// Only samples that match this filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Which splits: sample by sample, or project by project
    #[arg(long, value_parser = words(Splits::ALL, Splits::as_str), default_value = "random")]
    pub split: Splits,
    /// The lowest similarity that counts as near, 0.3 to 1
    #[arg(long, value_name = "S", default_value_t = THRESHOLD, value_parser = threshold, conflicts_with = "nearest")]
    pub threshold: f64,
    /// Maximum number of pairs; 0 for all
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        conflicts_with = "nearest"
    )]
    pub limit: usize,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts, as `export --all`
    #[arg(long)]
    pub all: bool,
    /// List instead the training samples nearest to this sample: a key or its first digits
    #[arg(long, value_name = "KEY")]
    pub nearest: Option<String>,
    /// How many training samples to list
    #[arg(long, value_name = "N", default_value_t = 5, requires = "nearest", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub n: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detach: Detach,
}
