//! Certain facts about values in C#: only of types of the language, because others may define operators.

use crate::function::Function;
use crate::scope::{Variable, VariableRole};
use crate::unchanged::UnchangedReason;

/// Types that arithmetic keeps.
const KEPT: &[&str] = &[
    "int", "uint", "long", "ulong", "nint", "nuint", "float", "double", "decimal", "string",
];

/// Types that it widens to `int`.
const NARROW: &[&str] = &["byte", "sbyte", "short", "ushort", "char"];

fn type_of<'c>(function: &Function<'c>, variable: &Variable<'_>) -> Option<&'c str> {
    Some(function.code.source(variable.declared_type?))
}

fn declared<'c>(function: &Function<'c>, place: u32) -> Option<&'c str> {
    let code = function.code;
    let name = match code.kind(place) {
        "identifier" => {
            if let Some(variable) = function.scopes.of(place) {
                let is_clear = variable
                    .bar
                    .is_none_or(|rename_barrier| rename_barrier.is_strict);
                return type_of(function, variable).filter(|_| is_clear);
            }
            code.source(place)
        }
        _ => return None,
    };
    let is_local = function
        .scopes
        .variables
        .iter()
        .any(|variable| variable.name == name);
    let (n_times, typed) = function.file.fields.get(name)?;
    let typed = (*n_times == 1 && !is_local).then_some(*typed)??;
    let list = code.parent(function.node);
    let holder = code.parent(code.parent(code.parent(typed)));
    (holder == list).then(|| code.source(typed))
}

/// Finds the cast that the long form needs (ECMA-334, 12.21.4).
pub fn long_form(
    function: &Function<'_>,
    (left, _): (u32, u32),
) -> Result<Option<String>, UnchangedReason> {
    let typed = declared(function, left).unwrap_or_default();
    if KEPT.contains(&typed) {
        return Ok(None);
    }
    if NARROW.contains(&typed) {
        return Ok(Some(typed.to_owned()));
    }
    let place = function.code.flat(left);
    Err(UnchangedReason::UnknownType { place })
}

/// Returns whether a condition may be compared: it must not be constant, bind names, or decide definite assignment.
pub fn condition(
    function: &Function<'_>,
    statement: u32,
    idx: u32,
) -> Result<bool, UnchangedReason> {
    let code = function.code;
    let mut is_variable = false;
    for n in code.below(idx) {
        match code.kind(n) {
            "is_pattern_expression"
            | "declaration_expression"
            | "assignment_expression"
            | "switch_expression"
            | "declaration_pattern"
            | "var_pattern" => {
                return Err(UnchangedReason::BindingCondition);
            }
            "argument" if code.source(n).starts_with("out ") => {
                return Err(UnchangedReason::AssigningCondition);
            }
            "invocation_expression" | "element_access_expression" | "null_literal" => {
                is_variable = true;
            }
            "identifier" => {
                let variable = function.scopes.of(n);
                is_variable |=
                    variable.is_some_and(|variable| variable.role == VariableRole::Parameter);
            }
            _ => {}
        }
    }
    if code.kind(idx) == "boolean_literal"
        || (code.kind(statement) != "if_statement" && !is_variable)
    {
        return Err(UnchangedReason::ConstantCondition {
            decides: "which code is reachable",
        });
    }
    Ok(true)
}

/// Types without a value that differs from itself.
const EQUAL: &[&str] = &[
    "int", "uint", "long", "ulong", "byte", "sbyte", "short", "ushort", "char", "bool", "string",
    "decimal", "string?", "object", "object?",
];

pub fn is_equal_to_itself(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    type_of(function, variable).is_some_and(|text| EQUAL.contains(&text))
}

/// Returns the type of a parameter if it is one of the language's own.
pub fn comparable_type(
    function: &Function<'_>,
    variable: &Variable<'_>,
    _is_strict: bool,
) -> Option<String> {
    let typed = type_of(function, variable)?;
    let is_known = EQUAL.contains(&typed) || ["float", "double"].contains(&typed);
    is_known.then(|| typed.to_owned())
}

/// Lists the variables that can be printed: no `ref struct`, which lives on the stack alone.
pub fn printable<'f, 'c>(
    function: &Function<'c>,
    all: Vec<&'f Variable<'c>>,
    is_strict: bool,
) -> Vec<&'f Variable<'c>> {
    let is_plain =
        |variable: &Variable<'_>| comparable_type(function, variable, is_strict).is_some();
    let plain: Vec<&Variable<'c>> = all
        .iter()
        .copied()
        .filter(|variable| is_plain(variable))
        .collect();
    if is_strict || !plain.is_empty() {
        return plain;
    }
    let boxed = all.into_iter().filter(|variable| {
        type_of(function, variable)
            .is_some_and(|text| text.ends_with("[]") || text.starts_with("List<"))
    });
    boxed.collect()
}
