//! Lowering of packages, imports, types and their members.

use super::kind::Kind;
use super::lower::JavaLowering;
use super::{
    FieldDecl, InitializerDecl, JavaImport, MethodDecl, MethodKind, Name, Root, TypeDecl, TypeId,
    TypeKind, TypeSyntax, Variable, flag,
};
use crate::ids::add;
use crate::model::Span;
use crate::run::Run;

/// Modifiers of a declaration.
#[derive(Clone, Copy, Default)]
pub struct Modifiers {
    pub flags: u16,
    pub annotations: Run,
}

impl JavaLowering<'_> {
    pub fn package(&mut self) {
        self.children(|lower, kind| {
            if matches!(kind, Kind::Identifier | Kind::ScopedIdentifier) {
                lower.facts.package = Some(lower.dotted());
            }
        });
    }

    pub fn import(&mut self) {
        let mut path = None;
        let mut is_static = false;
        let mut on_demand = false;
        self.children(|lower, kind| match kind {
            Kind::WordStatic => is_static = true,
            Kind::Asterisk => on_demand = true,
            Kind::Identifier | Kind::ScopedIdentifier => path = Some(lower.dotted()),
            _ => {}
        });
        if let Some(path) = path {
            self.facts.note_lombok(path);
            self.facts.imports.push(JavaImport {
                path,
                is_static,
                on_demand,
            });
        }
    }

    /// Lowers the declaration under the cursor if it declares a type, and returns its number.
    pub fn type_declaration(&mut self, kind: Kind) -> Option<u32> {
        let kind = match kind {
            Kind::ClassDeclaration => TypeKind::Class,
            Kind::InterfaceDeclaration => TypeKind::Interface,
            Kind::EnumDeclaration => TypeKind::Enum,
            Kind::RecordDeclaration => TypeKind::Record,
            Kind::AnnotationTypeDeclaration => TypeKind::Annotation,
            _ => return None,
        };
        self.nested(|lower| lower.named_type(kind))
    }

    fn named_type(&mut self, kind: TypeKind) -> u32 {
        let index = self.begin_type(kind);
        self.children(|lower, child| match child {
            Kind::Modifiers => {
                let modifiers = lower.modifiers();
                let decl = &mut lower.facts.types[index as usize];
                decl.flags |= modifiers.flags;
                decl.annotations = modifiers.annotations;
            }
            Kind::Identifier => {
                let (name, span) = (lower.word(), lower.span());
                let decl = &mut lower.facts.types[index as usize];
                decl.name = name;
                decl.name_span = span;
            }
            Kind::TypeParameters => {
                let type_params = lower.type_parameters();
                lower.facts.types[index as usize].type_params = type_params;
            }
            Kind::Superclass => {
                let ids = lower.types_in();
                let first = lower.facts.ids(ids).next();
                lower.facts.types[index as usize].superclass = first;
            }
            Kind::SuperInterfaces | Kind::ExtendsInterfaces => {
                let interfaces = lower.types_in();
                lower.facts.types[index as usize].interfaces = interfaces;
            }
            Kind::FormalParameters => {
                let (components, is_varargs) = lower.parameters();
                let decl = &mut lower.facts.types[index as usize];
                decl.components = components;
                decl.flags |= if is_varargs { flag::VARARGS } else { 0 };
            }
            Kind::ClassBody | Kind::InterfaceBody | Kind::EnumBody | Kind::AnnotationTypeBody => {
                lower.members_of(index);
            }
            _ => {}
        });
        index
    }

    /// Adds a type with the cursor on its declaration (or on the body of an anonymous class).
    fn begin_type(&mut self, kind: TypeKind) -> u32 {
        let span = self.span();
        let is_local = self.root.is_some();
        add(
            &mut self.facts.types,
            TypeDecl {
                kind,
                parent: self.owner,
                method: self.method,
                is_local,
                is_statement: is_local && self.is_statement,
                span,
                name_span: Span::new(span.start, span.start),
                scope_end: self.block_end,
                depth: self.depth + u16::from(is_local),
                ..TypeDecl::default()
            },
        )
    }

    /// Lowers the class body under the cursor as an anonymous class.
    pub fn anonymous_type(&mut self, superclass: Option<TypeId>, at: Span) -> u32 {
        let index = self.begin_type(TypeKind::Anonymous);
        let name = Name::NONE;
        let decl = &mut self.facts.types[index as usize];
        decl.name = name;
        decl.superclass = superclass;
        decl.name_span = at;
        self.members_of(index);
        index
    }

    fn members_of(&mut self, index: u32) {
        let depth = self.facts.types[index as usize].depth;
        let outer = (self.owner, self.method, self.depth, self.block_end);
        let is_statement = std::mem::take(&mut self.is_statement);
        self.owner = Some(index);
        self.method = None;
        self.depth = depth;
        self.members();
        (self.owner, self.method, self.depth, self.block_end) = outer;
        self.is_statement = is_statement;
    }

    fn members(&mut self) {
        self.children(|lower, kind| match kind {
            Kind::MethodDeclaration | Kind::AnnotationElement => {
                lower.method_declaration(MethodKind::Method);
            }
            Kind::ConstructorDeclaration => lower.method_declaration(MethodKind::Constructor),
            Kind::CompactConstructor => lower.method_declaration(MethodKind::Compact),
            Kind::FieldDeclaration | Kind::ConstantDeclaration => lower.field_declaration(),
            Kind::EnumConstant => lower.enum_constant(),
            Kind::Block => lower.initializer(false),
            Kind::StaticInitializer => lower.initializer(true),
            Kind::EnumBodyDeclarations | Kind::Error => {
                lower.nested(Self::members);
            }
            _ => {
                lower.type_declaration(kind);
            }
        });
    }

    /// Lowers the modifiers under the cursor.
    pub fn modifiers(&mut self) -> Modifiers {
        let start = self.facts.annotations.len() as u32;
        let mut flags = 0;
        self.children(|lower, kind| match kind {
            Kind::WordPublic => flags |= flag::PUBLIC,
            Kind::WordProtected => flags |= flag::PROTECTED,
            Kind::WordPrivate => flags |= flag::PRIVATE,
            Kind::WordStatic => flags |= flag::STATIC,
            Kind::WordAbstract => flags |= flag::ABSTRACT,
            Kind::WordFinal => flags |= flag::FINAL,
            Kind::WordDefault => flags |= flag::DEFAULT,
            Kind::Annotation | Kind::MarkerAnnotation => lower.annotation(),
            _ => {}
        });
        Modifiers {
            flags,
            annotations: Run::since(start, self.facts.annotations.len()),
        }
    }

    fn method_declaration(&mut self, kind: MethodKind) {
        let Some(owner) = self.owner else { return };
        let span = self.span();
        let index = self.facts.methods.len();
        let first_site = self.facts.sites.len() as u32;
        self.facts.methods.push(MethodDecl {
            owner,
            kind,
            span,
            name_span: span,
            root: self.root,
            depth: self.depth,
            ..MethodDecl::default()
        });
        let outer = (self.method, self.root);
        self.method = Some(index as u32);
        if self.root.is_none() {
            self.root = Some(Root::Method(index as u32));
        }
        let mut header = Header::default();
        self.children(|lower, child| lower.method_part(index, child, &mut header));
        let run = header.write(self.text, &mut self.facts.headers);
        (self.method, self.root) = outer;
        let method = &mut self.facts.methods[index];
        method.header = run;
        method.sites = Run::since(first_site, self.facts.sites.len());
    }

    fn method_part(&mut self, index: usize, child: Kind, header: &mut Header) {
        let span = self.span();
        match child {
            Kind::Modifiers => {
                header.modifiers = self.modifier_words();
                let modifiers = self.modifiers();
                let method = &mut self.facts.methods[index];
                method.flags |= modifiers.flags;
                method.annotations = modifiers.annotations;
                return;
            }
            Kind::Annotation | Kind::MarkerAnnotation => return,
            Kind::Block | Kind::ConstructorBody => {
                self.method_body(index, span);
                return;
            }
            Kind::SignSemicolon | Kind::WordDefault => {
                header.is_over = true;
                return;
            }
            _ => {}
        }
        if header.is_over {
            return;
        }
        header.span = Some(header.span.map_or(span, |h| Span::new(h.start, span.end)));
        match child {
            Kind::TypeParameters => {
                let type_params = self.type_parameters();
                self.facts.methods[index].type_params = type_params;
            }
            Kind::Identifier => {
                let name = self.word();
                let method = &mut self.facts.methods[index];
                method.name = name;
                method.name_span = span;
            }
            Kind::FormalParameters => {
                let (params, is_varargs) = self.parameters();
                let method = &mut self.facts.methods[index];
                method.params = params;
                method.flags |= if is_varargs { flag::VARARGS } else { 0 };
            }
            Kind::Dimensions => {
                let n_dimensions = self.n_dimensions();
                if let Some(result) = self.facts.methods[index].result {
                    let result = self.arrays_of(result, n_dimensions);
                    self.facts.methods[index].result = Some(result);
                }
            }
            kind if kind.is_type() && self.facts.methods[index].result.is_none() => {
                let result = self.type_syntax();
                self.facts.methods[index].result = Some(result);
            }
            _ => {}
        }
    }

    fn method_body(&mut self, index: usize, span: Span) {
        let outer = (self.parent, self.is_argument);
        let statements = self.statement_spans();
        let body = self.body_block();
        let method = &mut self.facts.methods[index];
        method.body_span = Some(span);
        method.body = Some(body);
        method.statements = statements;
        (self.parent, self.is_argument) = outer;
    }

    /// Lists the keyword modifiers under the cursor.
    fn modifier_words(&mut self) -> Vec<Span> {
        let mut words = Vec::new();
        self.children(|lower, kind| {
            if !matches!(kind, Kind::Annotation | Kind::MarkerAnnotation) {
                words.push(lower.span());
            }
        });
        words
    }

    /// Lowers a parameter list under the cursor; also returns whether the last one takes any number of arguments.
    pub fn parameters(&mut self) -> (Run, bool) {
        let mut params = Vec::new();
        let mut is_varargs = false;
        let start = self.facts.params.len() as u32;
        self.children(|lower, kind| {
            let n_more = match kind {
                Kind::FormalParameter => 0,
                Kind::SpreadParameter => 1,
                _ => return,
            };
            is_varargs |= n_more > 0;
            lower.param_annotations(start + params.len() as u32);
            params.extend(lower.variable_here(n_more));
        });
        self.facts.params.append(&mut params);
        let end = self.facts.params.len() as u32;
        (Run { start, end }, is_varargs)
    }

    /// Lowers the one variable that the node under the cursor declares, with `n_more` further dimensions.
    pub fn variable_here(&mut self, n_more: usize) -> Option<Variable> {
        let mut ty = None;
        let mut name = None;
        let mut n_dimensions = n_more;
        self.children(|lower, kind| match kind {
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            Kind::CatchType => {
                let ids = lower.types_in();
                ty = Some(if ids.len == 1 {
                    lower.facts.ids(ids).next().expect("the list has one type")
                } else {
                    lower.add_type(TypeSyntax::Union(ids))
                });
            }
            Kind::Identifier | Kind::Underscore => name = Some(lower.word()),
            Kind::Dimensions => n_dimensions += lower.n_dimensions(),
            Kind::VariableDeclarator => lower.children(|lower, kind| match kind {
                Kind::Identifier | Kind::Underscore => name = Some(lower.word()),
                Kind::Dimensions => n_dimensions += lower.n_dimensions(),
                _ => {}
            }),
            _ => {}
        });
        let ty = ty.map(|ty| self.arrays_of(ty, n_dimensions));
        name.map(|name| Variable {
            name,
            ty,
            init: None,
        })
    }

    fn field_declaration(&mut self) {
        let Some(owner) = self.owner else { return };
        let span = self.span();
        let mut modifiers = Modifiers::default();
        let mut ty = None;
        self.children(|lower, kind| match kind {
            Kind::Modifiers => modifiers = lower.modifiers(),
            kind if kind.is_type() => ty = Some(lower.type_syntax()),
            Kind::VariableDeclarator => {
                let index = lower.begin_field(owner, modifiers, span);
                let variable = lower.in_field(index, |lower| lower.declarator(ty));
                if let Some(variable) = variable {
                    let field = &mut lower.facts.fields[index];
                    field.name = variable.name;
                    field.ty = variable.ty;
                    field.init = variable.init;
                }
            }
            _ => {}
        });
    }

    fn enum_constant(&mut self) {
        let Some(owner) = self.owner else { return };
        let flags = flag::PUBLIC | flag::STATIC | flag::FINAL | flag::ENUM_CONSTANT;
        let modifiers = Modifiers {
            flags,
            annotations: Run::default(),
        };
        let index = self.begin_field(owner, modifiers, self.span());
        let init = self.in_field(index, |lower| lower.constant_site(index));
        self.facts.fields[index].init = Some(init);
    }

    fn begin_field(&mut self, owner: u32, modifiers: Modifiers, span: Span) -> usize {
        let name = Name::NONE;
        self.facts.fields.push(FieldDecl {
            owner,
            name,
            flags: modifiers.flags,
            annotations: modifiers.annotations,
            span,
            name_start: self.span().start,
            ty: None,
            init: None,
            sites: Run::default(),
        });
        self.facts.fields.len() - 1
    }

    /// Runs `f` with the field's initialiser as the body around the cursor.
    fn in_field<R>(&mut self, index: usize, f: impl FnOnce(&mut Self) -> R) -> R {
        let start = self.facts.sites.len() as u32;
        let outer = (self.root, self.parent, self.is_argument);
        if self.root.is_none() {
            self.root = Some(Root::Field(index as u32));
        }
        let result = f(self);
        (self.root, self.parent, self.is_argument) = outer;
        let end = self.facts.sites.len() as u32;
        self.facts.fields[index].sites = Run { start, end };
        result
    }

    fn initializer(&mut self, is_static: bool) {
        let Some(owner) = self.owner else { return };
        let index = self.facts.initializers.len();
        let start = self.facts.sites.len() as u32;
        let outer = (self.root, self.parent, self.is_argument);
        let body = self.add_stmt(super::Stmt::Nothing);
        self.facts.initializers.push(InitializerDecl {
            owner,
            body,
            sites: Run::default(),
        });
        if self.root.is_none() {
            self.root = Some(Root::Initializer(index as u32));
        }
        let mut block = body;
        if is_static {
            self.children(|lower, kind| {
                if kind == Kind::Block {
                    block = lower.body_block();
                }
            });
        } else {
            block = self.body_block();
        }
        (self.root, self.parent, self.is_argument) = outer;
        let end = self.facts.sites.len() as u32;
        let initializer = &mut self.facts.initializers[index];
        initializer.body = block;
        initializer.sites = Run { start, end };
    }
}

/// The parts of a method's header.
#[derive(Default)]
struct Header {
    modifiers: Vec<Span>,
    span: Option<Span>,
    is_over: bool,
}

impl Header {
    /// Appends the header to `into`, white space folded and comments left out.
    fn write(&self, text: &str, into: &mut String) -> Run {
        let start = into.len() as u32;
        for word in &self.modifiers {
            into.push_str(word.of(text));
            into.push(' ');
        }
        fold(self.span.unwrap_or_default().of(text), into);
        Run::since(start, into.len())
    }
}

fn fold(mut rest: &str, into: &mut String) {
    if !rest.contains(['\n', '\t', '\r', '/']) && !rest.contains("  ") {
        into.push_str(rest);
        return;
    }
    let mut has_gap = false;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |at| &rest[at..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |at| &rest[at + 2..]);
        } else {
            if c.is_whitespace() {
                has_gap = true;
            } else {
                if has_gap {
                    into.push(' ');
                }
                has_gap = false;
                into.push(c);
            }
            rest = &rest[c.len_utf8()..];
            continue;
        }
        has_gap = true;
    }
}
