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

use super::code::{Sort, Spelling, Taken, Words};
use super::ending::{self, Ending, Raw};
use super::reader::{self, Reader};
use crate::model::Language;
use crate::syntax::tree::{Grammar, Parser, Tree};
use crate::syntax::verdict::Shape;

pub static READER: Reader = Reader {
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
    shapes: &[Shape::Statements],
    raw: Raw::Verbatim,
};

static WORDS: LazyLock<Words> =
    LazyLock::new(|| Words::of(Grammar::of(Language::CSharp), &SPELLING));

/// Parses a piece; one that is an expression needs its end.
fn parse(parser: &mut Parser, language: Language, text: &str, tree: &mut Tree) {
    parser.parse(language, text, tree);
    if tree.has_error() {
        reader::parse_with(parser, (language, ";"), text, tree);
    }
}

const SPELLING: Spelling = Spelling {
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

fn sort_of(name: &str) -> Sort {
    match name {
        "identifier" => Sort::Name,
        "member_access_expression" => Sort::FieldAccess,
        "invocation_expression" => Sort::Call,
        "object_creation_expression" | "implicit_object_creation_expression" => Sort::New,
        "binary_expression" => Sort::Binary,
        "prefix_unary_expression" => Sort::Unary,
        "cast_expression" => Sort::Cast,
        "typeof_expression" => Sort::ClassLiteral,
        "lambda_expression" | "anonymous_method_expression" => Sort::Lambda,
        "argument_list" | "attribute_argument_list" => Sort::Arguments,
        "argument" => Sort::Pair,
        "block" => Sort::Block,
        "expression_statement" => Sort::Statement,
        "variable_declaration" => Sort::Declaration,
        "variable_declarator" => Sort::Declarator,
        "parameter" | "foreach_statement" | "catch_declaration" | "declaration_pattern" => {
            Sort::Parameter
        }
        "method_declaration" | "local_function_statement" => Sort::Method,
        "attribute" => Sort::Annotation,
        "try_statement" => Sort::Try,
        "catch_clause" => Sort::Catch,
        "this" | "base" => Sort::This,
        "array_type" | "generic_name" | "implicit_type" | "nullable_type" | "predefined_type"
        | "qualified_name" | "tuple_type" | "type_argument_list" => Sort::Type,
        _ if name.ends_with("_literal") => Sort::Literal,
        _ if name.starts_with(|sign: char| sign.is_ascii_punctuation() && sign != '_') => {
            Sort::Operator
        }
        _ => Sort::Other,
    }
}

/// Says how a node is taken whose kind alone does not tell.
fn taken(tree: &Tree, idx: u32, _: &str) -> Taken {
    let kind = |idx: u32| tree.grammar.kind_name(tree.nodes[idx as usize].kind);
    let field = |idx: u32| tree.grammar.field_name(tree.nodes[idx as usize].field);
    match kind(idx) {
        // `a.b` in `a.b(…)`.
        "member_access_expression" if field(idx) == "function" => Taken::Spliced,
        "this"
            if idx > 0
                && kind(idx - 1) == "member_access_expression"
                && field(idx - 1) == "function" =>
        {
            Taken::Skipped
        }
        // `Throws<X>` in `Assert.Throws<X>(…)`.
        "generic_name" if matches!(field(idx), "name" | "function") => Taken::Spliced,
        // Only an argument that is given by name is more than its value.
        "argument" | "attribute_argument"
            if tree
                .children(idx)
                .next()
                .is_none_or(|first| field(first) != "name") =>
        {
            Taken::Spliced
        }
        _ => Taken::ByKind,
    }
}
