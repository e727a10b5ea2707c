//! Languages: from source text to owned facts, to one immutable project index, to resolved calls.
//!
//! A language is a value here: [`facts`], [`project`], [`tokens`] and the rest take it as an argument, and what they
//! return is the same type for every language. So nothing above this module is generic over a language. What a language
//! is made of, and how one is added: `docs/architecture-language.md`.
//!
//! What every language promises: parsing and resolving never fail and do no I/O. Broken source gives fewer facts and a
//! [`Problem`]; a call that cannot be resolved carries its reason. Everything is returned in order of file and
//! position, whatever the number of threads.
//!
//! Sole owner of tree-sitter, and of what reads jars and class files.

use focalist_model as model;

use std::any::Any;
use std::sync::Arc;

use crate::model::{Call, CallRole, Language, Method, MethodId, Problem, Role, Span, TestCase};

pub mod bounded;
pub mod csharp;
pub mod dialect;
pub mod go;
pub mod java;
pub mod javascript;
pub mod python;
pub mod syntax;

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'t> {
    /// Relative to the repository, with `/`.
    pub path: &'t str,
    pub text: &'t str,
}

/// What one source file says, for the index of its language; no syntax tree is kept.
#[derive(Debug)]
pub struct Facts(Box<dyn Any + Send>);

impl Facts {
    fn new(facts: impl Any + Send) -> Self {
        Self(Box::new(facts))
    }

    /// Returns what [`Facts::new`] was given.
    ///
    /// # Panics
    /// When these are the facts of another language.
    fn into<T: Any>(self) -> T {
        *self
            .0
            .downcast()
            .expect("a project is made of facts of its own language")
    }
}

/// The facts of one file, and what was wrong with it.
#[derive(Debug)]
pub struct Parsed {
    pub facts: Facts,
    pub problem: Option<Problem>,
}

/// What lies outside the sources of a project and is known beside them. By default what is built in.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The libraries that Java sources may name, where a class path was given.
    pub java: Option<java::Libraries>,
}

/// The sources of one repository in one language, indexed.
#[derive(Debug)]
pub struct Project {
    pub language: Language,
    /// Every declared method and constructor; `MethodId(n)` is the n-th.
    pub methods: Arc<[Method]>,
    /// The side of every file (MINING.md rule 2); `FileId(n)` is the n-th.
    pub roles: Vec<Role>,
    /// The methods that are tests (rule 1), in order of file and position.
    pub tests: Vec<MethodId>,
    pub index: Box<dyn Index>,
}

impl Project {
    #[must_use]
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }
}

/// What is asked about the code of a project, for resolving and for weighing evidence. Answers are the same on every
/// call, whichever thread asks.
pub trait Index: Send + Sync + std::fmt::Debug {
    /// Resolves one of [`Project::tests`]: kind, framework, statements, calls, fixtures.
    fn test_case(&self, test: MethodId) -> TestCase;

    /// Resolves every call in the body of any method, in source order; none for a method without a body.
    fn calls(&self, method: MethodId) -> Vec<Call>;

    /// Returns the steps in which a call in a method's body was resolved; `call` is its index in [`Index::calls`].
    fn trace(&self, method: MethodId, call: u32) -> Vec<Step>;

    /// Returns the methods with a body that implement or override a declaration in the project.
    fn implementations(&self, method: MethodId) -> Vec<MethodId>;

    /// Returns how values move through a test's body.
    fn clues(&self, test: &TestCase) -> Clues;

    /// Returns the project's method that an object made by the constructor `maker` runs when `name` is called with so
    /// many arguments; nothing when several fit.
    fn dispatch(&self, maker: MethodId, name: &str, n_arguments: usize) -> Option<MethodId>;

    /// Returns whether a method's body does no more than reading or writing a field.
    fn is_accessor(&self, method: MethodId) -> bool;

    /// Returns whether the top-level class (package, name) has this method from a supertype.
    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool;
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

/// What the folder of a language gives to this module; without it a language can be scored, but not mined.
struct FrontEnd {
    /// See [`version`].
    version: &'static str,
    /// Parses one file. Called from many threads.
    facts: fn(Source<'_>, &Outside) -> Parsed,
    /// Builds the index; `FileId(n)` is the n-th file.
    project: fn(Vec<Facts>, &Outside) -> Project,
    /// Cuts any piece of source into tokens.
    tokens: fn(&str) -> Vec<Span>,
}

const fn front_end(language: Language) -> Option<&'static FrontEnd> {
    match language {
        Language::Java => Some(&java::FRONT_END),
        Language::Python | Language::Go | Language::JavaScript | Language::CSharp => None,
    }
}

fn needed(language: Language) -> &'static FrontEnd {
    front_end(language).expect("only languages that have a front end are mined")
}

/// Returns whether sources in a language can be read into a project.
#[must_use]
pub const fn is_mined(language: Language) -> bool {
    front_end(language).is_some()
}

/// Returns the version of what a language's sources are read with; it is raised when any of its rules changes what is
/// stored. `0` for a language that cannot be mined.
#[must_use]
pub const fn version(language: Language) -> &'static str {
    match front_end(language) {
        Some(front_end) => front_end.version,
        None => "0",
    }
}

/// Parses one file.
///
/// # Panics
/// When the language cannot be mined ([`is_mined`]).
#[must_use]
pub fn facts(language: Language, source: Source<'_>, outside: &Outside) -> Parsed {
    (needed(language).facts)(source, outside)
}

/// Builds the index over the facts of all files, which are sorted by path; `FileId(n)` is the n-th of them.
///
/// # Panics
/// When the language cannot be mined, or facts are of another one.
#[must_use]
pub fn project(language: Language, facts: Vec<Facts>, outside: &Outside) -> Project {
    (needed(language).project)(facts, outside)
}

/// Parses sources, which are sorted by path, one after the other and builds the index over them; what is wrong with a
/// file is not told.
///
/// # Panics
/// When the language cannot be mined.
#[must_use]
pub fn project_of<'t>(
    language: Language,
    sources: impl IntoIterator<Item = Source<'t>>,
    outside: &Outside,
) -> Project {
    let sources = sources.into_iter();
    let facts = sources.map(|source| facts(language, source, outside).facts);
    project(language, facts.collect(), outside)
}

/// Returns the spans of the lexer's tokens in any piece of source; comments and layout are no tokens.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    match front_end(language) {
        Some(front_end) => (front_end.tokens)(text),
        None => syntax::tokens(language, text),
    }
}
