//! Statements: their variables, the scopes of these, and the expressions in them.

use super::member::settle;
use super::{ExpectedType, JavaWalker};
use crate::java::facts::{Expr, ExprId, Ids, Op, Pattern, PatternId, Stmt, StmtId, Variable};
use crate::java::library::known;
use crate::java::types::Ty;

impl JavaWalker<'_> {
    fn block(&mut self, statements: Ids<StmtId>) {
        let n_locals = self.locals.len();
        let n_classes = self.local_classes.len();
        for statement in self.facts.ids(statements) {
            self.stmt(statement);
        }
        self.locals.truncate(n_locals);
        self.local_classes.truncate(n_classes);
    }

    pub(super) fn stmt(&mut self, id: StmtId) {
        match self.facts.stmt(id) {
            Stmt::Nothing => {}
            Stmt::Block(statements) => self.block(statements),
            Stmt::Local(run) => {
                for at in run.range() {
                    self.local(self.facts.locals[at]);
                }
            }
            Stmt::LocalType(index) => {
                let name = self.sym(self.facts.types[index as usize].name);
                let class = self.class_of(index);
                self.local_classes.push((name, class));
                self.class_body(index);
            }
            Stmt::Expr(expr) => {
                let n_locals = self.locals.len();
                self.expr(expr, ExpectedType::Nothing);
                self.locals.truncate(n_locals);
            }
            Stmt::Return(value) => self.return_statement(value),
            Stmt::Yield(value) => {
                let ty = self.expr(value, ExpectedType::Nothing);
                self.give_yield(ty);
            }
            Stmt::Throw(value) => {
                self.expr(value, ExpectedType::Nothing);
            }
            Stmt::If(condition, yes, no) => self.if_statement(condition, yes, no),
            Stmt::While(condition, body) => {
                let n_locals = self.locals.len();
                self.expr(condition, ExpectedType::Nothing);
                self.stmt(body);
                if !self.is_negated_pattern(condition) {
                    self.locals.truncate(n_locals);
                }
            }
            Stmt::DoWhile(body, condition) => {
                self.stmt(body);
                self.expr(condition, ExpectedType::Nothing);
            }
            Stmt::For(index) => self.for_statement(index),
            Stmt::ForEach(index, body) => self.for_each(index, body),
            Stmt::Labeled(body) => self.stmt(body),
            Stmt::Try(index) => self.try_statement(index),
            Stmt::Synchronized(lock, body) => {
                self.expr(lock, ExpectedType::Nothing);
                self.stmt(body);
            }
            Stmt::Assert(exprs) => {
                let n_locals = self.locals.len();
                for expr in self.facts.ids(exprs) {
                    self.expr(expr, ExpectedType::Nothing);
                }
                self.locals.truncate(n_locals);
            }
        }
    }

    fn local(&mut self, variable: Variable) {
        let declared = variable.ty.filter(|&ty| !self.is_var(ty));
        let n_locals = self.locals.len();
        let ty = if let Some(ty) = declared {
            let ty = self.resolve(ty);
            if let Some(init) = variable.init {
                self.expr(init, ExpectedType::Type(&ty));
            }
            ty
        } else {
            variable
                .init
                .map_or(Ty::Unknown, |init| self.expr(init, ExpectedType::Member))
        };
        self.locals.truncate(n_locals);
        self.declare(variable.name, ty);
    }

    fn return_statement(&mut self, value: Option<ExprId>) {
        let Some(value) = value else { return };
        let n_locals = self.locals.len();
        let wanted = self
            .returning
            .last()
            .and_then(|returning| returning.expected.clone());
        let ty = self.expr(
            value,
            wanted
                .as_ref()
                .map_or(ExpectedType::Nothing, ExpectedType::Type),
        );
        self.locals.truncate(n_locals);
        let project = self.project;
        if let Some(returning) = self.returning.last_mut() {
            returning.common_type = Some(match returning.common_type.take() {
                None => ty,
                Some(other) => project.common(&other, &ty),
            });
        }
    }

    fn give_yield(&mut self, ty: Ty) {
        let project = self.project;
        if let Some(slot) = self.yields.last_mut() {
            *slot = Some(match slot.take() {
                None => ty,
                Some(other) => project.common(&other, &ty),
            });
        }
    }

    /// Walks an `if`; variables of a pattern in its condition stay in scope behind it when its branch never ends
    /// normally.
    fn if_statement(&mut self, condition: ExprId, yes: StmtId, no: Option<StmtId>) {
        let n_before = self.locals.len();
        self.expr(condition, ExpectedType::Nothing);
        let n_bound = self.locals.len();
        self.stmt(yes);
        self.locals.truncate(n_bound);
        if let Some(no) = no {
            self.stmt(no);
        }
        if n_bound > n_before && !self.leaves(yes) {
            self.locals.truncate(n_before);
        } else {
            self.locals.truncate(n_bound);
        }
    }

    fn is_negated_pattern(&self, condition: ExprId) -> bool {
        matches!(self.facts.expr(condition), Expr::Unary(Op::Not, _))
    }

    /// Tells whether a statement plainly ends in `return` or `throw` (or `break` and `continue`).
    fn leaves(&self, id: StmtId) -> bool {
        match self.facts.stmt(id) {
            Stmt::Return(_) | Stmt::Throw(_) | Stmt::Yield(_) | Stmt::Nothing => true,
            Stmt::Block(statements) => self
                .facts
                .ids(statements)
                .next_back()
                .is_some_and(|last| self.leaves(last)),
            _ => false,
        }
    }

    fn for_statement(&mut self, index: u32) {
        let n_locals = self.locals.len();
        let statement = self.facts.fors[index as usize];
        for init in self.facts.ids(statement.init) {
            self.stmt(init);
        }
        if let Some(condition) = statement.condition {
            self.expr(condition, ExpectedType::Nothing);
        }
        for update in self.facts.ids(statement.update) {
            self.expr(update, ExpectedType::Nothing);
        }
        self.stmt(statement.body);
        self.locals.truncate(n_locals);
    }

    fn for_each(&mut self, index: u32, body: StmtId) {
        let n_locals = self.locals.len();
        let variable = self.facts.locals[index as usize];
        let value = variable
            .init
            .map_or(Ty::Unknown, |init| self.expr(init, ExpectedType::Member));
        let ty = match variable.ty.filter(|&ty| !self.is_var(ty)) {
            Some(ty) => self.resolve(ty),
            None => self.element_of(&value),
        };
        self.declare(variable.name, ty);
        self.stmt(body);
        self.locals.truncate(n_locals);
    }

    /// Finds the element type of an iterated value.
    fn element_of(&self, value: &Ty) -> Ty {
        match value {
            Ty::Array(element) => (**element).clone(),
            Ty::Var(var) => self
                .project
                .upper_bounds(*var)
                .first()
                .map_or(Ty::Unknown, |bound| self.element_of(bound)),
            value => match self.project.as_ancestor(value, known().iterable) {
                Some(Ty::Class(_, Some(args))) => settle(&args[0]),
                _ => Ty::Unknown,
            },
        }
    }

    fn try_statement(&mut self, index: u32) {
        let n_locals = self.locals.len();
        let statement = self.facts.tries[index as usize];
        for resource in self.facts.ids(statement.resources) {
            match self.facts.stmt(resource) {
                Stmt::Expr(expr) => {
                    self.expr(expr, ExpectedType::Nothing);
                }
                _ => self.stmt(resource),
            }
        }
        self.stmt(statement.body);
        self.locals.truncate(n_locals);
        for at in statement.catches.range() {
            let clause = self.facts.catches[at];
            let ty = clause
                .variable
                .ty
                .map_or(Ty::Unknown, |ty| self.resolve(ty));
            self.declare(clause.variable.name, ty);
            self.stmt(clause.body);
            self.locals.truncate(n_locals);
        }
        if let Some(finally) = statement.finally {
            self.stmt(finally);
        }
    }

    /// Declares the variables of a pattern against a value.
    pub(super) fn bind(&mut self, id: PatternId, value: &Ty) {
        match self.facts.pattern(id) {
            Pattern::Any => {}
            Pattern::Type(ty, name) => {
                let ty = if self.is_var(ty) {
                    value.clone()
                } else {
                    self.resolve(ty)
                };
                if let Some(name) = name {
                    self.declare(name, ty);
                }
            }
            Pattern::Record(ty, parts) => {
                let ty = self.resolve(ty);
                let components = self.components_of(&ty);
                for (at, part) in self.facts.ids(parts).enumerate() {
                    let component = components.get(at).cloned().unwrap_or(Ty::Unknown);
                    self.bind(part, &component);
                }
            }
        }
    }

    fn components_of(&self, ty: &Ty) -> Vec<Ty> {
        let Ty::Class(class, args) = ty else {
            return Vec::new();
        };
        let Some((file, decl)) = self.project.type_decl(*class) else {
            return Vec::new();
        };
        let subst = self.project.bindings(*class, args);
        file.facts.params[decl.components.range()]
            .iter()
            .map(|component| {
                let sym = file.syms[component.name.0 as usize];
                self.project
                    .field_named(*class, sym)
                    .map_or(Ty::Unknown, |field| subst.apply(&field.ty))
            })
            .collect()
    }

    pub(super) fn switch(&mut self, index: u32, expect: ExpectedType<'_>) -> Ty {
        let switch = self.facts.switches[index as usize];
        let value = self.expr(switch.value, ExpectedType::Member);
        let n_locals = self.locals.len();
        let n_classes = self.local_classes.len();
        self.yields.push(None);
        for at in switch.cases.range() {
            let case = self.facts.cases[at];
            for label in self.facts.ids(case.labels) {
                // A plain name may be an enum's constant, which is looked up in the value's type.
                if !matches!(self.facts.expr(label), Expr::Name(_)) {
                    self.expr(label, ExpectedType::Nothing);
                }
            }
            for pattern in self.facts.ids(case.patterns) {
                self.bind(pattern, &value);
            }
            if let Some(guard) = case.guard {
                self.expr(guard, ExpectedType::Nothing);
            }
            for statement in self.facts.ids(case.body) {
                match self.facts.stmt(statement) {
                    Stmt::Expr(expr) if case.is_arrow => {
                        let ty = self.expr(expr, expect);
                        self.give_yield(ty);
                    }
                    _ => self.stmt(statement),
                }
            }
            if case.is_arrow {
                self.locals.truncate(n_locals);
            }
        }
        self.locals.truncate(n_locals);
        self.local_classes.truncate(n_classes);
        self.yields.pop().flatten().unwrap_or(Ty::Unknown)
    }
}
