//! The values that resolution works on: numbers of words, types, members, and types with their arguments.

use std::sync::Arc;

use super::facts::{MemberKind, ParameterPassing, TypeKind};
use crate::ids::ids;
use crate::model::MethodId;
use crate::symbols::Sym;

impl Sym {
    /// No word, and the name of the global namespace.
    pub const NONE: Self = Self(0);

    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

ids! {
    /// A declared type, all its parts as one.
    TypeId,
    /// A declared member.
    MemberId,
    /// A type parameter.
    VarId,
}

/// A type, as far as it is known. Nullable references are their types.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ty {
    #[default]
    Unknown,
    Null,
    Void,
    /// With the arguments of the types around it before its own.
    Named(TypeId, Arc<[Ty]>),
    Array(Arc<Ty>, u8),
    /// Of a value type.
    Nullable(Arc<Ty>),
    Pointer(Arc<Ty>),
    Tuple(Arc<[(Sym, Ty)]>),
    /// Of `new { a = 1 }`.
    Anonymous(Arc<[(Sym, Ty)]>),
    Var(VarId),
    /// A type that is declared nowhere, by its simple name.
    Missing(Sym),
}

impl Ty {
    pub fn named(id: TypeId) -> Self {
        Self::Named(id, Arc::default())
    }

    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    pub const fn id(&self) -> Option<TypeId> {
        match self {
            Self::Named(id, _) => Some(*id),
            _ => None,
        }
    }

    pub fn args(&self) -> &[Self] {
        match self {
            Self::Named(_, args) => args,
            _ => &[],
        }
    }

    pub fn is(&self, id: TypeId) -> bool {
        self.id() == Some(id)
    }

    /// Substitutes type variables in the type.
    pub fn with(&self, bound: &Bindings) -> Self {
        if bound.is_empty() || !self.has_var() {
            return self.clone();
        }
        match self {
            Self::Var(var) => bound.get(*var).cloned().unwrap_or_else(|| self.clone()),
            Self::Named(id, args) => {
                Self::Named(*id, args.iter().map(|arg| arg.with(bound)).collect())
            }
            Self::Array(element, rank) => Self::Array(Arc::new(element.with(bound)), *rank),
            Self::Nullable(inner) => Self::Nullable(Arc::new(inner.with(bound))),
            Self::Pointer(inner) => Self::Pointer(Arc::new(inner.with(bound))),
            Self::Tuple(parts) => Self::Tuple(with_all(parts, bound)),
            Self::Anonymous(parts) => Self::Anonymous(with_all(parts, bound)),
            _ => self.clone(),
        }
    }

    /// Tells whether a type variable stands in the type.
    pub fn has_var(&self) -> bool {
        self.has(&|part| matches!(part, Self::Var(_)))
    }

    /// Tells whether a part of the type is not known.
    pub fn has_unknown(&self) -> bool {
        self.has(&Self::is_unknown)
    }

    /// Tells whether `is` holds for the type or a part of it.
    pub fn has(&self, is: &impl Fn(&Self) -> bool) -> bool {
        is(self)
            || match self {
                Self::Named(_, args) => args.iter().any(|arg| arg.has(is)),
                Self::Array(inner, _) | Self::Nullable(inner) | Self::Pointer(inner) => {
                    inner.has(is)
                }
                Self::Tuple(parts) | Self::Anonymous(parts) => {
                    parts.iter().any(|part| part.1.has(is))
                }
                _ => false,
            }
    }

    /// Measures how deep the type is nested; a type without arguments counts one.
    pub fn depth(&self) -> u32 {
        let deepest = |n: Option<u32>| n.unwrap_or_default() + 1;
        match self {
            Self::Named(_, args) => deepest(args.iter().map(Self::depth).max()),
            Self::Array(inner, _) | Self::Nullable(inner) | Self::Pointer(inner) => {
                inner.depth() + 1
            }
            Self::Tuple(parts) | Self::Anonymous(parts) => {
                deepest(parts.iter().map(|part| part.1.depth()).max())
            }
            _ => 0,
        }
    }
}

fn with_all(parts: &[(Sym, Ty)], bound: &Bindings) -> Arc<[(Sym, Ty)]> {
    parts
        .iter()
        .map(|(name, ty)| (*name, ty.with(bound)))
        .collect()
}

/// The types that type parameters stand for.
#[derive(Clone, Debug, Default)]
pub struct Bindings(Vec<(VarId, Ty)>);

impl Bindings {
    pub fn of(vars: &[VarId], args: &[Ty]) -> Self {
        if vars.len() != args.len() {
            return Self(vars.iter().map(|&var| (var, Ty::Unknown)).collect());
        }
        Self(vars.iter().copied().zip(args.iter().cloned()).collect())
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, var: VarId) -> Option<&Ty> {
        self.0.iter().find(|pair| pair.0 == var).map(|pair| &pair.1)
    }

    pub fn set(&mut self, var: VarId, ty: Ty) {
        match self.0.iter_mut().find(|pair| pair.0 == var) {
            Some(known) => known.1 = ty,
            None => self.0.push((var, ty)),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Param {
    pub name: Sym,
    pub ty: Ty,
    pub passing: ParameterPassing,
    pub is_optional: bool,
    pub is_params: bool,
}

/// A type parameter and its known constraints.
#[derive(Clone, Debug)]
pub struct Var {
    pub name: Sym,
    pub bounds: Vec<Ty>,
    pub is_value: bool,
}

/// A declared type.
#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub name: Sym,
    pub namespace: Sym,
    pub outer: Option<TypeId>,
    pub flags: u32,
    pub qualified: Arc<str>,
    /// How many bytes of it are the namespace.
    pub n_package: u32,
    /// Its own type parameters, after those of the types around it.
    pub vars: Vec<VarId>,
    /// The number of its own type parameters.
    pub arity: u32,
    /// File and number of the declaration there.
    pub parts: Vec<(u32, u32)>,
    /// The base class, if there is one, and the interfaces.
    pub bases: Vec<Ty>,
    /// Whether any type above it is declared nowhere.
    pub has_missing_base: bool,
    /// Every type above it, near ones first.
    pub ancestors: Arc<[TypeId]>,
    /// By name, then in the order in which they are written.
    pub members: Vec<(Sym, MemberId)>,
    pub nested: Vec<(Sym, TypeId)>,
    pub is_library: bool,
    /// The parameters and the result of a delegate.
    pub signature: Option<(Arc<[Param]>, Ty)>,
}

/// A declared member.
#[derive(Clone, Debug)]
pub struct CSharpMember {
    pub owner: TypeId,
    pub name: Sym,
    pub kind: MemberKind,
    pub flags: u32,
    pub vars: Vec<VarId>,
    pub params: Arc<[Param]>,
    /// The type that it returns or holds.
    pub ty: Ty,
    pub explicit: Option<Ty>,
    pub file: u32,
    /// Its number in the file; absent for a constructor that the compiler adds.
    pub decl: Option<u32>,
    /// Absent for members that are not methods, or not the project's.
    pub method: Option<MethodId>,
}

impl CSharpMember {
    pub const fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}
