//! The scopes of a method in Java: a local is seen from its declaration to the end of its block.
//!
//! Inside classes a field that is invisible here may hide a local, so a name that occurs there is not renamed; nor is
//! one that a pattern binds, whose scope follows the truth of conditions.

use super::{Builder, RenameBarrier, Scopes, VariableRole};
use crate::code::Code;

const TEXTS: &[&str] = &[
    "string_fragment",
    "line_comment",
    "block_comment",
    "escape_sequence",
    "multiline_string_fragment",
    "character_literal",
];

struct JavaScopeWalker<'c> {
    code: &'c Code<'c>,
    builder: Builder<'c>,
}

/// Reads the variables of a method or constructor.
pub fn read<'c>(code: &'c Code<'c>, function: u32) -> Scopes<'c> {
    let mut walker = JavaScopeWalker {
        code,
        builder: Builder::new(code),
    };
    for child in code.children(function) {
        match code.field(child) {
            "parameters" => walker.parameters(child, 0, VariableRole::Parameter),
            "body" => walker.children(child, 0),
            "name" => walker.builder.other(child),
            _ => walker.walk(child, 0),
        }
    }
    walker.builder.finish(function, TEXTS)
}

impl JavaScopeWalker<'_> {
    fn children(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        for n in code.named(idx) {
            self.walk(n, scope);
        }
    }

    fn parameters(&mut self, idx: u32, scope: usize, role: VariableRole) {
        let code = self.code;
        for n in code.named(idx) {
            match code.kind(n) {
                "formal_parameter" | "catch_formal_parameter" => {
                    let typed = code.child(n, "type");
                    if let Some(name) = code.child(n, "name") {
                        let has_more = code.child(n, "dimensions").is_some();
                        self.declare(scope, name, role, typed.filter(|_| !has_more));
                        let is_annotated = code.holds(n, &["annotation", "marker_annotation"]);
                        if is_annotated && role == VariableRole::Parameter {
                            self.builder.bar_strict(
                                code.source(name),
                                "has an annotation that may ask for its name",
                            );
                        }
                    }
                    for child in code.named(n).filter(|n| code.field(*n) != "name") {
                        self.walk(child, scope);
                    }
                }
                "spread_parameter" => {
                    for child in code.named(n) {
                        if code.kind(child) == "variable_declarator" {
                            if let Some(name) = code.child(child, "name") {
                                self.declare(scope, name, role, None);
                            }
                        } else {
                            self.walk(child, scope);
                        }
                    }
                }
                "identifier" => self.declare(scope, n, role, None),
                // `this` of an inner class's constructor, and comments.
                _ => self.walk(n, scope),
            }
        }
    }

    fn declare(&mut self, scope: usize, name: u32, role: VariableRole, typed: Option<u32>) {
        let from = self.code.span(name).start;
        let variable = self.builder.declare(scope, name, role, from);
        if variable.declared_type.is_none() {
            variable.declared_type = typed;
        } else if variable.uses.len() > 1 {
            // Twice in one scope is no Java; nothing is certain then.
            variable.bar = Some(RenameBarrier {
                why: "is declared twice",
                is_strict: false,
            });
        }
    }

    fn field(&mut self, idx: u32, field: &str, scope: usize) {
        if let Some(n) = self.code.child(idx, field) {
            self.walk(n, scope);
        }
    }

    fn walk(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        match code.kind(idx) {
            "identifier" => self.builder.reads(scope, idx),
            "type_identifier" => self.builder.other(idx),
            "method_invocation" => {
                for n in code.named(idx) {
                    if code.field(n) == "name" {
                        self.builder.other(n);
                    } else {
                        self.walk(n, scope);
                    }
                }
            }
            "field_access" => {
                self.field(idx, "object", scope);
                for child in code.named(idx).filter(|n| code.field(*n) != "object") {
                    self.builder.other(child);
                }
            }
            "method_reference" => {
                for (at, n) in code.named(idx).enumerate() {
                    if at == 0 {
                        self.walk(n, scope);
                    } else {
                        self.builder.other(n);
                    }
                }
            }
            "scoped_identifier" | "scoped_type_identifier" => {
                for n in code.below(idx) {
                    self.builder.other(n);
                }
            }
            "labeled_statement" => {
                for (at, n) in code.named(idx).enumerate() {
                    if at == 0 {
                        self.builder.other(n);
                    } else {
                        self.walk(n, scope);
                    }
                }
            }
            "break_statement" | "continue_statement" => {
                for n in code.named(idx) {
                    self.builder.other(n);
                }
            }
            "marker_annotation" | "annotation" => self.annotation(idx),
            _ => self.scoped(idx, scope),
        }
    }

    /// Names in annotations are constants and keys: a local is neither.
    fn annotation(&mut self, idx: u32) {
        let code = self.code;
        for n in code.below(idx) {
            if code.kind(n) == "identifier" && code.field(n) != "name" {
                self.builder.bar(code.source(n), "occurs in an annotation");
            }
            self.builder.other(n);
        }
    }

    fn caught(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        let inner = self.builder.open(scope);
        for n in code.named(idx) {
            if code.kind(n) == "catch_formal_parameter" {
                if let Some(name) = code.child(n, "name") {
                    self.declare(inner, name, VariableRole::Local, None);
                }
                for child in code.named(n).filter(|n| code.field(*n) != "name") {
                    self.walk(child, inner);
                }
            } else {
                self.walk(n, inner);
            }
        }
    }

    fn lambda(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        let inner = self.builder.open(scope);
        if let Some(n) = code.child(idx, "parameters") {
            if code.kind(n) == "identifier" {
                self.declare(inner, n, VariableRole::Foreign, None);
            } else {
                self.parameters(n, inner, VariableRole::Foreign);
            }
        }
        self.field(idx, "body", inner);
    }

    fn scoped(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        match code.kind(idx) {
            "block" | "switch_block" | "for_statement" | "switch_rule" => {
                let inner = self.builder.open(scope);
                self.children(idx, inner);
            }
            "switch_label" => {
                for n in code.below(idx) {
                    if code.kind(n) == "identifier" {
                        self.builder
                            .bar(code.source(n), "occurs in a label of a switch");
                        self.builder.other(n);
                    }
                }
            }
            "local_variable_declaration" => {
                let typed = code.child(idx, "type");
                for n in code.named(idx) {
                    if code.kind(n) == "variable_declarator" {
                        let has_more = code.child(n, "dimensions").is_some();
                        if let Some(name) = code.child(n, "name") {
                            let own = typed.filter(|_| !has_more);
                            self.declare(scope, name, VariableRole::Local, own);
                        }
                        self.field(n, "value", scope);
                    } else {
                        self.walk(n, scope);
                    }
                }
            }
            "enhanced_for_statement" => {
                self.field(idx, "value", scope);
                let inner = self.builder.open(scope);
                if let Some(name) = code.child(idx, "name") {
                    let has_more = code.child(idx, "dimensions").is_some();
                    let typed = code.child(idx, "type").filter(|_| !has_more);
                    self.declare(inner, name, VariableRole::Local, typed);
                }
                self.field(idx, "type", scope);
                self.field(idx, "body", inner);
            }
            "try_with_resources_statement" => {
                let inner = self.builder.open(scope);
                self.field(idx, "resources", inner);
                self.field(idx, "body", inner);
                for child in code.named(idx) {
                    if matches!(code.kind(child), "catch_clause" | "finally_clause") {
                        self.walk(child, scope);
                    }
                }
            }
            "resource" => {
                if let Some(name) = code.child(idx, "name") {
                    let typed = code.child(idx, "type");
                    self.declare(scope, name, VariableRole::Local, typed);
                }
                for child in code.named(idx).filter(|n| code.field(*n) != "name") {
                    self.walk(child, scope);
                }
            }
            "catch_clause" => self.caught(idx, scope),
            "lambda_expression" => self.lambda(idx, scope),
            "instanceof_expression" => {
                for n in code.named(idx) {
                    if code.field(n) == "name" {
                        self.builder.bar(code.source(n), "is bound by a pattern");
                        self.builder.other(n);
                    } else {
                        self.walk(n, scope);
                    }
                }
            }
            kind if kind.ends_with("_pattern") => {
                for n in code.below(idx) {
                    if code.kind(n) == "identifier" {
                        self.builder.bar(code.source(n), "is bound by a pattern");
                        self.builder.other(n);
                    }
                }
            }
            "class_body"
            | "class_declaration"
            | "record_declaration"
            | "enum_declaration"
            | "interface_declaration" => {
                for n in code.below(idx) {
                    if code.kind(n) == "identifier" {
                        self.builder.bar(code.source(n), "occurs in a class inside");
                        self.builder.other(n);
                    }
                }
            }
            _ => self.children(idx, scope),
        }
    }
}
