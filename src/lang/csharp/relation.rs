//! Tells whether a value of one type fits where another is wanted, as far as types are known.

use super::facts::{MemberKind, TypeKind};
use super::project::CSharpProject;
use super::types::{Bindings, Ty, TypeId};
pub use crate::fit::Fit;

/// How deep types are compared; hostile bounds may be cyclic.
const DEPTH_MAX: u32 = 16;

impl CSharpProject {
    /// Tells whether a value converts implicitly: also by the conversions that types declare.
    pub fn fits(&self, from: &Ty, to: &Ty) -> Fit {
        self.fits_at(from, to, 0)
    }

    fn fits_at(&self, from: &Ty, to: &Ty, depth: u32) -> Fit {
        match self.fits_by_type(from, to, depth) {
            Fit::No if depth < 2 => self.fits_by_declaration(from, to, depth),
            fit => fit,
        }
    }

    /// Tells whether a value fits by the types alone, without declared conversions.
    fn fits_by_type(&self, from: &Ty, to: &Ty, depth: u32) -> Fit {
        if from == to && !from.is_unknown() {
            return Fit::Yes;
        }
        if depth > DEPTH_MAX {
            return Fit::Maybe;
        }
        match (from, to) {
            (Ty::Null, Ty::Pointer(_)) => Fit::Yes,
            (Ty::Pointer(_), Ty::Pointer(to)) => match **to {
                Ty::Void => Fit::Yes,
                Ty::Unknown => Fit::Maybe,
                _ => Fit::from(from.has_unknown()).min(Fit::Maybe),
            },
            (Ty::Unknown, Ty::Pointer(_)) | (Ty::Pointer(_), Ty::Unknown) => Fit::Maybe,
            (Ty::Void | Ty::Pointer(_), _) | (_, Ty::Void | Ty::Null | Ty::Pointer(_)) => Fit::No,
            (_, Ty::Named(id, _)) if *id == self.known_types.object => Fit::Yes,
            (Ty::Unknown, _) | (_, Ty::Unknown) => Fit::Maybe,
            (Ty::Null, to) => Fit::from(!self.is_value(to) || matches!(to, Ty::Nullable(_))),
            (Ty::Nullable(from), Ty::Nullable(to)) => self.fits_by_type(from, to, depth + 1),
            (from, Ty::Nullable(to)) => self.fits_by_type(from, to, depth + 1),
            (Ty::Nullable(from), to) => match to {
                Ty::Named(id, _) if self.ty(*id).kind.is_value() => Fit::No,
                to => self.fits_by_type(from, to, depth + 1),
            },
            (Ty::Var(var), to) => {
                let bounds = self.var(*var).bounds.iter();
                let best = bounds
                    .map(|bound| self.fits_by_type(bound, to, depth + 1))
                    .max();
                match to {
                    Ty::Var(_) => best.unwrap_or(Fit::No).max(Fit::Maybe),
                    _ => best.unwrap_or(Fit::No),
                }
            }
            (_, Ty::Var(_)) => Fit::Maybe,
            (Ty::Missing(_), _) | (_, Ty::Missing(_)) => self.fits_missing(from, to),
            (Ty::Array(a, n), Ty::Array(b, m)) => {
                if n == m && !self.is_value(a) && !self.is_value(b) {
                    self.fits_by_type(a, b, depth + 1)
                } else if a.has_unknown() || b.has_unknown() || b.has_var() {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
            (Ty::Array(element, _), Ty::Named(..)) => {
                self.fits_by_type(&self.known_types.array_as(element), to, depth + 1)
            }
            (Ty::Tuple(a), Ty::Tuple(b)) => {
                if a.len() != b.len() {
                    return Fit::No;
                }
                let parts = a.iter().zip(&**b);
                parts
                    .map(|(a, b)| self.fits_by_type(&a.1, &b.1, depth + 1))
                    .min()
                    .unwrap_or(Fit::Yes)
            }
            (Ty::Tuple(_), Ty::Named(id, _)) | (Ty::Named(id, _), Ty::Tuple(_)) => {
                let name = self.word(self.ty(*id).name);
                if name == "ValueTuple" || name == "ITuple" {
                    Fit::Maybe
                } else {
                    Fit::from(*id == self.known_types.value_type)
                }
            }
            (Ty::Named(a, _), Ty::Named(b, _)) => self.fits_named((*a, from), (*b, to), depth),
            _ => Fit::No,
        }
    }

    /// Tells whether types fit when one was found nowhere: it is a library's class, so it is below no class of the
    /// project.
    fn fits_missing(&self, from: &Ty, to: &Ty) -> Fit {
        match (from, to) {
            (Ty::Missing(_), Ty::Named(id, _)) if self.ty(*id).kind.is_value() => Fit::No,
            (Ty::Missing(_), Ty::Named(id, _))
                if !self.ty(*id).is_library && self.ty(*id).kind != TypeKind::Interface =>
            {
                Fit::No
            }
            (Ty::Named(id, _), Ty::Missing(_)) => {
                if self.ty(*id).has_missing_base || self.ty(*id).is_library {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
            _ => Fit::Maybe,
        }
    }

    fn fits_named(&self, (a, from): (TypeId, &Ty), (b, to): (TypeId, &Ty), depth: u32) -> Fit {
        if a == b {
            return self.fits_args(b, from, to, depth);
        }
        if self.known_types.widens(a, b) {
            return Fit::Yes;
        }
        if self.is_below(a, b) {
            return match self.as_ancestor(from, b) {
                Some(from) => self.fits_args(b, &from, to, depth),
                None => Fit::Maybe,
            };
        }
        if self.ty(a).has_missing_base && !self.ty(b).kind.is_value() && self.ty(b).is_library {
            return Fit::Maybe;
        }
        Fit::No
    }

    /// Compares the arguments of two instances of one declaration: those of interfaces and delegates may vary.
    fn fits_args(&self, id: TypeId, from: &Ty, to: &Ty, depth: u32) -> Fit {
        let kind = self.ty(id).kind;
        let varies = matches!(kind, TypeKind::Interface | TypeKind::Delegate);
        let pairs = from.args().iter().zip(to.args());
        pairs
            .map(|(a, b)| {
                if a == b && !a.is_unknown() {
                    return Fit::Yes;
                }
                if a.has_unknown() || b.has_unknown() || b.has_var() {
                    return Fit::Maybe;
                }
                if matches!(a, Ty::Missing(_)) || matches!(b, Ty::Missing(_)) {
                    return Fit::Maybe;
                }
                if let (Ty::Tuple(_), Ty::Tuple(_)) = (a, b) {
                    return self.fits_by_type(a, b, depth + 1);
                }
                if !varies || self.is_value(a) || self.is_value(b) {
                    return Fit::No;
                }
                let along = self.fits_by_type(a, b, depth + 1);
                if kind == TypeKind::Delegate {
                    along.max(self.fits_by_type(b, a, depth + 1))
                } else {
                    along
                }
            })
            .min()
            .unwrap_or(Fit::Yes)
    }

    /// Tells whether one of the types declares a conversion that makes a value fit.
    fn fits_by_declaration(&self, from: &Ty, to: &Ty, depth: u32) -> Fit {
        let mut best = Fit::No;
        for (owner, ty) in [(self.face(from), from), (self.face(to), to)] {
            let Some((id, args)) = owner else { continue };
            for id in self.line(id) {
                let vars = &self.ty(id).vars;
                let bound = Bindings::of(vars, &args);
                for &(_, member) in &self.ty(id).members {
                    let member = self.member(member);
                    if member.kind != MemberKind::Implicit || member.params.len() != 1 {
                        continue;
                    }
                    let takes = member.params[0].ty.with(&bound);
                    let gives = member.ty.with(&bound);
                    let taken = self.fits_by_type(from, &takes, depth + 2);
                    let given = self.fits_by_type(&gives, to, depth + 2);
                    best = best.max(taken.min(given));
                }
                if self.ty(id).kind != TypeKind::Class || ty.args().is_empty() {
                    continue;
                }
                break;
            }
        }
        best
    }

    /// Looks up the declaration whose members a type has, and its arguments.
    pub fn face(&self, ty: &Ty) -> Option<(TypeId, Vec<Ty>)> {
        match ty {
            Ty::Named(id, args) => Some((*id, args.to_vec())),
            Ty::Array(element, _) => Some((self.known_types.array, vec![(**element).clone()])),
            Ty::Nullable(inner) => Some((self.known_types.nullable, vec![(**inner).clone()])),
            Ty::Tuple(_) => Some((self.known_types.value_type, Vec::new())),
            Ty::Anonymous(_) => Some((self.known_types.object, Vec::new())),
            _ => None,
        }
    }

    /// Finds the common type of two values, as for the branches of a condition.
    pub fn common(&self, a: Ty, b: Ty) -> Ty {
        match (&a, &b) {
            (Ty::Null | Ty::Unknown, Ty::Null) | (Ty::Null, Ty::Unknown) => Ty::Unknown,
            (Ty::Null, _) => self.nullable(b),
            (_, Ty::Null) => self.nullable(a),
            (Ty::Unknown | Ty::Void, _) => b,
            (_, Ty::Unknown | Ty::Void) => a,
            _ if self.fits(&a, &b) == Fit::Yes => b,
            _ if self.fits(&b, &a) == Fit::Yes => a,
            _ => Ty::Unknown,
        }
    }

    /// Lists the parameters and the result of a delegate, also of one in an expression tree.
    pub fn signature(&self, ty: &Ty) -> Option<(Vec<super::types::Param>, Ty)> {
        let Ty::Named(id, args) = ty else { return None };
        if *id == self.known_types.expression {
            return match args.first() {
                Some(inner) if !inner.is(self.known_types.expression) => self.signature(inner),
                _ => None,
            };
        }
        let (params, result) = self.ty(*id).signature.as_ref()?;
        let bound = Bindings::of(&self.ty(*id).vars, args);
        let params = params
            .iter()
            .map(|param| super::types::Param {
                ty: param.ty.with(&bound),
                ..param.clone()
            })
            .collect();
        Some((params, result.with(&bound)))
    }

    /// Finds the element type of a loop over a value.
    pub fn element(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(element, _) | Ty::Pointer(element) => return (**element).clone(),
            Ty::Unknown | Ty::Missing(_) => return Ty::Unknown,
            _ => {}
        }
        for id in [
            self.known_types.enumerable_of,
            self.known_types.async_enumerable,
        ] {
            if let Some(enumerable) = self.as_ancestor(ty, id) {
                return enumerable.args().first().cloned().unwrap_or_default();
            }
        }
        self.enumerated(ty).unwrap_or_default()
    }

    /// Finds the type of `GetEnumerator().Current`, for types without an interface that loops accept.
    fn enumerated(&self, ty: &Ty) -> Option<Ty> {
        let (id, _) = self.face(ty)?;
        let name = self.symbols.find("GetEnumerator")?;
        let method = *self.methods_named(id, name).first()?;
        let method = self.member(method);
        self.current(&method.ty.with(&self.bindings(ty, method.owner)))
    }

    /// Finds the type of an enumerator's `Current`.
    pub fn current(&self, enumerator: &Ty) -> Option<Ty> {
        let (id, _) = self.face(enumerator)?;
        let current = self.value_member(id, self.symbols.find("Current")?)?;
        let current = self.member(current);
        Some(current.ty.with(&self.bindings(enumerator, current.owner)))
    }

    /// Finds the type of an awaited value.
    pub fn awaited(&self, ty: &Ty) -> Ty {
        for id in [self.known_types.task_of, self.known_types.value_task_of] {
            if let Some(task) = self.as_ancestor(ty, id) {
                return task.args().first().cloned().unwrap_or_default();
            }
        }
        for id in [self.known_types.task, self.known_types.value_task] {
            if self.as_ancestor(ty, id).is_some() {
                return Ty::Void;
            }
        }
        self.awaited_by_hand(ty).unwrap_or_default()
    }

    fn awaited_by_hand(&self, ty: &Ty) -> Option<Ty> {
        let mut at = ty.clone();
        for name in ["GetAwaiter", "GetResult"] {
            let (id, _) = self.face(&at)?;
            let method = *self.methods_named(id, self.symbols.find(name)?).first()?;
            let method = self.member(method);
            at = method.ty.with(&self.bindings(&at, method.owner));
        }
        Some(at)
    }

    /// Finds the type of a task's value, `void` for one without; nothing for other types.
    pub fn task_value(&self, ty: &Ty) -> Option<Ty> {
        let is_of = ty.is(self.known_types.task_of) || ty.is(self.known_types.value_task_of);
        if is_of {
            return ty.args().first().cloned();
        }
        (ty.is(self.known_types.task) || ty.is(self.known_types.value_task)).then_some(Ty::Void)
    }
}
