//! Findings about the surroundings: the terminal, the disk, the programs.

/// How good a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    Good,
    /// It works, and something about it should be known.
    Doubtful,
    /// Something does not work.
    Broken,
}

impl Grade {
    /// Returns the word that files say.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Doubtful => "doubtful",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its name, in a word or two.
    pub name: &'static str,
    /// How it is, as a fragment for people.
    pub value: String,
    pub grade: Grade,
    /// A remedy for people.
    pub advice: Option<String>,
}

impl Finding {
    #[must_use]
    pub fn good(name: &'static str, value: impl Into<String>) -> Self {
        Self {
            name,
            value: value.into(),
            grade: Grade::Good,
            advice: None,
        }
    }

    #[must_use]
    pub fn doubtful(
        name: &'static str,
        value: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            grade: Grade::Doubtful,
            advice: Some(advice.into()),
            ..Self::good(name, value)
        }
    }

    #[must_use]
    pub fn broken(name: &'static str, value: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            grade: Grade::Broken,
            ..Self::doubtful(name, value, advice)
        }
    }

    /// Adds advice to the finding that is no flaw.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}
