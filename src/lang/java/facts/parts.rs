//! Lowering of expressions with parts of their own: lambdas, arrays, casts, and patterns.

use super::kind::Kind;
use super::lower::JavaLowering;
use super::{Expr, Ids, Lambda, LambdaBody, Pattern, PatternId, TypeId, TypeSyntax, Variable};
use crate::ids::add;
use crate::run::Run;

impl JavaLowering<'_> {
    pub fn lambda(&mut self) -> Expr {
        let mut params = Run::default();
        let mut body = None;
        self.depth += 1;
        self.children(|lower, kind| {
            if lower.field() == lower.grammar.fields.body {
                body = Some(if kind == Kind::Block {
                    LambdaBody::Block(lower.stmt())
                } else {
                    LambdaBody::Expr(lower.expr())
                });
                return;
            }
            match kind {
                Kind::Identifier | Kind::Underscore => {
                    let variable = lower.untyped();
                    params = lower.locals(&[variable]);
                }
                Kind::InferredParameters => {
                    let mut variables = Vec::new();
                    lower.children(|lower, kind| {
                        if matches!(kind, Kind::Identifier | Kind::Underscore) {
                            variables.push(lower.untyped());
                        }
                    });
                    params = lower.locals(&variables);
                }
                Kind::FormalParameters => {
                    let mut variables = Vec::new();
                    lower.children(|lower, kind| match kind {
                        Kind::FormalParameter => variables.extend(lower.variable_here(0)),
                        Kind::SpreadParameter => variables.extend(lower.variable_here(1)),
                        _ => {}
                    });
                    params = lower.locals(&variables);
                }
                _ => {}
            }
        });
        self.depth -= 1;
        let body = body.unwrap_or_else(|| LambdaBody::Expr(self.add_expr(Expr::Broken)));
        Expr::Lambda(add(&mut self.facts.lambdas, Lambda { params, body }))
    }

    fn untyped(&mut self) -> Variable {
        Variable {
            name: self.word(),
            ty: None,
            init: None,
        }
    }

    pub fn array_creation(&mut self) -> Expr {
        let mut element = None;
        let mut n_dimensions = 0;
        let mark = self.mark();
        self.children(|lower, kind| match kind {
            Kind::Dimensions => n_dimensions += lower.n_dimensions(),
            Kind::DimensionsExpr => {
                n_dimensions += 1;
                lower.children(|lower, kind| {
                    if lower.is_named()
                        && !matches!(kind, Kind::Annotation | Kind::MarkerAnnotation)
                    {
                        let id = lower.expr();
                        lower.push(id.index());
                    }
                });
            }
            Kind::ArrayInitializer => {
                let id = lower.expr();
                lower.push(id.index());
            }
            kind if kind.is_type() => element = Some(lower.type_syntax()),
            _ => {}
        });
        let parts = self.list(mark);
        let element = element.unwrap_or_else(|| self.add_type(TypeSyntax::Broken));
        Expr::NewArray(self.arrays_of(element, n_dimensions), parts)
    }

    pub fn cast(&mut self) -> Expr {
        let mark = self.mark();
        let mut value = None;
        self.children(|lower, kind| {
            if lower.field() == lower.grammar.fields.value {
                value = Some(lower.expr());
            } else if kind.is_type() {
                let id = lower.type_syntax();
                lower.push(id.index());
            }
        });
        let types: Ids<TypeId> = self.list(mark);
        let first = self.facts.ids(types).next();
        let ty = match first {
            Some(only) if types.len == 1 => only,
            _ => self.add_type(TypeSyntax::Intersection(types)),
        };
        let value = value.unwrap_or_else(|| self.add_expr(Expr::Broken));
        Expr::Cast(ty, value)
    }

    pub fn instanceof(&mut self) -> Expr {
        let mut value = None;
        let mut ty = None;
        let mut name = None;
        let mut record = None;
        self.children(|lower, kind| match kind {
            _ if value.is_none() && lower.is_named() => value = Some(lower.expr()),
            Kind::RecordPattern => record = Some(lower.pattern()),
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            Kind::Identifier => name = Some(lower.word()),
            _ => {}
        });
        let value = value.unwrap_or_else(|| self.add_expr(Expr::Broken));
        let pattern = match (record, ty) {
            (Some(record), _) => record,
            (None, Some(ty)) => self.add_pattern(Pattern::Type(ty, name)),
            (None, None) => self.add_pattern(Pattern::Any),
        };
        Expr::Instanceof(value, pattern)
    }

    /// Lowers the pattern under the cursor.
    pub fn pattern(&mut self) -> PatternId {
        let pattern = self.nested(|lower| match lower.kind() {
            Kind::Pattern => {
                let mut inner = Pattern::Any;
                lower.children(|lower, kind| {
                    if matches!(kind, Kind::TypePattern | Kind::RecordPattern) {
                        let id = lower.pattern();
                        inner = lower.facts.pattern(id);
                    }
                });
                inner
            }
            Kind::TypePattern | Kind::RecordPatternComponent => {
                let mut ty = None;
                let mut name = None;
                lower.children(|lower, kind| match kind {
                    Kind::Identifier | Kind::Underscore => name = Some(lower.word()),
                    kind if kind.is_type() => ty = Some(lower.type_syntax()),
                    _ => {}
                });
                ty.map_or(Pattern::Any, |ty| Pattern::Type(ty, name))
            }
            Kind::RecordPattern => {
                let mut ty = None;
                let mut parts = Ids::EMPTY;
                lower.children(|lower, kind| match kind {
                    Kind::Identifier | Kind::GenericType => ty = Some(lower.type_syntax()),
                    Kind::RecordPatternBody => {
                        let mark = lower.mark();
                        lower.children(|lower, kind| {
                            if matches!(kind, Kind::RecordPattern | Kind::RecordPatternComponent) {
                                let id = lower.pattern();
                                lower.push(id.index());
                            }
                        });
                        parts = lower.list(mark);
                    }
                    _ => {}
                });
                ty.map_or(Pattern::Any, |ty| Pattern::Record(ty, parts))
            }
            _ => Pattern::Any,
        });
        self.add_pattern(pattern.unwrap_or(Pattern::Any))
    }
}
