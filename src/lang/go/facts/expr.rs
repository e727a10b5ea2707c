//! Lowering of expressions.
//!
//! Chains (`a.b().c()`, `a + b + c`) are as deep in the tree as they are long: they are followed down their left sides
//! in a loop and built on the way up, so that only nesting in brackets takes stack.

use super::kind::Kind;
use super::lower::GoLowering;
use super::{Composite, CompositeItem, Expr, ExprId, FunctionLiteral, GoCallExpr, Literal, Op};
use crate::ids::add;
use crate::model::Span;
use crate::run::Run;

const fn is_chained(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Binary
            | Kind::Call
            | Kind::Selector
            | Kind::Index
            | Kind::SliceExpr
            | Kind::TypeAssertion
    )
}

impl GoLowering<'_> {
    /// Lowers the expression under the cursor.
    pub fn expr(&mut self) -> ExprId {
        self.nested(Self::chain)
            .unwrap_or_else(|| self.add_expr(Expr::Broken))
    }

    fn chain(&mut self) -> ExprId {
        let mark = self.levels.len();
        while is_chained(self.kind()) {
            let level = (self.kind(), self.span());
            if !self.down() {
                break;
            }
            self.levels.push(level);
        }
        let first = if is_chained(self.kind()) {
            Expr::Broken
        } else {
            self.first()
        };
        let mut expr = self.add_expr(first);
        while self.levels.len() > mark {
            let Some((kind, span)) = self.levels.pop() else {
                break;
            };
            expr = self.level(expr, kind, span);
        }
        expr
    }

    /// Lowers the parent of an expression from its remaining children, and moves the cursor up to it.
    fn level(&mut self, left: ExprId, kind: Kind, span: Span) -> ExprId {
        match kind {
            Kind::Binary => self.binary(left),
            Kind::Call => self.call(left, span),
            Kind::Selector => {
                let mut name = None;
                self.siblings_and_up(|lower, kind| {
                    if kind == Kind::FieldIdentifier {
                        name = Some((lower.word(), lower.span().start));
                    }
                });
                self.add_expr(
                    name.map_or(Expr::Broken, |(name, at)| Expr::Selector(left, name, at)),
                )
            }
            Kind::Index | Kind::SliceExpr => {
                let mark = self.mark();
                self.siblings_and_up(|lower, _| lower.push_expr());
                let args = self.expr_list(mark);
                self.add_expr(if kind == Kind::Index {
                    Expr::Index(left, args)
                } else {
                    Expr::Slice(left, args)
                })
            }
            _ => {
                let mut ty = None;
                self.siblings_and_up(|lower, kind| {
                    if kind.is_type() {
                        ty = Some(lower.type_syntax());
                    }
                });
                self.add_expr(ty.map_or(Expr::Broken, |ty| Expr::Assert(left, ty)))
            }
        }
    }

    /// Lowers the expression or type under the cursor into the list under construction; punctuation and errors are left
    /// out.
    fn push_expr(&mut self) {
        let kind = self.kind();
        let id = if kind == Kind::VariadicArgument {
            self.children(|lower, _| lower.push_expr());
            return;
        } else if kind.is_type() {
            self.type_expr()
        } else if self.is_named() && kind != Kind::Error {
            self.expr()
        } else {
            return;
        };
        self.push(id.0);
    }

    fn binary(&mut self, left: ExprId) -> ExprId {
        let mut op = Op::Arithmetic;
        let mut right = None;
        self.siblings_and_up(|lower, kind| match kind {
            Kind::SignShiftLeft | Kind::SignShiftRight => op = Op::Shift,
            Kind::SignEqual
            | Kind::SignUnequal
            | Kind::SignLess
            | Kind::SignLessEqual
            | Kind::SignMore
            | Kind::SignMoreEqual
            | Kind::SignAnd
            | Kind::SignOr => op = Op::Compare,
            _ if lower.is_named() => right = Some(lower.expr()),
            _ => {}
        });
        self.add_expr(right.map_or(Expr::Broken, |right| Expr::Binary(op, left, right)))
    }

    fn call(&mut self, function: ExprId, span: Span) -> ExprId {
        let mut function = function;
        let mut args = Run::default();
        let mut is_spread = false;
        self.siblings_and_up(|lower, kind| match kind {
            Kind::TypeArguments => {
                let types = lower.type_exprs_in();
                function = lower.add_expr(Expr::Index(function, types));
            }
            Kind::ArgumentList => {
                let mark = lower.mark();
                lower.children(|lower, kind| {
                    is_spread |= kind == Kind::VariadicArgument;
                    lower.push_expr();
                });
                args = lower.expr_list(mark);
            }
            _ => {}
        });
        let call = GoCallExpr {
            function,
            args,
            span,
            is_spread,
        };
        let call = add(&mut self.facts.calls, call);
        self.add_expr(Expr::Call(call))
    }

    /// Lowers an expression that begins no chain.
    fn first(&mut self) -> Expr {
        match self.kind() {
            Kind::Identifier => {
                let at = self.span().start;
                Expr::Name(self.word(), at)
            }
            Kind::Parenthesized => self.inner_expr(),
            Kind::Unary => self.unary(),
            Kind::Composite => self.composite(),
            Kind::LiteralValue => {
                let items = self.items();
                let composite = Composite { ty: None, items };
                Expr::Composite(add(&mut self.facts.composites, composite))
            }
            Kind::FuncLiteral => self.function_literal(),
            Kind::TypeConversion => self.conversion(),
            Kind::TypeInstantiation => self.instantiation(),
            Kind::Int | Kind::Iota => Expr::Literal(Literal::Int),
            Kind::Float => Expr::Literal(Literal::Float),
            Kind::Imaginary => Expr::Literal(Literal::Imaginary),
            Kind::Rune => Expr::Literal(Literal::Rune),
            Kind::String | Kind::RawString => Expr::Literal(Literal::String),
            Kind::True | Kind::False => Expr::Literal(Literal::Bool),
            Kind::Nil => Expr::Literal(Literal::Nil),
            kind if kind.is_type() => {
                let id = self.type_expr();
                self.facts.expr(id)
            }
            _ => Expr::Broken,
        }
    }

    fn inner_expr(&mut self) -> Expr {
        let found = self.last_expr();
        found.map_or(Expr::Broken, |id| self.facts.expr(id))
    }

    fn unary(&mut self) -> Expr {
        let mut op = Op::Sign;
        let mut operand = None;
        self.children(|lower, kind| match kind {
            Kind::SignAmp => op = Op::Address,
            Kind::SignStar => op = Op::Deref,
            Kind::SignArrow => op = Op::Receive,
            Kind::SignBang => op = Op::Not,
            _ if lower.is_named() => operand = Some(lower.expr()),
            _ => {}
        });
        operand.map_or(Expr::Broken, |operand| Expr::Unary(op, operand))
    }

    fn composite(&mut self) -> Expr {
        let mut ty = None;
        let mut items = Run::default();
        self.children(|lower, kind| match kind {
            Kind::LiteralValue => items = lower.items(),
            kind if kind.is_type() => ty = Some(lower.type_expr()),
            _ => {}
        });
        Expr::Composite(add(&mut self.facts.composites, Composite { ty, items }))
    }

    /// Lowers the items between the braces under the cursor.
    fn items(&mut self) -> Run {
        let mut items = Vec::new();
        self.children(|lower, kind| match kind {
            Kind::LiteralElement => {
                let value = lower.only_expr();
                items.push(CompositeItem { key: None, value });
            }
            Kind::KeyedElement => {
                let mut parts = Vec::new();
                lower.children(|lower, kind| {
                    if kind == Kind::LiteralElement {
                        parts.push(lower.only_expr());
                    }
                });
                if let Some(value) = parts.pop() {
                    items.push(CompositeItem {
                        key: parts.pop(),
                        value,
                    });
                }
            }
            _ => {}
        });
        Run::add(&mut self.facts.items, items)
    }

    fn function_literal(&mut self) -> Expr {
        let signature = self.signature();
        let body = self.body();
        body.map_or(Expr::Broken, |body| {
            Expr::Function(add(
                &mut self.facts.literals,
                FunctionLiteral { signature, body },
            ))
        })
    }

    /// Lowers `T(x)`, which may be a call of a generic function: `f[T](x)`.
    fn conversion(&mut self) -> Expr {
        let span = self.span();
        let mut function = None;
        let mark = self.mark();
        self.children(|lower, kind| {
            if lower.field() == lower.grammar.fields.r#type {
                function = Some(lower.type_expr());
            } else if lower.is_named() && kind != Kind::Error {
                lower.push_expr();
            }
        });
        let args = self.expr_list(mark);
        function.map_or(Expr::Broken, |function| {
            let call = GoCallExpr {
                function,
                args,
                span,
                is_spread: false,
            };
            Expr::Call(add(&mut self.facts.calls, call))
        })
    }

    /// Lowers `T[A]`, which may be an element of an element: `a[b[i]]`.
    fn instantiation(&mut self) -> Expr {
        let mut base = None;
        let mark = self.mark();
        self.children(|lower, kind| {
            if !kind.is_type() && kind != Kind::TypeElem {
                return;
            }
            let id = lower.type_expr();
            if base.is_none() {
                base = Some(id);
            } else {
                lower.push(id.0);
            }
        });
        let args = self.expr_list(mark);
        base.map_or(Expr::Broken, |base| Expr::Index(base, args))
    }

    /// Lowers the expressions of the list under the cursor, or the one expression there.
    pub fn exprs_here(&mut self) -> Run {
        let mark = self.mark();
        if self.kind() == Kind::ExprList {
            self.children(|lower, _| lower.push_expr());
        } else {
            self.push_expr();
        }
        self.expr_list(mark)
    }
}
