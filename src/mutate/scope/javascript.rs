//! The variables of a function in JavaScript and TypeScript.

use super::once::{self, NameMeaning, around};
use super::{Scopes, UseForm, VariableRole};
use crate::code::Code;

const TEXTS: &[&str] = &[
    "comment",
    "string_fragment",
    "escape_sequence",
    "jsx_text",
    "regex_pattern",
    "regex_flags",
    "property_identifier",
    "private_property_identifier",
    "statement_identifier",
    "type_identifier",
];

const FUNCTIONS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "method_definition",
    "arrow_function",
    "function_expression",
    "generator_function",
];

const BLOCKS: &[&str] = &[
    "statement_block",
    "for_statement",
    "for_in_statement",
    "switch_body",
    "class_static_block",
    "catch_clause",
];

/// Reads the variables of a function.
pub fn read<'c>(code: &'c Code<'c>, function: u32) -> Scopes<'c> {
    let is_unclear = code.below(function).any(|node| {
        code.kind(node) == "with_statement"
            || (code.kind(node) == "identifier" && matches!(code.source(node), "eval" | "Function"))
    });
    let mut scopes = once::read(code, function, TEXTS, |idx| meaning(code, function, idx));
    if is_unclear {
        scopes.bar = Some("it may run code that sees variables by their names");
    }
    scopes
}

fn meaning(code: &Code<'_>, function: u32, idx: u32) -> Option<(NameMeaning, Option<u32>)> {
    let form = match code.kind(idx) {
        "identifier" => UseForm::Plain,
        "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
            UseForm::Shorthand
        }
        _ => return None,
    };
    let parent = code.parent(idx);
    let named = match (code.kind(parent), code.field(idx)) {
        (kind, "name") if FUNCTIONS.contains(&kind) || kind.starts_with("class") => {
            NameMeaning::Keeps("is a function or a class")
        }
        ("nested_identifier" | "jsx_attribute" | "namespace_import", _) => NameMeaning::Other,
        ("jsx_opening_element" | "jsx_closing_element" | "jsx_self_closing_element", _) => {
            NameMeaning::Keeps("names an element")
        }
        ("type_predicate" | "asserts" | "type_query", _) => NameMeaning::Use(form),
        _ => match declaration(code, function, idx) {
            Some((Ok((role, block)), typed)) => {
                return Some((NameMeaning::Declares(role, block, form), typed));
            }
            Some((Err(why), _)) => NameMeaning::Keeps(why),
            None => NameMeaning::Use(form),
        },
    };
    Some((named, None))
}

type Declaration = (Result<(VariableRole, u32), &'static str>, Option<u32>);

/// Tells in which role, and visible in which node, a name is declared here, or why it stays; nothing for a use.
fn declaration(code: &Code<'_>, function: u32, idx: u32) -> Option<Declaration> {
    let mut below = idx;
    let mut is_rest = false;
    for ancestor in code.above(idx).take_while(|n| *n != code.parent(function)) {
        let field = code.field(below);
        match code.kind(ancestor) {
            "object_pattern" | "array_pattern" => {}
            "rest_pattern" => is_rest = true,
            "pair_pattern" if field == "value" => {}
            "assignment_pattern" | "object_assignment_pattern" if field == "left" => {}
            "required_parameter" | "optional_parameter" if field == "pattern" => {
                let is_property = code.named(ancestor).any(|child| {
                    matches!(
                        code.kind(child),
                        "accessibility_modifier" | "override_modifier"
                    )
                }) || code
                    .children(ancestor)
                    .any(|child| code.source(child) == "readonly");
                if is_property {
                    return Some((Err("is a property, too"), None));
                }
                if code.named(ancestor).any(|n| code.kind(n) == "decorator") {
                    return Some((Err("is decorated"), None));
                }
            }
            "formal_parameters" => {
                let owner = code.parent(ancestor);
                if !FUNCTIONS.contains(&code.kind(owner)) {
                    return Some((Err("is a parameter of a type"), None));
                }
                return Some((Ok(parameter(owner, function, is_rest)), None));
            }
            "arrow_function" if field == "parameter" => {
                return Some((Ok(parameter(ancestor, function, false)), None));
            }
            "variable_declarator" if field == "name" => {
                let is_var = code.kind(code.parent(ancestor)) == "variable_declaration";
                let kinds = if is_var { FUNCTIONS } else { BLOCKS };
                let owner = around(code, ancestor, function, FUNCTIONS);
                let block = around(code, ancestor, function, kinds);
                return Some((Ok((role(owner, function), block)), None));
            }
            "for_in_statement" if field == "left" => {
                let kind = code.child(ancestor, "kind").map(|n| code.source(n));
                let kinds = match kind {
                    None => return None,
                    Some("var") => FUNCTIONS,
                    Some(_) => &["for_in_statement"],
                };
                let owner = around(code, ancestor, function, FUNCTIONS);
                let block = around(code, idx, function, kinds);
                return Some((Ok((role(owner, function), block)), None));
            }
            "catch_clause" if field == "parameter" => {
                let owner = around(code, ancestor, function, FUNCTIONS);
                return Some((Ok((role(owner, function), ancestor)), None));
            }
            "import_specifier" | "import_clause" => return Some((Err("is imported"), None)),
            _ => return None,
        }
        below = ancestor;
    }
    None
}

fn role(owner: u32, function: u32) -> VariableRole {
    if owner == function {
        VariableRole::Local
    } else {
        VariableRole::Foreign
    }
}

fn parameter(owner: u32, function: u32, is_rest: bool) -> (VariableRole, u32) {
    let role = match (owner == function, is_rest) {
        (false, _) => VariableRole::Foreign,
        (true, true) => VariableRole::Rest,
        (true, false) => VariableRole::Parameter,
    };
    (role, owner)
}
