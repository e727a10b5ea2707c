//! The options of `review`, `verdict`, `verdicts`, `undo`, `redo`, `audit` and `agreement`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::review::{ERROR_MAX, Overlap, QueueKind, Stratify};

use super::Force;
use super::scoring::{TableFormat, words};

/// Who it is that says something.
#[derive(Debug, Args)]
pub struct Annotator {
    /// The annotator's name; else the setting (`focalist config`), else `$USER`, else your name on the system
    #[arg(long = "as", value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = queues())]
pub struct Review {
    /// Line by line and without escape codes, for screen readers and scripts; the default without a terminal or with
    /// `TERM=dumb`
    #[arg(long)]
    pub plain: bool,
    /// A queue and a filter, as in `uncertain repo:gson`; a filter alone means `uncertain` [default: the setting, else
    /// `uncertain`]
    #[arg(
        long,
        visible_alias = "order",
        value_name = "QUEUE",
        allow_hyphen_values = true
    )]
    pub queue: Option<String>,
    /// How many annotators are asked about each sample, or the share that two are asked about, such as `0.2` [default:
    /// the setting, else 1]
    #[arg(long, value_name = "N", value_parser = overlap)]
    pub overlap: Option<Overlap>,
    /// Hide the machine's decision: no match, no weights, candidates by name
    #[arg(long)]
    pub blind: bool,
    /// The version of the guideline that is followed; else the setting
    #[arg(long, value_name = "VERSION")]
    pub guideline: Option<String>,
    #[command(flatten)]
    pub annotator: Annotator,
}

fn overlap(text: &str) -> Result<Overlap, String> {
    Overlap::parse(text).ok_or_else(|| "not a number from 1 on, nor a share such as 0.2".to_owned())
}

/// Writes the part of the help about queues.
fn queues() -> String {
    let mut text = "Queues:\n".to_owned();
    for kind in QueueKind::ALL {
        text += &format!("  {:<34}  {}\n", kind.usage(), kind.help());
    }
    text
}

#[derive(Debug, Args)]
pub struct Verdict {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY")]
    pub key: String,
    /// accept: the machine's decision is right. none-of-these: the focal method isn't listed. no-focal: the test is
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
    /// Settle a disagreement of annotators, with a reason; the verdict is gold from then on
    #[arg(long, value_name = "REASON")]
    pub adjudicate: Option<String>,
    /// The version of the guideline that was followed; else the setting
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
    /// Only verdicts on samples that match this filter
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// Only this annotator's
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: Option<String>,
    /// Only verdicts whose sample has changed since
    #[arg(long, conflicts_with = "gold")]
    pub stale: bool,
    /// Also show the changes, line by line
    #[arg(long, requires = "stale", conflicts_with_all = ["format", "json"])]
    pub diff: bool,
    /// Only gold: adjudicated, or all who decided agree; one line per sample
    #[arg(long)]
    pub gold: bool,
    #[command(flatten)]
    pub format: TableFormat,
}

#[derive(Debug, Subcommand)]
pub enum VerdictsAction {
    /// Write every event as a line of JSON, to be merged elsewhere
    Export {
        /// Write here instead of to stdout; an existing file is not replaced
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        force: Force,
    },
    /// Add the events of a file that are missing here; the order of merging does not matter
    Merge {
        /// Lines of `verdicts export`; `-` for stdin
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Show an annotator's latest actions, or the history of one sample
    History {
        /// A sample's key or its first digits
        #[arg(value_name = "KEY")]
        key: Option<String>,
        /// Maximum number of rows
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
    /// Show how many matches people found right, by band of weights
    Calibration {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch on the command line"
)]
pub struct Audit {
    /// Draw from the tests that match this filter, mapped or not
    #[arg(value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Vec<String>,
    /// How many tests
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub n: u32,
    /// The seed of the draw
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Keep the proportions of these parts, and report each
    #[arg(long, value_parser = words(Stratify::ALL, Stratify::as_str), default_value = "none")]
    pub stratify: Stratify,
    /// Report precision and coverage over the judged samples, with 95 % intervals (Wilson)
    #[arg(long)]
    pub report: bool,
    /// Report as one line of LaTeX
    #[arg(long, conflicts_with = "json")]
    pub latex: bool,
    /// Once the whole draw is judged, accept every other mapped test of the filter provisionally, with the bound on
    /// errors that the judged ones support at 95 % confidence; `focalist undo` undoes all of it
    #[arg(long, conflicts_with_all = ["report", "latex", "json"])]
    pub accept_rest: bool,
    /// Accept only if at most this share can be wrong, 0 to 1
    #[arg(long, value_name = "SHARE", requires = "accept_rest", default_value_t = ERROR_MAX, value_parser = share)]
    pub max_error: f64,
    /// Count only this annotator's verdicts; else gold. Also the annotator who draws and accepts
    #[arg(long = "as", value_name = "NAME")]
    pub annotator: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads a share of something.
fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a number from 0 to 1 is needed, such as 0.05".to_owned()),
    }
}

#[derive(Debug, Args)]
pub struct Agreement {
    /// Only samples that match this filter
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Only these annotators
    #[arg(long = "between", value_name = "NAMES", value_delimiter = ',')]
    pub annotators: Vec<String>,
    /// List the samples on which they differ, with each verdict, the most evenly split first, adjudicated ones last
    #[arg(long)]
    pub conflicts: bool,
    /// Number of bootstrap samples for the intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub resamples: u32,
    /// The seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
