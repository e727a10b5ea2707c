//! The options of `export --format pairs` and `chat`.

use std::path::PathBuf;

use clap::Args;

use super::prompts::{Budget, budget};
use super::words;
use crate::model::Target;

/// The heading of these options in the help of `export`.
const HEADING: &str = "Options of --format pairs and chat";

#[derive(Debug, Args)]
pub struct Pairs {
    /// The kind of answer [default: assertion]
    #[arg(long, help_heading = HEADING, value_parser = words(Target::ALL, Target::as_str))]
    pub target: Option<Target>,
    /// Maximum number of tokens of prompt and answer together, `4k` for 4,000; context is left out first, and a sample
    /// that still exceeds it is not written
    #[arg(long, help_heading = HEADING, value_name = "N", value_parser = budget)]
    pub budget: Option<Budget>,
    /// The tokenizer: a `tokenizer.json`, or `approx` for bytes / 3.6 [default: approx]
    #[arg(long, help_heading = HEADING, value_name = "FILE")]
    pub tokenizer: Option<PathBuf>,
    /// Leave out the context of the question, as `prompts --context none`
    #[arg(long, help_heading = HEADING)]
    pub no_context: bool,
    /// A system message
    #[arg(long, help_heading = HEADING, value_name = "TEXT")]
    pub system: Option<String>,
}

impl Pairs {
    /// Finds the first option that was given and means nothing in other formats.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.target.is_some(), "--target"),
            (self.budget.is_some(), "--budget"),
            (self.tokenizer.is_some(), "--tokenizer"),
            (self.no_context, "--no-context"),
            (self.system.is_some(), "--system"),
        ];
        given
            .into_iter()
            .find(|option| option.0)
            .map(|option| option.1)
    }
}
