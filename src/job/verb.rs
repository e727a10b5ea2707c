//! What the verbs that run as jobs take, as plain data: whoever parses command lines describes them, and forms are built
//! from the description.
//!
//! Knows no verb and parses nothing itself.

use std::ffi::OsString;

use crate::model::JobKind;

/// The verbs of jobs, and what is wrong with a command line.
#[derive(Clone, Debug)]
pub struct Verbs {
    pub all: Vec<Verb>,
    /// Says what the parser has against the arguments of a verb, its name first.
    pub check: fn(&[OsString]) -> Result<(), Refusal>,
}

impl Default for Verbs {
    /// Returns no verb at all: what takes no arguments refuses none.
    fn default() -> Self {
        Self {
            all: Vec::new(),
            check: |_| Ok(()),
        }
    }
}

impl Verbs {
    #[must_use]
    pub fn of(&self, kind: JobKind) -> &[Argument] {
        let verb = self.all.iter().find(|verb| verb.kind == kind);
        verb.map_or(&[], |verb| &verb.arguments)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verb {
    pub kind: JobKind,
    /// In the order of `--help`.
    pub arguments: Vec<Argument>,
}

/// An argument of a verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// `--matcher`; empty for one that stands without a name.
    pub option: String,
    /// The `o` of `-o`.
    pub short: Option<char>,
    /// What a value is called, such as `FILE`; empty for a switch.
    pub value: String,
    /// The values that there are, where they are a closed set.
    pub words: Vec<String>,
    /// What holds where nothing is given; empty where help says it in words.
    pub default: String,
    /// What parts several values in one word, such as `,`.
    pub delimiter: Option<char>,
    /// One line.
    pub help: String,
}

/// Why a command line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// As [`Argument::option`], or the value's name of one without; absent where it is about no single argument.
    pub argument: Option<String>,
    pub text: String,
}
