//! The JavaScript front end, with TypeScript: facts of a file, the project's modules and objects, and what calls mean.
//!
//! Nothing is typed as a compiler types; it is told what values an expression may stand for, through modules,
//! prototypes, closures and the types that are written down. What is not told is unknown, and calls on it say so.

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

use self::project::Project;
use crate::index::{self, Clues, Read, Source, Step};
use crate::model::{Call, Language, MethodId, TestCase};
use crate::outside::Outside;

/// What this folder gives to `lang`.
pub(super) struct FrontEnd;

impl index::FrontEnd for FrontEnd {
    type Facts = facts::Facts;

    const VERSION: u32 = 4;

    fn read(source: Source<'_>, _: &Outside) -> Read<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let project = project::build(files, outside);
        index::Project {
            language: Language::JavaScript,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|it| it.method).collect(),
            index: Box::new(Index(project)),
            tokens: Vec::new(),
        }
    }
}

/// The index over all JavaScript and TypeScript files of a repository.
#[derive(Debug)]
struct Index(Project);

impl index::Index for Index {
    fn test_case(&self, test: MethodId) -> TestCase {
        suites::test_case(&self.0, test)
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::calls(&self.0, method)
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<Step> {
        resolve::trace(&self.0, method, call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        clues::implementations(&self.0, method)
    }

    fn clues(&self, test: &TestCase) -> Clues {
        clues::clues(&self.0, test)
    }

    fn dispatch(&self, maker: MethodId, name: &str, _n_arguments: usize) -> Option<MethodId> {
        clues::dispatch(&self.0, maker, name)
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        clues::is_accessor(&self.0, method)
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        clues::is_inherited_by(&self.0, method, class)
    }
}

/// Parses and nothing else, for measuring; takes paths and texts.
pub fn parse_only<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> usize {
    facts::parse_only(texts)
}
