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
    /// Check the settings and list problems with their places; exits with code 1 if there are any
    Check {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Print where settings are read from: your file, then the workspace's, which takes precedence
    Path {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// List the themes of the terminal UI, yours and those built in
    Themes {
        /// Print JSON lines
        #[arg(long)]
        json: bool,
    },
    /// Write a settings file with every setting commented out
    Init {
        /// For the workspace instead of for yourself
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
