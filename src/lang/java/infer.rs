//! Type arguments of generic methods and diamonds, from arguments and from the wanted type (a small part of JLS 18).
//!
//! Every variable collects the types it occurs with; an exact one decides, else the nearest common type does. A
//! variable about which nothing is learnt stays unknown, and so fits everywhere.

use std::ops::Range;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::library::known;
use super::project::JavaProject;
use super::types::{Subst, Ty, VarId};

/// How deep types are compared: bounds of variables may lead back to themselves.
const DEPTH_MAX: u32 = 12;

/// Inference of a run of variables.
#[derive(Clone)]
pub struct Inference<'p> {
    project: &'p JavaProject,
    vars: Range<u32>,
    found: SmallVec<[InferenceBounds; 1]>,
}

#[derive(Clone, Default)]
struct InferenceBounds {
    exact: Option<Ty>,
    lower: Option<Ty>,
    has_unknown: bool,
    /// Whether there was a wildcard in its place: only its own bound is known.
    is_wild: bool,
}

/// The type of a variable about which nothing was learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsolvedVariables {
    Unknown,
    /// Its declared bound: the value is used right away, nothing more will be known.
    Bound,
}

impl<'p> Inference<'p> {
    pub fn new(project: &'p JavaProject, vars: Range<u32>) -> Self {
        let found = smallvec![InferenceBounds::default(); vars.len()];
        Self {
            project,
            vars,
            found,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    fn slot(&mut self, var: VarId) -> Option<&mut InferenceBounds> {
        let at = var.0.checked_sub(self.vars.start)?;
        self.found.get_mut(at as usize)
    }

    /// Tells whether the variable may become any reference type.
    pub fn is_free(&self, var: VarId) -> bool {
        let at = var.0.checked_sub(self.vars.start);
        let seen = at.and_then(|at| self.found.get(at as usize));
        seen.is_some_and(|seen| {
            seen.exact.is_none() && seen.lower.is_none() && !seen.has_unknown && !seen.is_wild
        }) && self.project.bounds(var).is_empty()
    }

    /// Learns from a value of type `arg` given where `param` is wanted.
    pub fn give(&mut self, param: &Ty, arg: &Ty) {
        self.learn(param, arg, false, 0);
    }

    /// Learns from a result of type `result` used where `target` is wanted.
    pub fn want(&mut self, result: &Ty, target: &Ty) {
        self.learn_target(result, target, 0);
    }

    fn learn(&mut self, param: &Ty, arg: &Ty, is_exact: bool, depth: u32) {
        if depth > DEPTH_MAX || self.is_empty() {
            return;
        }
        match param {
            Ty::Var(var) => {
                let project = self.project;
                let arg = match arg {
                    Ty::Prim(prim) => Ty::class(known().boxed(*prim)),
                    Ty::Extends(bound) => (**bound).clone(),
                    other => other.clone(),
                };
                let Some(slot) = self.slot(*var) else { return };
                match arg {
                    Ty::Null | Ty::Void => {}
                    Ty::Unknown => slot.has_unknown = true,
                    Ty::Wild | Ty::Super(_) => slot.is_wild = true,
                    arg if is_exact => {
                        slot.exact = Some(match slot.exact.take() {
                            None => arg,
                            Some(known) => project.filled(&known, &arg),
                        });
                    }
                    arg => {
                        slot.lower = Some(match slot.lower.take() {
                            None => arg,
                            Some(other) => project.common(&project.filled(&other, &arg), &arg),
                        });
                    }
                }
            }
            Ty::Class(class, Some(params)) => {
                for arg in self.views(arg) {
                    if let Some(Ty::Class(_, Some(args))) = self.project.as_ancestor(&arg, *class) {
                        for (param, arg) in params.iter().zip(args.iter()) {
                            self.learn_argument(param, arg, depth + 1);
                        }
                        return;
                    }
                }
                // From a raw or unknown value nothing can be learnt about the variables.
                for param in params.iter() {
                    self.learn_argument(param, &Ty::Unknown, depth + 1);
                }
            }
            Ty::Array(element) => match arg {
                Ty::Array(arg)
                    if !matches!(**arg, Ty::Prim(_)) || !matches!(**element, Ty::Var(_)) =>
                {
                    self.learn(element, arg, is_exact, depth + 1);
                }
                Ty::Unknown => self.learn(element, &Ty::Unknown, is_exact, depth + 1),
                _ => {}
            },
            Ty::Extends(bound) | Ty::Super(bound) => self.learn(bound, arg, false, depth + 1),
            Ty::Both(parts) => {
                for part in parts.iter() {
                    self.learn(part, arg, false, depth + 1);
                }
            }
            _ => {}
        }
    }

    fn learn_argument(&mut self, param: &Ty, arg: &Ty, depth: u32) {
        match (param, arg) {
            (Ty::Extends(bound), Ty::Extends(arg)) => self.learn(bound, arg, false, depth),
            (Ty::Super(bound), Ty::Super(arg)) => self.learn(bound, arg, true, depth),
            (Ty::Extends(bound) | Ty::Super(bound), arg) => self.learn(bound, arg, false, depth),
            (param, arg) => self.learn(param, arg, true, depth),
        }
    }

    /// Lists the class types as which a value can be viewed.
    fn views(&self, arg: &Ty) -> Vec<Ty> {
        match arg {
            Ty::Class(..) => vec![arg.clone()],
            Ty::Prim(prim) => vec![Ty::class(known().boxed(*prim))],
            Ty::Extends(bound) => self.views(bound),
            Ty::Var(var) => self.project.bounds(*var).to_vec(),
            Ty::Both(parts) => parts.to_vec(),
            _ => Vec::new(),
        }
    }

    fn learn_target(&mut self, result: &Ty, target: &Ty, depth: u32) {
        if depth > DEPTH_MAX || self.is_empty() {
            return;
        }
        match (result, target) {
            (Ty::Var(var), target) => {
                let target = match target {
                    Ty::Extends(bound) | Ty::Super(bound) => (**bound).clone(),
                    Ty::Prim(prim) => Ty::class(known().boxed(*prim)),
                    Ty::Wild | Ty::Unknown | Ty::Void | Ty::Null => return,
                    other => other.clone(),
                };
                let project = self.project;
                let Some(slot) = self.slot(*var) else { return };
                match slot.exact.as_mut().or(slot.lower.as_mut()) {
                    Some(known) => *known = project.filled(known, &target),
                    None => slot.lower = Some(target),
                }
            }
            (Ty::Class(..), Ty::Class(wanted, Some(targets))) => {
                let seen = self.project.as_ancestor(result, *wanted);
                if let Some(Ty::Class(_, Some(args))) = seen {
                    for (arg, target) in args.iter().zip(targets.iter()) {
                        self.learn_target(arg, target, depth + 1);
                    }
                }
            }
            (Ty::Extends(result) | Ty::Super(result), target) => {
                let target = match target {
                    Ty::Extends(bound) | Ty::Super(bound) => bound,
                    other => other,
                };
                self.learn_target(result, target, depth + 1);
            }
            (Ty::Array(result), Ty::Array(target)) => {
                self.learn_target(result, target, depth + 1);
            }
            _ => {}
        }
    }

    /// Solves the bounds collected so far.
    pub fn solve(&self, rest: UnsolvedVariables) -> Subst {
        let mut subst = Subst::default();
        subst.bind(self.vars.start, self.values(rest));
        subst
    }

    fn values(&self, rest: UnsolvedVariables) -> Arc<[Ty]> {
        let bound = |at: usize| {
            self.project
                .erased_bound(VarId(self.vars.start + at as u32))
        };
        let mut values: Vec<Ty> = self
            .found
            .iter()
            .enumerate()
            .map(
                |(at, seen)| match seen.exact.as_ref().or(seen.lower.as_ref()) {
                    Some(known) => known.clone(),
                    None if seen.is_wild => bound(at),
                    None => Ty::Unknown,
                },
            )
            .collect();
        if values.iter().any(Ty::is_partly_unknown) {
            self.use_bounds(&mut values);
        }
        if rest == UnsolvedVariables::Bound {
            for (at, value) in values.iter_mut().enumerate() {
                if value.is_unknown() && !self.found[at].has_unknown {
                    *value = bound(at);
                }
            }
        }
        values.into()
    }

    /// Fills the unknown parts of a variable from the bounds that tie it to others: `S extends U`, and `M extends
    /// Map<K, V>` in both directions.
    fn use_bounds(&self, values: &mut [Ty]) {
        let place = |var: VarId| var.0.checked_sub(self.vars.start).map(|at| at as usize);
        for at in 0..values.len() {
            if values[at].is_unknown() {
                continue;
            }
            for bound in self.project.bounds(VarId(self.vars.start + at as u32)) {
                match bound {
                    Ty::Var(var) => {
                        let value = values[at].clone();
                        if let Some(other) = place(*var).and_then(|at| values.get_mut(at)) {
                            *other = self.project.filled(other, &value);
                        }
                    }
                    Ty::Class(class, Some(params)) => {
                        let mut subst = Subst::default();
                        subst.bind(self.vars.start, values.into());
                        values[at] = self.project.filled(&values[at], &subst.apply(bound));
                        let seen = self.project.as_ancestor(&values[at], *class);
                        let Some(Ty::Class(_, Some(args))) = seen else {
                            continue;
                        };
                        for (param, arg) in params.iter().zip(args.iter()) {
                            if let Ty::Var(var) = param
                                && let Some(other) = place(*var).and_then(|at| values.get_mut(at))
                            {
                                *other = self.project.filled(other, arg);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

impl JavaProject {
    /// Fills the unknown parts of a type from another type of the same values.
    pub fn filled(&self, known: &Ty, other: &Ty) -> Ty {
        if !known.is_partly_unknown() {
            return known.clone();
        }
        match (known, other) {
            (known, Ty::Extends(bound) | Ty::Super(bound)) => self.filled(known, bound),
            (known, Ty::Wild | Ty::Null | Ty::Void) => known.clone(),
            (Ty::Unknown, other) => other.clone(),
            (Ty::Extends(known), other) => Ty::Extends(Arc::new(self.filled(known, other))),
            (Ty::Super(known), other) => Ty::Super(Arc::new(self.filled(known, other))),
            (Ty::Array(known), Ty::Array(other)) => self.filled(known, other).array(),
            (Ty::Class(class, Some(args)), Ty::Class(above, Some(others))) => {
                let this = self.this_type(*class);
                let seen = self.as_ancestor(&this, *above);
                let (Ty::Class(_, Some(own)), Some(Ty::Class(_, Some(seen)))) = (&this, seen)
                else {
                    return known.clone();
                };
                let mut args = args.to_vec();
                for (seen, other) in seen.iter().zip(others.iter()) {
                    if let Some(at) = own.iter().position(|own| own == seen)
                        && at < args.len()
                    {
                        args[at] = self.filled(&args[at], other);
                    }
                }
                Ty::Class(*class, Some(args.into()))
            }
            (known, _) => known.clone(),
        }
    }

    /// Replaces the variables in a variable's bound by wildcards: `B extends Builder<B>` is a `Builder<?>`.
    pub fn erased_bound(&self, var: VarId) -> Ty {
        match self.erased_var(var) {
            Ty::Class(class, Some(args)) => {
                let args = args
                    .iter()
                    .map(|arg| if arg.has_var() { Ty::Wild } else { arg.clone() })
                    .collect();
                Ty::Class(class, Some(args))
            }
            other => other,
        }
    }
}

impl Ty {
    /// Tells whether the type, or a part of it, is not known.
    pub fn is_partly_unknown(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Class(_, Some(args)) => args.iter().any(Self::is_partly_unknown),
            Self::Array(inner) | Self::Extends(inner) | Self::Super(inner) => {
                inner.is_partly_unknown()
            }
            _ => false,
        }
    }

    /// Tells whether a type variable occurs in the type.
    pub fn has_var(&self) -> bool {
        match self {
            Self::Var(_) => true,
            Self::Class(_, Some(args)) => args.iter().any(Self::has_var),
            Self::Array(inner) | Self::Extends(inner) | Self::Super(inner) => inner.has_var(),
            Self::Both(parts) => parts.iter().any(Self::has_var),
            _ => false,
        }
    }
}
