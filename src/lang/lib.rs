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

pub mod bounded;
pub mod csharp;
pub mod cut;
pub mod dialect;
mod dialects;
pub mod excerpt;
pub mod go;
mod index;
pub mod java;
pub mod javascript;
pub mod judge;
mod lines;
pub mod python;
pub mod syntax;
pub mod token;
pub mod verdict;

pub use self::dialect::Dialect;
pub use self::dialects::{dialect, language_of};
use self::index::FrontEnd;
pub use self::index::{
    Clues, Configuration, Facts, Flow, Index, Outside, Parsed, Project, Source, Step,
};
use crate::model::{Language, Span};

const fn front_end(language: Language) -> Option<&'static FrontEnd> {
    match language {
        Language::Java => Some(&java::FRONT_END),
        Language::Python => Some(&python::FRONT_END),
        Language::Go => Some(&go::FRONT_END),
        Language::JavaScript => Some(&javascript::FRONT_END),
        Language::CSharp => Some(&csharp::FRONT_END),
    }
}

fn needed(language: Language) -> &'static FrontEnd {
    front_end(language).expect("only languages that have a front end are mined")
}

/// Returns whether sources in a language can be read into a project.
#[must_use]
pub const fn is_mined(language: Language) -> bool {
    front_end(language).is_some()
}

/// Returns the version of what a language's sources are read with, from 1; it is raised when any of its rules changes
/// what is stored. 0 for a language that cannot be mined.
#[must_use]
pub const fn version(language: Language) -> u32 {
    match front_end(language) {
        Some(front_end) => front_end.version,
        None => 0,
    }
}

/// Parses one file.
///
/// # Panics
/// When the language cannot be mined ([`is_mined`]).
#[must_use]
pub fn facts(language: Language, source: Source<'_>, outside: &Outside) -> Parsed {
    (needed(language).facts)(source, outside)
}

/// Builds the index over the facts of all files, which are sorted by path; `FileId(n)` is the n-th of them.
///
/// # Panics
/// When the language cannot be mined, or facts are of another one.
#[must_use]
pub fn project(language: Language, facts: Vec<Facts>, outside: &Outside) -> Project {
    (needed(language).project)(facts, outside)
}

/// Parses sources, which are sorted by path, one after the other and builds the index over them; what is wrong with a
/// file is not told.
///
/// # Panics
/// When the language cannot be mined.
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

/// Returns the spans of the lexer's tokens in any piece of source; comments and layout are no tokens.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    match front_end(language) {
        Some(front_end) => (front_end.tokens)(text),
        None => syntax::tokens(language, text),
    }
}
