//! Lowering of expressions and patterns.
//!
//! Chains (`a.b().c()`, `a + b + c`, nested parentheses) are long in real code and endless in hostile code, so the left
//! spine of an expression is walked in a loop; everything else recurses with a limit.

use super::kind::Kind;
use super::lower::{AROUND_MAX, JavaLowering, Level};
use super::{Expr, ExprId, Ids, Literal, Name, Op, Site, SiteId, SiteKind};
use crate::ids::add;
use crate::model::Span;
use crate::syntax::java::prim::Prim;

impl JavaLowering<'_> {
    /// Lowers the expression under the cursor.
    pub fn expr(&mut self) -> ExprId {
        self.nested(Self::spine)
            .unwrap_or_else(|| self.add_expr(Expr::TooDeep))
    }

    fn spine(&mut self) -> ExprId {
        let mark = self.levels.len();
        loop {
            let level = match self.kind() {
                Kind::Parenthesized => {
                    if !self.down_to_named() {
                        break;
                    }
                    Level::Parentheses
                }
                Kind::FieldAccess if self.down() => Level::Field,
                Kind::ArrayAccess if self.down() => Level::Index,
                Kind::Binary if self.down() => Level::Binary,
                Kind::MethodInvocation => {
                    let span = self.span();
                    if !self.down() {
                        break;
                    }
                    if self.field() != self.grammar.fields.object {
                        self.goto_parent();
                        break;
                    }
                    let (parent, is_argument) = (self.parent, self.is_argument);
                    let site = self.begin_site(SiteKind::Call, span);
                    self.parent = Some(site);
                    self.is_argument = false;
                    Level::Call {
                        site,
                        parent,
                        is_argument,
                    }
                }
                _ => break,
            };
            self.levels.push(level);
        }
        let mut base = self.atom();
        while self.levels.len() > mark {
            let level = self
                .levels
                .pop()
                .expect("the spine has a level above the mark");
            base = self.finish_level(level, base);
            self.goto_parent();
        }
        base
    }

    /// Moves to the first named child that is not a comment.
    fn down_to_named(&mut self) -> bool {
        if !self.goto_first_child() {
            return false;
        }
        loop {
            if self.is_named() && !self.kind().is_comment() {
                return true;
            }
            if !self.goto_next_sibling() {
                self.goto_parent();
                return false;
            }
        }
    }

    /// Completes one step with the cursor on its first child, whose value is `base`.
    fn finish_level(&mut self, level: Level, base: ExprId) -> ExprId {
        match level {
            Level::Parentheses => base,
            Level::Field => {
                let mut expr = None;
                let mut object = base;
                self.siblings(|lower, kind| match kind {
                    Kind::Super => object = lower.add_expr(Expr::Super),
                    Kind::This => expr = Some(Expr::OuterThis(object)),
                    Kind::Identifier => {
                        let name = lower.word();
                        expr = Some(Expr::Field(object, name));
                    }
                    _ => {}
                });
                self.add_expr(expr.unwrap_or(Expr::Broken))
            }
            Level::Index => {
                let mut index = None;
                self.siblings(|lower, kind| {
                    if lower.is_named() && kind != Kind::Error {
                        index = Some(lower.expr());
                    }
                });
                let index = index.unwrap_or_else(|| self.add_expr(Expr::Broken));
                self.add_expr(Expr::Index(base, index))
            }
            Level::Binary => {
                let mut op = Op::Add;
                let mut right = None;
                self.siblings(|lower, kind| {
                    if !lower.is_named() {
                        op = binary_op(lower.slice());
                    } else if kind != Kind::Error {
                        right = Some(lower.expr());
                    }
                });
                let right = right.unwrap_or_else(|| self.add_expr(Expr::Broken));
                self.add_expr(Expr::Binary(op, base, right))
            }
            Level::Call {
                site,
                parent,
                is_argument,
            } => {
                self.facts.sites[site.0 as usize].object = Some(base);
                self.siblings(|lower, kind| lower.call_part(site, kind));
                (self.parent, self.is_argument) = (parent, is_argument);
                self.add_expr(Expr::Site(site))
            }
        }
    }

    fn call_part(&mut self, site: SiteId, kind: Kind) {
        match kind {
            Kind::TypeArguments => {
                let type_args = self.type_arguments();
                self.site_mut(site).type_args = type_args;
            }
            Kind::Identifier => {
                self.name_site(site);
            }
            Kind::Super => self.site_mut(site).is_outer_super = true,
            Kind::ArgumentList => self.arguments(site),
            Kind::Error => self.site_mut(site).is_broken = true,
            _ => {}
        }
    }

    fn site_mut(&mut self, site: SiteId) -> &mut Site {
        &mut self.facts.sites[site.0 as usize]
    }

    /// Gives a site the name under the cursor.
    fn name_site(&mut self, site: SiteId) {
        let (name, name_span) = (self.word(), self.span());
        let site = self.site_mut(site);
        site.name = name;
        site.name_span = name_span;
    }

    fn begin_site(&mut self, kind: SiteKind, span: Span) -> SiteId {
        let height = self
            .parent
            .map_or(0, |parent| self.heights[parent.0 as usize] + 1);
        let parent = self.parent.filter(|_| height < AROUND_MAX);
        self.heights.push(height % AROUND_MAX);
        add(
            &mut self.facts.sites,
            Site {
                kind,
                is_argument: self.is_argument,
                depth: self.depth,
                parent,
                span,
                name_span: span,
                ..Site::default()
            },
        )
    }

    /// Runs `f` with `site` as the call around the cursor.
    fn inside<R>(&mut self, site: SiteId, is_argument: bool, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = (self.parent, self.is_argument);
        (self.parent, self.is_argument) = (Some(site), is_argument);
        let result = f(self);
        (self.parent, self.is_argument) = outer;
        result
    }

    /// Lowers the argument list under the cursor.
    fn arguments(&mut self, site: SiteId) {
        let mut is_broken = false;
        let args = self.inside(site, true, |lower| {
            let mark = lower.mark();
            lower.children(|lower, kind| {
                if kind == Kind::Error {
                    is_broken = true;
                } else if lower.is_named() {
                    let id = lower.expr();
                    lower.push(id.index());
                }
            });
            lower.list(mark)
        });
        let site = self.site_mut(site);
        site.args = args;
        site.is_broken |= is_broken;
    }

    /// Lowers an expression that is not a left spine.
    fn atom(&mut self) -> ExprId {
        let expr = match self.kind() {
            Kind::Identifier => Expr::Name(self.word()),
            Kind::This => Expr::This,
            Kind::Super => Expr::Super,
            Kind::StringLiteral => Expr::Literal(Literal::String),
            Kind::True | Kind::False => Expr::Literal(Literal::Prim(Prim::Boolean)),
            Kind::Null => Expr::Literal(Literal::Null),
            Kind::CharLiteral => Expr::Literal(Literal::Prim(Prim::Char)),
            Kind::DecimalInt | Kind::HexInt | Kind::OctalInt | Kind::BinaryInt => {
                let is_long = self.slice().ends_with(['l', 'L']);
                let prim = if is_long { Prim::Long } else { Prim::Int };
                Expr::Literal(Literal::Prim(prim))
            }
            Kind::DecimalFloat | Kind::HexFloat => {
                let is_float = self.slice().ends_with(['f', 'F']);
                let prim = if is_float { Prim::Float } else { Prim::Double };
                Expr::Literal(Literal::Prim(prim))
            }
            Kind::MethodInvocation => self.plain_call(),
            Kind::ObjectCreation => self.object_creation(),
            Kind::MethodReference => self.method_reference(),
            Kind::Lambda => self.lambda(),
            Kind::ArrayCreation => self.array_creation(),
            Kind::ArrayInitializer => Expr::ArrayInit(self.exprs()),
            Kind::Cast => self.cast(),
            Kind::Instanceof => self.instanceof(),
            Kind::Ternary => self.ternary(),
            Kind::Unary => self.unary(),
            Kind::Update => self.unary_as(Op::Sign),
            Kind::Assignment => self.assignment(),
            Kind::SwitchExpression => Expr::Switch(self.switch()),
            Kind::ClassLiteral => self.class_literal(),
            Kind::Template => self.template(),
            _ => Expr::Broken,
        };
        self.add_expr(expr)
    }

    fn plain_call(&mut self) -> Expr {
        let span = self.span();
        let site = self.begin_site(SiteKind::Call, span);
        self.children(|lower, kind| lower.call_part(site, kind));
        Expr::Site(site)
    }

    /// Lowers the expressions among the children of the node under the cursor.
    pub fn exprs(&mut self) -> Ids<ExprId> {
        let mark = self.mark();
        self.children(|lower, kind| {
            if lower.is_named() && kind != Kind::Error {
                let id = lower.expr();
                lower.push(id.index());
            }
        });
        self.list(mark)
    }

    fn object_creation(&mut self) -> Expr {
        let span = self.span();
        let site = self.begin_site(SiteKind::New, span);
        let mut is_after_new = false;
        self.children(|lower, kind| match kind {
            Kind::WordNew => is_after_new = true,
            Kind::TypeArguments => {}
            Kind::ArgumentList => lower.arguments(site),
            Kind::ClassBody => {
                let ty = lower.site_mut(site).ty;
                let body = lower.inside(site, true, |lower| lower.anonymous_type(ty, span));
                lower.site_mut(site).body = std::num::NonZeroU32::new(body + 1);
            }
            Kind::Error => lower.site_mut(site).is_broken = true,
            kind if is_after_new && kind.is_type() => {
                let name_span = lower.type_name_span();
                let name = lower.intern_span(name_span);
                let ty = lower.type_syntax();
                let site = lower.site_mut(site);
                site.ty = Some(ty);
                site.name = name;
                site.name_span = name_span;
            }
            Kind::Annotation | Kind::MarkerAnnotation => {}
            _ if !is_after_new && lower.is_named() => {
                let object = lower.inside(site, false, Self::expr);
                lower.site_mut(site).object = Some(object);
            }
            _ => {}
        });
        Expr::Site(site)
    }

    pub fn intern_span(&mut self, span: Span) -> Name {
        let word = span.of(self.text);
        self.intern(word)
    }

    /// Finds the place of the last name of the type under the cursor, type arguments left out.
    fn type_name_span(&mut self) -> Span {
        match self.kind() {
            Kind::ScopedType | Kind::GenericType => {
                let mut last = self.span();
                self.children(|lower, kind| {
                    if matches!(kind, Kind::TypeIdentifier | Kind::ScopedType) {
                        last = lower.nested(Self::type_name_span).unwrap_or(last);
                    }
                });
                last
            }
            _ => self.span(),
        }
    }

    fn method_reference(&mut self) -> Expr {
        let span = self.span();
        let site = self.begin_site(SiteKind::Reference, span);
        let mut has_object = false;
        self.children(|lower, kind| match kind {
            Kind::WordNew => {
                lower.name_site(site);
                lower.site_mut(site).kind = SiteKind::NewReference;
            }
            Kind::Identifier if has_object => {
                lower.name_site(site);
            }
            Kind::TypeArguments => {
                let type_args = lower.type_arguments();
                lower.site_mut(site).type_args = type_args;
            }
            kind if kind.is_type() => {
                has_object = true;
                let ty = lower.type_syntax();
                lower.site_mut(site).ty = Some(ty);
            }
            Kind::Error => lower.site_mut(site).is_broken = true,
            _ if lower.is_named() => {
                has_object = true;
                let object = lower.inside(site, false, Self::expr);
                lower.site_mut(site).object = Some(object);
            }
            _ => {}
        });
        Expr::Site(site)
    }

    /// Lowers `this(…)` or `super(…)` under the cursor.
    pub fn explicit_constructor(&mut self) -> ExprId {
        let span = self.span();
        // The semicolon belongs to the statement.
        let span = if self.slice().ends_with(';') {
            Span::new(span.start, span.end - 1)
        } else {
            span
        };
        let site = self.begin_site(SiteKind::SuperCall, span);
        self.children(|lower, kind| match kind {
            Kind::This | Kind::Super => {
                lower.name_site(site);
                if kind == Kind::This {
                    lower.site_mut(site).kind = SiteKind::ThisCall;
                }
            }
            Kind::ArgumentList => lower.arguments(site),
            Kind::TypeArguments => {}
            Kind::Error => lower.site_mut(site).is_broken = true,
            _ if lower.is_named() => {
                let object = lower.inside(site, false, Self::expr);
                lower.site_mut(site).object = Some(object);
            }
            _ => {}
        });
        self.add_expr(Expr::Site(site))
    }

    /// Lowers the enum constant under the cursor as a call of its constructor.
    pub fn constant_site(&mut self, field: usize) -> ExprId {
        let span = self.span();
        let site = self.begin_site(SiteKind::Constant, span);
        self.children(|lower, kind| match kind {
            Kind::Identifier => {
                lower.name_site(site);
                lower.facts.fields[field].name = lower.site_mut(site).name;
            }
            Kind::ArgumentList => lower.arguments(site),
            Kind::ClassBody => {
                let body = lower.inside(site, true, |lower| lower.anonymous_type(None, span));
                lower.site_mut(site).body = std::num::NonZeroU32::new(body + 1);
            }
            _ => {}
        });
        self.add_expr(Expr::Site(site))
    }

    fn ternary(&mut self) -> Expr {
        let parts = self.exprs();
        let mut parts = self.facts.ids(parts);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(condition), Some(yes), Some(no)) => Expr::Conditional(condition, yes, no),
            _ => Expr::Broken,
        }
    }

    fn unary(&mut self) -> Expr {
        let op = if self.slice().starts_with('!') {
            Op::Not
        } else {
            Op::Sign
        };
        self.unary_as(op)
    }

    fn unary_as(&mut self, op: Op) -> Expr {
        let value = self
            .last(|lower, kind| (lower.is_named() && kind != Kind::Error).then(|| lower.expr()));
        value.map_or(Expr::Broken, |value| Expr::Unary(op, value))
    }

    fn assignment(&mut self) -> Expr {
        let mut left = None;
        let mut right = None;
        self.children(|lower, kind| {
            if !lower.is_named() || kind == Kind::Error {
            } else if left.is_none() {
                left = Some(lower.expr());
            } else {
                right = Some(lower.expr());
            }
        });
        match (left, right) {
            (Some(left), Some(right)) => Expr::Assign(left, right),
            _ => Expr::Broken,
        }
    }

    fn class_literal(&mut self) -> Expr {
        let ty = self.last_type();
        ty.map_or(Expr::Broken, Expr::ClassLiteral)
    }

    fn template(&mut self) -> Expr {
        let mut processor = None;
        self.children(|lower, _| {
            if processor.is_none() && lower.is_named() {
                processor = Some(lower.expr());
            }
        });
        processor.map_or(Expr::Broken, Expr::Template)
    }
}

fn binary_op(sign: &str) -> Op {
    match sign {
        "+" => Op::Add,
        "-" | "*" | "/" | "%" => Op::Arithmetic,
        "&" | "|" | "^" => Op::Bits,
        "<<" | ">>" | ">>>" => Op::Shift,
        "&&" => Op::And,
        "||" => Op::Or,
        _ => Op::Compare,
    }
}
