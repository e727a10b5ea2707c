//! What predictions can be grouped by: the one list of words for results and comparisons.

/// What predictions are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    Repo,
    Framework,
    /// The first assertion call of the reference.
    Assertion,
    /// Tokens of the reference.
    Length,
    /// Whether the prediction parses.
    Parse,
    /// What went wrong; a prediction may have several tags.
    Tag,
    /// The random split.
    Split,
    /// The simple name of the focal method's class.
    FocalClass,
}

impl By {
    /// The ways to slice a comparison, the first that is offered first.
    pub const ALL: &[Self] = &[Self::Repo, Self::Framework, Self::Assertion, Self::Length];

    /// The ways to group the predictions of a run, the first that is offered first.
    pub const OF_RESULTS: &[Self] = &[
        Self::Tag,
        Self::Repo,
        Self::Assertion,
        Self::Length,
        Self::Parse,
        Self::FocalClass,
        Self::Framework,
        Self::Split,
    ];

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repo => "repo",
            Self::Framework => "framework",
            Self::Assertion => "assertion",
            Self::Length => "length",
            Self::Parse => "parse",
            Self::Tag => "tag",
            Self::Split => "split",
            Self::FocalClass => "focal-class",
        }
    }
}
