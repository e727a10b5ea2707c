//! The comparison of Python: the meaning of its grammar's nodes, and how its assertions are read.
//!
//! Trees leave out parentheses around expressions, texts that are not used (such as the one that describes a test),
//! `pass`, and annotations of types. A call on an object has the object, the name and the arguments as its children, as
//! in every language here; the spelling of a name tells whether it is a type.

mod check;
mod ending;
mod expecting;
mod library;
mod literal;
mod normal;
mod shape;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::code::{ComparisonGrammar, GrammarSpelling, NodeSort, NodeTreatment};
use super::reader::{self, LanguageReader};
use crate::model::Language;
use crate::syntax::tree::{Grammar, Tree};

pub static READER: LanguageReader = LanguageReader {
    words: || LazyLock::force(&WORDS),
    parse: reader::parse,
    is_laid_out: true,
    refine: shape::refine,
    checks: check::collect,
    open: ending::open,
    is_unfinished: ending::is_unfinished,
    is_library_name: library::is_name,
    packages: library::MODULES,
    labels: &["class_definition"],
};

static WORDS: LazyLock<ComparisonGrammar> =
    LazyLock::new(|| ComparisonGrammar::of(Grammar::of(Language::Python), &SPELLING));

const SPELLING: GrammarSpelling = GrammarSpelling {
    sort_of,
    skipped: &[
        "comment",
        "type",
        "pass_statement",
        "string_start",
        "string_end",
    ],
    dropped: &[
        "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", ":=", "->", "def", "class",
        "return", "if", "elif", "else", "for", "while", "try", "except", "finally", "raise",
        "assert", "lambda", "with", "as", "import", "await", "yield", "del", "global", "nonlocal",
        "pass", "break", "continue",
    ],
    atoms: &["dotted_name"],
    transparent: &[
        "parenthesized_expression",
        "lambda_parameters",
        "as_pattern_target",
        "with_clause",
        "typed_parameter",
    ],
    lone: ["", ""],
    arrow: "",
    receiver: ("", ""),
    fields: &[("operand", "argument"), ("field", "attribute")],
    taken,
    is_untyped: true,
};

fn sort_of(name: &str) -> NodeSort {
    match name {
        "identifier" => NodeSort::Name,
        "attribute" => NodeSort::FieldAccess,
        "call" => NodeSort::Call,
        "binary_operator" | "boolean_operator" => NodeSort::Binary,
        "unary_operator" | "not_operator" => NodeSort::Unary,
        "lambda" => NodeSort::Lambda,
        "argument_list" => NodeSort::Arguments,
        "keyword_argument" => NodeSort::Pair,
        "block" => NodeSort::Block,
        "expression_statement" => NodeSort::Statement,
        "assert_statement" => NodeSort::Assert,
        "assignment" => NodeSort::Declarator,
        "for_statement"
        | "for_in_clause"
        | "as_pattern"
        | "named_expression"
        | "default_parameter"
        | "typed_default_parameter"
        | "aliased_import" => NodeSort::Parameter,
        "function_definition" => NodeSort::Method,
        "decorator" => NodeSort::Annotation,
        "try_statement" => NodeSort::Try,
        "except_clause" => NodeSort::Catch,
        "string"
        | "concatenated_string"
        | "string_content"
        | "integer"
        | "float"
        | "true"
        | "false"
        | "none"
        | "ellipsis" => NodeSort::Literal,
        "not" | "in" | "is" | "not in" | "is not" | "and" | "or" => NodeSort::Operator,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            NodeSort::Operator
        }
        _ => NodeSort::Other,
    }
}

/// Tells how a node is taken where its kind alone does not.
fn taken(tree: &Tree, idx: u32, text: &str) -> NodeTreatment {
    let node = &tree.nodes[idx as usize];
    let kind = tree.grammar.kind_name(node.kind);
    let field = tree.grammar.field_name(node.field);
    match kind {
        // `a.b` in `a.b(…)`, except a class of a module.
        "attribute" if field == "function" => {
            let last = tree.children(idx).last();
            let name = last.map_or("", |last| tree.nodes[last as usize].span.of(text));
            if shape::is_type_name(name) {
                NodeTreatment::ByKind
            } else {
                NodeTreatment::Spliced
            }
        }
        "function_definition" if field == "definition" => NodeTreatment::Spliced,
        "string" | "concatenated_string" if !is_computed(tree, idx) => NodeTreatment::Atom,
        "expression_statement" => {
            let mut children = tree.children(idx);
            let first = children.next().map(|first| tree.nodes[first as usize].kind);
            let is_text = first.is_some_and(|kind| {
                matches!(
                    tree.grammar.kind_name(kind),
                    "string" | "concatenated_string"
                )
            });
            if is_text && children.next().is_none() && !is_computed(tree, idx) {
                NodeTreatment::Skipped
            } else {
                NodeTreatment::ByKind
            }
        }
        _ => NodeTreatment::ByKind,
    }
}

/// Tells whether a text has values in it: `f"{x}"`.
fn is_computed(tree: &Tree, idx: u32) -> bool {
    let end = tree.nodes[idx as usize].subtree_end as usize;
    let mut below = tree.nodes[idx as usize..end].iter();
    below.any(|node| tree.grammar.kind_name(node.kind) == "interpolation")
}
