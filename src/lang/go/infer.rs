//! Infers type arguments of generic functions: first those that are written, then others from the arguments' types,
//! then from constraints such as `S ~[]E`.

use super::project::GoProject;
use super::types::{ParamId, Signature, Subst, Ty};

/// How deep types are compared; hostile types may hold each other.
const DEPTH_MAX: u32 = 30;

/// Infers the type arguments of a generic function; unknown where nothing tells.
pub fn arguments(
    project: &GoProject,
    params: &[ParamId],
    given: &[Ty],
    signature: &Signature,
    args: &[Ty],
) -> Vec<(ParamId, Ty)> {
    let mut infer = Infer {
        project,
        params,
        found: vec![None; params.len()],
    };
    for (slot, ty) in infer.found.iter_mut().zip(given) {
        *slot = Some(ty.clone());
    }
    // Arguments with a type come first: they say more than literals.
    for is_untyped in [false, true] {
        for (at, arg) in args.iter().enumerate() {
            if arg.is_untyped() == is_untyped
                && let Some(param) = param_at(signature, at)
            {
                infer.unify(&param, &arg.clone().typed(), DEPTH_MAX);
            }
        }
        infer.ask_constraints();
    }
    let found = params.iter().zip(infer.found);
    found
        .map(|(id, ty)| (*id, ty.unwrap_or(Ty::Unknown)))
        .collect()
}

/// Finds the parameter type that an argument is compared with.
fn param_at(signature: &Signature, at: usize) -> Option<Ty> {
    let n = signature.params.len();
    if !signature.is_variadic || at + 1 < n {
        return signature.params.get(at).cloned();
    }
    match signature.params.last()? {
        Ty::Slice(element) => Some((**element).clone()),
        _ => None,
    }
}

struct Infer<'p> {
    project: &'p GoProject,
    params: &'p [ParamId],
    found: Vec<Option<Ty>>,
}

impl Infer<'_> {
    fn slot(&mut self, id: ParamId) -> Option<&mut Option<Ty>> {
        let at = self.params.iter().position(|param| *param == id)?;
        self.found.get_mut(at)
    }

    /// Compares a parameter's type with an argument's, and keeps the first type found for each type parameter.
    fn unify(&mut self, param: &Ty, arg: &Ty, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let Ty::Param(id) = param
            && let Some(slot) = self.slot(*id)
        {
            let is_nil = matches!(arg, Ty::Basic(super::types::Basic::Nil));
            if slot.is_none() && !arg.is_unknown() && !is_nil {
                *slot = Some(arg.clone());
            }
            return;
        }
        match (param, arg) {
            (Ty::Named(a, params), Ty::Named(b, args)) if a == b => {
                self.all(params, args, depth);
            }
            // An argument without a named type is compared with the type behind the parameter's name.
            (Ty::Named(..), _) => {
                let has_args = matches!(param, Ty::Named(_, args) if !args.is_empty());
                if has_args && !matches!(arg, Ty::Named(..)) {
                    let underlying = self.project.underlying(param);
                    self.unify(&underlying, arg, depth);
                }
            }
            (Ty::Foreign(a), Ty::Foreign(b)) => {
                let (params, args) = (a.args.clone(), b.args.clone());
                self.all(&params, &args, depth);
            }
            (Ty::Foreign(foreign), Ty::Func(_)) => {
                if let Some(ty) = super::library::iterator_function(foreign) {
                    self.unify(&ty, arg, depth);
                }
            }
            (
                Ty::Slice(_) | Ty::Array(_) | Ty::Map(_) | Ty::Channel(_) | Ty::Func(_),
                Ty::Named(..),
            ) => {
                let behind = self.project.underlying(arg);
                if !matches!(behind, Ty::Named(..)) {
                    self.unify(param, &behind, depth);
                }
            }
            (Ty::Func(_), Ty::Foreign(foreign)) => {
                if let Some(ty) = super::library::iterator_function(foreign) {
                    self.unify(param, &ty, depth);
                }
            }
            (Ty::Pointer(a), Ty::Pointer(b))
            | (Ty::Slice(a) | Ty::Array(a), Ty::Slice(b) | Ty::Array(b))
            | (Ty::Channel(a), Ty::Channel(b)) => self.unify(a, b, depth),
            (Ty::Map(a), Ty::Map(b)) => {
                self.unify(&a.0, &b.0, depth);
                self.unify(&a.1, &b.1, depth);
            }
            (Ty::Func(a), Ty::Func(b)) => {
                self.all(&a.params, &b.params, depth);
                self.all(&a.results, &b.results, depth);
            }
            (Ty::Tilde(inner), _) => {
                let behind = self.project.underlying(arg);
                self.unify(&inner.clone(), &behind, depth);
            }
            _ => {}
        }
    }

    fn all(&mut self, params: &[Ty], args: &[Ty], depth: u32) {
        for (param, arg) in params.iter().zip(args) {
            self.unify(param, arg, depth);
        }
    }

    /// Compares the inferred types with the constraints, and takes the constraint's type where nothing is inferred.
    fn ask_constraints(&mut self) {
        for at in 0..self.params.len() {
            let id = self.params[at];
            let core = self.project.core(&Ty::Param(id));
            if matches!(core, Ty::Interface(_) | Ty::Unknown | Ty::Basic(_)) {
                continue;
            }
            if let Some(found) = self.found[at].clone() {
                let underlying = self.project.underlying(&found);
                self.unify(&core, &underlying, DEPTH_MAX);
                continue;
            }
            let ty = self.known().apply(&core);
            if !self.has_open(&ty, DEPTH_MAX) {
                self.found[at] = Some(ty);
            }
        }
    }

    fn known(&self) -> Subst {
        let found = self.params.iter().zip(&self.found);
        Subst(
            found
                .filter_map(|(id, ty)| Some((*id, ty.clone()?)))
                .collect(),
        )
    }

    /// Tells whether a type holds a parameter that is not inferred yet.
    fn has_open(&self, ty: &Ty, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return true;
        };
        match ty {
            Ty::Param(id) => self.params.contains(id),
            Ty::Pointer(inner)
            | Ty::Slice(inner)
            | Ty::Array(inner)
            | Ty::Channel(inner)
            | Ty::Tilde(inner) => self.has_open(inner, depth),
            Ty::Map(map) => self.has_open(&map.0, depth) || self.has_open(&map.1, depth),
            Ty::Named(_, args) => args.iter().any(|arg| self.has_open(arg, depth)),
            Ty::Func(signature) => {
                let mut all = signature.params.iter().chain(&signature.results);
                all.any(|ty| self.has_open(ty, depth))
            }
            _ => false,
        }
    }
}
