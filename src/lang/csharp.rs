//! The C# front end: facts of a file, the project index, and the resolution of calls.
//!
//! A name is first looked for in the project's sources, then in what is built in: signatures of the framework and of
//! test libraries, written in C#. What is in none of them is unknown, and calls on it say so.

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

use self::project::Project;
use crate::index::{self, Clues, Read, Source, Step};
use crate::methods::TestMark;
use crate::model::{Block, Call, Flag, Flags, Framework, Language, MethodId, Span, TestCase};
use crate::outside::Outside;

/// What this folder gives to `lang`.
pub(super) struct FrontEnd;

impl index::FrontEnd for FrontEnd {
    type Facts = facts::Facts;

    const VERSION: u32 = 3;

    fn read(source: Source<'_>, outside: &Outside) -> Read<Self::Facts> {
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
            index: Box::new(Index(project)),
            tokens: Vec::new(),
        }
    }
}

/// The index over all C# files of a repository.
#[derive(Debug)]
struct Index(Project);

impl index::Index for Index {
    fn test_case(&self, test: MethodId) -> TestCase {
        let project = &self.0;
        let mark = TestMark::find(&project.tests, test, Framework::Unknown);
        let calls = resolve::calls(project, test);
        let (statements, blocks, is_generated) = body(project, test);
        let mut flags = Flags::default();
        flags.set(Flag::Parametrised, mark.is_parametrised);
        flags.set(Flag::Skipped, mark.is_skipped);
        flags.set(Flag::Generated, is_generated);
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements,
            assertions: testing::assertions(&calls),
            calls,
            fixtures: testing::fixtures(project, test),
            group: project.methods[test.0 as usize].simple_class().to_owned(),
            flags,
            blocks,
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
        clues::is_inherited_by(&self.0, method, class)
    }
}

/// Returns a method's top-level statements, the bodies in it, and whether its file was written by a generator.
fn body(project: &Project, method: MethodId) -> (Vec<Span>, Vec<Block>, bool) {
    let Some((_, member)) = project.member_of(method) else {
        return (Vec::new(), Vec::new(), false);
    };
    let facts = &project.file(member.file).facts;
    let Some(decl) = project.member_decl(member) else {
        return (Vec::new(), Vec::new(), facts.is_generated);
    };
    let blocks = facts.blocks[decl.blocks.range()]
        .iter()
        .map(|it| Block {
            span: it.span,
            statements: facts.statements[it.statements.range()].to_vec(),
            is_function: it.is_function,
        })
        .collect();
    let statements = facts.statements[decl.statements.range()].to_vec();
    (statements, blocks, facts.is_generated)
}
