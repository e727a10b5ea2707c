//! The options of `execute`.

use clap::Args;

use super::scoring::words;
use super::{BrittleArgs, Detach, FaultArgs, RunShardArgs, SandboxArgs, ShakeArgs, prepare};
use crate::execute::repair::Repairs;
use crate::execute::{ConfirmationLimit, EngineName};

/// Runs predictions in their projects, in a sandbox, and keeps the outcome of each: unparsable, `not_compilable`,
/// `not_executed`, timeout, crash, failing, passing, or correct (passing, and the focal method was called). A
/// prediction with an outcome is not run again.
#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("timed").multiple(true)))]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct Execute {
    /// Only these runs [default: all]
    #[arg(value_name = "RUN", conflicts_with_all = ["truth", "traces", "dry"])]
    pub runs: Vec<String>,
    /// Run instead every mapped test itself, as run `truth`, Python tests as run `truth-python`: a sample whose own
    /// test does not pass cannot tell good predictions from bad
    #[arg(long, group = "true_tests", conflicts_with_all = ["traces", "dry", "shard"])]
    pub truth: bool,
    /// Run instead every test itself, mapped or not, as run `traces` (Python tests as `traces-python`), for
    /// `mine --traces`: which methods does each enter?
    #[arg(long, group = "true_tests", conflicts_with_all = ["dry", "shard"])]
    pub traces: bool,
    /// Run nothing: test files must compile without their tests, and none may run
    #[arg(long, conflicts_with = "shard")]
    pub dry: bool,
    /// Run both instead, as `--dry` and `--truth` do, and list the unexpected outcomes, with the reasons
    #[arg(long, conflicts_with_all = ["runs", "truth", "traces", "dry", "cases", "from_suite", "shard", "confirm"])]
    pub validate: bool,
    /// Run test files instead, in this Python project by its name, the last part of it, or its folder, as `prepare` has
    /// made it
    #[arg(long, value_name = "NAME|PATH", requires = "cases")]
    pub project: Option<String>,
    /// The test files: JSON lines with `id`, `path` and `code`; `-` for standard input. The outcome of each is printed
    /// in the same order
    #[arg(long, value_name = "FILE", requires = "project", conflicts_with_all = ["runs", "truth", "dry"])]
    pub cases: Option<std::path::PathBuf>,
    /// Run instead tests that this program writes for the classes of focal methods, as run `evosuite`
    #[arg(long, value_name = "NAME", value_parser = ["evosuite"], requires = "jar", conflicts_with_all = ["runs", "truth", "traces", "dry", "cases"])]
    pub from_suite: Option<String>,
    /// The program of `--from-suite`; its tests run with it, too
    #[arg(long, value_name = "FILE", requires = "from_suite")]
    pub jar: Option<std::path::PathBuf>,
    /// The JDK that the program of `--from-suite` runs with [default: the project's]
    #[arg(long, value_name = "HOME", requires = "from_suite")]
    pub java_home: Option<std::path::PathBuf>,
    /// Seconds that the program of `--from-suite` searches for tests of a class
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 60,
        requires = "from_suite"
    )]
    pub search_budget: u32,
    /// What runs tests; for Java `fast` (one compilation, one process) or `maven` (the project's own build), for Python
    /// `fork` or `fresh` (a process for each)
    #[arg(long, value_name = "NAME", value_parser = words(EngineName::ALL, EngineName::as_str))]
    pub engine: Option<EngineName>,
    /// Only this repository, by name or identity; may be given several times
    #[arg(long, value_name = "REPO")]
    pub repo: Vec<String>,
    /// Only samples that match this filter
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Seconds that a test may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    pub timeout: f64,
    /// Repair of predictions before they run: `paper` cuts text after the method, and closes a method that breaks off
    /// [default: none for runs of assertions, paper for runs of tests]
    #[arg(long, value_name = "NAME", value_parser = words(Repairs::ALL, Repairs::as_str))]
    pub repair: Option<Repairs>,
    /// Add a test annotation to predictions without one
    #[arg(long)]
    pub add_test_annotation: bool,
    /// Number of tests that run at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Engine `maven`: a process for each test
    #[arg(long)]
    pub alone: bool,
    /// Engine `fast`: load libraries anew for each test, too
    #[arg(long)]
    pub flat: bool,
    #[command(flatten)]
    pub java: prepare::Java,
    #[command(flatten)]
    pub site: SandboxArgs,
    /// Also run tests that have an outcome
    #[arg(long)]
    pub force: bool,
    /// Show where the time of this call went, for each engine: a row for each step, such as compiling, starting
    /// processes and the tests themselves
    #[arg(long, conflicts_with_all = ["dry", "validate", "cases"])]
    pub timings: bool,
    /// Confirm this many of the predictions that pass, or all: each runs again in a process of its own, and so does a
    /// copy of it that has to fail. Refuted predictions leave the shares of executable and correct ones
    #[arg(long, value_name = "N|all", value_parser = drawn, conflicts_with_all = ["traces", "dry", "cases", "from_suite", "shard"])]
    pub confirm: Option<ConfirmationLimit>,
    #[command(flatten)]
    pub faults: FaultArgs,
    #[command(flatten)]
    pub brittle: BrittleArgs,
    #[command(flatten)]
    pub shakes: ShakeArgs,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub part: RunShardArgs,
    #[command(flatten)]
    pub detach: Detach,
}

/// Reads how many predictions are drawn to be confirmed.
fn drawn(text: &str) -> Result<ConfirmationLimit, String> {
    if text == ConfirmationLimit::ALL {
        return Ok(ConfirmationLimit::All);
    }
    let n = text.parse().ok().filter(|n| *n > 0);
    n.map(ConfirmationLimit::AtMost).ok_or_else(|| {
        format!(
            "neither a number from 1 on nor `{}`",
            ConfirmationLimit::ALL
        )
    })
}

/// Reads a time.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|value| (0.1..=3_600.0).contains(value))
        .ok_or_else(|| "not a number of seconds from 0.1 to 3600".to_owned())
}
