//! How Go is compared: what the nodes of its grammar mean, and how its assertions are read.
//!
//! Left out of trees are parentheses around expressions and lists of expressions. `a := 1` and `var a = 1` declare alike.

mod check;
mod gomega;
mod library;
mod shape;
#[cfg(test)]
mod tests;
mod words;

use std::sync::LazyLock;

use super::code::{Sort, Spelling, Taken, Words};
use super::ending::{self, Ending, Raw};
use super::reader::{self, Reader};
use crate::model::Language;
use crate::syntax::tree::{Grammar, Tree};
use crate::syntax::verdict::Shape;

pub static READER: Reader = Reader {
    words: || LazyLock::force(&WORDS),
    // A statement at the end of a piece ends with its line.
    parse: |parser, language, text, tree| reader::parse_with(parser, (language, "\n"), text, tree),
    is_laid_out: false,
    refine: shape::refine,
    checks: check::collect,
    open: |text, judge| ending::open(text, judge, &ENDING),
    is_unfinished: |_| false,
    is_library_name: library::is_name,
    packages: &[],
    labels: &["labeled_statement", "break_statement", "continue_statement"],
};

const ENDING: Ending = Ending {
    language: Language::Go,
    completions: &["x", "x()", " x", " {}", " x {}"],
    shapes: &[Shape::Statements],
    raw: Raw::Backquotes,
};

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::of(Grammar::of(Language::Go), &SPELLING));

const SPELLING: Spelling = Spelling {
    sort_of,
    skipped: &["comment"],
    dropped: &[
        "(", ")", "[", "]", "{", "}", ",", ":", ";", "\n", ".", ":=", "=", "func", "var", "return",
        "if", "else", "for", "range", "switch", "case", "default", "select", "go", "defer", "type",
        "struct", "map", "const",
    ],
    atoms: &["interpreted_string_literal", "raw_string_literal"],
    transparent: &[
        "expression_list",
        "literal_element",
        "parenthesized_expression",
        "statement_list",
        "var_declaration",
        "var_spec_list",
    ],
    lone: ["", ""],
    arrow: "",
    receiver: ("", ""),
    fields: &[("object", "operand"), ("field", "field")],
    taken,
    is_untyped: true,
};

fn sort_of(name: &str) -> Sort {
    match name {
        "identifier" | "field_identifier" | "package_identifier" | "blank_identifier" => Sort::Name,
        "type_identifier" => Sort::TypeName,
        "selector_expression" => Sort::FieldAccess,
        "call_expression" => Sort::Call,
        "composite_literal" => Sort::New,
        "binary_expression" => Sort::Binary,
        "unary_expression" => Sort::Unary,
        "type_conversion_expression" => Sort::Cast,
        "func_literal" => Sort::Lambda,
        "argument_list" => Sort::Arguments,
        "block" => Sort::Block,
        "expression_statement" => Sort::Statement,
        "short_var_declaration" | "var_spec" => Sort::Declarator,
        "parameter_declaration" | "range_clause" => Sort::Parameter,
        "function_declaration" | "method_declaration" => Sort::Method,
        "keyed_element" => Sort::Pair,
        "array_type" | "channel_type" | "function_type" | "generic_type" | "interface_type"
        | "map_type" | "pointer_type" | "qualified_type" | "slice_type" | "struct_type" => {
            Sort::Type
        }
        "nil" | "true" | "false" | "iota" => Sort::Literal,
        _ if name.ends_with("_literal") => Sort::Literal,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            Sort::Operator
        }
        _ => Sort::Other,
    }
}

/// Takes apart what `a.b` of `a.b(…)` is.
fn taken(tree: &Tree, idx: u32, _: &str) -> Taken {
    let node = &tree.nodes[idx as usize];
    let is_called = tree.grammar.kind_name(node.kind) == "selector_expression"
        && tree.grammar.field_name(node.field) == "function";
    if is_called {
        Taken::Spliced
    } else {
        Taken::ByKind
    }
}
