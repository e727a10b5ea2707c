//! The immutable index over all files: packages, declared types, functions and variables.
//!
//! [`mod@build`] makes it, `name` resolves written types, and `member` finds members of types. Nothing here types a
//! body.

mod build;
mod member;
mod method;
mod name;
mod role;

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::build::build;
pub use self::member::{GoMember, GoMemberLookup};
pub use self::name::GoNameScope;
use super::facts::{self, FuncDecl, GoFacts, GoValueSpec, InterfaceMethod, Name};
use super::types::{FuncId, NamedId, ParamId, Signature, Subst, Ty};
use crate::ids::{ids, rows};
use crate::methods::TestMark;
use crate::model::{FileId, FileRole, Method, MethodId};
use crate::symbols::{Sym, Symbols};

ids! {
    PackageId,
    /// A variable or constant of a package.
    VarId,
}

/// The declaration of a name in a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decl {
    Func(FuncId),
    Type(NamedId),
    Var(VarId),
}

/// One file of the project.
#[derive(Debug, Default)]
pub struct GoFile {
    pub facts: GoFacts,
    /// The project's number of each word of the file.
    pub syms: Vec<Sym>,
    pub package: PackageId,
    /// The [`NamedId`] of the file's first type declaration; the others follow.
    pub first_type: u32,
    /// The function of each declaration, and of each method of an interface.
    pub funcs: Vec<FuncId>,
    pub interface_methods: Vec<FuncId>,
    /// The package variable of each name, by its index in [`GoFacts::value_names`]; none for local ones.
    pub vars: FxHashMap<u32, VarId>,
    pub imports: FxHashMap<Sym, ImportedPackage>,
    pub dots: Vec<ImportedPackage>,
    /// Packages that are imported only for their initialisation (`_`).
    pub blanks: Vec<ImportedPackage>,
    /// Packages of other modules that are imported under their own names, in order.
    pub libraries: Vec<Arc<str>>,
    /// Types declared in functions, by name, in source order.
    local_types: FxHashMap<Sym, Vec<u32>>,
}

impl GoFile {
    pub fn sym(&self, name: Name) -> Sym {
        self.syms[name.index()]
    }

    pub fn is_test(&self) -> bool {
        self.facts.path.ends_with("_test.go")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedPackage {
    Package(PackageId),
    /// A package of another module, by its path.
    Library(Arc<str>),
}

#[derive(Debug)]
pub struct Package {
    pub folder: String,
    pub name: Sym,
    /// The import path; an external test package has the path of the package it tests.
    pub path: Arc<str>,
    /// The declarations of each name; of several, the one for Linux, amd64, cgo comes first.
    decls: FxHashMap<Sym, Vec<(Decl, FileId)>>,
}

/// A declared type.
#[derive(Debug)]
pub struct GoNamedType {
    pub file: FileId,
    /// In the facts' table of types.
    pub decl: u32,
    pub name: Sym,
    pub params: Vec<(Sym, ParamId)>,
    /// The type behind the name.
    pub ty: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoFuncPlace {
    /// In the facts' table of functions.
    Declared(u32),
    /// In the facts' table of interface methods.
    InterfaceMethod(u32),
}

/// A function, a method, or a method that an interface asks for.
#[derive(Debug)]
pub struct Func {
    pub file: FileId,
    pub place: GoFuncPlace,
    pub name: Sym,
    /// The type that a method is declared on, and whether on its pointer.
    pub receiver: Option<(NamedId, bool)>,
    /// Its own type parameters.
    pub params: Vec<ParamId>,
    /// Names of type parameters in its body: its own, or its receiver's under the names given there.
    pub scope: Vec<(Sym, ParamId)>,
    pub signature: Arc<Signature>,
}

#[derive(Debug)]
pub struct TypeParam {
    pub name: Sym,
    pub constraint: Ty,
}

/// A function or method as a value.
#[derive(Clone, Debug)]
pub struct FuncValue {
    pub id: FuncId,
    /// The types that the receiver's type parameters stand for.
    pub subst: Subst,
    /// Type arguments that are given.
    pub args: Vec<Ty>,
    /// `T.m`: the receiver, which is the first parameter.
    pub receiver: Option<Ty>,
}

/// A variable or constant of a package.
#[derive(Debug)]
pub struct Var {
    pub file: FileId,
    /// In the facts' table of values, and which of its names.
    pub values: u32,
    pub at: u32,
    /// Inferred as soon as the index is built.
    pub ty: OnceLock<Ty>,
    /// The function that the variable is another name for.
    pub alias: OnceLock<Option<FuncValue>>,
}

#[derive(Debug, Default)]
pub struct GoProject {
    pub files: Vec<GoFile>,
    pub symbols: Symbols,
    pub packages: Vec<Package>,
    pub named: Vec<GoNamedType>,
    pub funcs: Vec<Func>,
    pub type_params: Vec<TypeParam>,
    pub vars: Vec<Var>,
    /// Shared with the project that callers see.
    pub methods: Arc<[Method]>,
    pub roles: Vec<FileRole>,
    pub tests: Vec<(MethodId, TestMark)>,
    /// Declared methods by type and name.
    members: FxHashMap<(NamedId, Sym), FuncId>,
    /// Methods of main code by name, for receivers of unknown type.
    by_name: FxHashMap<Sym, Vec<FuncId>>,
    universe: FxHashMap<Sym, Ty>,
    /// Names of all variables and fields that are assigned anywhere, or whose address is taken.
    pub assigned: FxHashSet<Sym>,
    pub words: GoSymbols,
    /// Whether each function fails a test that it is given; decided when first asked for.
    pub failing: OnceLock<Vec<OnceLock<bool>>>,
    /// The `TestMain` functions of all packages; found when first asked for.
    pub test_mains: OnceLock<Vec<FuncId>>,
}

/// Words that resolution looks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoSymbols {
    pub blank: Sym,
    pub error: Sym,
}

impl GoProject {
    rows! {
        lent package(PackageId) -> Package = packages,
            named(NamedId) -> GoNamedType = named,
            func(FuncId) -> Func = funcs,
            var(VarId) -> Var = vars;
    }

    pub fn file(&self, id: FileId) -> &GoFile {
        &self.files[id.0 as usize]
    }

    pub fn word(&self, sym: Sym) -> &Arc<str> {
        self.symbols.get(sym)
    }

    /// Looks up the declaration of a function; nothing for a method that an interface asks for.
    pub fn func_decl(&self, id: FuncId) -> Option<(&GoFile, &FuncDecl)> {
        let func = self.func(id);
        let file = self.file(func.file);
        match func.place {
            GoFuncPlace::Declared(at) => Some((file, &file.facts.funcs[at as usize])),
            GoFuncPlace::InterfaceMethod(_) => None,
        }
    }

    /// Looks up a method of an interface; nothing for a declared function.
    pub fn interface_method(&self, id: FuncId) -> Option<(&GoFile, &InterfaceMethod)> {
        let func = self.func(id);
        let file = self.file(func.file);
        match func.place {
            GoFuncPlace::InterfaceMethod(at) => {
                Some((file, &file.facts.interface_methods[at as usize]))
            }
            GoFuncPlace::Declared(_) => None,
        }
    }

    pub fn type_decl(&self, id: NamedId) -> &facts::TypeDecl {
        let named = self.named(id);
        &self.file(named.file).facts.types[named.decl as usize]
    }

    pub fn values_of(&self, id: VarId) -> &GoValueSpec {
        let var = self.var(id);
        &self.file(var.file).facts.values[var.values as usize]
    }

    /// Looks up a name in a package, as a file sees it: where several declare it for different systems, a file that is
    /// not built on Linux sees its own declaration first.
    pub fn declared(&self, package: PackageId, name: Sym, from: FileId) -> Option<Decl> {
        let all = self.package(package).decls.get(&name)?;
        let own = || all.iter().find(|(_, file)| *file == from);
        let is_built = all.len() == 1 || self.file(from).facts.is_built;
        let own = if is_built { None } else { own() };
        own.or(all.first()).map(|(decl, _)| *decl)
    }

    /// Lists the methods of main code that have this name.
    pub fn methods_named(&self, name: Sym) -> &[FuncId] {
        self.by_name.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Finds the package of an import path; its external tests only where there is nothing else.
    pub fn package_at(&self, path: &str) -> Option<PackageId> {
        let packages = self.packages.iter();
        let found = packages
            .enumerate()
            .filter(|(_, package)| &*package.path == path);
        let (at, _) =
            found.min_by_key(|(_, package)| self.word(package.name).ends_with("_test"))?;
        Some(PackageId(at as u32))
    }

    /// Binds the type parameters of a declared type to arguments.
    pub fn bindings(&self, id: NamedId, args: &[Ty]) -> Subst {
        let params = self.named(id).params.iter().map(|(_, param)| *param);
        Subst(params.zip(args.iter().cloned()).collect())
    }

    /// Writes a declared type as `path.T`.
    pub fn qualified(&self, id: NamedId) -> String {
        let named = self.named(id);
        let package = self.package(self.file(named.file).package);
        format!("{}.{}", package.path, self.word(named.name))
    }
}
