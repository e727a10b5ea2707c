//! The Go front end: facts of a file, the project index, and the resolution of calls.
//!
//! Go writes its types out, so all of them are known as far as the sources reach. A value from another module belongs
//! to that module; calls on it lie outside.

mod clues;
mod facts;
#[cfg(test)]
mod fixtures;
mod infer;
mod library;
mod module;
mod project;
#[cfg(test)]
mod questions;
mod resolve;
mod tests;
mod types;

use std::sync::Arc;

use crate::index::{self, FileReading, SourceText};
use crate::model::Language;
use crate::outside::Outside;

/// The Go front end, as `lang` calls it.
pub(super) struct GoFrontEnd;

impl index::FrontEnd for GoFrontEnd {
    type Facts = facts::GoFacts;

    const VERSION: u32 = 2;

    fn read(source: SourceText<'_>, _: &Outside) -> FileReading<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let mut project = project::build(files, &outside.configuration);
        resolve::type_variables(&project);
        project.tests = tests::all(&project);
        index::Project {
            language: Language::Go,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|&(id, _)| id).collect(),
            index: Box::new(project),
            tokens: Vec::new(),
        }
    }
}
