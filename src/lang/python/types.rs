//! The types that values may have, as far as resolving calls needs them.

use std::sync::Arc;

use crate::ids::ids;
use crate::model::{FileId, UnknownReason};

ids! {
    /// A module, class or function of the project, in order of file and position.
    ScopeId,
}

/// How much is known of an object's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassExactness {
    /// It is that class: its making was seen.
    Made,
    /// It is that class or one that derives from it.
    AtLeast,
    /// It is the object or class that the method at hand was called on.
    Own,
}

/// How many parts a union may have; a larger one is unknown.
const UNION_MAX: usize = 40;

/// How deep types may be nested; deeper ones are unknown.
const DEPTH_MAX: u32 = 6;

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Unknown(UnknownReason),
    None,
    /// An object of a class of the project.
    Inst(ScopeId, ClassExactness),
    /// A class of the project itself.
    Class(ScopeId, ClassExactness),
    /// A function of the project; a method without its object.
    Func(ScopeId),
    /// A method with the object that it is called on.
    Bound(ScopeId, Arc<Ty>),
    /// A function behind the wrapper that it was given to.
    Wrapped(Arc<Ty>),
    /// `property(f)`.
    Property(ScopeId),
    Module(FileId),
    /// A package without a file of its own, dotted.
    Folder(Arc<str>),
    /// A library's module, class or function, dotted.
    Lib(Arc<str>),
    /// A value that a library gave.
    LibInst(Arc<str>),
    /// A string that is known.
    Str(Arc<str>),
    /// A container with elements of this type: a list, a set, an iterator.
    Iter(Arc<Ty>),
    Dict(Arc<(Ty, Ty)>),
    Tuple(Arc<[Ty]>),
    /// Some function that returns this.
    Callable(Arc<Ty>),
    /// A value whose `await` gives this.
    Await(Arc<Ty>),
    /// A value whose `with` gives this.
    Context(Arc<Ty>),
    /// One of several types, none of which is a union or `None`.
    Union(Arc<[Ty]>),
    /// The function's parameter of that number.
    Param(u32),
    /// `super()`: the class whose supertypes are searched, and the object.
    Super(ScopeId, Arc<Ty>),
    /// pytest's `request` in a fixture, and the class of the test that it runs for.
    Request(ScopeId, Option<ScopeId>),
    /// `globals()` of a file.
    Globals(FileId),
}

pub const UNKNOWN: Ty = Ty::Unknown(UnknownReason::ReceiverType);

impl Ty {
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    pub fn lib(path: &str) -> Self {
        Self::Lib(path.into())
    }

    pub fn lib_inst(path: &str) -> Self {
        Self::LibInst(path.into())
    }

    /// Wraps this type in another, unless types are nested too deep.
    fn within(self, around: fn(Arc<Self>) -> Self) -> Self {
        if self.depth() >= DEPTH_MAX {
            return UNKNOWN;
        }
        around(Arc::new(self))
    }

    pub fn iter(element: Self) -> Self {
        element.within(Self::Iter)
    }

    pub fn dict(key: Self, value: Self) -> Self {
        if key.depth().max(value.depth()) >= DEPTH_MAX {
            return UNKNOWN;
        }
        Self::Dict(Arc::new((key, value)))
    }

    pub fn tuple(parts: Vec<Self>) -> Self {
        if parts.iter().any(|ty| ty.depth() >= DEPTH_MAX) {
            return UNKNOWN;
        }
        Self::Tuple(parts.into())
    }

    pub fn awaited(value: Self) -> Self {
        value.within(Self::Await)
    }

    pub fn context(value: Self) -> Self {
        value.within(Self::Context)
    }

    pub fn callable(given: Self) -> Self {
        given.within(Self::Callable)
    }

    fn depth(&self) -> u32 {
        1 + match self {
            Self::Iter(inner)
            | Self::Callable(inner)
            | Self::Await(inner)
            | Self::Context(inner)
            | Self::Wrapped(inner)
            | Self::Bound(_, inner)
            | Self::Super(_, inner) => inner.depth(),
            Self::Dict(dict) => dict.0.depth().max(dict.1.depth()),
            Self::Tuple(parts) | Self::Union(parts) => {
                parts.iter().map(Self::depth).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Lists the parts of a union, or the type itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Union(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    /// Joins the two types that a value may have. `None` beside something else is left out, because calls are meant for
    /// the other type. With an unknown part the join is unknown.
    pub fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, ty) | (ty, Self::None) => ty,
            (a, b) if a == b => a,
            (a @ Self::Unknown(_), _) | (_, a @ Self::Unknown(_)) => a,
            // Of plain values it is enough to know that they are none of the project's.
            (Self::Str(_) | Self::LibInst(_), Self::Str(_)) => Self::lib_inst("builtins.str"),
            (Self::LibInst(path), Self::LibInst(_)) | (Self::Str(_), Self::LibInst(path)) => {
                Self::LibInst(path)
            }
            (Self::Tuple(a), Self::Tuple(b)) if a.len() == b.len() => {
                let pairs = a.iter().zip(b.iter());
                Self::tuple(pairs.map(|(a, b)| a.clone().join(b.clone())).collect())
            }
            (Self::Iter(a), Self::Iter(b)) => Self::iter((*a).clone().join((*b).clone())),
            (Self::Dict(a), Self::Dict(b)) => {
                Self::dict(a.0.clone().join(b.0.clone()), a.1.clone().join(b.1.clone()))
            }
            (a, b) => union(&a, &b),
        }
    }

    /// Joins all types; [`Ty::None`] where there are none.
    pub fn join_all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::None, Self::join)
    }

    /// Returns the element type of a known container; of a dictionary, the type of its keys.
    pub fn element(&self) -> Option<Self> {
        match self {
            Self::Iter(element) => Some((**element).clone()),
            Self::Tuple(parts) => Some(Self::join_all(parts.iter().cloned())),
            Self::Dict(dict) => Some(dict.0.clone()),
            _ => None,
        }
    }

    /// Tells whether some part is an object, class or function of the project, or may be one because nothing is known.
    pub fn is_projects(&self) -> bool {
        match self {
            Self::Inst(..)
            | Self::Class(..)
            | Self::Func(_)
            | Self::Bound(..)
            | Self::Wrapped(_)
            | Self::Param(_)
            | Self::Unknown(_) => true,
            Self::Iter(inner)
            | Self::Callable(inner)
            | Self::Await(inner)
            | Self::Context(inner) => inner.is_projects(),
            Self::Dict(dict) => dict.0.is_projects() || dict.1.is_projects(),
            Self::Tuple(parts) | Self::Union(parts) => parts.iter().any(Self::is_projects),
            _ => false,
        }
    }
}

fn union(a: &Ty, b: &Ty) -> Ty {
    let mut parts: Vec<Ty> = a.parts().to_vec();
    for part in b.parts() {
        if parts.contains(part) {
            continue;
        }
        // A class that is known exactly and roughly is known roughly.
        let rough = parts.iter().position(|ty| is_same_class(ty, part));
        match rough {
            Some(at) => parts[at] = loose(part),
            None => parts.push(part.clone()),
        }
    }
    match parts.len() {
        1 => parts.remove(0),
        n if n > UNION_MAX => UNKNOWN,
        _ => Ty::Union(parts.into()),
    }
}

fn is_same_class(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Inst(a, _), Ty::Inst(b, _)) | (Ty::Class(a, _), Ty::Class(b, _)) => a == b,
        _ => false,
    }
}

fn loose(ty: &Ty) -> Ty {
    match ty {
        Ty::Inst(class, _) => Ty::Inst(*class, ClassExactness::AtLeast),
        Ty::Class(class, _) => Ty::Class(*class, ClassExactness::AtLeast),
        other => other.clone(),
    }
}
