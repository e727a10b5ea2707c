//! Walks statements: binds their names, and merges their branches.

use super::{PythonWalker, VariableKey};
use crate::model::CallKind;
use crate::python::facts::{Display, Expr, ExprId, ScopeKind, Stmt, StmtId, WithItem};
use crate::python::types::{ClassExactness, Ty, UNKNOWN};
use crate::run::Run;
use crate::symbols::Sym;

impl PythonWalker<'_> {
    /// Walks statements; returns whether nothing after them runs.
    pub(super) fn block(&mut self, block: Run) -> bool {
        let mut is_over = false;
        for at in block.range() {
            is_over |= self.stmt(self.facts.blocks[at]);
        }
        is_over
    }

    fn stmt(&mut self, id: StmtId) -> bool {
        match self.facts.stmt(id) {
            Stmt::Expr(value) => {
                self.expr(value);
            }
            Stmt::Assign { targets, value } => {
                let ty = self.expr(value);
                for at in targets.range() {
                    self.assign(self.facts.lists[at], &ty);
                }
            }
            Stmt::Annotated {
                target,
                annotation,
                value,
            } => self.annotated(target, annotation, value),
            Stmt::Augmented { target, value } => self.augmented(target, value),
            Stmt::Return(value) => {
                let ty = value.map_or(Ty::None, |expr_id| self.expr(expr_id));
                self.returns = Some(match self.returns.take() {
                    Some(known) => known.join(ty),
                    None => ty,
                });
                return true;
            }
            Stmt::If { branches } => return self.if_statement(branches),
            Stmt::While { test, body, other } => {
                self.expr(test);
                self.branch(|walker| walker.block(body));
                self.block(other);
            }
            Stmt::For {
                target,
                iter,
                body,
                other,
            } => {
                let at = self.facts.stmt_span(id).start;
                let ty = self.iterated(iter, at);
                self.branch(|walker| {
                    walker.assign(target, &ty);
                    walker.block(body)
                });
                self.block(other);
            }
            Stmt::With { items, body } => {
                let at = self.facts.stmt_span(id).start;
                for item in items.range() {
                    self.item(self.facts.items[item], at);
                }
                return self.block(body);
            }
            Stmt::Try {
                body,
                handlers,
                other,
                last,
            } => {
                return self.try_statement((body, handlers, other, last));
            }
            Stmt::Match { subject, branches } => {
                self.expr(subject);
                self.match_statement(branches);
            }
            Stmt::Define(local) => self.define(local),
            Stmt::Import(imports) => self.import(imports),
            Stmt::Assert(parts) => {
                for at in parts.range() {
                    self.expr(self.facts.lists[at]);
                }
                if let Some(test) = self.facts.list(parts).first() {
                    self.narrow(*test);
                }
            }
            Stmt::Raise(parts) => {
                self.all(parts);
                return true;
            }
            Stmt::Leave => return true,
            Stmt::Other(parts) => self.all(parts),
        }
        false
    }

    fn annotated(&mut self, target: ExprId, annotation: ExprId, value: Option<ExprId>) {
        let written = self.annotation(annotation);
        let given = value.map(|expr_id| self.expr(expr_id));
        let is_field = self.project.kind(self.scope) == ScopeKind::Class || value.is_some();
        if is_field || given.is_some() {
            let given = given.filter(|ty| !matches!(ty, Ty::None));
            let ty = self.narrower(given, written);
            self.assign(target, &ty);
        } else {
            self.assign(target, &written);
        }
    }

    fn augmented(&mut self, target: ExprId, value: ExprId) {
        let left = self.expr(target);
        self.expr(value);
        if !matches!(left, Ty::Inst(..) | Ty::Iter(_))
            && matches!(self.facts.expr(target), Expr::Name(_))
        {
            let ty = if left.is_unknown() { left } else { loose(left) };
            self.assign(target, &ty);
        }
    }

    fn import(&mut self, imports: Run) {
        for at in imports.range() {
            let import = self.facts.imports[at];
            if !import.is_star {
                let ty = self.ctx.import(self.file_id, &import);
                self.set(self.sym(import.bound), ty);
            }
        }
    }

    fn all(&mut self, parts: Run) {
        for at in parts.range() {
            self.expr(self.facts.lists[at]);
        }
    }

    fn define(&mut self, local: u32) {
        let scope = self.ctx.scope_of(self.file_id, local);
        let inner = *self.facts.scope(local);
        for at in inner.decorators.range() {
            self.decorator(self.facts.lists[at]);
        }
        for at in inner.bases.range() {
            self.expr(self.facts.args[at].value);
        }
        for at in inner.params.range() {
            if let Some(default) = self.facts.params[at].default {
                self.expr(default);
            }
        }
        let ty = self.ctx.defined(scope);
        let name = self.sym(inner.name);
        self.set(name, ty);
    }

    /// Walks a decorator; one without brackets is noted as a reference, for it is called with the function.
    fn decorator(&mut self, id: ExprId) {
        let ty = self.expr(id);
        if self.record.is_some() && matches!(self.facts.expr(id), Expr::Name(_) | Expr::Attr { .. })
        {
            self.hand_over(id, &ty, CallKind::Reference);
        }
    }

    // Branches.

    /// Walks code that may or may not run, and merges its changes.
    fn branch(&mut self, f: impl FnOnce(&mut Self) -> bool) {
        let mark = self.log.len();
        let is_over = f(self);
        let changed = self.roll_back(mark);
        if !is_over {
            self.merge(vec![changed], true);
        }
    }

    /// Merges the variables that several branches have changed; with `is_open`, all of them may be skipped.
    fn merge(&mut self, ways: Vec<Vec<(VariableKey, Ty)>>, is_open: bool) {
        let n_ways = ways.len();
        let mut joined: Vec<(VariableKey, Ty, usize)> = Vec::new();
        let mut places: rustc_hash::FxHashMap<VariableKey, usize> =
            rustc_hash::FxHashMap::default();
        for (key, ty) in ways.into_iter().flatten() {
            if let Some(at) = places.get(&key) {
                let (_, known, n) = &mut joined[*at];
                *known = std::mem::replace(known, Ty::None).join(ty);
                *n += 1;
            } else {
                places.insert(key, joined.len());
                joined.push((key, ty, 1));
            }
        }
        for (key, mut ty, n) in joined {
            if is_open || n < n_ways {
                match self.env.get(&key) {
                    Some(before) => ty = before.clone().join(ty),
                    // A member without an earlier type is unknown afterwards.
                    None if key.1.is_some() => ty = UNKNOWN,
                    None => {}
                }
            }
            self.set_variable(key, ty);
        }
    }

    fn if_statement(&mut self, branches: Run) -> bool {
        let mut ways = Vec::new();
        let mut is_open = true;
        for at in branches.range() {
            let branch = self.facts.branches[at];
            if let Some(test) = branch.test {
                self.expr(test);
            } else {
                is_open = false;
            }
            let mark = self.log.len();
            if let Some(test) = branch.test {
                self.narrow(test);
            }
            let is_over = self.block(branch.body);
            let changed = self.roll_back(mark);
            if !is_over {
                ways.push(changed);
            }
        }
        let is_over = ways.is_empty() && !is_open;
        self.merge(ways, is_open);
        is_over
    }

    fn match_statement(&mut self, branches: Run) {
        let mut ways = Vec::new();
        for at in branches.range() {
            let mark = self.log.len();
            let is_over = self.block(self.facts.branches[at].body);
            let changed = self.roll_back(mark);
            if !is_over {
                ways.push(changed);
            }
        }
        self.merge(ways, true);
    }

    fn try_statement(&mut self, (body, handlers, other, last): (Run, Run, Run, Run)) -> bool {
        let mut ways = Vec::new();
        let mark = self.log.len();
        let is_over = self.block(body) || self.block(other);
        let changed = self.roll_back(mark);
        if !is_over {
            ways.push(changed);
        }
        for at in handlers.range() {
            let handler = self.facts.handlers[at];
            let mark = self.log.len();
            let types = handler.types.map(|expr_id| self.expr(expr_id));
            if let Some(name) = handler.name {
                let ty = types.as_ref().map_or(UNKNOWN, instance_of);
                self.set(self.sym(name), ty);
            }
            let is_over = self.block(handler.body);
            let changed = self.roll_back(mark);
            if !is_over {
                ways.push(changed);
            }
        }
        let is_over = ways.is_empty();
        self.merge(ways, false);
        self.block(last) || is_over
    }

    /// Narrows the types of variables by a test that holds: `isinstance`, alone or joined by `and`.
    fn narrow(&mut self, test: ExprId) {
        match self.facts.expr(test) {
            Expr::Call { function, args } => {
                let args = &self.facts.args[args.range()];
                let [value, class] = args else { return };
                let is_test = matches!(self.facts.expr(function), Expr::Name(name)
                    if self.facts.word(name) == "isinstance");
                let Some(key) = self.key_of(value.value).filter(|_| is_test) else {
                    return;
                };
                let record = self.record.take();
                let known = self.expr(value.value);
                let class = self.expr(class.value);
                self.record = record;
                let is_known = matches!((&known, &class), (Ty::Inst(made, _), Ty::Class(class, _))
                    if self.ctx.derives(*made, *class));
                let ty = instance_of(&class);
                if !is_known && !ty.is_unknown() {
                    self.set_variable(key, ty);
                }
            }
            Expr::Display(Display::Both, parts) => {
                for at in parts.range() {
                    self.narrow(self.facts.lists[at]);
                }
            }
            _ => {}
        }
    }

    pub(super) fn key_of(&self, id: ExprId) -> Option<VariableKey> {
        match self.facts.expr(id) {
            Expr::Name(name) => Some((self.sym(name), None)),
            Expr::Attr { value, name } => match self.facts.expr(value) {
                Expr::Name(of) => Some((self.sym(of), Some(self.sym(name)))),
                _ => None,
            },
            _ => None,
        }
    }

    // Targets.

    pub(super) fn assign(&mut self, target: ExprId, ty: &Ty) {
        match self.facts.expr(target) {
            Expr::Name(name) => self.set(self.sym(name), ty.clone()),
            Expr::Attr { value, name } => {
                let holder = self.assign_member(value, self.sym(name), ty);
                self.note_setter(target, &holder, self.sym(name));
            }
            Expr::Subscript { value, index } => {
                self.expr(value);
                self.expr(index);
            }
            Expr::Display(_, run) => {
                let n = run.len();
                for (at, element) in run.range().enumerate() {
                    let part = unpacked(ty, at, n);
                    self.assign(self.facts.lists[element], &part);
                }
            }
            Expr::Star(value) => {
                let rest = ty.element().map_or(UNKNOWN, Ty::iter);
                self.assign(value, &rest);
            }
            _ => {}
        }
    }

    /// Assigns to a member, and returns the type of the object that has it.
    fn assign_member(&mut self, value: ExprId, name: Sym, ty: &Ty) -> Ty {
        let holder = self.expr(value);
        match self.facts.expr(value) {
            Expr::Name(of) => {
                let of = self.sym(of);
                if self.receiver == Some(of) {
                    self.fields.push((name, ty.clone()));
                }
                self.set_variable((of, Some(name)), ty.clone());
            }
            Expr::Attr { name: cls, .. }
                if self.ctx.is_word(self.sym(cls), "cls")
                    && (matches!(holder, Ty::Class(..)) || holder.is_unknown()) =>
            {
                self.class_fields.push((name, ty.clone()));
            }
            _ => {}
        }
        holder
    }

    /// Notes the call of a setter where a property is assigned.
    fn note_setter(&mut self, target: ExprId, holder: &Ty, name: Sym) {
        if self.record.is_none() {
            return;
        }
        let setter = |ty: &Ty| match ty {
            Ty::Inst(class, _) => self.ctx.setter(*class, name).map(Ty::Func),
            _ => None,
        };
        let setters: Option<Vec<Ty>> = holder.parts().iter().map(setter).collect();
        if let Some(setters) = setters.filter(|setter| !setter.is_empty()) {
            let word = self.project.word(name).to_owned();
            self.note(
                CallKind::Property,
                target,
                (word, 1),
                &Ty::join_all(setters),
            );
        }
    }

    fn item(&mut self, item: WithItem, at: u32) {
        let ty = self.expr(item.value);
        let entered = self.entered(&ty, at, item.value);
        if let Some(target) = item.target {
            self.assign(target, &entered);
        }
    }
}

/// Makes an object of a class or of one of several.
fn instance_of(classes: &Ty) -> Ty {
    match classes {
        Ty::Class(class, _) => Ty::Inst(*class, ClassExactness::AtLeast),
        Ty::Lib(path) => Ty::LibInst(path.clone()),
        Ty::Tuple(parts) | Ty::Union(parts) => Ty::join_all(parts.iter().map(instance_of)),
        _ => UNKNOWN,
    }
}

/// Takes the `at`-th of `n` parts of an unpacked value.
fn unpacked(ty: &Ty, at: usize, n: usize) -> Ty {
    match ty {
        Ty::Tuple(parts) if parts.len() == n => parts[at].clone(),
        Ty::Union(parts) => Ty::join_all(parts.iter().map(|ty| unpacked(ty, at, n))),
        Ty::LibInst(_) => ty.clone(),
        other => other.element().unwrap_or(UNKNOWN),
    }
}

/// Widens the type of a value that something was added to.
fn loose(ty: Ty) -> Ty {
    match ty {
        Ty::Str(_) => Ty::lib_inst("builtins.str"),
        Ty::Tuple(_) => Ty::iter(ty.element().unwrap_or(UNKNOWN)),
        other => other,
    }
}
