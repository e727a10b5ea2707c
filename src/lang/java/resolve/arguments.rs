//! Arguments of a call: some are typed at once, others wait until the method and its parameters are known.

use std::ops::Range;

use super::member::settle;
use super::{ExpectedType, JavaWalker};
use crate::java::class::JavaMember;
use crate::java::facts::{
    Expr, ExprId, Ids, LambdaBody, SiteId, SiteKind, Stmt, StmtId, TypeSyntax,
};
use crate::java::infer::{Inference, UnsolvedVariables};
use crate::java::overload::{Arg, JavaCandidate, LambdaShape, Phase, Uses, param_at};
use crate::java::types::{Subst, Ty};

/// How deep nested calls are searched for lambdas that must wait.
const LOOK_MAX: u32 = 6;

enum State<'p> {
    Typed(Ty),
    /// A generic call whose type depends partly on the expected type.
    Open(Ty, Box<PendingGenericCall<'p>>),
    Lambda(u32, LambdaShape),
    Reference(SiteId, Uses),
    /// A generic call or a conditional whose lambdas need its expected type.
    Deferred,
}

/// A generic call that was typed before its expected type was known.
pub(super) struct PendingGenericCall<'p> {
    pub site: SiteId,
    /// The result as declared, with the method's variables in it.
    pub result: Ty,
    pub inference: Inference<'p>,
}

impl PendingGenericCall<'_> {
    /// Tells whether the result is a type variable of the method without any binding.
    fn is_free(&self) -> bool {
        matches!(&self.result, Ty::Var(var) if self.inference.is_free(*var))
    }

    /// Types the result where `target` is expected.
    fn typed_for(&self, target: &Ty) -> Ty {
        let mut inference = self.inference.clone();
        inference.want(&self.result, target);
        settle(
            &inference
                .solve(UnsolvedVariables::Unknown)
                .apply(&self.result),
        )
    }
}

/// The arguments of one call, in order.
pub(super) struct Arguments<'p> {
    slots: Vec<(ExprId, State<'p>)>,
}

/// The method that was chosen for the arguments.
pub(super) struct ChosenMethod<'p> {
    pub member: &'p JavaMember,
    pub phase: Phase,
    /// The values of the declaring class's variables.
    pub subst: Subst,
    /// The variables to be inferred.
    pub vars: Range<u32>,
    pub is_raw: bool,
}

impl ChosenMethod<'_> {
    /// Looks up the parameter type for the argument at `at`.
    fn param(&self, at: usize, args: &Arguments<'_>) -> Ty {
        param_at(self.member, at, args.slots.len(), self.phase)
            .map_or(Ty::Unknown, |param| self.subst.apply(param))
    }
}

impl Arguments<'_> {
    /// Lists the arguments as overload resolution sees them.
    pub(super) fn for_choice(&self) -> Vec<Arg> {
        self.slots
            .iter()
            .map(|(_, state)| match state {
                State::Open(_, open) if open.is_free() => Arg::Free,
                State::Typed(ty) | State::Open(ty, _) => Arg::Ty(ty.clone()),
                State::Lambda(_, shape) => Arg::Lambda(shape.clone()),
                State::Reference(_, uses) => Arg::Reference(uses.clone()),
                State::Deferred => Arg::Ty(Ty::Unknown),
            })
            .collect()
    }
}

impl<'p> JavaWalker<'p> {
    /// Types the arguments whose type does not depend on the method.
    pub(super) fn arguments(&mut self, ids: Ids<ExprId>) -> Arguments<'p> {
        let slots = self
            .facts
            .ids(ids)
            .map(|id| {
                let state = match self.facts.expr(id) {
                    Expr::Lambda(index) => State::Lambda(index, self.shape_of(index)),
                    Expr::Site(site) if self.is_reference(site) => {
                        State::Reference(site, self.uses_of(site))
                    }
                    _ if self.waits(id, 0) => State::Deferred,
                    expr => {
                        self.open = None;
                        let ty = self.expr(id, ExpectedType::Nothing);
                        match (self.open.take(), expr) {
                            (Some(open), Expr::Site(site)) if open.site == site => {
                                State::Open(ty, Box::new(open))
                            }
                            _ => State::Typed(ty),
                        }
                    }
                };
                (id, state)
            })
            .collect();
        Arguments { slots }
    }

    fn is_reference(&self, site: SiteId) -> bool {
        matches!(
            self.facts.site(site).kind,
            SiteKind::Reference | SiteKind::NewReference
        )
    }

    /// Tells whether the type of an argument depends on its expected type.
    fn waits(&self, id: ExprId, depth: u32) -> bool {
        if depth > LOOK_MAX {
            return false;
        }
        match self.facts.expr(id) {
            Expr::Conditional(_, yes, no) => {
                [yes, no]
                    .into_iter()
                    .any(|part| match self.facts.expr(part) {
                        Expr::Lambda(_) => true,
                        Expr::Site(site) => self.is_reference(site),
                        _ => false,
                    })
            }
            Expr::Site(site) => {
                let site = self.facts.site(site);
                let is_generic = match site.kind {
                    SiteKind::Call => site.object.is_none_or(|object| self.looks_static(object)),
                    SiteKind::New => site.ty.is_some_and(|ty| {
                        matches!(self.facts.type_syntax(ty), TypeSyntax::Diamond { .. })
                    }),
                    _ => false,
                };
                is_generic
                    && self
                        .facts
                        .ids(site.args)
                        .any(|arg| match self.facts.expr(arg) {
                            Expr::Lambda(index) => {
                                let lambda = self.facts.lambdas[index as usize];
                                !lambda.params.range().is_empty()
                            }
                            Expr::Site(site) if self.is_reference(site) => true,
                            _ => self.waits(arg, depth + 1),
                        })
            }
            _ => false,
        }
    }

    fn looks_static(&self, object: ExprId) -> bool {
        match self.facts.expr(object) {
            Expr::Name(name) | Expr::Field(_, name) => {
                self.facts.names.get(name).starts_with(char::is_uppercase)
            }
            _ => false,
        }
    }

    fn shape_of(&self, index: u32) -> LambdaShape {
        let lambda = self.facts.lambdas[index as usize];
        let params = &self.facts.locals[lambda.params.range()];
        let (may_be_void, may_be_value) = match lambda.body {
            LambdaBody::Expr(body) => (self.is_statement_expr(body), true),
            LambdaBody::Block(body) => {
                let returns = self.returns_of(body);
                // A body that never ends by itself (a throw, say) fits both.
                (
                    returns != Some(true),
                    returns == Some(true) || (returns.is_none() && self.never_ends(body)),
                )
            }
        };
        LambdaShape {
            n_params: params.len(),
            may_be_void,
            may_be_value,
            is_explicit: params.iter().all(|param| param.ty.is_some()),
            value: Ty::Unknown,
        }
    }

    fn is_statement_expr(&self, id: ExprId) -> bool {
        match self.facts.expr(id) {
            Expr::Site(site) => !self.is_reference(site),
            Expr::Assign(..) => true,
            Expr::Unary(op, _) => op == crate::java::facts::Op::Sign,
            _ => false,
        }
    }

    /// Tells whether a body's `return`s carry values; none when it has no `return` at all.
    fn returns_of(&self, id: StmtId) -> Option<bool> {
        let any = |walker: &Self, ids: &[StmtId]| ids.iter().find_map(|&id| walker.returns_of(id));
        match self.facts.stmt(id) {
            Stmt::Return(value) => Some(value.is_some()),
            Stmt::Block(ids) => self.facts.ids(ids).find_map(|id| self.returns_of(id)),
            Stmt::If(_, yes, no) => self
                .returns_of(yes)
                .or_else(|| no.and_then(|no| self.returns_of(no))),
            Stmt::While(_, body)
            | Stmt::DoWhile(body, _)
            | Stmt::ForEach(_, body)
            | Stmt::Labeled(body)
            | Stmt::Synchronized(_, body) => self.returns_of(body),
            Stmt::For(index) => self.returns_of(self.facts.fors[index as usize].body),
            Stmt::Try(index) => {
                let statement = self.facts.tries[index as usize];
                let catches = &self.facts.catches[statement.catches.range()];
                self.returns_of(statement.body)
                    .or_else(|| {
                        catches
                            .iter()
                            .find_map(|clause| self.returns_of(clause.body))
                    })
                    .or_else(|| {
                        statement
                            .finally
                            .and_then(|finally| self.returns_of(finally))
                    })
            }
            Stmt::Expr(expr) => match self.facts.expr(expr) {
                Expr::Switch(index) => {
                    let cases = self.facts.switches[index as usize].cases;
                    self.facts.cases[cases.range()].iter().find_map(|case| {
                        let ids: Vec<StmtId> = self.facts.ids(case.body).collect();
                        any(self, &ids)
                    })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Tells whether a body plainly ends in `throw` or an endless loop.
    fn never_ends(&self, id: StmtId) -> bool {
        match self.facts.stmt(id) {
            Stmt::Throw(_) => true,
            Stmt::Block(ids) => self
                .facts
                .ids(ids)
                .next_back()
                .is_some_and(|last| self.never_ends(last)),
            Stmt::While(condition, _) => {
                matches!(self.facts.expr(condition), Expr::Literal(_))
            }
            _ => false,
        }
    }

    /// Types bodies of lambdas whose value may decide between several methods.
    pub(super) fn type_ahead(
        &mut self,
        candidates: &[JavaCandidate<'p>],
        args: &mut Arguments<'p>,
    ) {
        let n_fitting = candidates
            .iter()
            .filter(|candidate| candidate.member.params.len() == args.slots.len())
            .count();
        if n_fitting < 2 {
            return;
        }
        for (_, state) in &mut args.slots {
            let State::Lambda(index, shape) = state else {
                continue;
            };
            if !shape.is_explicit || !shape.may_be_value {
                continue;
            }
            if !matches!(
                self.facts.lambdas[*index as usize].body,
                LambdaBody::Expr(_)
            ) {
                continue;
            }
            let ty = self.lambda(*index, &[], None);
            if ty == Ty::Void {
                shape.may_be_value = false;
            } else if ty != Ty::Null {
                shape.value = ty.clone();
            }
            self.bodies.push((*index, ty));
        }
    }

    /// Types the postponed arguments without an expected type; returns whether there were any.
    pub(super) fn type_deferred(&mut self, args: &mut Arguments<'p>) -> bool {
        let mut has_typed = false;
        for (id, state) in &mut args.slots {
            if matches!(state, State::Deferred) {
                *state = State::Typed(self.expr(*id, ExpectedType::Nothing));
                has_typed = true;
            }
        }
        has_typed
    }

    /// Walks the postponed arguments without an expected type.
    pub(super) fn finish_arguments(&mut self, args: &mut Arguments<'p>) {
        for (id, state) in &args.slots {
            match state {
                State::Typed(_) | State::Open(..) => {}
                State::Lambda(index, _) => {
                    if self.take_body(*index).is_none() {
                        self.lambda(*index, &[], None);
                    }
                }
                State::Reference(site, _) => {
                    self.reference(*site, None);
                }
                State::Deferred => {
                    self.expr(*id, ExpectedType::Nothing);
                }
            }
        }
    }

    fn take_body(&mut self, index: u32) -> Option<Ty> {
        let at = self.bodies.iter().position(|(body, _)| *body == index)?;
        Some(self.bodies.swap_remove(at).1)
    }

    /// Walks a lambda that stands where a type is wanted.
    pub(super) fn lambda_for(&mut self, index: u32, expect: ExpectedType<'_>) {
        let function = match expect {
            ExpectedType::Type(ty) => self.project.function_of(ty),
            _ => None,
        };
        match function {
            Some(function) => self.lambda(index, &function.params, Some(&function.result)),
            None => self.lambda(index, &[], None),
        };
    }

    /// Learns from the arguments that have types.
    pub(super) fn infer_from_types(
        args: &Arguments<'p>,
        chosen: &ChosenMethod<'_>,
        inference: &mut Inference<'_>,
    ) {
        if inference.is_empty() {
            return;
        }
        for (at, (_, state)) in args.slots.iter().enumerate() {
            if let State::Typed(ty) = state {
                inference.give(&chosen.param(at, args), ty);
            }
        }
    }

    /// Walks lambdas, references and postponed calls, each of which learns from those before it.
    pub(super) fn infer_from_functions(
        &mut self,
        args: &Arguments<'p>,
        chosen: &ChosenMethod<'_>,
        inference: &mut Inference<'_>,
    ) {
        let mut rest: Vec<usize> = (0..args.slots.len())
            .filter(|&at| !matches!(args.slots[at].1, State::Typed(_)))
            .collect();
        while !rest.is_empty() {
            let at = rest.remove(self.next_function(&rest, args, chosen, inference));
            let param = chosen.param(at, args);
            let (id, state) = &args.slots[at];
            let target = || inference.solve(UnsolvedVariables::Unknown).apply(&param);
            match state {
                State::Typed(_) => {}
                State::Lambda(index, _) => self.infer_from_lambda(*index, &param, inference),
                State::Reference(site, _) => self.infer_from_reference(*site, &param, inference),
                State::Open(_, open) => {
                    let ty = open.typed_for(&target());
                    // Nothing about a variable is learnt from a call that fits any type.
                    if !(open.is_free() && ty.is_unknown()) {
                        inference.give(&param, &ty);
                    }
                }
                State::Deferred => {
                    let target = target();
                    let ty = self.expr(*id, ExpectedType::Type(&target));
                    inference.give(&param, &ty);
                }
            }
        }
    }

    /// Chooses the next of several arguments: first those whose parameters' types are known (JLS 18.5.2.2), then calls,
    /// then the rest.
    fn next_function(
        &self,
        rest: &[usize],
        args: &Arguments<'p>,
        chosen: &ChosenMethod<'_>,
        inference: &Inference<'_>,
    ) -> usize {
        if rest.len() < 2 {
            return 0;
        }
        let known = inference.solve(UnsolvedVariables::Unknown);
        let is_ready = |&at: &usize| {
            let is_function = match &args.slots[at].1 {
                State::Lambda(_, shape) if shape.is_explicit => return true,
                State::Lambda(..) | State::Reference(..) => true,
                _ => false,
            };
            is_function
                && self
                    .project
                    .function_of(&chosen.param(at, args))
                    .is_some_and(|function| {
                        let mut params = function.params.iter();
                        params.all(|param| !known.apply(param).is_partly_unknown())
                    })
        };
        let is_call = |&at: &usize| matches!(args.slots[at].1, State::Open(..) | State::Deferred);
        rest.iter()
            .position(is_ready)
            .or_else(|| rest.iter().position(is_call))
            .unwrap_or(0)
    }

    fn infer_from_lambda(&mut self, index: u32, param: &Ty, inference: &mut Inference<'_>) {
        let Some(function) = self.project.function_of(param) else {
            if self.take_body(index).is_none() {
                self.lambda(index, &[], None);
            }
            return;
        };
        let lambda = self.facts.lambdas[index as usize];
        for (at, variable) in self.facts.locals[lambda.params.range()].iter().enumerate() {
            if let (Some(ty), Some(param)) = (variable.ty, function.params.get(at))
                && !self.is_var(ty)
            {
                inference.give(param, &self.resolve(ty));
            }
        }
        let known = inference.solve(UnsolvedVariables::Unknown);
        let params: Vec<Ty> = function
            .params
            .iter()
            .map(|param| settle(&known.apply(param)))
            .collect();
        let wanted = known.apply(&function.result);
        let ty = match self.take_body(index) {
            Some(ty) => ty,
            None => self.lambda(index, &params, Some(&wanted)),
        };
        inference.give(&function.result, &ty);
    }

    fn infer_from_reference(&mut self, site: SiteId, param: &Ty, inference: &mut Inference<'_>) {
        let Some(function) = self.project.function_of(param) else {
            self.reference(site, None);
            return;
        };
        let known = inference.solve(UnsolvedVariables::Unknown);
        let params: Vec<Ty> = function
            .params
            .iter()
            .map(|param| settle(&known.apply(param)))
            .collect();
        let outcome = self.reference_with(site, Some(&params));
        if let (Some(receiver), Some(first)) = (&outcome.receiver, function.params.first())
            && params.first().is_some_and(Ty::is_unknown)
        {
            inference.give(first, receiver);
        }
        inference.give(&function.result, &outcome.result);
    }
}
