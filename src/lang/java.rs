//! The Java front end: facts of a file, the project index, and the resolution of calls.
//!
//! A name is first looked for in the project's sources, then on the class path, if there is one, then in the built-in
//! table of the JDK and common libraries. What is in none of them is unknown, and calls on it say so.

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
use self::project::Project;
use crate::index::{self, Clues, Read, Source, Step};
use crate::methods::TestMark;
use crate::model::{Call, Framework, Language, MethodId, Span, TestCase};
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
            index: Box::new(Index(project)),
            tokens: Vec::new(),
        }
    }
}

/// The index over all Java files of a repository.
#[derive(Debug)]
struct Index(Project);

impl index::Index for Index {
    fn test_case(&self, test: MethodId) -> TestCase {
        let project = &self.0;
        let declaration = &project.methods[test.0 as usize];
        let mark = TestMark::find(&project.tests, test, Framework::JUnit4);
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements: statements(project, test),
            calls: resolve::calls(project, test),
            fixtures: junit::fixtures(project, test),
            group: declaration.simple_class().to_owned(),
            flags: junit::flags(project, test, mark),
            assertions: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::calls(&self.0, method)
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<Step> {
        resolve::trace(&self.0, method, call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        self.0.implementations(method)
    }

    fn clues(&self, test: &TestCase) -> Clues {
        clues::clues(&self.0, test.method, &test.fixtures)
    }

    fn dispatch(&self, maker: MethodId, name: &str, n_arguments: usize) -> Option<MethodId> {
        clues::dispatch(&self.0, maker, name, n_arguments)
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        clues::is_accessor(&self.0, method)
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        clues::is_inherited_by(&self.0, method, class.0, class.1)
    }
}

fn statements(project: &Project, method: MethodId) -> Vec<Span> {
    project
        .method_decl(types::MemberId(method.0))
        .map_or_else(Vec::new, |(file, decl)| {
            project.file(file).facts.statements[decl.statements.range()].to_vec()
        })
}

/// Parses and nothing else, for measuring.
pub fn parse_only<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    facts::parse_only(texts)
}
