//! Decides which of several methods of one name a call means (JLS 15.12.2).

use std::ops::Range;

use smallvec::SmallVec;

use super::class::JavaMember;
use super::facts::flag;
use super::infer::{Inference, UnsolvedVariables};
use super::library::{known, object};
use super::project::JavaProject;
use super::relation::{Fit, widens};
use super::types::{ClassId, Subst, Ty};

/// The greatest number of methods of one name among which a call is resolved. Real classes have a hundred at most, but
/// a file of a megabyte may have thousands of them and thousands of calls.
pub const OVERLOADS_MAX: usize = 256;
/// The number of methods that are listed where there are more.
const OVERLOADS_NAMED: usize = 16;

/// A method that may be meant, as seen through the receiver's type.
#[derive(Clone, Debug)]
pub struct JavaCandidate<'p> {
    pub member: &'p JavaMember,
    /// The values of the declaring class's variables.
    pub subst: Subst,
    /// The variables that are inferred: the method's, or the class's for `new T<>(…)`.
    pub vars: Range<u32>,
    /// Whether the receiver is raw, so that the result is erased (JLS 4.8).
    pub is_raw: bool,
}

/// An argument, as far as it can be typed without knowing the method.
#[derive(Clone, Debug)]
pub enum Arg {
    Ty(Ty),
    /// A generic call whose result gets the expected type: `any()`, `emptyValue()`.
    Free,
    Lambda(LambdaShape),
    Reference(Uses),
}

/// The readings of a method reference without a wanted type.
#[derive(Clone, Debug)]
pub struct Uses {
    /// Numbers of parameters that some method of the name can take, one bit each, the receiver counted where it is one.
    pub arities: u64,
    /// The type of its result when there is one method of the name only; unknown otherwise.
    pub result: Ty,
}

/// The shape of a lambda, as far as it can be told without types.
#[derive(Clone, Debug)]
pub struct LambdaShape {
    pub n_params: usize,
    /// Whether it fits where nothing is returned, and where a value is.
    pub may_be_void: bool,
    pub may_be_value: bool,
    /// Whether every parameter's type is written (also when there are no parameters).
    pub is_explicit: bool,
    /// The type of the body's value where it was typed before the method is chosen; else unknown.
    pub value: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Strict,
    Loose,
    Varargs,
}

/// The result of the choice, as indices of candidates.
#[derive(Debug)]
pub enum JavaOverloadChoice {
    One(usize, Phase),
    Many(Vec<usize>),
    None,
}

/// How a candidate takes the arguments.
struct CandidateFit {
    index: usize,
    phase: Phase,
    is_sure: bool,
}

/// Chooses among candidates, which come from the nearest class first.
///
/// More than [`OVERLOADS_MAX`] are ambiguous.
pub fn choose(
    project: &JavaProject,
    candidates: &[JavaCandidate<'_>],
    args: &[Arg],
) -> JavaOverloadChoice {
    if candidates.len() > OVERLOADS_MAX {
        return JavaOverloadChoice::Many((0..OVERLOADS_NAMED).collect());
    }
    match choose_exactly(project, candidates, args) {
        // The type inferred for a nested call may be narrower than its place asks for.
        JavaOverloadChoice::None => choose_exactly(project, candidates, &raw(args)),
        choice => choice,
    }
}

/// Drops the type arguments of the arguments.
fn raw(args: &[Arg]) -> Vec<Arg> {
    args.iter()
        .map(|arg| match arg {
            Arg::Ty(Ty::Class(class, Some(_))) => Arg::Ty(Ty::class(*class)),
            arg => arg.clone(),
        })
        .collect()
}

fn choose_exactly(
    project: &JavaProject,
    candidates: &[JavaCandidate<'_>],
    args: &[Arg],
) -> JavaOverloadChoice {
    let taken: Vec<CandidateFit> = candidates
        .iter()
        .enumerate()
        .filter_map(|(index, candidate)| take(project, candidate, args, index))
        .collect();
    // Nearly always exactly one method of the name takes the arguments.
    if let [only] = &taken[..] {
        return JavaOverloadChoice::One(only.index, only.phase);
    }
    let Some(first_phase) = taken.iter().map(|taken| taken.phase).min() else {
        return JavaOverloadChoice::None;
    };
    // A candidate that only may fit does not exclude a later phase.
    let is_settled = taken
        .iter()
        .any(|taken| taken.phase == first_phase && taken.is_sure);
    let limit = if is_settled || first_phase == Phase::Varargs {
        first_phase
    } else {
        let sure = taken.iter().filter(|taken| taken.is_sure);
        sure.map(|taken| taken.phase).min().unwrap_or(Phase::Loose)
    };
    let within: Vec<&CandidateFit> = taken.iter().filter(|taken| taken.phase <= limit).collect();
    let sure: Vec<&&CandidateFit> = within.iter().filter(|taken| taken.is_sure).collect();
    // A sure fit rules out a possible one, unless that would be the better choice if it did fit.
    let within: Vec<usize> = within
        .iter()
        .filter(|maybe| {
            maybe.is_sure
                || !sure.iter().any(|sure| {
                    let (a, b) = (&candidates[maybe.index], &candidates[sure.index]);
                    !is_more_specific(project, a, b, args, limit)
                })
        })
        .map(|taken| taken.index)
        .collect();
    let phase_of = |index: usize| {
        taken
            .iter()
            .find(|taken| taken.index == index)
            .map_or(first_phase, |taken| taken.phase)
    };
    if let [only] = within[..] {
        return JavaOverloadChoice::One(only, phase_of(only));
    }
    let mut best: Vec<usize> = within
        .iter()
        .copied()
        .filter(|&one| {
            within.iter().all(|&other| {
                let (a, b) = (&candidates[one], &candidates[other]);
                one == other || is_more_specific(project, a, b, args, limit)
            })
        })
        .collect();
    // Several equally specific ones take the same types, because they are inherited twice: the nearest concrete one
    // stands for all.
    if best.len() > 1 {
        let concrete = best
            .iter()
            .copied()
            .find(|&index| !candidates[index].member.is(flag::ABSTRACT));
        best = vec![concrete.unwrap_or(best[0])];
    }
    let is_sure = |index: usize| {
        let mut taken = taken.iter();
        taken.any(|taken| taken.index == index && taken.is_sure)
    };
    // The most specific one only may fit, while another one does fit.
    if let [only] = best[..]
        && !is_sure(only)
        && within.iter().any(|&index| is_sure(index))
    {
        return JavaOverloadChoice::Many(within);
    }
    match best[..] {
        [only] if !hangs_on_unknown(project, candidates, &within, only, args) => {
            JavaOverloadChoice::One(only, phase_of(only))
        }
        _ => JavaOverloadChoice::Many(within),
    }
}

/// Tells whether another candidate is left out only because of an argument whose type is not known.
fn hangs_on_unknown(
    project: &JavaProject,
    candidates: &[JavaCandidate<'_>],
    within: &[usize],
    best: usize,
    args: &[Arg],
) -> bool {
    let unknown: Vec<usize> = (0..args.len())
        .filter(|&at| matches!(&args[at], Arg::Ty(ty) if is_open(ty)))
        .collect();
    if unknown.is_empty() {
        return false;
    }
    let wanted = |index: usize, at: usize| {
        let candidate = &candidates[index];
        let ty = param_at(candidate.member, at, args.len(), Phase::Loose)?;
        Some(project.key_of(&candidate.subst.apply(ty)))
    };
    within.iter().any(|&other| {
        unknown
            .iter()
            .any(|&at| wanted(other, at) != wanted(best, at))
    })
}

fn is_open(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown | Ty::Missing(_) | Ty::Wild)
}

/// Finds the declared parameter type for the argument at `at` of `n_args`.
pub fn param_at(member: &JavaMember, at: usize, n_args: usize, phase: Phase) -> Option<&Ty> {
    let n_params = member.params.len();
    let is_spread = member.is(flag::VARARGS)
        && (phase == Phase::Varargs || n_args != n_params)
        && at + 1 >= n_params;
    if is_spread {
        return match member.params.last()? {
            Ty::Array(element) => Some(element),
            other => Some(other),
        };
    }
    member.params.get(at)
}

/// Finds the first phase in which a candidate takes the arguments, and tells whether that is sure, for explaining.
pub fn applicable(
    project: &JavaProject,
    candidate: &JavaCandidate<'_>,
    args: &[Arg],
) -> Option<(Phase, bool)> {
    take(project, candidate, args, 0).map(|taken| (taken.phase, taken.is_sure))
}

fn take(
    project: &JavaProject,
    candidate: &JavaCandidate<'_>,
    args: &[Arg],
    index: usize,
) -> Option<CandidateFit> {
    let member = candidate.member;
    let n_params = member.params.len();
    let is_varargs = member.is(flag::VARARGS);
    let mut boxing = Boxing::MayHelp;
    let mut phases = [Phase::Strict, Phase::Loose, Phase::Varargs].into_iter();
    phases.find_map(|phase| {
        let is_arity = if phase == Phase::Varargs {
            is_varargs && args.len() + 1 >= n_params
        } else {
            args.len() == n_params
        };
        if !is_arity || (phase == Phase::Loose && boxing == Boxing::ChangesNothing) {
            return None;
        }
        match fit_of(project, candidate, args, phase) {
            Ok(fit) => Some(CandidateFit {
                index,
                phase,
                is_sure: fit == Fit::Yes,
            }),
            Err(misfit) => {
                boxing = misfit;
                None
            }
        }
    })
}

/// Whether boxing may help an argument that does not fit strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Boxing {
    MayHelp,
    /// The argument does not fit loosely either.
    ChangesNothing,
}

impl Boxing {
    fn of(arg: &Arg, param: &Ty) -> Self {
        let is_primitive = |ty: &Ty| matches!(ty, Ty::Prim(_));
        let may_help = match arg {
            Arg::Ty(ty) => is_primitive(ty) != is_primitive(param),
            Arg::Free => is_primitive(param),
            Arg::Lambda(_) | Arg::Reference(_) => false,
        };
        if may_help {
            Self::MayHelp
        } else {
            Self::ChangesNothing
        }
    }
}

/// Tells how well the arguments fit, or whether boxing may help the first that does not.
fn fit_of(
    project: &JavaProject,
    candidate: &JavaCandidate<'_>,
    args: &[Arg],
    phase: Phase,
) -> Result<Fit, Boxing> {
    let seen = |at: usize| {
        param_at(candidate.member, at, args.len(), phase)
            .map_or(Ty::Unknown, |param| candidate.subst.apply(param))
    };
    let fit = |arg: &Arg, param: &Ty| match fit_of_arg(project, arg, param, phase) {
        Fit::No => Err(Boxing::of(arg, param)),
        fit => Ok(fit),
    };
    if candidate.vars.is_empty() {
        // Most candidates need no inference, and one call of `assertEquals` checks two dozen of them.
        let each = args.iter().enumerate();
        return worst(each.map(|(at, arg)| fit(arg, &seen(at))));
    }
    let params: SmallVec<[Ty; 4]> = (0..args.len()).map(seen).collect();
    let mut inference = Inference::new(project, candidate.vars.clone());
    for (param, arg) in params.iter().zip(args) {
        if let Arg::Ty(ty) = arg {
            if phase == Phase::Strict && matches!(ty, Ty::Prim(_)) && !matches!(param, Ty::Prim(_))
            {
                return Err(Boxing::MayHelp);
            }
            inference.give(param, ty);
        }
    }
    let subst = inference.solve(UnsolvedVariables::Unknown);
    worst(
        params
            .iter()
            .zip(args)
            .map(|(param, arg)| match (param, arg) {
                (Ty::Var(var), Arg::Ty(ty)) if candidate.vars.contains(&var.0) => {
                    match fits_bound(project, param, ty, &subst) {
                        Fit::No => Err(Boxing::ChangesNothing),
                        fit => Ok(fit),
                    }
                }
                _ => fit(arg, &subst.apply(param)),
            }),
    )
}

/// Finds the worst of several fits, or the first misfit, and stops there.
fn worst<E>(mut fits: impl Iterator<Item = Result<Fit, E>>) -> Result<Fit, E> {
    fits.try_fold(Fit::Yes, |worst, fit| Ok(worst.min(fit?)))
}

/// Tells how well an argument fits a type that no further argument will refine.
fn fit_of_arg(project: &JavaProject, arg: &Arg, param: &Ty, phase: Phase) -> Fit {
    match arg {
        Arg::Ty(ty) => match phase {
            Phase::Strict => project.fits_strictly(ty, param),
            Phase::Loose | Phase::Varargs => project.fits_loosely(ty, param),
        },
        // Only boxing makes it a primitive.
        Arg::Free if phase == Phase::Strict && matches!(param, Ty::Prim(_)) => Fit::No,
        Arg::Free => Fit::Yes,
        Arg::Lambda(shape) => fits_lambda(project, param, shape),
        Arg::Reference(uses) => fits_reference(project, param, uses),
    }
}

/// Tells whether an argument fits a method's own variable: it must fit the variable's bound.
fn fits_bound(project: &JavaProject, param: &Ty, arg: &Ty, subst: &Subst) -> Fit {
    let Ty::Var(var) = param else {
        return Fit::Maybe;
    };
    let bounds = project.bounds(*var);
    if arg.is_unknown() {
        return Fit::Maybe;
    }
    bounds
        .iter()
        .map(|bound| {
            let bound = match subst.apply(bound) {
                Ty::Class(class, _) => Ty::class(class),
                other => other,
            };
            project.fits_loosely(arg, &bound)
        })
        .min()
        .unwrap_or(Fit::Yes)
}

/// The method of a functional interface, as seen through one of its types.
#[derive(Clone, Debug)]
pub struct Function {
    pub params: Vec<Ty>,
    pub result: Ty,
}

impl JavaProject {
    /// Finds the single abstract method of a functional interface, with the types it has there.
    pub fn function_of(&self, ty: &Ty) -> Option<Function> {
        let Ty::Class(class, args) = ty else {
            return None;
        };
        let (owner, member) = self.single_abstract(*class)?;
        let seen = self.as_ancestor(&Ty::Class(*class, args.clone()), owner)?;
        let subst = self.bindings(owner, seen.args());
        Some(Function {
            params: member
                .params
                .iter()
                .map(|param| open_wildcard(subst.apply(param)))
                .collect(),
            result: open_wildcard(subst.apply(&member.result)),
        })
    }

    fn single_abstract(&self, class: ClassId) -> Option<(ClassId, &JavaMember)> {
        if !self.class(class).is_interface() {
            return None;
        }
        let found = self
            .class(class)
            .function
            .get_or_init(|| self.find_function(class));
        let (owner, at) = (*found)?;
        self.all_methods(owner)
            .nth(at)
            .map(|member| (owner, member))
    }

    fn find_function(&self, class: ClassId) -> Option<(ClassId, usize)> {
        let mut found: Option<(ClassId, usize, &JavaMember)> = None;
        let ancestors = self.ancestors(class);
        for &ancestor in ancestors {
            for (at, member) in self.all_methods(ancestor).enumerate() {
                if !member.is(flag::ABSTRACT) || member.is(flag::STATIC) || self.is_objects(member)
                {
                    continue;
                }
                // The same method may be declared again further up.
                let is_again = found.is_some_and(|(_, _, first)| {
                    self.member_name(first) == self.member_name(member)
                        && first.params.len() == member.params.len()
                });
                if is_again || self.has_default(ancestors, ancestor, member) {
                    continue;
                }
                if found.is_some() {
                    return None;
                }
                found = Some((ancestor, at, member));
            }
        }
        found.map(|(owner, at, _)| (owner, at))
    }

    /// Tells whether a nearer interface gives the method a body.
    fn has_default(&self, ancestors: &[ClassId], from: ClassId, member: &JavaMember) -> bool {
        ancestors
            .iter()
            .take_while(|&&ancestor| ancestor != from)
            .flat_map(|&ancestor| self.all_methods(ancestor))
            .any(|other| {
                !other.is(flag::ABSTRACT)
                    && self.member_name(other) == self.member_name(member)
                    && other.params.len() == member.params.len()
            })
    }

    /// Tells whether the method repeats a public one of `Object`.
    fn is_objects(&self, member: &JavaMember) -> bool {
        match self.member_name(member) {
            "equals" => {
                matches!(&member.params[..], [Ty::Class(class, _)] if *class == known().object)
            }
            "hashCode" | "toString" => member.params.is_empty(),
            _ => false,
        }
    }
}

/// Replaces a wildcard by its bound, as for the types of a lambda (JLS 9.9).
fn open_wildcard(ty: Ty) -> Ty {
    match ty {
        Ty::Extends(bound) | Ty::Super(bound) => (*bound).clone(),
        Ty::Wild => object(),
        other => other,
    }
}

/// Tells whether a function fits a wanted type whose single abstract method satisfies `fits`.
fn fits_function(project: &JavaProject, param: &Ty, fits: impl FnOnce(&Function) -> bool) -> Fit {
    let class = match param {
        Ty::Unknown | Ty::Missing(_) | Ty::Var(_) | Ty::Wild => return Fit::Maybe,
        Ty::Class(class, _) => project.class(*class),
        _ => return Fit::No,
    };
    match project.function_of(param) {
        Some(function) => Fit::from(fits(&function)),
        None if class.has_missing_super && class.is_interface() => Fit::Maybe,
        None => Fit::No,
    }
}

fn fits_lambda(project: &JavaProject, param: &Ty, shape: &LambdaShape) -> Fit {
    fits_function(project, param, |function| {
        let gives = match function.result {
            Ty::Void => shape.may_be_void,
            _ => {
                shape.may_be_value
                    && project.fits_loosely(&shape.value, &function.result) != Fit::No
            }
        };
        function.params.len() == shape.n_params && gives
    })
}

fn fits_reference(project: &JavaProject, param: &Ty, uses: &Uses) -> Fit {
    fits_function(project, param, |function| {
        let is_arity = uses.arities >> function.params.len().min(63) & 1 == 1;
        let gives = matches!(function.result, Ty::Void)
            || (uses.result != Ty::Void
                && project.fits_loosely(&uses.result, &function.result) != Fit::No);
        is_arity && gives
    })
}

/// A parameter's type in its candidate.
#[derive(Clone, Copy)]
struct CandidateParameter<'a> {
    candidate: &'a JavaCandidate<'a>,
    ty: &'a Ty,
}

impl CandidateParameter<'_> {
    fn seen(self) -> Ty {
        self.candidate.subst.apply(self.ty)
    }
}

/// Tells whether `one` is at least as specific as `other` for these arguments (JLS 15.12.2.5).
fn is_more_specific(
    project: &JavaProject,
    one: &JavaCandidate<'_>,
    other: &JavaCandidate<'_>,
    args: &[Arg],
    phase: Phase,
) -> bool {
    let is_spread =
        phase == Phase::Varargs && one.member.is(flag::VARARGS) && other.member.is(flag::VARARGS);
    let n_args = if is_spread {
        // Further arguments may follow: all parameters count, and the repeated one once more.
        args.len()
            .max(one.member.params.len())
            .max(other.member.params.len())
    } else {
        args.len()
    };
    (0..n_args).all(|at| {
        let n_given = if is_spread { n_args + 1 } else { n_args };
        let (Some(a), Some(b)) = (
            param_at(one.member, at, n_given, phase),
            param_at(other.member, at, n_given, phase),
        ) else {
            return false;
        };
        let a = CandidateParameter {
            candidate: one,
            ty: a,
        };
        let b = CandidateParameter {
            candidate: other,
            ty: b,
        };
        is_type_more_specific(project, a, b)
            || (!is_spread && is_function_more_specific(project, a, b, &args[at]))
    })
}

fn is_function_more_specific(
    project: &JavaProject,
    a: CandidateParameter<'_>,
    b: CandidateParameter<'_>,
    arg: &Arg,
) -> bool {
    let is_explicit = match arg {
        Arg::Lambda(shape) => shape.is_explicit,
        Arg::Reference(uses) => !uses.result.is_unknown(),
        Arg::Ty(_) | Arg::Free => false,
    };
    if !is_explicit {
        return false;
    }
    let (one, other) = (a.seen(), b.seen());
    // Of an interface and one below it, subtyping alone decides.
    if let (Some(one), Some(other)) = (one.class_id(), other.class_id())
        && (project.is_below(one, other) || project.is_below(other, one))
        && one != other
    {
        return false;
    }
    let (Some(one), Some(other)) = (project.function_of(&one), project.function_of(&other)) else {
        return false;
    };
    if one.params.len() != other.params.len() {
        return false;
    }
    match (&one.result, &other.result) {
        (Ty::Void, other) => matches!(other, Ty::Void),
        (_, Ty::Void) => true,
        (Ty::Prim(one), Ty::Prim(other)) => widens(*one, *other),
        // A primitive result is preferred when the body's value is a primitive, a boxed one when it is not.
        (Ty::Prim(_), _) => matches!(value_of(arg), Ty::Prim(_)),
        (_, Ty::Prim(_)) => !matches!(value_of(arg), Ty::Prim(_) | Ty::Unknown),
        (one, other) => project.fits_strictly(one, other) == Fit::Yes,
    }
}

fn value_of(arg: &Arg) -> &Ty {
    match arg {
        Arg::Lambda(shape) => &shape.value,
        Arg::Reference(uses) => &uses.result,
        Arg::Ty(ty) => ty,
        Arg::Free => &Ty::Null,
    }
}

fn is_type_more_specific(
    project: &JavaProject,
    a: CandidateParameter<'_>,
    b: CandidateParameter<'_>,
) -> bool {
    // The variables of a generic method stand for their bounds here; those of `b` accept any type within these.
    let one = a.seen();
    let other = b.seen();
    if one == other {
        return true;
    }
    if let Ty::Var(var) = &other
        && b.candidate.vars.contains(&var.0)
    {
        return !matches!(one, Ty::Prim(_))
            && project.bounds(*var).iter().all(|bound| {
                let bound = match bound {
                    Ty::Class(class, _) => Ty::class(*class),
                    other => other.clone(),
                };
                project.fits_strictly(&one, &bound) == Fit::Yes
            });
    }
    match project.fits_strictly(&one, &other) {
        Fit::Yes => true,
        Fit::Maybe => project.same_erasure(&one, &other),
        Fit::No => false,
    }
}
