//! The options of `execute` that are about stability.

use clap::Args;

use crate::execute::ShakeOptions;
use crate::model::{Shake, Shakes};

/// What is changed around tests.
#[derive(Debug, Args)]
pub struct ShakeArgs {
    /// Then run each test with a known outcome again while one thing around it changes, to find unstable tests:
    /// nothing, alone, order, hash, zone, locale, date, folder, environment, port, load; or all
    #[arg(long, value_name = "LIST|all", value_parser = read, group = "timed", conflicts_with_all = ["traces", "dry", "cases", "from_suite", "shard"])]
    pub shake: Option<Shakes>,
    /// How often each change is tried again where an outcome differed; without `--shake`, nothing is changed [default:
    /// 3]
    #[arg(long, value_name = "N", group = "timed", value_parser = clap::value_parser!(u8).range(1..), conflicts_with_all = ["traces", "dry", "cases", "from_suite", "shard"])]
    pub repeats: Option<u8>,
}

impl ShakeArgs {
    /// Builds the options, where shaking is asked for.
    pub fn options(&self, minutes: Option<u32>, is_forced: bool) -> Option<ShakeOptions> {
        let nothing = || self.repeats.map(|_| [Shake::Nothing].into_iter().collect());
        self.shake.or_else(nothing).map(|shakes| ShakeOptions {
            shakes,
            n_repeats: self.repeats.unwrap_or(3).into(),
            time: minutes.map(|n| std::time::Duration::from_secs(u64::from(n) * 60)),
            is_forced,
        })
    }
}

/// Reads a list of shakes.
pub fn read(text: &str) -> Result<Shakes, String> {
    Shakes::read(text).ok_or_else(|| {
        let known: Vec<&str> = Shake::ALL.iter().map(|shake| shake.as_str()).collect();
        format!("there are {} and `{}`", known.join(", "), Shakes::ALL)
    })
}

/// Reads which unstable tests an export leaves out; without names, those that are unstable for any reason but a busy
/// machine.
pub fn of_export(text: &str) -> Result<Shakes, String> {
    if text.is_empty() {
        return Ok(Shakes::lasting());
    }
    read(text)
}
