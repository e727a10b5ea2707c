//! Languages: from source text to owned facts, to one immutable project index, to resolved calls.
//!
//! A language is a value here: [`facts`] and [`project`] take it as an argument, and what they return is the same type
//! for every language. So nothing above this module is generic over a language. What a language is made of, and how one
//! is added: `docs/architecture-language.md`. Questions that trees, tokens and words alone answer belong to `syntax`.
//!
//! In every language parsing and resolving never fail and do no I/O. Broken source gives fewer facts and a
//! [`Problem`](crate::model::Problem); a call that cannot be resolved carries its reason. Everything is returned in
//! order of file and position, whatever the number of threads.
//!
//! This is the only crate that uses the libraries for jars.

use focalist_model as model;
use focalist_syntax as syntax;

mod calls;
pub mod csharp;
mod fault;
mod fit;
mod front_ends;
mod generated;
pub mod go;
mod hierarchy;
mod ids;
mod index;
pub mod java;
pub mod javascript;
mod lines;
mod methods;
mod names;
mod outside;
mod places;
pub mod python;
mod run;
mod statements;
mod symbols;
#[cfg(test)]
mod tests;

pub use self::front_ends::{ParsedSource, SourceFacts, facts, project, version};
pub use self::index::{Clues, Flow, Index, Project, ResolutionStep, SourceText};
pub use self::outside::{Configuration, Configurations, Outside};
use crate::model::Language;

/// Parses sources, which are sorted by path, one after the other and builds the index over them; problems of files are
/// not reported.
#[must_use]
pub fn project_of<'t>(
    language: Language,
    sources: impl IntoIterator<Item = SourceText<'t>>,
    outside: &Outside,
) -> Project {
    let sources = sources.into_iter();
    let facts = sources.map(|source| facts(language, source, outside).facts);
    project(language, facts.collect(), outside)
}
