//! The options of `benchmark`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::scoring::{Shown, words};
use crate::benchmark::{Day, Tokens};

/// Reads a day.
fn day(text: &str) -> Result<Day, String> {
    let day = Day::read(text).filter(|_| text.len() == 10);
    day.ok_or_else(|| "not a day such as `2024-05-31`".to_owned())
}

#[derive(Debug, Args)]
pub struct Benchmark {
    #[command(subcommand)]
    pub action: BenchmarkAction,
}

#[derive(Debug, Subcommand)]
pub enum BenchmarkAction {
    /// Say which repositories of a list make a benchmark, and at which step the others fall out
    Filter(BenchmarkFilter),
    /// Give each repository a split as a whole: 70, 10 and 20 percent of the tests of each language
    Split(BenchmarkSplit),
    /// Count what the benchmark holds: splits, tests, focal methods, tokens
    Stats(BenchmarkStats),
}

/// Applies the filters of Tests4J 3.1 one after the other. A repository that nothing is known of at a step passes it, and
/// is counted. Tests and focal methods are those of the index, in all languages: mine first. Whether a project compiles and
/// its tests pass is what `execute --truth` has found.
#[derive(Debug, Args)]
pub struct BenchmarkFilter {
    /// JSON lines with `url`, `name` or `path` and, if known, `exists`, `size` (KiB) or `size_bytes`, `has_root_pom`,
    /// `last_commit` or `pushed_at`
    #[arg(long, value_name = "FILE")]
    pub list: PathBuf,
    /// Repositories that models were trained on: a URL or `owner/name` a line; may be given several times
    #[arg(long, value_name = "FILE")]
    pub leak: Vec<PathBuf>,
    /// The last commit is at most two years older than this day
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub as_of: Day,
    /// Maximum number of tokens of focal method and test together
    #[arg(long, value_name = "N", default_value_t = 1850)]
    pub max_tokens: u64,
    /// How tokens are counted: bytes / 3.6, or those of the language
    #[arg(long, value_parser = words(Tokens::ALL, Tokens::as_str), default_value = "approx")]
    pub tokens: Tokens,
    /// Minimum number of tests
    #[arg(long, value_name = "N", default_value_t = 80)]
    pub min_cases: u64,
    /// Draw this many tests if there are more
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_cases: u64,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON lines, a repository each
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BenchmarkSplit {
    /// What `benchmark filter --json` printed; by default all repositories of the index
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON lines, a repository each
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BenchmarkStats {
    /// Only samples that this filter lets through
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// How tokens are counted: bytes / 3.6, or those of the language
    #[arg(long, value_parser = words(Tokens::ALL, Tokens::as_str), default_value = "approx")]
    pub tokens: Tokens,
    #[command(flatten)]
    pub shown: Shown,
}
