//! The parts that differ between languages: the nodes of their grammars, their assertions, and their names.
//!
//! All languages share how two sides are paired and compared; each has a reader of its own.

use rustc_hash::FxHashSet;

use super::PredictionPair;
use super::code::{Code, ComparisonGrammar};
use super::ending::OpenConstruct;
use super::form::Check;
use crate::model::{Language, Span};
use crate::syntax::judge::Judge;
use crate::syntax::tree::{Parser, Tree};

/// How one language is read.
pub struct LanguageReader {
    pub words: fn() -> &'static ComparisonGrammar,
    /// Parses a piece by the grammar of the words.
    pub parse: fn(&mut Parser, Language, &str, &mut Tree),
    /// Whether layout is a part of the language, so that equal tokens may be another program.
    pub is_laid_out: bool,
    /// Adds facts to the nodes of one side that only the nodes around them tell.
    pub refine: fn(&mut Code<'_>),
    /// Finds all assertions of one side in the order of the text, and masks them.
    pub checks: fn(&mut Code<'_>, PredictionPair<'_>) -> Vec<Check>,
    /// Finds the part that is open at the end of a text that does not parse.
    pub open: fn(&str, &mut Judge) -> Option<OpenConstruct>,
    /// Tells whether a text that parses breaks off nevertheless.
    pub is_unfinished: fn(&Tree) -> bool,
    /// Tells whether the language's library has something of that name.
    pub is_library_name: fn(&str) -> bool,
    /// Words before a dot that begin the name of a package.
    pub packages: &'static [&'static str],
    /// Kinds of nodes whose names mean nothing outside the text.
    pub labels: &'static [&'static str],
}

/// Parses a piece unchanged.
pub fn parse(parser: &mut Parser, language: Language, text: &str, tree: &mut Tree) {
    parser.parse(language, text, tree);
}

/// Parses a piece that needs something behind it, which no node of the tree has.
pub fn parse_with(
    parser: &mut Parser,
    (language, end): (Language, &str),
    text: &str,
    tree: &mut Tree,
) {
    parser.parse(language, &[text, end].concat(), tree);
    let last = text.len() as u32;
    for node in &mut tree.nodes {
        node.span = Span::new(node.span.start.min(last), node.span.end.min(last));
    }
}

/// Reads the names of a list, one a line.
pub fn names(list: &'static str) -> FxHashSet<&'static str> {
    list.lines().collect()
}
