//! How JavaScript and TypeScript are compared: what the nodes of the grammar mean, and how their assertions are read.
//!
//! Both are read by the grammar of TypeScript. Left out of trees are parentheses around expressions, semicolons, and
//! type annotations. A text that is one call of `it` or `test` is read as a method: its title is the name.

mod check;
mod library;
mod shape;
#[cfg(test)]
mod tests;
mod words;

use std::sync::LazyLock;

use super::code::{ComparisonGrammar, GrammarSpelling, NodeSort, NodeTreatment};
use super::ending::{self, Ending, RawStringStyle};
use super::reader::LanguageReader;
use crate::model::Language;
use crate::syntax::tree::{Grammar, Tree};
use crate::syntax::verdict::PieceShape;

pub static READER: LanguageReader = LanguageReader {
    words: || LazyLock::force(&WORDS),
    parse: |parser, language, text, tree| parser.parse_file(language, "piece.tsx", text, tree),
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
    language: Language::JavaScript,
    completions: &["x", "x()", " x", " {}", " x {}", " => x"],
    shapes: &[PieceShape::Statements],
    raw: RawStringStyle::Templates,
};

static WORDS: LazyLock<ComparisonGrammar> =
    LazyLock::new(|| ComparisonGrammar::of(Grammar::typescript(true), &SPELLING));

const SPELLING: GrammarSpelling = GrammarSpelling {
    sort_of,
    skipped: &[
        "comment",
        "html_comment",
        "type_annotation",
        "type_arguments",
        "type_parameters",
        "accessibility_modifier",
    ],
    dropped: &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ";",
        ".",
        "=",
        "=>",
        "function",
        "const",
        "let",
        "var",
        "return",
        "if",
        "else",
        "for",
        "of",
        "while",
        "do",
        "try",
        "catch",
        "finally",
        "throw",
        "new",
        "class",
        "await",
        "yield",
        "as",
        "satisfies",
        "async",
        "\"",
        "'",
    ],
    atoms: &["string", "regex"],
    transparent: &[
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "required_parameter",
        "optional_parameter",
        "sequence_expression",
    ],
    lone: ["expression_statement", "return_statement"],
    arrow: "=>",
    receiver: ("", ""),
    fields: &[("operand", "argument"), ("field", "property")],
    taken,
    is_untyped: true,
};

fn sort_of(name: &str) -> NodeSort {
    match name {
        "identifier"
        | "property_identifier"
        | "private_property_identifier"
        | "shorthand_property_identifier"
        | "shorthand_property_identifier_pattern"
        | "statement_identifier" => NodeSort::Name,
        "type_identifier" => NodeSort::TypeName,
        "member_expression" => NodeSort::FieldAccess,
        "call_expression" => NodeSort::Call,
        "new_expression" => NodeSort::New,
        "binary_expression" => NodeSort::Binary,
        "unary_expression" => NodeSort::Unary,
        "arrow_function" | "function_expression" => NodeSort::Lambda,
        "arguments" => NodeSort::Arguments,
        "pair" => NodeSort::Pair,
        "statement_block" => NodeSort::Block,
        "expression_statement" => NodeSort::Statement,
        "lexical_declaration" | "variable_declaration" => NodeSort::Declaration,
        "variable_declarator" => NodeSort::Declarator,
        "formal_parameters" | "for_in_statement" => NodeSort::Parameter,
        "function_declaration" => NodeSort::Method,
        "try_statement" => NodeSort::Try,
        "catch_clause" => NodeSort::Catch,
        "this" | "super" => NodeSort::This,
        "string" | "string_fragment" | "number" | "regex" | "true" | "false" | "null"
        | "undefined" => NodeSort::Literal,
        "instanceof" | "in" | "typeof" | "void" | "delete" => NodeSort::Operator,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            NodeSort::Operator
        }
        _ => NodeSort::Other,
    }
}

/// Tells how a node is taken where its kind alone does not.
fn taken(tree: &Tree, idx: u32, text: &str) -> NodeTreatment {
    let node = &tree.nodes[idx as usize];
    let kind = |idx: u32| tree.grammar.kind_name(tree.nodes[idx as usize].kind);
    let field = tree.grammar.field_name(node.field);
    match kind(idx) {
        "member_expression" if field == "function" => NodeTreatment::Spliced,
        "template_string"
            if tree
                .children(idx)
                .all(|child| kind(child) != "template_substitution") =>
        {
            NodeTreatment::Atom
        }
        // The body of a test.
        "call_expression" | "arguments" | "arrow_function" | "function_expression"
            if shape::is_test(tree, idx, text) =>
        {
            NodeTreatment::Spliced
        }
        "statement_block" if shape::is_body(tree, idx, text) => NodeTreatment::Block,
        "identifier" => NodeTreatment::ByKind,
        // The type behind `as`.
        _ if idx > 0 && node.is_named() && matches!(kind(idx - 1), "as" | "satisfies") => {
            NodeTreatment::Skipped
        }
        _ => NodeTreatment::ByKind,
    }
}
