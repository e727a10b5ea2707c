//! Statements: variables in scope, bodies inside the body, and which statements assert.

use super::GoWalker;
use crate::go::facts::{BlockId, Expr, ExprId, GoCaseClause, GoValueSpec, Stmt, StmtId};
use crate::go::library;
use crate::go::project::{Decl, GoFuncPlace};
use crate::go::types::{Basic, FuncId, Ty};
use crate::model::{Resolution, Span};
use crate::run::Run;
use crate::symbols::Sym;

/// Methods that fail a test.
pub const FAILING_METHODS: &[&str] = &["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"];

impl<'p> GoWalker<'p> {
    /// Walks the statements of a block; `owner` is the statement around it that asserts when they fail the test.
    pub(super) fn statements(&mut self, block: BlockId, owner: Option<usize>) {
        let stmts: &'p [StmtId] = self.facts.stmts_of(block);
        for id in stmts {
            self.stmt(*id, owner);
        }
    }

    /// Walks a body inside the body, in a scope of its own.
    fn body(&mut self, block: BlockId, owner: Option<usize>) {
        self.note_block(block, false);
        self.scoped(|walker| walker.statements(block, owner));
    }

    fn stmt(&mut self, id: StmtId, owner: Option<usize>) {
        let span = self.facts.stmt_spans[id.index()];
        match self.facts.stmt(id) {
            Stmt::Nothing => {}
            Stmt::Block(block) => self.body(block, None),
            Stmt::Expr(expr) => {
                self.last = None;
                self.expr(expr);
                if self.has_failed() {
                    match owner {
                        Some(owner) => self.frames[owner] = true,
                        None => self.assertions.push(span),
                    }
                }
            }
            Stmt::Later(expr) => {
                self.expr(expr);
            }
            Stmt::Define(left, right) => self.define(left, right),
            Stmt::Assign(left, right) => {
                self.assign(left, right);
            }
            Stmt::Values(run) => self.values(run),
            Stmt::Send(channel, value) => {
                self.expr(channel);
                self.expr(value);
            }
            Stmt::Return(values) => self.all(values),
            Stmt::Labeled(inner) => self.stmt(inner, owner),
            Stmt::If(at) => self.if_statement(at, span),
            Stmt::For(at) => self.for_statement(at, span),
            Stmt::Range(at) => self.range(at, span),
            Stmt::Switch(at) => self.switch(at, span),
        }
    }

    /// Walks a statement whose own blocks may fail the test.
    fn framed(&mut self, span: Span, init: Option<StmtId>, f: impl FnOnce(&mut Self, usize)) {
        let frame = self.frames.len();
        self.frames.push(false);
        self.scoped(|walker| {
            if let Some(init) = init {
                walker.stmt(init, None);
            }
            f(walker, frame);
        });
        if self.frames.pop() == Some(true) {
            self.assertions.push(span);
        }
    }

    /// Tells whether the last call fails the test it is made on.
    fn has_failed(&self) -> bool {
        let Some(last) = self.last else { return false };
        let record = &self.records[last as usize];
        if !FAILING_METHODS.contains(&&**self.project.word(record.name)) {
            return false;
        }
        match &record.resolution {
            Some(Resolution::Outside(Some(owner))) => {
                let (path, of) = owner.rsplit_once('.').unwrap_or((owner, ""));
                library::is_test(path, of)
            }
            // An interface of the project that stands for `testing.TB`.
            Some(Resolution::Declared(id)) => {
                matches!(
                    self.project.func(FuncId(id.0)).place,
                    GoFuncPlace::InterfaceMethod(_)
                )
            }
            _ => false,
        }
    }

    /// Walks expressions whose types do not matter.
    pub(super) fn all(&mut self, run: Run) {
        let exprs: &'p [ExprId] = self.facts.exprs(run);
        for id in exprs {
            self.expr(*id);
        }
    }

    fn define(&mut self, left: Run, right: Run) {
        let names: &'p [ExprId] = self.facts.exprs(left);
        let values: &'p [ExprId] = self.facts.exprs(right);
        let types = match values {
            [only] if names.len() > 1 => self.several(*only, names.len()),
            all => all.iter().map(|id| self.expr(*id)).collect(),
        };
        self.note_held(names, values);
        for (at, (name, ty)) in names.iter().zip(types).enumerate() {
            if let Expr::Name(name, _) = self.facts.expr(*name) {
                let name = self.file.sym(name);
                // A name that is declared in this scope already keeps its type.
                if !self.is_here(name) {
                    self.declare(name, ty.typed());
                }
                if let Some(Expr::Composite(_)) = values.get(at).map(|id| self.facts.expr(*id)) {
                    self.tables.insert(name);
                }
            }
        }
    }

    fn assign(&mut self, left: Run, right: Run) {
        let names: &'p [ExprId] = self.facts.exprs(left);
        let values: &'p [ExprId] = self.facts.exprs(right);
        // A variable alone is written, not read.
        for id in names {
            if !matches!(self.facts.expr(*id), Expr::Name(..)) {
                self.expr(*id);
            }
        }
        self.all(right);
        self.note_held(names, values);
    }

    /// Records which call's value each variable holds from here on.
    fn note_held(&mut self, names: &[ExprId], values: &[ExprId]) {
        for (at, name) in names.iter().enumerate() {
            if let Expr::Name(name, _) = self.facts.expr(*name) {
                self.note_held_by(self.file.sym(name), at, values);
            }
        }
    }

    /// Records the call whose value the variable at `at` holds; of a single value, all variables hold parts.
    fn note_held_by(&mut self, name: Sym, at: usize, values: &[ExprId]) {
        let at = if values.len() == 1 { 0 } else { at };
        let call = values
            .get(at)
            .and_then(|expr_id| self.call_record(*expr_id));
        match call {
            Some(call) => self.holds.insert(name, call),
            None => self.holds.remove(&name),
        };
    }

    /// Finds the record of an expression that is a call.
    fn call_record(&self, id: ExprId) -> Option<u32> {
        let Expr::Call(call) = self.facts.expr(id) else {
            return None;
        };
        let span = self.facts.calls[call as usize].span;
        let found = self
            .records
            .iter()
            .rposition(|record| record.span == span)?;
        Some(found as u32)
    }

    /// Records that a variable's value goes into the call around the place.
    pub(super) fn note_flow(&mut self, name: Sym) {
        if let (Some((to, role)), Some(held)) = (self.parent, self.holds.get(&name)) {
            self.flows.push((*held, to, role));
        }
    }

    fn values(&mut self, run: Run) {
        let all: &'p [GoValueSpec] = &self.facts.values[run.range()];
        for values in all {
            // A value repeated from the constant before makes no second call.
            let was_typing = self.is_typing;
            self.is_typing |= !values.is_written;
            let exprs: &'p [ExprId] = self.facts.exprs(values.exprs);
            let n = values.names.len();
            let mut types: Vec<Ty> = match exprs {
                [only] if n > 1 => self.several(*only, n),
                all => all.iter().map(|id| self.expr(*id)).collect(),
            };
            self.is_typing = was_typing;
            if let Some(ty) = values.ty {
                types = vec![self.project.resolve(ty, self.scope()); n];
            }
            types.resize(n, Ty::Unknown);
            for (index, (at, ty)) in values.names.range().zip(types).enumerate() {
                let name = self.file.sym(self.facts.value_names[at].0);
                self.note_held_by(name, index, exprs);
                self.declare(name, if values.is_const { ty } else { ty.typed() });
                if let [only] = exprs
                    && matches!(self.facts.expr(*only), Expr::Composite(_))
                {
                    self.tables.insert(name);
                }
            }
        }
    }

    fn if_statement(&mut self, at: u32, span: Span) {
        let statement = self.facts.ifs[at as usize];
        self.framed(span, statement.init, |walker, frame| {
            walker.expr(statement.condition);
            walker.body(statement.then, Some(frame));
            match statement.otherwise.map(|id| (id, walker.facts.stmt(id))) {
                Some((_, Stmt::Block(block))) => walker.body(block, Some(frame)),
                Some((id, _)) => walker.stmt(id, None),
                None => {}
            }
        });
    }

    fn for_statement(&mut self, at: u32, span: Span) {
        let for_loop = self.facts.fors[at as usize];
        self.framed(span, for_loop.init, |walker, frame| {
            if let Some(condition) = for_loop.condition {
                walker.expr(condition);
            }
            if let Some(update) = for_loop.update {
                walker.stmt(update, None);
            }
            walker.body(for_loop.body, Some(frame));
        });
    }

    fn range(&mut self, at: u32, span: Span) {
        let range_loop = self.facts.ranges[at as usize];
        self.framed(span, None, |walker, frame| {
            walker.is_parametrised |= walker.is_table(range_loop.over);
            let over = walker.expr(range_loop.over);
            let (key, value) = walker.range_types(&over);
            let left: &'p [ExprId] = walker.facts.exprs(range_loop.left);
            for (id, ty) in left.iter().zip([key, value]) {
                match walker.facts.expr(*id) {
                    Expr::Name(name, _) if range_loop.is_define => {
                        let name = walker.file.sym(name);
                        walker.declare(name, ty);
                    }
                    _ => {
                        walker.expr(*id);
                    }
                }
            }
            walker.body(range_loop.body, Some(frame));
        });
    }

    /// Tells whether a loop runs over a literal, written there or held by a variable.
    fn is_table(&self, over: ExprId) -> bool {
        match self.facts.expr(over) {
            Expr::Composite(_) => true,
            Expr::Name(name, _) => {
                let name = self.file.sym(name);
                self.tables.contains(&name)
                    || (self.local(name).is_none() && self.is_package_table(name))
            }
            _ => false,
        }
    }

    fn is_package_table(&self, name: Sym) -> bool {
        let declared = self.project.declared(self.file.package, name, self.file_id);
        let Some(Decl::Var(id)) = declared else {
            return false;
        };
        let facts = &self.project.file(self.project.var(id).file).facts;
        let mut exprs = facts.exprs(self.project.values_of(id).exprs).iter();
        exprs.any(|id| matches!(facts.expr(*id), Expr::Composite(_)))
    }

    /// Finds the types of the two variables of a loop.
    fn range_types(&self, over: &Ty) -> (Ty, Ty) {
        let int = Ty::Basic(Basic::Int);
        match self.project.value_underlying(over) {
            Ty::Slice(element) | Ty::Array(element) => (int, (*element).clone()),
            Ty::Pointer(inner) => match self.project.value_underlying(&inner) {
                Ty::Array(element) => (int, (*element).clone()),
                _ => (Ty::Unknown, Ty::Unknown),
            },
            Ty::Map(map) => (map.0.clone(), map.1.clone()),
            Ty::Channel(element) => ((*element).clone(), Ty::Unknown),
            Ty::Basic(Basic::String | Basic::UntypedString) => (int, Ty::Basic(Basic::Rune)),
            Ty::Basic(_) => (over.clone().typed(), Ty::Unknown),
            Ty::Func(signature) => sequence_types(&signature.params),
            Ty::Foreign(foreign) => match library::iterator_function(&foreign) {
                Some(Ty::Func(signature)) => sequence_types(&signature.params),
                _ => (
                    Ty::foreign(&foreign.path, ""),
                    Ty::foreign(&foreign.path, ""),
                ),
            },
            _ => (Ty::Unknown, Ty::Unknown),
        }
    }

    fn switch(&mut self, at: u32, span: Span) {
        let switch = self.facts.switches[at as usize];
        self.framed(span, switch.init, |walker, frame| {
            let value = switch.value.map_or(Ty::Unknown, |value| walker.expr(value));
            let cases: &'p [GoCaseClause] = &walker.facts.cases[switch.cases.range()];
            for case in cases {
                walker.all(case.values);
                walker.scoped(|walker| {
                    if let Some(communication) = case.communication {
                        walker.stmt(communication, None);
                    }
                    if let Some(alias) = switch.alias {
                        let alias: Sym = walker.file.sym(alias);
                        let ty = walker.case_type(case, &value);
                        walker.declare(alias, ty);
                    }
                    walker.note_block(case.body, false);
                    walker.statements(case.body, Some(frame));
                });
            }
        });
    }

    /// Finds the type of a type switch's variable in one of its cases.
    fn case_type(&self, case: &GoCaseClause, value: &Ty) -> Ty {
        match self.facts.types(case.types) {
            [only] => match self.project.resolve(*only, self.scope()) {
                // `case nil`.
                Ty::Unknown => value.clone(),
                ty => ty,
            },
            _ => value.clone(),
        }
    }
}

/// Finds the types of the two variables of a loop over a function.
fn sequence_types(params: &[Ty]) -> (Ty, Ty) {
    let Some(Ty::Func(body)) = params.first() else {
        return (Ty::Unknown, Ty::Unknown);
    };
    let at = |at: usize| body.params.get(at).cloned().unwrap_or(Ty::Unknown);
    (at(0), at(1))
}
