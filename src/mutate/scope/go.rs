//! The scopes of a function in Go: blocks and clauses have one, a name is seen from behind its declaration on, and `:=`
//! gives a name of the same block another value.
//!
//! A key of a composite literal is a field or a variable as its type has it; where the type is not known, the name stays.

use super::{Builder, Scopes, UseForm, VariableRole};
use crate::code::Code;

const TEXTS: &[&str] = &[
    "comment",
    "interpreted_string_literal_content",
    "raw_string_literal_content",
    "escape_sequence",
    "rune_literal",
];

/// Statements and clauses that have a scope of their own.
const SCOPES: &[&str] = &[
    "block",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "select_statement",
    "expression_case",
    "default_case",
    "communication_case",
];

struct GoScopeWalker<'c> {
    code: &'c Code<'c>,
    builder: Builder<'c>,
    /// The node of the function itself.
    function: u32,
}

/// Reads the variables of a function or method.
pub fn read<'c>(code: &'c Code<'c>, function: u32) -> Scopes<'c> {
    let mut walker = GoScopeWalker {
        code,
        builder: Builder::new(code),
        function,
    };
    for child in code.children(function) {
        match code.field(child) {
            "receiver" => walker.parameters(child, 0, VariableRole::Receiver),
            "parameters" | "result" if code.kind(child) == "parameter_list" => {
                walker.parameters(child, 0, VariableRole::Parameter);
            }
            // The body is one block with the parameters.
            "body" => walker.children(child, 0),
            "name" => walker.builder.other(child),
            _ => walker.walk(child, 0),
        }
    }
    walker.builder.finish(function, TEXTS)
}

impl GoScopeWalker<'_> {
    fn children(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        for n in code.named(idx) {
            self.walk(n, scope);
        }
    }

    fn parameters(&mut self, idx: u32, scope: usize, role: VariableRole) {
        let code = self.code;
        for n in code.named(idx) {
            let typed = code.child(n, "type");
            let is_rest = code.kind(n) == "variadic_parameter_declaration";
            for child in code.named(n) {
                if code.field(child) == "name" {
                    let variable = self.builder.declare(scope, child, role, 0);
                    variable.declared_type = typed.filter(|_| !is_rest);
                } else {
                    self.walk(child, scope);
                }
            }
        }
    }

    fn role(&self, scope: usize, idx: u32) -> VariableRole {
        let code = self.code;
        let is_nested = code
            .above(idx)
            .take_while(|n| *n != self.function)
            .any(|n| code.kind(n) == "func_literal");
        if is_nested && scope != 0 {
            VariableRole::Foreign
        } else {
            VariableRole::Local
        }
    }

    /// Declares the names of a list, visible behind `from`; one that the block has already only gets another value.
    fn declare(&mut self, list: u32, scope: usize, from: u32) {
        let code = self.code;
        for n in code.named(list) {
            let name = code.source(n);
            if code.kind(n) != "identifier" {
                self.walk(n, scope);
            } else if self.builder.has(scope, name) {
                // The block has it already: it only gets another value.
                self.builder.used(scope, n, UseForm::Plain, true);
            } else {
                let role = self.role(scope, n);
                self.builder.declare(scope, n, role, from);
            }
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
            // `a.b[i].c()` reads like a conversion to a type with arguments, so a word that stands for a type may be a
            // variable: a variable of that name stays.
            "type_identifier" | "package_identifier" => {}
            "field_identifier" | "label_name" => {
                self.builder.other(idx);
            }
            "short_var_declaration" => {
                self.field(idx, "right", scope);
                if let Some(left) = code.child(idx, "left") {
                    self.declare(left, scope, code.span(idx).end);
                }
            }
            "var_spec" | "const_spec" => {
                let end = code.span(idx).end;
                let typed = code.child(idx, "type");
                for child in code.named(idx).filter(|n| code.field(*n) != "name") {
                    self.walk(child, scope);
                }
                for name in code.named(idx).filter(|n| code.field(*n) == "name") {
                    let mut role = self.role(scope, name);
                    if code.kind(idx) == "const_spec" {
                        role = VariableRole::Foreign;
                    }
                    self.builder.declare(scope, name, role, end).declared_type = typed;
                }
            }
            "range_clause" | "receive_statement" => self.received(idx, scope),
            "type_switch_statement" => {
                let inner = self.builder.open(scope);
                self.field(idx, "initializer", inner);
                self.field(idx, "value", inner);
                // `switch w := w.(type)` reads the variable around.
                let value = code.child(idx, "value").unwrap_or(idx);
                let from = code.span(value).end;
                if let Some(alias) = code.child(idx, "alias") {
                    for n in code.named(alias) {
                        let role = self.role(inner, n);
                        self.builder.declare(inner, n, role, from);
                    }
                }
                for child in code.named(idx).filter(|n| code.field(*n).is_empty()) {
                    let clause = self.builder.open(inner);
                    self.children(child, clause);
                }
            }
            "func_literal" => {
                let inner = self.builder.open(scope);
                for n in code.named(idx) {
                    match code.field(n) {
                        "parameters" | "result" if code.kind(n) == "parameter_list" => {
                            self.parameters(n, inner, VariableRole::Foreign);
                        }
                        "body" => self.children(n, inner),
                        _ => self.walk(n, scope),
                    }
                }
            }
            "parameter_declaration" => {
                // A parameter of a function's type: its name means nothing.
                for n in code.named(idx) {
                    if code.field(n) == "name" {
                        self.builder.other(n);
                    } else {
                        self.walk(n, scope);
                    }
                }
            }
            "type_declaration" => {
                for n in code.below(idx) {
                    if code.kind(n) == "identifier" {
                        self.builder.bar(code.source(n), "occurs in a type inside");
                    }
                    self.builder.other(n);
                }
            }
            "keyed_element" => self.keyed(idx, scope),
            kind if SCOPES.contains(&kind) => {
                let inner = self.builder.open(scope);
                self.children(idx, inner);
            }
            _ => self.children(idx, scope),
        }
    }

    /// Walks `k, v := range m` and `v := <-c`, or the same into existing variables.
    fn received(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        self.field(idx, "right", scope);
        let is_new = code.children(idx).any(|child| code.source(child) == ":=");
        if let Some(left) = code.child(idx, "left") {
            if is_new {
                self.declare(left, scope, code.span(idx).end);
            } else {
                self.walk(left, scope);
            }
        }
    }

    fn keyed(&mut self, idx: u32, scope: usize) {
        let code = self.code;
        let mut parts = code.named(idx);
        let (key, value) = (parts.next(), parts.next());
        if let Some(key) = key {
            let name = code
                .named(key)
                .next()
                .filter(|n| code.kind(*n) == "identifier" && code.named(key).count() == 1);
            match name {
                Some(name) => match self.key_kind(idx, code.source(name)) {
                    Some(true) => self.builder.reads(scope, name),
                    Some(false) => self.builder.other(name),
                    None => {
                        let text = code.source(name);
                        self.builder.bar(text, "may be a field or a key");
                        self.builder.other(name);
                    }
                },
                None => self.walk(key, scope),
            }
        }
        if let Some(value) = value {
            self.walk(value, scope);
        }
    }

    /// Tells whether a key is a variable rather than a field; nothing where the type is not known.
    fn key_kind(&self, idx: u32, name: &str) -> Option<bool> {
        let code = self.code;
        let body = code.parent(idx);
        let literal = code.parent(body);
        if code.kind(literal) != "composite_literal" {
            // The type is the element type of the literal around.
            return None;
        }
        let typed = code.child(literal, "type")?;
        match code.kind(typed) {
            "map_type" | "slice_type" | "array_type" | "implicit_length_array_type" => Some(true),
            "struct_type" => Some(false),
            "type_identifier" => self
                .is_struct(code.source(typed))
                .map(|is_struct| !is_struct),
            // Fields of another package are in upper case, and so is what may be a constant.
            "qualified_type" if name.starts_with(char::is_lowercase) => Some(true),
            _ => None,
        }
    }

    /// Tells whether the file declares a type as a struct, or as something else; nothing where it does not declare it.
    fn is_struct(&self, name: &str) -> Option<bool> {
        let code = self.code;
        let mut all = 0..code.tree.nodes.len() as u32;
        let spec = all.find(|n| {
            code.kind(*n) == "type_spec"
                && code
                    .child(*n, "name")
                    .is_some_and(|n| code.source(n) == name)
        })?;
        let typed = code.child(spec, "type")?;
        match code.kind(typed) {
            "struct_type" => Some(true),
            "map_type" | "slice_type" | "array_type" => Some(false),
            _ => None,
        }
    }
}
