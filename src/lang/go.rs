//! The Go front end: facts of a file, the project index, and the resolution of calls.
//!
//! Go says its types, so that all of them are known as far as the sources reach. What comes from another module is a value
//! of that module; what is called on it lies outside.

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

use self::project::Project;
use self::types::FuncId;
use crate::index::{self, Clues, Read, Source, Step};
use crate::methods::TestMark;
use crate::model::{Call, Flag, Flags, Framework, Language, MethodId, TestCase};
use crate::outside::Outside;

/// What this folder gives to `lang`.
pub(super) struct FrontEnd;

impl index::FrontEnd for FrontEnd {
    type Facts = facts::Facts;

    const VERSION: u32 = 2;

    fn read(source: Source<'_>, _: &Outside) -> Read<Self::Facts> {
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
            index: Box::new(Index(project)),
            tokens: Vec::new(),
        }
    }
}

/// The index over all Go files of a repository.
#[derive(Debug)]
struct Index(Project);

impl index::Index for Index {
    fn test_case(&self, test: MethodId) -> TestCase {
        let project = &self.0;
        let id = FuncId(test.0);
        let body = resolve::body(project, id);
        let mark = TestMark::find(&project.tests, test, Framework::Go);
        let file = project.file(project.func(id).file);
        let mut flags = Flags::default();
        flags.set(Flag::Parametrised, body.is_parametrised);
        flags.set(Flag::Skipped, mark.is_skipped);
        flags.set(Flag::Generated, file.facts.is_generated);
        let mut assertions = body.assertions;
        // What helps a test to fail asserts, and so does what it is given.
        let helpers = body.calls.iter().filter(|call| {
            resolve::declared(call).is_some_and(|helper| tests::is_failing(project, helper))
        });
        assertions.extend(helpers.map(|call| call.span));
        assertions.sort_unstable();
        assertions.dedup();
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements: project.statements(id),
            calls: body.calls,
            fixtures: tests::fixtures(project, id),
            group: tests::group(project, id),
            flags,
            assertions,
            blocks: body.blocks,
        }
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::body(&self.0, FuncId(method.0)).calls
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<Step> {
        resolve::trace(&self.0, FuncId(method.0), call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        clues::implementations(&self.0, FuncId(method.0))
    }

    fn clues(&self, test: &TestCase) -> Clues {
        clues::clues(&self.0, test)
    }

    fn dispatch(&self, maker: MethodId, name: &str, _: usize) -> Option<MethodId> {
        clues::dispatch(&self.0, FuncId(maker.0), name)
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        clues::is_accessor(&self.0, FuncId(method.0))
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        clues::is_inherited_by(&self.0, FuncId(method.0), class)
    }
}
