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
    /// Every test itself, also those without a focal method, as run `traces`: for what they enter.
    Traces,
    /// Nothing: test files are compiled without their tests, and none may run.
    Dry,
}

/// How many of a run's candidates that pass are looked at a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfirmationLimit {
    /// So many; which ones does not depend on their order.
    AtMost(u32),
    All,
}

impl ConfirmationLimit {
    /// The word for all of them.
    pub const ALL: &'static str = "all";

    /// Computes how many of `n` are drawn.
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
    /// Every method that a true test may be about; this is in no number of the test.
    Candidates,
    /// Methods of main code that a test enters; in no number of the test, either.
    Covered(Drawing),
}

/// How methods are drawn of those that a test enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// So many at most; the focal method is always among them.
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

/// Which faults tests are held against.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct FaultOptions {
    pub scope: FaultScope,
    pub operators: Operators,
    /// So many of a method at most, of each operator in turn.
    pub n_sample: Option<usize>,
    /// A test is not run on a mutant that another test of its run has noticed.
    pub is_until_noticed: bool,
    /// When no other test is begun any more.
    pub time: Option<Duration>,
    /// Nothing runs: mutants and pairs are counted.
    pub is_dry: bool,
    /// Pairs that are kept are run again.
    pub is_forced: bool,
    /// The runs whose tests make minimal sets; none where these are not asked for.
    pub pool: Vec<String>,
    /// Whether mutants are also counted as PIT counts them.
    pub counts_as_pit: bool,
}

/// How tests are held against code that keeps the contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrittleOptions {
    /// When no other test is begun any more.
    pub time: Option<Duration>,
    /// Finished work is done again.
    pub is_forced: bool,
}

/// How tests are shaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShakeOptions {
    pub shakes: Shakes,
    /// How often each is tried again where anything differed.
    pub n_repeats: usize,
    /// When no other test is begun any more.
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
    pub asked: TestSource,
    /// Only these repositories, by name or identity; all where empty.
    pub repos: Vec<String>,
    /// On samples.
    pub filter: Filter,
    /// Each language's usual one where absent.
    pub engine: Option<EngineName>,
    pub timeout: Duration,
    /// [`Repairs::usual`] of each run's target where absent.
    pub repairs: Option<Repairs>,
    pub adds_test_annotation: bool,
    /// Engine `maven`: a process for each candidate.
    pub is_alone: bool,
    /// Engine `fast`: libraries are loaded anew for each candidate, too.
    pub is_flat: bool,
    pub n_jobs: usize,
    /// Runs again what has its outcome.
    pub is_forced: bool,
    /// Where the time goes is told, too.
    pub has_timings: bool,
    /// What passes is looked at a second time.
    pub confirms: Option<ConfirmationLimit>,
    /// What passes is held against faults in its focal method.
    pub faults: Option<FaultOptions>,
    /// What passes is held against code that keeps the contract.
    pub brittle: Option<BrittleOptions>,
    /// What ran to its end is run again with something changed around it.
    pub shakes: Option<ShakeOptions>,
    /// JDKs to choose from besides those that are found.
    pub java: Vec<PathBuf>,
    pub maven: Option<PathBuf>,
    /// Tests of the run `evosuite` are written by it, and run with it.
    pub suite: Option<EvoSuite>,
    /// The parts of this machine that are searched for tools.
    pub machine: Machine,
    /// Seconds since 1970.
    pub executed_at: i64,
}

impl Default for ExecuteOptions {
    fn default() -> Self {
        Self {
            asked: TestSource::Runs(Vec::new()),
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

    /// Lists the other repairs that may stand behind outcomes that stay: everything, where nobody asks for a repair by
    /// its name, because another default makes no outcome wrong.
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
