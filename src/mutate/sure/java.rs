//! Certain facts about values in Java: declared types tell most of them. Code that compiles must compile again, so
//! conditions that decide reachability or assignment stay unchanged.

use crate::function::Function;
use crate::scope::{Variable, VariableRole};
use crate::unchanged::UnchangedReason;

const PRIMITIVE: &[&str] = &["byte", "short", "char", "int", "long", "float", "double"];

/// Types whose long form is assigned without a cast.
const OBJECTS: &[&str] = &["String", "Integer", "Long", "Double", "Float"];

fn source<'c>(function: &Function<'c>, typed: u32) -> &'c str {
    function.code.source(typed)
}

/// Finds the type that a place was declared with.
fn declared<'c>(function: &Function<'c>, place: u32) -> Option<&'c str> {
    let code = function.code;
    match code.kind(place) {
        "identifier" => {
            if let Some(variable) = function.scopes.of(place) {
                let typed = variable.declared_type?;
                return variable
                    .bar
                    .is_none_or(|rename_barrier| rename_barrier.is_strict)
                    .then(|| source(function, typed));
            }
            // A field of the class, or of one around it; a field of a class inside does not count.
            field(function, code.source(place))
        }
        "field_access" => {
            let object = code.child(place, "object")?;
            let name = code.child(place, "field")?;
            (code.kind(object) == "this").then(|| field(function, code.source(name)))?
        }
        "array_access" => {
            let array = code.child(place, "array")?;
            let of_array = declared(function, array)?;
            of_array.trim_end().strip_suffix("[]").map(str::trim_end)
        }
        "parenthesized_expression" => declared(function, code.named(place).next()?),
        _ => None,
    }
}

/// Finds the type of a field that the file declares once, where no class inside and no other variable has its name.
fn field<'c>(function: &Function<'c>, name: &str) -> Option<&'c str> {
    let is_local = function
        .scopes
        .variables
        .iter()
        .any(|variable| variable.name == name);
    let (n_times, typed) = function.file.fields.get(name)?;
    let typed = (*n_times == 1 && !is_local).then_some(*typed)??;
    // A class around may have another one of that name from above.
    let code = function.code;
    let body = code.parent(function.node);
    let holder = code.parent(code.parent(typed));
    (holder == body).then(|| source(function, typed))
}

/// Finds the cast that the long form of `a += b` needs; JLS 15.26.2 has one always, and here it is left out where it
/// would change nothing.
pub fn long_form(
    function: &Function<'_>,
    idx: u32,
    (left, right): (u32, u32),
) -> Result<Option<String>, UnchangedReason> {
    let code = function.code;
    let is_inside = function
        .code
        .above(idx)
        .take_while(|n| *n != function.node)
        .any(|ancestor| matches!(code.kind(ancestor), "class_body" | "class_declaration"));
    let Some(typed) = declared(function, left).filter(|_| !is_inside) else {
        let place = code.flat(left);
        return Err(UnchangedReason::UnknownType { place });
    };
    if OBJECTS.contains(&typed) {
        return Ok(None);
    }
    if !PRIMITIVE.contains(&typed) {
        let place = code.flat(left);
        return Err(UnchangedReason::NoNumber { place });
    }
    let is_small = |node: u32| {
        matches!(
            code.kind(node),
            "decimal_integer_literal" | "character_literal"
        ) && !code.source(node).ends_with(['l', 'L'])
            || declared(function, node)
                .is_some_and(|text| ["byte", "short", "char", "int"].contains(&text))
    };
    let is_equal = declared(function, right) == Some(typed);
    let needs_none = match typed {
        "int" => is_small(right),
        "long" | "float" | "double" => is_small(right) || is_equal,
        _ => false,
    };
    Ok((!needs_none).then(|| typed.to_owned()))
}

/// Returns whether a condition may be compared: it must not be constant, bind names, or decide definite assignment.
pub fn condition(
    function: &Function<'_>,
    statement: u32,
    idx: u32,
) -> Result<bool, UnchangedReason> {
    let code = function.code;
    let mut is_variable = false;
    let mut has_assignment = false;
    for n in code.below(idx) {
        match code.kind(n) {
            "instanceof_expression"
                if code.child(n, "name").is_some() || code.child(n, "pattern").is_some() =>
            {
                return Err(UnchangedReason::BindingCondition);
            }
            kind if kind.ends_with("_pattern") => {
                return Err(UnchangedReason::BindingCondition);
            }
            "assignment_expression" => has_assignment = true,
            "method_invocation"
            | "array_access"
            | "instanceof_expression"
            | "null_literal"
            | "update_expression"
            | "object_creation_expression" => is_variable = true,
            "identifier" => {
                // A parameter that is not final, and a local that is set again, are never constant.
                is_variable |= function
                    .scopes
                    .of(n)
                    .is_some_and(|variable| variable.role == VariableRole::Parameter);
            }
            _ => {}
        }
    }
    let is_loop = code.kind(statement) != "if_statement";
    if has_assignment && code.holds(idx, &["&&", "||", "!", "ternary_expression"]) {
        return Err(UnchangedReason::AssigningCondition);
    }
    let is_literal = matches!(code.kind(idx), "true" | "false");
    if is_literal || (is_loop && !is_variable) {
        return Err(UnchangedReason::ConstantCondition {
            decides: "which code is reachable",
        });
    }
    if !is_variable && has_assignment {
        return Err(UnchangedReason::AssigningCondition);
    }
    // `int x; if (DEBUG) { x = 1; }` sets x where DEBUG is constant (JLS 16.2.7 and 16.1): no variable is.
    let may_be_constant = !is_variable || code.below(idx).any(|n| is_constant_name(code, n));
    if may_be_constant && declares_without_value(function) {
        return Err(UnchangedReason::ConstantCondition {
            decides: "which variables are assigned",
        });
    }
    Ok(true)
}

/// Tells whether a node is a name in the style of constants, `DEBUG`.
fn is_constant_name(code: &crate::code::Code<'_>, idx: u32) -> bool {
    let name = code.source(idx);
    code.kind(idx) == "identifier"
        && name.starts_with(|name: char| name.is_ascii_uppercase())
        && !name.contains(|name: char| name.is_ascii_lowercase())
}

/// Tells whether a method has a local that is declared before it is given a value.
fn declares_without_value(function: &Function<'_>) -> bool {
    let code = function.code;
    function.inside().any(|n| {
        code.kind(n) == "variable_declarator"
            && code.child(n, "value").is_none()
            && code.kind(code.parent(n)) == "local_variable_declaration"
    })
}

pub fn is_equal_to_itself(function: &Function<'_>, variable: &Variable<'_>) -> bool {
    variable.declared_type.is_some_and(|declared_type| {
        // The type behind `var` is not known.
        !["float", "double", "Float", "Double", "var"].contains(&source(function, declared_type))
    })
}

/// Returns the type that a copy of a parameter is declared with.
pub fn type_of(function: &Function<'_>, variable: &Variable<'_>) -> Option<String> {
    let typed = source(function, variable.declared_type?);
    (!typed.contains(['\n', '@', '/'])).then(|| typed.to_owned())
}

/// Methods that printing an object may run.
const PRINTING: &[&str] = &["toString", "hashCode", "equals", "compareTo", "format"];

pub fn printable<'f, 'c>(
    function: &Function<'c>,
    all: Vec<&'f Variable<'c>>,
    is_strict: bool,
) -> Vec<&'f Variable<'c>> {
    let typed = |variable: &Variable<'_>| {
        variable
            .declared_type
            .map_or("", |declared_type| source(function, declared_type))
    };
    // An array of characters is printed as a text, and must not be null.
    let known: Vec<&Variable<'c>> = all
        .into_iter()
        .filter(|variable| {
            let typed = typed(variable).replace(' ', "");
            typed != "char[]"
                && !(variable.declared_type.is_none() && variable.role == VariableRole::Parameter)
        })
        .collect();
    if !is_strict {
        return known;
    }
    let is_plain = |variable: &Variable<'_>| {
        PRIMITIVE.contains(&typed(variable)) || matches!(typed(variable), "boolean" | "String")
    };
    let plain: Vec<&Variable<'c>> = known
        .iter()
        .copied()
        .filter(|variable| is_plain(variable))
        .collect();
    if !plain.is_empty() || PRINTING.contains(&function.name) {
        return plain;
    }
    known
}
