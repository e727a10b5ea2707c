//! Lowering of namespaces and types.

use super::kind::Kind;
use super::lower::{BROKEN_TYPE, CSharpLowering};
use super::{Ids, ScopeDecl, TypeDecl, TypeKind, TypeRef, Using, UsingKind, flag};
use crate::ids::add;
use crate::run::Run;

/// The greatest number of parts of a namespace's name; the rest is dropped, because each costs as much as all before
/// it.
const PARTS_MAX: usize = 60;

impl CSharpLowering<'_> {
    pub fn file(&mut self) {
        self.declarations(0, 0, None);
    }

    /// Lowers the declarations in a node: a file, a namespace's or a type's body, or text that did not parse.
    fn declarations(&mut self, node: u32, scope: u32, owner: Option<u32>) {
        let around = scope;
        let mut scope = scope;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::UsingDirective => self.using(child, scope),
                // A file has at most one: another is an error, and is treated as standing directly in the file.
                Kind::FileScopedNamespace => scope = self.scope(child, around),
                Kind::NamespaceDeclaration => {
                    let inner = self.scope(child, scope);
                    if let Some(body) = self.child(child, self.fields.body) {
                        self.deeper(|lower| lower.declarations(body, inner, owner));
                    }
                }
                Kind::Error | Kind::DeclarationList => {
                    self.deeper(|lower| lower.declarations(child, scope, owner));
                }
                kind => {
                    if let Some(kind) = self.type_kind(child, kind) {
                        self.deeper(|lower| lower.type_declaration(child, kind, scope, owner));
                    } else if let Some(owner) = owner {
                        self.member(child, kind, owner);
                    }
                }
            }
        }
    }

    fn type_kind(&self, node: u32, kind: Kind) -> Option<TypeKind> {
        Some(match kind {
            Kind::ClassDeclaration => TypeKind::Class,
            Kind::StructDeclaration => TypeKind::Struct,
            Kind::InterfaceDeclaration => TypeKind::Interface,
            Kind::EnumDeclaration => TypeKind::Enum,
            Kind::DelegateDeclaration => TypeKind::Delegate,
            Kind::RecordDeclaration if self.has(node, Kind::StructWord) => TypeKind::RecordStruct,
            Kind::RecordDeclaration => TypeKind::Record,
            _ => return None,
        })
    }

    fn using(&mut self, node: u32, scope: u32) {
        let mut kind = UsingKind::Namespace;
        let mut is_global = false;
        let mut ty = BROKEN_TYPE;
        for child in self.children(node) {
            match self.kind(child) {
                Kind::GlobalWord if !self.tree.nodes[child as usize].is_named() => is_global = true,
                Kind::StaticWord => kind = UsingKind::Static,
                Kind::Identifier if self.field_of(child) == self.fields.name => {
                    kind = UsingKind::Alias(self.word(child));
                }
                _ if self.tree.nodes[child as usize].is_named() => ty = self.ty(child),
                _ => {}
            }
        }
        self.facts.scopes[scope as usize].usings.push(Using {
            kind,
            is_global,
            ty,
        });
    }

    fn scope(&mut self, node: u32, parent: u32) -> u32 {
        let name = self.child(node, self.fields.name);
        let name = name.map_or("", |name| self.text(name));
        let outer = self.facts.scopes[parent as usize].namespace;
        let mut full = self.facts.word(outer).to_owned();
        let parts = name
            .split('.')
            .map(str::trim)
            .filter(|text| !text.is_empty());
        for part in parts.take(PARTS_MAX) {
            if !full.is_empty() {
                full.push('.');
            }
            full.push_str(part.strip_prefix('@').unwrap_or(part));
        }
        let namespace = self.facts.names.intern(&full);
        add(
            &mut self.facts.scopes,
            ScopeDecl {
                parent: Some(parent),
                namespace,
                usings: Vec::new(),
            },
        )
    }

    fn type_declaration(&mut self, node: u32, kind: TypeKind, scope: u32, outer: Option<u32>) {
        let fields = self.fields;
        let index = self.facts.types.len();
        self.facts.types.push(TypeDecl {
            kind,
            name_span: self.span(node),
            scope,
            outer,
            ..TypeDecl::default()
        });
        let mut decl = self.facts.types[index].clone();
        decl.attributes = self.attributes(node);
        decl.flags = self.modifiers(node);
        let mut body = None;
        for child in self.children(node) {
            let field = self.field_of(child);
            match self.kind(child) {
                Kind::Identifier if field == fields.name => {
                    decl.name = self.word(child);
                    decl.name_span = self.span(child);
                }
                Kind::TypeParameters => decl.vars = self.type_parameters(child, node),
                Kind::Parameters => {
                    let (params, flags) = self.parameters(child);
                    decl.params = params;
                    decl.flags |= flags;
                    if kind != TypeKind::Delegate {
                        decl.flags |= flag::PRIMARY;
                    }
                }
                Kind::BaseList => {
                    let (bases, args) = self.bases(child);
                    decl.bases = bases;
                    decl.base_args = args;
                }
                _ if field == fields.body => body = Some(child),
                _ if field == fields.r#type => decl.result = Some(self.ty(child)),
                _ => {}
            }
        }
        self.facts.types[index] = decl;
        match body {
            Some(body) if kind == TypeKind::Enum => self.enum_members(body, index as u32),
            Some(body) => self.declarations(body, scope, Some(index as u32)),
            None => {}
        }
    }

    fn bases(&mut self, node: u32) -> (Ids<TypeRef>, Option<(Run, crate::model::Span)>) {
        let mut bases = Vec::new();
        let mut args = None;
        for child in self.parts(node) {
            match self.kind(child) {
                Kind::ArgumentList => args = Some((self.arguments(child), self.span(child))),
                Kind::PrimaryBase => {
                    for part in self.parts(child) {
                        if self.kind(part) == Kind::ArgumentList {
                            args = Some((self.arguments(part), self.span(part)));
                        } else {
                            bases.push(self.ty(part));
                        }
                    }
                }
                _ => bases.push(self.ty(child)),
            }
        }
        (self.list(&bases), args)
    }

    /// Lowers type parameters with their constraints, which stand in another place of the declaration.
    pub fn type_parameters(&mut self, node: u32, declaration: u32) -> Run {
        let mut vars = Vec::new();
        for child in self.parts(node) {
            if let Some(name) = self.child(child, self.fields.name) {
                vars.push((self.word(name), Vec::new(), false));
            }
        }
        for clause in self.children(declaration) {
            if self.kind(clause) != Kind::TypeConstraints {
                continue;
            }
            let mut about = None;
            for child in self.parts(clause) {
                match self.kind(child) {
                    Kind::Identifier => {
                        let name = self.word(child);
                        about = vars.iter().position(|var| var.0 == name);
                    }
                    Kind::TypeConstraint => {
                        let Some(at) = about else { continue };
                        match self.child(child, self.fields.r#type) {
                            Some(ty) if self.text(ty) == "unmanaged" => vars[at].2 = true,
                            Some(ty) => {
                                let ty = self.ty(ty);
                                vars[at].1.push(ty);
                            }
                            None => vars[at].2 |= self.text(child).starts_with("struct"),
                        }
                    }
                    _ => {}
                }
            }
        }
        let vars: Vec<_> = vars
            .into_iter()
            .map(|(name, bounds, is_value)| super::TypeVar {
                name,
                bounds: self.list(&bounds),
                is_value,
            })
            .collect();
        Run::add(&mut self.facts.vars, vars)
    }
}
