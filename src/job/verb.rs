//! The arguments of the verbs that run as jobs, as plain data: the parser of command lines describes them, and forms
//! are built from the description.
//!
//! Knows no verb and parses nothing itself.

use std::ffi::OsString;

use crate::model::JobKind;

/// The verbs of jobs, and the check of command lines.
#[derive(Clone, Debug)]
pub struct Verbs {
    pub all: Vec<Verb>,
    /// Parses the arguments of a verb, its name first, and says why the parser refuses them.
    pub check: fn(&[OsString]) -> Result<(), Refusal>,
}

impl Default for Verbs {
    /// Makes a table without verbs, whose check refuses nothing.
    fn default() -> Self {
        Self {
            all: Vec::new(),
            check: |_| Ok(()),
        }
    }
}

impl Verbs {
    #[must_use]
    pub fn of(&self, start: JobStart) -> &[VerbArgument] {
        let verb = self.all.iter().find(|verb| verb.start == start);
        verb.map_or(&[], |verb| &verb.arguments)
    }
}

/// The start that a form offers: a kind of job, by an action where its verb has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobStart {
    pub kind: JobKind,
    /// The verb, and its action behind a space: `clover eval`.
    pub name: &'static str,
}

impl JobStart {
    /// In the order in which they are offered.
    pub const ALL: &[Self] = &[
        Self::new(JobKind::Mine, "mine"),
        Self::new(JobKind::Import, "import"),
        Self::new(JobKind::Eval, "eval"),
        Self::new(JobKind::Export, "export"),
        Self::new(JobKind::Index, "index"),
        Self::new(JobKind::Leakage, "leakage"),
        Self::new(JobKind::Execute, "execute"),
        Self::new(JobKind::Generate, "generate"),
        Self::new(JobKind::Train, "train"),
        Self::new(JobKind::Prepare, "prepare"),
        // It does all that questions need.
        Self::new(JobKind::Clover, "clover tasks"),
        Self::new(JobKind::Clover, "clover eval"),
        Self::new(JobKind::Experiment, "experiment run"),
        Self::new(JobKind::Consistency, "consistency"),
        Self::new(JobKind::Benchmark, "benchmark filter"),
        Self::new(JobKind::Benchmark, "benchmark split"),
        Self::new(JobKind::Benchmark, "benchmark stats"),
        Self::new(JobKind::Mutate, "mutate"),
    ];

    const fn new(kind: JobKind, name: &'static str) -> Self {
        Self { kind, name }
    }

    /// Finds the start of this name, action included; nothing where no form starts it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|job_start| job_start.name == name)
    }

    /// Returns the action, where the verb has several.
    #[must_use]
    pub fn action(self) -> Option<&'static str> {
        self.name.split_once(' ').map(|pair| pair.1)
    }
}

impl From<JobKind> for JobStart {
    /// Returns the first start of a kind in the order of [`JobStart::ALL`].
    fn from(kind: JobKind) -> Self {
        let found = Self::ALL
            .iter()
            .copied()
            .find(|job_start| job_start.kind == kind);
        found.expect("every kind of job can be started")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verb {
    pub start: JobStart,
    /// In the order of `--help`.
    pub arguments: Vec<VerbArgument>,
}

/// An argument of a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerbArgument {
    /// `--matcher`; empty for one that stands without a name.
    pub option: String,
    /// The `o` of `-o`.
    pub short: Option<char>,
    /// The name of the value, such as `FILE`; empty for a switch.
    pub value: String,
    /// The values that there are, where they are a closed set.
    pub words: Vec<String>,
    /// The default value; empty where help gives it in words.
    pub default: String,
    /// The character between several values in one word, such as `,`.
    pub delimiter: Option<char>,
    /// One line.
    pub help: String,
}

/// Why a command line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// As [`VerbArgument::option`], or the value's name of one without; absent where it is about no single argument.
    pub argument: Option<String>,
    pub text: String,
}
