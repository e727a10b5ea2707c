//! Finds the types of names: in modules and classes, through imports, and among Python's built-in names.

use super::context::Ctx;
use crate::model::{FileId, UnknownReason};
use crate::python::facts::{Binding, BindingOrigin, PythonImport, ScopeKind};
use crate::python::project::{ModuleLookup, Summary};
use crate::python::types::{ClassExactness, ScopeId, Ty};
use crate::symbols::Sym;

/// Modules that come with Python, sorted; helpers of tests are often named like them.
const STANDARD: &[&str] = &[
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "base64",
    "builtins",
    "calendar",
    "cmd",
    "code",
    "codecs",
    "collections",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "email",
    "enum",
    "errno",
    "fractions",
    "functools",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "http",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "locale",
    "logging",
    "math",
    "mimetypes",
    "multiprocessing",
    "numbers",
    "operator",
    "os",
    "parser",
    "pathlib",
    "pickle",
    "platform",
    "pprint",
    "profile",
    "queue",
    "random",
    "re",
    "resource",
    "sched",
    "secrets",
    "select",
    "shutil",
    "signal",
    "site",
    "socket",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "symbol",
    "sys",
    "tempfile",
    "test",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "token",
    "tokenize",
    "trace",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "xml",
    "zipfile",
    "zlib",
    "zoneinfo",
];

/// How many bindings of a name in a scope are looked at: the last ones.
const BINDINGS_MAX: usize = 16;

impl Ctx<'_> {
    /// Finds the type of a name at the top level of a file; nothing where it is not bound there.
    pub fn global(self, file: FileId, name: Sym) -> Option<Ty> {
        let scope = self.project.module_scope(file);
        self.looking(scope, name, || {
            self.bound(scope, name).or_else(|| self.starred(file, name))
        })
    }

    /// Finds the type of a name from its bindings in a scope.
    pub fn bound(self, scope: ScopeId, name: Sym) -> Option<Ty> {
        let bindings = self.project.bindings(scope, name).rev();
        let mut bindings: Vec<&Binding> = bindings.take(BINDINGS_MAX).collect();
        bindings.reverse();
        let last = bindings.last()?;
        let is_assigned = |binding: &&Binding| {
            matches!(
                binding.what,
                BindingOrigin::Assign | BindingOrigin::Param | BindingOrigin::Global(_)
            )
        };
        let is_clear = !last.is_conditional && !is_assigned(last);
        if !is_clear && bindings.iter().any(is_assigned) {
            let held = self.variable(scope, name, &bindings);
            if self.project.kind(scope) == ScopeKind::Module
                && held.as_ref().is_none_or(Ty::is_unknown)
            {
                // `try: from x import y` with a substitute.
                let inside = bindings
                    .iter()
                    .filter(|binding| matches!(binding.what, BindingOrigin::Import(_)));
                let mut inside = inside.filter_map(|binding| self.binding(scope, binding));
                return inside.find(is_inside).or(held);
            }
            return held;
        }
        let from = bindings
            .iter()
            .rposition(|binding| !binding.is_conditional)
            .unwrap_or(0);
        // An unconditional function after others replaces them, except its overloads and its setter.
        let mut functions = Vec::new();
        for binding in &bindings[from..] {
            functions.extend(self.binding(scope, binding));
        }
        let is_side = |ty: &Ty| {
            matches!(ty, Ty::Func(function) if {
                let flags = self.decorated(*function);
                flags.is_overload || flags.is_setter
            })
        };
        let kept: Vec<Ty> = functions
            .iter()
            .filter(|function| !is_side(function))
            .cloned()
            .collect();
        let kept = if kept.is_empty() {
            let all = bindings
                .iter()
                .filter_map(|binding| self.binding(scope, binding));
            let main: Vec<Ty> = all.filter(|ty| !is_side(ty)).collect();
            main.last().cloned().map_or(functions, |ty| vec![ty])
        } else {
            kept
        };
        let is_import = |binding: &&Binding| matches!(binding.what, BindingOrigin::Import(_));
        if bindings[from..].iter().any(is_import) {
            // An import that is tried after a substitute replaces it; of several tries the first inside the project
            // holds.
            let tried = &bindings[from + usize::from(!bindings[from].is_conditional)..];
            let mut tried = tried.iter().filter(|binding| is_import(binding));
            let inside = tried.find_map(|binding| self.binding(scope, binding).filter(is_inside));
            if let Some(inside) = inside.or_else(|| kept.iter().find(|ty| is_inside(ty)).cloned()) {
                return Some(inside);
            }
        }
        if kept.iter().all(|ty| matches!(ty, Ty::Lib(_))) {
            return kept.into_iter().next();
        }
        Some(Ty::join_all(kept))
    }

    fn variable(self, scope: ScopeId, name: Sym, bindings: &[&Binding]) -> Option<Ty> {
        let vars = |summary: &Summary| Summary::get(&summary.vars, name).cloned();
        let mut held = self.summary(scope, vars).flatten();
        for binding in bindings {
            if let BindingOrigin::Global(function) = binding.what {
                let file = self.project.scope_files[scope.index()];
                let function = self.scope_of(file, function);
                let there = self.summary(function, vars).flatten();
                held = match (held, there) {
                    (Some(a), Some(b)) => Some(a.join(b)),
                    (a, b) => a.or(b),
                };
            }
        }
        held
    }

    /// Finds the type that a definition or an import binds; nothing for others.
    fn binding(self, scope: ScopeId, binding: &Binding) -> Option<Ty> {
        let file = self.project.scope_files[scope.index()];
        match binding.what {
            BindingOrigin::Define(local) => Some(self.defined(self.scope_of(file, local))),
            BindingOrigin::Import(number) => {
                let import = self.project.file(file).facts.imports[number as usize];
                (!import.is_star).then(|| self.import(file, &import))
            }
            _ => None,
        }
    }

    pub fn defined(self, scope: ScopeId) -> Ty {
        match self.project.kind(scope) {
            ScopeKind::Class => Ty::Class(scope, ClassExactness::Made),
            _ => self.function_ty(scope),
        }
    }

    /// Finds the type of a name that `from … import *` brings; the last such import is tried first.
    fn starred(self, file: FileId, name: Sym) -> Option<Ty> {
        let star = self.project.find("*")?;
        let scope = self.project.module_scope(file);
        let imports: Vec<&Binding> = self.project.bindings(scope, star).collect();
        for binding in imports.into_iter().rev() {
            let BindingOrigin::Import(number) = binding.what else {
                continue;
            };
            let import = self.project.file(file).facts.imports[number as usize];
            let Ty::Module(target) = self.module_of(file, &import) else {
                continue;
            };
            if target != file
                && self.is_exported(target, name)
                && let Some(ty) = self.global(target, name)
            {
                return Some(ty);
            }
        }
        None
    }

    fn is_exported(self, file: FileId, name: Sym) -> bool {
        let file = self.project.file(file);
        match &file.facts.exported {
            Some(names) => names
                .iter()
                .any(|exported_name| file.syms[exported_name.0 as usize] == name),
            None => !self.project.word(name).starts_with('_'),
        }
    }

    /// Resolves the module that an import names, without the names it takes from there.
    fn module_of(self, file: FileId, import: &PythonImport) -> Ty {
        let facts = &self.project.file(file).facts;
        let module = facts.word(import.module);
        if import.level > 0 {
            return match self.project.relative(file, import.level, module) {
                Some(found) => ty_of(found, module),
                None => Ty::Unknown(UnknownReason::ClassNotFound),
            };
        }
        self.module_ty(file, module)
    }

    pub fn module_ty(self, file: FileId, module: &str) -> Ty {
        let found = self.project.module_named(module, file);
        let first = module.split('.').next().unwrap_or(module);
        if STANDARD.binary_search(&first).is_ok() {
            // Only a neighbour hides a module of Python itself.
            let is_near = matches!(found, ModuleLookup::File(module_file)
                if self.project.file(module_file).root == self.project.file(file).root
                    && self.project.file(module_file).root.is_empty());
            if !is_near {
                return Ty::lib(module);
            }
        }
        ty_of(found, module)
    }

    /// Finds the type of the name that an import binds.
    pub fn import(self, file: FileId, import: &PythonImport) -> Ty {
        let facts = &self.project.file(file).facts;
        let Some(name) = import.name else {
            let module = facts.word(import.module);
            if import.is_aliased {
                return self.module_of(file, import);
            }
            return self.module_ty(file, module.split('.').next().unwrap_or(module));
        };
        let word = facts.word(name);
        let sym = self.project.file(file).syms[name.0 as usize];
        match self.module_of(file, import) {
            Ty::Module(target) if target == file => self
                .project
                .submodule(target, word)
                .unwrap_or(Ty::Unknown(UnknownReason::ClassNotFound)),
            module => self.module_attr(&module, sym),
        }
    }

    /// Finds the type of a member of a module, a folder of modules, or a library.
    pub fn module_attr(self, module: &Ty, name: Sym) -> Ty {
        let word = self.project.word(name);
        match module {
            Ty::Module(file) => {
                if let Some(ty) = self.global(*file, name) {
                    return ty;
                }
                if let Some(ty) = self.project.submodule(*file, word) {
                    return ty;
                }
                Ty::Unknown(UnknownReason::ClassNotFound)
            }
            Ty::Folder(path) => {
                let path = format!("{path}.{word}");
                if let Some(file) = self
                    .project
                    .modules
                    .get(path.as_str())
                    .and_then(|module| module.first())
                {
                    return Ty::Module(*file);
                }
                if self.project.folders.contains(path.as_str()) {
                    return Ty::Folder(path.into());
                }
                Ty::Unknown(UnknownReason::ClassNotFound)
            }
            Ty::Lib(path) => Ty::lib(&format!("{path}.{word}")),
            other => other.clone(),
        }
    }

    /// Finds the type of a name in a scope, for code of that scope.
    pub fn outer(self, scope: ScopeId, name: Sym) -> Ty {
        self.sought(scope, name, true)
    }

    /// Finds the type of a name in a scope, for functions inside it, which do not see the names of a class body.
    pub fn around(self, scope: ScopeId, name: Sym) -> Ty {
        self.sought(scope, name, false)
    }

    fn sought(self, scope: ScopeId, name: Sym, mut is_first: bool) -> Ty {
        let mut at = scope;
        loop {
            match self.project.kind(at) {
                ScopeKind::Module => {
                    let file = self.project.scope_files[at.index()];
                    return self
                        .global(file, name)
                        .unwrap_or_else(|| self.built_in(name));
                }
                ScopeKind::Class if is_first => {
                    if let Some(ty) = self.looking(at, name, || self.bound(at, name)) {
                        return ty;
                    }
                }
                ScopeKind::Class => {}
                ScopeKind::Function => {
                    if self.project.is_bound(at, name) {
                        let known = self.looking(at, name, || self.bound(at, name));
                        return known.unwrap_or(Ty::Unknown(UnknownReason::ReceiverType));
                    }
                }
            }
            is_first = false;
            at = self.project.parent(at);
        }
    }

    fn built_in(self, name: Sym) -> Ty {
        let word = self.project.word(name);
        if super::library::is_built_in(word) {
            return Ty::lib(&format!("builtins.{word}"));
        }
        match word {
            "__name__" | "__file__" | "__doc__" => Ty::lib_inst("builtins.str"),
            _ => Ty::Unknown(UnknownReason::ReceiverName),
        }
    }
}

const fn is_inside(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Inst(..) | Ty::Class(..) | Ty::Func(_) | Ty::Module(_) | Ty::Folder(_)
    )
}

fn ty_of(found: ModuleLookup, module: &str) -> Ty {
    match found {
        ModuleLookup::File(file) => Ty::Module(file),
        ModuleLookup::Folder(path) => Ty::Folder((*path).into()),
        ModuleLookup::Missing => Ty::Unknown(UnknownReason::ClassNotFound),
        ModuleLookup::Outside => Ty::lib(module),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn modules_of_python_are_sorted() {
        assert!(super::STANDARD.is_sorted());
    }
}
