//! Languages: from source text to owned facts, to one immutable project index, to resolved calls.
//!
//! A language is a value here: [`facts`] and [`project`] take it as an argument, and what they return is the same type for
//! every language. So nothing above this module is generic over a language. What a language is made of, and how one is
//! added: `docs/architecture-language.md`. What trees, tokens and words alone tell is in `syntax`.
//!
//! What every language promises: parsing and resolving never fail and do no I/O. Broken source gives fewer facts and a
//! [`Problem`](crate::model::Problem); a call that cannot be resolved carries its reason. Everything is returned in order of file and
//! position, whatever the number of threads.
//!
//! Sole owner of what reads jars.

use focalist_model as model;
use focalist_syntax as syntax;

pub mod csharp;
mod generated;
pub mod go;
mod index;
pub mod java;
pub mod javascript;
mod lines;
pub mod python;
mod run;
mod statements;
#[cfg(test)]
mod tests;

use self::index::FrontEnd;
pub use self::index::{
    Clues, Configuration, Configurations, Facts, Flow, Index, Outside, Parsed, Project, Source,
    Step,
};
use crate::model::Language;

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
