//! Resolves names in expressions: variables, members, types, and names after a dot.

use super::argument::constant;
use super::{CSharpValue, CSharpWalker, MethodGroup, ReceiverKind};
use crate::csharp::facts::{Expr, ExprId, Ids, MemberAccess, MemberKind, Name, TypeRef, flag};
use crate::csharp::project::TypeOrNamespace as FoundName;
use crate::csharp::types::{Bindings, CSharpMember, MemberId, Ty, TypeId};
use crate::model::{CallKind, Span};
use crate::symbols::Sym;

/// How a name is used.
#[derive(Clone, Copy)]
pub(super) struct NameUse {
    pub is_call: bool,
    /// Whether the value is read; writing a property runs another accessor.
    pub is_read: bool,
}

impl CSharpWalker<'_> {
    /// Returns the meaning of an expression: unlike [`CSharpWalker::expr`], also a type or methods.
    pub(super) fn value(&mut self, id: ExprId, is_call: bool) -> CSharpValue {
        if let Some((ready, _)) = &self.ready
            && *ready == id
        {
            return self
                .ready
                .take()
                .map_or(CSharpValue::Nothing, |ready| ready.1);
        }
        match self.facts.expr(id) {
            Expr::Name(name, args) => self.name(id, (name, args), (is_call, true)),
            Expr::Member(access) => {
                let is_read = true;
                self.member_access(id, access, NameUse { is_call, is_read })
            }
            Expr::Type(ty) => match self.project.found(ty, self.names()) {
                FoundName::Type(ty) => CSharpValue::Type(ty),
                FoundName::Namespace(namespace) => CSharpValue::Namespace(namespace),
                FoundName::Nothing => CSharpValue::Type(self.resolve(ty)),
            },
            _ => CSharpValue::Ty(self.expr(id, None)),
        }
    }

    pub(super) fn type_args(&self, args: Ids<TypeRef>) -> Vec<Ty> {
        self.facts.ids(args).map(|id| self.resolve(id)).collect()
    }

    pub(super) fn name(
        &mut self,
        id: ExprId,
        (name, args): (Name, Ids<TypeRef>),
        (is_call, is_read): (bool, bool),
    ) -> CSharpValue {
        let sym = self.sym(name);
        let span = self.facts.span(id);
        if args.is_empty() {
            if let Some((_, ty)) = self.locals.iter().rev().find(|local| local.0 == sym) {
                return CSharpValue::Ty(ty.clone());
            }
            let mut functions = self.functions.iter();
            if let Some(at) = functions.rposition(|function| function.name == sym) {
                return CSharpValue::Function(at);
            }
        } else if let Some(at) = self
            .functions
            .iter()
            .rposition(|function| function.name == sym)
        {
            return CSharpValue::Function(at);
        }
        let args = self.type_args(args);
        let mut around = Some(self.ty);
        while let Some(owner) = around {
            let receiver = self.project.self_type(owner);
            let found = self.member_of_type(owner, &receiver, sym, (&args, is_call, span.start));
            if let Some(found) = found {
                return self.read(found, &receiver, id, (span, is_read));
            }
            around = self.project.ty(owner).outer;
        }
        let statics = self.project.statics_in(self.names());
        if is_call {
            let found = self.static_group(&statics, sym, &args, span.start);
            if let Some(group) = found {
                return CSharpValue::Group(group);
            }
        }
        match self.project.simple(sym, &args, self.names()) {
            FoundName::Type(ty) => return CSharpValue::Type(ty),
            FoundName::Namespace(namespace) => return CSharpValue::Namespace(namespace),
            FoundName::Nothing => {}
        }
        for owner in &statics {
            let receiver = Ty::named(*owner);
            let found = self.member_of_type(*owner, &receiver, sym, (&args, is_call, span.start));
            if let Some(found) = found {
                return self.read(found, &receiver, id, (span, is_read));
            }
        }
        CSharpValue::Nothing
    }

    /// Joins the methods of all types whose static members are imported: the name may mean any of them.
    fn static_group(
        &self,
        statics: &[TypeId],
        name: Sym,
        args: &[Ty],
        at: u32,
    ) -> Option<MethodGroup> {
        let mut members = Vec::new();
        for &owner in statics {
            members.extend(self.project.methods_named(owner, name));
        }
        let first = *members.first()?;
        Some(MethodGroup {
            name,
            members,
            receiver: Ty::named(self.project.member(first).owner),
            has_object: false,
            side: ReceiverKind::Any,
            args: args.to_vec(),
            at,
        })
    }

    /// Finds a member of a type by name: a value or methods, whichever is wanted.
    fn member_of_type(
        &self,
        owner: TypeId,
        receiver: &Ty,
        name: Sym,
        (args, is_call, at): (&[Ty], bool, u32),
    ) -> Option<MemberOrGroup> {
        let value = || {
            let id = self.project.value_member(owner, name)?;
            if is_call && !self.is_callable(id, receiver) {
                return None;
            }
            Some(MemberOrGroup::Member(id))
        };
        let group = || {
            let wanted = (name, MemberKind::Method);
            let is_seen = |member_id| self.is_accessible(member_id);
            let members = self.project.members_named(owner, wanted, is_seen);
            (!members.is_empty()).then(|| {
                MemberOrGroup::Group(MethodGroup {
                    name,
                    members,
                    receiver: receiver.clone(),
                    has_object: true,
                    side: ReceiverKind::Any,
                    args: args.to_vec(),
                    at,
                })
            })
        };
        if is_call {
            let group = group();
            match &group {
                Some(MemberOrGroup::Group(method_group))
                    if self.is_value_nearer(owner, method_group) =>
                {
                    value().or(group)
                }
                Some(_) => group,
                None => value(),
            }
        } else if args.is_empty() {
            value().or_else(group)
        } else {
            group()
        }
    }

    /// Tells whether a class below the nearest of those methods has a value of their name, which hides them.
    fn is_value_nearer(&self, owner: TypeId, group: &MethodGroup) -> bool {
        let of = |member_id: &MemberId| self.project.member(*member_id).owner;
        let Some(nearest) = group
            .members
            .first()
            .map(of)
            .filter(|type_id| *type_id != owner)
        else {
            return false;
        };
        let mut nearer = self
            .project
            .line(owner)
            .take_while(|type_id| *type_id != nearest);
        nearer.any(|type_id| {
            self.project.is_below(type_id, nearest)
                && self
                    .project
                    .own_value(type_id, group.name)
                    .is_some_and(|member_id| self.is_accessible(member_id))
        })
    }

    /// Tells whether the value of a property or field may be called: a delegate, or something of an unknown type.
    fn is_callable(&self, id: MemberId, receiver: &Ty) -> bool {
        let ty = self.member_type(receiver, id);
        let inner = match &ty {
            Ty::Nullable(inner) => inner,
            ty => ty,
        };
        match inner {
            Ty::Named(id, _) => self.project.ty(*id).signature.is_some(),
            Ty::Array(..) | Ty::Tuple(_) | Ty::Anonymous(_) => false,
            _ => true,
        }
    }

    /// Turns the member or methods of a name into its value, and records that a property is read.
    fn read(
        &mut self,
        meant: MemberOrGroup,
        receiver: &Ty,
        id: ExprId,
        (name, is_read): (Span, bool),
    ) -> CSharpValue {
        match meant {
            MemberOrGroup::Group(group) => CSharpValue::Group(group),
            MemberOrGroup::Member(member) => {
                let span = self.facts.span(id);
                if is_read {
                    self.note_property(member, (id, span), name);
                }
                let member = self.project.member(member);
                if member.is(flag::CONST) {
                    self.constant = Some((id, self.constant_value(member)));
                }
                let bound = self.project.bindings(receiver, member.owner);
                CSharpValue::Ty(member.ty.with(&bound))
            }
        }
    }

    fn constant_value(&self, member: &CSharpMember) -> Option<i64> {
        let init = self.project.member_decl(member)?.init?;
        constant(&self.project.file(member.file).facts, init)
    }

    pub(super) fn note_property(&mut self, id: MemberId, (expr, span): (ExprId, Span), name: Span) {
        let member = self.project.member(id);
        let is_getter = member.kind == MemberKind::Property && member.is(flag::GETTER_BODY);
        if let Some(method) = member.method.filter(|_| is_getter) {
            let word = self.project.word(member.name).to_owned();
            let resolution = crate::model::Resolution::Declared(method);
            self.note(
                CallKind::Property,
                (word, name),
                (expr, span, 0),
                resolution,
            );
        }
    }

    pub(super) fn member_access(
        &mut self,
        id: ExprId,
        access: MemberAccess,
        wanted: NameUse,
    ) -> CSharpValue {
        let name = self.sym(access.name);
        let start = access.at;
        let span = Span::new(start, start + self.facts.word(access.name).len() as u32);
        let args = self.type_args(access.args);
        let n_found = self.found.len();
        let found = match self.value(access.object, false) {
            CSharpValue::Namespace(namespace) => {
                let outer = FoundName::Namespace(namespace);
                return match self.project.found_in(&outer, name, &args, self.names()) {
                    FoundName::Type(ty) => CSharpValue::Type(ty),
                    FoundName::Namespace(inner) => CSharpValue::Namespace(inner),
                    FoundName::Nothing => CSharpValue::Nothing,
                };
            }
            CSharpValue::Type(ty) => {
                let value = match &ty {
                    Ty::Var(_) => self.object_member(&ty, name, &args, (id, span, access, wanted)),
                    ty => self.static_member(ty, name, &args, (id, span, wanted)),
                };
                match value {
                    CSharpValue::Group(group) => {
                        return CSharpValue::Group(MethodGroup {
                            has_object: false,
                            side: ReceiverKind::Static,
                            ..group
                        });
                    }
                    CSharpValue::Nothing => {
                        let outer = FoundName::Type(ty.clone());
                        match self.project.found_in(&outer, name, &args, self.names()) {
                            FoundName::Type(ty) => return CSharpValue::Type(ty),
                            _ => Self::unknown_group(name, ty, args, (false, start)),
                        }
                    }
                    value => return value,
                }
            }
            CSharpValue::Ty(ty) => {
                if self.is_static_of_namesake(access.object, &ty, name) {
                    self.found.truncate(n_found);
                }
                let value = self.object_member(&ty, name, &args, (id, span, access, wanted));
                match value {
                    CSharpValue::Nothing => Self::unknown_group(name, ty, args, (true, start)),
                    CSharpValue::Group(group) => CSharpValue::Group(MethodGroup {
                        side: self.side_of(access.object, &ty),
                        ..group
                    }),
                    value => value,
                }
            }
            CSharpValue::Group(group) if group.members.is_empty() => {
                // A property without a known declaration.
                let ty = self.result_outside(&group);
                Self::unknown_group(name, ty, args, (true, start))
            }
            CSharpValue::Group(_) | CSharpValue::Function(_) => {
                Self::unknown_group(name, Ty::Unknown, args, (true, start))
            }
            CSharpValue::Nothing => {
                let ty = self.missing(access.object);
                Self::unknown_group(name, ty, args, (true, start))
            }
        };
        match found {
            CSharpValue::Ty(ty) if access.is_conditional => {
                CSharpValue::Ty(self.project.nullable(ty))
            }
            found => found,
        }
    }

    /// Chooses which members a call on an object sees: no static ones, unless its name is also that of its type.
    fn side_of(&self, object: ExprId, ty: &Ty) -> ReceiverKind {
        if self.is_namesake(object, ty) {
            ReceiverKind::Any
        } else {
            ReceiverKind::Instance
        }
    }

    /// Tells whether an expression is a name that is also the name of its type.
    fn is_namesake(&self, object: ExprId, ty: &Ty) -> bool {
        match (self.facts.expr(object), ty) {
            (Expr::Name(name, _), Ty::Named(id, _)) => self.sym(name) == self.project.ty(*id).name,
            _ => false,
        }
    }

    /// Tells whether a value's name stands for its type, because a static member is meant.
    fn is_static_of_namesake(&self, object: ExprId, ty: &Ty, name: Sym) -> bool {
        let Some(owner) = ty.id().filter(|_| self.is_namesake(object, ty)) else {
            return false;
        };
        let is_static = |member_id: MemberId| self.project.member(member_id).is(flag::STATIC);
        if let Some(value) = self.project.value_member(owner, name) {
            return is_static(value);
        }
        let methods = self.project.methods_named(owner, name);
        !methods.is_empty() && methods.into_iter().all(is_static)
    }

    /// Treats an undeclared capitalised name as a type of some library, unless a base class is missing.
    fn missing(&self, object: ExprId) -> Ty {
        let (Expr::Name(name, _) | Expr::Member(MemberAccess { name, .. })) =
            self.facts.expr(object)
        else {
            return Ty::Unknown;
        };
        if self.facts.word(name).starts_with(char::is_uppercase) && !self.has_missing_base() {
            Ty::Missing(self.sym(name))
        } else {
            Ty::Unknown
        }
    }

    fn has_missing_base(&self) -> bool {
        let mut around = Some(self.ty);
        while let Some(id) = around {
            if self.project.ty(id).has_missing_base {
                return true;
            }
            around = self.project.ty(id).outer;
        }
        false
    }

    fn unknown_group(
        name: Sym,
        receiver: Ty,
        args: Vec<Ty>,
        (has_object, at): (bool, u32),
    ) -> CSharpValue {
        CSharpValue::Group(MethodGroup {
            name,
            members: Vec::new(),
            receiver,
            has_object,
            side: ReceiverKind::Any,
            args,
            at,
        })
    }

    fn static_member(
        &mut self,
        ty: &Ty,
        name: Sym,
        args: &[Ty],
        (id, span, wanted): (ExprId, Span, NameUse),
    ) -> CSharpValue {
        let Some((owner, _)) = self.project.face(ty) else {
            return CSharpValue::Nothing;
        };
        let is_wanted = (args, wanted.is_call, span.start);
        match self.member_of_type(owner, ty, name, is_wanted) {
            Some(meant) => self.read(meant, ty, id, (span, wanted.is_read)),
            None => CSharpValue::Nothing,
        }
    }

    /// Resolves a name on an object.
    fn object_member(
        &mut self,
        ty: &Ty,
        name: Sym,
        args: &[Ty],
        (id, span, access, wanted): (ExprId, Span, MemberAccess, NameUse),
    ) -> CSharpValue {
        match ty {
            Ty::Tuple(parts) | Ty::Anonymous(parts) => {
                if let Some(part) = self.part(parts, name) {
                    return CSharpValue::Ty(part);
                }
            }
            Ty::Nullable(inner) => {
                let own = if access.is_conditional {
                    CSharpValue::Nothing
                } else {
                    self.static_member(ty, name, args, (id, span, wanted))
                };
                return match own {
                    CSharpValue::Nothing => {
                        self.object_member(inner, name, args, (id, span, access, wanted))
                    }
                    own => own,
                };
            }
            Ty::Var(var) => {
                let bounds = self.project.var(*var).bounds.clone();
                for bound in bounds.iter().filter(|bound| !matches!(bound, Ty::Var(_))) {
                    match self.object_member(bound, name, args, (id, span, access, wanted)) {
                        CSharpValue::Nothing => {}
                        CSharpValue::Group(mut group) => {
                            group.receiver = ty.clone();
                            return CSharpValue::Group(group);
                        }
                        found => return found,
                    }
                }
                let object = Ty::named(self.project.known_types.object);
                return self.static_member(&object, name, args, (id, span, wanted));
            }
            _ => {}
        }
        self.static_member(ty, name, args, (id, span, wanted))
    }

    fn part(&self, parts: &[(Sym, Ty)], name: Sym) -> Option<Ty> {
        if let Some(part) = parts.iter().find(|part| part.0 == name) {
            return Some(part.1.clone());
        }
        let number: usize = self.project.word(name).strip_prefix("Item")?.parse().ok()?;
        parts.get(number.checked_sub(1)?).map(|part| part.1.clone())
    }

    /// Substitutes the object's type arguments in the type of a member.
    pub(super) fn member_type(&self, ty: &Ty, member: MemberId) -> Ty {
        let member = self.project.member(member);
        member.ty.with(&self.bound(ty, member))
    }

    /// Finds the type of the field or property that an object has under a name.
    pub(super) fn value_type(&self, ty: &Ty, name: Sym) -> Option<Ty> {
        let (owner, _) = self.project.face(ty)?;
        let member = self.project.value_member(owner, name)?;
        Some(self.member_type(ty, member))
    }

    /// Binds type parameters as seen through the receiver of a member.
    pub(super) fn bound(&self, receiver: &Ty, member: &CSharpMember) -> Bindings {
        let owner = member.owner;
        match receiver {
            Ty::Var(var) => {
                let bounds = self.project.var(*var).bounds.iter();
                let bound = bounds
                    .filter(|bound| !matches!(bound, Ty::Var(_)))
                    .find(|bound| self.project.as_ancestor(bound, owner).is_some());
                match bound {
                    Some(bound) => self.project.bindings(bound, owner),
                    None => self.project.bindings(receiver, owner),
                }
            }
            _ => self.project.bindings(receiver, owner),
        }
    }
}

enum MemberOrGroup {
    Member(MemberId),
    Group(MethodGroup),
}
