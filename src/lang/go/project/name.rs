//! Resolves written types, and unqualified names.

use crate::run::Run;
use std::sync::Arc;

use super::{Decl, GoProject, ImportedPackage};
use crate::go::facts::{Name, Param, SignatureId, TypeId, TypeSyntax};
use crate::go::types::{
    Args, Foreign, GoField, Interface, NamedId, ParamId, Signature, Struct, Subst, Ty, no_args,
};
use crate::model::FileId;
use crate::symbols::Sym;

/// The place where a type is written.
#[derive(Clone, Copy, Debug)]
pub struct GoNameScope<'s> {
    pub file: FileId,
    /// Type parameters in sight.
    params: &'s [(Sym, ParamId)],
    /// How much deeper types and aliases of types are followed.
    depth: u32,
}

impl<'s> GoNameScope<'s> {
    pub const fn new(file: FileId, params: &'s [(Sym, ParamId)]) -> Self {
        Self {
            file,
            params,
            depth: DEPTH_MAX,
        }
    }

    /// Enters the scope one level deeper; nothing beyond the depth limit.
    fn inside(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

/// How deep types and aliases of types are followed; hostile aliases may be cyclic.
const DEPTH_MAX: u32 = 40;

impl GoProject {
    /// Resolves a written type; unknown where it is nested too deep.
    pub fn resolve(&self, ty: TypeId, scope: GoNameScope<'_>) -> Ty {
        let Some(scope) = scope.inside() else {
            return Ty::Unknown;
        };
        let file = self.file(scope.file);
        let inner = |ty: TypeId| Arc::new(self.resolve(ty, scope));
        let list = |run: Run| -> Args {
            let types = file.facts.types(run).iter();
            types.map(|ty| self.resolve(*ty, scope)).collect()
        };
        match file.facts.type_syntax(ty) {
            TypeSyntax::Broken => Ty::Unknown,
            TypeSyntax::Name(name, at) => self.type_named(file.sym(name), at, no_args(), scope),
            TypeSyntax::Qualified(package, name) => {
                self.qualified_type(file.sym(package), file.sym(name), no_args(), scope)
            }
            TypeSyntax::Generic(base, args) => {
                let args = list(args);
                match file.facts.type_syntax(base) {
                    TypeSyntax::Name(name, at) => self.type_named(file.sym(name), at, args, scope),
                    TypeSyntax::Qualified(package, name) => {
                        self.qualified_type(file.sym(package), file.sym(name), args, scope)
                    }
                    _ => Ty::Unknown,
                }
            }
            TypeSyntax::Pointer(pointee) => Ty::Pointer(inner(pointee)),
            TypeSyntax::Slice(element) => Ty::Slice(inner(element)),
            TypeSyntax::Array(element) => Ty::Array(inner(element)),
            TypeSyntax::Channel(element) => Ty::Channel(inner(element)),
            TypeSyntax::Tilde(underlying_type) => Ty::Tilde(inner(underlying_type)),
            TypeSyntax::Map(key, value) => Ty::Map(Arc::new((
                self.resolve(key, scope),
                self.resolve(value, scope),
            ))),
            TypeSyntax::Function(signature) => Ty::Func(Arc::new(self.signature(signature, scope))),
            TypeSyntax::Struct(run) => {
                let fields = file.facts.fields[run.range()].iter();
                let fields = fields.map(|field| GoField {
                    name: file.sym(field.name),
                    ty: self.resolve(field.ty, scope),
                    is_embedded: field.is_embedded,
                });
                Ty::Struct(Arc::new(Struct {
                    fields: fields.collect(),
                }))
            }
            TypeSyntax::Interface(at) => {
                let interface = file.facts.interfaces[at as usize];
                let methods = interface.methods.range();
                let name = |at: usize| file.sym(file.facts.interface_methods[at].name);
                Ty::Interface(Arc::new(Interface {
                    methods: methods
                        .map(|at| (name(at), file.interface_methods[at]))
                        .collect(),
                    embedded: list(interface.embedded).to_vec(),
                }))
            }
            TypeSyntax::Union(run) => Ty::Union(list(run)),
        }
    }

    /// Resolves the types of parameters and results.
    pub fn signature(&self, id: SignatureId, scope: GoNameScope<'_>) -> Signature {
        let facts = &self.file(scope.file).facts;
        let signature = facts.signature(id);
        // Parameters that share a type share its syntax: it is resolved once.
        let types = |run: Run| -> Vec<Ty> {
            let mut last: Option<(TypeId, Ty)> = None;
            let mut resolve = |param: &Param| match &last {
                Some((ty, resolved)) if *ty == param.ty => resolved.clone(),
                _ => {
                    let resolved = self.resolve(param.ty, scope);
                    last = Some((param.ty, resolved.clone()));
                    resolved
                }
            };
            facts.params[run.range()].iter().map(&mut resolve).collect()
        };
        let params = &facts.params[signature.params.range()];
        Signature {
            params: types(signature.params),
            results: types(signature.results),
            is_variadic: params.last().is_some_and(|param| param.is_variadic),
        }
    }

    /// Resolves the type that an unqualified name means at a place of its file; unknown where it is none.
    pub fn type_of_name(&self, name: Name, at: u32, args: Args, scope: GoNameScope<'_>) -> Ty {
        self.type_named(self.file(scope.file).sym(name), at, args, scope)
    }

    fn type_named(&self, name: Sym, at: u32, args: Args, scope: GoNameScope<'_>) -> Ty {
        if let Some(local) = self.local_type(scope.file, name, at) {
            return self.instance(local, args, scope);
        }
        if let Some((_, param)) = scope.params.iter().find(|(sym, _)| *sym == name) {
            return Ty::Param(*param);
        }
        let file = self.file(scope.file);
        match self.declared(file.package, name, scope.file) {
            Some(Decl::Type(id)) => return self.instance(id, args, scope),
            Some(_) => return Ty::Unknown,
            None => {}
        }
        for dot in &file.dots {
            if let ImportedPackage::Package(package) = dot
                && let Some(Decl::Type(id)) = self.declared(*package, name, scope.file)
            {
                return self.instance(id, args, scope);
            }
        }
        if let Some(ty) = self.universe.get(&name) {
            return ty.clone();
        }
        match file.dots.iter().find_map(ImportedPackage::library) {
            Some(path) => self.foreign(path, name, args),
            None => Ty::Unknown,
        }
    }

    /// Resolves the type that `package.name` means.
    pub fn type_in_package(&self, of: &ImportedPackage, name: Sym, args: Args, from: FileId) -> Ty {
        self.type_in(of, name, args, GoNameScope::new(from, &[]))
    }

    fn type_in(&self, of: &ImportedPackage, name: Sym, args: Args, scope: GoNameScope<'_>) -> Ty {
        match of {
            ImportedPackage::Library(path) => self.foreign(path, name, args),
            ImportedPackage::Package(package) => match self.declared(*package, name, scope.file) {
                Some(Decl::Type(id)) => self.instance(id, args, scope),
                _ => Ty::Unknown,
            },
        }
    }

    fn qualified_type(&self, package: Sym, name: Sym, args: Args, scope: GoNameScope<'_>) -> Ty {
        match self.imported(scope.file, package) {
            Some(of) => self.type_in(&of, name, args, scope),
            None => Ty::Unknown,
        }
    }

    fn foreign(&self, path: &Arc<str>, name: Sym, args: Args) -> Ty {
        Ty::Foreign(Arc::new(Foreign {
            path: Arc::clone(path),
            name: Arc::clone(self.word(name)),
            args,
        }))
    }

    /// Makes the type of a declaration, without arguments; for an alias, the type that it stands for.
    pub fn type_of_decl(&self, id: NamedId) -> Ty {
        self.instance(id, no_args(), GoNameScope::new(self.named(id).file, &[]))
    }

    /// Makes the type of a declaration, with its arguments; for an alias, the type that it stands for.
    fn instance(&self, id: NamedId, args: Args, from: GoNameScope<'_>) -> Ty {
        let decl = self.type_decl(id);
        if !decl.is_alias {
            return Ty::Named(id, args);
        }
        let named = self.named(id);
        let scope = GoNameScope {
            file: named.file,
            params: &named.params,
            depth: from.depth,
        };
        let ty = self.resolve(decl.ty, scope);
        if args.is_empty() {
            ty
        } else {
            self.bindings(id, &args).apply(&ty)
        }
    }

    /// Finds by its name a type that is declared in a function, as seen from a place in the function.
    pub fn local_type(&self, file: FileId, name: Sym, at: u32) -> Option<NamedId> {
        let file = self.file(file);
        let all = file.local_types.get(&name)?;
        let decl = |index: u32| &file.facts.types[index as usize];
        let n_before = all.partition_point(|&n| decl(n).name_span.start <= at);
        let found = all[..n_before]
            .iter()
            .rev()
            .find(|&&n| at < decl(n).scope_end)?;
        Some(NamedId(file.first_type + found))
    }

    /// Finds the package that a name means in a file.
    pub fn imported(&self, file: FileId, name: Sym) -> Option<ImportedPackage> {
        let file = self.file(file);
        if let Some(found) = file.imports.get(&name) {
            return Some(found.clone());
        }
        // A library's package may have another name than its path says: `go-isatty` is `isatty`.
        let name = self.word(name);
        let found = file.libraries.iter().find(|path| {
            let mut parts = path.rsplit('/').take(2);
            parts.any(|part| part.replace(['-', '.', '_'], "").contains(&**name))
        });
        found.map(|path| ImportedPackage::Library(Arc::clone(path)))
    }

    /// Finds the underlying type: the one behind the name, with its arguments; unknown where names form a cycle.
    pub fn underlying(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..DEPTH_MAX {
            let Ty::Named(id, args) = &ty else {
                return ty;
            };
            let behind = &self.named(*id).ty;
            ty = if args.is_empty() {
                behind.clone()
            } else {
                self.bindings(*id, args).apply(behind)
            };
        }
        Ty::Unknown
    }

    /// Finds the core type of a constraint: `[]E` of `~[]E`; unknown where the types of a union differ.
    pub fn core(&self, ty: &Ty) -> Ty {
        self.core_at(ty, DEPTH_MAX)
    }

    fn core_at(&self, ty: &Ty, depth: u32) -> Ty {
        let Some(depth) = depth.checked_sub(1) else {
            return Ty::Unknown;
        };
        match self.underlying(ty) {
            Ty::Param(param) => self.core_at(&self.type_params[param.0 as usize].constraint, depth),
            Ty::Tilde(inner) => self.underlying(&inner),
            Ty::Union(parts) => {
                let mut cores = parts.iter().map(|part| self.core_at(part, depth));
                match cores.next() {
                    Some(first) if cores.all(|core| core == first) => first,
                    _ => Ty::Unknown,
                }
            }
            Ty::Interface(interface) => match interface.embedded.as_slice() {
                [only] => self.core_at(only, depth),
                _ => Ty::Interface(interface),
            },
            other => other,
        }
    }

    /// Finds the underlying type of a value; of a type parameter, the core type of its constraint.
    pub fn value_underlying(&self, ty: &Ty) -> Ty {
        match self.underlying(ty) {
            Ty::Param(param) => self.core(&Ty::Param(param)),
            other => other,
        }
    }

    /// Makes the substitution for a generic type's members; empty without arguments.
    pub fn member_substitution(&self, id: NamedId, args: &Args) -> Subst {
        if args.is_empty() {
            Subst::default()
        } else {
            self.bindings(id, args)
        }
    }
}

impl ImportedPackage {
    pub const fn library(&self) -> Option<&Arc<str>> {
        match self {
            Self::Library(path) => Some(path),
            Self::Package(_) => None,
        }
    }
}
