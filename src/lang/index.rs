//! The result of reading the sources in a language: a project, and the questions that it answers.
//!
//! This file only defines values and questions; other files decide which language answers them, and how.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::{Call, CallRole, FileRole, Language, Method, MethodId, Problem, Span, TestCase};
use crate::outside::Outside;
use crate::syntax::file_tokens::FileTokens;
use crate::syntax::{self, tree::is_beyond};

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'t> {
    /// Relative to the repository, with `/`.
    pub path: &'t str,
    pub text: &'t str,
}

/// The sources of one repository in one language, indexed.
#[derive(Debug)]
pub struct Project {
    pub language: Language,
    /// Every declared method and constructor; `MethodId(n)` is the n-th.
    pub methods: Arc<[Method]>,
    /// The side of every file (MINING.md rule 2); `FileId(n)` is the n-th.
    pub roles: Vec<FileRole>,
    /// The methods that are tests (rule 1), in order of file and position.
    pub tests: Vec<MethodId>,
    pub index: Box<dyn Index>,
    /// What [`Project::tokens`] reads; `FileId(n)` is the n-th.
    pub(super) tokens: Vec<Option<FileTokens>>,
}

impl Project {
    /// Lists the tokens of a method with this text: those that [`tokens`](syntax::tokens) returns for the text, which
    /// is parsed only where the file's tree does not give them.
    #[must_use]
    pub fn tokens(&self, method: &Method, text: &str) -> Vec<Span> {
        let of_file = self.tokens.get(method.file.0 as usize);
        let of_file = of_file.and_then(Option::as_ref);
        of_file
            .filter(|_| !is_beyond(self.language, text))
            .and_then(|tokens| tokens.of_piece(method.span))
            .unwrap_or_else(|| syntax::tokens(self.language, text))
    }

    #[must_use]
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }
}

/// Answers questions about the code of a project, for resolving and for weighing evidence. The answers are the same on
/// every call and every thread.
pub trait Index: Send + Sync + std::fmt::Debug {
    /// Resolves one of [`Project::tests`]: kind, framework, statements, calls, fixtures.
    fn test_case(&self, test: MethodId) -> TestCase;

    /// Resolves every call in the body of any method, in source order; none for a method without a body.
    fn calls(&self, method: MethodId) -> Vec<Call>;

    /// Lists the steps in which a call in a method's body was resolved; `call` is its index in [`Index::calls`].
    fn trace(&self, method: MethodId, call: u32) -> Vec<ResolutionStep>;

    /// Finds the methods with a body that implement or override a declaration in the project.
    fn implementations(&self, method: MethodId) -> Vec<MethodId>;

    /// Describes how values move through a test's body.
    fn clues(&self, test: &TestCase) -> Clues;

    /// Finds the project's method that an object made by the constructor `maker` runs when `name` is called with
    /// `n_arguments` arguments; nothing when several fit.
    fn dispatch(&self, maker: MethodId, name: &str, n_arguments: usize) -> Option<MethodId>;

    /// Tells whether a method's body does no more than reading or writing a field.
    fn is_accessor(&self, method: MethodId) -> bool;

    /// Tells whether the top-level class (package, name) inherits this method.
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

/// Facts in a test's body beyond its calls; hints for matching, not proofs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clues {
    /// In order of `to`, then `from`.
    pub flows: Vec<Flow>,
    /// Calls (indices into `TestCase::calls`) on a field that only ever holds objects of one project class, each with
    /// a constructor of that class.
    pub field_constructors: Vec<(u32, MethodId)>,
}

impl Clues {
    /// Sorts the clues, and drops repetitions.
    pub(crate) fn sorted(mut self) -> Self {
        self.flows.sort_unstable_by_key(|flow| (flow.to, flow.from));
        self.flows.dedup();
        self.field_constructors.sort_unstable();
        self.field_constructors.dedup();
        self
    }
}

/// The class of the objects that each field holds, by the name of the field; none where a field holds anything else.
#[derive(Debug)]
pub(crate) struct FieldClasses<C>(FxHashMap<String, Option<C>>);

impl<C: Copy + PartialEq> FieldClasses<C> {
    pub fn new() -> Self {
        Self(FxHashMap::default())
    }

    /// Notes the class of a value that a field is given; a field that is given anything but objects of one class has no
    /// known class.
    pub fn note(&mut self, field: &str, class: Option<C>) {
        let known = self.0.entry(field.to_owned()).or_insert(class);
        if *known != class {
            *known = None;
        }
    }

    /// Maps each field whose class is known to a constructor of that class; fields without one are left out.
    pub fn constructors(
        self,
        constructor: impl Fn(C) -> Option<MethodId>,
    ) -> FxHashMap<String, MethodId> {
        let fields = self.0.into_iter();
        let made = fields.filter_map(|(name, class)| Some((name, constructor(class?)?)));
        made.collect()
    }
}

/// One step of a call's resolution, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolutionStep {
    /// The thing that was looked at: `receiver`, `candidate`, `chosen` …
    pub label: &'static str,
    pub detail: String,
}

impl ResolutionStep {
    pub(crate) fn new(label: &'static str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self { label, detail }
    }
}

/// The part of a language that this crate calls; without it a language can be scored, but not mined.
pub(super) trait FrontEnd {
    /// The facts of one source file, owned and compact; no syntax tree is kept.
    type Facts;

    /// Raised when any rule changes the stored rows.
    const VERSION: u32;

    /// Parses one file. Called from many threads.
    fn read(source: SourceText<'_>, outside: &Outside) -> FileReading<Self::Facts>;

    /// Builds the index; `FileId(n)` is the n-th file.
    fn index(files: Vec<Self::Facts>, outside: &Outside) -> Project;
}

/// One file as its front end reads it.
pub(super) struct FileReading<F> {
    pub facts: F,
    /// Absent where tokens are lexed without a tree, and where the file has errors.
    pub tokens: Option<FileTokens>,
    pub problem: Option<Problem>,
}
