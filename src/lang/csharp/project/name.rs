//! Resolves names where they stand: type parameters, nested types, namespaces and their usings.

use super::{Alias, CSharpProject, FileScope};
use crate::csharp::facts::{TypeRef, TypeSyntax};
use crate::csharp::types::{Ty, TypeId, VarId};
use crate::places::{n_shared, nearest};
use crate::symbols::{Sym, named};

/// How deep types and aliases are followed; an alias counts ten.
const DEPTH_MAX: u32 = 60;

/// A place of a file, for names of types.
#[derive(Clone, Copy, Debug)]
pub struct CSharpNameScope<'s> {
    pub file: u32,
    /// The namespace's part in the file.
    pub part: u32,
    pub ty: Option<TypeId>,
    /// Type parameters of the method around the place.
    pub vars: &'s [VarId],
    /// Whether the bases of types are known already, so that types nested in them are seen.
    pub sees_bases: bool,
}

impl<'s> CSharpNameScope<'s> {
    /// Opens the scope of a part of a file, and of a type with its bases.
    pub const fn new(file: u32, part: u32, ty: Option<TypeId>, vars: &'s [VarId]) -> Self {
        Self {
            file,
            part,
            ty,
            vars,
            sees_bases: true,
        }
    }

    /// Opens the scope of a type's head, whose bases are not known yet.
    pub const fn of_head(file: u32, part: u32, ty: TypeId) -> Self {
        Self {
            sees_bases: false,
            ..Self::new(file, part, Some(ty), &[])
        }
    }
}

/// The meaning of a name where a type or a namespace is expected.
#[derive(Clone, Debug)]
pub enum TypeOrNamespace {
    Type(Ty),
    Namespace(Sym),
    Nothing,
}

impl CSharpProject {
    /// Resolves a type as it is written.
    pub fn resolve(&self, ty: TypeRef, scope: CSharpNameScope<'_>) -> Ty {
        self.resolve_at(ty, scope, 0)
    }

    fn resolve_at(&self, ty: TypeRef, scope: CSharpNameScope<'_>, depth: u32) -> Ty {
        if depth > DEPTH_MAX {
            return Ty::Unknown;
        }
        let file = self.file(scope.file);
        match file.facts.type_syntax(ty) {
            TypeSyntax::Broken | TypeSyntax::Var => Ty::Unknown,
            TypeSyntax::Pointer(inner) => {
                Ty::Pointer(self.resolve_at(inner, scope, depth + 1).into())
            }
            TypeSyntax::Predefined(name) => self.known_types.predefined(file.syms[name.0 as usize]),
            TypeSyntax::Array(element, rank) => {
                Ty::Array(self.resolve_at(element, scope, depth + 1).into(), rank)
            }
            TypeSyntax::Nullable(inner) => self.nullable(self.resolve_at(inner, scope, depth + 1)),
            TypeSyntax::Tuple(elements) => {
                let elements = &file.facts.elements[elements.range()];
                let parts = elements.iter().map(|element| {
                    let name = file.syms[element.name.0 as usize];
                    (name, self.resolve_at(element.ty, scope, depth + 1))
                });
                Ty::Tuple(parts.collect())
            }
            TypeSyntax::Named { name, .. } => match self.found_at(ty, scope, depth) {
                TypeOrNamespace::Type(ty) => ty,
                _ if self.word(file.syms[name.0 as usize]) == "dynamic" => Ty::Unknown,
                _ => Ty::Missing(file.syms[name.0 as usize]),
            },
        }
    }

    /// Makes a type nullable (`T?`): nullable references are their types.
    pub fn nullable(&self, inner: Ty) -> Ty {
        if self.is_value(&inner) {
            Ty::Nullable(inner.into())
        } else {
            inner
        }
    }

    pub fn is_value(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Named(id, _) => self.ty(*id).kind.is_value(),
            Ty::Tuple(_) | Ty::Nullable(_) | Ty::Pointer(_) => true,
            Ty::Var(var) => self.var(*var).is_value,
            _ => false,
        }
    }

    /// Resolves the type or namespace that a written name means.
    pub fn found(&self, ty: TypeRef, scope: CSharpNameScope<'_>) -> TypeOrNamespace {
        self.found_at(ty, scope, 0)
    }

    fn found_at(&self, ty: TypeRef, scope: CSharpNameScope<'_>, depth: u32) -> TypeOrNamespace {
        let file = self.file(scope.file);
        let TypeSyntax::Named {
            outer,
            name,
            args,
            is_global,
        } = file.facts.type_syntax(ty)
        else {
            return match self.resolve_at(ty, scope, depth + 1) {
                Ty::Unknown => TypeOrNamespace::Nothing,
                ty => TypeOrNamespace::Type(ty),
            };
        };
        if depth > DEPTH_MAX {
            return TypeOrNamespace::Nothing;
        }
        let name = file.syms[name.0 as usize];
        let args: Vec<Ty> = file
            .facts
            .ids(args)
            .map(|id| self.resolve_at(id, scope, depth + 1))
            .collect();
        if is_global {
            return self.in_namespace(Sym::NONE, name, &args, scope.file);
        }
        match outer {
            None => self.simple_at(name, &args, scope, depth),
            Some(outer) => {
                let outer = self.found_at(outer, scope, depth + 1);
                self.found_in(&outer, name, &args, scope)
            }
        }
    }

    /// Resolves a name after the dot behind a type or a namespace.
    pub fn found_in(
        &self,
        outer: &TypeOrNamespace,
        name: Sym,
        args: &[Ty],
        scope: CSharpNameScope<'_>,
    ) -> TypeOrNamespace {
        match outer {
            TypeOrNamespace::Namespace(namespace) => {
                self.in_namespace(*namespace, name, args, scope.file)
            }
            TypeOrNamespace::Type(Ty::Named(id, outer_args)) => {
                match self.nested(*id, name, args.len(), scope.sees_bases) {
                    Some(nested) => TypeOrNamespace::Type(self.with_args(nested, outer_args, args)),
                    None => TypeOrNamespace::Nothing,
                }
            }
            _ => TypeOrNamespace::Nothing,
        }
    }

    /// Resolves a simple name to a type or a namespace.
    pub fn simple(&self, name: Sym, args: &[Ty], scope: CSharpNameScope<'_>) -> TypeOrNamespace {
        self.simple_at(name, args, scope, 0)
    }

    fn simple_at(
        &self,
        name: Sym,
        args: &[Ty],
        scope: CSharpNameScope<'_>,
        depth: u32,
    ) -> TypeOrNamespace {
        if args.is_empty() {
            let mut vars = scope.vars.iter().rev();
            if let Some(&var) = vars.find(|&&var| self.var(var).name == name) {
                return TypeOrNamespace::Type(Ty::Var(var));
            }
        }
        let mut around = scope.ty;
        while let Some(id) = around {
            let ty = self.ty(id);
            if args.is_empty() {
                let own = ty.vars.len() - ty.arity as usize;
                let mut vars = ty.vars[own..].iter();
                if let Some(&var) = vars.find(|&&var| self.var(var).name == name) {
                    return TypeOrNamespace::Type(Ty::Var(var));
                }
            }
            if let Some(nested) = self.nested(id, name, args.len(), scope.sees_bases) {
                let outer: Vec<Ty> = match self.ty(nested).outer {
                    Some(outer) if outer != id && scope.sees_bases => self
                        .as_ancestor(&self.self_type(id), outer)
                        .map_or_else(Vec::new, |ty| ty.args().to_vec()),
                    _ => self.self_type(id).args().to_vec(),
                };
                return TypeOrNamespace::Type(self.with_args(nested, &outer, args));
            }
            around = ty.outer;
        }
        self.in_namespaces(name, args, scope, depth)
    }

    fn in_namespaces(
        &self,
        name: Sym,
        args: &[Ty],
        scope: CSharpNameScope<'_>,
        depth: u32,
    ) -> TypeOrNamespace {
        for (index, file_scope) in self.scopes_around(scope) {
            for (n, &level) in file_scope.levels.iter().enumerate() {
                match self.in_namespace(level, name, args, scope.file) {
                    TypeOrNamespace::Nothing => {}
                    found => return found,
                }
                if n == 0 {
                    match self.used(file_scope, (name, args), scope, (index, depth)) {
                        TypeOrNamespace::Nothing => {}
                        found => return found,
                    }
                }
            }
        }
        match self.globals_of(scope.file) {
            Some(globals) => self.used(globals, (name, args), scope, (0, depth)),
            None => TypeOrNamespace::Nothing,
        }
    }

    /// Looks up the names that every file of a file's project uses.
    pub fn globals_of(&self, file: u32) -> Option<&FileScope> {
        let file = self.file(file);
        if file.is_library {
            return None;
        }
        match file.project {
            Some(project) => self.globals.get(project as usize),
            None => self.globals.last(),
        }
    }

    fn used(
        &self,
        used: &FileScope,
        (name, args): (Sym, &[Ty]),
        scope: CSharpNameScope<'_>,
        (index, depth): (u32, u32),
    ) -> TypeOrNamespace {
        if args.is_empty()
            && let Some((_, alias)) = used.aliases.iter().find(|alias| alias.0 == name)
        {
            return match alias {
                Alias::Namespace(namespace) => TypeOrNamespace::Namespace(*namespace),
                Alias::Type(ty) => TypeOrNamespace::Type(ty.clone()),
                Alias::Written(ty) if depth <= DEPTH_MAX => {
                    let scope = CSharpNameScope {
                        part: index,
                        ty: None,
                        vars: &[],
                        ..scope
                    };
                    self.found_at(*ty, scope, depth + 10)
                }
                Alias::Written(_) => TypeOrNamespace::Nothing,
            };
        }
        let mut best: Option<TypeId> = None;
        for &namespace in &used.usings {
            let Some(types) = self.by_name.get(&(namespace, name, args.len() as u32)) else {
                continue;
            };
            let nearest = self.nearest(types, scope.file);
            // Types of the sources go before built-in ones.
            best = match (best, nearest) {
                (Some(known), Some(new)) => self.nearest(&[known, new], scope.file),
                (known, new) => known.or(new),
            };
        }
        if let Some(id) = best {
            return TypeOrNamespace::Type(self.with_args(id, &[], args));
        }
        for &owner in &used.statics {
            if let Some(nested) = self.nested(owner, name, args.len(), scope.sees_bases) {
                return TypeOrNamespace::Type(self.with_args(nested, &[], args));
            }
        }
        TypeOrNamespace::Nothing
    }

    fn in_namespace(&self, namespace: Sym, name: Sym, args: &[Ty], file: u32) -> TypeOrNamespace {
        if let Some(types) = self.by_name.get(&(namespace, name, args.len() as u32))
            && let Some(id) = self.nearest(types, file)
        {
            return TypeOrNamespace::Type(self.with_args(id, &[], args));
        }
        if args.is_empty()
            && let Some(&inner) = self.namespaces.get(&(namespace, name))
        {
            return TypeOrNamespace::Namespace(inner);
        }
        TypeOrNamespace::Nothing
    }

    /// Finds a type of that name in another one, or in a type above it.
    fn nested(&self, id: TypeId, name: Sym, arity: usize, sees_bases: bool) -> Option<TypeId> {
        let own = |id: TypeId| {
            let mut nested = named(&self.ty(id).nested, name).iter().map(|pair| pair.1);
            nested.find(|&type_id| self.ty(type_id).arity as usize == arity)
        };
        own(id).or_else(|| {
            if !sees_bases {
                return None;
            }
            self.ty(id)
                .ancestors
                .iter()
                .find_map(|&ancestor| own(ancestor))
        })
    }

    /// Makes a type from its declaration, the arguments of the types around it, and its own.
    pub fn with_args(&self, id: TypeId, outer: &[Ty], own: &[Ty]) -> Ty {
        let n = self.ty(id).vars.len();
        let n_outer = n - own.len().min(n);
        let mut args: Vec<Ty> = outer.iter().take(n_outer).cloned().collect();
        args.resize(n_outer, Ty::Unknown);
        args.extend(own.iter().take(n - n_outer).cloned());
        Ty::Named(id, args.into())
    }

    /// Finds the type that a file means among those of one name: one of the sources before a built-in one, then its
    /// own, then its project's, then the nearest by folders, then the first.
    fn nearest(&self, types: &[TypeId], from: u32) -> Option<TypeId> {
        let here = self.file(from);
        nearest(types, |id| {
            let (file, _) = self.ty(id).parts[0];
            let there = self.file(file);
            (
                !there.is_library,
                file == from,
                there.project == here.project,
                n_shared(&here.facts.path, &there.facts.path),
            )
        })
    }

    /// Looks up a namespace by its full name.
    pub fn namespace(&self, name: &str) -> Option<Sym> {
        let mut at = Sym::NONE;
        for part in name.split('.') {
            let part = self.symbols.find(part)?;
            at = *self.namespaces.get(&(at, part))?;
        }
        Some(at)
    }

    /// Iterates over the scopes of the file around a place, the innermost first, with their numbers.
    fn scopes_around(&self, scope: CSharpNameScope<'_>) -> impl Iterator<Item = (u32, &FileScope)> {
        let scopes = &self.file(scope.file).scopes;
        let numbers = std::iter::successors(Some(scope.part), |n| scopes[*n as usize].parent);
        numbers.map(|number| (number, &scopes[number as usize]))
    }

    /// Lists the namespaces whose extension methods a place sees: those of the innermost scope first.
    pub fn namespaces_in(&self, scope: CSharpNameScope<'_>) -> Vec<Vec<Sym>> {
        let mut all = Vec::new();
        for (_, file_scope) in self.scopes_around(scope) {
            for (n, &level) in file_scope.levels.iter().enumerate() {
                all.push(vec![level]);
                if n == 0 {
                    all.push(file_scope.usings.clone());
                }
            }
        }
        if let Some(globals) = self.globals_of(scope.file)
            && let Some(last) = all.last_mut()
        {
            last.extend(&globals.usings);
        }
        all
    }

    /// Lists the types whose static members a place sees without naming them.
    pub fn statics_in(&self, scope: CSharpNameScope<'_>) -> Vec<TypeId> {
        let parts = self.scopes_around(scope).map(|pair| pair.1);
        let all = parts.chain(self.globals_of(scope.file));
        all.flat_map(|file_scope| &file_scope.statics)
            .copied()
            .collect()
    }

    /// Lists the extension methods with a name.
    pub fn extensions(&self, name: Sym) -> &[crate::csharp::types::MemberId] {
        self.extensions.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Finds a type by its full name; of several the last, which is the built-in one if there is one.
    pub fn type_named(&self, namespace: &str, name: &str, arity: u32) -> Option<TypeId> {
        let namespace = self.symbols.find(namespace)?;
        let name = self.symbols.find(name)?;
        let types = self.by_name.get(&(namespace, name, arity))?;
        types.last().copied()
    }
}
