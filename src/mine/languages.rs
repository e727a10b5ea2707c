//! Chooses which languages of a repository are mined.

use std::path::Path;

use super::sources::{SourceError, languages_in};
use crate::model::Language;
use crate::syntax::dialect;
use crate::task::{Cancelled, Monitor};

/// Which languages of a repository are mined (`--language`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Languages {
    /// Every language in which a test is found.
    #[default]
    Auto,
    One(Language),
}

impl Languages {
    /// All choices.
    pub const ALL: &[Self] = &[
        Self::Auto,
        Self::One(Language::Java),
        Self::One(Language::Python),
        Self::One(Language::Go),
        Self::One(Language::JavaScript),
        Self::One(Language::CSharp),
    ];

    /// Returns the word used on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::One(language) => language.as_str(),
        }
    }

    /// Lists the languages to look at in a folder, at least one: Java for a folder without sources, or one that cannot
    /// be read, so that this is reported.
    pub(super) fn in_folder(
        self,
        root: &Path,
        monitor: &Monitor,
    ) -> Result<Vec<Language>, Cancelled> {
        let languages = match self {
            Self::One(language) => vec![language],
            Self::Auto => match languages_in(root, monitor) {
                Ok(languages) => languages,
                Err(SourceError::Cancelled(cancelled)) => return Err(cancelled),
                Err(_) => Vec::new(),
            },
        };
        Ok(if languages.is_empty() {
            vec![Language::Java]
        } else {
            languages
        })
    }
}

/// Returns the language's name for people: `C#`.
#[must_use]
pub fn language_name(language: Language) -> &'static str {
    dialect(language).name
}
