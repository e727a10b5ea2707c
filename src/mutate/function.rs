//! The functions of a file, and the facts about one of them and about its file that the passes need.
//!
//! Decides which functions are seeds: a function with a name and a body that lies in no other one.

use super::code::Code;
use super::facts::MutationFile;
use super::scope::{self, Scopes, Variable, VariableRole};
use super::words::MutationGrammar;
use crate::model::{Language, Span};

/// One function of a file.
pub struct Function<'c> {
    pub file: &'c MutationFile<'c>,
    pub code: &'c Code<'c>,
    pub words: &'static MutationGrammar,
    /// The node with parameters and body.
    pub node: u32,
    /// With decorators, or the statement that names it.
    pub outer: u32,
    pub body: u32,
    pub name: &'c str,
    /// Whole lines.
    pub lines: Span,
    pub scopes: Scopes<'c>,
}

/// Where a function is.
#[derive(Clone, Copy, Debug)]
pub struct FunctionPlace<'c> {
    pub node: u32,
    pub outer: u32,
    pub body: u32,
    pub name: &'c str,
}

/// Lists the functions of a file, in order.
pub fn functions<'c>(code: &'c Code<'c>, words: &MutationGrammar) -> Vec<FunctionPlace<'c>> {
    let mut found = Vec::new();
    let mut idx = 0;
    while idx < code.tree.nodes.len() as u32 {
        let kind = code.kind(idx);
        let place = if words.functions.contains(&kind) {
            declared(code, idx)
        } else if words.values.contains(&kind) {
            named_by_place(code, idx)
        } else {
            None
        };
        match place {
            Some(function_place) => {
                found.push(function_place);
                idx = code.end(idx);
            }
            None => idx += 1,
        }
    }
    found
}

fn declared<'c>(code: &'c Code<'c>, idx: u32) -> Option<FunctionPlace<'c>> {
    let name = code.child(idx, "name")?;
    let body = code.child(idx, "body")?;
    let parent = code.parent(idx);
    let is_wrapped = matches!(
        code.kind(parent),
        "decorated_definition" | "export_statement"
    );
    Some(FunctionPlace {
        node: idx,
        outer: if is_wrapped { parent } else { idx },
        body,
        name: code.source(name),
    })
}

/// Reads `const f = () => …`, `exports.f = function …`, `f: function …` and `f = () => …` of a class.
fn named_by_place<'c>(code: &'c Code<'c>, idx: u32) -> Option<FunctionPlace<'c>> {
    let body = code.child(idx, "body")?;
    let parent = code.parent(idx);
    let (name, outer) = match (code.kind(parent), code.field(idx)) {
        ("variable_declarator", "value") => {
            let statement = code.parent(parent);
            let is_alone = code.named(statement).count() == 1;
            let outer = if is_alone { statement } else { parent };
            (code.child(parent, "name")?, outer)
        }
        ("assignment_expression", "right") => {
            let left = code.child(parent, "left")?;
            let name = code.child(left, "property").unwrap_or(left);
            let statement = code.parent(parent);
            let is_statement = code.kind(statement) == "expression_statement";
            (name, if is_statement { statement } else { return None })
        }
        ("pair", "value") => (code.child(parent, "key")?, parent),
        ("field_definition" | "public_field_definition", "value") => {
            let name = code
                .child(parent, "property")
                .or_else(|| code.child(parent, "name"))?;
            (name, parent)
        }
        _ => return None,
    };
    let is_plain = matches!(code.kind(name), "identifier" | "property_identifier");
    is_plain.then(|| FunctionPlace {
        node: idx,
        outer,
        body,
        name: code.source(name),
    })
}

impl<'c> Function<'c> {
    pub fn new(file: &'c MutationFile<'c>, found: FunctionPlace<'c>) -> Self {
        let code = file.code;
        let span = code.span(found.outer);
        let scopes = match file.language {
            Language::Python => scope::python::read(code, found.node, is_method(code, found)),
            Language::Java => scope::java::read(code, found.node),
            Language::Go => scope::go::read(code, found.node),
            Language::JavaScript => scope::javascript::read(code, found.node),
            Language::CSharp => scope::csharp::read(code, found.node),
        };
        Self {
            file,
            code,
            words: file.words,
            node: found.node,
            outer: found.outer,
            body: found.body,
            name: found.name,
            lines: Span::new(code.line_start(span.start), code.line_end(span.end)),
            scopes,
        }
    }

    pub fn source(&self) -> &'c str {
        self.lines.of(self.code.text)
    }

    /// Iterates over the variables that callers pass: parameters, also `*args` and `...rest`, but not `self`.
    pub fn parameters(&self) -> impl Iterator<Item = &Variable<'c>> {
        let all = self.scopes.variables.iter();
        all.filter(|variable| matches!(variable.role, VariableRole::Parameter | VariableRole::Rest))
    }

    /// Tells whether a node lies in code that runs at another time or in another scope.
    pub fn is_inner(&self, idx: u32) -> bool {
        self.code
            .above(idx)
            .take_while(|n| *n != self.node)
            .any(|n| self.words.inner.contains(&self.code.kind(n)))
    }

    /// Returns the nodes of the body.
    pub fn inside(&self) -> std::ops::Range<u32> {
        self.code.below(self.body)
    }

    /// Lists the statements of the body, directives included, without comments.
    pub fn statements(&self) -> Vec<u32> {
        let code = self.code;
        let mut list = self.body;
        if let Some(inner) = code.named(list).next()
            && code.kind(inner) == "statement_list"
        {
            list = inner;
        }
        code.named(list).collect()
    }

    /// Counts the first [`Function::statements`] that inserted ones must follow: documentation, directives and the call
    /// of another constructor.
    pub fn n_prologue(&self, statements: &[u32]) -> usize {
        let code = self.code;
        match self.file.language {
            Language::Python => usize::from(statements.first().is_some_and(|statement| {
                code.kind(*statement) == "expression_statement"
                    && code.named(*statement).count() == 1
                    && code.named(*statement).all(|expression| {
                        matches!(code.kind(expression), "string" | "concatenated_string")
                    })
            })),
            Language::Java => usize::from(statements.first().is_some_and(|statement| {
                code.kind(*statement) == "explicit_constructor_invocation"
            })),
            Language::JavaScript => {
                let is_first = |n: &u32| {
                    let source = code.source(*n);
                    code.kind(*n) == "expression_statement"
                        && (source.starts_with(['"', '\'']) || source.starts_with("super("))
                };
                statements
                    .iter()
                    .take_while(|statement| is_first(statement))
                    .count()
            }
            Language::Go | Language::CSharp => 0,
        }
    }
}

/// Tells whether the first parameter of a function in Python is the object or class that it is called on.
fn is_method(code: &Code<'_>, found: FunctionPlace<'_>) -> bool {
    let block = code.parent(found.outer);
    let is_in_class =
        code.kind(block) == "block" && code.kind(code.parent(block)) == "class_definition";
    let is_static = code.children(found.outer).any(|child| {
        code.kind(child) == "decorator" && code.source(child).contains("staticmethod")
    });
    is_in_class && !is_static
}
