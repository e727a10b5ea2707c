//! The index over a repository's JavaScript: its declarations, and the members of objects.
//!
//! Built once, by one thread, in order of file and position; read-only afterwards.

mod below;
mod config;
mod effects;
mod factories;
mod json;
mod methods;
mod modules;
mod roles;
mod tests;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::config::Config;
use self::modules::{ModulePaths, Modules};
pub use self::tests::{Test, runner};
use super::facts::{
    BindingId, CaseKind, ClassId, ExportedBinding, Expr, ExprId, FnId, JavaScriptFacts, MemberKey,
    MemberKind, Name, ObjId, SiteId,
};
use super::symbols::{self, JavaScriptSymbols};
use super::value::{JavaScriptValue, ValueSet};
use crate::hierarchy::Hierarchy;
use crate::model::{FileId, FileRole, Framework, Method, MethodId};
use crate::outside::Outside;
use crate::symbols::{Sym, Symbols};

/// One file: its facts, and how they connect with the project.
#[derive(Debug)]
pub struct JavaScriptFile {
    pub facts: JavaScriptFacts,
    /// The project's numbers of the file's words.
    pub syms: Vec<Sym>,
    /// The file that each import means; none for a library's.
    pub imports: Vec<Option<FileId>>,
    /// The exports of the file by name, in order.
    pub exports: FxHashMap<Sym, Vec<ExportedBinding>>,
    pub stars: Vec<Option<FileId>>,
    /// The values that are given to `module.exports`.
    pub replaced: Vec<ExprId>,
    pub methods: FxHashMap<FnId, MethodId>,
    pub constructors: FxHashMap<ClassId, MethodId>,
    /// The call that a function is handed to, and the number of the argument.
    pub handed: FxHashMap<FnId, (SiteId, u16)>,
    /// The call of each function that is called where it stands.
    pub called_here: FxHashMap<FnId, SiteId>,
    /// The calls of each variable in this file.
    pub calls_of: FxHashMap<BindingId, Vec<SiteId>>,
    /// The variable that holds each function.
    pub held_by: FxHashMap<FnId, BindingId>,
    /// The functions of the file's cases.
    pub case_functions: Vec<Option<FnId>>,
    /// Functions that a runner calls, with the owner of the object that it hands to them.
    pub runs: FxHashMap<FnId, (CaseKind, Option<Sym>)>,
}

impl JavaScriptFile {
    pub fn sym(&self, name: Name) -> Sym {
        self.syms[name.index()]
    }
}

/// A value that a member was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberAssignment {
    pub file: FileId,
    pub value: AssignedValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignedValue {
    Expr(ExprId),
    Getter(FnId),
    /// A value that is known already.
    Value(JavaScriptValue),
}

/// The declaration behind a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decl {
    Function(FileId, FnId),
    /// A test or a hook, by its index in the file's cases.
    Case(FileId, u32),
    /// The constructor of a class that declares none.
    Default(FileId, ClassId),
}

/// All files, and the facts that follow from all of them together.
#[derive(Debug)]
pub struct JavaScriptProject {
    pub files: Vec<JavaScriptFile>,
    pub symbols: Symbols,
    pub words: JavaScriptSymbols,
    pub modules: Modules,
    pub methods: Arc<[Method]>,
    pub decls: Vec<Decl>,
    pub roles: Vec<FileRole>,
    pub members: FxHashMap<(JavaScriptValue, Sym), Vec<MemberAssignment>>,
    /// Members with computed names.
    pub computed_members: FxHashMap<JavaScriptValue, Vec<MemberAssignment>>,
    /// The objects that an object takes members from, beside its own.
    pub parents: FxHashMap<JavaScriptValue, Vec<JavaScriptValue>>,
    /// The objects that take the members of an object literal.
    pub literal_holders: FxHashMap<(FileId, ObjId), Vec<JavaScriptValue>>,
    /// Calls of `extend` that make classes.
    pub extend_sites: FxHashSet<(FileId, SiteId)>,
    /// Values that files make global: `window.name = it`.
    pub globals: FxHashMap<Sym, (FileId, ExprId)>,
    /// Members of main code by name.
    pub by_name: FxHashMap<Sym, Vec<MethodId>>,
    /// Files with classes, by their paths without the extension, in order.
    pub by_stem: FxHashMap<Box<str>, Vec<FileId>>,
    /// The classes right below a class or an interface.
    pub below: Hierarchy<(FileId, ClassId)>,
    /// Functions that factories made and that bear a name, by the call that makes them.
    pub factory_functions: FxHashMap<(FileId, SiteId), FnId>,
    /// Names of members that may be getters.
    pub getters: FxHashSet<Sym>,
    pub tests: Vec<Test>,
    /// The runner of tests that name none.
    pub framework: Framework,
}

impl JavaScriptProject {
    pub fn file(&self, id: FileId) -> &JavaScriptFile {
        &self.files[id.0 as usize]
    }

    pub fn word(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    pub fn method_of(&self, file: FileId, function: FnId) -> Option<MethodId> {
        self.file(file).methods.get(&function).copied()
    }

    fn note_getters(&mut self) {
        for file in &self.files {
            for function in &file.facts.functions {
                if function.kind == MemberKind::Getter {
                    self.getters.insert(file.sym(function.name));
                }
            }
            for site in &file.facts.sites {
                // A name that `defineProperty` may define, or a helper around it.
                if let Some(Expr::Text(name)) = site.args.get(1).map(|arg| file.facts.expr(*arg)) {
                    self.getters.insert(file.sym(*name));
                }
            }
        }
    }

    fn note_globals(&mut self) {
        for (n, file) in self.files.iter().enumerate() {
            for effect in &file.facts.effects {
                let (MemberKey::Named(name), Expr::Global(target)) =
                    (effect.key, file.facts.expr(effect.target))
                else {
                    continue;
                };
                let is_global = matches!(
                    file.facts.word(*target),
                    "window" | "global" | "globalThis" | "self"
                );
                // Only values that bear a name already: a literal is most likely a stub.
                if is_global && matches!(file.facts.expr(effect.value), Expr::Var(..)) {
                    let place = (FileId(n as u32), effect.value);
                    self.globals.entry(file.sym(name)).or_insert(place);
                }
            }
        }
    }

    /// Finds the role of a file; none before it is known.
    pub fn role(&self, file: FileId) -> Option<FileRole> {
        self.roles.get(file.0 as usize).copied()
    }

    /// Finds the only library or global that values belong to.
    pub fn word_of(&self, values: &ValueSet) -> Option<&str> {
        match values.list[..] {
            [JavaScriptValue::Outside(owner)] => Some(self.word(owner)),
            _ => None,
        }
    }

    /// Finds the file that a module's name means in a file; nothing for a library.
    pub fn module(&self, from: FileId, specifier: &str) -> Option<FileId> {
        self.modules.resolve(&self.file(from).facts.path, specifier)
    }

    /// Lists the instances that an object literal gives its members to.
    pub fn parents_of_literal(&self, file: FileId, object: ObjId) -> Option<&[JavaScriptValue]> {
        let holders = self.literal_holders.get(&(file, object))?;
        Some(holders)
    }

    pub fn test(&self, method: MethodId) -> Option<&Test> {
        let at = self.tests.binary_search_by_key(&method, |test| test.method);
        at.ok().map(|at| &self.tests[at])
    }
}

/// Builds the index over the facts of all files.
pub fn build(files: Vec<JavaScriptFacts>, outside: &Outside) -> JavaScriptProject {
    let (mut symbols, words) = symbols::interned_words();
    let paths = ModulePaths::new(files.iter().map(|file| file.path.as_str()));
    let configuration = outside.configuration.iter();
    let configuration = configuration
        .map(|configuration| (configuration.path.as_str(), configuration.text.as_str()));
    let sources: Vec<(&str, &str)> = files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), file.config_text.as_deref()?)))
        .collect();
    let config = Config::read(configuration, &sources);
    let framework = tests::framework_of(&config);
    let modules = Modules::new(paths, config);
    let files: Vec<JavaScriptFile> = files
        .into_iter()
        .map(|facts| file_of(facts, &mut symbols, &modules))
        .collect();
    for word in OWNERS {
        symbols.intern(word);
    }
    let by_stem = by_stem(&files);
    let mut project = JavaScriptProject {
        files,
        symbols,
        words,
        modules,
        methods: Arc::new([]),
        decls: Vec::new(),
        roles: Vec::new(),
        members: FxHashMap::default(),
        computed_members: FxHashMap::default(),
        parents: FxHashMap::default(),
        literal_holders: FxHashMap::default(),
        extend_sites: FxHashSet::default(),
        globals: FxHashMap::default(),
        by_name: FxHashMap::default(),
        by_stem,
        below: Hierarchy::default(),
        factory_functions: FxHashMap::default(),
        getters: FxHashSet::default(),
        tests: Vec::new(),
        framework,
    };
    project.note_getters();
    project.note_globals();
    effects::fill(&mut project);
    factories::fill(&mut project);
    below::fill(&mut project);
    let cases = tests::cases(&mut project);
    project.roles = roles::roles(&project, &cases);
    methods::add(&mut project, &cases);
    project
}

fn by_stem(files: &[JavaScriptFile]) -> FxHashMap<Box<str>, Vec<FileId>> {
    let mut by_stem: FxHashMap<Box<str>, Vec<FileId>> = FxHashMap::default();
    for (n, file) in files.iter().enumerate() {
        if let (false, Some((stem, _))) = (
            file.facts.classes.is_empty(),
            file.facts.path.rsplit_once('.'),
        ) {
            let of_stem = by_stem.entry(stem.into()).or_default();
            of_stem.push(FileId(n as u32));
        }
    }
    by_stem
}

/// Owners of the values that a runner hands to tests.
pub const OWNERS: &[&str] = &[
    "ava.assert",
    "tape.assert",
    "tap.assert",
    "qunit.assert",
    "node:test.assert",
    "deno.assert",
    "runner.assert",
    "runner",
    "supertest.expect",
    "should",
];

fn file_of(facts: JavaScriptFacts, symbols: &mut Symbols, modules: &Modules) -> JavaScriptFile {
    let syms = symbols.intern_all(&facts.names);
    let resolve = |name: Name| modules.resolve(&facts.path, facts.word(name));
    let imports = facts
        .imports
        .iter()
        .map(|import| resolve(import.from))
        .collect();
    let stars = facts.stars.iter().map(|star| resolve(*star)).collect();
    let mut exports: FxHashMap<Sym, Vec<ExportedBinding>> = FxHashMap::default();
    for export in &facts.exports {
        let sym = syms[export.name.index()];
        exports.entry(sym).or_default().push(export.what);
    }
    let mut file = JavaScriptFile {
        syms,
        imports,
        exports,
        stars,
        replaced: Vec::new(),
        methods: FxHashMap::default(),
        constructors: FxHashMap::default(),
        handed: FxHashMap::default(),
        called_here: FxHashMap::default(),
        calls_of: FxHashMap::default(),
        held_by: FxHashMap::default(),
        case_functions: Vec::new(),
        runs: FxHashMap::default(),
        facts,
    };
    file.note_functions();
    file
}

impl JavaScriptFile {
    /// Notes how functions of the file are called and handed over.
    fn note_functions(&mut self) {
        let facts = &self.facts;
        for (at, site) in facts.sites.iter().enumerate() {
            let id = SiteId(at as u32);
            if let Expr::Var(binding, _) = *facts.expr(site.callee)
                && matches!(site.kind, super::facts::SiteKind::Call)
            {
                let calls = self.calls_of.entry(binding).or_default();
                if calls.len() < CALLS_MAX {
                    calls.push(id);
                }
            }
            if let Expr::Function(function) = *facts.expr(site.callee) {
                self.called_here.insert(function, id);
            }
            for (n, arg) in site.args.iter().enumerate() {
                if let Expr::Function(function) = *facts.expr(*arg) {
                    self.handed.insert(function, (id, n.min(1_000) as u16));
                }
            }
        }
        for (at, binding) in facts.bindings.iter().enumerate() {
            for write in &binding.writes {
                if let Expr::Function(function) = *facts.expr(write.value) {
                    let id = BindingId(at as u32);
                    self.held_by.entry(function).or_insert(id);
                }
            }
        }
    }
}

/// How many calls of a function are looked at for the values of its parameters: each asks questions of its own.
const CALLS_MAX: usize = 24;
