//! The normal form of a check: two checks with one normal form check the same for all values.
//!
//! The rewrites, each applied as long as one applies (at most [`REWRITES_MAX`] times):
//!
//! - true(`!a`) is false(`a`), and the other way round
//! - true(`a.equals(b)`) and true(`Objects.equals(a, b)`) are equal(a, b); false is not-equal. `Arrays.equals` is array-equal
//! - true(`a == b`) is null(`a`) where `b` is `null`, equal where one side is a number, a character or a truth value, else
//!   same; `!=` is the negation
//! - true(`a instanceof T`) is instance-of(T, a), and `T.class` is T there
//! - true(`a.m(b)`) is m(b) of a for the checks of values that fluent libraries name as the JDK does (`contains`,
//!   `isEmpty`, …), and false its negation
//! - equal(`null`, a) and same(`null`, a) are null(a); equal(`true`, a) is true(a); equal(`n`, `a.size()`) is size(n) of a
//!
//! That `equals` is symmetric, and that `==` of a number is `equals`, is taken for granted.

use super::code::{Code, Sort, hash_of};
use super::form::{Form, Way};

/// How often a form is rewritten at most: `!!!!a` needs as many as it has signs.
pub const REWRITES_MAX: usize = 16;

/// Methods that fluent libraries check under the same name.
const SHARED: &[&str] = &[
    "contains",
    "containsKey",
    "containsValue",
    "endsWith",
    "isAfter",
    "isBefore",
    "isBlank",
    "isEmpty",
    "isPresent",
    "matches",
    "startsWith",
];

/// Normalises a form.
pub fn form(code: &Code<'_>, form: &Form) -> Form {
    let mut form = form.clone();
    for _ in 0..REWRITES_MAX {
        let Some(next) = rewritten(code, &form) else {
            break;
        };
        form = next;
    }
    form
}

fn rewritten(code: &Code<'_>, form: &Form) -> Option<Form> {
    if let (Way::InstanceOf | Way::Throws, &[class]) = (form.way, form.expected.as_slice())
        && code.sort(class) == Sort::ClassLiteral
        && let Some(ty) = code.children(class).next()
    {
        return Some(Form {
            expected: vec![ty],
            ..form.clone()
        });
    }
    if !form.links.is_empty() {
        return None;
    }
    let &[actual] = form.actual.as_slice() else {
        return None;
    };
    match form.way {
        Way::True => truth(code, actual),
        Way::False => {
            let mut form = truth(code, actual)?;
            form.way = form.way.negated()?;
            Some(form)
        }
        Way::Equal | Way::NotEqual | Way::Same | Way::NotSame => {
            let &[expected] = form.expected.as_slice() else {
                return None;
            };
            let is_equal = matches!(form.way, Way::Equal | Way::Same);
            let mut found = constant(code, form.way, expected, actual)
                .or_else(|| constant(code, form.way, actual, expected))?;
            if !is_equal {
                found.way = found.way.negated()?;
            }
            Some(found)
        }
        // `hasSize(n)`.
        Way::Named(name) if name == hash_of("hasSize") => Some(Form {
            way: Way::Named(hash_of("size")),
            ..form.clone()
        }),
        Way::Named(name) if name == hash_of("empty") || name == hash_of("emptyString") => {
            Some(Form {
                way: Way::Named(hash_of("isEmpty")),
                ..form.clone()
            })
        }
        _ => None,
    }
}

/// Rewrites an equality with a constant on one side.
fn constant(code: &Code<'_>, way: Way, constant: u32, other: u32) -> Option<Form> {
    let is_identity = matches!(way, Way::Same | Way::NotSame);
    let one = |way| Some(Form::new(way, Vec::new(), vec![other]));
    match code.source(constant) {
        "null" => one(Way::Null),
        "true" if !is_identity => one(Way::True),
        "false" if !is_identity => one(Way::False),
        _ if !is_identity && code.sort(other) == Sort::Call => {
            let object = code.child(other, code.fields().object)?;
            let is_size = code.name(other) == Some("size") && code.arguments(other).is_empty();
            is_size.then(|| Form::new(Way::Named(hash_of("size")), vec![constant], vec![object]))
        }
        _ => None,
    }
}

/// Rewrites what must be true.
fn truth(code: &Code<'_>, idx: u32) -> Option<Form> {
    match code.sort(idx) {
        Sort::Unary => {
            let operator = code.child(idx, code.fields().operator)?;
            let operand = code.child(idx, code.fields().operand)?;
            (code.source(operator) == "!").then(|| Form::new(Way::False, Vec::new(), vec![operand]))
        }
        Sort::Binary => {
            let operator = code.source(code.child(idx, code.fields().operator)?);
            let (left, right) = (
                code.child(idx, code.fields().left)?,
                code.child(idx, code.fields().right)?,
            );
            let has_value = [left, right].iter().any(|it| {
                code.is_literal(*it)
                    && !code.source(*it).starts_with('"')
                    && code.source(*it) != "null"
            });
            let way = match (operator, has_value) {
                ("==", true) => Way::Equal,
                ("==", false) => Way::Same,
                ("!=", true) => Way::NotEqual,
                ("!=", false) => Way::NotSame,
                _ => return None,
            };
            let (expected, actual) = if code.is_literal(right) {
                (right, left)
            } else {
                (left, right)
            };
            Some(Form::new(way, vec![expected], vec![actual]))
        }
        Sort::InstanceOf if code.child(idx, code.fields().name).is_none() => {
            let (value, ty) = (
                code.child(idx, code.fields().left)?,
                code.child(idx, code.fields().right)?,
            );
            Some(Form::new(Way::InstanceOf, vec![ty], vec![value]))
        }
        Sort::Call => {
            let name = code.name(idx)?;
            let object = code.child(idx, code.fields().object)?;
            match (name, code.source(object), code.arguments(idx).as_slice()) {
                ("equals", "Objects" | "Arrays", [first, second]) => {
                    let way = if code.source(object) == "Arrays" {
                        Way::ArrayEqual
                    } else {
                        Way::Equal
                    };
                    Some(Form::new(way, vec![*first], vec![*second]))
                }
                ("equals", _, [other]) => Some(Form::new(Way::Equal, vec![object], vec![*other])),
                (_, _, arguments) if SHARED.contains(&name) && arguments.len() < 2 => Some(
                    Form::new(Way::Named(hash_of(name)), arguments.to_vec(), vec![object]),
                ),
                _ => None,
            }
        }
        _ => None,
    }
}
