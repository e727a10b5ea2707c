//! Lowering of statements.

use super::kind::Kind;
use super::lower::{BROKEN, BROKEN_TYPE, CSharpLowering, NO_PATTERN, NO_STMT, VAR};
use super::{
    Body, Catch, Expr, ExprId, For, ForEach, Function, LocalDecl, Name, Stmt, StmtId,
    SwitchSection, Try, UsingAt, UsingHead, flag,
};
use crate::ids::add;
use crate::run::Run;

impl CSharpLowering<'_> {
    /// Lowers a block whose statements are noted already.
    pub fn block(&mut self, node: u32) -> StmtId {
        let span = self.span(node);
        let mut stmts = Vec::new();
        self.deeper(|lower| {
            for part in lower.parts(node) {
                stmts.push(lower.stmt(part));
            }
        });
        let stmts = self.list(&stmts);
        self.add_stmt(Stmt::Block(stmts), span)
    }

    /// Lowers a block in a body.
    fn inner_block(&mut self, node: u32, is_function: bool) -> StmtId {
        let spans = self.statement_spans(node);
        self.note_block(self.span(node), &spans, is_function);
        self.block(node)
    }

    fn stmt(&mut self, node: u32) -> StmtId {
        self.deeper(|lower| lower.stmt_inside(node))
            .unwrap_or(NO_STMT)
    }

    fn field_stmt(&mut self, node: u32, field: crate::syntax::tree::NodeField) -> StmtId {
        match self.child(node, field) {
            Some(child) => self.stmt(child),
            None => NO_STMT,
        }
    }

    /// Lowers the statement that ends another one, as the body of `lock` does.
    fn last_stmt(&mut self, node: u32) -> StmtId {
        match self.parts(node).last() {
            Some(last) => self.stmt(last),
            None => NO_STMT,
        }
    }

    fn stmt_inside(&mut self, node: u32) -> StmtId {
        let span = self.span(node);
        let fields = self.fields;
        let stmt = match self.kind(node) {
            Kind::Block => return self.inner_block(node, false),
            Kind::ExpressionStatement => Stmt::Expr(self.first_expr(node)),
            Kind::LocalDeclaration => {
                let using = self.child_of(node, Kind::UsingWord).map(|n| UsingAt {
                    at: self.span(n).start,
                    is_async: self.has(node, Kind::AwaitWord),
                });
                Stmt::Local(self.locals(node), using)
            }
            Kind::LocalFunction => self.local_function(node),
            Kind::IfStatement => return self.if_chain(node),
            Kind::WhileStatement => {
                let condition = self.field_expr(node, fields.condition);
                Stmt::While(condition, self.field_stmt(node, fields.body))
            }
            Kind::DoStatement => {
                let body = self.field_stmt(node, fields.body);
                Stmt::Do(body, self.field_expr(node, fields.condition))
            }
            Kind::ForStatement => self.for_statement(node),
            Kind::ForeachStatement => self.foreach(node),
            Kind::ReturnStatement => Stmt::Return(self.some_expr(node)),
            Kind::YieldStatement => match self.some_expr(node) {
                Some(value) => Stmt::Yield(value),
                None => Stmt::Nothing,
            },
            Kind::ThrowStatement => Stmt::Throw(self.some_expr(node)),
            Kind::TryStatement => self.try_statement(node),
            Kind::UsingStatement => self.using_statement(node),
            Kind::LockStatement => {
                let lock = self.parts(node).next();
                let lock = lock.map_or(BROKEN, |lock| self.expr(lock));
                Stmt::Lock(lock, self.last_stmt(node))
            }
            Kind::FixedStatement => {
                let locals = self.locals(node);
                let local = self.add_stmt(Stmt::Local(locals, None), span);
                let body = self.last_stmt(node);
                Stmt::Block(self.list(&[local, body]))
            }
            Kind::SwitchStatement => self.switch(node),
            Kind::CheckedStatement
            | Kind::UnsafeStatement
            | Kind::LabeledStatement
            | Kind::GlobalStatement => return self.last_stmt(node),
            _ => Stmt::Nothing,
        };
        self.add_stmt(stmt, span)
    }

    fn some_expr(&mut self, node: u32) -> Option<ExprId> {
        Some(self.first_expr(node)).filter(|&expr_id| expr_id != BROKEN)
    }

    /// Lowers an `if` with its row of `else if`, which counts as one level of nesting.
    fn if_chain(&mut self, node: u32) -> StmtId {
        let fields = self.fields;
        let mut parts = Vec::new();
        let mut at = Some(node);
        let mut last = None;
        while let Some(node) = at {
            if self.kind(node) != Kind::IfStatement {
                last = Some(self.stmt(node));
                break;
            }
            let condition = self.field_expr(node, fields.condition);
            let then = self.field_stmt(node, fields.consequence);
            parts.push((condition, then, self.span(node)));
            at = self.child(node, fields.alternative);
        }
        for (condition, then, span) in parts.into_iter().rev() {
            last = Some(self.add_stmt(Stmt::If(condition, then, last), span));
        }
        last.unwrap_or(NO_STMT)
    }

    fn locals(&mut self, node: u32) -> Run {
        let Some(declaration) = self.child_of(node, Kind::VariableDeclaration) else {
            return Run::default();
        };
        let ty = self.field_ty(declaration, self.fields.r#type, VAR);
        let mut locals = Vec::new();
        for part in self.parts(declaration) {
            if self.kind(part) != Kind::VariableDeclarator {
                continue;
            }
            let mut local = LocalDecl {
                ty,
                target: NO_PATTERN,
                init: None,
            };
            for child in self.children(part) {
                let is_named = self.tree.nodes[child as usize].is_named();
                match self.kind(child) {
                    Kind::TuplePattern => local.target = self.designation(child),
                    _ if self.field_of(child) == self.fields.name => {
                        local.target = self.designation(child);
                    }
                    Kind::BracketedArguments | Kind::Comment => {}
                    Kind::ThisWord => local.init = Some(self.expr(child)),
                    _ if is_named => local.init = Some(self.expr(child)),
                    _ => {}
                }
            }
            locals.push(local);
        }
        Run::add(&mut self.facts.locals, locals)
    }

    fn local_function(&mut self, node: u32) -> Stmt {
        let fields = self.fields;
        let mut function = Function {
            name: Name::NONE,
            vars: Run::default(),
            params: Run::default(),
            result: BROKEN_TYPE,
            is_async: self.modifiers(node) & flag::ASYNC != 0,
            body: Body::None,
        };
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::TypeParameters => function.vars = self.type_parameters(child, node),
                Kind::Parameters => function.params = self.parameters(child).0,
                Kind::Block => function.body = Body::Block(self.inner_block(child, true)),
                Kind::Arrow => {
                    let span = self.span(child);
                    self.note_block(span, &[], true);
                    function.body = Body::Expr(self.first_expr(child));
                }
                _ if field == fields.r#type => function.result = self.ty(child),
                _ if field == fields.name => function.name = self.word(child),
                _ => {}
            }
        }
        Stmt::Function(add(&mut self.facts.functions, function))
    }

    fn for_statement(&mut self, node: u32) -> Stmt {
        let fields = self.fields;
        let mut init = Vec::new();
        let mut update = Vec::new();
        let mut condition = None;
        let mut n_semicolons = 0;
        let mut body = NO_STMT;
        for child in self.children(node) {
            let span = self.span(child);
            let is_named = self.tree.nodes[child as usize].is_named();
            if self.text(child) == ";" && !is_named {
                n_semicolons += 1;
            } else if self.field_of(child) == fields.body {
                body = self.stmt(child);
            } else if self.kind(child) == Kind::VariableDeclaration {
                let locals = self.locals(node);
                init.push(self.add_stmt(Stmt::Local(locals, None), span));
            } else if is_named && self.kind(child) != Kind::Comment {
                let expr = self.expr(child);
                match n_semicolons {
                    0 => init.push(self.add_stmt(Stmt::Expr(expr), span)),
                    1 => condition = Some(expr),
                    _ => update.push(expr),
                }
            }
        }
        let for_loop = For {
            init: self.list(&init),
            condition,
            update: self.list(&update),
            body,
        };
        Stmt::For(add(&mut self.facts.fors, for_loop))
    }

    fn foreach(&mut self, node: u32) -> Stmt {
        let fields = self.fields;
        let ty = self.child(node, fields.r#type);
        let target = self.child(node, fields.left);
        let target = match (ty, target) {
            (Some(_), Some(left)) => self.designation(left),
            // `foreach (var (a, b) in …)`, and `foreach ((var a, var b) in …)`.
            (None, Some(left)) => self.target_of(left),
            _ => NO_PATTERN,
        };
        let for_each = ForEach {
            ty: ty.map_or(VAR, |n| self.ty(n)),
            target,
            right: self.field_expr(node, fields.right),
            body: self.field_stmt(node, fields.body),
        };
        Stmt::ForEach(add(&mut self.facts.foreachs, for_each))
    }

    /// Reads an expression on the left as the names that it declares.
    fn target_of(&mut self, node: u32) -> super::PatternId {
        let expr = self.expr(node);
        self.names_in(expr)
    }

    fn names_in(&mut self, expr: ExprId) -> super::PatternId {
        match self.facts.expr(expr) {
            Expr::Declaration(_, pattern) => pattern,
            Expr::Tuple(args) | Expr::Call(_, args) => {
                let values: Vec<ExprId> =
                    self.facts.args(args).iter().map(|arg| arg.value).collect();
                let parts: Vec<_> = values
                    .into_iter()
                    .map(|expr_id| self.names_in(expr_id))
                    .collect();
                let parts = self.list(&parts);
                self.add_pattern(super::Pattern::Names(parts))
            }
            Expr::Name(name, _) => self.add_pattern(super::Pattern::Variable(None, name)),
            _ => NO_PATTERN,
        }
    }

    fn try_statement(&mut self, node: u32) -> Stmt {
        let fields = self.fields;
        let body = self.field_stmt(node, fields.body);
        let mut catches = Vec::new();
        let mut finally = None;
        for part in self.parts(node) {
            match self.kind(part) {
                Kind::CatchClause => catches.push(self.catch(part)),
                Kind::FinallyClause => {
                    let block = self.child_of(part, Kind::Block);
                    finally = block.map(|block| self.inner_block(block, false));
                }
                _ => {}
            }
        }
        let catches = Run::add(&mut self.facts.catches, catches);
        Stmt::Try(add(
            &mut self.facts.tries,
            Try {
                body,
                catches,
                finally,
            },
        ))
    }

    fn catch(&mut self, node: u32) -> Catch {
        let fields = self.fields;
        let mut catch = Catch {
            ty: None,
            name: Name::NONE,
            filter: None,
            body: NO_STMT,
        };
        for part in self.parts(node) {
            match self.kind(part) {
                Kind::CatchDeclaration => {
                    catch.ty = self.child(part, fields.r#type).map(|n| self.ty(n));
                    let name = self.child(part, fields.name);
                    catch.name = name.map_or(Name::NONE, |name| self.word(name));
                }
                Kind::CatchFilter => catch.filter = Some(self.first_expr(part)),
                Kind::Block => catch.body = self.inner_block(part, false),
                _ => {}
            }
        }
        catch
    }

    fn using_statement(&mut self, node: u32) -> Stmt {
        let word = self.child_of(node, Kind::UsingWord).unwrap_or(node);
        let at = UsingAt {
            at: self.span(word).start,
            is_async: self.has(node, Kind::AwaitWord),
        };
        let head = if self.has(node, Kind::VariableDeclaration) {
            UsingHead::Locals(self.locals(node))
        } else {
            UsingHead::Expr(self.first_expr(node))
        };
        Stmt::Using(at, head, self.field_stmt(node, self.fields.body))
    }

    fn switch(&mut self, node: u32) -> Stmt {
        let value = self.field_expr(node, self.fields.value);
        let mut sections = Vec::new();
        if let Some(body) = self.child_of(node, Kind::SwitchBody) {
            for section in self.parts(body) {
                sections.push(self.section(section));
            }
        }
        Stmt::Switch(value, Run::add(&mut self.facts.sections, sections))
    }

    fn section(&mut self, node: u32) -> SwitchSection {
        let mut patterns = Vec::new();
        let mut whens = Vec::new();
        let mut body = Vec::new();
        let mut is_label = true;
        for part in self.children(node) {
            let kind = self.kind(part);
            if kind == Kind::Colon {
                is_label = false;
            } else if !self.tree.nodes[part as usize].is_named() || kind == Kind::Comment {
            } else if !is_label {
                body.push(self.stmt(part));
            } else if kind == Kind::WhenClause {
                whens.push(self.first_expr(part));
            } else {
                patterns.push(self.pattern(part));
            }
        }
        SwitchSection {
            patterns: self.list(&patterns),
            whens: self.list(&whens),
            body: self.list(&body),
        }
    }
}
