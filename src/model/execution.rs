//! The results of running a prediction, in every language and by every engine.

use super::{Brittleness, Span, Stability};

/// The outcome of a candidate, in the order of the funnel, least first.
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
    /// Passing, the focal method was entered, and something in it can fail; or the task's demand is met.
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

    /// Explains it for people.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Unparsable => "it is not one method of its language",
            Self::NotCompilable => "the compiler refuses it",
            Self::NotExecuted => "no test ran",
            Self::Timeout => "it did not end in time",
            Self::Crash => "the process ended without an answer",
            Self::Failing => "something was thrown",
            Self::Passing => "it passes, but never calls the focal method or cannot fail",
            Self::Correct => "it passes, enters the focal method, and can fail",
        }
    }

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

    /// Tells whether it compiles, as far as its language compiles.
    #[must_use]
    pub fn compiles(self) -> bool {
        self > Self::NotCompilable
    }

    /// Tells whether it ran to its end without an exception: "executable" in the funnel of `Tests4J`.
    #[must_use]
    pub fn passes(self) -> bool {
        self >= Self::Passing
    }
}

/// Why there is no outcome. Such a candidate is in no denominator, and is counted aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockedReason {
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

impl BlockedReason {
    pub const ALL: &[Self] = &[
        Self::NoBuild,
        Self::NoScaffold,
        Self::NoFocal,
        Self::NoEngine,
        Self::Cancelled,
    ];

    /// Explains for people why there is no outcome.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::NoBuild => "the project, or its module, was not built",
            Self::NoScaffold => "the file of the true test does not compile without its tests",
            Self::NoFocal => "the sample has no focal method",
            Self::NoEngine => "no engine can run this framework",
            Self::Cancelled => "it was cancelled",
        }
    }

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

/// A repair of a prediction that makes it run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repair {
    #[default]
    None,
    /// The text after the method was cut off.
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

/// The finding of a second look at a candidate that had passed: it ran again in a process of its own, and so did its
/// twin, the same text with statements that fail wherever it may be left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Confirmation {
    /// It passes again, and its twin does not pass.
    Yes,
    /// It was left before the first assertion, by a `return` or in a way that its declaration allows.
    LeftEarly,
    /// Its twin passes, too: nothing that it does can make it fail.
    Forged,
    /// A process of its own gives a lesser outcome than the one before.
    Unstable,
    /// Not known: one of the two could not be run.
    Undecided,
}

impl Confirmation {
    /// Every word; the index stores positions in this list.
    pub const ALL: &[Self] = &[
        Self::Yes,
        Self::LeftEarly,
        Self::Forged,
        Self::Unstable,
        Self::Undecided,
    ];

    /// Explains the result of the second look for people.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Yes => "it passes again, and fails where it has to",
            Self::LeftEarly => "it was left before an assertion was reached",
            Self::Forged => "it passes even where it has to fail",
            Self::Unstable => "a separate process gives a lesser outcome",
            Self::Undecided => "the second run gave no result",
        }
    }

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::LeftEarly => "left_early",
            Self::Forged => "forged",
            Self::Unstable => "unstable",
            Self::Undecided => "undecided",
        }
    }

    /// Tells whether the candidate passes no longer when candidates are counted.
    #[must_use]
    pub const fn refutes(self) -> bool {
        matches!(self, Self::LeftEarly | Self::Forged | Self::Unstable)
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
pub struct OutcomeReason {
    pub stage: RunStage,
    /// The compiler's code for it, or ours: `compiler.err.cant.resolve.location`, `exit`, `limit` …
    pub code: Option<String>,
    /// The class of the exception.
    pub kind: Option<String>,
    pub message: String,
    /// The line of the prediction's text as it was given, from 1.
    pub line: Option<u32>,
    /// At most 4 KiB.
    pub trace: Option<String>,
}

/// How many of something are missed and covered, as coverage tools count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverageCounter {
    pub missed: u32,
    pub covered: u32,
}

impl CoverageCounter {
    #[must_use]
    pub const fn total(self) -> u32 {
        self.missed + self.covered
    }
}

/// The part of its focal method that a candidate covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocalCoverage {
    /// The runtime's name for it: `p.Outer$Inner`; a module in Python.
    pub class: String,
    pub name: String,
    /// The descriptor, `(I)V`; empty where the language has none.
    pub descriptor: String,
    pub lines: CoverageCounter,
    /// None where it has no branches.
    pub branches: Option<CoverageCounter>,
    /// None where the tool does not count them.
    pub instructions: Option<CoverageCounter>,
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

/// A set of lines or probes of one class or file, a bit each, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredSet {
    pub unit: String,
    pub bits: Vec<u8>,
}

/// Where the text of a method lies in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodPlace {
    /// Relative to the repository's root.
    pub path: String,
    /// The whole declaration with annotations or decorators.
    pub span: Span,
}

/// The result of running one candidate, as lists show it: an outcome, or why there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    pub outcome: Option<Outcome>,
    pub blocked: Option<BlockedReason>,
    pub repair: Repair,
    /// The number of the prediction in the same run that has the same tokens and ran in place of this one.
    pub duplicate_of: Option<u32>,
    /// Whether the focal method was entered; nothing where that is not measured, as are the counters.
    pub is_called: Option<bool>,
    /// Whether something in it can fail; nothing where it cannot be read, and where that was not checked.
    pub asserts: Option<bool>,
    /// Lines of the focal method.
    pub lines: Option<CoverageCounter>,
    pub branches: Option<CoverageCounter>,
    pub elapsed_ms: Option<u32>,
    pub timeout_ms: u32,
    /// The result of a second look; nothing where there was none. A duplicate has the result of the one that ran.
    pub confirmed: Option<Confirmation>,
    /// The result of shaking it; nothing where it was not shaken. A duplicate has the result of the one that ran.
    pub stability: Option<Stability>,
    /// Its results on variants of the code; nothing where it was run on none. Duplicates likewise.
    pub brittleness: Option<Brittleness>,
}

impl Execution {
    /// Returns the outcome that counts in shares: a pass that a second look has refuted counts as failing.
    #[must_use]
    pub fn counted(&self) -> Option<Outcome> {
        let is_refuted = self.confirmed.is_some_and(Confirmation::refutes);
        let outcome = self.outcome?;
        Some(if is_refuted && outcome.passes() {
            Outcome::Failing
        } else {
            outcome
        })
    }
}

/// Predictions of an executed run that are in no share of outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithoutOutcome {
    /// For a reason that is known.
    pub n_blocked: u64,
    /// They were not run, and no reason for that is known.
    pub n_not_run: u64,
}

impl WithoutOutcome {
    /// Counts one prediction, by what became of it.
    pub fn add(&mut self, execution: Option<Execution>) {
        match execution {
            None => self.n_not_run += 1,
            Some(execution) => self.n_blocked += u64::from(execution.blocked.is_some()),
        }
    }
}

/// How a run was executed last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionSetting {
    /// `fast`, `maven`, `fork` …; of a run in several languages the engine of each, as [`EngineName::joined`](crate::EngineName::joined) has them.
    pub engine: String,
    /// The version of the code that ran it.
    pub version: String,
    /// The other options that decide outcomes, in one canonical form.
    pub options: String,
    /// The sandbox in which foreign code ran; `none` is shown everywhere.
    pub sandbox: String,
    /// Seconds since 1970.
    pub executed_at: i64,
}

/// How many candidates reach each step, where equal ones count once; all steps are shown relative to unique ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutionFunnel {
    /// With an outcome or without, also those that say the same as another one.
    pub n_candidates: u64,
    pub n_unique: u64,
    pub n_parsable: u64,
    pub n_compilable: u64,
    pub n_executable: u64,
    pub n_correct: u64,
    /// Executable ones that entered the focal method, whether anything in them can fail or not: what `Tests4J` calls
    /// correct.
    pub n_correct_tests4j: u64,
    /// Executable ones in which nothing can fail.
    pub n_without_assertion: u64,
    /// Unique ones, in the order of [`Outcome::ALL`].
    pub by_outcome: [u64; Outcome::ALL.len()],
    /// All, in the order of [`BlockedReason::ALL`]; in no step.
    pub by_blocked: [u64; BlockedReason::ALL.len()],
    /// Unique ones that were looked at a second time, in the order of [`Confirmation::ALL`]. The refuted ones have their
    /// outcome in `by_outcome`, and are neither executable nor correct.
    pub by_confirmed: [u64; Confirmation::ALL.len()],
}

impl ExecutionFunnel {
    /// Counts `n` candidates.
    pub fn add(&mut self, execution: &Execution, n: u64) {
        self.n_candidates += n;
        if let Some(blocked) = execution.blocked {
            self.by_blocked[blocked as usize] += n;
        }
        let Some((outcome, counted)) = execution.outcome.zip(execution.counted()) else {
            return;
        };
        if execution.duplicate_of.is_some() {
            return;
        }
        self.by_outcome[outcome as usize] += n;
        if let Some(confirmed) = execution.confirmed {
            self.by_confirmed[confirmed as usize] += n;
        }
        self.n_unique += n;
        self.n_parsable += n * u64::from(outcome > Outcome::Unparsable);
        self.n_compilable += n * u64::from(outcome.compiles());
        self.n_executable += n * u64::from(counted.passes());
        self.n_correct += n * u64::from(counted == Outcome::Correct);
        // Where calls are not measured, as in tasks, a correct answer counts as one that enters.
        let is_entered = execution.is_called.unwrap_or(counted == Outcome::Correct);
        self.n_correct_tests4j += n * u64::from(counted.passes() && is_entered);
        let is_idle = execution.asserts == Some(false);
        self.n_without_assertion += n * u64::from(counted.passes() && is_idle);
    }

    /// Lists the steps with their words, from unique to correct.
    #[must_use]
    pub const fn steps(&self) -> [(&'static str, u64); 5] {
        [
            ("unique", self.n_unique),
            ("parsable", self.n_parsable),
            ("compilable", self.n_compilable),
            ("executable", self.n_executable),
            ("correct", self.n_correct),
        ]
    }

    /// Lists the counts beside the steps, with their words.
    #[must_use]
    pub const fn beside(&self) -> [(&'static str, u64); 2] {
        [
            ("no assertion", self.n_without_assertion),
            ("correct (Tests4J)", self.n_correct_tests4j),
        ]
    }

    /// Computes a step relative to unique candidates, 0..=1; nothing where there is none.
    #[must_use]
    pub fn share(&self, n: u64) -> Option<f64> {
        (self.n_unique > 0).then(|| n as f64 / self.n_unique as f64)
    }

    /// Computes the share of executable candidates that are correct, 0..=1; nothing where none is executable.
    #[must_use]
    pub fn correct_of_executable(&self) -> Option<f64> {
        (self.n_executable > 0).then(|| self.n_correct as f64 / self.n_executable as f64)
    }

    /// Counts the unique candidates that pass and were drawn for a second look.
    #[must_use]
    pub fn n_drawn(&self) -> u64 {
        self.by_confirmed.iter().sum()
    }

    /// Counts those that a second look confirmed.
    #[must_use]
    pub const fn n_confirmed(&self) -> u64 {
        self.by_confirmed[Confirmation::Yes as usize]
    }

    /// Counts the candidates without an outcome.
    #[must_use]
    pub fn n_blocked(&self) -> u64 {
        self.by_blocked.iter().sum()
    }

    /// Counts the predictions without a run and without a reason for that.
    #[must_use]
    pub const fn n_not_run(&self, n_predictions: u64) -> u64 {
        n_predictions.saturating_sub(self.n_candidates)
    }
}

/// The candidates whose coverage of a focal method counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CoverScope {
    /// All passing ones of the project, as in the paper.
    #[default]
    All,
    /// The candidates that are about the method.
    Own,
}

impl CoverScope {
    /// Every scope; the index stores positions in this list.
    pub const ALL: &[Self] = &[Self::All, Self::Own];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Own => "own",
        }
    }
}

/// The part of one focal method that passing candidates cover together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocalTotal {
    /// The project identity.
    pub project: String,
    /// The method's key.
    pub focal: String,
    pub scope: CoverScope,
    /// Nothing where its lines are not known: abstract, filtered by the tool, or never measured.
    pub lines: Option<CoverageCounter>,
    /// Nothing where it has no branches, or they are not counted.
    pub branches: Option<CoverageCounter>,
}

/// How much of the focal methods is covered (`Tests4J` 3.5): micro values are sums over all methods, macro values means
/// of their shares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FocalShares {
    /// Methods whose lines are known.
    pub n_methods: u64,
    pub n_unmeasured: u64,
    pub micro_lines: Option<f64>,
    pub macro_lines: Option<f64>,
    pub micro_branches: Option<f64>,
    pub macro_branches: Option<f64>,
}

impl FocalShares {
    /// Sums up focal methods.
    #[must_use]
    pub fn of<'t>(totals: impl Iterator<Item = &'t FocalTotal>) -> Self {
        let (mut lines, mut branches) = (Shares::default(), Shares::default());
        let mut n_unmeasured = 0;
        for total in totals {
            match total.lines {
                Some(counter) => lines.add(counter),
                None => n_unmeasured += 1,
            }
            if let Some(counter) = total.branches {
                branches.add(counter);
            }
        }
        Self {
            n_methods: lines.n,
            n_unmeasured,
            micro_lines: lines.micro(),
            macro_lines: lines.mean(),
            micro_branches: branches.micro(),
            macro_branches: branches.mean(),
        }
    }
}

#[derive(Default)]
struct Shares {
    n: u64,
    n_covered: u64,
    n_total: u64,
    sum: f64,
}

impl Shares {
    fn add(&mut self, counter: CoverageCounter) {
        if counter.total() == 0 {
            return;
        }
        self.n += 1;
        self.n_covered += u64::from(counter.covered);
        self.n_total += u64::from(counter.total());
        self.sum += f64::from(counter.covered) / f64::from(counter.total());
    }

    fn micro(&self) -> Option<f64> {
        (self.n_total > 0).then(|| self.n_covered as f64 / self.n_total as f64)
    }

    fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}
