//! The options of `encode` and `decode`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PartName {
    /// The model's input: setup, focal method and contexts
    Source,
    /// The expected output: the assertion part
    Target,
}

/// What sequences are made of.
#[derive(Debug, Args)]
pub struct EncodingArgs {
    /// The lexer's tokens behind markers of the sections, instead of trees
    #[arg(long)]
    pub tokens: bool,
    /// Leave out the methods that setup and focal method call
    #[arg(long)]
    pub no_context: bool,
    /// Write values in the pieces of this vocabulary, a `tokenizer.json`
    #[arg(long, value_name = "FILE")]
    pub subwords: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Encode {
    /// Conditions such as `repo:gson split:train`, and `@name` for a saved filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Only the model's input, or only its expected output
    #[arg(long, value_enum)]
    pub part: Option<PartName>,
    #[command(flatten)]
    pub encoding: EncodingArgs,
    /// Include duplicates, samples with focal calls in the assertion part, and excessive contexts
    #[arg(long)]
    pub all: bool,
    /// Write here instead of to stdout; an existing file is not replaced
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
}

#[derive(Debug, Args)]
pub struct Decode {
    /// JSON lines with `sample` and `prediction`, a list of tokens; stdin where absent or `-`
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The lexer's tokens instead of trees
    #[arg(long)]
    pub tokens: bool,
    /// Values are in pieces of a vocabulary
    #[arg(long)]
    pub subwords: bool,
}
