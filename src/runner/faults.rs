//! Faults in main code, and whether tests notice them: the questions to an engine of a language, and its answers.
//!
//! The verbs decide which tests run on which mutants, and which results are stored.

use std::sync::Arc;

use crate::model::{ContentHash, FaultOutcome, Mutant};
use crate::task::{Cancelled, Monitor};
use crate::{Candidate, Focal, HostFile, MethodName, RunnerError};

/// A method that gets faults.
#[derive(Clone, Debug)]
pub struct MutatedMethod {
    pub focal: Focal,
    /// The whole file as it was mined.
    pub text: Arc<str>,
    /// A test file that is about it, as a path below the repository's root; the classes of its module are changed.
    pub test_path: String,
    /// The method whose code is changed in its place, where it has none itself: one that overrides it.
    pub in_place: Option<MethodName>,
}

/// Which mutants are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// Their names; the usual ones of the language where empty.
    pub names: Vec<String>,
    /// Whether each operator makes all its replacements instead of one.
    pub is_every: bool,
}

/// A test, and the mutants that it runs on.
#[derive(Clone, Debug)]
pub struct FaultTest {
    pub candidate: Candidate,
    pub mutants: Vec<Arc<Mutant>>,
}

/// The mutants of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodMutants {
    /// In order of places.
    pub mutants: Vec<Mutant>,
    /// Mutants that are left out, because they compile to the same code as the original or an earlier mutant.
    pub equal: Vec<ContentHash>,
}

/// The outcome of a test on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutantExecution {
    pub outcome: FaultOutcome,
    /// The class of the first exception that was not caught, where there is one.
    pub by: Option<String>,
    /// How long it ran; nothing where it did not.
    pub ms: Option<u64>,
}

impl MutantExecution {
    /// Makes a pair that was not run.
    #[must_use]
    pub const fn not_run(outcome: FaultOutcome) -> Self {
        Self {
            outcome,
            by: None,
            ms: None,
        }
    }
}

/// The outcome of a test on its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOnMutants {
    /// A pair for each of its mutants, in their order; nothing for a mutant without an outcome from the engine.
    Pairs(Vec<Option<MutantExecution>>),
    /// It does not pass on the original code, or not each time, so that its results mean nothing.
    Unsettled,
}

/// Takes the results of a test, by its candidate's number.
pub type FaultSink<'s> = dyn FnMut(u64, TestOnMutants) -> Result<(), Cancelled> + 's;

/// Makes mutants of a prepared project, and runs tests on them.
pub trait FaultEngine {
    /// Returns a version: where it is equal, mutants and outcomes are, too.
    fn version(&self) -> String;

    /// Makes the mutants of each method; mutants that are not valid code are left out.
    ///
    /// # Errors
    /// Where nothing more can be made.
    fn mutants(
        &mut self,
        methods: &[MutatedMethod],
        operators: &Operators,
        monitor: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError>;

    /// Runs tests on the original code and on their mutants, and passes on the results of each test exactly once, in
    /// any order.
    ///
    /// # Errors
    /// Where nothing more can be run; results that were passed on stay valid.
    fn judge(
        &mut self,
        files: &[HostFile],
        tests: &[FaultTest],
        monitor: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError>;
}
