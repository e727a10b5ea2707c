//! The Java front end: facts of a file, the project index, and the resolution of calls.
//!
//! A name is first looked for in the project's sources, then on the class path that the front end was made with, then
//! in the built-in table of the JDK and common libraries. What is in none of them is unknown, and calls on it say so.

pub mod classpath;
mod clues;
mod facts;
#[cfg(test)]
mod fixtures;
pub mod fragment;
mod infer;
pub mod javalang;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "the table tells more of a library than resolution asks"
    )
)]
mod jdk;
mod junit;
mod kind;
mod library;
mod lombok;
mod overload;
mod project;
mod relation;
mod resolve;
mod symbols;
mod tokens;
mod types;

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use self::classpath::ClassPath;
use self::library::Library;
use self::project::Project;
use crate::model::{Call, Method, MethodId, Role, Span, TestCase};
use crate::{Clues, Frontend, Parsed, Step};

/// The front end for Java.
#[derive(Clone, Debug)]
pub struct Java {
    library: Arc<Library>,
}

impl Java {
    /// Makes a front end that also knows the classes of a class path.
    pub fn with_class_path(class_path: Arc<ClassPath>) -> Self {
        Self {
            library: Arc::new(Library::new(class_path)),
        }
    }
}

impl Default for Java {
    fn default() -> Self {
        Self {
            library: Library::built_in(),
        }
    }
}

/// Returns whether a name alone speaks for an assertion; for where the declaration is unknown.
pub fn is_assertion_name(name: &str) -> bool {
    name == "fail"
        || ["assert", "assume", "verify"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

/// Returns whether the JDK or a library of the built-in table has a type, method or field of that simple name. The first
/// call reads the whole table.
pub fn is_library_name(name: &str) -> bool {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| jdk::simple_names().collect());
    NAMES.contains(name)
}

/// What one Java file says.
#[derive(Debug)]
pub struct Facts(facts::Facts);

/// The index over all Java files of a repository.
#[derive(Debug)]
pub struct Index(Project);

impl Frontend for Java {
    type Facts = Facts;
    type Project = Index;

    fn facts(&self, path: &str, text: &str) -> Parsed<Facts> {
        let Parsed { facts, problem } = facts::parse(path, text);
        Parsed {
            facts: Facts(facts),
            problem,
        }
    }

    fn project(&self, files: Vec<Facts>) -> Index {
        Index(project::build(
            Arc::clone(&self.library),
            files.into_iter().map(|facts| facts.0).collect(),
        ))
    }

    fn methods<'p>(&self, project: &'p Index) -> &'p [Method] {
        &project.0.methods
    }

    fn roles<'p>(&self, project: &'p Index) -> &'p [Role] {
        &project.0.roles
    }

    fn tests(&self, project: &Index) -> Vec<MethodId> {
        project.0.tests.iter().map(|&(id, _)| id).collect()
    }

    fn test_case(&self, project: &Index, test: MethodId) -> TestCase {
        let project = &project.0;
        let mark = project
            .tests
            .binary_search_by_key(&test, |&(id, _)| id)
            .map_or(junit::TestMark::OTHER, |at| project.tests[at].1);
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements: statements(project, test),
            calls: resolve::calls(project, test),
            fixtures: junit::fixtures(project, test),
        }
    }

    fn calls(&self, project: &Index, method: MethodId) -> Vec<Call> {
        resolve::calls(&project.0, method)
    }

    fn trace(&self, project: &Index, method: MethodId, call: u32) -> Vec<Step> {
        resolve::trace(&project.0, method, call)
    }

    fn implementations(&self, project: &Index, method: MethodId) -> Vec<MethodId> {
        project.0.implementations(method)
    }

    fn clues(&self, project: &Index, test: &TestCase) -> Clues {
        clues::clues(&project.0, test.method, &test.fixtures)
    }

    fn dispatch(
        &self,
        project: &Index,
        maker: MethodId,
        name: &str,
        n_arguments: usize,
    ) -> Option<MethodId> {
        clues::dispatch(&project.0, maker, name, n_arguments)
    }

    fn is_accessor(&self, project: &Index, method: MethodId) -> bool {
        clues::is_accessor(&project.0, method)
    }

    fn is_inherited_by(&self, project: &Index, method: MethodId, class: (&str, &str)) -> bool {
        clues::is_inherited_by(&project.0, method, class.0, class.1)
    }

    fn tokens(&self, text: &str) -> Vec<Span> {
        tokens::tokens(text)
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
