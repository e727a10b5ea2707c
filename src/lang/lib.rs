//! Languages: from source text to owned facts, to one immutable project index, to resolved calls.
//!
//! What a front end promises: parsing and resolving never fail and do no I/O. Broken source gives fewer facts and a
//! [`Problem`]; a call that cannot be resolved carries its reason. Everything is returned in order of file and
//! position, whatever the number of threads.
//!
//! Sole owner of tree-sitter, and of what reads jars and class files.

use focalist_model as model;

use crate::model::{Call, CallRole, Method, MethodId, Problem, Role, Span, TestCase};

pub mod bounded;
pub mod java;
pub mod syntax;

/// The facts of one file, and what was wrong with it.
pub struct Parsed<F> {
    pub facts: F,
    pub problem: Option<Problem>,
}

/// A call's value reaches another call through a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Indices into `TestCase::calls`.
    pub from: u32,
    pub to: u32,
    /// As the receiver of `to`, or in an argument.
    pub role: CallRole,
}

/// What a test's body says beyond its calls; hints for matching, no proofs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// In order of `to`, then `from`.
    pub flows: Vec<Flow>,
    /// Calls (indices into `TestCase::calls`) on a field that only ever holds objects of one project class, each with
    /// a constructor of that class.
    pub made: Vec<(u32, MethodId)>,
}

/// One step of a call's resolution, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was looked at: `receiver`, `candidate`, `chosen` …
    pub label: &'static str,
    pub detail: String,
}

/// What `mine` needs from a language. One implementation per language; the pipeline is generic over it.
pub trait Frontend: Sync {
    /// Owned facts of one file; no syntax tree is kept.
    type Facts: Send;
    /// The immutable index over all files.
    type Project: Send + Sync + 'static;

    /// Parses one file. `path` is relative to the repository, with `/`. Called from many threads.
    fn facts(&self, path: &str, text: &str) -> Parsed<Self::Facts>;

    /// Builds the index; `files` are sorted by path, and `FileId(n)` is the n-th of them.
    fn project(&self, files: Vec<Self::Facts>) -> Self::Project;

    /// Returns every declared method and constructor; `MethodId(n)` is the n-th.
    fn methods<'p>(&self, project: &'p Self::Project) -> &'p [Method];

    /// Returns the side of every file (MINING.md rule 2); `FileId(n)` is the n-th.
    fn roles<'p>(&self, project: &'p Self::Project) -> &'p [Role];

    /// Returns the methods that are tests (rule 1), in order of file and position.
    fn tests(&self, project: &Self::Project) -> Vec<MethodId>;

    /// Resolves one of [`Frontend::tests`]: kind, framework, statements, calls, fixtures.
    fn test_case(&self, project: &Self::Project, test: MethodId) -> TestCase;

    /// Resolves every call in the body of any method, in source order; none for a method without a body.
    fn calls(&self, project: &Self::Project, method: MethodId) -> Vec<Call>;

    /// Returns the steps in which a call in a method's body was resolved; `call` is its index in [`Frontend::calls`].
    fn trace(&self, project: &Self::Project, method: MethodId, call: u32) -> Vec<Step>;

    /// Returns the methods with a body that implement or override a declaration in the project.
    fn implementations(&self, project: &Self::Project, method: MethodId) -> Vec<MethodId>;

    /// Returns how values move through a test's body.
    fn clues(&self, project: &Self::Project, test: &TestCase) -> Clues;

    /// Returns the project's method that an object made by the constructor `maker` runs when `name` is called with so
    /// many arguments; nothing when several fit.
    fn dispatch(
        &self,
        project: &Self::Project,
        maker: MethodId,
        name: &str,
        n_arguments: usize,
    ) -> Option<MethodId>;

    /// Returns whether a method's body does no more than reading or writing a field.
    fn is_accessor(&self, project: &Self::Project, method: MethodId) -> bool;

    /// Returns whether the top-level class (package, name) has this method from a supertype.
    fn is_inherited_by(
        &self,
        project: &Self::Project,
        method: MethodId,
        class: (&str, &str),
    ) -> bool;

    /// Returns the spans of the lexer's tokens in any piece of source; comments and layout are no tokens.
    fn tokens(&self, text: &str) -> Vec<Span>;
}
