//! Method references: `Type::name`, `value::name`, `super::name`, `Type::new`.

use super::expr::JavaValue;
use super::member::JavaMethodLookup;
use super::member::settle;
use super::{ExpectedType, JavaWalker};
use crate::java::facts::{Site, SiteId, SiteKind, flag};
use crate::java::infer::{Inference, UnsolvedVariables};
use crate::java::overload::{Arg, JavaCandidate, JavaOverloadChoice, Uses, choose};
use crate::java::types::Ty;
use crate::model::{Resolution, UnknownReason};

/// The types of a resolved method reference.
pub(super) struct MethodReferenceType {
    pub result: Ty,
    /// The class before `::` when the first parameter is the receiver.
    pub receiver: Option<Ty>,
}

impl MethodReferenceType {
    const fn of(result: Ty) -> Self {
        Self {
            result,
            receiver: None,
        }
    }

    const UNKNOWN: Self = Self {
        result: Ty::Unknown,
        receiver: None,
    };
}

impl Uses {
    const UNKNOWN: Self = Self {
        arities: u64::MAX,
        result: Ty::Unknown,
    };

    fn of(found: &JavaMethodLookup<'_>, is_class: bool, made: Option<&Ty>) -> Self {
        if found.candidates.is_empty() || found.missing.is_some() {
            return Self::UNKNOWN;
        }
        let mut arities = 0;
        for candidate in &found.candidates {
            let member = candidate.member;
            let is_unbound = is_class && !member.is(flag::STATIC);
            let n_params = (member.params.len() + usize::from(is_unbound)).min(63);
            arities |= 1 << n_params;
            if member.is(flag::VARARGS) {
                arities |= u64::MAX << n_params.saturating_sub(1);
            }
        }
        let result = match &found.candidates[..] {
            [only] => {
                let result =
                    made.map_or_else(|| only.subst.apply(&only.member.result), Clone::clone);
                if result.has_var() {
                    Ty::Unknown
                } else {
                    settle(&result)
                }
            }
            _ => Ty::Unknown,
        };
        Self { arities, result }
    }
}

impl<'p> JavaWalker<'p> {
    /// Resolves a method reference that stands where a type is wanted.
    pub(super) fn reference(&mut self, id: SiteId, wanted: Option<&Ty>) {
        let function = wanted.and_then(|ty| self.project.function_of(ty));
        let params = function.map(|function| function.params);
        self.reference_with(id, params.as_deref());
    }

    /// Evaluates the part before `::`. A class without arguments is not raw: they are inferred (JLS 15.13.1).
    fn referred(&mut self, site: &Site) -> JavaValue {
        let on = match (site.ty, site.object) {
            (Some(ty), _) => JavaValue::Class(self.resolve(ty)),
            (None, Some(object)) => self.value(object, ExpectedType::Member),
            (None, None) => JavaValue::Nothing,
        };
        match on {
            JavaValue::Class(Ty::Class(class, None)) => {
                JavaValue::Class(self.project.open_type(class))
            }
            on => on,
        }
    }

    /// Lists the possible uses of a method reference without an expected type.
    pub(super) fn uses_of(&mut self, id: SiteId) -> Uses {
        let site = self.facts.site(id);
        let on = self.referred(site);
        let name = self.sym(site.name);
        let (found, is_class) = match &on {
            JavaValue::Class(ty @ Ty::Class(class, args))
                if site.kind == SiteKind::NewReference =>
            {
                let mut found = self.constructors_of(*class, args);
                found.missing = None;
                return Uses::of(&found, false, Some(ty));
            }
            JavaValue::Class(ty @ Ty::Array(_)) if site.kind == SiteKind::NewReference => {
                return Uses {
                    arities: 1 << 1,
                    result: ty.clone(),
                };
            }
            JavaValue::Class(ty) if site.kind != SiteKind::NewReference => {
                (self.methods_of(ty, name), true)
            }
            JavaValue::Ty(ty) => (self.methods_of(ty, name), false),
            JavaValue::Super(ty) => (self.methods_of_super(ty, name), false),
            _ => return Uses::UNKNOWN,
        };
        Uses::of(&found, is_class, None)
    }

    /// Resolves a method reference against the types of the function's parameters, where they are known.
    pub(super) fn reference_with(
        &mut self,
        id: SiteId,
        params: Option<&[Ty]>,
    ) -> MethodReferenceType {
        let site = self.facts.site(id);
        let on = self.referred(site);
        let name = if site.kind == SiteKind::NewReference {
            self.project.words.init
        } else {
            self.sym(site.name)
        };
        self.note_receiver(id, Some(&on));
        let (found, class) = match on {
            JavaValue::Ty(Ty::Unknown) => {
                self.record(id, Resolution::Unknown(UnknownReason::ReceiverType));
                return MethodReferenceType::UNKNOWN;
            }
            JavaValue::Package(_) | JavaValue::Nothing => {
                self.record(id, Resolution::Unknown(UnknownReason::ReceiverName));
                return MethodReferenceType::UNKNOWN;
            }
            JavaValue::Ty(ty) => (self.methods_of(&ty, name), None),
            JavaValue::Super(ty) => (self.methods_of_super(&ty, name), None),
            JavaValue::Class(ty) if site.kind == SiteKind::NewReference => {
                return self.constructor_reference(id, &ty, params);
            }
            JavaValue::Class(ty) => (self.methods_of(&ty, name), Some(ty)),
        };
        self.choose_reference(id, &found, class, params)
    }

    fn choose_reference(
        &mut self,
        id: SiteId,
        found: &JavaMethodLookup<'p>,
        class: Option<Ty>,
        params: Option<&[Ty]>,
    ) -> MethodReferenceType {
        let Some(params) = params else {
            return self.only_reference(id, found, class);
        };
        let as_args = |types: &[Ty]| types.iter().cloned().map(Arg::Ty).collect::<Vec<Arg>>();
        let whole = choose(self.project, &found.candidates, &as_args(params));
        let Some(class) = class else {
            return MethodReferenceType::of(self.finish_reference(id, found, &whole, params));
        };
        if let JavaOverloadChoice::One(index, _) = whole
            && found.candidates[index].member.is(flag::STATIC)
        {
            return MethodReferenceType::of(self.finish_reference(id, found, &whole, params));
        }
        let Some((first, rest)) = params.split_first() else {
            return MethodReferenceType::of(self.finish_reference(id, found, &whole, params));
        };
        // The first parameter is the receiver: seen as the class, it also gives the class's arguments.
        let seen = class
            .class_id()
            .and_then(|class| self.project.as_ancestor(first, class));
        let name = self.sym(self.facts.site(id).name);
        let mut on = match seen {
            Some(seen) => self.methods_of(&seen, name),
            None => self.methods_of(&class, name),
        };
        on.candidates
            .retain(|candidate| !candidate.member.is(flag::STATIC));
        on.missing.clone_from(&found.missing);
        let choice = choose(self.project, &on.candidates, &as_args(rest));
        match choice {
            JavaOverloadChoice::One(..) => MethodReferenceType {
                result: self.finish_reference(id, &on, &choice, rest),
                receiver: Some(class),
            },
            _ => MethodReferenceType::of(self.finish_reference(id, found, &whole, params)),
        }
    }

    /// Resolves a reference without an expected type, which is certain only when there is one method of the name.
    fn only_reference(
        &mut self,
        id: SiteId,
        found: &JavaMethodLookup<'p>,
        class: Option<Ty>,
    ) -> MethodReferenceType {
        let all: Vec<usize> = (0..found.candidates.len()).collect();
        let choice = match all[..] {
            [only] => JavaOverloadChoice::One(only, crate::java::overload::Phase::Strict),
            [] => JavaOverloadChoice::None,
            _ => JavaOverloadChoice::Many(all),
        };
        let receiver = match &choice {
            JavaOverloadChoice::One(index, _)
                if !found.candidates[*index].member.is(flag::STATIC) =>
            {
                class
            }
            _ => None,
        };
        MethodReferenceType {
            result: self.finish_reference(id, found, &choice, &[]),
            receiver,
        }
    }

    fn finish_reference(
        &mut self,
        id: SiteId,
        found: &JavaMethodLookup<'p>,
        choice: &JavaOverloadChoice,
        args: &[Ty],
    ) -> Ty {
        if self.trace.is_some() {
            let args: Vec<Arg> = args.iter().cloned().map(Arg::Ty).collect();
            self.note_choice(id, found, &args, choice);
        }
        let (resolution, result) = match choice {
            JavaOverloadChoice::One(index, _) => {
                let candidate = &found.candidates[*index];
                (
                    self.resolution_of(candidate),
                    self.reference_result(candidate, args),
                )
            }
            JavaOverloadChoice::Many(indices) => (self.ambiguous(found, indices), Ty::Unknown),
            JavaOverloadChoice::None => (self.none_fits(found), Ty::Unknown),
        };
        self.record(id, resolution);
        result
    }

    fn reference_result(&self, candidate: &JavaCandidate<'p>, args: &[Ty]) -> Ty {
        let member = candidate.member;
        let mut inference = Inference::new(self.project, member.vars.clone());
        for (param, arg) in member.params.iter().zip(args) {
            inference.give(&candidate.subst.apply(param), arg);
        }
        let result = candidate.subst.apply(&member.result);
        settle(&inference.solve(UnsolvedVariables::Unknown).apply(&result))
    }

    fn constructor_reference(
        &mut self,
        id: SiteId,
        ty: &Ty,
        params: Option<&[Ty]>,
    ) -> MethodReferenceType {
        let resolution = match ty {
            Ty::Class(class, args) => {
                let found = self.constructors_of(*class, args);
                let outcome = self.choose_reference(id, &found, None, params);
                let result = self.project.filled(ty, &outcome.result);
                return MethodReferenceType {
                    result,
                    receiver: None,
                };
            }
            Ty::Missing(name) => Resolution::Outside(name.contains('.').then(|| name.to_string())),
            Ty::Array(_) => Resolution::Outside(None),
            _ => Resolution::Unknown(UnknownReason::ClassNotFound),
        };
        self.record(id, resolution);
        MethodReferenceType {
            result: ty.clone(),
            receiver: None,
        }
    }
}
