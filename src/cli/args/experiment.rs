//! The options of `experiment`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Detach, TableName};

/// Asks several models the same, scores what they say, and shows them side by side: one file says all of it.
#[derive(Debug, Args)]
pub struct Experiment {
    #[command(subcommand)]
    pub action: ExperimentAction,
}

#[derive(Debug, Subcommand)]
pub enum ExperimentAction {
    /// Do what is missing: ask, score, execute; one job, step by step
    Run {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        detach: Detach,
    },
    /// Show the models with intervals
    Show {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[arg(long, value_enum, default_value = "table")]
        format: TableName,
        /// Print JSON lines, as `--format json`
        #[arg(long)]
        json: bool,
    },
    /// List the models with what the file says of them: `parameters`, `vocabulary` and `output_max`
    Models {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How it is printed
        #[arg(long, value_enum, default_value = "table")]
        format: TableName,
    },
    /// Say what is wrong with the file, with its lines; nothing is asked
    Check {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
