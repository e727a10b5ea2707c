//! The options of `verdict`, `verdicts`, `undo`, `redo`, `audit` and `agreement`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::review::Stratify;

use super::scoring::words;

/// Who it is that says something.
#[derive(Debug, Args)]
pub struct Annotator {
    /// The annotator's name; else `$USER`
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct Verdict {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY")]
    pub key: String,
    /// accept: the machine's decision is right. none-of-these: the focal method is no candidate. no-focal: the test is
    /// not about one method. pick: another method. unsure, skip: nothing is decided
    #[arg(value_name = "JUDGEMENT", value_parser = ["accept", "none-of-these", "no-focal", "pick", "unsure", "skip"])]
    pub judgement: String,
    /// For pick: a candidate's number from 1 (`focalist show KEY` lists them), or a method such as `Counter.inc`
    #[arg(value_name = "METHOD", required_if_eq("judgement", "pick"))]
    pub method: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// Also mark the sample
    #[arg(long)]
    pub mark: bool,
    /// Say what holds where annotators differ, and why; it is gold from then on
    #[arg(long, value_name = "REASON")]
    pub adjudicate: Option<String>,
    /// The version of the guideline that was followed
    #[arg(long, value_name = "VERSION")]
    pub guideline: Option<String>,
    #[command(flatten)]
    pub annotator: Annotator,
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true
)]
pub struct Verdicts {
    #[command(subcommand)]
    pub action: Option<VerdictsAction>,
    /// Only verdicts on samples that this filter lets through
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Only this annotator's
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: Option<String>,
    /// Only those whose sample is not what was judged
    #[arg(long, conflicts_with = "gold")]
    pub stale: bool,
    /// Only what is true by adjudication, or because all who decided agree; one line a sample
    #[arg(long)]
    pub gold: bool,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum VerdictsAction {
    /// Write every event as a line of JSON, to be merged elsewhere
    Export {
        /// Write here instead of to stdout
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Add the events of a file that are not there yet; the order of merging does not matter
    Merge {
        /// Lines of `verdicts export`; `-` for stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Show what an annotator did last, or all that was said of one sample
    History {
        /// A sample's key or its first digits
        #[arg(value_name = "KEY")]
        key: Option<String>,
        /// At most so many rows
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        #[command(flatten)]
        annotator: Annotator,
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Count the verdicts of each annotator
    Progress {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Show how many matches of each band of weights people found right
    Calibration {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct Audit {
    /// Draw from the tests that this filter lets through, mapped or not
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// How many tests
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub n: u32,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Keep the proportions of these parts, and report each
    #[arg(long, value_parser = words(Stratify::ALL, Stratify::as_str), default_value = "none")]
    pub stratify: Stratify,
    /// Report precision and coverage of what is judged, with 95 % intervals (Wilson)
    #[arg(long)]
    pub report: bool,
    /// Report as one line of LaTeX
    #[arg(long, conflicts_with = "json")]
    pub latex: bool,
    /// Count only this annotator's verdicts; else gold. Also who draws
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Agreement {
    /// Only samples that this filter lets through
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Only these annotators
    #[arg(long = "between", value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// Bootstrap samples for the intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
