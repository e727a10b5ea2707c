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
//! The rewrites assume that `equals` is symmetric, and that `==` of a number is `equals`.

use super::code::{Code, NodeSort, hash_of};
use super::form::{CheckForm, CheckKind};

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

/// Computes the normal form of a check.
pub fn form(code: &Code<'_>, form: &CheckForm) -> CheckForm {
    let mut form = form.clone();
    for _ in 0..REWRITES_MAX {
        let Some(next) = rewritten(code, &form) else {
            break;
        };
        form = next;
    }
    form
}

fn rewritten(code: &Code<'_>, form: &CheckForm) -> Option<CheckForm> {
    if let (CheckKind::InstanceOf | CheckKind::Throws, &[class]) =
        (form.kind, form.expected.as_slice())
        && code.sort(class) == NodeSort::ClassLiteral
        && let Some(ty) = code.children(class).next()
    {
        return Some(CheckForm {
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
    match form.kind {
        CheckKind::True => truth(code, actual),
        CheckKind::False => {
            let mut form = truth(code, actual)?;
            form.kind = form.kind.negated()?;
            Some(form)
        }
        CheckKind::Equal | CheckKind::NotEqual | CheckKind::Same | CheckKind::NotSame => {
            let &[expected] = form.expected.as_slice() else {
                return None;
            };
            let is_equal = matches!(form.kind, CheckKind::Equal | CheckKind::Same);
            let mut found = constant(code, form.kind, expected, actual)
                .or_else(|| constant(code, form.kind, actual, expected))?;
            if !is_equal {
                found.kind = found.kind.negated()?;
            }
            Some(found)
        }
        // `hasSize(n)`.
        CheckKind::Named(name) if name == hash_of("hasSize") => Some(CheckForm {
            kind: CheckKind::Named(hash_of("size")),
            ..form.clone()
        }),
        CheckKind::Named(name) if name == hash_of("empty") || name == hash_of("emptyString") => {
            Some(CheckForm {
                kind: CheckKind::Named(hash_of("isEmpty")),
                ..form.clone()
            })
        }
        _ => None,
    }
}

/// Rewrites an equality with a constant on one side.
fn constant(code: &Code<'_>, way: CheckKind, constant: u32, other: u32) -> Option<CheckForm> {
    let is_identity = matches!(way, CheckKind::Same | CheckKind::NotSame);
    let one = |way| Some(CheckForm::new(way, Vec::new(), vec![other]));
    match code.source(constant) {
        "null" => one(CheckKind::Null),
        "true" if !is_identity => one(CheckKind::True),
        "false" if !is_identity => one(CheckKind::False),
        _ if !is_identity && code.sort(other) == NodeSort::Call => {
            let object = code.child(other, code.fields().object)?;
            let is_size = code.name(other) == Some("size") && code.arguments(other).is_empty();
            is_size.then(|| {
                CheckForm::new(
                    CheckKind::Named(hash_of("size")),
                    vec![constant],
                    vec![object],
                )
            })
        }
        _ => None,
    }
}

/// Rewrites what must be true.
fn truth(code: &Code<'_>, idx: u32) -> Option<CheckForm> {
    match code.sort(idx) {
        NodeSort::Unary => {
            let operator = code.child(idx, code.fields().operator)?;
            let operand = code.child(idx, code.fields().operand)?;
            (code.source(operator) == "!")
                .then(|| CheckForm::new(CheckKind::False, Vec::new(), vec![operand]))
        }
        NodeSort::Binary => {
            let operator = code.source(code.child(idx, code.fields().operator)?);
            let (left, right) = (
                code.child(idx, code.fields().left)?,
                code.child(idx, code.fields().right)?,
            );
            let has_value = [left, right].iter().any(|n| {
                code.is_literal(*n)
                    && !code.source(*n).starts_with('"')
                    && code.source(*n) != "null"
            });
            let way = match (operator, has_value) {
                ("==", true) => CheckKind::Equal,
                ("==", false) => CheckKind::Same,
                ("!=", true) => CheckKind::NotEqual,
                ("!=", false) => CheckKind::NotSame,
                _ => return None,
            };
            let (expected, actual) = if code.is_literal(right) {
                (right, left)
            } else {
                (left, right)
            };
            Some(CheckForm::new(way, vec![expected], vec![actual]))
        }
        NodeSort::InstanceOf if code.child(idx, code.fields().name).is_none() => {
            let (value, ty) = (
                code.child(idx, code.fields().left)?,
                code.child(idx, code.fields().right)?,
            );
            Some(CheckForm::new(CheckKind::InstanceOf, vec![ty], vec![value]))
        }
        NodeSort::Call => {
            let name = code.name(idx)?;
            let object = code.child(idx, code.fields().object)?;
            match (name, code.source(object), code.arguments(idx).as_slice()) {
                ("equals", "Objects" | "Arrays", [first, second]) => {
                    let way = if code.source(object) == "Arrays" {
                        CheckKind::ArrayEqual
                    } else {
                        CheckKind::Equal
                    };
                    Some(CheckForm::new(way, vec![*first], vec![*second]))
                }
                ("equals", _, [other]) => {
                    Some(CheckForm::new(CheckKind::Equal, vec![object], vec![*other]))
                }
                (_, _, arguments) if SHARED.contains(&name) && arguments.len() < 2 => {
                    Some(CheckForm::new(
                        CheckKind::Named(hash_of(name)),
                        arguments.to_vec(),
                        vec![object],
                    ))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
