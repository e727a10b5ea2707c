//! The options of `index`.

use clap::Args;

use super::Detach;

/// Makes what answers at once: signatures of all samples, for the training samples that are nearest to one, and an index
/// of the texts that `text:` searches. Both are made from what was mined; what is known already is not computed again.
/// Without them, answers are the same and come later.
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
