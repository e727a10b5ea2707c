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

use super::code::{ComparisonGrammar, GrammarSpelling, NodeSort, NodeTreatment};
use super::ending::{self, Ending, RawStringStyle};
use super::reader::{self, LanguageReader};
use crate::model::Language;
use crate::syntax::tree::{Grammar, Tree};
use crate::syntax::verdict::PieceShape;

pub static READER: LanguageReader = LanguageReader {
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
    shapes: &[PieceShape::Statements],
    raw: RawStringStyle::Backquotes,
};

static WORDS: LazyLock<ComparisonGrammar> =
    LazyLock::new(|| ComparisonGrammar::of(Grammar::of(Language::Go), &SPELLING));

const SPELLING: GrammarSpelling = GrammarSpelling {
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

fn sort_of(name: &str) -> NodeSort {
    match name {
        "identifier" | "field_identifier" | "package_identifier" | "blank_identifier" => {
            NodeSort::Name
        }
        "type_identifier" => NodeSort::TypeName,
        "selector_expression" => NodeSort::FieldAccess,
        "call_expression" => NodeSort::Call,
        "composite_literal" => NodeSort::New,
        "binary_expression" => NodeSort::Binary,
        "unary_expression" => NodeSort::Unary,
        "type_conversion_expression" => NodeSort::Cast,
        "func_literal" => NodeSort::Lambda,
        "argument_list" => NodeSort::Arguments,
        "block" => NodeSort::Block,
        "expression_statement" => NodeSort::Statement,
        "short_var_declaration" | "var_spec" => NodeSort::Declarator,
        "parameter_declaration" | "range_clause" => NodeSort::Parameter,
        "function_declaration" | "method_declaration" => NodeSort::Method,
        "keyed_element" => NodeSort::Pair,
        "array_type" | "channel_type" | "function_type" | "generic_type" | "interface_type"
        | "map_type" | "pointer_type" | "qualified_type" | "slice_type" | "struct_type" => {
            NodeSort::Type
        }
        "nil" | "true" | "false" | "iota" => NodeSort::Literal,
        _ if name.ends_with("_literal") => NodeSort::Literal,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            NodeSort::Operator
        }
        _ => NodeSort::Other,
    }
}

/// Splices `a.b` of `a.b(…)` into the call.
fn taken(tree: &Tree, idx: u32, _: &str) -> NodeTreatment {
    let node = &tree.nodes[idx as usize];
    let is_called = tree.grammar.kind_name(node.kind) == "selector_expression"
        && tree.grammar.field_name(node.field) == "function";
    if is_called {
        NodeTreatment::Spliced
    } else {
        NodeTreatment::ByKind
    }
}
