//! Lowering of expressions. Chains of calls and members, and of operators, are followed without recursion.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, PendingAssignment, in_field};
use super::node::Node;
use super::{BindingId, Effect, Expr, ExprId, MemberKey, Owner, Primitive, VariableWrite};

impl<'t> JavaScriptLowering<'t> {
    pub fn expr(&mut self, kid: ChildNode<'t>) -> ExprId {
        self.expr_with(kid, None)
    }

    /// Lowers an expression that will be known by a name.
    pub fn expr_with(&mut self, kid: ChildNode<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        self.nested(|lower| lower.expr_here(kid, hint))
            .unwrap_or(ExprId(0))
    }

    fn expr_here(&mut self, kid: ChildNode<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        let node = kid.node;
        match kid.kind {
            Kind::Identifier | Kind::Shorthand => {
                let name = self.word(node);
                let scope = self.scope;
                // The number is the name's until all variables are declared.
                self.expr_at(Expr::Var(BindingId(name.0), scope), node)
            }
            Kind::Undefined | Kind::Null => self.expr_at(Expr::Nothing, node),
            Kind::True | Kind::False => self.expr_at(Expr::Primitive(Primitive::Boolean), node),
            Kind::Number => self.expr_at(Expr::Primitive(Primitive::Number), node),
            Kind::Regex => self.expr_at(Expr::Primitive(Primitive::RegExp), node),
            Kind::String => match self.literal(kid) {
                Some(text) => self.expr_at(Expr::Text(text), node),
                None => self.expr_at(Expr::Primitive(Primitive::String), node),
            },
            Kind::Template => self.template(kid),
            Kind::This => {
                let function = self.function;
                self.expr_at(Expr::This(function), node)
            }
            Kind::Super => {
                let function = self.function;
                self.expr_at(Expr::Super(function), node)
            }
            Kind::Call | Kind::New | Kind::Member | Kind::Subscript | Kind::NonNull => {
                self.chain(kid, hint)
            }
            kind if kind.is_function() => {
                let function = self.function_expression(node, hint);
                self.expr_at(Expr::Function(function), node)
            }
            Kind::Class => {
                let class = self.class(node, hint);
                self.expr_at(Expr::Class(class), node)
            }
            Kind::Object => {
                let object = self.object(node, hint);
                self.expr_at(Expr::Object(object), node)
            }
            Kind::Array => {
                let mut items = Vec::new();
                for (place, kid) in self.placed(node) {
                    while items.len() < place {
                        items.push(self.expr_at(Expr::Nothing, node));
                    }
                    items.push(self.expr(kid));
                }
                self.expr_at(Expr::Array(items.into()), node)
            }
            Kind::Assignment => self.assignment(node, hint),
            Kind::Augmented => self.augmented(node),
            Kind::Binary => self.binary(kid, hint),
            Kind::Ternary => self.ternary(node, hint),
            Kind::Parenthesized | Kind::Sequence => {
                let mut last = ExprId(0);
                for kid in self.kids(node) {
                    if !kid.is_type {
                        last = self.expr_with(kid, hint);
                    }
                }
                last
            }
            Kind::Satisfies | Kind::Instantiation => {
                let first = self.kids(node).into_iter().next();
                first.map_or(ExprId(0), |child_node| self.expr_with(child_node, hint))
            }
            Kind::As => self.cast(node, hint),
            Kind::Await => {
                let value = self.first(node);
                self.expr_at(Expr::Await(value), node)
            }
            Kind::Spread => {
                let value = self.first(node);
                self.expr_at(Expr::Spread(value), node)
            }
            Kind::Unary | Kind::Update => self.unary(node),
            Kind::JsxElement | Kind::JsxSelfClosing | Kind::JsxOpening => self.jsx(kid),
            Kind::Error => {
                for kid in self.kids(node) {
                    self.stmt(kid);
                }
                ExprId(0)
            }
            _ => {
                // Expressions without a value of interest may hold calls: `yield`, parts of JSX.
                for kid in self.kids(node) {
                    if super::statements::is_expression(kid.kind) || kid.kind == Kind::JsxExpression
                    {
                        self.expr(kid);
                    }
                }
                ExprId(0)
            }
        }
    }

    /// Lowers `condition ? a : b`.
    fn ternary(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        let mut branches = Vec::new();
        for kid in self.kids(node) {
            match kid.field {
                Field::consequence | Field::alternative => {
                    branches.push(self.expr_with(kid, hint));
                }
                _ => {
                    self.expr(kid);
                }
            }
        }
        match branches[..] {
            [a, b] => self.expr_at(Expr::Either(a, b), node),
            _ => ExprId(0),
        }
    }

    fn unary(&mut self, node: Node<'t>) -> ExprId {
        for kid in self.kids(node) {
            if kid.field == Field::argument {
                self.expr(kid);
            }
        }
        let is_type = self.slice(node).starts_with("typeof");
        let primitive = if is_type {
            Primitive::String
        } else {
            Primitive::Number
        };
        self.expr_at(Expr::Primitive(primitive), node)
    }

    /// Lowers the only expression in a node: the operand of `await` or a spread.
    fn first(&mut self, node: Node<'t>) -> ExprId {
        let inner = self.kids(node).into_iter().next();
        inner.map_or(ExprId(0), |child_node| self.expr(child_node))
    }

    /// Reads the value of a string, of a template without holes, or of a number, with escapes resolved.
    pub fn literal(&mut self, kid: ChildNode<'t>) -> Option<super::Name> {
        let slice = self.slice(kid.node);
        let inner = match kid.kind {
            Kind::String | Kind::Template => slice.get(1..slice.len().checked_sub(1)?)?,
            Kind::Number => slice,
            _ => return None,
        };
        if kid.kind == Kind::Template && inner.contains("${") {
            return None;
        }
        let text = unescaped(inner);
        Some(self.intern(&text))
    }

    fn template(&mut self, kid: ChildNode<'t>) -> ExprId {
        if let Some(text) = self.literal(kid) {
            return self.expr_at(Expr::Text(text), kid.node);
        }
        for part in self.kids(kid.node) {
            for hole in self.kids(part.node) {
                self.expr(hole);
            }
        }
        self.expr_at(Expr::Primitive(Primitive::String), kid.node)
    }

    fn cast(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        let kids = self.kids(node);
        let Some(first) = kids.first() else {
            return ExprId(0);
        };
        let value = self.expr_with(*first, hint);
        let ty = kids.get(1).filter(|kid| kid.kind != Kind::WordConst);
        let Some(ty) = ty else { return value };
        let ty = self.ty(*ty);
        self.expr_at(Expr::Cast(value, ty), node)
    }

    fn binary(&mut self, kid: ChildNode<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        // `a + b + c + …` leans to the left, thousands deep where texts are put together.
        let mut rights = Vec::new();
        let mut node = kid.node;
        let base = loop {
            let kids = self.kids(node);
            let sign =
                in_field(&kids, Field::operator).map_or(Kind::Other, |child_node| child_node.kind);
            let right = in_field(&kids, Field::right);
            rights.push((sign, right, node));
            match in_field(&kids, Field::left) {
                Some(left) if left.kind == Kind::Binary => node = left.node,
                left => break left,
            }
        };
        let mut value = base.map_or(ExprId(0), |child_node| self.expr(child_node));
        for (sign, right, node) in rights.into_iter().rev() {
            let right = right.map_or(ExprId(0), |child_node| self.expr_with(child_node, hint));
            value = match sign {
                Kind::SignOr | Kind::SignNullish => self.expr_at(Expr::Either(value, right), node),
                Kind::SignAnd => right,
                _ => self.expr_at(Expr::Primitive(Primitive::Number), node),
            };
        }
        value
    }

    fn augmented(&mut self, node: Node<'t>) -> ExprId {
        let kids = self.kids(node);
        let is_logical = kids.iter().any(|kid| {
            matches!(
                kid.kind,
                Kind::SignOrAssign | Kind::SignNullishAssign | Kind::SignAndAssign
            )
        });
        let left = in_field(&kids, Field::left);
        let right = in_field(&kids, Field::right);
        let value = right.map_or(ExprId(0), |child_node| self.expr(child_node));
        let Some(left) = left else { return value };
        let before = self.expr(left);
        if !is_logical {
            return self.expr_at(Expr::Primitive(Primitive::Number), node);
        }
        if left.kind == Kind::Identifier {
            let name = self.word(left.node);
            let write = VariableWrite {
                is_conditional: true,
                ..VariableWrite::new(value, node.end_byte() as u32, self.scope)
            };
            self.assigned.push(PendingAssignment { name, write });
        } else {
            self.pattern(left, value, None);
        }
        self.expr_at(Expr::Either(before, value), node)
    }

    fn assignment(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> ExprId {
        let kids = self.kids(node);
        let (Some(left), Some(right)) =
            (in_field(&kids, Field::left), in_field(&kids, Field::right))
        else {
            return ExprId(0);
        };
        let jsdoc_types = self.jsdoc_before(node.start_byte() as u32);
        match left.kind {
            Kind::Member | Kind::Subscript => {
                let Some((target, key)) = self.target(left) else {
                    return self.expr(right);
                };
                let hint = self.member_hint(node, left, target, key).or(hint);
                let value = self.expr_with(right, hint);
                self.tell(value, jsdoc_types);
                self.facts.effects.push(Effect {
                    target,
                    key,
                    value,
                    function: self.function,
                });
                value
            }
            Kind::Identifier => {
                let name = self.word(left.node);
                let hint = hint.unwrap_or_else(|| {
                    let span = Some(node.span());
                    self.hint(name, left.node.span(), span)
                });
                let value = self.expr_with(right, Some(hint));
                self.tell(value, jsdoc_types);
                self.pattern(left, value, None);
                value
            }
            _ => {
                let value = self.expr(right);
                self.pattern(left, value, None);
                value
            }
        }
    }

    /// Makes the identity of a function that is assigned to a member.
    fn member_hint(
        &mut self,
        node: Node<'t>,
        left: ChildNode<'t>,
        target: ExprId,
        key: MemberKey,
    ) -> Option<FunctionIdentity> {
        let kids = self.kids(left.node);
        let property = kids
            .iter()
            .find(|kid| matches!(kid.field, Field::property | Field::index))?;
        let mut name_span = property.node.span();
        let object = in_field(&kids, Field::object)?;
        let is_module = matches!(self.slice(object.node), "module");
        let holder = self.holder_path(object);
        let name = match key {
            MemberKey::Named(name) if is_module && self.facts.word(name) == "exports" => {
                name_span = property.node.span();
                self.intern("default")
            }
            MemberKey::Named(name) => name,
            MemberKey::Computed(_) => {
                let folded = folded(self.slice(property.node));
                self.intern(&format!("[{folded}]"))
            }
        };
        let word = self.facts.word(name).to_owned();
        // `X.prototype = {…}` holds the members of `X`, and `module.exports = {…}` those of the module.
        let inner = match word.as_str() {
            "prototype" | "default" => holder,
            _ => self.joined(holder, name),
        };
        Some(FunctionIdentity {
            name,
            name_span,
            path: holder,
            inner,
            owner: Owner::Holder(target),
            is_declared: true,
            is_wrapped: false,
            span: Some(node.span()),
        })
    }

    /// Writes the holder of a member as keys do: `X` of `X.prototype`, nothing of `module.exports`.
    pub fn holder_path(&mut self, object: ChildNode<'t>) -> super::Name {
        let slice = self.slice(object.node);
        if slice.len() > 200 {
            return self.path;
        }
        let mut parts: Vec<&str> = slice.split('.').map(str::trim).collect();
        parts.retain(|part| !matches!(*part, "prototype" | "exports" | "module" | "fn"));
        if parts.first() == Some(&"this") {
            parts.remove(0);
        }
        let is_plain = parts.iter().all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'))
        });
        let around = self.path;
        if !is_plain {
            return around;
        }
        let holder = self.intern(&parts.join("."));
        self.joined(around, holder)
    }

    /// Notes a rendered component, and lowers its contents.
    fn jsx(&mut self, kid: ChildNode<'t>) -> ExprId {
        for part in self.kids(kid.node) {
            match (part.field, part.kind) {
                (Field::name, Kind::Identifier | Kind::Member) => {
                    let is_component = part.kind == Kind::Member
                        || self
                            .slice(part.node)
                            .starts_with(|c: char| c.is_uppercase());
                    if is_component {
                        self.handed(part);
                    }
                }
                (Field::close_tag, _) => {}
                (_, Kind::JsxAttribute | Kind::JsxExpression) => {
                    for value in self.kids(part.node) {
                        if value.kind != Kind::PropertyIdentifier {
                            self.expr(value);
                        }
                    }
                }
                (_, Kind::JsxElement | Kind::JsxSelfClosing | Kind::JsxOpening) => {
                    self.expr(part);
                }
                _ => {}
            }
        }
        ExprId(0)
    }
}

/// Folds white space, and cuts the text after 200 characters.
pub fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let folded = words.join(" ");
    match folded.char_indices().nth(200) {
        Some((end, _)) => folded[..end].to_owned(),
        None => folded,
    }
}

/// Unescapes a literal, for the escapes that occur in names and titles.
pub fn unescaped(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('b') => plain.push('\u{8}'),
            Some('f') => plain.push('\u{c}'),
            Some('v') => plain.push('\u{b}'),
            Some('0') => plain.push('\0'),
            Some('\n') | None => {}
            Some(escape @ ('u' | 'x')) => {
                let rest = chars.as_str();
                let (digits, used) =
                    match rest.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
                        Some((digits, _)) if escape == 'u' => (digits, digits.len() + 2),
                        _ => {
                            let n = if escape == 'u' { 4 } else { 2 };
                            (rest.get(..n).unwrap_or_default(), n)
                        }
                    };
                match u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32)
                {
                    Some(value) => {
                        plain.push(value);
                        chars = rest[used..].chars();
                    }
                    None => plain.push(escape),
                }
            }
            Some(other) => plain.push(other),
        }
    }
    plain.into()
}
