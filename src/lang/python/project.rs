//! The index over the Python files of a repository: their declarations, and how names lead from one to another.

mod build;
mod collected;
mod configuration;
mod module;
mod role;

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::build::build;
pub use self::collected::{CollectedTest, Fixtures};
pub use self::configuration::Settings;
pub use self::module::ModuleLookup;
use super::facts::{Binding, Name, PythonFacts, PythonScope, ScopeKind};
use super::types::{ScopeId, Ty};
use crate::model::{FileId, FileRole, Method, MethodId};
use crate::symbols::{Sym, Symbols, named};

/// One file of the project.
#[derive(Debug)]
pub struct PythonFile {
    pub facts: PythonFacts,
    /// The project's number of each word of the file.
    pub syms: Vec<Sym>,
    /// Dotted, from its import root.
    pub module: Box<str>,
    /// The folder that its imports start from, `""` or without the last `/`.
    pub root: Box<str>,
    /// Whether it is a package's `__init__.py`.
    pub is_package: bool,
    /// The number of the module's scope; those in it follow.
    pub first_scope: u32,
}

/// A class that another one derives from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BaseClass {
    Class(ScopeId),
    /// A library's, dotted.
    Lib(Arc<str>),
    Unknown,
}

/// The types that one walk of a scope's body finds.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub returns: Option<Ty>,
    pub yields: Option<Ty>,
    /// All types that each variable ever had, joined; by name.
    pub vars: Box<[(Sym, Ty)]>,
    /// `self.x = …`, by name.
    pub fields: Box<[(Sym, Ty)]>,
    /// `request.cls.x = …`, by name.
    pub class_fields: Box<[(Sym, Ty)]>,
    /// Whether something was not known yet when it was walked.
    pub is_tainted: bool,
}

impl Summary {
    pub fn get(table: &[(Sym, Ty)], name: Sym) -> Option<&Ty> {
        let at = table.binary_search_by_key(&name, |table| table.0).ok()?;
        Some(&table[at].1)
    }
}

/// The effects of a function's decorators.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a decorator of its own, and any may stand beside any"
)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecoratorFlags {
    pub is_static: bool,
    pub is_class: bool,
    pub is_property: bool,
    pub is_setter: bool,
    pub is_overload: bool,
    pub is_context: bool,
    pub is_fixture: bool,
    pub is_abstract: bool,
    /// A generator whose `yield` waits as `await` does.
    pub is_coroutine: bool,
    /// A wrapper of the project stands around it.
    pub is_wrapped: bool,
    /// The object that its name means, where a decorator makes one.
    pub becomes: Option<Ty>,
}

#[derive(Debug, Default)]
pub struct PythonProject {
    pub files: Vec<PythonFile>,
    pub symbols: Symbols,
    pub scope_files: Vec<FileId>,
    /// Of each scope: its bindings by name, then in source order; indices into the file's table.
    pub names: Vec<Box<[(Sym, u32)]>>,
    /// Files by module, from their import roots and from the repository's root.
    pub modules: FxHashMap<Box<str>, Vec<FileId>>,
    /// Folders above modules, dotted.
    pub folders: FxHashSet<Box<str>>,
    pub methods: Arc<[Method]>,
    /// Of each scope that is declared: its method.
    pub method_of: Vec<Option<MethodId>>,
    pub scope_of: Vec<ScopeId>,
    /// Constructors that a decorator makes, by class.
    pub made_constructors: FxHashMap<ScopeId, MethodId>,
    pub decorated: Vec<OnceLock<DecoratorFlags>>,
    /// Method resolution order of each class.
    pub orders: Vec<OnceLock<Arc<[BaseClass]>>>,
    pub subclasses: FxHashMap<ScopeId, Vec<ScopeId>>,
    /// Of each class: fields and the functions that assign them, in source order.
    pub fields: FxHashMap<ScopeId, Vec<(Sym, ScopeId)>>,
    pub summaries: Vec<OnceLock<Summary>>,
    /// Tainted summaries of the first round, kept until the second one ends.
    pub earlier: Vec<Option<Summary>>,
    /// Whether other scopes may ask for a scope's variables.
    pub has_outside_readers: Vec<bool>,
    /// Members of classes in main code, by name.
    pub by_name: FxHashMap<Sym, Vec<MethodId>>,
    pub roles: Vec<FileRole>,
    /// In order of their methods, each with the reason why it is a test.
    pub tests: Vec<(MethodId, CollectedTest)>,
    pub fixtures: Fixtures,
    pub settings: Settings,
}

impl PythonProject {
    pub fn file(&self, id: FileId) -> &PythonFile {
        &self.files[id.0 as usize]
    }

    pub fn file_of(&self, scope: ScopeId) -> &PythonFile {
        self.file(self.scope_files[scope.index()])
    }

    pub fn scope(&self, id: ScopeId) -> &PythonScope {
        let file = self.file_of(id);
        file.facts.scope(id.0 - file.first_scope)
    }

    /// Finds the scope around one; a module is its own.
    pub fn parent(&self, id: ScopeId) -> ScopeId {
        let file = self.file_of(id);
        ScopeId(file.first_scope + file.facts.scope(id.0 - file.first_scope).parent)
    }

    pub fn kind(&self, id: ScopeId) -> ScopeKind {
        self.scope(id).kind
    }

    pub fn module_scope(&self, file: FileId) -> ScopeId {
        ScopeId(self.file(file).first_scope)
    }

    pub fn word(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    pub fn find(&self, word: &str) -> Option<Sym> {
        self.symbols.find(word)
    }

    pub fn sym(&self, scope: ScopeId, name: Name) -> Sym {
        self.file_of(scope).syms[name.0 as usize]
    }

    pub fn name_of(&self, scope: ScopeId) -> Sym {
        self.sym(scope, self.scope(scope).name)
    }

    /// Lists the bindings of a name in a scope, in source order.
    pub fn bindings(&self, scope: ScopeId, name: Sym) -> impl DoubleEndedIterator<Item = &Binding> {
        let facts = &self.file_of(scope).facts;
        named(&self.names[scope.index()], name)
            .iter()
            .map(|(_, at)| &facts.bindings[*at as usize])
    }

    pub fn is_bound(&self, scope: ScopeId, name: Sym) -> bool {
        let names = &self.names[scope.index()];
        names.binary_search_by_key(&name, |name| name.0).is_ok()
    }

    /// Finds the class that a function is declared in.
    pub fn class_of(&self, function: ScopeId) -> Option<ScopeId> {
        let parent = self.parent(function);
        (self.kind(function) != ScopeKind::Module && self.kind(parent) == ScopeKind::Class)
            .then_some(parent)
    }

    pub fn method(&self, scope: ScopeId) -> Option<MethodId> {
        self.method_of[scope.index()]
    }

    pub fn is_test(&self, function: ScopeId) -> bool {
        let method = self.method(function);
        method.is_some_and(|method_id| {
            self.tests
                .binary_search_by_key(&method_id, |test| test.0)
                .is_ok()
        })
    }
}
