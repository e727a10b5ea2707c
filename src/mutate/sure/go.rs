//! Certain facts about values in Go: the types of the language, where the file does not redefine their names.

use crate::function::Function;
use crate::scope::Variable;
use crate::unchanged::UnchangedReason;

const INTEGERS: &[&str] = &[
    "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintptr", "byte", "rune",
];

fn type_of<'c>(
    function: &Function<'c>,
    variable: &Variable<'_>,
) -> Option<(&'c str, &'static str)> {
    let typed = variable.declared_type?;
    let code = function.code;
    Some((code.source(typed), code.kind(typed)))
}

fn is_named(function: &Function<'_>, name: &str, known: &[&str]) -> bool {
    known.contains(&name) && !function.file.rebound.contains(name)
}

/// Tells whether a parameter is of a type that is always equal to itself.
pub fn is_equal_to_itself(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    is_alone(function, variable)
        && type_of(function, variable).is_some_and(|(name, kind)| {
            is_named(function, name, INTEGERS)
                || is_named(function, name, &["string", "bool"])
                || matches!(kind, "pointer_type" | "channel_type")
        })
}

pub fn is_comparable(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    is_equal_to_itself(function, variable)
        || (is_alone(function, variable)
            && type_of(function, variable)
                .is_some_and(|pair| is_named(function, pair.0, &["float32", "float64"])))
}

/// Tells whether no other variable of the function has the name, and it is not `_`.
fn is_alone(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    let all = &function.scopes.variables;
    variable.name != "_"
        && all
            .iter()
            .filter(|other| other.name == variable.name)
            .count()
            == 1
}

/// Tells whether the built-in `println` takes a variable; it takes no structs and arrays.
pub fn is_printable(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    if variable.name == "_" {
        return false;
    }
    match type_of(function, variable) {
        Some((name, kind)) => {
            is_named(function, name, INTEGERS)
                || is_named(
                    function,
                    name,
                    &["string", "bool", "float32", "float64", "error", "any"],
                )
                || matches!(
                    kind,
                    "pointer_type"
                        | "channel_type"
                        | "slice_type"
                        | "map_type"
                        | "function_type"
                        | "interface_type"
                )
        }
        // `xs ...string` is a slice; named results have a type, too.
        None => true,
    }
}

/// Fails with the reason why `a += b` may not become `a = a + b`, if there is one.
pub fn long_form(
    function: &Function<'_>,
    (left, right): (u32, u32),
    is_strict: bool,
) -> Result<(), UnchangedReason> {
    let code = function.code;
    if code.named(left).count() != 1 {
        return Err(UnchangedReason::SeveralPlaces);
    }
    if !is_strict {
        return Ok(());
    }
    let runs = ["call_expression", "func_literal", "unary_expression"];
    let has_receive = code.below(right).any(|n| code.source(n).starts_with("<-"));
    let is_running = code.holds(right, &runs[..2]) || has_receive;
    if is_running {
        return Err(UnchangedReason::RunningOperand);
    }
    Ok(())
}
