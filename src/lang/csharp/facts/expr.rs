//! Lowering of expressions.

use super::kind::Kind;
use super::lower::{BROKEN, BROKEN_TYPE, CSharpLowering, VAR};
use super::{
    Arg, Body, Expr, ExprId, Ids, Lambda, Literal, MemberAccess, Name, Operator, ParamDecl,
    ParameterPassing, Pattern, flag,
};
use crate::ids::add;
use crate::run::Run;

impl CSharpLowering<'_> {
    pub fn expr(&mut self, node: u32) -> ExprId {
        if let Some((ready, id)) = self.ready
            && ready == node
        {
            self.ready = None;
            return id;
        }
        let chain = self.chain(node);
        // The receiver of a call on a call, thousands deep, is lowered first.
        for &link in chain.iter().skip(1).rev() {
            if let Some(id) = self.deeper(|lower| lower.one(link)) {
                self.ready = Some((link, id));
            }
        }
        self.deeper(|lower| lower.one(node)).unwrap_or(BROKEN)
    }

    /// Finds the expressions that begin where this one does, each the receiver or left side of the one before, down to
    /// one that is lowered already.
    fn chain(&self, node: u32) -> Vec<u32> {
        let mut chain = vec![node];
        let mut at = node;
        let ready = self.ready.map(|(node, _)| node);
        while let Some(next) = self.first_link(at).filter(|&n| Some(n) != ready) {
            chain.push(next);
            at = next;
        }
        chain
    }

    fn first_link(&self, node: u32) -> Option<u32> {
        let fields = self.fields;
        match self.kind(node) {
            Kind::MemberAccess | Kind::ElementAccess => self.child(node, fields.expression),
            Kind::Binary => self.child(node, fields.left),
            Kind::ConditionalAccess => self.child(node, fields.condition),
            Kind::Invocation => {
                let function = self.child(node, fields.function)?;
                match self.kind(function) {
                    Kind::MemberAccess | Kind::ConditionalAccess => self.first_link(function),
                    Kind::Invocation | Kind::ElementAccess => Some(function),
                    _ => None,
                }
            }
            _ => None,
        }
        .filter(|&link| {
            matches!(
                self.kind(link),
                Kind::MemberAccess
                    | Kind::ElementAccess
                    | Kind::Binary
                    | Kind::ConditionalAccess
                    | Kind::Invocation
            )
        })
    }

    fn one(&mut self, node: u32) -> ExprId {
        let kind = self.kind(node);
        let span = self.span(node);
        let expr = match kind {
            Kind::ParenthesizedExpression => {
                return match self.parts(node).next() {
                    Some(inner) => self.expr(inner),
                    None => BROKEN,
                };
            }
            Kind::Comment | Kind::Error => return BROKEN,
            Kind::Identifier => Expr::Name(self.word(node), Ids::default()),
            Kind::GenericName => {
                let (name, args) = self.simple_name(node);
                Expr::Name(name, args)
            }
            Kind::PredefinedType
            | Kind::AliasQualifiedName
            | Kind::ArrayType
            | Kind::NullableType => Expr::Type(self.ty(node)),
            Kind::QualifiedName => self.dotted(node, self.fields.qualifier),
            Kind::ThisWord => Expr::This,
            Kind::BaseWord => Expr::Base,
            Kind::MemberAccess => self.dotted(node, self.fields.expression),
            Kind::ConditionalAccess => self.conditional_access(node),
            Kind::Invocation => self.invocation(node),
            Kind::ElementAccess => self.element_access(node),
            Kind::ElementBinding | Kind::BracketedArguments => Expr::Index {
                object: BROKEN,
                args: self.arguments(node),
                at: span.start,
                is_conditional: false,
            },
            Kind::ObjectCreation
            | Kind::ImplicitObject
            | Kind::ArrayCreation
            | Kind::Stackalloc
            | Kind::ImplicitArray
            | Kind::ImplicitStackalloc
            | Kind::AnonymousObject => self.creation(node, kind),
            Kind::Initializer => Expr::Initializer(self.exprs(node)),
            Kind::CollectionExpression => self.collection(node),
            Kind::Assignment | Kind::Binary => self.infix(node, kind),
            Kind::Prefix | Kind::Postfix => self.unary(node, kind),
            Kind::Cast => {
                let ty = self.field_ty(node, self.fields.r#type, BROKEN_TYPE);
                Expr::Cast(ty, self.field_expr(node, self.fields.value))
            }
            Kind::As => {
                let value = self.field_expr(node, self.fields.left);
                Expr::As(value, self.field_ty(node, self.fields.right, BROKEN_TYPE))
            }
            Kind::Is => {
                let value = self.field_expr(node, self.fields.left);
                Expr::Is(value, self.add_pattern(Pattern::Type))
            }
            Kind::IsPattern => {
                let value = self.field_expr(node, self.fields.expression);
                let pattern = self.child(node, self.fields.pattern);
                Expr::Is(value, self.pattern_or_none(pattern))
            }
            Kind::ConditionalExpression => {
                let condition = self.field_expr(node, self.fields.condition);
                let then = self.field_expr(node, self.fields.consequence);
                let other = self.field_expr(node, self.fields.alternative);
                Expr::Conditional(condition, then, other)
            }
            Kind::Lambda | Kind::AnonymousMethod => self.lambda(node),
            Kind::Await => Expr::Await(self.first_expr(node)),
            Kind::ThrowExpression => Expr::Throw(self.first_expr(node)),
            Kind::CheckedExpression | Kind::RefExpression => Expr::Same(self.first_expr(node)),
            Kind::TupleExpression => Expr::Tuple(self.arguments(node)),
            Kind::DefaultExpression => {
                let ty = self.child(node, self.fields.r#type);
                Expr::Default(ty.map(|n| self.ty(n)))
            }
            Kind::Typeof => Expr::Typeof,
            Kind::Sizeof => Expr::Sizeof,
            Kind::InterpolatedString => self.interpolated(node),
            Kind::With => self.with(node),
            Kind::SwitchExpression => self.switch_expr(node),
            Kind::Range => self.range(node),
            Kind::Query => self.query(node),
            Kind::DeclarationExpression => self.declaration_expr(node),
            _ => match self.literal(node, kind) {
                Some(literal) => Expr::Literal(literal),
                None => Expr::Broken,
            },
        };
        self.add_expr(expr, span)
    }

    /// Lowers the type in a field; `or` where there is none.
    pub fn field_ty(
        &mut self,
        node: u32,
        field: crate::syntax::tree::NodeField,
        or: super::TypeRef,
    ) -> super::TypeRef {
        self.child(node, field).map_or(or, |n| self.ty(n))
    }

    pub fn field_expr(&mut self, node: u32, field: crate::syntax::tree::NodeField) -> ExprId {
        match self.child(node, field) {
            Some(child) => self.expr(child),
            None => BROKEN,
        }
    }

    /// Lowers the one expression in a node, which may be a word such as `this`.
    pub fn first_expr(&mut self, node: u32) -> ExprId {
        let first = self.children(node).find(|&child| {
            self.tree.nodes[child as usize].is_named() && self.kind(child) != Kind::Comment
                || matches!(self.kind(child), Kind::ThisWord | Kind::BaseWord)
        });
        first.map_or(BROKEN, |n| self.expr(n))
    }

    fn exprs(&mut self, node: u32) -> Ids<ExprId> {
        let mut exprs = Vec::new();
        for part in self.children(node) {
            let is_expr =
                self.tree.nodes[part as usize].is_named() && self.kind(part) != Kind::Comment;
            if is_expr || self.kind(part) == Kind::ThisWord {
                exprs.push(self.expr(part));
            }
        }
        self.list(&exprs)
    }

    fn literal(&self, node: u32, kind: Kind) -> Option<Literal> {
        let text = self.text(node);
        Some(match kind {
            Kind::NullLiteral => Literal::Null,
            Kind::BooleanLiteral => Literal::Bool,
            Kind::CharacterLiteral => Literal::Char,
            Kind::StringLiteral | Kind::VerbatimString | Kind::RawString => {
                if text.ends_with("u8") {
                    Literal::Utf8
                } else {
                    Literal::String
                }
            }
            Kind::IntegerLiteral => integer(text),
            Kind::RealLiteral => match text.as_bytes().last() {
                Some(b'f' | b'F') => Literal::Float,
                Some(b'm' | b'M') => Literal::Decimal,
                _ => Literal::Double,
            },
            _ => return None,
        })
    }

    /// Lowers `a.b`, with `a` in a field.
    fn dotted(&mut self, node: u32, before: crate::syntax::tree::NodeField) -> Expr {
        let object = self.field_expr(node, before);
        match self.child(node, self.fields.name) {
            Some(name) => self.member_of(object, name, false),
            None => Expr::Broken,
        }
    }

    fn member_of(&mut self, object: ExprId, node: u32, is_conditional: bool) -> Expr {
        let at = self.span(node).start;
        let (name, args) = self.simple_name(node);
        Expr::Member(MemberAccess {
            object,
            name,
            args,
            at,
            is_conditional,
        })
    }

    fn conditional_access(&mut self, node: u32) -> Expr {
        let object = self.field_expr(node, self.fields.condition);
        for part in self.children(node) {
            match self.kind(part) {
                Kind::MemberBinding => {
                    return match self.child(part, self.fields.name) {
                        Some(name) => self.member_of(object, name, true),
                        None => Expr::Broken,
                    };
                }
                Kind::ElementBinding => {
                    return Expr::Index {
                        object,
                        args: self.arguments(part),
                        at: self.span(part).start,
                        is_conditional: true,
                    };
                }
                _ => {}
            }
        }
        Expr::Broken
    }

    fn invocation(&mut self, node: u32) -> Expr {
        let Some(function) = self.child(node, self.fields.function) else {
            return Expr::Broken;
        };
        if self.kind(function) == Kind::Identifier && self.text(function) == "nameof" {
            return Expr::Literal(Literal::String);
        }
        let function = self.expr(function);
        let args = self.child(node, self.fields.arguments);
        Expr::Call(
            function,
            args.map_or(Run::default(), |arg| self.arguments(arg)),
        )
    }

    fn element_access(&mut self, node: u32) -> Expr {
        let object = self.field_expr(node, self.fields.expression);
        let Some(list) = self.child(node, self.fields.subscript) else {
            return Expr::Broken;
        };
        Expr::Index {
            object,
            args: self.arguments(list),
            at: self.span(list).start,
            is_conditional: false,
        }
    }

    /// Lowers a list of arguments in any brackets.
    pub fn arguments(&mut self, list: u32) -> Run {
        let mut args = Vec::new();
        for node in self.parts(list) {
            if self.kind(node) != Kind::Argument {
                continue;
            }
            let mut arg = Arg {
                name: Name::NONE,
                passing: ParameterPassing::Value,
                value: BROKEN,
            };
            for child in self.children(node) {
                match self.kind(child) {
                    Kind::RefWord => arg.passing = ParameterPassing::Ref,
                    Kind::OutWord => arg.passing = ParameterPassing::Out,
                    Kind::InWord => arg.passing = ParameterPassing::In,
                    _ if self.field_of(child) == self.fields.name => arg.name = self.word(child),
                    Kind::ThisWord | Kind::BaseWord => arg.value = self.expr(child),
                    Kind::Comment => {}
                    _ if self.tree.nodes[child as usize].is_named() => arg.value = self.expr(child),
                    _ => {}
                }
            }
            args.push(arg);
        }
        Run::add(&mut self.facts.args, args)
    }

    fn creation(&mut self, node: u32, kind: Kind) -> Expr {
        let init = self.child_of(node, Kind::Initializer);
        match kind {
            Kind::ObjectCreation => {
                let Some(ty) = self.child(node, self.fields.r#type) else {
                    return Expr::Broken;
                };
                let at = self.span(self.last_name(ty));
                let ty = self.ty(ty);
                let args = self.child(node, self.fields.arguments);
                let args = args.map_or(Run::default(), |arg| self.arguments(arg));
                let init = init.map(|init| self.expr(init));
                Expr::New { ty, args, init, at }
            }
            Kind::ImplicitObject => {
                let args = self.child_of(node, Kind::ArgumentList);
                let args = args.map_or(Run::default(), |arg| self.arguments(arg));
                Expr::NewTarget(args, init.map(|init| self.expr(init)))
            }
            Kind::ArrayCreation | Kind::Stackalloc => {
                let ty = self.child(node, self.fields.r#type);
                let mut sizes = Vec::new();
                if let Some(rank) = ty.and_then(|n| self.child(n, self.fields.rank)) {
                    for size in self.parts(rank) {
                        sizes.push(self.expr(size));
                    }
                }
                Expr::NewArray {
                    ty: ty.map_or(BROKEN_TYPE, |n| self.ty(n)),
                    sizes: self.list(&sizes),
                    init: init.map(|init| self.expr(init)),
                }
            }
            Kind::AnonymousObject => self.anonymous(node),
            _ => {
                let signs = self.children(node).filter(|&child| self.text(child) == ",");
                let rank = signs.count().min(30) as u8 + 1;
                let init = init.map_or(BROKEN, |init| self.expr(init));
                Expr::NewImplicitArray(init, rank)
            }
        }
    }

    /// Returns the token that names a type: `T` of `p.T<U>`.
    fn last_name(&self, ty: u32) -> u32 {
        let next = match self.kind(ty) {
            Kind::QualifiedName | Kind::AliasQualifiedName => self.child(ty, self.fields.name),
            Kind::GenericName => self.child_of(ty, Kind::Identifier),
            Kind::NullableType => self.child(ty, self.fields.r#type),
            _ => None,
        };
        next.map_or(ty, |next| self.last_name(next))
    }

    fn anonymous(&mut self, node: u32) -> Expr {
        let mut args: Vec<Arg> = Vec::new();
        let mut name = None;
        let parts: Vec<u32> = self.children(node).collect();
        for (at, &part) in parts.iter().enumerate() {
            if !self.tree.nodes[part as usize].is_named() && self.kind(part) != Kind::ThisWord {
                continue;
            }
            let is_name = parts
                .get(at + 1)
                .is_some_and(|&part| self.kind(part) == Kind::EqualSign);
            if is_name && self.kind(part) == Kind::Identifier {
                name = Some(self.word(part));
                continue;
            }
            let value = self.expr(part);
            let own = match self.facts.expr(value) {
                Expr::Name(name, _) | Expr::Member(MemberAccess { name, .. }) => name,
                _ => Name::NONE,
            };
            args.push(Arg {
                name: name.take().unwrap_or(own),
                passing: ParameterPassing::Value,
                value,
            });
        }
        Expr::NewAnonymous(Run::add(&mut self.facts.args, args))
    }

    fn collection(&mut self, node: u32) -> Expr {
        let mut exprs = Vec::new();
        for element in self.parts(node) {
            let Some(inner) = self.children(element).next() else {
                continue;
            };
            let span = self.span(inner);
            if self.kind(inner) == Kind::Spread {
                let value = self.first_expr(inner);
                exprs.push(self.add_expr(Expr::Spread(value), span));
            } else {
                exprs.push(self.first_expr(inner));
            }
        }
        Expr::Collection(self.list(&exprs))
    }

    fn operator(&mut self, node: u32) -> Operator {
        Operator {
            sign: self.word(node),
            at: self.span(node).start,
        }
    }

    fn infix(&mut self, node: u32, kind: Kind) -> Expr {
        let left = self.field_expr(node, self.fields.left);
        let Some(sign) = self.child(node, self.fields.operator) else {
            return Expr::Broken;
        };
        let operator = self.operator(sign);
        let right = self.field_expr(node, self.fields.right);
        if kind == Kind::Assignment {
            Expr::Assign(operator, left, right)
        } else {
            Expr::Binary(operator, left, right)
        }
    }

    fn unary(&mut self, node: u32, kind: Kind) -> Expr {
        let value = self.first_expr(node);
        let sign = self.children(node).find(|&child| {
            !self.tree.nodes[child as usize].is_named()
                && !matches!(self.kind(child), Kind::ThisWord | Kind::BaseWord)
        });
        let Some(sign) = sign else {
            return Expr::Broken;
        };
        if kind == Kind::Postfix && self.text(sign) == "!" {
            return Expr::Same(value);
        }
        let operator = self.operator(sign);
        if kind == Kind::Prefix {
            Expr::Prefix(operator, value)
        } else {
            Expr::Postfix(operator, value)
        }
    }

    fn lambda(&mut self, node: u32) -> Expr {
        let mut lambda = Lambda {
            is_async: self.modifiers(node) & flag::ASYNC != 0,
            ..Lambda::default()
        };
        for child in self.children(node) {
            let kind = self.kind(child);
            let field = self.field_of(child);
            if kind == Kind::ImplicitParameter
                || (kind == Kind::Identifier && field == self.fields.parameters)
            {
                let param = ParamDecl {
                    name: self.word(child),
                    ty: VAR,
                    text: Name::NONE,
                    passing: ParameterPassing::Value,
                    is_optional: false,
                    is_params: false,
                };
                lambda.params = Run::add(&mut self.facts.params, [param]);
                lambda.has_params = true;
            } else if kind == Kind::Parameters {
                lambda.params = self.parameters(child).0;
                lambda.has_params = true;
            } else if field == self.fields.r#type {
                lambda.result = Some(self.ty(child));
            } else if kind == Kind::Block {
                let spans = self.statement_spans(child);
                self.note_block(self.span(child), &spans, true);
                lambda.body = Body::Block(self.block(child));
            } else if field == self.fields.body {
                let span = self.span(child);
                self.note_block(span, &[span], true);
                lambda.body = Body::Expr(self.expr(child));
            }
        }
        Expr::Lambda(add(&mut self.facts.lambdas, lambda))
    }

    fn interpolated(&mut self, node: u32) -> Expr {
        let mut exprs = Vec::new();
        for hole in self.parts(node) {
            if self.kind(hole) != Kind::Interpolation {
                continue;
            }
            let value = self.children(hole).find(|&child| {
                let name = self.text(child);
                (self.tree.nodes[child as usize].is_named() && !name.starts_with('{'))
                    || self.kind(child) == Kind::ThisWord
            });
            if let Some(value) = value {
                exprs.push(self.expr(value));
            }
        }
        Expr::Interpolated(self.list(&exprs))
    }

    fn with(&mut self, node: u32) -> Expr {
        let mut value = BROKEN;
        let mut args = Vec::new();
        for part in self.children(node) {
            if self.kind(part) == Kind::WithInitializer {
                let mut parts = self.parts(part);
                let (Some(name), Some(new_value)) = (parts.next(), parts.next()) else {
                    continue;
                };
                args.push(Arg {
                    name: self.word(name),
                    passing: ParameterPassing::Value,
                    value: self.expr(new_value),
                });
            } else if self.tree.nodes[part as usize].is_named() || self.kind(part) == Kind::ThisWord
            {
                value = self.expr(part);
            }
        }
        Expr::With(value, Run::add(&mut self.facts.args, args))
    }

    fn range(&mut self, node: u32) -> Expr {
        let mut sides = [None, None];
        let mut at = 0;
        for part in self.children(node) {
            if self.text(part) == ".." {
                at = 1;
            } else if self.tree.nodes[part as usize].is_named() {
                sides[at] = Some(self.expr(part));
            }
        }
        Expr::Range(sides[0], sides[1])
    }

    fn declaration_expr(&mut self, node: u32) -> Expr {
        let ty = self.field_ty(node, self.fields.r#type, VAR);
        let name = self.child(node, self.fields.name);
        let name = name.map_or(Name::NONE, |name| self.word(name));
        Expr::Declaration(ty, self.add_pattern(Pattern::Variable(None, name)))
    }
}

fn integer(text: &str) -> Literal {
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    let value = if is_hex {
        u64::from_str_radix(&plain[2..], 16)
    } else if plain.starts_with("0b") || plain.starts_with("0B") {
        u64::from_str_radix(&plain[2..], 2)
    } else {
        plain.parse()
    }
    .unwrap_or(u64::MAX);
    let is_unsigned = suffix.contains('u');
    let is_long = suffix.contains('l');
    if let (false, false, Ok(value)) = (is_unsigned, is_long, i32::try_from(value)) {
        return Literal::Int(value);
    }
    match (is_unsigned, is_long) {
        (_, false) if u32::try_from(value).is_ok() => Literal::Uint,
        (false, _) if i64::try_from(value).is_ok() => Literal::Long,
        _ => Literal::Ulong,
    }
}
