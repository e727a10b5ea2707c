//! The options of `index`.

use clap::Args;

use super::Detach;

/// Builds signatures of all samples, to find the training samples nearest to one, and an index of the texts that
/// `text:` searches. Both are built from mined samples; existing ones are not computed again. Without them, answers are
/// the same but take longer.
#[derive(Debug, Args)]
pub struct Index {
    /// Only signatures
    #[arg(long)]
    pub near: bool,
    /// Only texts
    #[arg(long)]
    pub text: bool,
    #[command(flatten)]
    pub detach: Detach,
}
