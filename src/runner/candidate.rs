//! A candidate, its place, and its outcome.

use std::time::Duration;

use crate::model::{
    BlockedReason, CoveredSet, EnteredMethod, FocalCoverage, Framework, MethodPlace, Outcome,
    OutcomeReason, Span,
};

/// A test file that candidates stand in, as it was mined.
#[derive(Clone, Debug)]
pub struct HostFile {
    /// Relative to the repository's root.
    pub path: String,
    pub text: String,
    /// Every mined test in it, whole declarations with annotations or decorators, in order.
    pub tests: Vec<Span>,
}

/// A prediction after repair, at its place.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Chosen by the caller; comes back in [`CandidateExecution`].
    pub id: u64,
    /// Index into the files of the call.
    pub file_idx: usize,
    /// The true test's declaration in the file; the candidate stands where it stood.
    pub at: Span,
    /// One method's or function's declaration; nothing where the true test itself is run at its place.
    pub text: String,
    /// Classes around it, outermost first; empty for a function without a class.
    pub nesting: Vec<String>,
    /// The package of the file; empty for none.
    pub package: String,
    /// The method's name in `text`.
    pub name: String,
    pub framework: Framework,
    /// `None` where the sample has none: nothing is measured then.
    pub focal: Option<Focal>,
}

/// The focal method, as the index names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focal {
    pub package: String,
    /// Outermost first.
    pub nesting: Vec<String>,
    /// `<init>` for a constructor.
    pub name: String,
    /// Erased and fully qualified, nested types joined with `.`, as in method keys.
    pub parameters: Vec<String>,
    pub place: MethodPlace,
    /// The line of the declaration's name, from 1.
    pub line: u32,
}

/// The question how much of some methods several candidates cover together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverageQuestion {
    /// A test file whose tests are about the methods, relative to the repository's root.
    pub path: String,
    pub focals: Vec<Focal>,
    /// The sets that candidates reported, one for each class or file.
    pub covered: Vec<CoveredSet>,
}

/// An outcome, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    Ran(Outcome),
    Blocked(BlockedReason),
}

/// A method as the runtime names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodName {
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

/// The outcome of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateExecution {
    pub id: u64,
    pub fate: Fate,
    pub why: Option<OutcomeReason>,
    /// The class that it ran in, as the runtime names it, or the file; empty when it did not run.
    pub host: String,
    /// The name that it ran under.
    pub method: String,
    /// Whether the focal method was entered; nothing where that is not measured.
    pub is_called: Option<bool>,
    pub focal: Option<FocalCoverage>,
    /// Where the focal method has no code: methods of main code that override it and were entered, in order of their
    /// names.
    pub overrides: Vec<MethodName>,
    pub elapsed: Option<Duration>,
    /// The parts of the project that it covered, a set for each class or file, in order of the units.
    pub covered: Vec<CoveredSet>,
    /// The methods of the project that it entered, in the order in which it first entered them; empty unless requested.
    pub entered: Vec<EnteredMethod>,
    /// Whether the project's own build would not run its file.
    pub is_outside_suite: bool,
}

impl CandidateExecution {
    /// Makes an answer with nothing but an outcome.
    #[must_use]
    pub fn new(id: u64, fate: Fate) -> Self {
        Self {
            id,
            fate,
            why: None,
            host: String::new(),
            method: String::new(),
            is_called: None,
            focal: None,
            overrides: Vec::new(),
            elapsed: None,
            covered: Vec::new(),
            entered: Vec::new(),
            is_outside_suite: false,
        }
    }
}
