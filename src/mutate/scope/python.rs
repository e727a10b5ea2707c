//! The scopes of a function in Python: functions, lambdas and comprehensions have one, classes one that no scope inside
//! them sees; a name that is bound anywhere in a scope is the scope's own everywhere in it.

use rustc_hash::FxHashSet;

use super::{Builder, RenameBarrier, Scopes, VariableRole};
use crate::code::Code;

/// Leaves that are no code.
const TEXTS: &[&str] = &["string_content", "comment", "escape_sequence"];

/// Calls that see or make variables by their names.
const BY_NAME: &[&str] = &[
    "locals",
    "vars",
    "globals",
    "eval",
    "exec",
    "dir",
    "inspect",
    "_getframe",
    "execfile",
    "currentframe",
    "numexpr",
    "icecream",
];

/// Errors that name a variable.
const TELLING: &[&str] = &["NameError", "UnboundLocalError"];

const COMPREHENSIONS: &[&str] = &[
    "list_comprehension",
    "set_comprehension",
    "dictionary_comprehension",
    "generator_expression",
];

struct PythonScopeWalker<'c> {
    code: &'c Code<'c>,
    builder: Builder<'c>,
    frames: Vec<PythonScopeFrame<'c>>,
    /// The scope of the function itself.
    own: usize,
    is_in_class: bool,
    /// The function catches errors that name a variable.
    is_told: bool,
}

/// One scope: which of its names are not its own.
struct PythonScopeFrame<'c> {
    scope: usize,
    is_comprehension: bool,
    is_class: bool,
    global: FxHashSet<&'c str>,
    nonlocal: FxHashSet<&'c str>,
}

/// Reads the variables of a function; `is_method` when its first parameter is not for its callers to pass.
pub fn read<'c>(code: &'c Code<'c>, function: u32, is_method: bool) -> Scopes<'c> {
    let mut walker = PythonScopeWalker {
        code,
        builder: Builder::new(code),
        frames: Vec::new(),
        own: 0,
        is_in_class: is_method,
        is_told: false,
    };
    // The names around it are not known.
    walker.enter(0, function, false, false);
    walker.own = walker.builder.open(0);
    walker.function(function, is_method, Some(walker.own));
    for idx in code.below(function) {
        if code.kind(idx) != "identifier" {
            continue;
        }
        let name = code.source(idx);
        if BY_NAME.contains(&name) {
            walker
                .builder
                .bar_all("it calls code that sees variables by their names");
        } else if TELLING.contains(&name) {
            walker.is_told = true;
        }
    }
    let is_told = walker.is_told;
    let mut scopes = walker.builder.finish(function, TEXTS);
    for variable in &mut scopes.variables {
        if is_told && variable.bar.is_none() {
            variable.bar = Some(RenameBarrier {
                why: "may be named by an error that the function catches",
                is_strict: true,
            });
        }
    }
    scopes
}

impl<'c> PythonScopeWalker<'c> {
    fn scope(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.scope)
    }

    fn enter(&mut self, scope: usize, body: u32, is_comprehension: bool, is_class: bool) {
        let mut frame = PythonScopeFrame {
            scope,
            is_comprehension,
            is_class,
            global: FxHashSet::default(),
            nonlocal: FxHashSet::default(),
        };
        if !is_comprehension && !self.frames.is_empty() {
            self.collect(body, &mut frame);
        }
        self.frames.push(frame);
    }

    /// Collects the names that a body declares as `global` or `nonlocal`.
    fn collect(&self, body: u32, frame: &mut PythonScopeFrame<'c>) {
        let mut idx = body;
        let end = self.code.end(body);
        while idx < end {
            match self.code.kind(idx) {
                "function_definition" | "class_definition" | "lambda" if idx != body => {
                    idx = self.code.end(idx);
                    continue;
                }
                "global_statement" => {
                    let names = self.code.named(idx).map(|n| self.code.source(n));
                    frame.global.extend(names);
                }
                "nonlocal_statement" => {
                    let names = self.code.named(idx).map(|n| self.code.source(n));
                    frame.nonlocal.extend(names);
                }
                _ => {}
            }
            idx += 1;
        }
    }

    /// Walks a definition; expressions in its head are evaluated in the scope around it.
    fn function(&mut self, idx: u32, is_method: bool, own: Option<usize>) {
        let scope = own.unwrap_or_else(|| {
            let parent = self.scope();
            self.builder.open(parent)
        });
        let is_own = own.is_some();
        if is_own && let Some(name) = self.code.child(idx, "name") {
            self.builder.reads(0, name);
        }
        let Some(body) = self.code.child(idx, "body") else {
            return;
        };
        let parameters = self.code.child(idx, "parameters");
        let mut names = Vec::new();
        if let Some(parameters) = parameters {
            for n in self.code.named(parameters).collect::<Vec<_>>() {
                self.parameter(n, &mut names);
            }
        }
        for field in ["return_type", "type_parameters"] {
            if let Some(n) = self.code.child(idx, field) {
                self.walk(n);
            }
        }
        self.enter(scope, body, false, false);
        for (at, (node, is_rest, typed)) in names.into_iter().enumerate() {
            let role = if !is_own {
                VariableRole::Foreign
            } else if (at == 0 && is_method) || ["self", "cls"].contains(&self.code.source(node)) {
                VariableRole::Receiver
            } else if is_rest {
                VariableRole::Rest
            } else {
                VariableRole::Parameter
            };
            let variable = self.builder.declare(scope, node, role, 0);
            variable.declared_type = typed;
        }
        self.walk(body);
        self.frames.pop();
    }

    fn parameter(&mut self, idx: u32, names: &mut Vec<(u32, bool, Option<u32>)>) {
        match self.code.kind(idx) {
            "identifier" => names.push((idx, false, None)),
            "default_parameter" | "typed_default_parameter" => {
                let typed = self.code.child(idx, "type");
                if let Some(name) = self.code.child(idx, "name") {
                    match self.code.kind(name) {
                        "identifier" => names.push((name, false, typed)),
                        _ => self.parameter(name, names),
                    }
                }
                for field in ["type", "value"] {
                    if let Some(n) = self.code.child(idx, field) {
                        self.walk(n);
                    }
                }
            }
            "typed_parameter" => {
                let typed = self.code.child(idx, "type");
                for n in self.code.named(idx).collect::<Vec<_>>() {
                    if Some(n) == typed {
                        self.walk(n);
                    } else if self.code.kind(n) == "identifier" {
                        names.push((n, false, typed));
                    } else {
                        self.parameter(n, names);
                    }
                }
            }
            "list_splat_pattern" | "dictionary_splat_pattern" => {
                names.extend(self.code.named(idx).map(|n| (n, true, None)));
            }
            // A tuple of parameters, as Python 2 had it.
            "tuple_pattern" => self
                .builder
                .bar_all("it takes a tuple apart in its parameters"),
            _ => {}
        }
    }

    /// Binds the names of a target.
    fn bind(&mut self, idx: u32) {
        match self.code.kind(idx) {
            "identifier" => self.bind_name(idx),
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "tuple"
            | "list"
            | "list_splat"
            | "parenthesized_expression"
            | "as_pattern_target"
            | "expression_list" => {
                for n in self.code.named(idx).collect::<Vec<_>>() {
                    self.bind(n);
                }
            }
            _ => self.walk(idx),
        }
    }

    fn bind_name(&mut self, idx: u32) {
        let name = self.code.source(idx);
        // A name that `:=` binds in a comprehension belongs to the scope around it.
        let at = self.frames.len() - 1;
        self.bind_in(at, idx, name);
    }

    fn bind_in(&mut self, at: usize, idx: u32, name: &'c str) {
        let frame = &self.frames[at];
        let scope = frame.scope;
        if frame.nonlocal.contains(name) {
            if scope == self.own {
                self.builder.bar(name, "is another function's");
            }
            self.builder.used(scope, idx, super::UseForm::Plain, true);
        } else if frame.global.contains(name) {
            self.builder.declare(scope, idx, VariableRole::Foreign, 0);
        } else {
            if frame.is_class {
                self.builder.bar(name, "is a name of a class inside, too");
            }
            let role = if scope == self.own {
                VariableRole::Local
            } else {
                VariableRole::Foreign
            };
            self.builder.declare(scope, idx, role, 0);
        }
    }

    fn children(&mut self, idx: u32) {
        for n in self.code.children(idx).collect::<Vec<_>>() {
            self.walk(n);
        }
    }

    fn field(&mut self, idx: u32, field: &str) {
        if let Some(n) = self.code.child(idx, field) {
            self.walk(n);
        }
    }

    fn bind_field(&mut self, idx: u32, field: &str) {
        if let Some(n) = self.code.child(idx, field) {
            self.bind(n);
        }
    }

    fn walk(&mut self, idx: u32) {
        match self.code.kind(idx) {
            "identifier" => {
                let scope = self.scope();
                self.builder.reads(scope, idx);
            }
            "attribute" => {
                self.field(idx, "object");
                if let Some(n) = self.code.child(idx, "attribute") {
                    self.builder.other(n);
                }
            }
            "keyword_argument" => self.keyword(idx),
            "function_definition" => {
                if let Some(name) = self.code.child(idx, "name") {
                    self.definition(name);
                }
                self.function(idx, false, None);
            }
            "class_definition" => self.class(idx),
            "lambda" => self.function(idx, false, None),
            kind if COMPREHENSIONS.contains(&kind) => self.comprehension(idx),
            _ => self.statement(idx),
        }
    }

    fn statement(&mut self, idx: u32) {
        match self.code.kind(idx) {
            "assignment" => {
                self.field(idx, "right");
                self.field(idx, "type");
                self.bind_field(idx, "left");
            }
            "augmented_assignment" => {
                self.field(idx, "right");
                self.bind_field(idx, "left");
            }
            "named_expression" => {
                self.field(idx, "value");
                if let Some(name) = self.code.child(idx, "name") {
                    let at = self
                        .frames
                        .iter()
                        .rposition(|frame| !frame.is_comprehension);
                    let at = at.expect("there is a scope around");
                    let text = self.code.source(name);
                    self.bind_in(at, name, text);
                }
            }
            "for_statement" => {
                self.field(idx, "right");
                self.bind_field(idx, "left");
                self.field(idx, "body");
                self.field(idx, "alternative");
            }
            "as_pattern" => {
                for n in self.code.named(idx).collect::<Vec<_>>() {
                    if self.code.kind(n) == "as_pattern_target" {
                        self.bind(n);
                    } else {
                        self.walk(n);
                    }
                }
            }
            "delete_statement" => {
                for n in self.code.named(idx).collect::<Vec<_>>() {
                    self.bind(n);
                }
            }
            "global_statement" | "nonlocal_statement" => {
                let is_global = self.code.kind(idx) == "global_statement";
                for n in self.code.named(idx).collect::<Vec<_>>() {
                    let name = self.code.source(n);
                    if is_global {
                        let scope = self.scope();
                        self.builder.declare(scope, n, VariableRole::Foreign, 0);
                    } else {
                        self.bind_name(n);
                    }
                    if self.scope() == self.own {
                        self.builder.bar(name, "is not the function's own");
                    }
                }
            }
            "import_statement" | "import_from_statement" => self.import(idx),
            // Names that patterns bind are hard to tell from names that they compare with.
            "case_pattern" => {
                for n in self.code.below(idx) {
                    if self.code.kind(n) == "identifier" {
                        let name = self.code.source(n);
                        self.builder.bar(name, "occurs in a pattern");
                    }
                }
            }
            "interpolation" => {
                self.children(idx);
                self.shows_itself(idx);
            }
            _ => self.children(idx),
        }
    }

    /// `f"{b=}"` prints the name.
    fn shows_itself(&mut self, idx: u32) {
        if self
            .code
            .children(idx)
            .any(|child| self.code.source(child) == "=")
        {
            for n in self.code.below(idx) {
                if self.code.kind(n) == "identifier" {
                    let name = self.code.source(n);
                    self.builder.bar(name, "is printed by its name");
                }
            }
        }
    }

    fn keyword(&mut self, idx: u32) {
        self.field(idx, "value");
        if let Some(name) = self.code.child(idx, "name") {
            // Whether it is passed to the function itself is found out with the whole file.
            self.builder.other(name);
        }
    }

    /// A nested function or class keeps its name: others may print it.
    fn definition(&mut self, name: u32) {
        let text = self.code.source(name);
        self.builder.bar(text, "is a nested function or class");
        self.bind_name(name);
    }

    fn class(&mut self, idx: u32) {
        if let Some(name) = self.code.child(idx, "name") {
            self.definition(name);
        }
        self.field(idx, "superclasses");
        self.field(idx, "type_parameters");
        let parent = self.scope();
        let scope = self.builder.open_closed(parent);
        if let Some(body) = self.code.child(idx, "body") {
            self.enter(scope, body, false, true);
            let was_in_class = std::mem::replace(&mut self.is_in_class, true);
            // Names that begin with two underscores mean something else in there.
            for n in self.code.below(body) {
                if self.code.kind(n) == "identifier" {
                    let name = self.code.source(n);
                    if name.starts_with("__") || was_in_class {
                        self.builder.bar(name, "occurs in a class inside");
                    }
                }
            }
            self.walk(body);
            self.is_in_class = was_in_class;
            self.frames.pop();
        }
    }

    fn comprehension(&mut self, idx: u32) {
        let clauses: Vec<u32> = self.code.named(idx).collect();
        let first = clauses
            .iter()
            .copied()
            .find(|clause| self.code.kind(*clause) == "for_in_clause");
        if let Some(first) = first {
            self.field(first, "right");
        }
        let parent = self.scope();
        let scope = self.builder.open(parent);
        self.enter(scope, idx, true, false);
        for clause in clauses {
            if self.code.kind(clause) == "for_in_clause" {
                self.bind_field(clause, "left");
                if Some(clause) != first {
                    self.field(clause, "right");
                }
            } else {
                self.walk(clause);
            }
        }
        self.frames.pop();
    }

    fn import(&mut self, idx: u32) {
        let is_from = self.code.kind(idx) == "import_from_statement";
        for n in self.code.children(idx).collect::<Vec<_>>() {
            if self.code.field(n) != "name" {
                for descendant in self.code.below(n) {
                    self.builder.other(descendant);
                }
                continue;
            }
            let alias = self.code.child(n, "alias");
            let bound = alias.or_else(|| self.code.named(n).next());
            for descendant in self.code.below(n) {
                self.builder.other(descendant);
            }
            if let Some(bound) = bound
                && (alias.is_some() || !is_from || self.code.kind(n) == "dotted_name")
            {
                let name = self.code.source(bound);
                self.builder.bar(name, "is imported");
                self.bind_name(bound);
            }
        }
    }
}
