//! How Java is compared: what the nodes of its grammar mean, and how its assertions are read.
//!
//! Left out of trees are parentheses around expressions, `this.` before a call, parentheses around the parameters of a
//! lambda, the braces of a lambda's body that is one statement, modifiers but annotations, and `throws`.

use std::sync::LazyLock;

use super::Pair;
use super::bdd::Then;
use super::check;
use super::code::{Code, Sort, Spelling, Taken, Words};
use super::ending::{self, Ending, Raw};
use super::form::Check;
use super::reader::{self, Reader};
use crate::model::Language;
use crate::syntax::java::is_library_name;
use crate::syntax::tree::Grammar;
use crate::syntax::verdict::Shape;

pub static READER: Reader = Reader {
    words: || LazyLock::force(&WORDS),
    parse: reader::parse,
    is_laid_out: false,
    refine: |_| {},
    checks,
    open: |text, judge| ending::open(text, judge, &ENDING),
    is_unfinished: |_| false,
    is_library_name,
    packages: &["com", "io", "java", "javax", "jakarta", "net", "org"],
    labels: &[
        "labeled_statement",
        "break_statement",
        "continue_statement",
        "type_parameter",
    ],
};

const ENDING: Ending = Ending {
    language: Language::Java,
    completions: &[";", "x;", "x();"],
    shapes: &[Shape::Statements, Shape::Member],
    raw: Raw::None,
};

static WORDS: LazyLock<Words> = LazyLock::new(|| Words::of(Grammar::of(Language::Java), &SPELLING));

const SPELLING: Spelling = Spelling {
    sort_of,
    skipped: &["line_comment", "block_comment", "comment", "throws"],
    dropped: &[
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        ".",
        ":",
        "::",
        "->",
        "@",
        "new",
        "return",
        "if",
        "else",
        "for",
        "while",
        "do",
        "try",
        "catch",
        "finally",
        "throw",
        "assert",
        "class",
        "instanceof",
        "public",
        "protected",
        "private",
        "static",
        "final",
        "abstract",
        "synchronized",
        "native",
        "strictfp",
        "default",
    ],
    atoms: &[
        "string_literal",
        "character_literal",
        "integral_type",
        "floating_point_type",
        "dimensions",
    ],
    transparent: &[
        "parenthesized_expression",
        "inferred_parameters",
        "modifiers",
    ],
    lone: ["expression_statement", "return_statement"],
    arrow: "->",
    receiver: ("this", "method_invocation"),
    fields: &[],
    taken: |_, _, _| Taken::ByKind,
    is_untyped: false,
};

fn sort_of(name: &str) -> Sort {
    match name {
        "identifier" => Sort::Name,
        "type_identifier" => Sort::TypeName,
        "field_access" => Sort::FieldAccess,
        "method_invocation" => Sort::Call,
        "object_creation_expression" => Sort::New,
        "binary_expression" => Sort::Binary,
        "unary_expression" => Sort::Unary,
        "cast_expression" => Sort::Cast,
        "class_literal" => Sort::ClassLiteral,
        "lambda_expression" => Sort::Lambda,
        "method_reference" => Sort::MethodReference,
        "instanceof_expression" => Sort::InstanceOf,
        "argument_list" => Sort::Arguments,
        "block" => Sort::Block,
        "expression_statement" => Sort::Statement,
        "assert_statement" => Sort::Assert,
        "local_variable_declaration" => Sort::Declaration,
        "variable_declarator" => Sort::Declarator,
        "formal_parameter"
        | "catch_formal_parameter"
        | "resource"
        | "enhanced_for_statement"
        | "type_pattern" => Sort::Parameter,
        "method_declaration" => Sort::Method,
        "annotation" | "marker_annotation" => Sort::Annotation,
        "element_value_pair" => Sort::Pair,
        "try_statement" => Sort::Try,
        "catch_clause" => Sort::Catch,
        "this" | "super" => Sort::This,
        "scoped_type_identifier"
        | "generic_type"
        | "array_type"
        | "integral_type"
        | "floating_point_type"
        | "boolean_type"
        | "void_type"
        | "type_arguments"
        | "wildcard"
        | "catch_type" => Sort::Type,
        "true" | "false" | "null_literal" => Sort::Literal,
        _ if name.ends_with("_literal") => Sort::Literal,
        _ if name.starts_with(|it: char| it.is_ascii_punctuation()) => Sort::Operator,
        _ => Sort::Other,
    }
}

fn checks(code: &mut Code<'_>, pair: Pair<'_>) -> Vec<Check> {
    let has_then = [pair.reference, pair.prediction]
        .iter()
        .any(|it| it.contains("then("));
    let then = if has_then {
        Then::of(pair.file)
    } else {
        Then::Unknown
    };
    check::collect(code, pair.framework, then)
}
