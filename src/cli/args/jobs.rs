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
    /// Run without this terminal and return at once: `focalist jobs` shows how far it is
    #[arg(long)]
    pub background: bool,
}

/// Shows how far pipelines are: `mine`, `import`, `eval`, `export --output`, `index` and `leakage`, whoever started them and from
/// where. Those that write the index run one after the other, in the order in which they were asked for.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Jobs {
    #[command(subcommand)]
    pub action: Option<JobsAction>,
    /// Also those that ended long ago
    #[arg(long)]
    pub all: bool,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum JobsAction {
    /// Show what a job says and how far it is until it ends, and end with its code; ^C leaves it running
    Watch {
        /// Its number; else the latest that is alive, or the latest
        #[arg(value_name = "ID", value_parser = job_id)]
        id: Option<JobId>,
    },
    /// Print what a job said
    Log {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
        /// Go on until it ends
        #[arg(long, short)]
        follow: bool,
    },
    /// Make a job stop: ask, after 2 s send TERM, after 5 s KILL; what it stored is kept
    Cancel {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
    },
    /// Start a job again in the background, with the same arguments: what is done already is not done again
    #[command(visible_alias = "retry")]
    Resume {
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
    },
    /// Forget jobs that ended, with what they said
    Clear {
        /// Only those that ended so many days ago; 0 for all
        #[arg(long, value_name = "N", default_value_t = 7)]
        days: u32,
    },
}
