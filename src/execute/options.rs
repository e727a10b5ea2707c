//! The options of the verb.

use std::path::PathBuf;
use std::time::Duration;

use crate::model::{EngineName, Filter, Shakes, Target};
use crate::repair::Repairs;
use crate::runner::faults::Operators;
use crate::runner::java::{EvoSuite, Machine};
use crate::store::MethodScope;

/// Which tests are run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestSource {
    /// The predictions of these runs; of all where none is named.
    Runs(Vec<String>),
    /// Every mapped test itself, as run `truth`.
    Truth,
    /// Every test itself, also those without a focal method, as run `traces`, to learn which methods they enter.
    Traces,
    /// Nothing: test files are compiled without their tests, and none may run.
    Dry,
}

/// How many of a run's candidates that pass are looked at a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationLimit {
    /// At most this many; the choice does not depend on their order.
    AtMost(u32),
    All,
}

impl ConfirmationLimit {
    /// The word for all of them.
    pub const ALL: &'static str = "all";

    /// Computes how many of `n` candidates are drawn.
    #[must_use]
    pub fn of(self, n: usize) -> usize {
        match self {
            Self::AtMost(most) => n.min(most as usize),
            Self::All => n,
        }
    }
}

/// Which methods get faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultScope {
    /// The focal method of a test.
    #[default]
    Focal,
    /// Every method that a true test may be about; these pairs are not counted for the test.
    Candidates,
    /// Methods of main code that a test enters; these pairs are not counted for the test, either.
    Covered(Drawing),
}

/// How methods are sampled from those that a test enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The most methods that are drawn; the focal method is always among them.
    pub most: usize,
    pub seed: u64,
}

impl FaultScope {
    /// Names the scope whose pairs are kept apart from those of focal methods; nothing for these.
    #[must_use]
    pub const fn of_methods(self) -> Option<MethodScope> {
        match self {
            Self::Focal => None,
            Self::Candidates => Some(MethodScope::Candidates),
            Self::Covered(_) => Some(MethodScope::Covered),
        }
    }

    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Focal => "focal",
            Self::Candidates => "candidates",
            Self::Covered(_) => "covered",
        }
    }
}

/// The mutants that tests run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct FaultOptions {
    pub scope: FaultScope,
    pub operators: Operators,
    /// The most mutants of a method, of each operator in turn; `None` means all.
    pub n_sample: Option<usize>,
    /// A test is not run on a mutant that another test of its run has noticed.
    pub is_until_noticed: bool,
    /// After this time no other test is begun.
    pub time: Option<Duration>,
    /// Nothing runs: mutants and pairs are counted.
    pub is_dry: bool,
    /// Stored pairs are run again.
    pub is_forced: bool,
    /// The runs whose tests form minimal sets; empty where these are not requested.
    pub pool: Vec<String>,
    /// Whether mutants are also counted as PIT counts them.
    pub counts_as_pit: bool,
}

/// The options of runs on code that keeps the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrittleOptions {
    /// After this time no other test is begun.
    pub time: Option<Duration>,
    /// Finished work is done again.
    pub is_forced: bool,
}

/// The options of shaking tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShakeOptions {
    pub shakes: Shakes,
    /// The number of further tries of each change where anything differed.
    pub n_repeats: usize,
    /// After this time no other test is begun.
    pub time: Option<Duration>,
    /// Finished work is done again.
    pub is_forced: bool,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line, and none excludes another"
)]
pub struct ExecuteOptions {
    pub test_source: TestSource,
    /// Only these repositories, by name or identity; all where empty.
    pub repos: Vec<String>,
    /// A filter on samples.
    pub filter: Filter,
    /// `None` means the usual engine of each language.
    pub engine: Option<EngineName>,
    pub timeout: Duration,
    /// `None` means [`Repairs::usual`] for each run's target.
    pub repairs: Option<Repairs>,
    pub adds_test_annotation: bool,
    /// Engine `maven`: a process for each candidate.
    pub is_alone: bool,
    /// Engine `fast`: libraries are loaded anew for each candidate, too.
    pub is_flat: bool,
    pub n_jobs: usize,
    /// Predictions that have their outcome are run again.
    pub is_forced: bool,
    /// The report also says where the time went.
    pub has_timings: bool,
    /// Candidates that pass are looked at a second time.
    pub confirms: Option<ConfirmationLimit>,
    /// Passing tests run on mutants of their focal methods.
    pub faults: Option<FaultOptions>,
    /// Passing tests run on code that keeps the contract.
    pub brittle: Option<BrittleOptions>,
    /// Tests that ran to their end are run again with something changed around them.
    pub shakes: Option<ShakeOptions>,
    /// JDKs to choose from besides those that are found.
    pub java: Vec<PathBuf>,
    pub maven: Option<PathBuf>,
    /// EvoSuite, which writes the tests of the run `evosuite`, and without which these do not compile.
    pub suite: Option<EvoSuite>,
    /// The parts of this machine that are searched for tools.
    pub machine: Machine,
    /// Seconds since 1970.
    pub executed_at: i64,
}

impl Default for ExecuteOptions {
    fn default() -> Self {
        Self {
            test_source: TestSource::Runs(Vec::new()),
            repos: Vec::new(),
            filter: Filter::default(),
            engine: None,
            timeout: Duration::from_secs(10),
            repairs: None,
            adds_test_annotation: false,
            is_alone: false,
            is_flat: false,
            n_jobs: 1,
            is_forced: false,
            has_timings: false,
            confirms: None,
            faults: None,
            brittle: None,
            shakes: None,
            java: Vec::new(),
            maven: None,
            suite: None,
            machine: Machine::new([]),
            executed_at: 0,
        }
    }
}

impl ExecuteOptions {
    /// Chooses the repairs of answers of runs with this target.
    #[must_use]
    pub fn repairs_of(&self, target: Target) -> Repairs {
        self.repairs.unwrap_or(Repairs::usual(target))
    }

    /// Lists the other repairs whose outcomes may stay: all of them, where no repair is requested by its name, because
    /// another default makes no outcome wrong.
    #[must_use]
    pub fn repairs_let_pass(&self) -> &'static [Repairs] {
        match self.repairs {
            Some(_) => &[],
            None => Repairs::ALL,
        }
    }

    /// Writes everything that decides outcomes besides texts, sample, build and engine, in one canonical form.
    #[must_use]
    pub fn canonical(&self, repairs: Repairs) -> String {
        let mut text = format!(
            "timeout={} repair={}",
            self.timeout.as_millis(),
            repairs.as_str()
        );
        for (is_set, word) in [
            (self.adds_test_annotation, "add-test-annotation"),
            (self.is_alone, "alone"),
            (self.is_flat, "flat"),
        ] {
            if is_set {
                text.push(' ');
                text.push_str(word);
            }
        }
        text
    }
}
