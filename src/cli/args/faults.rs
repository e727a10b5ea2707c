//! The options of `execute` that are about faults, and those of `faults`.

use clap::Args;

use crate::execute::{FaultOptions, FaultScope};
use crate::mutate::fault;
use crate::runner::faults::Operators;

/// Faults that tests are held against.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct FaultArgs {
    /// Then hold what passes against faults: copies of the project with one small change in the focal method each. How many
    /// does each test notice? What was held against them before is not again
    #[arg(long, group = "timed", conflicts_with_all = ["dry", "cases", "from_suite", "shard"])]
    pub faults: bool,
    /// So many faults of a method at most, of each operator in turn [default: all]
    #[arg(long, value_name = "N", requires = "faults", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
    /// Only faults by these operators, such as `ROR,SDL`; `all` makes every replacement that an operator has instead of one
    #[arg(long, value_name = "NAMES", requires = "faults", value_parser = operators)]
    pub operators: Option<Operators>,
    /// Instead put faults into every method that a true test may be about, the candidates of its focal method. Of which does
    /// the test notice faults? `focalist faults --candidates` shows it; it is in no score. With `--traces` also of tests without
    /// a focal method
    #[arg(long, requires = "faults", requires = "true_tests", conflicts_with_all = ["runs", "first_kill", "pool", "pit_score"])]
    pub candidates: bool,
    /// Run each test on all faults of its focal method. That is so where nothing else is asked for
    #[arg(long, requires = "faults", conflicts_with = "first_kill")]
    pub matrix: bool,
    /// Run a test on no fault that another test of its run has noticed. What the tests notice together stays the same; a test
    /// that was left out has no score of its own
    #[arg(long, requires = "faults", conflicts_with = "pool")]
    pub first_kill: bool,
    /// Run nothing: print how many faults and pairs there are, and how long these would take
    #[arg(long, requires = "faults")]
    pub dry_run: bool,
    /// Begin no further test after this many minutes; the same command goes on later
    #[arg(long, value_name = "N", requires = "timed", value_parser = clap::value_parser!(u32).range(1..))]
    pub minutes: Option<u32>,
    /// Also score on minimal sets: of each method, the mutants that no other one subsumes, by the tests of these runs; their
    /// pairs have to be there. The table tells the hash of the pool, because another pool means other sets
    #[arg(
        long,
        value_name = "RUNS",
        requires = "faults",
        value_delimiter = ',',
        conflicts_with = "dry_run"
    )]
    pub pool: Vec<String>,
    /// Also print the figures that PIT would: over mutants instead of pairs, and with those that do not load as detected
    #[arg(long, requires = "faults", conflicts_with = "dry_run")]
    pub pit_score: bool,
}

impl FaultArgs {
    /// Returns what is asked for, where it is.
    pub fn options(&self, is_forced: bool) -> Option<FaultOptions> {
        self.faults.then(|| FaultOptions {
            scope: if self.candidates {
                FaultScope::Candidates
            } else {
                FaultScope::Focal
            },
            operators: self.operators.clone().unwrap_or_default(),
            n_sample: self.sample.map(|n| n as usize),
            is_until_noticed: self.first_kill,
            time: self
                .minutes
                .map(|n| std::time::Duration::from_secs(u64::from(n) * 60)),
            is_dry: self.dry_run,
            is_forced,
            pool: self.pool.clone(),
            counts_as_pit: self.pit_score,
        })
    }
}

/// Print the faults in the focal method of a sample as differences, and which tests notice each; then, of `execute --brittle`, the
/// code that keeps the contract, and which tests object to it.
#[derive(Debug, Args)]
pub struct FaultsOf {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY", required_unless_present = "candidates")]
    pub key: Option<String>,
    /// Only what tests of this run made of them
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Only faults that no test shown notices
    #[arg(long)]
    pub survivors: bool,
    /// Print instead what true tests make of the faults of each method that they may be about, of `execute --candidates`; of
    /// all tests without KEY
    #[arg(long, conflicts_with_all = ["run", "survivors"])]
    pub candidates: bool,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
}

/// Reads names of operators.
fn operators(text: &str) -> Result<Operators, String> {
    let mut operators = Operators::default();
    for name in text.split(',').map(str::trim) {
        if name == fault::Operators::EVERY {
            operators.is_every = true;
        } else if fault::is_operator(&name.to_uppercase()) {
            operators.names.push(name.to_uppercase());
        } else {
            let known: Vec<&str> = fault::DESCRIPTIONS.iter().map(|known| known.0).collect();
            return Err(format!(
                "no operator `{name}`; there are {} and `all`",
                known.join(", ")
            ));
        }
    }
    Ok(operators)
}
