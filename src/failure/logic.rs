//! The normal form of a check in Go, JavaScript and C#: two checks with one normal form check the same for all values.
//!
//! The rewrites, each applied as long as one applies (at most [`REWRITES_MAX`] times):
//!
//! - true(`!a`) is false(`a`), and the other way round
//! - true(`a == b`), `a != b`, `a < b` and the calls that the language's library has for it are what equality, inequality and
//!   order check; false is the negation, where there is one
//! - equal(`null`, a) is null(a), equal(`true`, a) is true(a), equal(`n`, length of a) is length(n) of a
//! - same(`1`, a) is equal(`1`, a): a literal is no object of its own
//! - ordered(`a > b`) is ordered(`b < a`), except with a constant, which is always the expected value
//! - what should throw is the statements of the function that is passed
//!
//! It is assumed that `==` is symmetric, and that a number is less than, equal to or greater than another one.

use super::code::{Code, NodeSort, hash_of};
use super::form::{CheckForm, CheckKind};
use super::normal::REWRITES_MAX;
use super::sides::{by_less, ordered, pair};
use super::thrown::lambda_body;
use super::tree;

/// The facts about a language that the normal form needs.
pub struct Logic {
    /// The words for the absence of a value, each with the way that checks it.
    pub nothing: &'static [(&'static str, CheckKind)],
    /// Whether any value counts as true or false, so that `!a` may be about a value of any type.
    pub has_truthy: bool,
    /// Finds the kind of check that `==` and its like make.
    pub compared: fn(&str) -> Option<CheckKind>,
    /// Reads a call that returns whether something is so.
    pub predicate: fn(&mut Code<'_>, u32) -> Option<CheckForm>,
    /// Finds the value whose length a node is.
    pub measured: fn(&Code<'_>, u32) -> Option<u32>,
    /// Rewrites a form in a way of the language's own.
    pub rewritten: fn(&mut Code<'_>, &CheckForm) -> Option<CheckForm>,
}

/// Makes the way in which lengths are checked.
pub fn length() -> CheckKind {
    CheckKind::Named(hash_of("length"))
}

/// Makes the way of a value that counts as true.
pub fn truthy() -> CheckKind {
    CheckKind::Named(hash_of("truthy"))
}

/// Makes the form that holds where this one does not.
pub fn negated(code: &mut Code<'_>, form: CheckForm) -> CheckForm {
    if let (CheckKind::Ordered, &[actual, operator]) = (form.kind, form.actual.as_slice()) {
        let sign = match code.kind_name(operator) {
            "<" => ">=",
            "<=" => ">",
            ">" => "<=",
            _ => "<",
        };
        let operator = tree::leaf(code, operator, sign, NodeSort::Operator, sign);
        return CheckForm {
            actual: vec![actual, operator],
            ..form
        };
    }
    let kind = match form.kind {
        CheckKind::Throws => CheckKind::NotThrows,
        CheckKind::NotThrows => CheckKind::Throws,
        kind => kind
            .negated()
            .unwrap_or_else(|| CheckKind::NotNamed(hash_of(&format!("{kind:?}")))),
    };
    CheckForm { kind, ..form }
}

/// Computes the normal form of a check.
pub fn normal(code: &mut Code<'_>, form: &CheckForm, logic: &Logic) -> CheckForm {
    let mut form = form.clone();
    for _ in 0..REWRITES_MAX {
        let next = (logic.rewritten)(code, &form).or_else(|| rewritten(code, &form, logic));
        let Some(next) = next else {
            break;
        };
        form = next;
    }
    if form.kind == CheckKind::Ordered {
        return by_less(code, form);
    }
    form
}

fn rewritten(code: &mut Code<'_>, form: &CheckForm, logic: &Logic) -> Option<CheckForm> {
    if !form.links.is_empty() {
        return None;
    }
    if let (CheckKind::InstanceOf | CheckKind::Throws, &[class]) =
        (form.kind, form.expected.as_slice())
        && code.sort(class) == NodeSort::ClassLiteral
    {
        let ty = code.children(class).next()?;
        return Some(CheckForm {
            expected: vec![ty],
            ..form.clone()
        });
    }
    let &[actual] = form.actual.as_slice() else {
        return None;
    };
    match form.kind {
        CheckKind::Throws | CheckKind::NotThrows => {
            let body = lambda_body(code, actual)?;
            let body = body.into_iter().map(|body| tree::expression(code, body));
            Some(CheckForm {
                actual: body.collect(),
                ..form.clone()
            })
        }
        CheckKind::True => truth(code, actual, logic),
        CheckKind::False => {
            let found = truth(code, actual, logic)?;
            Some(negated(code, found))
        }
        kind if kind == truthy() => truth(code, actual, logic),
        CheckKind::NotNamed(name) if CheckKind::Named(name) == truthy() => {
            let found = truth(code, actual, logic)?;
            Some(negated(code, found))
        }
        CheckKind::Equal
        | CheckKind::NotEqual
        | CheckKind::Same
        | CheckKind::NotSame
        | CheckKind::Alike
        | CheckKind::NotAlike => {
            let &[expected] = form.expected.as_slice() else {
                return None;
            };
            let found = constant(code, form.kind, (expected, actual), logic)
                .or_else(|| constant(code, form.kind, (actual, expected), logic));
            if let Some(found) = found {
                let is_equal = matches!(
                    form.kind,
                    CheckKind::Equal | CheckKind::Same | CheckKind::Alike
                );
                return Some(if is_equal {
                    found
                } else {
                    negated(code, found)
                });
            }
            let has_literal = code.is_literal(expected) || code.is_literal(actual);
            let kind = match form.kind {
                CheckKind::Same if has_literal => CheckKind::Equal,
                CheckKind::NotSame if has_literal => CheckKind::NotEqual,
                _ => return None,
            };
            Some(CheckForm {
                kind,
                ..form.clone()
            })
        }
        _ => None,
    }
}

/// Reads an equality with a constant on one side.
fn constant(
    code: &Code<'_>,
    way: CheckKind,
    (constant, other): (u32, u32),
    logic: &Logic,
) -> Option<CheckForm> {
    let is_alike = matches!(way, CheckKind::Alike | CheckKind::NotAlike);
    let one = |way| Some(CheckForm::new(way, Vec::new(), vec![other]));
    let word = code.source(constant);
    if let Some((_, way)) = logic.nothing.iter().find(|pair| pair.0 == word) {
        return one(*way);
    }
    match word {
        "true" if !is_alike => one(CheckKind::True),
        "false" if !is_alike => one(CheckKind::False),
        _ => {
            let object = (logic.measured)(code, other)?;
            Some(CheckForm::new(length(), vec![constant], vec![object]))
        }
    }
}

/// Reads what must be true, one step deep.
pub fn truth(code: &mut Code<'_>, idx: u32, logic: &Logic) -> Option<CheckForm> {
    let fields = code.fields();
    match code.sort(idx) {
        NodeSort::Unary => {
            let operator = code.child(idx, fields.operator)?;
            let operand = code.child(idx, fields.operand)?;
            let way = if logic.has_truthy {
                CheckKind::NotNamed(hash_of("truthy"))
            } else {
                CheckKind::False
            };
            (code.source(operator) == "!").then(|| CheckForm::new(way, Vec::new(), vec![operand]))
        }
        NodeSort::Binary => {
            let operator = code.child(idx, fields.operator)?;
            let left = code.child(idx, fields.left)?;
            let right = code.child(idx, fields.right)?;
            let sign = code.source(operator);
            match (logic.compared)(sign) {
                Some(way) => Some(pair(code, way, left, right)),
                None if matches!(sign, "<" | "<=" | ">" | ">=") => {
                    Some(ordered(code, left, operator, right))
                }
                None => None,
            }
        }
        NodeSort::Call => (logic.predicate)(code, idx),
        _ => None,
    }
}
