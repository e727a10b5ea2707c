//! Faults in main code, and whether tests notice them: what an engine of a language is asked, and what it answers.
//!
//! The verbs decide which tests and mutants are held against each other, and what is kept.

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
    /// A test file that is about it, below the repository's root: its module is the one that is changed.
    pub test_path: String,
    /// The method whose code is changed in its place, where it has none itself: one that overrides it.
    pub in_place: Option<MethodName>,
}

/// Which mutants are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operators {
    /// Their names; the usual ones of the language where empty.
    pub names: Vec<String>,
    /// Every replacement that an operator has, instead of one.
    pub is_every: bool,
}

/// A test, and the mutants that it is held against.
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
    /// Those that are left out, because the language makes the same code of them as of the original or of one before them.
    pub equal: Vec<ContentHash>,
}

/// What became of a test on one mutant.
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

/// What became of a test on its mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestOnMutants {
    /// A pair for each of its mutants, in their order; nothing for a mutant without an outcome from the engine.
    Pairs(Vec<Option<MutantExecution>>),
    /// It does not pass on the code as it is, or not each time, so that nothing can be said of it.
    Unsettled,
}

/// Takes what became of a test, by its candidate's number.
pub type FaultSink<'s> = dyn FnMut(u64, TestOnMutants) -> Result<(), Cancelled> + 's;

/// What makes mutants of a prepared project, and runs tests on them.
pub trait FaultEngine {
    /// Returns a version that differs where mutants or outcomes may.
    fn version(&self) -> String;

    /// Makes the mutants of methods, separately for each; mutants that the language does not take are left out.
    ///
    /// # Errors
    /// Where nothing more can be made.
    fn mutants(
        &mut self,
        methods: &[MutatedMethod],
        operators: &Operators,
        monitor: &Monitor,
    ) -> Result<Vec<MethodMutants>, RunnerError>;

    /// Runs tests on the code as it is and on their mutants, and hands over what became of each test, in any order, each
    /// exactly once.
    ///
    /// # Errors
    /// Where nothing more can be run; what was handed over holds.
    fn judge(
        &mut self,
        files: &[HostFile],
        tests: &[FaultTest],
        monitor: &Monitor,
        sink: &mut FaultSink<'_>,
    ) -> Result<(), RunnerError>;
}
