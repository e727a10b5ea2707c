//! Lowering of statements.

use super::kind::Kind;
use super::lower::JavaLowering;
use super::{Catch, ExprId, For, Ids, JavaSwitchCase, Stmt, StmtId, Switch, Try, TypeId, Variable};
use crate::ids::add;
use crate::model::Span;
use crate::run::Run;

impl JavaLowering<'_> {
    /// Lowers the statement under the cursor.
    pub fn stmt(&mut self) -> StmtId {
        let stmt = self.nested(Self::stmt_here).unwrap_or(Stmt::Nothing);
        self.add_stmt(stmt)
    }

    /// Lowers the body of a method, a constructor or an initialiser under the cursor.
    pub fn body_block(&mut self) -> StmtId {
        self.stmt()
    }

    /// Records where the statements of the block under the cursor are.
    pub fn statement_spans(&mut self) -> Run {
        let mut spans: Vec<Span> = Vec::new();
        self.children(|lower, kind| {
            if is_statement(lower, kind) {
                spans.push(lower.span());
            }
        });
        Run::add(&mut self.facts.statements, spans)
    }

    fn stmt_here(&mut self) -> Stmt {
        match self.kind() {
            Kind::Block | Kind::ConstructorBody => Stmt::Block(self.block()),
            Kind::LocalVariable => self.local_variable(),
            Kind::ExpressionStatement => self.first_expr().map_or(Stmt::Nothing, Stmt::Expr),
            Kind::ExplicitConstructor => Stmt::Expr(self.explicit_constructor()),
            Kind::Return => Stmt::Return(self.first_expr()),
            Kind::If => self.if_statement(),
            Kind::For => self.for_statement(),
            Kind::EnhancedFor => self.for_each(),
            Kind::While => self.repeated(Stmt::While),
            Kind::DoStatement => self.repeated(|condition, body| Stmt::DoWhile(body, condition)),
            Kind::Try | Kind::TryWithResources => self.try_statement(),
            Kind::SwitchExpression => Stmt::Expr(self.expr()),
            Kind::Throw => self.first_expr().map_or(Stmt::Nothing, Stmt::Throw),
            Kind::Yield => self.first_expr().map_or(Stmt::Nothing, Stmt::Yield),
            Kind::Labeled => self.labeled(),
            Kind::Synchronized => self.synchronized(),
            Kind::AssertStatement => Stmt::Assert(self.exprs()),
            kind => {
                let is_statement = std::mem::replace(&mut self.is_statement, true);
                let index = self.type_declaration(kind);
                self.is_statement = is_statement;
                index.map_or(Stmt::Nothing, Stmt::LocalType)
            }
        }
    }

    fn block(&mut self) -> Ids<StmtId> {
        let outer = self.block_end;
        self.block_end = self.span().end;
        let mark = self.mark();
        self.push_statements();
        self.block_end = outer;
        self.list(mark)
    }

    fn push_statements(&mut self) {
        self.children(|lower, kind| {
            if is_statement(lower, kind) {
                let id = lower.stmt();
                lower.push(id.index());
            } else if kind == Kind::Error {
                // Whole statements in an error node still have variables and calls.
                lower.nested(Self::push_statements);
            }
        });
    }

    fn first_expr(&mut self) -> Option<ExprId> {
        let mut found = None;
        self.children(|lower, kind| {
            if found.is_none() && lower.is_named() && kind != Kind::Error {
                found = Some(lower.expr());
            }
        });
        found
    }

    fn local_variable(&mut self) -> Stmt {
        let mut ty = None;
        let mut variables = Vec::new();
        self.children(|lower, kind| match kind {
            Kind::Modifiers => {}
            Kind::VariableDeclarator => variables.extend(lower.declarator(ty)),
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            _ => {}
        });
        Stmt::Local(self.locals(&variables))
    }

    /// Lowers the declarator under the cursor.
    pub fn declarator(&mut self, ty: Option<TypeId>) -> Option<Variable> {
        let mut name = None;
        let mut n_dimensions = 0;
        let mut init = None;
        self.children(|lower, kind| match kind {
            Kind::Identifier | Kind::Underscore if name.is_none() => name = Some(lower.word()),
            Kind::Dimensions => n_dimensions += lower.n_dimensions(),
            Kind::Error => {}
            _ if lower.is_named() => init = Some(lower.expr()),
            _ => {}
        });
        let ty = ty.map(|ty| self.arrays_of(ty, n_dimensions));
        name.map(|name| Variable { name, ty, init })
    }

    fn if_statement(&mut self) -> Stmt {
        let mut condition = None;
        let mut branches = [None, None];
        self.children(|lower, kind| {
            if condition.is_none() && kind == Kind::Parenthesized {
                condition = Some(lower.expr());
            } else if condition.is_some() && is_statement(lower, kind) {
                let id = lower.stmt();
                let at = usize::from(branches[0].is_some());
                branches[at] = Some(id);
            }
        });
        match (condition, branches) {
            (Some(condition), [Some(yes), no]) => Stmt::If(condition, yes, no),
            (Some(condition), _) => Stmt::Expr(condition),
            _ => Stmt::Nothing,
        }
    }

    fn repeated(&mut self, make: fn(ExprId, StmtId) -> Stmt) -> Stmt {
        match self.condition_and_body() {
            (Some(condition), Some(body)) => make(condition, body),
            (Some(condition), None) => Stmt::Expr(condition),
            _ => Stmt::Nothing,
        }
    }

    fn synchronized(&mut self) -> Stmt {
        match self.condition_and_body() {
            (Some(condition), Some(body)) => Stmt::Synchronized(condition, body),
            _ => Stmt::Nothing,
        }
    }

    fn condition_and_body(&mut self) -> (Option<ExprId>, Option<StmtId>) {
        let mut condition = None;
        let mut body = None;
        self.children(|lower, kind| {
            if kind == Kind::Parenthesized && condition.is_none() {
                condition = Some(lower.expr());
            } else if lower.field() == lower.grammar.fields.body {
                body = Some(lower.stmt());
            }
        });
        (condition, body)
    }

    fn for_statement(&mut self) -> Stmt {
        let mut condition = None;
        let mut body = None;
        let mark = self.mark();
        let mut updates = Vec::new();
        self.children(|lower, kind| {
            let field = lower.field();
            if kind == Kind::LocalVariable {
                let id = lower.stmt();
                lower.push(id.index());
            } else if field == lower.grammar.fields.init && lower.is_named() {
                let expr = lower.expr();
                let id = lower.add_stmt(Stmt::Expr(expr));
                lower.push(id.index());
            } else if field == lower.grammar.fields.condition && lower.is_named() {
                condition = Some(lower.expr());
            } else if field == lower.grammar.fields.update && lower.is_named() {
                updates.push(lower.expr());
            } else if field == lower.grammar.fields.body {
                body = Some(lower.stmt());
            }
        });
        let init = self.list(mark);
        let mark = self.mark();
        for update in updates {
            self.push(update.index());
        }
        let update = self.list(mark);
        let body = body.unwrap_or_else(|| self.add_stmt(Stmt::Nothing));
        Stmt::For(add(
            &mut self.facts.fors,
            For {
                init,
                condition,
                update,
                body,
            },
        ))
    }

    fn for_each(&mut self) -> Stmt {
        let mut ty = None;
        let mut name = None;
        let mut n_dimensions = 0;
        let mut value = None;
        let mut body = None;
        self.children(|lower, kind| {
            let field = lower.field();
            if field == lower.grammar.fields.value && lower.is_named() {
                value = Some(lower.expr());
            } else if field == lower.grammar.fields.body {
                body = Some(lower.stmt());
            } else if kind == Kind::Dimensions {
                n_dimensions += lower.n_dimensions();
            } else if kind.is_type() {
                ty = Some(lower.type_syntax());
            } else if matches!(kind, Kind::Identifier | Kind::Underscore) {
                name = Some(lower.word());
            }
        });
        let (Some(name), Some(body)) = (name, body) else {
            return value.map_or(Stmt::Nothing, Stmt::Expr);
        };
        let ty = ty.map(|ty| self.arrays_of(ty, n_dimensions));
        let variable = self.locals(&[Variable {
            name,
            ty,
            init: value,
        }]);
        Stmt::ForEach(variable.start, body)
    }

    fn labeled(&mut self) -> Stmt {
        let body = self.last(|lower, kind| {
            let is_body = kind != Kind::Identifier && is_statement(lower, kind);
            is_body.then(|| lower.stmt())
        });
        body.map_or(Stmt::Nothing, Stmt::Labeled)
    }

    fn try_statement(&mut self) -> Stmt {
        let mut resources = Ids::EMPTY;
        let mut body = None;
        let mut catches = Vec::new();
        let mut finally = None;
        self.children(|lower, kind| match kind {
            Kind::ResourceSpecification => resources = lower.resources(),
            Kind::Block => body = Some(lower.stmt()),
            Kind::CatchClause => catches.extend(lower.catch_clause()),
            Kind::FinallyClause => lower.children(|lower, kind| {
                if kind == Kind::Block {
                    finally = Some(lower.stmt());
                }
            }),
            _ => {}
        });
        let body = body.unwrap_or_else(|| self.add_stmt(Stmt::Nothing));
        let catches = Run::add(&mut self.facts.catches, catches);
        Stmt::Try(add(
            &mut self.facts.tries,
            Try {
                resources,
                body,
                catches,
                finally,
            },
        ))
    }

    fn resources(&mut self) -> Ids<StmtId> {
        let mark = self.mark();
        self.children(|lower, kind| {
            if kind == Kind::Resource {
                let stmt = lower.resource();
                let id = lower.add_stmt(stmt);
                lower.push(id.index());
            }
        });
        self.list(mark)
    }

    fn resource(&mut self) -> Stmt {
        let mut ty = None;
        let mut name = None;
        let mut n_dimensions = 0;
        let mut value = None;
        self.children(|lower, kind| {
            if kind == Kind::Modifiers || !lower.is_named() {
            } else if kind.is_type() && ty.is_none() && value.is_none() {
                ty = Some(lower.type_syntax());
            } else if kind == Kind::Dimensions {
                n_dimensions += lower.n_dimensions();
            } else if ty.is_some() && name.is_none() {
                name = Some(lower.word());
            } else if kind != Kind::Error {
                value = Some(lower.expr());
            }
        });
        match (ty, name, value) {
            (Some(ty), Some(name), init) => {
                let ty = Some(self.arrays_of(ty, n_dimensions));
                Stmt::Local(self.locals(&[Variable { name, ty, init }]))
            }
            (_, _, Some(value)) => Stmt::Expr(value),
            _ => Stmt::Nothing,
        }
    }

    fn catch_clause(&mut self) -> Option<Catch> {
        let mut variable = None;
        let mut body = None;
        self.children(|lower, kind| match kind {
            Kind::CatchParameter => variable = lower.variable_here(0),
            Kind::Block => body = Some(lower.stmt()),
            _ => {}
        });
        Some(Catch {
            variable: variable?,
            body: body?,
        })
    }

    /// Lowers the switch under the cursor, statement or expression.
    pub fn switch(&mut self) -> u32 {
        let mut value = None;
        let mut cases = Vec::new();
        self.children(|lower, kind| match kind {
            Kind::Parenthesized => value = Some(lower.expr()),
            Kind::SwitchBlock => {
                let outer = lower.block_end;
                lower.block_end = lower.span().end;
                lower.children(|lower, kind| match kind {
                    Kind::SwitchGroup => cases.push(lower.case(false)),
                    Kind::SwitchRule => cases.push(lower.case(true)),
                    _ => {}
                });
                lower.block_end = outer;
            }
            _ => {}
        });
        let value = value.unwrap_or_else(|| self.add_expr(super::Expr::Broken));
        let cases = Run::add(&mut self.facts.cases, cases);
        add(&mut self.facts.switches, Switch { value, cases })
    }

    fn case(&mut self, is_arrow: bool) -> JavaSwitchCase {
        let mut labels = Vec::new();
        let mut patterns = Vec::new();
        let mut guard = None;
        let mark = self.mark();
        self.children(|lower, kind| match kind {
            Kind::SwitchLabel => lower.children(|lower, kind| match kind {
                Kind::Pattern => patterns.push(lower.pattern()),
                Kind::Guard => guard = lower.first_expr(),
                Kind::Error => {}
                _ if lower.is_named() => labels.push(lower.expr()),
                _ => {}
            }),
            _ if is_statement(lower, kind) => {
                let id = lower.stmt();
                lower.push(id.index());
            }
            _ => {}
        });
        let body = self.list(mark);
        let mark = self.mark();
        for label in labels {
            self.push(label.index());
        }
        let labels = self.list(mark);
        let mark = self.mark();
        for pattern in patterns {
            self.push(pattern.index());
        }
        JavaSwitchCase {
            labels,
            patterns: self.list(mark),
            guard,
            body,
            is_arrow,
        }
    }
}

fn is_statement(lower: &JavaLowering<'_>, kind: Kind) -> bool {
    kind == Kind::SignSemicolon || (kind != Kind::Error && lower.is_named())
}
