//! `IRR`: a compound assignment gets its long form, `a += b` → `a = a + b`.

use super::{Edit, PassChoice};
use crate::function::Function;
use crate::model::Language;
use crate::sure;
use crate::unchanged::UnchangedReason;

/// The four of the paper.
const OPERATORS: &[&str] = &["+=", "-=", "*=", "/="];

pub fn apply(function: &Function<'_>, choice: PassChoice) -> Result<Vec<Edit>, UnchangedReason> {
    let mut why = UnchangedReason::Without {
        what: "compound assignment",
    };
    let mut found = Vec::new();
    let mut sure = sure::FunctionCertainty::new(function);
    for idx in function.inside() {
        if !function.words.compounds.contains(&function.code.kind(idx)) {
            continue;
        }
        match long_form(function, idx, choice.is_strict, &mut sure) {
            Ok(Some(text)) => found.push((idx, text)),
            Ok(None) => {}
            Err(reason) => why = reason,
        }
    }
    if found.is_empty() {
        return Err(why);
    }
    let (idx, text) = found.swap_remove(choice.of(function, found.len()));
    Ok(vec![Edit {
        span: function.code.span(idx),
        text,
    }])
}

/// Writes the long form of a compound assignment; nothing where it is none of the four.
fn long_form(
    function: &Function<'_>,
    idx: u32,
    is_strict: bool,
    sure: &mut sure::FunctionCertainty<'_, '_>,
) -> Result<Option<String>, UnchangedReason> {
    let code = function.code;
    let operator = code.operator(idx);
    if !OPERATORS.contains(&operator) {
        return Ok(None);
    }
    let (Some(left), Some(right)) = (code.child(idx, "left"), code.child(idx, "right")) else {
        return Ok(None);
    };
    let is_statement = matches!(
        code.kind(code.parent(idx)),
        "expression_statement" | "statement_list" | "block"
    ) || matches!(code.field(idx), "update" | "increment")
        || function.file.language == Language::Go;
    if !is_statement {
        return Err(UnchangedReason::UsedValue);
    }
    let left_source = code.source(left);
    let is_plain = code.below(left).all(|n| {
        !code.is_named(n)
            || PLAIN.contains(&code.kind(n))
            || (code.is_leaf(n) && code.kind(n).ends_with("identifier"))
    });
    if !is_plain {
        let place = code.flat(left);
        return Err(UnchangedReason::BusyPlace { place });
    }
    let cast = sure.long_form(idx, (left, right), is_strict)?;
    let right_source = code.source(right);
    let operand = match code.named(right).next() {
        // In Go both sides are lists.
        Some(inner) if code.kind(right) == "expression_list" => {
            if code.named(right).count() > 1 && function.file.language == Language::Go {
                return Ok(None);
            }
            if function.file.language == Language::Go {
                inner
            } else {
                right
            }
        }
        _ => right,
    };
    let operand = if function.words.primary.contains(&code.kind(operand)) {
        right_source.to_owned()
    } else {
        format!("({right_source})")
    };
    let sign = &operator[..1];
    let sum = format!("{left_source} {sign} {operand}");
    Ok(Some(match cast {
        Some(cast) => format!("{left_source} = ({cast}) ({sum})"),
        None => format!("{left_source} = {sum}"),
    }))
}

/// Nodes that a target may consist of, since the long form evaluates it twice.
const PLAIN: &[&str] = &[
    "identifier",
    "attribute",
    "subscript",
    "integer",
    "unary_operator",
    "binary_operator",
    "expression_list",
    "selector_expression",
    "index_expression",
    "int_literal",
    "unary_expression",
    "binary_expression",
    "parenthesized_expression",
    "field_access",
    "array_access",
    "this",
    "this_expression",
    "decimal_integer_literal",
    "integer_literal",
    "member_expression",
    "subscript_expression",
    "number",
    "member_access_expression",
    "element_access_expression",
    "bracketed_argument_list",
    "argument",
    "string",
    "string_start",
    "string_content",
    "string_end",
    "string_fragment",
    "interpreted_string_literal",
    "interpreted_string_literal_content",
];
