//! The options of `execute` that are about code that keeps the contract.

use clap::Args;

use crate::execute::BrittleOptions;

/// Code that keeps the contract.
#[derive(Debug, Args)]
pub struct BrittleArgs {
    /// Then run passing tests on code that keeps the contract: other words in messages of exceptions, nothing printed
    /// or logged, other names of private members and locals, sets in another order. Which of these changes does each
    /// test object to?
    #[arg(long, group = "timed", conflicts_with_all = ["traces", "dry", "cases", "from_suite", "shard", "dry_run"])]
    pub brittle: bool,
}

impl BrittleArgs {
    /// Builds the options, where `--brittle` is given.
    pub fn options(&self, minutes: Option<u32>, is_forced: bool) -> Option<BrittleOptions> {
        self.brittle.then(|| BrittleOptions {
            time: minutes.map(|n| std::time::Duration::from_secs(u64::from(n) * 60)),
            is_forced,
        })
    }
}
