//! Lowering of functions: parameters, bodies and identities.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, blank_function, in_field};
use super::node::Node;
use super::{
    BindingKind, ClassId, Expr, ExprId, FnId, JavaScriptMember, MemberKind, Name, NestedBody,
    Owner, Param, SiteId, TypeDecl, TypeId,
};
use crate::model::Span;

impl<'t> JavaScriptLowering<'t> {
    /// Lowers `function f() {}` and declares its name.
    pub fn function_declaration(&mut self, node: Node<'t>) -> Option<(Name, ExprId)> {
        let jsdoc_types = self.jsdoc_before(self.whole(node).start);
        let name_node = self.kid(node, Field::name)?.node;
        let name = self.word(name_node);
        let span = Some(self.whole(node));
        let hint = self.hint(name, name_node.span(), span);
        let function = self.function_expression(node, Some(hint));
        if let Some(jsdoc_types) = jsdoc_types {
            self.tell_function(function, &jsdoc_types);
        }
        let value = self.expr_at(Expr::Function(function), node);
        let binding = self.declare(self.scope, name, BindingKind::Function);
        // A declaration holds from the beginning of its scope; of several the last.
        let at = self.facts.scope(self.scope).span.start;
        self.facts.bindings[binding.index()]
            .writes
            .retain(|write| write.at != at);
        self.give(binding, value, at);
        Some((name, value))
    }

    /// Covers a declaration and the `export` before it.
    pub fn whole(&self, node: Node<'t>) -> Span {
        match node.around() {
            (kind, span) if self.grammar.kind(kind) == Kind::ExportStatement => span,
            _ => node.span(),
        }
    }

    /// Lowers `declare function f(): T` and overloads, which count where there is no implementation.
    pub fn function_signature(&mut self, node: Node<'t>) {
        let Some(name_node) = self.kid(node, Field::name) else {
            return;
        };
        let name = self.word(name_node.node);
        let known = self.declared.get(&(self.scope, name)).copied();
        let hint = self.hint(name, name_node.node.span(), Some(node.span()));
        let function = self.function_expression(node, Some(hint));
        self.facts.functions[function.index()].is_declared = false;
        if known.is_none() {
            let value = self.expr_at(Expr::Function(function), node);
            let binding = self.declare(self.scope, name, BindingKind::Function);
            let at = self.facts.scope(self.scope).span.start;
            self.give(binding, value, at);
        }
    }

    /// Lowers any function with its body.
    pub fn function_expression(&mut self, node: Node<'t>, hint: Option<FunctionIdentity>) -> FnId {
        self.function_of(node, hint, MemberKind::Method)
    }

    pub fn function_of(
        &mut self,
        node: Node<'t>,
        hint: Option<FunctionIdentity>,
        kind: MemberKind,
    ) -> FnId {
        let is_called_here = std::mem::take(&mut self.is_called_here);
        let id = FnId(self.facts.functions.len() as u32);
        let mut function = blank_function(node.span());
        let grammar_kind = self.grammar.kind(node.kind());
        let kids = self.kids(node);
        let own_name = kids
            .iter()
            .find(|kid| kid.field == Field::name && kid.kind == Kind::Identifier)
            .copied();
        function.kind = kind;
        function.parent = self.function;
        function.is_arrow = grammar_kind == Kind::Arrow;
        function.is_async = kids.iter().any(|kid| kid.kind == Kind::WordAsync);
        function.is_generator = kids.iter().any(|kid| kid.kind == Kind::SignStar)
            || matches!(grammar_kind, Kind::Generator | Kind::GeneratorExpression);
        function.depth = self.fn_depth;
        function.is_broken = node.has_error();
        function.path = self.path;
        if let Some(hint) = hint {
            function.name = hint.name;
            function.name_span = hint.name_span;
            function.path = hint.path;
            function.owner = hint.owner;
            function.is_declared = hint.is_declared && hint.name != Name(0);
            function.is_wrapped = hint.is_wrapped;
            if let Some(span) = hint.span {
                function.span = span;
            }
        } else if let Some(own) = own_name {
            function.name = self.word(own.node);
            function.name_span = own.node.span();
        }
        let inner = match hint {
            Some(hint) if function.is_declared => hint.inner,
            _ if is_called_here => self.path,
            _ => self.joined(function.path, function.name),
        };
        self.facts.functions.push(function);
        self.inside((id, node), inner, is_called_here, |lower| {
            if let Some(own) = own_name
                && grammar_kind.is_function()
            {
                let name = lower.word(own.node);
                let value = lower.expr_at(Expr::Function(id), own.node);
                let scope = lower.scope;
                let binding = lower.declare(scope, name, BindingKind::Function);
                lower.give(binding, value, node.start_byte() as u32);
            }
            lower.header_and_body(id, &kids);
        });
        id
    }

    /// Lowers `static {…}`, which runs where it stands, with the class as `this`.
    pub fn static_block(&mut self, node: Node<'t>, class: ClassId) {
        let id = FnId(self.facts.functions.len() as u32);
        let mut function = blank_function(node.span());
        function.parent = self.function;
        function.owner = Owner::Class(class, true);
        function.path = self.path;
        function.depth = self.fn_depth;
        self.facts.functions.push(function);
        self.inside((id, node), self.path, true, |lower| {
            for part in lower.kids(node) {
                lower.stmt(part);
            }
        });
    }

    fn inside(
        &mut self,
        (id, node): (FnId, Node<'t>),
        inner: Name,
        is_called_here: bool,
        read: impl FnOnce(&mut Self),
    ) {
        let first_site = self.facts.sites.len() as u32;
        let around = (self.function, self.scope, self.path, self.is_module_level);
        self.function = id;
        self.scope = self.push_scope(node.span());
        self.facts.functions[id.index()].scope = self.scope;
        self.path = inner;
        self.is_module_level &= is_called_here;
        self.fn_depth += 1;
        read(self);
        self.fn_depth -= 1;
        (self.function, self.scope, self.path, self.is_module_level) = around;
        self.facts.functions[id.index()].sites = (first_site, self.facts.sites.len() as u32);
    }

    fn header_and_body(&mut self, id: FnId, kids: &[ChildNode<'t>]) {
        let mut header_end = self.facts.function(id).span.end;
        for kid in kids {
            match (kid.field, kid.kind) {
                (Field::type_parameters, _) | (_, Kind::TypeParameters) => {
                    let n = self.type_parameters(kid.node);
                    self.facts.functions[id.index()].n_type_params = n;
                }
                (Field::parameters, _) => self.parameters(id, kid.node),
                (Field::parameter, _) => self.parameter(id, *kid, None, None),
                (Field::return_type, _) => {
                    let ty = self.annotation(kid.node);
                    self.facts.functions[id.index()].return_type = Some(ty);
                }
                (Field::body, Kind::Block) => {
                    header_end = kid.node.start_byte() as u32;
                    let statements = self.apart(|lower| lower.body(kid.node, true));
                    let function = &mut self.facts.functions[id.index()];
                    function.body = Some(kid.node.span());
                    function.statements = statements;
                }
                (Field::body, _) => {
                    let span = kid.node.span();
                    header_end = span.start;
                    self.facts.blocks.push(NestedBody {
                        span,
                        statements: vec![span],
                        is_function: true,
                    });
                    // The value of an arrow belongs to the call that the arrow is handed to.
                    let value = self.expr(*kid);
                    let function = &mut self.facts.functions[id.index()];
                    function.body = Some(span);
                    function.statements = vec![span];
                    function.returns.push(value);
                }
                _ => {}
            }
        }
        let function = &mut self.facts.functions[id.index()];
        function.header = Span::new(function.span.start, header_end.max(function.span.start));
        if function.is_declared {
            let end = function.header.end as usize;
            let head = self.text.get(function.header.start as usize..end);
            let folded = super::expressions::folded(head.unwrap_or_default());
            let head = folded.trim_end_matches(['{', ' ', '=', '>']);
            self.facts.signatures.insert(id, head.into());
        }
    }

    /// Adds a function for a call whose value bears a name, because it may make one: that is decided when all files are
    /// known.
    pub fn named_call(&mut self, hint: FunctionIdentity, site: SiteId, value: ExprId) {
        // A computed name may stand for more functions than the one that a call makes.
        let is_plain = !self.facts.word(hint.name).starts_with('[');
        if !hint.is_declared || hint.is_wrapped || hint.name == Name(0) || !is_plain {
            return;
        }
        let id = FnId(self.facts.functions.len() as u32);
        let span = self.facts.site(site).span;
        let mut function = blank_function(hint.span.unwrap_or(span));
        function.name = hint.name;
        function.name_span = hint.name_span;
        function.path = hint.path;
        function.owner = hint.owner;
        function.body = Some(span);
        function.header = Span::new(function.span.start, span.start.max(function.span.start));
        function.scope = self.scope;
        function.parent = self.function;
        function.returns = vec![value];
        function.sites = (site.0, self.facts.sites.len() as u32);
        function.statements = vec![span];
        function.depth = self.fn_depth;
        function.made_by = Some(site);
        let head = self
            .text
            .get(function.span.start as usize..span.end as usize);
        let folded = super::expressions::folded(head.unwrap_or_default());
        self.facts.functions.push(function);
        self.facts.signatures.insert(id, folded.into());
    }

    pub fn parameters(&mut self, id: FnId, node: Node<'t>) {
        for kid in self.kids(node) {
            match kid.kind {
                Kind::RequiredParameter | Kind::OptionalParameter => {
                    let kids = self.kids(kid.node);
                    let ty = kids.iter().find(|kid| kid.is_type).copied();
                    let ty = ty.map(|child_node| self.annotation(child_node.node));
                    let default = in_field(&kids, Field::value);
                    let pattern = kids
                        .iter()
                        .find(|kid| matches!(kid.field, Field::pattern | Field::name))
                        .copied();
                    // `constructor(private a: A)` declares a field, too.
                    let is_field = kids
                        .first()
                        .is_some_and(|kid| kid.kind == Kind::Accessibility)
                        || self.slice(kid.node).starts_with("readonly ");
                    match pattern {
                        // `this: T` is no parameter.
                        Some(child_node) if child_node.kind == Kind::This => {}
                        Some(child_node) => {
                            self.parameter(id, child_node, ty, default);
                            if is_field {
                                self.parameter_field(id, child_node, ty);
                            }
                        }
                        None => {}
                    }
                }
                Kind::Error | Kind::Decorator => {}
                _ => self.parameter(id, kid, None, None),
            }
        }
    }

    fn parameter(
        &mut self,
        id: FnId,
        pattern: ChildNode<'t>,
        ty: Option<TypeId>,
        default: Option<ChildNode<'t>>,
    ) {
        let n = self
            .facts
            .function(id)
            .params
            .len()
            .min(usize::from(u16::MAX));
        let value = self.expr_at(Expr::Param(id, n as u16), pattern.node);
        let default = default.map(|child_node| self.apart(|lower| lower.expr(child_node)));
        let mut param = Param {
            name: None,
            ty,
            default,
            is_rest: pattern.kind == Kind::RestPattern,
        };
        let target = match pattern.kind {
            Kind::AssignmentPattern => {
                let kids = self.kids(pattern.node);
                let right = in_field(&kids, Field::right);
                param.default = right.map(|child_node| self.apart(|lower| lower.expr(child_node)));
                in_field(&kids, Field::left)
            }
            Kind::RestPattern => self.kids(pattern.node).into_iter().next(),
            _ => Some(pattern),
        };
        if let Some(target) = target {
            if target.kind == Kind::Identifier {
                param.name = Some(self.word(target.node));
            }
            self.facts.functions[id.index()].params.push(param);
            self.pattern(target, value, Some(BindingKind::Parameter));
        } else {
            self.facts.functions[id.index()].params.push(param);
        }
    }

    fn parameter_field(&mut self, id: FnId, pattern: ChildNode<'t>, ty: Option<TypeId>) {
        let Owner::Class(class, _) = self.facts.function(id).owner else {
            return;
        };
        let name = self.word(pattern.node);
        let n = self.facts.function(id).params.len().saturating_sub(1) as u16;
        let value = self.expr_at(Expr::Param(id, n), pattern.node);
        self.facts.classes[class.index()]
            .members
            .push(JavaScriptMember {
                value: Some(value),
                ty,
                ..JavaScriptMember::at(name, pattern.node.start_byte())
            });
    }

    /// Declares `<A, B>`; returns how many there are.
    pub fn type_parameters(&mut self, node: Node<'t>) -> u16 {
        let mut n = 0;
        for kid in self.kids(node) {
            if kid.kind == Kind::TypeParameter
                && let Some(name) = self.kid(kid.node, Field::name)
            {
                let name = self.word(name.node);
                let scope = self.scope;
                self.facts
                    .type_names
                    .insert((scope, name), TypeDecl::Parameter);
                n += 1;
            }
        }
        n
    }
}
