//! Members of types by name, ancestors with their arguments, and the methods that may run in place of others.

use super::CSharpProject;
use crate::csharp::facts::{MemberKind, TypeKind, flag};
use crate::csharp::types::{Bindings, CSharpMember, MemberId, Ty, TypeId};
use crate::model::MethodId;
use crate::symbols::{Sym, named};

/// The greatest number of types above one that are looked at; hostile sources inherit without end.
pub const ANCESTORS_MAX: usize = 300;

impl CSharpProject {
    /// Iterates over a type's own members with a name, in source order.
    pub fn own_members(&self, id: TypeId, name: Sym) -> impl Iterator<Item = MemberId> + '_ {
        named(&self.ty(id).members, name).iter().map(|pair| pair.1)
    }

    /// Iterates over the type itself and its base types, near ones first.
    pub fn line(&self, id: TypeId) -> impl Iterator<Item = TypeId> + '_ {
        std::iter::once(id).chain(self.ty(id).ancestors.iter().copied())
    }

    /// Finds the nearest field, property, event or enum member of that name.
    pub fn value_member(&self, id: TypeId, name: Sym) -> Option<MemberId> {
        self.line(id)
            .find_map(|type_id| self.own_value(type_id, name))
    }

    /// Finds a type's own field, property, event or enum member of that name.
    pub fn own_value(&self, id: TypeId, name: Sym) -> Option<MemberId> {
        self.own_members(id, name).find(|&member_id| {
            let member = self.member(member_id);
            member.explicit.is_none()
                && matches!(
                    member.kind,
                    MemberKind::Field
                        | MemberKind::Property
                        | MemberKind::Event
                        | MemberKind::EnumMember
                )
        })
    }

    /// Binds an owner's type parameters to the values that a type below it, or itself, fixes.
    pub fn bindings(&self, ty: &Ty, owner: TypeId) -> Bindings {
        let vars = &self.ty(owner).vars;
        if vars.is_empty() {
            return Bindings::default();
        }
        match self.as_ancestor(ty, owner) {
            Some(ancestor) => Bindings::of(vars, ancestor.args()),
            None => Bindings::of(vars, &[]),
        }
    }

    /// Views a type as one of its ancestors, or as itself.
    pub fn as_ancestor(&self, ty: &Ty, wanted: TypeId) -> Option<Ty> {
        match ty {
            Ty::Named(id, _) if *id == wanted => Some(ty.clone()),
            Ty::Named(id, _) => {
                if !self.is_below(*id, wanted) {
                    return None;
                }
                self.climb(ty, wanted, &mut Vec::new())
            }
            Ty::Array(element, _) => {
                let array = self.known_types.array_as(element);
                self.as_ancestor(&array, wanted)
            }
            Ty::Nullable(inner) => {
                if wanted == self.known_types.nullable {
                    return Some(Ty::Named(wanted, [(**inner).clone()].into()));
                }
                None
            }
            Ty::Var(var) => {
                let bounds = self.var(*var).bounds.iter();
                bounds
                    .filter(|bound| !matches!(bound, Ty::Var(_)))
                    .find_map(|bound| self.as_ancestor(bound, wanted))
            }
            _ => None,
        }
    }

    fn climb(&self, ty: &Ty, wanted: TypeId, seen: &mut Vec<TypeId>) -> Option<Ty> {
        let id = ty.id()?;
        if id == wanted {
            return Some(ty.clone());
        }
        if seen.len() >= ANCESTORS_MAX || seen.contains(&id) {
            return None;
        }
        seen.push(id);
        let of = self.ty(id);
        let bound = Bindings::of(&of.vars, ty.args());
        of.bases.iter().find_map(|base| {
            let id = base.id()?;
            (id == wanted || self.is_below(id, wanted))
                .then(|| self.climb(&base.with(&bound), wanted, seen))?
        })
    }

    pub fn is_below(&self, id: TypeId, ancestor: TypeId) -> bool {
        self.ty(id).ancestors.contains(&ancestor)
    }

    /// Finds the methods with a name that a type has, near ones first, without those that a nearer one overrides.
    pub fn methods_named(&self, id: TypeId, name: Sym) -> Vec<MemberId> {
        self.members_named(id, (name, MemberKind::Method), |_| true)
    }

    /// Finds the members of a name and kind that a type has, near ones first, without those that a visible nearer one
    /// hides.
    pub fn members_named(
        &self,
        id: TypeId,
        (name, kind): (Sym, MemberKind),
        is_seen: impl Fn(MemberId) -> bool,
    ) -> Vec<MemberId> {
        let mut found: Vec<MemberId> = Vec::new();
        let is_class = self.ty(id).kind != TypeKind::Interface;
        for owner in self.line(id) {
            let n_nearer = found.len();
            // Members of interfaces are called through them, not on a class that has methods of that name.
            if is_class && n_nearer > 0 && self.ty(owner).kind == TypeKind::Interface {
                break;
            }
            for member_id in self.own_members(owner, name) {
                let member = self.member(member_id);
                if member.kind != kind
                    || member.explicit.is_some()
                    || self.is_written_elsewhere(member_id, member)
                {
                    continue;
                }
                // Ten thousand overloads are not compared with one another.
                let is_hidden = found[..n_nearer.min(ANCESTORS_MAX)]
                    .iter()
                    .any(|&near| self.takes_same(self.member(near), member) && is_seen(near));
                if !is_hidden {
                    found.push(member_id);
                }
            }
        }
        found
    }

    /// Tells whether a part of a type only announces a method whose body stands in another one.
    fn is_written_elsewhere(&self, id: MemberId, member: &CSharpMember) -> bool {
        let has_body = |member: &CSharpMember| {
            let decl = self.member_decl(member);
            decl.is_some_and(|member_decl| member_decl.body_span.is_some())
        };
        member.is(flag::PARTIAL)
            && !has_body(member)
            && self.own_members(member.owner, member.name).any(|other| {
                let counterpart = self.member(other);
                other != id
                    && counterpart.is(flag::PARTIAL)
                    && has_body(counterpart)
                    && self.takes_same(counterpart, member)
            })
    }

    /// Finds the class that first declares a method: for an override, a class above; nothing where that is in no file.
    pub fn introduced_in(&self, id: MemberId) -> Option<TypeId> {
        let member = self.member(id);
        if !member.is(flag::OVERRIDE) {
            return Some(member.owner);
        }
        self.overridden(member)
            .find(|member| !member.is(flag::OVERRIDE))
            .map(|member| member.owner)
    }

    /// Finds the methods of the classes above that an override replaces, near ones first.
    pub fn overridden<'a>(
        &'a self,
        member: &'a CSharpMember,
    ) -> impl Iterator<Item = &'a CSharpMember> {
        let classes = self.line(member.owner).skip(1);
        classes
            .filter(|&class| self.ty(class).kind != TypeKind::Interface)
            .flat_map(|class| self.own_members(class, member.name))
            .map(|member_id| self.member(member_id))
            .filter(|candidate| candidate.kind == member.kind && self.takes_same(member, candidate))
    }

    /// Tells whether a method takes the same parameters as one of its own class, or of a class above with the type
    /// arguments that the nearer class gives it.
    fn takes_same(&self, near: &CSharpMember, far: &CSharpMember) -> bool {
        if near.params.len() != far.params.len() || near.vars.len() != far.vars.len() {
            return false;
        }
        let mut bound = if near.owner == far.owner {
            Bindings::default()
        } else {
            self.bindings(&self.self_type(near.owner), far.owner)
        };
        for (&far, &near) in far.vars.iter().zip(&near.vars) {
            bound.set(far, Ty::Var(near));
        }
        let mut pairs = near.params.iter().zip(&*far.params);
        pairs.all(|(a, b)| a.passing == b.passing && is_alike(&a.ty, &b.ty.with(&bound)))
    }

    /// Tells whether two methods take the same parameters, as far as the types' declarations go.
    fn has_same_params(a: &CSharpMember, b: &CSharpMember) -> bool {
        a.params.len() == b.params.len()
            && a.vars.len() == b.vars.len()
            && a.params
                .iter()
                .zip(&*b.params)
                .all(|(a, b)| a.passing == b.passing && same_head(&a.ty, &b.ty))
    }

    /// Lists the instance constructors of a type, with those that the compiler adds.
    pub fn constructors(&self, id: TypeId) -> Vec<MemberId> {
        let name = self.known_types.init;
        self.own_members(id, name)
            .filter(|&member| !self.member(member).is(flag::STATIC))
            .collect()
    }

    /// Finds the project's methods with a body that override or implement this one.
    pub fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        let Some((_, base)) = self.member_of(method) else {
            return Vec::new();
        };
        if base.is(flag::STATIC) || base.kind == MemberKind::Constructor {
            return Vec::new();
        }
        let mut found: Vec<MethodId> = Vec::new();
        for id in self.subtypes.all_below(base.owner) {
            for member_id in self.own_members(id, base.name) {
                let member = self.member(member_id);
                let has_body = self
                    .member_decl(member)
                    .is_some_and(|member_decl| member_decl.body_span.is_some());
                if has_body && member.kind == base.kind && Self::has_same_params(member, base) {
                    found.extend(member.method);
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// Tells whether two parameters' types are of one declaration; a type variable is like any type.
fn same_head(a: &Ty, b: &Ty) -> bool {
    matches!(a, Ty::Var(_)) || matches!(b, Ty::Var(_)) || same_with(a, b, same_head)
}

/// Tells whether two types are the same, as far as they are known; names of a tuple's elements do not count.
fn is_alike(a: &Ty, b: &Ty) -> bool {
    same_with(a, b, is_alike)
}

fn same_with(a: &Ty, b: &Ty, same: fn(&Ty, &Ty) -> bool) -> bool {
    match (a, b) {
        (Ty::Named(a, a_args), Ty::Named(b, b_args)) => {
            a == b && a_args.iter().zip(&**b_args).all(|(a, b)| same(a, b))
        }
        (Ty::Array(a, n), Ty::Array(b, m)) => n == m && same(a, b),
        (Ty::Nullable(a), Ty::Nullable(b)) => same(a, b),
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| same(&a.1, &b.1))
        }
        (Ty::Unknown, _) | (_, Ty::Unknown) => true,
        (a, b) => a == b,
    }
}
