//! Finds the types of expressions, and notes the calls in them on the way.

use crate::run::Run;
use std::sync::Arc;

use super::PythonWalker;
use crate::model::CallKind;
use crate::python::facts::{Clause, Comprehension, Display, Expr, ExprId, Literal};
use crate::python::types::{ClassExactness, Ty, UNKNOWN};

/// Nesting of expressions over all bodies that are walked inside each other; the stack of a thread must hold it.
const DEPTH_MAX: u32 = 400;

impl PythonWalker<'_> {
    /// Finds the type of an expression; chains of any length are followed without recursion.
    pub(in crate::python) fn expr(&mut self, id: ExprId) -> Ty {
        let depth = self.ctx.state.depth.get();
        if depth >= DEPTH_MAX {
            self.ctx.state.taint();
            return UNKNOWN;
        }
        self.ctx.state.depth.set(depth + 1);
        let mut spine = Vec::new();
        let mut at = id;
        loop {
            let first = match self.facts.expr(at) {
                Expr::Call { function, .. } => function,
                Expr::Attr { value, .. } | Expr::Subscript { value, .. } => value,
                Expr::Binary { left, .. } => left,
                _ => break,
            };
            spine.push(at);
            at = first;
        }
        let mut ty = self.leaf(at);
        let mut receiver: Option<Ty> = None;
        while let Some(next) = spine.pop() {
            let is_called = spine.last().is_some_and(
                |expr_id| matches!(self.facts.expr(*expr_id), Expr::Call { function, .. } if function == next),
            );
            let before = ty.clone();
            ty = match self.facts.expr(next) {
                Expr::Call { function, args } => {
                    let of = receiver.take();
                    self.call(next, (function, args), (ty, of))
                }
                Expr::Attr { value, name } => self.member(next, (value, name), (ty, is_called)),
                Expr::Subscript { index, .. } => self.subscript(next, index, ty),
                Expr::Binary { op, right, .. } => self.binary(next, (op, right), &ty),
                _ => UNKNOWN,
            };
            receiver =
                (is_called && matches!(self.facts.expr(next), Expr::Attr { .. })).then_some(before);
        }
        self.ctx.state.depth.set(depth);
        ty
    }

    fn leaf(&mut self, id: ExprId) -> Ty {
        match self.facts.expr(id) {
            Expr::Name(name) => {
                self.at = self.facts.span(id).start;
                self.name(self.sym(name))
            }
            Expr::Str(name) => Ty::Str(self.facts.word(name).into()),
            Expr::Int(_) => Ty::lib_inst("builtins.int"),
            Expr::Literal(literal) => literal_ty(literal),
            Expr::Display(display, run) => self.display(display, run),
            Expr::Unary { op, value } => {
                let ty = self.expr(value);
                self.unary(id, op, ty)
            }
            Expr::Cond { test, then, other } => {
                self.expr(test);
                let then = self.expr(then);
                let other = self.expr(other);
                then.join(other)
            }
            Expr::Comprehension(number) => {
                self.comprehension(self.facts.comprehensions[number as usize])
            }
            Expr::Lambda(number) => self.lambda(number),
            Expr::Await(value) => match self.expr(value) {
                Ty::Await(value) => (*value).clone(),
                value @ (Ty::LibInst(_) | Ty::Unknown(_)) => value,
                Ty::Inst(class, exact) => self.awaited(class, exact),
                _ => UNKNOWN,
            },
            Expr::Yield(value) => {
                let ty = value.map_or(Ty::None, |expr_id| self.expr(expr_id));
                // Where generators are coroutines, `yield` waits as `await` does.
                let awaited = match &ty {
                    Ty::Await(value) => (**value).clone(),
                    _ => UNKNOWN,
                };
                self.yielded(ty);
                awaited
            }
            Expr::YieldFrom(value) => {
                let ty = self.expr(value);
                let element = ty.element().unwrap_or(UNKNOWN);
                self.yielded(element);
                UNKNOWN
            }
            Expr::Star(value) => {
                self.expr(value);
                UNKNOWN
            }
            Expr::Walrus { name, value } => {
                let ty = self.expr(value);
                self.set(self.sym(name), ty.clone());
                ty
            }
            _ => UNKNOWN,
        }
    }

    fn yielded(&mut self, ty: Ty) {
        self.yields = Some(match self.yields.take() {
            Some(known) => known.join(ty),
            None => ty,
        });
    }

    fn display(&mut self, display: Display, run: Run) -> Ty {
        match display {
            Display::Tuple => {
                let parts: Vec<Ty> = run
                    .range()
                    .map(|at| self.element(self.facts.lists[at]))
                    .collect();
                if parts.len() > 40 {
                    return Ty::iter(Ty::join_all(parts));
                }
                Ty::tuple(parts)
            }
            Display::List | Display::Set => {
                let mut element = Ty::None;
                for at in run.range() {
                    let ty = self.element(self.facts.lists[at]);
                    element = element.join(ty);
                }
                Ty::iter(or_unknown(element))
            }
            Display::Dict => self.dict(run),
            Display::Format | Display::Parts => {
                for at in run.range() {
                    let ty = self.expr(self.facts.lists[at]);
                    if display == Display::Format {
                        self.shown(&ty, self.facts.lists[at]);
                    }
                }
                Ty::lib_inst(if display == Display::Format {
                    "builtins.str"
                } else {
                    "builtins.bool"
                })
            }
            Display::Choice => {
                let parts: Vec<Ty> = run
                    .range()
                    .map(|at| self.expr(self.facts.lists[at]))
                    .collect();
                Ty::join_all(parts)
            }
            Display::Both => {
                let mut last = UNKNOWN;
                for at in run.range() {
                    last = self.expr(self.facts.lists[at]);
                }
                last
            }
        }
    }

    /// Finds the type of one part of a list; for `*xs`, the element type of `xs`.
    fn element(&mut self, id: ExprId) -> Ty {
        if let Expr::Star(value) = self.facts.expr(id) {
            let ty = self.expr(value);
            return ty.element().unwrap_or(UNKNOWN);
        }
        self.expr(id)
    }

    fn dict(&mut self, run: Run) -> Ty {
        let mut keys = Ty::None;
        let mut values = Ty::None;
        let list = &self.facts.lists[run.range()];
        for pair in list.chunks_exact(2) {
            if pair[0] == pair[1] {
                self.expr(pair[0]);
                values = values.join(UNKNOWN);
                continue;
            }
            let key = self.expr(pair[0]);
            let value = self.expr(pair[1]);
            keys = keys.join(plain(key));
            values = values.join(value);
        }
        Ty::dict(or_unknown(keys), or_unknown(values))
    }

    fn comprehension(&mut self, comprehension: Comprehension) -> Ty {
        let mark = self.log.len();
        for at in comprehension.clauses.range() {
            let Clause { target, iter, at } = self.facts.clauses[at];
            match target {
                Some(target) => {
                    let ty = self.iterated(iter, at);
                    // The names are the comprehension's own: nobody else ever sees them.
                    let ever = self.ever.take();
                    self.assign(target, &ty);
                    self.ever = ever;
                }
                None => {
                    self.expr(iter);
                }
            }
        }
        let value = self.expr(comprehension.value);
        let second = comprehension.second.map(|expr_id| self.expr(expr_id));
        self.roll_back(mark);
        match second {
            Some(second) => Ty::dict(plain(value), second),
            None => Ty::iter(value),
        }
    }

    fn lambda(&mut self, number: u32) -> Ty {
        let lambda = self.facts.lambdas[number as usize];
        let mark = self.log.len();
        for at in lambda.params.range() {
            let name = self.sym(self.facts.params[at].name);
            if let Some(default) = self.facts.params[at].default {
                self.expr(default);
            }
            self.set_variable((name, None), UNKNOWN);
        }
        self.depth += 1;
        let yields = self.yields.take();
        self.expr(lambda.body);
        self.yields = yields;
        self.depth -= 1;
        self.roll_back(mark);
        Ty::lib_inst("builtins.function")
    }

    /// Finds the type of a member; reading a property is a call.
    fn member(
        &mut self,
        id: ExprId,
        (value, name): (ExprId, crate::python::facts::Name),
        (ty, is_called): (Ty, bool),
    ) -> Ty {
        let name = self.sym(name);
        if let Expr::Name(of) = self.facts.expr(value)
            && let Some(known) = self.env.get(&(self.sym(of), Some(name)))
        {
            return known.clone();
        }
        if self.record.is_some() {
            self.property(id, &ty, name);
        }
        let held = self.ctx.attr(&ty, name);
        if !is_called && let Some(object) = library_value(&held) {
            return object;
        }
        held
    }

    /// Notes the read of a property of the project.
    fn property(&mut self, id: ExprId, ty: &Ty, name: crate::symbols::Sym) {
        let mut targets = Vec::new();
        for part in ty.parts() {
            let class = match part {
                Ty::Inst(class, _) => *class,
                _ => continue,
            };
            if let Some((_, held)) = self.ctx.class_member(class, name)
                && let Some(function) = self.as_property(&held)
            {
                targets.push(Ty::Bound(function, Arc::new(part.clone())));
            }
        }
        if targets.len() == ty.parts().len() && !targets.is_empty() {
            let word = self.project.word(name).to_owned();
            let callee = Ty::join_all(targets);
            self.note(CallKind::Property, id, (word, 0), &callee);
        }
    }

    fn as_property(&self, held: &Ty) -> Option<crate::python::types::ScopeId> {
        match held {
            Ty::Property(function) => Some(*function),
            Ty::Func(function) if self.ctx.decorated(*function).is_property => Some(*function),
            _ => None,
        }
    }

    fn awaited(&self, class: crate::python::types::ScopeId, exact: ClassExactness) -> Ty {
        let receiver = Ty::Inst(class, exact);
        let Some(name) = self.project.find("__await__") else {
            return UNKNOWN;
        };
        match self.ctx.function_member(class, name) {
            Some(function) => {
                let given = self.ctx.result(function, Some(&receiver), &[]);
                given.element().unwrap_or(UNKNOWN)
            }
            None => UNKNOWN,
        }
    }
}

/// Widens a known string to any string.
fn plain(ty: Ty) -> Ty {
    match ty {
        Ty::Str(_) => Ty::lib_inst("builtins.str"),
        other => other,
    }
}

fn library_value(held: &Ty) -> Option<Ty> {
    match held {
        // Every object has it: it is data of unknown type.
        Ty::Lib(path) if path.starts_with("builtins.object.") => Some(UNKNOWN),
        _ => None,
    }
}

pub(super) fn or_unknown(ty: Ty) -> Ty {
    match ty {
        Ty::None => UNKNOWN,
        other => other,
    }
}

fn literal_ty(literal: Literal) -> Ty {
    Ty::lib_inst(match literal {
        Literal::None => return Ty::None,
        Literal::Bool => "builtins.bool",
        Literal::Int => "builtins.int",
        Literal::Float => "builtins.float",
        Literal::Bytes => "builtins.bytes",
        Literal::Str => "builtins.str",
        Literal::Ellipsis => "builtins.ellipsis",
    })
}
