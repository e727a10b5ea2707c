//! The normal form of a check in Python: two checks with one normal form check the same for all values.
//!
//! The rewrites, each applied as long as one applies (at most [`REWRITES_MAX`] times):
//!
//! - true(`not a`) is false(`a`), and the other way round
//! - true(`a == b`), `a != b`, `a is b`, `a in b`, `a < b`, `isinstance(a, T)`, `re.search(p, a)` are what `assertEqual`,
//!   `assertNotEqual`, `assertIs`, `assertIn`, `assertLess`, `assertIsInstance`, `assertRegex` check; false is the negation,
//!   where there is one
//! - equal(`None`, a) and same(`None`, a) are null(a)
//! - ordered(`a > b`) is ordered(`b < a`), except with a constant, which is always the expected value
//! - true(`m.called`), equal(`n`, `m.call_count`) and the methods of mocks that say so are the same
//!
//! Truth is not the same as being equal to `True`, and that not as being `True` itself. That `==` is symmetric is taken for
//! granted.

use super::super::code::{Code, NodeSort, hash_of};
use super::super::form::{CheckForm, CheckKind};
use super::super::normal::REWRITES_MAX;
use super::super::sides::{by_less, ordered, pair, within};
use super::super::tree;
use super::literal;

/// Computes the normal form of a check.
pub fn form(code: &mut Code<'_>, form: &CheckForm) -> CheckForm {
    let mut form = form.clone();
    for _ in 0..REWRITES_MAX {
        let Some(next) = rewritten(code, &form) else {
            break;
        };
        form = next;
    }
    if form.kind == CheckKind::Ordered {
        return by_less(code, form);
    }
    form
}

fn rewritten(code: &mut Code<'_>, form: &CheckForm) -> Option<CheckForm> {
    if !form.links.is_empty() {
        return None;
    }
    let &[actual] = form.actual.as_slice() else {
        return None;
    };
    match form.kind {
        CheckKind::True => truth(code, actual).or_else(|| called_check(code, actual)),
        CheckKind::False => {
            let mut form = truth(code, actual).or_else(|| called_check(code, actual))?;
            form.kind = match form.kind {
                CheckKind::Verify(_) => CheckKind::Verify(hash_of("never")),
                way => way.negated()?,
            };
            Some(form)
        }
        CheckKind::Equal | CheckKind::NotEqual | CheckKind::Same | CheckKind::NotSame => {
            let &[expected] = form.expected.as_slice() else {
                return None;
            };
            let is_equal = matches!(form.kind, CheckKind::Equal | CheckKind::Same);
            let way = if is_equal {
                CheckKind::Null
            } else {
                CheckKind::NotNull
            };
            match (code.source(expected), code.source(actual)) {
                ("None", _) => Some(CheckForm::new(way, Vec::new(), vec![actual])),
                (_, "None") => Some(CheckForm::new(way, Vec::new(), vec![expected])),
                _ if form.kind == CheckKind::Equal => counted(code, expected, actual),
                _ => None,
            }
        }
        CheckKind::Verify(way) if way == hash_of("assert_called_once") => {
            let one = tree::leaf(
                code,
                actual,
                "integer",
                NodeSort::Literal,
                &literal::number("1"),
            );
            Some(CheckForm::new(
                CheckKind::Verify(hash_of("count")),
                vec![one],
                vec![actual],
            ))
        }
        CheckKind::Verify(way) if way == hash_of("assert_not_called") => Some(CheckForm::new(
            CheckKind::Verify(hash_of("never")),
            Vec::new(),
            vec![actual],
        )),
        CheckKind::Verify(way) if way == hash_of("assert_called") => Some(CheckForm::new(
            CheckKind::Verify(hash_of("called")),
            Vec::new(),
            vec![actual],
        )),
        _ => None,
    }
}

/// Finds the object of a field of that name.
fn field_of(code: &Code<'_>, idx: u32, name: &str) -> Option<u32> {
    let field = code.child(idx, code.fields().field)?;
    let is_it = code.sort(idx) == NodeSort::FieldAccess && code.source(field) == name;
    is_it.then(|| code.child(idx, code.fields().object))?
}

/// Reads `m.called`.
fn called_check(code: &Code<'_>, idx: u32) -> Option<CheckForm> {
    let mock = field_of(code, idx, "called")?;
    Some(CheckForm::new(
        CheckKind::Verify(hash_of("called")),
        Vec::new(),
        vec![mock],
    ))
}

/// Reads `m.call_count == n`.
fn counted(code: &Code<'_>, expected: u32, actual: u32) -> Option<CheckForm> {
    let mock = field_of(code, actual, "call_count")?;
    Some(if code.source(expected) == "0" {
        CheckForm::new(CheckKind::Verify(hash_of("never")), Vec::new(), vec![mock])
    } else {
        CheckForm::new(
            CheckKind::Verify(hash_of("count")),
            vec![expected],
            vec![mock],
        )
    })
}

/// Reads what must be true, one step deep.
pub fn truth(code: &mut Code<'_>, idx: u32) -> Option<CheckForm> {
    let fields = code.fields();
    match code.sort(idx) {
        NodeSort::Unary => {
            let operator = code.child(idx, fields.operator)?;
            let operand = code.child(idx, fields.operand)?;
            (code.source(operator) == "not")
                .then(|| CheckForm::new(CheckKind::False, Vec::new(), vec![operand]))
        }
        NodeSort::Binary => {
            let operator = code.child(idx, fields.operator)?;
            let (left, right) = (
                code.child(idx, fields.left)?,
                code.child(idx, fields.right)?,
            );
            match code.kind_name(operator) {
                "==" => Some(pair(code, CheckKind::Equal, left, right)),
                "!=" => Some(pair(code, CheckKind::NotEqual, left, right)),
                "is" => Some(pair(code, CheckKind::Same, left, right)),
                "is not" => Some(pair(code, CheckKind::NotSame, left, right)),
                "in" => Some(within(code, CheckKind::Named(hash_of("in")), left, right)),
                "not in" => Some(within(
                    code,
                    CheckKind::NotNamed(hash_of("in")),
                    left,
                    right,
                )),
                "<" | "<=" | ">" | ">=" => Some(ordered(code, left, operator, right)),
                _ => None,
            }
        }
        NodeSort::Call => {
            let object = code
                .child(idx, fields.object)
                .map(|object| code.source(object));
            match (object, code.name(idx)?, code.arguments(idx).as_slice()) {
                (None, "isinstance", &[value, ty]) => Some(CheckForm::new(
                    CheckKind::Named(hash_of("isinstance")),
                    vec![ty],
                    vec![value],
                )),
                (Some("re"), "search", &[pattern, value]) => Some(CheckForm::new(
                    CheckKind::Named(hash_of("regex")),
                    vec![pattern],
                    vec![value],
                )),
                _ => None,
            }
        }
        _ => None,
    }
}
