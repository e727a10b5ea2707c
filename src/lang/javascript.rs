//! The JavaScript front end, with TypeScript: facts of a file, the project's modules and objects, and the meanings of
//! calls.
//!
//! The code is not typed as a compiler types it; the evaluation tells which values an expression may stand for, through
//! modules, prototypes, closures and the types that are written down. Everything else is unknown, and calls on it say
//! so.

mod clues;
mod eval;
mod facts;
#[cfg(test)]
mod fixtures;
mod project;
mod resolve;
mod suites;
mod symbols;
mod value;

use std::sync::Arc;

use crate::index::{self, FileReading, SourceText};
use crate::model::Language;
use crate::outside::Outside;

/// The JavaScript front end, as `lang` calls it.
pub(super) struct JavaScriptFrontEnd;

impl index::FrontEnd for JavaScriptFrontEnd {
    type Facts = facts::JavaScriptFacts;

    const VERSION: u32 = 5;

    fn read(source: SourceText<'_>, _: &Outside) -> FileReading<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let project = project::build(files, outside);
        index::Project {
            language: Language::JavaScript,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|test| test.method).collect(),
            index: Box::new(project),
            tokens: Vec::new(),
        }
    }
}

/// Parses and does nothing else, for measuring: takes paths and texts, and counts the top-level nodes.
pub fn parse_only<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> usize {
    facts::parse_only(texts)
}
