//! Types as values: the meanings of names of types in the source.
//!
//! `Unknown` is compatible with everything, so that an unknown type never decides anything. Arguments of a generic
//! class are absent where the class is raw (or has none).

use std::sync::Arc;

use smallvec::SmallVec;

use crate::ids::ids;
use crate::syntax::java::prim::Prim;

ids! {
    /// A class, interface, enum, record or annotation type of the project or of a known library.
    ClassId,
    /// A type variable of a class or a method.
    VarId,
    /// A method or constructor; the project's come first, with the numbers of `MethodId`.
    MemberId,
}

/// Set in the numbers of library classes and of their type variables.
pub const LIBRARY: u32 = 1 << 31;

/// The number of bits of a type variable's number that count within its class; the others are the class's number.
pub const VAR_BITS: u32 = 12;

/// The greatest number of classes, so that the numbers of their variables fit.
pub const CLASSES_MAX: usize = 1 << (31 - VAR_BITS);

impl ClassId {
    pub const fn is_library(self) -> bool {
        self.0 & LIBRARY != 0
    }
}

impl VarId {
    pub const fn is_library(self) -> bool {
        self.0 & LIBRARY != 0
    }
}

/// Arguments of a generic class; absent where it is raw.
pub type Args = Option<Arc<[Ty]>>;

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    Unknown,
    /// A class that is in no file and no known library: its qualified name where an import tells it, else as written.
    Missing(Arc<str>),
    Null,
    Void,
    Prim(Prim),
    Class(ClassId, Args),
    Array(Arc<Ty>),
    Var(VarId),
    Wild,
    Extends(Arc<Ty>),
    Super(Arc<Ty>),
    /// An intersection.
    Both(Arc<[Ty]>),
}

impl Ty {
    pub const fn class(id: ClassId) -> Self {
        Self::Class(id, None)
    }

    pub fn array(self) -> Self {
        Self::Array(Arc::new(self))
    }

    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Returns the class of a class type.
    pub const fn class_id(&self) -> Option<ClassId> {
        match self {
            Self::Class(id, _) => Some(*id),
            _ => None,
        }
    }

    pub const fn args(&self) -> &Args {
        match self {
            Self::Class(_, args) => args,
            _ => &None,
        }
    }
}

/// The greatest number of parts of a type that is bound to a variable. `class A<T> extends B<Map<T, T>>` doubles its
/// argument with each class between, so that a page of source makes a type that no memory holds.
const SIZE_MAX: usize = 400;

impl Ty {
    /// Tells whether the type has at most `n_parts` parts, shared ones counted as often as they occur in it.
    fn is_smaller_than(&self, n_parts: usize) -> bool {
        self.without_parts(n_parts).is_some()
    }

    /// Subtracts the number of this type's parts from `rest`; nothing if there are more.
    fn without_parts(&self, rest: usize) -> Option<usize> {
        let rest = rest.checked_sub(1)?;
        match self {
            Self::Class(_, Some(parts)) | Self::Both(parts) => parts
                .iter()
                .try_fold(rest, |rest, part| part.without_parts(rest)),
            Self::Array(inner) | Self::Extends(inner) | Self::Super(inner) => {
                inner.without_parts(rest)
            }
            _ => Some(rest),
        }
    }
}

/// Values for runs of type variables.
#[derive(Clone, Debug, Default)]
pub struct Subst {
    /// One in nearly all cases, for which nothing is allocated.
    runs: SmallVec<[(u32, Arc<[Ty]>); 1]>,
}

impl Subst {
    /// Adds values for the variables from `first` on; one of absurd size is unknown.
    pub fn bind(&mut self, first: u32, values: Arc<[Ty]>) {
        if values.is_empty() {
            return;
        }
        let is_fine = |value: &Ty| value.is_smaller_than(SIZE_MAX);
        let values = if values.iter().all(is_fine) {
            values
        } else {
            let cut = |value: &Ty| Some(value).filter(|ty| is_fine(ty)).cloned();
            values
                .iter()
                .map(|value| cut(value).unwrap_or(Ty::Unknown))
                .collect()
        };
        self.runs.push((first, values));
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn get(&self, var: VarId) -> Option<&Ty> {
        self.runs.iter().find_map(|(first, values)| {
            var.0
                .checked_sub(*first)
                .and_then(|at| values.get(at as usize))
        })
    }

    /// Substitutes the bound variables in the type.
    pub fn apply(&self, ty: &Ty) -> Ty {
        if self.is_empty() {
            return ty.clone();
        }
        match ty {
            Ty::Var(var) => self.get(*var).cloned().unwrap_or_else(|| ty.clone()),
            Ty::Class(id, Some(args)) if ty.has_var() => {
                Ty::Class(*id, Some(args.iter().map(|arg| self.apply(arg)).collect()))
            }
            Ty::Array(element) => self.apply(element).array(),
            Ty::Extends(bound) => extends(self.apply(bound)),
            Ty::Super(bound) => superb(self.apply(bound)),
            Ty::Both(parts) => Ty::Both(parts.iter().map(|part| self.apply(part)).collect()),
            _ => ty.clone(),
        }
    }
}

/// Makes `? extends bound`; a wildcard in the place of the bound stays one wildcard.
fn extends(bound: Ty) -> Ty {
    match bound {
        Ty::Wild | Ty::Extends(_) | Ty::Unknown => bound,
        Ty::Super(_) => Ty::Wild,
        bound => Ty::Extends(Arc::new(bound)),
    }
}

fn superb(bound: Ty) -> Ty {
    match bound {
        // The bound is a captured wildcard: a type that accepts its values accepts at least those of its own bound.
        Ty::Super(_) | Ty::Unknown | Ty::Wild => bound,
        Ty::Extends(bound) => Ty::Super(bound),
        bound => Ty::Super(Arc::new(bound)),
    }
}
