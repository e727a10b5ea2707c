//! Certain facts about values in JavaScript, and the conditions that guide TypeScript's checks.

use crate::function::Function;
use crate::unchanged::UnchangedReason;

/// Fails with the reason why `a += b` may not become `a = a + b`, if there is one: the target must be a variable of the
/// function's own, because a property may be a call.
pub fn long_form(
    function: &Function<'_>,
    (left, _): (u32, u32),
    is_strict: bool,
) -> Result<(), UnchangedReason> {
    let code = function.code;
    let is_own = code.kind(left) == "identifier"
        && function.scopes.bar.is_none()
        && function.scopes.of(left).is_some();
    if is_strict && !is_own {
        let place = code.flat(left);
        return Err(UnchangedReason::ForeignPlace { place });
    }
    Ok(())
}

/// Tells whether a condition may be compared. A comparison hides from TypeScript what a condition shows about types, so
/// only orders and negated numbers, which show nothing, are compared there.
pub fn condition(
    function: &Function<'_>,
    idx: u32,
    is_strict: bool,
) -> Result<bool, UnchangedReason> {
    let code = function.code;
    let extension = function.file.path.rsplit('.').next().unwrap_or_default();
    let is_typed = matches!(extension, "ts" | "tsx" | "mts" | "cts");
    if is_typed && is_strict {
        let is_order = code.kind(idx) == "binary_expression"
            && matches!(code.operator(idx), "<" | ">" | "<=" | ">=");
        if !is_order {
            return Err(UnchangedReason::TypeCondition);
        }
    }
    Ok(true)
}
