//! Tells whether one type fits where another is wanted (JLS 4.10, 5.1, 5.3), as far as types are known.

use super::facts::flag;
use super::library::{known, object};
use super::project::JavaProject;
use super::types::{ClassId, Ty};
pub use crate::fit::Fit;
use crate::syntax::java::prim::Prim;

/// How deep types are compared; hostile bounds may be cyclic.
const DEPTH_MAX: u32 = 24;

impl JavaProject {
    /// Tells whether a value fits by subtyping and primitive widening alone.
    pub fn fits_strictly(&self, from: &Ty, to: &Ty) -> Fit {
        self.subtype(from, to, 0)
    }

    /// Tells whether a value fits when boxing is allowed too.
    pub fn fits_loosely(&self, from: &Ty, to: &Ty) -> Fit {
        match (from, to) {
            (Ty::Prim(prim), to) if !matches!(to, Ty::Prim(_)) => {
                self.subtype(&Ty::class(known().boxed(*prim)), to, 0)
            }
            (from, Ty::Prim(to)) if !matches!(from, Ty::Prim(_)) => match self.unboxed(from) {
                Some(prim) => Fit::from(widens(prim, *to)),
                None => self.subtype(from, &Ty::Prim(*to), 0),
            },
            _ => self.subtype(from, to, 0),
        }
    }

    /// Finds the primitive that a type is, or unboxes to.
    pub fn unboxed(&self, ty: &Ty) -> Option<Prim> {
        match ty {
            Ty::Prim(prim) => Some(*prim),
            Ty::Class(class, _) if class.is_library() => known().unboxed(*class),
            Ty::Extends(bound) => self.unboxed(bound),
            Ty::Var(var) => self.bounds(*var).first().and_then(|bound| match bound {
                Ty::Class(class, _) => known().unboxed(*class),
                _ => None,
            }),
            _ => None,
        }
    }

    fn subtype(&self, from: &Ty, to: &Ty, depth: u32) -> Fit {
        if depth > DEPTH_MAX {
            return Fit::Maybe;
        }
        let deeper = |from: &Ty, to: &Ty| self.subtype(from, to, depth + 1);
        match (from, to) {
            (Ty::Unknown, _) | (_, Ty::Unknown) => Fit::Maybe,
            (Ty::Prim(from), Ty::Prim(to)) => Fit::from(widens(*from, *to)),
            (Ty::Void | Ty::Prim(_), _) | (_, Ty::Void | Ty::Null) => Fit::No,
            (from, Ty::Prim(_)) => match from {
                Ty::Missing(_) | Ty::Wild => Fit::Maybe,
                _ => Fit::No,
            },
            (Ty::Null, _) => Fit::Yes,
            (_, Ty::Class(class, _)) if *class == known().object => Fit::Yes,
            (Ty::Extends(bound), to) => deeper(bound, to),
            (from, Ty::Super(bound)) => deeper(from, bound),
            (from, Ty::Extends(bound)) => match from {
                Ty::Wild | Ty::Super(_) => Fit::Maybe,
                from => deeper(from, bound).min(Fit::Maybe),
            },
            (from, Ty::Both(parts)) => parts
                .iter()
                .map(|part| deeper(from, part))
                .min()
                .unwrap_or(Fit::Maybe),
            (Ty::Both(parts), to) => parts
                .iter()
                .map(|part| deeper(part, to))
                .max()
                .unwrap_or(Fit::Maybe),
            (Ty::Var(from), Ty::Var(to)) if from == to => Fit::Yes,
            (Ty::Var(var), to) => {
                let bounds = self.bounds(*var);
                let best = bounds.iter().map(|bound| deeper(bound, to)).max();
                match (best, to) {
                    (Some(Fit::Yes), _) => Fit::Yes,
                    // A variable where another variable is wanted may have been bound to it.
                    (_, Ty::Var(_)) => Fit::Maybe,
                    (best, _) => best.unwrap_or(Fit::No),
                }
            }
            (Ty::Wild | Ty::Super(_), _) | (_, Ty::Wild | Ty::Var(_)) => Fit::Maybe,
            (Ty::Array(from), Ty::Array(to)) => match (&**from, &**to) {
                (Ty::Prim(from), Ty::Prim(to)) => Fit::from(from == to),
                // A type that is not known is never a primitive.
                (Ty::Prim(_), _) | (_, Ty::Prim(_)) => Fit::No,
                (from, to) => deeper(from, to),
            },
            (Ty::Array(_), Ty::Class(class, _)) => {
                let known = known();
                Fit::from(*class == known.cloneable || *class == known.serializable)
            }
            (Ty::Array(_), Ty::Missing(_)) | (_, Ty::Array(_)) => Fit::No,
            (Ty::Missing(from), Ty::Missing(to)) if from == to => Fit::Yes,
            // A class of some library extends no final class; it may extend any other.
            (Ty::Missing(name), Ty::Class(class, _)) => {
                let is_final = self.class(*class).flags & flag::FINAL != 0;
                if is_final || !self.may_be_generated(name, *class) {
                    Fit::No
                } else {
                    Fit::Maybe
                }
            }
            (Ty::Missing(_), _) => Fit::Maybe,
            (Ty::Class(from, _), Ty::Missing(to)) => self.below_missing(*from, to),
            (Ty::Class(from_class, _), Ty::Class(to_class, wanted)) => {
                let (from_class, to_class) = (*from_class, *to_class);
                if self.is_below(from_class, to_class) {
                    let seen = wanted.as_ref().and_then(|wanted| {
                        let seen = self.as_ancestor(from, to_class)?;
                        Some((seen, wanted))
                    });
                    match seen {
                        Some((Ty::Class(_, Some(args)), wanted)) => {
                            let is_apart = args
                                .iter()
                                .zip(wanted.iter())
                                .any(|(arg, wanted)| self.is_apart(arg, wanted, depth));
                            Fit::from(!is_apart)
                        }
                        _ => Fit::Yes,
                    }
                } else if self.may_be_below(from_class, to_class) {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
        }
    }

    /// Tells whether a type argument cannot become the wanted one, even if it was inferred too narrowly.
    fn is_apart(&self, arg: &Ty, wanted: &Ty, depth: u32) -> bool {
        let arg = match arg {
            Ty::Extends(bound) => bound,
            Ty::Class(..) | Ty::Array(_) => arg,
            _ => return false,
        };
        let wanted = match wanted {
            Ty::Extends(bound) => bound,
            Ty::Class(..) | Ty::Array(_) => wanted,
            _ => return false,
        };
        self.subtype(arg, wanted, depth + 1) == Fit::No
    }

    /// Tells whether a class that is declared nowhere may extend this one: libraries do not extend the project's
    /// classes, but generated code does, and lies in the same package.
    fn may_be_generated(&self, name: &str, class: ClassId) -> bool {
        let Some((file, _)) = self.class(class).decl else {
            return true;
        };
        match name.rsplit_once('.') {
            Some((package, _)) => package == self.word(self.file(file).package),
            None => true,
        }
    }

    /// Tells whether a class may be below another one through a supertype that is declared nowhere.
    fn may_be_below(&self, from: ClassId, to: ClassId) -> bool {
        if !self.class(from).has_missing_super || self.class(to).flags & flag::FINAL != 0 {
            return false;
        }
        self.ancestors(from).iter().any(|&ancestor| {
            let mut supers = self.class(ancestor).supers.iter();
            supers.any(|parent| match parent {
                Ty::Missing(name) => self.may_be_generated(name, to),
                parent => !matches!(parent, Ty::Class(..)),
            })
        })
    }

    fn below_missing(&self, from: ClassId, to: &str) -> Fit {
        if !self.class(from).has_missing_super {
            return Fit::No;
        }
        let is_named = self.ancestors(from).iter().any(|&ancestor| {
            self.class(ancestor)
                .supers
                .iter()
                .any(|parent| matches!(parent, Ty::Missing(name) if &**name == to))
        });
        if is_named { Fit::Yes } else { Fit::Maybe }
    }

    /// Tells whether two types are the same without type arguments and with bounds in place of variables.
    pub fn same_erasure(&self, one: &Ty, other: &Ty) -> bool {
        match (one, other) {
            (Ty::Var(var), other) => self.same_erasure(&self.erased_var(*var), other),
            (one, Ty::Var(var)) => self.same_erasure(one, &self.erased_var(*var)),
            (Ty::Extends(bound), other) => self.same_erasure(bound, other),
            (one, Ty::Extends(bound)) => self.same_erasure(one, bound),
            (Ty::Class(one, _), Ty::Class(other, _)) => one == other,
            (Ty::Missing(one), Ty::Missing(other)) => one == other,
            (Ty::Prim(one), Ty::Prim(other)) => one == other,
            (Ty::Array(one), Ty::Array(other)) => self.same_erasure(one, other),
            (Ty::Both(parts), other) | (other, Ty::Both(parts)) => parts
                .first()
                .is_some_and(|part| self.same_erasure(part, other)),
            (Ty::Super(_) | Ty::Wild, Ty::Super(_) | Ty::Wild) => true,
            (Ty::Super(_) | Ty::Wild, other) | (other, Ty::Super(_) | Ty::Wild) => {
                *other == object()
            }
            _ => false,
        }
    }

    /// Finds the nearest common supertype, or `Unknown`.
    pub fn common(&self, a: &Ty, b: &Ty) -> Ty {
        if a == b {
            return a.clone();
        }
        match (a, b) {
            (Ty::Null, other) | (other, Ty::Null) => match other {
                Ty::Prim(prim) => Ty::class(known().boxed(*prim)),
                other => other.clone(),
            },
            (Ty::Unknown, _) | (_, Ty::Unknown) => Ty::Unknown,
            (Ty::Class(x, _), Ty::Class(y, _)) => {
                if self.is_below(*x, *y) {
                    return b.clone();
                }
                if self.is_below(*y, *x) {
                    return a.clone();
                }
                self.ancestors(*x)
                    .iter()
                    .copied()
                    .find(|&ancestor| ancestor != known().object && self.is_below(*y, ancestor))
                    .map_or_else(object, Ty::class)
            }
            _ => {
                if self.fits_strictly(a, b) == Fit::Yes {
                    b.clone()
                } else if self.fits_strictly(b, a) == Fit::Yes {
                    a.clone()
                } else {
                    Ty::Unknown
                }
            }
        }
    }
}

/// Tells whether a primitive is the other one or widens to it (JLS 5.1.2).
pub const fn widens(from: Prim, to: Prim) -> bool {
    use Prim::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
    match (from, to) {
        (Boolean, Boolean) | (Char, Char) => true,
        (Boolean, _) | (_, Boolean | Char) => false,
        (Byte, _) => true,
        (Short, to) => !matches!(to, Byte),
        (Char | Int, to) => !matches!(to, Byte | Short),
        (Long, to) => matches!(to, Long | Float | Double),
        (Float, to) => matches!(to, Float | Double),
        (Double, to) => matches!(to, Double),
    }
}

/// Finds the type of an arithmetic expression (JLS 5.6); two booleans, as of `&`, give a boolean.
pub const fn promoted(a: Prim, b: Prim) -> Prim {
    if matches!(a, Prim::Double) || matches!(b, Prim::Double) {
        Prim::Double
    } else if matches!(a, Prim::Float) || matches!(b, Prim::Float) {
        Prim::Float
    } else if matches!(a, Prim::Long) || matches!(b, Prim::Long) {
        Prim::Long
    } else if matches!(a, Prim::Boolean) && matches!(b, Prim::Boolean) {
        Prim::Boolean
    } else {
        Prim::Int
    }
}
