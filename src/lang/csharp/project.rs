//! Everything declared in the repository, and the built-in part of the framework and of test libraries.
//!
//! This file holds the tables; `build` fills them, `name` resolves names, `member` finds the members of types.

mod build;
mod member;
mod method;
mod name;
mod role;
mod using;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use self::build::build;
pub use self::name::{CSharpNameScope, TypeOrNamespace};
use super::facts::{CSharpFacts, MemberDecl, MemberKind, TypeDecl, TypeRef, flag};
use super::library::CSharpKnownTypes;
use super::types::{CSharpMember, MemberId, Ty, Type, TypeId, Var, VarId};
use crate::hierarchy::Hierarchy;
use crate::ids::rows;
use crate::methods::TestMark;
use crate::model::{FileRole, Method, MethodId};
use crate::symbols::{Sym, Symbols};

/// One file, with the numbers of its declarations in the project.
#[derive(Debug)]
pub struct CSharpFile {
    pub facts: Arc<CSharpFacts>,
    /// The project's number of each word of the file.
    pub syms: Vec<Sym>,
    /// By number of the declaration.
    pub types: Vec<TypeId>,
    pub members: Vec<MemberId>,
    /// Type parameters of the functions in bodies, by their number.
    pub function_vars: Vec<Vec<VarId>>,
    pub scopes: Vec<FileScope>,
    /// The project file that it belongs to.
    pub project: Option<u32>,
    pub is_library: bool,
}

/// The names that a namespace's part in a file, or the whole of a project, sees.
#[derive(Debug, Default)]
pub struct FileScope {
    pub parent: Option<u32>,
    /// Namespaces that begin here, the innermost first.
    pub levels: Vec<Sym>,
    pub usings: Vec<Sym>,
    /// Types whose static members are used.
    pub statics: Vec<TypeId>,
    pub aliases: Vec<(Sym, Alias)>,
}

/// The meaning of a `using A = …`.
#[derive(Clone, Debug)]
pub enum Alias {
    Written(TypeRef),
    Namespace(Sym),
    Type(Ty),
}

/// The index over all files.
#[derive(Debug, Default)]
pub struct CSharpProject {
    /// The sources by path, then the built-in files.
    pub files: Vec<CSharpFile>,
    pub symbols: Symbols,
    pub types: Vec<Type>,
    pub members: Vec<CSharpMember>,
    pub vars: Vec<Var>,
    /// By namespace, name and number of type parameters.
    by_name: FxHashMap<(Sym, Sym, u32), Vec<TypeId>>,
    /// The full name of a namespace in a namespace.
    namespaces: FxHashMap<(Sym, Sym), Sym>,
    /// The names that every file of a project uses, by the project's number; those of files without a project last.
    globals: Vec<FileScope>,
    extensions: FxHashMap<Sym, Vec<MemberId>>,
    /// Methods of main code, for receivers that are unknown.
    main_methods: FxHashMap<Sym, Vec<MethodId>>,
    /// The types that name each type as a base.
    subtypes: Hierarchy<TypeId>,
    pub known_types: CSharpKnownTypes,
    pub methods: Arc<[Method]>,
    pub roles: Vec<FileRole>,
    /// In order of file and position.
    pub tests: Vec<(MethodId, TestMark)>,
    /// The members behind [`CSharpProject::methods`].
    method_members: Vec<MemberId>,
    /// Classes that set up a namespace (with `true`) or an assembly.
    pub setups: Vec<(TypeId, bool)>,
    /// Classes that define collections of tests.
    pub collections: Vec<TypeId>,
}

impl CSharpProject {
    rows! {
        lent ty(TypeId) -> Type = types,
            member(MemberId) -> CSharpMember = members,
            var(VarId) -> Var = vars;
    }

    pub fn file(&self, id: u32) -> &CSharpFile {
        &self.files[id as usize]
    }

    pub fn word(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    pub fn member_of(&self, method: MethodId) -> Option<(MemberId, &CSharpMember)> {
        let id = *self.method_members.get(method.0 as usize)?;
        Some((id, self.member(id)))
    }

    /// Looks up the declaration of a member that is written in the sources.
    pub fn member_decl(&self, member: &CSharpMember) -> Option<&MemberDecl> {
        self.file(member.file)
            .facts
            .members
            .get(member.decl? as usize)
    }

    /// Looks up the type declaration whose parameter list makes a constructor.
    pub fn primary_decl(&self, member: &CSharpMember) -> Option<&TypeDecl> {
        let is_made = member.kind == MemberKind::Constructor && member.decl.is_none();
        let mut decls = self.type_decls(member.owner).filter(|_| is_made);
        decls
            .find(|(file, decl)| *file == member.file && decl.flags & flag::PRIMARY != 0)
            .map(|decl| decl.1)
    }

    /// Iterates over a type's declarations, each with its file.
    pub fn type_decls(&self, id: TypeId) -> impl Iterator<Item = (u32, &TypeDecl)> {
        let parts = self.ty(id).parts.iter();
        parts.map(|&(file, at)| (file, &self.file(file).facts.types[at as usize]))
    }

    /// Makes the type as its own members see it, with its type parameters as arguments.
    pub fn self_type(&self, id: TypeId) -> Ty {
        let vars = self.ty(id).vars.iter();
        Ty::Named(id, vars.map(|&var| Ty::Var(var)).collect())
    }

    /// Lists the methods of main code with a name.
    pub fn main_methods(&self, name: Sym) -> &[MethodId] {
        self.main_methods.get(&name).map_or(&[], Vec::as_slice)
    }
}
