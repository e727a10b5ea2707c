//! The Java front end: facts of a file, the project index, and the resolution of calls.
//!
//! A name is first looked for in the project's sources, then on the class path, if there is one, then in the built-in
//! table of the JDK and common libraries. A name that is in none of them is unknown, and calls on it say so.

mod class;
pub mod classpath;
mod clues;
mod facts;
#[cfg(test)]
mod fixtures;
mod infer;
mod junit;
pub(super) mod library;
mod lombok;
mod overload;
mod project;
mod relation;
mod resolve;
mod types;
mod walks;

use std::sync::Arc;

pub use self::library::Libraries;
use self::library::Library;
use crate::index::{self, FileReading, SourceText};
use crate::model::Language;
use crate::outside::Outside;

/// The Java front end, as the other languages' callers see it.
pub(super) struct JavaFrontEnd;

impl index::FrontEnd for JavaFrontEnd {
    type Facts = facts::JavaFacts;

    const VERSION: u32 = 2;

    fn read(source: SourceText<'_>, _: &Outside) -> FileReading<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let library = match &outside.java {
            Some(libraries) => libraries.library(),
            None => Library::built_in(),
        };
        let project = project::build(library, files);
        index::Project {
            language: Language::Java,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|&(id, _)| id).collect(),
            index: Box::new(project),
            tokens: Vec::new(),
        }
    }
}

/// Parses and nothing else, for measuring.
pub fn parse_only<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    facts::parse_only(texts)
}
