//! Resolves calls, object creations and constructor delegations to declarations.

use std::sync::Arc;

use super::arguments::{Arguments, ChosenMethod, PendingGenericCall};
use super::expr::JavaValue;
use super::member::JavaMethodLookup;
use super::member::settle;
use super::{ExpectedType, JavaWalker};
use crate::java::facts::{Expr, ExprId, Ids, Site, SiteId, SiteKind, TypeId, TypeSyntax};
use crate::java::infer::{Inference, UnsolvedVariables};
use crate::java::library::{self, known};
use crate::java::overload::{JavaCandidate, JavaOverloadChoice, choose};
use crate::java::project::erased;
use crate::java::types::{Args, ClassId, Subst, Ty};
use crate::model::{MethodId, Resolution, UnknownReason};
use crate::symbols::Sym;

impl<'p> JavaWalker<'p> {
    /// Resolves a method call; `receiver` is the expression before the dot.
    pub(super) fn call(
        &mut self,
        id: SiteId,
        receiver: Option<JavaValue>,
        expect: ExpectedType<'_>,
    ) -> Ty {
        let site = self.facts.site(id);
        if site.is_broken {
            self.record(id, Resolution::Unknown(UnknownReason::BrokenSyntax));
        }
        let name = self.sym(site.name);
        let receiver = self.better_receiver(site, receiver);
        self.note_receiver(id, receiver.as_ref());
        let (found, on) = match receiver {
            None => (Ok(self.methods_in_scope(name)), Ty::Unknown),
            Some(JavaValue::Ty(ty)) => (self.methods_of_value(&ty, name), ty),
            Some(JavaValue::Class(ty)) if site.is_outer_super => {
                (Ok(self.methods_of_outer_super(&ty, name)), Ty::Unknown)
            }
            Some(JavaValue::Class(ty)) => (Ok(self.methods_of(&ty, name)), ty),
            Some(JavaValue::Super(ty)) => (Ok(self.methods_of_super(&ty, name)), ty),
            Some(JavaValue::Package(_) | JavaValue::Nothing) => {
                (Err(UnknownReason::ReceiverName), Ty::Unknown)
            }
        };
        let mut args = self.arguments(site.args);
        match found.map(|found| self.accessible(found)) {
            Err(reason) => {
                self.finish_arguments(&mut args);
                self.record(id, Resolution::Unknown(reason));
                Ty::Unknown
            }
            Ok(mut found) => {
                self.bind_explicit(site.type_args, &mut found);
                let ty = self.choose_and_finish(id, &found, &mut args, expect);
                match (&ty, &found.missing) {
                    (Ty::Unknown, Some(owner))
                        if found.candidates.is_empty()
                            && stays_fluent(owner, self.facts.names.get(site.name)) =>
                    {
                        Ty::Missing(Arc::clone(owner))
                    }
                    _ => self.special_result(id, &on, ty),
                }
            }
        }
    }

    /// Binds the variables of generic methods to the type arguments written before the name.
    fn bind_explicit(&self, type_args: Ids<TypeId>, found: &mut JavaMethodLookup<'p>) {
        if type_args.is_empty() {
            return;
        }
        let explicit: Arc<[Ty]> = self
            .facts
            .ids(type_args)
            .map(|ty| self.resolve(ty))
            .collect();
        for candidate in &mut found.candidates {
            if candidate.vars.len() == explicit.len() {
                let first = candidate.vars.start;
                candidate.subst.bind(first, Arc::clone(&explicit));
                candidate.vars = 0..0;
            }
        }
    }

    /// Finds a better type for a receiver of unknown type: every object has `getClass`, and the result of an unknown
    /// library's call with one class literal (`injector.getInstance(Service.class)`) is taken for an instance of that
    /// class of the project if it has the method.
    fn better_receiver(&self, site: &Site, receiver: Option<JavaValue>) -> Option<JavaValue> {
        let Some(JavaValue::Ty(Ty::Unknown)) = receiver else {
            return receiver;
        };
        if site.args.is_empty() && self.facts.names.get(site.name) == "getClass" {
            return Some(JavaValue::Ty(library::object()));
        }
        let name = self.sym(site.name);
        let n_args = site.args.len as usize;
        let made = site
            .object
            .and_then(|object| self.made_of_literal(object))
            .filter(|made| {
                let found = self.methods_of(made, name);
                let mut candidates = found.candidates.iter();
                found.missing.is_none()
                    && candidates.any(|candidate| {
                        let member = candidate.member;
                        member.id.is_some() && member.params.len() == n_args
                    })
            });
        made.map(JavaValue::Ty).or(receiver)
    }

    /// Finds the project's class whose literal is the only one among the arguments of a call into a library.
    fn made_of_literal(&self, object: ExprId) -> Option<Ty> {
        let Expr::Site(id) = self.facts.expr(object) else {
            return None;
        };
        let site = self.facts.site(id);
        let is_library = matches!(
            self.found.recorded(id),
            Some(Resolution::Outside(_) | Resolution::Unknown(_))
        );
        if site.kind != SiteKind::Call || !is_library {
            return None;
        }
        let mut literals = self
            .facts
            .ids(site.args)
            .filter_map(|arg| match self.facts.expr(arg) {
                Expr::ClassLiteral(ty) => Some(self.resolve(ty)),
                _ => None,
            });
        let only = literals.next()?;
        let is_project = only.class_id().is_some_and(|class| !class.is_library());
        (is_project && literals.next().is_none()).then_some(only)
    }

    fn methods_of_value(&self, ty: &Ty, name: Sym) -> Result<JavaMethodLookup<'p>, UnknownReason> {
        match ty {
            Ty::Unknown => Err(UnknownReason::ReceiverType),
            ty => Ok(self.methods_of(ty, name)),
        }
    }

    /// `Interface.super.call()` means the interface's own method, `Outer.super.call()` an inherited one.
    fn methods_of_outer_super(&self, on: &Ty, name: Sym) -> JavaMethodLookup<'p> {
        match on {
            Ty::Class(class, _) if !self.project.class(*class).is_interface() => {
                self.methods_of_super(on, name)
            }
            on => self.methods_of(on, name),
        }
    }

    pub(super) fn methods_of_super(&self, this: &Ty, name: Sym) -> JavaMethodLookup<'p> {
        let mut found = JavaMethodLookup::default();
        let Ty::Class(class, args) = this else {
            return found;
        };
        let class_decl = self.project.class(*class);
        let subst = self.project.bindings(*class, args);
        for parent in &class_decl.supers {
            let more = self.methods_of(&subst.apply(parent), name);
            found.candidates.extend(more.candidates);
            found.missing = found.missing.or(more.missing);
        }
        if found.candidates.is_empty() {
            let more = self.methods_of(&library::object(), name);
            found.candidates.extend(more.candidates);
        }
        found
    }

    /// `getClass()` and an array's `clone()` have types of their own.
    fn special_result(&self, id: SiteId, on: &Ty, ty: Ty) -> Ty {
        let site = self.facts.site(id);
        if !site.args.is_empty() {
            return ty;
        }
        match (self.facts.names.get(site.name), on) {
            ("getClass", on) => {
                let arg = match erased(on) {
                    Ty::Unknown => Ty::Wild,
                    bound => Ty::Extends(Arc::new(bound)),
                };
                Ty::Class(known().class, Some([arg].into_iter().collect()))
            }
            ("clone", Ty::Array(_)) => on.clone(),
            _ => ty,
        }
    }

    /// Chooses among the methods found, records the resolution, and returns the type of the result.
    fn choose_and_finish(
        &mut self,
        id: SiteId,
        found: &JavaMethodLookup<'p>,
        args: &mut Arguments<'p>,
        expect: ExpectedType<'_>,
    ) -> Ty {
        let is_broken = self.facts.site(id).is_broken;
        self.type_ahead(&found.candidates, args);
        let mut choice = choose(self.project, &found.candidates, &args.for_choice());
        if !matches!(choice, JavaOverloadChoice::One(..)) && self.type_deferred(args) {
            choice = choose(self.project, &found.candidates, &args.for_choice());
        }
        if self.trace.is_some() {
            self.note_choice(id, found, &args.for_choice(), &choice);
        }
        let (resolution, ty) = match choice {
            JavaOverloadChoice::One(index, phase) => {
                let candidate = &found.candidates[index];
                let chosen = ChosenMethod {
                    member: candidate.member,
                    phase,
                    subst: candidate.subst.clone(),
                    vars: candidate.vars.clone(),
                    is_raw: candidate.is_raw,
                };
                let ty = self.finish_call(id, &chosen, args, expect);
                (self.resolution_of(candidate), ty)
            }
            JavaOverloadChoice::Many(indices) => {
                let ty = self.finish_many(found, &indices, args);
                (self.ambiguous(found, &indices), ty)
            }
            JavaOverloadChoice::None => {
                self.finish_arguments(args);
                (self.none_fits(found), Ty::Unknown)
            }
        };
        if !is_broken {
            self.record(id, resolution);
        }
        self.note_result(id, &ty);
        ty
    }

    pub(super) fn resolution_of(&self, candidate: &JavaCandidate<'p>) -> Resolution {
        match candidate.member.id {
            Some(method) => Resolution::Declared(method),
            None => Resolution::Outside(Some(self.owner_name(candidate))),
        }
    }

    fn owner_name(&self, candidate: &JavaCandidate<'p>) -> String {
        self.project
            .class(candidate.member.owner)
            .qualified
            .to_string()
    }

    pub(super) fn ambiguous(&self, found: &JavaMethodLookup<'p>, indices: &[usize]) -> Resolution {
        let mut methods: Vec<MethodId> = indices
            .iter()
            .filter_map(|&index| found.candidates[index].member.id)
            .collect();
        methods.sort_unstable();
        methods.dedup();
        let is_mixed = methods.len() < indices.len();
        match methods[..] {
            [] => {
                let owner = &found.candidates[indices[0]];
                Resolution::Outside(Some(self.owner_name(owner)))
            }
            _ if is_mixed => Resolution::Unknown(UnknownReason::NoOverloadFits),
            _ => Resolution::Ambiguous(methods),
        }
    }

    /// Types the result of an ambiguous call: it is known when all candidates give the same type. Which `assertThat` of
    /// a library is meant may not be known, but its result is the library's too.
    fn finish_many(
        &mut self,
        found: &JavaMethodLookup<'p>,
        indices: &[usize],
        args: &mut Arguments<'p>,
    ) -> Ty {
        self.finish_arguments(args);
        let mut types = indices.iter().map(|&index| {
            let candidate = &found.candidates[index];
            candidate.subst.apply(&candidate.member.result)
        });
        let Some(first) = types.next() else {
            return Ty::Unknown;
        };
        if !first.has_var() && types.all(|ty| ty == first) {
            return settle(&first);
        }
        let candidate = &found.candidates[indices[0]];
        let owner = &self.project.class(candidate.member.owner).qualified;
        let name = self.project.member_name(candidate.member);
        if candidate.member.id.is_none() && stays_fluent(owner, name) {
            Ty::Missing(Arc::clone(owner))
        } else {
            Ty::Unknown
        }
    }

    pub(super) fn none_fits(&self, found: &JavaMethodLookup<'p>) -> Resolution {
        if let Some(missing) = &found.missing {
            let owner = missing.contains('.').then(|| missing.to_string());
            return Resolution::Outside(owner);
        }
        if found.candidates.is_empty() {
            return Resolution::Unknown(UnknownReason::MethodNotFound);
        }
        if found
            .candidates
            .iter()
            .all(|candidate| candidate.member.id.is_none())
        {
            return Resolution::Outside(Some(self.owner_name(&found.candidates[0])));
        }
        Resolution::Unknown(UnknownReason::NoOverloadFits)
    }

    /// Infers the chosen method's variables, walks the arguments that waited for it, and returns the result's type.
    fn finish_call(
        &mut self,
        id: SiteId,
        chosen: &ChosenMethod<'p>,
        args: &Arguments<'p>,
        expect: ExpectedType<'_>,
    ) -> Ty {
        let mut inference = Inference::new(self.project, chosen.vars.clone());
        Self::infer_from_types(args, chosen, &mut inference);
        let mut result = chosen.subst.apply(&chosen.member.result);
        if chosen.is_raw {
            result = match result {
                Ty::Var(var) => erased(&self.project.erased_var(var)),
                other => erased(&other),
            };
        }
        if let ExpectedType::Type(target) = expect {
            inference.want(&result, target);
        }
        self.infer_from_functions(args, chosen, &mut inference);
        let rest = match expect {
            ExpectedType::Member => UnsolvedVariables::Bound,
            _ => UnsolvedVariables::Unknown,
        };
        let ty = settle(&inference.solve(rest).apply(&result));
        if !inference.is_empty()
            && matches!(expect, ExpectedType::Nothing)
            && ty.is_partly_unknown()
        {
            self.open = Some(PendingGenericCall {
                site: id,
                result,
                inference,
            });
        }
        ty
    }

    /// Resolves `new T(…)`, also with a class body.
    pub(super) fn creation(&mut self, id: SiteId, expect: ExpectedType<'_>) -> Ty {
        let site = self.facts.site(id);
        let object = site
            .object
            .map(|object| self.expr(object, ExpectedType::Member));
        let ty = match (site.ty, object) {
            (None, _) => Ty::Unknown,
            (Some(ty), Some(object)) => self.inner_type(ty, &object),
            (Some(ty), None) => self.resolve(ty),
        };
        let is_diamond = site
            .ty
            .is_some_and(|ty| matches!(self.facts.type_syntax(ty), TypeSyntax::Diamond { .. }));
        self.note_created(id, &ty);
        let mut args = self.arguments(site.args);
        let made = match &ty {
            Ty::Class(class, type_args) => {
                let class = *class;
                let mut found = self.constructors_of(class, type_args);
                if is_diamond {
                    for candidate in &mut found.candidates {
                        candidate.subst = Subst::default();
                        candidate.vars = self.project.class(class).vars.clone();
                    }
                }
                let made = if self.project.class(class).is_interface() {
                    // The body's class calls the constructor of `Object`.
                    self.finish_arguments(&mut args);
                    let object = self.project.class(known().object).qualified.to_string();
                    self.record(id, Resolution::Outside(Some(object)));
                    ty.clone()
                } else {
                    self.choose_and_finish(id, &found, &mut args, expect)
                };
                match (is_diamond, &made, expect) {
                    (true, Ty::Class(..), _) => made,
                    (true, _, ExpectedType::Type(target @ Ty::Class(..))) => target.clone(),
                    (true, ..) => self.project.open_type(class),
                    _ => ty.clone(),
                }
            }
            Ty::Missing(name) => {
                self.finish_arguments(&mut args);
                let owner = name.contains('.').then(|| name.to_string());
                let resolution = match owner {
                    Some(owner) => Resolution::Outside(Some(owner)),
                    None => Resolution::Unknown(UnknownReason::ClassNotFound),
                };
                self.record(id, resolution);
                ty.clone()
            }
            _ => {
                self.finish_arguments(&mut args);
                self.record(id, Resolution::Unknown(UnknownReason::ClassNotFound));
                Ty::Unknown
            }
        };
        match site.body_type() {
            Some(body) => {
                self.class_body(body);
                Ty::class(self.class_of(body))
            }
            None => made,
        }
    }

    /// Resolves the class of `outer.new Inner()`.
    fn inner_type(&self, ty: TypeId, object: &Ty) -> Ty {
        let name = match self.facts.type_syntax(ty) {
            TypeSyntax::Named { name, .. } | TypeSyntax::Diamond { name, .. } => self.sym(name),
            _ => return Ty::Unknown,
        };
        let project = self.project;
        let Some(inner) = object
            .class_id()
            .and_then(|class| project.member_type(class, name))
        else {
            return Ty::Unknown;
        };
        let n_own = project.class(inner).vars.len();
        let mut args: Vec<Ty> = match self.facts.type_syntax(ty) {
            TypeSyntax::Named { args, .. } if args.len as usize == n_own => {
                self.facts.ids(args).map(|arg| self.resolve(arg)).collect()
            }
            _ => vec![Ty::Unknown; n_own],
        };
        let outer = project
            .class(inner)
            .outer
            .and_then(|outer| project.as_ancestor(object, outer));
        if let Some(Ty::Class(_, Some(outer))) = outer {
            args.extend(outer.iter().cloned());
        }
        args.resize(project.n_params(inner), Ty::Unknown);
        Ty::Class(inner, (!args.is_empty()).then(|| args.into()))
    }

    pub(super) fn constructors_of(&self, class: ClassId, args: &Args) -> JavaMethodLookup<'p> {
        let mut found = JavaMethodLookup::default();
        let subst = self.project.bindings(class, args);
        for member in self.project.methods_named(class, self.project.words.init) {
            found.candidates.push(JavaCandidate {
                member,
                subst: subst.clone(),
                vars: member.vars.clone(),
                is_raw: false,
            });
        }
        self.accessible(found)
    }

    /// Resolves `this(…)`, `super(…)` and an enum constant's call of its constructor.
    pub(super) fn delegation(&mut self, id: SiteId) {
        let site = self.facts.site(id);
        if let Some(object) = site.object {
            self.expr(object, ExpectedType::Member);
        }
        let mut args = self.arguments(site.args);
        let this = self.this();
        let target = match (&this, site.kind) {
            (Ty::Class(class, args), SiteKind::SuperCall) => {
                let subst = self.project.bindings(*class, args);
                let class = self.project.class(*class);
                class
                    .supers
                    .iter()
                    .find(|parent| match parent {
                        Ty::Class(parent, _) => !self.project.class(*parent).is_interface(),
                        _ => true,
                    })
                    .map_or_else(library::object, |parent| subst.apply(parent))
            }
            (this, _) => this.clone(),
        };
        self.note_created(id, &target);
        match &target {
            Ty::Class(class, type_args) => {
                let found = self.constructors_of(*class, type_args);
                self.choose_and_finish(id, &found, &mut args, ExpectedType::Nothing);
            }
            Ty::Missing(name) => {
                self.finish_arguments(&mut args);
                let owner = name.contains('.').then(|| name.to_string());
                self.record(id, Resolution::Outside(owner));
            }
            _ => {
                self.finish_arguments(&mut args);
                self.record(id, Resolution::Unknown(UnknownReason::ClassNotFound));
            }
        }
        if let Some(body) = site.body_type() {
            self.class_body(body);
        }
    }
}

/// Tells whether a call on an assertion library returns a type of the same library: assertions are written as chains
/// that must be recognised as assertions to their end.
fn stays_fluent(owner: &str, name: &str) -> bool {
    let class = owner.rsplit('.').next().unwrap_or(owner);
    let is_assertion = |word: &str| {
        ["assert", "expect", "verif"]
            .iter()
            .any(|part| word.to_ascii_lowercase().contains(part))
    };
    owner.contains('.') && (is_assertion(class) || is_assertion(name) || class == "Truth")
}
