//! Expressions: every one is walked once and given a type.

use super::name::NameUse;
use super::{CSharpValue, CSharpWalker};
use crate::csharp::facts::{
    Expr, ExprId, Ids, Literal, MemberAccess, Operator, Pattern, TypeRef, TypeSyntax,
};
use crate::csharp::types::Ty;
use crate::model::Span;

impl CSharpWalker<'_> {
    /// Walks an expression where a value of type `wanted` is expected; returns its type.
    pub(super) fn expr(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        if let Some((ready, _)) = &self.ready
            && *ready == id
        {
            return match self.ready.take() {
                Some((_, value)) => Self::type_of(value),
                None => Ty::Unknown,
            };
        }
        // The receiver of a call on a call, thousands deep, is walked first.
        let chain = self.chain(id);
        for &link in chain.iter().skip(1).rev() {
            let value = self.deeper(|walker| Some(walker.link(link)));
            self.ready = value.map(|value| (link, value));
        }
        self.deeper(|walker| walker.one(id, wanted))
    }

    fn link(&mut self, id: ExprId) -> CSharpValue {
        match self.facts.expr(id) {
            Expr::Name(..) | Expr::Member(_) | Expr::Type(_) => self.value(id, false),
            _ => CSharpValue::Ty(self.one(id, None)),
        }
    }

    fn chain(&self, id: ExprId) -> Vec<ExprId> {
        let ready = self.ready.as_ref().map(|ready| ready.0);
        let mut chain = vec![id];
        let mut at = id;
        while let Some(next) = self
            .first_link(at)
            .filter(|&expr_id| Some(expr_id) != ready)
        {
            chain.push(next);
            at = next;
        }
        chain
    }

    fn first_link(&self, id: ExprId) -> Option<ExprId> {
        let next = match self.facts.expr(id) {
            Expr::Member(MemberAccess { object, .. }) | Expr::Index { object, .. } => object,
            Expr::Binary(_, left, _) => left,
            Expr::Call(function, _) => match self.facts.expr(function) {
                Expr::Member(MemberAccess { object, .. }) => object,
                Expr::Call(..) | Expr::Index { .. } => function,
                _ => return None,
            },
            _ => return None,
        };
        matches!(
            self.facts.expr(next),
            Expr::Member(_) | Expr::Index { .. } | Expr::Binary(..) | Expr::Call(..)
        )
        .then_some(next)
    }

    fn one(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        let known = &self.project.known_types;
        match self.facts.expr(id) {
            Expr::Broken | Expr::Spread(_) => Ty::Unknown,
            Expr::Literal(literal) => self.literal(literal),
            Expr::This => self.project.self_type(self.ty),
            Expr::Base => self.base(self.ty).unwrap_or_default(),
            Expr::Name(..) | Expr::Member(_) | Expr::Type(_) => self.named(id, wanted),
            Expr::Call(function, args) => self.call(id, function, args),
            Expr::Index {
                object,
                args,
                at,
                is_conditional,
            } => self.index(id, object, (args, at, is_conditional)),
            Expr::New { ty, args, init, at } => self.creation(id, ty, args, (init, at)),
            Expr::NewTarget(args, init) => self.target_creation(id, args, init, wanted),
            Expr::NewArray { ty, sizes, init } => self.new_array(ty, sizes, init),
            Expr::NewImplicitArray(init, rank) => self.implicit_array(init, rank, wanted),
            Expr::NewAnonymous(args) => self.anonymous(args),
            Expr::Initializer(_) => {
                let element = wanted.map_or(Ty::Unknown, |ty| self.project.element(ty));
                self.array_values(id, &element);
                wanted.cloned().unwrap_or_default()
            }
            Expr::Collection(elements) => self.collection(elements, wanted),
            Expr::Assign(operator, left, right) => self.assign(id, operator, (left, right)),
            Expr::Binary(operator, left, right) => self.binary(id, operator, (left, right), wanted),
            Expr::Prefix(operator, value) | Expr::Postfix(operator, value) => {
                self.unary(id, operator, value)
            }
            Expr::Cast(ty, value) => {
                let ty = self.resolve(ty);
                self.expr(value, Some(&ty));
                ty
            }
            Expr::As(value, ty) => {
                self.expr(value, None);
                self.resolve(ty)
            }
            Expr::Is(value, pattern) => {
                let ty = self.expr(value, None);
                self.pattern(pattern, &ty);
                Ty::named(known.bool)
            }
            Expr::Conditional(condition, a, b) => self.conditional(condition, (a, b), wanted),
            Expr::Lambda(lambda) => {
                self.lambda_for(lambda, wanted);
                match wanted {
                    Some(ty) if self.project.signature(ty).is_some() => ty.clone(),
                    _ => self.natural(lambda),
                }
            }
            Expr::Await(value) => {
                let ty = self.expr(value, None);
                self.project.awaited(&ty)
            }
            Expr::Throw(value) => {
                self.expr(value, None);
                Ty::Unknown
            }
            Expr::Same(value) => self.expr(value, wanted),
            Expr::Tuple(args) => self.tuple(args, wanted),
            Expr::Default(Some(ty)) => self.resolve(ty),
            Expr::Default(None) => wanted.cloned().unwrap_or_default(),
            Expr::Typeof => Ty::named(known.r#type),
            Expr::Sizeof => Ty::named(known.int),
            Expr::Interpolated(parts) => {
                self.all(parts);
                Ty::named(known.string)
            }
            Expr::With(value, args) => self.with(value, args),
            Expr::Switch(at) => self.switch(at, wanted),
            Expr::Range(a, b) => {
                let range = Ty::named(known.range);
                for side in [a, b].into_iter().flatten() {
                    self.expr(side, None);
                }
                range
            }
            Expr::Query(at) => self.query(at),
            Expr::Declaration(ty, pattern) => self.declaration(ty, pattern, wanted),
        }
    }

    /// Walks a name; methods are recorded as passed.
    fn named(&mut self, id: ExprId, wanted: Option<&Ty>) -> Ty {
        let value = self.value(id, false);
        if let CSharpValue::Group(group) = &value
            && !group.members.is_empty()
        {
            self.reference(id, group, wanted);
            return wanted.cloned().unwrap_or_else(|| self.natural_group(group));
        }
        Self::type_of(value)
    }

    /// Walks `new[] { … }`.
    fn implicit_array(&mut self, init: ExprId, rank: u8, wanted: Option<&Ty>) -> Ty {
        let element = match wanted {
            Some(Ty::Array(element, _)) => (**element).clone(),
            _ => Ty::Unknown,
        };
        let element = self.array_values(init, &element);
        Ty::Array(element.into(), rank)
    }

    fn conditional(
        &mut self,
        condition: ExprId,
        (a, b): (ExprId, ExprId),
        wanted: Option<&Ty>,
    ) -> Ty {
        self.expr(condition, None);
        let a = self.expr(a, wanted);
        let b = self.expr(b, wanted);
        match self.project.common(a, b) {
            Ty::Unknown => wanted.cloned().unwrap_or_default(),
            ty => ty,
        }
    }

    /// Walks expressions without a wanted type.
    fn all(&mut self, parts: Ids<ExprId>) {
        for part in self.facts.ids(parts) {
            self.expr(part, None);
        }
    }

    /// Makes the natural delegate type of a lambda.
    fn natural(&mut self, index: u32) -> Ty {
        let lambda = self.facts.lambdas[index as usize];
        let params = &self.facts.params[lambda.params.range()];
        let mut args = Vec::new();
        for param in params {
            if matches!(self.facts.type_syntax(param.ty), TypeSyntax::Var) {
                return Ty::Unknown;
            }
            args.push(self.resolve(param.ty));
        }
        let given = self.lambdas.get(&index).cloned().unwrap_or_default();
        let given = if lambda.is_async {
            self.task_of(given)
        } else {
            given
        };
        self.delegate_of(args, given)
    }

    fn declaration(
        &mut self,
        ty: TypeRef,
        pattern: crate::csharp::facts::PatternId,
        wanted: Option<&Ty>,
    ) -> Ty {
        let is_var = matches!(self.facts.type_syntax(ty), TypeSyntax::Var);
        let ty = if is_var {
            wanted.cloned().unwrap_or_default()
        } else {
            self.resolve(ty)
        };
        if let Pattern::Variable(_, name) = self.facts.pattern(pattern) {
            self.declare(name, ty.clone());
        }
        ty
    }

    pub(super) fn literal(&self, literal: Literal) -> Ty {
        let known = &self.project.known_types;
        let id = match literal {
            Literal::Null => return Ty::Null,
            Literal::Bool => known.bool,
            Literal::Char => known.char,
            Literal::Int(_) => known.int,
            Literal::Uint => known.uint,
            Literal::Long => known.long,
            Literal::Ulong => known.ulong,
            Literal::Float => known.float,
            Literal::Double => known.double,
            Literal::Decimal => known.decimal,
            Literal::String => known.string,
            Literal::Utf8 => {
                let byte = Ty::named(known.byte);
                return Ty::Named(known.read_only_span, [byte].into());
            }
        };
        Ty::named(id)
    }

    fn assign(&mut self, id: ExprId, operator: Operator, (left, right): (ExprId, ExprId)) -> Ty {
        let sign = self.facts.word(operator.sign);
        if sign == "=" {
            let wanted = self.target(left);
            if let Expr::Tuple(_) = self.facts.expr(left) {
                let ty = self.expr(right, Some(&wanted).filter(|ty| !ty.has_unknown()));
                self.take_apart(left, &ty);
                return ty;
            }
            let given = self.expr(right, Some(&wanted).filter(|ty| !ty.is_unknown()));
            return if wanted.is_unknown() { given } else { wanted };
        }
        let ty = self.expr(left, None);
        let given = self.expr(right, Some(&ty).filter(|ty| !ty.is_unknown()));
        if sign != "??=" {
            let sign = sign.trim_end_matches('=').to_owned();
            let span = self.facts.span(id);
            self.operator_call(&sign, operator.at, &[ty.clone(), given], (id, span));
        }
        ty
    }

    /// Finds the type of an assignment's target, whose getters do not run.
    fn target(&mut self, id: ExprId) -> Ty {
        match self.facts.expr(id) {
            Expr::Name(name, args) => {
                let value = self.name(id, (name, args), (false, false));
                Self::type_of(value)
            }
            Expr::Member(access) => {
                let wanted = NameUse {
                    is_call: false,
                    is_read: false,
                };
                Self::type_of(self.member_access(id, access, wanted))
            }
            Expr::Index { .. } => {
                let before = self.written.replace(id);
                let ty = self.expr(id, None);
                self.written = before;
                ty
            }
            Expr::Tuple(args) => {
                let facts = self.facts;
                let parts: Vec<_> = facts
                    .args(args)
                    .iter()
                    .map(|arg| {
                        let ty = match facts.expr(arg.value) {
                            Expr::Declaration(ty, _) => match facts.type_syntax(ty) {
                                TypeSyntax::Var => Ty::Unknown,
                                _ => self.resolve(ty),
                            },
                            _ => self.deeper(|walker| walker.target(arg.value)),
                        };
                        (crate::symbols::Sym::NONE, ty)
                    })
                    .collect();
                Ty::Tuple(parts.into())
            }
            Expr::Declaration(..) => Ty::Unknown,
            _ => self.expr(id, None),
        }
    }

    /// Declares the names in brackets on the left.
    fn take_apart(&mut self, left: ExprId, ty: &Ty) {
        let Expr::Tuple(args) = self.facts.expr(left) else {
            return;
        };
        let facts = self.facts;
        let args = facts.args(args);
        let types = self.deconstructed(ty, args.len(), left);
        for (arg, ty) in args.iter().zip(types) {
            match facts.expr(arg.value) {
                Expr::Declaration(..) => {
                    self.expr(arg.value, Some(&ty));
                }
                Expr::Tuple(_) => self.deeper(|walker| walker.take_apart(arg.value, &ty)),
                _ => {}
            }
        }
    }

    /// Tells whether an expression is the one being written to.
    pub(super) fn is_written(&self, id: ExprId) -> bool {
        self.written == Some(id)
    }

    pub(super) fn place(&self, id: ExprId) -> (ExprId, Span) {
        (id, self.facts.span(id))
    }
}
