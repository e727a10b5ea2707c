//! Languages: from source text to owned facts, to one immutable project index, to resolved calls.
//!
//! A language is a value here: [`facts`], [`project`], [`tokens`] and the rest take it as an argument, and what they
//! return is the same type for every language. So nothing above this module is generic over a language. What a language
//! is made of, and how one is added: `docs/architecture-language.md`.
//!
//! What every language promises: parsing and resolving never fail and do no I/O. Broken source gives fewer facts and a
//! [`Problem`](crate::model::Problem); a call that cannot be resolved carries its reason. Everything is returned in order of file and
//! position, whatever the number of threads.
//!
//! Sole owner of tree-sitter, and of what reads jars and class files.

use focalist_model as model;

pub mod asserts;
pub mod bounded;
pub mod csharp;
pub mod cut;
pub mod dialect;
mod dialects;
pub mod excerpt;
mod file_tokens;
mod generated;
pub mod go;
mod index;
pub mod java;
pub mod javascript;
pub mod judge;
mod lines;
pub mod parses;
pub mod place;
pub mod python;
mod run;
mod statements;
pub mod syntax;
pub mod token;
pub mod verdict;

pub use self::dialect::Dialect;
pub use self::dialects::{dialect, language_of};
use self::index::FrontEnd;
pub use self::index::{
    Clues, Configuration, Configurations, Facts, Flow, Index, Outside, Parsed, Project, Source,
    Step,
};
use crate::model::{Language, Span};

const fn front_end(language: Language) -> &'static FrontEnd {
    match language {
        Language::Java => &java::FRONT_END,
        Language::Python => &python::FRONT_END,
        Language::Go => &go::FRONT_END,
        Language::JavaScript => &javascript::FRONT_END,
        Language::CSharp => &csharp::FRONT_END,
    }
}

/// Returns the version of what a language's sources are read with, from 1; it is raised when any of its rules changes
/// what is stored.
#[must_use]
pub const fn version(language: Language) -> u32 {
    front_end(language).version
}

/// Parses one file.
#[must_use]
pub fn facts(language: Language, source: Source<'_>, outside: &Outside) -> Parsed {
    (front_end(language).facts)(source, outside)
}

/// Builds the index over the facts of all files, which are sorted by path; `FileId(n)` is the n-th of them.
///
/// # Panics
/// When facts are of another language.
#[must_use]
pub fn project(language: Language, mut facts: Vec<Facts>, outside: &Outside) -> Project {
    let tokens = facts.iter_mut().map(Facts::take_tokens).collect();
    Project {
        tokens,
        ..(front_end(language).project)(facts, outside)
    }
}

/// Parses sources, which are sorted by path, one after the other and builds the index over them; what is wrong with a
/// file is not told.
#[must_use]
pub fn project_of<'t>(
    language: Language,
    sources: impl IntoIterator<Item = Source<'t>>,
    outside: &Outside,
) -> Project {
    let sources = sources.into_iter();
    let facts = sources.map(|source| facts(language, source, outside).facts);
    project(language, facts.collect(), outside)
}

/// Rewrites in place, at the same length, what a language has and its grammar does not know, in the piece of a text that
/// begins at `before` and is `len` bytes long. What is read off the tree stands at the same place in the text as it was.
pub fn make_readable(language: Language, text: &mut String, (before, len): (usize, usize)) {
    if language == Language::Java {
        java::fragment::make_readable(text, before, len);
    }
}

/// Returns the spans of the lexer's tokens in any piece of source; comments and layout are no tokens.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    (front_end(language).tokens)(text)
}

/// Tokens that make no statement by themselves.
const EMPTY: &[&str] = &[";", "{", "}"];

/// Returns the spans of the tokens that are more than layout, comments, empty statements and braces, in their order.
pub fn telling_tokens(language: Language, text: &str) -> impl Iterator<Item = Span> {
    let tokens = tokens(language, text).into_iter();
    tokens.filter(move |token| !EMPTY.contains(&token.of(text)))
}

/// Returns whether a piece of source says anything: an answer of which only comments, braces or nothing at all is there is
/// none, though every grammar takes it.
#[must_use]
pub fn has_statement(language: Language, text: &str) -> bool {
    begins_with_word(text) || telling_tokens(language, text).next().is_some()
}

/// Says the same as [`has_statement`] of a text in another language than Java, of which the tree is at hand.
#[must_use]
pub fn has_statement_in(tree: &syntax::Tree, text: &str) -> bool {
    begins_with_word(text) || {
        let mut tokens = Vec::new();
        tree.push_tokens(text, &mut tokens);
        tokens.iter().any(|token| !EMPTY.contains(&token.of(text)))
    }
}

/// A comment begins otherwise in every language, and most texts need no second look.
fn begins_with_word(text: &str) -> bool {
    let first = text.trim_start().chars().next();
    first.is_some_and(|first| first.is_alphanumeric() || first == '_')
}
