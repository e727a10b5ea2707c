//! Lambdas, and methods that are passed like lambdas.

use super::{CSharpValue, CSharpWalker, MethodGroup};
use crate::csharp::facts::{
    Body, Expr, ExprId, MemberKind, ParameterPassing, Stmt, StmtId, TypeSyntax,
};
use crate::csharp::relation::Fit;
use crate::csharp::types::{Bindings, CSharpMember, MemberId, Param, Ty};
use crate::model::{CallKind, CallMarks, Resolution, Span};

/// Whether a lambda's body returns a value, as far as that is seen without types.
#[derive(Clone, Copy, Debug, Default)]
struct LambdaBodyShape {
    /// Whether a value is returned.
    gives: bool,
    /// Whether the body may end without one.
    ends: bool,
}

impl CSharpWalker<'_> {
    /// Walks a lambda with the types of its parameters; returns the type of its value, without the task around it.
    pub(super) fn lambda(&mut self, index: u32, takes: &[Ty], wanted: Option<&Ty>) -> Ty {
        let lambda = self.facts.lambdas[index as usize];
        let facts = self.facts;
        let n_locals = self.locals.len();
        for (at, param) in facts.params[lambda.params.range()].iter().enumerate() {
            let is_written = !matches!(facts.type_syntax(param.ty), TypeSyntax::Var);
            let ty = if is_written {
                self.resolve(param.ty)
            } else {
                takes.get(at).cloned().unwrap_or_default()
            };
            self.declare(param.name, ty);
        }
        let wanted = wanted.and_then(|wanted| {
            let ty = if lambda.is_async {
                self.project.task_value(wanted).unwrap_or_default()
            } else {
                wanted.clone()
            };
            (ty != Ty::Void).then_some(ty)
        });
        self.n_around += 1;
        let ty = self.deeper(|walker| walker.body(lambda.body, wanted));
        self.n_around -= 1;
        self.locals.truncate(n_locals);
        self.lambdas.insert(index, ty.clone());
        ty
    }

    /// Walks a lambda for a delegate, or without one.
    pub(super) fn lambda_for(&mut self, index: u32, wanted: Option<&Ty>) -> Ty {
        let signature = wanted.and_then(|ty| self.project.signature(ty));
        match signature {
            Some((params, result)) => {
                let takes: Vec<Ty> = params.into_iter().map(|param| param.ty).collect();
                self.lambda(index, &takes, Some(&result))
            }
            None => self.lambda(index, &[], None),
        }
    }

    fn shape(&self, index: u32) -> LambdaBodyShape {
        match self.facts.lambdas[index as usize].body {
            Body::Block(block) => {
                let mut shape = LambdaBodyShape {
                    gives: false,
                    ends: !self.never_ends(block, 0),
                };
                self.look_for_returns(block, &mut shape, 0);
                shape
            }
            Body::Expr(value) => LambdaBodyShape {
                gives: !matches!(self.facts.expr(value), Expr::Throw(_)),
                ends: self.is_statement(value),
            },
            Body::None => LambdaBodyShape::default(),
        }
    }

    /// Tells whether an expression may be a statement.
    fn is_statement(&self, id: ExprId) -> bool {
        match self.facts.expr(id) {
            Expr::Call(..)
            | Expr::New { .. }
            | Expr::NewTarget(..)
            | Expr::Assign(..)
            | Expr::Await(_)
            | Expr::Postfix(..)
            | Expr::Broken => true,
            Expr::Prefix(operator, _) => matches!(self.facts.word(operator.sign), "++" | "--"),
            // `a?.b()` needs no arm of its own: it is read as a call on a member.
            Expr::Same(inner) => self.is_statement(inner),
            _ => false,
        }
    }

    fn never_ends(&self, id: StmtId, depth: u32) -> bool {
        if depth > 40 {
            return false;
        }
        match self.facts.stmt(id) {
            Stmt::Return(_) | Stmt::Throw(_) => true,
            Stmt::Block(stmts) => self
                .facts
                .ids(stmts)
                .any(|id| self.never_ends(id, depth + 1)),
            Stmt::If(_, a, Some(b)) => {
                self.never_ends(a, depth + 1) && self.never_ends(b, depth + 1)
            }
            Stmt::While(condition, _) => matches!(
                self.facts.expr(condition),
                Expr::Literal(crate::csharp::facts::Literal::Bool)
            ),
            Stmt::Using(_, _, body) | Stmt::Lock(_, body) => self.never_ends(body, depth + 1),
            Stmt::Try(at) => {
                let statement = self.facts.tries[at as usize];
                let mut catches = self.facts.catches[statement.catches.range()].iter();
                self.never_ends(statement.body, depth + 1)
                    && catches.all(|catch| self.never_ends(catch.body, depth + 1))
            }
            _ => false,
        }
    }

    fn look_for_returns(&self, id: StmtId, shape: &mut LambdaBodyShape, depth: u32) {
        if depth > 60 || shape.gives {
            return;
        }
        let mut go = |id| self.look_for_returns(id, shape, depth + 1);
        match self.facts.stmt(id) {
            Stmt::Return(Some(_)) => shape.gives = true,
            Stmt::Return(None) => shape.ends = true,
            Stmt::Block(stmts) => self.facts.ids(stmts).for_each(go),
            Stmt::If(_, a, b) => {
                go(a);
                if let Some(b) = b {
                    go(b);
                }
            }
            Stmt::While(_, body)
            | Stmt::Do(body, _)
            | Stmt::Using(_, _, body)
            | Stmt::Lock(_, body) => go(body),
            Stmt::For(at) => go(self.facts.fors[at as usize].body),
            Stmt::ForEach(at) => go(self.facts.foreachs[at as usize].body),
            Stmt::Try(at) => {
                let statement = self.facts.tries[at as usize];
                go(statement.body);
                for catch in &self.facts.catches[statement.catches.range()] {
                    go(catch.body);
                }
            }
            Stmt::Switch(_, sections) => {
                for section in &self.facts.sections[sections.range()] {
                    self.facts.ids(section.body).for_each(&mut go);
                }
            }
            _ => {}
        }
    }

    /// Tells whether a function fits where a type without a signature is wanted.
    fn fits_unsigned(&self, wanted: &Ty) -> Fit {
        match wanted {
            Ty::Unknown | Ty::Var(_) | Ty::Missing(_) => Fit::Maybe,
            Ty::Named(id, _)
                if self
                    .project
                    .is_below(self.project.known_types.delegate, *id) =>
            {
                Fit::Maybe
            }
            _ => Fit::No,
        }
    }

    /// Tells whether a lambda can become such a delegate.
    pub(super) fn lambda_fits(&mut self, index: u32, wanted: &Ty, is_sole: bool) -> Fit {
        let Some((params, result)) = self.project.signature(wanted) else {
            return match wanted {
                Ty::Named(id, _) if *id == self.project.known_types.delegate => Fit::Maybe,
                _ => self.fits_unsigned(wanted),
            };
        };
        let lambda = self.facts.lambdas[index as usize];
        if lambda.has_params && lambda.params.len() != params.len() {
            return Fit::No;
        }
        let written = &self.facts.params[lambda.params.range()];
        for (param, written) in params.iter().zip(written) {
            if matches!(self.facts.type_syntax(written.ty), TypeSyntax::Var) {
                continue;
            }
            let ty = self.resolve(written.ty);
            let is_open = ty.has_unknown() || param.ty.has_unknown() || param.ty.has_var();
            if ty != param.ty && !is_open {
                return Fit::No;
            }
        }
        let shape = self.shape(index);
        let value = if lambda.is_async {
            match (&result, self.project.task_value(&result)) {
                (Ty::Void, _) => Ty::Void,
                (_, Some(value)) => value,
                (Ty::Unknown | Ty::Var(_) | Ty::Missing(_), None) => return Fit::Maybe,
                (_, None) => return Fit::No,
            }
        } else {
            result
        };
        let is_block = matches!(lambda.body, Body::Block(_));
        if value == Ty::Void {
            let fits = if is_block { !shape.gives } else { shape.ends };
            if fits && !is_sole && !self.may_assign(index, params) {
                return Fit::No;
            }
            return Fit::from(
                fits || matches!(lambda.body, Body::Expr(expr_id)
                    if matches!(self.facts.expr(expr_id), Expr::Throw(_))),
            );
        }
        if is_block && shape.ends {
            return Fit::No;
        }
        if is_sole || !self.may_probe() {
            return Fit::Yes;
        }
        let takes: Vec<Ty> = params.into_iter().map(|param| param.ty).collect();
        let hint = value.clone();
        let given = self.probe(|walker| {
            let is_async = lambda.is_async;
            let hint = if is_async { walker.task_of(hint) } else { hint };
            walker.lambda(index, &takes, Some(&hint))
        });
        match given {
            Ty::Void if !is_block => Fit::No,
            Ty::Void => Fit::Yes,
            given => self.project.fits(&given, &value),
        }
    }

    /// Tells whether a body that only assigns, as in `(_, it) => seen = it`, could assign a value of the given type.
    fn may_assign(&mut self, index: u32, params: Vec<Param>) -> bool {
        let lambda = self.facts.lambdas[index as usize];
        let Body::Expr(body) = lambda.body else {
            return true;
        };
        let Expr::Assign(operator, left, right) = self.facts.expr(body) else {
            return true;
        };
        let is_name = matches!(self.facts.expr(right), Expr::Name(..));
        if !is_name || self.facts.word(operator.sign) != "=" || !self.may_probe() {
            return true;
        }
        self.probe(|walker| {
            let written = &walker.facts.params[lambda.params.range()];
            for (param, written) in params.into_iter().zip(written) {
                walker.declare(written.name, param.ty);
            }
            let wanted = walker.expr(left, None);
            let given = walker.expr(right, None);
            walker.project.fits(&given, &wanted) != Fit::No
        })
    }

    /// Finds the type that a lambda's body returns for a delegate, to choose between two.
    pub(super) fn lambda_gives(&mut self, index: u32, wanted: &Ty) -> Option<Ty> {
        let (params, _) = self.project.signature(wanted)?;
        if !self.may_probe() {
            return None;
        }
        let takes: Vec<Ty> = params.into_iter().map(|param| param.ty).collect();
        let ty = self.probe(|walker| walker.lambda(index, &takes, None));
        let is_async = self.facts.lambdas[index as usize].is_async;
        Some(if is_async { self.task_of(ty) } else { ty })
    }

    /// Lists the members of a group, each with how many of its parameters the receiver takes: one for extension
    /// methods.
    fn group_members(&self, group: &MethodGroup) -> Vec<(MemberId, usize)> {
        if !group.members.is_empty() {
            return self
                .meant(group)
                .into_iter()
                .map(|member_id| (member_id, 0))
                .collect();
        }
        let members = self.project.extensions(group.name);
        members.iter().map(|&member| (member, 1)).collect()
    }

    fn fitting(&self, group: &MethodGroup, params: &[Ty]) -> Vec<(MemberId, usize)> {
        let members = self.group_members(group);
        let takes = |&(id, skipped): &(MemberId, usize)| {
            let member = self.project.member(id);
            let own = member.params.get(skipped..).unwrap_or_default();
            if own.len() != params.len() || member.kind != MemberKind::Method {
                return Fit::No;
            }
            let bound = self.group_bound(group, member);
            let pairs = params.iter().zip(own);
            pairs
                .map(|(given, own)| {
                    let own = own.ty.with(&bound);
                    if own.has_var() {
                        Fit::Maybe
                    } else {
                        self.project.fits(given, &own)
                    }
                })
                .min()
                .unwrap_or(Fit::Yes)
        };
        let best = members.iter().map(takes).max().unwrap_or(Fit::No);
        if best == Fit::No {
            return Vec::new();
        }
        members
            .into_iter()
            .filter(|member| takes(member) == best)
            .collect()
    }

    pub(super) fn group_fits(&mut self, group: &MethodGroup, wanted: &Ty) -> Fit {
        match self.project.signature(wanted) {
            Some((params, result)) => {
                let takes: Vec<Ty> = params.into_iter().map(|param| param.ty).collect();
                let fitting = self.fitting(group, &takes);
                let Some(&(id, _)) = fitting.first() else {
                    return Fit::No;
                };
                let member = self.project.member(id);
                let gives = member.ty.with(&self.group_bound(group, member));
                match (&result, &gives) {
                    (Ty::Void, _) => Fit::Yes,
                    (_, Ty::Void) => Fit::No,
                    (result, gives) if gives.has_var() || result.has_var() => Fit::Maybe,
                    (result, gives) => self.project.fits(gives, result),
                }
            }
            None => self.fits_unsigned(wanted),
        }
    }

    /// Binds the type parameters of a group's method: those of its class, and its own where they are written.
    fn group_bound(&self, group: &MethodGroup, member: &CSharpMember) -> Bindings {
        let mut bound = self.bound(&group.receiver, member);
        if group.args.len() == member.vars.len() {
            for (&var, ty) in member.vars.iter().zip(&group.args) {
                bound.set(var, ty.clone());
            }
        }
        bound
    }

    /// Finds the result of a group's method for these arguments.
    pub(super) fn group_result(&self, group: &MethodGroup, takes: &[Ty]) -> Option<Ty> {
        let fitting = self.fitting(group, takes);
        let &(id, skipped) = fitting.first()?;
        let member = self.project.member(id);
        let mut bound = self.group_bound(group, member);
        if group.args.is_empty() && !member.vars.is_empty() {
            for (param, given) in member.params.iter().skip(skipped).zip(takes) {
                self.unify(&param.ty, given, &member.vars, &mut bound);
            }
        }
        Some(member.ty.with(&bound))
    }

    /// Records that methods are passed.
    pub(super) fn reference(&mut self, expr: ExprId, group: &MethodGroup, wanted: Option<&Ty>) {
        let signature = wanted.and_then(|ty| self.project.signature(ty));
        let members = match signature {
            Some((params, _)) => {
                let takes: Vec<Ty> = params.into_iter().map(|param| param.ty).collect();
                self.fitting(group, &takes)
            }
            None => Vec::new(),
        };
        let members = if members.is_empty() {
            self.group_members(group)
        } else {
            members
        };
        let ids: Vec<MemberId> = members.into_iter().map(|member| member.0).collect();
        let resolution = self.resolution(&ids);
        let word = self.project.word(group.name).to_owned();
        let name = Span::new(group.at, group.at + word.len() as u32);
        let span = self.facts.span(expr);
        let is_own = matches!(
            resolution,
            Resolution::Declared(_) | Resolution::Ambiguous(_)
        );
        self.note(
            CallKind::Reference,
            (word, name),
            (expr, span, 0),
            resolution,
        );
        if let Some(found) = self.found.last_mut().filter(|_| is_own) {
            found.marks.add(CallMarks::HANDED_OVER);
        }
    }

    /// Returns the type of a value; unknown for any other meaning of an expression.
    pub(super) fn type_of(value: CSharpValue) -> Ty {
        match value {
            CSharpValue::Ty(ty) => ty,
            _ => Ty::Unknown,
        }
    }

    /// Makes the delegate type of a local function.
    pub(super) fn function_type(&self, at: usize) -> Ty {
        let function = &self.functions[at];
        let params = function.params.iter().map(|param: &Param| param.ty.clone());
        self.delegate_of(params.collect(), function.result.clone())
    }

    /// Makes the natural delegate type of a group with one method.
    pub(super) fn natural_group(&self, group: &MethodGroup) -> Ty {
        let [only] = self.meant(group)[..] else {
            return Ty::Unknown;
        };
        let member = self.project.member(only);
        let is_plain = |param: &Param| param.passing == ParameterPassing::Value && !param.is_params;
        if member.vars.len() != group.args.len() || !member.params.iter().all(is_plain) {
            return Ty::Unknown;
        }
        let bound = self.group_bound(group, member);
        let params = member.params.iter().map(|param| param.ty.with(&bound));
        self.delegate_of(params.collect(), member.ty.with(&bound))
    }

    /// Finds the library's delegate type (`Action` or `Func`) for parameters and a result.
    pub(super) fn delegate_of(&self, mut args: Vec<Ty>, result: Ty) -> Ty {
        let name = if result == Ty::Void {
            "Action"
        } else {
            args.push(result);
            "Func"
        };
        match self.project.type_named("System", name, args.len() as u32) {
            Some(id) => Ty::Named(id, args.into()),
            None => Ty::Unknown,
        }
    }
}
