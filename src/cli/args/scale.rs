//! The options of shards: `plan`, `mine --shard`, `mine --fetch`, `merge` and `cluster`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{Force, Mining, words};
use crate::scale::{ClusterEngine, Fetch, RepoFilter, RunVerb};

/// The heading of these options in the help of `mine`.
const HEADING: &str = "Options of --shard and --fetch";

/// Reads `512M`, `2G` or a number of bytes.
fn size(text: &str) -> Result<u64, String> {
    let wrong = || "not a size such as `512M` or `2G`".to_owned();
    let digits = text.trim_end_matches(|text: char| text.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number.checked_mul(1 << shift).filter(|n| *n > 0);
    bytes.ok_or_else(wrong)
}

/// Reads `90s`, `30m`, `2h` or a number of seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "not a time such as `90s`, `30m` or `2h`".to_owned();
    let digits = text.trim_end_matches(|text: char| text.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(seconds).filter(|n| *n > 0);
    seconds.map(Duration::from_secs).ok_or_else(wrong)
}

#[derive(Debug, Args)]
pub struct ShardArgs {
    /// A shard that `focalist plan` wrote; finished ones end at once, others continue where they stopped
    #[arg(long, help_heading = HEADING, value_name = "FILE", requires = "output", conflicts_with_all = ["paths", "each", "list", "name", "background"])]
    pub shard: Option<PathBuf>,
    /// The folder that becomes the shard's workspace; it has its name when it is done
    #[arg(long, help_heading = HEADING, value_name = "DIR", requires = "shard")]
    pub output: Option<PathBuf>,
    /// Get each repository of a list that has a `url` with this command, such as `git clone --depth 1 {url} {dir}`, and
    /// delete it when it is mined; no shell reads it. With `--shard`, the command of `plan`, if you trust the plan
    #[arg(long, help_heading = HEADING, value_name = "COMMAND", value_parser = Fetch::parse, conflicts_with_all = ["paths", "each", "name", "background"])]
    pub fetch: Option<Fetch>,
    /// Skip a repository that takes longer, such as `90s`, `30m` or `2h`
    #[arg(long, help_heading = HEADING, value_name = "TIME", value_parser = duration, default_value = "1h")]
    pub repo_timeout: Duration,
    /// Skip a repository that takes more memory, such as `2G`
    #[arg(long, help_heading = HEADING, value_name = "SIZE", value_parser = size)]
    pub repo_memory: Option<u64>,
    /// How often to try a repository that was killed or could not be fetched
    #[arg(long, help_heading = HEADING, value_name = "N", default_value_t = 5)]
    pub repo_tries: u32,
}

/// The heading of these options in the help of verbs on runs.
const HEADING_OF_RUN: &str = "Options of --shard";

/// A shard of a run, for `eval`, `execute` and `generate`.
#[derive(Debug, Args)]
pub struct RunShardArgs {
    /// Work on a shard that `focalist plan --run` wrote; finished ones end at once, others continue where they stopped
    #[arg(long, help_heading = HEADING_OF_RUN, value_name = "FILE", requires = "output", conflicts_with = "background")]
    pub shard: Option<PathBuf>,
    /// The folder that becomes the shard's workspace; it has its name when it is done
    #[arg(long, help_heading = HEADING_OF_RUN, value_name = "DIR", requires = "shard")]
    pub output: Option<PathBuf>,
}

/// Cuts a list of repositories into shards of about the same size, for `focalist mine --shard`; or a run, for `eval`,
/// `execute` and `generate --shard`. The list has the sizes; an unknown size counts as the median.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("into").required(true), group = clap::ArgGroup::new("of").required(true))]
pub struct Plan {
    /// JSON lines with `path` or `url` and, if known, `size_bytes` or `size` (KiB), `name`, `stars`, `is_fork`,
    /// `license`, `repo_id`
    #[arg(long, value_name = "FILE", group = "of")]
    pub list: Option<PathBuf>,
    /// Instead, the predictions of this run, project by project, each shard with a piece of the index
    #[arg(long, value_name = "NAME", group = "of", conflicts_with_all = ["fetch", "repo_filter"])]
    pub run: Option<String>,
    /// With `--run`: the prompts to answer, as `focalist prompts` writes them
    #[arg(long, value_name = "FILE", requires = "run")]
    pub prompts: Option<PathBuf>,
    /// The number of shards
    #[arg(long, value_name = "N", group = "into", value_parser = clap::value_parser!(u32).range(1..))]
    pub shards: Option<u32>,
    /// Instead, the size of a shard, such as `10G`
    #[arg(long, value_name = "SIZE", group = "into", value_parser = size)]
    pub shard_size: Option<u64>,
    /// The folder for the shards
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// How to fetch repositories with a `url`, such as `git clone --depth 1 {url} {dir}`; no shell reads it
    #[arg(long, value_name = "COMMAND", value_parser = Fetch::parse)]
    pub fetch: Option<Fetch>,
    /// Only repositories that a paper's rules select; a repository with unknown facts passes
    #[arg(long, value_parser = words(RepoFilter::ALL, RepoFilter::as_str))]
    pub repo_filter: Option<RepoFilter>,
    #[command(flatten)]
    pub force: Force,
}

/// Merges workspaces, as `focalist mine --shard` makes them, into the one that `--workspace` names: the same index in
/// any order and grouping. Duplicates and splits are computed over all of them; an index that is not new keeps its own.
/// Verdicts come along, runs do not.
#[derive(Debug, Args)]
pub struct Merge {
    /// Folders of workspaces; files among them are ignored, and incomplete workspaces are named and left out
    #[arg(value_name = "DIR", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The seed of the splits of a new index; else the seed of the inputs
    #[arg(long, value_name = "N", conflicts_with = "run")]
    pub seed: Option<u64>,
    /// Bring back the results of this run from its shards (scores, outcomes, answers), instead of repositories
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Prints a script that runs the shards of a folder and merges their results. Read it, change it, run it.
#[derive(Debug, Args)]
pub struct Cluster {
    /// The program that runs the shards: GNU parallel, Slurm or Ray
    #[arg(value_name = "ENGINE", value_parser = words(ClusterEngine::ALL, ClusterEngine::as_str))]
    pub engine: ClusterEngine,
    /// The folder that `focalist plan` filled
    #[arg(long, value_name = "DIR")]
    pub shards: PathBuf,
    /// The command for shards of a run: `eval`, `execute` or `generate`
    #[arg(long, value_name = "VERB", value_parser = words(RunVerb::ALL, RunVerb::as_str))]
    pub verb: Option<RunVerb>,
}

/// What a worker of a shard is called with.
#[derive(Debug, Args)]
pub struct ShardWorkerArgs {
    /// The line of the list
    #[arg(long, value_name = "JSON")]
    pub line: String,
    /// The workspace is made anew where the machine fails
    #[arg(long)]
    pub scratch: bool,
    #[command(flatten)]
    pub mining: Mining,
}
