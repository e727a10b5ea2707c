//! Input that could not be used as it should: data, not an error.

use std::fmt;

/// Why a file, a folder or a line was left out or used only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Not UTF-8 text (Latin-1, say).
    NotUtf8,
    /// Holds a NUL byte: a binary file with a source file's name.
    Binary,
    /// Larger than the limit for one source file.
    TooLarge,
    /// Could not be opened or read.
    Unreadable,
    /// Does not parse as a whole; what parses is used.
    Syntax,
    /// A link that leads back to a folder that holds it.
    LinkLoop,
    /// A line of a list that is not the JSON object it should be.
    BadLine,
    /// Left out on purpose: a fork with few stars (ConTest 3.1).
    Fork,
    /// Nothing there that could be mined.
    Empty,
}

impl Reason {
    /// Every reason; the index stores positions in this list, so new ones go to its end.
    pub const ALL: &[Self] = &[
        Self::NotUtf8,
        Self::Binary,
        Self::TooLarge,
        Self::Unreadable,
        Self::Syntax,
        Self::LinkLoop,
        Self::BadLine,
        Self::Fork,
        Self::Empty,
    ];

    /// Returns the word used in files and tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotUtf8 => "not_utf8",
            Self::Binary => "binary",
            Self::TooLarge => "too_large",
            Self::Unreadable => "unreadable",
            Self::Syntax => "syntax",
            Self::LinkLoop => "link_loop",
            Self::BadLine => "bad_line",
            Self::Fork => "fork",
            Self::Empty => "empty",
        }
    }

    /// Looks up the reason that [`Reason::as_str`] writes as `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|reason| reason.as_str() == word)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Relative to the repository, `/` between folders; a list's path for its lines.
    pub path: String,
    /// 1-based, where one line is to blame.
    pub line: Option<u32>,
    pub reason: Reason,
    /// The details, as a lower-case fragment; may be empty.
    pub detail: String,
}

impl Problem {
    /// Makes the problem of a line that does not have the expected form, with the reason.
    #[must_use]
    pub fn bad_line(path: &str, line: u32, fault: &dyn fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            reason: Reason::BadLine,
            detail: fault.to_string(),
        }
    }
}
