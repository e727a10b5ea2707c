//! The parsers in this program: their versions decide what parses, so bug reports should name them.

use super::grammar::Grammar;
use crate::model::Language;

/// The version of the parser's library; a test compares it with the built-in one.
pub const TREE_SITTER: &str = "0.26.3";

/// The versions of the grammars; a test compares them, too.
const GRAMMARS: [(Language, &str, &str); Language::ALL.len()] = [
    (Language::Java, "tree-sitter-java", "0.23.5"),
    (Language::Python, "tree-sitter-python", "0.23.6"),
    (Language::Go, "tree-sitter-go", "0.23.4"),
    (Language::JavaScript, "tree-sitter-javascript", "0.23.1"),
    (Language::CSharp, "tree-sitter-c-sharp", "0.23.5"),
];

/// A grammar that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    pub language: Language,
    pub version: &'static str,
    /// The version of the tables that the library reads.
    pub abi: usize,
    /// Whether this library reads them.
    pub fits: bool,
}

/// Lists every grammar with its version.
#[must_use]
pub fn grammars() -> Vec<BuiltIn> {
    let known = tree_sitter::MIN_COMPATIBLE_LANGUAGE_VERSION..=tree_sitter::LANGUAGE_VERSION;
    GRAMMARS
        .iter()
        .map(|(language, _, version)| {
            let abi = Grammar::of(*language).abi();
            BuiltIn {
                language: *language,
                version,
                abi,
                fits: known.contains(&abi),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_that_are_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        let check = |name: &str, version: &str| {
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&entry), "{entry}");
        };
        check("tree-sitter", TREE_SITTER);
        for (_, name, version) in GRAMMARS {
            check(name, version);
        }
        assert!(
            grammars().iter().all(|grammar| grammar.fits),
            "{:?}",
            grammars()
        );
    }
}
