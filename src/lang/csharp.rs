//! The C# front end: facts of a file, the project index, and the resolution of calls.
//!
//! A name is first looked for in the project's sources, then among built-in names: signatures of the framework and of
//! test libraries, written in C#. A name that is in none of them is unknown, and calls on it say so.

mod clues;
mod facts;
#[cfg(test)]
mod fixtures;
mod library;
pub(super) mod msbuild;
mod preprocess;
mod project;
mod relation;
mod resolve;
mod testing;
mod types;

use std::sync::Arc;

use crate::index::{self, FileReading, SourceText};
use crate::model::Language;
use crate::outside::Outside;

/// The C# front end, as the other languages' callers see it.
pub(super) struct CSharpFrontEnd;

impl index::FrontEnd for CSharpFrontEnd {
    type Facts = facts::CSharpFacts;

    const VERSION: u32 = 4;

    fn read(source: SourceText<'_>, outside: &Outside) -> FileReading<Self::Facts> {
        let defined = || outside.configuration.projects().symbols(source.path);
        facts::parse(source, defined)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let project = project::build(files, outside.configuration.projects());
        index::Project {
            language: Language::CSharp,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|&(id, _)| id).collect(),
            index: Box::new(project),
            tokens: Vec::new(),
        }
    }
}
