//! Finds the types of calls' results, from the function's body or annotation and from the object and arguments of the
//! call.

use std::sync::Arc;

use super::context::{self, Ctx};
use crate::python::facts::{ParamKind, flag};
use crate::python::types::{ClassExactness, ScopeId, Ty, UNKNOWN};
use crate::symbols::Sym;

/// An argument: its name, whether it is `*x`, and its type.
pub type TypedArgument = (Option<Sym>, bool, Ty);

/// How deep types in types are rewritten.
const DEPTH_MAX: u32 = 8;

impl Ctx<'_> {
    /// Finds the type of a function's result in a call.
    pub fn result(
        self,
        function: ScopeId,
        receiver: Option<&Ty>,
        arguments: &[TypedArgument],
    ) -> Ty {
        let raw = self.summary(function, |summary| self.returned(function, summary));
        let params = self.filled(function, receiver, arguments);
        let result = match raw {
            Some(raw) => self.replaced(raw, receiver, &params, 0),
            None => UNKNOWN,
        };
        if matches!(result, Ty::None)
            && let Some(Ty::Inst(class, ClassExactness::AtLeast | ClassExactness::Own)) = receiver
        {
            return self
                .overridden(*class, function, receiver)
                .unwrap_or(Ty::None);
        }
        if self.is_worth_a_walk(function, &result, &params) {
            return self.walked(function, receiver, &params).unwrap_or(result);
        }
        result
    }

    /// Joins the results of the methods that override one without a result of its own: it counts as abstract.
    fn overridden(self, class: ScopeId, function: ScopeId, receiver: Option<&Ty>) -> Option<Ty> {
        if self.project.scope(function).returns.is_some() {
            return None;
        }
        let others = self.overrides(class, function);
        let given = others.iter().filter_map(|other| {
            let raw = self.summary(*other, |summary| self.returned(*other, summary))?;
            Some(self.replaced(raw, receiver, &[], 0))
        });
        let joined = Ty::join_all(given);
        (!matches!(joined, Ty::None)).then_some(joined)
    }

    /// Assigns the receiver and the arguments of a call to the function's parameters; arguments after `*x` are dropped.
    fn filled(
        self,
        function: ScopeId,
        receiver: Option<&Ty>,
        arguments: &[TypedArgument],
    ) -> Vec<Option<Ty>> {
        let file = self.project.file_of(function);
        let params = &file.facts.params[self.project.scope(function).params.range()];
        let mut filled: Vec<Option<Ty>> = vec![None; params.len()];
        let is_method =
            self.project.class_of(function).is_some() && !self.decorated(function).is_static;
        let mut next = 0;
        if is_method && let Some(receiver) = receiver {
            if let Some(first) = filled.first_mut() {
                *first = Some(receiver.clone());
            }
            next = 1;
        }
        for (name, is_star, ty) in arguments {
            if *is_star {
                break;
            }
            let at = if let Some(name) = name {
                let mut names = params.iter().map(|param| file.syms[param.name.0 as usize]);
                names.position(|sym| sym == *name)
            } else {
                next += 1;
                Some(next - 1)
            };
            if let Some(at) = at
                && params
                    .get(at)
                    .is_some_and(|param| matches!(param.kind, ParamKind::Plain | ParamKind::Named))
            {
                filled[at] = Some(ty.clone());
            }
        }
        filled
    }

    /// Tells whether a walk with the arguments may find a better type than `result`.
    fn is_worth_a_walk(self, function: ScopeId, result: &Ty, params: &[Option<Ty>]) -> bool {
        if self.project.method(function).is_none() {
            return false;
        }
        let is_dynamic = self.project.scope(function).is(flag::DYNAMIC);
        let mut given = params.iter().flatten();
        let is_known = |ty: &Ty| match ty {
            Ty::Str(_) => is_dynamic,
            Ty::Unknown(_) | Ty::Param(_) => false,
            other => other.is_projects(),
        };
        match result {
            Ty::Unknown(_) => given.any(is_known),
            Ty::Inst(_, ClassExactness::AtLeast) => {
                is_dynamic && given.any(|ty| matches!(ty, Ty::Str(_)))
            }
            _ => false,
        }
    }

    fn walked(self, function: ScopeId, receiver: Option<&Ty>, params: &[Option<Ty>]) -> Option<Ty> {
        let given = context::BodyContext {
            params: params.to_vec(),
            test_class: None,
        };
        let summary = self.walk(function, &given)?;
        let raw = self.returned(function, &summary);
        Some(self.replaced(raw, receiver, params, 0))
    }

    /// Puts the object and the arguments of a call in the place of `self` and of parameters.
    pub fn replaced(self, ty: Ty, receiver: Option<&Ty>, params: &[Option<Ty>], depth: u32) -> Ty {
        if depth > DEPTH_MAX {
            return UNKNOWN;
        }
        let again = |ty: &Ty| self.replaced(ty.clone(), receiver, params, depth + 1);
        match &ty {
            Ty::Inst(class, ClassExactness::Own) => self.in_place(*class, receiver, Ty::Inst),
            Ty::Class(class, ClassExactness::Own) => self.in_place(*class, receiver, Ty::Class),
            Ty::Param(at) => params
                .get(*at as usize)
                .cloned()
                .flatten()
                .unwrap_or(UNKNOWN),
            Ty::Bound(function, object) => Ty::Bound(*function, Arc::new(again(object))),
            Ty::Wrapped(inner) => Ty::Wrapped(Arc::new(again(inner))),
            Ty::Iter(element) => Ty::iter(again(element)),
            Ty::Callable(inner) => Ty::callable(again(inner)),
            Ty::Await(inner) => Ty::awaited(again(inner)),
            Ty::Context(inner) => Ty::context(again(inner)),
            Ty::Dict(dict) => Ty::dict(again(&dict.0), again(&dict.1)),
            Ty::Tuple(parts) => Ty::tuple(parts.iter().map(again).collect()),
            Ty::Union(parts) => Ty::join_all(parts.iter().map(again)),
            Ty::Super(..) => UNKNOWN,
            _ => ty,
        }
    }

    fn in_place(
        self,
        class: ScopeId,
        receiver: Option<&Ty>,
        make: fn(ScopeId, ClassExactness) -> Ty,
    ) -> Ty {
        match receiver {
            Some(Ty::Inst(receiver_class, exact) | Ty::Class(receiver_class, exact))
                if self.derives(*receiver_class, class) =>
            {
                make(*receiver_class, *exact)
            }
            Some(Ty::Union(parts)) => {
                Ty::join_all(parts.iter().map(|ty| self.in_place(class, Some(ty), make)))
            }
            _ => make(class, ClassExactness::AtLeast),
        }
    }
}
