//! Lowering of statements.

use super::kind::Kind;
use super::lower::GoLowering;
use super::{BlockId, Expr, ExprId, For, GoCaseClause, If, Range, Stmt, StmtId, Switch};
use crate::ids::add;
use crate::model::Span;
use crate::run::Run;

impl GoLowering<'_> {
    /// Lowers the block under the cursor.
    pub fn block(&mut self) -> BlockId {
        let span = self.span();
        let around = std::mem::replace(&mut self.block_end, span.end);
        let mark = self.mark();
        self.nested(|lower| lower.children(Self::push_stmt));
        let stmts = self.stmt_list(mark);
        self.block_end = around;
        self.add_block(span, stmts)
    }

    fn push_stmt(&mut self, kind: Kind) {
        // An error may hold statements that parse.
        if kind == Kind::Error {
            self.nested(|lower| lower.children(Self::push_stmt));
        } else if self.is_named() {
            let id = self.stmt();
            self.push(id.0);
        }
    }

    fn stmt(&mut self) -> StmtId {
        let span = self.span();
        let stmt = self.nested(Self::stmt_here).unwrap_or(Stmt::Nothing);
        self.add_stmt(stmt, span)
    }

    fn stmt_here(&mut self) -> Stmt {
        match self.kind() {
            Kind::ExprStatement | Kind::Inc | Kind::Dec => Stmt::Expr(self.only_expr()),
            Kind::Go | Kind::Defer => Stmt::Later(self.only_expr()),
            Kind::ShortVar | Kind::Assignment | Kind::Receive => self.assignment(),
            Kind::Var | Kind::Const => Stmt::Values(self.values()),
            Kind::TypeDeclaration => {
                self.type_declaration();
                Stmt::Nothing
            }
            Kind::Send => self.send(),
            Kind::Return => self.return_statement(),
            Kind::Labeled => self.labeled(),
            Kind::Block => Stmt::Block(self.block()),
            Kind::If => self.if_statement(),
            Kind::For => self.for_statement(),
            Kind::ExprSwitch | Kind::TypeSwitch | Kind::Select => self.switch(),
            _ => Stmt::Nothing,
        }
    }

    fn broken(&mut self) -> ExprId {
        self.add_expr(Expr::Broken)
    }

    /// Lowers the expressions among the children and returns the last.
    pub fn last_expr(&mut self) -> Option<ExprId> {
        self.last(|lower, kind| (lower.is_named() && kind != Kind::Error).then(|| lower.expr()))
    }

    /// Lowers the only expression among the children; broken where there is none.
    pub fn only_expr(&mut self) -> ExprId {
        self.last_expr().unwrap_or_else(|| self.broken())
    }

    /// Lowers the block among the children.
    pub fn body(&mut self) -> Option<BlockId> {
        self.last(|lower, kind| (kind == Kind::Block).then(|| lower.block()))
    }

    /// Lowers the two sides of an assignment; `:=` declares new variables.
    fn assignment(&mut self) -> Stmt {
        let mut is_define = self.kind() == Kind::ShortVar;
        let mut left = Run::default();
        let mut right = Run::default();
        self.children(|lower, kind| {
            is_define |= kind == Kind::SignDefine;
            if lower.field() == lower.grammar.fields.left {
                left = lower.exprs_here();
            } else if lower.field() == lower.grammar.fields.right {
                right = lower.exprs_here();
            }
        });
        if is_define {
            Stmt::Define(left, right)
        } else {
            Stmt::Assign(left, right)
        }
    }

    fn send(&mut self) -> Stmt {
        let mut channel = None;
        let mut value = None;
        self.children(|lower, _| {
            if lower.field() == lower.grammar.fields.channel {
                channel = Some(lower.expr());
            } else if lower.field() == lower.grammar.fields.value {
                value = Some(lower.expr());
            }
        });
        match (channel, value) {
            (Some(channel), Some(value)) => Stmt::Send(channel, value),
            _ => Stmt::Nothing,
        }
    }

    fn return_statement(&mut self) -> Stmt {
        let values = self.last(|lower, kind| (kind == Kind::ExprList).then(|| lower.exprs_here()));
        Stmt::Return(values.unwrap_or_default())
    }

    fn labeled(&mut self) -> Stmt {
        let found = self.last(|lower, kind| {
            let is_stmt = lower.is_named() && !matches!(kind, Kind::LabelName | Kind::Error);
            is_stmt.then(|| lower.stmt())
        });
        found.map_or(Stmt::Nothing, Stmt::Labeled)
    }

    fn if_statement(&mut self) -> Stmt {
        let (mut init, mut condition, mut then, mut otherwise) = (None, None, None, None);
        self.children(|lower, _| {
            let field = lower.field();
            let grammar = lower.grammar;
            if field == grammar.fields.initializer {
                init = Some(lower.stmt());
            } else if field == grammar.fields.condition {
                condition = Some(lower.expr());
            } else if field == grammar.fields.consequence {
                then = Some(lower.block());
            } else if field == grammar.fields.alternative {
                otherwise = Some(lower.stmt());
            }
        });
        let Some(then) = then else {
            return Stmt::Nothing;
        };
        let condition = condition.unwrap_or_else(|| self.broken());
        Stmt::If(add(
            &mut self.facts.ifs,
            If {
                init,
                condition,
                then,
                otherwise,
            },
        ))
    }

    fn for_statement(&mut self) -> Stmt {
        let mut head = For {
            init: None,
            condition: None,
            update: None,
            body: BlockId(0),
        };
        let mut range = None;
        let mut body = None;
        self.children(|lower, kind| match kind {
            Kind::ForClause => lower.for_clause(&mut head),
            Kind::RangeClause => range = lower.range_clause(),
            Kind::Block => body = Some(lower.block()),
            Kind::Error => {}
            _ if lower.is_named() => head.condition = Some(lower.expr()),
            _ => {}
        });
        let Some(body) = body else {
            return Stmt::Nothing;
        };
        match range {
            Some((left, is_define, over)) => {
                let range = Range {
                    left,
                    is_define,
                    over,
                    body,
                };
                Stmt::Range(add(&mut self.facts.ranges, range))
            }
            None => Stmt::For(add(&mut self.facts.fors, For { body, ..head })),
        }
    }

    fn for_clause(&mut self, head: &mut For) {
        self.children(|lower, _| {
            let field = lower.field();
            if field == lower.grammar.fields.initializer {
                head.init = Some(lower.stmt());
            } else if field == lower.grammar.fields.condition {
                head.condition = Some(lower.expr());
            } else if field == lower.grammar.fields.update {
                head.update = Some(lower.stmt());
            }
        });
    }

    fn range_clause(&mut self) -> Option<(Run, bool, ExprId)> {
        let mut left = Run::default();
        let mut is_define = false;
        let mut over = None;
        self.children(|lower, kind| {
            is_define |= kind == Kind::SignDefine;
            if lower.field() == lower.grammar.fields.left {
                left = lower.exprs_here();
            } else if lower.field() == lower.grammar.fields.right {
                over = Some(lower.expr());
            }
        });
        over.map(|over| (left, is_define, over))
    }

    /// Lowers `switch`, the type switch and `select`.
    fn switch(&mut self) -> Stmt {
        let mut switch = Switch {
            init: None,
            value: None,
            alias: None,
            cases: Run::default(),
        };
        let mut cases = Vec::new();
        self.children(|lower, kind| {
            let field = lower.field();
            match kind {
                Kind::ExprCase | Kind::TypeCase | Kind::CommunicationCase | Kind::DefaultCase => {
                    cases.push(lower.case());
                }
                _ if field == lower.grammar.fields.initializer => switch.init = Some(lower.stmt()),
                _ if field == lower.grammar.fields.alias => switch.alias = lower.first_name(),
                _ if field == lower.grammar.fields.value => switch.value = Some(lower.expr()),
                _ => {}
            }
        });
        switch.cases = Run::add(&mut self.facts.cases, cases);
        Stmt::Switch(add(&mut self.facts.switches, switch))
    }

    fn first_name(&mut self) -> Option<super::Name> {
        let mut found = None;
        self.children(|lower, kind| {
            if kind == Kind::Identifier && found.is_none() {
                found = Some(lower.word());
            }
        });
        found
    }

    fn case(&mut self) -> GoCaseClause {
        let end = self.span().end;
        let around = std::mem::replace(&mut self.block_end, end);
        let mut values = Run::default();
        let mut types = Vec::new();
        let mut communication = None;
        let mut bounds: Option<Span> = None;
        let mark = self.mark();
        self.children(|lower, kind| {
            let field = lower.field();
            if field == lower.grammar.fields.value && kind == Kind::ExprList {
                values = lower.exprs_here();
            } else if field == lower.grammar.fields.r#type && kind.is_type() {
                types.push(lower.type_syntax());
            } else if matches!(kind, Kind::Send | Kind::Receive)
                && communication.is_none()
                && bounds.is_none()
            {
                communication = Some(lower.stmt());
            } else if lower.is_named() {
                let span = lower.span();
                bounds = Some(Span::new(
                    bounds.map_or(span.start, |bound| bound.start),
                    span.end,
                ));
                lower.push_stmt(kind);
            }
        });
        let stmts = self.stmt_list(mark);
        let body = self.add_block(bounds.unwrap_or(Span::new(end, end)), stmts);
        let types = Run::add(&mut self.facts.type_lists, types);
        self.block_end = around;
        GoCaseClause {
            values,
            types,
            communication,
            body,
        }
    }
}
