//! What became of a prediction when it was run, in every language and by every engine.

use super::Span;

/// What became of a candidate; the order is that of the funnel, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It is not one method of its language.
    Unparsable,
    /// The compiler refuses it.
    NotCompilable,
    /// No test ran: no annotation, private, an assumption that does not hold, a skip.
    NotExecuted,
    /// The wall clock ended it.
    Timeout,
    /// The process ended, without an answer.
    Crash,
    /// Something was thrown out of the test, a fixture or an initialiser.
    Failing,
    Passing,
    /// Passing, and the focal method was entered, or the task's demand met.
    Correct,
}

impl Outcome {
    /// Every outcome; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::Unparsable,
        Self::NotCompilable,
        Self::NotExecuted,
        Self::Timeout,
        Self::Crash,
        Self::Failing,
        Self::Passing,
        Self::Correct,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unparsable => "unparsable",
            Self::NotCompilable => "not_compilable",
            Self::NotExecuted => "not_executed",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Failing => "failing",
            Self::Passing => "passing",
            Self::Correct => "correct",
        }
    }

    /// Returns the one letter that lists show beside the colour.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Unparsable => 'U',
            Self::NotCompilable => 'N',
            Self::NotExecuted => 'X',
            Self::Timeout => 'T',
            Self::Crash => 'C',
            Self::Failing => 'F',
            Self::Passing => 'P',
            Self::Correct => '✓',
        }
    }

    /// Returns whether it compiles, as far as its language compiles.
    #[must_use]
    pub fn compiles(self) -> bool {
        self > Self::NotCompilable
    }

    /// Returns whether it ran to its end and nothing was thrown: "executable" in the funnel of `Tests4J`.
    #[must_use]
    pub fn passes(self) -> bool {
        self >= Self::Passing
    }
}

/// Why there is no outcome. Such a candidate is in no denominator, and is counted aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Blocked {
    /// The project, or its module, was not built.
    NoBuild,
    /// The true test's file does not compile, or is not there, without its tests.
    NoScaffold,
    /// The sample has no focal method.
    NoFocal,
    /// No engine can run this framework.
    NoEngine,
    Cancelled,
}

impl Blocked {
    pub const ALL: &[Self] = &[
        Self::NoBuild,
        Self::NoScaffold,
        Self::NoFocal,
        Self::NoEngine,
        Self::Cancelled,
    ];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoBuild => "no_build",
            Self::NoScaffold => "no_scaffold",
            Self::NoFocal => "no_focal",
            Self::NoEngine => "no_engine",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What was done to a prediction so that it could run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repair {
    #[default]
    None,
    /// What followed the method was cut off.
    Cut,
    /// It broke off, and was closed after its last whole statement.
    Closed,
}

impl Repair {
    /// Every repair; the index stores positions in this list.
    pub const ALL: &[Self] = &[Self::None, Self::Cut, Self::Closed];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Cut => "cut",
            Self::Closed => "closed",
        }
    }
}

/// When it went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunStage {
    /// Before anything ran: parsing and compiling.
    Compile,
    Run,
}

impl RunStage {
    pub const ALL: &[Self] = &[Self::Compile, Self::Run];

    /// Returns the word used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Run => "run",
        }
    }
}

/// Why a candidate has its outcome, where that needs a reason. Texts are as the tool gave them, without control
/// characters, and with paths relative to the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    pub stage: RunStage,
    /// The compiler's code for it, or ours: `compiler.err.cant.resolve.location`, `exit`, `limit` …
    pub code: Option<String>,
    /// The class of what was thrown.
    pub kind: Option<String>,
    pub message: String,
    /// Of the prediction's text as it was given, from 1.
    pub line: Option<u32>,
    /// At most 4 KiB.
    pub trace: Option<String>,
}

/// How many of something are missed and covered, as coverage tools count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    pub missed: u32,
    pub covered: u32,
}

impl Counter {
    #[must_use]
    pub const fn total(self) -> u32 {
        self.missed + self.covered
    }
}

/// What a candidate covered of its focal method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocalCoverage {
    /// As the runtime names it: `p.Outer$Inner`; a module in Python.
    pub class: String,
    pub name: String,
    /// The descriptor, `(I)V`; empty where the language has none.
    pub descriptor: String,
    pub lines: Counter,
    /// None where it has no branches.
    pub branches: Option<Counter>,
    /// None where the tool does not count them.
    pub instructions: Option<Counter>,
    /// Lines that hold code, in order, counted from 1 in the file.
    pub by_line: Vec<(u32, LineCover)>,
}

/// How much of a line ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineCover {
    Missed,
    /// Some of its branches or instructions.
    Partly,
    Covered,
}

/// A method of the project that a test entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entered {
    /// As the runtime names it.
    pub class: String,
    pub name: String,
    pub descriptor: String,
    /// How many methods of the project were under way when it was entered first; 0 when the test itself called it, also
    /// through code that is not the project's.
    pub depth: u32,
    pub n_times: u32,
}

/// A set of lines or probes of one class or file, a bit each, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    pub unit: String,
    pub bits: Vec<u8>,
}

/// Where the text of a method lies in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Relative to the repository's root.
    pub path: String,
    /// Of the whole declaration with annotations or decorators.
    pub span: Span,
}
