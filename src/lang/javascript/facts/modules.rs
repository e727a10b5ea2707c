//! Lowers imports and exports.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, FunctionIdentity, JavaScriptLowering, in_field};
use super::node::Node;
use super::{
    BindingKind, Effect, Export, ExportedBinding, Expr, ImportId, ImportedBinding,
    JavaScriptImport, MemberKey, Name, Owner, TypeDecl,
};
use crate::ids::add;

impl<'t> JavaScriptLowering<'t> {
    pub fn add_import(&mut self, from: Name, what: ImportedBinding) -> ImportId {
        add(&mut self.facts.imports, JavaScriptImport { from, what })
    }

    fn bind_import(&mut self, local: ChildNode<'t>, from: Name, what: ImportedBinding) {
        let name = self.word(local.node);
        let import = self.add_import(from, what);
        let value = self.expr_at(Expr::Import(import), local.node);
        let binding = self.declare(self.scope, name, BindingKind::Import);
        self.give(binding, value, local.node.start_byte() as u32);
        let scope = self.scope;
        self.facts
            .type_names
            .insert((scope, name), TypeDecl::Import(import));
    }

    pub fn import(&mut self, node: Node<'t>) {
        self.facts.is_module = true;
        let kids = self.kids(node);
        let source = in_field(&kids, Field::source);
        let from = source.and_then(|child_node| self.literal(child_node));
        for kid in kids {
            match kid.kind {
                Kind::ImportRequire => {
                    let kids = self.kids(kid.node);
                    let source = kids.iter().find(|kid| kid.kind == Kind::String).copied();
                    let from = source.and_then(|child_node| self.literal(child_node));
                    let local = kids.iter().find(|kid| kid.kind == Kind::Identifier);
                    if let (Some(from), Some(local)) = (from, local) {
                        self.bind_import(*local, from, ImportedBinding::Whole);
                    }
                }
                Kind::ImportClause => {
                    if let Some(from) = from {
                        self.import_clause(kid.node, from);
                    }
                }
                _ => {}
            }
        }
    }

    fn import_clause(&mut self, node: Node<'t>, from: Name) {
        for kid in self.kids(node) {
            match kid.kind {
                Kind::Identifier => {
                    self.bind_import(kid, from, ImportedBinding::Default);
                    let local = self.word(kid.node);
                    self.name_module(local, from, true);
                }
                Kind::NamespaceImport => {
                    let mut kids = self.kids(kid.node).into_iter();
                    if let Some(local) = kids.find(|kid| kid.kind == Kind::Identifier) {
                        self.bind_import(local, from, ImportedBinding::Namespace);
                        let local = self.word(local.node);
                        self.name_module(local, from, false);
                    }
                }
                Kind::NamedImports => {
                    for specifier in self.kids(kid.node) {
                        if specifier.kind == Kind::ImportSpecifier {
                            self.import_specifier(specifier.node, from);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn import_specifier(&mut self, node: Node<'t>, from: Name) {
        let kids = self.kids(node);
        let name = in_field(&kids, Field::name);
        let alias = in_field(&kids, Field::alias);
        let Some(name) = name else { return };
        let imported = self.export_name(name);
        let local = alias.unwrap_or(name);
        self.bind_import(local, from, self.imported(imported));
        let local = self.word(local.node);
        self.rename(local, imported);
    }

    fn imported(&self, name: Name) -> ImportedBinding {
        match self.facts.word(name) {
            "default" => ImportedBinding::Default,
            _ => ImportedBinding::Named(name),
        }
    }

    fn export_name(&mut self, kid: ChildNode<'t>) -> Name {
        match kid.kind {
            Kind::String => self.literal(kid).unwrap_or_default(),
            _ => self.word(kid.node),
        }
    }

    pub fn export(&mut self, node: Node<'t>) {
        self.facts.is_module = true;
        let kids = self.kids(node);
        let source = in_field(&kids, Field::source);
        let from = source.and_then(|child_node| self.literal(child_node));
        let is_default = kids.iter().any(|kid| kid.kind == Kind::WordDefault);
        let is_assigned = kids.iter().any(|kid| kid.kind == Kind::SignAssign);
        let mut is_star = kids.iter().any(|kid| kid.kind == Kind::SignStar);
        for kid in &kids {
            match kid.kind {
                Kind::NamespaceExport => {
                    is_star = false;
                    let mut kids = self.kids(kid.node).into_iter();
                    let name = kids.find(|kid| kid.kind != Kind::SignStar);
                    if let (Some(name), Some(from)) = (name, from) {
                        let name = self.export_name(name);
                        let import = self.add_import(from, ImportedBinding::Namespace);
                        self.add_export(name, ExportedBinding::From(import));
                    }
                }
                Kind::ExportClause => self.export_clause(kid.node, from),
                _ if kid.field == Field::declaration => self.exported(*kid, is_default),
                _ if kid.field == Field::value
                    || is_assigned && super::statements::is_expression(kid.kind) =>
                {
                    if is_assigned {
                        self.export_assigned(*kid, node);
                    } else {
                        self.export_value(*kid, node);
                    }
                }
                _ => {}
            }
        }
        if is_star && let Some(from) = from {
            self.facts.stars.push(from);
        }
    }

    fn add_export(&mut self, name: Name, what: ExportedBinding) {
        self.facts.exports.push(Export { name, what });
    }

    fn export_clause(&mut self, node: Node<'t>, from: Option<Name>) {
        for kid in self.kids(node) {
            if kid.kind != Kind::ExportSpecifier {
                continue;
            }
            let kids = self.kids(kid.node);
            let name = in_field(&kids, Field::name);
            let alias = in_field(&kids, Field::alias);
            let Some(name) = name else { continue };
            let local = self.export_name(name);
            let exported = alias.map_or(local, |alia| self.export_name(alia));
            let what = if let Some(from) = from {
                ExportedBinding::From(self.add_import(from, self.imported(local)))
            } else {
                let scope = self.scope;
                let number = super::BindingId(local.0);
                ExportedBinding::Value(self.expr_at(Expr::Var(number, scope), kid.node))
            };
            self.add_export(exported, what);
        }
    }

    /// Lowers `export function f() {}`, `export const a = …`, `export interface I {}`.
    pub fn exported(&mut self, kid: ChildNode<'t>, is_default: bool) {
        let node = kid.node;
        let value = match kid.kind {
            Kind::Function | Kind::Generator => {
                if let Some(pair) = self.function_declaration(node) {
                    Some(pair)
                } else {
                    self.export_value(kid, node);
                    return;
                }
            }
            Kind::ClassDeclaration | Kind::AbstractClass => Some(self.class_declaration(node)),
            _ => {
                let first = self.facts.bindings.len();
                self.stmt(kid);
                self.export_declared(kid, first);
                None
            }
        };
        if let Some((name, value)) = value {
            let name = if is_default {
                self.intern("default")
            } else {
                name
            };
            self.add_export(name, ExportedBinding::Value(value));
        }
    }

    /// Exports the names that a declaration declares in this scope.
    fn export_declared(&mut self, kid: ChildNode<'t>, first: usize) {
        let scope = self.scope;
        let mut names: Vec<Name> = self.facts.bindings[first..]
            .iter()
            .filter(|binding| binding.scope == scope)
            .map(|binding| binding.name)
            .collect();
        if matches!(
            kid.kind,
            Kind::Interface | Kind::Alias | Kind::FunctionSignature | Kind::InternalModule
        ) && let Some(name) = self.kid(kid.node, Field::name)
        {
            let name = self.word(name.node);
            if let Some(&decl) = self.facts.type_names.get(&(scope, name)) {
                self.add_export(name, ExportedBinding::Type(decl));
            }
            if matches!(kid.kind, Kind::Interface | Kind::Alias) {
                return;
            }
            names.push(name);
        }
        for name in names {
            let number = super::BindingId(name.0);
            let value = self.expr_at(Expr::Var(number, scope), kid.node);
            self.add_export(name, ExportedBinding::Value(value));
        }
    }

    /// Lowers `export default …`.
    fn export_value(&mut self, kid: ChildNode<'t>, node: Node<'t>) {
        let jsdoc_types = self.jsdoc_before(node.start_byte() as u32);
        let hint = self.default_hint(kid, node);
        let value = match kid.kind {
            Kind::Function | Kind::Generator => {
                let function = self.function_expression(kid.node, Some(hint));
                self.expr_at(Expr::Function(function), kid.node)
            }
            _ => self.expr_with(kid, Some(hint)),
        };
        self.tell(value, jsdoc_types);
        let name = self.intern("default");
        self.add_export(name, ExportedBinding::Value(value));
    }

    /// Lowers `export = …`.
    fn export_assigned(&mut self, kid: ChildNode<'t>, node: Node<'t>) {
        let hint = self.default_hint(kid, node);
        let value = self.expr_with(kid, Some(hint));
        let module = self.intern("module");
        let target = self.expr_at(Expr::Global(module), node);
        let exports = self.intern("exports");
        self.facts.effects.push(Effect {
            target,
            key: MemberKey::Named(exports),
            value,
            function: self.function,
        });
    }

    fn default_hint(&mut self, kid: ChildNode<'t>, node: Node<'t>) -> FunctionIdentity {
        // A function with a name of its own goes by that.
        let own = match kid.kind {
            kind if kind.is_function() || kind.is_class() => {
                self.kid(kid.node, Field::name).filter(|child_node| {
                    matches!(child_node.kind, Kind::Identifier | Kind::TypeIdentifier)
                })
            }
            _ => None,
        };
        let name = match own {
            Some(own) => self.word(own.node),
            None => self.intern("default"),
        };
        FunctionIdentity {
            name,
            name_span: own.map_or(kid.node.span(), |child_node| child_node.node.span()),
            path: self.path,
            inner: self.path,
            owner: Owner::None,
            is_declared: true,
            is_wrapped: false,
            span: Some(node.span()),
        }
    }
}
