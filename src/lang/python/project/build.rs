//! Builds the index from the facts of all files: numbers, modules, classes, methods, tests, and summaries of bodies.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::configuration::Settings;
use super::module::{Roots, module_of};
use super::role::roles;
use super::{BaseClass, PythonFile, PythonProject, Summary};
use crate::methods;
use crate::model::{
    CONSTRUCTOR, FileId, FileRole, Method, MethodId, MethodKind, Origin, Visibility,
};
use crate::outside::Configuration;
use crate::python::facts::{PythonFacts, ScopeKind};
use crate::python::resolve::{BodyContext, Ctx, State};
use crate::python::types::ScopeId;
use crate::python::{fixture, pytest};
use crate::symbols::Sym;

/// Words that are needed in every project.
const WORDS: &[&str] = &["*", "__init__", "__new__", "__call__", "__getattr__"];

/// Builds the index over the facts of all files, which are sorted by path.
pub fn build(files: Vec<PythonFacts>, configuration: &[Configuration]) -> PythonProject {
    let settings = Settings::read(configuration);
    let mut project = empty(settings);
    numbered(&mut project, files);
    modules(&mut project);
    names(&mut project);
    subclasses(&mut project);
    fields(&mut project);
    let state = State::default();
    let found = pytest::tests(
        &project,
        Ctx {
            project: &project,
            state: &state,
        },
    );
    let mut has_test = vec![false; project.files.len()];
    for (test, _) in &found {
        has_test[project.scope_files[test.index()].0 as usize] = true;
    }
    project.roles = roles(&project, &has_test);
    methods(&mut project);
    let tests = found
        .into_iter()
        .filter_map(|(scope, mark)| Some((project.method(scope)?, mark)));
    project.tests = tests.collect();
    project.tests.sort_by_key(|test| test.0);
    members_by_name(&mut project);
    let state = State::default();
    project.fixtures = fixture::collect(
        &project,
        Ctx {
            project: &project,
            state: &state,
        },
    );
    summaries(&mut project);
    project
}

fn empty(settings: Settings) -> PythonProject {
    PythonProject {
        settings,
        ..PythonProject::default()
    }
}

/// Numbers words and scopes, and marks the scopes that others may ask about.
fn numbered(project: &mut PythonProject, files: Vec<PythonFacts>) {
    for word in WORDS {
        project.symbols.intern(word);
    }
    for (file_idx, facts) in files.into_iter().enumerate() {
        let syms = project.symbols.intern_all(&facts.names);
        let first_scope = project.scope_files.len() as u32;
        let n_scopes = facts.scopes.len();
        let file = FileId(file_idx as u32);
        project
            .scope_files
            .extend(std::iter::repeat_n(file, n_scopes));
        let mut has_outside_readers = vec![false; n_scopes];
        for scope in facts.scopes.iter().skip(1) {
            has_outside_readers[scope.parent as usize] = true;
        }
        for binding in &facts.bindings {
            if let crate::python::facts::BindingOrigin::Global(function) = binding.what {
                has_outside_readers[function as usize] = true;
            }
        }
        for (scope, has_outside_readers) in facts.scopes.iter().zip(&mut has_outside_readers) {
            *has_outside_readers |= scope.kind != ScopeKind::Function;
        }
        project.has_outside_readers.extend(has_outside_readers);
        project.files.push(PythonFile {
            facts,
            syms,
            module: Box::default(),
            root: Box::default(),
            is_package: false,
            first_scope,
        });
    }
    let n_scopes = project.scope_files.len();
    project.decorated.resize_with(n_scopes, OnceLock::new);
    project.orders.resize_with(n_scopes, OnceLock::new);
    project.summaries.resize_with(n_scopes, OnceLock::new);
    project.earlier.resize_with(n_scopes, || None);
    project.method_of.resize(n_scopes, None);
}

fn modules(project: &mut PythonProject) {
    let paths: Vec<Box<str>> = project
        .files
        .iter()
        .map(|file| file.facts.path.clone())
        .collect();
    let packages: FxHashSet<&str> = paths
        .iter()
        .filter_map(|path| path.strip_suffix("/__init__.py"))
        .collect();
    let roots = Roots {
        configured: &project.settings.roots,
        packages,
    };
    let mut modules: FxHashMap<Box<str>, Vec<FileId>> = FxHashMap::default();
    let mut folders: FxHashSet<Box<str>> = FxHashSet::default();
    for (file_idx, path) in paths.iter().enumerate() {
        let id = FileId(file_idx as u32);
        let root = roots.root(path);
        let module = module_of(path, root);
        let from_top = module_of(path, "");
        for name in [&module, &from_top] {
            if name.is_empty() {
                continue;
            }
            let files = modules.entry(name.as_str().into()).or_default();
            if files.last() != Some(&id) {
                files.push(id);
            }
            for (end, _) in name.match_indices('.') {
                folders.insert(name[..end].into());
            }
        }
        let file = &mut project.files[file_idx];
        file.is_package = path.ends_with("/__init__.py") || &**path == "__init__.py";
        file.root = root.into();
        file.module = module.into();
    }
    project.modules = modules;
    project.folders = folders;
}

/// Sorts the bindings of every scope by name.
fn names(project: &mut PythonProject) {
    let mut names = Vec::with_capacity(project.scope_files.len());
    for file in &project.files {
        for run in &file.facts.bindings_of {
            let mut table: Vec<(Sym, u32)> = run
                .range()
                .map(|at| {
                    (
                        file.syms[file.facts.bindings[at].name.0 as usize],
                        at as u32,
                    )
                })
                .collect();
            table.sort_unstable();
            names.push(table.into_boxed_slice());
        }
    }
    project.names = names;
}

fn subclasses(project: &mut PythonProject) {
    let state = State::default();
    let ctx = Ctx::new(project, &state);
    let mut subclasses: FxHashMap<ScopeId, Vec<ScopeId>> = FxHashMap::default();
    for at in 0..project.scope_files.len() as u32 {
        let class = ScopeId(at);
        if project.kind(class) != ScopeKind::Class {
            continue;
        }
        let order = ctx.order(class);
        for base in order.iter().skip(1) {
            if let BaseClass::Class(base) = base {
                subclasses.entry(*base).or_default().push(class);
            }
        }
    }
    project.subclasses = subclasses;
}

/// Sorts the fields of classes by name.
fn fields(project: &mut PythonProject) {
    let mut all: Vec<(ScopeId, Sym, ScopeId)> = Vec::new();
    for file in &project.files {
        for field in &file.facts.fields {
            let Some(class) = field.class else { continue };
            let name = file.syms[field.name.0 as usize];
            let class = ScopeId(file.first_scope + class);
            all.push((class, name, ScopeId(file.first_scope + field.scope)));
        }
    }
    all.sort_unstable();
    all.dedup();
    for (class, name, function) in all {
        let table = project.fields.entry(class).or_default();
        table.push((name, function));
    }
}

// Methods.

fn methods(project: &mut PythonProject) {
    let mut found: Vec<(ScopeId, Method, bool)> = Vec::new();
    let state = State::default();
    let ctx = Ctx::new(project, &state);
    for file_idx in 0..project.files.len() {
        let file = &project.files[file_idx];
        for (local, scope) in file.facts.scopes.iter().enumerate().skip(1) {
            let id = ScopeId(file.first_scope + local as u32);
            let made = match scope.kind {
                ScopeKind::Function if is_declared(project, id) => Some(false),
                ScopeKind::Class if is_constructor_made(ctx, id) => Some(true),
                _ => None,
            };
            if let Some(is_made) = made {
                found.push((id, method(ctx, id, is_made), is_made));
            }
        }
    }
    methods::number(found.iter_mut().map(|found| &mut found.1));
    let mut methods = Vec::with_capacity(found.len());
    let mut made = FxHashMap::default();
    let mut scope_of = Vec::with_capacity(found.len());
    for (scope, method, is_made) in found {
        let id = MethodId(methods.len() as u32);
        if is_made {
            made.insert(scope, id);
        } else {
            project.method_of[scope.index()] = Some(id);
        }
        scope_of.push(scope);
        methods.push(method);
    }
    project.methods = methods.into();
    project.scope_of = scope_of;
    project.made_constructors = made;
}

/// Tells whether a function is a declaration: no function inside another one is.
fn is_declared(project: &PythonProject, function: ScopeId) -> bool {
    project.kind(project.parent(function)) != ScopeKind::Function
}

/// Tells whether a decorator or a base generates the constructor of a class.
fn is_constructor_made(ctx: Ctx<'_>, class: ScopeId) -> bool {
    let project = ctx.project;
    let is_own = ["__init__", "__new__"].iter().any(|word| {
        let name = project.find(word);
        name.is_some_and(|sym| project.is_bound(class, sym))
    });
    if is_own {
        return false;
    }
    let scope = project.scope(class);
    let facts = &project.file_of(class).facts;
    let by_decorator = facts.list(scope.decorators).iter().any(|expr_id| {
        facts.decorator(*expr_id).is_some_and(|text| {
            matches!(
                text.as_str(),
                "dataclass"
                    | "dataclasses.dataclass"
                    | "attr.s"
                    | "attr.attrs"
                    | "attr.define"
                    | "attr.frozen"
                    | "attr.mutable"
                    | "attr.dataclass"
                    | "attrs.define"
                    | "attrs.frozen"
                    | "attrs.mutable"
                    | "attrs"
                    | "define"
                    | "frozen"
            )
        })
    });
    by_decorator
        || ctx.order(class).get(1).is_some_and(
            |base| matches!(base, BaseClass::Lib(path) if &**path == "typing.NamedTuple"),
        )
}

fn method(ctx: Ctx<'_>, id: ScopeId, is_made: bool) -> Method {
    let project = ctx.project;
    let file_id = project.scope_files[id.index()];
    let file = project.file(file_id);
    let facts = &file.facts;
    let scope = project.scope(id);
    let (class, n_package) = class_of(project, id, is_made);
    let written = facts.word(scope.name);
    let decorated = ctx.decorated(id);
    let is_member = project.class_of(id).is_some();
    let name = if is_made || (is_member && is_constructor(project, id, written)) {
        CONSTRUCTOR
    } else {
        written
    };
    let kind = if name == CONSTRUCTOR {
        MethodKind::Constructor
    } else if is_member && (decorated.is_property || decorated.is_setter) {
        MethodKind::Property
    } else if is_member && is_dunder(written) {
        MethodKind::Operator
    } else {
        MethodKind::Method
    };
    let visibility = if written.starts_with('_') && !is_dunder(written) {
        Visibility::Private
    } else {
        Visibility::Public
    };
    Method {
        class,
        n_package,
        name: name.to_owned(),
        kind,
        signature: facts.headers[(id.0 - file.first_scope) as usize].to_string(),
        body: scope.body_span.filter(|_| !is_made),
        visibility,
        is_static: !is_member || decorated.is_static || decorated.is_class,
        origin: if is_made {
            Origin::Generated
        } else {
            Origin::Source
        },
        role: project
            .roles
            .get(file_id.0 as usize)
            .copied()
            .unwrap_or(FileRole::Main),
        ..methods::at(file_id, &facts.lines, scope.span, scope.name_span.start)
    }
}

/// Tells whether a method is a constructor: `__init__`, and `__new__` where a class has no `__init__`.
fn is_constructor(project: &PythonProject, function: ScopeId, name: &str) -> bool {
    match name {
        "__init__" => true,
        "__new__" => !project
            .find("__init__")
            .is_some_and(|sym| project.is_bound(project.parent(function), sym)),
        _ => false,
    }
}

fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// Returns the module and the classes around a function, and how many bytes the module has.
fn class_of(project: &PythonProject, id: ScopeId, is_made: bool) -> (String, u32) {
    let module = project.file_of(id).module.to_string();
    let n_package = module.len() as u32;
    let mut parts = Vec::new();
    let mut at = if is_made { id } else { project.parent(id) };
    while project.kind(at) != ScopeKind::Module {
        if project.kind(at) == ScopeKind::Class {
            parts.push(project.word(project.name_of(at)));
        }
        at = project.parent(at);
    }
    parts.push(&module);
    parts.retain(|part| !part.is_empty());
    parts.reverse();
    (parts.join("."), n_package)
}

/// Groups the members of classes in main code by name.
fn members_by_name(project: &mut PythonProject) {
    let mut by_name: FxHashMap<Sym, Vec<MethodId>> = FxHashMap::default();
    for (number, method) in project.methods.iter().enumerate() {
        let scope = project.scope_of[number];
        if method.role == FileRole::Main
            && method.kind == MethodKind::Method
            && project.kind(scope) == ScopeKind::Function
            && project.class_of(scope).is_some()
        {
            let name = project.name_of(scope);
            by_name
                .entry(name)
                .or_default()
                .push(MethodId(number as u32));
        }
    }
    project.by_name = by_name;
}

/// Walks every body once, in order; then those again that met something not known yet.
fn summaries(project: &mut PythonProject) {
    round(project);
    let mut earlier: Vec<Option<Summary>> = Vec::with_capacity(project.summaries.len());
    for known in &mut project.summaries {
        let is_tainted = known.get().is_some_and(|summary| summary.is_tainted);
        earlier.push(if is_tainted { known.take() } else { None });
    }
    project.earlier = earlier;
    round(project);
    project.earlier.fill(None);
}

fn round(project: &PythonProject) {
    let state = State::storing();
    let ctx = Ctx::new(project, &state);
    for at in 0..project.summaries.len() as u32 {
        let scope = ScopeId(at);
        if is_kept(project, scope) {
            state.begin();
            let _ = ctx.walk(scope, &BodyContext::default());
        }
    }
}

/// Tells whether a scope's summary is kept: only functions inside a test ask for a test's.
fn is_kept(project: &PythonProject, scope: ScopeId) -> bool {
    project.has_outside_readers[scope.index()] || !project.is_test(scope)
}
