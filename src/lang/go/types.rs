//! Types as resolution knows them. Decides nothing: other modules find types and their members.

use std::sync::Arc;

use crate::ids::ids;
use crate::symbols::Sym;

ids! {
    /// A type declaration of the project, local ones too.
    NamedId,
    /// A function, a method, or a method that an interface asks for; the same number as its `MethodId`.
    FuncId,
    /// A type parameter of the project.
    ParamId,
}

/// Types of the language itself, as far as they differ for resolution: none of them has methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basic {
    Bool,
    String,
    Int,
    /// Every numeric type that is not named here.
    Number,
    Float,
    Complex,
    Rune,
    Byte,
    /// This and the next ones: types of literals, until their use says more.
    UntypedInt,
    UntypedFloat,
    UntypedComplex,
    UntypedRune,
    UntypedString,
    UntypedBool,
    Nil,
}

impl Basic {
    pub const fn is_untyped(self) -> bool {
        matches!(
            self,
            Self::UntypedInt
                | Self::UntypedFloat
                | Self::UntypedComplex
                | Self::UntypedRune
                | Self::UntypedString
                | Self::UntypedBool
                | Self::Nil
        )
    }

    /// Turns an untyped constant's type into the one that a variable gets.
    pub const fn typed(self) -> Self {
        match self {
            Self::UntypedInt => Self::Int,
            Self::UntypedFloat => Self::Float,
            Self::UntypedComplex => Self::Complex,
            Self::UntypedRune => Self::Rune,
            Self::UntypedString => Self::String,
            Self::UntypedBool => Self::Bool,
            other => other,
        }
    }
}

/// Type arguments; none for a type without parameters, or where they are not known.
pub type Args = Arc<[Ty]>;

#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Lost on the way.
    Unknown,
    Basic(Basic),
    Error,
    /// Of another module: the package, and the type's name where it is known.
    Foreign(Arc<Foreign>),
    Named(NamedId, Args),
    Param(ParamId),
    Pointer(Arc<Ty>),
    Slice(Arc<Ty>),
    Array(Arc<Ty>),
    Channel(Arc<Ty>),
    Map(Arc<(Ty, Ty)>),
    Func(Arc<Signature>),
    Struct(Arc<Struct>),
    Interface(Arc<Interface>),
    /// Several results.
    Tuple(Args),
    /// `~T` and `A | B`, in constraints only.
    Tilde(Arc<Ty>),
    Union(Args),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Foreign {
    /// The import path.
    pub path: Arc<str>,
    /// Empty where it is not known.
    pub name: Arc<str>,
    pub args: Args,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signature {
    pub params: Vec<Ty>,
    pub results: Vec<Ty>,
    /// Whether the last parameter, a slice, takes any number of arguments.
    pub is_variadic: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    pub fields: Vec<GoField>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct GoField {
    pub name: Sym,
    pub ty: Ty,
    pub is_embedded: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    pub methods: Vec<(Sym, FuncId)>,
    pub embedded: Vec<Ty>,
}

impl Ty {
    pub fn named(id: NamedId) -> Self {
        Self::Named(id, no_args())
    }

    pub fn pointer(self) -> Self {
        Self::Pointer(Arc::new(self))
    }

    pub fn slice(self) -> Self {
        Self::Slice(Arc::new(self))
    }

    pub fn any() -> Self {
        Self::Interface(Arc::default())
    }

    /// Makes the type `name` of another module.
    pub fn foreign(path: &Arc<str>, name: &str) -> Self {
        Self::Foreign(Arc::new(Foreign {
            path: Arc::clone(path),
            name: name.into(),
            args: no_args(),
        }))
    }

    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Turns the type of a value into the one that a variable gets from it.
    pub fn typed(self) -> Self {
        match self {
            Self::Basic(basic) => Self::Basic(basic.typed()),
            other => other,
        }
    }

    pub const fn is_untyped(&self) -> bool {
        matches!(self, Self::Basic(basic) if basic.is_untyped())
    }

    /// Returns the type behind a pointer, or the type itself.
    pub fn pointee(&self) -> &Self {
        match self {
            Self::Pointer(inner) => inner,
            other => other,
        }
    }

    /// Makes the value of a call with these results.
    pub fn of_results(results: &[Self]) -> Self {
        match results {
            [only] => only.clone(),
            many => Self::Tuple(many.into()),
        }
    }
}

pub fn no_args() -> Args {
    static NONE: std::sync::LazyLock<Args> = std::sync::LazyLock::new(|| Arc::new([]));
    Arc::clone(&NONE)
}

/// The types that type parameters stand for.
#[derive(Clone, Debug, Default)]
pub struct Subst(pub Vec<(ParamId, Ty)>);

/// How deep types that hold each other are followed; keeps a type that grows with each step harmless.
const DEPTH_MAX: u32 = 40;

impl Subst {
    pub fn get(&self, id: ParamId) -> Option<&Ty> {
        self.0
            .iter()
            .find(|(param_id, _)| *param_id == id)
            .map(|(_, ty)| ty)
    }

    /// Substitutes the parameters in a type.
    pub fn apply(&self, ty: &Ty) -> Ty {
        if self.0.is_empty() {
            return ty.clone();
        }
        self.at(ty, DEPTH_MAX)
    }

    fn at(&self, ty: &Ty, depth: u32) -> Ty {
        let Some(depth) = depth.checked_sub(1) else {
            return Ty::Unknown;
        };
        let inner = |ty: &Arc<Ty>| Arc::new(self.at(ty, depth));
        let list = |list: &Args| -> Args {
            if list.is_empty() {
                return Arc::clone(list);
            }
            list.iter().map(|ty| self.at(ty, depth)).collect()
        };
        match ty {
            Ty::Unknown | Ty::Basic(_) | Ty::Error => ty.clone(),
            Ty::Param(id) => self.get(*id).cloned().unwrap_or_else(|| ty.clone()),
            Ty::Named(id, args) => Ty::Named(*id, list(args)),
            Ty::Foreign(foreign) if foreign.args.is_empty() => ty.clone(),
            Ty::Foreign(foreign) => Ty::Foreign(Arc::new(Foreign {
                args: list(&foreign.args),
                ..(**foreign).clone()
            })),
            Ty::Pointer(pointee) => Ty::Pointer(inner(pointee)),
            Ty::Slice(element) => Ty::Slice(inner(element)),
            Ty::Array(element) => Ty::Array(inner(element)),
            Ty::Channel(element) => Ty::Channel(inner(element)),
            Ty::Tilde(underlying_type) => Ty::Tilde(inner(underlying_type)),
            Ty::Map(map) => Ty::Map(Arc::new((self.at(&map.0, depth), self.at(&map.1, depth)))),
            Ty::Func(signature) => Ty::Func(Arc::new(self.signature_at(signature, depth))),
            Ty::Struct(structure) => Ty::Struct(Arc::new(Struct {
                fields: structure
                    .fields
                    .iter()
                    .map(|field| GoField {
                        ty: self.at(&field.ty, depth),
                        ..*field
                    })
                    .collect(),
            })),
            Ty::Interface(interface) if interface.embedded.is_empty() => ty.clone(),
            Ty::Interface(interface) => Ty::Interface(Arc::new(Interface {
                methods: interface.methods.clone(),
                embedded: interface
                    .embedded
                    .iter()
                    .map(|ty| self.at(ty, depth))
                    .collect(),
            })),
            Ty::Tuple(parts) => Ty::Tuple(list(parts)),
            Ty::Union(parts) => Ty::Union(list(parts)),
        }
    }

    /// Substitutes the parameters in a signature.
    pub fn signature(&self, signature: &Signature) -> Signature {
        self.signature_at(signature, DEPTH_MAX)
    }

    fn signature_at(&self, signature: &Signature, depth: u32) -> Signature {
        let list = |types: &[Ty]| types.iter().map(|ty| self.at(ty, depth)).collect();
        Signature {
            params: list(&signature.params),
            results: list(&signature.results),
            is_variadic: signature.is_variadic,
        }
    }
}
