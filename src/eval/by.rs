//! The attributes by which predictions can be grouped: the one list of words for results and comparisons.

use crate::model::{Parse, RunKind};

/// An attribute by which predictions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupBy {
    Repo,
    Language,
    Framework,
    /// The first assertion call of the reference.
    Assertion,
    /// Tokens of the reference.
    Length,
    /// Whether the prediction parses; of two runs, which of them ([`BOTH_PARSE`]).
    Parse,
    /// A difference from the reference; a prediction may have several tags.
    Tag,
    /// The random split.
    Split,
    /// The simple name of the focal method's class.
    FocalClass,
    /// The outcome of the prediction's execution.
    Ran,
    /// The task of a question of CLOVER.
    Task,
    /// Its budget, in tokens.
    Budget,
    /// The form of the answer that it asks for.
    Answer,
    /// The pass that made the variant whose half was completed.
    Pass,
}

impl GroupBy {
    /// The ways to slice a comparison, the first that is offered first. No tags: a tag is itself what came out.
    pub const ALL: &[Self] = &[
        Self::Repo,
        Self::Framework,
        Self::Assertion,
        Self::Length,
        Self::Split,
        Self::FocalClass,
        Self::Parse,
        Self::Language,
    ];

    /// The ways to group the predictions of a run, the first that is offered first.
    pub const OF_RESULTS: &[Self] = &[
        Self::Tag,
        Self::Ran,
        Self::Repo,
        Self::Assertion,
        Self::Length,
        Self::Parse,
        Self::FocalClass,
        Self::Framework,
        Self::Split,
        Self::Language,
        Self::Task,
        Self::Budget,
        Self::Answer,
        Self::Pass,
    ];

    /// Tells whether the answers of such a run may differ in it.
    #[must_use]
    pub const fn is_of(self, kind: RunKind) -> bool {
        match self {
            Self::Repo
            | Self::Language
            | Self::Assertion
            | Self::Length
            | Self::Parse
            | Self::Tag
            | Self::Ran => true,
            Self::Framework | Self::Split | Self::FocalClass => matches!(kind, RunKind::Samples),
            Self::Task | Self::Budget | Self::Answer => matches!(kind, RunKind::Clover),
            Self::Pass => matches!(kind, RunKind::Consistency),
        }
    }

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Language => "language",
            Self::Framework => "framework",
            Self::Assertion => "assertion",
            Self::Length => "length",
            Self::Parse => "parse",
            Self::Tag => "tag",
            Self::Split => "split",
            Self::FocalClass => "focal-class",
            Self::Ran => "ran",
            Self::Task => "task",
            Self::Budget => "budget",
            Self::Answer => "answer",
            Self::Pass => "pass",
        }
    }
}

impl GroupBy {
    /// Tells whether it tells samples or questions apart, and not answers.
    #[must_use]
    pub const fn is_of_samples(self) -> bool {
        match self {
            Self::Repo
            | Self::Language
            | Self::Framework
            | Self::Assertion
            | Self::Length
            | Self::Split
            | Self::FocalClass
            | Self::Task
            | Self::Budget
            | Self::Answer
            | Self::Pass => true,
            Self::Parse | Self::Tag | Self::Ran => false,
        }
    }
}

/// The group of predictions without such a value.
pub(super) const NONE: &str = "(none)";

/// The group of samples that the index has no longer.
pub(super) const GONE: &str = "(no longer in the index)";

/// The parts by [`GroupBy::Parse`] of a comparison: whether the baseline's answer parses, and the other run's. These
/// parts are chosen by the outcome: differences in them are partly the cause of the division.
pub(super) const BOTH_PARSE: [(&str, [Parse; 2]); 4] = [
    ("both parse", [Parse::Ok, Parse::Ok]),
    ("only A parses", [Parse::Ok, Parse::Fail]),
    ("only B parses", [Parse::Fail, Parse::Ok]),
    ("neither parses", [Parse::Fail, Parse::Fail]),
];

/// The upper ends of classes of length, in tokens.
pub(super) const LENGTHS: [u32; 4] = [15, 30, 60, 120];

/// Classifies a length, with a number to sort by.
pub(super) fn length_class(n_tokens: u32) -> (u32, String) {
    let mut first = 1;
    for end in LENGTHS {
        if n_tokens <= end {
            return (end, format!("{first}-{end} tokens"));
        }
        first = end + 1;
    }
    (u32::MAX, format!("{first} tokens or more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_classes() {
        assert_eq!(length_class(0).1, "1-15 tokens");
        assert_eq!(length_class(15).1, "1-15 tokens");
        assert_eq!(length_class(16).1, "16-30 tokens");
        assert_eq!(length_class(121).1, "121 tokens or more");
    }
}
