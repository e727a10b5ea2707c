//! Maps each language to its record of words.

use crate::dialect::Dialect;
use crate::model::Language;
use crate::{csharp, go, java, javascript, python};

/// Looks up the record of a language.
#[must_use]
pub fn dialect(language: Language) -> &'static Dialect {
    match language {
        Language::Java => &java::dialect::DIALECT,
        Language::Python => &python::dialect::DIALECT,
        Language::Go => &go::dialect::DIALECT,
        Language::JavaScript => &javascript::dialect::DIALECT,
        Language::CSharp => &csharp::dialect::DIALECT,
    }
}

/// Tells the language of a source file by the end of its name, wherever it lies.
#[must_use]
pub fn language_of(path: &str) -> Option<Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut all = Language::ALL.iter().copied();
    all.find(|language| dialect(*language).files.is_source(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_name_files_and_fences_of_its_own() {
        for (idx, language) in Language::ALL.iter().enumerate() {
            let own = dialect(*language);
            assert!(!own.name.is_empty(), "{language:?}");
            assert!(own.fences.contains(&own.mera_fence), "{language:?}");
            for other in &Language::ALL[..idx] {
                let other = dialect(*other);
                let words = own.fences.iter().chain(own.files.extensions);
                for word in words {
                    assert!(!other.fences.contains(word), "{word}");
                    assert!(!other.files.extensions.contains(word), "{word}");
                }
            }
        }
    }

    #[test]
    fn words_of_fences_are_in_lower_case() {
        for language in Language::ALL {
            for word in dialect(*language).fences {
                assert_eq!(*word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn a_source_is_known_by_its_extension() {
        let check = |language, name: &str, expected: bool| {
            assert_eq!(dialect(language).files.is_source(name), expected, "{name}");
        };
        check(Language::Java, "A.java", true);
        check(Language::Java, "A.JAVA", false);
        check(Language::Java, ".java", false);
        check(Language::Java, "java", false);
        check(Language::JavaScript, "a.test.tsx", true);
        check(Language::JavaScript, "a.d.ts", false);
        check(Language::JavaScript, "a.min.js", false);
        assert_eq!(language_of("src/a.cs"), Some(Language::CSharp));
        assert_eq!(language_of("src.go/README"), None);
    }

    #[test]
    fn what_tools_fill_is_not_read() {
        let check = |language, folder: &str, expected: bool| {
            assert_eq!(
                dialect(language).files.is_skipped(folder),
                expected,
                "{folder}"
            );
        };
        check(Language::Java, "vendor", false);
        check(Language::Go, "vendor", true);
        check(Language::Go, "_examples", true);
        check(Language::Go, "a_b", false);
        check(Language::JavaScript, "dist", true);
    }

    #[test]
    fn files_that_say_how_sources_are_built_are_known_by_name() {
        let check = |language, name: &str, expected: bool| {
            let files = &dialect(language).files;
            assert_eq!(files.is_configuration(name), expected, "{name}");
        };
        check(Language::Java, "pom.xml", false);
        check(Language::Go, "go.mod", true);
        check(Language::Go, "a.go.mod", false);
        check(Language::CSharp, "Lib.Tests.csproj", true);
    }
}
