//! Faults in Java: the mutants of a method, and what becomes of a test on each.
//!
//! Mutants are PIT's, made in byte code by its own engine, in a JVM of their own in which no code of the project runs.
//! A test is run on a mutant by the engine `fast`, isolated like any candidate:
//! [`Fast::mutants`](super::fast::Fast::mutants) and [`Fast::run_faults`](super::fast::Fast::run_faults). The verb
//! chooses tests and mutants, and what is kept.

use std::time::Duration;

use crate::candidate::{Candidate, Focal, MethodName};
use crate::model::{ContentHash, FaultOutcome, Mutant, OutcomeReason};
use crate::task::Cancelled;

/// Asks for the mutants of a focal method.
#[derive(Clone, Copy, Debug)]
pub struct MutantRequest<'m> {
    /// The test file that it is about, below the repository's root: its module is the one whose classes are changed.
    pub path: &'m str,
    pub focal: &'m Focal,
    /// The methods that a test entered in place of one without code:
    /// [`CandidateExecution::overrides`](crate::CandidateExecution::overrides).
    pub overrides: &'m [MethodName],
}

/// Asks what becomes of a test on mutants.
#[derive(Clone, Copy, Debug)]
pub struct FaultRequest<'r> {
    pub candidate: &'r Candidate,
    pub mutants: &'r [Mutant],
}

/// The outcome of a test on one mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultExecution {
    /// The caller's number.
    pub candidate: u64,
    pub mutant: ContentHash,
    pub fate: FaultFate,
    /// The class of the first exception, where that killed it.
    pub by: Option<String>,
    pub elapsed: Duration,
}

/// An outcome, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultFate {
    Ran(FaultOutcome),
    /// A failure of focalist or of its tools: it says nothing about the test.
    Failed(OutcomeReason),
}

/// Takes the outcome of each pair.
pub type FaultSink<'s> = dyn FnMut(FaultExecution) -> Result<(), Cancelled> + 's;

/// The mutants of a focal method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FocalMutants {
    /// In PIT's order, the mutants of an override after those of the one before it.
    pub mutants: Vec<Mutant>,
    /// Mutants that are left out, because their class equals the original's or that of a mutant before them.
    pub equal: Vec<ContentHash>,
    /// Why there may be more: a class that is not there, or byte code that PIT does not read.
    pub failed: Option<String>,
}
