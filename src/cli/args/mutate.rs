//! The options of `mutate`.

use std::path::PathBuf;

use clap::Args;

use super::scoring::words;
use crate::model::Language;
use crate::mutate::Pass;

/// Makes equivalent variants of functions: each of nine passes renames a parameter or a local, spells an assignment or
/// a condition out, or adds a dead branch or a line that prints. With `--strict` results, exceptions and effects stay
/// the same for every input, except for the printed line; variants for which this is uncertain are left out.
#[derive(Debug, Args)]
pub struct Mutate {
    /// Source files, folders, or JSON lines with `language` and `source`; files of `CodeSearchNet` are read as they are
    #[arg(value_name = "PATH", required_unless_present = "filter")]
    pub paths: Vec<PathBuf>,
    /// The focal methods of the samples in the index that match this filter, instead of files
    #[arg(
        long,
        value_name = "FILTER",
        allow_hyphen_values = true,
        conflicts_with = "paths"
    )]
    pub filter: Option<String>,
    /// Only this language; it is also assumed for lines and files that name none
    #[arg(long, value_parser = words(Language::ALL, Language::as_str))]
    pub language: Option<Language>,
    /// Only these passes
    #[arg(long, value_name = "IDS", value_delimiter = ',', value_parser = words(Pass::ALL, Pass::as_str))]
    pub passes: Vec<Pass>,
    /// The seed for the choice among parameters, locals, assignments and conditions
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Minimum number of tokens of a function
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub min_tokens: usize,
    /// Maximum number of tokens of a function
    #[arg(long, value_name = "N", default_value_t = 2048)]
    pub max_tokens: usize,
    /// The data set of these functions; `consistency` reports each data set by itself
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Take one function of each file, chosen by the seed; lines with the same `path` belong to one file
    #[arg(long)]
    pub one_per_file: bool,
    /// Also write omitted variants, with reasons
    #[arg(long)]
    pub all: bool,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write to this file instead of printing
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: super::Force,
    #[command(flatten)]
    pub detach: super::Detach,
}
