//! Resolves names as types, at a place in the source (JLS 6.5).

use crate::run::Run;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{JavaClass, JavaProject, OnDemandImport};
use crate::java::facts::{Ids, Name, TypeId, TypeKind, TypeSyntax};
use crate::java::types::{Args, ClassId, Ty, VarId};
use crate::model::FileId;
use crate::symbols::Sym;

/// The meaning of a name: a known class, or the name of an unknown one.
#[derive(Clone, Debug, PartialEq)]
pub enum FileType {
    Class(ClassId),
    Missing(Arc<str>),
}

/// A place from which names are looked up.
#[derive(Clone, Copy, Debug)]
pub struct JavaNameScope<'s> {
    pub file: FileId,
    pub class: Option<ClassId>,
    /// The method around, by its number in the file: its type variables are in scope.
    pub method: Option<u32>,
    /// Local classes declared before the place, innermost last.
    pub locals: &'s [(Sym, ClassId)],
}

impl JavaNameScope<'_> {
    /// Opens the scope of a class's body.
    pub const fn of_class(file: FileId, class: ClassId) -> Self {
        Self {
            file,
            class: Some(class),
            method: None,
            locals: &[],
        }
    }
}

enum TypeLookup {
    Class(ClassId),
    Var(VarId),
    Missing(Arc<str>),
}

const UNSET: u32 = 0;
const NOTHING: u32 = 1;
const FIRST: u32 = 2;

impl JavaProject {
    /// Resolves a written type at this place.
    pub fn resolve(&self, id: TypeId, scope: JavaNameScope<'_>) -> Ty {
        let facts = &self.file(scope.file).facts;
        match facts.type_syntax(id) {
            TypeSyntax::Broken => Ty::Unknown,
            TypeSyntax::Void => Ty::Void,
            TypeSyntax::Prim(prim) => Ty::Prim(prim),
            TypeSyntax::Named { name, args, outer } => match self.find_named(name, outer, scope) {
                TypeLookup::Class(class) => {
                    let own = self.resolve_args(class, args, scope);
                    Ty::Class(class, self.with_outer_args(class, own, outer, scope))
                }
                TypeLookup::Var(var) => Ty::Var(var),
                TypeLookup::Missing(name) => Ty::Missing(name),
            },
            TypeSyntax::Diamond { name, outer } => match self.find_named(name, outer, scope) {
                TypeLookup::Class(class) => Ty::class(class),
                TypeLookup::Var(var) => Ty::Var(var),
                TypeLookup::Missing(name) => Ty::Missing(name),
            },
            TypeSyntax::Array(element) => self.resolve(element, scope).array(),
            TypeSyntax::Wild => Ty::Wild,
            TypeSyntax::WildExtends(bound) => Ty::Extends(Arc::new(self.resolve(bound, scope))),
            TypeSyntax::WildSuper(bound) => Ty::Super(Arc::new(self.resolve(bound, scope))),
            TypeSyntax::Intersection(ids) => {
                Ty::Both(facts.ids(ids).map(|id| self.resolve(id, scope)).collect())
            }
            TypeSyntax::Union(ids) => self.resolve_union(ids, scope),
        }
    }

    fn resolve_args(&self, class: ClassId, args: Ids<TypeId>, scope: JavaNameScope<'_>) -> Args {
        let n_vars = self.class(class).vars.len();
        if n_vars == 0 || args.len as usize != n_vars {
            return None;
        }
        let facts = &self.file(scope.file).facts;
        Some(
            facts
                .ids(args)
                .map(|arg| self.resolve(arg, scope))
                .collect(),
        )
    }

    /// Adds the arguments of the class around an inner class: the ones written before the dot, or those in scope.
    fn with_outer_args(
        &self,
        class: ClassId,
        own: Args,
        outer: Option<TypeId>,
        scope: JavaNameScope<'_>,
    ) -> Args {
        let n_own = self.class(class).vars.len();
        let n_outer = self.n_params(class) - n_own;
        if n_outer == 0 || (own.is_none() && n_own > 0) {
            return own;
        }
        let around = self.class(class).outer?;
        let seen = match outer {
            Some(outer) => self.as_ancestor(&self.resolve(outer, scope), around),
            None => self.enclosing_as(around, scope.class),
        };
        let mut args: Vec<Ty> = own.map_or_else(Vec::new, |own| own.to_vec());
        match seen {
            Some(Ty::Class(_, Some(outer))) if outer.len() == n_outer => {
                args.extend(outer.iter().cloned());
            }
            _ => args.resize(n_own + n_outer, Ty::Unknown),
        }
        Some(args.into())
    }

    /// Finds the nearest class around a place that is `ancestor` or below it, seen as that.
    pub fn enclosing_as(&self, ancestor: ClassId, from: Option<ClassId>) -> Option<Ty> {
        let mut next = from;
        while let Some(class) = next {
            if self.is_below(class, ancestor) {
                return self.as_ancestor(&self.this_type(class), ancestor);
            }
            next = self.class(class).outer;
        }
        None
    }

    /// Resolves the alternatives of a catch clause to their nearest common superclass; members are looked up there.
    fn resolve_union(&self, ids: Ids<TypeId>, scope: JavaNameScope<'_>) -> Ty {
        let facts = &self.file(scope.file).facts;
        let types: Vec<Ty> = facts.ids(ids).map(|id| self.resolve(id, scope)).collect();
        let Some(classes) = types
            .iter()
            .map(Ty::class_id)
            .collect::<Option<Vec<ClassId>>>()
        else {
            return Ty::Unknown;
        };
        self.ancestors(classes[0])
            .iter()
            .copied()
            .find(|&ancestor| classes.iter().all(|&class| self.is_below(class, ancestor)))
            .map_or(Ty::Unknown, Ty::class)
    }

    fn find_named(
        &self,
        name: Name,
        outer: Option<TypeId>,
        scope: JavaNameScope<'_>,
    ) -> TypeLookup {
        let file = self.file(scope.file);
        let sym = file.syms[name.0 as usize];
        let Some(outer) = outer else {
            return self.find_simple(sym, Some(name), scope);
        };
        let outer = match file.facts.type_syntax(outer) {
            TypeSyntax::Named { name, outer, .. } | TypeSyntax::Diamond { name, outer } => {
                self.find_named(name, outer, scope)
            }
            _ => return TypeLookup::Missing(Arc::clone(self.symbols.get(sym))),
        };
        match outer {
            TypeLookup::Class(class) => match self.member_type(class, sym) {
                Some(member) => TypeLookup::Class(member),
                None => TypeLookup::Missing(
                    format!("{}.{}", self.class(class).qualified, self.word(sym)).into(),
                ),
            },
            TypeLookup::Var(_) => TypeLookup::Missing(Arc::clone(self.symbols.get(sym))),
            TypeLookup::Missing(outer) => {
                let whole = format!("{outer}.{}", self.word(sym));
                match self.find_qualified(&whole, scope.file) {
                    Some(class) => TypeLookup::Class(class),
                    None => TypeLookup::Missing(whole.into()),
                }
            }
        }
    }

    fn find_simple(&self, sym: Sym, name: Option<Name>, scope: JavaNameScope<'_>) -> TypeLookup {
        if let Some(&(_, class)) = scope.locals.iter().rev().find(|(local, _)| *local == sym) {
            return TypeLookup::Class(class);
        }
        if let Some(var) = self.method_var(scope.file, scope.method, sym) {
            return TypeLookup::Var(var);
        }
        let mut next = scope.class;
        while let Some(id) = next {
            let class = self.class(id);
            if let Some(var) = self.class_var(class, sym) {
                return TypeLookup::Var(var);
            }
            if class.name == sym && class.kind != TypeKind::Anonymous {
                return TypeLookup::Class(id);
            }
            if let Some(member) = self.member_type(id, sym) {
                return TypeLookup::Class(member);
            }
            if let Some(found) = self.around_local(id, sym) {
                return found;
            }
            next = class.outer;
        }
        match self.file_type(sym, name, scope.file) {
            Some(FileType::Class(class)) => TypeLookup::Class(class),
            Some(FileType::Missing(path)) => TypeLookup::Missing(path),
            None => TypeLookup::Missing(Arc::clone(self.symbols.get(sym))),
        }
    }

    /// Looks a name up among the local classes and type variables around a local class.
    fn around_local(&self, id: ClassId, sym: Sym) -> Option<TypeLookup> {
        let (file, decl) = self.type_decl(id)?;
        if !decl.is_local {
            return None;
        }
        let (file_id, _) = self.class(id).decl?;
        let nearest = file.local_classes(sym).iter().rev().find(|&&at| {
            let other = &file.facts.types[at as usize];
            other.span.start <= decl.span.start && decl.span.end <= other.scope_end
        });
        nearest
            .map(|at| TypeLookup::Class(ClassId(file.first_class + at)))
            .or_else(|| {
                self.method_var(file_id, decl.method, sym)
                    .map(TypeLookup::Var)
            })
    }

    fn class_var(&self, class: &JavaClass, sym: Sym) -> Option<VarId> {
        class
            .vars
            .clone()
            .map(VarId)
            .find(|&var| self.var_name(var) == Some(sym))
    }

    fn method_var(&self, file: FileId, method: Option<u32>, sym: Sym) -> Option<VarId> {
        let file = self.file(file);
        let run: Run = file.method_vars[method? as usize];
        (run.start..run.end)
            .map(VarId)
            .find(|&var| self.var_name(var) == Some(sym))
    }

    /// Finds the class that a simple name means at this place, ignoring type variables.
    pub fn find_class(&self, sym: Sym, scope: JavaNameScope<'_>) -> Option<FileType> {
        match self.find_simple(sym, None, scope) {
            TypeLookup::Class(class) => Some(FileType::Class(class)),
            TypeLookup::Missing(name) if &name != self.symbols.get(sym) => {
                Some(FileType::Missing(name))
            }
            _ => None,
        }
    }

    /// Finds the type that a name means at the top of a file.
    pub fn file_type(&self, sym: Sym, name: Option<Name>, id: FileId) -> Option<FileType> {
        let file = self.file(id);
        let slot: Option<&AtomicU32> = name.and_then(|name| file.cache.get(name.0 as usize));
        match slot.map_or(UNSET, |slot| slot.load(Ordering::Relaxed)) {
            UNSET => {}
            NOTHING => return None,
            class => return Some(FileType::Class(ClassId(class - FIRST))),
        }
        let found = self.file_type_uncached(sym, id);
        if let Some(slot) = slot {
            match &found {
                None => slot.store(NOTHING, Ordering::Relaxed),
                Some(FileType::Class(class)) => slot.store(class.0 + FIRST, Ordering::Relaxed),
                Some(FileType::Missing(_)) => {}
            }
        }
        found
    }

    fn file_type_uncached(&self, sym: Sym, id: FileId) -> Option<FileType> {
        let file = self.file(id);
        if let Some((_, found)) = file.singles.iter().find(|(name, _)| *name == sym) {
            return Some(found.clone());
        }
        if let Some(class) = self.in_package(file.package, sym, id) {
            return Some(FileType::Class(class));
        }
        let in_owner = |owner: &FileType| match owner {
            FileType::Class(owner) => self.member_type(*owner, sym).map(FileType::Class),
            FileType::Missing(_) => None,
        };
        let mut singles = file.static_singles.iter().filter(|(name, _)| *name == sym);
        if let Some(found) = singles.find_map(|(_, owner)| in_owner(owner)) {
            return Some(found);
        }
        for demand in &file.demands {
            let found = match demand {
                OnDemandImport::Package(package, _) => self.in_package(*package, sym, id),
                OnDemandImport::Class(class) => self.member_type(*class, sym),
            };
            if let Some(class) = found {
                return Some(FileType::Class(class));
            }
        }
        file.static_demands.iter().find_map(in_owner).or_else(|| {
            let implied = self.in_package(self.words.java_lang, sym, id);
            implied.map(FileType::Class)
        })
    }

    /// Tells whether the project declares a top-level class of that name in a package.
    pub fn has_top_level(&self, package: Sym, name: Sym) -> bool {
        self.packages.contains_key(&(package, name))
    }

    pub fn in_package(&self, package: Sym, name: Sym, from: FileId) -> Option<ClassId> {
        self.packages
            .get(&(package, name))
            .filter(|_| !self.is_shadowed_by_jdk(package, from))
            .and_then(|candidates| self.nearest(candidates, from))
            .or_else(|| self.library.find_in(self.word(package), self.word(name)))
    }

    /// Tells whether a package belongs to the JDK as it is seen from a file elsewhere: javac never takes a project's
    /// stub of one of its classes.
    fn is_shadowed_by_jdk(&self, package: Sym, from: FileId) -> bool {
        let word = self.word(package);
        (word.starts_with("java.") || word.starts_with("jdk."))
            && self.file(from).package != package
    }

    /// Finds the class with this whole dotted name.
    pub fn find_qualified(&self, path: &str, from: FileId) -> Option<ClassId> {
        let dots = path.match_indices('.').map(|(at, _)| at);
        for at in dots.rev() {
            let Some(package) = self.symbols.find(&path[..at]) else {
                continue;
            };
            let mut rest = path[at + 1..]
                .split('.')
                .map(|word| self.symbols.find(word));
            let Some(class) = rest
                .next()
                .flatten()
                .and_then(|name| self.in_package(package, name, from))
            else {
                continue;
            };
            let inner = rest.try_fold(class, |class, name| self.member_type(class, name?));
            if inner.is_some() {
                return inner;
            }
        }
        self.library.find(path)
    }

    /// Tells whether some class lies in a package of this name or below it.
    pub fn is_package(&self, path: &str) -> bool {
        self.package_names.contains(path) || self.library.is_package(path)
    }
}
