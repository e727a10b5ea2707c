//! Creation of objects: constructors, initializers, arrays, collections, tuples.

use super::argument::Argument;
use super::choose::{CSharpCandidate, CSharpOverloadChoice};
use super::{CSharpValue, CSharpWalker};
use crate::csharp::facts::{
    Delegation, Expr, ExprId, Ids, MemberAccess, MemberKind, ParameterPassing, TypeRef, flag,
};
use crate::csharp::types::{CSharpMember, MemberId, Ty, TypeId};
use crate::model::{CallKind, Resolution, Span, UnknownReason};
use crate::run::Run;
use crate::symbols::Sym;

const INIT: &str = "<init>";

impl CSharpWalker<'_> {
    pub(super) fn creation(
        &mut self,
        id: ExprId,
        ty: TypeRef,
        args: Run,
        (init, at): (Option<ExprId>, Span),
    ) -> Ty {
        let ty = match self.resolve(ty) {
            Ty::Nullable(inner) => (*inner).clone(),
            ty => ty,
        };
        self.construct(id, &ty, args, (CallKind::Constructor, at));
        if let Some(init) = init {
            self.initializer(init, &ty);
        }
        ty
    }

    /// Walks `new(…)`, which makes the wanted type.
    pub(super) fn target_creation(
        &mut self,
        id: ExprId,
        args: Run,
        init: Option<ExprId>,
        wanted: Option<&Ty>,
    ) -> Ty {
        let ty = match wanted {
            Some(Ty::Nullable(inner)) => (**inner).clone(),
            Some(ty) => ty.clone(),
            None => Ty::Unknown,
        };
        let start = self.facts.span(id).start;
        let at = Span::new(start, start + 3);
        self.construct(id, &ty, args, (CallKind::Constructor, at));
        if let Some(init) = init {
            self.initializer(init, &ty);
        }
        ty
    }

    fn construct(&mut self, id: ExprId, ty: &Ty, run: Run, (kind, at): (CallKind, Span)) {
        let span = self.facts.span(id);
        let Ty::Named(owner, _) = ty else {
            let args = self.arguments(run);
            self.finish(&args, &[]);
            let resolution = match ty {
                Ty::Missing(name) => Resolution::Outside(Some(self.project.word(*name).to_owned())),
                Ty::Unknown => Resolution::Unknown(UnknownReason::ReceiverType),
                Ty::Var(_) => Resolution::Unknown(UnknownReason::ClassNotFound),
                _ => Resolution::Outside(None),
            };
            self.note(
                kind,
                (INIT.to_owned(), at),
                (id, span, args.len()),
                resolution,
            );
            return;
        };
        if let Some((params, result)) = self.project.signature(ty) {
            // `new Handler(method)`.
            let _ = (params, result);
            let args = self.arguments(run);
            self.finish(&args, std::slice::from_ref(ty));
            return;
        }
        let members = self.project.constructors(*owner);
        self.construct_by(id, ty, &members, (run, span, kind, at));
    }

    fn construct_by(
        &mut self,
        id: ExprId,
        ty: &Ty,
        members: &[MemberId],
        (run, span, kind, at): (Run, Span, CallKind, Span),
    ) {
        let args = self.arguments(run);
        let candidates: Vec<CSharpCandidate> = members
            .iter()
            .filter(|&&member| self.is_accessible(member))
            .map(|&member| CSharpCandidate {
                member,
                bound: self.bound(ty, self.project.member(member)),
            })
            .collect();
        let (ids, wanted) = match self.choose(&candidates, &args, &[]) {
            CSharpOverloadChoice::One(applied) => {
                (vec![applied.member], applied.parameter_types.clone())
            }
            CSharpOverloadChoice::Several(applied) => {
                let ids = applied
                    .iter()
                    .map(|applicable_candidate| applicable_candidate.member)
                    .collect();
                (ids, Vec::new())
            }
            CSharpOverloadChoice::None => (Vec::new(), Vec::new()),
        };
        self.finish(&args, &wanted);
        let resolution = if ids.is_empty() {
            match ty.id().map(|type_id| self.project.ty(type_id)) {
                Some(made_type) if made_type.is_library => {
                    Resolution::Outside(Some(made_type.qualified.to_string()))
                }
                _ if members.is_empty() => Resolution::Unknown(UnknownReason::MethodNotFound),
                _ => match self.resolution(members) {
                    Resolution::Declared(one) => Resolution::Ambiguous(vec![one]),
                    other => other,
                },
            }
        } else {
            self.resolution(&ids)
        };
        self.note(
            kind,
            (INIT.to_owned(), at),
            (id, span, args.len()),
            resolution,
        );
    }

    /// Resolves `: this(…)` or `: base(…)` of a constructor.
    pub(super) fn delegation(&mut self, member: &CSharpMember, delegation: Delegation) {
        let own = self.project.self_type(member.owner);
        let ty = if delegation.is_base {
            match self.base(member.owner) {
                Some(base) => base,
                None => Ty::Unknown,
            }
        } else {
            own
        };
        let Ty::Named(owner, _) = &ty else {
            let args = self.arguments(delegation.args);
            self.finish(&args, &[]);
            if let Ty::Missing(name) = ty {
                let resolution = Resolution::Outside(Some(self.project.word(name).to_owned()));
                let name = (INIT.to_owned(), delegation.word);
                let place = (ExprId(0), delegation.span, args.len());
                self.note(CallKind::Delegation, name, place, resolution);
            }
            return;
        };
        let members = self.project.constructors(*owner);
        let place = (
            delegation.args,
            delegation.span,
            CallKind::Delegation,
            delegation.word,
        );
        self.construct_by(ExprId(0), &ty, &members, place);
    }

    /// Resolves `class A(int b) : Base(b)`, where a primary constructor passes arguments to the base class.
    pub(super) fn primary(&mut self, member: &CSharpMember) {
        let decl = self.project.primary_decl(member);
        let Some((args, span)) = decl.and_then(|type_decl| type_decl.base_args) else {
            return;
        };
        let delegation = Delegation {
            is_base: true,
            args,
            word: Span::new(span.start, span.start + 1),
            span,
        };
        self.delegation(member, delegation);
    }

    /// Resolves the base class of a type.
    pub(super) fn base(&self, owner: TypeId) -> Option<Ty> {
        let bases = &self.project.ty(owner).bases;
        match (bases.first(), bases.get(1)) {
            // An undeclared base class is the first of the written ones, with a name that is not an interface's.
            (Some(object), Some(Ty::Missing(name)))
                if object.is(self.project.known_types.object)
                    && !is_interface(self.project.word(*name)) =>
            {
                Some(Ty::Missing(*name))
            }
            (base, _) => base.cloned(),
        }
    }

    /// Walks `{ A = 1, B = { … }, [k] = v, x }` behind a new object.
    pub(super) fn initializer(&mut self, init: ExprId, ty: &Ty) {
        let Expr::Initializer(parts) = self.facts.expr(init) else {
            return;
        };
        let parts: Vec<ExprId> = self.facts.ids(parts).collect();
        for part in parts {
            match self.facts.expr(part) {
                Expr::Assign(_, left, right) => {
                    let wanted = self.initialized(left, ty);
                    if matches!(self.facts.expr(right), Expr::Initializer(_)) {
                        self.initializer(right, &wanted);
                    } else {
                        self.expr(right, Some(&wanted));
                    }
                }
                Expr::Initializer(values) => {
                    let values: Vec<ExprId> = self.facts.ids(values).collect();
                    self.added(&values, ty);
                }
                _ => self.added(&[part], ty),
            }
        }
    }

    /// Finds the type of the member that an initializer sets.
    fn initialized(&mut self, left: ExprId, ty: &Ty) -> Ty {
        match self.facts.expr(left) {
            Expr::Name(name, _) => {
                let name = self.sym(name);
                self.value_type(ty, name).unwrap_or_default()
            }
            Expr::Index { args, .. } => {
                let args = self.arguments(args);
                self.finish(&args, &[]);
                self.indexed(ty)
            }
            _ => Ty::Unknown,
        }
    }

    /// Finds the type that the first indexer of a type returns.
    fn indexed(&self, ty: &Ty) -> Ty {
        let Some((owner, _)) = self.project.face(ty) else {
            return Ty::Unknown;
        };
        let name = self.project.known_types.indexer;
        let found = self
            .project
            .line(owner)
            .find_map(|type_id| self.project.own_members(type_id, name).next());
        found.map_or(Ty::Unknown, |member_id| self.member_type(ty, member_id))
    }

    /// Passes the values in an initializer to `Add`.
    fn added(&mut self, values: &[ExprId], ty: &Ty) {
        let args: Vec<Argument> = values
            .iter()
            .map(|&expr_id| Argument {
                name: Sym::NONE,
                passing: ParameterPassing::Value,
                expr: Some(expr_id),
                kind: self.argument_kind(expr_id),
            })
            .collect();
        let methods = match (self.project.symbols.find("Add"), self.project.face(ty)) {
            (Some(add), Some((owner, _))) => self.project.methods_named(owner, add),
            _ => Vec::new(),
        };
        let candidates: Vec<CSharpCandidate> = methods
            .into_iter()
            .map(|member| CSharpCandidate {
                member,
                bound: self.bound(ty, self.project.member(member)),
            })
            .collect();
        let wanted = match self.choose(&candidates, &args, &[]) {
            CSharpOverloadChoice::One(applied) => applied.parameter_types.clone(),
            _ => Vec::new(),
        };
        self.finish(&args, &wanted);
    }

    pub(super) fn new_array(
        &mut self,
        ty: TypeRef,
        sizes: Ids<ExprId>,
        init: Option<ExprId>,
    ) -> Ty {
        let ty = self.resolve(ty);
        let sizes: Vec<ExprId> = self.facts.ids(sizes).collect();
        for size in sizes {
            self.expr(size, None);
        }
        if let Some(init) = init {
            let element = match &ty {
                Ty::Array(element, _) => (**element).clone(),
                _ => Ty::Unknown,
            };
            self.array_values(init, &element);
        }
        ty
    }

    pub(super) fn array_values(&mut self, init: ExprId, element: &Ty) -> Ty {
        let Expr::Initializer(parts) = self.facts.expr(init) else {
            return Ty::Unknown;
        };
        let parts: Vec<ExprId> = self.facts.ids(parts).collect();
        let mut common = Ty::Unknown;
        for (at, part) in parts.into_iter().enumerate() {
            let ty = if matches!(self.facts.expr(part), Expr::Initializer(_)) {
                self.deeper(|walker| walker.array_values(part, element))
            } else {
                let wanted = if element.is_unknown() {
                    &common.clone()
                } else {
                    element
                };
                self.expr(part, Some(wanted).filter(|ty| !ty.is_unknown()))
            };
            common = if at == 0 {
                ty
            } else {
                self.project.common(common, ty)
            };
        }
        common
    }

    pub(super) fn collection(&mut self, elements: Ids<ExprId>, wanted: Option<&Ty>) -> Ty {
        let element = wanted.map_or(Ty::Unknown, |ty| self.project.element(ty));
        let elements: Vec<ExprId> = self.facts.ids(elements).collect();
        for expr_id in elements {
            if let Expr::Spread(inner) = self.facts.expr(expr_id) {
                self.expr(inner, None);
            } else {
                self.expr(expr_id, Some(&element).filter(|ty| !ty.is_unknown()));
            }
        }
        wanted.cloned().unwrap_or_default()
    }

    pub(super) fn anonymous(&mut self, args: Run) -> Ty {
        let facts = self.facts;
        let parts: Vec<_> = facts
            .args(args)
            .iter()
            .map(|arg| (self.sym(arg.name), self.expr(arg.value, None)))
            .collect();
        Ty::Anonymous(parts.into())
    }

    pub(super) fn tuple(&mut self, args: Run, wanted: Option<&Ty>) -> Ty {
        let facts = self.facts;
        let wanted: Vec<Ty> = match wanted {
            Some(Ty::Tuple(parts)) => parts.iter().map(|part| part.1.clone()).collect(),
            _ => Vec::new(),
        };
        let mut parts = Vec::new();
        for (at, arg) in facts.args(args).iter().enumerate() {
            let ty = self.expr(arg.value, wanted.get(at));
            let name = match facts.expr(arg.value) {
                _ if !arg.name.is_none() => arg.name,
                Expr::Name(name, _) | Expr::Member(MemberAccess { name, .. }) => name,
                _ => crate::csharp::facts::Name::NONE,
            };
            parts.push((self.sym(name), ty));
        }
        Ty::Tuple(parts.into())
    }

    /// Walks `x with { A = 1 }`.
    pub(super) fn with(&mut self, value: ExprId, args: Run) -> Ty {
        let ty = self.expr(value, None);
        let facts = self.facts;
        for arg in facts.args(args) {
            let name = self.sym(arg.name);
            let wanted = self.value_type(&ty, name);
            self.expr(arg.value, wanted.as_ref());
        }
        ty
    }

    /// Walks `x[…]`; returns the type of the element, or of the indexer.
    pub(super) fn index(
        &mut self,
        id: ExprId,
        object: ExprId,
        (run, at, is_conditional): (Run, u32, bool),
    ) -> Ty {
        let mut receiver = match self.value(object, false) {
            CSharpValue::Ty(ty) => ty,
            _ => Ty::Unknown,
        };
        if let (Ty::Nullable(inner), true) = (&receiver, is_conditional) {
            receiver = (**inner).clone();
        }
        let args = self.arguments(run);
        if let Ty::Array(element, _) | Ty::Pointer(element) = &receiver {
            let is_range = args
                .first()
                .and_then(|arg| arg.ty())
                .is_some_and(|ty| ty.is(self.project.known_types.range));
            self.finish(&args, &[]);
            return if is_range {
                receiver.clone()
            } else {
                (**element).clone()
            };
        }
        let owner = match &receiver {
            Ty::Var(var) => self
                .project
                .var(*var)
                .bounds
                .iter()
                .find_map(|bound| self.project.face(bound)),
            ty => self.project.face(ty),
        };
        let Some((owner, _)) = owner else {
            self.finish(&args, &[]);
            return Ty::Unknown;
        };
        let name = self.project.known_types.indexer;
        let wanted = (name, MemberKind::Indexer);
        let candidates: Vec<CSharpCandidate> = self
            .project
            .members_named(owner, wanted, |member_id| self.is_accessible(member_id))
            .into_iter()
            .map(|member| CSharpCandidate {
                member,
                bound: self.bound(&receiver, self.project.member(member)),
            })
            .collect();
        if let CSharpOverloadChoice::One(applied) = self.choose(&candidates, &args, &[]) {
            self.finish(&args, &applied.parameter_types);
            let member = self.project.member(applied.member);
            if member.method.is_some() && member.is(flag::GETTER_BODY) && !self.is_written(id) {
                let resolution = self.resolution(&[applied.member]);
                let place = (id, self.facts.span(id), args.len());
                let name = ("this[]".to_owned(), Span::new(at, at + 1));
                self.note(CallKind::Operator, name, place, resolution);
            }
            let member = self.project.member(applied.member);
            let ty = member.ty.with(&applied.bound);
            if is_conditional {
                self.project.nullable(ty)
            } else {
                ty
            }
        } else {
            self.finish(&args, &[]);
            Ty::Unknown
        }
    }
}

/// Tells whether a type is named as interfaces are: `IThing`.
fn is_interface(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
}
