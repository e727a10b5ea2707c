//! The options of `execute` on faults, and those of `faults`.

use clap::Args;

use super::scoring::words;
use crate::execute::{Drawing, FaultOptions, FaultScope};
use crate::mutate::fault;
use crate::runner::faults::Operators;

/// Faults that tests are held against.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct FaultArgs {
    /// Then run passing tests on faults: copies of the project with one small change in the focal method each. How many
    /// does each test notice? Finished pairs are not repeated. A kill by a test that `--shake` has not settled runs
    /// three times, and is `unstable` where these runs differ: `--shake nothing --faults` shakes first, and runs kills
    /// of stable tests once
    #[arg(long, group = "timed", conflicts_with_all = ["dry", "cases", "from_suite", "shard"])]
    pub faults: bool,
    /// Which methods have the faults: `focal` for the focal method of a test, or `covered` for every method of main
    /// code that the test enters. Faults in the latter count in no score: `focalist faults --scope covered` shows them
    /// [default: focal]
    #[arg(long, value_name = "NAME", requires = "faults", value_parser = words(ScopeName::ALL, ScopeName::as_str),
        conflicts_with = "candidates")]
    pub scope: Option<ScopeName>,
    /// With `--scope covered`: the maximum number of methods for each test, drawn with the seed; the focal one is
    /// always among them [default: 20]
    #[arg(long, value_name = "N", requires = "scope", value_parser = clap::value_parser!(u32).range(1..))]
    pub most: Option<u32>,
    /// With `--scope covered`: the seed of the draws [default: 1]
    #[arg(long, value_name = "N", requires = "scope")]
    pub seed: Option<u64>,
    /// Maximum number of faults for each method, taken from each operator in turn [default: all]
    #[arg(long, value_name = "N", requires = "faults", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
    /// Only faults by these operators, such as `ROR,SDL`; `all` makes every replacement of an operator instead of one
    #[arg(long, value_name = "NAMES", requires = "faults", value_parser = operators)]
    pub operators: Option<Operators>,
    /// Instead put faults into every method that a true test may be about, the candidates of its focal method. In which
    /// of them does the test notice faults? `focalist faults --candidates` shows it; it counts in no score. With
    /// `--traces` also for tests without a focal method
    #[arg(long, requires = "faults", requires = "true_tests", conflicts_with_all = ["runs", "first_kill", "pool", "pit_score"])]
    pub candidates: bool,
    /// Run each test on all faults of its focal method. This is the default
    #[arg(long, requires = "faults", conflicts_with = "first_kill")]
    pub matrix: bool,
    /// Run a test on no fault that another test of its run has noticed. The share noticed by all tests together stays
    /// the same; a test that skipped a fault has no score of its own
    #[arg(long, requires = "faults", conflicts_with = "pool")]
    pub first_kill: bool,
    /// Run no test on a fault: print the numbers of faults and pairs, and how long they would take
    #[arg(long, requires = "faults")]
    pub dry_run: bool,
    /// Start no further test after this many minutes; the same command continues later
    #[arg(long, value_name = "N", requires = "timed", value_parser = clap::value_parser!(u32).range(1..))]
    pub minutes: Option<u32>,
    /// Also score on minimal sets: of each method, the mutants that no other one subsumes, by the tests of these runs,
    /// which must have run on all mutants. The table shows the hash of the pool, because another pool means other sets
    #[arg(
        long,
        value_name = "RUNS",
        requires = "faults",
        value_delimiter = ',',
        conflicts_with = "dry_run"
    )]
    pub pool: Vec<String>,
    /// Also print the figures that PIT would print: over mutants instead of pairs, and with mutants that do not load as
    /// detected
    #[arg(long, requires = "faults", conflicts_with = "dry_run")]
    pub pit_score: bool,
}

/// The methods that may have the faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeName {
    Focal,
    Covered,
}

impl ScopeName {
    const ALL: &'static [Self] = &[Self::Focal, Self::Covered];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Focal => "focal",
            Self::Covered => "covered",
        }
    }
}

impl FaultArgs {
    /// The most methods with faults for each test, where `--most` is not given.
    const MOST: u32 = 20;
    const SEED: u64 = 1;

    fn scope(&self) -> FaultScope {
        match self.scope {
            _ if self.candidates => FaultScope::Candidates,
            None | Some(ScopeName::Focal) => FaultScope::Focal,
            Some(ScopeName::Covered) => FaultScope::Covered(Drawing {
                most: self.most.unwrap_or(Self::MOST) as usize,
                seed: self.seed.unwrap_or(Self::SEED),
            }),
        }
    }

    /// Tells whether faults are asked for, and only in focal methods.
    pub fn is_of_focal_methods(&self) -> bool {
        self.faults && self.scope() == FaultScope::Focal
    }

    /// Names an option that was given and has no use in the scope.
    pub fn in_vain(&self) -> Option<&'static str> {
        let is_covered = self.scope == Some(ScopeName::Covered);
        let of_covered = [
            (self.most.is_some(), "--most"),
            (self.seed.is_some(), "--seed"),
        ];
        let of_focal = [
            (self.first_kill, "--first-kill"),
            (!self.pool.is_empty(), "--pool"),
            (self.pit_score, "--pit-score"),
        ];
        let in_vain = if is_covered {
            &of_focal[..]
        } else {
            &of_covered
        };
        in_vain.iter().find(|pair| pair.0).map(|pair| pair.1)
    }

    /// Builds the options, where faults are asked for.
    pub fn options(&self, is_forced: bool) -> Option<FaultOptions> {
        self.faults.then(|| FaultOptions {
            scope: self.scope(),
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

/// Print the faults in the focal method of a sample as differences, and which tests notice each; then, of `execute
/// --brittle`, the code that keeps the contract, and which tests object to it.
#[derive(Debug, Args)]
pub struct FaultMatrixArgs {
    /// A sample's key or its first digits
    #[arg(value_name = "KEY", required_unless_present_any = ["candidates", "scope"])]
    pub key: Option<String>,
    /// Only the tests of this run
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Only faults that no test shown notices
    #[arg(long)]
    pub survivors: bool,
    /// Print instead which faults true tests notice in each method that they may be about (from `execute
    /// --candidates`); without KEY, for all tests
    #[arg(long, conflicts_with_all = ["run", "survivors", "scope"])]
    pub candidates: bool,
    /// With `covered`: print instead which faults tests notice in each method that they enter (from `execute --scope
    /// covered`); without KEY, for all tests
    #[arg(long, value_name = "NAME", value_parser = words(ScopeName::ALL, ScopeName::as_str), conflicts_with = "survivors")]
    pub scope: Option<ScopeName>,
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
