//! The options of `trust`.

use std::path::PathBuf;

use clap::Args;

/// Trusts files that came with a folder: settings of a workspace, or an experiment, that name endpoints and keys, or a
/// plan of shards that names a program. It shows what they would be allowed and asks. A changed file is no longer
/// trusted.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Trust {
    /// A folder with a workspace or a plan, its `config.toml` or `plan.json`, or an experiment; else the workspace
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Withdraw the trust
    #[arg(long, conflicts_with_all = ["list", "yes"])]
    pub revoke: bool,
    /// List everything you trust, and whether it has changed since
    #[arg(long, conflicts_with_all = ["path", "yes"])]
    pub list: bool,
    /// Do not ask: for scripts
    #[arg(long, short)]
    pub yes: bool,
    /// Print JSON lines
    #[arg(long, requires = "list")]
    pub json: bool,
}
