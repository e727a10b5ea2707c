//! How C# is compared: what the nodes of its grammar mean, and how its assertions are read.
//!
//! Left out of trees are parentheses around expressions, `this.` before a call, modifiers, and the braces of a lambda's body
//! that is one statement.

mod check;
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
use crate::syntax::tree::{Grammar, Parser, Tree};
use crate::syntax::verdict::PieceShape;

pub static READER: LanguageReader = LanguageReader {
    words: || LazyLock::force(&WORDS),
    parse,
    is_laid_out: false,
    refine: shape::refine,
    checks: check::collect,
    open: |text, judge| ending::open(text, judge, &ENDING),
    is_unfinished: |_| false,
    is_library_name: library::is_name,
    packages: &["System", "Microsoft"],
    labels: &["labeled_statement", "goto_statement"],
};

const ENDING: Ending = Ending {
    language: Language::CSharp,
    completions: &[";", "x;", "x();", " x;", " {}"],
    shapes: &[PieceShape::Statements],
    raw: RawStringStyle::Verbatim,
};

static WORDS: LazyLock<ComparisonGrammar> =
    LazyLock::new(|| ComparisonGrammar::of(Grammar::of(Language::CSharp), &SPELLING));

/// Parses a piece; one that is an expression needs its end.
fn parse(parser: &mut Parser, language: Language, text: &str, tree: &mut Tree) {
    parser.parse(language, text, tree);
    if tree.has_error() {
        reader::parse_with(parser, (language, ";"), text, tree);
    }
}

const SPELLING: GrammarSpelling = GrammarSpelling {
    sort_of,
    skipped: &["comment", "modifier", "type_parameter_constraints_clause"],
    dropped: &[
        "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "=", "=>", "new", "return", "if", "else",
        "for", "foreach", "in", "while", "do", "try", "catch", "finally", "throw", "using",
        "const", "class", "typeof", "switch", "case", "await", "is", "lock", "ref", "out",
    ],
    atoms: &[
        "string_literal",
        "character_literal",
        "raw_string_literal",
        "nullable_type",
    ],
    transparent: &[
        "parenthesized_expression",
        "global_statement",
        "local_declaration_statement",
        "arrow_expression_clause",
        "declaration_expression",
    ],
    lone: ["expression_statement", "return_statement"],
    arrow: "=>",
    receiver: ("", ""),
    fields: &[("object", "expression")],
    taken,
    is_untyped: false,
};

fn sort_of(name: &str) -> NodeSort {
    match name {
        "identifier" => NodeSort::Name,
        "member_access_expression" => NodeSort::FieldAccess,
        "invocation_expression" => NodeSort::Call,
        "object_creation_expression" | "implicit_object_creation_expression" => NodeSort::New,
        "binary_expression" => NodeSort::Binary,
        "prefix_unary_expression" => NodeSort::Unary,
        "cast_expression" => NodeSort::Cast,
        "typeof_expression" => NodeSort::ClassLiteral,
        "lambda_expression" | "anonymous_method_expression" => NodeSort::Lambda,
        "argument_list" | "attribute_argument_list" => NodeSort::Arguments,
        "argument" => NodeSort::Pair,
        "block" => NodeSort::Block,
        "expression_statement" => NodeSort::Statement,
        "variable_declaration" => NodeSort::Declaration,
        "variable_declarator" => NodeSort::Declarator,
        "parameter" | "foreach_statement" | "catch_declaration" | "declaration_pattern" => {
            NodeSort::Parameter
        }
        "method_declaration" | "local_function_statement" => NodeSort::Method,
        "attribute" => NodeSort::Annotation,
        "try_statement" => NodeSort::Try,
        "catch_clause" => NodeSort::Catch,
        "this" | "base" => NodeSort::This,
        "array_type" | "generic_name" | "implicit_type" | "nullable_type" | "predefined_type"
        | "qualified_name" | "tuple_type" | "type_argument_list" => NodeSort::Type,
        _ if name.ends_with("_literal") => NodeSort::Literal,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            NodeSort::Operator
        }
        _ => NodeSort::Other,
    }
}

/// Tells how a node is taken where its kind alone does not.
fn taken(tree: &Tree, idx: u32, _: &str) -> NodeTreatment {
    let kind = |idx: u32| tree.grammar.kind_name(tree.nodes[idx as usize].kind);
    let field = |idx: u32| tree.grammar.field_name(tree.nodes[idx as usize].field);
    match kind(idx) {
        // `a.b` in `a.b(…)`.
        "member_access_expression" if field(idx) == "function" => NodeTreatment::Spliced,
        "this"
            if idx > 0
                && kind(idx - 1) == "member_access_expression"
                && field(idx - 1) == "function" =>
        {
            NodeTreatment::Skipped
        }
        // `Throws<X>` in `Assert.Throws<X>(…)`.
        "generic_name" if matches!(field(idx), "name" | "function") => NodeTreatment::Spliced,
        // Only an argument that is given by name is more than its value.
        "argument" | "attribute_argument"
            if tree
                .children(idx)
                .next()
                .is_none_or(|first| field(first) != "name") =>
        {
            NodeTreatment::Spliced
        }
        _ => NodeTreatment::ByKind,
    }
}
