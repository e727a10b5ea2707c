//! Lowering of the members of types.

use super::kind::Kind;
use super::lower::{BROKEN_TYPE, CSharpLowering, VAR};
use super::{Body, Delegation, MemberDecl, MemberKind, flag};
use crate::model::Span;
use crate::run::Run;

impl CSharpLowering<'_> {
    pub fn member(&mut self, node: u32, kind: Kind, owner: u32) {
        match kind {
            Kind::MethodDeclaration if self.opens_extension(node) => {}
            Kind::MethodDeclaration => self.function(node, MemberKind::Method, owner),
            Kind::ConstructorDeclaration => self.function(node, MemberKind::Constructor, owner),
            Kind::DestructorDeclaration => self.function(node, MemberKind::Destructor, owner),
            Kind::OperatorDeclaration => self.function(node, MemberKind::Operator, owner),
            Kind::ConversionDeclaration => {
                let is_implicit = self.has(node, Kind::ImplicitWord);
                let kind = if is_implicit {
                    MemberKind::Implicit
                } else {
                    MemberKind::Explicit
                };
                self.function(node, kind, owner);
            }
            Kind::PropertyDeclaration => self.accessors(node, MemberKind::Property, owner),
            Kind::IndexerDeclaration => self.accessors(node, MemberKind::Indexer, owner),
            Kind::EventDeclaration => self.accessors(node, MemberKind::Event, owner),
            Kind::FieldDeclaration => self.variables(node, MemberKind::Field, owner),
            Kind::EventField => self.variables(node, MemberKind::Event, owner),
            _ => {}
        }
    }

    /// Begins a member with its attributes and modifiers.
    fn headed(&mut self, node: u32, kind: MemberKind, owner: u32) -> MemberDecl {
        MemberDecl {
            attributes: self.attributes(node),
            flags: self.modifiers(node),
            ..self.empty(node, kind, owner)
        }
    }

    fn empty(&self, node: u32, kind: MemberKind, owner: u32) -> MemberDecl {
        MemberDecl {
            kind,
            name_span: self.span(node),
            span: self.span(node),
            owner,
            ..MemberDecl::default()
        }
    }

    fn function(&mut self, node: u32, kind: MemberKind, owner: u32) {
        let fields = self.fields;
        let mut decl = self.headed(node, kind, owner);
        let mut body = None;
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::ExplicitInterface => self.explicit(child, &mut decl),
                Kind::TypeParameters => decl.vars = self.type_parameters(child, node),
                Kind::Parameters => {
                    let (params, flags) = self.parameters(child);
                    decl.params = params;
                    decl.flags |= flags;
                }
                Kind::ConstructorInitializer => decl.delegation = self.delegation(child),
                Kind::OperatorWord if kind != MemberKind::Operator => {
                    decl.name = self.word(child);
                    decl.name_span = self.span(child);
                }
                _ if field == fields.body => body = Some(child),
                _ if field == fields.name || field == fields.operator => {
                    decl.name = self.word(child);
                    decl.name_span = self.span(child);
                }
                _ if field == fields.r#type || field == fields.returns => {
                    decl.ty = Some(self.ty(child));
                }
                _ => {}
            }
        }
        decl.signature = self.signature(node, body.map(|body| self.span(body).start));
        if let Some(body) = body {
            self.body(body, &mut decl);
        }
        if kind == MemberKind::Method {
            self.extend(&mut decl);
        }
        self.facts.members.push(decl);
    }

    fn explicit(&mut self, node: u32, decl: &mut MemberDecl) {
        let Some(name) = self.parts(node).next() else {
            return;
        };
        decl.explicit = Some((self.ty(name), self.folded(self.span(name))));
    }

    fn delegation(&mut self, node: u32) -> Option<Delegation> {
        let mut word = None;
        let mut args = Run::default();
        for child in self.children(node) {
            match self.kind(child) {
                Kind::BaseWord | Kind::ThisWord => word = Some(child),
                Kind::ArgumentList => args = self.arguments(child),
                _ => {}
            }
        }
        let word = word?;
        let span = Span::new(self.span(word).start, self.span(node).end);
        Some(Delegation {
            is_base: self.kind(word) == Kind::BaseWord,
            args,
            word: self.span(word),
            span,
        })
    }

    /// Lowers a body, its statements and the bodies in it.
    fn body(&mut self, node: u32, decl: &mut MemberDecl) {
        decl.body_span = Some(self.span(node));
        let first_block = self.facts.blocks.len() as u32;
        let first_expr = self.facts.exprs.len() as u32;
        let first_local = self.facts.locals.len() as u32;
        let first_function = self.facts.functions.len() as u32;
        let (body, statements) = self.body_of(node);
        decl.body = body;
        decl.statements = statements;
        decl.blocks = Run::since(first_block, self.facts.blocks.len());
        decl.exprs = Run::since(first_expr, self.facts.exprs.len());
        decl.locals = Run::since(first_local, self.facts.locals.len());
        decl.functions = Run::since(first_function, self.facts.functions.len());
    }

    /// Lowers a block or the expression behind an arrow; returns it with its statements.
    pub fn body_of(&mut self, node: u32) -> (Body, Run) {
        if self.kind(node) == Kind::Block {
            let spans = self.statement_spans(node);
            let statements = self.note_statements(&spans);
            return (Body::Block(self.block(node)), statements);
        }
        let Some(value) = self.parts(node).next() else {
            return (Body::None, Run::default());
        };
        let span = self.span(value);
        let statements = self.note_statements(&[span]);
        (Body::Expr(self.expr(value)), statements)
    }

    fn accessors(&mut self, node: u32, kind: MemberKind, owner: u32) {
        let fields = self.fields;
        let mut decl = self.headed(node, kind, owner);
        let mut list = None;
        let mut arrow = None;
        let mut init = None;
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::ExplicitInterface => self.explicit(child, &mut decl),
                Kind::BracketedParameters => {
                    let (params, flags) = self.parameters(child);
                    decl.params = params;
                    decl.flags |= flags;
                }
                Kind::ThisWord => {
                    decl.name = self.facts.names.intern("this[]");
                    decl.name_span = self.span(child);
                }
                Kind::AccessorList => list = Some(child),
                Kind::Arrow => arrow = Some(child),
                _ if field == fields.value => init = Some(child),
                _ if field == fields.name => {
                    decl.name = self.word(child);
                    decl.name_span = self.span(child);
                }
                _ if field == fields.r#type => decl.ty = Some(self.ty(child)),
                _ => {}
            }
        }
        let start = arrow.or(list).map(|arrow| self.span(arrow).start);
        decl.signature = self.signature(node, start);
        if let Some(arrow) = arrow {
            self.body(arrow, &mut decl);
            decl.flags |= flag::GETTER_BODY | flag::ACCESSOR_BODY;
        } else if let Some(list) = list {
            self.accessor_list(list, &mut decl);
        }
        decl.init = init.map(|init| self.expr(init));
        self.facts.members.push(decl);
    }

    fn accessor_list(&mut self, list: u32, decl: &mut MemberDecl) {
        for accessor in self.parts(list) {
            let name = self.child(accessor, self.fields.name);
            let name = name.map_or("", |name| self.text(name));
            let is_getter = matches!(name, "get" | "add");
            let Some(body) = self.child(accessor, self.fields.body) else {
                continue;
            };
            decl.flags |= flag::ACCESSOR_BODY;
            if is_getter {
                decl.flags |= flag::GETTER_BODY;
                self.body(body, decl);
            } else {
                let n_blocks = self.facts.blocks.len();
                let (body, _) = self.body_of(body);
                self.facts.blocks.truncate(n_blocks);
                decl.setter = body;
            }
        }
        if decl.flags & flag::ACCESSOR_BODY != 0 {
            decl.body_span = Some(self.span(list));
        }
    }

    fn variables(&mut self, node: u32, kind: MemberKind, owner: u32) {
        let attributes = self.attributes(node);
        let flags = self.modifiers(node);
        let Some(declaration) = self.child_of(node, Kind::VariableDeclaration) else {
            return;
        };
        let ty = self.field_ty(declaration, self.fields.r#type, BROKEN_TYPE);
        for declarator in self.parts(declaration) {
            if self.kind(declarator) != Kind::VariableDeclarator {
                continue;
            }
            let mut decl = self.empty(node, kind, owner);
            decl.attributes = attributes;
            decl.flags = flags;
            decl.ty = Some(if ty == VAR { BROKEN_TYPE } else { ty });
            for child in self.parts(declarator) {
                if self.field_of(child) == self.fields.name {
                    decl.name = self.word(child);
                    decl.name_span = self.span(child);
                } else if self.kind(child) != Kind::BracketedArguments {
                    decl.init = Some(self.expr(child));
                }
            }
            self.facts.members.push(decl);
        }
    }

    pub fn enum_members(&mut self, body: u32, owner: u32) {
        for node in self.parts(body) {
            if self.kind(node) != Kind::EnumMember {
                continue;
            }
            let Some(name) = self.child(node, self.fields.name) else {
                continue;
            };
            let mut decl = self.empty(node, MemberKind::EnumMember, owner);
            decl.name = self.word(name);
            decl.name_span = self.span(name);
            decl.flags = flag::STATIC | flag::PUBLIC;
            self.facts.members.push(decl);
        }
    }
}
