//! Certain facts about values in Python, where only literals and a few functions of the language are certain.

use crate::function::Function;
use crate::scope::{Variable, VariableRole};
use crate::unchanged::UnchangedReason;

/// Functions whose result is a number for all arguments.
const NUMBERS: &[&str] = &["len", "int", "float", "ord", "hash", "id"];

/// Functions whose result is a number if their arguments are.
const OF_NUMBERS: &[&str] = &["abs", "min", "max", "pow"];

/// Functions whose result is a truth value.
const TRUTHS: &[&str] = &[
    "isinstance",
    "issubclass",
    "callable",
    "hasattr",
    "any",
    "all",
    "bool",
];

/// Libraries whose comparisons are no truth values.
const SYMBOLIC: &[&str] = &[
    "sympy",
    "symengine",
    "pandas",
    "polars",
    "sqlalchemy",
    "django",
    "peewee",
    "torch",
    "tensorflow",
    "jax",
    "z3",
    "cvxpy",
    "pyspark",
    "xarray",
    "dask",
    "pyparsing",
];

/// Libraries whose objects are annotated as the numbers that they stand for.
const ARRAYS: &[&str] = &[
    "numpy",
    "np",
    "pandas",
    "pd",
    "torch",
    "tensorflow",
    "jax",
    "sympy",
];

fn is_built_in(function: &Function<'_>, name: &str) -> bool {
    let rebound = &function.file.rebound;
    !rebound.contains(name)
        && !rebound.contains("*")
        && !function
            .scopes
            .variables
            .iter()
            .any(|variable| variable.name == name)
}

/// Returns the name of the callee if it is a built-in function.
fn called<'c>(function: &Function<'c>, idx: u32) -> Option<&'c str> {
    let code = function.code;
    let callee = code.child(idx, "function")?;
    let name = code.source(callee);
    (code.kind(callee) == "identifier" && is_built_in(function, name)).then_some(name)
}

/// Tells of every variable, in their order, whether it is a number at all times.
pub fn numbers(function: &Function<'_>) -> Vec<bool> {
    let variables = &function.scopes.variables;
    let has_arrays = ARRAYS.iter().any(|text| function.file.names.contains(text));
    let mut numbers: Vec<bool> = variables
        .iter()
        .map(|variable| match variable.role {
            VariableRole::Local => variable.bar.is_none(),
            VariableRole::Parameter => {
                variable.bar.is_none()
                    && !has_arrays
                    && type_of(function, variable)
                        .is_some_and(|text| ["int", "float", "bool"].contains(&text))
            }
            _ => false,
        })
        .collect();
    loop {
        let lost: Vec<usize> = (0..variables.len())
            .filter(|idx| {
                numbers[*idx]
                    && !variables[*idx].uses.iter().all(|variable_use| {
                        !variable_use.is_binding
                            || is_bound_to_number(function, variable_use.node, &numbers)
                    })
            })
            .collect();
        if lost.is_empty() {
            return numbers;
        }
        for idx in lost {
            numbers[idx] = false;
        }
    }
}

/// Tells whether the value that a name gets in one place is a number.
fn is_bound_to_number(function: &Function<'_>, node: u32, numbers: &[bool]) -> bool {
    let code = function.code;
    let parent = code.parent(node);
    let value = |field| code.child(parent, field);
    match (code.kind(parent), code.field(node)) {
        ("assignment", "left") => match value("right") {
            Some(right) => is_number(function, innermost(function, right), numbers),
            // `x: int` alone gives no value.
            None => true,
        },
        ("augmented_assignment", "left") => {
            let operator = code.operator(parent);
            operator != "@=" && value("right").is_some_and(|n| is_number(function, n, numbers))
        }
        ("named_expression", "name") => {
            value("value").is_some_and(|n| is_number(function, n, numbers))
        }
        ("for_statement", "left") => value("right")
            .is_some_and(|n| code.kind(n) == "call" && called(function, n) == Some("range")),
        ("pattern_list" | "tuple_pattern", _) => {
            let above = code.parent(parent);
            let at = code.named(parent).position(|n| n == node);
            match (code.kind(above), code.child(above, "right")) {
                ("assignment", Some(right)) => {
                    let values: Vec<u32> = code.named(right).collect();
                    let is_list = matches!(code.kind(right), "expression_list" | "tuple");
                    is_list
                        && values.len() == code.named(parent).count()
                        && !code.holds(parent, &["list_splat_pattern"])
                        && !values
                            .iter()
                            .any(|value| code.kind(*value).contains("splat"))
                        && at.is_some_and(|at| is_number(function, values[at], numbers))
                }
                ("for_statement", Some(right)) => {
                    at == Some(0)
                        && code.kind(right) == "call"
                        && called(function, right) == Some("enumerate")
                        && code.field(parent) == "left"
                }
                _ => false,
            }
        }
        // A parameter's own place: its annotation has been read.
        ("typed_parameter", _) | ("typed_default_parameter", "name") => code
            .child(parent, "value")
            .is_none_or(|n| is_number(function, n, numbers)),
        _ => false,
    }
}

/// Returns the value of `a = b = value`.
fn innermost(function: &Function<'_>, idx: u32) -> u32 {
    let code = function.code;
    let mut at = idx;
    while code.kind(at) == "assignment" {
        match code.child(at, "right") {
            Some(right) => at = right,
            None => break,
        }
    }
    at
}

fn is_number(function: &Function<'_>, idx: u32, numbers: &[bool]) -> bool {
    let code = function.code;
    let both = |first: &str, second: &str| {
        [first, second].iter().all(|text| {
            code.child(idx, text)
                .is_some_and(|n| is_number(function, n, numbers))
        })
    };
    match code.kind(idx) {
        "integer" | "float" | "true" | "false" | "not_operator" => true,
        "parenthesized_expression" => code.named(idx).all(|n| is_number(function, n, numbers)),
        "unary_operator" => code
            .child(idx, "argument")
            .is_some_and(|n| is_number(function, n, numbers)),
        "binary_operator" => code.operator(idx) != "@" && both("left", "right"),
        "boolean_operator" => both("left", "right"),
        "conditional_expression" => {
            let parts: Vec<u32> = code.named(idx).collect();
            parts.len() == 3
                && is_number(function, parts[0], numbers)
                && is_number(function, parts[2], numbers)
        }
        "call" => {
            let Some(name) = called(function, idx) else {
                return false;
            };
            let arguments = code.child(idx, "arguments");
            NUMBERS.contains(&name)
                || (OF_NUMBERS.contains(&name)
                    && arguments.is_some_and(|argument| {
                        code.named(argument).count() >= if name == "abs" { 1 } else { 2 }
                            && code
                                .named(argument)
                                .all(|n| is_number(function, n, numbers))
                    }))
        }
        "identifier" => function
            .scopes
            .idx_of(idx)
            .is_some_and(|n| numbers.get(n) == Some(&true)),
        _ => false,
    }
}

/// Tells whether a function mentions a call of itself. The call at which its stack ends decides which error is raised,
/// so nothing is inserted there that takes a frame of its own: no printing, no comparing.
fn calls_itself(function: &Function<'_>) -> bool {
    let code = function.code;
    code.below(function.body).any(|n| {
        let callee = (code.kind(n) == "call").then(|| code.child(n, "function"));
        callee.flatten().is_some_and(|callee| {
            let name = code.child(callee, "attribute").unwrap_or(callee);
            // `super().f()` is another function, and no recursion.
            let object = code.child(callee, "object").map(|n| code.source(n));
            code.source(name) == function.name && object != Some("super()")
        })
    })
}

/// Tells whether a condition begins with a comparison.
fn compares_first(function: &Function<'_>, idx: u32) -> bool {
    let code = function.code;
    match code.kind(idx) {
        "not_operator" | "parenthesized_expression" | "boolean_operator" => code
            .named(idx)
            .next()
            .is_some_and(|n| compares_first(function, n)),
        "comparison_operator" => {
            let mut operators = code.children(idx).filter(|child| !code.is_named(*child));
            operators.next().is_some_and(|operator| {
                matches!(code.source(operator), "==" | "!=" | "<" | ">" | "<=" | ">=")
            })
        }
        _ => false,
    }
}

/// Fails with the reason why the long form is not certain to do the same, if there is one.
pub fn long_form(
    function: &Function<'_>,
    (left, right): (u32, u32),
    numbers: &[bool],
) -> Result<(), UnchangedReason> {
    let code = function.code;
    let is_certain = |n| code.kind(left) == "identifier" && is_number(function, n, numbers);
    if is_certain(left) && is_certain(right) {
        return Ok(());
    }
    let shown = if is_certain(left) { right } else { left };
    Err(UnchangedReason::Uncertain {
        code: code.flat(shown),
        what: "a number",
    })
}

/// Returns whether a condition is a truth value; `Ok(false)` for a comparison of unknown values.
pub fn condition(function: &Function<'_>, idx: u32) -> Result<bool, UnchangedReason> {
    if calls_itself(function) && !compares_first(function, idx) {
        return Err(UnchangedReason::DeepComparison);
    }
    truth(function, idx)
}

fn truth(function: &Function<'_>, idx: u32) -> Result<bool, UnchangedReason> {
    let code = function.code;
    let of_all = |parts: Vec<u32>| {
        let mut is_certain = true;
        for part in parts {
            is_certain &= truth(function, part)?;
        }
        Ok(is_certain)
    };
    match code.kind(idx) {
        "true" | "false" | "not_operator" => Ok(true),
        "parenthesized_expression" | "boolean_operator" => of_all(code.named(idx).collect()),
        "call" if called(function, idx).is_some_and(|text| TRUTHS.contains(&text)) => Ok(true),
        "comparison_operator" => {
            let mut operators = code.children(idx).filter(|child| !code.is_named(*child));
            let is_certain = operators.all(|operator| {
                matches!(
                    code.source(operator).split_whitespace().next(),
                    Some("is" | "not" | "in")
                )
            });
            let operands: Vec<u32> = code.named(idx).collect();
            let is_known = operands
                .iter()
                .all(|operand| is_number(function, *operand, &[]))
                || operands.iter().all(|operand| {
                    code.kind(*operand) == "call" && called(function, *operand) == Some("len")
                        || code.kind(*operand) == "integer"
                });
            let is_symbolic = SYMBOLIC.iter().any(|text| {
                function.file.names.contains(text)
                    || function
                        .file
                        .path
                        .split(['/', '\\'])
                        .any(|part| part == *text)
            });
            if !is_certain && !is_known && is_symbolic {
                return Err(UnchangedReason::SymbolicComparison);
            }
            Ok(is_certain || is_known)
        }
        _ => Err(UnchangedReason::Uncertain {
            code: code.flat(idx),
            what: "a truth value",
        }),
    }
}

pub fn is_deleted(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    let code = function.code;
    variable.uses.iter().any(|variable_use| {
        code.above(variable_use.node)
            .take_while(|n| *n != function.node)
            .any(|n| code.kind(n) == "delete_statement")
    })
}

fn type_of<'c>(function: &Function<'c>, variable: &Variable<'_>) -> Option<&'c str> {
    let source = function.code.source(variable.declared_type?);
    Some(source.trim_matches(['"', '\'']))
}

/// Types that compare and print without effect.
const PLAIN: &[&str] = &["int", "str", "bool", "float", "bytes", "complex", "None"];

/// Tells whether an annotation names nothing but plain types.
fn is_plain(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    type_of(function, variable).is_some_and(|text| {
        let annotation = text
            .trim()
            .strip_prefix("Optional[")
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(text);
        annotation
            .split('|')
            .all(|part| PLAIN.contains(&part.trim()))
    })
}

/// Returns whether a parameter is first of all compared with a literal number or string by code that always runs.
fn is_compared_at_once(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    let code = function.code;
    let statements = function.statements();
    let n_prologue = function.n_prologue(&statements);
    let Some(first) = statements.get(n_prologue) else {
        return false;
    };
    let mut condition = match code.kind(*first) {
        "if_statement" | "while_statement" => code.child(*first, "condition"),
        _ => None,
    };
    while let Some(compound) = condition
        && matches!(
            code.kind(compound),
            "boolean_operator" | "not_operator" | "parenthesized_expression"
        )
    {
        condition = code.named(compound).next();
    }
    let Some(condition) =
        condition.filter(|condition| code.kind(*condition) == "comparison_operator")
    else {
        return false;
    };
    let mut operators = code
        .children(condition)
        .filter(|child| !code.is_named(*child));
    let is_plain = operators
        .all(|operator| matches!(code.source(operator), "==" | "!=" | "<" | ">" | "<=" | ">="));
    let operands: Vec<u32> = code.named(condition).collect();
    let is_own = |n: u32| {
        function
            .scopes
            .of(n)
            .is_some_and(|other| other.name == variable.name)
    };
    let is_literal = |node: u32| {
        matches!(code.kind(node), "integer" | "float" | "string")
            || (code.kind(node) == "unary_operator" && is_number(function, node, &[]))
    };
    is_plain
        && operands.len() == 2
        && ((is_own(operands[0]) && is_literal(operands[1]))
            || (is_literal(operands[0]) && is_own(operands[1])))
}

pub fn is_comparable(function: &Function<'_>, variable: &Variable<'_>, is_strict: bool) -> bool {
    if !is_strict {
        return true;
    }
    if variable.role != VariableRole::Parameter {
        return false;
    }
    let has_arrays = ARRAYS.iter().any(|text| function.file.names.contains(text));
    (is_plain(function, variable) && !has_arrays && !calls_itself(function))
        || is_compared_at_once(function, variable)
}

/// Methods and properties that objects of the standard library run when they are printed, when their parts or
/// subclasses define them.
const RUN_BY_PRINTING: &[&str] = &[
    "utcoffset",
    "dst",
    "tzname",
    "isoformat",
    "strftime",
    "items",
    "keys",
    "values",
    "name",
    "value",
    "parts",
    "getmessage",
];

/// Lists the variables that can be printed; only plain ones where printing may come back to the function itself.
pub fn printable<'f, 'c>(
    function: &Function<'c>,
    all: Vec<&'f Variable<'c>>,
    is_strict: bool,
) -> Vec<&'f Variable<'c>> {
    if !is_strict {
        return all;
    }
    let plain: Vec<&Variable<'c>> = all
        .iter()
        .copied()
        .filter(|variable| is_plain(function, variable))
        .collect();
    if calls_itself(function) {
        return Vec::new();
    }
    let is_special = (function.name.starts_with("__") && function.name.ends_with("__"))
        || RUN_BY_PRINTING.contains(&function.name);
    let is_printing = is_special
        || function.name.contains("print")
        || function.file.printing.contains(function.name);
    if !plain.is_empty() || is_printing {
        return plain;
    }
    all
}
