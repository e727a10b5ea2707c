//! The engines that run tests, which language each is for, and how far a run comes in each language.

use super::execution::ExecutionFunnel;
use super::repo::Language;

/// An engine that runs candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineName {
    /// Java: one compilation, one process, a class loader for each candidate.
    Fast,
    /// Java: the project's own build, as in the paper.
    Maven,
    /// Python: a server that forks.
    Fork,
    /// Python: a process for each candidate.
    Fresh,
}

/// Separates engines in one word.
const BETWEEN: &str = "+";

impl EngineName {
    pub const ALL: &[Self] = &[Self::Fast, Self::Maven, Self::Fork, Self::Fresh];

    /// The word that stands for an engine where a language has none.
    pub const NONE: &str = "none";

    /// Returns the word used on the command line and in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Maven => "maven",
            Self::Fork => "fork",
            Self::Fresh => "fresh",
        }
    }

    /// Looks up the engine that a word names; nothing for a word of another version.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|engine_name| engine_name.as_str() == word)
    }

    /// Returns the language whose tests it runs.
    #[must_use]
    pub const fn language(self) -> Language {
        match self {
            Self::Fast | Self::Maven => Language::Java,
            Self::Fork | Self::Fresh => Language::Python,
        }
    }

    /// Chooses the engine for a language where none is requested; nothing where no engine runs it.
    #[must_use]
    pub const fn usual(language: Language) -> Option<Self> {
        match language {
            Language::Java => Some(Self::Fast),
            Language::Python => Some(Self::Fork),
            Language::Go | Language::JavaScript | Language::CSharp => None,
        }
    }

    /// Joins several engines into one word, as `fast+fork`.
    #[must_use]
    pub fn joined(engines: &[&str]) -> String {
        engines.join(BETWEEN)
    }

    /// Splits such a word into its engines.
    pub fn each(joined: &str) -> impl Iterator<Item = &str> {
        joined.split(BETWEEN)
    }

    /// Finds the word, among several joined ones, of the engine that runs a language; nothing where none of them does.
    #[must_use]
    pub fn of_language(joined: &str, language: Language) -> Option<&str> {
        let runs = |word: &&str| match Self::named(word) {
            Some(engine) => engine.language() == language,
            // `none` stands for the languages that no engine runs.
            None => Self::usual(language).is_none(),
        };
        Self::each(joined).find(runs)
    }

    /// Joins all engines that run the language of this one, itself included; another word stays as it is.
    #[must_use]
    pub fn of_same_language(engine: &str) -> String {
        let Some(language) = Self::named(engine).map(Self::language) else {
            return engine.to_owned();
        };
        let same = Self::ALL
            .iter()
            .filter(|engine_name| engine_name.language() == language);
        let same: Vec<&str> = same.map(|engine_name| engine_name.as_str()).collect();
        Self::joined(&same)
    }
}

/// How far a run's candidates in one language come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageFunnel {
    /// Nothing for samples that have left the index.
    pub language: Option<Language>,
    /// The engine that ran them last; empty where none did.
    pub engine: String,
    pub n_samples: u64,
    pub n_predictions: u64,
    pub funnel: ExecutionFunnel,
}

impl LanguageFunnel {
    /// Counts the predictions without a run and without a reason for that.
    #[must_use]
    pub const fn n_not_run(&self) -> u64 {
        self.funnel.n_not_run(self.n_predictions)
    }

    /// Returns the language's word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.language.map_or("gone", Language::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_one_language_stand_in_each_others_place() {
        assert_eq!(EngineName::of_same_language("maven"), "fast+maven");
        assert_eq!(EngineName::of_same_language("fork"), "fork+fresh");
        assert_eq!(EngineName::of_same_language("none"), "none");
        let each: Vec<&str> = EngineName::each("fast+fork").collect();
        assert_eq!(each, ["fast", "fork"]);
        let of = |language| EngineName::of_language("fast+none", language);
        let languages = [Language::Java, Language::Python, Language::Go];
        assert_eq!(languages.map(of), [Some("fast"), None, Some("none")]);
    }

    #[test]
    fn a_usual_engine_runs_its_language() {
        for language in Language::ALL {
            let usual = EngineName::usual(*language);
            assert!(usual.is_none_or(|engine_name| engine_name.language() == *language));
        }
    }
}
