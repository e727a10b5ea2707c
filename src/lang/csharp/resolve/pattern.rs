//! Patterns and the deconstruction of values.

use super::CSharpWalker;
use crate::csharp::facts::{
    Expr, ExprId, MemberAccess, MemberKind, Name, ParameterPassing, Pattern, PatternId,
};
use crate::csharp::project::TypeOrNamespace;
use crate::csharp::types::{Param, Ty};
use crate::model::Span;
use crate::symbols::Sym;

impl CSharpWalker<'_> {
    /// Walks a pattern that a value of that type is matched with, and declares its names.
    pub(super) fn pattern(&mut self, id: PatternId, ty: &Ty) {
        self.deeper(|walker| walker.pattern_inside(id, ty));
    }

    fn pattern_inside(&mut self, id: PatternId, ty: &Ty) {
        let facts = self.facts;
        match facts.pattern(id) {
            Pattern::Discard | Pattern::Type => {}
            Pattern::Constant(value) => {
                // `x is Name` is read as a constant, but may be a type.
                if !self.is_type(value) {
                    self.expr(value, Some(ty).filter(|ty| !ty.is_unknown()));
                }
            }
            Pattern::Variable(wanted, name) => {
                let ty = wanted.map_or_else(|| ty.clone(), |type_ref| self.resolve(type_ref));
                self.declare(name, ty);
            }
            Pattern::Names(_) => self.declare_all(id, ty),
            Pattern::Recursive(at) => self.recursive(at, ty),
            Pattern::Not(inner) => self.pattern(inner, ty),
            Pattern::Either(a, b) => {
                self.pattern(a, ty);
                self.pattern(b, ty);
            }
            Pattern::Relational(value) => {
                self.expr(value, None);
            }
            Pattern::List(parts, name) => {
                let element = self.project.element(ty);
                for part in facts.ids(parts) {
                    self.pattern(part, &element);
                }
                self.declare(name, ty.clone());
            }
        }
    }

    fn is_type(&self, id: ExprId) -> bool {
        match self.facts.expr(id) {
            Expr::Name(name, args) => {
                let sym = self.sym(name);
                if self.locals.iter().any(|local| local.0 == sym) {
                    return false;
                }
                let args: Vec<Ty> = self.facts.ids(args).map(|id| self.resolve(id)).collect();
                matches!(
                    self.project.simple(sym, &args, self.names()),
                    TypeOrNamespace::Type(_)
                )
            }
            Expr::Type(_) => true,
            _ => false,
        }
    }

    fn recursive(&mut self, at: u32, ty: &Ty) {
        let facts = self.facts;
        let pattern = facts.recursives[at as usize];
        let ty = match (pattern.ty, ty) {
            (Some(wanted), _) => self.resolve(wanted),
            (None, Ty::Nullable(inner)) => (**inner).clone(),
            (None, ty) => ty.clone(),
        };
        let parts = &facts.subpatterns[pattern.parts.range()];
        let n_positional = parts
            .iter()
            .filter(|subpattern| subpattern.path.is_none())
            .count();
        let mut positional = self.deconstructed(&ty, n_positional, ExprId(0)).into_iter();
        for part in parts {
            let inner = match part.path {
                Some(path) => self.path(path, &ty),
                None => positional.next().unwrap_or_default(),
            };
            self.pattern(part.pattern, &inner);
        }
        self.declare(pattern.name, ty);
    }

    /// Reads `A.B` of an object; returns its type.
    fn path(&mut self, path: ExprId, ty: &Ty) -> Ty {
        let start = self.facts.span(path).start;
        match self.facts.expr(path) {
            Expr::Name(name, _) => self.part_type(ty, path, (name, start)),
            Expr::Member(MemberAccess {
                object, name, at, ..
            }) => match self.path(object, ty) {
                Ty::Nullable(inner) => self.part_type(&inner, path, (name, at)),
                inner => self.part_type(&inner, path, (name, at)),
            },
            _ => Ty::Unknown,
        }
    }

    fn part_type(&mut self, ty: &Ty, path: ExprId, (name, at): (Name, u32)) -> Ty {
        let sym = self.sym(name);
        if let Ty::Tuple(parts) = ty
            && let Some(part) = parts.iter().find(|part| part.0 == sym)
        {
            return part.1.clone();
        }
        let owner = self.project.face(ty);
        let Some(member) = owner.and_then(|owner| self.project.value_member(owner.0, sym)) else {
            return Ty::Unknown;
        };
        let name = Span::new(at, at + self.facts.word(name).len() as u32);
        self.note_property(member, (path, self.facts.span(path)), name);
        self.member_type(ty, member)
    }

    /// Splits a value's type into the types of its parts: of a tuple, by `Deconstruct`, or of a record; else unknown.
    pub(super) fn deconstructed(&mut self, ty: &Ty, n: usize, _at: ExprId) -> Vec<Ty> {
        if let Ty::Tuple(parts) = ty {
            return parts
                .iter()
                .map(|part| part.1.clone())
                .chain(std::iter::repeat(Ty::Unknown))
                .take(n)
                .collect();
        }
        let unknown = vec![Ty::Unknown; n];
        let (Some((owner, _)), Some(name)) = (
            self.project.face(ty),
            self.project.symbols.find("Deconstruct"),
        ) else {
            return unknown;
        };
        let methods = self.project.methods_named(owner, name);
        let fitting = methods
            .iter()
            .map(|&method| self.project.member(method))
            .find(|member| {
                member.kind == MemberKind::Method
                    && member.params.len() == n
                    && member
                        .params
                        .iter()
                        .all(|param| param.passing == ParameterPassing::Out)
            });
        if let Some(method) = fitting {
            let bound = self.bound(ty, method);
            return method
                .params
                .iter()
                .map(|param| param.ty.with(&bound))
                .collect();
        }
        // A record is deconstructed into the parameters of its constructor.
        let made = self
            .project
            .constructors(owner)
            .into_iter()
            .map(|constructor| self.project.member(constructor));
        let mut made = made.filter(|member| member.decl.is_none() && member.params.len() == n);
        match made
            .next()
            .filter(|_| self.project.ty(owner).kind.is_record())
        {
            Some(made) => {
                let bound = self.bound(ty, made);
                made.params
                    .iter()
                    .map(|param| param.ty.with(&bound))
                    .collect()
            }
            None => self.extension_parts(ty, n, name).unwrap_or(unknown),
        }
    }

    /// Finds the types of the parts by an extension method `Deconstruct`.
    fn extension_parts(&self, ty: &Ty, n: usize, name: Sym) -> Option<Vec<Ty>> {
        let is_out = |param: &Param| param.passing == ParameterPassing::Out;
        let (id, bound) = self.extension_of(name, ty, |member| {
            member.params.len() == n + 1 && member.params[1..].iter().all(is_out)
        })?;
        let parts = self.project.member(id).params[1..].iter();
        Some(parts.map(|param| param.ty.with(&bound)).collect())
    }

    pub(super) fn switch(&mut self, at: u32, wanted: Option<&Ty>) -> Ty {
        let facts = self.facts;
        let switch = facts.switches[at as usize];
        let ty = self.expr(switch.value, None);
        let mut common: Option<Ty> = None;
        for arm in &facts.arms[switch.arms.range()] {
            let n_locals = self.locals.len();
            self.pattern(arm.pattern, &ty);
            if let Some(when) = arm.when {
                self.expr(when, None);
            }
            let value = self.expr(arm.value, wanted);
            self.locals.truncate(n_locals);
            common = Some(match common {
                Some(known) => self.project.common(known, value),
                None => value,
            });
        }
        match (common, wanted) {
            (Some(ty), _) if !ty.is_unknown() => ty,
            (_, wanted) => wanted.cloned().unwrap_or_default(),
        }
    }
}
