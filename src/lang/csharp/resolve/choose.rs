//! Chooses among several methods: by count, names, `params`, optional parameters, then types.

use super::CSharpWalker;
use super::argument::{Argument, CSharpArgumentKind};
use super::infer::mentions;
use crate::csharp::facts::ParameterPassing;
use crate::csharp::relation::Fit;
use crate::csharp::types::{Bindings, MemberId, Param, Ty, TypeId, VarId};

/// The greatest number of fitting methods that are compared with one another: comparisons grow with its square.
const COMPARED_MAX: usize = 64;

/// A method that may be meant.
#[derive(Clone, Debug)]
pub(super) struct CSharpCandidate {
    pub member: MemberId,
    /// The bindings of the type parameters of its class.
    pub bound: Bindings,
}

/// A method that accepts the arguments.
#[derive(Clone, Debug)]
pub(super) struct ApplicableCandidate {
    pub member: MemberId,
    pub bound: Bindings,
    /// By argument: the type that the parameter wants.
    pub parameter_types: Vec<Ty>,
    worst: Fit,
    is_expanded: bool,
    n_defaults: usize,
    is_generic: bool,
    /// By argument: the parameter's type as it is declared.
    declared: Vec<Ty>,
}

#[derive(Debug)]
pub(super) enum CSharpOverloadChoice {
    One(Box<ApplicableCandidate>),
    /// Nothing that is known distinguishes them.
    Several(Vec<ApplicableCandidate>),
    None,
}

/// Which parameter each argument is for.
struct ArgumentMapping {
    params: Vec<usize>,
    n_defaults: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BetterCandidate {
    First,
    Second,
    Neither,
    /// It depends on something that is not known.
    Unknown,
}

impl BetterCandidate {
    /// Chooses the one of two that alone has something in its favour.
    const fn by(first: bool, second: bool) -> Self {
        match (first, second) {
            (true, false) => Self::First,
            (false, true) => Self::Second,
            _ => Self::Neither,
        }
    }
}

impl CSharpWalker<'_> {
    /// Picks the method that is meant; an only possible one is picked even if its types do not seem to fit.
    pub(super) fn choose(
        &mut self,
        candidates: &[CSharpCandidate],
        args: &[Argument],
        type_args: &[Ty],
    ) -> CSharpOverloadChoice {
        match self.choose_fitting(candidates, args, type_args) {
            CSharpOverloadChoice::None => self.choose_forced(candidates, args, type_args),
            choice => choice,
        }
    }

    /// Chooses the only method that takes that number of arguments, if there is one: the code compiles, so the known
    /// types must be wrong.
    pub(super) fn choose_forced(
        &mut self,
        candidates: &[CSharpCandidate],
        args: &[Argument],
        type_args: &[Ty],
    ) -> CSharpOverloadChoice {
        let mut possible = candidates
            .iter()
            .filter(|candidate| self.is_possible(candidate.member, args, type_args));
        let (Some(one), None) = (possible.next(), possible.next()) else {
            return CSharpOverloadChoice::None;
        };
        let one = one.clone();
        match self.forced(&one, args, type_args) {
            Some(one) => CSharpOverloadChoice::One(Box::new(one)),
            None => CSharpOverloadChoice::None,
        }
    }

    pub(super) fn choose_fitting(
        &mut self,
        candidates: &[CSharpCandidate],
        args: &[Argument],
        type_args: &[Ty],
    ) -> CSharpOverloadChoice {
        let possible: Vec<&CSharpCandidate> = candidates
            .iter()
            .filter(|candidate| self.is_possible(candidate.member, args, type_args))
            .collect();
        let is_sole = possible.len() == 1;
        let mut applied: Vec<ApplicableCandidate> = Vec::new();
        for candidate in &possible {
            applied.extend(self.apply(candidate, args, type_args, is_sole));
        }
        self.drop_farther(&mut applied);
        self.best(applied, args)
    }

    /// Drops methods declared above the class of a method that surely fits: nearness counts before conversions.
    fn drop_farther(&self, applied: &mut Vec<ApplicableCandidate>) {
        if applied.len() < 2 {
            return;
        }
        let mut near: Vec<Option<TypeId>> = Vec::new();
        for candidate in applied
            .iter()
            .filter(|applicable_candidate| applicable_candidate.worst == Fit::Yes)
        {
            let owner = self.project.introduced_in(candidate.member);
            if !near.contains(&owner) {
                near.push(owner);
            }
        }
        applied.retain(|applicable_candidate| {
            let owner = self.project.introduced_in(applicable_candidate.member);
            !near.iter().any(|&near| self.is_farther(owner, near))
        });
    }

    /// Tells whether a class is above another one; absent stands for one that a library declares above the known ones.
    fn is_farther(&self, owner: Option<TypeId>, near: Option<TypeId>) -> bool {
        match (owner, near) {
            (Some(owner), Some(near)) => self.project.is_below(near, owner),
            (None, Some(near)) => self.project.ty(near).has_missing_base,
            (_, None) => false,
        }
    }

    /// Tells whether the number of arguments and their names fit.
    fn is_possible(&self, id: MemberId, args: &[Argument], type_args: &[Ty]) -> bool {
        let member = self.project.member(id);
        if !type_args.is_empty() && type_args.len() != member.vars.len() {
            return false;
        }
        // A type parameter that no parameter's type mentions needs a written argument.
        let is_open = |var: &VarId| {
            !member
                .params
                .iter()
                .any(|param| mentions(&param.ty, &|var_id| var_id == *var))
        };
        if type_args.is_empty() && member.vars.iter().any(is_open) {
            return false;
        }
        Self::map(&member.params, args, false).is_some()
            || Self::map(&member.params, args, true).is_some()
    }

    fn map(params: &[Param], args: &[Argument], is_expanded: bool) -> Option<ArgumentMapping> {
        let has_array = params.last().is_some_and(|param| param.is_params);
        if is_expanded && !has_array {
            return None;
        }
        if !is_expanded && args.len() > params.len() {
            return None;
        }
        let mut mapping = ArgumentMapping {
            params: Vec::with_capacity(args.len()),
            n_defaults: 0,
        };
        let mut is_given = vec![false; params.len()];
        for (at, arg) in args.iter().enumerate() {
            let param = if arg.name.is_none() {
                if is_expanded {
                    at.min(params.len() - 1)
                } else {
                    at
                }
            } else {
                params.iter().position(|param| param.name == arg.name)?
            };
            let is_array = is_expanded && param == params.len() - 1;
            if is_given[param] && !is_array {
                return None;
            }
            is_given[param] = true;
            mapping.params.push(param);
        }
        for (param, is_given) in params.iter().zip(&is_given) {
            if *is_given {
                continue;
            }
            let may_miss = param.is_optional && (is_expanded || !param.is_params);
            if !may_miss {
                return None;
            }
            mapping.n_defaults += usize::from(!param.is_params);
        }
        Some(mapping)
    }

    fn apply(
        &mut self,
        candidate: &CSharpCandidate,
        args: &[Argument],
        type_args: &[Ty],
        is_sole: bool,
    ) -> Option<ApplicableCandidate> {
        let member = self.project.member(candidate.member);
        for is_expanded in [false, true] {
            let Some(mapping) = Self::map(&member.params, args, is_expanded) else {
                continue;
            };
            let mut applied = self.prepared(
                candidate,
                (args, type_args),
                (mapping, is_expanded),
                is_sole,
            );
            let mut worst = Fit::Yes;
            for (at, arg) in args.iter().enumerate() {
                let param = Self::param_of(member.params.as_ref(), args, at, is_expanded);
                let fit = self.arg_fits(arg, &applied.parameter_types[at], param.passing, is_sole);
                worst = worst.min(fit);
                if worst == Fit::No {
                    break;
                }
            }
            applied.worst = worst;
            if worst != Fit::No && self.is_allowed(&applied) {
                return Some(applied);
            }
        }
        None
    }

    /// Tells whether the type arguments satisfy the constraints of their parameters.
    fn is_allowed(&self, applied: &ApplicableCandidate) -> bool {
        let member = self.project.member(applied.member);
        member.vars.iter().all(|&var| {
            let Some(ty) = applied
                .bound
                .get(var)
                .filter(|ty| !ty.has_unknown() && !ty.has_var())
            else {
                return true;
            };
            let var = self.project.var(var);
            if matches!(ty, Ty::Missing(_)) {
                return true;
            }
            if var.is_value && (!self.project.is_value(ty) || matches!(ty, Ty::Nullable(_))) {
                return false;
            }
            let mut bounds = var.bounds.iter().map(|bound| bound.with(&applied.bound));
            bounds.all(|bound| self.project.fits(ty, &bound) != Fit::No)
        })
    }

    fn param_of<'m>(
        params: &'m [Param],
        args: &[Argument],
        at: usize,
        is_expanded: bool,
    ) -> &'m Param {
        let arg = &args[at];
        let named = params
            .iter()
            .find(|param| !arg.name.is_none() && param.name == arg.name);
        named.unwrap_or_else(|| {
            let at = if is_expanded {
                at.min(params.len() - 1)
            } else {
                at
            };
            &params[at.min(params.len() - 1)]
        })
    }

    /// Takes the only possible method, although its types do not seem to fit.
    fn forced(
        &mut self,
        candidate: &CSharpCandidate,
        args: &[Argument],
        type_args: &[Ty],
    ) -> Option<ApplicableCandidate> {
        let member = self.project.member(candidate.member);
        let (mapping, is_expanded) = [false, true].into_iter().find_map(|is_expanded| {
            Some((Self::map(&member.params, args, is_expanded)?, is_expanded))
        })?;
        let mut applied = self.prepared(candidate, (args, type_args), (mapping, is_expanded), true);
        applied.worst = Fit::Maybe;
        Some(applied)
    }

    fn prepared(
        &mut self,
        candidate: &CSharpCandidate,
        (args, type_args): (&[Argument], &[Ty]),
        (mapping, is_expanded): (ArgumentMapping, bool),
        is_sole: bool,
    ) -> ApplicableCandidate {
        let member = self.project.member(candidate.member);
        let last = member.params.len().wrapping_sub(1);
        let declared: Vec<Ty> = mapping
            .params
            .iter()
            .map(|&at| {
                let ty = &member.params[at].ty;
                if is_expanded && at == last {
                    self.project.element(ty)
                } else {
                    ty.clone()
                }
            })
            .collect();
        let mut bound = candidate.bound.clone();
        if !type_args.is_empty() {
            for (&var, ty) in member.vars.iter().zip(type_args) {
                bound.set(var, ty.clone());
            }
        } else if !member.vars.is_empty() {
            let own: Vec<Ty> = declared.iter().map(|ty| ty.with(&bound)).collect();
            self.infer(&member.vars, &own, args, (&mut bound, is_sole));
        }
        ApplicableCandidate {
            member: candidate.member,
            parameter_types: declared.iter().map(|ty| ty.with(&bound)).collect(),
            bound,
            worst: Fit::Yes,
            is_expanded,
            n_defaults: mapping.n_defaults,
            is_generic: !member.vars.is_empty(),
            declared,
        }
    }

    /// Picks the one that is better than all others. A sure fit is better than a possible one, unless they differ in an
    /// unknown part.
    fn best(
        &mut self,
        mut applied: Vec<ApplicableCandidate>,
        args: &[Argument],
    ) -> CSharpOverloadChoice {
        if applied.len() > COMPARED_MAX {
            return CSharpOverloadChoice::Several(applied);
        }
        if applied.len() < 2 {
            return match applied.pop() {
                Some(one) => CSharpOverloadChoice::One(Box::new(one)),
                None => CSharpOverloadChoice::None,
            };
        }
        let mut is_beaten = vec![false; applied.len()];
        for a in 0..applied.len() {
            for b in a + 1..applied.len() {
                match self.better(&applied[a], &applied[b], args) {
                    BetterCandidate::First => is_beaten[b] = true,
                    BetterCandidate::Second => is_beaten[a] = true,
                    _ => {}
                }
            }
        }
        let mut left = is_beaten.iter();
        applied.retain(|_| !left.next().copied().unwrap_or_default());
        match applied.len() {
            0 => CSharpOverloadChoice::None,
            1 => CSharpOverloadChoice::One(Box::new(applied.remove(0))),
            _ => CSharpOverloadChoice::Several(applied),
        }
    }

    fn better(
        &mut self,
        a: &ApplicableCandidate,
        b: &ApplicableCandidate,
        args: &[Argument],
    ) -> BetterCandidate {
        let (mut first, mut second, mut is_unknown, mut is_same) = (false, false, false, true);
        for (at, arg) in args.iter().enumerate() {
            let (x, y) = (&a.parameter_types[at], &b.parameter_types[at]);
            if x == y {
                continue;
            }
            if arg.is_unknown() {
                is_unknown = true;
                continue;
            }
            is_same &= Self::are_alike(x, y);
            match self.better_argument(arg, x, y) {
                BetterCandidate::First => first = true,
                BetterCandidate::Second => second = true,
                BetterCandidate::Neither => {}
                BetterCandidate::Unknown => is_unknown = true,
            }
        }
        match (first, second, is_unknown) {
            (_, _, true) => BetterCandidate::Unknown,
            (true, false, _) => BetterCandidate::First,
            (false, true, _) => BetterCandidate::Second,
            (true, true, _) => BetterCandidate::Neither,
            _ if is_same || a.parameter_types == b.parameter_types => self.better_declared(a, b),
            _ => match (a.worst, b.worst) {
                (Fit::Yes, Fit::Maybe) => BetterCandidate::First,
                (Fit::Maybe, Fit::Yes) => BetterCandidate::Second,
                _ => self.better_declared(a, b),
            },
        }
    }

    /// Tells whether two types are the same, as far as they are known.
    fn are_alike(a: &Ty, b: &Ty) -> bool {
        a == b || a.has_unknown() || b.has_unknown()
    }

    fn better_argument(&mut self, arg: &Argument, a: &Ty, b: &Ty) -> BetterCandidate {
        if let CSharpArgumentKind::Lambda(lambda) = arg.kind {
            return self.better_delegate(lambda, a, b);
        }
        if matches!(arg.kind, CSharpArgumentKind::Text) {
            match (self.is_handler(a), self.is_handler(b)) {
                (true, false) => return BetterCandidate::First,
                (false, true) => return BetterCandidate::Second,
                _ => {}
            }
        }
        let ty = match &arg.kind {
            CSharpArgumentKind::Ty(ty) | CSharpArgumentKind::Constant(ty, _) => Some(ty),
            _ => None,
        };
        if let Some(ty) = ty {
            let by = BetterCandidate::by(ty == a, ty == b);
            if by != BetterCandidate::Neither {
                return by;
            }
            if ty.has_unknown() && !matches!(ty, Ty::Named(..) | Ty::Array(..)) {
                return BetterCandidate::Unknown;
            }
        }
        if let (CSharpArgumentKind::Collection(_), Some(preferred)) =
            (&arg.kind, self.better_collection(a, b))
        {
            return preferred;
        }
        let along = self.project.fits(a, b);
        let back = self.project.fits(b, a);
        match (along, back) {
            (Fit::Yes, Fit::No | Fit::Maybe) => BetterCandidate::First,
            (Fit::No | Fit::Maybe, Fit::Yes) => BetterCandidate::Second,
            (Fit::Yes, Fit::Yes) => BetterCandidate::Neither,
            _ => self.better_number(a, b),
        }
    }

    /// Prefers a read-only span to a span, and a span to an array, a list or an interface.
    fn better_collection(&self, a: &Ty, b: &Ty) -> Option<BetterCandidate> {
        let known = &self.project.known_types;
        let rank = |ty: &Ty| {
            if ty.is(known.read_only_span) {
                2
            } else {
                i32::from(ty.is(known.span))
            }
        };
        let by = BetterCandidate::by(rank(a) > rank(b), rank(b) > rank(a));
        (by != BetterCandidate::Neither).then_some(by)
    }

    /// Signed numbers go before unsigned ones that they do not widen to.
    fn better_number(&self, a: &Ty, b: &Ty) -> BetterCandidate {
        let known = &self.project.known_types;
        let is_signed = |ty: &Ty| {
            [known.sbyte, known.short, known.int, known.long, known.nint]
                .iter()
                .any(|&type_id| ty.is(type_id))
        };
        let is_unsigned = |ty: &Ty| {
            [
                known.byte,
                known.ushort,
                known.uint,
                known.ulong,
                known.nuint,
            ]
            .iter()
            .any(|&type_id| ty.is(type_id))
        };
        BetterCandidate::by(
            is_signed(a) && is_unsigned(b),
            is_unsigned(a) && is_signed(b),
        )
    }

    fn better_delegate(&mut self, lambda: u32, a: &Ty, b: &Ty) -> BetterCandidate {
        let (Some((_, x)), Some((_, y))) = (self.project.signature(a), self.project.signature(b))
        else {
            return BetterCandidate::Neither;
        };
        if x == y {
            return BetterCandidate::Neither;
        }
        match (&x, &y) {
            (Ty::Void, _) => return BetterCandidate::Second,
            (_, Ty::Void) => return BetterCandidate::First,
            _ => {}
        }
        if let Some(given) = self.lambda_gives(lambda, a) {
            let by = BetterCandidate::by(given == x, given == y);
            if by != BetterCandidate::Neither {
                return by;
            }
        }
        let along = self.project.fits(&x, &y);
        let back = self.project.fits(&y, &x);
        BetterCandidate::by(along == Fit::Yes, back == Fit::Yes)
    }

    /// Compares two methods whose parameters want the same types.
    fn better_declared(&self, a: &ApplicableCandidate, b: &ApplicableCandidate) -> BetterCandidate {
        let first = |is: bool| {
            if is {
                BetterCandidate::First
            } else {
                BetterCandidate::Second
            }
        };
        if a.is_generic != b.is_generic {
            return first(!a.is_generic);
        }
        if a.is_expanded != b.is_expanded {
            return first(!a.is_expanded);
        }
        if a.is_expanded {
            let n = |applicable_candidate: &ApplicableCandidate| {
                self.project
                    .member(applicable_candidate.member)
                    .params
                    .len()
            };
            if n(a) != n(b) {
                return first(n(a) > n(b));
            }
        }
        if (a.n_defaults == 0) != (b.n_defaults == 0) {
            return first(a.n_defaults == 0);
        }
        let n_in = |applicable_candidate: &ApplicableCandidate| {
            let params = self
                .project
                .member(applicable_candidate.member)
                .params
                .iter();
            params
                .filter(|param| param.passing == ParameterPassing::In)
                .count()
        };
        let by_value = BetterCandidate::by(n_in(a) < n_in(b), n_in(b) < n_in(a));
        if by_value != BetterCandidate::Neither {
            return by_value;
        }
        let (mut more, mut less) = (false, false);
        for (x, y) in a.declared.iter().zip(&b.declared) {
            more |= specificity(x) > specificity(y);
            less |= specificity(y) > specificity(x);
        }
        BetterCandidate::by(more, less)
    }
}

/// Measures how specific a declared type is: a variable less than anything else, a type around a variable more.
fn specificity(ty: &Ty) -> u32 {
    match ty {
        Ty::Var(_) | Ty::Unknown => 0,
        Ty::Named(_, args) => 2 + args.iter().map(specificity).sum::<u32>(),
        Ty::Array(inner, _) | Ty::Nullable(inner) | Ty::Pointer(inner) => 2 + specificity(inner),
        Ty::Tuple(parts) => 2 + parts.iter().map(|part| specificity(&part.1)).sum::<u32>(),
        _ => 2,
    }
}
