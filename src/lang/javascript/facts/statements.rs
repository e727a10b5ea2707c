//! Lowering of statements: declarations of variables, loops, blocks.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, PendingAssignment, in_field};
use super::node::Node;
use super::{BindingKind, Expr, ExprId, FnId, Name, NestedBody, Owner, VariableWrite};
use crate::model::Span;

impl<'t> JavaScriptLowering<'t> {
    /// Lowers a statement, or an expression where one stands.
    pub fn stmt(&mut self, kid: ChildNode<'t>) {
        self.nested(|lower| lower.apart(|lower| lower.stmt_here(kid)));
    }

    fn stmt_here(&mut self, kid: ChildNode<'t>) {
        let node = kid.node;
        match kid.kind {
            Kind::ExpressionStatement => {
                for kid in self.kids(node) {
                    match kid.kind {
                        // `namespace a {}` is an expression to the grammar.
                        Kind::InternalModule => self.namespace(kid, false),
                        _ => {
                            self.expr(kid);
                        }
                    }
                }
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration => self.variables(node),
            Kind::Function | Kind::Generator => {
                self.function_declaration(node);
            }
            Kind::FunctionSignature => self.function_signature(node),
            Kind::ClassDeclaration | Kind::AbstractClass => {
                self.class_declaration(node);
            }
            Kind::Interface => self.interface(node),
            Kind::Alias => self.alias(node),
            Kind::Enum => self.enumeration(node),
            Kind::InternalModule | Kind::Module => self.namespace(kid, false),
            Kind::Ambient => {
                for kid in self.kids(node) {
                    self.stmt(kid);
                }
            }
            Kind::ImportStatement => self.import(node),
            Kind::ExportStatement => self.export(node),
            Kind::Return => self.return_statement(node),
            Kind::Block => self.block(node),
            Kind::ForIn => self.for_in(node),
            Kind::CatchClause => self.catch(node),
            Kind::SwitchBody => self.scoped(node.span(), |lower| lower.stmts(node)),
            kind if is_expression(kind) => {
                self.expr(kid);
            }
            Kind::Error => self.broken(node),
            Kind::If => self.if_statement(kid),
            Kind::For | Kind::While => {
                self.scoped(node.span(), |lower| lower.looped(|lower| lower.stmts(node)));
            }
            _ => {
                // `try` and the like: their parts count in the order of the text.
                self.scoped(node.span(), |lower| lower.stmts(node));
            }
        }
    }

    fn stmts(&mut self, node: Node<'t>) {
        for kid in self.kids(node) {
            self.stmt(kid);
        }
    }

    /// Lowers the parts of an error that parse: the error may span the whole file, for one line that is new to the
    /// grammar.
    pub fn broken(&mut self, node: Node<'t>) {
        let mut is_exported = false;
        let mut is_default = false;
        for kid in self.kids(node) {
            match kid.kind {
                Kind::WordExport => is_exported = true,
                Kind::WordDefault if is_exported => is_default = true,
                _ => {
                    let is_declaration = matches!(
                        kid.kind,
                        Kind::Function
                            | Kind::Generator
                            | Kind::ClassDeclaration
                            | Kind::AbstractClass
                            | Kind::LexicalDeclaration
                            | Kind::VariableDeclaration
                            | Kind::Interface
                            | Kind::Alias
                            | Kind::Enum
                    );
                    if is_exported && is_declaration {
                        self.facts.is_module = true;
                        self.nested(|lower| lower.exported(kid, is_default));
                    } else if kid.node.is_named() {
                        self.stmt(kid);
                    }
                    is_exported = false;
                    is_default = false;
                }
            }
        }
    }

    /// Follows `else if` without recursion.
    fn if_statement(&mut self, kid: ChildNode<'t>) {
        let mut next = Some(kid.node);
        while let Some(node) = next.take() {
            let kids = self.kids(node);
            let condition = in_field(&kids, Field::condition);
            for kid in kids {
                match kid.field {
                    Field::alternative => {
                        let inner = self.kids(kid.node);
                        match inner.first() {
                            Some(child_node) if child_node.kind == Kind::If => {
                                next = Some(child_node.node);
                            }
                            Some(child_node) => self.branch(*child_node),
                            None => {}
                        }
                    }
                    Field::consequence => {
                        self.scoped(kid.node.span(), |lower| {
                            if let Some(condition) = condition {
                                lower.narrow(condition);
                            }
                            lower.stmt(kid);
                        });
                    }
                    _ => self.stmt(kid),
                }
            }
        }
    }

    /// Notes that `x` is a `C` in this scope, if the condition is `x instanceof C && …`.
    fn narrow(&mut self, condition: ChildNode<'t>) {
        let mut next = Some(condition);
        for _ in 0..16 {
            let Some(kid) = next.take() else { return };
            let kids = self.kids(kid.node);
            match kid.kind {
                Kind::Parenthesized => next = kids.first().copied(),
                Kind::Binary => {
                    let (Some(left), Some(right)) =
                        (in_field(&kids, Field::left), in_field(&kids, Field::right))
                    else {
                        return;
                    };
                    let sign = in_field(&kids, Field::operator);
                    match sign.map(|child_node| (child_node.kind, self.slice(child_node.node))) {
                        Some((Kind::SignAnd, _)) => next = Some(left),
                        Some((_, "instanceof")) if left.kind == Kind::Identifier => {
                            let name = self.word(left.node);
                            let class = self.apart(|lower| lower.expr(right));
                            let value = self.expr_at(Expr::Instance(class), right.node);
                            let at = self.facts.scope(self.scope).span.start;
                            let write = VariableWrite {
                                is_narrowing: true,
                                ..VariableWrite::new(value, at, self.scope)
                            };
                            self.assigned.push(PendingAssignment { name, write });
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// Lowers a branch in a scope of its own, whether it has braces or not.
    fn branch(&mut self, kid: ChildNode<'t>) {
        self.scoped(kid.node.span(), |lower| lower.stmt(kid));
    }

    pub fn block(&mut self, node: Node<'t>) {
        let span = node.span();
        self.scoped(span, |lower| lower.body(node, false));
    }

    /// Lowers the statements in braces, in the scope around them, and notes them as a body.
    pub fn body(&mut self, node: Node<'t>, is_function: bool) -> Vec<Span> {
        let kids = self.kids(node);
        let statements: Vec<Span> = kids
            .iter()
            .filter(|kid| kid.kind != Kind::Error && kid.node.is_named())
            .map(|kid| kid.node.span())
            .collect();
        self.facts.blocks.push(NestedBody {
            span: node.span(),
            statements: statements.clone(),
            is_function,
        });
        for kid in kids {
            self.stmt(kid);
        }
        statements
    }

    fn return_statement(&mut self, node: Node<'t>) {
        for kid in self.kids(node) {
            let value = self.expr(kid);
            let function = self.function;
            self.facts.functions[function.index()].returns.push(value);
        }
    }

    fn for_in(&mut self, node: Node<'t>) {
        self.scoped(node.span(), |lower| {
            let kids = lower.kids(node);
            let is_of = kids.iter().any(|kid| kid.kind == Kind::WordOf);
            let kind = kids.iter().find_map(|kid| match kid.kind {
                Kind::WordConst => Some(BindingKind::Const),
                Kind::WordLet => Some(BindingKind::Let),
                Kind::WordVar => Some(BindingKind::Var),
                _ => None,
            });
            let right = in_field(&kids, Field::right);
            let iterated = right.map_or(ExprId(0), |child_node| lower.expr(child_node));
            let element = if is_of {
                lower.expr_at(Expr::Element(iterated), node)
            } else {
                ExprId(0)
            };
            for kid in kids {
                match kid.field {
                    Field::left => lower.pattern(kid, element, kind),
                    Field::body => lower.looped(|lower| lower.stmt(kid)),
                    _ => {}
                }
            }
        });
    }

    /// Reads code that may run any number of times.
    pub fn looped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.n_loops += 1;
        let value = read(self);
        self.n_loops -= 1;
        value
    }

    fn catch(&mut self, node: Node<'t>) {
        self.scoped(node.span(), |lower| {
            for kid in lower.kids(node) {
                match kid.field {
                    Field::parameter => lower.pattern(kid, ExprId(0), Some(BindingKind::Let)),
                    Field::body => lower.stmt(kid),
                    _ => {}
                }
            }
        });
    }

    fn variables(&mut self, node: Node<'t>) {
        let kids = self.kids(node);
        let kind = match kids.first().map(|kid| kid.kind) {
            Some(Kind::WordConst) => BindingKind::Const,
            Some(Kind::WordLet) => BindingKind::Let,
            _ => BindingKind::Var,
        };
        let n_declarators = kids
            .iter()
            .filter(|kid| kid.kind == Kind::VariableDeclarator)
            .count();
        for kid in kids {
            if kid.kind == Kind::VariableDeclarator {
                let whole = (n_declarators == 1).then(|| self.whole(node));
                self.declarator(kid.node, kind, whole);
            }
        }
    }

    fn declarator(&mut self, node: Node<'t>, kind: BindingKind, whole: Option<Span>) {
        let jsdoc_types = self.jsdoc_before(whole.unwrap_or(node.span()).start);
        let kids = self.kids(node);
        let mut pattern = None;
        let mut ty = None;
        let mut value = None;
        for kid in kids {
            match kid.field {
                Field::name => pattern = Some(kid),
                Field::value => value = Some(kid),
                _ if kid.is_type => ty = Some(self.annotation(kid.node)),
                _ => {}
            }
        }
        let Some(pattern) = pattern else { return };
        let value = value.map(|value| match pattern.kind {
            Kind::Identifier => {
                let name = self.word(pattern.node);
                let hint = self.hint(name, pattern.node.span(), whole);
                let value = self.expr_with(value, Some(hint));
                self.name_value(name, value);
                value
            }
            _ => self.expr(value),
        });
        if ty.is_none() {
            ty = jsdoc_types.as_ref().and_then(|jsdoc_types| jsdoc_types.ty);
        }
        match value {
            Some(value) => {
                self.tell(value, jsdoc_types);
                self.pattern(pattern, value, Some(kind));
            }
            None => self.declare_pattern(pattern, kind),
        }
        if let (Some(ty), Kind::Identifier) = (ty, pattern.kind) {
            let name = self.word(pattern.node);
            let scope = self.scope_of(kind);
            let binding = self.declare(scope, name, kind);
            self.facts.bindings[binding.index()].ty = Some(ty);
        }
    }

    /// Makes the identity of a function or an object that a name of this place holds.
    pub fn hint(&mut self, name: Name, name_span: Span, span: Option<Span>) -> FunctionIdentity {
        FunctionIdentity {
            is_declared: self.is_module_level,
            span,
            ..self.hint_in(self.path, name, name_span)
        }
    }

    /// Makes the identity of a declared function or object from its holder's path and its name.
    pub fn hint_in(&mut self, path: Name, name: Name, name_span: Span) -> FunctionIdentity {
        FunctionIdentity {
            name,
            name_span,
            path,
            inner: self.joined(path, name),
            owner: Owner::None,
            is_declared: true,
            is_wrapped: false,
            span: None,
        }
    }

    /// Gives a function the types in its comment.
    pub fn tell(&mut self, value: ExprId, jsdoc_types: Option<super::jsdoc::JsdocTypes>) {
        let Some(jsdoc_types) = jsdoc_types else {
            return;
        };
        if let Expr::Function(function) = *self.facts.expr(value) {
            self.tell_function(function, &jsdoc_types);
        }
    }

    pub fn tell_function(&mut self, function: FnId, jsdoc_types: &super::jsdoc::JsdocTypes) {
        let function = &mut self.facts.functions[function.index()];
        if function.return_type.is_none() {
            function.return_type = jsdoc_types.returns;
        }
        for param in &mut function.params {
            let found = jsdoc_types
                .params
                .iter()
                .find(|(name, _)| Some(*name) == param.name);
            if param.ty.is_none() {
                param.ty = found.map(|(_, ty)| *ty);
            }
        }
    }
}

/// Tells whether nodes of this kind are expressions.
pub fn is_expression(kind: Kind) -> bool {
    use Kind as K;
    matches!(
        kind,
        K::Array
            | K::Arrow
            | K::As
            | K::Assignment
            | K::Augmented
            | K::Await
            | K::Binary
            | K::Call
            | K::Class
            | K::False
            | K::FunctionExpression
            | K::GeneratorExpression
            | K::Identifier
            | K::Instantiation
            | K::JsxElement
            | K::JsxSelfClosing
            | K::Member
            | K::New
            | K::NonNull
            | K::Null
            | K::Number
            | K::Object
            | K::Parenthesized
            | K::Regex
            | K::Satisfies
            | K::Sequence
            | K::String
            | K::Subscript
            | K::Super
            | K::Template
            | K::Ternary
            | K::This
            | K::True
            | K::Unary
            | K::Undefined
            | K::Update
            | K::Yield
    )
}
