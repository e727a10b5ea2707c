//! The options of `filters`, `completions` and `man`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::Force;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Filters {
    #[command(subcommand)]
    pub action: Option<FiltersAction>,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum FiltersAction {
    /// Save a filter in the workspace, for all who use it; one of that name is replaced
    Save {
        /// Letters, digits, `-` and `_`
        #[arg(value_name = "NAME")]
        name: String,
        /// A filter as other commands take it; it may name other saved filters
        #[arg(value_name = "FILTER", required = true, allow_hyphen_values = true)]
        filter: Vec<String>,
    },
    /// Remove a saved filter
    Rm {
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, Args)]
pub struct Completions {
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for the program and one for each verb there, such as `focalist-mine.1`; existing pages are not
    /// replaced
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub force: Force,
}

#[derive(Debug, Args)]
pub struct Candidates {
    /// Instead of words, a line of bash up to the cursor
    #[arg(long, value_name = "LINE", allow_hyphen_values = true)]
    pub line: Option<String>,
    /// With `--line`: the end of it that bash replaces by the output
    #[arg(
        long,
        value_name = "TEXT",
        requires = "line",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub replaced: String,
    /// The typed words, without the program's name; the last word is the one to complete
    #[arg(
        value_name = "WORD",
        allow_hyphen_values = true,
        trailing_var_arg = true
    )]
    pub words: Vec<String>,
}
