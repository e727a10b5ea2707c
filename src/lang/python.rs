//! The Python front end: facts of a file, the project index, and the resolution of calls.
//!
//! Python declares no types that have to hold. A variable's value is followed from its origin: constructors,
//! annotations, results of functions, values of fixtures. Where that ends, a call is ambiguous by its name or unknown.

mod clues;
mod facts;
mod fixture;
#[cfg(test)]
mod fixtures;
mod project;
mod pytest;
mod resolve;
mod spans;
mod types;

use std::sync::Arc;

use crate::index::{self, FileReading, SourceText};
use crate::model::Language;
use crate::outside::Outside;

/// The Python front end, as `lang` calls it.
pub(super) struct PythonFrontEnd;

impl index::FrontEnd for PythonFrontEnd {
    type Facts = facts::PythonFacts;

    const VERSION: u32 = 3;

    fn read(source: SourceText<'_>, _: &Outside) -> FileReading<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let project = project::build(files, &outside.configuration);
        index::Project {
            language: Language::Python,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|test| test.0).collect(),
            index: Box::new(project),
            tokens: Vec::new(),
        }
    }
}
