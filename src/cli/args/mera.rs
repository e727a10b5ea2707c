//! The options of `export --format mera`.

use clap::Args;

use super::words;
use crate::model::Language;
use crate::transfer::{MeraLayout, PAIRS_PER_REPO_MAX};

/// The heading of these options in the help of `export`.
const HEADING: &str = "Options of --format mera";

#[derive(Debug, Args)]
pub struct Mera {
    /// Only this language; may be repeated
    #[arg(long, help_heading = HEADING, value_parser = words(Language::ALL, Language::as_str))]
    pub language: Vec<Language>,
    /// The prompts: `ru` or `en`, `ru-benchmark` or `en-benchmark` for twenty distinct ones, or a file with twenty of
    /// your own (docs/mera.md describes its form) [default: ru]
    #[arg(long, help_heading = HEADING, value_name = "ru|en|FILE")]
    pub prompts: Option<String>,
    /// The seed of the draws: examples, prompts, pairs of large repositories [default: the seed of the index's splits]
    #[arg(long, help_heading = HEADING, value_name = "N")]
    pub seed: Option<u64>,
    /// Draw tasks for a benchmark from the split `test`, the same number for each language, and write only them and the
    /// examples; matched by `mera`, unless `--matcher` names another matcher
    #[arg(long, help_heading = HEADING)]
    pub benchmark: bool,
    /// How many tasks `--benchmark` draws; the languages share them equally [default: 2500]
    #[arg(long, help_heading = HEADING, value_name = "N", requires = "benchmark")]
    pub tasks: Option<u64>,
    /// How many of the tasks are of this language, such as `python=800`; may be repeated
    #[arg(long, help_heading = HEADING, value_name = "LANGUAGE=N", requires = "benchmark", value_parser = quota)]
    pub quota: Vec<(Language, u64)>,
    /// Maximum number of pairs from one repository
    #[arg(long, help_heading = HEADING, value_name = "N", default_value_t = PAIRS_PER_REPO_MAX)]
    pub max_per_repo: u64,
    /// The layout of files: JSON lines, a dataset for a hub, or the form that the benchmark's code reads [default:
    /// jsonl]
    #[arg(long, help_heading = HEADING, value_parser = words(MeraLayout::ALL, MeraLayout::as_str))]
    pub layout: Option<MeraLayout>,
    /// Take repositories under any licence
    #[arg(long, help_heading = HEADING)]
    pub any_license: bool,
}

impl Mera {
    /// Finds the first option that was given and means nothing in other formats.
    pub fn first_given(&self) -> Option<&'static str> {
        let given = [
            (!self.language.is_empty(), "--language"),
            (self.prompts.is_some(), "--prompts"),
            (self.seed.is_some(), "--seed"),
            (self.max_per_repo != PAIRS_PER_REPO_MAX, "--max-per-repo"),
            (self.benchmark, "--benchmark"),
            (self.layout.is_some(), "--layout"),
            (self.any_license, "--any-license"),
        ];
        given.into_iter().find(|pair| pair.0).map(|pair| pair.1)
    }
}

/// Reads a language and how many tasks of it are wanted.
fn quota(text: &str) -> Result<(Language, u64), String> {
    let (name, n) = text.split_once('=').ok_or("write it as `python=800`")?;
    let known = || Language::ALL.iter().map(|language| language.as_str());
    let language = Language::ALL
        .iter()
        .find(|language| language.as_str() == name)
        .ok_or_else(|| {
            format!(
                "unknown language; choose one of: {}",
                known().collect::<Vec<_>>().join(", ")
            )
        })?;
    let n = n
        .parse()
        .map_err(|_| format!("`{n}` is not a number of tasks"))?;
    Ok((*language, n))
}
