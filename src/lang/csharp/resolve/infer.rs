//! Infers the type arguments of a generic method from its arguments.

use super::CSharpWalker;
use super::argument::{Argument, CSharpArgumentKind};
use crate::csharp::facts::TypeSyntax;
use crate::csharp::relation::Fit;
use crate::csharp::types::{Bindings, Ty, VarId};

/// How deep an inferred type may be: code that compiles stays far below.
const TYPE_DEPTH_MAX: u32 = 12;

impl CSharpWalker<'_> {
    /// Binds the variables of a method; those that nothing determines are unknown afterwards.
    pub(super) fn infer(
        &mut self,
        vars: &[VarId],
        wanted: &[Ty],
        args: &[Argument],
        (bound, is_sole): (&mut Bindings, bool),
    ) {
        for (arg, wanted) in args.iter().zip(wanted) {
            if let Some(ty) = arg.ty() {
                self.unify(wanted, ty, vars, bound);
            }
            match &arg.kind {
                CSharpArgumentKind::Lambda(lambda) => {
                    self.unify_written(*lambda, wanted, vars, bound);
                }
                CSharpArgumentKind::Collection(elements) => {
                    let element = self.project.element(wanted);
                    for ty in elements {
                        self.unify(&element, ty, vars, bound);
                    }
                }
                _ => {}
            }
        }
        let mut open: Vec<usize> = args
            .iter()
            .take(wanted.len())
            .enumerate()
            .filter(|(_, argument)| {
                matches!(
                    argument.kind,
                    CSharpArgumentKind::Lambda(_) | CSharpArgumentKind::Group(_)
                )
            })
            .map(|pair| pair.0)
            .collect();
        // A lambda is walked when the types of its parameters are known; it may determine those of the next one.
        while !open.is_empty() {
            let is_ready = |at: &usize| self.is_bound(&wanted[*at], vars, bound);
            let next = open.iter().position(is_ready).unwrap_or(0);
            let at = open.remove(next);
            self.infer_from(&args[at], &wanted[at], vars, (bound, is_sole));
        }
        for &var in vars {
            if bound.get(var).is_none() {
                bound.set(var, Ty::Unknown);
            }
        }
    }

    /// Tells whether all parameter types of a delegate are known.
    fn is_bound(&self, wanted: &Ty, vars: &[VarId], bound: &Bindings) -> bool {
        match self.project.signature(wanted) {
            Some((params, _)) => params.iter().all(|param| {
                !mentions(&param.ty, &|var| {
                    vars.contains(&var) && bound.get(var).is_none()
                })
            }),
            None => true,
        }
    }

    fn unify_written(&self, lambda: u32, wanted: &Ty, vars: &[VarId], bound: &mut Bindings) {
        let lambda = self.facts.lambdas[lambda as usize];
        let Some((params, _)) = self.project.signature(wanted) else {
            return;
        };
        let written = &self.facts.params[lambda.params.range()];
        for (param, written) in params.iter().zip(written) {
            if !matches!(self.facts.type_syntax(written.ty), TypeSyntax::Var) {
                self.unify(&param.ty, &self.resolve(written.ty), vars, bound);
            }
        }
    }

    fn infer_from(
        &mut self,
        arg: &Argument,
        wanted: &Ty,
        vars: &[VarId],
        (bound, is_sole): (&mut Bindings, bool),
    ) {
        let Some((params, result)) = self.project.signature(wanted) else {
            return;
        };
        let takes: Vec<Ty> = params.iter().map(|param| param.ty.with(bound)).collect();
        let takes: Vec<Ty> = takes.into_iter().map(|ty| without(&ty, vars)).collect();
        match &arg.kind {
            CSharpArgumentKind::Lambda(lambda) => {
                let needs_value = mentions(&result, &|var| {
                    vars.contains(&var) && bound.get(var).is_none()
                });
                if !needs_value {
                    return;
                }
                let lambda = *lambda;
                let hint = result.with(bound);
                let hint = (!hint.has_var()).then_some(hint);
                let given = if is_sole {
                    self.lambda(lambda, &takes, hint.as_ref())
                } else if self.may_probe() {
                    self.probe(|walker| walker.lambda(lambda, &takes, hint.as_ref()))
                } else {
                    Ty::Unknown
                };
                let is_async = self.facts.lambdas[lambda as usize].is_async;
                if is_async {
                    if let Some(inner) = self.project.task_value(&result) {
                        self.unify(&inner, &given, vars, bound);
                    } else {
                        let task = self.task_of(given);
                        self.unify(&result, &task, vars, bound);
                    }
                } else {
                    self.unify(&result, &given, vars, bound);
                }
            }
            CSharpArgumentKind::Group(group) => {
                if let Some(given) = self.group_result(group, &takes) {
                    self.unify(&result, &given, vars, bound);
                }
            }
            _ => {}
        }
    }

    /// Wraps the value of an `async` lambda in its task.
    pub(super) fn task_of(&self, value: Ty) -> Ty {
        let known = &self.project.known_types;
        if value == Ty::Void {
            Ty::named(known.task)
        } else {
            Ty::Named(known.task_of, [value].into())
        }
    }

    /// Binds the variables in a parameter's type so that it matches an argument's type.
    pub(super) fn unify(&self, wanted: &Ty, ty: &Ty, vars: &[VarId], bound: &mut Bindings) {
        if !wanted.has_var() || matches!(ty, Ty::Unknown) {
            return;
        }
        match (wanted, ty) {
            (Ty::Var(var), ty) if vars.contains(var) => {
                if matches!(ty, Ty::Null | Ty::Void) || ty.depth() > TYPE_DEPTH_MAX {
                    return;
                }
                let wider = match bound.get(*var) {
                    None => true,
                    Some(known) if known == ty => false,
                    Some(known) => known.has_unknown() || self.project.fits(known, ty) == Fit::Yes,
                };
                if wider {
                    bound.set(*var, ty.clone());
                }
            }
            (Ty::Nullable(wanted), Ty::Nullable(ty)) => self.unify(wanted, ty, vars, bound),
            (Ty::Nullable(wanted), ty) => self.unify(wanted, ty, vars, bound),
            (Ty::Array(wanted, _), Ty::Array(ty, _)) | (Ty::Pointer(wanted), Ty::Pointer(ty)) => {
                self.unify(wanted, ty, vars, bound);
            }
            (Ty::Tuple(wanted), Ty::Tuple(ty)) => {
                for (wanted, ty) in wanted.iter().zip(&**ty) {
                    self.unify(&wanted.1, &ty.1, vars, bound);
                }
            }
            (Ty::Named(id, wanted_args), ty) => {
                let known = &self.project.known_types;
                let element = match ty {
                    Ty::Array(element, _) if *id == known.span || *id == known.read_only_span => {
                        Some(&**element)
                    }
                    Ty::Named(from, args) if *from == known.span && *id == known.read_only_span => {
                        args.first()
                    }
                    _ => None,
                };
                if let (Some(element), Some(wanted)) = (element, wanted_args.first()) {
                    self.unify(wanted, element, vars, bound);
                    return;
                }
                if let (Ty::Tuple(parts), "ValueTuple") =
                    (ty, self.project.word(self.project.ty(*id).name))
                {
                    for (wanted, part) in wanted_args.iter().zip(&**parts) {
                        self.unify(wanted, &part.1, vars, bound);
                    }
                    return;
                }
                let Some(seen) = self.project.as_ancestor(ty, *id) else {
                    self.unify_delegate(wanted, ty, vars, bound);
                    return;
                };
                for (wanted, arg) in wanted_args.iter().zip(seen.args()) {
                    self.unify(wanted, arg, vars, bound);
                }
            }
            _ => {}
        }
    }

    fn unify_delegate(&self, wanted: &Ty, ty: &Ty, vars: &[VarId], bound: &mut Bindings) {
        let (Some((wanted, result)), Some((given, value))) =
            (self.project.signature(wanted), self.project.signature(ty))
        else {
            return;
        };
        for (wanted, given) in wanted.iter().zip(&given) {
            self.unify(&wanted.ty, &given.ty, vars, bound);
        }
        self.unify(&result, &value, vars, bound);
    }
}

/// Tells whether a type mentions a variable that `is` accepts.
pub(super) fn mentions(ty: &Ty, is: &dyn Fn(VarId) -> bool) -> bool {
    ty.has(&|part| matches!(part, Ty::Var(var) if is(*var)))
}

/// Replaces variables in a type by the unknown type.
fn without(ty: &Ty, vars: &[VarId]) -> Ty {
    if !mentions(ty, &|var| vars.contains(&var)) {
        return ty.clone();
    }
    let mut bound = Bindings::default();
    for &var in vars {
        bound.set(var, Ty::Unknown);
    }
    ty.with(&bound)
}
