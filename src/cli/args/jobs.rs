//! The options of `jobs`, and the one that makes a job outlive its terminal.

use clap::{Args, Subcommand};

use crate::model::JobId;

/// Reads the number of a job.
pub fn job_id(text: &str) -> Result<JobId, String> {
    text.parse()
        .ok()
        .filter(|number| *number > 0)
        .map(JobId)
        .ok_or_else(|| "not the number of a job: `focalist jobs` lists them".to_owned())
}

/// Where a pipeline runs.
#[derive(Clone, Copy, Debug, Args)]
pub struct Detach {
    /// Run in the background and return at once; `focalist jobs` shows the progress
    #[arg(long)]
    pub background: bool,
}

/// Shows the progress of `mine`, `import`, `eval`, `prepare`, `execute`, `clover`, `generate`, `train`, `export
/// --output`, `index`, `leakage` and `experiment run`, no matter where they were started. Jobs that write the index run
/// one after the other, in the order in which they were requested.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Jobs {
    #[command(subcommand)]
    pub action: Option<JobsAction>,
    /// Include jobs that ended long ago
    #[arg(long)]
    pub all: bool,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum JobsAction {
    /// Follow a job's output and progress until it ends, and exit with its code; ^C leaves it running
    Watch {
        /// Its number; else the latest running job, or the latest
        #[arg(value_name = "ID", value_parser = job_id)]
        id: Option<JobId>,
    },
    /// Print the log of a job
    Log {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
        /// Follow the log until the job ends
        #[arg(long, short)]
        follow: bool,
    },
    /// Stop a job: ask it, send TERM after 2 s and KILL after 5 s (a training: 60 s); everything it stored is kept
    Cancel {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
    },
    /// Start a job again in the background, with the same arguments; finished work is not repeated. Options that lower
    /// protection, such as `--sandbox none`, are not taken over: type the command
    #[command(visible_alias = "retry")]
    Resume {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
        /// Also a job that you did not start yourself in this workspace; the command is shown first
        #[arg(long)]
        yes: bool,
    },
    /// Delete ended jobs and their logs
    Clear {
        /// Only those that ended at least this many days ago; 0 for all
        #[arg(long, value_name = "N", default_value_t = 7)]
        days: u32,
    },
}
