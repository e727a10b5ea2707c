//! The options of `config` and `keys`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Config {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum ConfigAction {
    /// Say what is wrong with the settings, and where; ends with code 1 if anything is
    Check {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Print where settings are read from: your file, then the workspace's, which wins
    Path {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Write a first file that says what can be set, and changes nothing
    Init {
        /// For the workspace instead of for you
        #[arg(long)]
        local: bool,
    },
}

#[derive(Debug, Args)]
pub struct Keys {
    /// Print a table as Markdown
    #[arg(long)]
    pub markdown: bool,
}
