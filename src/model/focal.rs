//! Which method a test is about: candidates, and the decision between them.

use super::code::MethodId;

/// A way to decide between candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Matcher {
    /// The rule of the ConTest paper, section 3.2, as MINING.md decides it.
    Contest,
}

impl Matcher {
    /// Every matcher that can be asked for, the default first; the index stores positions in this list.
    pub const ALL: &[Self] = &[Self::Contest];

    /// Returns the name used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contest => "contest",
        }
    }

    /// Returns the version of the rule; rows of another version are computed again.
    #[must_use]
    pub const fn version(self) -> u32 {
        match self {
            Self::Contest => 1,
        }
    }
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    TestName,
    ClassName,
}

impl Stage {
    /// Every stage; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[Self::TestName, Self::ClassName];

    /// Returns the word used in files and filters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TestName => "test_name",
            Self::ClassName => "class_name",
        }
    }
}

/// Why a test has no focal method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unmapped {
    /// The test calls no method of the project's main code.
    NoCandidate,
    /// No candidate scores above the threshold, neither by the test's name nor by its class's.
    Below,
    /// Several candidates share the best score, and the class's name does not part them.
    Tie,
    /// The pick has no source: made by the compiler or a generator.
    NoSource,
}

/// One method that a test may be about.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub name: String,
    /// The declaration that the first call of this name means.
    pub method: MethodId,
    /// Similarity with the test's name, 0..=1.
    pub score: f64,
    /// Similarity with the test class's name, 0..=1.
    pub class_score: f64,
    /// The calls of this name, as indices into `TestCase::calls`, in order.
    pub calls: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// The candidate at this index, what decided, and how sure that is (0..=1).
    Picked {
        candidate: usize,
        stage: Stage,
        weight: f64,
    },
    None(Unmapped),
}

/// All candidates, best first, and the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct FocalMatch {
    pub matcher: Matcher,
    pub candidates: Vec<Candidate>,
    pub decision: Decision,
}

impl FocalMatch {
    /// Returns the candidate that was picked, if any was.
    #[must_use]
    pub fn picked(&self) -> Option<&Candidate> {
        match self.decision {
            Decision::Picked { candidate, .. } => self.candidates.get(candidate),
            Decision::None(_) => None,
        }
    }
}
