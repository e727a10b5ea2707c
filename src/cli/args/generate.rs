//! The options of `generate`.

use std::path::PathBuf;

use clap::Args;

use super::execute::seconds;
use super::prompts::contexts;
use super::scoring::words;
use super::{Detach, RunShardArgs};
use crate::exchange::answers::{Api, Extra};
use crate::generate::Grid;
use crate::prompts::{Contexts, PromptKind};

/// Asks a model over HTTP about every prompt, and keeps its answers as a run. Answered prompts are not asked again,
/// even after an interruption; other parameters ask anew and overwrite nothing.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Generate {
    /// With `--kind`: the samples that are asked about
    #[arg(value_name = "FILTER", allow_hyphen_values = true, requires = "kind")]
    pub filter: Vec<String>,
    /// The run's name; a run that was generated before grows
    #[arg(long, value_name = "NAME")]
    pub run: String,
    /// The prompts, as `focalist prompts` writes them; `-` for standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["kind", "shard"],
        required_unless_present_any = ["kind", "shard"]
    )]
    pub prompts: Option<PathBuf>,
    /// Make the prompts now: see `focalist prompts`
    #[arg(long, value_name = "KIND", conflicts_with = "shard", value_parser = words(PromptKind::ALL, PromptKind::as_str))]
    pub kind: Option<PromptKind>,
    /// Maximum number of tokens of a prompt
    #[arg(long, value_name = "N", requires = "kind")]
    pub budget: Option<usize>,
    /// Code around the question: see `focalist prompts`
    #[arg(long, value_name = "WHAT", requires = "kind", value_parser = contexts(), default_value = "all")]
    pub context: Contexts,
    /// The tokenizer for prompts: a `tokenizer.json`, or `approx` for bytes / 3.6
    #[arg(long, value_name = "FILE", default_value = "approx")]
    pub tokenizer: PathBuf,
    /// A template in place of the built-in one (minijinja); for `mera` twenty of them, `ru`, `en`, or a file
    #[arg(long, value_name = "FILE", requires = "kind")]
    pub template: Option<PathBuf>,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts
    #[arg(long, requires = "kind")]
    pub all: bool,
    /// A `[models.NAME]` of the settings, or the server's name for its model
    #[arg(long, value_name = "NAME")]
    pub model: String,
    /// The server's address, such as `http://127.0.0.1:8000/v1`; any that speaks the protocol of `OpenAI`
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// The kind of request: a conversation, or the continuation of a text [default: chat]
    #[arg(long, value_parser = words(Api::ALL, Api::as_str))]
    pub api: Option<Api>,
    /// Answers for each prompt and setting [default: 1]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub n: Option<u32>,
    /// One value, several (`0.2,0.8`), or from, to and step (`0.05..0.40:0.05`): each prompt is asked with every value
    #[arg(long, value_name = "GRID")]
    pub temperature: Option<Grid>,
    /// As `--temperature`
    #[arg(long, value_name = "GRID")]
    pub top_p: Option<Grid>,
    /// As `--temperature`, in whole numbers
    #[arg(long, value_name = "GRID")]
    pub top_k: Option<Grid>,
    /// Maximum number of tokens of an answer [default: as the prompt says]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// A text that ends an answer; may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub stop: Vec<String>,
    /// The seed that the server samples with; servers that give one answer per request get it plus the number of the
    /// attempt
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A system message, in place of the prompt's own
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// More fields of a request, as a JSON object: `{"reasoning_effort":"low"}`
    #[arg(long, value_name = "JSON")]
    pub extra: Option<Extra>,
    /// Requests at the same time [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub concurrency: Option<u32>,
    /// Maximum number of requests per minute
    #[arg(long, value_name = "N", value_parser = positive)]
    pub rpm: Option<f64>,
    /// Maximum number of tokens per minute, prompts and answers
    #[arg(long, value_name = "N", value_parser = positive)]
    pub tpm: Option<f64>,
    /// Seconds that a request may take, with its answer [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// How often a request is tried again [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub retries: Option<u32>,
    /// The NAME of the environment variable that holds the key; the key itself is never stored or shown
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// Allow unencrypted `http:` to other machines
    #[arg(long)]
    pub allow_http: bool,
    /// Send nothing: print how many requests and tokens there would be, and the first request
    #[arg(long, conflicts_with = "shard")]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub part: RunShardArgs,
    #[command(flatten)]
    pub detach: Detach,
}

/// Reads a number of more than 0.
fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "not a number of more than 0".to_owned())
}
