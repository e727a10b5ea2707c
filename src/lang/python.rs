//! The Python front end: facts of a file, the project index, and the resolution of calls.
//!
//! Python declares no types that have to hold. What a variable holds is followed from where it is made: constructors,
//! annotations, what functions return, what fixtures give. Where that ends, a call is ambiguous by its name or unknown.

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

use self::project::Project;
use crate::index::{self, Clues, Read, Source, Step};
use crate::model::{Call, Flag, Flags, Framework, Language, MethodId, TestCase, TestKind};
use crate::outside::Outside;

/// What this folder gives to `lang`.
pub(super) struct FrontEnd;

impl index::FrontEnd for FrontEnd {
    type Facts = facts::Facts;

    const VERSION: u32 = 3;

    fn read(source: Source<'_>, _: &Outside) -> Read<Self::Facts> {
        facts::parse(source)
    }

    fn index(files: Vec<Self::Facts>, outside: &Outside) -> index::Project {
        let project = project::build(files, &outside.configuration);
        index::Project {
            language: Language::Python,
            methods: Arc::clone(&project.methods),
            roles: project.roles.clone(),
            tests: project.tests.iter().map(|it| it.0).collect(),
            index: Box::new(Index(project)),
            tokens: Vec::new(),
        }
    }
}

/// The index over all Python files of a repository.
#[derive(Debug)]
struct Index(Project);

impl index::Index for Index {
    fn test_case(&self, test: MethodId) -> TestCase {
        let project = &self.0;
        let at = project.tests.binary_search_by_key(&test, |it| it.0);
        let mark = at.ok().map(|at| project.tests[at].1);
        let scope = project.scope_of[test.0 as usize];
        let facts = &project.file_of(scope).facts;
        let body = project.scope(scope).body;
        let statements = facts.block(body).iter().map(|it| facts.stmt_span(*it));
        let (assertions, blocks) = spans::of_body(facts, body);
        let mut flags = Flags::default();
        flags.set(
            Flag::Parametrised,
            mark.is_some_and(|it| it.is_parametrised),
        );
        flags.set(Flag::Skipped, mark.is_some_and(|it| it.is_skipped));
        flags.set(Flag::Generated, facts.is_generated);
        let state = resolve::State::default();
        let ctx = resolve::Ctx {
            project,
            state: &state,
        };
        let class = mark.and_then(|it| it.class);
        TestCase {
            method: test,
            framework: mark.map_or(Framework::Unknown, |it| it.framework),
            kind: mark.map_or(TestKind::Test, |it| it.kind),
            statements: statements.collect(),
            calls: resolve::calls(project, test),
            fixtures: ctx.fixtures_of(scope, class),
            group: self.group(test),
            flags,
            assertions,
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
        clues::implementations(&self.0, method)
    }

    fn clues(&self, test: &TestCase) -> Clues {
        clues::clues(&self.0, test)
    }

    fn dispatch(&self, maker: MethodId, name: &str, _: usize) -> Option<MethodId> {
        clues::dispatch(&self.0, maker, name)
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        clues::is_accessor(&self.0, method)
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        clues::is_inherited_by(&self.0, method, class)
    }
}

impl Index {
    /// The innermost class, else the file's stem without what says that it is a test.
    fn group(&self, test: MethodId) -> String {
        let method = &self.0.methods[test.0 as usize];
        let class = method.simple_class();
        if !class.is_empty() {
            return class.to_owned();
        }
        let path = &*self.0.file(method.file).facts.path;
        let stem = path
            .rsplit('/')
            .next()
            .unwrap_or(path)
            .trim_end_matches(".py");
        let bare = ["test_", "tests_"]
            .iter()
            .find_map(|it| stem.strip_prefix(it));
        let bare = bare.or_else(|| {
            ["_test", "_tests"]
                .iter()
                .find_map(|it| stem.strip_suffix(it))
        });
        bare.unwrap_or(stem).to_owned()
    }
}
