//! The options of `benchmark`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::Detach;
use super::scoring::{RunTableArgs, words};
use crate::benchmark::figures::Chart;
use crate::benchmark::{Day, TokenMeasure};

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

impl Benchmark {
    /// Tells whether to run it in the background.
    #[must_use]
    pub const fn detach(&self) -> Detach {
        match &self.action {
            BenchmarkAction::Filter(arguments) => arguments.detach,
            BenchmarkAction::Split(arguments) => arguments.detach,
            BenchmarkAction::Stats(arguments) => arguments.detach,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum BenchmarkAction {
    /// Select a list's repositories for a benchmark, and say at which step the others drop out
    Filter(BenchmarkFilter),
    /// Assign each whole repository to a split: 70, 10 and 20 percent of the tests of each language
    Split(BenchmarkSplit),
    /// Count the contents of the benchmark: splits, tests, focal methods, tokens
    Stats(BenchmarkStats),
}

/// Applies the filters of Tests4J 3.1 one after the other. A repository with unknown facts passes a step, and is
/// counted. Tests and focal methods come from the index, in all languages: mine first. `execute --truth` finds out
/// whether a project compiles and its tests pass.
#[derive(Debug, Args)]
pub struct BenchmarkFilter {
    /// JSON lines with `url`, `name` or `path` and, if known, `exists`, `size` (KiB) or `size_bytes`, `has_root_pom`,
    /// `last_commit` or `pushed_at`
    #[arg(long, value_name = "FILE")]
    pub list: PathBuf,
    /// Repositories that models were trained on: one URL or `owner/name` per line; may be given several times
    #[arg(long, value_name = "FILE")]
    pub leak: Vec<PathBuf>,
    /// The last commit is at most two years older than this day
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub as_of: Day,
    /// Maximum number of tokens of focal method and test together
    #[arg(long, value_name = "N", default_value_t = 1850)]
    pub max_tokens: u64,
    #[command(flatten)]
    pub counted: TokenCounterArgs,
    /// Minimum number of tests
    #[arg(long, value_name = "N", default_value_t = 80)]
    pub min_cases: u64,
    /// Draw this many tests if there are more
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_cases: u64,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON lines, one for each repository
    #[arg(long)]
    pub json: bool,
    /// Print the cases as a filter, `key:A,B`
    #[arg(long, conflicts_with = "json")]
    pub keys: bool,
    /// Draw a chart instead, over the repositories that reach its step, with its limit: sizes of repositories, ages of
    /// last commits, how many remain by age, tokens of cases, tests of repositories, and their cumulative sum
    #[arg(long, value_name = "KIND", value_parser = words(Chart::ALL, Chart::as_str), conflicts_with_all = ["json", "keys"])]
    pub chart: Option<Chart>,
    /// Write the chart here: `.svg`, `.csv` or `.txt`
    #[arg(long, short, value_name = "FILE", requires = "chart")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
    #[command(flatten)]
    pub detach: Detach,
}

/// What counts tokens.
#[derive(Debug, Args)]
pub struct TokenCounterArgs {
    /// How tokens are counted: bytes / 3.6, or by the language's lexer
    #[arg(long, value_parser = words(TokenMeasure::ALL, TokenMeasure::as_str), default_value = "approx")]
    pub tokens: TokenMeasure,
    /// Count the tokens of a model: a `tokenizer.json`
    #[arg(long, value_name = "FILE", conflicts_with = "tokens")]
    pub tokenizer: Option<PathBuf>,
}

/// In a workspace the index keeps the split: `benchmark:test` is a filter from then on, and `benchmark stats` counts
/// its cases. Another split replaces it.
#[derive(Debug, Args)]
pub struct BenchmarkSplit {
    /// Only samples that match this filter
    #[arg(
        value_name = "FILTER",
        allow_hyphen_values = true,
        conflicts_with = "list"
    )]
    pub filter: Vec<String>,
    /// The output of `benchmark filter --json`; by default all samples of the index with a focal method
    #[arg(long, value_name = "FILE")]
    pub list: Option<PathBuf>,
    /// Write the split of each case here as JSON lines, for `export --splits`; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
    /// Print the split and leave the index unchanged
    #[arg(long)]
    pub dry_run: bool,
    /// The seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON lines, one for each repository
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub detach: Detach,
}

/// What statistics have a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsBy {
    Repo,
    Method,
}

#[derive(Debug, Args)]
pub struct BenchmarkStats {
    /// Only samples that match this filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    #[command(flatten)]
    pub counted: TokenCounterArgs,
    /// Count all samples, not only the cases of the benchmark that `benchmark split` made
    #[arg(long)]
    pub all: bool,
    /// A row for each repository instead, with its framework and its version of Java, or for each focal method
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<StatsBy>,
    #[command(flatten)]
    pub shown: RunTableArgs,
    #[command(flatten)]
    pub detach: Detach,
}
