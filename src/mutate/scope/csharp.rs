//! The variables of a method in C#: only uses in places that are known to hold expressions count, and a name that
//! occurs anywhere else is kept, also where a member takes its name from it.

use super::once::{self, NameMeaning, around};
use super::{Scopes, UseForm, VariableRole};
use crate::code::Code;

const TEXTS: &[&str] = &[
    "comment",
    "string_literal_content",
    "string_content",
    "escape_sequence",
    "verbatim_string_literal",
    "raw_string_literal",
    "raw_string_content",
    "character_literal_content",
    "preproc_arg",
];

const BLOCKS: &[&str] = &[
    "block",
    "for_statement",
    "foreach_statement",
    "using_statement",
    "switch_section",
    "switch_body",
    "fixed_statement",
    "catch_clause",
];

const INNER: &[&str] = &[
    "lambda_expression",
    "anonymous_method_expression",
    "local_function_statement",
];

/// Nodes that hold expressions, in any field.
const HOLDERS: &[&str] = &[
    "binary_expression",
    "parenthesized_expression",
    "conditional_expression",
    "prefix_unary_expression",
    "postfix_unary_expression",
    "return_statement",
    "await_expression",
    "throw_statement",
    "throw_expression",
    "yield_statement",
    "interpolation",
    "arrow_expression_clause",
    "expression_statement",
    "argument",
    "variable_declarator",
    "lock_statement",
    "using_statement",
    "bracketed_argument_list",
    "ref_expression",
    "equals_value_clause",
];

/// Reads the variables of a method or constructor.
pub fn read<'c>(code: &'c Code<'c>, function: u32) -> Scopes<'c> {
    once::read(code, function, TEXTS, |idx| meaning(code, function, idx))
}

fn meaning(code: &Code<'_>, function: u32, idx: u32) -> Option<(NameMeaning, Option<u32>)> {
    let parent = code.parent(idx);
    let field = code.field(idx);
    if code.kind(idx) == "implicit_parameter" {
        let declares = NameMeaning::Declares(VariableRole::Foreign, parent, UseForm::Plain);
        return Some((declares, None));
    }
    if code.kind(idx) != "identifier" {
        return None;
    }
    let meaning = match (code.kind(parent), field) {
        ("parameter", "name") => return Some(parameter(code, function, idx)),
        ("parameter_list", "name") => {
            NameMeaning::Declares(VariableRole::Parameter, function, UseForm::Plain)
        }
        ("variable_declarator", "name") => {
            let typed = code.child(code.parent(parent), "type");
            let declares = local(code, function, idx, around(code, idx, function, BLOCKS));
            return Some((declares, typed));
        }
        ("foreach_statement", "left") => {
            let typed = code.child(parent, "type");
            return Some((local(code, function, idx, parent), typed));
        }
        ("catch_declaration", "name") => {
            local(code, function, idx, around(code, idx, function, BLOCKS))
        }
        (
            "member_access_expression" | "element_access_expression" | "is_pattern_expression",
            "expression",
        )
        | ("conditional_access_expression", "condition")
        | ("cast_expression" | "switch_statement" | "switch_expression", "value")
        | ("is_expression" | "as_expression", "left")
        | ("foreach_statement", "right")
        | ("lambda_expression", "body")
        | ("invocation_expression", "function")
        | (
            "if_statement" | "while_statement" | "do_statement" | "for_statement",
            "condition" | "update" | "initializer",
        ) => NameMeaning::Use(UseForm::Plain),
        ("assignment_expression", _) => {
            let above = code.kind(code.parent(parent));
            if field == "left" && above == "initializer_expression" {
                NameMeaning::Other
            } else {
                NameMeaning::Use(UseForm::Plain)
            }
        }
        ("member_access_expression" | "member_binding_expression" | "generic_name", _)
        | (_, "type" | "returns")
        | ("argument", "name") => NameMeaning::Other,
        (kind, "name") if kind.ends_with("_declaration") => NameMeaning::Other,
        ("argument", _) if is_named_after(code, parent) => {
            if code
                .source(code.parent(code.parent(parent)))
                .starts_with("nameof")
            {
                NameMeaning::KeepsStrict("is told by `nameof`")
            } else {
                NameMeaning::Keeps("names what is made of it")
            }
        }
        (kind, _) if HOLDERS.contains(&kind) => NameMeaning::Use(UseForm::Plain),
        _ => return None,
    };
    Some((meaning, None))
}

/// Tells whether a name in an argument is more than a value: the name of a tuple's element, or the operand of `nameof`.
fn is_named_after(code: &Code<'_>, argument: u32) -> bool {
    let list = code.parent(argument);
    let call = code.parent(list);
    code.kind(list) == "tuple_expression"
        || code
            .child(call, "function")
            .is_some_and(|n| code.source(n) == "nameof")
}

fn parameter(code: &Code<'_>, function: u32, idx: u32) -> (NameMeaning, Option<u32>) {
    let declaration = code.parent(idx);
    let owner = code.parent(code.parent(declaration));
    if owner != function {
        return (
            NameMeaning::Declares(VariableRole::Foreign, owner, UseForm::Plain),
            None,
        );
    }
    let has_modifier = code.children(declaration).any(|child| {
        matches!(
            code.kind(child),
            "modifier" | "attribute_list" | "parameter_modifier"
        ) || matches!(code.source(child), "out" | "ref" | "in" | "this" | "params")
    });
    let typed = code.child(declaration, "type").filter(|_| !has_modifier);
    (
        NameMeaning::Declares(VariableRole::Parameter, function, UseForm::Plain),
        typed,
    )
}

fn local(code: &Code<'_>, function: u32, idx: u32, block: u32) -> NameMeaning {
    let owner = around(code, idx, function, INNER);
    let role = if owner == function {
        VariableRole::Local
    } else {
        VariableRole::Foreign
    };
    NameMeaning::Declares(role, block, UseForm::Plain)
}
