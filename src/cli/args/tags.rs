//! The options of `tag` and `tags`.

use clap::Args;

use super::Annotator;

/// Counts how the first answers of runs differ from their references: the tags that `eval` gave them. An answer
/// may have several tags, so shares do not add up to one.
#[derive(Debug, Args)]
pub struct Tags {
    /// Only these runs
    #[arg(value_name = "RUN", conflicts_with = "definitions")]
    pub names: Vec<String>,
    /// Report instead how far people's tags (`tag`) agree with the machine's: per tag precision, recall, F1 and Cohen's
    /// kappa with a 95 % interval, and how many predictions are equal if people are right. Tags on a prediction or
    /// reference that has changed since are left out, and counted
    #[arg(long, conflicts_with = "definitions")]
    pub agreement: bool,
    /// Print JSON lines, one for each run; with `--agreement` one object
    #[arg(long, conflicts_with = "definitions")]
    pub json: bool,
    /// Print instead when each tag applies, as Markdown; needs no workspace
    #[arg(long)]
    pub definitions: bool,
}

/// Tags how a prediction differs: all of its tags, in place of the machine's. With `+TAG` and `-TAG`, these are added
/// to the machine's tags or removed from them. `tags --definitions` explains each tag, and `undo` undoes this.
#[derive(Debug, Args)]
pub struct Tag {
    /// The run of the prediction
    #[arg(value_name = "RUN")]
    pub run: String,
    /// The sample, or the first digits of its key
    #[arg(value_name = "KEY")]
    pub key: String,
    /// All tags; or `+TAG` and `-TAG`, which change what you said before, else the machine's; `none` for no tags;
    /// `equal` where the metric is wrong: of the machine's tags those by which both sides check the same, or
    /// `equal_rewritten`
    #[arg(value_name = "TAG", required = true, allow_hyphen_values = true)]
    pub tags: Vec<String>,
    /// Which answer to the sample, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub attempt: u32,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    #[command(flatten)]
    pub annotator: Annotator,
}
