//! Statements: their variables, the scopes of these, and the expressions in them.

use super::{CSharpWalker, LocalFunction};
use crate::csharp::facts::{
    Ids, LocalDecl, Pattern, PatternId, Stmt, StmtId, TypeSyntax, UsingAt, UsingHead,
};
use crate::csharp::types::{Param, Ty};
use crate::model::Span;
use crate::run::Run;

impl CSharpWalker<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        self.deeper(|walker| walker.stmt_inside(id));
    }

    fn stmts(&mut self, ids: Ids<StmtId>) {
        let n_locals = self.locals.len();
        let n_functions = self.functions.len();
        let stmts: Vec<StmtId> = self.facts.ids(ids).collect();
        for &stmt in &stmts {
            // A function may be used before its declaration.
            if let Stmt::Function(at) = self.facts.stmt(stmt) {
                self.declare_function(at);
            }
        }
        for stmt in stmts {
            self.stmt(stmt);
        }
        self.locals.truncate(n_locals);
        self.functions.truncate(n_functions);
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        let n_locals = self.locals.len();
        f(self);
        self.locals.truncate(n_locals);
    }

    fn stmt_inside(&mut self, id: StmtId) {
        let facts = self.facts;
        match facts.stmt(id) {
            Stmt::Nothing | Stmt::Return(None) => {}
            Stmt::Block(ids) => self.stmts(ids),
            Stmt::Expr(value) => {
                self.expr(value, None);
            }
            Stmt::Local(run, using) => self.locals_of(run, using),
            Stmt::Function(at) => self.function(at),
            Stmt::If(..) => self.if_chain(id),
            Stmt::While(condition, body) => self.scoped(|walker| {
                walker.expr(condition, None);
                walker.stmt(body);
            }),
            Stmt::Do(body, condition) => {
                self.stmt(body);
                self.expr(condition, None);
            }
            Stmt::For(at) => self.scoped(|walker| {
                let for_loop = facts.fors[at as usize];
                for init in facts.ids(for_loop.init) {
                    walker.stmt(init);
                }
                if let Some(condition) = for_loop.condition {
                    walker.expr(condition, None);
                }
                walker.stmt(for_loop.body);
                for update in facts.ids(for_loop.update) {
                    walker.expr(update, None);
                }
            }),
            Stmt::ForEach(at) => self.scoped(|walker| walker.foreach(at)),
            Stmt::Return(Some(value)) => self.give_back(value),
            Stmt::Yield(value) => {
                let wanted = self
                    .returning
                    .last()
                    .and_then(|return_target| return_target.expected.clone());
                let element = wanted.map(|ty| self.project.element(&ty));
                self.expr(value, element.as_ref().filter(|ty| !ty.is_unknown()));
            }
            Stmt::Throw(value) => {
                if let Some(value) = value {
                    self.expr(value, None);
                }
            }
            Stmt::Try(at) => self.try_statement(at),
            Stmt::Using(at, head, body) => self.scoped(|walker| {
                match head {
                    UsingHead::Locals(run) => walker.locals_of(run, Some(at)),
                    UsingHead::Expr(value) => {
                        let ty = walker.expr(value, None);
                        walker.dispose(&ty, at);
                    }
                }
                walker.stmt(body);
            }),
            Stmt::Lock(lock, body) => {
                self.expr(lock, None);
                self.stmt(body);
            }
            Stmt::Switch(value, sections) => self.switch_statement(value, sections),
        }
    }

    fn give_back(&mut self, value: crate::csharp::facts::ExprId) {
        let wanted = self
            .returning
            .last()
            .and_then(|return_target| return_target.expected.clone());
        let ty = self.expr(value, wanted.as_ref().filter(|ty| !ty.is_unknown()));
        let seen = self
            .returning
            .last_mut()
            .and_then(|return_target| return_target.common_type.take());
        let seen = match seen {
            Some(seen) => self.project.common(seen, ty),
            None => ty,
        };
        if let Some(returning) = self.returning.last_mut() {
            returning.common_type = Some(seen);
        }
    }

    /// Walks an `if` with its row of `else if`, which counts as one level of nesting.
    fn if_chain(&mut self, id: StmtId) {
        // Variables of the condition's patterns live on behind the statement: `if (!(x is T t)) return; t.f();`.
        let mut at = id;
        while let Stmt::If(condition, then, other) = self.facts.stmt(at) {
            self.expr(condition, None);
            self.scoped(|walker| walker.stmt(then));
            match other {
                Some(other) => at = other,
                None => return,
            }
        }
        self.scoped(|walker| walker.stmt(at));
    }

    fn locals_of(&mut self, run: Run, using: Option<UsingAt>) {
        let facts = self.facts;
        for local in &facts.locals[run.range()] {
            let ty = self.local(*local);
            if let Some(using) = using {
                self.dispose(&ty, using);
            }
        }
    }

    fn local(&mut self, local: LocalDecl) -> Ty {
        let is_var = matches!(self.facts.type_syntax(local.ty), TypeSyntax::Var);
        let written = (!is_var).then(|| self.resolve(local.ty));
        let given = local
            .init
            .map(|expr_id| self.expr(expr_id, written.as_ref()))
            .unwrap_or_default();
        let ty = written.unwrap_or(given);
        self.declare_all(local.target, &ty);
        ty
    }

    /// Declares a name, or deconstructs a value into several.
    pub(super) fn declare_all(&mut self, target: PatternId, ty: &Ty) {
        match self.facts.pattern(target) {
            Pattern::Variable(_, name) => self.declare(name, ty.clone()),
            Pattern::Names(parts) => {
                let parts: Vec<PatternId> = self.facts.ids(parts).collect();
                let types = self.deconstructed(ty, parts.len(), crate::csharp::facts::ExprId(0));
                for (part, ty) in parts.into_iter().zip(types) {
                    self.deeper(|walker| walker.declare_all(part, &ty));
                }
            }
            _ => {}
        }
    }

    fn dispose(&mut self, ty: &Ty, at: UsingAt) {
        let names: &[&str] = if at.is_async {
            &["DisposeAsync", "Dispose"]
        } else {
            &["Dispose"]
        };
        let span = Span::new(at.at, at.at + 5);
        self.implicit(ty, names, (crate::csharp::facts::ExprId(0), span, ""));
    }

    fn declare_function(&mut self, at: u32) {
        let function = self.facts.functions[at as usize];
        let declared = self.with_vars(at, |walker| {
            let params = &walker.facts.params[function.params.range()];
            let params = params.iter().map(|param| Param {
                name: walker.sym(param.name),
                ty: walker.resolve(param.ty),
                passing: param.passing,
                is_optional: param.is_optional,
                is_params: param.is_params,
            });
            LocalFunction {
                name: walker.sym(function.name),
                vars: walker.file.function_vars[at as usize].clone(),
                params: params.collect(),
                result: walker.resolve(function.result),
            }
        });
        self.functions.push(declared);
    }

    fn function(&mut self, at: u32) {
        let facts = self.facts;
        let function = facts.functions[at as usize];
        self.with_vars(at, |walker| {
            walker.scoped(|walker| {
                for param in &facts.params[function.params.range()] {
                    let ty = walker.resolve(param.ty);
                    walker.declare(param.name, ty);
                }
                let result = walker.resolve(function.result);
                let wanted = walker.value_of(&result, function.is_async);
                walker.n_around += 1;
                walker.body(function.body, wanted);
                walker.n_around -= 1;
            });
        });
    }

    /// Runs `f` where the type parameters of a function of the body are seen.
    fn with_vars<T>(&mut self, function: u32, f: impl FnOnce(&mut Self) -> T) -> T {
        let n_vars = self.vars.len();
        self.vars
            .extend_from_slice(&self.file.function_vars[function as usize]);
        let result = f(self);
        self.vars.truncate(n_vars);
        result
    }

    fn foreach(&mut self, at: u32) {
        let for_each = self.facts.foreachs[at as usize];
        let right = self.expr(for_each.right, None);
        let is_var = matches!(self.facts.type_syntax(for_each.ty), TypeSyntax::Var);
        let ty = if is_var {
            match self.project.element(&right) {
                Ty::Unknown => self.extension_element(&right).unwrap_or_default(),
                ty => ty,
            }
        } else {
            self.resolve(for_each.ty)
        };
        self.declare_all(for_each.target, &ty);
        self.stmt(for_each.body);
    }

    /// Finds the element type of a loop over a value whose `GetEnumerator` is an extension method.
    fn extension_element(&self, ty: &Ty) -> Option<Ty> {
        let name = self.project.symbols.find("GetEnumerator")?;
        let (id, bound) = self.extension_of(name, ty, |member| member.params.len() == 1)?;
        let enumerator = self.project.member(id).ty.with(&bound);
        self.project.current(&enumerator)
    }

    fn try_statement(&mut self, at: u32) {
        let facts = self.facts;
        let statement = facts.tries[at as usize];
        self.stmt(statement.body);
        for catch in &facts.catches[statement.catches.range()] {
            self.scoped(|walker| {
                let ty = catch
                    .ty
                    .map(|type_ref| walker.resolve(type_ref))
                    .unwrap_or_default();
                walker.declare(catch.name, ty);
                if let Some(filter) = catch.filter {
                    walker.expr(filter, None);
                }
                walker.stmt(catch.body);
            });
        }
        if let Some(finally) = statement.finally {
            self.stmt(finally);
        }
    }

    fn switch_statement(&mut self, value: crate::csharp::facts::ExprId, sections: Run) {
        let facts = self.facts;
        let ty = self.expr(value, None);
        self.scoped(|walker| {
            for section in &facts.sections[sections.range()] {
                for pattern in facts.ids(section.patterns) {
                    walker.pattern(pattern, &ty);
                }
                for when in facts.ids(section.whens) {
                    walker.expr(when, None);
                }
                for stmt in facts.ids(section.body) {
                    walker.stmt(stmt);
                }
            }
        });
    }
}
