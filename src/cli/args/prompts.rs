//! The options of `prompts`.

use std::path::PathBuf;

use clap::Args;

use super::scoring::words;
use crate::prompts::Kind;

#[derive(Debug, Args)]
pub struct Prompts {
    /// Conditions such as `repo:gson split:test`, and `@name` for a saved filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// What is asked for: the assertion part, the whole test (`Tests4J`), what a template of yours says, or the assertion
    /// part as the sequence of its tree, or the second half of functions in other words
    #[arg(long, value_name = "KIND", value_parser = words(Kind::ALL, Kind::as_str), required_unless_present = "show_template")]
    pub kind: Option<Kind>,
    /// For `half`: what `focalist mutate` wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "template", "all"])]
    pub seeds: Option<PathBuf>,
    /// The most tokens of a prompt; less important parts are left out of a longer one [default: 1850 for `test`, else any
    /// number]
    #[arg(long, value_name = "N")]
    pub budget: Option<usize>,
    /// What counts tokens: a `tokenizer.json`, or `approx` for bytes / 3.6
    #[arg(long, value_name = "FILE", default_value = "approx")]
    pub tokenizer: PathBuf,
    /// A template in place of the built-in one (minijinja)
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Print the built-in template of a kind, and what templates of it can ask for
    #[arg(long, value_name = "KIND", value_parser = words(Kind::ALL, Kind::as_str))]
    pub show_template: Option<Kind>,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts
    #[arg(long)]
    pub all: bool,
    /// Write here instead of to stdout; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
}
