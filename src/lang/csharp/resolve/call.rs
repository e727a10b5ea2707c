//! Calls of methods: on types, on objects, as extension methods, through delegates.

use super::argument::Argument;
use super::choose::{ApplicableCandidate, CSharpCandidate, CSharpOverloadChoice};
use super::name::NameUse;
use super::{CSharpFoundCall, CSharpValue, CSharpWalker, MethodGroup, ReceiverKind};
use crate::csharp::facts::{Expr, ExprId, MemberKind, flag};
use crate::csharp::types::{Bindings, CSharpMember, MemberId, Ty, TypeId};
use crate::model::{CallKind, CallMarks, MethodId, Resolution, Span, UnknownReason};
use crate::run::Run;
use crate::symbols::Sym;

/// The greatest number of members of one name in main code by which a call on an unknown type is resolved (LANGUAGES
/// L12).
const BY_NAME_MAX: usize = 8;

/// The greatest number of fitting declarations that an ambiguous call lists.
const LISTED_MAX: usize = 64;

impl ReceiverKind {
    const fn takes(self, member: &CSharpMember) -> bool {
        match self {
            Self::Any => true,
            Self::Static => member.is(flag::STATIC),
            Self::Instance => !member.is(flag::STATIC),
        }
    }
}

impl CSharpWalker<'_> {
    /// Records a call.
    pub(super) fn note(
        &mut self,
        kind: CallKind,
        (name, name_span): (String, Span),
        (expr, span, n_arguments): (ExprId, Span, usize),
        resolution: Resolution,
    ) {
        self.found.push(CSharpFoundCall {
            kind,
            name,
            span,
            name_span,
            n_arguments: n_arguments as u16,
            depth: self.n_around,
            resolution,
            marks: CallMarks::NONE,
            besides: expr,
        });
    }

    /// Makes the resolution of a call out of the members it may reach.
    pub(super) fn resolution(&self, ids: &[MemberId]) -> Resolution {
        let mut methods: Vec<MethodId> = ids
            .iter()
            .filter_map(|&id| self.project.member(id).method)
            .collect();
        methods.sort_unstable();
        methods.dedup();
        match (ids, &methods[..]) {
            (_, [one]) => Resolution::Declared(*one),
            ([first, ..], []) => {
                let owner = self.project.member(*first).owner;
                Resolution::Outside(Some(self.project.ty(owner).qualified.to_string()))
            }
            ([], _) => Resolution::Unknown(UnknownReason::MethodNotFound),
            _ => {
                methods.truncate(LISTED_MAX);
                Resolution::Ambiguous(methods)
            }
        }
    }

    pub(super) fn call(&mut self, id: ExprId, function: ExprId, args: Run) -> Ty {
        let value = match self.facts.expr(function) {
            Expr::Member(access) => {
                let wanted = NameUse {
                    is_call: true,
                    is_read: true,
                };
                let value = self.member_access(function, access, wanted);
                let ty = self.called(id, function, value, args);
                return if access.is_conditional {
                    self.project.nullable(ty)
                } else {
                    ty
                };
            }
            _ => self.value(function, true),
        };
        self.called(id, function, value, args)
    }

    fn called(&mut self, id: ExprId, function: ExprId, value: CSharpValue, args: Run) -> Ty {
        match value {
            CSharpValue::Group(group) => self.call_group(id, &group, args),
            CSharpValue::Function(at) => {
                let given = match self.facts.expr(function) {
                    Expr::Name(_, given) => self.type_args(given),
                    _ => Vec::new(),
                };
                let function = self.functions[at].clone();
                self.call_function(args, &function, &given)
            }
            CSharpValue::Ty(ty) => {
                if let Some((params, result)) = self.project.signature(&ty) {
                    self.give(args, &params);
                    result
                } else {
                    self.give(args, &[]);
                    Ty::Unknown
                }
            }
            CSharpValue::Type(_) | CSharpValue::Namespace(_) | CSharpValue::Nothing => {
                self.call_unknown(id, function, args);
                Ty::Unknown
            }
        }
    }

    /// Records the call of a simple name that is declared nowhere: possibly it is in a base class that is in no file.
    fn call_unknown(&mut self, id: ExprId, function: ExprId, run: Run) {
        let args = self.arguments(run);
        self.finish(&args, &[]);
        let Expr::Name(name, _) = self.facts.expr(function) else {
            return;
        };
        let word = self.facts.word(name).to_owned();
        let start = self.facts.span(function).start;
        let name_span = Span::new(start, start + word.len() as u32);
        let reason = if self.project.ty(self.ty).has_missing_base {
            UnknownReason::ClassNotFound
        } else {
            UnknownReason::MethodNotFound
        };
        let span = self.facts.span(id);
        let resolution = Resolution::Unknown(reason);
        self.note(
            CallKind::Method,
            (word, name_span),
            (id, span, args.len()),
            resolution,
        );
    }

    fn call_group(&mut self, id: ExprId, group: &MethodGroup, run: Run) -> Ty {
        let args = self.arguments(run);
        let candidates = self.candidates(group);
        let mut choice = self.choose_fitting(&candidates, &args, &group.args);
        if let (CSharpOverloadChoice::Several(_) | CSharpOverloadChoice::One(_), true) =
            (&choice, candidates.len() > 1)
        {
            choice = self.nearest(choice);
        }
        let mut is_extension = false;
        if matches!(choice, CSharpOverloadChoice::None) && group.has_object {
            choice = self.choose_extension(group, &args);
            is_extension = !matches!(choice, CSharpOverloadChoice::None);
        }
        if matches!(choice, CSharpOverloadChoice::None) && !self.may_inherit(&group.receiver) {
            choice = self.choose_forced(&candidates, &args, &group.args);
        }
        let name = self.project.word(group.name).to_owned();
        let name_span = Span::new(group.at, group.at + name.len() as u32);
        let place = (id, self.facts.span(id), args.len());
        self.trace_group(name_span, group, &candidates, &choice);
        match choice {
            CSharpOverloadChoice::One(applied) => {
                let skipped = usize::from(is_extension);
                self.finish(&args, &applied.parameter_types[skipped..]);
                let resolution = self.resolution(&[applied.member]);
                self.note(CallKind::Method, (name, name_span), place, resolution);
                self.result(&applied)
            }
            CSharpOverloadChoice::Several(applied) => {
                let skipped = usize::from(is_extension);
                let wanted = common_wanted(&applied);
                self.finish(&args, &wanted[skipped.min(wanted.len())..]);
                let ids: Vec<MemberId> = applied
                    .iter()
                    .map(|applicable_candidate| applicable_candidate.member)
                    .collect();
                let resolution = self.resolution(&ids);
                self.note(CallKind::Method, (name, name_span), place, resolution);
                let mut results = applied
                    .iter()
                    .map(|applicable_candidate| self.result(applicable_candidate));
                let first = results.next().unwrap_or_default();
                if results.all(|result| result == first) {
                    first
                } else {
                    Ty::Unknown
                }
            }
            CSharpOverloadChoice::None => {
                self.finish(&args, &[]);
                let (resolution, marks) = self.not_found(group, args.len());
                self.note(CallKind::Method, (name, name_span), place, resolution);
                if let Some(found) = self.found.last_mut() {
                    found.marks.add(marks);
                }
                self.result_outside(group)
            }
        }
    }

    /// Tells whether a type may have unknown methods, because something above it is declared nowhere.
    fn may_inherit(&self, ty: &Ty) -> bool {
        let face = self.project.face(ty);
        face.is_some_and(|(id, _)| self.project.ty(id).has_missing_base)
    }

    fn result(&self, applied: &ApplicableCandidate) -> Ty {
        let member = self.project.member(applied.member);
        member.ty.with(&applied.bound)
    }

    /// Guesses the result of a library's call without a known declaration: another of the library's types, unless the
    /// library may return one of the project's.
    pub(super) fn result_outside(&self, group: &MethodGroup) -> Ty {
        if !group.args.is_empty() || group.receiver.has_unknown() {
            return Ty::Unknown;
        }
        match &group.receiver {
            Ty::Missing(_) => group.receiver.clone(),
            Ty::Named(id, args) if self.project.ty(*id).is_library && args.is_empty() => {
                Ty::Missing(self.project.ty(*id).name)
            }
            _ => Ty::Unknown,
        }
    }

    fn candidates(&self, group: &MethodGroup) -> Vec<CSharpCandidate> {
        let members = self.meant(group).into_iter();
        members
            .map(|member| CSharpCandidate {
                member,
                bound: self.bound(&group.receiver, self.project.member(member)),
            })
            .collect()
    }

    /// Returns the methods of a group that can be named where it stands; all of them if none can.
    pub(super) fn meant(&self, group: &MethodGroup) -> Vec<MemberId> {
        let (seen, hidden): (Vec<_>, Vec<_>) = group.members.iter().partition(|&&member| {
            self.is_accessible(member) && group.side.takes(self.project.member(member))
        });
        if seen.is_empty() { hidden } else { seen }
    }

    /// Tells whether a member can be named here; only `private` is checked.
    pub(super) fn is_accessible(&self, id: MemberId) -> bool {
        let member = self.project.member(id);
        let shown = flag::PUBLIC | flag::INTERNAL | flag::PROTECTED;
        if member.flags & shown != 0 {
            return true;
        }
        let mut around = Some(self.ty);
        while let Some(ty) = around {
            if ty == member.owner {
                return true;
            }
            around = self.project.ty(ty).outer;
        }
        false
    }

    /// Drops the methods of base classes where one of a nearer class fits.
    fn nearest(&self, choice: CSharpOverloadChoice) -> CSharpOverloadChoice {
        let CSharpOverloadChoice::Several(applied) = choice else {
            return choice;
        };
        let owner = |applicable_candidate: &ApplicableCandidate| {
            self.project.member(applicable_candidate.member).owner
        };
        let is_class =
            |id: TypeId| self.project.ty(id).kind != crate::csharp::facts::TypeKind::Interface;
        let first = owner(&applied[0]);
        let is_below = applied.iter().all(|applicable_candidate| {
            owner(applicable_candidate) == first
                || (is_class(first) && self.project.is_below(first, owner(applicable_candidate)))
        });
        let mut left: Vec<ApplicableCandidate> = applied;
        if is_below
            && left
                .iter()
                .any(|applicable_candidate| owner(applicable_candidate) != first)
        {
            left.retain(|applicable_candidate| owner(applicable_candidate) == first);
        }
        match left.len() {
            1 => CSharpOverloadChoice::One(Box::new(left.remove(0))),
            _ => CSharpOverloadChoice::Several(left),
        }
    }

    /// Looks for extension methods, those of the innermost namespace first.
    fn choose_extension(&mut self, group: &MethodGroup, args: &[Argument]) -> CSharpOverloadChoice {
        let all = self.project.extensions(group.name);
        if all.is_empty() || group.receiver == Ty::Void {
            return CSharpOverloadChoice::None;
        }
        if group.receiver.is_unknown() {
            return CSharpOverloadChoice::None;
        }
        let mut with_object = vec![Argument::of(group.receiver.clone())];
        with_object.extend(args.iter().cloned());
        let statics = self.project.statics_in(self.names());
        let levels = self.namespaces.clone();
        for (n, level) in levels.iter().enumerate() {
            let candidates: Vec<CSharpCandidate> = all
                .iter()
                .filter(|&&member_id| {
                    let owner = self.project.member(member_id).owner;
                    let namespace = self.project.ty(owner).namespace;
                    level.contains(&namespace)
                        || (n + 1 == levels.len() && statics.contains(&owner))
                })
                .filter(|&&member_id| {
                    self.is_accessible(member_id) || self.project.member(member_id).is(flag::PUBLIC)
                })
                .map(|&member_id| CSharpCandidate {
                    member: member_id,
                    bound: Bindings::default(),
                })
                .collect();
            if candidates.is_empty() {
                continue;
            }
            let fitting: Vec<CSharpCandidate> = candidates
                .into_iter()
                .filter(|candidate| self.takes_object(candidate.member, &group.receiver))
                .collect();
            let choice = self.choose(&fitting, &with_object, &group.args);
            if !matches!(choice, CSharpOverloadChoice::None) {
                return choice;
            }
        }
        CSharpOverloadChoice::None
    }

    /// Finds the only extension method of that shape in the innermost namespace that has one for an object, with the
    /// bindings of its type parameters.
    pub(super) fn extension_of(
        &self,
        name: Sym,
        object: &Ty,
        has_shape: impl Fn(&CSharpMember) -> bool,
    ) -> Option<(MemberId, Bindings)> {
        let all = self.project.extensions(name);
        if all.is_empty() || object.is_unknown() {
            return None;
        }
        let found = self.namespaces.iter().find_map(|level| {
            let fitting = all.iter().copied().filter(|&member_id| {
                let member = self.project.member(member_id);
                let namespace = self.project.ty(member.owner).namespace;
                level.contains(&namespace)
                    && has_shape(member)
                    && self.takes_object(member_id, object)
            });
            let fitting: Vec<MemberId> = fitting.collect();
            (!fitting.is_empty()).then_some(fitting)
        })?;
        let [only] = found[..] else {
            return None;
        };
        let member = self.project.member(only);
        let mut bound = Bindings::default();
        self.unify(&member.params[0].ty, object, &member.vars, &mut bound);
        Some((only, bound))
    }

    /// Tells whether an extension method's first parameter can be this object.
    fn takes_object(&self, id: MemberId, object: &Ty) -> bool {
        let member = self.project.member(id);
        let Some(first) = member.params.first() else {
            return false;
        };
        let mut bound = Bindings::default();
        self.unify(&first.ty, object, &member.vars, &mut bound);
        let wanted = first.ty.with(&bound);
        if matches!(wanted, Ty::Var(_)) {
            return true;
        }
        if let Ty::Var(var) = &first.ty {
            let bounds = &self.project.var(*var).bounds;
            let is_own = |ty: &Ty| ty.has_var();
            if bounds.iter().any(|bound| {
                !is_own(bound)
                    && self.project.fits(object, bound) == crate::csharp::relation::Fit::No
            }) {
                return false;
            }
        }
        self.project.fits(object, &wanted) != crate::csharp::relation::Fit::No
    }

    /// Returns why nothing was found, or finds the target by the name alone.
    fn not_found(&self, group: &MethodGroup, n_args: usize) -> (Resolution, CallMarks) {
        let none = CallMarks::NONE;
        match &group.receiver {
            Ty::Unknown => {
                let named = self.by_name(group.name, n_args);
                if (1..=BY_NAME_MAX).contains(&named.len()) {
                    return (Resolution::Ambiguous(named), CallMarks::BY_NAME);
                }
                (Resolution::Unknown(UnknownReason::ReceiverType), none)
            }
            Ty::Missing(name) => {
                let owner = self.project.word(*name).to_owned();
                (Resolution::Outside(Some(owner)), none)
            }
            receiver => match self.project.face(receiver) {
                Some((id, _)) if self.project.ty(id).is_library => {
                    let owner = self.project.ty(id).qualified.to_string();
                    (Resolution::Outside(Some(owner)), none)
                }
                Some((id, _)) if self.project.ty(id).has_missing_base => {
                    (Resolution::Unknown(UnknownReason::ClassNotFound), none)
                }
                _ if !group.members.is_empty() => {
                    let methods: Vec<MethodId> = group
                        .members
                        .iter()
                        .filter_map(|&member| self.project.member(member).method)
                        .take(LISTED_MAX)
                        .collect();
                    match methods.len() {
                        0 => (Resolution::Unknown(UnknownReason::NoOverloadFits), none),
                        _ => (Resolution::Ambiguous(methods), none),
                    }
                }
                // All members of the type are known, so it is an extension method of some library; but generators add
                // to partial types.
                Some((id, _)) if self.project.ty(id).flags & flag::PARTIAL == 0 => {
                    (Resolution::Outside(None), none)
                }
                _ => (Resolution::Unknown(UnknownReason::MethodNotFound), none),
            },
        }
    }

    /// Finds methods of main code by name that could be called on an object with that number of arguments.
    fn by_name(&self, name: Sym, n_args: usize) -> Vec<MethodId> {
        let named = self.project.main_methods(name);
        let fitting = named.iter().copied().filter(|&method_id| {
            let Some((_, member)) = self.project.member_of(method_id) else {
                return false;
            };
            let n_args = n_args + usize::from(member.is(flag::EXTENSION));
            let n_needed = member
                .params
                .iter()
                .filter(|param| !param.is_optional)
                .count();
            let has_array = member.params.last().is_some_and(|param| param.is_params);
            member.kind == MemberKind::Method
                && n_args >= n_needed
                && (has_array || n_args <= member.params.len())
        });
        fitting.take(BY_NAME_MAX + 1).collect()
    }

    fn is_explicit_of_library(&self, id: MemberId) -> bool {
        let interface = self.project.member(id).explicit.as_ref().and_then(Ty::id);
        interface.is_some_and(|type_id| self.project.ty(type_id).is_library)
    }

    /// Records a method call that the source does not spell out, as of `using`; nothing where the method is not the
    /// project's.
    pub(super) fn implicit(&mut self, receiver: &Ty, names: &[&str], place: (ExprId, Span, &str)) {
        let Some((owner, _)) = self.project.face(receiver) else {
            return;
        };
        for name in names {
            let Some(name) = self.project.symbols.find(name) else {
                continue;
            };
            // It is called by the library's interface.
            let explicit = self
                .project
                .line(owner)
                .flat_map(|type_id| self.project.own_members(type_id, name))
                .filter(|&member_id| self.is_explicit_of_library(member_id));
            let members = self.project.methods_named(owner, name);
            let own = explicit.chain(members).find(|&member_id| {
                let member = self.project.member(member_id);
                member.params.is_empty() && member.method.is_some()
            });
            if let Some(own) = own {
                let resolution = self.resolution(&[own]);
                let (expr, span, word) = place;
                let word = if word.is_empty() {
                    self.project.word(name).to_owned()
                } else {
                    word.to_owned()
                };
                self.note(
                    CallKind::Operator,
                    (word, span),
                    (expr, span, 0),
                    resolution,
                );
                return;
            }
        }
    }
}

/// Finds the types that all of several methods want, by argument; unknown where they differ.
fn common_wanted(applied: &[ApplicableCandidate]) -> Vec<Ty> {
    let Some((first, rest)) = applied.split_first() else {
        return Vec::new();
    };
    first
        .parameter_types
        .iter()
        .enumerate()
        .map(|(at, ty)| {
            if rest.iter().all(|applicable_candidate| {
                applicable_candidate.parameter_types.get(at) == Some(ty)
            }) {
                ty.clone()
            } else {
                Ty::Unknown
            }
        })
        .collect()
}
