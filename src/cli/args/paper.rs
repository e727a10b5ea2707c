//! The options of `paper`: the commands that serve a single paper.

use clap::{Args, Subcommand};

use super::{Clover, Command, Consistency, Mutate};

/// Reproduces a paper. Commands that also serve other studies stand at the top level, too: `consistency` and `mutate`
/// have both names.
#[derive(Debug, Args)]
pub struct Paper {
    #[command(subcommand)]
    pub paper: PaperName,
}

#[derive(Debug, Subcommand)]
pub enum PaperName {
    /// Cut self-contained problems out of a Python project's suite, and tell which files each needs
    Clover(Clover),
    /// Judge how consistently a model completes equivalent functions
    Cctest(Cctest),
}

/// Reproduces `CCTest`: makes variants of functions, and measures how alike a model completes them.
#[derive(Debug, Args)]
pub struct Cctest {
    #[command(subcommand)]
    pub action: CctestAction,
}

#[derive(Debug, Subcommand)]
pub enum CctestAction {
    /// Generate equivalent variants of functions, as JSON lines
    Mutate(Mutate),
    /// Judge how alike a model completes functions and their variants
    Consistency(Consistency),
}

impl Paper {
    /// Builds the command that it stands for.
    pub fn command(self) -> Command {
        match self.paper {
            PaperName::Clover(clover) => Command::Clover(clover),
            PaperName::Cctest(cctest) => match cctest.action {
                CctestAction::Mutate(mutate) => Command::Mutate(mutate),
                CctestAction::Consistency(consistency) => Command::Consistency(consistency),
            },
        }
    }
}
