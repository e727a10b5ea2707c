//! The options of `experiment`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Detach, TableFormat, TableName};

/// Asks several models the same questions, scores their answers, and shows them side by side; one file describes
/// everything.
#[derive(Debug, Args)]
pub struct Experiment {
    #[command(subcommand)]
    pub action: ExperimentAction,
}

#[derive(Debug, Subcommand)]
pub enum ExperimentAction {
    /// Do the missing steps: ask, score, execute; one job
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
        #[command(flatten)]
        format: TableFormat,
    },
    /// List the models with their fields in the file: `parameters`, `vocabulary` and `output_max`
    Models {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How it is printed
        #[arg(long, value_enum, default_value = "table")]
        format: TableName,
    },
    /// Check the file and list problems with their lines; no model is asked
    Check {
        /// The experiment
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
