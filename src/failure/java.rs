//! How Java is compared: what the nodes of its grammar mean, and how its assertions are read.
//!
//! Left out of trees are parentheses around expressions, `this.` before a call, parentheses around the parameters of a
//! lambda, the braces of a lambda's body that is one statement, modifiers but annotations, and `throws`.

use std::sync::LazyLock;

use super::PredictionPair;
use super::bdd::ThenOwner;
use super::check;
use super::code::{Code, ComparisonGrammar, GrammarSpelling, NodeSort, NodeTreatment};
use super::ending::{self, Ending, RawStringStyle};
use super::form::Check;
use super::reader::{self, LanguageReader};
use crate::model::Language;
use crate::syntax::java::is_library_name;
use crate::syntax::tree::Grammar;
use crate::syntax::verdict::PieceShape;

pub static READER: LanguageReader = LanguageReader {
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
    shapes: &[PieceShape::Statements, PieceShape::Member],
    raw: RawStringStyle::None,
};

static WORDS: LazyLock<ComparisonGrammar> =
    LazyLock::new(|| ComparisonGrammar::of(Grammar::of(Language::Java), &SPELLING));

const SPELLING: GrammarSpelling = GrammarSpelling {
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
    taken: |_, _, _| NodeTreatment::ByKind,
    is_untyped: false,
};

fn sort_of(name: &str) -> NodeSort {
    match name {
        "identifier" => NodeSort::Name,
        "type_identifier" => NodeSort::TypeName,
        "field_access" => NodeSort::FieldAccess,
        "method_invocation" => NodeSort::Call,
        "object_creation_expression" => NodeSort::New,
        "binary_expression" => NodeSort::Binary,
        "unary_expression" => NodeSort::Unary,
        "cast_expression" => NodeSort::Cast,
        "class_literal" => NodeSort::ClassLiteral,
        "lambda_expression" => NodeSort::Lambda,
        "method_reference" => NodeSort::MethodReference,
        "instanceof_expression" => NodeSort::InstanceOf,
        "argument_list" => NodeSort::Arguments,
        "block" => NodeSort::Block,
        "expression_statement" => NodeSort::Statement,
        "assert_statement" => NodeSort::Assert,
        "local_variable_declaration" => NodeSort::Declaration,
        "variable_declarator" => NodeSort::Declarator,
        "formal_parameter"
        | "catch_formal_parameter"
        | "resource"
        | "enhanced_for_statement"
        | "type_pattern" => NodeSort::Parameter,
        "method_declaration" => NodeSort::Method,
        "annotation" | "marker_annotation" => NodeSort::Annotation,
        "element_value_pair" => NodeSort::Pair,
        "try_statement" => NodeSort::Try,
        "catch_clause" => NodeSort::Catch,
        "this" | "super" => NodeSort::This,
        "scoped_type_identifier"
        | "generic_type"
        | "array_type"
        | "integral_type"
        | "floating_point_type"
        | "boolean_type"
        | "void_type"
        | "type_arguments"
        | "wildcard"
        | "catch_type" => NodeSort::Type,
        "true" | "false" | "null_literal" => NodeSort::Literal,
        _ if name.ends_with("_literal") => NodeSort::Literal,
        _ if name.starts_with(|name: char| name.is_ascii_punctuation()) => NodeSort::Operator,
        _ => NodeSort::Other,
    }
}

fn checks(code: &mut Code<'_>, pair: PredictionPair<'_>) -> Vec<Check> {
    let has_then = [pair.reference, pair.prediction]
        .iter()
        .any(|text| text.contains("then("));
    let then = if has_then {
        ThenOwner::of(pair.file)
    } else {
        ThenOwner::Unknown
    };
    check::collect(code, pair.framework, then)
}
