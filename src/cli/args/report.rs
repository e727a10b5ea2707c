//! The options of `report`.

use std::path::PathBuf;

use clap::Args;

use super::{Force, PriceArgs};
use crate::eval::pairing::refine::{N_RESAMPLES, SEED};

/// Writes the results of runs as a page for browsers: one HTML file that holds everything, or a folder.
///
/// The page has the settings, repositories and metrics; how many tests became samples; every number of the runs with
/// its 95 % interval; every pair of runs; slices; charts; the outcomes of predictions that were run; the cost of
/// asking. Then it lists every prediction, to filter, sort and open, down to sources and changed tokens. It loads
/// nothing from a server. `report` stops if any text in it looks like a key or a token.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The runs, compared with the first one, else all; then conditions such as `split:test parse:ok`
    #[arg(value_name = "RUN|FILTER", allow_hyphen_values = true)]
    pub words: Vec<String>,
    /// The runs of this experiment, and its file in the page
    #[arg(long, value_name = "FILE")]
    pub experiment: Option<PathBuf>,
    /// Where the report goes: a name that ends with `.html` is one file, any other a folder that loads the predictions
    /// piece by piece; an existing one is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub force: Force,
    /// Rank the runs instead, on the samples that all of them answered, with the runs that cannot be told apart; CSV
    /// and JSON files beside the page hold the same
    #[arg(long, conflicts_with_all = ["no_sources", "anonymous", "price_in", "price_out"])]
    pub leaderboard: bool,
    /// The metric of slices, charts and ranks; else the usual one
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Show no code: no sources, no true texts, no predictions, and no reason that quotes them
    #[arg(long)]
    pub no_sources: bool,
    /// Replace annotators' names by numbers
    #[arg(long)]
    pub anonymous: bool,
    #[command(flatten)]
    pub prices: PriceArgs,
    /// Number of bootstrap samples and permutations
    #[arg(long, value_name = "N", default_value_t = N_RESAMPLES, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// The seed of the random draws
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub seed: u64,
}
